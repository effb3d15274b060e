// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace transplt {

/// The absolute path that a URI "file:///a%20b" names; nothing for another one: "untitled:1".
std::optional<std::string> PathOfUri(std::string_view uri);

std::string UriOfPath(std::string_view path);

}  // namespace transplt
