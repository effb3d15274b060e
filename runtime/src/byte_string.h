// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace transplt::capture {

/// Appends numbers and texts to bytes that ByteReader takes apart again.
class ByteWriter {
 public:
  void Number(uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), 8); }
  void Text(std::string_view text) {
    Number(text.size());
    bytes_.append(text);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// What is missing reads as 0 or as the empty text, and ok() tells.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  uint64_t Number() {
    uint64_t value = 0;
    if (bytes_.size() < 8) {
      ok_ = false;
      return 0;
    }
    std::memcpy(&value, bytes_.data(), 8);
    bytes_.remove_prefix(8);
    return value;
  }
  std::string_view Text() {
    const uint64_t size = Number();
    if (size > bytes_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return text;
  }
  bool ok() const { return ok_; }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace transplt::capture
