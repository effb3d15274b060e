// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <optional>

#include "transplt/base/csv_reader.h"
#include "transplt/base/encoding.h"
#include "transplt/profile/trace.h"

namespace transplt {
namespace {

/// Where the columns stand; the profilers of different releases name them differently.
struct Columns {
  std::optional<size_t> name, type, core, start, duration, shapes;

  explicit Columns(const std::vector<std::string>& header) {
    for (size_t i = 0; i < header.size(); ++i) {
      const std::string& cell = header[i];
      if (cell == "Name" || cell == "Op Name") name = i;
      if (cell == "Type" || cell == "OP Type") type = i;
      if (cell == "Accelerator Core" || cell == "Task Type") core = i;
      if (cell == "Start Time(us)" || cell == "Task Start Time(us)") start = i;
      if (cell == "Duration(us)" || cell == "Task Duration(us)") duration = i;
      if (cell == "Input Shapes") shapes = i;
    }
  }
};

std::string Cell(const std::vector<std::string>& row, std::optional<size_t> column) {
  return column && *column < row.size() ? row[*column] : std::string();
}

std::optional<double> NumberIn(const std::string& cell) {
  const size_t first = cell.find_first_not_of(" \t\"");
  if (first == cell.npos) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(cell.data() + first, cell.data() + cell.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

Result<Trace> ReadKernelTable(const std::string& path, std::string_view text) {
  if (text.starts_with(kUtf8Bom)) text.remove_prefix(kUtf8Bom.size());
  CsvReader reader(path, text, ',');
  const Result<std::optional<TableLine>> header = reader.Next();
  if (!header) return header.error();
  const Columns columns(*header ? (*header)->cells : std::vector<std::string>());
  if (!columns.name || !columns.start || !columns.duration) {
    return Error{Error::Code::kBadInput, path,
                 Say("lacks a column of kernel_details.csv or op_summary.csv: Name, Start Time(us) "
                     "and Duration(us)",
                     "缺少 kernel_details.csv 或 op_summary.csv 的列：Name、Start Time(us)、"
                     "Duration(us)")};
  }
  Trace trace;
  trace.lanes.push_back({LaneKind::kDevice});
  for (;;) {
    const Result<std::optional<TableLine>> line = reader.Next();
    if (!line) return line.error();
    if (!*line) break;
    const std::vector<std::string>& row = (*line)->cells;
    const std::optional<double> start = NumberIn(Cell(row, columns.start));
    const std::optional<double> duration = NumberIn(Cell(row, columns.duration));
    if (!start || !duration) {
      return Error{Error::Code::kBadInput, fmt::format("{}:{}", path, (*line)->number),
                   Say("has no number as its start or duration", "开始时间或耗时不是数字")};
    }
    std::string name = Cell(row, columns.type);
    if (name.empty() || name == "N/A") name = Cell(row, columns.name);
    trace.events.push_back({*start, *start + *duration, 0, trace.texts.Add(name),
                            trace.texts.Add(Cell(row, columns.shapes)), 0,
                            trace.texts.Add(Cell(row, columns.core)), EventKind::kKernel});
  }
  if (trace.events.empty()) {
    return Error{Error::Code::kBadInput, path, Say("holds no kernels", "不含任何 kernel")};
  }
  return trace;
}

}  // namespace transplt
