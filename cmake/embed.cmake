# Files of the repository travel inside the program, as C++ sources that the build writes.
set(TRANSPLT_BYTE_LITERAL ${CMAKE_SOURCE_DIR}/cmake/byte_literal.cmake)

# embed_text(SOURCE FILE FUNCTION): SOURCE, in the build folder of the caller, gets the function
# `std::string_view FUNCTION()`, which gives the text of FILE.
function(embed_text source file function)
  set(script ${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake)
  add_custom_command(
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${source}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/${source} -DINPUT=${file}
            -DNAME=${function} -P ${script}
    DEPENDS ${file} ${script} ${TRANSPLT_BYTE_LITERAL}
    VERBATIM)
  compile_alone(${CMAKE_CURRENT_BINARY_DIR}/${source})
endfunction()
