// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "transplt/base/change_record.h"

namespace transplt {

/// What is left for a person, a line each: first the files that were skipped or failed
/// ("path: skipped: reason"), then the places ("path:line:col: rule: message: source line").
/// After `limit` lines, one that counts the rest and says that `everything` has them: a file or an
/// option. Empty if nothing is left.
std::string OpenItems(const RunResult& run, Language language, size_t limit,
                      std::string_view everything);

}  // namespace transplt
