// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/ir_kernels.h"

#include <filesystem>
#include <fstream>
#include <unordered_set>

namespace transplt {
namespace {

constexpr std::string_view kNumber = "-op";

/// True of "Default/conv1-Conv2d/Conv2D-op12": MindSpore numbers the operators of a graph.
bool IsKernel(std::string_view text) {
  const size_t number = text.rfind(kNumber);
  if (number == text.npos || number == 0) return false;
  const std::string_view digits = text.substr(number + kNumber.size());
  return !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos &&
         text.find_first_of(" \t()<>[]{},\"") == text.npos;
}

}  // namespace

std::string_view KernelOf(std::string_view line) {
  // The name stands alone in parentheses; releases differ in what they write before it.
  const size_t end = line.rfind(')');
  const size_t start = end == line.npos ? line.npos : line.rfind('(', end);
  if (start == line.npos) return {};
  const std::string_view name = line.substr(start + 1, end - start - 1);
  return IsKernel(name) ? name : std::string_view();
}

Result<std::vector<std::string>> ReadKernels(const std::vector<std::string>& files,
                                             std::string_view part) {
  std::vector<std::string> kernels;
  std::unordered_set<std::string> known;
  for (const std::string& path : files) {
    std::error_code error;
    std::ifstream file(path);
    if (!file || !std::filesystem::is_regular_file(path, error)) {
      return Error{Error::Code::kUsage, path,
                   Say("cannot be read; give an IR file such as trace_code_graph_0",
                       "无法读取；请给出 IR 文件，如 trace_code_graph_0")};
    }
    for (std::string line; std::getline(file, line);) {
      std::string kernel(KernelOf(line));
      if (kernel.empty() || !known.insert(kernel).second) continue;
      if (kernel.find(part) != kernel.npos) kernels.push_back(std::move(kernel));
    }
  }
  if (known.empty()) {
    return Error{
        Error::Code::kBadInput, files.front(),
        Say("names no operator: on Ascend trace_code_graph_{{graph_id}} has the names, on a GPU "
            "hwopt_pm_7_getitem_tuple.ir; MindSpore writes them with save_graphs=True",
            "其中没有算子名：Ascend 请用 trace_code_graph_{{graph_id}}，GPU 请用 "
            "hwopt_pm_7_getitem_tuple.ir；save_graphs=True 时 MindSpore 会写出这些文件")};
  }
  return kernels;
}

}  // namespace transplt
