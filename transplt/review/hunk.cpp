// SPDX-License-Identifier: Apache-2.0
#include "transplt/review/hunk.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "transplt/base/plain_text.h"
#include "transplt/report/record_place.h"

namespace transplt {
namespace {

constexpr uint32_t kAround = 2;
constexpr size_t kColumns = 150;
constexpr uint32_t kShownBefore = 40;  // characters before the edit in a line that is cut

/// The bytes of the first `count` characters of `text`.
size_t BytesOf(std::string_view text, uint32_t count) {
  size_t position = 0;
  while (count-- > 0 && position < text.size()) (void)NextCharacter(text, position);
  return position;
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t start = 0;;) {
    const size_t end = text.find('\n', start);
    lines.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return lines;
    start = end + 1;
  }
}

/// One edit of a file.
class HunkMaker {
 public:
  HunkMaker(const ChangeRecord& record, const SourceFile& original)
      : record_(record), original_(original) {}

  /// Nothing if the record does not show where it is.
  std::optional<std::vector<HunkLine>> Make() {
    ChangeRecord placed = record_;
    placed.source_line = Line(record_.start_line);
    const std::optional<TextRegion> region = ExactRegion(placed);
    if (!region || region->end.line > original_.line_count()) return std::nullopt;
    const std::string first = Line(region->start.line);
    const std::string last = Line(region->end.line);
    const std::string text = first.substr(0, BytesOf(first, region->start.column - 1)) +
                             record_.after + last.substr(BytesOf(last, region->end.column - 1));
    // A long line is shown from where the edit is near.
    if (region->start.column > kColumns / 2) skipped_ = region->start.column - kShownBefore;
    const uint32_t start = region->start.line;
    const uint32_t from = start > kAround ? start - kAround : 1;
    for (uint32_t line = from; line < start; ++line) Add(' ', line, Line(line));
    for (uint32_t line = start; line <= region->end.line; ++line) Add('-', line, Line(line));
    for (const std::string_view line : LinesOf(text)) Add('+', 0, line);
    const uint32_t end = std::min(region->end.line + kAround, original_.line_count());
    for (uint32_t line = region->end.line + 1; line <= end; ++line) Add(' ', line, Line(line));
    return std::move(lines_);
  }

 private:
  std::string Line(uint32_t line) const { return original_.TextOf(original_.LineRange(line)); }

  void Add(char sign, uint32_t number, std::string_view text) {
    const std::string cut = skipped_ == 0 ? "" : "…";
    lines_.push_back(
        {sign, number, FitColumns(cut + OneLine(text.substr(BytesOf(text, skipped_))), kColumns)});
  }

  const ChangeRecord& record_;
  const SourceFile& original_;
  uint32_t skipped_ = 0;  // characters at the beginning of each line
  std::vector<HunkLine> lines_;
};

}  // namespace

std::vector<HunkLine> HunkOf(const ChangeRecord& record, const SourceFile* original) {
  if (original != nullptr) {
    if (auto lines = HunkMaker(record, *original).Make()) return *std::move(lines);
  }
  std::vector<HunkLine> lines;
  const auto add = [&](char sign, std::string_view text, uint32_t number) {
    if (text.empty()) return;
    for (const std::string_view line : LinesOf(text)) {
      lines.push_back({sign, number, FitColumns(OneLine(line), kColumns)});
      if (number != 0) ++number;
    }
  };
  add('-', record.before, record.start_line);
  add('+', record.after, 0);
  return lines;
}

}  // namespace transplt
