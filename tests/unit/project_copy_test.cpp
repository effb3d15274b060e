// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/project_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/temp_folder.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

class ProjectCopy : public testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text = "x") { folder_.Write(path, text); }
  std::string In(const std::string& path) const { return folder_ / path; }

  TempFolder folder_;
};

TEST_F(ProjectCopy, HoldsIgnoredDataAndNoVersionControlOrEnvironment) {
  Write("p/train.py");
  Write("p/.gitignore", "data/\n");
  Write("p/data/images.bin");
  Write("p/.git/HEAD");
  Write("p/venv/pyvenv.cfg");
  Write("p/venv/lib/x.py");
  ASSERT_TRUE(CopyProject(In("p"), In("work"), "copy"));
  EXPECT_TRUE(fs::exists(In("work/copy/data/images.bin")));
  EXPECT_TRUE(fs::exists(In("work/copy/train.py")));
  EXPECT_FALSE(fs::exists(In("work/copy/.git")));
  EXPECT_FALSE(fs::exists(In("work/copy/venv")));
}

TEST_F(ProjectCopy, HasNoWayBackIntoTheProject) {
  Write("outside/data.txt");
  Write("p/data/inner.txt");
  fs::create_symlink(In("outside"), In("p/link"));
  fs::create_symlink(In("p/data"), In("p/inside"));
  const auto left = CopyProject(In("p"), In("work"), "copy");
  ASSERT_TRUE(left);
  ASSERT_EQ(left->size(), 1U);
  EXPECT_EQ((*left)[0].path, "link");
  EXPECT_FALSE(fs::exists(fs::symlink_status(In("work/copy/link"))));
  std::ofstream(In("work/copy/inside/inner.txt")) << "changed";
  EXPECT_EQ(fs::file_size(In("p/data/inner.txt")), 1U);
}

TEST_F(ProjectCopy, TellsWhatCouldNotBeRead) {
  Write("p/train.py");
  folder_.Write("p/secret.txt", "x", 0000);
  folder_.MakeFolder("work");
  ASSERT_EQ(chmod(In("work").c_str(), 0777), 0);
  EXPECT_EQ(AsOrdinaryUser([this]() -> std::string {
              const auto left = CopyProject(In("p"), In("work"), "copy");
              if (!left) return left.error().what.en;
              return left->size() == 1 ? left->front().path : "not one";
            }),
            "secret.txt");
  EXPECT_TRUE(folder_.Exists("work/copy/train.py"));
}

TEST_F(ProjectCopy, IsLentWhatGitIgnoresInAnotherProject) {
  Write("original/.gitignore", "data/\n");
  Write("original/train.py");
  Write("original/lost.py");
  Write("original/data/a.bin", "original");
  Write("original/data/b.bin", "original");
  Write("copy/data/b.bin", "own");
  const auto lent = LendIgnoredFiles(In("original"), In("copy"));
  ASSERT_TRUE(lent);
  EXPECT_THAT(*lent, testing::ElementsAre("data/a.bin"));
  EXPECT_EQ(folder_.Read("copy/data/a.bin"), "original");
  EXPECT_EQ(folder_.Read("copy/data/b.bin"), "own");
  EXPECT_FALSE(folder_.Exists("copy/lost.py"));
}

TEST_F(ProjectCopy, TellsWhatWasWrittenThere) {
  Write("p/a.txt");
  Write("p/b.txt");
  const FileStates before = ListFiles(In("p"));
  Write("p/a.txt", "longer");
  Write("p/out/new.pt");
  Write("p/__pycache__/x.pyc");
  EXPECT_THAT(WrittenFiles(before, ListFiles(In("p"))),
              testing::ElementsAre("a.txt", "out/new.pt"));
}

TEST(PathsInAProject, AreThoseOfItsCopy) {
  const TempFolder folder;
  folder.MakeFolder("a/out/b");
  const std::vector<std::string> projects = {folder / "a", folder / "a/out/b/"};
  const auto in_copy = [&](const std::string& text) { return InCopy(text, projects, "/copy"); };
  EXPECT_EQ(in_copy(folder / "a"), "/copy");
  EXPECT_EQ(in_copy("--data=" + (folder / "a/data") + ":" + (folder / "a/out/b/x")),
            "--data=/copy/data:/copy/x");
  EXPECT_EQ(in_copy(folder / "ab"), folder / "ab");
  EXPECT_EQ(in_copy("a/data"), "a/data");
}

}  // namespace
}  // namespace transplt
