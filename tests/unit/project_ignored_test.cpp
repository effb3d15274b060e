// SPDX-License-Identifier: Apache-2.0
// Which files of a project count: git's rules, environments, --include and --exclude.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/project_fixture.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = ProjectEntry::Kind;

TEST(FindProjectFiles, NeverWalksVersionControl) {
  const TempFolder folder;
  for (const char* name : {".git", ".hg", ".svn", "sub/.git", ".transplt-undo"}) {
    folder.Write(std::string(name) + "/hook.py");
  }
  folder.Write("worktree/.git", "gitdir: /nowhere\n");
  const ProjectFiles found = Found(folder.path(), {.copy = CopyMode::kProject});
  EXPECT_THAT(found.entries, IsEmpty());
  EXPECT_THAT(found.ignored_folders,
              ElementsAre(".git/", ".hg/", ".svn/", ".transplt-undo/", "sub/.git/"));
  EXPECT_EQ(found.ignored_files, 1u);
}

TEST(FindProjectFiles, CopiesVersionControlAsItIsWhereAllIsWanted) {
  const TempFolder folder;
  for (const char* name : {".git", ".hg", ".transplt-undo"}) {
    folder.Write(std::string(name) + "/hook.py");
  }
  const ProjectFiles found = Found(folder.path(), {.copy = CopyMode::kAll});
  ASSERT_EQ(found.entries.size(), 2u);
  for (const ProjectEntry& entry : found.entries) {
    EXPECT_EQ(entry.kind, ProjectEntry::Kind::kOther) << entry.path;
  }
  EXPECT_THAT(found.ignored_folders, ElementsAre(".transplt-undo/"));
}

TEST(FindProjectFiles, KnowsEnvironmentsByTheirMarkerNotByTheirName) {
  const TempFolder folder;
  folder.Write("my_env/pyvenv.cfg");
  folder.Write("my_env/lib/dep.py");
  folder.Write("conda/conda-meta/history");
  folder.Write("conda/dep.py");
  folder.Write("out/CMakeCache.txt");
  folder.Write("out/gen.py");
  folder.Write("venv/model.py");
  folder.Write("build/layers.py");
  const ProjectFiles found = Found(folder.path());
  EXPECT_THAT(Paths(found, Kind::kMigratable), ElementsAre("build/layers.py", "venv/model.py"));
  EXPECT_THAT(found.ignored_folders, ElementsAre("conda/", "my_env/", "out/"));
}

TEST(FindProjectFiles, WalksTheInputItselfWhateverMarksIt) {
  const TempFolder folder;
  folder.Write("CMakeCache.txt");
  folder.Write("a.py");
  EXPECT_THAT(Paths(Found(folder.path()), Kind::kMigratable), ElementsAre("a.py"));
}

TEST(FindProjectFiles, IgnoresCompiledPython) {
  const TempFolder folder;
  folder.Write("__pycache__/a.cpython-311.pyc");
  folder.Write("old.pyc");
  const ProjectFiles found = Found(folder.path());
  EXPECT_THAT(found.entries, IsEmpty());
  EXPECT_THAT(found.ignored_folders, ElementsAre("__pycache__/"));
  EXPECT_EQ(found.ignored_files, 1u);
}

TEST(FindProjectFiles, ReadsGitignoreWithoutARepository) {
  const TempFolder folder;
  folder.Write(".gitignore", "*.txt\n/data/\n");
  folder.Write("notes.txt");
  folder.Write("data/big.py");
  folder.Write("src/data/small.py");
  folder.Write("docs/.gitignore", "!requirements.txt\n");
  folder.Write("docs/requirements.txt");
  const ProjectFiles found = Found(folder.path());
  EXPECT_THAT(Paths(found, Kind::kMigratable), ElementsAre("src/data/small.py"));
  EXPECT_THAT(Paths(found, Kind::kOther),
              ElementsAre(".gitignore", "docs/.gitignore", "docs/requirements.txt"));
  EXPECT_EQ(found.ignored_files, 1u);
  EXPECT_THAT(found.ignored_folders, ElementsAre("data/"));
}

