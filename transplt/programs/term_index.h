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

/// The attributes, constants and parameters of a project on which conditions depend.
class TermIndex {
 public:
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
  /// By its name; nothing if the project gives it no value.
  std::optional<size_t> AttributeIndex(const std::string& attribute) const;
  const std::vector<Place>& PlacesOf(size_t attribute) const { return places_[attribute]; }
  /// The attributes whose value may be another one when this attribute has become another one.
  const std::vector<size_t>& DependentsOf(size_t attribute) const { return dependents_[attribute]; }
  /// Likewise when the unit runs or its parameters have become something else; units are counted
  /// through all files.
  const std::vector<size_t>& DependentsOfUnit(size_t unit) const {
    return dependents_of_units_[unit];
  }
  /// The constant that the variable `name` of the module `path` holds, or "".
  std::string ConstantOf(const std::string& path, const std::string& name) const;
  /// Those of its parameters on which a condition may depend, by their position; units are counted
  /// through all files.
  const std::vector<size_t>& AskedOf(size_t unit) const { return asked_of_units_[unit]; }
  /// True if such an attribute gets a value where the unit runs; counted likewise.
  bool GivesValues(size_t unit) const { return gives_values_[unit]; }
  /// Where `**values` of a call may get what it hands to a parameter of this name: keys that are
  /// called so, and those that end so, "attn_flash" for "flash", for code that cuts their front.
  /// Null if a configuration has such a key.
  const std::vector<Place>* HandedOnAs(std::string_view parameter) const;
  size_t units() const { return asked_of_units_.size(); }

 private:
  /// Of those that `wanted` names.
  void AddAttributes(const std::unordered_set<std::string_view>& wanted);
  void AddHandedOn(const std::unordered_set<std::string_view>& parameters,
                   const std::set<std::string, std::less<>>& configured);
  void AddDependents();
  void AddDependent(size_t attribute, const FileUnits& file, size_t first_unit, uint32_t term);

  const std::vector<std::string>& paths_;
  const std::vector<FileUnits>& files_;
  std::unordered_map<std::string, size_t> attributes_;
  std::vector<std::vector<Place>> places_;       // by attribute
  std::vector<std::vector<size_t>> dependents_;  // by attribute
  std::vector<std::vector<size_t>> dependents_of_units_;
  std::vector<std::vector<size_t>> asked_of_units_;
  std::vector<bool> gives_values_;                                      // by unit
  std::unordered_map<std::string_view, std::vector<Place>> handed_on_;  // by parameter
};

}  // namespace transplt
