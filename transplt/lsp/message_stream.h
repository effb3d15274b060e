// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace transplt {

/// Cuts a stream into messages, as the base protocol of language servers frames them: a header
/// with "Content-Length: N", an empty line, N bytes.
class MessageReader {
 public:
  /// Fills the buffer with at least one byte; gives the number of bytes, and 0 at the end.
  using ByteSource = std::function<size_t(char* buffer, size_t size)>;

  static constexpr size_t kMaxBytes = size_t{256} << 20;

  explicit MessageReader(ByteSource source) : source_(std::move(source)) {}

  /// The next message; nothing at the end. Empty if a header names no length that can be used.
  std::optional<std::string> Next();

 private:
  bool Fill();
  std::optional<std::string> NextLine();
  /// The length that the header names, 0 if it names none; nothing at the end.
  std::optional<size_t> ReadHeader();

  ByteSource source_;
  std::string buffer_;
};

/// The message with its header.
std::string Framed(std::string_view message);

}  // namespace transplt
