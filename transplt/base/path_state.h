// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace transplt {

/// Tells whether bytes are the same as some that were read before.
std::string FingerprintOf(std::string_view bytes);

/// What a path leads to, in words that are the same as long as it is.
enum class Look {
  kBytes,      ///< the bytes of a file
  kPresence,   ///< whether there is a file, whatever it holds
  kAttributes  ///< size and time of a file that is too large to be read each time
};

/// "" if there is nothing or it cannot be read, "folder" for a folder.
std::string PathState(const std::string& path, Look look);
/// The same, looking as it was looked for `state`.
std::string PathStateAsIn(const std::string& path, std::string_view state);

}  // namespace transplt
