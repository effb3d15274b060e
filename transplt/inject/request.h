// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/inject/option_table.h"

namespace transplt {

/// An option and the value that it shall have.
struct OptionValue {
  const OptionSpec* spec;
  std::string value;  ///< as given; checked

  bool IsTrue() const { return spec->type == OptionType::kBool && value == "true"; }
  /// What is accounted for: the option, or each word of a list of words: "metrics=accuracy".
  std::vector<std::string> AccountNames() const;
};

/// NAME=VALUE as the user has written it, and what it was written with: "--set", "--dump-path".
struct WrittenOption {
  std::string name;
  std::string value;
  std::string origin;
};

/// What is injected: checked, so that nothing can be wrong with it any more.
struct InjectRequest {
  std::string_view tool;             ///< one of the framework's
  std::vector<OptionValue> options;  ///< in the order of the table
  std::vector<int> ranks;            ///< only these collect data; empty: all
  bool replace_opposite = false;     ///< a switch that excludes a wanted one is set to False
  bool make_folders = false;         ///< the program creates dump_path
  bool initialize_system = false;    ///< insert it where ranks are asked for before the first run

  const OptionValue* Find(std::string_view name) const;
};

/// Checks what the user wants against the options of `tool` in the table of `framework`, and adds
/// what it implies. The Error names the options.
Result<std::vector<OptionValue>> CheckOptions(const OptionTable& table, std::string_view framework,
                                              std::string_view tool,
                                              const std::vector<WrittenOption>& written);

/// The options with fp_point and bp_point inside profiling_options, which becomes JSON: what reads
/// nothing but that finds them there. As they are if they have none of the three.
std::vector<OptionValue> WithPointsInside(std::vector<OptionValue> options);

/// What is wrong between options that are given together: one excludes another, or needs one that
/// is missing. The Error names the option.
std::vector<Error> BrokenConditions(const std::vector<OptionValue>& options);

/// The options that are read only where a switch is on that is not among `options`.
std::vector<OptionValue> WithoutSwitch(const std::vector<OptionValue>& options);
Text NothingSwitchesOn(const OptionSpec& spec);

/// What is said about options that are right: "dump_path: the folder must exist".
std::vector<Text> NotesOn(const OptionTable& table, std::string_view framework,
                          const InjectRequest& request);

/// What is wrong with one value; nothing if it is right.
std::optional<Text> MistakeIn(const OptionSpec& spec, std::string_view value);

/// "0,7" as numbers.
Result<std::vector<int>> ParseRanks(std::string_view text);

}  // namespace transplt
