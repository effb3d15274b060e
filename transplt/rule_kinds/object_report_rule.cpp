// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/imported_library.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/python/dotted_name.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Reports where a program makes an object of a class of a library: a call of the class, however
/// it is named there, or of a method that makes one, a class of the project that derives from it,
/// and the name of the class in a configuration (`_target_: lightning.Trainer`).
class ObjectReportRule : public Rule {
 public:
  ObjectReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        packages_(fields.List("packages")),
        names_(fields.List("names")),
        makers_(fields.List("makers")),
        arguments_(fields.List("arguments")),
        values_(fields.List("values")),
        only_with_argument_(fields.Boolean("only_with_argument", false)) {}

  std::vector<Trigger> triggers() const override {
    return {{NodeKind::kCall, ""}, {NodeKind::kClassDefinition, ""}};
  }

  WordSets required_words() const override {
    WordSets words;
    for (const std::vector<std::string>* list : {&names_, &makers_}) {
      for (const std::string& name : *list) {
        if (name == "*") continue;
        if (!only_with_argument_) words.push_back({name});
        for (const std::string& argument : arguments_) {
          if (only_with_argument_) words.push_back({name, argument});
        }
      }
    }
    return words;
  }
  WordSets setting_words() const override {
    WordSets words;
    for (const std::string& package : packages_) {
      for (const std::string& name : names_) {
        if (name != "*" && !only_with_argument_) {
          words.push_back({package.substr(0, package.find('.')), name});
        }
      }
    }
    if (!only_with_argument_) return words;
    for (const std::string& argument : arguments_) {
      for (const std::string& value : values_) words.push_back({argument, value});
    }
    return words;
  }

  void CheckSetting(const Setting& setting, Findings& findings) const override {
    if (setting.kind != Setting::Kind::kKey || setting.value_range.empty()) return;
    // Of an argument that decides, a configuration gives the value by the same name.
    const bool is_it = only_with_argument_
                           ? IsOf(arguments_, setting.name) && IsOf(values_, setting.value)
                           : IsMade(setting.value);
    if (is_it) Report(setting.value_range, findings);
  }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (node.Is(NodeKind::kClassDefinition)) {
      if (!only_with_argument_) CheckBases(node, file, findings);
      return;
    }
    for (const Callee& callee : CalleesOf(node)) {
      const std::vector<QualifiedName> names = file.names().Resolve(callee.expression);
      const bool is_made = std::ranges::any_of(
          names, [&](const QualifiedName& name) { return !name.local && IsMade(name.name); });
      if (is_made) return CheckCall(node, callee, findings);
    }
  }

 private:
  void CheckCall(Node call, const Callee& callee, Findings& findings) const {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    for (const std::string& keyword : arguments_) {
      const Argument* argument = FindKeyword(arguments, keyword);
      if (argument == nullptr || !HasValue(argument->value)) continue;
      return Report(argument->range, findings);
    }
    if (!only_with_argument_) Report(callee.expression.range(), findings);
  }

  void CheckBases(Node definition, const FileContext& file, Findings& findings) const {
    const Node bases = definition.Child(Field::kSuperclasses);
    for (const Node base : NamedChildren(bases)) {
      const std::vector<QualifiedName> names = file.names().Resolve(base);
      const bool is_made = std::ranges::any_of(
          names, [&](const QualifiedName& name) { return !name.local && IsMade(name.name); });
      if (is_made) Report(base.range(), findings);
    }
  }

  /// True for an argument whose value is one of those asked for.
  bool HasValue(Node value) const {
    if (values_.empty()) return true;
    const Node content = value.Is(NodeKind::kString) ? PlainStringContent(value) : Node();
    const std::string_view text = content ? content.text() : value.text();
    return IsOneOf(text, values_);
  }

  /// How deep a class lies in its package does not matter: "lightning.pytorch.trainer.Trainer".
  bool IsMade(std::string_view qualified) const {
    const bool is_of_package = std::ranges::any_of(packages_, [&](const std::string& package) {
      return qualified.size() > package.size() && IsInside(package, qualified);
    });
    if (!is_of_package) return false;
    const std::string_view last = LastPart(qualified);
    if (IsOf(names_, last)) return true;
    return IsOf(makers_, last) && IsOf(names_, LastPart(ParentPart(qualified)));
  }

  static bool IsOf(const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::any_of(names, [&](const std::string& one) {
      return one == name || (one == "*" && !name.empty());
    });
  }

  void Report(TextRange range, Findings& findings) const {
    findings.push_back(Row(range, header().why));
  }

  std::vector<std::string> packages_;
  std::vector<std::string> names_;
  std::vector<std::string> makers_;
  std::vector<std::string> arguments_;
  std::vector<std::string> values_;
  bool only_with_argument_;
};

Result<std::unique_ptr<Rule>> Make(RuleHeader header, const Fields& fields) {
  const std::vector<std::string> names = fields.List("names");
  const bool takes_all = IsOneOf("*", names);
  if (takes_all && fields.List("makers").empty()) {
    return BadRule(Say("the name * needs makers", "名称 * 须与 makers 一同使用"));
  }
  if (fields.Boolean("only_with_argument", false) && fields.List("arguments").empty()) {
    return BadRule(
        Say("only_with_argument needs arguments", "only_with_argument 须与 arguments 一同使用"));
  }
  return MakeRule<ObjectReportRule>(std::move(header), fields);
}

}  // namespace

RuleKind ObjectReportRuleKind() {
  return {"ObjectReportRule",
          "Reports where a program makes an object of a class of a library, by whatever name it "
          "knows the class, where a class of the project derives from it, and where a "
          "configuration names it; the rule's why is the message.",
          {{"packages", FieldType::kStringList, true,
            "The packages that hold the class, for example pytorch_lightning."},
           {"names", FieldType::kStringList, true,
            "The last names of classes and functions; * stands for every class, with makers."},
           {"makers", FieldType::kStringList, false,
            "Methods of the class that make an object, for example from_pretrained."},
           {"arguments", FieldType::kStringList, false,
            "The keyword arguments that decide: the first one that is passed is the place that "
            "is reported."},
           {"values", FieldType::kStringList, false,
            "Only these values of the arguments count: the text of a string, or True."},
           {"only_with_argument", FieldType::kBoolean, false,
            "Report only calls that pass one of the arguments."},
           {"source", FieldType::kString, false, "Where this is documented."}},
          Make};
}

}  // namespace transplt
