// SPDX-License-Identifier: Apache-2.0
// What the error of a training log means.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "transplt/commands/commands.h"
#include "transplt/commands/terminal.h"
#include "transplt/log_errors/error_answer.h"

namespace transplt {
namespace {

struct ExplainErrorArguments {
  std::vector<std::string> logs;
  bool as_json = false;
};

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

Result<LogErrors> ReadLog(const std::string& path) {
  const auto fail = [&path](int code) {
    const std::string why = std::strerror(code);
    return Error{Error::Code::kUsage, path, Say("cannot be read: {}", "无法读取: {}", why)};
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return fail(EISDIR);
  const std::unique_ptr<std::FILE, CloseFile> file(path == "-" ? stdin
                                                               : std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return fail(errno);
  LogScan scan(path == "-" ? "stdin" : path);
  std::vector<char> buffer(size_t{1} << 20);
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    scan.Add({buffer.data(), count});
  }
  if (std::ferror(file.get()) != 0) return fail(errno);
  return std::move(scan).Finish();
}

int ExplainErrors(const ExplainErrorArguments& arguments, Language language) {
  std::vector<LogErrors> logs;
  for (const std::string& path : arguments.logs) {
    Result<LogErrors> log = ReadLog(path);
    if (!log) return Complain(log.error(), language);
    logs.push_back(*std::move(log));
  }
  PrintOut(arguments.as_json ? AnswerJson(logs, language) : AnswerText(logs, language));
  return AnswerOf(logs) == LogAnswer::kUnknown ? kExitNeedsPerson : kExitDone;
}

}  // namespace

void AddExplainErrorCommand(CommandLine line) {
  auto arguments = std::make_shared<ExplainErrorArguments>();
  CLI::App* command =
      line.app.add_subcommand("explain-error", "what the error of a training log means");
  command->add_option("LOG", arguments->logs, "logs of one training, or - for standard input")
      ->required();
  command->add_flag("--json", arguments->as_json, "every error, as JSON");
  command->callback([line, arguments] {
    line.run = [line, arguments] {
      return ExplainErrors(*arguments, ChooseLanguage(line.language));
    };
  });
}

}  // namespace transplt
