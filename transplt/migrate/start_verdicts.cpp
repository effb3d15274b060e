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
#include "transplt/base/one_of.h"
#include "transplt/base/similar_name.h"
#include "transplt/base/source_file.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/argument_reader.h"
#include "transplt/migrate/policy.h"
#include "transplt/migrate/served_programs.h"
#include "transplt/programs/entry_points.h"
#include "transplt/programs/reachability.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/word_index.h"
#include "transplt/report/causes.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

using StartVerdict = ProgramOutcome::Verdict;

/// What stops one program: the ids of causes.
struct Obstacles {
  std::set<std::string> certain;              ///< reached whenever the program starts
  std::set<std::string> possible;             ///< reached on some ways through it
  std::map<std::string, ReachedBy> optional;  ///< reached with one of its settings
  std::set<std::string> unknown_packages;
};

ProgramOutcome OutcomeOf(const EntryPoint& entry, const Obstacles& obstacles) {
  ProgramOutcome outcome;
  outcome.path = entry.path;
  outcome.module = entry.module;
  outcome.working_folder = entry.working_folder;
  if (entry.start == StartStyle::kEnvironment) outcome.launcher = "torch.distributed.run";
  if (entry.start == StartStyle::kLocalRank) outcome.launcher = "torch.distributed.launch";
  outcome.trains = entry.trains;
  outcome.is_test = IsTest(entry);
  const auto& [certain, possible, optional, packages] = obstacles;
  outcome.unknown_packages.assign(packages.begin(), packages.end());
  for (const auto& [cause, way] : optional) {
    if (!certain.contains(cause) && !possible.contains(cause)) {
      outcome.optional.push_back({cause, way.settings});
    }
  }
  if (certain.empty()) {
    outcome.verdict = possible.empty() ? StartVerdict::kStarts : StartVerdict::kUnknown;
    outcome.causes.assign(possible.begin(), possible.end());
    return outcome;
  }
  outcome.verdict = StartVerdict::kStops;
  outcome.causes.assign(certain.begin(), certain.end());
  std::ranges::set_difference(possible, certain, std::back_inserter(outcome.further));
  return outcome;
}

bool IsUncertain(std::string_view cause) {
  const KnownCause* known = FindKnownCause(cause);
  return known != nullptr && known->is_uncertain;
}

std::vector<ReachedBy> WhoReaches(const Reachability& reachability, const ChangeRecord& record) {
  // Python reads a module as a whole: what is not valid stops it wherever it stands.
  const uint32_t line = record.rule_id == "syntax" ? 0 : record.start_line;
  // A library that fails where it is used does no harm where it is imported.
  std::vector<ReachedBy> ways =
      record.severity == Severity::kStopsImport || IsUncertain(record.cause)
          ? reachability.ProgramsThatReach(record.file, line)
          : reachability.ProgramsThatUse(record.file, line, record.column);
  // What fails there ends nothing.
  if (record.severity <= Severity::kStopsRun) std::erase_if(ways, &ReachedBy::forgiven);
  return ways;
}

/// Options of the project that take no value.
std::set<std::string> SwitchesOf(const ProgramCode& code) {
  std::set<std::string> switches;
  std::set<std::string> others;
  for (const FileUnits& file : code.files) {
    for (const CodeUnit& unit : file.units) {
      for (const EntryArgument& option : unit.arguments) {
        std::set<std::string>& names = option.takes_value ? others : switches;
        names.insert(option.name);
        names.insert(option.aliases.begin(), option.aliases.end());
      }
    }
  }
  std::erase_if(switches, [&](const std::string& name) { return others.contains(name); });
  return switches;
}

/// Of an option with many values, `--net a`, `--net b` ..., the option alone says as much. A switch
/// has none: `if args.deep: make("net")` is not opened by "--deep net".
std::set<std::string> Shortened(const std::set<std::string>& settings,
                                const std::set<std::string>& switches) {
  constexpr size_t kMostValues = 3;
  std::map<std::string, size_t> values;
  const auto option_of = [](const std::string& setting) {
    return setting.starts_with('-') ? setting.substr(0, setting.find(' ')) : setting;
  };
  for (const std::string& setting : settings) ++values[option_of(setting)];
  std::set<std::string> shortened;
  for (const std::string& setting : settings) {
    const std::string option = option_of(setting);
    const bool is_short =
        values[option] <= kMostValues && !settings.contains(option) && !switches.contains(option);
    shortened.insert(is_short ? setting : option);
  }
  return shortened;
}

