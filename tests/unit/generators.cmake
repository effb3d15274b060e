transplt_test(generators_test
  SOURCES configuration_doctor_test.cpp generators_test.cpp launch_test.cpp
  LIBRARIES transplt_generators nlohmann_json::nlohmann_json)
