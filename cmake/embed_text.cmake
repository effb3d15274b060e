# Writes OUTPUT, a C++ file with the function NAME, which gives the text of INPUT.
# Run with cmake -DOUTPUT=... -DINPUT=... -DNAME=... -P embed_text.cmake
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${hex}")
# A literal may hold 64 KiB; adjacent ones are joined.
string(REGEX REPLACE "((\\\\x[0-9a-f][0-9a-f]){1000})" "\\1\"\n    \"" bytes "${bytes}")
file(WRITE ${OUTPUT} "// Made by cmake/embed_text.cmake.\n#include <string_view>\n\n"
  "namespace transplt {\n\nstd::string_view ${NAME}();\n\n"
  "std::string_view ${NAME}() {\n  return\n    \"${bytes}\";\n}\n\n}  // namespace transplt\n")