/// The lines of each file that stop the import of it.
using FailingLines = std::map<std::string_view, std::set<uint32_t>>;

FailingLines FailingLinesOf(const std::vector<ChangeRecord>& records) {
  FailingLines failing;
  for (const ChangeRecord& record : records) {
    const bool is_open = record.applicability == Applicability::kDisplayOnly;
    if (is_open && record.severity == Severity::kStopsImport) {
      failing[record.file].insert(record.start_line);
    }
  }
  return failing;
}

/// True if one of `lines` is from `first` on, and before `end`.
bool HasLineIn(const std::set<uint32_t>& lines, uint32_t first, uint32_t end) {
  const auto next = lines.lower_bound(first);
  return next != lines.end() && *next < end;
}

/// Where an import fails, and what the `except` behind it imports fails as well, neither is a
/// branch: who gets to the `try` gets no further.
std::vector<ReachedBy> WhoReaches(const Reachability& reachability, const ChangeRecord& record,
                                  const ProgramCode& code, const FailingLines& failing) {
  std::vector<ReachedBy> ways = WhoReaches(reachability, record);
  if (record.severity != Severity::kStopsImport) return ways;
  const FileUnits* file = code.Find(record.file);
  const auto lines = failing.find(record.file);
  if (file == nullptr || lines == failing.end()) return ways;
  const Fallback* fallback = file->FallbackAt(record.start_line);
  if (fallback == nullptr || file->ImportAt(record.start_line) == nullptr) return ways;
  const bool both_fail = HasLineIn(lines->second, fallback->line, fallback->handler) &&
                         HasLineIn(lines->second, fallback->handler, fallback->end + 1);
  if (!both_fail) return ways;
  for (const ReachedBy& to_try : reachability.ProgramsThatReach(record.file, fallback->line)) {
    const auto way = std::ranges::find(ways, to_try.program, &ReachedBy::program);
    if (way != ways.end()) way->how = std::min(way->how, to_try.how);
  }
  return ways;
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

/// Where each program takes the error and goes on, nothing stops: the results are wrong.
void TellCaught(const std::vector<ReachedBy>& ways, ChangeRecord& record) {
  const bool is_caught =
      record.severity <= Severity::kStopsRun && !ways.empty() &&
      std::ranges::none_of(ways, [](const ReachedBy& way) { return way.caught.empty(); });
  if (!is_caught) return;
  record.severity = Severity::kMayGoWrong;
  const Text text =
      Say(" (the try at {} takes the error and goes on: the run does not stop, and that it does "
          "without "
          "what fails there can make its results wrong)",
          "（{} 处的 try 会捕获该错误并继续：运行不会停止，但缺少这部分计算可能使结果有误）",
          ways.front().caught);
  record.message.en += text.en;
  record.message.zh += text.zh;
}

/// What stops a run on CUDA as well is no matter of the NPU, but for a program that always comes to
/// it.
void TellSameOnCuda(const std::vector<ReachedBy>& ways, ChangeRecord& record) {
  const KnownCause* known = FindKnownCause(record.cause);
  if (known == nullptr || !known->same_on_cuda || record.severity > Severity::kStopsRun) return;
  const bool is_always = std::ranges::any_of(ways, [](const ReachedBy& way) {
    return way.how == ReachedBy::How::kAlways && way.settings.empty();
  });
  if (!is_always) record.severity = Severity::kNote;
}

/// The values that options of a file have by default, by the line of their definition.
using OptionDefaults = std::multimap<uint32_t, AttributeValue*>;

OptionDefaults OptionDefaultsOf(FileUnits& file) {
  OptionDefaults defaults;
  for (auto& [name, values] : file.attributes) {
    for (AttributeValue& value : values) {
      if (!value.option.empty()) defaults.emplace(value.line, &value);
    }
  }
  return defaults;
}

/// What the text of a call that defines a switch says that it is by default, or "". Texts change
/// together with the conditions that compare them, so that nothing is decided otherwise.
std::string DefaultIn(const std::string& text) {
  const Result<SourceFile> source = SourceFile::FromBytes("", text);
  if (!source) return "";
  Parser parser;
  const SyntaxTree tree = SyntaxTree::Parse(*source, parser);
  for (const Node node : NodesIn(tree)) {
    if (!node.Is(NodeKind::kCall)) continue;
    std::string value = ConstantDefaultOf(node);
    return value == "True" || value == "False" ? value : "";
  }
  return "";
}

void SetDefault(const std::pair<OptionDefaults::iterator, OptionDefaults::iterator>& places,
                const std::string& value, FileUnits& file) {
  Term constant;
  constant.kind = Term::Kind::kConstant;
  constant.name = value;
  file.terms.push_back(std::move(constant));
  for (auto place = places.first; place != places.second; ++place) {
    place->second->term = static_cast<uint32_t>(file.terms.size() - 1);
  }
}

/// Takes out of the units of a file what no NPU gets to.
void LeaveOut(const std::vector<CodeForCuda>& parts, FileUnits& file) {
  const auto is_in = [&](uint32_t line, std::string_view name) {
    return std::ranges::any_of(parts, [&](const CodeForCuda& part) {
      return part.first_line <= line && line <= part.last_line &&
             (part.text.empty() || (!name.empty() && SpellsWord(part.text, name)));
    });
  };
  for (CodeUnit& unit : file.units) {
    std::erase_if(unit.mentions, [&](const Mention& mention) {
      return is_in(mention.line, LastPart(mention.target.name));
    });
    std::erase_if(unit.calls,
                  [&](const MethodCall& call) { return is_in(call.line, call.method); });
    std::erase_if(unit.imports, [&](const FileImport& import) { return is_in(import.line, ""); });
    std::erase_if(unit.lookups, [&](const ModuleLookup& lookup) { return is_in(lookup.line, ""); });
  }
}

/// By the causes that stand behind a switch in one program: the settings that let each place be
/// reached of which the text shows some, or as far as they have any in common, those.
using Switches = std::map<std::string, std::set<std::string>, std::less<>>;

void NoteSwitch(const std::string& cause, const std::set<std::string>& settings,
                Switches& switches) {
  const KnownCause* known = FindKnownCause(cause);
  if (settings.empty() || known == nullptr || !known->behind_switch) return;
  std::set<std::string>& all = switches.try_emplace(cause, settings).first->second;
  std::set<std::string> common;
  std::ranges::set_intersection(all, settings, std::inserter(common, common.end()));
  if (!common.empty()) {
    all = std::move(common);
  } else {
    all.insert(settings.begin(), settings.end());
  }
}

/// What a program that has a switch for the cause does of it is all behind that. True if only this
/// tells it: while the switch is off such a place is dead.
bool UseSwitch(const Switches& switches, const std::string& cause, ReachedBy& reached) {
  const auto found = switches.find(cause);
  if (found == switches.end()) return false;
  const bool is_told_otherwise = !reached.settings.empty();
  reached.settings = found->second;
  return !is_told_otherwise;
}

}  // namespace

