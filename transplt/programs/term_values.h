// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transplt/programs/code_units.h"

namespace transplt {

/// What an expression can be in one program.
struct TermValue {
  bool is_known = false;            ///< it is one of `constants`
  std::set<std::string> constants;  ///< as Term::name has them
  /// What a person sets to make it something else: options, attributes of a configuration,
  /// variables of the environment.
  std::set<std::string> settings;
  /// What has to be set as well: one of each.
  std::set<std::set<std::string>> outer = {};

  /// True if the code behind a condition of this value does not run as the program stands.
  bool IsClosed() const;
  /// True if no setting makes it run.
  bool IsNever() const { return IsClosed() && settings.empty(); }
  friend bool operator==(const TermValue&, const TermValue&) = default;
};

/// The attributes, constants and parameters of a project on which conditions depend.
class TermIndex {
 public:
  /// Where an attribute gets a value.
  struct Place {
    size_t file = 0;
    size_t unit = 0;  ///< whose code gives it; units are counted through all files
    const AttributeValue* value = nullptr;
  };

  /// `paths` and `files` belong together and must outlive this.
  TermIndex(const std::vector<std::string>& paths, const std::vector<FileUnits>& files);

  const std::vector<FileUnits>& files() const { return files_; }
  /// Null if nothing in the project gives the attribute a value.
  const std::vector<Place>* PlacesOf(const std::string& attribute) const;
  /// The constant that the variable `name` of the module `path` holds, or "".
  std::string ConstantOf(const std::string& path, const std::string& name) const;
  /// Those of its parameters on which a condition may depend, by their position; units are counted
  /// through all files.
  const std::vector<size_t>& AskedOf(size_t unit) const { return asked_of_units_[unit]; }
  /// True if such an attribute gets a value where the unit runs; counted likewise.
  bool GivesValues(size_t unit) const { return gives_values_[unit]; }
  size_t units() const { return asked_of_units_.size(); }

 private:
  void AddAttributes();
  void AskFor(const FileUnits& file, uint32_t term);
  void FindAskedPositions();
  void AskForWhatIsPassed();
  bool IsAskedAt(std::string_view function, size_t position) const;

  const std::vector<std::string>& paths_;
  const std::vector<FileUnits>& files_;
  std::unordered_map<std::string, std::vector<Place>> attributes_;
  std::set<std::string> wanted_;  // attributes on which conditions depend
  std::set<std::string> asked_;   // parameters, likewise
  std::vector<std::vector<size_t>> asked_of_units_;
  std::vector<bool> gives_values_;  // by unit
  /// Of functions by their last name, of classes by theirs: whether the argument at a position may
  /// be one of asked_.
  std::unordered_map<std::string, std::vector<bool>> asked_positions_;
};

/// Answers what terms are in one program, as it is found out what runs. All answers grow: a value
/// that was known may become unknown, never the other way round.
class TermValues {
 public:
  /// `first_units`: of each file, its first unit in the graph; the others follow in their order.
  TermValues(const TermIndex& index, const std::vector<size_t>& first_units)
      : index_(index), first_units_(first_units), forgotten_(index.units()) {}

  /// The unit of the graph runs, if the settings are set.
  void NoteRun(size_t unit, const std::set<std::string>& settings) {
    if (index_.GivesValues(unit) && runs_.emplace(unit, settings).second) ++version_;
  }
  /// A call in `file` with the settings `settings` hands `passed` to the function `code`, which is
  /// `unit`. True if a value has changed.
  bool Pass(const PassedValues& passed, size_t file, const std::set<std::string>& settings,
            const CodeUnit& code, size_t unit, size_t file_of_unit);
  /// Whoever runs the function hands it what the text does not say.
  void Forget(size_t unit) {
    if (forgotten_[unit]) return;
    forgotten_[unit] = true;
    if (!index_.AskedOf(unit).empty()) ++version_;
  }
  /// True if nothing that is handed to the function `code`, which is `unit`, makes a difference any
  /// more.
  bool IsSettled(const CodeUnit& code, size_t unit) const;
  /// Another one whenever a value may have become another one.
  size_t version() const { return version_; }

  TermValue Of(size_t file, uint32_t index) const;

 private:
  TermValue OfParameter(size_t file, const Term& term) const;
  TermValue OfAttribute(size_t file, const Term& term) const;
  const std::set<std::string>* SettingsOf(const TermIndex::Place& place) const;
  std::optional<std::set<std::string>> SettingsFor(const TermIndex::Place& place) const;
  TermValue OfPlace(const TermIndex::Place& place, const Term& asked) const;
  TermValue OfCompared(size_t file, const Term& term) const;
  TermValue OfBoth(size_t file, const Term& term) const;

  const TermIndex& index_;
  const std::vector<size_t>& first_units_;
  std::unordered_map<size_t, std::set<std::string>> runs_;  // of the units that give values
  std::vector<bool> forgotten_;                             // by unit
  std::map<std::pair<size_t, std::string_view>, TermValue> parameters_;
  size_t version_ = 0;
  /// Attributes whose value is being looked for, as far as it is known.
  mutable std::map<std::string, TermValue> open_;
};

}  // namespace transplt
