# The tree-sitter core and the Python grammar, from the npm packages that package-lock.json pins.
# `./dev` runs `npm ci --ignore-scripts` before CMake.
set(NODE_MODULES ${CMAKE_SOURCE_DIR}/node_modules CACHE PATH "Where npm has put the grammars")
if(NOT EXISTS ${NODE_MODULES}/tree-sitter-python/src/parser.c)
  message(FATAL_ERROR "The grammars are missing: run `npm ci --ignore-scripts` (./dev build does).")
endif()

set(core ${NODE_MODULES}/tree-sitter/vendor/tree-sitter/lib)
set(grammar ${NODE_MODULES}/tree-sitter-python/src)
add_library(tree_sitter_python STATIC ${core}/src/lib.c ${grammar}/parser.c ${grammar}/scanner.c)
target_include_directories(tree_sitter_python SYSTEM PUBLIC ${core}/include)
target_include_directories(tree_sitter_python SYSTEM PRIVATE ${core}/src ${grammar})
target_compile_definitions(tree_sitter_python PRIVATE _DEFAULT_SOURCE _POSIX_C_SOURCE=200112L)
target_compile_options(tree_sitter_python PRIVATE -w -O2)
set_target_properties(tree_sitter_python PROPERTIES C_STANDARD 11)