struct StartVerdicts::Knowledge : ProjectPrograms {
  using ProjectPrograms::ProjectPrograms;

  std::optional<Error> Choose(const std::vector<std::string>& wanted) {
    if (!wanted.empty()) {
      Result<std::vector<EntryPoint>> chosen = Chosen(std::move(entries.candidates), wanted);
      if (!chosen) return chosen.error();
      entries.candidates = *std::move(chosen);
    }
    reachability.emplace(code, graph, entries);
    return std::nullopt;
  }

  std::optional<Reachability> reachability;
};

/// The code, of which no programs are found yet, and the rows that it refers to.
struct StartVerdicts::Reading {
  TrainingApis apis;
  ProgramCode code;
};

StartVerdicts::StartVerdicts(std::unique_ptr<Reading> reading, std::vector<std::string> wanted)
    : wanted_(std::move(wanted)), reading_(std::move(reading)) {}
StartVerdicts::StartVerdicts(StartVerdicts&& other) noexcept = default;
StartVerdicts& StartVerdicts::operator=(StartVerdicts&& other) noexcept = default;
StartVerdicts::~StartVerdicts() = default;

Result<StartVerdicts> StartVerdicts::Of(const ProgramSources& sources,
                                        const std::vector<std::string>& wanted) {
  Result<TrainingApis> apis = TrainingApis::Load();
  if (!apis) return apis.error();
  auto reading = std::make_unique<Reading>(*std::move(apis));
  reading->code = ReadProgramCode(sources, reading->apis);
  StartVerdicts verdicts(std::move(reading), wanted);
  if (!wanted.empty()) {
    if (std::optional<Error> error = verdicts.Find(sources)) return *error;
  }
  if (IsCancelled(sources.index.cancelled())) return CancelledError();
  return verdicts;
}

