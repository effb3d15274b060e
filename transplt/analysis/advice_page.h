// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transplt/analysis/advice.h"
#include "transplt/analysis/mode.h"

namespace transplt {

/// Adds the kinds of `list`, each once with its places, numbered on from `number`.
void AppendAdvice(const ProjectAdvice& advice, std::string_view list, size_t& number, Text& page);

/// The places of `list` in the columns of ms_fmk_transplt (File,Start Line,End Line,OP,Tips).
ResultTable AdviceRows(const ProjectAdvice& advice, std::string_view list);

}  // namespace transplt
