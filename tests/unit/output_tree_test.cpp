// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/output_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/unit/temp_folder.h"
#include "transplt/project/result_manifest.h"

namespace transplt {
namespace {

using testing::HasSubstr;

OutputTree Created(const TempFolder& folder, bool force = false) {
  Result<OutputTree> tree = OutputTree::Create(folder / "out", "p_msft", folder / "p", force);
  if (!tree) ADD_FAILURE() << tree.error().where << ": " << tree.error().what.en;
  return *std::move(tree);
}

std::vector<std::string> Names(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// A folder "p" to migrate.
struct MigratedProject : TempFolder {
  MigratedProject() { Write("p/a.py"); }

  /// out/p_msft with an old.txt, written by an earlier run.
  void WriteEarlierResult() const {
    OutputTree tree = Created(*this);
    ExpectDone(tree.Write("old.txt", "old", {}));
    ExpectDone(tree.Commit());
  }
};

TEST(OutputTree, AppearsWhenItIsComplete) {
  const MigratedProject folder;
  OutputTree tree = Created(folder);
  EXPECT_EQ(tree.path(), folder / "out/p_msft");
  ExpectDone(tree.Write("sub/deep/a.py", "new\n", 0644));
  EXPECT_FALSE(folder.Exists("out/p_msft"));
  ExpectDone(tree.Commit());
  EXPECT_EQ(folder.Read("out/p_msft/sub/deep/a.py"), "new\n");
  EXPECT_THAT(Names(folder / "out"), testing::ElementsAre("p_msft"));
  EXPECT_FALSE(tree.Commit());
}

TEST(OutputTree, LeavesNothingBehindWithoutCommit) {
  const MigratedProject folder;
  {
    auto tree = OutputTree::Create(folder / "new/er/out", "p_msft", folder / "p", false);
    ASSERT_TRUE(tree);
    ExpectDone(tree->Write("sub/a.py", "new\n", 0444));
    ExpectDone(tree->MakeFolder("logs"));
  }
  EXPECT_FALSE(folder.Exists("new"));
}

TEST(OutputTree, RefusesAnExistingResultWithoutForce) {
  const MigratedProject folder;
  folder.Write("out/p_msft/old.txt");
  const auto tree = OutputTree::Create(folder / "out", "p_msft", folder / "p", false);
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().code, Error::Code::kUsage);
  EXPECT_EQ(tree.error().where, folder / "out/p_msft");
  EXPECT_THAT(tree.error().what.en, HasSubstr("--force"));
  EXPECT_THAT(tree.error().what.zh, HasSubstr("--force"));
}

TEST(OutputTree, ReplacesAnExistingResultOnlyWhenComplete) {
  const MigratedProject folder;
  folder.WriteEarlierResult();
  OutputTree tree = Created(folder, true);
  ExpectDone(tree.Write("new.txt", "new", {}));
  EXPECT_TRUE(folder.Exists("out/p_msft/old.txt"));
  ExpectDone(tree.Commit());
  EXPECT_THAT(Names(folder / "out"), testing::ElementsAre("p_msft"));
  EXPECT_THAT(Names(folder / "out/p_msft"), testing::ElementsAre(kManifestFile, "new.txt"));
}

TEST(OutputTree, KeepsAnEarlierResultThatIsChangedWhileTheNewOneIsWritten) {
  const MigratedProject folder;
  folder.WriteEarlierResult();
  OutputTree tree = Created(folder, true);
  folder.Write("out/p_msft/old.txt", "new by hand");
  ExpectDone(tree.Commit());
  EXPECT_THAT(Names(folder / "out"), testing::ElementsAre("p_msft", "p_msft.before-1"));
  EXPECT_EQ(folder.Read("out/p_msft.before-1/old.txt"), "new by hand");
  ASSERT_EQ(tree.Notes().size(), 1u);
  EXPECT_THAT(tree.Notes()[0].en, HasSubstr("out/p_msft.before-1"));
}

TEST(OutputTree, RefusesToReplaceWhatItHasNotWritten) {
  const MigratedProject folder;
  folder.Write("out/p_msft/old.txt");
  const auto tree = OutputTree::Create(folder / "out", "p_msft", folder / "p", true);
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().code, Error::Code::kUsage);
  EXPECT_THAT(tree.error().what.en, HasSubstr("was not written by transplt"));
}

TEST(OutputTree, KnowsALargeFileByItsTime) {
  const MigratedProject folder;
  folder.Write("p/big.bin", std::string(2'000'000, 'x'));
  for (int run = 0; run < 2; ++run) {
    OutputTree tree = Created(folder, true);
    ExpectDone(tree.Copy({.path = "big.bin"}));
    ExpectDone(tree.Commit());
    EXPECT_THAT(tree.Notes(), testing::IsEmpty()) << run;
  }
  folder.Write("out/p_msft/big.bin", std::string(2'000'000, 'y'));
  OutputTree tree = Created(folder, true);
  ExpectDone(tree.Commit());
  EXPECT_EQ(tree.Notes().size(), 1u);
}

TEST(OutputTree, LeavesTheEarlierResultWhenTheRunIsGivenUp) {
  const MigratedProject folder;
  folder.WriteEarlierResult();
  {
    OutputTree tree = Created(folder, true);
    ExpectDone(tree.Write("new.txt", "new", {}));
  }
  EXPECT_THAT(Names(folder / "out"), testing::ElementsAre("p_msft"));
  EXPECT_THAT(Names(folder / "out/p_msft"), testing::ElementsAre(kManifestFile, "old.txt"));
}

TEST(OutputTree, LeavesTheEarlierResultWhenTheProcessDies) {
  const MigratedProject folder;
  folder.WriteEarlierResult();
  const std::string answer = InChild([&folder]() -> std::string {
    OutputTree tree = Created(folder, true);
    ExpectDone(tree.Write("new.txt", "new", {}));
    kill(getpid(), SIGKILL);
    return "alive";
  });
  EXPECT_EQ(answer, "the child failed");
  EXPECT_THAT(Names(folder / "out/p_msft"), testing::ElementsAre(kManifestFile, "old.txt"));
}

TEST(OutputTree, DoesNotReplaceAResultThatAppearedMeanwhile) {
  const MigratedProject folder;
  OutputTree first = Created(folder);
  OutputTree second = Created(folder);
  ExpectDone(first.Write("first.txt", "", {}));
  ExpectDone(first.Commit());
  const Result<Done> late = second.Commit();
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().what.en, HasSubstr("exists already"));
  EXPECT_TRUE(folder.Exists("out/p_msft/first.txt"));
}

