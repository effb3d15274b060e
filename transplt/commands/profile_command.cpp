// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>

#include "transplt/commands/commands.h"
#include "transplt/commands/output_file.h"
#include "transplt/commands/terminal.h"
#include "transplt/profile/profile.h"
#include "transplt/profile/profile_report.h"

namespace transplt {
namespace {

struct ProfileArguments {
  std::vector<std::string> paths;
  size_t top = 5;
  bool json = false;
  std::string html;
  bool force = false;
};

/// The files of `paths`; of a folder, those that profilers write, in the order of their paths.
Result<std::vector<std::string>> ProfileFilesOf(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const size_t before = files.size();
    for (fs::recursive_directory_iterator at(path, error), end; !error && at != end;
         at.increment(error)) {
      if (at->is_regular_file(error) &&
          BottleneckTable::Builtin().IsProfileFile(at->path().filename().string())) {
        files.push_back(at->path().string());
      }
    }
    if (error) {
      return Error{Error::Code::kIo, path,
                   Say("cannot be read: {}", "无法读取：{}", error.message())};
    }
    if (files.size() == before) {
      return Error{Error::Code::kUsage, path,
                   Say("holds no file that a profiler or a host log would write; name the file "
                       "itself",
                       "没有 profiler 或 host 日志产生的文件；请直接给出文件名")};
    }
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
  }
  return files;
}

int RunProfile(const ProfileArguments& arguments, Language language) {
  const Result<std::vector<std::string>> files = ProfileFilesOf(arguments.paths);
  if (!files) return Complain(files.error(), language);
  std::vector<Profile> profiles;
  bool is_whole = true;
  for (const std::string& file : *files) {
    Result<Profile> profile = ReadProfile(file);
    if (!profile) {
      is_whole = false;
      PrintErr(Say("transplt: {}: {}\n", "transplt: {}：{}\n", profile.error().where,
                   profile.error().what.In(language))
                   .In(language));
      continue;
    }
    is_whole = is_whole && !profile->is_cut;
    profiles.push_back(*std::move(profile));
  }
  if (profiles.empty()) return kExitUsage;
  if (arguments.json) {
    PrintOut(ProfilesJson(profiles));
  } else {
    for (const Profile& profile : profiles) {
      PrintOut(ProfileText(profile, arguments.top, language));
    }
  }
  if (!arguments.html.empty()) {
    const Result<Done> written = WriteOutputFile(
        arguments.html, ProfilesHtml(profiles, arguments.top, language), arguments.force, 0644);
    if (!written) return Complain(written.error(), language);
  }
  return is_whole ? kExitDone : kExitNeedsPerson;
}

}  // namespace

void AddProfileCommand(CommandLine line) {
  auto arguments = std::make_shared<ProfileArguments>();
  CLI::App* app =
      line.app.add_subcommand("profile", "where the time of a training goes, and what to do");
  app->add_option("paths", arguments->paths,
                  "traces in JSON (export_chrome_trace, trace_view.json), kernel_details.csv, "
                  "op_summary.csv, printed tables of a profiler, host logs (plog); of a folder, "
                  "those in it")
      ->required()
      ->type_name("FILE");
  app->add_option("--top", arguments->top, "how many bottlenecks of a file are shown")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app->add_flag("--json", arguments->json, "all bottlenecks, as JSON");
  app->add_option("--html", arguments->html, "also write a page about them")->type_name("FILE");
  app->add_flag("--force", arguments->force, "replace an existing page");
  app->callback([line, arguments] {
    line.run = [line, arguments] { return RunProfile(*arguments, ChooseLanguage(line.language)); };
  });
}

}  // namespace transplt
