// SPDX-License-Identifier: Apache-2.0
#include "transplt/review/decision_table.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <utility>

#include "transplt/base/csv_reader.h"
#include "transplt/base/encoding.h"
#include "transplt/base/plain_text.h"
#include "transplt/base/text_parts.h"
#include "transplt/project/folder_handle.h"
#include "transplt/review/workbook.h"
#include "transplt/rewrite/selection.h"

namespace transplt {
namespace {

Error At(const std::string& name, uint32_t line, Text what) {
  return {Error::Code::kUsage, fmt::format("{}:{}", name, line), std::move(what)};
}

/// `bytes` behind the byte order mark; half a pair becomes U+FFFD.
std::string FromUtf16(std::string_view bytes, bool is_little) {
  const auto unit = [&](size_t i) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const auto second = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<uint32_t>(is_little ? second << 8 | first : first << 8 | second);
  };
  std::string text;
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    uint32_t c = unit(i);
    const bool is_high = c >= 0xD800 && c < 0xDC00;
    const uint32_t low = is_high && i + 3 < bytes.size() ? unit(i + 2) : 0;
    if (low >= 0xDC00 && low < 0xE000) {
      c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
      i += 2;
    } else if (c >= 0xD800 && c < 0xE000) {
      c = 0xFFFD;
    }
    AppendUtf8(text, c);
  }
  return text;
}

Result<std::string> AsUtf8(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE")) return FromUtf16(bytes.substr(2), true);
  if (bytes.starts_with("\xFE\xFF")) return FromUtf16(bytes.substr(2), false);
  if (bytes.starts_with(kUtf8Bom)) bytes.remove_prefix(kUtf8Bom.size());
  const Result<Encoding> encoding = DetectEncoding(bytes);
  if (!encoding) return encoding.error();
  return DecodeToUtf8(bytes, *encoding);
}

Result<std::vector<TableLine>> TableLinesOf(const std::string& name, std::string_view text,
                                            char separator) {
  std::vector<TableLine> lines;
  CsvReader reader(name, text, separator);
  for (;;) {
    Result<std::optional<TableLine>> line = reader.Next();
    if (!line) return line.error();
    if (!*line) return lines;
    lines.push_back(**std::move(line));
  }
}

constexpr std::array<std::string_view, 9> kColumnNames = {"File",    "Start Line",    "Column",
                                                          "Rule ID", "Message",       "Before",
                                                          "After",   "Applicability", "Decision"};

/// The decision that `cell` spells; nothing for an unknown word.
std::optional<std::string> WordOf(const std::string& cell) {
  const std::string word = Lower(WithoutBlanks(cell));
  if (word.empty()) return std::string();
  constexpr std::array<std::string_view, 4> kYes = {kAccept, "a", "yes", "y"};
  constexpr std::array<std::string_view, 4> kNo = {kReject, "r", "no", "n"};
  if (std::ranges::find(kYes, word) != kYes.end()) return std::string(kAccept);
  if (std::ranges::find(kNo, word) != kNo.end()) return std::string(kReject);
  return std::nullopt;
}

/// Where the wanted columns are; -1 for one that is missing.
std::array<size_t, kColumnNames.size()> PlacesOf(const TableLine& header) {
  std::array<size_t, kColumnNames.size()> places{};
  for (size_t i = 0; i < kColumnNames.size(); ++i) {
    const std::string wanted = Lower(WithoutBlanks(std::string(kColumnNames[i])));
    const auto found = std::ranges::find_if(header.cells, [&](const std::string& cell) {
      return Lower(WithoutBlanks(cell)) == wanted;
    });
    places[i] = static_cast<size_t>(found - header.cells.begin());
  }
  return places;
}

/// The separator that the first line has outside of its names: those have none of them.
char SeparatorOf(std::string_view text) {
  const std::string_view header = text.substr(0, text.find('\n'));
  constexpr std::string_view kSeparators = ",;\t";
  char best = ',';
  for (const char c : kSeparators) {
    if (std::ranges::count(header, c) > std::ranges::count(header, best)) best = c;
  }
  return best;
}

