# Rules as users write them: loading, checking and describing rule files.
embed_texts(target_texts.cpp
  ${CMAKE_SOURCE_DIR}/rules/targets/npu.json NpuTargetText
  ${CMAKE_SOURCE_DIR}/rules/targets/agnostic.json AgnosticTargetText
  ${CMAKE_SOURCE_DIR}/rules/torch_npu_releases.json TorchNpuReleasesText
  ${CMAKE_SOURCE_DIR}/rules/library_releases.json LibraryReleasesText)

transplt_library(rules
  SOURCES
    ${CMAKE_CURRENT_BINARY_DIR}/target_texts.cpp
    environment_marker.cpp
    field_value.cpp
    fields.cpp
    library_releases.cpp
    rule_draft.cpp
    rule_schema.cpp
    rule_set.cpp
    target.cpp
    torch_npu_releases.cpp
    version_range.cpp
    version_specifier.cpp
  PUBLIC transplt_base transplt_syntax
  PRIVATE nlohmann_json::nlohmann_json)
