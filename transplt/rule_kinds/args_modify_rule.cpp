// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/pattern.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/engine/target.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/call_around.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/rule_kinds/written_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr std::string_view kDeviceNumber = "replace_device_int";

size_t CountOf(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

/// True if `value` is what the template makes of some text: the rule has run here before.
bool IsInstanceOf(std::string_view value, std::string_view pattern) {
  size_t at = pattern.find(kDeviceNumber);
  if (at == std::string_view::npos) return value == pattern;
  if (!value.starts_with(pattern.substr(0, at))) return false;
  value.remove_prefix(at);
  pattern.remove_prefix(at + kDeviceNumber.size());
  while ((at = pattern.find(kDeviceNumber)) != std::string_view::npos) {
    const size_t found = value.find(pattern.substr(0, at));
    if (found == std::string_view::npos) return false;
    value.remove_prefix(found + at);
    pattern.remove_prefix(at + kDeviceNumber.size());
  }
  return value.ends_with(pattern);
}

/// Changes or deletes one argument of the calls of a function.
class ArgsModifyRule : public Rule {
 public:
  ArgsModifyRule(RuleHeader header, const Fields& fields, std::vector<WrittenName> names)
      : Rule(std::move(header)),
        names_(std::move(names)),
        func_name_(fields.String("func_name")),
        arg_new_(fields.String("arg_new")),
        arg_idx_(fields.Integer("arg_idx", -1)),
        arg_keyword_(fields.String("arg_keyword")),
        of_instance_(fields.Boolean("of_instance", false)),
        inside_(fields.List("inside")) {
    for (const std::string& pattern : fields.List("white_list")) {
      white_list_.emplace_back(pattern, Pattern::Case::kIgnored);
    }
  }

  std::vector<Trigger> triggers() const override {
    // An object can have any name.
    return {{NodeKind::kCall, of_instance_ ? std::string() : func_name_}};
  }

  WordSets required_words() const override { return WordsOfName(func_name_); }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (!inside_.empty() && !IsInCallOf(node, inside_, file)) return;
    const bool is_it = of_instance_ ? IsInstance(node.Child(Field::kFunction), file)
                                    : PassesArgumentsTo(node, func_name_, file);
    if (is_it) CheckArguments(node, file, findings);
  }

 private:
  /// True if every assignment that reaches the variable or attribute that is called makes an
  /// object of the class: `criterion = nn.CrossEntropyLoss().cuda()`.
  bool IsInstance(Node callee, const FileContext& file) const {
    if (callee.Is(NodeKind::kIdentifier)) {
      const NameTable::Meanings bindings = file.names().BindingsOf(callee);
      return !bindings.empty() && std::ranges::all_of(bindings, [&](const Binding* binding) {
        if (binding->kind == BindingKind::kParameter) {
          return IsGivenInstance(*binding, callee, file);
        }
        return binding->kind == BindingKind::kAssignment &&
               MakesInstance(binding->value, callee, file);
      });
    }
    if (!callee.Is(NodeKind::kAttribute)) return false;
    return AreInstances(callee, file,
                        [&, holder = file.classes().EnclosingClass(callee)](Node assignment) {
                          return file.classes().EnclosingClass(assignment) == holder;
                        });
  }

  /// True if the function of the parameter is called in this file, always with a variable of the
  /// parameter's name that is an object of the class there.
  bool IsGivenInstance(const Binding& parameter, Node callee, const FileContext& file) const {
    const Node function = file.names().ScopeNode(parameter.scope);
    if (!function.Is(NodeKind::kFunctionDefinition)) return false;
    bool is_given = false;
    for (const Node call : NodesIn(file.tree())) {
      if (!call.Is(NodeKind::kCall) ||
          call.Child(Field::kFunction).text() != function.Child(Field::kName).text()) {
        continue;
      }
      const uint32_t scope = file.names().ScopeOf(call);
      const std::vector<Argument> arguments = ArgumentsOf(call);
      const bool passes = std::ranges::any_of(
          arguments, [&](const Argument& a) { return a.value.text() == callee.text(); });
      const auto is_there = [&](Node assignment) {
        return file.names().ScopeOf(assignment) == scope || file.names().ScopeOf(assignment) == 0;
      };
      if (!passes || !AreInstances(callee, file, is_there)) return false;
      is_given = true;
    }
    return is_given;
  }

  /// True if there are assignments to the name of `callee` that `counts` and each makes an object.
  template <typename Predicate>
  bool AreInstances(Node callee, const FileContext& file, const Predicate& counts) const {
    bool found = false;
    for (const Node assignment : NodesIn(file.tree())) {
      if (!assignment.Is(NodeKind::kAssignment) ||
          assignment.Child(Field::kLeft).text() != callee.text() || !counts(assignment)) {
        continue;
      }
      if (!MakesInstance(assignment.Child(Field::kRight), callee, file)) return false;
      found = true;
    }
    return found;
  }

  bool MakesInstance(Node value, Node callee, const FileContext& file) const {
    while (value.Is(NodeKind::kCall)) {
      const Node made = value.Child(Field::kFunction);
      if (file.names().IsNamed(made, func_name_)) return true;
      if (!made.Is(NodeKind::kAttribute)) return false;
      const std::string_view method = made.Child(Field::kAttribute).text();
      if (!Words("moving-methods").Has(method) && method != "cpu") return false;
      value = made.Child(Field::kObject);
    }
    return value.text() == callee.text();  // `criterion = criterion.cuda()`
  }

  void CheckArguments(Node call, const FileContext& file, Findings& findings) const {
    const std::vector<Argument> arguments = ArgumentsPassed(call, file);
    const size_t index = TargetOf(arguments);
    if (const Argument* starred = StarredInstead(arguments, index)) {
      findings.push_back(
          Row(starred->range,
              Say("{} is called with {}, which may hold the argument that is to change: write that "
                  "argument out, or change it where {} is made",
                  "调用 {} 时使用了 {}，其中可能包含要修改的参数：请单独写出该参数，或在 {} "
                  "的来源处修改",
                  func_name_, starred->node.text(), starred->value.text())));
      return;
    }
    if (index >= arguments.size()) return;
    const Argument& argument = arguments[index];
    const std::string text = file.source().TextOf(argument.range);
    for (const Pattern& pattern : white_list_) {
      if (pattern.IsIn(text)) return;
    }
    Finding finding = Change(argument.range);
    finding.applicability =
        of_instance_ || !HasPart(func_name_, '.') ? Applicability::kUnsafe : Applicability::kSafe;
    if (arg_new_.empty()) {
      finding.operation = Operation::kDelete;
      finding.message = Say("delete the arg at position {} of function {}",
                            "删除函数 {1} 第 {0} 个位置的参数", index, func_name_);
      finding.fix.edits.push_back(DeleteArgument(arguments, index));
    } else if (!Replace(arguments, index, finding)) {
      return;
    } else if (!finding.fix.empty()) {
      RequireNames(call, file, finding);
    }
    findings.push_back(std::move(finding));
  }

  /// What is starred and may hold the argument that is sought at `index`, or null.
  const Argument* StarredInstead(const std::vector<Argument>& arguments, size_t index) const {
    const bool is_missing = index >= arguments.size();
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].is_splat) continue;
      const bool is_mapping = arguments[i].node.text().starts_with("**");
      const bool may_hold = is_mapping ? is_missing : arg_idx_ >= 0 && i < index;
      if (i == index || may_hold) return &arguments[i];
    }
    return nullptr;
  }

  /// Sees to it that the names in the new argument mean something at `call`.
  void RequireNames(Node call, const FileContext& file, Finding& finding) const {
    for (const WrittenName& written : names_) {
      if (IsBoundAt(written.name, call, file)) continue;
      const bool is_of_device = file.apis().target().package == written.name;
      if (is_of_device) {
        finding.needs_device_import = true;
      } else if (written.has_members && finding.needs_import.empty() &&
                 IsImportable(written.name, file)) {
        finding.needs_import = "import " + written.name;
      } else {
        return Leave(finding,
                     Say("the new argument of {} uses {}, which means nothing here: define or "
                         "import it in this file, or write another value into the rule",
                         "{} 的新参数使用了 {}，而此处没有该名称：请在本文件中定义或导入，"
                         "或在规则中改用其他值",
                         func_name_, written.name));
      }
    }
  }

  size_t TargetOf(const std::vector<Argument>& arguments) const {
    if (arg_idx_ >= 0) return static_cast<size_t>(arg_idx_);
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].keyword == arg_keyword_) return i;
    }
    return arguments.size();
  }

  /// Fills in the replacement, or the reason why there is none; false if nothing is to do.
  bool Replace(const std::vector<Argument>& arguments, size_t index, Finding& finding) const {
    const Argument& argument = arguments[index];
    const std::string_view value = argument.value.text();
    if (IsInstanceOf(value, arg_new_)) return false;
    const size_t uses = CountOf(arg_new_, kDeviceNumber);
    if (uses > 1 && HasSideEffects(argument.value)) {
      Leave(finding,
            Say("the arg at position {} of function {} would be evaluated {} times; store it in a "
                "variable first",
                "函数 {1} 第 {0} 个位置的参数会被求值 {2} 次; 请先存入变量", index, func_name_,
                uses));
      return true;
    }
    if (uses > 0 && HasPart(arg_new_, "f'") &&
        value.find_first_of("'\\") != std::string_view::npos) {
      Leave(finding, Say("the arg at position {} of function {} has quotes, which cannot stand "
                         "inside the f-string of the rule",
                         "函数 {1} 第 {0} 个位置的参数带有引号, 不能放入规则的 f-string", index,
                         func_name_));
      return true;
    }
    std::string text = arg_new_;
    const std::string inserted =
        IsAtomic(argument.value) || uses == 0 ? std::string(value) : "(" + std::string(value) + ")";
    for (size_t at = text.find(kDeviceNumber); at != std::string::npos;
         at = text.find(kDeviceNumber, at + inserted.size())) {
      text.replace(at, kDeviceNumber.size(), inserted);
    }
    finding.operation = Operation::kModify;
    finding.message = Say("change the arg at position {} of function {} to {}",
                          "将函数 {1} 第 {0} 个位置的参数改为 {2}", index, func_name_, text);
    finding.fix.Replace(argument.value_range, KeywordFor(arguments, index) + text);
    finding.needs_device_import = HasPart(text, DefaultTarget().package + ".");
    return true;
  }

  /// `arg_keyword` names the new argument where it was positional, and only if no positional
  /// argument follows.
  std::string KeywordFor(const std::vector<Argument>& arguments, size_t index) const {
    const Argument& argument = arguments[index];
    if (arg_keyword_.empty() || !argument.keyword.empty() || argument.is_splat) return "";
    for (size_t i = index + 1; i < arguments.size(); ++i) {
      if (arguments[i].keyword.empty() && !arguments[i].is_splat) return "";
    }
    return arg_keyword_ + "=";
  }

  std::vector<WrittenName> names_;  // of the new argument
  std::string func_name_;
  std::string arg_new_;
  int64_t arg_idx_;
  std::string arg_keyword_;
  bool of_instance_;
  std::vector<std::string> inside_;
  std::vector<Pattern> white_list_;
};

