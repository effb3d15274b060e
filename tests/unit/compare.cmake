transplt_test(compare_test
  SOURCES alignment_test.cpp pair_kernel_test.cpp
  LIBRARIES transplt_compare PkgConfig::libhwy)
