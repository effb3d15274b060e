// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/analysis_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "transplt/base/plain_text.h"
#include "transplt/report/change_list_csv.h"

namespace transplt {
namespace {

using Json = nlohmann::ordered_json;

Json CellJson(const TableCell& cell) {
  if (const auto* number = std::get_if<uint64_t>(&cell)) return *number;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return nullptr;
}

Json TableJson(const ResultTable& table) {
  Json rows = Json::array();
  for (const TableRow& row : table.rows) {
    Json item = Json::object();
    for (size_t i = 0; i < row.size(); ++i) item[table.columns[i]] = CellJson(row[i]);
    rows.push_back(std::move(item));
  }
  return rows;
}

}  // namespace

std::string AnalysisPage(const AnalysisResult& analysis, Language language) {
  std::string page;
  if (const AnalyzedProject* project = analysis.project) {
    page += Say("{} Python files\n", "{} 个 Python 文件\n", project->python_files().size())
                .In(language);
    for (const std::string& path : project->unread()) {
      page += Say("not read: {}\n", "未能读取: {}\n", OneLine(path)).In(language);
    }
  }
  for (const AnalysisSection& section : analysis.sections) {
    page += fmt::format("{}== {} ({}) ==\n{}", page.empty() ? "" : "\n", section.title.In(language),
                        section.name, section.result.page.In(language));
  }
  return page;
}

std::string AnalysisJson(const AnalysisResult& analysis) {
  Json document = {{"schema_version", 1},
                   {"input", analysis.input},
                   {"torch_version", analysis.torch_version},
                   {"torch_npu", analysis.torch_npu}};
  if (const AnalyzedProject* project = analysis.project) {
    document["python_files"] = project->python_files().size();
    document["unread"] = project->unread();
  }
  Json modes = Json::object();
  for (const AnalysisSection& section : analysis.sections) {
    Json tables = Json::object();
    for (const ResultTable& table : section.result.tables) {
      tables[table.file.substr(0, table.file.rfind('.'))] = TableJson(table);
    }
    modes[section.name] = std::move(tables);
  }
  document["modes"] = std::move(modes);
  // File names may hold any byte: what is not UTF-8 becomes U+FFFD.
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string TableCsv(const ResultTable& table) {
  std::string csv;
  const TableRow header(table.columns.begin(), table.columns.end());
  AppendCsvRow(csv, header);
  for (const TableRow& row : table.rows) AppendCsvRow(csv, row);
  return csv;
}

}  // namespace transplt
