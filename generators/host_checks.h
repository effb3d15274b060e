// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// One setting of a training machine: what the vendor recommends, and what is there.
struct HostCheck {
  enum class State {
    kGood,
    kDiffers,
    kUnknown,  ///< it could not be read; nothing is guessed
  };
  Text what;
  State state = State::kUnknown;
  Text found;
  Text recommended;
  Text source;  ///< where the vendor recommends it
  Text remedy;  ///< how to get there, or how to look where it could not be read
};

/// Where the checks look: a test gives them a machine of its own.
struct Host {
  std::string root = {};  ///< put before "/proc" and the like
  std::function<std::optional<std::string>(const std::string&)> variable;
};

std::vector<HostCheck> CheckHost(const Host& host, const std::string& dump_path);

}  // namespace transplt
