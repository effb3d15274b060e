// SPDX-License-Identifier: Apache-2.0
#include "transplt/lsp/message_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace transplt {
namespace {

constexpr size_t kChunk = size_t{1} << 16;
constexpr size_t kLongestLine = 4096;  // of a header

/// The value of a line of a header, if it is a length.
std::optional<size_t> LengthIn(std::string_view line) {
  constexpr std::string_view kName = "content-length:";
  const auto is_same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
  if (line.size() < kName.size() ||
      !std::ranges::equal(line.substr(0, kName.size()), kName, is_same)) {
    return std::nullopt;
  }
  line.remove_prefix(kName.size());
  while (line.starts_with(' ')) line.remove_prefix(1);
  size_t length = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), length);
  const bool is_number = error == std::errc() && end == line.data() + line.size();
  if (!is_number || length > MessageReader::kMaxBytes) return std::nullopt;
  return length;
}

}  // namespace

bool MessageReader::Fill() {
  const size_t before = buffer_.size();
  buffer_.resize(before + kChunk);
  const size_t count = source_(buffer_.data() + before, kChunk);
  buffer_.resize(before + count);
  return count > 0;
}

std::optional<std::string> MessageReader::NextLine() {
  for (size_t from = 0;;) {
    const size_t end = buffer_.find('\n', from);
    if (end != std::string::npos || buffer_.size() > kLongestLine) {
      const size_t size = std::min(end, kLongestLine);
      std::string line = buffer_.substr(0, size);
      buffer_.erase(0, end == size ? size + 1 : size);
      if (line.ends_with('\r')) line.pop_back();
      return line;
    }
    from = buffer_.size();
    if (!Fill()) return std::nullopt;
  }
}

std::optional<size_t> MessageReader::ReadHeader() {
  size_t length = 0;
  for (bool is_begun = false;;) {
    const std::optional<std::string> line = NextLine();
    if (!line) return std::nullopt;
    if (line->empty() && is_begun) return length;
    if (line->empty()) continue;
    is_begun = true;
    if (const std::optional<size_t> named = LengthIn(*line)) length = *named;
  }
}

std::optional<std::string> MessageReader::Next() {
  const std::optional<size_t> length = ReadHeader();
  if (!length) return std::nullopt;
  while (buffer_.size() < *length) {
    if (!Fill()) return std::nullopt;
  }
  std::string message = buffer_.substr(0, *length);
  buffer_.erase(0, *length);
  return message;
}

std::string Framed(std::string_view message) {
  return fmt::format("Content-Length: {}\r\n\r\n{}", message.size(), message);
}

}  // namespace transplt
