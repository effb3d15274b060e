// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>

#include "transplt/commands/commands.h"
#include "transplt/commands/not_negative.h"
#include "transplt/commands/terminal.h"
#include "transplt/compare/number_json.h"
#include "transplt/compare/training_log.h"

namespace transplt {
namespace {

using Json = nlohmann::ordered_json;

struct CompareRunsArguments {
  std::string a;
  std::string b;
  RunTolerance tolerance;
  bool json = false;
};

/// "step 3", with its epoch where steps begin again in each.
std::string StepText(const SeriesComparison& one, const LogStep& at) {
  return one.by_epoch ? fmt::format("step {}, epoch {}", at.step, at.epoch)
                      : fmt::format("step {}", at.step);
}

void PrintRunsJson(const RunComparison& runs) {
  Json series = Json::array();
  for (const SeriesComparison& one : runs.series) {
    Json row = {{"name", one.name},
                {"common_steps", one.common},
                {"only_a", one.only_a},
                {"only_b", one.only_b},
                {"max_relative", NumberJson(one.max_relative)},
                {"max_relative_step", one.max_step.step},
                {"mean_relative", NumberJson(one.mean_relative)},
                {"differs", one.differs}};
    if (one.differs) {
      row["first_step"] = one.first.step;
      row["first_a"] = NumberJson(one.first_a);
      row["first_b"] = NumberJson(one.first_b);
    }
    if (one.by_epoch) row["max_relative_epoch"] = one.max_step.epoch;
    if (one.by_epoch && one.differs) row["first_epoch"] = one.first.epoch;
    series.push_back(std::move(row));
  }
  const Json json = {{"agrees", runs.Agrees()},
                     {"series", series},
                     {"only_in_a", runs.only_a},
                     {"only_in_b", runs.only_b}};
  PrintOut(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void PrintRuns(const RunComparison& runs, Language language) {
  for (const SeriesComparison& one : runs.series) {
    PrintOut(Say("{}: {} steps in both, {} only in A, {} only in B; relative difference at most "
                 "{:.4g} ({}), {:.4g} on average\n",
                 "{}：共同 step {} 个，仅 A 有 {} 个，仅 B 有 {} 个；最大相对差 {:.4g}（{}），"
                 "平均 {:.4g}\n",
                 one.name, one.common, one.only_a, one.only_b, one.max_relative,
                 StepText(one, one.max_step), one.mean_relative)
                 .In(language));
    if (one.differs) {
      PrintOut(Say("  first difference at {}: {} in A, {} in B\n",
                   "  首个差异在 {}：A 为 {}，B 为 {}\n", StepText(one, one.first),
                   NumberText(one.first_a), NumberText(one.first_b))
                   .In(language));
    } else if (one.common == 0) {
      PrintOut(Say("  no step is in both\n", "  没有共同的 step\n").In(language));
    }
  }
  for (const std::string& name : runs.only_a) {
    PrintOut(Say("{}: only in A\n", "{}：仅 A 有\n", name).In(language));
  }
  for (const std::string& name : runs.only_b) {
    PrintOut(Say("{}: only in B\n", "{}：仅 B 有\n", name).In(language));
  }
}

int RunCompareRuns(const CompareRunsArguments& arguments, Language language) {
  const Result<TrainingLog> a = ReadTrainingLog(arguments.a);
  if (!a) return Complain(a.error(), language);
  const Result<TrainingLog> b = ReadTrainingLog(arguments.b);
  if (!b) return Complain(b.error(), language);
  const RunComparison runs = CompareRuns(*a, *b, arguments.tolerance);
  if (arguments.json) {
    PrintRunsJson(runs);
  } else {
    PrintRuns(runs, language);
  }
  return runs.Agrees() ? kExitDone : kExitNeedsPerson;
}

}  // namespace

void AddCompareRunsCommand(CommandLine line) {
  auto arguments = std::make_shared<CompareRunsArguments>();
  CLI::App* app = line.app.add_subcommand(
      "compare-runs", "losses and gradient norms in the logs of two trainings, step by step");
  app->add_option("A", arguments->a, "log of the tested training: text, JSON lines or CSV")
      ->required();
  app->add_option("B", arguments->b, "log of the golden training")->required();
  app->add_option("--rtol", arguments->tolerance.relative, "relative difference that is allowed")
      ->check(NotNegative())
      ->capture_default_str();
  app->add_option("--atol", arguments->tolerance.absolute, "absolute difference that is allowed")
      ->check(NotNegative())
      ->capture_default_str();
  app->add_flag("--json", arguments->json, "the result as JSON");
  app->callback([line, arguments] {
    line.run = [line, arguments] {
      return RunCompareRuns(*arguments, ChooseLanguage(line.language));
    };
  });
}

}  // namespace transplt
