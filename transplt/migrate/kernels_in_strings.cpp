// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/kernels_in_strings.h"

#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/string_place.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// What makes a function of C++ a kernel of CUDA.
constexpr std::string_view kKernelMark = "__global__";

/// True for a file that writes text into files, and names nothing that compiles a kernel: the text
/// of kernels is its product.
bool OnlyWritesText(const SyntaxTree& tree) {
  if (Words("compilers-of-kernels").HasPartOf(tree.source().bytes())) return false;
  return std::ranges::any_of(NodesIn(tree), [](Node node) {
    const Node callee = node.Is(NodeKind::kCall) ? node.Child(Field::kFunction) : Node();
    return callee.Is(NodeKind::kAttribute) &&
           Words("text-writers").Has(callee.Child(Field::kAttribute).text());
  });
}

}  // namespace

bool MayHoldKernel(std::string_view bytes) { return HasPart(bytes, kKernelMark); }

Findings CheckKernelsInStrings(const SyntaxTree& tree) {
  Findings findings;
  if (!MayHoldKernel(tree.source().bytes()) || OnlyWritesText(tree)) return findings;
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
