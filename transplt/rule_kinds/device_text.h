// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "transplt/engine/file_context.h"
#include "transplt/engine/rule.h"

namespace transplt {

/// The expression `text`, which names torch, as it can be written at `place`: `th.accelerator.x`
/// where the file imports torch as th. Nothing where torch is not known there, or not yet.
std::optional<std::string> TorchTextAt(Node place, std::string_view text, const FileContext& file);

/// True if `node` is evaluated when the module is imported, a class is made or a function defined.
bool IsEvaluatedAtImport(Node node);

/// True if `a if b else c` may stand in place of `node` without parentheses: as an argument, the
/// right side of an assignment, a condition ...
bool MayBeConditional(Node node);

/// `text` with the quotes that the literal `string` has.
std::string WithQuotesOf(std::string text, Node string);

/// True inside an interpolation of an f-string, which older Pythons do not let hold any quotes.
bool IsInterpolated(Node node);

}  // namespace transplt
