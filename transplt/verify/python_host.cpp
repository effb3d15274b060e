// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/python_host.h"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "transplt/base/json_text.h"
#include "transplt/project/child_process.h"

namespace transplt {
namespace {

using Json = nlohmann::json;

std::string TextOfAnswer(const Json& answer, const char* key) {
  const auto found = answer.find(key);
  return found != answer.end() && found->is_string() ? found->get<std::string>() : "";
}

/// What the program says about itself; an Error if it is no Python.
Result<PythonHost> Ask(const std::string& program, const std::string& simulator,
                       const std::string& work_folder, std::string* why_no_torch) {
  Command command;
  command.arguments = {program, "-m", "transplt_simulator.check_host"};
  command.environment = {{"PYTHONPATH", simulator}, {"PYTHONDONTWRITEBYTECODE", "1"}};
  command.out = work_folder + "/host.json";
  command.err = work_folder + "/host.err";
  command.folder = work_folder;
  command.timeout = std::chrono::minutes(2);
  const Result<ProcessEnd> end = RunCommand(command, nullptr);
  if (!end) return end.error();
  std::ifstream file(command.out, std::ios::binary);
  const Json answer = ParseJson(std::string{std::istreambuf_iterator<char>(file), {}});
  if (!answer.is_object() || TextOfAnswer(answer, "python").empty()) {
    return Error{Error::Code::kUsage, program,
                 Say("this is not a Python that can be used; give another one with --python",
                     "这不是可用的 Python; 请用 --python 指定另一个")};
  }
  *why_no_torch = TextOfAnswer(answer, "error");
  const auto supported = answer.find("supported");
  return PythonHost{FindProgram(program), TextOfAnswer(answer, "python"),
                    TextOfAnswer(answer, "torch"),
                    supported != answer.end() && supported->is_boolean() && supported->get<bool>()};
}

}  // namespace

Result<PythonHost> FindPythonHost(const std::string& program, const std::string& simulator,
                                  const std::string& work_folder, bool needs_torch) {
  std::vector<std::string> candidates = {program};
  if (program.empty()) candidates = {"python3", "/usr/bin/python3"};
  std::string tried;
  std::string why;
  std::optional<PythonHost> without_torch;
  for (const std::string& candidate : candidates) {
    if (program.empty() && FindProgram(candidate).empty()) continue;
    Result<PythonHost> host = Ask(candidate, simulator, work_folder, &why);
    if (!host && !program.empty()) return host.error();
    if (!host) continue;
    if (!host->torch.empty()) return host;
    if (!without_torch) without_torch = *host;
    tried += (tried.empty() ? "" : ", ") + host->program + " (Python " + host->python + ")";
  }
  if (without_torch && !needs_torch) return *without_torch;
  if (tried.empty()) {
    return Error{Error::Code::kUsage, "--python",
                 Say("no Python was found; install python3 and torch, or name one with --python",
                     "未找到 Python; 请安装 python3 和 torch, 或用 --python 指定")};
  }
  return Error{
      Error::Code::kUsage, "--python",
      Say("there is no torch in {}{}; install it (Debian: python3-torch, pip: torch), name "
          "a Python that has it with --python, or use --static-only",
          "{} 中没有 torch{}; 请安装 (Debian: python3-torch, pip: torch), 用 --python "
          "指定装有 torch 的 Python, 或使用 --static-only",
          tried, why.empty() ? "" : " (" + why + ")")};
}

}  // namespace transplt
