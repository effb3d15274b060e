// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/source_file.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

namespace transplt {
namespace {

constexpr size_t kMaxBytes = std::numeric_limits<uint32_t>::max();
constexpr uint32_t kCheckpointDistance = 1024;

/// The size of the non-ASCII character at `at`; a byte that is no character counts as one.
uint32_t SizeAt(std::string_view text, size_t at, CharacterLayout layout) {
  return std::max(CharacterSize(text.substr(at), layout), 1U);
}

/// True if the parser, which reads UTF-8, reads the text well enough as it is.
bool ParsesAsUtf8(std::string_view text, CharacterLayout layout) {
  if (layout != CharacterLayout::kUtf8 && layout != CharacterLayout::kSingleByte) {
    return NextNonAscii(text, 0) == text.size();
  }
  return IsValid(text, CharacterLayout::kUtf8);
}

/// Writes 'x' over every byte that is not ASCII, or of UTF-8 over every byte that is not valid.
void MaskNonAscii(std::string& text, CharacterLayout layout) {
  const std::string_view view = text;  // the size does not change
  for (size_t at = NextNonAscii(text, 0); at < text.size(); at = NextNonAscii(text, at)) {
    const size_t size = CharacterSize(view.substr(at), layout);
    if (size == 0) {
      text[at++] = 'x';
    } else {
      if (layout != CharacterLayout::kUtf8) text.replace(at, size, size, 'x');
      at += size;
    }
  }
}

/// Makes an LF of every CR that no LF follows.
void EndLinesWithLf(std::string& text) {
  for (size_t cr = text.find('\r'); cr != std::string::npos; cr = text.find('\r', cr + 1)) {
    if (cr + 1 == text.size() || text[cr + 1] != '\n') text[cr] = '\n';
  }
}

}  // namespace

Result<SourceFile> SourceFile::FromBytes(std::string path, std::string bytes) {
  if (bytes.size() > kMaxBytes) {
    return Error{Error::Code::kBadInput, std::move(path),
                 Say("the file has {} bytes, the limit is {}; split it",
                     "文件大小为 {} 字节，超过上限 {}；请拆分该文件", bytes.size(), kMaxBytes)};
  }
  Result<Encoding> encoding = DetectEncoding(bytes);
  if (!encoding) {
    Error error = encoding.error();
    error.where = std::move(path);
    return error;
  }
  SourceFile file;
  file.path_ = std::move(path);
  file.bytes_ = std::move(bytes);
  file.encoding_ = *std::move(encoding);
  file.FindLines();
  file.MakeCheckpoints();
  file.MakeParseText();
  return file;
}

void SourceFile::FindLines() {
  const char* const begin = bytes_.data();
  const char* const end = begin + bytes_.size();
  const auto find = [end](const char* from, char c) {
    if (from == end) return end;
    const void* found = std::memchr(from, c, static_cast<size_t>(end - from));
    return found == nullptr ? end : static_cast<const char*>(found);
  };
  line_starts_.push_back(0);
  const char* cr = find(begin, '\r');  // stays at the end in most files
  const char* lf = find(begin, '\n');
  while (cr != end || lf != end) {
    const char* last = std::min(cr, lf);
    if (last == cr) {
      const bool before_lf = lf != end && lf == cr + 1;
      if (before_lf) last = lf;
      has_lone_cr_ = has_lone_cr_ || !before_lf;
      cr = find(cr + 1, '\r');
    }
    if (last == lf) lf = find(lf + 1, '\n');
    line_starts_.push_back(static_cast<uint32_t>(last + 1 - begin));
  }
}

void SourceFile::MakeCheckpoints() {
  if (NextNonAscii(bytes_, 0) == bytes_.size()) return;
  Checkpoint place{0, 0};
  checkpoints_.push_back(place);
  while (bytes_.size() - place.offset > kCheckpointDistance) {
    place = Advance(place, place.offset + kCheckpointDistance);
    checkpoints_.push_back(place);
  }
}

void SourceFile::MakeParseText() {
  const bool masked = !ParsesAsUtf8(bytes_, encoding_.layout);
  std::vector<TextRange> comments = LongComments();
  std::ranges::move(ShallowCommentsOfDecorators(), std::back_inserter(comments));
  if (!masked && !has_lone_cr_ && comments.empty()) return;
  parse_text_ = bytes_;
  if (masked) MaskNonAscii(parse_text_, encoding_.layout);
  if (has_lone_cr_) EndLinesWithLf(parse_text_);
  for (TextRange range : comments) {
    const auto first = parse_text_.begin() + range.start;
    std::replace_if(
        first, first + range.size(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  }
}

std::vector<TextRange> SourceFile::LongComments() const {
  constexpr int kManyLines = 100;
  std::vector<TextRange> long_ones;
  TextRange run;
  std::string_view run_indent;
  int run_lines = 0;
  const auto end_run = [&] {
    if (run_lines >= kManyLines) long_ones.push_back(run);
    run_lines = 0;
  };
  for (uint32_t line = 1; line <= line_count(); ++line) {
    const TextRange range = LineRange(line);
    const std::string_view text = range.In(bytes_);
    const size_t blanks = text.find_first_not_of(" \t\f");
    if (blanks == std::string_view::npos) continue;
    const std::string_view indent = text.substr(0, blanks);
    if (text[blanks] != '#' || indent != run_indent) end_run();
    if (text[blanks] != '#') continue;
    if (run_lines++ == 0) run.start = range.start;
    run.end = range.end;
    run_indent = indent;
  }
  end_run();
  return long_ones;
}

std::vector<TextRange> SourceFile::ShallowCommentsOfDecorators() const {
  std::vector<TextRange> gaps;
  bool is_open = false;  // behind a decorator
  size_t depth = 0;      // of it
  uint32_t end = 0;      // of it, or of the last comment behind it
  for (uint32_t line = 1; line <= line_count(); ++line) {
    const TextRange range = LineRange(line);
    const std::string_view text = range.In(bytes_);
    const size_t blanks = text.find_first_not_of(" \t\f");
    if (blanks == std::string_view::npos) continue;
    if (text[blanks] == '#') {
      if (!is_open || blanks >= depth) continue;
      gaps.push_back({end, range.start});
    } else {
      is_open = text[blanks] == '@';
      depth = blanks;
    }
    end = range.end;
  }
  return gaps;
}

SourceFile::Checkpoint SourceFile::Advance(Checkpoint from, uint32_t limit) const {
  const std::string_view text = bytes().substr(0, limit);
  while (from.offset < limit) {
    const auto ascii_end = static_cast<uint32_t>(NextNonAscii(text, from.offset));
    from.characters += ascii_end - from.offset;
    from.offset = ascii_end;
    if (ascii_end == limit) break;
    const uint32_t size = SizeAt(bytes_, ascii_end, encoding_.layout);
    if (size > limit - ascii_end) break;
    from.offset += size;
    ++from.characters;
  }
  return from;
}

uint32_t SourceFile::CharactersBefore(uint32_t offset) const {
  if (checkpoints_.empty()) return offset;
  const auto after =
      std::upper_bound(checkpoints_.begin(), checkpoints_.end(), offset,
                       [](uint32_t o, const Checkpoint& place) { return o < place.offset; });
  return Advance(*std::prev(after), offset).characters;
}

size_t SourceFile::LineIndexOf(uint32_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<size_t>(after - line_starts_.begin()) - 1;
}

LineColumn SourceFile::Locate(uint32_t offset) const {
  offset = std::min(offset, static_cast<uint32_t>(bytes_.size()));
  const size_t index = LineIndexOf(offset);
  uint32_t before = CharactersBefore(offset) - CharactersBefore(line_starts_[index]);
  if (index == 0 && has_bom() && before > 0) --before;
  return {static_cast<uint32_t>(index + 1), before + 1};
}

std::string_view SourceFile::LineEndOf(size_t index) const {
  if (index + 1 >= line_starts_.size()) return "";
  const std::string_view line = bytes().substr(0, line_starts_[index + 1]);
  if (line.back() == '\r') return "\r";
  return line.ends_with("\r\n") ? "\r\n" : "\n";
}

TextRange SourceFile::LineRange(uint32_t line) const {
  const auto size = static_cast<uint32_t>(bytes_.size());
  if (line == 0 || line > line_count()) return {size, size};
  const size_t index = line - 1;
  const uint32_t next = line < line_count() ? line_starts_[line] : size;
  return {line_starts_[index], next - static_cast<uint32_t>(LineEndOf(index).size())};
}

std::string_view SourceFile::LineEndAt(uint32_t offset) const {
  const size_t index = LineIndexOf(offset);
  std::string_view line_end = LineEndOf(index);
  // Only the last line can lack one.
  if (line_end.empty() && index > 0) line_end = LineEndOf(index - 1);
  return line_end.empty() ? "\n" : line_end;
}

std::string SourceFile::TextOf(TextRange range) const {
  std::string_view text = range.In(bytes_);
  if (range.start == 0 && text.starts_with(kUtf8Bom)) text.remove_prefix(kUtf8Bom.size());
  return Decode(text);
}

std::string SourceFile::Decode(std::string_view bytes) const {
  return DecodeToUtf8(bytes, encoding_);
}

}  // namespace transplt
