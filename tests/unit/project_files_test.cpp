// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/project_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <map>

#include "tests/unit/project_fixture.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = ProjectEntry::Kind;

TEST(FindProjectFiles, MigratesPythonAndCopiesTheRest) {
  const TempFolder folder;
  folder.Write("b/main.py", "x = 1\n", 0755);
  folder.Write("a.txt", "four");
  folder.MakeFolder("logs");
  const ProjectFiles found = Found(folder.path());
  EXPECT_THAT(Paths(found, Kind::kMigratable), ElementsAre("b/main.py"));
  EXPECT_THAT(Paths(found, Kind::kOther), ElementsAre("a.txt"));
  EXPECT_THAT(found.folders, ElementsAre("b", "logs"));
  EXPECT_EQ(At(found, "b/main.py").mode, 0755u);
  EXPECT_EQ(At(found, "a.txt").size, 4u);
  EXPECT_EQ(found.root, folder.path());
}

TEST(ReadProjectFile, RefusesAPathThatIsNoFileOfTheProject) {
  const TempFolder folder;
  folder.Write("b.py", "x = 1\n");
  const ProjectFiles found = Found(folder.path());
  const Result<std::string> text = ReadProjectFile(found, "b.py");
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "x = 1\n");
  EXPECT_FALSE(ReadProjectFile(found, "a.py"));  // before the only one
  EXPECT_FALSE(ReadProjectFile(found, "c.py"));  // behind it
  EXPECT_EQ(FindEntry(found, "a.py"), nullptr);
}

TEST(FindProjectFiles, IsNamedAfterTheFolderHoweverItIsWritten) {
  const TempFolder folder;
  folder.Write("网络 v1.0/sub/a.py");
  const std::string project = folder / "网络 v1.0";
  folder.Link("网络 v1.0", "alias");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(project);
  EXPECT_EQ(Found(project).name, "网络 v1.0");
  EXPECT_EQ(Found(project + "//").name, "网络 v1.0");
  EXPECT_EQ(Found(".").name, "网络 v1.0");
  EXPECT_EQ(Found("./").name, "网络 v1.0");
  EXPECT_EQ(Found("sub/..").name, "网络 v1.0");
  EXPECT_EQ(Found("sub").name, "sub");
  EXPECT_EQ(Found(folder / "alias").name, "alias");
  EXPECT_EQ(Found(folder / "alias").root, project);
  std::filesystem::current_path(before);
}

TEST(FindProjectFiles, TakesOneFileAndItsStem) {
  const TempFolder folder;
  folder.Write("train.v2.py");
  folder.Write("other.py");
  folder.Write(".gitignore", "*\n");
  const ProjectFiles found = Found(folder / "train.v2.py");
  EXPECT_TRUE(found.is_file);
  EXPECT_EQ(found.name, "train.v2");
  EXPECT_EQ(found.root, folder.path());
  EXPECT_THAT(Paths(found, Kind::kMigratable), ElementsAre("train.v2.py"));
  EXPECT_EQ(found.entries.size(), 1u);
}