TEST(OutputTree, RefusesAPlaceInsideTheInput) {
  const MigratedProject folder;
  folder.MakeFolder("p/sub");
  folder.Link("p/sub", "alias");
  const std::string input = folder / "p";
  for (const std::string& out : {folder / "p", folder / "p/", folder / "p/new/er", folder / "alias",
                                 folder / "alias/new", folder / "p/sub/../../p"}) {
    for (const std::string& in : {input, folder / "alias/.."}) {
      const auto tree = OutputTree::Create(out, "p_msft", in, true);
      ASSERT_FALSE(tree) << out << " " << in;
      EXPECT_EQ(tree.error().code, Error::Code::kUsage);
      EXPECT_THAT(tree.error().what.en, HasSubstr("lies in the input"));
    }
  }
  EXPECT_THAT(Names(input), testing::ElementsAre("a.py", "sub"));
}

TEST(OutputTree, TakesANeighbourWhoseNameBeginsLikeTheInput) {
  const MigratedProject folder;
  EXPECT_TRUE(OutputTree::Create(folder / "p2", "p_msft", folder / "p", false));
  EXPECT_TRUE(OutputTree::Create(folder.path(), "p_msft", folder / "p", false));
}

TEST(OutputTree, RefusesToReplaceAFolderThatHoldsTheInput) {
  const MigratedProject folder;
  folder.Write("out/p_msft/p/a.py");
  for (const char* input : {"out/p_msft/p", "out/p_msft", "out/p_msft/p/a.py"}) {
    const auto tree = OutputTree::Create(folder / "out", "p_msft", folder / input, true);
    ASSERT_FALSE(tree) << input;
    EXPECT_THAT(tree.error().what.en, HasSubstr("which would be replaced"));
  }
}

TEST(OutputTree, MayStandBesideTheFileThatIsTheInput) {
  const MigratedProject folder;
  auto tree = OutputTree::Create(folder / "p", "a_msft", folder / "p/a.py", false);
  ASSERT_TRUE(tree) << tree.error().what.en;
  ExpectDone(tree->Copy({.path = "a.py"}));
  ExpectDone(tree->Commit());
  EXPECT_EQ(folder.Read("p/a_msft/a.py"), "x = 1\n");
}

TEST(OutputTree, NeverReplacesAFileOrALink) {
  const MigratedProject folder;
  folder.Write("out/p_msft");
  EXPECT_FALSE(OutputTree::Create(folder / "out", "p_msft", folder / "p", true));
  folder.Write("elsewhere/precious.txt");
  folder.Link("../elsewhere", "out/q_msft");
  const auto tree = OutputTree::Create(folder / "out", "q_msft", folder / "p", true);
  ASSERT_FALSE(tree);
  EXPECT_THAT(tree.error().what.en, HasSubstr("not a folder"));
  EXPECT_TRUE(folder.Exists("elsewhere/precious.txt"));
}

