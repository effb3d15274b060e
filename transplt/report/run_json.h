// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/base/change_record.h"

namespace transplt {

/// The run as one JSON document, for programs: English keys and messages, `null` for the place of
/// a record about a whole file. Nothing in it depends on time.
std::string RunJson(const RunResult& run);

}  // namespace transplt
