// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/one_of.h"
#include "transplt/engine/file_context.h"
#include "transplt/python/dotted_name.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Reports a class of the project that derives from one of a library and does not do what the
/// library now expects of such classes: its constructor leaves out a call, or it gives an attribute
/// a list.
class DerivedClassReportRule : public Rule {
 public:
  DerivedClassReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        package_(fields.String("package")),
        ending_(fields.String("base_ending")),
        needed_call_(fields.String("needed_call")),
        older_call_(fields.String("older_call")),
        or_sets_(fields.String("or_sets")),
        makers_(fields.List("makers")),
        list_attribute_(fields.String("list_attribute")) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kClassDefinition, ""}}; }

  WordSets required_words() const override {
    return {list_attribute_.empty() ? WordSets::value_type{package_, "__init__"}
                                    : WordSets::value_type{list_attribute_}};
  }

  void Check(Node definition, const FileContext& file, Findings& findings) const override {
    if (list_attribute_.empty()) return CheckConstructor(definition, file, findings);
    const Node list = ListGivenTo(definition);
    if (list && DerivesFromIt(definition, file)) {
      findings.push_back(Row(list.range(), header().why));
    }
  }

 private:
  void CheckConstructor(Node definition, const FileContext& file, Findings& findings) const {
    const Node constructor = MethodOf(definition, "__init__");
    if (!constructor || !HasItAsBase(definition, file)) return;
    Node older;
    for (const Node node : NodesIn(constructor.Child(Field::kBody))) {
      if (!node.Is(NodeKind::kAttribute) || node.Child(Field::kObject).text() != "self") continue;
      const Node name = node.Child(Field::kAttribute);
      if (name.text() == needed_call_ || name.text() == or_sets_) return;
      if (name.text() == older_call_ && node.field() == Field::kFunction) older = name;
    }
    if (MethodOf(definition, needed_call_) || !IsMade(definition, file)) return;
    if (!older || MethodOf(definition, older_call_)) {
      findings.push_back(Row(constructor.Child(Field::kName).range(), header().why));
      return;
    }
    Finding finding =
        Change(older.range(), Say("write {1} for {0}, which calls it", "将 {0} 改为会调用它的 {1}",
                                  older_call_, needed_call_));
    finding.fix.Replace(older.range(), needed_call_);
    findings.push_back(std::move(finding));
  }

  /// The method that stands in the body of the class itself, or a null node.
  static Node MethodOf(Node definition, std::string_view name) {
    for (Node statement : NamedChildren(definition.Child(Field::kBody))) {
      if (statement.Is(NodeKind::kDecoratedDefinition)) statement = LastNamedChild(statement);
      if (statement.Is(NodeKind::kFunctionDefinition) &&
          statement.Child(Field::kName).text() == name) {
        return statement;
      }
    }
    return {};
  }

  /// `_tied_weights_keys = ["lm_head.weight"]`, or a null node.
  Node ListGivenTo(Node definition) const {
    for (const Node statement : NamedChildren(definition.Child(Field::kBody))) {
      const Node assignment =
          statement.Is(NodeKind::kExpressionStatement) ? statement.first_named_child() : statement;
      if (!assignment.Is(NodeKind::kAssignment) ||
          assignment.Child(Field::kLeft).text() != list_attribute_) {
        continue;
      }
      const Node value = assignment.Child(Field::kRight);
      const bool is_list = value.Is(NodeKind::kList) || value.Is(NodeKind::kTuple);
      return is_list && value.first_named_child() ? assignment : Node();
    }
    return {};
  }

  /// Of the bases that the class names itself: the library's own classes do what is needed in
  /// their constructors, only the class below them all leaves it to others.
  bool HasItAsBase(Node definition, const FileContext& file) const {
    return AnyBase(definition, file, [&](const QualifiedName& name) {
      return !name.local && FirstPart(name.name) == package_ && name.name.ends_with(ending_);
    });
  }

  /// Itself or through other classes of the project.
  bool DerivesFromIt(Node definition, const FileContext& file) const {
    const auto is_it = [&](std::string_view name) { return FirstPart(name) == package_; };
    return AnyBase(definition, file, [&](const QualifiedName& name) {
      if (!name.local && is_it(name.name)) return true;
      if (file.project() == nullptr) return false;
      return std::ranges::any_of(file.project()->OutsideBasesOf(file.source().path(), name.name),
                                 is_it);
    });
  }

  template <typename Test>
  static bool AnyBase(Node definition, const FileContext& file, const Test& test) {
    const Node bases = definition.Child(Field::kSuperclasses);
    return bases && std::ranges::any_of(NamedChildren(bases), [&](Node base) {
             return std::ranges::any_of(file.names().Resolve(base), test);
           });
  }

  /// True if the project calls a maker of the class, `Model.from_pretrained(path)`, or hands the
  /// class to one: `AutoModel.register(Config, Model)`.
  bool IsMade(Node definition, const FileContext& file) const {
    const std::string_view name = definition.Child(Field::kName).text();
    if (IsMadeIn(file.tree(), name)) return true;
    if (file.project() == nullptr) return false;
    return std::ranges::any_of(file.project()->FilesSpelling(name), [&](const std::string& path) {
      if (path == file.source().path()) return false;
      const std::shared_ptr<const OpenedFile> other = file.project()->Open(path);
      return other != nullptr && IsMadeIn(other->tree(), name);
    });
  }

  bool IsMadeIn(const SyntaxTree& tree, std::string_view name) const {
    return std::ranges::any_of(NodesIn(tree), [&](Node call) {
      const Node callee = call.Is(NodeKind::kCall) ? call.Child(Field::kFunction) : Node();
      if (!callee.Is(NodeKind::kAttribute) ||
          !IsOneOf(callee.Child(Field::kAttribute).text(), makers_)) {
        return false;
      }
      if (LastPart(callee.Child(Field::kObject).text()) == name) return true;
      return std::ranges::any_of(NamedChildren(call.Child(Field::kArguments)),
                                 [&](Node argument) { return LastPart(argument.text()) == name; });
    });
  }

  std::string package_;
  std::string ending_;
  std::string needed_call_;
  std::string older_call_;
  std::string or_sets_;
  std::vector<std::string> makers_;
  std::string list_attribute_;
};

