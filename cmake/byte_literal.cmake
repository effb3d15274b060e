# byte_literal(RESULT FILE): the bytes of FILE as the inside of a C++ string literal, and their
# number in RESULT_LENGTH.
function(byte_literal result file)
  # Brackets and semicolons mean something to CMake's lists; as hexadecimal they do not.
  file(READ ${file} hex HEX)
  string(LENGTH "${hex}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${hex}")
  # A literal may hold 64 KiB; adjacent ones are joined.
  string(REGEX REPLACE "((\\\\x[0-9a-f][0-9a-f]){1000})" "\\1\"\n      \"" bytes "${bytes}")
  set(${result} "${bytes}" PARENT_SCOPE)
  set(${result}_LENGTH ${length} PARENT_SCOPE)
endfunction()
