# Debian's Python, whatever else comes first on PATH.
add_test(NAME dependency_test
  COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/dependency_test.py)
