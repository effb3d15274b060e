transplt_test(log_errors_test
  SOURCES log_errors_test.cpp
  LIBRARIES transplt_log_errors)