TEST(FindProjectFiles, TakesSourcesThatRulesNameAlongWhereThereIsNoGit) {
  const TempFolder folder;
  folder.Write(".gitignore", "**dist**\n/lib/\n/data/\n/venv/\n*.yaml\n");
  for (const char* name :
       {"pkg/dist_utils.py", "pkg/dist.yaml", "dist/a.py", "lib/__init__.py", "lib/a.py",
        "lib/nets/__init__.py", "lib/nets/b.py", "lib/out/c.txt", "lib/dist/c.py",
        "lib/__pycache__/a.py", "data/d.py", "venv/__init__.py", "venv/pyvenv.cfg"}) {
    folder.Write(name);
  }
  const ProjectFiles found = Found(folder.path());
  EXPECT_THAT(Paths(found, Kind::kMigratable),
              ElementsAre("lib/__init__.py", "lib/a.py", "lib/dist/c.py", "lib/nets/__init__.py",
                          "lib/nets/b.py", "pkg/dist_utils.py"));
  EXPECT_THAT(found.ignored_folders,
              ElementsAre("data/", "dist/", "lib/__pycache__/", "lib/out/", "venv/"));
  ASSERT_EQ(found.notes.size(), 2u);
  EXPECT_THAT(found.notes[0].en,
              HasSubstr("7 files of source code, settings and data that .gitignore names"));
  EXPECT_THAT(found.notes[1].en, HasSubstr("data/, dist/, lib/__pycache__/, lib/out/;"));
  folder.Git("init -q");
  EXPECT_THAT(Paths(Found(folder.path()), Kind::kMigratable), IsEmpty());
}

TEST(FindProjectFiles, TakesDataThatSourcesNameAlongWhereThereIsNoGit) {
  const TempFolder folder;
  folder.Write(".gitignore", "*.pt\n");
  folder.Write("examples/load.py", "name = \"net.pt\"\nother = 'trained'\n");
  for (const char* name : {"examples/trained/net.pt", "examples/trained/trained.pt", "net.pt"}) {
    folder.Write(name);
  }
  const ProjectFiles found = Found(folder.path());
  EXPECT_THAT(Paths(found, Kind::kOther), ElementsAre(".gitignore", "examples/trained/net.pt"));
  EXPECT_EQ(found.ignored_files, 2u);
}

TEST(FindProjectFiles, SaysNothingOfSettingsOfToolsThatRulesName) {
  const TempFolder folder;
  folder.Write(".gitignore", ".*\n!.gitignore\n");
  folder.Write(".style.yapf");
  EXPECT_TRUE(Found(folder.path()).notes.empty());
  folder.Write(".data/train.bin");
  EXPECT_FALSE(Found(folder.path()).notes.empty());
}

TEST(FindProjectFiles, TakesSettingsThatSourcesSpellAlongWhereThereIsNoGit) {
  const TempFolder folder;
  folder.Write(".gitignore", "config/\n/data/\n/runs/\n*.jpg\n");
  folder.Write("tool/train.py",
               "add('--config', default='config/ade/a.yaml')\n"
               "add('--labels', default=\"../data/coco/labels.json\")\n"
               "add('--image', default='figure/demo/in.jpg')\n"
               "add('--save', default='runs/new/net.pth')\n");
  folder.Write("lib/run.py", "open('config/lib.yaml')\n");
  for (const char* name :
       {"config/ade/a.yaml", "config/ade/b.yaml", "config/voc/c.yaml", "lib/config/lib.yaml",
        "data/coco/labels.json", "data/coco/1.json", "data/coco/1.bin", "data/coco/2.bin",
        "data/voc/labels.json", "figure/demo/in.jpg", "figure/demo/out.jpg", "runs/old/a.yaml",
        "runs/old/a.pth"}) {
    folder.Write(name);
  }
  const ProjectFiles found = Found(folder.path());
  EXPECT_THAT(
      Paths(found, Kind::kOther),
      ElementsAre(".gitignore", "config/ade/a.yaml", "config/ade/b.yaml", "config/voc/c.yaml",
                  "data/coco/labels.json", "figure/demo/in.jpg", "lib/config/lib.yaml"));
  EXPECT_THAT(found.ignored_folders, ElementsAre("data/voc/", "runs/"));
  EXPECT_EQ(found.ignored_files, 4u);  // three of data/coco/, and out.jpg
  folder.Git("init -q");
  EXPECT_THAT(Paths(Found(folder.path()), Kind::kOther), ElementsAre(".gitignore"));
}

TEST(FindProjectFiles, TakesFoldersThatSourcesFurtherAboveImportAlongWhereThereIsNoGit) {
  const TempFolder folder;
  folder.Write(".gitignore", "models*\n");
  folder.Write("app/reward/run.py", "def f():\n    from .score.trainer.models.net import Net\n");
  folder.Write("app/reward/score/trainer/models/net.py");
  folder.Write("app/reward/other/trainer/models/net.py");
  const ProjectFiles found = Found(folder.path());
  EXPECT_THAT(Paths(found, Kind::kMigratable),
              ElementsAre("app/reward/run.py", "app/reward/score/trainer/models/net.py"));
  EXPECT_THAT(found.ignored_folders, ElementsAre("app/reward/other/trainer/models/"));
}

