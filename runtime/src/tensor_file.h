// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "runtime/src/output_file.h"
#include "runtime/src/record_meta.h"
#include "runtime/src/tensor_pass.h"

namespace transplt::capture {

/// What stands in front of the elements in a .npy file.
std::string NpyHeader(const RecordMeta& meta);

/// Takes the blocks of one tensor straight into its .npy file. The pass goes on after an error, for
/// the statistics.
class TensorFile : public BlockSink {
 public:
  Status Create(const RecordMeta& meta, const std::string& path);
  bool Take(std::string_view bytes) override;
  char* Room(size_t /*size*/) override { return nullptr; }
  void Wrote(size_t /*size*/) override {}
  /// OK if the file is whole and has its name.
  Status Finish();

 private:
  OutputFile file_;
  Status status_;
};

}  // namespace transplt::capture
