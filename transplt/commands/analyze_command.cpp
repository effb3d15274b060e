// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "transplt/analysis/analysis_report.h"
#include "transplt/commands/commands.h"
#include "transplt/commands/terminal.h"
#include "transplt/project/output_tree.h"
#include "transplt/report/plain_text.h"

namespace transplt {
namespace {

struct Arguments {
  AnalysisOptions analysis;
  std::string mode = "torch_apis";
  std::string output;
  std::string format = "text";
  bool force = false;
};

std::vector<std::string> ModeNames() {
  std::vector<std::string> names;
  for (const Mode& mode : Modes()) names.emplace_back(mode.name);
  names.emplace_back("all");
  return names;
}

/// Writes the files of all modes; their names, as the user would type them, go to `written`.
std::optional<Error> Write(const AnalysisResult& analysis, const Arguments& arguments,
                           std::vector<std::string>* written) {
  Result<OutputTree> output =
      OutputTree::Create(arguments.output, analysis.project.files().name + "_analysis",
                         arguments.analysis.input, arguments.force);
  if (!output) return output.error();
  const auto write = [&](const std::string& name, std::string_view bytes) -> Result<Done> {
    written->push_back(output->path() + "/" + name);
    return output->Write(name, bytes, std::nullopt);
  };
  for (const auto& [mode, result] : analysis.modes) {
    for (const ResultTable& table : result.tables) {
      if (const auto done = write(table.file, TableCsv(table)); !done) return done.error();
    }
    for (const ResultFile& file : result.files) {
      if (const auto done = write(file.path, file.bytes); !done) return done.error();
    }
  }
  const Result<Done> done = output->Commit();
  if (!done) return done.error();
  return std::nullopt;
}

int RunAnalyze(const Arguments& arguments, Language language) {
  const auto project = AnalyzedProject::Open(arguments.analysis);
  if (!project) return Complain(project.error(), language);
  AnalysisResult analysis{**project, {}};
  for (const Mode& mode : Modes()) {
    if (arguments.mode != "all" && arguments.mode != mode.name) continue;
    Result<ModeResult> result = mode.run(**project);
    if (!result) return Complain(result.error(), language);
    analysis.modes.emplace_back(&mode, *std::move(result));
  }
  if (!arguments.output.empty()) {
    std::vector<std::string> written;
    if (const auto error = Write(analysis, arguments, &written)) return Complain(*error, language);
    for (const std::string& path : written) {
      PrintErr(Say("written: {}\n", "已写出: {}\n", OneLine(path)).In(language));
    }
  }
  PrintOut(arguments.format == "json" ? AnalysisJson(analysis) : AnalysisPage(analysis, language));
  return (*project)->unread().empty() ? kExitDone : kExitNeedsPerson;
}

}  // namespace

void AddAnalyzeCommand(CommandLine line) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* app =
      line.app.add_subcommand("analyze", "what a project uses that an NPU may not have");
  app->add_option("INPUT", arguments->analysis.input, "a file or a folder")->required();
  app->add_option("--mode", arguments->mode, "what to look for")
      ->check(CLI::IsMember(ModeNames()))
      ->capture_default_str();
  app->add_option("-o,--output", arguments->output, "write the lists to OUT/<name>_analysis")
      ->type_name("OUT");
  app->add_option("--format", arguments->format, "how the result is printed to stdout")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app->add_flag("--force", arguments->force, "replace an existing result folder");
  app->add_option("--include", arguments->analysis.files.include, "look at these only")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app->add_option("--exclude", arguments->analysis.files.exclude, "do not look at these")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app->add_option("-j,--jobs", arguments->analysis.jobs, "threads; 0: one per processor")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app->add_option("--torch-version", arguments->analysis.torch_version,
                  "the version on the NPU machine")
      ->capture_default_str();
  app->callback([line, arguments] {
    line.run = [line, arguments] { return RunAnalyze(*arguments, ChooseLanguage(line.language)); };
  });
}

}  // namespace transplt
