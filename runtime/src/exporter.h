// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "runtime/src/segment_reader.h"

namespace transplt::capture {

/// What writing the public files of a segment came to.
struct ExportResult {
  uint64_t files = 0;
  uint64_t lost_records = 0;  ///< whose file could not be written
  uint64_t lost_texts = 0;
  Status first_error;
};

/// Writes the public files of everything in `segment`. What cannot be written is counted; the
/// rest is still written.
ExportResult Export(const SegmentReader& segment, const Layout& layout, uint64_t step);

/// `.` `/` `\` and blank become `_`, as GE does in names of operators and models.
std::string SanitisedName(std::string_view name);

/// The path for a file in `folder`. A name that is longer than a file name may be is replaced by
/// digits, and a line of mapping.csv in the same folder says by which.
Status FittingPath(const std::string& folder, const std::string& name, std::string* path);

// One per format.
Status WriteNpy(const StoredRecord& record, const std::string& path);
std::string MindSporeSyncName(const RecordMeta& meta);
/// The header of a DumpData file for the records of one operator, with its length in front. The
/// payloads follow in the order of `records`: inputs, then outputs.
std::string DumpDataHeader(const std::vector<const StoredRecord*>& records);
Status WriteHdf5(const std::vector<StoredRecord>& records, const Layout& layout,
                 const std::string& path);
/// Whether HDF5 can be written here: asked before anything is captured for it.
Status CheckHdf5();

}  // namespace transplt::capture
