// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "transplt/python/arguments.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/channel_shuffle.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/shuffled_block.h"

namespace transplt {
namespace {

/// Joins, shuffles and splits channels in one step over two blocks of a torch.nn.Sequential: a
/// block whose forward() splits its input gets the halves from the block before it, which gives
/// them by index_select. All edits of a class and of what holds its objects are one fix.
class FusedShuffleRule : public Rule {
 public:
  explicit FusedShuffleRule(RuleHeader header) : Rule(std::move(header)) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kClassDefinition, ""}}; }

  WordSets required_words() const override {
    return {{"Sequential", "chunk", "cat"}, {"Sequential", "chunk", "concat"}};
  }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (!IsPlainModule(node, file)) return;
    std::optional<std::vector<Edit>> edits = SplitBetweenBlocks(node, file);
    if (!edits) return;
    const std::vector<Node> holders = HoldersOf(node, file);
    if (holders.empty()) return;
    for (const Node holder : holders) {
      edits->push_back({holder.Child(Field::kFunction).range(),
                        fmt::format("{}.ShuffledSequential", kSimilarModule)});
    }
    std::sort(edits->begin(), edits->end(),
              [](const Edit& a, const Edit& b) { return a.range.start < b.range.start; });
    Finding finding = Change(
        {edits->front().range.start, edits->back().range.end},
        Say("join, shuffle and split the channels of {} in one step, where one block follows "
            "another",
            "{} 的相邻模块之间, 将通道的拼接、重排与拆分合为一步",
            node.Child(Field::kName).text()));
    finding.fix.edits = *std::move(edits);
    finding.needs_import = fmt::format("import {}", kSimilarModule);
    findings.push_back(std::move(finding));
  }

 private:
  /// True for `class Block(nn.Module)` without decorators.
  static bool IsPlainModule(Node definition, const FileContext& file) {
    const Node bases = definition.Child(Field::kSuperclasses);
    const Node base = bases.first_named_child();
    return base && !base.next_named_sibling() && file.names().IsNamed(base, "torch.nn.Module") &&
           !definition.parent().Is(NodeKind::kDecoratedDefinition);
  }

  /// The calls of torch.nn.Sequential that get several objects of `block`.
  static std::vector<Node> HoldersOf(Node block, const FileContext& file) {
    std::vector<Node> holders;
    for (const Node word : file.NodesSaying("Sequential")) {
      const Node callee =
          word.parent().Is(NodeKind::kAttribute) && word.field() == Field::kAttribute
              ? word.parent()
              : word;
      const Node call = callee.parent();
      if (!call.Is(NodeKind::kCall) || callee.field() != Field::kFunction) continue;
      if (!file.names().IsNamed(callee, "torch.nn.Sequential")) continue;
      if (HoldsSeveral(call, block, file)) holders.push_back(call);
    }
    return holders;
  }

  static bool HoldsSeveral(Node call, Node block, const FileContext& file) {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const auto makes = [&](const Argument& argument) {
      return !argument.is_splat && Makes(argument.value, block, file);
    };
    if (std::count_if(arguments.begin(), arguments.end(), makes) > 1) return true;
    return arguments.size() == 1 && arguments[0].is_splat &&
           arguments[0].node.Is(NodeKind::kListSplat) && IsListOf(arguments[0].value, block, file);
  }

  /// True if the function around `list`, a name, puts objects of `block` into it.
  static bool IsListOf(Node list, Node block, const FileContext& file) {
    if (!list.Is(NodeKind::kIdentifier) && !list.Is(NodeKind::kAttribute)) return false;
    const Node function = DefinitionAround(list);
    for (uint32_t id = function ? function.id() : 0; function && id < function.end_id(); ++id) {
      const Node call = function.tree().node(id);
      if (!Makes(call, block, file)) continue;
      const Node made = EnclosingStatement(call).first_named_child();
      if (made.Is(NodeKind::kAssignment) && made.Child(Field::kLeft).text() == list.text()) {
        return true;
      }
      const Node callee = made.Child(Field::kFunction);
      const bool adds = callee.Is(NodeKind::kAttribute) &&
                        callee.Child(Field::kObject).text() == list.text() &&
                        (callee.Child(Field::kAttribute).text() == "append" ||
                         callee.Child(Field::kAttribute).text() == "extend");
      if (adds) return true;
    }
    return false;
  }

  /// True if `call` makes an object of `block`: by its name, or by that of a parameter or variable
  /// that may be it.
  static bool Makes(Node call, Node block, const FileContext& file) {
    return call.Is(NodeKind::kCall) && IsClass(call.Child(Field::kFunction), block, file, 0);
  }

  static bool IsClass(Node name, Node block, const FileContext& file, int depth) {
    constexpr int kDeepest = 4;
    if (!name.Is(NodeKind::kIdentifier) || depth > kDeepest) return false;
    for (const Binding* binding : file.names().BindingsOf(name)) {
      if (binding->kind == BindingKind::kClass && binding->statement == block) return true;
      const bool may_be =
          binding->kind == BindingKind::kParameter || binding->kind == BindingKind::kAssignment;
      if (may_be && binding->value && IsClass(binding->value, block, file, depth + 1)) return true;
    }
    return false;
  }
};

Result<std::unique_ptr<Rule>> MakeFusedShuffleRule(RuleHeader header, const Fields& /*fields*/) {
  return std::unique_ptr<Rule>(std::make_unique<FusedShuffleRule>(std::move(header)));
}

}  // namespace

RuleKind FusedShuffleRuleKind() {
  return {"FusedShuffleRule",
          "Joins, shuffles and splits channels in one step between the blocks of a "
          "torch.nn.Sequential, by functions of transplt_similar.",
          {},
          MakeFusedShuffleRule};
}

}  // namespace transplt
