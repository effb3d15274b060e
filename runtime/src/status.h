// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "runtime/include/transplt/capture.h"

namespace transplt::capture {

/// Success, or why not.
struct [[nodiscard]] Status {
  transplt_status code = TRANSPLT_OK;
  std::string message;
  int error = 0;  ///< errno, where the system has refused something; else 0

  bool ok() const { return code == TRANSPLT_OK; }
};

inline Status Invalid(std::string message) { return {TRANSPLT_INVALID, std::move(message)}; }
/// `what` with the text of errno `number`. FULL if that speaks of no room, else IO.
Status IoError(const std::string& what, int number);

}  // namespace transplt::capture
