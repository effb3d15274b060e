// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/cell_writer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace transplt {

std::optional<std::vector<Edit>> CellWriter::Write(const std::vector<const Edit*>& edits,
                                                   bool ascii) {
  ascii_ = ascii;
  uint32_t done = cell_.python.start;
  for (const Edit* edit : edits) {
    Keep({done, edit->range.start});
    Insert(edit->text);
    done = edit->range.end;
  }
  Keep({done, cell_.python.end});
  if (!Finish()) return std::nullopt;
  return Difference();
}

void CellWriter::Keep(TextRange range) {
  if (range.empty()) return;
  const auto first = std::partition_point(
      cell_.strings.begin(), cell_.strings.end(),
      [&](const CellString& string) { return string.python.end <= range.start; });
  for (auto string = first; string != cell_.strings.end(); ++string) {
    if (string->python.start >= range.end) break;
    const TextRange part = {std::max(range.start, string->python.start),
                            std::min(range.end, string->python.end)};
    if (!part.empty()) KeepPartOfString(static_cast<size_t>(string - cell_.strings.begin()), part);
  }
  if (cell_.has_added_line_end && range.end == cell_.python.end) owes_line_end_ = true;
}

void CellWriter::KeepPartOfString(size_t index, TextRange range) {
  const CellString& old = cell_.strings[index];
  // Strings that end in the middle of a line stay apart.
  const bool is_next_string = range.start == old.python.start && kept_end_ == range.start;
  if (is_next_string && cell_.is_list) strings_.emplace_back();
  NewString& string = Current();
  const bool is_whole = string.json.empty() && range == old.python;
  string.same_as = is_whole ? std::optional(index) : std::nullopt;
  const uint32_t json_start = offsets_.Find(range.start);
  const uint32_t json_end =
      range.end == old.python.end ? old.json.end - 1 : offsets_.Find(range.end);
  string.json += json_.substr(json_start, json_end - json_start);
  string.text += range.In(python_);
  string.line_end_size = json_end - offsets_.Find(range.end - 1);
  kept_end_ = range.end;
}

void CellWriter::Insert(std::string_view text) {
  while (!text.empty()) {
    const size_t line_feed = text.find('\n');
    const size_t size = line_feed == std::string_view::npos ? text.size() : line_feed + 1;
    InsertLine(text.substr(0, size));
    text.remove_prefix(size);
  }
}

void CellWriter::InsertLine(std::string_view line) {
  NewString& string = Current();
  string.same_as.reset();
  string.json += Escape(line);
  string.text += line;
  string.line_end_size = 2;
  kept_end_ = 0;
}

CellWriter::NewString& CellWriter::Current() {
  if (owes_line_end_) {
    owes_line_end_ = false;
    InsertLine("\n");
  }
  if (strings_.empty() || (cell_.is_list && EndsLine())) strings_.emplace_back();
  return strings_.back();
}

bool CellWriter::Finish() {
  if (strings_.empty() && !cell_.is_list) strings_.emplace_back();
  const bool is_empty = strings_.empty() || strings_.back().text.empty();
  if (!cell_.has_added_line_end) return is_empty || EndsLine();
  if (owes_line_end_) {
    owes_line_end_ = false;
    // Reading adds a line end to a last line that has none, but not to nothing.
    if (is_empty || EndsLine()) InsertLine("\n");
    return true;
  }
  if (is_empty) return true;
  if (!EndsLine()) return false;
  NewString& last = strings_.back();
  const std::string_view line = std::string_view(last.text).substr(0, last.text.size() - 1);
  if (line.empty() || line.ends_with('\n')) return true;
  last.json.resize(last.json.size() - last.line_end_size);
  last.text.pop_back();
  last.same_as.reset();
  return true;
}

std::vector<Edit> CellWriter::Difference() const {
  std::vector<Edit> edits;
  size_t old_done = 0;
  size_t new_done = 0;
  const auto replace_up_to = [&](size_t old_end, size_t new_end) {
    const bool had_text =
        std::any_of(cell_.strings.begin() + static_cast<ptrdiff_t>(old_done),
                    cell_.strings.begin() + static_cast<ptrdiff_t>(old_end),
                    [](const CellString& string) { return !string.python.empty(); });
    if (had_text || new_done != new_end) {
      edits.push_back(Replace(old_done, old_end, new_done, new_end));
    }
  };
  for (size_t i = 0; i < strings_.size(); ++i) {
    if (!strings_[i].same_as) continue;
    replace_up_to(*strings_[i].same_as, i);
    old_done = *strings_[i].same_as + 1;
    new_done = i + 1;
  }
  replace_up_to(cell_.strings.size(), strings_.size());
  return edits;
}

Edit CellWriter::Replace(size_t first, size_t last, size_t new_first, size_t new_last) const {
  const std::vector<CellString>& old = cell_.strings;
  const std::string text = Joined(new_first, new_last);
  if (first < last && new_first < new_last) {
    return {{old[first].json.start, old[last - 1].json.end}, text};
  }
  if (last < old.size()) {
    const uint32_t next = old[last].json.start;
    if (first < last) return {{old[first].json.start, next}, ""};
    return {{next, next}, text + Separator()};
  }
  if (first > 0) {
    const uint32_t previous = old[first - 1].json.end;
    if (first < last) return {{previous, old[last - 1].json.end}, ""};
    return {{previous, previous}, Separator() + text};
  }
  return {cell_.source, text};
}

std::string CellWriter::Joined(size_t first, size_t last) const {
  std::string joined;
  for (size_t i = first; i < last; ++i) {
    if (i > first) joined += Separator();
    joined += '"' + strings_[i].json + '"';
  }
  return joined;
}

std::string CellWriter::Separator() const {
  const std::vector<CellString>& old = cell_.strings;
  if (old.size() > 1) {
    return std::string(TextRange{old[0].json.end, old[1].json.start}.In(json_));
  }
  const std::string_view before = TextRange{cell_.source.start, old[0].json.start}.In(json_);
  if (before.find('\n') != std::string_view::npos) return "," + std::string(before);
  const bool is_spaced = cell_.source.start > 1 && json_[cell_.source.start - 2] == ' ';
  return is_spaced ? ", " : ",";
}

std::string CellWriter::Escape(std::string_view text) const {
  const std::string quoted =
      nlohmann::json(text).dump(-1, ' ', ascii_, nlohmann::json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace transplt
