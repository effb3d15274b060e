# The tree-sitter core and the grammars, from the npm packages that package-lock.json pins.
# `./dev` runs `npm ci --ignore-scripts` before CMake.
set(NODE_MODULES ${CMAKE_SOURCE_DIR}/node_modules CACHE PATH "Where npm has put the grammars")
foreach(language python bash)
  if(NOT EXISTS ${NODE_MODULES}/tree-sitter-${language}/src/parser.c)
    message(FATAL_ERROR
      "The grammars are missing: run `npm ci --ignore-scripts` (./dev build does).")
  endif()
endforeach()

set(core ${NODE_MODULES}/tree-sitter/vendor/tree-sitter/lib)
set(PARSER_CORE ${core})
set(grammar ${NODE_MODULES}/tree-sitter-python/src)
set(PARSER_SOURCES ${core}/src/lib.c ${grammar}/parser.c ${grammar}/scanner.c)
set(PARSER_INCLUDES ${core}/include ${core}/src ${grammar})

# Adds to `target` the sources of the parser with the flags that they need.
function(use_parser_sources target)
  target_sources(${target} PRIVATE ${PARSER_SOURCES})
  target_include_directories(${target} SYSTEM PRIVATE ${PARSER_INCLUDES})
  target_compile_definitions(${target} PRIVATE _DEFAULT_SOURCE _POSIX_C_SOURCE=200112L)
  target_compile_options(${target} PRIVATE -w -O2 ${ARGN})
  set_target_properties(${target} PROPERTIES C_STANDARD 11)
endfunction()

add_library(tree_sitter_python STATIC)
target_include_directories(tree_sitter_python SYSTEM PUBLIC ${core}/include)

# Most of the time of a run goes into this parser. Built to a profile of itself, taken while it
# parses the samples, it is a seventh faster.
if(CMAKE_C_COMPILER_ID STREQUAL GNU AND CMAKE_BUILD_TYPE STREQUAL Release
   AND NOT CMAKE_CROSSCOMPILING AND NOT TRANSPLT_SANITIZE)
  set(profile ${CMAKE_BINARY_DIR}/parser_profile)
  # Under this name a source writes and reads its profile, in whatever target it is compiled.
  foreach(source ${PARSER_SOURCES})
    get_filename_component(name ${source} NAME_WE)
    set_property(SOURCE ${source} PROPERTY COMPILE_OPTIONS -dumpdir ${profile}/ -dumpbase ${name})
  endforeach()

  file(GLOB_RECURSE training_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/samples/*.py)
  add_executable(train_parser ${CMAKE_SOURCE_DIR}/cmake/train_parser.c)
  use_parser_sources(train_parser -fprofile-generate)
  # A cached object would name the profile of another build folder.
  set_target_properties(train_parser tree_sitter_python PROPERTIES C_COMPILER_LAUNCHER "")
  target_link_options(train_parser PRIVATE -fprofile-generate)
  # What was counted before would be added to.
  add_custom_command(OUTPUT ${profile}/parser.gcda
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${profile}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${profile}
    COMMAND train_parser ${training_files}
    DEPENDS train_parser ${training_files}
    VERBATIM)
  add_custom_target(parser_profile DEPENDS ${profile}/parser.gcda)

  use_parser_sources(tree_sitter_python -fprofile-use)
  add_dependencies(tree_sitter_python parser_profile)
else()
  use_parser_sources(tree_sitter_python)
endif()

# The scripts of a project are few and short. The core is that of tree_sitter_python.
set(bash_grammar ${NODE_MODULES}/tree-sitter-bash/src)
add_library(tree_sitter_bash STATIC ${bash_grammar}/parser.c ${bash_grammar}/scanner.c)
target_include_directories(tree_sitter_bash SYSTEM PRIVATE ${bash_grammar})
target_compile_options(tree_sitter_bash PRIVATE -w -O2)
set_target_properties(tree_sitter_bash PROPERTIES C_STANDARD 11)
target_link_libraries(tree_sitter_bash PUBLIC tree_sitter_python)
