transplt_test(commands_test
  SOURCES launch_arguments_test.cpp
  LIBRARIES transplt_commands)
