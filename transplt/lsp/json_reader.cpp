// SPDX-License-Identifier: Apache-2.0
#include "transplt/lsp/json_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "transplt/base/json_text.h"

namespace transplt {
namespace {

using nlohmann::json;

/// The number of an escape "\uXXXX" at `at`.
std::optional<uint32_t> EscapeAt(std::string_view text, size_t at) {
  constexpr size_t kSize = 6;
  constexpr size_t kDigits = 2;  // where they begin
  constexpr int kHexadecimal = 16;
  if (at + kSize > text.size() || text.substr(at, kDigits) != "\\u") return std::nullopt;
  uint32_t number = 0;
  const char* end = text.data() + at + kSize;
  const auto [stop, error] = std::from_chars(text.data() + at + kDigits, end, number, kHexadecimal);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

bool IsFirstHalf(uint32_t number) { return number >= 0xD800 && number < 0xDC00; }
bool IsSecondHalf(uint32_t number) { return number >= 0xDC00 && number < 0xE000; }

std::string WithoutHalfPairs(std::string_view text) {
  constexpr size_t kSize = 6;
  std::string whole;
  for (size_t i = 0; i < text.size();) {
    const std::optional<uint32_t> number = EscapeAt(text, i);
    if (!number) {
      // The character behind a backslash starts no escape of its own.
      const size_t size = text[i] == '\\' && i + 1 < text.size() ? 2 : 1;
      whole += text.substr(i, size);
      i += size;
      continue;
    }
    const std::optional<uint32_t> next = EscapeAt(text, i + kSize);
    const bool is_pair = IsFirstHalf(*number) && next && IsSecondHalf(*next);
    const bool is_half = !is_pair && (IsFirstHalf(*number) || IsSecondHalf(*number));
    const size_t size = is_pair ? 2 * kSize : kSize;
    whole += is_half ? std::string_view("\\ufffd") : text.substr(i, size);
    i += size;
  }
  return whole;
}

std::optional<uint32_t> CountAt(const json& from, const char* pointer) {
  const json* value = ValueAt(from, pointer);
  if (value == nullptr || !value->is_number_unsigned()) return std::nullopt;
  const auto count = value->get<uint64_t>();
  return static_cast<uint32_t>(std::min<uint64_t>(count, std::numeric_limits<uint32_t>::max() / 2));
}

}  // namespace

const json* ValueAt(const json& from, const char* pointer) {
  const json::json_pointer place(pointer);
  return from.contains(place) ? &from.at(place) : nullptr;
}

std::optional<std::string> StringAt(const json& from, const char* pointer) {
  const json* value = ValueAt(from, pointer);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return value->get<std::string>();
}

std::optional<Position> PositionAt(const json& from, const char* pointer) {
  const json* value = ValueAt(from, pointer);
  if (value == nullptr) return std::nullopt;
  const std::optional<uint32_t> line = CountAt(*value, "/line");
  const std::optional<uint32_t> character = CountAt(*value, "/character");
  if (!line || !character) return std::nullopt;
  return Position{*line, *character};
}

json ParseMessage(std::string_view text) {
  json message = ParseJson(text);
  return message.is_discarded() ? ParseJson(WithoutHalfPairs(text)) : message;
}

json ToJson(Position position) {
  return {{"line", position.line}, {"character", position.character}};
}

}  // namespace transplt
