// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/tensorflow_programs.h"

#include <algorithm>
#include <array>
#include <set>

#include "transplt/programs/code_units.h"
#include "transplt/programs/program_facts.h"

namespace transplt {
namespace {

using Mode = TensorflowMode;
using Sign = TensorflowSign;

/// How often each sign stands in the code of a program.
class Signs {
 public:
  void Count(const CodeUnit& unit) {
    for (const CodeFact& fact : unit.facts) {
      // What a condition guards is the choice of whoever starts the program.
      const bool is_switch = fact.sign == Sign::kSessionsSwitch || fact.sign == Sign::kEagerSwitch;
      const auto is_start = [](const std::string& read) { return read == "__name__"; };
      if (is_switch && !std::ranges::all_of(fact.conditions, is_start)) continue;
      ++counts_[static_cast<size_t>(fact.sign)];
    }
  }

  Mode Switched() const { return Either(Sign::kSessionsSwitch, Sign::kEagerSwitch); }
  /// What the program needs: names that TensorFlow 2 does not have come first.
  Mode Needed() const {
    const Mode only = Either(Sign::kOnlySessions, Sign::kNone);
    return only != Mode::kUnknown ? only
           : Of(Sign::kEager) > 0 ? Mode::kEager
                                  : Either(Sign::kSessions, Sign::kNone);
  }
  Mode Written() const { return Either(Sign::kWrittenFor1, Sign::kWrittenFor2); }

 private:
  size_t Of(Sign sign) const {
    return sign == Sign::kNone ? 0 : counts_[static_cast<size_t>(sign)];
  }
  Mode Either(Sign sessions, Sign eager) const {
    if ((Of(sessions) > 0) == (Of(eager) > 0)) return Mode::kUnknown;
    return Of(sessions) > 0 ? Mode::kSessions : Mode::kEager;
  }

  std::array<size_t, static_cast<size_t>(Sign::kWrittenFor2) + 1> counts_{};
};

/// What a program does whose main file has the signs `own`, and its other files `others`.
Mode ModeOf(const Signs& own, const Signs& others) {
  for (const Mode mode : {own.Switched(), others.Switched(), own.Needed(), others.Needed(),
                          own.Written(), others.Written()}) {
    if (mode != Mode::kUnknown) return mode;
  }
  return Mode::kUnknown;
}

const TrainingApis* KnownApis() {
  static const Result<TrainingApis> apis = TrainingApis::Load();
  return apis ? &*apis : nullptr;
}

bool TrainsTensorflow(const TrainingApi* api) {
  return api != nullptr && Trains(*api) && api->framework == Framework::kTensorflow;
}

/// True if the code itself trains, not only what it calls.
bool TrainsItself(const CodeUnit& unit, const TrainingApis& apis) {
  const auto trains = [&](const CodeFact& fact) { return TrainsTensorflow(fact.api); };
  return std::ranges::any_of(unit.facts, trains) ||
         std::ranges::any_of(unit.calls, [&](const MethodCall& call) {
           return std::ranges::any_of(call.makers, [&](const Origin& maker) {
             return maker.file.empty() &&
                    TrainsTensorflow(apis.FindMethod(maker.name, call.method));
           });
         });
}

}  // namespace

TensorflowPrograms::TensorflowPrograms(const ProjectPrograms& programs) {
  std::map<std::string, std::set<Mode>, std::less<>> modes;  // of the programs that run a file
  std::map<Mode, size_t> counts;
  for (const EntryPoint& entry : programs.entries.candidates) {
    Signs own;
    Signs others;
    std::set<std::string_view> files = {entry.path};
    for (const RunUnit& run : entry.runs) {
      const std::string& file = programs.graph.FileOf(run.unit);
      (file == entry.path ? own : others).Count(programs.graph.UnitAt(run.unit));
      files.insert(file);
    }
    const Mode mode = ModeOf(own, others);
    const bool trains = entry.trains && entry.framework == Framework::kTensorflow;
    if (mode != Mode::kUnknown) ++counts[mode];
    for (const std::string_view file : files) {
      if (mode != Mode::kUnknown) modes[std::string(file)].insert(mode);
      files_[std::string(file)].trains |= trains;
    }
  }
  if (!counts.empty()) {
    usual_ = counts[Mode::kSessions] > counts[Mode::kEager] ? Mode::kSessions : Mode::kEager;
  }
  for (auto& [file, use] : files_) {
    // Programs of both kinds share it: then its own code tells, if anything does.
    if (const auto found = modes.find(file); found != modes.end() && found->second.size() == 1) {
      use.mode = *found->second.begin();
    }
  }
}

TensorflowMode TensorflowPrograms::ModeOfProgram(std::string_view path) const {
  const auto found = files_.find(path);
  return found == files_.end() || found->second.mode == TensorflowMode::kUnknown
             ? usual_
             : found->second.mode;
}

bool TensorflowPrograms::MayRun(std::string_view path) const {
  return usual_ != TensorflowMode::kUnknown && files_.contains(path);
}

TensorflowUse TensorflowPrograms::Of(const CodeFile& file) const {
  const auto found = files_.find(file.source().path());
  if (found != files_.end() && found->second.mode != Mode::kUnknown) return found->second;
  TensorflowUse use = TensorflowUseOf(file);
  if (found != files_.end()) use.trains = found->second.trains;
  if (use.mode == Mode::kUnknown) use.mode = usual_;
  return use;
}

TensorflowUse TensorflowUseOf(const CodeFile& file) {
  TensorflowUse use;
  const TrainingApis* apis = KnownApis();
  if (apis == nullptr) return use;
  Signs signs;
  for (const CodeUnit& unit : UnitsOf(file, *apis).units) {
    signs.Count(unit);
    use.trains = use.trains || TrainsItself(unit, *apis);
  }
  use.mode = ModeOf(signs, {});
  return use;
}

}  // namespace transplt
