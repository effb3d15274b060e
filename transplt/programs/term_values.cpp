// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/term_values.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace transplt {
namespace {

constexpr size_t kMostConstants = 8;
constexpr size_t kMostSettings = 8;
/// More places than this give a key some value that is not known.
constexpr size_t kMostKeys = 500;
/// A value has a height: some constants, some settings, unknown. What changes more often goes round
/// in a circle.
constexpr uint8_t kMostChanges = 64;
/// Stands in the settings of an attribute for the name by which it is asked.
const char* const kOwnName = "";

std::optional<int64_t> NumberOf(const std::string& constant) {
  int64_t number = 0;
  const char* const end = constant.data() + constant.size();
  const auto [stop, error] = std::from_chars(constant.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

/// Nothing if Python does not compare them so.
std::optional<bool> Compared(const std::string& a, std::string_view sign, const std::string& b) {
  if (sign == "==" || sign == "!=") return (a == b) == (sign == "==");
  const std::optional<int64_t> left = NumberOf(a);
  const std::optional<int64_t> right = NumberOf(b);
  if (!left || !right) return std::nullopt;
  if (sign == "<") return *left < *right;
  if (sign == "<=") return *left <= *right;
  if (sign == ">") return *left > *right;
  if (sign == ">=") return *left >= *right;
  return std::nullopt;
}

TermValue Known(std::string constant) { return {true, {std::move(constant)}, {}}; }
std::string TextOf(bool truth) { return truth ? "True" : "False"; }

/// True if some of them are new.
bool Add(std::set<std::string>& to, const std::set<std::string>& others) {
  const size_t before = to.size();
  to.insert(others.begin(), others.end());
  return to.size() != before;
}

/// Nothing has given it a value yet.
bool IsNothing(const TermValue& value) { return value.is_known && value.constants.empty(); }

/// What may be the one or the other; true if that is something else.
bool Join(TermValue& value, const TermValue& other) {
  const bool was_known = value.is_known;
  bool has_changed = Add(value.constants, other.constants);
  has_changed |= AddSettings(value.settings, other.settings);
  if (value.outer != other.outer) value.outer.clear();
  value.is_known = was_known && other.is_known && value.constants.size() <= kMostConstants;
  return has_changed || value.is_known != was_known;
}

bool IsAlwaysTrue(const TermValue& value) {
  return value.is_known && !value.constants.empty() &&
         std::ranges::none_of(value.constants, IsFalsyConstant);
}

/// What opens `if not self.flag` is that it is not set: "not self.flag". An option names the value
/// that it gives.
void NegateOwnSetting(const Term& term, std::set<std::string>& settings) {
  const bool is_variable = term.kind == Term::Kind::kVariable;
  if (!is_variable && term.kind != Term::Kind::kAttribute) return;
  const std::string& name = is_variable ? term.name : term.source;
  if (settings.erase(name) > 0) settings.insert("not " + name);
}

/// What opens `if args.mode == "fast"` is the option with this value: "--mode fast". A switch takes
/// none.
void NameValue(const std::string& constant, std::set<std::string>& settings) {
  const bool is_text = constant.size() > 2 && constant.front() == constant.back() &&
                       (constant.front() == '\'' || constant.front() == '"');
  if (!is_text && !NumberOf(constant)) return;
  const std::string value = is_text ? constant.substr(1, constant.size() - 2) : constant;
  std::set<std::string> named;
  for (const std::string& setting : settings) {
    const bool is_option = setting.starts_with('-') && setting.find(' ') == std::string::npos;
    named.insert(is_option ? setting + " " + value : setting);
  }
  settings = std::move(named);
}

}  // namespace

bool AddSettings(std::set<std::string>& to, const std::set<std::string>& others) {
  bool has_changed = false;
  for (const std::string& setting : others) {
    if (to.size() >= kMostSettings && *to.rbegin() < setting) break;
    has_changed |= to.insert(setting).second;
    if (to.size() > kMostSettings) to.erase(std::prev(to.end()));
  }
  return has_changed;
}

bool TermValue::IsClosed() const {
  return is_known && !constants.empty() && std::ranges::all_of(constants, IsFalsyConstant);
}

bool TermValues::Pass(const PassedValues& passed, size_t file,
                      const std::set<std::string>& settings, const CodeUnit& code, size_t unit,
                      size_t file_of_unit) {
  if (forgotten_[unit]) return false;
  if (!passed.is_known) {
    Forget(unit);
    return true;
  }
  bool has_changed = false;
  for (const size_t i : index_.AskedOf(unit)) {
    const std::string& name = code.parameters[i].dest;
    // What is not known stays so, whatever else it may be.
    const auto before = parameters_.find({unit, name});
    if (before != parameters_.end() && !before->second.is_known) continue;
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
      parameters_.emplace(std::pair(unit, std::string_view(name)), std::move(value));
      has_changed = true;
    } else if (settings.empty()) {
      has_changed |= Join(before->second, value);
    } else if (!value.is_known ||
               !std::ranges::includes(before->second.constants, value.constants)) {
      // Without the settings it stays what it is.
      has_changed |= AddSettings(before->second.settings, settings);
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
  AddSettings(value.settings, {parameter});
  for (const TermIndex::Place& place : *places) {
    if (!value.is_known) return;
    const auto settings = SettingsFor(place);
    if (!settings) continue;
    const TermValue given = OfHandedOn(place);
    if (IsNothing(given)) continue;
    if (settings->empty()) {
      Join(value, given);
    } else {
      AddSettings(value.settings, *settings);
    }
  }
}

/// `f(flag=flag)` hands on what the function around it has been handed: nothing new before that.
TermValue TermValues::OfHandedOn(const TermIndex::Place& place) const {
  const Term& given = index_.files()[place.file].terms[place.value->term];
  if (given.kind == Term::Kind::kParameter) {
    const size_t unit = first_units_[place.file] + given.unit;
    if (forgotten_[unit]) return {};
    const auto found = parameters_.find({unit, given.name});
    return found == parameters_.end() ? TermValue{true, {}, {}} : found->second;
  }
  TermValue value = Read(place.file, place.value->term);
  if (!place.value->option.empty()) AddSettings(value.settings, {place.value->option});
  return value;
}

bool TermValues::IsSettled(const CodeUnit& code, size_t unit) const {
  return forgotten_[unit] || std::ranges::all_of(index_.AskedOf(unit), [&](size_t i) {
           const auto found = parameters_.find({unit, code.parameters[i].dest});
           return found != parameters_.end() && !found->second.is_known;
         });
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
      return Known(term.name);
    case Term::Kind::kParameter:
      return OfParameter(file, term);
    case Term::Kind::kVariable: {
      std::string constant = index_.ConstantOf(term.source, term.name);
      if (constant.empty()) return {};
      return {true, {std::move(constant)}, {term.name}};
    }
    case Term::Kind::kAttribute:
      return OfAttribute(file, term);
    case Term::Kind::kEnvironment: {
      TermValue value = term.parts.empty() ? TermValue() : Read(file, term.parts.front());
      AddSettings(value.settings, {term.name});
      return value;
    }
    case Term::Kind::kNot: {
      TermValue value = Read(file, term.parts.front());
      std::set<std::string> negated;
      for (const std::string& constant : value.constants) {
        negated.insert(TextOf(IsFalsyConstant(constant)));
      }
      value.constants = std::move(negated);
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

TermValue TermValues::OfParameter(size_t file, const Term& term) const {
  const size_t unit = first_units_[file] + term.unit;
  if (forgotten_[unit]) return {};
  const auto found = parameters_.find({unit, term.name});
  return found == parameters_.end() ? TermValue() : found->second;
}

/// Of the code that gives the value; null if it does not run.
const std::set<std::string>* TermValues::SettingsOf(const TermIndex::Place& place) const {
  const auto found = runs_.find(place.unit);
  return found == runs_.end() ? nullptr : &found->second;
}

TermValue TermValues::OfPlace(const TermIndex::Place& place) const {
  TermValue value = Read(place.file, place.value->term);
  const Term& given = index_.files()[place.file].terms[place.value->term];
  if (!place.value->option.empty()) {
    AddSettings(value.settings, {place.value->option});
  } else if (given.kind == Term::Kind::kConstant) {
    AddSettings(value.settings, {kOwnName});
  }
  return value;
}

/// What must be set for the place to give its value; nothing if it gives none, whatever is set.
std::optional<std::set<std::string>> TermValues::SettingsFor(const TermIndex::Place& place) const {
  const std::set<std::string>* settings = SettingsOf(place);
  if (settings == nullptr) return std::nullopt;
  if (place.value->condition == kUnknownTerm) return *settings;
  const TermValue condition = Read(place.file, place.value->condition);
  if (IsNothing(condition)) return std::nullopt;
  if (!condition.IsClosed()) return *settings;
  if (condition.settings.empty()) return std::nullopt;
  return condition.settings;
}

/// Of a place that gives its value where the settings are set.
void TermValues::AddSet(const TermIndex::Place& place, const std::set<std::string>& settings,
                        TermValue& value) const {
  if (value.constants.empty()) Join(value, OfPlace(place));
  AddSettings(value.settings, settings);
}

TermValue TermValues::FromPlaces(size_t attribute) {
  // `x.flag = flag` of another x says nothing new, and behind `if x.flag` it is what it is without
  // that: its own places read what has been found so far.
  Attribute& asked = attributes_[attribute];
  const bool was_awaited = std::exchange(asked.is_awaited, true);
  TermValue before = std::exchange(asked.value, TermValue{true, {}, {}});
  TermValue& value = asked.value;
  // What is set where only settings lead changes what it is without them, if it is anything there.
  const std::vector<TermIndex::Place>& places = index_.PlacesOf(attribute);
  std::vector<std::pair<const TermIndex::Place*, const std::set<std::string>*>> set_later;
  size_t conditions = 0;
  for (const TermIndex::Place& place : places) {
    if (!value.is_known) break;
    if (place.value->condition != kUnknownTerm) {
      ++conditions;
    } else if (const std::set<std::string>* settings = SettingsOf(place); settings == nullptr) {
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

TermValue TermValues::OfAttribute(size_t file, const Term& term) const {
  const std::optional<size_t> attribute = index_.AttributeIndex(term.name);
  if (!attribute) return {};
  const Attribute& asked = attributes_[*attribute];
  TermValue found = asked.value;
  if (found.settings.erase(kOwnName) > 0) AddSettings(found.settings, {term.source});
  if (found.is_known && !term.parts.empty()) Join(found, Read(file, term.parts.front()));
  return IsNothing(found) && !asked.is_awaited ? TermValue() : found;
}

TermValue TermValues::OfCompared(size_t file, const Term& term) const {
  const TermValue left = Read(file, term.parts.front());
  TermValue value = {left.is_known, {}, left.settings};
  std::set<std::string> others;
  for (size_t i = 1; i < term.parts.size(); ++i) {
    const TermValue other = Read(file, term.parts[i]);
    if (IsNothing(other)) return other;
    value.is_known = value.is_known && other.is_known;
    AddSettings(value.settings, other.settings);
    others.insert(other.constants.begin(), other.constants.end());
  }
  const bool is_in = term.kind == Term::Kind::kIsIn;
  for (const std::string& constant : left.constants) {
    if (is_in) value.constants.insert(TextOf(others.contains(constant)));
    for (const std::string& other : others) {
      if (is_in) break;
      const std::optional<bool> truth = Compared(constant, term.name, other);
      if (!truth) return {};
      value.constants.insert(TextOf(*truth));
    }
  }
  const bool asks_for_one = term.name == "==" && !is_in && others.size() == 1;
  // Whatever an option is given, it is not None.
  if (asks_for_one && others.contains("None") && value.IsClosed()) {
    std::erase_if(value.settings, [](const std::string& setting) { return setting[0] == '-'; });
  }
  if (asks_for_one && value.IsClosed() && !left.settings.empty() &&
      value.settings == left.settings) {
    NameValue(*others.begin(), value.settings);
  }
  return value;
}

TermValue TermValues::OfBoth(size_t file, const Term& term) const {
  const TermValue left = Read(file, term.parts[0]);
  const TermValue right = Read(file, term.parts[1]);
  TermValue both = {true, {}, {}};
  if (term.kind == Term::Kind::kAnd) {
    for (const TermValue* side : {&left, &right}) {
      if (!side->IsClosed()) continue;
      both.constants = {"False"};
      if (side->IsNever()) return Known("False");
      // Both have to be set; the inner one says what the code is for.
      both.outer.insert(side->outer.begin(), side->outer.end());
      if (!both.settings.empty()) both.outer.insert(both.settings);
      while (both.outer.size() > kMostSettings) both.outer.erase(std::prev(both.outer.end()));
      both.settings = side->settings;
    }
    if (!both.constants.empty()) return both;
    if (IsNothing(left) || IsNothing(right)) return both;
    if (!IsAlwaysTrue(left) || !IsAlwaysTrue(right)) return {};
    both.constants = {"True"};
  } else {
    for (const TermValue* side : {&left, &right}) {
      if (!IsAlwaysTrue(*side)) continue;
      both.constants = {"True"};
      if (side->settings.empty()) return Known("True");
      AddSettings(both.settings, side->settings);
    }
    if (!both.constants.empty()) return both;
    if (IsNothing(left) || IsNothing(right)) return both;
    if (!left.IsClosed() || !right.IsClosed()) return {};
    both.constants = {"False"};
  }
  AddSettings(both.settings, left.settings);
  AddSettings(both.settings, right.settings);
  return both;
}

}  // namespace transplt