TEST(FindProjectFiles, TakesFoldersThatSourcesImportAlongWhereThereIsNoGit) {
  const TempFolder folder;
  folder.Write(".gitignore", "lib/\nout/\n");
  folder.Write("tools/run.py", "import os\n  from lib.nets import net\nimport output\n");
  folder.Write("main.py", "from tools.cut.lib import a\n");
  for (const char* name :
       {"tools/lib/nets/net.py", "tools/lib/nets/params/a.json", "tools/lib/nets/weights.bin",
        "tools/out/copy.py", "tools/cut/lib/a.py", "lib/python3/b.py"}) {
    folder.Write(name);
  }
  const ProjectFiles found = Found(folder.path());
  EXPECT_THAT(
      Paths(found, Kind::kMigratable),
      ElementsAre("main.py", "tools/cut/lib/a.py", "tools/lib/nets/net.py", "tools/run.py"));
  EXPECT_THAT(Paths(found, Kind::kOther),
              ElementsAre(".gitignore", "tools/lib/nets/params/a.json"));
  EXPECT_THAT(found.ignored_folders, ElementsAre("lib/", "tools/out/"));
}

TEST(FindProjectFiles, ReadsTheRulesOfTheRepositoryAboveTheInput) {
  const TempFolder folder;
  folder.Git("init -q");
  folder.Write(".git/info/exclude", "local.py\n");
  folder.Write(".gitignore", "/lib/net/gen.py\n");
  folder.Write("lib/.gitignore", "*.tmp.py\n");
  for (const char* name : {"gen.py", "local.py", "a.tmp.py", "a.py"}) {
    folder.Write(std::string("lib/net/") + name);
  }
  const ProjectFiles found = Found(folder / "lib/net");
  EXPECT_THAT(Paths(found, Kind::kMigratable), ElementsAre("a.py"));
  EXPECT_EQ(found.ignored_files, 3u);
}

TEST(FindProjectFiles, DoesNotIgnoreTheFolderThatTheUserHasNamed) {
  const TempFolder folder;
  folder.Git("init -q");
  folder.Write(".gitignore", "*\n");
  folder.Write("data/project/.gitignore", "*.log\n");
  folder.Write("data/project/a.py");
  folder.Write("data/project/a.log");
  const ProjectFiles found = Found(folder / "data/project");
  EXPECT_THAT(Paths(found, Kind::kMigratable), ElementsAre("a.py"));
  EXPECT_EQ(found.ignored_files, 1u);
}

TEST(FindProjectFiles, NeverIgnoresWhatGitTracks) {
  const TempFolder folder;
  folder.Git("init -q");
  folder.Write("gen/deep/kept.py");
  folder.Write("env/pyvenv.cfg");
  folder.Write("env/site.py");
  folder.Write("mine.py");
  folder.Git("add gen/deep/kept.py env/site.py mine.py");
  folder.Write(".gitignore", "gen/\n*.py\n");
  folder.Write("gen/deep/other.py");
  folder.Write("gen/more/other.py");
  folder.Write("gen/other.py");
  const ProjectFiles found = Found(folder.path());
  EXPECT_THAT(Paths(found, Kind::kMigratable),
              ElementsAre("env/site.py", "gen/deep/kept.py", "mine.py"));
  EXPECT_EQ(found.ignored_files, 3u);  // two of gen/, and pyvenv.cfg
  EXPECT_THAT(found.ignored_folders, ElementsAre(".git/", "gen/more/"));
  const ProjectFiles below = Found(folder / "gen");
  EXPECT_THAT(Paths(below, Kind::kMigratable),
              ElementsAre("deep/kept.py", "deep/other.py", "more/other.py", "other.py"));
}

TEST(FindProjectFiles, GivesASubmoduleItsOwnRules) {
  const TempFolder folder;
  folder.Write("lib/kept.py");
  folder.Write("lib/gen.py");
  folder.Git("init -q", "lib");
  folder.Git("add kept.py", "lib");
  folder.Git("commit -q -m x", "lib");
  folder.Write("lib/.gitignore", "*.py\n");
  folder.Git("init -q");
  folder.Git("submodule add -q ./lib third_party/lib");
  folder.Write(".gitignore", "third_party/\nlib/\n*.txt\n");
  folder.Write("third_party/lib/.gitignore", "*.py\n");
  folder.Write("third_party/lib/gen.py");
  folder.Write("third_party/lib/a.txt");
  const ProjectFiles found = Found(folder.path());
  EXPECT_THAT(Paths(found, Kind::kMigratable), ElementsAre("third_party/lib/kept.py"));
  EXPECT_THAT(Paths(found, Kind::kOther),
              ElementsAre(".gitignore", ".gitmodules", "third_party/lib/.gitignore",
                          "third_party/lib/a.txt"));
}

