transplt_test(facts_test
  SOURCES
    result_uses_test.cpp
    tensor_types_test.cpp
  LIBRARIES transplt_facts)
