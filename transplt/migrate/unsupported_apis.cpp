// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/unsupported_apis.h"

#include <fmt/format.h>

#include "transplt/base/one_of.h"
#include "transplt/engine/torch_apis.h"

namespace transplt {

Findings CheckUnsupportedApis(const FileContext& file, const ApiSupport& support,
                              std::span<const std::string> disabled) {
  // PyTorch itself is not a program for it.
  if (file.IsOtherFramework() || file.IsOwn("torch")) return {};
  Findings findings;
  for (const ApiUse& use : TorchApisIn(file, support)) {
    if (use.support != Support::kUnsupported || !use.rule_id.empty()) continue;
    if (IsOneOf(use.api, disabled)) continue;
    const Text instead = support.Instead(use.api);
    const Text message =
        instead.empty()
            ? Say("{}: the documentation of torch_npu calls it unsupported: try it on an NPU",
                  "{}: torch_npu 文档标注为不支持: 请在 NPU 上验证", use.api)
            : Say("{0}: the documentation of torch_npu calls it unsupported; instead: {1}",
                  "{0}: torch_npu 文档标注为不支持; 替代: {2}", use.api, instead.en, instead.zh);
    Finding& row =
        findings.emplace_back(RowAt(file.tree().node(use.node).range(), kUnsupportedApi, message,
                                    Operation::kUnsupported, Severity::kMayGoWrong));
    if (!support.MayBeSupported(use.api)) continue;
    row.severity = Severity::kNote;
    row.cause = fmt::format("{}:{}", kUnsupportedApi, Name(Severity::kNote));
  }
  return findings;
}

}  // namespace transplt
