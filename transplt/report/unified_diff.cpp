// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/unified_diff.h"

#include <fmt/format.h>
#include <git2.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace transplt {
namespace {

constexpr size_t kContext = 3;

/// A text as git sees it: lines that end at LF, the last one perhaps without.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {
    for (size_t start = 0; start < text.size();) {
      starts_.push_back(start);
      const size_t line_end = text.find('\n', start);
      start = line_end == std::string_view::npos ? text.size() : line_end + 1;
    }
  }

  std::string_view text() const { return text_; }
  size_t count() const { return starts_.size(); }
  /// Where line `index` starts; the end of the text for the index behind the last line.
  size_t Start(size_t index) const { return index < count() ? starts_[index] : text_.size(); }
  std::string_view operator[](size_t index) const {
    return text_.substr(Start(index), Start(index + 1) - Start(index));
  }
  bool StartsAt(size_t offset) const { return offset == 0 || text_[offset - 1] == '\n'; }
  /// The line that holds `offset`; behind a final LF, the index behind the last line.
  size_t At(size_t offset) const {
    if (offset == text_.size() && StartsAt(offset)) return count();
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
    return static_cast<size_t>(next - starts_.begin()) - 1;
  }

 private:
  std::string_view text_;
  std::vector<size_t> starts_;
};

/// An edit without the bytes at its ends that it does not change.
struct Change {
  size_t start = 0;
  size_t end = 0;
  std::string text;
};

Change Trim(const Edit& edit, std::string_view original) {
  Change change{edit.range.start, edit.range.end, edit.text};
  const std::string_view old_text = edit.range.In(original);
  const size_t most = std::min(old_text.size(), change.text.size());
  size_t front = 0;
  while (front < most && old_text[front] == change.text[front]) ++front;
  size_t back = 0;
  while (back < most - front &&
         old_text[old_text.size() - 1 - back] == change.text[change.text.size() - 1 - back]) {
    ++back;
  }
  change.start += front;
  change.end -= back;
  change.text = change.text.substr(front, change.text.size() - front - back);
  return change;
}

/// An insertion of whole lines may be written in the middle of one ("\nnew" before a line end is
/// "new\n" behind it). This moves it, or the like deletion, to the place where only whole lines
/// come or go, if there is one between `low` and `high`.
void AlignToLines(Change& change, const Lines& lines, size_t low, size_t high) {
  if (change.text.empty() == (change.start == change.end)) return;  // a replacement cannot move
  const std::string_view text = lines.text();
  const std::string moving = change.text.empty()
                                 ? std::string(text.substr(change.start, change.end - change.start))
                                 : change.text;
  const size_t size = moving.size();
  const auto finish = [&](size_t start, size_t turn) {
    change.end = start + (change.end - change.start);
    change.start = start;
    if (!change.text.empty()) change.text = moving.substr(turn) + moving.substr(0, turn);
  };
  // Moved right by n bytes, the text is turned left by n; it consists of whole lines if a line
  // starts where it stands and it ends with LF.
  for (size_t n = 0;; ++n) {
    const size_t turn = n % size;
    if (lines.StartsAt(change.start + n) && moving[(turn + size - 1) % size] == '\n') {
      return finish(change.start + n, turn);
    }
    if (change.end + n >= high || text[change.end + n] != moving[turn]) break;
  }
  for (size_t n = 1;; ++n) {
    const size_t turn = (size - n % size) % size;
    if (change.start < low + n || text[change.start - n] != moving[turn]) return;
    if (lines.StartsAt(change.start - n) && moving[(turn + size - 1) % size] == '\n') {
      return finish(change.start - n, turn);
    }
  }
}

std::vector<Change> Normalized(const EditList& edits, const Lines& lines) {
  std::vector<Change> changes;
  for (const EditList::Accepted& accepted : edits.edits()) {
    Change change = Trim(accepted.edit, lines.text());
    if (change.start != change.end || !change.text.empty()) changes.push_back(std::move(change));
  }
  for (size_t i = 0; i < changes.size(); ++i) {
    const size_t low = i == 0 ? 0 : changes[i - 1].end;
    const size_t high = i + 1 == changes.size() ? lines.text().size() : changes[i + 1].start;
    AlignToLines(changes[i], lines, low, high);
  }
  return changes;
}

