// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/start_verdicts.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "transplt/base/cancelled.h"
#include "transplt/base/similar_name.h"
#include "transplt/migrate/policy.h"
#include "transplt/programs/entry_points.h"
#include "transplt/programs/reachability.h"

namespace transplt {
namespace {

using Verdict = ProgramOutcome::Verdict;

/// What stops one program: the ids of causes.
struct Obstacles {
  std::set<std::string> certain;                          ///< reached whenever the program starts
  std::set<std::string> possible;                         ///< reached on some ways through it
  std::map<std::string, std::set<std::string>> optional;  ///< reached with one of these settings
};

ProgramOutcome OutcomeOf(const EntryPoint& entry, const Obstacles& obstacles) {
  ProgramOutcome outcome;
  outcome.path = entry.path;
  outcome.trains = entry.trains;
  const auto& [certain, possible, optional] = obstacles;
  for (const auto& [cause, settings] : optional) {
    if (!certain.contains(cause) && !possible.contains(cause)) {
      outcome.optional.push_back({cause, settings});
    }
  }
  if (certain.empty()) {
    outcome.verdict = possible.empty() ? Verdict::kStarts : Verdict::kUnknown;
    outcome.causes.assign(possible.begin(), possible.end());
    return outcome;
  }
  outcome.verdict = Verdict::kStops;
  outcome.causes.assign(certain.begin(), certain.end());
  std::ranges::set_difference(possible, certain, std::back_inserter(outcome.further));
  return outcome;
}

std::vector<ReachedBy> WhoReaches(const Reachability& reachability, const ChangeRecord& record) {
  // Python reads a module as a whole: what is not valid stops it wherever it stands.
  const uint32_t line = record.operation == Operation::kUnparsed ? 0 : record.start_line;
  // A library that fails where it is used does no harm where it is imported.
  return record.severity == Severity::kStopsImport
             ? reachability.ProgramsThatReach(record.file, line)
             : reachability.ProgramsThatUse(record.file, line);
}

/// Those of the paths `wanted`, in their order.
Result<std::vector<EntryPoint>> Chosen(std::vector<EntryPoint> candidates,
                                       const std::vector<std::string>& wanted) {
  std::vector<EntryPoint> chosen;
  std::vector<std::string_view> known;
  for (const EntryPoint& entry : candidates) known.push_back(entry.path);
  for (const std::string& path : wanted) {
    const auto entry = std::ranges::find(candidates, path, &EntryPoint::path);
    if (entry == candidates.end()) {
      const Text remedy = SuggestName(path, known, {"there are", "项目中有"});
      return Error{Error::Code::kUsage, std::string(kPolicyFile),
                   Say("programs: \"{0}\" is no program of the project{1}",
                       "programs: \"{0}\" 不是项目中的程序{2}", path, remedy.en, remedy.zh)};
    }
    chosen.push_back(*entry);
  }
  return chosen;
}

}  // namespace

struct StartVerdicts::Knowledge : ProjectPrograms {
  using ProjectPrograms::ProjectPrograms;

  std::optional<Reachability> reachability;
};

StartVerdicts::StartVerdicts(std::unique_ptr<const Knowledge> knowledge)
    : knowledge_(std::move(knowledge)) {}
StartVerdicts::StartVerdicts(StartVerdicts&& other) noexcept = default;
StartVerdicts::~StartVerdicts() = default;

Result<StartVerdicts> StartVerdicts::Of(const ProgramSources& sources,
                                        const std::vector<std::string>& wanted) {
  Result<TrainingApis> apis = TrainingApis::Load();
  if (!apis) return apis.error();
  auto knowledge = std::make_unique<Knowledge>(sources, *std::move(apis));
  if (!wanted.empty()) {
    Result<std::vector<EntryPoint>> chosen =
        Chosen(std::move(knowledge->entries.candidates), wanted);
    if (!chosen) return chosen.error();
    knowledge->entries.candidates = *std::move(chosen);
  }
  knowledge->reachability.emplace(knowledge->code, knowledge->graph, knowledge->entries);
  if (IsCancelled(sources.index.cancelled())) return CancelledError();
  return StartVerdicts(std::move(knowledge));
}

const ProgramCode& StartVerdicts::code() const { return knowledge_->code; }

bool StartVerdicts::IsAlwaysReached(const ChangeRecord& record) const {
  return std::ranges::any_of(
      WhoReaches(*knowledge_->reachability, record),
      [](const ReachedBy& reached) { return reached.how == ReachedBy::How::kAlways; });
}

void StartVerdicts::Judge(RunResult& run) const {
  const std::vector<EntryPoint>& entries = knowledge_->entries.candidates;
  std::vector<Obstacles> obstacles(entries.size());
  for (ChangeRecord& record : run.records) {
    if (record.applicability != Applicability::kDisplayOnly) continue;
    std::set<std::string> all_settings;
    bool is_optional = true;
    for (const ReachedBy& reached : WhoReaches(*knowledge_->reachability, record)) {
      record.programs.push_back(static_cast<uint32_t>(reached.program));
      is_optional = is_optional && !reached.settings.empty();
      all_settings.insert(reached.settings.begin(), reached.settings.end());
      if (record.severity > Severity::kStopsRun) continue;
      Obstacles& of_program = obstacles[reached.program];
      if (!reached.settings.empty()) {
        of_program.optional[record.cause].insert(reached.settings.begin(), reached.settings.end());
        continue;
      }
      const bool is_certain = reached.how == ReachedBy::How::kAlways;
      (is_certain ? of_program.certain : of_program.possible).insert(record.cause);
    }
    if (is_optional) record.settings = std::move(all_settings);
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    run.programs.push_back(OutcomeOf(entries[i], obstacles[i]));
  }
}

}  // namespace transplt
