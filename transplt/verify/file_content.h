// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>
#include <string>

namespace transplt {

/// True if both files can be read and hold the same bytes. Reads block by block and skips holes, so
/// that sparse files of any size take no time. Stops with false when `cancelled` (may be null) is
/// set.
bool HasEqualBytes(const std::string& first, const std::string& second,
                   const std::atomic<bool>* cancelled);

/// The file if it is UTF-8 text of at most 16 MiB without zero bytes.
std::optional<std::string> ReadText(const std::string& path);

}  // namespace transplt