TEST(OutputTree, KeepsModesOfFilesAndFoldersWhateverTheUmask) {
  const MigratedProject folder;
  folder.Write("p/run.sh", "#!/bin/sh\n", 0755);
  folder.Write("p/shared/closed/data.txt", "x", 0640);
  chmod((folder / "p/shared/closed").c_str(), 0555);
  chmod((folder / "p/shared").c_str(), 02775);
  chmod((folder / "p").c_str(), 0750);
  const mode_t umask_before = umask(077);
  OutputTree tree = Created(folder);
  ExpectDone(tree.Copy({.path = "run.sh"}));
  ExpectDone(tree.Copy({.path = "shared/closed/data.txt"}));
  ExpectDone(tree.Write("shared/closed/edited.py", "x", 0664));
  ExpectDone(tree.Write("report.csv", "x", {}));
  ExpectDone(tree.Commit());
  umask(umask_before);
  EXPECT_EQ(folder.Mode("out/p_msft"), 0750u);
  EXPECT_EQ(folder.Mode("out/p_msft/run.sh"), 0755u);
  EXPECT_EQ(folder.Mode("out/p_msft/shared"), 02775u);
  EXPECT_EQ(folder.Mode("out/p_msft/shared/closed"), 0555u);
  EXPECT_EQ(folder.Mode("out/p_msft/shared/closed/data.txt"), 0640u);
  EXPECT_EQ(folder.Mode("out/p_msft/shared/closed/edited.py"), 0664u);
  EXPECT_EQ(folder.Mode("out/p_msft/report.csv"), 0600u);
}

TEST(OutputTree, ReplacesAResultWithReadOnlyFolders) {
  const MigratedProject folder;
  folder.Write("p/closed/a.txt");
  chmod((folder / "p/closed").c_str(), 0555);
  chmod(folder.path().c_str(), 0777);
  const std::string answer = AsOrdinaryUser([&folder]() -> std::string {
    for (int run = 0; run < 2; ++run) {
      auto tree = OutputTree::Create(folder / "out", "p_msft", folder / "p", true);
      if (!tree) return tree.error().what.en;
      if (auto copied = tree->Copy({.path = "closed/a.txt"}); !copied)
        return copied.error().what.en;
      if (auto done = tree->Commit(); !done) return done.error().where + done.error().what.en;
    }
    return std::to_string(Names(folder / "out").size());
  });
  chmod((folder / "p/closed").c_str(), 0755);
  chmod((folder / "out/p_msft/closed").c_str(), 0755);
  EXPECT_EQ(answer, "1");
}

TEST(OutputTree, CopiesBytesAndLinks) {
  const MigratedProject folder;
  std::string big(5'000'001, '\0');
  for (std::size_t i = 0; i < big.size(); ++i) big[i] = static_cast<char>(i * 31 >> 3);
  folder.Write("p/big.bin", big);
  folder.Write("p/empty");
  folder.Write("p/\xFF\n权重.bin", std::string("\0\r\n", 3));
  OutputTree tree = Created(folder);
  for (const char* name : {"big.bin", "empty", "\xFF\n权重.bin"})
    ExpectDone(tree.Copy({.path = name}));
  ExpectDone(tree.Copy(
      {.path = "l/link", .kind = ProjectEntry::Kind::kLink, .link_target = "../big.bin"}));
  ExpectDone(tree.Commit());
  EXPECT_TRUE(folder.Read("out/p_msft/big.bin") == big);
  EXPECT_EQ(folder.Read("out/p_msft/\xFF\n权重.bin"), std::string("\0\r\n", 3));
  EXPECT_EQ(std::filesystem::read_symlink(folder / "out/p_msft/l/link"), "../big.bin");
}

TEST(OutputTree, SaysThatTheInputIsAtFaultWhenAFileHasGone) {
  const MigratedProject folder;
  OutputTree tree = Created(folder);
  const Result<Done> copied = tree.Copy({.path = "gone.txt"});
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, Error::Code::kBadInput);
  EXPECT_EQ(copied.error().where, "gone.txt");
}

TEST(OutputTree, WritesNothingTwice) {
  const MigratedProject folder;
  OutputTree tree = Created(folder);
  ExpectDone(tree.Write("a.py", "first", {}));
  const Result<Done> again = tree.Write("a.py", "second", {});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().where, folder / "out/p_msft/a.py");
  ExpectDone(tree.Commit());
  EXPECT_EQ(folder.Read("out/p_msft/a.py"), "first");
}

