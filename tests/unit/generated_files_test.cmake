# cmake -DPROGRAM=... -DCOMMAND=schema -DFILE=... -P: fails if FILE is not what PROGRAM prints.
execute_process(COMMAND ${PROGRAM} rule ${COMMAND} OUTPUT_VARIABLE printed RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} rule ${COMMAND} ended with ${code}")
endif()
file(READ ${FILE} kept)
if(NOT printed STREQUAL kept)
  message(FATAL_ERROR "${FILE} is out of date: build/bin/transplt rule ${COMMAND} > ${FILE}")
endif()
