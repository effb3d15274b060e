# Writes OUTPUT, a C++ file with the function NAME, which gives the text of INPUT.
# Run with cmake -DOUTPUT=... -DINPUT=... -DNAME=... -P embed_text.cmake
include(${CMAKE_CURRENT_LIST_DIR}/byte_literal.cmake)
byte_literal(bytes ${INPUT})
file(WRITE ${OUTPUT} "// Made by cmake/embed_text.cmake.\n#include <string_view>\n\n"
  "namespace transplt {\n\nstd::string_view ${NAME}();\n\n"
  "std::string_view ${NAME}() {\n  return\n    \"${bytes}\";\n}\n\n}  // namespace transplt\n")
