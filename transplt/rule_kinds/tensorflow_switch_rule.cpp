// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "transplt/base/one_of.h"
#include "transplt/facts/argument_reader.h"
#include "transplt/facts/terms.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/rule_kinds/tensorflow_rule.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// The whole of `x.name` at `identifier`, which is read as a value; else a null node.
Node ReadAttribute(Node identifier) {
  const Node attribute = identifier.parent();
  const bool is_member =
      attribute.Is(NodeKind::kAttribute) && identifier.field() == Field::kAttribute;
  const bool is_set =
      attribute.parent().Is(NodeKind::kAssignment) && attribute.field() == Field::kLeft;
  return is_member && !is_set ? attribute : Node();
}

/// Switches off what lets a program use a device that is not there: the default of an option, at
/// the one place from which all code that asks for the option has it.
class TensorflowSwitchRule : public TensorflowRule {
 public:
  TensorflowSwitchRule(RuleHeader header, const Fields& fields)
      : TensorflowRule(std::move(header), fields), arguments_(fields.List("arguments")) {}

  /// Whatever defines options.
  std::vector<Trigger> triggers() const override { return {{NodeKind::kCall, ""}}; }
  WordSets required_words() const override {
    return {{"tensorflow", "DEFINE_bool"},
            {"tensorflow", "DEFINE_boolean"},
            {"tensorflow", "add_argument"}};
  }

  void Check(Node call, const FileContext& file, Findings& findings) const override {
    const std::optional<EntryArgument> option = ArgumentDefinedBy(call, file.code());
    const Node value = option ? DefaultOf(call) : Node();
    if (!value.Is(NodeKind::kTrue) || !IsFor(file) || !IsSwitch(option->dest, file)) return;
    Finding finding =
        Change(call.range(), Say("switch {} off: there is no such device on the NPU machine",
                                 "关闭 {}: NPU 机器上没有该设备", option->name));
    finding.fix.Replace(value.range(), "False");
    findings.push_back(std::move(finding));
  }

 private:
  /// True if the option decides in some file whether one of the functions is called, or is an
  /// argument that asks for the device.
  bool IsSwitch(const std::string& option, const FileContext& file) const {
    if (IsSwitchIn(option, file)) return true;
    const ProjectIndex* project = file.project();
    if (project == nullptr) return false;
    const std::vector<std::string>& spelling = project->FilesSpelling(option);
    return std::ranges::any_of(FilesOfFunctions(*project), [&](const std::string& path) {
      if (path == file.source().path() || !std::ranges::binary_search(spelling, path)) return false;
      const std::shared_ptr<const OpenedFile> opened = project->Open(path);
      return opened != nullptr &&
             IsSwitchIn(option, FileContext(opened->tree(), file.apis(), project));
    });
  }

  std::set<std::string> FilesOfFunctions(const ProjectIndex& project) const {
    std::set<std::string> words;
    for (const WordSets::value_type& all : functions().Words()) words.insert(all.back());
    for (const std::string& argument : arguments_) {
      words.insert(std::string(LastPart(argument.substr(0, argument.find('=')))));
    }
    std::set<std::string> paths;
    for (const std::string& word : words) {
      const std::vector<std::string>& files = project.FilesSpelling(word);
      paths.insert(files.begin(), files.end());
    }
    return paths;
  }

  bool IsSwitchIn(const std::string& option, const FileContext& file) const {
    return std::ranges::any_of(file.NodesSaying(option), [&](Node identifier) {
      const Node read = ReadAttribute(identifier);
      return read && (IsArgument(read, file) || Guards(read, file));
    });
  }

  /// `TPUEstimator(use_tpu=FLAGS.use_tpu)`
  bool IsArgument(Node value, const FileContext& file) const {
    const Node argument = value.parent();
    if (!argument.Is(NodeKind::kKeywordArgument)) return false;
    const std::string keyword = "=" + std::string(argument.Child(Field::kName).text());
    std::vector<std::string> names;
    for (const std::string& known : arguments_) {
      if (known.ends_with(keyword)) names.push_back(known.substr(0, known.find('=')));
    }
    const Node call = argument.parent().parent();
    return !names.empty() && !TensorflowFunctions(names).FindCalled(call, file).empty();
  }

  /// `if FLAGS.use_tpu and master is None: ...`, where what the statement runs calls a function in
  /// any case. Of two options that must both be on nobody can say which one is meant.
  bool Guards(Node value, const FileContext& file) const {
    Node condition = value;
    while (condition.parent().Is(NodeKind::kParenthesizedExpression) || IsAnd(condition.parent())) {
      const Node last = condition;
      condition = condition.parent();
      for (const Node part : NamedChildren(condition)) {
        if (!(part == last) && part.Is(NodeKind::kAttribute)) return false;
      }
    }
    const Node holder = condition.parent();
    if (holder.Is(NodeKind::kConditionalExpression)) {
      const Node first = holder.first_named_child();
      return first.next_named_sibling() == condition && Calls(first, file);
    }
    const bool is_guard = holder.Is(NodeKind::kIfStatement) || holder.Is(NodeKind::kElifClause);
    return is_guard && condition.field() == Field::kCondition &&
           Calls(holder.Child(Field::kConsequence), file);
  }

  static bool IsAnd(Node operation) {
    if (!operation.Is(NodeKind::kBooleanOperator)) return false;
    const Node left = operation.Child(Field::kLeft);
    return left && left.next_sibling().text() == "and";
  }

  /// True if `code` calls one of the functions whenever it runs.
  bool Calls(Node code, const FileContext& file) const {
    if (code.Is(NodeKind::kCall) && !functions().FindCalled(code, file).empty()) return true;
    const bool is_definition =
        code.Is(NodeKind::kFunctionDefinition) || code.Is(NodeKind::kClassDefinition);
    if (is_definition || code.Is(NodeKind::kConditionalExpression)) return false;
    const auto calls = [&](Node child) { return Calls(child, file); };
    if (!code.Is(NodeKind::kIfStatement)) return std::ranges::any_of(NamedChildren(code), calls);
    const Node otherwise = code.Child(Field::kAlternative);
    return otherwise.Is(NodeKind::kElseClause) && calls(code.Child(Field::kConsequence)) &&
           calls(otherwise);
  }

  std::vector<std::string> arguments_;
};

}  // namespace

RuleKind TensorflowSwitchRuleKind() {
  return {"TensorflowSwitchRule",
          "Switches off, where it is defined, an option that is on by default and lets a program "
          "call functions for a device that is not there.",
          TensorflowFields(
              {{"arguments", FieldType::kStringList, false,
                "Arguments that ask for the device, as function=keyword: an option that is passed "
                "so is one, too."}}),
          MakeRule<TensorflowSwitchRule>};
}

}  // namespace transplt
