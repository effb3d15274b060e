// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transplt/base/change_record.h"
#include "transplt/report/text_sink.h"

namespace transplt {

/// The places that are left for a person as a Code Quality report of GitLab: a JSON array with an
/// object for each place.
void WriteCodeQuality(const RunResult& run, std::string_view root, const TextSink& out);

}  // namespace transplt
