// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "transplt/analysis/analysis_report.h"
#include "transplt/commands/commands.h"
#include "transplt/commands/terminal.h"
#include "transplt/engine/rule_set.h"
#include "transplt/project/output_tree.h"

namespace transplt {
namespace {

struct Arguments {
  AnalysisOptions analysis;
  std::string output;
  bool force = false;
};

std::optional<Error> Write(const ProjectAnalysis& analysis, const Arguments& arguments,
                           std::string* path) {
  Result<OutputTree> output = OutputTree::Create(arguments.output, analysis.name + "_analysis",
                                                 arguments.analysis.input, arguments.force);
  if (!output) return output.error();
  for (const auto& [name, support] : {std::pair("unsupported_api.csv", Support::kUnsupported),
                                      std::pair("unknown_api.csv", Support::kUnknown),
                                      std::pair("limited_api.csv", Support::kLimited)}) {
    const Result<Done> done = output->Write(name, AnalysisCsv(analysis, support), std::nullopt);
    if (!done) return done.error();
  }
  const Result<Done> done = output->Commit();
  if (!done) return done.error();
  *path = output->path();
  return std::nullopt;
}

int RunAnalyze(const Arguments& arguments, Language language) {
  const Result<ProjectAnalysis> analysis = AnalyzeProject(arguments.analysis);
  if (!analysis) return Complain(analysis.error(), language);
  PrintOut(AnalysisPage(*analysis, language));
  if (!arguments.output.empty()) {
    std::string path;
    if (const auto error = Write(*analysis, arguments, &path)) return Complain(*error, language);
    PrintErr(Say("Reports: {0}/unsupported_api.csv, {0}/unknown_api.csv, {0}/limited_api.csv\n",
                 "报告: {0}/unsupported_api.csv, {0}/unknown_api.csv, {0}/limited_api.csv\n", path)
                 .In(language));
  }
  return analysis->unread.empty() ? kExitDone : kExitNeedsPerson;
}

}  // namespace

void AddAnalyzeCommand(CommandLine line) {
  auto arguments = std::make_shared<Arguments>();
  arguments->analysis.torch_version = kNewestTorch;
  CLI::App* app =
      line.app.add_subcommand("analyze", "what a project uses that an NPU may not have");
  app->add_option("INPUT", arguments->analysis.input, "a file or a folder")->required();
  app->add_option("-o,--output", arguments->output, "write the lists to OUT/<name>_analysis")
      ->type_name("OUT");
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
