// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transplt/base/change_record.h"
#include "transplt/report/text_sink.h"

namespace transplt {

/// The run as one JSON document, for programs: English keys and messages, `null` for the place of
/// a record about a whole file, files relative to the project (so `root` is not read). Nothing in
/// it depends on time.
void WriteRunJson(const RunResult& run, std::string_view root, const TextSink& out);

}  // namespace transplt