/// Original lines [begin, end) become `lines`.
struct Block {
  size_t begin = 0;
  size_t end = 0;
  std::vector<std::string> lines;
};

/// Makes blocks of changes: those that touch a line together belong to one block.
class BlockMaker {
 public:
  BlockMaker(const Lines& lines, const std::vector<Change>& changes)
      : lines_(lines), changes_(changes) {}

  std::vector<Block> Make() {
    while (past_ < changes_.size()) MakeNext();
    return std::move(blocks_);
  }

 private:
  size_t FirstLine(size_t index) const { return lines_.At(changes_[index].start); }
  size_t LineBehind(size_t index) const {
    const size_t end = changes_[index].end;
    return lines_.At(end) + (lines_.StartsAt(end) ? 0 : 1);
  }

  void MakeNext() {
    first_ = past_++;
    begin_ = FirstLine(first_);
    end_ = LineBehind(first_);
    const auto take = [&] { end_ = std::max(end_, LineBehind(past_++)); };
    while (true) {
      while (past_ < changes_.size() && FirstLine(past_) < end_) take();
      if (EndsLine()) break;
      // The new text ends within a line, so what follows it belongs to that line.
      if (past_ < changes_.size() && FirstLine(past_) == end_) {
        take();
      } else if (end_ < lines_.count()) {
        ++end_;
      } else {
        break;
      }
    }
    const std::string new_text = NewText();
    AddBlocks(Lines(new_text));
  }

  /// Whether the new text of lines [begin_, end_) is empty or ends with LF.
  bool EndsLine() const {
    size_t offset = lines_.Start(end_);
    for (size_t i = past_; i > first_ && changes_[i - 1].end == offset; --i) {
      const Change& change = changes_[i - 1];
      if (!change.text.empty()) return change.text.back() == '\n';
      offset = change.start;
    }
    return lines_.StartsAt(offset);
  }

  std::string NewText() const {
    std::string text;
    size_t copied = lines_.Start(begin_);
    for (size_t i = first_; i < past_; ++i) {
      text.append(lines_.text().substr(copied, changes_[i].start - copied));
      text.append(changes_[i].text);
      copied = changes_[i].end;
    }
    return text.append(lines_.text().substr(copied, lines_.Start(end_) - copied));
  }

  /// Adds what differs between lines [begin_, end_) and `fresh`.
  void AddBlocks(const Lines& fresh) {
    if (end_ - begin_ != fresh.count()) return Add(begin_, end_, fresh, 0, fresh.count());
    for (size_t i = 0; i < fresh.count(); ++i) {  // as many lines as before: one for one
      const size_t line = begin_ + i;
      if (lines_[line] != fresh[i]) Add(line, line + 1, fresh, i, i + 1);
    }
  }

  /// Adds a block, or lengthens the last one if nothing stands between.
  void Add(size_t begin, size_t end, const Lines& fresh, size_t fresh_begin, size_t fresh_end) {
    if (blocks_.empty() || blocks_.back().end != begin) blocks_.push_back({begin, begin, {}});
    Block& block = blocks_.back();
    block.end = end;
    for (size_t i = fresh_begin; i < fresh_end; ++i) block.lines.emplace_back(fresh[i]);
  }

  const Lines& lines_;
  const std::vector<Change>& changes_;
  std::vector<Block> blocks_;
  size_t first_ = 0;  // the changes of the block
  size_t past_ = 0;
  size_t begin_ = 0;  // its original lines
  size_t end_ = 0;
};

/// Quotes a name as git does: in C style if it holds a quote, a backslash, a control character or
/// a byte beyond ASCII, which git takes for "unusual" unless core.quotePath is off.
std::string QuotedName(std::string_view name) {
  std::string quoted = "\"";
  bool unusual = false;
  for (char c : name) {
    constexpr std::string_view kEscaped = "\a\b\t\n\v\f\r\"\\";
    constexpr std::string_view kLetters = "abtnvfr\"\\";
    const auto byte = static_cast<unsigned char>(c);
    if (const size_t escape = kEscaped.find(c); escape != std::string_view::npos) {
      quoted += {'\\', kLetters[escape]};
    } else if (byte < 0x20 || byte >= 0x7F) {
      quoted += fmt::format("\\{:03o}", byte);
    } else {
      quoted += c;
      continue;
    }
    unusual = true;
  }
  return unusual ? quoted + '"' : std::string(name);
}

