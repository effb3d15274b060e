# Writes OUTPUT, a C++ file with the functions HtmlPageHead and HtmlPageTail: PAGE around its data,
# with STYLE and SCRIPT in it and their hashes in its Content-Security-Policy.
# Run with cmake -DOUTPUT=... -DPAGE=... -DSTYLE=... -DSCRIPT=... -P embed_page.cmake
cmake_minimum_required(VERSION 3.25)  # @NAME@ is no variable
include(${CMAKE_CURRENT_LIST_DIR}/byte_literal.cmake)

set(BASE64 "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
# csp_hash(RESULT TEXT): 'sha256-...' of TEXT, which HTML holds as it is.
function(csp_hash result text)
  string(SHA256 hex "${text}")
  set(hash "")
  # Three bytes are four digits; the last two bytes are three digits and a sign.
  foreach(start RANGE 0 60 6)
    string(SUBSTRING "${hex}" ${start} 6 bytes)
    string(LENGTH "${bytes}" length)
    set(shifts 18 12 6 0)
    if(length EQUAL 4)
      set(bytes "${bytes}00")
      set(shifts 18 12 6)
    endif()
    foreach(shift IN LISTS shifts)
      math(EXPR digit "(0x${bytes} >> ${shift}) & 63")
      string(SUBSTRING "${BASE64}" ${digit} 1 letter)
      string(APPEND hash "${letter}")
    endforeach()
  endforeach()
  set(${result} "'sha256-${hash}='" PARENT_SCOPE)
endfunction()

file(READ "${PAGE}" page)
file(READ "${STYLE}" style)
file(READ "${SCRIPT}" script)
csp_hash(style_hash "${style}")
csp_hash(script_hash "${script}")
string(REPLACE "@STYLE_HASH@" "${style_hash}" page "${page}")
string(REPLACE "@SCRIPT_HASH@" "${script_hash}" page "${page}")
string(REPLACE "@STYLE@" "${style}" page "${page}")
string(FIND "${page}" "@DATA@" at)
string(SUBSTRING "${page}" 0 ${at} head)
math(EXPR at "${at} + 6")
string(SUBSTRING "${page}" ${at} -1 tail)
string(REPLACE "@SCRIPT@" "${script}" tail "${tail}")

set(text "// Made by cmake/embed_page.cmake.\n#include <string_view>\n\nnamespace transplt {\n")
foreach(part Head Tail)
  string(TOLOWER ${part} name)
  file(WRITE "${OUTPUT}.${name}" "${${name}}")
  byte_literal(bytes "${OUTPUT}.${name}")
  string(APPEND text "\nstd::string_view HtmlPage${part}();\n\n"
    "std::string_view HtmlPage${part}() {\n  return\n    \"${bytes}\";\n}\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}\n}  // namespace transplt\n")
