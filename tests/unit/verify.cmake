transplt_test(verify_test
  SOURCES
    child_process_test.cpp
    file_content_test.cpp
    npu_names_test.cpp
    output_comparison_test.cpp
    printed_line_test.cpp
    project_copy_test.cpp
    run_report_test.cpp
    simulated_run_test.cpp
    source_texts_test.cpp
    verdict_test.cpp
  LIBRARIES transplt_verify nlohmann_json::nlohmann_json)

# The examples of rules/signatures, which ask several modules.
transplt_test(word_list_test
  SOURCES
    word_list_test.cpp
  LIBRARIES transplt_verify transplt_batch transplt_dump transplt_analysis transplt_native nlohmann_json::nlohmann_json)
target_compile_definitions(word_list_test PRIVATE TRANSPLT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
