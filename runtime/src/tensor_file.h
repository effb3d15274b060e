// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "runtime/src/output_file.h"
#include "runtime/src/record_meta.h"
#include "runtime/src/segment_reader.h"
#include "runtime/src/tensor_pass.h"
#include "runtime/src/torch_archive.h"

namespace transplt::capture {

/// Whether each tensor has a file of its own, {root}/{name} and an ending.
bool HasFilePerTensor(transplt_format format);
/// ".npy" or ".pt"; empty for other formats.
const char* EndingOf(transplt_format format);

/// Takes the blocks of one tensor straight into its file. A pass goes on after an error, for the
/// statistics.
class TensorFile : public BlockSink {
 public:
  Status Create(const RecordMeta& meta, transplt_format format, const std::string& path);
  bool Take(std::string_view bytes) override;
  char* Room(size_t /*size*/) override { return nullptr; }
  void Wrote(size_t /*size*/) override {}
  /// OK if the file is whole and has its name.
  Status Finish();

 private:
  OutputFile file_;
  std::optional<TorchArchive> archive_;  ///< what stands around the elements of a .pt file
  uint32_t crc_ = 0;
  Status status_;
};

/// The file of a record of the segment.
Status WriteTensorFile(const SegmentReader& segment, const StoredRecord& record,
                       transplt_format format, const std::string& path);

}  // namespace transplt::capture
