// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/string_place.h"
#include "transplt/facts/value_flows.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// True if a string in `part` is exactly `value`.
bool Holds(Node part, std::string_view value) {
  for (const Node node : NodesIn(part)) {
    if (!node.Is(NodeKind::kString)) continue;
    const Node content = PlainStringContent(node);
    if (content && content.text() == value) return true;
  }
  return false;
}

/// Renames a value that names hardware, for frameworks whose programs serve several kinds of it and
/// choose by comparing: `if target == "Ascend": ... elif target == "GPU": init("nccl")`. What
/// serves the old platform beside the new one stays, and there is nothing to say about it.
class PlatformRenameRule : public Rule {
 public:
  PlatformRenameRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        old_value_(fields.String("old_value")),
        new_value_(fields.String("new_value")),
        names_(fields.List("names")),
        functions_(fields.List("functions")),
        platforms_(fields.List("platforms")) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kString, old_value_}}; }

  WordSets required_words() const override { return {{old_value_}}; }

  void Check(Node string, const FileContext& file, Findings& findings) const override {
    const Node content = PlainStringContent(string);
    if (!content || content.text() != old_value_ || IsBareString(string) || IsMessage(string) ||
        string.parent().Is(NodeKind::kConcatenatedString) || file.IsOtherFramework()) {
      return;
    }
    const Node value = WholeValue(string);
    if (value.parent().Is(NodeKind::kComparisonOperator)) {
      return CheckCompared(string, value.parent(), file, findings);
    }
    // Of the choices of an option the default is the one that a migration has to change.
    const bool has_other =
        !IsDefaultOfOption(string) && file.values().TextsOf(string).contains(new_value_);
    if (has_other || IsInBranch(string)) return;
    if (IsNamed(value, file)) return Replace(string, Applicability::kSafe, findings);
    Keep(string, Say("what it is for cannot be told here", "无法判断其用途"), findings);
  }

  void CheckSettings(const std::vector<Setting>& settings, Findings& findings) const override {
    for (size_t i = 0; i < settings.size(); ++i) {
      const Setting& setting = settings[i];
      if (setting.value != old_value_ || setting.kind == Setting::Kind::kCommand ||
          setting.value_range.empty() || !SpeaksOfIt(setting.name) ||
          HasInSameList(settings, i, new_value_)) {
        continue;
      }
      Finding finding = Change(setting.value_range,
                               Say("change {} to {}", "将 {} 改为 {}", old_value_, new_value_));
      finding.fix.Replace(setting.value_range, new_value_);
      findings.push_back(std::move(finding));
    }
  }

 private:
  /// Through what only passes the value on.
  static Node WholeValue(Node node) {
    for (;;) {
      switch (node.parent().kind()) {
        case NodeKind::kParenthesizedExpression:
        case NodeKind::kConditionalExpression:
        case NodeKind::kBooleanOperator:
        case NodeKind::kTuple:
        case NodeKind::kList:
        case NodeKind::kSet:
        case NodeKind::kExpressionList:
          node = node.parent();
          break;
        default:
          return node;
      }
    }
  }

  bool SpeaksOfIt(std::string_view name) const {
    const std::string lower = Lower(name);
    return std::ranges::any_of(names_,
                               [&](const std::string& word) { return HasPart(lower, word); });
  }

  /// True if the argument, default, key or variable that takes the value has the name of such.
  bool IsNamed(Node value, const FileContext& file) const {
    const Node parent = value.parent();
    switch (parent.kind()) {
      case NodeKind::kArgumentList:
        return IsFirstOf(value, parent.parent(), file);
      case NodeKind::kKeywordArgument: {
        const Node list = parent.parent();
        const Node call = list.Is(NodeKind::kArgumentList) ? list.parent() : Node();
        const std::string_view keyword = parent.Child(Field::kName).text();
        const bool is_option =
            call.Is(NodeKind::kCall) && (keyword == "default" || keyword == "choices");
        return is_option ? NamesOption(list) : SpeaksOfIt(keyword);
      }
      case NodeKind::kDefaultParameter:
      case NodeKind::kTypedDefaultParameter:
        return SpeaksOfIt(parent.Child(Field::kName).text());
      case NodeKind::kAssignment:
        return SpeaksOfIt(parent.Child(Field::kLeft).text());
      case NodeKind::kPair:
        return value.field() == Field::kValue && SpeaksOfIt(parent.Child(Field::kKey).text());
      default:
        return false;
    }
  }

  /// `add_argument("-d", "--device", ...)`
  bool NamesOption(Node arguments) const {
    for (Node name = arguments.first_named_child(); name.Is(NodeKind::kString);
         name = name.next_named_sibling()) {
      if (SpeaksOfIt(name.text())) return true;
    }
    return false;
  }

  /// `set_device("GPU")`
  bool IsFirstOf(Node value, Node call, const FileContext& file) const {
    if (!call.Is(NodeKind::kCall)) return false;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (arguments.empty() || !(arguments.front().value == value)) return false;
    const std::vector<Callee> callees = CalleesOf(call);
    return !callees.empty() && std::ranges::any_of(functions_, [&](const std::string& function) {
      return file.names().IsNamed(callees.front().expression, function);
    });
  }

  /// True if a condition that names a platform decides whether `string` is used.
  bool IsInBranch(Node string) const {
    Node inner = string;
    for (Node node = string.parent(); node; inner = node, node = node.parent()) {
      const bool is_if = node.Is(NodeKind::kIfStatement) || node.Is(NodeKind::kElifClause);
      if (!is_if || inner.field() == Field::kCondition) continue;
      const Node condition = node.Child(Field::kCondition);
      if (std::ranges::any_of(platforms_,
                              [&](const std::string& name) { return Holds(condition, name); })) {
        return true;
      }
    }
    return false;
  }

  void CheckCompared(Node string, Node comparison, const FileContext& file,
                     Findings& findings) const {
    const std::string_view bytes = file.source().bytes();
    const bool knows_new =
        HasPart(bytes, '"' + new_value_ + '"') || HasPart(bytes, '\'' + new_value_ + '\'');
    if (knows_new) return;
    if (SpeaksOfIt(comparison.text()) && RefusesOthers(comparison)) {
      return Replace(string, Applicability::kUnsafe, findings);
    }
    Keep(string,
         Say("this branch was made for {}; see whether {} is to take it",
             "该分支面向 {}; 请确认 {} 是否应进入", old_value_, new_value_),
         findings);
  }

  /// `assert target == "GPU"`, `if target != "GPU": raise ...`
  static bool RefusesOthers(Node comparison) {
    const Node parent = comparison.parent();
    if (parent.Is(NodeKind::kAssertStatement)) return true;
    if (!parent.Is(NodeKind::kIfStatement)) return false;
    const std::string_view text = comparison.text();
    const bool is_negative = HasPart(text, "!=") || HasPart(text, "not in");
    const Node block = parent.Child(Field::kConsequence);
    for (Node statement = block ? block.first_named_child() : Node(); is_negative && statement;
         statement = statement.next_named_sibling()) {
      if (statement.Is(NodeKind::kRaiseStatement)) return true;
    }
    return false;
  }

  void Keep(Node string, const Text& reason, Findings& findings) const {
    findings.push_back(Row(string.range(), {"\"" + old_value_ + "\" stays: " + reason.en,
                                            "\"" + old_value_ + "\" 保持不变: " + reason.zh}));
  }

  void Replace(Node string, Applicability applicability, Findings& findings) const {
    Finding finding = Change(string.range());
    finding.applicability = applicability;
    finding.message = Say("replace string \"{}\" with \"{}\"", "将字符串 \"{}\" 替换为 \"{}\"",
                          old_value_, new_value_);
    finding.fix.Replace(PlainStringContent(string).range(), new_value_);
    findings.push_back(std::move(finding));
  }

  std::string old_value_;
  std::string new_value_;
  std::vector<std::string> names_;
  std::vector<std::string> functions_;
  std::vector<std::string> platforms_;
};

}  // namespace

RuleKind PlatformRenameRuleKind() {
  return {"PlatformRenameRule",
          "Renames a value that names hardware, such as \"GPU\", where the name of the argument, "
          "option, key or variable says so; branches of a program that serves several platforms "
          "stay.",
          {{"old_value", FieldType::kString, true, "The value, for example GPU."},
           {"new_value", FieldType::kString, true, "What takes its place."},
           {"names", FieldType::kStringList, true,
            "Words in lower case; the name of what takes the value has one of them."},
           {"functions", FieldType::kStringList, false,
            "Full names of functions whose first argument it is."},
           {"platforms", FieldType::kStringList, true, "Values that branches are chosen by."}},
          MakeRule<PlatformRenameRule>};
}

}  // namespace transplt
