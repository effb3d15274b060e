// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "transplt/base/text.h"
#include "transplt/inject/option_table.h"

namespace transplt {

/// What is wrong with the value of a number, and with that of a string that has a grammar.
std::optional<Text> MistakeInNumber(const OptionSpec& spec, std::string_view value);
std::optional<Text> MistakeInGrammar(const OptionSpec& spec, std::string_view value);

/// True for profiling_options with a training_trace that does not know where the passes start and
/// end.
bool LacksTracePoints(std::string_view value, bool points_are_given);

/// The parts of a list; at least one, which may be empty.
std::vector<std::string_view> PartsOf(std::string_view text, char separator);

/// True if `word` is one of the parts of `list`.
bool HasWord(std::string_view list, char separator, std::string_view word);

}  // namespace transplt
