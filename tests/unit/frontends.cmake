transplt_test(frontends_test
  SOURCES
    configuration_test.cpp
    cython_names_test.cpp
    markdown_test.cpp
    notebook_test.cpp
    shell_runs_test.cpp
    shell_settings_test.cpp
    submodules_test.cpp
  LIBRARIES transplt_frontends nlohmann_json::nlohmann_json)
