// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "transplt/programs/code_units.h"
#include "transplt/programs/settings.h"
#include "transplt/programs/term_index.h"

namespace transplt {

/// A few constants.
class Constants {
 public:
  Constants() = default;
  explicit Constants(Constant constant) { Add(constant); }

  bool empty() const { return count_ == 0; }
  const Constant* begin() const { return constants_.data(); }
  const Constant* end() const { return constants_.data() + count_; }
  /// True if it is new.
  bool Add(Constant constant);
  /// True if there have been more than are kept.
  bool IsFull() const { return is_full_; }
  friend bool operator==(const Constants& a, const Constants& b) {
    return std::ranges::equal(a, b) && a.is_full_ == b.is_full_;
  }

 private:
  static constexpr size_t kMost = 8;

  std::array<Constant, kMost> constants_ = {};  // ascending
  uint8_t count_ = 0;
  bool is_full_ = false;
};

/// What an expression can be in one program.
struct TermValue {
  bool is_known = false;  ///< it is one of `constants`
  Constants constants;
  Settings settings;                 ///< that make it something else
  std::vector<Settings> outer = {};  ///< what has to be set as well: one of each; in order

  /// True if the code behind a condition of this value does not run as the program stands.
  bool IsClosed() const;
  /// True if no setting makes it run.
  bool IsNever() const { return IsClosed() && settings.empty(); }
  friend bool operator==(const TermValue&, const TermValue&) = default;
};

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
  void NoteRun(size_t unit, const Settings& settings) {
    if (!index_.GivesValues(unit) || !runs_.emplace(unit, settings).second) return;
    ++version_;
    Touch(unit);
  }
  /// A call in `file` with the settings `settings` hands `passed` to the function `code`, which is
  /// `unit`. True if a value has changed.
  bool Pass(const PassedValues& passed, size_t file, const Settings& settings, const CodeUnit& code,
            size_t unit, size_t file_of_unit);
  /// Whoever runs the function hands it what the text does not say.
  void Forget(size_t unit) {
    if (forgotten_[unit]) return;
    forgotten_[unit] = true;
    if (!index_.AskedOf(unit).empty()) NoteParameters(unit);
  }
  /// True if nothing that is handed to the function, which is `unit`, makes a difference any more.
  bool IsSettled(size_t unit) const;
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
  TermValue OfParameter(size_t file, uint32_t index) const;
  TermValue OfAttribute(size_t file, uint32_t index) const;
  TermValue OfHandedOn(const TermIndex::Place& place) const;
  void AddHandedOn(const std::string& parameter, TermValue& value);
  const Settings* SettingsOf(const TermIndex::Place& place) const;
  std::optional<Settings> SettingsFor(const TermIndex::Place& place) const;
  void AddSet(const TermIndex::Place& place, const Settings& settings, TermValue& value) const;
  TermValue OfPlace(const TermIndex::Place& place) const;
  TermValue OfCompared(size_t file, const Term& term) const;
  TermValue OfBoth(size_t file, const Term& term) const;
  std::optional<bool> Compare(Constant a, std::string_view sign, Constant b) const;
  void NameValue(Constant constant, Settings& settings) const;

  const TermIndex& index_;
  const std::vector<size_t>& first_units_;
  std::unordered_map<size_t, Settings> runs_;  // by unit, of those that give values
  std::vector<bool> forgotten_;                // by unit
  /// As TermIndex::ParameterOf() counts them; most programs hand over few.
  std::unordered_map<size_t, TermValue> parameters_;
  size_t version_ = 0;
  std::vector<Attribute> attributes_;
  size_t attributes_version_ = 0;
  std::vector<size_t> parameter_versions_;  // by file
  std::deque<size_t> due_;                  // attributes to be evaluated
};

}  // namespace transplt