std::optional<Error> StartVerdicts::Find(const ProgramSources& sources) {
  if (knowledge_ != nullptr) return std::nullopt;
  const std::unique_ptr<Reading> reading = std::move(reading_);
  knowledge_ =
      std::make_unique<Knowledge>(sources, std::move(reading->apis), std::move(reading->code));
  return knowledge_->Choose(wanted_);
}

const ProjectPrograms& StartVerdicts::FindPrograms(const ProgramSources& sources) {
  Find(sources);  // Of() has refused names of what is no program
  return *knowledge_;
}

void StartVerdicts::TakeEdits(const RunResult& run, const ProgramSources& sources) {
  ProgramCode& code = knowledge_ == nullptr ? reading_->code : knowledge_->code;
  const auto find = [&](const std::string& file) -> FileUnits* {
    const auto path = std::ranges::lower_bound(code.paths, file);
    const bool is_there = path != code.paths.end() && *path == file;
    return is_there ? &code.files[static_cast<size_t>(path - code.paths.begin())] : nullptr;
  };
  bool is_changed = false;
  std::map<const FileUnits*, OptionDefaults> defaults;
  for (const ChangeRecord& record : run.records) {
    if (record.applicability == Applicability::kDisplayOnly || record.after.empty()) continue;
    FileUnits* file = find(record.file);
    if (file == nullptr) continue;
    const auto [known, is_new] = defaults.try_emplace(file);
    if (is_new) known->second = OptionDefaultsOf(*file);
    const auto places = known->second.equal_range(record.start_line);
    const std::string value = places.first == places.second ? "" : DefaultIn(record.after);
    if (value.empty()) continue;
    SetDefault(places, value, *file);
    is_changed = true;
  }
  for (const FileOutcome& outcome : run.files) {
    FileUnits* file = outcome.for_cuda.empty() ? nullptr : find(outcome.file);
    if (file == nullptr) continue;
    LeaveOut(outcome.for_cuda, *file);
    is_changed = true;
  }
  if (knowledge_ == nullptr) {
    FindPrograms(sources);
    return;
  }
  if (!is_changed) return;
  // The old graph goes before the new one comes: both are as large as the project.
  ProgramCode changed = std::move(code);
  TrainingApis apis = std::move(knowledge_->apis);
  knowledge_.reset();
  knowledge_ = std::make_unique<Knowledge>(sources, std::move(apis), std::move(changed));
  // The programs that were chosen before are those of the project still; else all count.
  if (knowledge_->Choose(wanted_)) knowledge_->Choose({});
}

const TrainingApis& StartVerdicts::apis() const {
  return knowledge_ == nullptr ? reading_->apis : knowledge_->apis;
}
const ProgramCode& StartVerdicts::code() const {
  return knowledge_ == nullptr ? reading_->code : knowledge_->code;
}
const ProjectPrograms& StartVerdicts::programs() const { return *knowledge_; }

bool StartVerdicts::IsAlwaysReached(const ChangeRecord& record) const {
  return std::ranges::any_of(
      WhoReaches(*knowledge_->reachability, record), [](const ReachedBy& reached) {
        return reached.how == ReachedBy::How::kAlways && reached.settings.empty();
      });
}

bool StartVerdicts::IsReached(const ChangeRecord& record) const {
  return !WhoReaches(*knowledge_->reachability, record).empty();
}

bool StartVerdicts::IsUnused(const ChangeRecord& record) const {
  return !IsReached(record) && knowledge_->reachability->IsUnused(record.file, record.start_line);
}

