// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/string_place.h"
#include "transplt/facts/value_flows.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/accelerator_value_rule.h"
#include "transplt/rule_kinds/device_text.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

bool IsDeviceKeyword(std::string_view keyword) {
  return keyword == "device" || keyword == "map_location";
}

/// Writes an expression that asks PyTorch for the accelerator where a string names one device.
class DeviceValueRule : public AcceleratorValueRule {
 public:
  DeviceValueRule(RuleHeader header, const Fields& fields, std::unique_ptr<Rule> finder)
      : AcceleratorValueRule(std::move(header), fields.String("old_value"), std::move(finder)),
        device_(fields.String("device")),
        type_(fields.String("type", device_)),
        default_(fields.String("default", type_)),
        autocast_(fields.String("autocast", default_)),
        at_import_(fields.String("at_import", device_)),
        text_(fields.String("text")) {}

 private:
  void Rewrite(Node string, const FileContext& file, Finding& finding) const override {
    const std::vector<Edit> edits = std::move(finding.fix.edits);
    finding.fix = {};
    const TextRange range = edits.front().range;
    const Node start = string.first_child();
    const bool alone = range.start == start.range().end && PlainStringContent(string) &&
                       PlainStringContent(string).range() == range;
    if (edits.size() > 1 || !string.range().Contains(range)) {
      LeaveHere(finding, Say("part of a longer value", "较长的值的一部分"));
    } else if (alone) {
      RewriteDevice(string, file, finding);
    } else {
      RewriteFormatted(string, range, file, finding);
    }
  }

  void Write(Node string, std::string_view expression, const FileContext& file,
             Finding& finding) const {
    const std::optional<std::string> text = TorchTextAt(string, expression, file);
    if (!text) {
      Leave(finding,
            Say("import torch here and write {}", "请在此导入 torch 并写作 {}", expression));
      return;
    }
    const bool is_conditional = text->find(" if ") != std::string::npos;
    if (IsInterpolated(string) && text->find('"') != std::string::npos) {
      LeaveHere(finding, Say("inside a formatted string", "位于格式化字符串内"));
      return;
    }
    const std::string written = WithQuotesOf(
        is_conditional && !MayBeConditional(string) ? "(" + *text + ")" : *text, string);
    finding.message =
        Say("replace string \"{}\" with {}", "将字符串 \"{}\" 替换为 {}", value(), *text);
    finding.fix.Replace(string.range(), written);
  }

  void RewriteDevice(Node string, const FileContext& file, Finding& finding) const {
    for (std::string_view other : file.values().TextsOf(string)) {
      if (!Words("other-devices").Has(other)) continue;
      return LeaveHere(finding,
                       Say("the program already has a branch for {}", "程序已有 {} 的分支", other));
    }
    if (!IsAmongDevices(string)) {
      return LeaveHere(finding,
                       Say("it stands among values that are no devices", "与其并列的值不是设备"));
    }
    if (IsCompared(string)) return RewriteComparison(string, file, finding);
    for (Node parent = string.parent(); parent; parent = parent.parent()) {
      if (parent.Is(NodeKind::kCasePattern) || parent.Is(NodeKind::kType)) {
        return LeaveHere(finding, Say("no expression can stand here", "此处不能使用表达式"));
      }
      if (!parent.Is(NodeKind::kSubscript) && !parent.Is(NodeKind::kTuple)) break;
    }
    if (string.parent().Is(NodeKind::kConcatenatedString) ||
        string.parent().Is(NodeKind::kBinaryOperator)) {
      return LeaveHere(finding, Say("part of a longer value", "较长的值的一部分"));
    }
    const std::string& expression = ExpressionFor(string, file);
    if (expression.empty()) {
      return LeaveHere(finding, Say("the value is used where there may be no accelerator",
                                    "该值可能在没有加速器时使用"));
    }
    Write(string, expression, file, finding);
  }

  /// `device.type == 'cuda'` asks whether it is not the CPU; other comparisons ask for the name.
  void RewriteComparison(Node string, const FileContext& file, Finding& finding) const {
    const Node comparison = string.parent();
    const Node left = comparison.first_named_child();
    const Node right = left ? left.next_named_sibling() : Node();
    const bool binary =
        comparison.Is(NodeKind::kComparisonOperator) && right && !right.next_named_sibling();
    const Node other = binary && right == string ? left : right;
    const bool of_type =
        binary && (other.text().ends_with(".type") || other.text().ends_with("device_type"));
    Node sign;
    std::string_view opposite;
    for (Node child = comparison.first_child(); of_type && child; child = child.next_sibling()) {
      if (OppositeOf(child.text()).empty() || !child.Is(NodeKind::kToken)) continue;
      sign = child;
      opposite = OppositeOf(child.text());
    }
    if (!sign && IsKeyOf(right, string)) {
      return LeaveHere(finding, Say("a key of data", "数据的键"));
    }
    if (sign) {
      finding.message =
          Say("compare with the CPU in place of \"{}\"", "改为与 CPU 比较, 而非 \"{}\"", value());
      finding.range = comparison.range();
      finding.fix.Replace(sign.range(), std::string(opposite));
      finding.fix.Replace(PlainStringContent(string).range(), "cpu");
    } else if (text_.empty()) {
      LeaveHere(finding, Say("compare with torch.accelerator.current_accelerator().type where "
                             "there is an accelerator",
                             "请在有加速器时与 torch.accelerator.current_accelerator().type 比较"));
    } else {
      Write(string, text_, file, finding);
    }
  }

