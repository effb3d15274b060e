// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/cython_names.h"

#include <gtest/gtest.h>

namespace transplt {
namespace {

TEST(NamesInCython, AreThoseOfWhatIsImported) {
  EXPECT_EQ(NamesInCython("import numpy as np\n"
                          "cimport numpy as np\n"
                          "from libc.math cimport ceil\n"
                          "DTYPE = np.int  # np.float\n"
                          "cdef np.ndarray[np.int_t, ndim=1] order = x.np.y\n"),
            "import numpy as np\n"
            "import  numpy as np\n"
            "from libc.math import  ceil\n"
            "0;      np.int            \n"
            "0;   np.ndarray;np.int_t                        \n");
}

TEST(NamesInCython, StandInNoText) {
  EXPECT_EQ(NamesInCython("cimport numpy\n'''\nnumpy.int\n'''\nprint \"numpy.int\", numpy.int\n"),
            "import  numpy\n   \n         \n   \n0;                 numpy.int\n");
  EXPECT_EQ(NamesInCython("import numpy\nx = 'a\\'numpy.int'\ny = 1.numpy\n\tnumpy.int\n"),
            "import numpy\n                  \n           \n          \n");
}

TEST(NamesInCython, KeepThePlaceOfEachLine) {
  EXPECT_EQ(NamesInCython("import numpy as np\r\nnp.import_array()\r\n"),
            "import numpy as np\r\nnp.import_array  \r\n");
}

}  // namespace
}  // namespace transplt
