// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/base/setting.h"
#include "transplt/engine/rule_kind.h"
#include "transplt/engine/word_filter.h"

namespace transplt {

/// Arguments of a class that a parser of its library reads from commands and configurations under
/// their own names: `--eval_strategy steps` for `TrainingArguments(eval_strategy="steps")`.
class ParsedArgument {
 public:
  explicit ParsedArgument(const Fields& fields)
      : parsers_(fields.List("parsed_by")),
        readers_(fields.List("read_by")),
        beside_(fields.List("beside_options")),
        other_programs_(fields.List("not_options_of")) {}

  static std::vector<FieldSpec> WithFieldsOf(std::vector<FieldSpec> fields);

  /// The words of files that may set one of `names`; none if nothing parses them.
  WordSets WordsFor(const std::vector<std::string>& names) const;

  /// The options and keys that set one of `names`, in a file that is for the parser. Whether the
  /// project has the parser, a finding says by `needed_by`.
  std::vector<const Setting*> AmongSettings(const std::vector<Setting>& settings,
                                            const std::vector<std::string>& names) const;

  /// One of these the code of the project has to spell for `setting` to reach the class.
  const std::vector<std::string>& NeededBy(const Setting& setting) const {
    return setting.kind == Setting::Kind::kKey ? readers_ : parsers_;
  }

 private:
  std::vector<std::string> parsers_;  // of options
  std::vector<std::string> readers_;  // of configurations
  std::vector<std::string> beside_;
  std::vector<std::string> other_programs_;
};

}  // namespace transplt
