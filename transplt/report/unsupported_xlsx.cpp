// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/unsupported_xlsx.h"

#include <fmt/format.h>
#include <xlsxwriter.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "transplt/base/plain_text.h"
#include "transplt/report/change_table.h"
#include "transplt/report/totals.h"

namespace transplt {
namespace {

constexpr size_t kCellUnits = 32'767;  // UTF-16 code units in a cell
constexpr std::string_view kCutMark = " [...]";
constexpr time_t kCreated = 315'532'800;  // 1980-01-01, the date of the entries of the zip
constexpr size_t kTopRules = 20;

struct Column {
  std::string_view name;
  double width;  // in characters
};

bool IsEscape(std::string_view text) {
  if (text.size() < 7 || !text.starts_with("_x") || text[6] != '_') return false;
  return text.substr(2, 4).find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

/// `text` as the XML of a workbook can carry it: LF as the only line end, U+FFFD for the other
/// control characters, and the underscore of what would be read as an escape (_x0041_) escaped.
std::string SheetText(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t position = 0; position < text.size();) {
    const size_t start = position;
    const char32_t character = NextCharacter(text, position).value_or(0);
    if (character == '\r') {
      if (!text.substr(position).starts_with('\n')) result.push_back('\n');
    } else if ((character < 0x20 && character != '\n' && character != '\t') ||
               character == 0xFFFE || character == 0xFFFF) {
      result.append("\xEF\xBF\xBD");
    } else if (IsEscape(text.substr(start))) {
      result.append("_x005F_");
    } else {
      result.append(text.substr(start, position - start));
    }
  }
  return result;
}

/// Spreadsheets count characters outside the basic plane twice.
std::string CutToCell(std::string text) {
  if (text.size() <= kCellUnits) return text;
  size_t units = 0;
  size_t fits = 0;
  for (size_t position = 0; position < text.size();) {
    units += NextCharacter(text, position).value_or(0) > 0xFFFF ? 2 : 1;
    if (units > kCellUnits) return text.substr(0, fits).append(kCutMark);
    if (units <= kCellUnits - kCutMark.size()) fits = position;
  }
  return text;
}

/// One table of the workbook, in as many sheets as it needs. Rows are written as they come: the
/// workbook keeps only one of them in memory.
class Sheets {
 public:
  Sheets(lxw_workbook* workbook, std::string name, std::vector<Column> columns,
         size_t rows_per_sheet)
      : workbook_(workbook),
        name_(std::move(name)),
        columns_(std::move(columns)),
        rows_per_sheet_(rows_per_sheet) {
    StartSheet();
  }

  void Add(const TableRow& row) {
    if (rows_ == rows_per_sheet_) {
      FinishSheet();
      StartSheet();
    }
    if (error_ != LXW_NO_ERROR) return;
    ++rows_;
    for (size_t i = 0; i < row.size(); ++i) Note(Write(i, row[i]));
  }

  /// Ends the last sheet; the first error that any call met.
  lxw_error Finish() {
    FinishSheet();
    return error_;
  }

 private:
  void StartSheet() {
    if (error_ != LXW_NO_ERROR) return;
    ++sheets_;
    rows_ = 0;
    const std::string name = sheets_ == 1 ? name_ : fmt::format("{} {}", name_, sheets_);
    sheet_ = workbook_add_worksheet(workbook_, name.c_str());
    if (sheet_ == nullptr) return Note(LXW_ERROR_CREATING_TMPFILE);
    lxw_format* bold = workbook_add_format(workbook_);
    if (bold == nullptr) return Note(LXW_ERROR_MEMORY_MALLOC_FAILED);
    format_set_bold(bold);
    for (size_t i = 0; i < columns_.size(); ++i) {
      const auto index = static_cast<lxw_col_t>(i);
      Note(worksheet_set_column(sheet_, index, index, columns_[i].width, nullptr));
      const std::string title(columns_[i].name);
      Note(worksheet_write_string(sheet_, 0, index, title.c_str(), bold));
    }
    worksheet_freeze_panes(sheet_, 1, 0);
  }

