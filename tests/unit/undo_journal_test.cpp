// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "tests/unit/temp_folder.h"
#include "transplt/project/atomic_write.h"
#include "transplt/project/project_files.h"
#include "transplt/project/undo.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A project that is changed in place.
struct ChangedProject : TempFolder {
  UndoJournal Begun() const {
    const Result<FolderLock> lock = FolderLock::Take(path());
    EXPECT_TRUE(lock);
    Result<UndoJournal> journal = UndoJournal::Begin(path(), *lock);
    EXPECT_TRUE(journal) << journal.error().what.en;
    return *std::move(journal);
  }

  /// Saves the file, which shall hold `after`.
  void Save(UndoJournal& journal, const std::string& file, const std::string& after) const {
    const auto left = journal.Save(file, Read(file), after);
    ASSERT_TRUE(left) << left.error().what.en;
    EXPECT_FALSE(left->has_value()) << (*left)->en;
  }

  /// Does what --in-place does with one file.
  void Migrate(const std::string& file, const std::string& after) const {
    UndoJournal journal = Begun();
    Save(journal, file, after);
    ExpectDone(journal.Seal());
    const auto left = journal.Replace();
    ASSERT_TRUE(left) << left.error().what.en;
    EXPECT_THAT(*left, testing::IsEmpty());
  }

  UndoResult Undone(bool force = false) const {
    const Result<FolderLock> lock = FolderLock::Take(path());
    EXPECT_TRUE(lock);
    Result<UndoResult> undone = Undo(path(), force, *lock);
    if (undone) return *std::move(undone);
    ADD_FAILURE() << undone.error().where << ": " << undone.error().what.en;
    return {};
  }
};

