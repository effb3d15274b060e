transplt_test(report_test
  SOURCES
    report_causes_test.cpp
    report_change_list_csv_test.cpp
    report_code_quality_test.cpp
    report_fingerprints_test.cpp
    report_first_screen_test.cpp
    report_junit_test.cpp
    report_markdown_summary_test.cpp
    report_record_place_test.cpp
    report_run_json_test.cpp
    report_run_log_test.cpp
    report_sarif_test.cpp
    report_terminal_summary_test.cpp
    report_unified_diff_test.cpp
    report_unsupported_xlsx_test.cpp
    report_workflow_commands_test.cpp
  LIBRARIES transplt_report nlohmann_json::nlohmann_json)