std::string Header(const std::string& path, bool is_new = false) {
  const std::string old_name = QuotedName("a/" + path);
  const std::string new_name = QuotedName("b/" + path);
  // The tab tells where a name with blanks ends.
  const std::string_view tab = path.find(' ') == std::string::npos ? "" : "\t";
  if (is_new) {
    return fmt::format("diff --git {0} {1}\nnew file mode 100644\n--- /dev/null\n+++ {1}{2}\n",
                       old_name, new_name, tab);
  }
  return fmt::format("diff --git {0} {1}\n--- {0}{2}\n+++ {1}{2}\n", old_name, new_name, tab);
}

void AppendLine(std::string& diff, char sign, std::string_view line) {
  diff.push_back(sign);
  diff.append(line);
  if (!line.ends_with('\n')) diff.append("\n\\ No newline at end of file\n");
}

/// One side of "@@ -1,5 +1,6 @@": a side without lines names the line before it.
std::string Span(size_t begin, size_t count) {
  if (count == 1) return fmt::format("{}", begin + 1);
  return fmt::format("{},{}", count == 0 ? begin : begin + 1, count);
}

/// Appends the hunk of blocks [first, past). `added` and `removed` count the lines of the hunks
/// before it.
struct HunkWriter {
  const Lines& lines;
  const std::vector<Block>& blocks;
  std::string& diff;
  size_t added = 0;
  size_t removed = 0;

  void Write(size_t first, size_t past) {
    const size_t begin = blocks[first].begin - std::min(blocks[first].begin, kContext);
    const size_t end = std::min(lines.count(), blocks[past - 1].end + kContext);
    size_t more = 0;
    size_t fewer = 0;
    for (size_t i = first; i < past; ++i) {
      more += blocks[i].lines.size();
      fewer += blocks[i].end - blocks[i].begin;
    }
    diff.append(fmt::format("@@ -{} +{} @@\n", Span(begin, end - begin),
                            Span(begin + added - removed, end - begin + more - fewer)));
    size_t line = begin;
    for (size_t i = first; i < past; ++i) {
      for (; line < blocks[i].begin; ++line) AppendLine(diff, ' ', lines[line]);
      for (; line < blocks[i].end; ++line) AppendLine(diff, '-', lines[line]);
      for (const std::string& fresh : blocks[i].lines) AppendLine(diff, '+', fresh);
    }
    for (; line < end; ++line) AppendLine(diff, ' ', lines[line]);
    added += more;
    removed += fewer;
  }
};

}  // namespace

std::string UnifiedDiff(const PatchedFile& file) {
  git_libgit2_init();
  git_diff_options options = GIT_DIFF_OPTIONS_INIT;
  options.flags = GIT_DIFF_FORCE_TEXT;
  options.context_lines = kContext;
  git_patch* patch = nullptr;
  git_buf text = GIT_BUF_INIT;
  std::string hunks;
  // Memory is all that can be missing.
  if (git_patch_from_buffers(&patch, file.before.data(), file.before.size(), "a", file.after.data(),
                             file.after.size(), "a", &options) != 0 ||
      git_patch_to_buf(&text, patch) != 0) {
    throw std::bad_alloc();
  }
  const std::string_view whole(text.ptr, text.size);
  if (const size_t start = whole.find("\n@@ "); start != whole.npos)
    hunks = whole.substr(start + 1);
  git_buf_dispose(&text);
  git_patch_free(patch);
  git_libgit2_shutdown();
  return hunks.empty() ? "" : Header(file.path, file.is_new) + hunks;
}

std::string UnifiedDiff(const SourceFile& source, const EditList& edits) {
  const Lines lines(source.bytes());
  const std::vector<Change> changes = Normalized(edits, lines);
  const std::vector<Block> blocks = BlockMaker(lines, changes).Make();
  if (blocks.empty()) return "";
  std::string diff = Header(source.path());
  HunkWriter writer{lines, blocks, diff};
  for (size_t first = 0; first < blocks.size();) {
    size_t past = first + 1;
    while (past < blocks.size() && blocks[past].begin - blocks[past - 1].end <= 2 * kContext) {
      ++past;
    }
    writer.Write(first, past);
    first = past;
  }
  return diff;
}

}  // namespace transplt
