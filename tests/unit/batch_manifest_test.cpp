// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/temp_folder.h"
#include "transplt/batch/manifest.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Manifest Parse(const std::string& text) { return ParseManifest("m.jsonl", text, "lists"); }

/// The one mistake of a manifest, as a person sees it.
std::string Mistake(const std::string& text) {
  const Manifest manifest = Parse(text);
  EXPECT_EQ(manifest.mistakes.size(), 1U);
  if (manifest.mistakes.empty()) return "";
  return manifest.mistakes[0].where + ": " + manifest.mistakes[0].what.en;
}

TEST(BatchManifest, ReadsPathNameAndOptionsOfEachLine) {
  const Manifest manifest = Parse(
      "{\"path\": \"a/one\", \"name\": \"first\", \"options\": {\"framework\": \"pytorch\", "
      "\"enable\": [\"drop-last\", \"similar\"], \"tf-version\": 2, \"mark\": true}}\n"
      "\n"
      "{\"path\": \"/b/two\"}\r\n");
  ASSERT_TRUE(manifest.mistakes.empty()) << manifest.mistakes[0].what.en;
  ASSERT_EQ(manifest.projects.size(), 2U);
  const BatchProject& first = manifest.projects[0];
  EXPECT_EQ(first.number, 1U);
  EXPECT_EQ(first.name, "first");
  EXPECT_EQ(first.path, "a/one");
  EXPECT_EQ(first.location, "lists/a/one");
  EXPECT_EQ(first.where, "m.jsonl:1");
  EXPECT_EQ(first.options, (OptionValues{{"framework", {"pytorch"}},
                                         {"enable", {"drop-last", "similar"}},
                                         {"tf-version", {"2"}},
                                         {"mark", {"true"}}}));
  EXPECT_EQ(manifest.projects[1].location, "/b/two");
  EXPECT_EQ(manifest.projects[1].where, "m.jsonl:3");
}

TEST(BatchManifest, GivesProjectsWithoutANameOneThatFollowsFromTheirPathAlone) {
  const std::string alone = Parse(R"({"path": "x/train.tar.gz"})").projects.at(0).name;
  const Manifest manifest =
      Parse("{\"path\": \"y/train\"}\n{\"path\": \"x/train.tar.gz\"}\n{\"path\": \"x/.a b\"}");
  EXPECT_THAT(alone, testing::MatchesRegex("train-[0-9a-f]{8}"));
  EXPECT_EQ(manifest.projects.at(1).name, alone);
  EXPECT_NE(manifest.projects.at(0).name, alone);
  EXPECT_THAT(manifest.projects.at(2).name, testing::StartsWith("_.a_b-"));
}

TEST(BatchManifest, NamesLineAndPlaceOfEveryMistakeAtOnce) {
  const Manifest manifest = Parse(
      "{\"path\": \"a\"\n"
      "{\"path\": \"b\", \"nam\": \"c\"}\n"
      "[1]\n"
      "{\"path\": \"ok\"}\n"
      "{\"name\": \"n\"}\n");
  std::vector<std::string> places;
  for (const Error& mistake : manifest.mistakes) {
    places.push_back(mistake.where.substr(0, sizeof "m.jsonl:1" - 1));
    EXPECT_FALSE(mistake.what.zh.empty());
  }
  EXPECT_THAT(places, ElementsAre("m.jsonl:1", "m.jsonl:2", "m.jsonl:3", "m.jsonl:5"));
  EXPECT_EQ(manifest.mistakes[1].what.en, "unknown field \"nam\"; did you mean \"name\"?");
}

TEST(BatchManifest, RefusesTwoProjectsOfOneName) {
  EXPECT_EQ(Mistake("{\"path\": \"a\", \"name\": \"n\"}\n{\"path\": \"b\", \"name\": \"n\"}\n"),
            "m.jsonl:2: the project of line 1 has the name \"n\" as well: give one of them another "
            "\"name\"");
  EXPECT_THAT(Mistake("{\"path\": \"a\"}\n{\"path\": \"a\"}\n"), HasSubstr("line 1"));
}

