// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/base/text.h"
#include "transplt/log_errors/log_scan.h"

namespace transplt {

/// What the logs of one training say.
enum class LogAnswer {
  kKnown,    ///< the first error is one that the table knows
  kUnknown,  ///< there is an error, and nothing that is known says why
  kNone,     ///< there is no error
};

/// The error that comes first, of all logs: what says most about the cause. Null without any.
const FoundError* FirstError(const std::vector<LogErrors>& logs);
LogAnswer AnswerOf(const std::vector<LogErrors>& logs);

std::string AnswerText(const std::vector<LogErrors>& logs, Language language);
/// The same as JSON, with every error.
std::string AnswerJson(const std::vector<LogErrors>& logs, Language language);

}  // namespace transplt
