# Files of the repository travel inside the program, as C++ sources that the build writes.
set(TRANSPLT_BYTE_LITERAL ${CMAKE_SOURCE_DIR}/cmake/byte_literal.cmake)

# embed_texts(SOURCE FILE FUNCTION [FILE FUNCTION]...): SOURCE, in the build folder of the caller,
# gets for each FILE the function `std::string_view FUNCTION()`, which gives its text.
function(embed_texts source)
  set(script ${CMAKE_SOURCE_DIR}/cmake/embed_texts.cmake)
  set(files)
  set(functions)
  while(ARGN)
    list(POP_FRONT ARGN file function)
    list(APPEND files ${file})
    list(APPEND functions ${function})
  endwhile()
  add_custom_command(
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${source}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/${source} "-DINPUTS=${files}"
            "-DNAMES=${functions}" -P ${script}
    DEPENDS ${files} ${script} ${TRANSPLT_BYTE_LITERAL}
    VERBATIM)
  compile_alone(${CMAKE_CURRENT_BINARY_DIR}/${source})
endfunction()

# The program that packs the JSON files which are read at every start (base/packed_json.h).
add_executable(pack_json ${CMAKE_SOURCE_DIR}/cmake/pack_json.cpp)
foreach(source json_document json_mistake json_string_mistake packed_json)
  target_sources(pack_json PRIVATE ${CMAKE_SOURCE_DIR}/transplt/base/${source}.cpp)
endforeach()
target_include_directories(pack_json PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(pack_json PRIVATE fmt::fmt nlohmann_json::nlohmann_json)

# embed_json(SOURCE LEFT_OUT FILE FUNCTION [FILE FUNCTION]...): as embed_texts, but the functions
# give the bytes for UnpackJson, without members called LEFT_OUT ("-": with all).
function(embed_json source left_out)
  set(files ${ARGN})
  list(FILTER files INCLUDE REGEX "[.]json$")
  add_custom_command(
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${source}
    COMMAND pack_json ${CMAKE_CURRENT_BINARY_DIR}/${source} ${left_out} ${ARGN}
    DEPENDS ${files} pack_json
    VERBATIM)
  compile_alone(${CMAKE_CURRENT_BINARY_DIR}/${source})
endfunction()
