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
