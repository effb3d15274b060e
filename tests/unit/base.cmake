transplt_test(base_test
  SOURCES edit_test.cpp file_budget_test.cpp packed_json_test.cpp pattern_test.cpp plain_text_test.cpp source_file_encoding_test.cpp source_file_test.cpp
  LIBRARIES transplt_base)
