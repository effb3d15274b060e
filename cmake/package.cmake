# What is installed, and the packages that `./dev package` makes of it: a .deb and a .tar.gz.
# Both hold the same files and use the shared libraries of Debian 12; only the .deb can say so.

install(TARGETS transplt RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TRANSPLT_HAS_CLANG)
  # Where transplt looks for it. It is the only one that needs the libraries of Clang.
  install(TARGETS transplt-cxx RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# The capture runtime, for programs in C and for Python.
install(TARGETS transplt_capture LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/runtime/include/transplt/capture.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/transplt)
# Where Debian's Python looks. The library is in it once more, so that it can be copied elsewhere.
install(DIRECTORY ${CAPTURE_FOLDER} DESTINATION lib/python3/dist-packages
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
  FILES_MATCHING PATTERN "*.py" PATTERN "*.so*")
# CMake strips what it installs as targets; these libraries come as files of the Python package.
install(CODE "if(CMAKE_INSTALL_DO_STRIP)
  file(GLOB libraries \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/python3/dist-packages/transplt_capture/*.so*\")
  execute_process(COMMAND ${CMAKE_STRIP} --strip-unneeded \${libraries} COMMAND_ERROR_IS_FATAL ANY)
endif()")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/rules DESTINATION ${CMAKE_INSTALL_DATADIR}/transplt
  FILES_MATCHING PATTERN "*.json" PATTERN "*.md")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/generators/schemas
  DESTINATION ${CMAKE_INSTALL_DATADIR}/transplt FILES_MATCHING PATTERN "*.json")

# Debian wants an address; this one reaches nobody.
set(TRANSPLT_CONTACT "the transplt authors <transplt@example.org>")

# What shells complete and man shows, printed by the program itself.
set(SHELL_FILES ${PROJECT_BINARY_DIR}/shell)
add_custom_command(
  OUTPUT ${SHELL_FILES}/transplt.bash ${SHELL_FILES}/_transplt ${SHELL_FILES}/transplt.fish
         ${SHELL_FILES}/transplt.1.gz
  COMMAND ${CMAKE_COMMAND} -E make_directory ${SHELL_FILES}
  COMMAND transplt completion bash > ${SHELL_FILES}/transplt.bash
  COMMAND transplt completion zsh > ${SHELL_FILES}/_transplt
  COMMAND transplt completion fish > ${SHELL_FILES}/transplt.fish
  COMMAND transplt completion man > ${SHELL_FILES}/transplt.1
  COMMAND gzip -9nf ${SHELL_FILES}/transplt.1
  DEPENDS transplt
  VERBATIM)
add_custom_target(shell_files ALL DEPENDS ${SHELL_FILES}/transplt.1.gz)
install(FILES ${SHELL_FILES}/transplt.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME transplt)
install(FILES ${SHELL_FILES}/_transplt DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${SHELL_FILES}/transplt.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${SHELL_FILES}/transplt.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
if(TRANSPLT_HAS_CLANG)
  install(FILES ${SHELL_FILES}/transplt.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    RENAME transplt-cxx.1.gz)
endif()

# The changes, where Debian looks for them, too.
file(READ ${PROJECT_SOURCE_DIR}/CHANGELOG.md changes)
string(REPLACE ";" "<semicolon>" changes "${changes}")
string(REGEX MATCHALL "\n- [^\n]+" changes "${changes}")
string(REPLACE ";" "" changes "${changes}")
string(REPLACE "\n- " "\n  * " changes "${changes}")
string(REPLACE "<semicolon>" ";" changes "${changes}")
file(WRITE ${PROJECT_BINARY_DIR}/changelog "transplt (${PROJECT_VERSION}) unstable; urgency=medium\n"
  "${changes}\n\n -- ${TRANSPLT_CONTACT}  Thu, 26 Nov 2026 00:00:00 +0000\n")
execute_process(COMMAND gzip -9nf ${PROJECT_BINARY_DIR}/changelog)
install(FILES ${PROJECT_BINARY_DIR}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The notices of everything whose code ends up in the program. A text that is missing ends the
# installation, so that no package can go out without it.
function(install_notice name file)
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses RENAME ${name}.txt)
endfunction()
# The npm package of the core lacks the licence of the core.
install_notice(tree-sitter ${PROJECT_SOURCE_DIR}/cmake/licenses/tree-sitter.txt)
install_notice(tree-sitter-unicode
  ${NODE_MODULES}/tree-sitter/vendor/tree-sitter/lib/src/unicode/LICENSE)
install_notice(tree-sitter-python ${NODE_MODULES}/tree-sitter-python/LICENSE)
install_notice(tree-sitter-bash ${NODE_MODULES}/tree-sitter-bash/LICENSE)
install_notice(cli11 /usr/share/doc/libcli11-dev/copyright)
install_notice(fmt /usr/share/doc/libfmt-dev/copyright)
install_notice(highway /usr/share/doc/libhwy-dev/copyright)
install_notice(kainjow-mustache /usr/share/doc/libkainjow-mustache-dev/copyright)
install_notice(nlohmann-json /usr/share/doc/nlohmann-json3-dev/copyright)
install_notice(onetbb /usr/share/doc/libtbb-dev/copyright)
install_notice(tomlplusplus /usr/share/doc/libtomlplusplus-dev/copyright)
install_notice(yaml-cpp /usr/share/doc/libyaml-cpp-dev/copyright)
install_notice(valijson /usr/share/doc/libvalijson-dev/copyright)

foreach(file LICENSE THIRD_PARTY.md README.md README.zh.md)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${file})
    install(FILES ${PROJECT_SOURCE_DIR}/${file} DESTINATION ${CMAKE_INSTALL_DOCDIR})
  endif()
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN "*.md" PATTERN "*.json")
# The file that Debian looks for.
file(READ ${PROJECT_SOURCE_DIR}/THIRD_PARTY.md third_party)
file(WRITE ${PROJECT_BINARY_DIR}/copyright "transplt is licensed under the Apache License, version "
  "2.0: /usr/share/common-licenses/Apache-2.0.\n\n${third_party}")
install(FILES ${PROJECT_BINARY_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME transplt)
set(CPACK_PACKAGE_VENDOR "the transplt authors")
set(CPACK_PACKAGE_CONTACT "${TRANSPLT_CONTACT}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "migration compiler from CUDA to Ascend NPU")
set(CPACK_PACKAGE_DESCRIPTION
  "Turns Python training projects written for CUDA into projects that run on\nAscend NPUs, and says what it changed and what is left for a person.")
set(CPACK_PACKAGE_FILE_NAME
  ${CPACK_PACKAGE_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Written here, since CPack would name the capture library twice.
file(WRITE ${PROJECT_BINARY_DIR}/shlibs
  "libtransplt_capture 1 transplt (>= ${PROJECT_VERSION})\n")
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/shlibs ${PROJECT_BINARY_DIR}/triggers)
# The capture library's package; `transplt verify` runs scripts with it.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3 (>= 3.8)")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