  void FinishSheet() {
    if (error_ != LXW_NO_ERROR) return;
    Note(worksheet_autofilter(sheet_, 0, 0, static_cast<lxw_row_t>(rows_),
                              static_cast<lxw_col_t>(columns_.size() - 1)));
    // The library does not look whether its temporary file could be written, and would make a
    // workbook with half a sheet.
    std::FILE* rows = sheet_->optimize_tmpfile;
    if (std::fflush(rows) != 0 || std::ferror(rows) != 0) Note(LXW_ERROR_CREATING_TMPFILE);
  }

  lxw_error Write(size_t column, const TableCell& cell) {
    const auto row = static_cast<lxw_row_t>(rows_);
    const auto index = static_cast<lxw_col_t>(column);
    if (const auto* number = std::get_if<uint64_t>(&cell)) {
      return worksheet_write_number(sheet_, row, index, static_cast<double>(*number), nullptr);
    }
    if (const auto* text = std::get_if<std::string>(&cell)) {
      const std::string shown = CutToCell(SheetText(*text));
      return worksheet_write_string(sheet_, row, index, shown.c_str(), nullptr);
    }
    return LXW_NO_ERROR;
  }

  void Note(lxw_error error) {
    if (error_ == LXW_NO_ERROR) error_ = error;
  }

