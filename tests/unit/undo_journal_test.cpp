// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/undo_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "tests/unit/temp_folder.h"
#include "transplt/project/in_place.h"
#include "transplt/project/project_files.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void ExpectDone(const Result<Done>& result) {
  EXPECT_TRUE(result) << result.error().where << ": " << result.error().what.en;
}

/// Does what --in-place does with one file.
void Migrate(const TempFolder& folder, const std::string& path, const std::string& after) {
  Result<UndoJournal> journal = UndoJournal::Begin(folder.path());
  ASSERT_TRUE(journal) << journal.error().what.en;
  ExpectDone(journal->Save(path, folder.Read(path), after));
  ExpectDone(journal->Seal());
  ExpectDone(AtomicReplace(folder / path, after));
}

UndoJournal::Restored Restored(const TempFolder& folder) {
  Result<UndoJournal::Restored> restored = UndoJournal::Restore(folder.path());
  if (restored) return *std::move(restored);
  ADD_FAILURE() << restored.error().where << ": " << restored.error().what.en;
  return {};
}

TEST(AtomicReplace, ReplacesTheContentAndKeepsTheMode) {
  const TempFolder folder;
  folder.Write("run.py", "old", 0751);
  ExpectDone(AtomicReplace(folder / "run.py", "new"));
  EXPECT_EQ(folder.Read("run.py"), "new");
  EXPECT_EQ(folder.Mode("run.py"), 0751u);
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(AtomicReplace, KeepsTheOwnerIfItMay) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const TempFolder folder;
  folder.Write("a.py", "old", 04755);
  ASSERT_EQ(chown((folder / "a.py").c_str(), 65534, 65534), 0);
  ASSERT_EQ(chmod((folder / "a.py").c_str(), 04755), 0);
  ExpectDone(AtomicReplace(folder / "a.py", "new"));
  struct stat status {};
  ASSERT_EQ(stat((folder / "a.py").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 65534u);
  EXPECT_EQ(status.st_mode & 07777, 04755u);
}

TEST(AtomicReplace, RefusesALink) {
  const TempFolder folder;
  folder.Write("real.py", "old");
  folder.Link("real.py", "link.py");
  const Result<Done> replaced = AtomicReplace(folder / "link.py", "new");
  ASSERT_FALSE(replaced);
  EXPECT_EQ(replaced.error().code, Error::Code::kUsage);
  EXPECT_EQ(folder.Read("real.py"), "old");
  EXPECT_FALSE(AtomicReplace(folder.path(), "new"));
  EXPECT_FALSE(AtomicReplace(folder / "missing.py", "new"));
}

TEST(AtomicReplace, LeavesTheFileWhenTheDiskRefuses) {
  const TempFolder folder;
  folder.Write("a.py", "old");
  const std::string answer = InChild([&folder]() -> std::string {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const Result<Done> replaced = AtomicReplace(folder / "a.py", std::string(5000, 'x'));
    return replaced ? "replaced" : replaced.error().what.en.substr(0, 35);
  });
  EXPECT_EQ(answer, "cannot replace the file: larger tha");
  EXPECT_EQ(folder.Read("a.py"), "old");
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(UndoJournal, PutsBackTheBytesAndTheMode) {
  const TempFolder folder;
  const std::string original("a\0\r\nb\xFF", 6);
  folder.Write("sub/\xFF 训\n.py", original, 0755);
  Migrate(folder, "sub/\xFF 训\n.py", "migrated");
  EXPECT_EQ(folder.Read("sub/\xFF 训\n.py"), "migrated");
  EXPECT_THAT(Restored(folder).files, ElementsAre("sub/\xFF 训\n.py"));
  EXPECT_EQ(folder.Read("sub/\xFF 训\n.py"), original);
  EXPECT_EQ(folder.Mode("sub/\xFF 训\n.py"), 0755u);
  EXPECT_FALSE(folder.Exists(".transplt-undo"));
}

TEST(UndoJournal, PutsBackTheNewestMigrationFirst) {
  const TempFolder folder;
  folder.Write("a.py", "one");
  Migrate(folder, "a.py", "two");
  Migrate(folder, "a.py", "three");
  Restored(folder);
  EXPECT_EQ(folder.Read("a.py"), "two");
  Restored(folder);
  EXPECT_EQ(folder.Read("a.py"), "one");
  const auto nothing = UndoJournal::Restore(folder.path());
  ASSERT_FALSE(nothing);
  EXPECT_THAT(nothing.error().what.en, HasSubstr("no migration to undo"));
}

TEST(UndoJournal, RefusesAFileThatWasChangedSinceAndRestoresTheRest) {
  const TempFolder folder;
  folder.Write("a.py", "old a");
  folder.Write("b.py", "old b");
  folder.Write("c.py", "old c");
  {
    Result<UndoJournal> journal = UndoJournal::Begin(folder.path());
    ASSERT_TRUE(journal);
    for (const char* name : {"a.py", "b.py", "c.py"}) {
      ExpectDone(journal->Save(name, folder.Read(name), "new"));
      folder.Write("copy_of_" + std::string(name), folder.Read(name));
    }
    ExpectDone(journal->Seal());
  }
  for (const char* name : {"a.py", "b.py", "c.py"}) ExpectDone(AtomicReplace(folder / name, "new"));
  folder.Write("a.py", "NEW");  // the same size
  std::filesystem::remove(folder / "c.py");
  const UndoJournal::Restored restored = Restored(folder);
  EXPECT_THAT(restored.files, ElementsAre("b.py"));
  ASSERT_EQ(restored.refusals.size(), 2u);
  EXPECT_EQ(restored.refusals[0].path, "a.py");
  EXPECT_THAT(restored.refusals[0].reason.en, HasSubstr("changed since"));
  EXPECT_EQ(restored.refusals[1].path, "c.py");
  EXPECT_THAT(restored.refusals[1].reason.en, HasSubstr("removed since"));
  EXPECT_EQ(folder.Read("a.py"), "NEW");
  EXPECT_EQ(folder.Read(".transplt-undo/0001/files/a.py"), "old a") << "kept for a person";
}

TEST(UndoJournal, RestoresAMigrationThatWasInterrupted) {
  const TempFolder folder;
  folder.Write("a.py", "old a");
  folder.Write("b.py", "old b");
  {
    Result<UndoJournal> journal = UndoJournal::Begin(folder.path());
    ASSERT_TRUE(journal);
    ExpectDone(journal->Save("a.py", "old a", "new a"));
    ExpectDone(journal->Save("b.py", "old b", "new b"));
    ExpectDone(journal->Seal());
  }
  ExpectDone(AtomicReplace(folder / "a.py", "new a"));
  EXPECT_THAT(Restored(folder).refusals, testing::IsEmpty());
  EXPECT_EQ(folder.Read("a.py"), "old a");
  EXPECT_EQ(folder.Read("b.py"), "old b");
}

TEST(UndoJournal, VanishesIfItIsNotSealed) {
  const TempFolder folder;
  folder.Write("a.py", "old");
  {
    Result<UndoJournal> journal = UndoJournal::Begin(folder.path());
    ASSERT_TRUE(journal);
    ExpectDone(journal->Save("a.py", "old", "new"));
  }
  EXPECT_FALSE(folder.Exists(".transplt-undo"));
}

TEST(UndoJournal, PassesOverAJournalThatNeverBegan) {
  const TempFolder folder;
  folder.Write("a.py", "old");
  Migrate(folder, "a.py", "new");
  folder.Write(".transplt-undo/0002/files/a.py", "never used");
  Restored(folder);
  EXPECT_EQ(folder.Read("a.py"), "old");
}

TEST(UndoJournal, RefusesAFileThatChangedWhileItWasMigrated) {
  const TempFolder folder;
  folder.Write("a.py", "edited by its author");
  Result<UndoJournal> journal = UndoJournal::Begin(folder.path());
  ASSERT_TRUE(journal);
  const Result<Done> saved = journal->Save("a.py", "as it was read", "new");
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().where, "a.py");
  EXPECT_THAT(saved.error().what.en, HasSubstr("changed while it was being migrated"));
}

TEST(UndoJournal, RefusesADamagedJournal) {
  const TempFolder folder;
  folder.Write("a.py", "old");
  for (const char* text :
       {"", "[]", R"({"format":2,"files":[]})", R"({"format":1})",
        R"({"format":1,"files":[{"path":"a.py"}]})",
        R"({"format":1,"files":[{"path":"../a.py","mode":"0644","size":3,"after_size":3,)"
        R"("after_xxh128":"x"}]})"}) {
    folder.Write(".transplt-undo/0001/journal.json", text);
    const auto restored = UndoJournal::Restore(folder.path());
    ASSERT_FALSE(restored) << text;
    EXPECT_THAT(restored.error().what.en, HasSubstr("damaged")) << text;
  }
}

TEST(UndoJournal, IsNoPartOfTheProject) {
  const TempFolder folder;
  folder.Write("a.py", "old");
  Migrate(folder, "a.py", "new");
  const auto found = FindProjectFiles(folder.path(), {.copy = CopyMode::kAll});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->entries.size(), 1u);
  folder.Git("init -q");
  folder.Git("ls-files --others --exclude-standard", ".", folder / ".git/list");
  EXPECT_EQ(folder.Read(".git/list"), "a.py\n");
}

}  // namespace
}  // namespace transplt