Result<std::unique_ptr<Rule>> MakeArgsModifyRule(RuleHeader header, const Fields& fields) {
  if (fields.Integer("arg_idx", -1) < 0 && fields.String("arg_keyword").empty()) {
    return BadRule(Say("give \"arg_idx\" (0 or more) or \"arg_keyword\": which argument is meant?",
                       "请给出 \"arg_idx\" (不小于 0) 或 \"arg_keyword\", 以指明是哪个参数"));
  }
  std::vector<WrittenName> names;
  if (const std::string text = fields.String("arg_new"); !text.empty()) {
    const Result<WrittenExpression> expression = WrittenExpression::Read(text);
    if (!expression) {
      const Text& why = expression.error().what;
      return Error{
          Error::Code::kBadRule, "arg_new", {"\"arg_new\" " + why.en, "\"arg_new\" " + why.zh}};
    }
    names = expression->names();
    std::erase_if(names, [](const WrittenName& n) { return n.name == kDeviceNumber; });
  }
  return std::unique_ptr<Rule>(
      std::make_unique<ArgsModifyRule>(std::move(header), fields, std::move(names)));
}

}  // namespace

RuleKind ArgsModifyRuleKind() {
  return {
      "ArgsModifyRule",
      "Changes or deletes one argument of the calls of a function; keyword, star, comments and "
      "layout stay.",
      {{"func_name", FieldType::kDottedName, true,
        "The function: a dotted name is the full resolved name, an undotted one the last name "
        "of any call."},
       {"arg_new", FieldType::kString, true,
        "The new value; \"\" deletes the argument; replace_device_int stands for the old value."},
       {"arg_idx", FieldType::kInteger, false, "Position of the argument in the text, from 0."},
       {"arg_keyword", FieldType::kDottedName, false,
        "The keyword of the argument when arg_idx is not given; else the keyword to write."},
       {"of_instance", FieldType::kBoolean, false,
        "func_name is a class, and the calls of its objects are meant: criterion(output, target)."},
       {"inside", FieldType::kStringList, false,
        "Functions by their full names: only calls among the arguments of a call of one."},
       {"white_list", FieldType::kRegexList, false,
        "The argument stays if one of these is found in its text."}},
      MakeArgsModifyRule};
}

}  // namespace transplt