TEST(FindProjectFiles, DoesNotDependOnTheSettingsOfTheUser) {
  const TempFolder folder;
  folder.Write("home/.gitconfig", "[core]\n\texcludesfile = ~/names\n[broken\n");
  folder.Write("home/names", "*.py\n");
  folder.Write("home/.config/git/ignore", "*.py\n");
  folder.Write("project/a.py");
  folder.Git("init -q", "project");
  EXPECT_EQ(InChild([&] {
              setenv("HOME", (folder / "home").c_str(), 1);
              setenv("XDG_CONFIG_HOME", (folder / "home/.config").c_str(), 1);
              return std::to_string(Paths(Found(folder / "project"), Kind::kMigratable).size());
            }),
            "1");
}

TEST(FindProjectFiles, ReadsARepositoryOfAnotherUser) {
  const TempFolder folder;
  folder.Git("init -q");
  folder.Write(".gitignore", "*.py\n");
  folder.Write("a.py");
  folder.Git("add -f a.py");
  std::filesystem::permissions(folder / ".git/index", std::filesystem::perms(0644));
  EXPECT_EQ(AsOrdinaryUser([&] {
              const ProjectFiles found = Found(folder.path());
              return std::to_string(found.entries.size()) + std::to_string(found.notes.size());
            }),
            "20");
}

TEST(FindProjectFiles, SaysWhenItCannotReadWhatGitTracks) {
  const TempFolder folder;
  folder.Git("init -q");
  folder.Write(".git/index", "not an index");
  folder.Write("a.py");
  const ProjectFiles found = Found(folder.path());
  EXPECT_THAT(Paths(found, Kind::kMigratable), ElementsAre("a.py"));
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_THAT(found.notes[0].en, HasSubstr("files that git tracks cannot be read"));
}

TEST(FindProjectFiles, CopiesIgnoredFilesOnlyWithAllAndNeverMigratesThem) {
  const TempFolder folder;
  folder.Write(".gitignore", "gen/\n*.log\n");
  folder.Write("gen/a.py");
  folder.Write("a.log");
  folder.Write("env/pyvenv.cfg");
  folder.Write("env/lib/b.py");
  folder.Write("main.py");
  const ProjectFiles all = Found(folder.path(), {.copy = CopyMode::kAll});
  EXPECT_THAT(Paths(all, Kind::kMigratable), ElementsAre("main.py"));
  EXPECT_THAT(Paths(all, Kind::kOther),
              ElementsAre(".gitignore", "a.log", "env/lib/b.py", "env/pyvenv.cfg", "gen/a.py"));
  EXPECT_EQ(all.ignored_files, 0u);
  const ProjectFiles changed = Found(folder.path(), {.copy = CopyMode::kChanged});
  EXPECT_THAT(Paths(changed, Kind::kOther), ElementsAre(".gitignore"));
  EXPECT_EQ(changed.ignored_files, 1u);
  EXPECT_THAT(changed.ignored_folders, ElementsAre("env/", "gen/"));
}

TEST(FindProjectFiles, MigratesOnlyWhatIsIncludedAndNotExcluded) {
  const TempFolder folder;
  for (const char* name : {"src/a.py", "src/gen/b.py", "tests/c.py", "d.py"}) folder.Write(name);
  const auto migrated = [&folder](FileSelection selection) {
    const ProjectFiles found = Found(folder.path(), selection);
    EXPECT_EQ(found.entries.size(), 4u) << "the rest is copied";
    return Paths(found, Kind::kMigratable);
  };
  EXPECT_THAT(migrated({.include = {"src/"}}), ElementsAre("src/a.py", "src/gen/b.py"));
  EXPECT_THAT(migrated({.exclude = {"tests", "/d.py"}}), ElementsAre("src/a.py", "src/gen/b.py"));
  EXPECT_THAT(migrated({.include = {"src/"}, .exclude = {"gen/"}}), ElementsAre("src/a.py"));
  EXPECT_THAT(migrated({.exclude = {"*.py", "!src/**"}}), ElementsAre("src/a.py", "src/gen/b.py"));
  EXPECT_THAT(migrated({.exclude = {"src/", "!src/a.py"}}),
              ElementsAre("d.py", "src/a.py", "tests/c.py"));
  EXPECT_THAT(migrated({.include = {"!tests/"}}), ElementsAre("d.py", "src/a.py", "src/gen/b.py"));
  EXPECT_THAT(migrated({.include = {"./d.py"}}), ElementsAre("d.py"));
}

TEST(FindProjectFiles, RefusesAPatternThatCannotMatch) {
  const TempFolder folder;
  const auto unclosed = FindProjectFiles(folder.path(), {.exclude = {"ok", "[ab"}});
  ASSERT_FALSE(unclosed);
  EXPECT_EQ(unclosed.error().code, Error::Code::kUsage);
  EXPECT_EQ(unclosed.error().where, "--exclude");
  EXPECT_THAT(unclosed.error().what.en, HasSubstr("\"[ab\" is not a pattern"));
  const auto empty = FindProjectFiles(folder.path(), {.include = {""}});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().where, "--include");
}

}  // namespace
}  // namespace transplt