TEST(FindProjectFiles, RefusesWhatIsMissingOrNeitherFileNorFolder) {
  const TempFolder folder;
  const auto missing = FindProjectFiles(folder / "nothing", {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Error::Code::kUsage);
  EXPECT_EQ(missing.error().where, folder / "nothing");
  EXPECT_THAT(missing.error().what.en, HasSubstr("no such file or folder; check the path"));
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  const auto pipe = FindProjectFiles(folder / "pipe", {});
  ASSERT_FALSE(pipe);
  EXPECT_THAT(pipe.error().what.en, HasSubstr("neither a file nor a folder"));
  EXPECT_FALSE(FindProjectFiles("/", {}));
}

TEST(FindProjectFiles, LeavesOutTheReportsOfAnEarlierRun) {
  const TempFolder folder;
  for (const char* name :
       {"change_list.csv", "unsupported_op.xlsx", "msFmkTranspltlog.txt", "NEXT.md"}) {
    folder.Write(name);
  }
  folder.Write("data/change_list.csv");
  EXPECT_THAT(Paths(Found(folder.path()), Kind::kOther), ElementsAre("data/change_list.csv"));
}

TEST(FindProjectFiles, LeavesOutTheReportsOfAVersionThatHadThree) {
  const TempFolder folder;
  for (const char* name : {"change_list.csv", "unsupported_op.xlsx", "msFmkTranspltlog.txt"}) {
    folder.Write(name);
  }
  EXPECT_THAT(Paths(Found(folder.path()), Kind::kOther), ElementsAre());
}

TEST(FindProjectFiles, SkipsAFileOfTheProjectThatAReportWouldOverwrite) {
  const TempFolder folder;
  const TempFolder output;
  folder.Write("change_list.csv");
  EXPECT_EQ(At(Found(folder.path()), "change_list.csv").kind, Kind::kOther);
  const ProjectFiles found = Found(folder.path(), {.output = output.path()});
  EXPECT_EQ(At(found, "change_list.csv").kind, Kind::kSkipped);
  EXPECT_THAT(At(found, "change_list.csv").reason.en, HasSubstr("rename the file"));
}

TEST(FindProjectFiles, NeverWalksTheOutputFolder) {
  const TempFolder folder;
  folder.Write("a.py");
  folder.Write("out/a_msft/a.py");
  const ProjectFiles found = Found(folder.path(), {.output = folder / "out"});
  EXPECT_THAT(Paths(found, Kind::kMigratable), ElementsAre("a.py"));
  EXPECT_THAT(found.ignored_folders, ElementsAre("out/"));
}

TEST(FindProjectFiles, KeepsALinkThatStaysInside) {
  const TempFolder folder;
  folder.Write("p/src/net.py");
  folder.Link("src/net.py", "p/net.py");
  folder.Link("../src", "p/lib/code");
  folder.Link(".", "p/self");
  const ProjectFiles found = Found(folder / "p");
  EXPECT_THAT(Paths(found, Kind::kLink), ElementsAre("lib/code", "net.py", "self"));
  EXPECT_EQ(At(found, "net.py").link_target, "src/net.py");
  EXPECT_EQ(At(found, "lib/code").link_target, "../src");
}

TEST(FindProjectFiles, TurnsALinkThatGoesAroundTheOutsideIntoOneInside) {
  const TempFolder folder;
  folder.Write("p/src/net.py");
  folder.Link(folder / "p/src/net.py", "p/a/absolute.py");
  folder.Link("../../p/src", "p/a/around");
  const ProjectFiles found = Found(folder / "p");
  EXPECT_EQ(At(found, "a/absolute.py").link_target, "../src/net.py");
  EXPECT_EQ(At(found, "a/around").link_target, "../src");
}

TEST(FindProjectFiles, SkipsLinksThatLeadOutOrNowhere) {
  const TempFolder folder;
  folder.Write("secret.py");
  folder.Write("project2/a.py");
  folder.Link("../secret.py", "project/out.py");
  folder.Link("../project2", "project/neighbour");
  folder.Link("gone.py", "project/dangling.py");
  folder.Link("loop_b", "project/loop_a");
  folder.Link("loop_a", "project/loop_b");
  const ProjectFiles found = Found(folder / "project");
  EXPECT_THAT(Paths(found, Kind::kSkipped),
              ElementsAre("dangling.py", "loop_a", "loop_b", "neighbour", "out.py"));
  EXPECT_THAT(At(found, "out.py").reason.en,
              HasSubstr("leads out of the input, to \"../secret.py\""));
  EXPECT_THAT(At(found, "neighbour").reason.en, HasSubstr("leads out of the input"));
  EXPECT_THAT(At(found, "dangling.py").reason.en, HasSubstr("\"gone.py\", which does not exist"));
  EXPECT_THAT(At(found, "loop_a").reason.en, HasSubstr("in a circle"));
  EXPECT_THAT(At(found, "loop_a").reason.zh, HasSubstr("循环"));
}

TEST(FindProjectFiles, SkipsPipesAndSockets) {
  const TempFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe.py").c_str(), 0600), 0);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  (folder / "sock").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const ProjectFiles found = Found(folder.path());
  close(listener);
  EXPECT_THAT(At(found, "pipe.py").reason.en, HasSubstr("pipe"));
  EXPECT_THAT(At(found, "sock").reason.en, HasSubstr("socket"));
  EXPECT_THAT(Paths(found, Kind::kSkipped), ElementsAre("pipe.py", "sock"));
}

TEST(FindProjectFiles, SkipsWhatItMayNotRead) {
  const TempFolder folder;
  folder.Write("project/secret.py", "x\n", 0000);
  folder.Write("project/open.py");
  folder.Write("project/closed/a.py");
  chmod((folder / "project/closed").c_str(), 0000);
  const std::string answer = AsOrdinaryUser([&] {
    const ProjectFiles found = Found(folder / "project");
    std::string text;
    for (const ProjectEntry& entry : found.entries) {
      text += entry.path + "=" + entry.reason.en.substr(0, 17) + ";";
    }
    return text;
  });
  chmod((folder / "project/closed").c_str(), 0755);
  EXPECT_EQ(answer, "closed=permission denied;open.py=;secret.py=permission denied;");
}

TEST(FindProjectFiles, SaysThatTheInputCannotBeRead) {
  const TempFolder folder;
  folder.Write("project/a.py");
  folder.Write("b.py", "x\n", 0000);
  chmod((folder / "project").c_str(), 0000);
  const std::string answer = AsOrdinaryUser([&] {
    std::string text;
    for (const char* name : {"project", "b.py"}) {
      const auto found = FindProjectFiles(folder / name, {});
      const bool io = !found && found.error().code == Error::Code::kIo;
      text += io ? found.error().what.en + ";" : "read;";
    }
    return text;
  });
  chmod((folder / "project").c_str(), 0755);
  const std::string denied =
      "cannot read the input: permission denied; check the permissions of the file and of its "
      "folders;";
  EXPECT_EQ(answer, denied + denied);
}

TEST(FindProjectFiles, KnowsScriptsOfPythonByTheirFirstLine) {
  const TempFolder folder;
  const auto write = [&](const std::string& name, const std::string& text, mode_t mode) {
    folder.Write("p/" + name, text);
    chmod((folder / ("p/" + name)).c_str(), mode);
  };
  write("train", "#!/usr/bin/env python3\nimport torch\n", 0755);
  write("plain", "#!/usr/bin/python\n", 0700);
  write("installed", "#!/usr/bin/env python3\n", 0644);
  write("shell", "#!/bin/sh\npython train\n", 0755);
  write("tool.bin", "#!/usr/bin/env python3\n", 0755);
  write("empty", "", 0755);
  EXPECT_THAT(Paths(Found(folder / "p"), Kind::kMigratable),
              ElementsAre("installed", "plain", "train"));
  EXPECT_THAT(Paths(Found(folder / "p/train"), Kind::kMigratable), ElementsAre("train"));
  EXPECT_THAT(Paths(Found(folder / "p/shell"), Kind::kMigratable), IsEmpty());
}

TEST(FindProjectFiles, TakesEveryNameThatTheFileSystemAllows) {
  const TempFolder folder;
  const std::vector<std::string> names = {
      "a b.py",      "训练.py",        "+()@=.py", "'\"`$;.py", "new\nline.py", "-r.py",
      "\xFF\xFE.py", "back\\slash.py", "#x.py",    "!y.py",     "[z].py",       "\x01.py"};
  for (const std::string& name : names) folder.Write("p/" + name + ".d/" + name);
  const ProjectFiles found = Found(folder / "p");
  std::vector<std::string> paths = Paths(found, Kind::kMigratable);
  EXPECT_EQ(paths.size(), names.size());
  for (const std::string& name : names) {
    const Result<std::string> bytes = ReadProjectFile(found, At(found, name + ".d/" + name));
    EXPECT_TRUE(bytes && *bytes == "x = 1\n") << name;
  }
}

TEST(FindProjectFiles, WalksTreesDeeperThanTheLongestPath) {
  const TempFolder folder;
  std::string path;
  int here = open(folder.path().c_str(), O_RDONLY | O_DIRECTORY);
  for (int depth = 0; depth < 2000; ++depth) {
    ASSERT_EQ(mkdirat(here, "folder", 0755), 0);
    const int next = openat(here, "folder", O_RDONLY | O_DIRECTORY);
    close(here);
    here = next;
    path += "folder/";
  }
  const int file = openat(here, "a.py", O_WRONLY | O_CREAT, 0644);
  ASSERT_EQ(write(file, "deep", 4), 4);
  close(file);
  close(here);
  const ProjectFiles found = Found(folder.path());
  EXPECT_THAT(Paths(found, Kind::kMigratable), ElementsAre(path + "a.py"));
  const Result<std::string> bytes = ReadProjectFile(found, At(found, path + "a.py"));
  ASSERT_TRUE(bytes) << bytes.error().what.en;
  EXPECT_EQ(*bytes, "deep");
  ASSERT_EQ(system(("rm -rf '" + folder.path() + "'").c_str()), 0);
}

TEST(FindProjectFiles, WritesNothingIntoTheInput) {
  const TempFolder folder;
  folder.Git("init -q");
  folder.Write(".gitignore", "*.log\n");
  folder.Write("sub/a.py");
  const auto snapshot = [&folder] {
    std::map<std::string, std::filesystem::file_time_type> times;
    times["."] = std::filesystem::last_write_time(folder.path());
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
      times[entry.path()] = entry.last_write_time();
    }
    return times;
  };
  const auto before = snapshot();
  Found(folder.path());
  EXPECT_EQ(snapshot(), before);
}

TEST(ReadProjectFile, SaysWhenTheFileHasGone) {
  const TempFolder folder;
  folder.Write("a.py");
  const ProjectFiles found = Found(folder.path());
  std::filesystem::remove(folder / "a.py");
  const Result<std::string> bytes = ReadProjectFile(found, At(found, "a.py"));
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, Error::Code::kBadInput);
  EXPECT_EQ(bytes.error().where, "a.py");
}

}  // namespace
}  // namespace transplt
