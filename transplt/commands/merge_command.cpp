// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/merge_command.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

#include "transplt/base/pattern.h"
#include "transplt/batch/batch_report.h"
#include "transplt/commands/output_file.h"
#include "transplt/commands/terminal.h"
#include "transplt/project/file_error.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

struct MergeArguments {
  std::vector<std::string> results;
  std::string manifest;
  std::string folder;  ///< of --each
  std::string format = "text";
  std::string output;
  bool no_times = false;
  bool force = false;
};

/// The files; for a folder those that `transplt batch` has written there.
Result<std::vector<std::string>> ResultFilesOf(const std::vector<std::string>& paths) {
  static const Pattern kResultsName(R"(results(-\d+-of-\d+)?\.jsonl)");
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
      const std::string name = at->path().filename().string();
      if (kResultsName.Is(name)) found.push_back(at->path().string());
    }
    if (error) {
      return FileError(path, Say("cannot list the folder", "无法列出文件夹"), error.value(),
                       Error::Code::kUsage);
    }
    if (found.empty()) {
      return Error{Error::Code::kUsage, path,
                   Say("holds no results*.jsonl of transplt batch",
                       "不含 transplt batch 的 "
                       "results*.jsonl")};
    }
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

/// Gives `write` the report in its format, piece by piece.
Result<Done> MakeReport(const MergeArguments& arguments, const BatchReport& report,
                        const std::vector<std::string>& files, Language language,
                        const std::function<void(std::string_view)>& write) {
  if (arguments.format == "text") {
    write(BatchReportText(report, language));
    return Done();
  }
  if (arguments.format == "json") {
    write(BatchReportJson(report));
    return Done();
  }
  const bool is_csv = arguments.format == "csv";
  const bool with_times = !arguments.no_times;
  if (is_csv) write(ProjectCsvHeader(with_times));
  return ForEachRecord(report, files, [&](const RecordPlace& place, const std::string& line) {
    write(is_csv ? ProjectCsvRow(line, with_times) : AdaptedRecord(line, place.number, with_times));
  });
}

Result<Manifest> WantedProjects(const MergeArguments& arguments) {
  Manifest manifest = arguments.folder.empty() ? ReadManifest(arguments.manifest)
                                               : ManifestOfFolder(arguments.folder);
  if (!manifest.mistakes.empty()) return manifest.mistakes.front();
  return manifest;
}

int RunMerge(const MergeArguments& arguments, Language language) {
  const Result<std::vector<std::string>> files = ResultFilesOf(arguments.results);
  if (!files) return Complain(files.error(), language);
  Result<BatchReport> report = ReadBatchReport(*files, !arguments.no_times);
  if (!report) return Complain(report.error(), language);
  if (!arguments.manifest.empty() || !arguments.folder.empty()) {
    const Result<Manifest> manifest = WantedProjects(arguments);
    if (!manifest) return Complain(manifest.error(), language);
    CompareWithManifest(*report, *manifest);
  }
  std::string text;
  const bool is_file = !arguments.output.empty();
  const Result<Done> made =
      MakeReport(arguments, *report, *files, language, [&](std::string_view piece) {
        is_file ? static_cast<void>(text.append(piece)) : PrintOut(piece);
      });
  if (!made) return Complain(made.error(), language);
  if (is_file) {
    const Result<Done> done = WriteOutputFile(arguments.output, text, arguments.force, 0666);
    if (!done) return Complain(done.error(), language);
  }
  if (report->IsComplete()) return kExitDone;
  PrintErr(Say("transplt: {} projects of the manifest have no record, and {} records belong to no "
               "project of it\n",
               "transplt: 清单中有 {} 个项目没有记录, 有 {} 条记录不属于清单\n",
               report->missing.size(), report->unknown.size())
               .In(language));
  return kExitNeedsPerson;
}

}  // namespace

void AddMergeCommand(CLI::App* batch, CommandLine line) {
  auto arguments = std::make_shared<MergeArguments>();
  CLI::App* app = batch->add_subcommand("merge", "one report of the results of all parts");
  app->add_option("RESULTS", arguments->results,
                  "files of results, or the output folder of a batch with all of them")
      ->required();
  app->add_option("--manifest", arguments->manifest, "also say which of its projects are missing")
      ->type_name("MANIFEST");
  app->add_option("--each", arguments->folder, "the same for the projects in this folder")
      ->type_name("FOLDER")
      ->excludes("--manifest");
  app->add_option("--format", arguments->format,
                  "text, json: the report; csv: a row per project; records: all records, in the "
                  "order of the manifest")
      ->check(CLI::IsMember({"text", "json", "csv", "records"}))
      ->capture_default_str();
  app->add_option("-o,--output", arguments->output, "write this file; stdout if not given")
      ->type_name("FILE");
  app->add_flag("--force", arguments->force, "replace an existing file");
  app->add_flag("--no-times", arguments->no_times,
                "leave out what differs from run to run: time, memory");
  app->footer(
      "Exit codes: 0 done; 1 projects of the manifest have no record, or records no project; 2 "
      "wrong usage.");
  app->callback([line, arguments] {
    line.run = [line, arguments] { return RunMerge(*arguments, ChooseLanguage(line.language)); };
  });
}

}  // namespace transplt
