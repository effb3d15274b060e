# Rules as users write them: loading, checking and describing rule files.
embed_text(npu_target.cpp ${CMAKE_SOURCE_DIR}/rules/targets/npu.json NpuTargetText)
embed_text(agnostic_target.cpp ${CMAKE_SOURCE_DIR}/rules/targets/agnostic.json AgnosticTargetText)

transplt_library(rules
  SOURCES
    ${CMAKE_CURRENT_BINARY_DIR}/agnostic_target.cpp
    ${CMAKE_CURRENT_BINARY_DIR}/npu_target.cpp
    field_value.cpp
    fields.cpp
    rule_draft.cpp
    rule_schema.cpp
    rule_set.cpp
    target.cpp
    version_range.cpp
    version_specifier.cpp
  PUBLIC transplt_base transplt_syntax
  PRIVATE nlohmann_json::nlohmann_json)