/// The rows of a table with these lines.
Result<std::vector<DecisionRow>> RowsOf(const std::string& name, std::vector<TableLine> lines) {
  if (lines.empty()) return At(name, 1, Say("the table is empty", "表格为空"));
  const TableLine& header = lines.front();
  const auto places = PlacesOf(header);
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] < header.cells.size()) continue;
    return At(name, header.number,
              Say("there is no column \"{}\": give the change_list.csv of this result, with its "
                  "first line",
                  "缺少列 \"{}\": 请给出该结果的 change_list.csv, 并保留其首行", kColumnNames[i]));
  }
  std::vector<DecisionRow> rows;
  for (auto line = lines.begin() + 1; line != lines.end(); ++line) {
    line->cells.resize(std::max(line->cells.size(), header.cells.size()));
    const auto cell = [&](size_t i) { return std::move(line->cells[places[i]]); };
    const std::string word = line->cells[places[8]];
    const std::optional<std::string> decision = WordOf(word);
    if (!decision) {
      return At(name, line->number,
                Say("the Decision \"{}\" is unknown: write accept or reject, or leave it empty",
                    "未知的 Decision \"{}\": 请填写 accept 或 reject, 或留空", word));
    }
    rows.push_back({line->number, cell(0), cell(1), cell(2), cell(3), cell(4), cell(5), cell(6),
                    Lower(WithoutBlanks(cell(7))) != "display-only", *decision});
  }
  return rows;
}

/// The sheet with the columns of the list of changes; the first one if none has them.
std::vector<TableLine> SheetOfChanges(std::vector<std::vector<TableLine>> sheets) {
  for (std::vector<TableLine>& sheet : sheets) {
    if (sheet.empty()) continue;
    const auto is_there = [&](size_t place) { return place < sheet.front().cells.size(); };
    if (std::ranges::all_of(PlacesOf(sheet.front()), is_there)) return std::move(sheet);
  }
  return sheets.empty() ? std::vector<TableLine>() : std::move(sheets.front());
}

}  // namespace

std::string WithoutBlanks(std::string_view text) {
  std::string left;
  constexpr std::string_view kNoBreakSpace = "\xC2\xA0";
  for (size_t i = 0; i < text.size(); ++i) {
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) continue;
    if (text.substr(i, 2) == kNoBreakSpace) {
      ++i;
      continue;
    }
    left.push_back(text[i]);
  }
  return left;
}

Result<std::vector<DecisionRow>> ReadDecisionTable(const std::string& name,
                                                   std::string_view bytes) {
  Result<std::string> text = AsUtf8(bytes);
  if (!text) return At(name, 1, text.error().what);
  Result<std::vector<TableLine>> lines = TableLinesOf(name, *text, SeparatorOf(*text));
  if (!lines) return lines.error();
  return RowsOf(name, *std::move(lines));
}

Result<std::vector<DecisionRow>> ReadDecisionFile(const std::string& path) {
  std::string bytes;
  const std::filesystem::path whole(path);
  const FileHandle folder =
      OpenFolder(whole.has_parent_path() ? whole.parent_path().string() : ".");
  const FileHandle file = OpenBelow(folder.get(), whole.filename().string(), O_RDONLY | O_NONBLOCK);
  if (!folder || !file || !ReadAll(file.get(), bytes)) {
    return Error{Error::Code::kUsage, path,
                 Say("cannot read the table of decisions", "无法读取决定表格")};
  }
  if (!IsSpreadsheetFile(bytes)) return ReadDecisionTable(path, bytes);
  Result<std::vector<std::vector<TableLine>>> sheets = ReadWorkbook(path, path);
  if (!sheets) return sheets.error();
  return RowsOf(path, SheetOfChanges(*std::move(sheets)));
}

}  // namespace transplt
