// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "transplt/base/change_record.h"

namespace transplt {

/// A folder of its own, removed at the end.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = testing::TempDir() + "/report_test_XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "no temporary folder: " << pattern;
    path_ = pattern;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  ASSERT_TRUE(file) << path;
}

/// What a shell command prints on stdout; the test fails if it does not end with 0.
inline std::string OutputOf(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) {
    ADD_FAILURE() << "cannot start: " << command;
    return "";
  }
  std::string output;
  char buffer[4096];
  for (size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.append(buffer, n);
  EXPECT_EQ(pclose(pipe), 0) << command << "\n" << output;
  return output;
}

inline ChangeRecord Edited(const std::string& file, uint32_t line) {
  return {.file = file,
          .start_line = line,
          .end_line = line,
          .column = 5,
          .operation = Operation::kModify,
          .message = {"change module cuda to npu", "将模块 cuda 改为 npu"},
          .rule_id = "torch.cuda",
          .cause = "torch.cuda",
          .applicability = Applicability::kSafe,
          .before = "torch.cuda",
          .after = "torch.npu",
          .source_line = "x = torch.cuda.device_count()"};
}

inline ChangeRecord LeftOpen(const std::string& file, uint32_t line, Operation operation) {
  return {.file = file,
          .start_line = line,
          .end_line = line,
          .column = 1,
          .operation = operation,
          .message = {"no counterpart on the NPU", "NPU 上没有对应接口"},
          .rule_id = "torch.cuda.jiterator",
          .cause = "torch.cuda.jiterator",
          .severity = Severity::kStopsRun,
          .applicability = Applicability::kDisplayOnly,
          .before = "torch.cuda.jiterator",
          .after = "",
          .source_line = "    torch.cuda.jiterator._create_jit_fn(code)  "};
}

inline ChangeRecord Skipped(const std::string& file) {
  ChangeRecord record;
  record.file = file;
  record.operation = Operation::kSkipped;
  record.message = {"binary file", "二进制文件"};
  record.rule_id = record.cause = "file";
  record.severity = Severity::kMayGoWrong;
  record.applicability = Applicability::kDisplayOnly;
  return record;
}

inline FileOutcome Outcome(const std::string& file, FileOutcome::Status status, Text reason = {}) {
  FileOutcome outcome;
  outcome.file = file;
  outcome.status = status;
  outcome.reason = std::move(reason);
  return outcome;
}

/// A run with one of everything that reports show.
inline RunResult SampleRun() {
  using Status = FileOutcome::Status;
  RunResult run;
  run.tool_version = "0.1.0";
  run.input = "proj";
  run.output = "out/proj_msft";
  run.framework = "pytorch";
  run.torch_version = "2.8";
  run.records = {Edited("a.py", 3), LeftOpen("a.py", 7, Operation::kUnsupported),
                 LeftOpen("a.py", 9, Operation::kUnknown), Skipped("bin.py")};
  run.records[2].rule_id = "unknown-api";
  run.files = {
      Outcome("a.py", Status::kMigrated),
      Outcome("bin.py", Status::kSkipped, {"binary file", "二进制文件"}),
      Outcome("broken.py", Status::kFailed, {"the result does not parse", "迁移结果无法解析"}),
      Outcome("data.txt", Status::kCopied), Outcome("plain.py", Status::kUnchanged)};
  run.files[0].edits = 1;
  run.files[0].left_open = 2;
  run.ignored_files = 4;
  run.ignored_folders = {".git/"};
  run.seconds = 1.5;
  return run;
}

}  // namespace transplt
