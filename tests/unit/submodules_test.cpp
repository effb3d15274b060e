// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/submodules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transplt/frontends/file_type.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The names that `text` asks for, whose ranges are checked.
std::vector<std::string> NamesIn(const std::string& text) {
  const Result<SourceFile> source = SourceFile::FromBytes(".gitmodules", text);
  if (!source) {
    ADD_FAILURE() << source.error().what.en;
    return {};
  }
  std::vector<std::string> names;
  for (const Setting& setting : SubmoduleSettings(*source)) {
    EXPECT_EQ(setting.kind, Setting::Kind::kDependency);
    EXPECT_EQ(setting.name_range.In(text), setting.name);
    names.push_back(setting.name);
  }
  return names;
}

TEST(Submodules, AreNamedByTheLastPartOfTheirAddress) {
  EXPECT_THAT(NamesIn("[submodule \"a\"]\n\tpath = a\n\turl = https://host/user/first.git\n"
                      "[submodule \"b\"]\r\n  url=git@host:user/second \r\n"
                      "[submodule \"c\"]\n\turl = ../third/\n\turl = git@host:fourth.git"),
              ElementsAre("first", "second", "third", "fourth"));
}

TEST(Submodules, OtherLinesNameNone) {
  EXPECT_THAT(NamesIn("\xEF\xBB\xBF# url = x/y\nurl\nurl =\nurl = \n = x\nurls = x/y\n"
                      "; url = x/y\nurl = /\nurl = .git\n"),
              IsEmpty());
}

TEST(Submodules, AreReadFromTheFileOfGitAlone) {
  EXPECT_EQ(FileTypeOf("a/.gitmodules"), FileType::kSubmodules);
  EXPECT_EQ(FileTypeOf("a/x.gitmodules"), FileType::kOther);
}

}  // namespace
}  // namespace transplt
