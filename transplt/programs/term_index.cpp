// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/term_index.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

namespace transplt {
namespace {

/// The unit of the file whose code gives the value.
size_t UnitOf(const FileUnits& file, const AttributeValue& value) {
  return value.line == 0 ? 0 : file.StartAt(value.line).unit;
}

std::optional<int64_t> NumberIn(std::string_view constant) {
  int64_t number = 0;
  const char* const end = constant.data() + constant.size();
  const auto [stop, error] = std::from_chars(constant.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

/// Acts on "attn_use_flash", "use_flash" and "flash".
template <typename Act>
void ForEachEnd(std::string_view name, Act act) {
  act(name);
  for (size_t bar = name.find('_', 1); bar != name.npos; bar = name.find('_', bar + 1)) {
    if (bar + 1 < name.size()) act(name.substr(bar + 1));
  }
}

/// The names of the attributes and parameters on which conditions depend, and of those that give
/// them their values. By names: which function a method call gets to is not known yet.
class WantedNames {
 public:
  using Names = std::unordered_set<std::string_view>;

  explicit WantedNames(const std::vector<FileUnits>& files) {
    for (const FileUnits& file : files) AddNames(file);
    for (const FileUnits& file : files) AskForConditions(file);
    while (!due_.empty()) {
      const auto [name, is_parameter] = due_.back();
      due_.pop_back();
      is_parameter ? AskForWhatIsPassed(name) : AskForWhatIsGiven(name);
    }
  }

  const Names& attributes() const { return attributes_; }
  const Names& parameters() const { return parameters_; }
  /// Those of `parameters` that calls may hand over in `**values`.
  const Names& handed_on() const { return handed_on_; }

 private:
  struct Due {
    std::string_view name;
    bool is_parameter = false;
  };
  /// A function, or a class by which it is called.
  struct Position {
    std::string_view function;
    size_t position = 0;
  };
  template <typename T>
  using ByName = std::unordered_map<std::string_view, std::vector<T>>;
  using TermAt = std::pair<const FileUnits*, uint32_t>;

  static std::string_view LastPart(std::string_view name) {
    return name.substr(name.rfind('.') + 1);
  }

  void AddNames(const FileUnits& file) {
    for (const auto& [name, values] : file.attributes) {
      for (const AttributeValue& value : values) {
        givers_[name].emplace_back(&file, value.term);
        givers_[name].emplace_back(&file, value.condition);
        if (!value.is_key) continue;
        ForEachEnd(name, [&](std::string_view end) {
          keys_[end].emplace_back(&file, value.term);
          keys_[end].emplace_back(&file, value.condition);
        });
      }
    }
    for (const CodeUnit& unit : file.units) {
      const std::string_view name = unit.name;
      const std::string_view last = LastPart(name);
      const bool makes = last == "__init__" && last != name;
      for (size_t i = 0; i < unit.parameters.size(); ++i) {
        std::vector<Position>& positions = positions_[unit.parameters[i].dest];
        positions.push_back({last, i});
        if (!makes) continue;
        positions.push_back({LastPart(name.substr(0, name.size() - last.size() - 1)), i});
      }
      for (const Mention& mention : unit.mentions) {
        AddPassed(file, LastPart(mention.target.name), mention.passed);
      }
      for (const MethodCall& call : unit.calls) AddPassed(file, call.method, call.passed);
    }
  }

  void AddPassed(const FileUnits& file, std::string_view function, const PassedValues& passed) {
    bool has_positional = false;
    if (passed.has_splat) splatted_.insert(function);
    for (const auto& [keyword, term] : passed.values) {
      if (term == kUnknownTerm) continue;
      has_positional |= keyword.empty();
      if (!keyword.empty()) keywords_[keyword].emplace_back(&file, term);
    }
    if (has_positional) calls_[function].emplace_back(&file, &passed);
  }

  void AskForConditions(const FileUnits& file) {
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

  void AskFor(const FileUnits& file, uint32_t term) {
    const Term& wanted = file.terms[term];
    const bool is_parameter = wanted.kind == Term::Kind::kParameter;
    if (is_parameter || wanted.kind == Term::Kind::kAttribute) {
      Names& names = is_parameter ? parameters_ : attributes_;
      if (names.insert(wanted.name).second) due_.push_back({wanted.name, is_parameter});
    }
    for (const uint32_t part : wanted.parts) AskFor(file, part);
  }

  void AskForWhatIsGiven(std::string_view attribute) {
    const auto found = givers_.find(attribute);
    if (found == givers_.end()) return;
    for (const auto& [file, term] : found->second) AskFor(*file, term);
  }

  void AskForWhatIsPassed(std::string_view parameter) {
    if (const auto named = keywords_.find(parameter); named != keywords_.end()) {
      for (const auto& [file, term] : named->second) AskFor(*file, term);
    }
    const auto positions = positions_.find(parameter);
    if (positions == positions_.end()) return;
    for (const auto& [function, position] : positions->second) {
      if (Ask(function, position)) AskForPositional(function, position);
      if (!splatted_.contains(function) || !handed_on_.insert(parameter).second) continue;
      const auto keys = keys_.find(parameter);
      if (keys == keys_.end()) continue;
      for (const auto& [file, term] : keys->second) AskFor(*file, term);
    }
  }

  /// True if nobody has asked for it before.
  bool Ask(std::string_view function, size_t position) {
    std::vector<bool>& asked = asked_[function];
    if (asked.size() <= position) asked.resize(position + 1);
    if (asked[position]) return false;
    asked[position] = true;
    return true;
  }

  void AskForPositional(std::string_view function, size_t position) {
    const auto calls = calls_.find(function);
    if (calls == calls_.end()) return;
    for (const auto& [file, passed] : calls->second) {
      size_t at = 0;
      for (const auto& [keyword, term] : passed->values) {
        if (keyword.empty() && at++ == position) AskFor(*file, term);
      }
    }
  }

  Names attributes_;
  Names parameters_;
  Names handed_on_;
  Names splatted_;              // functions that get `**values`
  std::vector<Due> due_;        // names whose givers have not been asked for
  ByName<TermAt> givers_;       // what gives the attribute its value, and behind which condition
  ByName<TermAt> keys_;         // likewise of keys, by each end of their names
  ByName<TermAt> keywords_;     // what is passed by that keyword
  ByName<Position> positions_;  // where parameters have that name
  ByName<std::pair<const FileUnits*, const PassedValues*>> calls_;  // of the function
  std::unordered_map<std::string_view, std::vector<bool>> asked_;   // positions of the function
};

}  // namespace

TermIndex::TermIndex(const std::vector<std::string>& paths, const std::vector<FileUnits>& files,
                     const std::set<std::string, std::less<>>& configured)
    : paths_(paths), files_(files) {
  const WantedNames wanted(files);
  size_t parameters = 0;
  for (const FileUnits& file : files_) {
    for (const CodeUnit& unit : file.units) {
      std::vector<size_t>& positions = asked_of_units_.emplace_back();
      for (size_t i = 0; i < unit.parameters.size(); ++i) {
        if (wanted.parameters().contains(unit.parameters[i].dest)) positions.push_back(i);
      }
      first_parameters_.push_back(parameters);
      parameters += positions.size();
    }
  }
  AddConstants();
  AddAttributes(wanted.attributes());
  AddHandedOn(wanted.handed_on(), configured);
  AddNamed();
  AddDependents();
}

void TermIndex::AddConstants() {
  const auto add = [&](std::string_view text) {
    const Constant number = static_cast<Constant>(2 * constants_.size()) + IsFalsyConstant(text);
    if (numbers_.emplace(text, number).second) constants_.push_back({text, NumberIn(text)});
  };
  add("False");
  add("True");
  for (const FileUnits& file : files_) {
    for (const Term& term : file.terms) {
      if (term.kind == Term::Kind::kConstant) add(term.name);
    }
  }
}

Constant TermIndex::ConstantAt(std::string_view text) const {
  const auto found = numbers_.find(text);
  return found == numbers_.end() ? kNone : found->second;
}

void TermIndex::AddNamed() {
  size_t first_unit = 0;
  for (const FileUnits& file : files_) {
    std::vector<uint32_t>& named = named_.emplace_back();
    named.reserve(file.terms.size());
    for (const Term& term : file.terms) named.push_back(NamedBy(file, term, first_unit));
    first_unit += file.units.size();
  }
}

uint32_t TermIndex::NamedBy(const FileUnits& file, const Term& term, size_t first_unit) const {
  switch (term.kind) {
    case Term::Kind::kConstant:
      return ConstantAt(term.name);
    case Term::Kind::kVariable:
      return ConstantAt(ConstantOf(term.source, term.name));
    case Term::Kind::kAttribute:
      return AttributeIndex(term.name);
    case Term::Kind::kParameter: {
      const size_t unit = first_unit + term.unit;
      const std::vector<size_t>& asked = asked_of_units_[unit];
      const auto& parameters = file.units[term.unit].parameters;
      for (size_t i = 0; i < asked.size(); ++i) {
        if (parameters[asked[i]].dest == term.name)
          return static_cast<uint32_t>(first_parameters_[unit] + i);
      }
      return kNone;
    }
    default:
      return kNone;
  }
}

void TermIndex::AddAttributes(const std::unordered_set<std::string_view>& wanted) {
  gives_values_.resize(units());
  size_t first_unit = 0;
  for (size_t file = 0; file < files_.size(); ++file) {
    for (const auto& [name, values] : files_[file].attributes) {
      if (!wanted.contains(name)) continue;
      const auto [known, is_new] = attributes_.try_emplace(name, places_.size());
      if (is_new) places_.emplace_back();
      for (const AttributeValue& value : values) {
        const size_t unit = first_unit + UnitOf(files_[file], value);
        places_[known->second].push_back({file, unit, &value});
        if (unit < gives_values_.size()) gives_values_[unit] = true;
      }
    }
    first_unit += files_[file].units.size();
  }
}

void TermIndex::AddHandedOn(const std::unordered_set<std::string_view>& parameters,
                            const std::set<std::string, std::less<>>& configured) {
  for (const std::string_view parameter : parameters) handed_on_.try_emplace(parameter);
  size_t first_unit = 0;
  for (size_t file = 0; file < files_.size(); ++file) {
    for (const auto& [name, values] : files_[file].attributes) {
      ForEachEnd(name, [&](std::string_view end) {
        const auto parameter = handed_on_.find(end);
        if (parameter == handed_on_.end()) return;
        for (const AttributeValue& value : values) {
          if (!value.is_key) continue;
          const size_t unit = first_unit + UnitOf(files_[file], value);
          parameter->second.push_back({file, unit, &value});
          if (unit < gives_values_.size()) gives_values_[unit] = true;
        }
      });
    }
    first_unit += files_[file].units.size();
  }
  for (const std::string& key : configured) {
    ForEachEnd(key, [&](std::string_view end) { handed_on_.erase(end); });
  }
}

const std::vector<TermIndex::Place>* TermIndex::HandedOnAs(std::string_view parameter) const {
  const auto found = handed_on_.find(parameter);
  return found == handed_on_.end() ? nullptr : &found->second;
}

void TermIndex::AddDependents() {
  dependents_.resize(attributes());
  dependents_of_units_.resize(units());
  std::vector<size_t> first_units;
  size_t first_unit = 0;
  for (const FileUnits& file : files_) {
    first_units.push_back(first_unit);
    first_unit += file.units.size();
  }
  for (size_t attribute = 0; attribute < attributes(); ++attribute) {
    for (const Place& place : places_[attribute]) {
      const FileUnits& file = files_[place.file];
      if (place.unit < units()) dependents_of_units_[place.unit].push_back(attribute);
      AddDependent(attribute, file, first_units[place.file], place.value->term);
      AddDependent(attribute, file, first_units[place.file], place.value->condition);
    }
  }
  for (auto* const lists : {&dependents_, &dependents_of_units_}) {
    for (std::vector<size_t>& list : *lists) {
      std::ranges::sort(list);
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }
}

/// The attribute depends on what the term names.
void TermIndex::AddDependent(size_t attribute, const FileUnits& file, size_t first_unit,
                             uint32_t term) {
  const Term& named = file.terms[term];
  if (named.kind == Term::Kind::kParameter) {
    dependents_of_units_[first_unit + named.unit].push_back(attribute);
  }
  if (named.kind == Term::Kind::kAttribute) {
    const uint32_t other = AttributeIndex(named.name);
    if (other != kNone) dependents_[other].push_back(attribute);
  }
  for (const uint32_t part : named.parts) AddDependent(attribute, file, first_unit, part);
}

uint32_t TermIndex::AttributeIndex(const std::string& attribute) const {
  const auto found = attributes_.find(attribute);
  return found == attributes_.end() ? kNone : static_cast<uint32_t>(found->second);
}

std::string_view TermIndex::ConstantOf(const std::string& path, const std::string& name) const {
  const auto at = std::ranges::lower_bound(paths_, path);
  if (at == paths_.end() || *at != path) return "";
  const FileUnits& file = files_[static_cast<size_t>(at - paths_.begin())];
  const auto found = file.constants.find(name);
  return found == file.constants.end() ? "" : std::string_view(file.terms[found->second].name);
}

}  // namespace transplt
