transplt_test(python_test
  SOURCES
    name_table_test.cpp
    project_index_test.cpp
  LIBRARIES transplt_python)
