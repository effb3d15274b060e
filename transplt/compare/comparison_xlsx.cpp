// SPDX-License-Identifier: Apache-2.0
#include <xlsxwriter.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "transplt/base/plain_text.h"
#include "transplt/compare/comparison_table.h"

namespace transplt {
namespace {

constexpr size_t kRowsPerSheet = 1'000'000;  // a sheet has 1048576
constexpr size_t kCellBytes = 32'000;

/// `text` without control characters and no longer than a cell may be.
std::string SheetText(const std::string& text) {
  std::string line = OneLine(ValidUtf8(text));
  if (line.size() > kCellBytes) {
    size_t end = kCellBytes;
    while (end > 0 && (static_cast<uint8_t>(line[end]) & 0xC0U) == 0x80U) --end;
    line.resize(end);
  }
  return line;
}

lxw_error WriteCell(lxw_worksheet* sheet, lxw_row_t row, lxw_col_t column,
                    const ComparisonCell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) {
    if (std::isfinite(*number)) {
      return worksheet_write_number(sheet, row, column, *number, nullptr);
    }
    return worksheet_write_string(sheet, row, column, NumberText(*number).c_str(), nullptr);
  }
  if (const auto* text = std::get_if<std::string>(&cell)) {
    return worksheet_write_string(sheet, row, column, SheetText(*text).c_str(), nullptr);
  }
  return LXW_NO_ERROR;
}

lxw_error WriteSheet(lxw_workbook* book, const ComparisonTable& table, size_t first, size_t count) {
  lxw_worksheet* sheet = workbook_add_worksheet(book, nullptr);
  if (sheet == nullptr) return LXW_ERROR_CREATING_TMPFILE;
  worksheet_freeze_panes(sheet, 1, 0);
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const lxw_error error = worksheet_write_string(sheet, 0, static_cast<lxw_col_t>(i),
                                                   table.columns[i].c_str(), nullptr);
    if (error != LXW_NO_ERROR) return error;
  }
  for (size_t i = 0; i < count; ++i) {
    const std::vector<ComparisonCell>& row = table.rows[first + i];
    for (size_t column = 0; column < row.size(); ++column) {
      const lxw_error error = WriteCell(sheet, static_cast<lxw_row_t>(i + 1),
                                        static_cast<lxw_col_t>(column), row[column]);
      if (error != LXW_NO_ERROR) return error;
    }
  }
  // The library does not look whether its temporary file could be written.
  std::FILE* rows = sheet->optimize_tmpfile;
  return std::fflush(rows) != 0 || std::ferror(rows) != 0 ? LXW_ERROR_CREATING_TMPFILE
                                                          : LXW_NO_ERROR;
}

}  // namespace

Result<Done> WriteComparisonXlsx(const ComparisonTable& table, const std::string& path) {
  const auto failed = [&path](const std::string& why) {
    return Error{Error::Code::kIo, path,
                 Say("the workbook cannot be written: {}", "无法写入工作簿：{}", why)};
  };
  std::FILE* file = std::fopen(path.c_str(), "wb");  // the library would complain on its own
  if (file == nullptr) return failed(std::generic_category().message(errno));
  std::fclose(file);
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder = ".";
  lxw_workbook_options options = {};
  options.constant_memory = LXW_TRUE;
  options.tmpdir = folder.data();
  lxw_workbook* book = workbook_new_opt(path.c_str(), &options);
  if (book == nullptr) return failed("out of memory");
  lxw_error error = LXW_NO_ERROR;
  size_t first = 0;
  do {
    const size_t count = std::min(kRowsPerSheet, table.rows.size() - first);
    error = WriteSheet(book, table, first, count);
    first += count;
  } while (error == LXW_NO_ERROR && first < table.rows.size());
  if (error != LXW_NO_ERROR) {
    lxw_workbook_free(book);
    return failed(lxw_strerror(error));
  }
  error = workbook_close(book);  // frees it in any case
  if (error != LXW_NO_ERROR) return failed(lxw_strerror(error));
  return Done();
}

}  // namespace transplt