/// The code of the files that the program runs.
std::vector<const FileUnits*> StartVerdicts::FilesOf(const EntryPoint& entry) const {
  const ProgramCode& code = knowledge_->code;
  std::set<std::string_view> paths = {entry.path};
  for (const RunUnit& run : entry.runs) paths.insert(knowledge_->graph.FileOf(run.unit));
  std::vector<const FileUnits*> files;
  for (const std::string_view path : paths) {
    if (const FileUnits* file = code.Find(path)) files.push_back(file);
  }
  return files;
}

/// True if a file that the program runs imports the framework.
bool StartVerdicts::Uses(const EntryPoint& entry, Framework framework) const {
  return std::ranges::any_of(
      FilesOf(entry), [&](const FileUnits* file) { return IsOneOf(framework, file->frameworks); });
}

/// The framework that the program uses, `first` if it is one of several; "" if it uses none.
std::string StartVerdicts::FrameworkOf(const EntryPoint& entry, Framework first) const {
  std::set<Framework> used;
  for (const FileUnits* file : FilesOf(entry)) {
    used.insert(file->frameworks.begin(), file->frameworks.end());
  }
  if (used.empty()) return "";
  return std::string(NameOf(used.contains(first) ? first : *used.begin()));
}

/// True if it is written for a framework that no run migrates, and its files import no other.
bool StartVerdicts::IsOfOtherFramework(const EntryPoint& entry) const {
  const std::vector<const FileUnits*> files = FilesOf(entry);
  const auto is_other = [](const std::string& name) {
    return Words("other-training-frameworks").Has(FirstPart(name));
  };
  return std::ranges::all_of(files,
                             [](const FileUnits* file) { return file->frameworks.empty(); }) &&
         std::ranges::any_of(files, [&](const FileUnits* file) {
           return std::ranges::any_of(file->imported_names, is_other);
         });
}

/// True if it trains, or a file that it runs imports a framework, or what is built on one.
bool StartVerdicts::UsesModels(const EntryPoint& entry) const {
  if (entry.trains) return true;
  const auto is_of_models = [&](const std::string& name) {
    return Words("other-training-frameworks").Has(FirstPart(name)) ||
           std::ranges::any_of(knowledge_->apis.rows(),
                               [&](const TrainingApi& row) { return row.IsOfPackage(name); });
  };
  return std::ranges::any_of(FilesOf(entry), [&](const FileUnits* file) {
    return !file->frameworks.empty() || std::ranges::any_of(file->imported_names, is_of_models);
  });
}

/// For a record that no program gets to. What Python cannot read there stops nobody.
void StartVerdicts::NoteUnused(ChangeRecord& record) const {
  const bool is_unread = record.rule_id == "syntax";
  record.is_unused =
      knowledge_->reachability->IsUnused(record.file, is_unread ? 0 : record.start_line);
  if (is_unread && record.is_unused) record.severity = Severity::kNote;
}

/// Of a formatter or a script for builds nobody asks whether an NPU runs it.
void StartVerdicts::LeaveOutTools(RunResult& run) const {
  const std::vector<EntryPoint>& entries = knowledge_->entries.candidates;
  if (!wanted_.empty()) return;
  std::vector<bool> counts(entries.size());
  for (const ChangeRecord& record : run.records) {
    for (const uint32_t program : record.programs) counts[program] = true;
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    const ProgramOutcome& outcome = run.programs[i];
    counts[i] = counts[i] || outcome.verdict != StartVerdict::kStarts ||
                !outcome.unknown_packages.empty() || UsesModels(entries[i]);
  }
  if (std::ranges::find(counts, true) == counts.end()) return;
  std::vector<uint32_t> places;  // of the programs, in what is left of them
  std::vector<ProgramOutcome> left;
  for (size_t i = 0; i < entries.size(); ++i) {
    places.push_back(static_cast<uint32_t>(left.size()));
    if (counts[i]) left.push_back(std::move(run.programs[i]));
  }
  for (ChangeRecord& record : run.records) {
    for (uint32_t& program : record.programs) program = places[program];
  }
  run.programs = std::move(left);
}

