// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/test_file.h"

#include <string>

#include "transplt/base/text_parts.h"

namespace transplt {

bool IsTestFile(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.starts_with("test_") || name.ends_with("_test.py") || name == "conftest.py") return true;
  for (std::string_view folder : {"test/", "tests/", "testing/", "unit_tests/"}) {
    if (path.starts_with(folder) || HasPart(path, "/" + std::string(folder))) return true;
  }
  return false;
}

}  // namespace transplt
