// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/notebook.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <tuple>
#include <utility>

#include "transplt/frontends/cell_writer.h"
#include "transplt/frontends/notebook_reader.h"

namespace transplt {
namespace {

bool IsContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// How many bytes an escape takes in JSON, and its character in UTF-8.
struct EscapeSize {
  uint32_t json;
  uint32_t python;
};

/// `escape` starts with the backslash; nlohmann has seen to it that it is correct.
EscapeSize SizeOf(std::string_view escape) {
  if (escape[1] != 'u') return {2, 1};
  uint32_t code = 0;
  std::from_chars(escape.data() + 2, escape.data() + 6, code, 16);
  if (code < 0x80) return {6, 1};
  if (code < 0x800) return {6, 2};
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  return is_surrogate ? EscapeSize{12, 4} : EscapeSize{6, 3};
}

/// Notes where the characters of a string stand; `json` is its range with the quotes.
void AddOffsets(std::string_view text, TextRange json, uint32_t python, JsonOffsets& offsets) {
  uint32_t at = json.start + 1;
  const uint32_t end = json.end - 1;
  while (at < end) {
    offsets.Add(python, at);
    if (text[at] == '\\') {
      const EscapeSize size = SizeOf(text.substr(at));
      at += size.json;
      python += size.python;
    } else {
      const uint32_t run = static_cast<uint32_t>(std::min<size_t>(text.find('\\', at), end)) - at;
      at += run;
      python += run;
    }
  }
}

bool HasUnicodeEscape(std::string_view json) {
  for (size_t at = json.find('\\'); at < json.size(); at = json.find('\\', at + 2)) {
    if (json.substr(at, 2) == "\\u") return true;
  }
  return false;
}

bool EndsWithBlankLine(std::string_view text) {
  const size_t last = text.find_last_not_of(" \t");
  return last != std::string_view::npos && text[last] == '\n';
}

/// True if `edit` leaves alone what IPython reads, and text that it inserts beside it does not
/// become a part of it.
bool Spares(const IpythonPart& part, const Edit& edit) {
  const TextRange range = edit.range;
  if (!range.empty()) return !range.Overlaps(part.range);
  if (range.start == part.range.start) return EndsWithBlankLine(edit.text);
  if (range.start == part.range.end) {
    return part.kind == IpythonPart::Kind::kPrefix || edit.text.starts_with('\n') ||
           edit.text.starts_with("\r\n");
  }
  return range.start < part.range.start || range.start > part.range.end;
}

bool IsImport(std::string_view line) {
  return line.starts_with("import ") || line.starts_with("from ");
}

}  // namespace

Result<Notebook> Notebook::FromJson(std::string_view name, std::string_view json) {
  Result<std::vector<JsonCell>> read = ReadNotebook(name, json);
  if (!read) return read.error();
  Notebook notebook;
  notebook.json_ = json;
  const std::string_view content = json.substr(json.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  const bool is_ascii = std::all_of(content.begin(), content.end(),
                                    [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  notebook.escapes_all_but_ascii_ = is_ascii && HasUnicodeEscape(content);
  for (const JsonCell& source : *read) {
    const auto start = static_cast<uint32_t>(notebook.python_.size());
    NotebookCell cell;
    std::string text;
    for (const JsonCell::String& string : source.strings) {
      const auto string_start = static_cast<uint32_t>(start + text.size());
      AddOffsets(json, string.json, string_start, notebook.offsets_);
      text += string.text;
      cell.strings.push_back(
          {string.json, {string_start, static_cast<uint32_t>(start + text.size())}});
    }
    if (text.empty()) continue;
    cell.ipython = MaskIpythonSyntax(text);
    for (IpythonPart& part : cell.ipython.parts) {
      part.range.start += start;
      part.range.end += start;
    }
    if (!text.ends_with('\n')) {
      notebook.offsets_.Add(static_cast<uint32_t>(start + text.size()),
                            cell.strings.back().json.end - 1);
      text += '\n';
      cell.has_added_line_end = true;
    }
    notebook.python_ += text;
    cell.number = source.number;
    cell.python = {start, static_cast<uint32_t>(notebook.python_.size())};
    cell.is_list = source.is_list;
    cell.source = source.source;
    notebook.cells_.push_back(std::move(cell));
  }
  if (!notebook.cells_.empty()) {
    const NotebookCell& last = notebook.cells_.back();
    notebook.offsets_.Add(last.python.end, last.strings.back().json.end - 1);
  }
  return notebook;
}

std::optional<std::vector<Edit>> Notebook::ToJson(const std::vector<Edit>& edits) const {
  std::vector<const Edit*> sorted;
  sorted.reserve(edits.size());
  for (const Edit& edit : edits) sorted.push_back(&edit);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Edit* a, const Edit* b) {
    return std::tie(a->range.start, a->range.end) < std::tie(b->range.start, b->range.end);
  });
  std::vector<std::vector<const Edit*>> of_cell(cells_.size());
  uint32_t done = 0;
  for (const Edit* edit : sorted) {
    const TextRange range = edit->range;
    if (range.start < done || range.end < range.start || range.end > python_.size()) {
      return std::nullopt;
    }
    done = range.end;
    const std::optional<size_t> cell = CellFor(*edit);
    if (!cell) return std::nullopt;
    of_cell[*cell].push_back(edit);
  }
  std::vector<Edit> json_edits;
  for (size_t i = 0; i < cells_.size(); ++i) {
    if (of_cell[i].empty()) continue;
    std::optional<std::vector<Edit>> of_json =
        CellWriter(json_, python_, offsets_, cells_[i]).Write(of_cell[i], escapes_all_but_ascii_);
    if (!of_json) return std::nullopt;
    std::move(of_json->begin(), of_json->end(), std::back_inserter(json_edits));
  }
  return json_edits;
}

std::optional<size_t> Notebook::CellFor(const Edit& edit) const {
  if (cells_.empty()) return std::nullopt;
  const TextRange range = edit.range;
  for (uint32_t border : {range.start, range.end}) {
    if (border < python_.size() && IsContinuationByte(python_[border])) return std::nullopt;
  }
  size_t index = CellAt(range.start);
  if (range.empty() && range.start == cells_[index].python.start && index > 0) {
    const bool is_closed = cells_[index].ipython.has_cell_magic || cells_[index].ipython.is_foreign;
    if (EndsWithBlankLine(edit.text) && (is_closed || GoesOnWith(cells_[index - 1], edit.text))) {
      --index;
    }
  }
  const NotebookCell& cell = cells_[index];
  if (!cell.python.Contains(range) || cell.ipython.is_foreign) return std::nullopt;
  if (cell.ipython.has_cell_magic && range.start == cell.python.start) return std::nullopt;
  const bool spares_all = std::all_of(cell.ipython.parts.begin(), cell.ipython.parts.end(),
                                      [&](const IpythonPart& part) { return Spares(part, edit); });
  return spares_all ? std::optional(index) : std::nullopt;
}

bool Notebook::GoesOnWith(const NotebookCell& cell, std::string_view text) const {
  if (cell.ipython.is_foreign) return false;
  if (text.starts_with(' ') || text.starts_with('\t')) return true;
  // What comments introduce belongs to what they introduce.
  while (text.starts_with('#')) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  if (!IsImport(text)) return false;
  std::string_view last = cell.python.In(python_);
  last.remove_suffix(1);
  last.remove_prefix(last.rfind('\n') + 1);
  return IsImport(last);
}

size_t Notebook::CellAt(uint32_t offset) const {
  const auto after = std::upper_bound(
      cells_.begin(), cells_.end(), offset,
      [](uint32_t at, const NotebookCell& cell) { return at < cell.python.start; });
  return static_cast<size_t>(after - cells_.begin()) - 1;
}

Notebook::Place Notebook::PlaceOf(uint32_t offset) const {
  if (cells_.empty()) return {};
  const NotebookCell& cell = cells_[CellAt(offset)];
  const TextRange before = {cell.python.start, std::min(offset, cell.python.end)};
  const std::string_view text = before.In(python_);
  const auto line_feeds = std::count(text.begin(), text.end(), '\n');
  return {cell.number, static_cast<uint32_t>(line_feeds + 1)};
}

}  // namespace transplt
