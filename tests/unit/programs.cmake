transplt_test(programs_test
  SOURCES
    entry_points_test.cpp
  LIBRARIES transplt_programs)
