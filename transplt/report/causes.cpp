// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "transplt/base/json_document.h"
#include "transplt/base/json_object_reader.h"
#include "transplt/base/one_of.h"
#include "transplt/base/test_file.h"
#include "transplt/base/word_list.h"

namespace transplt {

// Generated from rules/causes.json.
std::string_view CausesText();

namespace {

class CauseReader : private JsonObjectReader {
 public:
  CauseReader(const JsonDocument& document, const JsonValue& object)
      : JsonObjectReader(document, object) {}

  std::optional<Error> Read(KnownCause& cause) {
    cause.id = String("id");
    cause.reason = {String("reason"), String("reason_zh")};
    cause.remedy = {String("remedy"), String("remedy_zh")};
    cause.on_machine = Member("on_machine", JsonValue::Type::kBoolean, false) != nullptr;
    cause.names_places = Member("names_places", JsonValue::Type::kBoolean, false) != nullptr;
    cause.is_told_by_places =
        Member("is_told_by_places", JsonValue::Type::kBoolean, false) != nullptr;
    cause.comes_first = Member("comes_first", JsonValue::Type::kBoolean, false) != nullptr;
    cause.behind_switch = Member("behind_switch", JsonValue::Type::kBoolean, false) != nullptr;
    cause.is_uncertain = Member("is_uncertain", JsonValue::Type::kBoolean, false) != nullptr;
    cause.same_on_cuda = Member("same_on_cuda", JsonValue::Type::kBoolean, false) != nullptr;
    if (const JsonValue* list = Member("included_in", JsonValue::Type::kList, false)) {
      for (const JsonValue* other : list->children()) cause.included_in.push_back(other->string());
    }
    RefuseUnknown();
    return error();
  }
};

std::vector<KnownCause> ReadKnownCauses() {
  const Result<JsonDocument> document = JsonDocument::Parse("rules/causes.json", CausesText());
  if (!document) RefuseOwnTable(document.error());
  std::vector<KnownCause> causes;
  for (const JsonValue* object : document->root().Find("causes")->children()) {
    if (auto error = CauseReader(*document, *object).Read(causes.emplace_back()))
      RefuseOwnTable(*error);
  }
  return causes;
}

/// True if the first program that gets to the cause does so whenever it starts.
bool IsCertain(const Cause& cause, const RunResult& run) {
  if (cause.first_program >= run.programs.size()) return false;
  const ProgramOutcome& program = run.programs[cause.first_program];
  return program.verdict == ProgramOutcome::Verdict::kStops && IsOneOf(cause.id, program.causes);
}

/// The order in which a person works: one program after the other.
auto RankOf(const Cause& cause, const RunResult& run) {
  // What the machine needs stands before what has no effect.
  const auto severity = cause.on_machine ? Severity::kSlower : cause.severity;
  const auto least = cause.is_unreached ? Severity::kMayGoWrong : Severity::kStopsRun;
  const auto group = std::max(severity, least);
  const KnownCause* known = FindKnownCause(cause.id);
  const bool is_uncertain = known != nullptr && known->is_uncertain;
  const bool comes_first = known != nullptr && known->comes_first;
  return std::tuple(cause.is_in_tests, cause.is_unused, group, cause.on_machine,
                    cause.first_program, !comes_first, !IsCertain(cause, run), severity,
                    is_uncertain, ~cause.places.size());
}

/// What the place is about.
std::string NameAt(const ChangeRecord& record) {
  if (!record.values.empty()) return record.values.front();
  // `from a.b import c` says less than "a.b: why" does, and so does a call over several lines.
  const bool is_long = record.before.starts_with("from ") || record.before.starts_with("import ") ||
                       record.before.find('\n') != std::string::npos;
  if (!is_long) return record.before;
  const std::string name = record.message.en.substr(0, record.message.en.find(": "));
  return name.find(' ') == std::string::npos ? name : record.before;
}

/// What stands at the places, in their order, each once, however much of its path is spelled.
std::vector<std::string> NamesOf(const Cause& cause) {
  std::vector<std::string> names;
  std::unordered_set<std::string> known;
  for (const ChangeRecord* record : cause.places) {
    std::string name = NameAt(*record);
    const bool is_new = !name.empty() && known.insert(name.substr(name.rfind('.') + 1)).second;
    if (is_new) names.push_back(std::move(name));
  }
  return names;
}

/// True for a place in code that programs may get to: a setting is for whoever reads it.
bool IsInPython(const ChangeRecord* record) {
  return record->file.ends_with(".py") || record->file.ends_with(".ipynb");
}

/// What a program reaches only where a person sets something comes after what it reaches anyway.
uint32_t FirstProgramOf(const ChangeRecord& record) {
  if (!record.settings.empty()) return kNoProgram - 1;
  const auto first = std::ranges::min_element(record.programs);
  return first == record.programs.end() ? kNoProgram : *first;
}

/// True for a place in code of Python that no program gets to.
bool IsUnreached(const ChangeRecord* record) {
  return IsInPython(record) && FirstProgramOf(*record) == kNoProgram;
}

/// True for a place in a file of tests that no program but tests gets to. The first program is
/// none, whatever it is called, if it trains.
bool IsInTest(const ChangeRecord& record, const RunResult& run) {
  const auto is_test = [&](uint32_t at) {
    if (at >= run.programs.size()) return true;
    const ProgramOutcome& program = run.programs[at];
    return program.is_test && !(at == 0 && program.trains);
  };
  return IsTestFile(record.file) && std::ranges::all_of(record.programs, is_test);
}

/// True for a place that says what "cuda-extension:own_ext" is: "own_ext: own CUDA extension ...".
/// Others only meet it: a condition that protects a call of it.
bool SaysWhatItIs(const ChangeRecord& record, std::string_view id) {
  const size_t colon = id.find(':');
  const std::string_view name = colon == id.npos ? std::string_view() : id.substr(colon + 1);
  const std::string_view message = record.message.en;
  return !name.empty() && message.starts_with(name) &&
         message.substr(name.size()).starts_with(": ");
}

/// Puts the places in the order of Cause::places. What no program gets to does not tell how grave
/// the cause is where one gets to a place that needs a person; neither do tests beside other code.
void SortPlaces(Cause& cause, const RunResult& run) {
  const bool is_reached = std::ranges::any_of(cause.places, [&](const ChangeRecord* record) {
    return FirstProgramOf(*record) != kNoProgram && record->severity <= Severity::kMayGoWrong &&
           !IsInTest(*record, run);
  });
  std::ranges::stable_sort(cause.places, {}, [&](const ChangeRecord* record) {
    return std::tuple(IsInTest(*record, run), is_reached && IsUnreached(record), record->severity,
                      !SaysWhatItIs(*record, cause.id), FirstProgramOf(*record));
  });
  cause.severity = cause.places.front()->severity;
  cause.is_in_tests = IsInTest(*cause.places.front(), run);
  for (const ChangeRecord* record : cause.places) {
    if (!cause.is_in_tests && IsInTest(*record, run)) continue;
    cause.first_program = std::min(cause.first_program, FirstProgramOf(*record));
  }
}

/// What the first place says, or another one that says the same without more behind it.
Text ShortestAtPlaces(const Cause& cause) {
  const Text* shortest = &cause.places.front()->message;
  for (const ChangeRecord* record : cause.places) {
    const Text& message = record->message;
    if (message.en.empty() || message.en.size() >= shortest->en.size()) continue;
    if (shortest->en.starts_with(message.en) && shortest->zh.starts_with(message.zh)) {
      shortest = &message;
    }
  }
  return *shortest;
}

/// Places that ask for nothing, such as an import that may fail, are none of a cause that asks for
/// something at others.
void LeaveOutIdle(Cause& cause) {
  if (cause.severity >= Severity::kNoEffect) return;
  std::erase_if(cause.places,
                [](const ChangeRecord* record) { return record->severity >= Severity::kNoEffect; });
}

/// True if the cause is in code alone that no program gets to: in Python, and in the sources and
/// the script that build an extension for that; or in tests alone. Beside programs of which none
/// trains this tells nothing: then the users of the project have the programs.
bool IsUnused(const Cause& cause, const RunResult& run) {
  const auto trains = [](const ProgramOutcome& program) {
    return program.trains && program.verdict != ProgramOutcome::Verdict::kLeftOut;
  };
  if (cause.on_machine || std::ranges::none_of(run.programs, trains)) return false;
  if (cause.is_in_tests) return true;
  if (cause.first_program != kNoProgram) return false;
  const auto goes_with_it = [&](const ChangeRecord* record) {
    const std::string_view name =
        std::string_view(record->file).substr(record->file.rfind('/') + 1);
    return record->is_unused || name == "setup.py" || Words("native-files").Has(record->file) ||
           IsInTest(*record, run);
  };
  return std::ranges::any_of(cause.places, &ChangeRecord::is_unused) &&
         std::ranges::all_of(cause.places, goes_with_it);
}

/// The dotted name that `a` and `b` begin with: "fbgemm_gpu" of two modules in it; or empty.
std::string_view CommonName(std::string_view a, std::string_view b) {
  const auto differ = std::ranges::mismatch(a, b);
  const size_t same = static_cast<size_t>(differ.in1 - a.begin());
  const auto ends_at = [same](std::string_view name) {
    return same == name.size() || name[same] == '.';
  };
  if (ends_at(a) && ends_at(b)) return a.substr(0, same);
  const size_t dot = a.substr(0, same).rfind('.');
  return dot == std::string_view::npos ? std::string_view() : a.substr(0, dot);
}

/// The few names of one library that begin with `common`, if that itself is none of them:
/// "tf.py_func, tf.py_function" in place of "tf"; else `common`.
std::string NameOfAll(std::string_view common, const std::set<std::string_view>& names) {
  constexpr size_t kFew = 3;
  const bool are_told = !common.empty() && names.size() <= kFew && names.count(common) == 0;
  return are_told ? fmt::format("{}", fmt::join(names, ", ")) : std::string(common);
}

/// What all places of the cause say, about what is common to them: "xq: no complex numbers" and
/// "xk: no complex numbers" say "no complex numbers". Nothing if they do not say one thing.
std::optional<Text> SaidByAll(const Cause& cause) {
  constexpr std::string_view kBehindName = ": ";
  const auto said = [&](std::string Text::*language) -> std::optional<std::string> {
    // A place in a notebook says its cell before the rest.
    const std::string& first =
        (*std::ranges::min_element(
             cause.places, {},
             [&](const ChangeRecord* record) { return (record->message.*language).size(); }))
            ->message.*
        language;
    const size_t colon = first.find(kBehindName);
    std::string_view name = std::string_view(first).substr(0, colon);
    const std::string_view why = std::string_view(first).substr(name.size());
    std::set<std::string_view> names = {name};
    for (const ChangeRecord* record : cause.places) {
      const std::string& message = record->message.*language;
      if (message.ends_with(first)) continue;
      if (why.empty() || !message.ends_with(why)) return std::nullopt;
      const std::string_view other =
          std::string_view(message).substr(0, message.size() - why.size());
      names.insert(other);
      name = CommonName(name, other);
    }
    return name.empty() && !why.empty() ? std::string(why.substr(kBehindName.size()))
                                        : NameOfAll(name, names) + std::string(why);
  };
  std::optional<std::string> en = said(&Text::en);
  std::optional<std::string> zh = said(&Text::zh);
  if (!en || !zh) return std::nullopt;
  return Text{*std::move(en), *std::move(zh)};
}

}  // namespace

bool IsDecision(const Cause& cause) {
  return cause.on_machine || cause.severity < Severity::kNoEffect;
}

std::span<const KnownCause> KnownCauses() {
  static const std::vector<KnownCause> causes = ReadKnownCauses();
  return causes;
}

const KnownCause* FindKnownCause(std::string_view id) {
  const auto causes = KnownCauses();
  const auto found = std::ranges::find(causes, id, &KnownCause::id);
  return found == causes.end() ? nullptr : &*found;
}

namespace {

/// Takes out the places of causes at which another one asks for the same; a cause without any
/// other place goes.
void LeaveOutIncluded(std::vector<Cause>& causes) {
  using Place = std::pair<std::string_view, uint32_t>;  // file, line
  std::map<std::string_view, std::set<Place>> places;   // by cause
  for (const Cause& cause : causes) {
    for (const ChangeRecord* record : cause.places) {
      places[cause.id].emplace(record->file, record->start_line);
    }
  }
  for (Cause& cause : causes) {
    const KnownCause* known = FindKnownCause(cause.id);
    if (known == nullptr || known->included_in.empty()) continue;
    std::erase_if(cause.places, [&](const ChangeRecord* record) {
      return std::ranges::any_of(known->included_in, [&](const std::string& other) {
        const auto found = places.find(other);
        return found != places.end() && found->second.contains({record->file, record->start_line});
      });
    });
  }
  std::erase_if(causes, [](const Cause& cause) { return cause.places.empty(); });
}

}  // namespace

std::vector<Cause> CausesOf(const RunResult& run) {
  std::vector<Cause> causes;
  std::unordered_map<std::string_view, size_t> index;
  for (const ChangeRecord& record : run.records) {
    if (record.applicability != Applicability::kDisplayOnly) continue;
    const auto [place, is_new] = index.try_emplace(record.cause, causes.size());
    if (is_new) causes.push_back({.id = record.cause, .severity = record.severity});
    Cause& cause = causes[place->second];
    cause.places.push_back(&record);
  }
  LeaveOutIncluded(causes);
  for (Cause& cause : causes) {
    SortPlaces(cause, run);
    LeaveOutIdle(cause);
    cause.is_unreached = !run.programs.empty() && cause.first_program == kNoProgram &&
                         std::ranges::any_of(cause.places, IsInPython);
    const KnownCause* known = FindKnownCause(cause.id);
    if (known != nullptr) cause.on_machine = known->on_machine;
    const bool asks_places = known == nullptr || known->is_told_by_places;
    const std::optional<Text> said = asks_places ? SaidByAll(cause) : std::nullopt;
    if (said || known == nullptr) {
      cause.says_at_places = !said;
      cause.reason = said.value_or(ShortestAtPlaces(cause));
      continue;
    }
    cause.says_at_places = known->is_told_by_places;
    cause.reason = known->reason;
    cause.remedy = known->remedy;
    if (known->names_places) cause.names = NamesOf(cause);
  }
  for (Cause& cause : causes) cause.is_unused = IsUnused(cause, run);
  std::ranges::stable_sort(causes, {}, [&](const Cause& cause) { return RankOf(cause, run); });
  return causes;
}

}  // namespace transplt
