// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "transplt/engine/file_context.h"

namespace transplt {

// Where a file reads a value again, by the name under which it was kept. A name with very many
// places has none: that many say nothing about one value.

/// The places that read what `binding`, one of `file`, has bound.
std::vector<Node> UsesOf(const Binding& binding, const FileContext& file);

/// All `.name` that are read: objects are not told apart by their class.
std::vector<Node> AttributesNamed(std::string_view name, const FileContext& file);

/// `options["name"]` and `options.get("name")`, all but `key` itself.
std::vector<Node> EntriesNamed(Node key, std::string_view name, const FileContext& file);

/// The calls of the function whose definition has `name`; a property is read like an attribute.
std::vector<Node> CallsNamed(Node name, const FileContext& file);

/// `get`, `pop`, `getenv` and others that give the value of a key or a default.
bool IsLookup(Node call);

}  // namespace transplt
