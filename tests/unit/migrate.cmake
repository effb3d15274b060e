transplt_test(project_files_test
  SOURCES
    ignore_rules_test.cpp
    output_tree_test.cpp
    project_files_test.cpp
    project_ignored_test.cpp
    undo_journal_test.cpp
  LIBRARIES transplt_project)

transplt_test(policy_test
  SOURCES
    policy_test.cpp
  LIBRARIES transplt_migrate)

transplt_test(project_pins_test
  SOURCES
    project_pins_test.cpp
  LIBRARIES transplt_migrate)
