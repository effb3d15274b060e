# Writes OUTPUT, a C++ file that holds the JSON files of RULES as string literals, and names the
# functions of NAMES, which pack_json makes: one for each file.
# Run with cmake -DOUTPUT=... -DRULES=a.json;b.json -DNAMES=A;B -P embed_rules.cmake
include(${CMAKE_CURRENT_LIST_DIR}/byte_literal.cmake)
set(text "// Made from rules/*.json by cmake/embed_rules.cmake.\n")
string(APPEND text "#include \"transplt/rule_kinds/builtin_rules.h\"\n\nnamespace transplt {\n\n")
foreach(name ${NAMES})
  string(APPEND text "std::string_view ${name}();\n")
endforeach()
string(APPEND text "\nstd::vector<BuiltinRuleText> BuiltinRuleTexts() {\n  return {\n")
foreach(file name IN ZIP_LISTS RULES NAMES)
  get_filename_component(rules ${file} NAME)
  byte_literal(bytes ${file})
  string(APPEND text "      {\"rules/${rules}\", ${name},\n      \"${bytes}\"},\n")
endforeach()
string(APPEND text "  };\n}\n\n}  // namespace transplt\n")
file(WRITE ${OUTPUT} "${text}")
