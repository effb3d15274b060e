// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/python/arguments.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/rule_kinds/tensorflow_rule.h"

namespace transplt {
namespace {

/// Puts another call, or nothing, in the place of calls of TensorFlow.
class TensorflowCallRule : public TensorflowRule {
 public:
  TensorflowCallRule(RuleHeader header, const Fields& fields)
      : TensorflowRule(std::move(header), fields),
        name_(fields.String("new_name")),
        keep_(fields.Integer("keep", -1)),
        arguments_(fields.String("new_arguments")),
        keywords_(fields.List("keywords")),
        wrap_(fields.String("wrap")),
        inside_(fields.List("not_inside")) {}

 private:
  void CheckCall(Node call, const std::string& function, const FileContext& file,
                 Findings& findings) const override {
    if (!wrap_.empty()) return Wrap(call, function, file, findings);
    if (name_.empty()) return Remove(call, function, file, findings);
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (keep_ >= 0 && PassesUnknown(call)) {
      findings.push_back(
          Row(call.range(), Say("{} stays: what it is given cannot be seen here; write {}",
                                "{} 保持不变: 无法判断其参数; 请改为 {}", function, name_)));
      return;
    }
    const Node callee = call.Child(Field::kFunction);
    Finding finding =
        Change(call.range(), Say("change function {} to {}", "将函数 {} 改为 {}", function, name_));
    finding.fix.Replace(callee.range(), name_);
    if (keep_ >= 0) {
      KeepArguments(call, arguments, finding);
    } else {
      RenameKeywords(arguments, finding);
    }
    findings.push_back(std::move(finding));
  }

  /// Replaces what stands behind the arguments that stay.
  void KeepArguments(Node call, const std::vector<Argument>& arguments, Finding& finding) const {
    const TextRange list = call.Child(Field::kArguments).range();
    const size_t kept = std::min(arguments.size(), static_cast<size_t>(keep_));
    const uint32_t start = kept == 0 ? list.start + 1 : arguments[kept - 1].range.end;
    const uint32_t end = list.end - 1;
    const std::string separator = kept == 0 || arguments_.empty() ? "" : ", ";
    const bool same = arguments.size() == kept && arguments_.empty();
    if (!same) finding.fix.Replace({start, end}, separator + arguments_);
    std::string dropped;
    for (size_t i = kept; i < arguments.size(); ++i) {
      dropped += (dropped.empty() ? "" : ", ") + std::string(arguments[i].node.text());
    }
    if (dropped.empty() || !arguments_.empty()) return;
    finding.applicability = Applicability::kUnsafe;
    finding.message = {finding.message.en + "; it takes no " + dropped,
                       finding.message.zh + "; 不接受参数 " + dropped};
  }

  /// "old=new" renames a keyword, and names an argument that was positional where it must.
  void RenameKeywords(const std::vector<Argument>& arguments, Finding& finding) const {
    for (const std::string& pair : keywords_) {
      const size_t equals = pair.find('=');
      const Argument* argument = FindKeyword(arguments, std::string_view(pair).substr(0, equals));
      if (argument == nullptr) continue;
      finding.fix.Replace(argument->node.Child(Field::kName).range(), pair.substr(equals + 1));
    }
    if (arguments.empty() && !arguments_.empty()) {
      finding.fix.Insert(finding.range.end - 1, arguments_);
    }
  }

  void Remove(Node call, const std::string& function, const FileContext& /*file*/,
              Findings& findings) const {
    const bool is_statement = call.parent().Is(NodeKind::kExpressionStatement) &&
                              call.parent().first_named_child() == call &&
                              !call.next_named_sibling();
    Finding finding = Change(call.range(), Say("leave out {}", "去掉 {}", function));
    finding.fix.Replace(call.range(), is_statement ? "pass" : "None");
    findings.push_back(std::move(finding));
  }

  void Wrap(Node call, const std::string& function, const FileContext& file,
            Findings& findings) const {
    if (IsInside(call, file)) return;
    const size_t at = wrap_.find("{}");
    Finding finding =
        Change(call.range(), Say("pass {} through {}", "将 {} 经 {} 传入", function, wrap_));
    const TextRange range = call.range();
    finding.fix.Insert(range.start, wrap_.substr(0, at));
    finding.fix.Insert(range.end, wrap_.substr(at + 2));
    findings.push_back(std::move(finding));
  }

  /// True if the call is an argument of the wrapper, or of another function that rules it out.
  bool IsInside(Node call, const FileContext& file) const {
    Node node = call.parent();
    if (node.Is(NodeKind::kKeywordArgument)) node = node.parent();
    if (!node.Is(NodeKind::kArgumentList)) return false;
    const Node callee = node.parent().Child(Field::kFunction);
    std::vector<std::string> names = TensorflowNamesOf(callee, file);
    if (callee.Is(NodeKind::kAttribute)) {
      names.emplace_back(callee.Child(Field::kAttribute).text());
    }
    return std::ranges::any_of(names, [&](const std::string& name) {
      return LastPart(name) == LastPart(std::string_view(wrap_).substr(0, wrap_.find('('))) ||
             IsOneOf(LastPart(name), inside_);
    });
  }

  std::string name_;
  int64_t keep_;
  std::string arguments_;
  std::vector<std::string> keywords_;
  std::string wrap_;
  std::vector<std::string> inside_;
};

Result<std::unique_ptr<Rule>> MakeTensorflowCallRule(RuleHeader header, const Fields& fields) {
  const std::string wrap = fields.String("wrap");
  if (!wrap.empty() && !HasPart(wrap, "{}")) {
    return BadRule(Say("\"wrap\" needs {} for the call", "\"wrap\" 需用 {} 表示原调用", "{}"));
  }
  for (const std::string& pair : fields.List("keywords")) {
    if (!HasPart(pair, '=')) {
      return BadRule(Say("\"keywords\" has pairs \"old=new\", not \"{}\"",
                         "\"keywords\" 的每一项应为 \"old=new\", 而不是 \"{}\"", pair));
    }
  }
  return MakeRule<TensorflowCallRule>(std::move(header), fields);
}

}  // namespace

RuleKind TensorflowCallRuleKind() {
  return {
      "TensorflowCallRule",
      "Puts another call in the place of calls of TensorFlow, or wraps them; without new_name and "
      "wrap the call goes.",
      TensorflowFields(
          {{"new_name", FieldType::kDottedName, false, "What is called instead."},
           {"keep", FieldType::kInteger, false, "So many arguments stay; without it all do."},
           {"new_arguments", FieldType::kString, false,
            "Arguments in the place of those that go, or where there are none."},
           {"keywords", FieldType::kStringList, false, "Pairs \"old=new\" of keywords."},
           {"wrap", FieldType::kString, false, "Python text with {} for the call."},
           {"not_inside", FieldType::kStringList, false,
            "A call that is an argument of one of these is not wrapped; last names."}}),
      MakeTensorflowCallRule};
}

}  // namespace transplt
