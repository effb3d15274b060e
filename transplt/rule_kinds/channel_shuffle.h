// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/engine/file_context.h"
#include "transplt/python/arguments.h"

namespace transplt {

/// The module that migrate writes beside programs that call it.
inline constexpr std::string_view kSimilarModule = "transplt_similar";

/// A shuffle of channels: view, transpose or permute, contiguous, view; in one expression, or in
/// three statements that assign to one name.
struct ChannelShuffle {
  Node tensor;                  ///< the name of what is shuffled
  std::vector<Argument> split;  ///< batch, groups, channels of a group, height, width
  Node result;                  ///< the expression that gives the result
  Node view;                    ///< the first of three statements, else null
  Node swap;                    ///< the second
};

/// The shuffle that `contiguous`, a call of the method of this name, is part of.
std::optional<ChannelShuffle> ChannelShuffleAt(Node contiguous, const FileContext& file);

/// True if the function `definition` shuffles the channels of its first argument by as many groups
/// as its second says, gives that back and does nothing else.
bool IsChannelShuffle(Node definition, const FileContext& file);

/// The arguments of a call are these texts, none of them by keyword.
bool ArePlain(const std::vector<Argument>& arguments,
              std::initializer_list<std::string_view> texts);

/// The value of `name = value`, a statement of its own; else a null node.
Node ValueAssignedTo(std::string_view name, Node statement);

}  // namespace transplt
