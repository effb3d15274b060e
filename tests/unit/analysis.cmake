transplt_test(analysis_test
  SOURCES
    native_operators_test.cpp
    operators_test.cpp
  LIBRARIES transplt_analysis)
