// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transplt/base/change_record.h"
#include "transplt/report/text_sink.h"

namespace transplt {

/// The run as a log of SARIF 2.1.0: a rule for each cause, a result for each record, a
/// notification for each file that was not looked at. An edit has a `fix` where its record tells
/// exactly which text it replaces; with `--in-place` it has none, because it is made already.
void WriteSarif(const RunResult& run, std::string_view root, const TextSink& out);

}  // namespace transplt