TEST(BatchManifest, RefusesNamesThatLeadOutOfTheOutput) {
  for (const std::string name : {"..", ".", "", "a/b", ".hidden", "a\\u0000b", "a\\nb"}) {
    EXPECT_THAT(Mistake(R"({"path": "p", "name": ")" + name + "\"}"),
                HasSubstr("cannot be that of a folder"))
        << name;
  }
  EXPECT_THAT(Mistake(R"({"path": "p", "name": ")" + std::string(201, 'a') + "\"}"),
              HasSubstr("1 to 200 bytes"));
}

TEST(BatchManifest, RefusesEmptyPathsAndVersionsWithoutQuotes) {
  EXPECT_THAT(Mistake(R"({"path": ""})"), HasSubstr("this is no path"));
  EXPECT_THAT(Mistake(R"({"path": "a", "options": {"torch-version": 2.10}})"),
              HasSubstr("in quotes"));
  EXPECT_THAT(Mistake(R"({"path": "a", "options": {"rule": {}}})"), HasSubstr("an option is"));
}

TEST(BatchManifest, RefusesOneThatNamesNoProject) {
  EXPECT_THAT(Mistake(" \n\n"), HasSubstr("names no project"));
}

TEST(BatchManifest, SaysWhyAFileCannotBeRead) {
  const TempFolder folder;
  EXPECT_THAT(ReadManifest(folder / "none").mistakes.at(0).what.en, HasSubstr("no such file"));
  EXPECT_THAT(ReadManifest(folder.path()).mistakes.at(0).what.en, HasSubstr("it is a folder"));
}

TEST(BatchManifest, TakesFoldersAndArchivesOfAFolder) {
  const TempFolder folder;
  folder.MakeFolder("b");
  folder.MakeFolder(".git");
  folder.Write("a.tar.gz");
  folder.Write("notes.txt");
  folder.Link("nowhere", "broken");
  const Manifest manifest = ManifestOfFolder(folder.path());
  ASSERT_TRUE(manifest.mistakes.empty());
  ASSERT_EQ(manifest.projects.size(), 2U);
  EXPECT_EQ(manifest.projects[0].name, "a.tar.gz");
  EXPECT_EQ(manifest.projects[1].location, folder / "b");
  EXPECT_EQ(manifest.projects[1].number, 2U);
}

TEST(BatchManifest, KnowsArchivesByTheirSuffixWhateverItsCase) {
  for (const char* name :
       {"a.tar", "a.TAR.GZ", "a.tgz", "a.tar.bz2", "a.tar.xz", "a.tar.zst", "x/a.Zip"}) {
    EXPECT_TRUE(IsArchiveName(name)) << name;
    EXPECT_EQ(StemOf(name), "a") << name;
  }
  EXPECT_FALSE(IsArchiveName("a.gz"));
  EXPECT_FALSE(IsArchiveName(".zip"));
  EXPECT_EQ(StemOf("a/b/"), "b");
  EXPECT_EQ(StemOf("train.py"), "train");
}

TEST(BatchShard, IsReadFromText) {
  const Result<Shard> shard = ParseShard("2/4");
  ASSERT_TRUE(shard);
  EXPECT_EQ(shard->number, 2U);
  EXPECT_EQ(shard->count, 4U);
  for (const char* wrong : {"", "2", "0/4", "5/4", "a/4", "1/", "1/2/3", "-1/4", "1/4 "}) {
    EXPECT_FALSE(ParseShard(wrong)) << wrong;
  }
}

TEST(BatchShard, HoldsEachProjectOnceAndIsBalanced) {
  std::array<size_t, 4> sizes = {};
  for (size_t project = 1; project <= 1001; ++project) {
    size_t holders = 0;
    for (size_t number = 1; number <= 4; ++number) {
      if (!Shard{number, 4}.Holds(project)) continue;
      ++holders;
      ++sizes.at(number - 1);
    }
    EXPECT_EQ(holders, 1U) << project;
  }
  EXPECT_THAT(sizes, ElementsAre(251, 250, 250, 250));
}

}  // namespace
}  // namespace transplt
