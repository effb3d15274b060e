transplt_test(native_test
  SOURCES native_bindings_test.cpp native_includes_test.cpp native_kernels_test.cpp native_operator_index_test.cpp native_rewrite_test.cpp native_rules_test.cpp native_stand_ins_test.cpp native_tokens_test.cpp
  LIBRARIES transplt_native)
target_compile_definitions(native_test PRIVATE TRANSPLT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")

# What Clang shows about sources; all that transplt-cxx is for.
if(TARGET transplt_cxx)
  transplt_test(cxx_test
    SOURCES cxx_examples_test.cpp cxx_names_test.cpp cxx_survey_test.cpp
    LIBRARIES transplt_cxx)
endif()