TEST(OutputTree, RefusesPathsThatLeadOut) {
  const MigratedProject folder;
  OutputTree tree = Created(folder);
  for (const char* path : {"../a", "/a", "a/../../b", "", ".", "a//b", "a/"}) {
    EXPECT_FALSE(tree.Write(path, "x", {})) << path;
    EXPECT_FALSE(tree.MakeFolder(path)) << path;
  }
  EXPECT_FALSE(OutputTree::Create(folder / "out", "../p_msft", folder / "p", true));
}

TEST(OutputTree, TakesWritesFromManyThreads) {
  const MigratedProject folder;
  OutputTree tree = Created(folder);
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&tree, &failures, thread] {
      for (int i = 0; i < 200; ++i) {
        const std::string path = "d" + std::to_string(i % 20) + "/e" + std::to_string(i % 7) +
                                 "/f" + std::to_string(thread) + "_" + std::to_string(i);
        if (!tree.Write(path, path, 0644)) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  ExpectDone(tree.Commit());
  EXPECT_EQ(folder.Read("out/p_msft/d19/e3/f7_199"), "d19/e3/f7_199");
}

TEST(OutputTree, WritesPathsLongerThanTheSystemTakes) {
  const MigratedProject folder;
  std::string path;
  for (int i = 0; i < 60; ++i) path += std::string(100, 'd') + "/";
  {
    OutputTree tree = Created(folder);
    ExpectDone(tree.Write(path + "a.py", "deep", {}));
  }
  EXPECT_FALSE(folder.Exists("out"));
}

TEST(OutputTree, ReportsAFileThatIsTooLargeAndLeavesNothing) {
  const MigratedProject folder;
  folder.Write("p/large.bin", std::string(3'000'000, 'x'));
  const std::string answer = InChild([&folder]() -> std::string {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return "no limit";
    OutputTree tree = Created(folder);
    const Result<Done> copied = tree.Copy({.path = "large.bin"});
    const Result<Done> written = tree.Write("b.py", std::string(200'000, 'y'), {});
    if (copied || written || !tree.Write("small.py", "fits", {})) return "wrong";
    const bool gone = !tree.Write("b.py", std::string(200'000, 'y'), {});
    return copied.error().where + ": " + copied.error().what.en.substr(0, 46) +
           (gone && written.error().code == Error::Code::kIo ? "" : "!");
  });
  EXPECT_EQ(answer,
            folder / "out/p_msft/large.bin: cannot write: larger than the file size limit;");
  EXPECT_FALSE(folder.Exists("out"));
}

TEST(OutputTree, ReportsAFullDiskAndLeavesNothing) {
  const MigratedProject folder;
  folder.MakeFolder("small_disk");
  const std::string disk = folder / "small_disk";
  if (mount("none", disk.c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "only root can mount a small disk; the limit above takes the same way";
  }
  folder.Write("p/large.bin", std::string(3'000'000, 'x'));
  {
    auto tree = OutputTree::Create(disk + "/out", "p_msft", folder / "p", false);
    ASSERT_TRUE(tree);
    const Result<Done> copied = tree->Copy({.path = "large.bin"});
    const Result<Done> written = tree->Write("b.py", std::string(200'000, 'y'), {});
    ASSERT_FALSE(copied);
    ASSERT_FALSE(written);
    EXPECT_EQ(copied.error().code, Error::Code::kIo);
    EXPECT_EQ(copied.error().where, disk + "/out/p_msft/large.bin");
    EXPECT_THAT(written.error().what.en, HasSubstr("no space left; free some"));
    ExpectDone(tree->Write("c.py", std::string(20'000, 'y'), {}));
  }
  EXPECT_TRUE(Names(disk).empty());
  EXPECT_EQ(umount(disk.c_str()), 0);
}

TEST(OutputTree, ReportsAFolderThatMayNotBeWritten) {
  const MigratedProject folder;
  folder.MakeFolder("out");
  chmod((folder / "out").c_str(), 0555);
  const std::string answer = AsOrdinaryUser([&folder]() -> std::string {
    std::string text;
    for (const char* out : {"out", "out/new"}) {
      const auto tree = OutputTree::Create(folder / out, "p_msft", folder / "p", false);
      text += tree ? "written;" : tree.error().where.substr(folder.path().size()) + ";";
    }
    return text;
  });
  EXPECT_EQ(answer, "/out;/out/new;");
}

}  // namespace
}  // namespace transplt
