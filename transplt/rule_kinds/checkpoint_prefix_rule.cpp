// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/checkpoint_prefix.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Takes a prefix off the names in a checkpoint, where it is loaded into a model.
class CheckpointPrefixRule : public Rule {
 public:
  CheckpointPrefixRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        prefix_(fields.String("prefix")),
        other_wrappers_(fields.List("other_wrappers")) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kCall, "load_state_dict"}}; }

  WordSets required_words() const override { return {{"load_state_dict"}}; }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    const std::optional<Argument> state = StateGivenTo(node);
    if (!state) return;
    const Node model = node.Child(Field::kFunction).Child(Field::kObject);
    const std::string_view text = state->value.text();
    if (Words("not-models").Has(model.text()) || HasPart(text, "optim") ||
        !IsLoaded(state->value, file, 0)) {
      return;
    }
    Finding finding = Change(state->value.range());
    if (const Node wrapper = WrapperOf(model, node, file)) {
      const bool is_other = std::ranges::any_of(other_wrappers_, [&](const std::string& name) {
        return file.names().IsNamed(wrapper.Child(Field::kFunction), name);
      });
      if (is_other) return;
      Leave(finding,
            Say("{} is wrapped at line {} and has the prefix \"{}\" itself, if that runs first",
                "{} 在第 {} 行被封装, 若先执行封装, 其参数名自带前缀 \"{}\"",
                std::string(model.text()), file.source().Locate(wrapper.range().start).line,
                prefix_));
    } else {
      StripPrefix(finding, state->value, prefix_);
    }
    findings.push_back(std::move(finding));
  }

 private:
  /// `torch.load(path)`, a part of it, or a variable that holds one of these.
  static bool IsLoaded(Node value, const FileContext& file, int depth) {
    constexpr int kDeepest = 4;
    while (value.Is(NodeKind::kSubscript)) value = value.first_named_child();
    if (value.Is(NodeKind::kCall)) {
      return file.names().IsNamed(value.Child(Field::kFunction), "torch.load");
    }
    if (!value.Is(NodeKind::kIdentifier) || depth == kDeepest) return false;
    const NameTable::Meanings bindings = file.names().BindingsOf(value);
    return !bindings.empty() && std::ranges::all_of(bindings, [&](const Binding* binding) {
      return binding->kind == BindingKind::kAssignment && IsLoaded(binding->value, file, depth + 1);
    });
  }

  /// The call in this file that may wrap the model before `load`, or a null node.
  static Node WrapperOf(Node model, Node load, const FileContext& file) {
    for (const Node call : NodesIn(file.tree())) {
      if (!call.Is(NodeKind::kCall)) continue;
      const Node callee = call.Child(Field::kFunction);
      const std::vector<QualifiedName> names = file.names().Resolve(callee);
      const bool wraps = std::ranges::any_of(names, [](const QualifiedName& name) {
        const std::string_view last = LastPart(name.name);
        return last == "DistributedDataParallel" || last == "DataParallel";
      });
      if (!wraps) continue;
      for (Node node = call; node; node = node.parent()) {
        if (!node.Is(NodeKind::kAssignment)) continue;
        const bool runs_later = file.names().ScopeOf(node) == file.names().ScopeOf(load) &&
                                node.range().start > load.range().start;
        if (node.Child(Field::kLeft).text() == model.text() && !runs_later) return call;
        break;
      }
    }
    return {};
  }

  std::string prefix_;
  std::vector<std::string> other_wrappers_;
};

}  // namespace

std::optional<Argument> StateGivenTo(Node load) {
  const std::vector<Argument> arguments = ArgumentsOf(load);
  if (!load.Child(Field::kFunction).Is(NodeKind::kAttribute) || arguments.empty()) return {};
  const Argument& state = arguments[0];
  if (state.is_splat || (!state.keyword.empty() && state.keyword != "state_dict")) return {};
  return state;
}

void StripPrefix(Finding& finding, Node state, const std::string& prefix) {
  finding.applicability = Applicability::kUnsafe;
  finding.message = Say("take the prefix \"{}\" off the names in the checkpoint",
                        "去掉 checkpoint 中参数名的前缀 \"{}\"", prefix);
  const bool atomic = IsAtomic(state);
  const std::string open =
      fmt::format("{{k[{}:] if k.startswith(\"{}\") else k: v for k, v in ", prefix.size(), prefix);
  finding.fix.Insert(state.range().start, open + (atomic ? "" : "("));
  finding.fix.Insert(state.range().end, atomic ? ".items()}" : ").items()}");
}

RuleKind CheckpointPrefixRuleKind() {
  return {"CheckpointPrefixRule",
          "Takes a prefix off the names in a checkpoint that torch.load() reads and "
          "load_state_dict() gives to a model; reports models that are wrapped and have the prefix "
          "themselves.",
          {{"prefix", FieldType::kString, true, "The prefix, for example \"module.\"."},
           {"other_wrappers", FieldType::kStringList, false,
            "Classes whose models are the matter of another rule, which takes them off."}},
          MakeRule<CheckpointPrefixRule>};
}

}  // namespace transplt
