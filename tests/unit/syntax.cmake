transplt_test(syntax_test
  SOURCES syntax_tree_test.cpp
  LIBRARIES transplt_syntax)

# Our view of python3-torch's sources is CPython's. Debian's Python, whatever else comes first.
add_executable(tree_view ${CMAKE_CURRENT_LIST_DIR}/tree_view.cpp)
target_link_libraries(tree_view PRIVATE transplt_syntax)
target_compile_options(tree_view PRIVATE -Wall -Wextra -Wconversion -Werror)
add_test(NAME syntax_agrees_with_cpython
  COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/compare_with_cpython.py
    $<TARGET_FILE:tree_view>)
set_tests_properties(syntax_agrees_with_cpython PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
