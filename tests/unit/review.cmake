transplt_test(review_test
  SOURCES
    review_decision_table_test.cpp
    review_hunk_test.cpp
    review_run_record_test.cpp
    review_selection_test.cpp
  LIBRARIES transplt_review)
