// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "transplt/analysis/analysis_report.h"
#include "transplt/analysis/effort.h"
#include "transplt/analysis/operators.h"
#include "transplt/base/plain_text.h"
#include "transplt/commands/commands.h"
#include "transplt/commands/terminal.h"
#include "transplt/migrate/migration.h"
#include "transplt/migrate/torch_platform.h"
#include "transplt/project/output_tree.h"
#include "transplt/report/wording.h"

namespace transplt {
namespace {

/// The mode that the effort is estimated with.
constexpr std::string_view kTorchApis = "torch_apis";

struct AnalyzeArguments {
  AnalysisOptions analysis;
  std::string mode{kTorchApis};
  std::string operators;
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

/// Copies the project to `output` with what `copy` changes and adds.
Result<Done> WriteCopy(const ProjectFiles& files, const ProjectCopy& copy, OutputTree& output) {
  for (const std::string& folder : files.folders) {
    if (auto done = output.MakeFolder(folder); !done) return done;
  }
  for (const ProjectEntry& entry : files.entries) {
    if (entry.kind == ProjectEntry::Kind::kSkipped) continue;
    const auto changed = copy.changed.find(entry.path);
    Result<Done> done = changed == copy.changed.end()
                            ? output.Copy(entry)
                            : output.Write(entry.path, changed->second, entry.mode);
    // What cannot be read is not in the copy, as it is not in that of a migration.
    if (!done && done.error().code != Error::Code::kBadInput) return done;
  }
  for (const ResultFile& file : copy.added) {
    if (auto done = output.Write(file.path, file.bytes, std::nullopt); !done) return done;
  }
  return Done();
}

/// Writes the files of all modes to OUT/`folder`; their names, as the user would type them, go to
/// `written`, what is to be said about earlier results to `notes`.
std::optional<Error> WriteAnalysis(const AnalysisResult& analysis, const std::string& folder,
                                   const AnalyzeArguments& arguments,
                                   std::vector<std::string>* written, std::vector<Text>* notes) {
  Result<OutputTree> output =
      OutputTree::Create(arguments.output, folder, analysis.input, arguments.force);
  if (!output) return output.error();
  const auto write = [&](const std::string& name, std::string_view bytes) -> Result<Done> {
    written->push_back(output->path() + "/" + name);
    return output->Write(name, bytes, std::nullopt);
  };
  for (const AnalysisSection& section : analysis.sections) {
    for (const ResultTable& table : section.result.tables) {
      if (const auto done = write(table.file, TableCsv(table)); !done) return done.error();
    }
    for (const ResultFile& file : section.result.files) {
      if (const auto done = write(file.path, file.bytes); !done) return done.error();
    }
    if (section.result.copy && analysis.project != nullptr) {
      const Result<Done> done = WriteCopy(analysis.project->files(), *section.result.copy, *output);
      if (!done) return done.error();
      written->push_back(output->path() + "/");
    }
  }
  const Result<Done> done = output->Commit();
  if (!done) return done.error();
  *notes = output->Notes();
  return std::nullopt;
}

int ReportAnalysis(const AnalysisResult& analysis, const std::string& folder,
                   const AnalyzeArguments& arguments, Language language) {
  if (!arguments.output.empty()) {
    std::vector<std::string> written;
    std::vector<Text> notes;
    if (const auto error = WriteAnalysis(analysis, folder, arguments, &written, &notes)) {
      return Complain(*error, language);
    }
    for (const Text& note : notes) PrintErr("transplt: " + note.In(language) + "\n");
    for (const std::string& path : written) {
      PrintErr(Say("written: {}\n", "已写出: {}\n", OneLine(path)).In(language));
    }
  }
  PrintOut(arguments.format == "json" ? AnalysisJson(analysis) : AnalysisPage(analysis, language));
  const bool is_complete = analysis.project == nullptr || analysis.project->unread().empty();
  return is_complete ? kExitDone : kExitNeedsPerson;
}

int AnalyzeOperators(const AnalyzeArguments& arguments, Language language) {
  std::ifstream file(arguments.operators, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) {
    return Complain(
        Error{Error::Code::kBadInput, arguments.operators, Say("cannot be read", "无法读取")},
        language);
  }
  const auto operators = ReadOperators(arguments.operators, text.str());
  if (!operators) return Complain(operators.error(), language);
  const Result<TorchPlatform> platform =
      ChoosePlatform(arguments.analysis.torch_version, arguments.analysis.torch_npu);
  if (!platform) return Complain(platform.error(), language);
  AnalysisResult analysis{arguments.operators, platform->torch, platform->torch_npu, nullptr, {}};
  analysis.sections.push_back(
      {"operators", Say("Operators that were run", "运行过的算子"), GradeOperators(*operators)});
  const std::string name = std::filesystem::path(arguments.operators).stem().string();
  return ReportAnalysis(analysis, name + "_analysis", arguments, language);
}

/// The versions of torch and torch_npu that a migration assumes, too.
Result<AssumedPlatform> VersionsFor(const AnalysisOptions& options) {
  const Result<ProjectFiles> files = FindProjectFiles(options.input, options.files);
  if (!files) return files.error();
  const Result<std::string> text = ReadPolicyText(*files);
  if (!text) return text.error();
  const Result<Policy> policy = ParsePolicy(*text);
  if (!policy) return policy.error();
  return AssumePlatform(PinsOf(*files), *policy, options.torch_version, options.torch_npu);
}

/// Migrates without writing anything, to count what a migration would do.
Result<RunResult> TryMigration(const AnalysisOptions& analysis) {
  MigrationOptions options;
  options.input = analysis.input;
  options.files = analysis.files;
  options.torch_version = analysis.torch_version;
  options.torch_npu = analysis.torch_npu;
  options.jobs = analysis.jobs;
  Result<MigrationResult> result = Migrate(options);
  if (!result) return result.error();
  return std::move(result->run);
}

int RunAnalyze(const AnalyzeArguments& arguments, Language language) {
  if (arguments.operators.empty() == arguments.analysis.input.empty()) {
    return Complain(Say("give either INPUT or --ops FILE", "请给出 INPUT 或 --ops FILE 之一"),
                    language);
  }
  if (!arguments.operators.empty()) return AnalyzeOperators(arguments, language);
  AnalysisOptions options = arguments.analysis;
  options.copies = arguments.mode == "dynamic_shape" && !arguments.output.empty();
  options.files.output = arguments.output;
  const auto versions = VersionsFor(options);
  if (!versions) return Complain(versions.error(), language);
  options.torch_version = versions->platform.torch;
  options.torch_npu = versions->platform.torch_npu;
  const auto project = AnalyzedProject::Open(options);
  if (!project) return Complain(project.error(), language);
  if (arguments.format == "text") {
    const Text assumed = AssumedVersions(versions->platform.torch, versions->platform.torch_npu,
                                         versions->platform.cann, versions->chosen_by);
    PrintErr("transplt: " + assumed.In(language) + "\n");
  }
  AnalysisResult analysis{
      arguments.analysis.input, options.torch_version, options.torch_npu, project->get(), {}};
  for (const Mode& mode : Modes()) {
    if (arguments.mode != "all" && arguments.mode != mode.name) continue;
    Result<ModeResult> result = mode.run(**project);
    if (!result) return Complain(result.error(), language);
    if (mode.name == kTorchApis) {
      const Result<RunResult> migration = TryMigration(options);
      if (!migration) return Complain(migration.error(), language);
      analysis.sections.push_back(
          {"effort", Say("Effort", "工作量"), EffortOf(*migration, **project, *result)});
    }
    analysis.sections.push_back({std::string(mode.name), mode.title, *std::move(result)});
  }
  return ReportAnalysis(analysis, (*project)->files().name + "_analysis", arguments, language);
}

}  // namespace

void AddAnalyzeCommand(CommandLine line) {
  auto arguments = std::make_shared<AnalyzeArguments>();
  CLI::App* app =
      line.app.add_subcommand("analyze", "what a project uses that an NPU may not have");
  app->add_option("INPUT", arguments->analysis.input, "a file or a folder");
  app->add_option("--ops", arguments->operators,
                  "instead of INPUT: grade the operators in a table of the profiler, or in a list")
      ->type_name("FILE");
  app->add_option("--mode", arguments->mode, "what to look for")
      ->check(CLI::IsMember(ModeNames()))
      ->capture_default_str();
  app->add_option("-o,--output", arguments->output, "write the lists to OUT/<name>_analysis")
      ->type_name("OUT");
  app->add_option("--format", arguments->format, "how the result is printed to stdout")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app->add_option("--api-files", arguments->analysis.api_files,
                  "full_unsupported_results.csv of a library: its APIs count as unsupported; may "
                  "be repeated (-api)")
      ->type_name("CSV")
      ->allow_extra_args(false);
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
                  "the version on the NPU machine; without it what the project pins, else the "
                  "newest that has a torch_npu");
  app->add_option("--torch-npu", arguments->analysis.torch_npu, "the release of torch_npu there")
      ->type_name("RELEASE");
  app->callback([line, arguments] {
    line.run = [line, arguments] { return RunAnalyze(*arguments, ChooseLanguage(line.language)); };
  });
}

}  // namespace transplt
