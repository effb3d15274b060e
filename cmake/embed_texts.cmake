# Writes OUTPUT, a C++ file with a function for each of INPUTS, which gives its text.
# Run with cmake -DOUTPUT=... -DINPUTS=a;b -DNAMES=A;B -P embed_texts.cmake
include(${CMAKE_CURRENT_LIST_DIR}/byte_literal.cmake)
set(text "// Made by cmake/embed_texts.cmake.\n#include <string_view>\n\nnamespace transplt {\n")
foreach(input name IN ZIP_LISTS INPUTS NAMES)
  byte_literal(bytes ${input})
  string(APPEND text "\nstd::string_view ${name}();\n\n"
    "std::string_view ${name}() {\n  return\n    \"${bytes}\";\n}\n")
endforeach()
file(WRITE ${OUTPUT} "${text}\n}  // namespace transplt\n")
