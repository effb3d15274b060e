// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/parsed_argument.h"

#include <algorithm>

#include "transplt/base/one_of.h"

namespace transplt {
namespace {

bool Sets(const Setting& setting, const std::vector<std::string>& names) {
  const bool may_set =
      setting.kind == Setting::Kind::kOption || setting.kind == Setting::Kind::kKey;
  return may_set && IsOneOf(setting.name, names);
}

}  // namespace

std::vector<FieldSpec> ParsedArgument::WithFieldsOf(std::vector<FieldSpec> fields) {
  fields.push_back({"parsed_by", FieldType::kStringList, false,
                    "Parsers that read the arguments from options of commands: in projects whose "
                    "code spells one of them the options are meant, too."});
  fields.push_back({"read_by", FieldType::kStringList, false,
                    "The same for keys of configurations: what reads these."});
  fields.push_back({"beside_options", FieldType::kStringList, false,
                    "Of parsed_by and read_by: only in files that set one of these, too."});
  fields.push_back({"not_options_of", FieldType::kStringList, false,
                    "Of parsed_by: programs that bring a parser of their own: their options are "
                    "not meant."});
  return fields;
}

WordSets ParsedArgument::WordsFor(const std::vector<std::string>& names) const {
  WordSets words;
  if (parsers_.empty() && readers_.empty()) return words;
  for (const std::string& name : names) {
    if (beside_.empty()) words.push_back({name});
    for (const std::string& other : beside_) words.push_back({name, other});
  }
  return words;
}

std::vector<const Setting*> ParsedArgument::AmongSettings(
    const std::vector<Setting>& settings, const std::vector<std::string>& names) const {
  std::vector<const Setting*> found;
  const auto is_beside = [&](const Setting& setting) { return Sets(setting, beside_); };
  if (!beside_.empty() && !std::ranges::any_of(settings, is_beside)) return found;
  bool is_other = false;  // the command that the options are for
  for (const Setting& setting : settings) {
    if (setting.kind == Setting::Kind::kCommand) is_other = IsOneOf(setting.name, other_programs_);
    const bool is_known = !NeededBy(setting).empty() && !setting.name_range.empty();
    if (is_known && !is_other && Sets(setting, names)) found.push_back(&setting);
  }
  return found;
}

}  // namespace transplt
