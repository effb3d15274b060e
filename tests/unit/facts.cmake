transplt_test(facts_test
  SOURCES
    classes_test.cpp
    cuda_needs_test.cpp
    guards_test.cpp
    handed_code_test.cpp
    import_groups_test.cpp
    name_use_test.cpp
    optional_names_test.cpp
    project_modules_test.cpp
    result_uses_test.cpp
    saved_files_test.cpp
    served_devices_test.cpp
    tensor_types_test.cpp
    value_flows_test.cpp
    value_sources_test.cpp
    settled_conditions_test.cpp
  LIBRARIES transplt_facts)
