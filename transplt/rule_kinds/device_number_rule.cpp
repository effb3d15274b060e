// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/pattern.h"
#include "transplt/base/text_parts.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/receiver.h"
#include "transplt/facts/string_place.h"
#include "transplt/facts/value_flows.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// Puts one expression in place of the numbers that choose a device: of `"cuda:0"`,
/// `f"cuda:{gpu}"`, `x.cuda(1)`, `torch.device("cuda", 0)`, `torch.cuda.set_device(args.gpu)`.
class DeviceNumberRule : public Rule {
 public:
  DeviceNumberRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        device_(fields.String("device")),
        new_device_(fields.String("new_device")),
        number_(fields.String("number")),
        functions_(fields.List("functions")) {
    for (const std::string& pattern : fields.List("white_list")) {
      white_list_.emplace_back(pattern, Pattern::Case::kIgnored);
    }
  }

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers = {{NodeKind::kString, device_},
                                     {NodeKind::kCall, device_},
                                     {NodeKind::kCall, "torch.device"}};
    for (const std::string& function : functions_) triggers.push_back({NodeKind::kCall, function});
    return triggers;
  }

  WordSets required_words() const override { return {{device_}}; }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (file.IsOtherFramework()) return;
    if (node.Is(NodeKind::kString)) return CheckString(node, file, findings);
    const std::vector<Argument> arguments = ArgumentsOf(node);
    if (arguments.empty()) return;
    for (const Callee& callee : CalleesOf(node)) {
      if (MatchesName(callee, "torch.device", file)) {
        const Node content = arguments[0].value.Is(NodeKind::kString)
                                 ? PlainStringContent(arguments[0].value)
                                 : Node();
        if (content && content.text() == device_ && arguments.size() == 2) {
          Change(arguments[1].value, number_, file, findings);
        }
        return;
      }
      const bool is_function = std::ranges::any_of(
          functions_, [&](const std::string& name) { return MatchesName(callee, name, file); });
      const bool is_method = callee.expression.Is(NodeKind::kAttribute) &&
                             callee.last_name.text() == device_ && IsOfTensor(callee, file);
      if (!is_function && !is_method) continue;
      const Argument& first = arguments[0];
      if (first.is_splat || (!first.keyword.empty() && first.keyword != "device")) return;
      return Change(first.value, number_, file, findings);
    }
  }

 private:
  bool IsOfTensor(const Callee& callee, const FileContext& file) const {
    Text reason;
    return !IsForeignReceiver(callee.expression.Child(Field::kObject), device_, file.code(),
                              &reason);
  }

  void CheckString(Node string, const FileContext& file, Findings& findings) const {
    const Node start = string.first_child();
    const Node parent = string.parent();
    if (!start.Is(NodeKind::kStringStart) || parent.Is(NodeKind::kConcatenatedString) ||
        parent.Is(NodeKind::kCasePattern) || AttributeHolder(string)) {
      return;
    }
    const Node first = start.next_sibling();
    if (!first.Is(NodeKind::kStringContent)) return;
    const bool formatted =
        first.text().starts_with(device_ + ":%") || first.text().starts_with(device_ + ":{");
    if (!formatted && !IsNumbered(first)) return;
    const Verdict verdict = file.values().VerdictOf(string);
    if (verdict.kind == Verdict::Kind::kOther) return;
    if (formatted) return LeaveFormatted(string, file, findings);
    std::string quotes(start.text());
    quotes.erase(0, quotes.find_first_of("'\""));
    Change(string, "f" + quotes + new_device_ + ":{" + number_ + "}" + quotes, file, findings);
  }

  /// `"cuda:%d" % gpu`, `"cuda:{}".format(gpu)`: a person sees what the number is.
  void LeaveFormatted(Node string, const FileContext& file, Findings& findings) const {
    Node whole = string;  // with the operator or call that fills it in, and its operands
    for (int level = 0; level < 2 && whole.parent(); ++level) whole = whole.parent();
    const std::string text = file.source().TextOf(whole.range());
    if (IsOnWhiteList(text)) return;
    findings.push_back(
        Row(string.range(), Say("the number of the device stays; {} is the one that was asked for",
                                "设备编号保持不变; 指定的编号为 {}", number_)));
  }

  /// `cuda:0`, or `cuda:` with one interpolation behind it and nothing else.
  bool IsNumbered(Node content) const {
    std::string_view text = content.text();
    if (!text.starts_with(device_ + ":")) return false;
    text.remove_prefix(device_.size() + 1);
    const Node next = content.next_sibling();
    if (text.empty()) {
      return next.Is(NodeKind::kInterpolation) && next.next_sibling().Is(NodeKind::kStringEnd);
    }
    return next.Is(NodeKind::kStringEnd) &&
           std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  }

  static bool ImportsTorchAtTop(const FileContext& file) {
    return std::ranges::any_of(file.names().bindings(), [](const Binding& binding) {
      return binding.scope == 0 && binding.kind == BindingKind::kImport &&
             !binding.statement.parent().parent().Is(NodeKind::kIfStatement) &&
             (binding.target == "torch" || binding.target.starts_with("torch."));
    });
  }

  bool IsOnWhiteList(const std::string& text) const {
    return std::ranges::any_of(white_list_,
                               [&](const Pattern& pattern) { return pattern.IsIn(text); });
  }

  /// `gpu = int(os.environ["LOCAL_RANK"])`: what is assigned to the name is on the white list.
  bool HoldsWhatStays(Node value, const FileContext& file) const {
    if (value.Is(NodeKind::kString)) {
      Node part = value.first_child();
      while (part && !part.Is(NodeKind::kInterpolation)) part = part.next_sibling();
      if (!part) return false;
      value = part.first_named_child();
    }
    const SyntaxTree& tree = file.tree();
    for (uint32_t id = 0; value && id < tree.size(); ++id) {
      const Node node = tree.node(id);
      if (node.Is(NodeKind::kAssignment) && node.Child(Field::kLeft).text() == value.text() &&
          IsOnWhiteList(std::string(node.Child(Field::kRight).text()))) {
        return true;
      }
    }
    return false;
  }

  void Change(Node value, const std::string& text, const FileContext& file,
              Findings& findings) const {
    const std::string old = file.source().TextOf(value.range());
    if (IsOnWhiteList(old) || HasPart(old, number_) || value.Is(NodeKind::kNone) ||
        HoldsWhatStays(value, file)) {
      return;
    }
    Finding finding = Rule::Change(value.range());
    if (!ImportsTorchAtTop(file)) {
      Leave(finding, Say("{} stays: {} is only known to files that import torch at their top",
                         "{} 保持不变: 只有在顶部导入 torch 的文件中才有 {}", old, number_));
    } else {
      // A number that is computed may be different in each process.
      const bool literal =
          value.Is(NodeKind::kInteger) || (value.Is(NodeKind::kString) && !HasPart(old, '{'));
      if (!literal) finding.applicability = Applicability::kUnsafe;
      finding.message = Say("change {} to {}", "将 {} 改为 {}", old, text);
      finding.fix.Replace(value.range(), text);
      finding.needs_device_import = true;
    }
    findings.push_back(std::move(finding));
  }

  std::string device_;
  std::string new_device_;
  std::string number_;
  std::vector<std::string> functions_;
  std::vector<Pattern> white_list_;
};

}  // namespace

RuleKind DeviceNumberRuleKind() {
  return {
      "DeviceNumberRule",
      "Puts an expression in place of the numbers that choose a device: of cuda:0, "
      "f\"cuda:{gpu}\", x.cuda(1), torch.device('cuda', 0).",
      {{"device", FieldType::kDottedName, true, "The device and method, for example cuda."},
       {"new_device", FieldType::kDottedName, true, "What the device becomes in strings."},
       {"number", FieldType::kString, true, "The expression, as Python text."},
       {"functions", FieldType::kStringList, false, "Functions whose first argument is a device."},
       {"white_list", FieldType::kRegexList, false, "What has one of these in its text stays."}},
      MakeRule<DeviceNumberRule>};
}

}  // namespace transplt
