// SPDX-License-Identifier: Apache-2.0
#include "transplt/batch/tree_digest.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/temp_folder.h"
#include "transplt/project/result_manifest.h"

namespace transplt {
namespace {

void Fill(const TempFolder& folder) {
  folder.Write("a/one.py", "1");
  folder.Write("a/two.py", "2");
  folder.MakeFolder("empty");
  folder.Link("one.py", "a/link");
}

TEST(TreeDigest, IsTheSameForTheSameTreeElsewhere) {
  const TempFolder one;
  const TempFolder two;
  Fill(one);
  Fill(two);
  EXPECT_EQ(*DigestOfTree(one.path()), *DigestOfTree(two.path()));
}

TEST(TreeDigest, ChangesWithEverythingThatATreeHolds) {
  const TempFolder folder;
  Fill(folder);
  std::set<std::string> seen = {*DigestOfTree(folder.path())};
  const auto is_new = [&] { return seen.insert(*DigestOfTree(folder.path())).second; };
  folder.Write("a/one.py", "3");
  EXPECT_TRUE(is_new()) << "content";
  folder.Write("a/one.py", "3", 0755);
  EXPECT_TRUE(is_new()) << "mode";
  std::filesystem::rename(folder / "a/two.py", folder / "a/three.py");
  EXPECT_TRUE(is_new()) << "name";
  std::filesystem::remove(folder / "empty");
  EXPECT_TRUE(is_new()) << "folder";
  std::filesystem::remove(folder / "a/link");
  folder.Link("three.py", "a/link");
  EXPECT_TRUE(is_new()) << "link";
}

TEST(TreeDigest, DoesNotCountTheManifestOfAResult) {
  const TempFolder folder;
  Fill(folder);
  const std::string before = *DigestOfTree(folder.path());
  folder.Write(kManifestFile, "{}");
  EXPECT_EQ(*DigestOfTree(folder.path()), before);
  folder.Write(std::string("a/") + kManifestFile, "{}");
  EXPECT_NE(*DigestOfTree(folder.path()), before) << "a file of the project";
}

TEST(TreeDigest, SaysWhatCannotBeRead) {
  const TempFolder folder;
  EXPECT_FALSE(DigestOfTree(folder / "none"));
}

}  // namespace
}  // namespace transplt
