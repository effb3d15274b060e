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
    verdict_test.cpp
  LIBRARIES transplt_verify nlohmann_json::nlohmann_json)
