// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transplt/programs/code_units.h"
#include "transplt/programs/term_index.h"

namespace transplt {

/// What an expression can be in one program.
struct TermValue {
  bool is_known = false;            ///< it is one of `constants`
  std::set<std::string> constants;  ///< as Term::name has them
  /// What a person sets to make it something else: options, attributes of a configuration,
  /// variables of the environment. AddSettings() adds to them.
  std::set<std::string> settings;
  /// What has to be set as well: one of each.
  std::set<std::set<std::string>> outer = {};

  /// True if the code behind a condition of this value does not run as the program stands.
  bool IsClosed() const;
  /// True if no setting makes it run.
  bool IsNever() const { return IsClosed() && settings.empty(); }
  friend bool operator==(const TermValue&, const TermValue&) = default;
};

/// Adds settings that lead to the same as well; true if `to` has changed. A report names one or
/// two, so of many the first few in alphabetical order stay, in which options come first.
bool AddSettings(std::set<std::string>& to, const std::set<std::string>& others);

/// Answers what terms are in one program, as it is found out what runs. All answers grow: a value
/// that was known may become unknown, never the other way round.
class TermValues {
 public:
  /// `first_units`: of each file, its first unit in the graph; the others follow in their order.
  TermValues(const TermIndex& index, const std::vector<size_t>& first_units)
      : index_(index),
        first_units_(first_units),
        forgotten_(index.units()),
        attributes_(index.attributes()),
        parameter_versions_(first_units.size()) {}

  /// The unit of the graph runs, if the settings are set.
  void NoteRun(size_t unit, const std::set<std::string>& settings) {
    if (!index_.GivesValues(unit) || !runs_.emplace(unit, settings).second) return;
    ++version_;
    Touch(unit);
  }
  /// A call in `file` with the settings `settings` hands `passed` to the function `code`, which is
  /// `unit`. True if a value has changed.
  bool Pass(const PassedValues& passed, size_t file, const std::set<std::string>& settings,
            const CodeUnit& code, size_t unit, size_t file_of_unit);
  /// Whoever runs the function hands it what the text does not say.
  void Forget(size_t unit) {
    if (forgotten_[unit]) return;
    forgotten_[unit] = true;
    if (!index_.AskedOf(unit).empty()) NoteParameters(unit);
  }
  /// True if nothing that is handed to the function `code`, which is `unit`, makes a difference any
  /// more.
  bool IsSettled(const CodeUnit& code, size_t unit) const;
  /// Another one whenever a value may have become another one.
  size_t version() const { return version_; }
  /// Another one whenever a term of the file may have become something else.
  size_t VersionIn(size_t file) {
    Settle();
    return attributes_version_ + parameter_versions_[file];
  }

  TermValue Of(size_t file, uint32_t index);

 private:
  /// What an attribute is, after all of its places that run.
  struct Attribute {
    TermValue value = {true, {}, {}};
    bool is_given = false;    // some place has given it something
    bool is_awaited = false;  // its first value is being looked for; else it is unknown without one
    bool is_due = false;      // stands in due_
    uint8_t changes = 0;
  };

  /// The unit has become something else.
  void Touch(size_t unit);
  /// Its parameters have.
  void NoteParameters(size_t unit);
  void Want(size_t attribute);
  /// Evaluates the attributes that are due, until none changes any more.
  void Settle();
  void Evaluate(size_t attribute);
  TermValue FromPlaces(size_t attribute);

  TermValue Read(size_t file, uint32_t index) const;
  TermValue OfParameter(size_t file, const Term& term) const;
  TermValue OfAttribute(size_t file, const Term& term) const;
  TermValue OfHandedOn(const TermIndex::Place& place) const;
  void AddHandedOn(const std::string& parameter, TermValue& value);
  const std::set<std::string>* SettingsOf(const TermIndex::Place& place) const;
  std::optional<std::set<std::string>> SettingsFor(const TermIndex::Place& place) const;
  void AddSet(const TermIndex::Place& place, const std::set<std::string>& settings,
              TermValue& value) const;
  TermValue OfPlace(const TermIndex::Place& place) const;
  TermValue OfCompared(size_t file, const Term& term) const;
  TermValue OfBoth(size_t file, const Term& term) const;

  const TermIndex& index_;
  const std::vector<size_t>& first_units_;
  std::unordered_map<size_t, std::set<std::string>> runs_;  // of the units that give values
  std::vector<bool> forgotten_;                             // by unit
  std::map<std::pair<size_t, std::string_view>, TermValue> parameters_;
  size_t version_ = 0;
  std::vector<Attribute> attributes_;
  size_t attributes_version_ = 0;
  std::vector<size_t> parameter_versions_;  // by file
  std::deque<size_t> due_;                  // attributes to be evaluated
};

}  // namespace transplt
