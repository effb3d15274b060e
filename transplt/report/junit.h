// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transplt/base/change_record.h"
#include "transplt/report/text_sink.h"

namespace transplt {

/// The causes of a run as test cases of JUnit XML: one that stops the import or the run fails, the
/// others pass and list their places. A file that could not be looked at is an error.
void WriteJunit(const RunResult& run, std::string_view root, const TextSink& out);

}  // namespace transplt
