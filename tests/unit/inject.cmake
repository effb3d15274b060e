transplt_test(inject_test
  SOURCES
    inject_test.cpp
  LIBRARIES transplt_inject)