Result<std::unique_ptr<Rule>> MakeDerivedClassReportRule(RuleHeader header, const Fields& fields) {
  if (fields.Has("needed_call") == fields.Has("list_attribute")) {
    return BadRule(Say("one of needed_call and list_attribute is needed",
                       "须有 needed_call 或 list_attribute 之一"));
  }
  return MakeRule<DerivedClassReportRule>(std::move(header), fields);
}

}  // namespace

RuleKind DerivedClassReportRuleKind() {
  return {"DerivedClassReportRule",
          "Reports classes of the project that derive from one of a library and lack what it now "
          "expects of them; the rule's why is the message.",
          {{"package", FieldType::kString, true, "The library: transformers."},
           {"base_ending", FieldType::kString, false,
            "Of needed_call: how the names of the bases end, which leave the call to the class: "
            "PreTrainedModel."},
           {"needed_call", FieldType::kString, false,
            "A method that the constructor of the class has to call: post_init."},
           {"older_call", FieldType::kString, false,
            "Of needed_call: a method that constructors called before it was there, and that it "
            "calls: it is written in its place."},
           {"or_sets", FieldType::kString, false,
            "Of needed_call: an attribute with which the constructor needs no call."},
           {"makers", FieldType::kStringList, false,
            "Of needed_call: methods that fail without it: only classes are meant of which the "
            "project calls one, or that it hands to one: from_pretrained, register."},
           {"list_attribute", FieldType::kString, false,
            "An attribute of the class, only where its body gives it a list."},
           {"source", FieldType::kString, false, "Where this is documented."}},
          MakeDerivedClassReportRule};
}

}  // namespace transplt
