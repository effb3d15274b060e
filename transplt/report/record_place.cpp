// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/record_place.h"

#include <fmt/format.h>

#include <vector>

#include "transplt/base/plain_text.h"

namespace transplt {
namespace {

constexpr std::string_view kShortened = "\n...\n";  // between edits far from each other

/// The lines of `text` without their ends, as SourceFile counts them. At least one.
std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (;;) {
    const size_t end = text.find_first_of("\r\n");
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(text.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
  }
}

/// What follows the first `count` characters; nothing if there are fewer.
std::optional<std::string_view> Behind(std::string_view text, uint32_t count) {
  size_t position = 0;
  for (; count > 0; --count) {
    if (position == text.size()) return std::nullopt;
    (void)NextCharacter(text, position);
  }
  return text.substr(position);
}

}  // namespace

std::optional<TextRegion> ExactRegion(const ChangeRecord& record) {
  if (record.start_line == 0 || ColumnInFile(record) == 0) return std::nullopt;
  const LineColumn start{record.start_line, record.column};
  const std::string_view before = record.before;
  if (before.empty()) {
    // Without a text, only an insertion tells its place.
    if (record.after.empty()) return std::nullopt;
    return TextRegion{start, start};
  }
  if (before.find(kReplacement) != std::string_view::npos ||
      before.find(kShortened) != std::string_view::npos) {
    return std::nullopt;
  }
  const std::vector<std::string_view> lines = LinesOf(before);
  const auto rest = Behind(record.source_line, record.column - 1);
  if (!rest || !rest->starts_with(lines.front())) return std::nullopt;
  if (lines.size() == 1) {
    return TextRegion{start, {start.line, start.column + CharactersIn(before)}};
  }
  if (*rest != lines.front()) return std::nullopt;
  const auto last = static_cast<uint32_t>(lines.size() - 1);
  return TextRegion{start, {start.line + last, CharactersIn(lines.back()) + 1}};
}

uint32_t ColumnInFile(const ChangeRecord& record) {
  return record.start_line == 0 || record.file.ends_with(".ipynb") ? 0 : record.column;
}

std::string PlaceOf(std::string_view root, const ChangeRecord& record) {
  std::string place = OneLine(std::string(root) + record.file);
  if (record.start_line != 0) place += fmt::format(":{}", record.start_line);
  return place;
}

std::string PercentEncoded(std::string_view path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  std::string encoded;
  for (const char c : path) {
    if (kPlain.find(c) != std::string_view::npos) {
      encoded.push_back(c);
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

}  // namespace transplt