  lxw_workbook* workbook_;
  std::string name_;
  std::vector<Column> columns_;
  size_t rows_per_sheet_;
  lxw_worksheet* sheet_ = nullptr;
  size_t sheets_ = 0;
  size_t rows_ = 0;
  lxw_error error_ = LXW_NO_ERROR;
};

lxw_error WriteSummary(lxw_workbook* workbook, const RunResult& run, size_t rows_per_sheet) {
  Sheets sheets(workbook, "Summary", {{"Section", 16}, {"Item", 44}, {"Value", 20}},
                rows_per_sheet);
  const auto add = [&](std::string_view section, std::string_view item, TableCell value) {
    sheets.Add({TextCell(section), TextCell(item), std::move(value)});
  };
  add("Run", "Tool version", TextCell(run.tool_version));
  add("Run", "Framework", TextCell(run.framework));
  add("Run", "Torch version", TextCell(run.torch_version));
  add("Run", "torch_npu release", TextCell(run.torch_npu));
  const Totals totals = Count(run);
  for (Operation operation : kOperations) {
    add("Operation", Name(operation), totals.operations.at(operation));
  }
  for (FileOutcome::Status status : kStatuses) {
    add("Files", Name(status), totals.statuses.at(status));
  }
  add("Files", "ignored", run.ignored_files);
  for (const std::string& folder : run.ignored_folders) {
    add("Ignored folder", folder, std::monostate());
  }
  for (const auto& [rule, count] : TopRules(run, kTopRules)) add("Top rules", rule, count);
  return sheets.Finish();
}

lxw_error WriteChanges(lxw_workbook* workbook, const RunResult& run, size_t rows_per_sheet) {
  constexpr std::array kWidths = {40., 11., 11., 16., 60., 9., 36., 15., 40., 40., 24., 14., 12.};
  static_assert(kWidths.size() == kChangeColumns.size());
  std::vector<Column> columns;
  for (size_t i = 0; i < kWidths.size(); ++i) columns.push_back({kChangeColumns[i], kWidths[i]});
  Sheets sheets(workbook, "Changes", std::move(columns), rows_per_sheet);
  const auto add = [&](const std::vector<ChangeRecord>& records) {
    for (const ChangeRecord& record : records) sheets.Add(ChangeRow(record));
  };
  if (run.rejected.empty()) {
    add(run.records);
  } else {
    add(RecordsWithRejected(run));
  }
  return sheets.Finish();
}

/// The records of one operation; OP and Tips are what users of older tools look for.
lxw_error WriteLeft(lxw_workbook* workbook, const RunResult& run, std::string name,
                    Operation operation, size_t rows_per_sheet) {
  Sheets sheets(workbook, std::move(name),
                {{"File", 40},
                 {"Start Line", 11},
                 {"End Line", 11},
                 {"Column", 9},
                 {"OP", 40},
                 {"Tips", 60},
                 {"Rule ID", 36},
                 {"Source Line", 60}},
                rows_per_sheet);
  for (const ChangeRecord& record : run.records) {
    if (record.operation != operation) continue;
    sheets.Add({TextCell(record.file), PlaceCell(record.start_line), PlaceCell(record.end_line),
                PlaceCell(record.column), TextCell(record.before), TextCell(record.message.en),
                TextCell(record.rule_id), TextCell(record.source_line)});
  }
  return sheets.Finish();
}

lxw_error WriteFiles(lxw_workbook* workbook, const RunResult& run, size_t rows_per_sheet) {
  Sheets sheets(workbook, "Files",
                {{"File", 40}, {"Status", 12}, {"Edits", 9}, {"Left Open", 11}, {"Reason", 80}},
                rows_per_sheet);
  for (const FileOutcome& file : run.files) {
    sheets.Add({TextCell(file.file), TextCell(Name(file.status)), uint64_t{file.edits},
                uint64_t{file.left_open}, TextCell(file.reason.en)});
  }
  return sheets.Finish();
}

lxw_error FillWorkbook(lxw_workbook* workbook, const RunResult& run, size_t rows) {
  lxw_doc_properties properties = {};
  properties.created = kCreated;
  lxw_error error = workbook_set_properties(workbook, &properties);
  if (error == LXW_NO_ERROR) error = WriteSummary(workbook, run, rows);
  if (error == LXW_NO_ERROR) error = WriteChanges(workbook, run, rows);
  if (error == LXW_NO_ERROR) {
    error = WriteLeft(workbook, run, "Unsupported", Operation::kUnsupported, rows);
  }
  if (error == LXW_NO_ERROR) {
    error = WriteLeft(workbook, run, "Unknown", Operation::kUnknown, rows);
  }
  if (error == LXW_NO_ERROR) error = WriteFiles(workbook, run, rows);
  return error;
}

Error WriteError(const std::string& path, const std::string& why) {
  return {Error::Code::kIo, path,
          Say("the workbook cannot be written: {}; make the folder writable, free some space, or "
              "choose another output folder",
              "无法写入工作簿：{}；请检查目录的写权限和磁盘空间，或者选择其他输出目录", why)};
}

/// The library would print its own message about a path that it cannot open.
Result<Done> CheckWritable(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return WriteError(path, std::generic_category().message(errno));
  std::fclose(file);
  return Done{};
}

}  // namespace

Result<Done> WriteUnsupportedXlsx(const RunResult& run, const std::string& path,
                                  size_t rows_per_sheet) {
  if (Result<Done> writable = CheckWritable(path); !writable) return writable.error();
  // Temporary files go beside the result: /tmp is often small, or held in memory.
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder = ".";
  lxw_workbook_options options = {};
  options.constant_memory = LXW_TRUE;
  options.tmpdir = folder.data();
  std::unique_ptr<lxw_workbook, void (*)(lxw_workbook*)> workbook(
      workbook_new_opt(path.c_str(), &options), lxw_workbook_free);
  if (workbook == nullptr) return WriteError(path, lxw_strerror(LXW_ERROR_MEMORY_MALLOC_FAILED));
  lxw_error error = FillWorkbook(workbook.get(), run, rows_per_sheet);
  if (error == LXW_NO_ERROR) error = workbook_close(workbook.release());  // frees it in any case
  if (error != LXW_NO_ERROR) return WriteError(path, lxw_strerror(error));
  return Done{};
}

}  // namespace transplt
