// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/change_list_csv.h"

namespace transplt {
void AppendCsvField(std::string& csv, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    csv.append(text);
    return;
  }
  csv.push_back('"');
  for (char c : text) {
    if (c == '"') csv.push_back('"');
    csv.push_back(c);
  }
  csv.push_back('"');
}

namespace {

void AppendCell(std::string& csv, const TableCell& cell) {
  if (const auto* number = std::get_if<uint64_t>(&cell)) {
    csv.append(std::to_string(*number));
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    AppendCsvField(csv, *text);
  }
}

}  // namespace

void AppendCsvRow(std::string& csv, std::span<const TableCell> row) {
  for (size_t i = 0; i < row.size(); ++i) {
    if (i > 0) csv.push_back(',');
    AppendCell(csv, row[i]);
  }
  csv.push_back('\n');
}

std::string ChangeListCsv(const RunResult& run) {
  std::string csv;
  for (std::string_view column : kChangeColumns) {
    if (!csv.empty()) csv.push_back(',');
    csv.append(column);
  }
  csv.push_back('\n');
  const auto add = [&](const std::vector<ChangeRecord>& records) {
    for (const ChangeRecord& record : records) AppendCsvRow(csv, ChangeRow(record));
  };
  if (run.rejected.empty()) {
    add(run.records);
  } else {
    add(RecordsWithRejected(run));
  }
  return csv;
}

}  // namespace transplt
