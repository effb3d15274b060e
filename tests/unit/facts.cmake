transplt_test(facts_test
  SOURCES
    tensor_types_test.cpp
  LIBRARIES transplt_facts)
