# Writes OUTPUT, a C++ file that holds FILES (paths below ROOT) and TABLES as string literals.
# Run with cmake -DOUTPUT=... -DROOT=... -DFILES=a.py;b.py -DTABLES=c.csv -P embed_simulator.cmake
include(${CMAKE_CURRENT_LIST_DIR}/byte_literal.cmake)
set(text "// Made from runtime/simulator by cmake/embed_simulator.cmake.\n")
string(APPEND text "#include \"transplt/verify/simulator_files.h\"\n\nnamespace transplt {\n\n")
string(APPEND text "std::vector<EmbeddedFile> SimulatorFiles() {\n  return {\n")
foreach(file ${FILES} ${TABLES})
  file(RELATIVE_PATH name ${ROOT} ${file})
  if(name MATCHES "^\\.\\.")
    get_filename_component(name ${file} NAME)
  endif()
  byte_literal(bytes ${file})
  string(APPEND text
    "      {\"${name}\", std::string_view(\n      \"${bytes}\", ${bytes_LENGTH})},\n")
endforeach()
string(APPEND text "  };\n}\n\n}  // namespace transplt\n")
file(WRITE ${OUTPUT} "${text}")
