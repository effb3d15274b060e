// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/base/finding.h"
#include "transplt/base/source_file.h"
#include "transplt/facts/project_code.h"

namespace transplt {

/// Leaves a file of a program that serves the device of the migration already: one row in place of
/// all findings, which holds nothing but the numbers of the lines for CUDA alone.
void LeaveToServedProgram(const SourceFile& source, Findings& findings);

/// Puts these rows of all files of a program into the first of them. The records are in the order
/// of the report.
void MergeServedPrograms(const ProjectCode& code, std::vector<ChangeRecord>& records);

}  // namespace transplt
