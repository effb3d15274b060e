// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/ignore_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/unit/temp_folder.h"
#include "transplt/project/project_files.h"

namespace transplt {
namespace {

struct PatternCase {
  std::string glob;
  std::vector<std::string> matching;
  std::vector<std::string> others;
};

class PathPatternCases : public testing::TestWithParam<PatternCase> {};

TEST_P(PathPatternCases, MatchAsGitDoes) {
  const PathPattern pattern(GetParam().glob);
  for (const std::string& path : GetParam().matching) EXPECT_TRUE(pattern.Matches(path)) << path;
  for (const std::string& path : GetParam().others) EXPECT_FALSE(pattern.Matches(path)) << path;
}

INSTANTIATE_TEST_SUITE_P(
    Patterns, PathPatternCases,
    testing::Values(PatternCase{"build", {"build", "a/build"}, {"builds", "build/a"}},
                    PatternCase{"/build", {"build"}, {"a/build"}},
                    PatternCase{"*.py", {"a.py", "x/.py"}, {"a.pyc", "a.py/b"}},
                    PatternCase{"*.py[co]", {"a.pyc", "b/a.pyo"}, {"a.py", "a.pyx"}},
                    PatternCase{"docs/*.md", {"docs/a.md"}, {"docs/a/b.md", "x/docs/a.md"}},
                    PatternCase{"a/**/b", {"a/b", "a/x/b", "a/x/y/b"}, {"ab", "a/xb", "x/a/b"}},
                    PatternCase{"**/b", {"b", "a/b", "a/a/b"}, {"ab", "b/a"}},
                    PatternCase{"a/**", {"a/x", "a/x/y"}, {"a", "b/a/x"}},
                    PatternCase{"a**b", {"ab", "axxb"}, {"a/b"}},
                    PatternCase{"x/a**b", {"x/ab", "x/ayb"}, {"x/a/b"}},
                    PatternCase{"data-?", {"data-1"}, {"data-", "data-10", "data-/"}},
                    PatternCase{"x/[!a]y", {"x/by"}, {"x/ay", "x//y"}},
                    PatternCase{"[]-]x", {"]x", "-x"}, {"ax"}},
                    PatternCase{"[[:digit:]]", {"7"}, {"a", ":"}},
                    PatternCase{"\\*.py", {"*.py"}, {"a.py"}}, PatternCase{"[a", {}, {"[a", "a"}},
                    PatternCase{"*\xFF*", {"a\xFF", "\xFF"}, {"a"}},
                    PatternCase{"权重*", {"权重.pt", "a/权重"}, {"权.pt"}}));

TEST(PathPattern, TakesNoExponentialTimeForManyStars) {
  std::string glob;
  for (int i = 0; i < 40; ++i) glob += "*a";
  EXPECT_FALSE(PathPattern(glob + "b").Matches(std::string(2000, 'a')));
  std::string deep;
  for (int i = 0; i < 20; ++i) deep += "**/a/";
  std::string path = "a";
  for (int i = 0; i < 500; ++i) path += "/a";
  EXPECT_FALSE(PathPattern(deep + "b").Matches(path));
}

TEST(IgnoreRules, PassesOverCommentsAndBlankLines) {
  EXPECT_TRUE(IgnoreRules::FromText("# a\n\n   \n\r\n/\n!\n").empty());
}

TEST(IgnoreRules, TakesEscapedHashAndBangAsTheyAre) {
  const IgnoreRules rules = IgnoreRules::FromText("\\#a\n\\!b\n");
  EXPECT_TRUE(rules.LastMatch("#a", false));
  EXPECT_TRUE(rules.LastMatch("!b", false));
}

TEST(IgnoreRules, DropsTrailingSpacesUnlessEscaped) {
  const IgnoreRules rules = IgnoreRules::FromText("a   \nb\\ \n");
  EXPECT_TRUE(rules.LastMatch("a", false));
  EXPECT_TRUE(rules.LastMatch("b ", false));
  EXPECT_FALSE(rules.LastMatch("b", false));
}

TEST(IgnoreRules, ReadsWindowsLineEndsAndAByteOrderMark) {
  const IgnoreRules rules = IgnoreRules::FromText("\xEF\xBB\xBF/a\r\nb/\r\n");
  EXPECT_TRUE(rules.LastMatch("a", false));
  EXPECT_TRUE(rules.LastMatch("b", true));
}

TEST(IgnoreRules, MatchesOnlyFoldersWithATrailingSlash) {
  const IgnoreRules rules = IgnoreRules::FromText("out/\n");
  EXPECT_TRUE(rules.LastMatch("out", true));
  EXPECT_FALSE(rules.LastMatch("out", false));
}

/// Random projects with random .gitignore files in their folders.
class RandomProject {
 public:
  explicit RandomProject(unsigned seed) : random_(seed) {
    folder_.Git("init -q");
    Fill("", 0);
  }

