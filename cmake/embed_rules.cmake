# Writes OUTPUT, a C++ file that holds the JSON files of RULES as string literals.
# Run with cmake -DOUTPUT=... -DRULES=a.json;b.json -P embed_rules.cmake
include(${CMAKE_CURRENT_LIST_DIR}/byte_literal.cmake)
set(text "// Made from rules/*.json by cmake/embed_rules.cmake.\n")
string(APPEND text "#include \"transplt/rule_kinds/builtin_rules.h\"\n\nnamespace transplt {\n\n")
string(APPEND text "std::vector<RuleFile> BuiltinRuleFiles() {\n  return {\n")
foreach(file ${RULES})
  get_filename_component(name ${file} NAME)
  byte_literal(bytes ${file})
  string(APPEND text "      {\"rules/${name}\",\n      \"${bytes}\", true},\n")
endforeach()
string(APPEND text "  };\n}\n\n}  // namespace transplt\n")
file(WRITE ${OUTPUT} "${text}")
