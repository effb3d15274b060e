// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/start_verdicts.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "transplt/programs/entry_points.h"
#include "transplt/programs/reachability.h"

namespace transplt {
namespace {

using Verdict = ProgramOutcome::Verdict;

/// What stops one program: the ids of causes.
struct Obstacles {
  std::set<std::string> certain;   ///< reached whenever the program starts
  std::set<std::string> possible;  ///< reached on some ways through it
};

ProgramOutcome OutcomeOf(const EntryPoint& entry, const Obstacles& obstacles) {
  ProgramOutcome outcome;
  outcome.path = entry.path;
  outcome.trains = entry.trains;
  const bool stops = !obstacles.certain.empty();
  const std::set<std::string>& causes = stops ? obstacles.certain : obstacles.possible;
  if (!causes.empty()) outcome.verdict = stops ? Verdict::kStops : Verdict::kUnknown;
  outcome.causes.assign(causes.begin(), causes.end());
  return outcome;
}

}  // namespace

struct StartVerdicts::Knowledge {
  Knowledge(const ProgramSources& sources, TrainingApis known)
      : apis(std::move(known)),
        code(ReadProgramCode(sources, apis)),
        graph(code.paths, code.files, apis),
        entries(FindEntryPoints(sources, code, graph, apis)),
        reachability(code, graph, entries) {}

  const TrainingApis apis;
  const ProgramCode code;
  const ProgramGraph graph;
  const EntryPoints entries;
  const Reachability reachability;
};

StartVerdicts::StartVerdicts(std::unique_ptr<const Knowledge> knowledge)
    : knowledge_(std::move(knowledge)) {}
StartVerdicts::StartVerdicts(StartVerdicts&& other) noexcept = default;
StartVerdicts::~StartVerdicts() = default;

Result<StartVerdicts> StartVerdicts::Of(const ProgramSources& sources) {
  Result<TrainingApis> apis = TrainingApis::Load();
  if (!apis) return apis.error();
  return StartVerdicts(std::make_unique<const Knowledge>(sources, *std::move(apis)));
}

void StartVerdicts::Judge(RunResult& run) const {
  const std::vector<EntryPoint>& entries = knowledge_->entries.candidates;
  std::vector<Obstacles> obstacles(entries.size());
  for (ChangeRecord& record : run.records) {
    if (record.applicability != Applicability::kDisplayOnly) continue;
    for (const ReachedBy& reached :
         knowledge_->reachability.ProgramsThatReach(record.file, record.start_line)) {
      record.programs.push_back(static_cast<uint32_t>(reached.program));
      if (record.severity > Severity::kStopsRun) continue;
      Obstacles& of_program = obstacles[reached.program];
      const bool is_certain = reached.how == ReachedBy::How::kAlways;
      (is_certain ? of_program.certain : of_program.possible).insert(record.cause);
    }
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    run.programs.push_back(OutcomeOf(entries[i], obstacles[i]));
  }
}

}  // namespace transplt