  /// All files that git would offer to add.
  std::set<std::string> FilesOfGit() const {
    folder_.Git("ls-files -z --others --exclude-standard", ".", folder_ / ".git/list");
    std::istringstream list(folder_.Read(".git/list"));
    std::set<std::string> files;
    for (std::string path; std::getline(list, path, '\0');) files.insert(path);
    return files;
  }
  const TempFolder& folder() const { return folder_; }

 private:
  void Fill(const std::string& folder, int depth) {
    for (const std::string& name : Some(kNames, 5)) {
      if (folder_.Exists(folder + name)) continue;
      if (depth < 3 && random_() % 2 == 0) {
        Fill(folder + name + "/", depth + 1);
      } else {
        folder_.Write(folder + name);
      }
    }
    if (depth != 0 && random_() % 2 == 0) return;
    std::string text;
    for (const std::string& line : Some(kLines, 4)) text += line + "\n";
    folder_.Write(folder + ".gitignore", text);
  }

  std::vector<std::string> Some(const std::vector<std::string>& from, unsigned most) {
    std::vector<std::string> some;
    for (std::mt19937::result_type i = 1 + random_() % most; i > 0; --i)
      some.push_back(from[random_() % from.size()]);
    return some;
  }

  static const std::vector<std::string> kNames;
  static const std::vector<std::string> kLines;
  std::mt19937 random_;
  TempFolder folder_;
};

const std::vector<std::string> RandomProject::kNames = {
    "a", "b", "foo", "bar", "a.py", "keep.log", "x y", "[z]", "a\\b", "!c", "#d", "数据"};
const std::vector<std::string> RandomProject::kLines = {
    "a",      "foo/",   "*.py",      "*.log",  "!keep.log", "!a",  "/a",          "/foo/*",
    "!foo/b", "**/bar", "foo/**",    "a/**/b", "*",         "!*/", "!*.py",       "\\!c",
    "x y ",   "\\[z]",  "a?py",      "!**/a",  "*/b",       "f*o", "[[:alpha:]]", "**/",
    "a\\\\b", "***/b",  "foo**/bar", "a/[!/]", "!b",        "# c", "数*",         "[!a]*",
    "/*/",    "!/*/",   "foo\\/bar", "*o*o*",  "[a",        "/",   "a/f**/b",     "foo/*/*/b"};

/// The difference to git itself, which knows its rules best.
TEST(FindProjectFiles, FindsWhatGitFindsInRandomProjects) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const RandomProject project(seed);
    const std::set<std::string> expected = project.FilesOfGit();
    const Result<ProjectFiles> found = FindProjectFiles(project.folder().path(), {});
    ASSERT_TRUE(found) << found.error().what.en;
    std::set<std::string> paths;
    for (const ProjectEntry& entry : found->entries) paths.insert(entry.path);
    EXPECT_EQ(paths, expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace transplt
