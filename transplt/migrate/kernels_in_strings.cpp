// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/kernels_in_strings.h"

#include "transplt/base/text_parts.h"
#include "transplt/facts/string_place.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// What makes a function of C++ a kernel of CUDA.
constexpr std::string_view kKernelMark = "__global__";

}  // namespace

bool MayHoldKernel(std::string_view bytes) { return HasPart(bytes, kKernelMark); }

Findings CheckKernelsInStrings(const SyntaxTree& tree) {
  Findings findings;
  if (!MayHoldKernel(tree.source().bytes())) return findings;
  for (const Node string : NodesIn(tree)) {
    const bool is_kernel = string.Is(NodeKind::kString) && MayHoldKernel(string.text());
    if (!is_kernel || IsBareString(string) || IsMessage(string)) continue;
    findings.push_back(RowAt(
        string.range(), "kernel-in-string",
        Say("the source of a CUDA kernel, which is compiled when the program runs: write what it "
            "computes with functions of torch, or as an operator in Ascend C",
            "CUDA 核函数的源码, 在程序运行时编译: 请用 torch 函数实现其计算, 或用 Ascend C "
            "编写算子"),
        Operation::kUnsupported, Severity::kStopsRun));
    findings.back().cause = "cuda-extension";
  }
  return findings;
}

}  // namespace transplt
