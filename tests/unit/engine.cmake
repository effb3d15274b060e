transplt_test(rule_loader_test
  SOURCES
    json_document_test.cpp
    rule_loader_test.cpp
    rule_schema_test.cpp
    similar_name_test.cpp
    torch_npu_releases_test.cpp
    version_range_test.cpp
    version_specifier_test.cpp
    wrong_rules_test.cpp
  LIBRARIES transplt_rules nlohmann_json::nlohmann_json)
