// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "transplt/base/result.h"

namespace transplt {

/// Bytes that are read at any place: a file, or memory in a test.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual uint64_t size() const = 0;
  /// Reads exactly `size` bytes; false if they are not there or cannot be read.
  virtual bool Read(uint64_t offset, void* to, size_t size) const = 0;

  /// The `size` bytes at `offset`, or as many as there are.
  std::string Text(uint64_t offset, size_t size) const;
};

/// Opens `path`, a plain file, for reading.
Result<std::unique_ptr<ByteSource>> OpenFile(const std::string& path);

/// Reads from `bytes`, which must outlive it.
class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  uint64_t size() const override { return bytes_.size(); }
  bool Read(uint64_t offset, void* to, size_t size) const override;

 private:
  std::string_view bytes_;
};

}  // namespace transplt
