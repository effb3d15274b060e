// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "transplt/engine/rule.h"

namespace transplt {

/// The type of a field of a rule in JSON.
enum class FieldType {
  kString,         ///< any string
  kDottedName,     ///< "func" or "torch.cuda.amp"
  kDottedOrEmpty,  ///< a dotted name, or ""
  kInteger,
  kBoolean,
  kStringList,
  kRegexList,  ///< ECMAScript regular expressions, matched without regard to case
  kChoice,     ///< one of FieldSpec::choices
};

/// One field of a rule kind, as users write it in JSON. Loader, schema and reference pages are
/// all made from this table.
struct FieldSpec {
  std::string_view name;
  FieldType type;
  bool required = false;
  std::string_view description;                ///< English, one sentence
  std::vector<std::string_view> choices = {};  ///< for kChoice
};

/// The checked fields of one rule object. Asking for a field that the JSON does not have gives
/// the default that is passed.
class Fields {
 public:
  using Value = std::variant<std::string, int64_t, bool, std::vector<std::string>>;

  void Set(std::string name, Value value) { values_[std::move(name)] = std::move(value); }
  bool Has(std::string_view name) const { return values_.find(name) != values_.end(); }

  std::string String(std::string_view name, std::string_view fallback = "") const;
  int64_t Integer(std::string_view name, int64_t fallback) const;
  bool Boolean(std::string_view name, bool fallback) const;
  std::vector<std::string> List(std::string_view name) const;

  const std::map<std::string, Value, std::less<>>& values() const { return values_; }

 private:
  std::map<std::string, Value, std::less<>> values_;
};

/// A row of the table of rule kinds: what a class of rules is called in JSON, which fields it
/// has, and how one is made. The fields that all kinds share (id, why, why_zh, examples,
/// feature_switch, torch) are not repeated here.
struct RuleKind {
  std::string_view name;
  std::string_view description;  ///< English, one or two sentences for the reference
  std::vector<FieldSpec> fields;
  /// Makes a rule from fields that the loader has checked. A combination that only the kind can
  /// judge (for example neither arg_idx nor arg_keyword) is refused with an Error whose `what`
  /// says so; the loader adds the place.
  Result<std::unique_ptr<Rule>> (*make)(RuleHeader header, const Fields& fields);
};

/// What is wrong with a combination of fields; the loader adds the place.
inline Error BadRule(Text what) { return {Error::Code::kBadRule, {}, std::move(what)}; }

/// Makes a rule of a kind that takes every combination of its fields.
template <class Kind>
Result<std::unique_ptr<Rule>> MakeRule(RuleHeader header, const Fields& fields) {
  return std::unique_ptr<Rule>(std::make_unique<Kind>(std::move(header), fields));
}

}  // namespace transplt
