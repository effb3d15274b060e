# Rules as users write them: loading, checking and describing rule files.
embed_text(npu_target.cpp ${CMAKE_SOURCE_DIR}/rules/targets/npu.json NpuTargetText)
embed_text(agnostic_target.cpp ${CMAKE_SOURCE_DIR}/rules/targets/agnostic.json AgnosticTargetText)
embed_text(torch_npu_releases_text.cpp ${CMAKE_SOURCE_DIR}/rules/torch_npu_releases.json
           TorchNpuReleasesText)

transplt_library(rules
  SOURCES
    ${CMAKE_CURRENT_BINARY_DIR}/agnostic_target.cpp
    ${CMAKE_CURRENT_BINARY_DIR}/npu_target.cpp
    ${CMAKE_CURRENT_BINARY_DIR}/torch_npu_releases_text.cpp
    field_value.cpp
    fields.cpp
    rule_draft.cpp
    rule_schema.cpp
    rule_set.cpp
    target.cpp
    torch_npu_releases.cpp
    version_range.cpp
    version_specifier.cpp
  PUBLIC transplt_base transplt_syntax
  PRIVATE nlohmann_json::nlohmann_json)
