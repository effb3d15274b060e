# Writes OUTPUT, a C++ file that holds the JSON files of RULES as string literals.
# Run with cmake -DOUTPUT=... -DRULES=a.json;b.json -P embed_rules.cmake
set(text "// Made from rules/*.json by cmake/embed_rules.cmake.\n")
string(APPEND text "#include \"transplt/rule_kinds/builtin_rules.h\"\n\nnamespace transplt {\n\n")
string(APPEND text "std::vector<RuleFile> BuiltinRuleFiles() {\n  return {\n")
foreach(file ${RULES})
  get_filename_component(name ${file} NAME)
  # Brackets and semicolons mean something to CMake's lists; as hexadecimal they do not.
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${hex}")
  # A literal may hold 64 KiB; adjacent ones are joined.
  string(REGEX REPLACE "((\\\\x[0-9a-f][0-9a-f]){1000})" "\\1\"\n      \"" bytes "${bytes}")
  string(APPEND text "      {\"rules/${name}\",\n      \"${bytes}\", true},\n")
endforeach()
string(APPEND text "  };\n}\n\n}  // namespace transplt\n")
file(WRITE ${OUTPUT} "${text}")
