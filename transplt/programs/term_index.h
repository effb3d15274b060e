// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "transplt/programs/code_units.h"

namespace transplt {

/// A constant of a project, by its number: an odd one counts as false.
using Constant = uint32_t;

/// The attributes, constants and parameters of a project on which conditions depend.
class TermIndex {
 public:
  static constexpr Constant kFalse = 1;
  static constexpr Constant kTrue = 2;
  static constexpr uint32_t kNone = static_cast<uint32_t>(-1);

  /// Where an attribute gets a value.
  struct Place {
    size_t file = 0;
    size_t unit = 0;  ///< whose code gives it; units are counted through all files
    const AttributeValue* value = nullptr;
  };

  /// `paths` and `files` belong together and must outlive this. `configured`: keys of
  /// configurations.
  TermIndex(const std::vector<std::string>& paths, const std::vector<FileUnits>& files,
            const std::set<std::string, std::less<>>& configured = {});

  const std::vector<FileUnits>& files() const { return files_; }
  size_t attributes() const { return places_.size(); }
  /// What the term of a file names: its attribute, kNone if the project gives that no value; its
  /// parameter, as ParameterOf() counts them; the Constant that it, or its variable, is, or kNone.
  uint32_t NamedBy(size_t file, uint32_t term) const { return named_[file][term]; }
  const std::vector<Place>& PlacesOf(size_t attribute) const { return places_[attribute]; }
  /// The attributes whose value may be another one when this attribute has become another one.
  const std::vector<size_t>& DependentsOf(size_t attribute) const { return dependents_[attribute]; }
  /// Likewise when the unit runs or its parameters have become something else; units are counted
  /// through all files.
  const std::vector<size_t>& DependentsOfUnit(size_t unit) const {
    return dependents_of_units_[unit];
  }
  /// As Term::name has it.
  std::string_view TextOf(Constant constant) const { return constants_[constant / 2].text; }
  /// Nothing if it is no whole number.
  std::optional<int64_t> NumberOf(Constant constant) const {
    return constants_[constant / 2].number;
  }
  /// Those of its parameters on which a condition may depend, by their position; units are counted
  /// through all files.
  const std::vector<size_t>& AskedOf(size_t unit) const { return asked_of_units_[unit]; }
  /// Its `i`th one of these, counted through all units.
  size_t ParameterOf(size_t unit, size_t i) const { return first_parameters_[unit] + i; }
  /// True if such an attribute gets a value where the unit runs; counted likewise.
  bool GivesValues(size_t unit) const { return gives_values_[unit]; }
  /// Where `**values` of a call may get what it hands to a parameter of this name: keys that are
  /// called so, and those that end so, "attn_flash" for "flash", for code that cuts their front.
  /// Null if a configuration has such a key.
  const std::vector<Place>* HandedOnAs(std::string_view parameter) const;
  size_t units() const { return asked_of_units_.size(); }

 private:
  struct KnownConstant {
    std::string_view text;
    std::optional<int64_t> number;
  };

  /// The attribute of this name, or kNone.
  uint32_t AttributeIndex(const std::string& attribute) const;
  /// The constant that the variable `name` of the module `path` holds, or "".
  std::string_view ConstantOf(const std::string& path, const std::string& name) const;
  void AddConstants();
  Constant ConstantAt(std::string_view text) const;
  void AddNamed();
  uint32_t NamedBy(const FileUnits& file, const Term& term, size_t first_unit) const;
  /// Of those that `wanted` names.
  void AddAttributes(const std::unordered_set<std::string_view>& wanted);
  void AddHandedOn(const std::unordered_set<std::string_view>& parameters,
                   const std::set<std::string, std::less<>>& configured);
  void AddDependents();
  void AddDependent(size_t attribute, const FileUnits& file, size_t first_unit, uint32_t term);

  const std::vector<std::string>& paths_;
  const std::vector<FileUnits>& files_;
  std::vector<KnownConstant> constants_;  // by half of the number
  std::unordered_map<std::string_view, Constant> numbers_;
  std::vector<std::vector<uint32_t>> named_;  // by file and term
  std::unordered_map<std::string, size_t> attributes_;
  std::vector<std::vector<Place>> places_;       // by attribute
  std::vector<std::vector<size_t>> dependents_;  // by attribute
  std::vector<std::vector<size_t>> dependents_of_units_;
  std::vector<std::vector<size_t>> asked_of_units_;
  std::vector<size_t> first_parameters_;                                // by unit
  std::vector<bool> gives_values_;                                      // by unit
  std::unordered_map<std::string_view, std::vector<Place>> handed_on_;  // by parameter
};

}  // namespace transplt
