// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "runtime/src/segment_reader.h"

namespace transplt::capture {

/// What writing the public files of a segment came to.
struct ExportResult {
  uint64_t files = 0;
  uint64_t lost_records = 0;  ///< that are in no file
  uint64_t lost_bytes = 0;    ///< of their elements
  uint64_t lost_texts = 0;
  Status first_error;    ///< of what another try may be able to write
  Status first_refusal;  ///< of what no try can write
};

/// Whether a file of a tensor that is there already gives way.
enum class Existing { kReplace, kKeep };

/// What has become of a step of which files are written before it ends.
struct ExportProgress {
  std::vector<bool> done;                 ///< by record of the open segment: not to be tried again
  std::unordered_set<std::string> taken;  ///< paths of the files of the step's tensors
};

/// Writes the public files of everything in `segment`, below the root of `layout` and nowhere
/// else. What cannot be written is counted; the rest is still written.
ExportResult Export(const SegmentReader& segment, const Layout& layout, uint64_t step,
                    Existing existing, ExportProgress* progress = nullptr);
/// The files of one tensor each alone, before the step ends. Those that could not be written, and
/// may be written later, are neither done nor counted as lost.
ExportResult ExportTensors(const SegmentReader& segment, const Layout& layout, Existing existing,
                           ExportProgress* progress);

/// As the file system has it, so that one file has one name.
std::string WithoutDoubleSlashes(const std::string& path);
/// Refuses what is no path below a root, and the folders that hold segments.
Status CheckRelativePath(std::string_view path);

/// `.` `/` `\` and blank become `_`, as GE does in names of operators and models.
std::string SanitisedName(std::string_view name);

// One per format.
std::string MindSporeSyncName(const RecordMeta& meta);
/// The header of a DumpData file for the records of one operator, with its length in front. The
/// payloads follow in the order of `records`: inputs, then outputs.
std::string DumpDataHeader(const std::vector<const StoredRecord*>& records);
/// False for types that msaccucmp's HDF5 has no code for.
bool HasHdf5Type(transplt_type type);
/// The file of step 0 has the name of `layout`; in the others the step stands before its ending.
std::string Hdf5Name(const Layout& layout, uint64_t step);
/// Tensors that HDF5 cannot hold are left out: `refused` counts them, `why` tells of the first.
Status WriteHdf5(const SegmentReader& segment, const Layout& layout, const std::string& path,
                 uint64_t* refused, std::string* why);
/// Whether HDF5 can be written here: asked before anything is captured for it.
Status CheckHdf5();

}  // namespace transplt::capture
