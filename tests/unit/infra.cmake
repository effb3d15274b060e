# Debian's Python, whatever else comes first on PATH.
add_test(NAME dependency_test
  COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/dependency_test.py)

add_test(NAME word_tables_test
  COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/word_tables_test.py)
set_tests_properties(word_tables_test PROPERTIES TIMEOUT 60)
add_test(NAME type_names_test
  COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/type_names_test.py)
set_tests_properties(type_names_test PROPERTIES TIMEOUT 60)

# Files that the program prints and the repository keeps.
foreach(pair "schema=rule.schema.json" "reference=README.md")
  string(REPLACE "=" ";" pair "${pair}")
  list(GET pair 0 command)
  list(GET pair 1 file)
  add_test(NAME rules/${file}_is_what_the_program_prints
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:transplt> -DCOMMAND=${command}
            -DFILE=${CMAKE_SOURCE_DIR}/rules/${file}
            -P ${CMAKE_CURRENT_SOURCE_DIR}/generated_files_test.cmake)
endforeach()
