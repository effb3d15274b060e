// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/base/finding.h"
#include "transplt/base/source_file.h"
#include "transplt/facts/project_code.h"

namespace transplt {

/// The cause of lines for CUDA alone in a file that people start, of a project that serves the
/// device of the migration.
inline constexpr std::string_view kServedProgramLines = "served-program:program";

/// Leaves a file of a program that serves the device of the migration already: one row in place of
/// all findings but those that stop an import or the run. The row holds nothing but the numbers of
/// the lines for CUDA alone: what is missing on the NPU, and what would be edited and has one of
/// `cuda_words` beside it.
void LeaveToServedProgram(const SourceFile& source, const std::vector<std::string>& cuda_words,
                          Findings& findings);

/// Puts one row in place of these rows of all files of a program, at the place that shows that it
/// serves the NPU. A file of `started`, that people start, keeps a row of its own: that a part of
/// the project serves the NPU does not make this one do so.
void MergeServedPrograms(const ProjectCode& code, const std::set<std::string>& started,
                         std::vector<ChangeRecord>& records);

/// True for a row of such a file that is not about the program as a whole.
bool IsOfServedProgram(const ProjectCode& code, const ChangeRecord& record);

}  // namespace transplt
