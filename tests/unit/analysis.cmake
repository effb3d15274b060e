transplt_test(analysis_test
  SOURCES
    advice_test.cpp
    affinity_test.cpp
    instrumentation_test.cpp
    native_operators_test.cpp
    operators_test.cpp
  LIBRARIES transplt_analysis)
