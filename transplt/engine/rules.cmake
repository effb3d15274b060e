# Rules as users write them: loading, checking and describing rule files.
transplt_library(rules
  SOURCES
    field_value.cpp
    fields.cpp
    rule_draft.cpp
    rule_schema.cpp
    rule_set.cpp
    version_range.cpp
    version_specifier.cpp
  PUBLIC transplt_base transplt_syntax
  PRIVATE nlohmann_json::nlohmann_json)
