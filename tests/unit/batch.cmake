transplt_test(batch_test
  SOURCES
    batch_manifest_test.cpp
    batch_report_test.cpp
    results_file_test.cpp
    tree_digest_test.cpp
    worker_pool_test.cpp
  LIBRARIES transplt_batch nlohmann_json::nlohmann_json)