TEST(AtomicWrite, WritesWithTheModeAndLeavesNothingElse) {
  const TempFolder folder;
  ExpectDone(AtomicWrite(folder / "a.csv", "new", 0640, Existing::kRefuse));
  EXPECT_EQ(folder.Read("a.csv"), "new");
  EXPECT_EQ(folder.Mode("a.csv"), 0640u);
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(AtomicWrite, ReplacesAFileOnlyIfItMay) {
  const TempFolder folder;
  folder.Write("a.csv", "old");
  EXPECT_FALSE(AtomicWrite(folder / "a.csv", "new", 0644, Existing::kRefuse));
  EXPECT_EQ(folder.Read("a.csv"), "old");
  ExpectDone(AtomicWrite(folder / "a.csv", "new", 0644, Existing::kReplace));
  EXPECT_EQ(folder.Read("a.csv"), "new");
}

TEST(AtomicWrite, LeavesTheFileWhenTheDiskRefuses) {
  const TempFolder folder;
  folder.Write("a.csv", "old");
  const std::string answer = InChild([&folder]() -> std::string {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto done =
        AtomicWrite(folder / "a.csv", std::string(5000, 'x'), 0644, Existing::kReplace);
    return done ? "written" : done.error().what.en.substr(0, 35);
  });
  EXPECT_EQ(answer, "cannot write the file: larger than ");
  EXPECT_EQ(folder.Read("a.csv"), "old");
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(AtomicWrite, RemovesWhatKilledRunsHaveLeftAndNothingOfLiveOnes) {
  const TempFolder folder;
  folder.Write(".transplt-dEadOn", "half");
  folder.Write(".transplt-aLive1", "half");
  folder.Write(".transplt-notes.txt", "of the user");
  const FileHandle alive(open((folder / ".transplt-aLive1").c_str(), O_RDONLY));
  ASSERT_TRUE(TryLock(alive.get()));
  ExpectDone(AtomicWrite(folder / "a.csv", "new", 0644, Existing::kReplace));
  EXPECT_FALSE(folder.Exists(".transplt-dEadOn"));
  EXPECT_TRUE(folder.Exists(".transplt-aLive1"));
  EXPECT_TRUE(folder.Exists(".transplt-notes.txt"));
}

TEST(UndoJournal, KeepsTheOwnerAndTheSpecialBitsIfItMay) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const ChangedProject folder;
  folder.Write("a.py", "old");
  ASSERT_EQ(chown((folder / "a.py").c_str(), 65534, 65534), 0);
  ASSERT_EQ(chmod((folder / "a.py").c_str(), 04755), 0);
  folder.Migrate("a.py", "new");
  struct stat status {};
  ASSERT_EQ(stat((folder / "a.py").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 65534u);
  EXPECT_EQ(status.st_mode & 07777, 04755u);
}

TEST(UndoJournal, GivesNobodyElsesProgramTheRightsOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "needs a file of another user";
  const ChangedProject folder;
  folder.Write("a.py", "old");
  ASSERT_EQ(chmod((folder / "a.py").c_str(), 06755), 0);
  ASSERT_EQ(chown(folder.path().c_str(), 65534, 65534), 0);
  const std::string answer = AsOrdinaryUser([&folder]() -> std::string {
    folder.Migrate("a.py", "new");
    return folder.Read("a.py");
  });
  EXPECT_EQ(answer, "new");
  EXPECT_EQ(folder.Mode("a.py"), 0755u);
}

TEST(UndoJournal, TakesOverAModeThatIsChangedWhileItWorks) {
  const ChangedProject folder;
  folder.Write("a.py", "old", 0644);
  UndoJournal journal = folder.Begun();
  folder.Save(journal, "a.py", "new");
  ASSERT_EQ(chmod((folder / "a.py").c_str(), 0750), 0);
  ExpectDone(journal.Seal());
  ASSERT_TRUE(journal.Replace());
  EXPECT_EQ(folder.Read("a.py"), "new");
  EXPECT_EQ(folder.Mode("a.py"), 0750u);
}

TEST(UndoJournal, RefusesALink) {
  const ChangedProject folder;
  folder.Write("real.py", "old");
  folder.Link("real.py", "link.py");
  UndoJournal journal = folder.Begun();
  const auto left = journal.Save("link.py", "old", "new");
  ASSERT_FALSE(left);
  EXPECT_EQ(left.error().code, Error::Code::kUsage);
}

TEST(UndoJournal, ChangesNothingWhenTheDiskRefuses) {
  const ChangedProject folder;
  folder.Write("a.py", "old");
  const std::string answer = InChild([&folder]() -> std::string {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    UndoJournal journal = folder.Begun();
    const auto left = journal.Save("a.py", "old", std::string(5000, 'x'));
    return left ? "saved" : left.error().what.en.substr(0, 36);
  });
  EXPECT_EQ(answer, "cannot keep the original for undo; n");
  EXPECT_EQ(folder.Read("a.py"), "old");
  EXPECT_FALSE(folder.Exists(".transplt-undo"));
}

TEST(UndoJournal, PutsBackTheBytesAndTheMode) {
  const ChangedProject folder;
  const std::string original("a\0\r\nb\xFF", 6);
  folder.Write("sub/\xFF 训\n.py", original, 0755);
  folder.Migrate("sub/\xFF 训\n.py", "migrated");
  EXPECT_EQ(folder.Read("sub/\xFF 训\n.py"), "migrated");
  EXPECT_THAT(folder.Undone().files, ElementsAre("sub/\xFF 训\n.py"));
  EXPECT_EQ(folder.Read("sub/\xFF 训\n.py"), original);
  EXPECT_EQ(folder.Mode("sub/\xFF 训\n.py"), 0755u);
  EXPECT_FALSE(folder.Exists(".transplt-undo"));
}

TEST(UndoJournal, PutsBackTheNewestMigrationFirst) {
  const ChangedProject folder;
  folder.Write("a.py", "one");
  folder.Migrate("a.py", "two");
  folder.Migrate("a.py", "three");
  EXPECT_THAT(folder.Undone().files, ElementsAre("a.py"));
  EXPECT_EQ(folder.Read("a.py"), "two");
  EXPECT_TRUE(folder.Undone().found_run);
  EXPECT_EQ(folder.Read("a.py"), "one");
  EXPECT_FALSE(folder.Undone().found_run);
}

TEST(UndoJournal, RefusesAFileThatWasChangedSinceAndRestoresTheRest) {
  const ChangedProject folder;
  for (const char* name : {"a", "b", "c"}) folder.Write(name, "old " + std::string(name));
  UndoJournal journal = folder.Begun();
  for (const char* name : {"a", "b", "c"}) folder.Save(journal, name, "new");
  ExpectDone(journal.Seal());
  ASSERT_TRUE(journal.Replace());
  folder.Write("a", "NEW");  // the same size
  std::filesystem::remove(folder / "c");
  const UndoResult undone = folder.Undone();
  EXPECT_THAT(undone.files, ElementsAre("b"));
  ASSERT_EQ(undone.refusals.size(), 2u);
  EXPECT_EQ(undone.refusals[0].path, "a");
  EXPECT_THAT(undone.refusals[0].reason.en, HasSubstr("changed since"));
  EXPECT_EQ(undone.refusals[1].path, "c");
  EXPECT_THAT(undone.refusals[1].reason.en, HasSubstr("removed since"));
  EXPECT_EQ(folder.Read("a"), "NEW");
  EXPECT_EQ(folder.Read(".transplt-undo/0001/files/a"), "old a") << "kept for a person";
}

TEST(UndoJournal, UndoesAMigrationThatWasInterrupted) {
  const ChangedProject folder;
  folder.Write("a.py", "old a");
  folder.Write("b.py", "old b");
  {
    UndoJournal journal = folder.Begun();
    folder.Save(journal, "a.py", "new a");
    folder.Save(journal, "b.py", "new b");
    ExpectDone(journal.Seal());
  }
  ASSERT_EQ(renameat2(AT_FDCWD, (folder / "a.py").c_str(), AT_FDCWD,
                      (folder / ".transplt-undo/0001/files/a.py").c_str(), RENAME_EXCHANGE),
            0);
  EXPECT_EQ(folder.Read("a.py"), "new a");
  EXPECT_THAT(folder.Undone().refusals, testing::IsEmpty());
  EXPECT_EQ(folder.Read("a.py"), "old a");
  EXPECT_EQ(folder.Read("b.py"), "old b");
  EXPECT_FALSE(folder.Exists(".transplt-undo"));
}

/// The four moments at which a run can be killed on a file system that cannot exchange files.
TEST(UndoJournal, UndoesAMigrationThatWasInterruptedBetweenTheStepsOfAnExchange) {
  for (int moment = 0; moment < 4; ++moment) {
    const ChangedProject folder;
    folder.Write("a.py", "old");
    {
      UndoJournal journal = folder.Begun();
      folder.Save(journal, "a.py", "new");
      ExpectDone(journal.Seal());
    }
    const std::string kept = folder / ".transplt-undo/0001/files/a.py";
    const std::string spare = folder / ".transplt-undo/0001/taken/0";
    folder.MakeFolder(".transplt-undo/0001/taken");
    std::filesystem::rename(kept, spare);
    if (moment > 0) std::filesystem::rename(folder / "a.py", kept);
    if (moment > 1) std::filesystem::create_hard_link(spare, folder / "a.py");
    if (moment > 2) std::filesystem::remove(spare);
    EXPECT_THAT(folder.Undone().refusals, testing::IsEmpty()) << moment;
    EXPECT_EQ(folder.Read("a.py"), "old") << moment;
    EXPECT_FALSE(folder.Exists(".transplt-undo")) << moment;
  }
}

TEST(UndoJournal, VanishesIfItIsNotSealed) {
  const ChangedProject folder;
  folder.Write("a.py", "old");
  {
    UndoJournal journal = folder.Begun();
    folder.Save(journal, "a.py", "new");
  }
  EXPECT_FALSE(folder.Exists(".transplt-undo"));
}

TEST(UndoJournal, PassesOverAFolderWithoutAJournalAndDeletesNothingOfIt) {
  const ChangedProject folder;
  folder.Write("a.py", "old");
  folder.Migrate("a.py", "new");
  folder.Write(".transplt-undo/0002/files/a.py", "perhaps the only copy");
  const UndoResult undone = folder.Undone();
  EXPECT_EQ(undone.refusals.size(), 1u);
  EXPECT_EQ(folder.Read("a.py"), "old");
  EXPECT_EQ(folder.Read(".transplt-undo/0002/files/a.py"), "perhaps the only copy");
}

TEST(UndoJournal, LeavesOutAFileThatChangedWhileItWasMigrated) {
  const ChangedProject folder;
  folder.Write("a.py", "edited by its author");
  UndoJournal journal = folder.Begun();
  for (const char* name : {"a.py", "removed.py"}) {
    const auto left = journal.Save(name, "as it was read", "new");
    ASSERT_TRUE(left);
    ASSERT_TRUE(left->has_value());
    EXPECT_THAT((*left)->en, HasSubstr("changed while transplt worked"));
  }
  EXPECT_TRUE(journal.empty());
}

TEST(UndoJournal, RefusesADamagedJournal) {
  const std::string content = R"("before":{"size":3,"xxh128":"a"},"after":{"size":3,"xxh128":"b"})";
  for (const std::string& text : std::vector<std::string>{
           "", "[]", R"({"format":1,"files":[]})", R"({"format":2,"files":[]})",
           R"({"format":2,"undone":false})", R"({"format":2,"undone":false,"files":[7]})",
           R"({"format":2,"undone":false,"files":[{"path":"a.py"}]})",
           R"({"format":2,"undone":false,"files":[{"path":"../a.py",)" + content + "}]}"}) {
    const ChangedProject folder;
    folder.Write(".transplt-undo/0001/journal.json", text);
    const UndoResult undone = folder.Undone();
    ASSERT_EQ(undone.refusals.size(), 1u) << text;
    EXPECT_THAT(undone.refusals[0].reason.en, HasSubstr("damaged")) << text;
    EXPECT_FALSE(undone.found_run);
  }
}

TEST(UndoJournal, NeverLeavesTheProjectThroughALinkOnTheWay) {
  const ChangedProject folder;
  folder.Write("project/sub/a.py", "old");
  const FolderLock lock = *FolderLock::Take(folder / "project");
  UndoJournal journal = *UndoJournal::Begin(folder / "project", lock);
  ASSERT_TRUE(journal.Save("sub/a.py", "old", "new"));
  ExpectDone(journal.Seal());
  ASSERT_TRUE(journal.Replace());
  std::filesystem::rename(folder / "project/sub", folder / "elsewhere");
  folder.Link("../elsewhere", "project/sub");
  const auto undone = Undo(folder / "project", true, lock);
  ASSERT_TRUE(undone);
  EXPECT_EQ(undone->refusals.size(), 1u);
  EXPECT_EQ(folder.Read("elsewhere/a.py"), "new");
}

TEST(UndoJournal, IsNoPartOfTheProject) {
  const ChangedProject folder;
  folder.Write("a.py", "old");
  folder.Migrate("a.py", "new");
  const auto found = FindProjectFiles(folder.path(), {.copy = CopyMode::kAll});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->entries.size(), 1u);
  folder.Git("init -q");
  folder.Git("ls-files --others --exclude-standard", ".", folder / ".git/list");
  EXPECT_EQ(folder.Read(".git/list"), "a.py\n");
}

}  // namespace
}  // namespace transplt