void StartVerdicts::Judge(RunResult& run, Framework framework,
                          const std::set<std::string>& left_out) const {
  const std::vector<EntryPoint>& entries = knowledge_->entries.candidates;
  std::vector<Obstacles> obstacles(entries.size());
  std::vector<Switches> switches(entries.size());
  std::vector<std::pair<ChangeRecord*, std::vector<ReachedBy>>> open;
  const FailingLines failing = FailingLinesOf(run.records);
  const std::set<std::string> switch_names = SwitchesOf(knowledge_->code);
  std::set<std::string_view> with_cuda_lines;  // paths of programs
  for (ChangeRecord& record : run.records) {
    if (record.applicability != Applicability::kDisplayOnly) continue;
    open.emplace_back(&record,
                      WhoReaches(*knowledge_->reachability, record, knowledge_->code, failing));
    if (open.back().second.empty() && !entries.empty()) NoteUnused(record);
    for (const ReachedBy& reached : open.back().second) {
      NoteSwitch(record.cause, reached.settings, switches[reached.program]);
    }
  }
  for (auto& [place, ways] : open) {
    ChangeRecord& record = *place;
    TellCaught(ways, record);
    TellSameOnCuda(ways, record);
    std::set<std::string> all_settings;
    bool is_optional = true;
    size_t dead = 0;
    for (ReachedBy& reached : ways) {
      if (UseSwitch(switches[reached.program], record.cause, reached)) ++dead;
      record.programs.push_back(static_cast<uint32_t>(reached.program));
      is_optional = is_optional && !reached.settings.empty();
      all_settings.insert(reached.settings.begin(), reached.settings.end());
      Obstacles& of_program = obstacles[reached.program];
      const bool is_always = reached.how == ReachedBy::How::kAlways && reached.settings.empty();
      const std::string& program = entries[reached.program].path;
      const bool is_its_own = program == record.file;
      if (record.cause == kServedProgramLines && (is_always || is_its_own)) {
        with_cuda_lines.insert(program);
      }
      if (IsUncertain(record.cause) && is_always && record.severity > Severity::kStopsRun) {
        of_program.unknown_packages.insert(record.values.begin(), record.values.end());
      }
      if (record.severity > Severity::kStopsRun || !reached.caught.empty()) continue;
      if (!reached.settings.empty()) {
        const auto [known, is_new] = of_program.optional.try_emplace(record.cause, reached);
        if (!is_new) AddWay(known->second, reached);
        continue;
      }
      // Code that is not here may stop it or not; what is missing stops its import.
      const bool is_seen = !IsUncertain(record.cause) || record.severity == Severity::kStopsImport;
      const bool is_certain = reached.how == ReachedBy::How::kAlways && is_seen;
      (is_certain ? of_program.certain : of_program.possible).insert(record.cause);
    }
    if (is_optional) record.settings = Shortened(all_settings, switch_names);
    // The places that ask for the switch stand for those that are dead without it.
    const auto has_switch = [&](const Switches& all) { return all.contains(record.cause); };
    if (dead == ways.size() && std::ranges::any_of(switches, has_switch)) {
      record.severity = Severity::kNote;
      record.cause = record.rule_id;
    }
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    for (auto& [cause, way] : obstacles[i].optional) {
      way.settings = Shortened(way.settings, switch_names);
    }
    run.programs.push_back(OutcomeOf(entries[i], obstacles[i]));
    run.programs.back().framework = FrameworkOf(entries[i], framework);
    if (with_cuda_lines.contains(entries[i].path)) {
      run.programs.back().cuda_lines.emplace_back(kServedProgramLines);
    }
    const bool trains_otherwise =
        entries[i].trains && entries[i].framework && *entries[i].framework != framework;
    const bool is_left_out =
        left_out.contains(entries[i].path) && (trains_otherwise || !Uses(entries[i], framework));
    if (is_left_out || IsOfOtherFramework(entries[i]))
      run.programs.back().verdict = StartVerdict::kLeftOut;
  }
  // What only such programs have is nothing that stops a migrated one.
  for (ChangeRecord& record : run.records) {
    const bool is_left_out =
        !record.programs.empty() && std::ranges::all_of(record.programs, [&](uint32_t program) {
          return run.programs[program].verdict == StartVerdict::kLeftOut;
        });
    if (is_left_out && record.severity <= Severity::kStopsRun) record.severity = Severity::kNote;
  }
  LeaveOutTools(run);
}

}  // namespace transplt
