// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/import_groups.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

namespace transplt {
namespace {

using Files = std::map<std::string, std::string>;

class ImportGroupsTest : public testing::Test {
 protected:
  void Read(Files files) {
    files_ = std::move(files);
    std::vector<std::string> paths;
    for (const auto& [path, text] : files_) paths.push_back(path);
    index_.emplace(
        paths, [this](const std::string& path) -> Result<std::string> { return files_.at(path); });
    groups_.emplace(*index_);
  }

  bool AreTogether(std::string_view a, std::string_view b) const {
    return groups_->GroupOf(a) == groups_->GroupOf(b);
  }

  Files files_;
  std::optional<ProjectIndex> index_;
  std::optional<ImportGroups> groups_;
};

TEST_F(ImportGroupsTest, AFileIsTogetherWithWhatItImports) {
  Read({{"a.py", "import b\n"},
        {"b.py", "def f():\n    from c import g\n"},
        {"c.py", ""},
        {"d.py", "import torch\n"}});
  EXPECT_TRUE(AreTogether("a.py", "b.py"));
  EXPECT_TRUE(AreTogether("a.py", "c.py"));
  EXPECT_FALSE(AreTogether("a.py", "d.py"));
  EXPECT_EQ(groups_->size(), 2U);
}

TEST_F(ImportGroupsTest, APackageIsOneWhoeverImportsWhat) {
  Read({{"pkg/__init__.py", ""},
        {"pkg/sub/__init__.py", ""},
        {"pkg/sub/a.py", ""},
        {"pkg/b.py", ""},
        {"tool/a.py", ""},
        {"tool/b.py", ""}});
  EXPECT_TRUE(AreTogether("pkg/sub/a.py", "pkg/b.py"));
  EXPECT_FALSE(AreTogether("tool/a.py", "tool/b.py"));
}

TEST_F(ImportGroupsTest, TestsOfAFolderRunTogether) {
  Read({{"tests/conftest.py", ""}, {"tests/test_a.py", "import pkg\n"}, {"pkg.py", ""}});
  EXPECT_TRUE(AreTogether("tests/conftest.py", "pkg.py"));
}

TEST_F(ImportGroupsTest, AFrameworkThatOneFileImportsIsThatOfTheGroup) {
  Read(
      {{"a.py", "import b\n"}, {"b.py", "from torch import nn\n"}, {"c.py", "import torchless\n"}});
  EXPECT_TRUE(groups_->ImportsFramework(groups_->GroupOf("a.py")));
  EXPECT_FALSE(groups_->ImportsFramework(groups_->GroupOf("c.py")));
}

}  // namespace
}  // namespace transplt
