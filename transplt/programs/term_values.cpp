// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/term_values.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "transplt/base/text_parts.h"

namespace transplt {
namespace {

/// More places than this give a key some value that is not known.
constexpr size_t kMostKeys = 500;
/// Of what has to be set as well.
constexpr size_t kMostOuter = 8;
/// A value has a height: some constants, some settings, unknown. What changes more often goes round
/// in a circle.
constexpr uint8_t kMostChanges = 64;
/// Stands in the settings of an attribute for the name by which it is asked.
constexpr std::string_view kOwnName;

bool IsFalsy(Constant constant) { return constant % 2 != 0; }
Constant Truth(bool truth) { return truth ? TermIndex::kTrue : TermIndex::kFalse; }

TermValue Known(Constant constant) { return {true, Constants(constant), {}}; }
/// Of what nothing has given a value yet.
TermValue Nothing() { return {true, {}, {}}; }
bool IsNothing(const TermValue& value) { return value.is_known && value.constants.empty(); }

/// What may be the one or the other; true if that is something else.
bool Join(TermValue& value, const TermValue& other) {
  const bool was_known = value.is_known;
  bool has_changed = false;
  for (const Constant constant : other.constants) has_changed |= value.constants.Add(constant);
  has_changed |= value.settings.Add(other.settings);
  if (value.outer != other.outer) value.outer.clear();
  value.is_known = was_known && other.is_known && !value.constants.IsFull();
  return has_changed || value.is_known != was_known;
}

bool IsAlwaysTrue(const TermValue& value) {
  return value.is_known && !value.constants.empty() &&
         std::ranges::none_of(value.constants, IsFalsy);
}

/// `setting` with `replacement` in its place.
void Replace(Settings& settings, std::string_view setting, std::string_view replacement) {
  std::vector<std::string> texts = settings.texts();
  const auto found = std::ranges::find(texts, setting);
  if (found == texts.end()) return;
  *found = replacement;
  settings = Settings(std::move(texts));
}

/// What opens `if not self.flag` is that it is not set: "not self.flag". An option names the value
/// that it gives.
void NegateOwnSetting(const Term& term, Settings& settings) {
  const bool is_variable = term.kind == Term::Kind::kVariable;
  if (!is_variable && term.kind != Term::Kind::kAttribute) return;
  const std::string& name = is_variable ? term.name : term.source;
  Replace(settings, name, "not " + name);
}

}  // namespace

bool Constants::Add(Constant constant) {
  const auto end = constants_.begin() + count_;
  const auto place = std::lower_bound(constants_.begin(), end, constant);
  if (place != end && *place == constant) return false;
  if (count_ == kMost) return !std::exchange(is_full_, true);
  std::copy_backward(place, end, end + 1);
  *place = constant;
  ++count_;
  return true;
}

bool TermValue::IsClosed() const {
  return is_known && !constants.empty() && std::ranges::all_of(constants, IsFalsy);
}

bool TermValues::Pass(const PassedValues& passed, size_t file, const Settings& settings,
                      const CodeUnit& code, size_t unit, size_t file_of_unit) {
  if (forgotten_[unit]) return false;
  if (!passed.is_known) {
    Forget(unit);
    return true;
  }
  bool has_changed = false;
  const std::vector<size_t>& asked = index_.AskedOf(unit);
  for (size_t at = 0; at < asked.size(); ++at) {
    const size_t i = asked[at];
    // What is not known stays so, whatever else it may be.
    const size_t parameter = index_.ParameterOf(unit, at);
    const auto before = parameters_.find(parameter);
    if (before != parameters_.end() && !before->second.is_known) continue;
    const std::string& name = code.parameters[i].dest;
    size_t position = 0;
    const PassedValue* given = nullptr;
    for (const PassedValue& value : passed.values) {
      const bool fits = value.keyword.empty() ? position++ == i && i < code.positional_parameters
                                              : value.keyword == name;
      if (fits) given = &value;
    }
    TermValue value = given != nullptr ? Of(file, given->term) : Of(file_of_unit, code.defaults[i]);
    if (given == nullptr && passed.has_splat) AddHandedOn(name, value);
    if (before == parameters_.end()) {
      parameters_.emplace(parameter, std::move(value));
      has_changed = true;
    } else if (settings.empty()) {
      has_changed |= Join(before->second, value);
    } else if (!value.is_known ||
               !std::ranges::includes(before->second.constants, value.constants)) {
      // Without the settings it stays what it is.
      has_changed |= before->second.settings.Add(settings);
    }
  }
  if (has_changed) NoteParameters(unit);
  return has_changed;
}

void TermValues::NoteParameters(size_t unit) {
  ++version_;
  const auto next = std::ranges::upper_bound(first_units_, unit);
  ++parameter_versions_[static_cast<size_t>(next - first_units_.begin()) - 1];
  Touch(unit);
}

/// What `**values` may hand to the parameter, which is `value` else.
void TermValues::AddHandedOn(const std::string& parameter, TermValue& value) {
  if (!value.is_known) return;
  const std::vector<TermIndex::Place>* places = index_.HandedOnAs(parameter);
  if (places == nullptr || places->size() > kMostKeys) {
    value = TermValue();
    return;
  }
  value.settings.Add(parameter);
  for (const TermIndex::Place& place : *places) {
    if (!value.is_known) return;
    const auto settings = SettingsFor(place);
    if (!settings) continue;
    const TermValue given = OfHandedOn(place);
    if (IsNothing(given)) continue;
    if (settings->empty()) {
      Join(value, given);
    } else {
      value.settings.Add(*settings);
    }
  }
}

/// `f(flag=flag)` hands on what the function around it has been handed: nothing new before that.
TermValue TermValues::OfHandedOn(const TermIndex::Place& place) const {
  const Term& given = index_.files()[place.file].terms[place.value->term];
  if (given.kind == Term::Kind::kParameter) {
    const size_t unit = first_units_[place.file] + given.unit;
    if (forgotten_[unit]) return {};
    const auto found = parameters_.find(index_.NamedBy(place.file, place.value->term));
    return found == parameters_.end() ? Nothing() : found->second;
  }
  TermValue value = Read(place.file, place.value->term);
  if (!place.value->option.empty()) value.settings.Add(place.value->option);
  return value;
}

bool TermValues::IsSettled(size_t unit) const {
  if (forgotten_[unit]) return true;
  for (size_t i = 0; i < index_.AskedOf(unit).size(); ++i) {
    const auto found = parameters_.find(index_.ParameterOf(unit, i));
    if (found == parameters_.end() || found->second.is_known) return false;
  }
  return true;
}

TermValue TermValues::Of(size_t file, uint32_t index) {
  Settle();
  return Read(file, index);
}

void TermValues::Touch(size_t unit) {
  for (const size_t attribute : index_.DependentsOfUnit(unit)) Want(attribute);
}

void TermValues::Want(size_t attribute) {
  if (std::exchange(attributes_[attribute].is_due, true)) return;
  due_.push_back(attribute);
}

void TermValues::Settle() {
  // What only now gets its first value is not unknown to those that depend on it, and on which it
  // may depend.
  std::vector<size_t> first;
  for (const size_t attribute : due_) {
    if (attributes_[attribute].is_given) continue;
    attributes_[attribute].is_awaited = true;
    first.push_back(attribute);
  }
  while (!due_.empty() || !first.empty()) {
    while (!due_.empty()) {
      const size_t attribute = due_.front();
      due_.pop_front();
      attributes_[attribute].is_due = false;
      Evaluate(attribute);
    }
    for (const size_t attribute : std::exchange(first, {})) {
      attributes_[attribute].is_awaited = false;
      if (attributes_[attribute].is_given) continue;
      for (const size_t dependent : index_.DependentsOf(attribute)) Want(dependent);
    }
  }
}

void TermValues::Evaluate(size_t attribute) {
  Attribute& evaluated = attributes_[attribute];
  TermValue value = evaluated.changes < kMostChanges ? FromPlaces(attribute) : TermValue();
  if (value == evaluated.value) return;
  if (evaluated.changes < kMostChanges) ++evaluated.changes;
  evaluated.value = std::move(value);
  evaluated.is_given = !IsNothing(evaluated.value);
  ++attributes_version_;
  for (const size_t dependent : index_.DependentsOf(attribute)) Want(dependent);
}

TermValue TermValues::Read(size_t file, uint32_t index) const {
  const Term& term = index_.files()[file].terms[index];
  switch (term.kind) {
    case Term::Kind::kUnknown:
      return {};
    case Term::Kind::kConstant:
      return Known(index_.NamedBy(file, index));
    case Term::Kind::kParameter:
      return OfParameter(file, index);
    case Term::Kind::kVariable: {
      const Constant constant = index_.NamedBy(file, index);
      if (constant == TermIndex::kNone) return {};
      // Nobody sets a member of a class for one run.
      return {true, Constants(constant),
              HasPart(term.name, '.') ? Settings() : Settings(term.name)};
    }
    case Term::Kind::kAttribute:
      return OfAttribute(file, index);
    case Term::Kind::kEnvironment: {
      TermValue value = term.parts.empty() ? TermValue() : Read(file, term.parts.front());
      value.settings.Add(term.name);
      return value;
    }
    case Term::Kind::kNot: {
      TermValue value = Read(file, term.parts.front());
      Constants negated;
      for (const Constant constant : value.constants) negated.Add(Truth(IsFalsy(constant)));
      value.constants = negated;
      NegateOwnSetting(index_.files()[file].terms[term.parts.front()], value.settings);
      return value;
    }
    case Term::Kind::kAnd:
    case Term::Kind::kOr:
      return OfBoth(file, term);
    case Term::Kind::kCompare:
    case Term::Kind::kIsIn:
      return OfCompared(file, term);
  }
  return {};
}

TermValue TermValues::OfParameter(size_t file, uint32_t index) const {
  const size_t unit = first_units_[file] + index_.files()[file].terms[index].unit;
  if (forgotten_[unit]) return {};
  const auto found = parameters_.find(index_.NamedBy(file, index));
  return found == parameters_.end() ? TermValue() : found->second;
}

/// Of the code that gives the value; null if it does not run.
const Settings* TermValues::SettingsOf(const TermIndex::Place& place) const {
  const auto found = runs_.find(place.unit);
  return found == runs_.end() ? nullptr : &found->second;
}

TermValue TermValues::OfPlace(const TermIndex::Place& place) const {
  TermValue value = Read(place.file, place.value->term);
  const Term& given = index_.files()[place.file].terms[place.value->term];
  if (!place.value->option.empty()) {
    value.settings.Add(place.value->option);
  } else if (given.kind == Term::Kind::kConstant) {
    static const Settings kOwn(kOwnName);
    value.settings.Add(kOwn);
  }
  return value;
}

/// What must be set for the place to give its value; nothing if it gives none, whatever is set.
std::optional<Settings> TermValues::SettingsFor(const TermIndex::Place& place) const {
  const Settings* settings = SettingsOf(place);
  if (settings == nullptr) return std::nullopt;
  if (place.value->condition == kUnknownTerm) return *settings;
  const TermValue condition = Read(place.file, place.value->condition);
  if (IsNothing(condition)) return std::nullopt;
  if (!condition.IsClosed()) return *settings;
  if (condition.settings.empty()) return std::nullopt;
  return condition.settings;
}

/// Of a place that gives its value where the settings are set.
void TermValues::AddSet(const TermIndex::Place& place, const Settings& settings,
                        TermValue& value) const {
  if (value.constants.empty()) Join(value, OfPlace(place));
  value.settings.Add(settings);
}

TermValue TermValues::FromPlaces(size_t attribute) {
  // `x.flag = flag` of another x says nothing new, and behind `if x.flag` it is what it is without
  // that: its own places read what has been found so far.
  Attribute& asked = attributes_[attribute];
  const bool was_awaited = std::exchange(asked.is_awaited, true);
  TermValue before = std::exchange(asked.value, Nothing());
  TermValue& value = asked.value;
  // What is set where only settings lead changes what it is without them, if it is anything there.
  const std::vector<TermIndex::Place>& places = index_.PlacesOf(attribute);
  std::vector<std::pair<const TermIndex::Place*, const Settings*>> set_later;
  size_t conditions = 0;
  for (const TermIndex::Place& place : places) {
    if (!value.is_known) break;
    if (place.value->condition != kUnknownTerm) {
      ++conditions;
    } else if (const Settings* settings = SettingsOf(place); settings == nullptr) {
      continue;
    } else if (settings->empty()) {
      Join(value, OfPlace(place));
    } else {
      set_later.emplace_back(&place, settings);
    }
  }
  for (const auto& [place, settings] : set_later) {
    if (value.is_known) AddSet(*place, *settings, value);
  }
  for (const bool by_settings : {false, true}) {
    if (conditions == 0) break;
    for (const TermIndex::Place& place : places) {
      if (!value.is_known) break;
      if (place.value->condition == kUnknownTerm) continue;
      const auto settings = SettingsFor(place);
      if (!settings || settings->empty() == by_settings) continue;
      if (by_settings) {
        AddSet(place, *settings, value);
      } else {
        Join(value, OfPlace(place));
      }
    }
  }
  TermValue found = std::exchange(value, std::move(before));
  asked.is_awaited = was_awaited;
  // Of what is unknown nothing else makes a difference.
  return found.is_known ? found : TermValue();
}

TermValue TermValues::OfAttribute(size_t file, uint32_t index) const {
  const uint32_t attribute = index_.NamedBy(file, index);
  if (attribute == TermIndex::kNone) return {};
  const Term& term = index_.files()[file].terms[index];
  const Attribute& asked = attributes_[attribute];
  TermValue found = asked.value;
  Replace(found.settings, kOwnName, term.source);
  if (found.is_known && !term.parts.empty()) Join(found, Read(file, term.parts.front()));
  return IsNothing(found) && !asked.is_awaited ? TermValue() : found;
}

/// Nothing if Python does not compare them so.
std::optional<bool> TermValues::Compare(Constant a, std::string_view sign, Constant b) const {
  if (sign == "==" || sign == "!=") return (a == b) == (sign == "==");
  const std::optional<int64_t> left = index_.NumberOf(a);
  const std::optional<int64_t> right = index_.NumberOf(b);
  if (!left || !right) return std::nullopt;
  if (sign == "<") return *left < *right;
  if (sign == "<=") return *left <= *right;
  if (sign == ">") return *left > *right;
  if (sign == ">=") return *left >= *right;
  return std::nullopt;
}

/// What opens `if args.mode == "fast"` is the option with this value: "--mode fast". A switch takes
/// none.
void TermValues::NameValue(Constant constant, Settings& settings) const {
  std::string_view value = index_.TextOf(constant);
  const bool is_text = value.size() > 2 && value.front() == value.back() &&
                       (value.front() == '\'' || value.front() == '"');
  if (!is_text && !index_.NumberOf(constant)) return;
  if (is_text) value = value.substr(1, value.size() - 2);
  std::vector<std::string> named = settings.texts();
  for (std::string& setting : named) {
    const bool is_option = setting.starts_with('-') && setting.find(' ') == std::string::npos;
    if (is_option) setting.append(" ").append(value);
  }
  settings = Settings(std::move(named));
}

TermValue TermValues::OfCompared(size_t file, const Term& term) const {
  const TermValue left = Read(file, term.parts.front());
  TermValue value = {left.is_known, {}, left.settings};
  std::vector<Constant> others;
  for (size_t i = 1; i < term.parts.size(); ++i) {
    const TermValue other = Read(file, term.parts[i]);
    if (IsNothing(other)) return other;
    value.is_known = value.is_known && other.is_known;
    value.settings.Add(other.settings);
    others.insert(others.end(), other.constants.begin(), other.constants.end());
  }
  std::ranges::sort(others);
  others.erase(std::unique(others.begin(), others.end()), others.end());
  const bool is_in = term.kind == Term::Kind::kIsIn;
  for (const Constant constant : left.constants) {
    if (is_in) value.constants.Add(Truth(std::ranges::binary_search(others, constant)));
    for (const Constant other : others) {
      if (is_in) break;
      const std::optional<bool> truth = Compare(constant, term.name, other);
      if (!truth) return {};
      value.constants.Add(Truth(*truth));
    }
  }
  const bool asks_for_one = term.name == "==" && !is_in && others.size() == 1;
  // Whatever an option is given, it is not None.
  if (asks_for_one && index_.TextOf(others.front()) == "None" && value.IsClosed()) {
    std::vector<std::string> texts = value.settings.texts();
    std::erase_if(texts, [](const std::string& setting) { return setting[0] == '-'; });
    value.settings = Settings(std::move(texts));
  }
  if (asks_for_one && value.IsClosed() && !left.settings.empty() &&
      value.settings == left.settings) {
    NameValue(others.front(), value.settings);
  }
  return value;
}

TermValue TermValues::OfBoth(size_t file, const Term& term) const {
  const TermValue left = Read(file, term.parts[0]);
  const TermValue right = Read(file, term.parts[1]);
  TermValue both = Nothing();
  if (term.kind == Term::Kind::kAnd) {
    for (const TermValue* side : {&left, &right}) {
      if (!side->IsClosed()) continue;
      both.constants = Constants(TermIndex::kFalse);
      if (side->IsNever()) return Known(TermIndex::kFalse);
      // Both have to be set; the inner one says what the code is for.
      std::vector<Settings>& outer = both.outer;
      outer.insert(outer.end(), side->outer.begin(), side->outer.end());
      if (!both.settings.empty()) outer.push_back(both.settings);
      std::ranges::sort(outer);
      outer.erase(std::unique(outer.begin(), outer.end()), outer.end());
      if (outer.size() > kMostOuter) outer.resize(kMostOuter);
      both.settings = side->settings;
    }
    if (!both.constants.empty()) return both;
    if (IsNothing(left) || IsNothing(right)) return both;
    if (!IsAlwaysTrue(left) || !IsAlwaysTrue(right)) return {};
    both.constants = Constants(TermIndex::kTrue);
  } else {
    for (const TermValue* side : {&left, &right}) {
      if (!IsAlwaysTrue(*side)) continue;
      both.constants = Constants(TermIndex::kTrue);
      if (side->settings.empty()) return Known(TermIndex::kTrue);
      both.settings.Add(side->settings);
    }
    if (!both.constants.empty()) return both;
    if (IsNothing(left) || IsNothing(right)) return both;
    if (!left.IsClosed() || !right.IsClosed()) return {};
    both.constants = Constants(TermIndex::kFalse);
  }
  both.settings.Add(left.settings);
  both.settings.Add(right.settings);
  return both;
}

}  // namespace transplt
