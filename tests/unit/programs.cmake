transplt_test(programs_test
  SOURCES
    entry_points_test.cpp
    reachability_test.cpp
    settings_test.cpp
    tensorflow_programs_test.cpp
  LIBRARIES transplt_programs)
