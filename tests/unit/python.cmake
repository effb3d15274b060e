transplt_test(python_test
  SOURCES
    arguments_test.cpp
    name_table_test.cpp
    project_index_test.cpp
  LIBRARIES transplt_python)