  /// `["cpu", "cuda"]`, and not a list of words.
  bool IsAmongDevices(Node string) const {
    const Node list = string.parent();
    if (!list.Is(NodeKind::kList) && !list.Is(NodeKind::kTuple) && !list.Is(NodeKind::kSet)) {
      return true;
    }
    for (const Node item : NamedChildren(list)) {
      const Node content = item.Is(NodeKind::kString) ? PlainStringContent(item) : Node();
      const std::string_view text = content ? content.text() : value();
      const bool device = text == "cpu" || text == "auto" || text == "meta" || text == value() ||
                          text.starts_with(value() + ":");
      if (!device) return false;
    }
    return true;
  }

  /// `"cuda" in state` where the file has `state["cuda"]`.
  static bool IsKeyOf(Node holder, Node string) {
    if (!holder || holder == string) return false;
    const std::string name(holder.text());
    const std::string_view file = holder.tree().source().bytes();
    const std::string key(string.text());
    return HasPart(file, name + "[" + key + "]") || HasPart(file, name + ".get(" + key);
  }

  static std::string_view OppositeOf(std::string_view sign) {
    if (sign == "==") return "!=";
    if (sign == "!=") return "==";
    if (sign == "in") return "not in";
    return sign == "not in" ? "in" : "";
  }

  /// Through conditional expressions, `or` and parentheses: what takes the value.
  static Node Outer(Node node) {
    for (Node parent = node.parent(); parent; parent = node.parent()) {
      const bool passes = parent.Is(NodeKind::kParenthesizedExpression) ||
                          parent.Is(NodeKind::kConditionalExpression) ||
                          parent.Is(NodeKind::kBooleanOperator);
      if (!passes) break;
      node = parent;
    }
    return node;
  }

  const std::string& ExpressionFor(Node string, const FileContext& file) const {
    const Node node = Outer(string);
    const Node parent = node.parent();
    const bool is_bare = node == string;
    const std::string& later = text_.empty() ? default_ : text_;
    switch (parent.kind()) {
      case NodeKind::kList:
      case NodeKind::kTuple:
      case NodeKind::kSet:
      case NodeKind::kExpressionList:
        return is_bare ? text_ : type_;
      case NodeKind::kDefaultParameter:
      case NodeKind::kTypedDefaultParameter:
        return is_bare ? later : type_;
      case NodeKind::kAssignment:
        if (!is_bare || IsGuarded(string)) return type_;
        return file.classes().EnclosingClass(parent) && IsEvaluatedAtImport(parent) ? later
                                                                                    : default_;
      case NodeKind::kPair:
        return is_bare && IsEvaluatedAtImport(parent) ? later : type_;
      case NodeKind::kKeywordArgument:
        return ForArgument(node, parent.parent().parent(), parent.Child(Field::kName).text(), file);
      case NodeKind::kArgumentList:
        return ForArgument(node, parent.parent(), {}, file);
      default:
        return type_;
    }
  }

  const std::string& ForArgument(Node value, Node call, std::string_view keyword,
                                 const FileContext& file) const {
    const std::vector<Callee> callees = CalleesOf(call);
    if (keyword == "device_type") return autocast_;
    if (callees.empty()) return type_;
    const std::string_view last = callees.front().last_name.text();
    if (last == "to" || last == "to_empty") return device_;
    if (last == "startswith") return text_;
    for (const QualifiedName& name : file.names().Resolve(callees.front().expression)) {
      if (name.local || !name.name.starts_with("torch.")) continue;
      if (Words("autocast-functions").Has(name.name)) return autocast_;
      if (name.name == "torch.device") {
        if (ArgumentsOf(call).size() > 1) return type_;
        return value.Is(NodeKind::kString) && !IsGuarded(value) ? at_import_ : device_;
      }
      return IsDeviceKeyword(keyword) ? device_ : type_;
    }
    return Words("keeping-functions").Has(last) && value.Is(NodeKind::kString) ? default_ : type_;
  }

