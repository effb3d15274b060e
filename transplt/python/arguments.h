// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "transplt/base/edit.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// One argument of a call as it stands in the text.
struct Argument {
  Node node;                 ///< the whole argument: `key=value`, `*value`, `value`
  Node value;                ///< the value alone
  std::string_view keyword;  ///< empty for a positional argument
  bool is_splat = false;     ///< `*value` or `**value`
  TextRange range;           ///< of the whole argument; a generator alone leaves its parentheses
  TextRange value_range;
};

/// The arguments of `call` in the order of the text. A generator as the only argument counts as
/// one positional argument.
std::vector<Argument> ArgumentsOf(Node call);

/// The arguments that `Thread(target=function, args=(a, b))`, or another call with such a target,
/// passes to `function`; nothing where it is no target, or the call does not list them.
std::optional<std::vector<Argument>> ArgumentsForTarget(Node function);

/// The argument passed as `keyword`, or null.
const Argument* FindKeyword(const std::vector<Argument>& arguments, std::string_view keyword);

/// The argument passed as `keyword`, else the one at `position`, from 0; null where the call passes
/// neither, or `*values` before it leave the position open.
const Argument* FindArgument(const std::vector<Argument>& arguments, size_t position,
                             std::string_view keyword);

/// Deletes an argument with the comma that belongs to it, and the blanks between it and the next
/// argument; comments stay.
Edit DeleteArgument(const std::vector<Argument>& arguments, size_t index);

/// True if evaluating `expression` once more could do something: it calls, awaits, yields or
/// assigns.
bool HasSideEffects(Node expression);

/// True if `expression` can be put into another expression without parentheses.
bool IsAtomic(Node expression);

}  // namespace transplt
