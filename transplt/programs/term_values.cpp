// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/term_values.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace transplt {
namespace {

constexpr size_t kMostConstants = 8;

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

/// What may be the one or the other; true if that is something else.
bool Join(TermValue& value, const TermValue& other) {
  const bool was_known = value.is_known;
  bool has_changed = Add(value.constants, other.constants);
  has_changed |= Add(value.settings, other.settings);
  if (value.outer != other.outer) value.outer.clear();
  value.is_known = was_known && other.is_known && value.constants.size() <= kMostConstants;
  return has_changed || value.is_known != was_known;
}

/// The unit of the file whose code gives the value.
size_t UnitOf(const FileUnits& file, const AttributeValue& value) {
  return value.line == 0 ? 0 : file.StartAt(value.line).unit;
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

bool TermValue::IsClosed() const {
  return is_known && !constants.empty() && std::ranges::all_of(constants, IsFalsyConstant);
}

TermIndex::TermIndex(const std::vector<std::string>& paths, const std::vector<FileUnits>& files)
    : paths_(paths), files_(files) {
  for (const FileUnits& file : files_) {
    // What stands behind one condition shares it.
    uint32_t last = kUnknownTerm;
    for (size_t i = 0; i < file.conditions(); ++i) {
      const uint32_t condition = file.ConditionAt(i);
      if (condition != last) AskFor(file, condition);
      last = condition;
    }
    for (const CodeUnit& unit : file.units) {
      for (const Mention& mention : unit.mentions) AskFor(file, mention.condition);
    }
  }
  // What gives those a value depends on further ones.
  for (size_t known = 0; known != wanted_.size() + asked_.size();) {
    known = wanted_.size() + asked_.size();
    for (const FileUnits& file : files_) {
      for (const auto& [name, values] : file.attributes) {
        if (!wanted_.contains(name)) continue;
        for (const AttributeValue& value : values) {
          AskFor(file, value.term);
          AskFor(file, value.condition);
        }
      }
    }
    AskForWhatIsPassed();
  }
  for (const FileUnits& file : files_) {
    for (const CodeUnit& unit : file.units) {
      std::vector<size_t>& positions = asked_of_units_.emplace_back();
      for (size_t i = 0; i < unit.parameters.size(); ++i) {
        if (asked_.contains(unit.parameters[i].dest)) positions.push_back(i);
      }
    }
  }
  AddAttributes();
}

void TermIndex::AskFor(const FileUnits& file, uint32_t term) {
  const Term& wanted = file.terms[term];
  if (wanted.kind == Term::Kind::kParameter) asked_.insert(wanted.name);
  if (wanted.kind == Term::Kind::kAttribute) wanted_.insert(wanted.name);
  for (const uint32_t part : wanted.parts) AskFor(file, part);
}

void TermIndex::FindAskedPositions() {
  for (const FileUnits& file : files_) {
    for (const CodeUnit& unit : file.units) {
      const size_t dot = unit.name.rfind('.');
      const std::string last = dot == std::string::npos ? unit.name : unit.name.substr(dot + 1);
      for (size_t i = 0; i < unit.parameters.size(); ++i) {
        if (!asked_.contains(unit.parameters[i].dest)) continue;
        const auto note = [&](const std::string& name) {
          std::vector<bool>& positions = asked_positions_[name];
          positions.resize(std::max(positions.size(), i + 1));
          positions[i] = true;
        };
        note(last);
        if (last == "__init__" && dot != std::string::npos) {
          const std::string holder = unit.name.substr(0, dot);
          note(holder.substr(holder.rfind('.') + 1));
        }
      }
    }
  }
}

bool TermIndex::IsAskedAt(std::string_view function, size_t position) const {
  const auto found = asked_positions_.find(std::string(function));
  return found != asked_positions_.end() && position < found->second.size() &&
         found->second[position];
}

/// By names: which function a method call gets to is not known yet.
void TermIndex::AskForWhatIsPassed() {
  FindAskedPositions();
  for (const FileUnits& file : files_) {
    for (const CodeUnit& unit : file.units) {
      const auto ask = [&](std::string_view function, const PassedValues& passed) {
        size_t position = 0;
        for (const PassedValue& value : passed.values) {
          const bool is_asked = value.keyword.empty() ? IsAskedAt(function, position++)
                                                      : asked_.contains(value.keyword);
          if (is_asked) AskFor(file, value.term);
        }
      };
      for (const Mention& mention : unit.mentions) {
        const std::string_view name = mention.target.name;
        ask(name.substr(name.rfind('.') + 1), mention.passed);
      }
      for (const MethodCall& call : unit.calls) ask(call.method, call.passed);
    }
  }
}

void TermIndex::AddAttributes() {
  gives_values_.resize(units());
  size_t first_unit = 0;
  for (size_t file = 0; file < files_.size(); ++file) {
    for (const auto& [name, values] : files_[file].attributes) {
      if (!wanted_.contains(name)) continue;
      for (const AttributeValue& value : values) {
        const size_t unit = first_unit + UnitOf(files_[file], value);
        attributes_[name].push_back({file, unit, &value});
        if (unit < gives_values_.size()) gives_values_[unit] = true;
      }
    }
    first_unit += files_[file].units.size();
  }
}

const std::vector<TermIndex::Place>* TermIndex::PlacesOf(const std::string& attribute) const {
  const auto found = attributes_.find(attribute);
  return found == attributes_.end() ? nullptr : &found->second;
}

std::string TermIndex::ConstantOf(const std::string& path, const std::string& name) const {
  const auto at = std::ranges::lower_bound(paths_, path);
  if (at == paths_.end() || *at != path) return "";
  const FileUnits& file = files_[static_cast<size_t>(at - paths_.begin())];
  const auto found = file.constants.find(name);
  return found == file.constants.end() ? "" : file.terms[found->second].name;
}

bool TermValues::Pass(const PassedValues& passed, size_t file,
                      const std::set<std::string>& settings, const CodeUnit& code, size_t unit,
                      size_t file_of_unit) {
  if (forgotten_[unit]) return false;
  if (!passed.is_known || code.most_parameters != code.parameters.size()) {
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
      const bool fits = value.keyword.empty() ? position++ == i : value.keyword == name;
      if (fits) given = &value;
    }
    TermValue value = given != nullptr ? Of(file, given->term) : Of(file_of_unit, code.defaults[i]);
    if (before == parameters_.end()) {
      parameters_.emplace(std::pair(unit, std::string_view(name)), std::move(value));
      has_changed = true;
    } else if (settings.empty()) {
      has_changed |= Join(before->second, value);
    } else if (!value.is_known ||
               !std::ranges::includes(before->second.constants, value.constants)) {
      // Without the settings it stays what it is.
      has_changed |= Add(before->second.settings, settings);
    }
  }
  if (has_changed) ++version_;
  return has_changed;
}

bool TermValues::IsSettled(const CodeUnit& code, size_t unit) const {
  return forgotten_[unit] || std::ranges::all_of(index_.AskedOf(unit), [&](size_t i) {
           const auto found = parameters_.find({unit, code.parameters[i].dest});
           return found != parameters_.end() && !found->second.is_known;
         });
}

TermValue TermValues::Of(size_t file, uint32_t index) const {
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
      TermValue value = term.parts.empty() ? TermValue() : Of(file, term.parts.front());
      value.settings.insert(term.name);
      return value;
    }
    case Term::Kind::kNot: {
      TermValue value = Of(file, term.parts.front());
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

TermValue TermValues::OfPlace(const TermIndex::Place& place, const Term& asked) const {
  TermValue value = Of(place.file, place.value->term);
  const Term& given = index_.files()[place.file].terms[place.value->term];
  if (!place.value->option.empty()) {
    value.settings.insert(place.value->option);
  } else if (given.kind == Term::Kind::kConstant) {
    value.settings.insert(asked.source);
  }
  return value;
}

/// What must be set for the place to give its value; nothing if it gives none, whatever is set.
std::optional<std::set<std::string>> TermValues::SettingsFor(const TermIndex::Place& place) const {
  const std::set<std::string>* settings = SettingsOf(place);
  if (settings == nullptr) return std::nullopt;
  if (place.value->condition == kUnknownTerm) return *settings;
  const TermValue condition = Of(place.file, place.value->condition);
  if (!condition.IsClosed()) return *settings;
  if (condition.settings.empty()) return std::nullopt;
  return condition.settings;
}

TermValue TermValues::OfAttribute(size_t file, const Term& term) const {
  const std::vector<TermIndex::Place>* places = index_.PlacesOf(term.name);
  if (places == nullptr) return {};
  // `x.flag = flag` of another x says nothing new, and behind `if x.flag` it is what it is without
  // that.
  const auto [open, is_new] = open_.try_emplace(term.name, TermValue{true, {}, {}});
  if (!is_new) return open->second;
  // Places of an open map stay where they are.
  TermValue& value = open->second;
  // What is set where only settings lead changes what it is without them, if it is anything there.
  for (const bool has_condition : {false, true}) {
    for (const bool by_settings : {false, true}) {
      for (const TermIndex::Place& place : *places) {
        if (!value.is_known) break;
        if ((place.value->condition != kUnknownTerm) != has_condition) continue;
        const auto settings = SettingsFor(place);
        if (!settings || settings->empty() == by_settings) continue;
        const TermValue given = OfPlace(place, term);
        const bool is_default = !by_settings || value.constants.empty();
        if (is_default) Join(value, given);
        if (by_settings) value.settings.insert(settings->begin(), settings->end());
      }
    }
  }
  TermValue found = std::move(value);
  open_.erase(term.name);
  if (found.is_known && !term.parts.empty()) Join(found, Of(file, term.parts.front()));
  if (found.constants.empty()) found.is_known = false;
  return found;
}

TermValue TermValues::OfCompared(size_t file, const Term& term) const {
  const TermValue left = Of(file, term.parts.front());
  TermValue value = {left.is_known, {}, left.settings};
  std::set<std::string> others;
  for (size_t i = 1; i < term.parts.size(); ++i) {
    const TermValue other = Of(file, term.parts[i]);
    value.is_known = value.is_known && other.is_known;
    value.settings.insert(other.settings.begin(), other.settings.end());
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
  if (asks_for_one && value.IsClosed() && !left.settings.empty() &&
      value.settings == left.settings) {
    NameValue(*others.begin(), value.settings);
  }
  return value;
}

TermValue TermValues::OfBoth(size_t file, const Term& term) const {
  const TermValue left = Of(file, term.parts[0]);
  const TermValue right = Of(file, term.parts[1]);
  TermValue both = {true, {}, {}};
  const auto add_settings = [&](const TermValue& value) {
    both.settings.insert(value.settings.begin(), value.settings.end());
  };
  if (term.kind == Term::Kind::kAnd) {
    for (const TermValue* side : {&left, &right}) {
      if (!side->IsClosed()) continue;
      both.constants = {"False"};
      if (side->IsNever()) return Known("False");
      // Both have to be set; the inner one says what the code is for.
      both.outer.insert(side->outer.begin(), side->outer.end());
      if (!both.settings.empty()) both.outer.insert(both.settings);
      both.settings = side->settings;
    }
    if (!both.constants.empty()) return both;
    if (!IsAlwaysTrue(left) || !IsAlwaysTrue(right)) return {};
    both.constants = {"True"};
  } else {
    for (const TermValue* side : {&left, &right}) {
      if (!IsAlwaysTrue(*side)) continue;
      both.constants = {"True"};
      if (side->settings.empty()) return Known("True");
      add_settings(*side);
    }
    if (!both.constants.empty()) return both;
    if (!left.IsClosed() || !right.IsClosed()) return {};
    both.constants = {"False"};
  }
  add_settings(left);
  add_settings(right);
  return both;
}

}  // namespace transplt
