// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/base/finding.h"
#include "transplt/base/source_file.h"
#include "transplt/facts/project_code.h"

namespace transplt {

/// The cause of lines for CUDA alone that a program has or gets to, in a project that serves the
/// device of the migration.
inline constexpr std::string_view kServedProgramLines = "served-program:program";
/// The cause of those that raise where there is no CUDA.
inline constexpr std::string_view kServedProgramStops = "served-program:stop";

/// Leaves a file of a program that serves the device of the migration already: no edits, and a row
/// for each line for CUDA alone, that is for what is missing on the NPU, and for what would be
/// edited and has one of `cuda_words` beside it. Of the other rows those stay that tell what stops
/// an import or the run, or what may go wrong in a line that names no device. A row stops the run
/// where `raises` is true of what the line would have got: it raises where there is no CUDA; what
/// only `asks` for the device of a tensor is no line for CUDA alone.
void LeaveToServedProgram(const SourceFile& source, const std::vector<std::string>& cuda_words,
                          const std::function<bool(const Finding&)>& raises,
                          const std::function<bool(const Finding&)>& asks, Findings& findings);

/// What programs do with a line: none gets to it as far as the text shows, it stands in the file
/// that one is started with, or one gets to it.
enum class ServedLine : uint8_t { kNotReached, kInProgram, kReached };

/// Puts one row in place of these rows of all files of a program, at the place that shows that it
/// serves the NPU: a note that lists them. Lines that programs run keep a row for their file as
/// well: that a part of the project serves the NPU does not make them do so. Those that stop
/// whoever gets to them have one of their own.
void MergeServedPrograms(const ProjectCode& code,
                         const std::function<ServedLine(const ChangeRecord&)>& run_of,
                         std::vector<ChangeRecord>& records);

/// True for a row of such a file that is not about the program as a whole.
bool IsOfServedProgram(const ProjectCode& code, const ChangeRecord& record);

}  // namespace transplt
