transplt_test(facts_test
  SOURCES
    cuda_needs_test.cpp
    guards_test.cpp
    served_devices_test.cpp
  LIBRARIES transplt_facts)