  /// Below `if torch.cuda.is_available():` there is an accelerator.
  static bool IsGuarded(Node node) {
    for (Node parent = node.parent(); parent; node = parent, parent = parent.parent()) {
      if (parent.Is(NodeKind::kFunctionDefinition)) return false;
      const bool branch = parent.Is(NodeKind::kIfStatement) || parent.Is(NodeKind::kElifClause);
      if (branch && node.field() == Field::kConsequence &&
          HasPart(parent.Child(Field::kCondition).text(), "is_available")) {
        return true;
      }
    }
    return false;
  }

  /// `"cuda:0"`, `f"cuda:{i}"`, `"cuda:{}".format(i)`, `"cuda:%d" % i`, `"cuda:" + i`.
  void RewriteFormatted(Node string, TextRange range, const FileContext& file,
                        Finding& finding) const {
    const Node start = string.first_child();
    const std::string_view prefix = start.text();
    const bool is_formatted = prefix.find_first_of("fF") != std::string_view::npos;
    const bool is_plain = prefix.find_first_of("uUbB") == std::string_view::npos;
    const std::optional<std::string> device = TorchTextAt(string, device_, file);
    if (!device) {
      return Leave(finding, Say("import torch here and write {}", "请在此导入 torch 并写作 {}",
                                "{" + device_ + "}"));
    }
    finding.message = Say("replace \"{}\" with {}", "将 \"{}\" 替换为 {}", value(), *device);
    const std::string_view rest =
        TextRange{range.end, string.range().end}.In(file.source().bytes());
    const bool is_numbered = rest.size() > 2 && rest[1] >= '0' && rest[1] <= '9';
    if (is_formatted) {
      finding.fix.Replace(range, "{" + *device + "}");
    } else if (is_plain && is_numbered && !string.parent().Is(NodeKind::kConcatenatedString)) {
      finding.fix.Insert(start.range().start, "f");
      finding.fix.Replace(range, "{" + *device + "}");
    } else if (is_plain && range.start == start.range().end && IsHeadOfSum(string)) {
      finding.fix.Insert(start.range().start, "str(" + *device + ") + ");
      finding.fix.Replace(range, "");
    } else {
      LeaveHere(finding, Say("part of a longer value", "较长的值的一部分"));
    }
  }

  /// True if `str(device) + ` can stand before the string without parentheses.
  static bool IsHeadOfSum(Node string) {
    Node whole = string.parent();
    if (whole.Is(NodeKind::kAttribute) && whole.parent().Is(NodeKind::kCall)) {
      whole = whole.parent();
    } else if (!whole.Is(NodeKind::kBinaryOperator) || !(whole.first_named_child() == string)) {
      return false;
    }
    const Node parent = whole.parent();
    if (parent.Is(NodeKind::kBinaryOperator)) {
      return HasPart(parent.text(), '+') && parent.first_named_child() == whole;
    }
    return MayBeConditional(whole) || parent.Is(NodeKind::kConditionalExpression) ||
           parent.Is(NodeKind::kBooleanOperator) || parent.Is(NodeKind::kComparisonOperator);
  }

  std::string device_;
  std::string type_;
  std::string default_;
  std::string autocast_;
  std::string at_import_;
  std::string text_;
};

Result<std::unique_ptr<Rule>> MakeDeviceValueRule(RuleHeader header, const Fields& fields) {
  Result<std::unique_ptr<Rule>> finder =
      FinderOfValues(header, fields.String("old_value"), "device");
  if (!finder) return finder.error();
  return std::unique_ptr<Rule>(
      std::make_unique<DeviceValueRule>(std::move(header), fields, *std::move(finder)));
}

}  // namespace

RuleKind DeviceValueRuleKind() {
  return {
      "DeviceValueRule",
      "Replaces a string that names one device by an expression that "
      "asks PyTorch for the accelerator; the strings are those of ValueRenameRule.",
      {{"old_value", FieldType::kString, true, "The value, for example cuda."},
       {"device", FieldType::kString, true, "Python text: the device, as an argument of torch."},
       {"type", FieldType::kString, false, "Where a string is needed; else device."},
       {"default", FieldType::kString, false,
        "Where the program chooses, with or without accelerator; else type."},
       {"autocast", FieldType::kString, false,
        "As the device_type of autocast, which may be switched off; else default."},
       {"at_import", FieldType::kString, false,
        "As the argument of torch.device() when a module is imported; else device."},
       {"text", FieldType::kString, false,
        "What can be compared and kept where there is no accelerator; without it comparisons "
        "are reported."}},
      MakeDeviceValueRule};
}

}  // namespace transplt
