// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "transplt/base/text_range.h"

namespace transplt {

/// A word of a script, or a part of one, without the quotes around it.
struct ShellWord {
  TextRange range;
  char quote = 0;  ///< the quote that was taken off

  std::string_view In(std::string_view text) const { return range.In(text); }
};

/// True for the kinds of nodes of the grammar that stand in a command or an array and are no word
/// of it.
bool IsNoWord(std::string_view kind);

/// Takes the quotes off, if the whole word stands between two.
ShellWord Unquote(std::string_view text, TextRange word);

/// True if the word means what it says: nothing in it is expanded, escaped or put together.
bool IsPlain(std::string_view text, ShellWord word);

/// The default in `${NAME:-value}` or `${NAME=value}`, if that is all of the word; else the word.
ShellWord DefaultOfExpansion(std::string_view text, ShellWord word);

/// `name=value` or `name`.
struct ShellPair {
  TextRange name;
  std::optional<ShellWord> value;
};
ShellPair SplitPair(std::string_view text, ShellWord word);

/// `name` of `--name`, `-name`, `+name` and `name`; the dashes are not a part of it.
bool IsOptionName(std::string_view name);
bool IsVariableName(std::string_view name);
/// `NCCL_DEBUG`: capitals, digits and underscores.
bool IsCapitalName(std::string_view text);

/// The name of a program in the word that runs it, also behind a folder that is expanded
/// (`$CUDA_HOME/bin/nvcc`); empty if the program is not named.
TextRange ProgramName(std::string_view text, ShellWord word);

/// The words of a text in a string. `expansions`, in order, belong to the words around them,
/// whatever blanks they hold.
std::vector<TextRange> SplitWords(std::string_view text, TextRange part,
                                  const std::vector<TextRange>& expansions);

}  // namespace transplt
