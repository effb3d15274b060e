// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/op_log.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace transplt {

std::optional<LoggedOp> ReadLoggedOp(std::string_view line) {
  constexpr std::string_view kType = "OpType: ";
  if (!line.starts_with("[INFO] ASCENDCL") || line.find("aclopCompile::aclOp") == line.npos) {
    return std::nullopt;
  }
  const size_t type = line.find(kType);
  if (type == line.npos) return std::nullopt;
  std::string_view op = line.substr(type + kType.size());
  if (!op.empty() && op.back() == '\r') op.remove_suffix(1);
  if (!op.empty()) op.remove_suffix(1);  // the bracket that ends the entry
  const size_t comma = op.find(',');
  LoggedOp logged{std::string(op.substr(0, comma)), {}};
  if (comma != op.npos) logged.parameters = op.substr(std::min(comma + 2, op.size()));
  return logged;
}

void OpLog::AddLine(std::string_view line) {
  const std::optional<LoggedOp> op = ReadLoggedOp(line);
  if (!op) return;
  std::string entry = op->type + " " + op->parameters;
  if (std::find(ops_.begin(), ops_.end(), entry) == ops_.end()) ops_.push_back(std::move(entry));
}

Result<OpLog> ReadOpLogs(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> files;
  if (fs::is_directory(path, error)) {
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
      if (at->path().extension() == ".log" && at->is_regular_file(error)) {
        files.push_back(at->path().string());
      }
    }
    std::sort(files.begin(), files.end());
  } else {
    files.push_back(path);
  }
  OpLog log;
  for (const std::string& file : files) {
    std::ifstream stream(file);
    if (!stream) return Error{Error::Code::kIo, file, Say("cannot be read", "无法读取")};
    for (std::string line; std::getline(stream, line);) log.AddLine(line);
  }
  if (log.ops().empty()) {
    return Error{
        Error::Code::kUsage, path,
        Say("no line of an operator in {} logs; collect them with "
            "ASCEND_SLOG_PRINT_TO_STDOUT=1 and the level info",
            "{} 个日志中没有算子信息；请设置 ASCEND_SLOG_PRINT_TO_STDOUT=1 并将日志级别设为 "
            "info 后重新采集",
            files.size())};
  }
  return log;
}

}  // namespace transplt
