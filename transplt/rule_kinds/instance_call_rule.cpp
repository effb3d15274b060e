// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/engine/file_context.h"
#include "transplt/python/dotted_name.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Reports a method of a class that a library now calls without an object, where the method takes
/// one and the project still calls objects of the class: `Corr(4)(x)` and `class Corr(Function):
/// def forward(self, x)`.
class InstanceCallRule : public Rule {
 public:
  InstanceCallRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)), bases_(fields.List("bases")), method_(fields.String("method")) {}

  std::vector<Trigger> triggers() const override {
    return {{NodeKind::kFunctionDefinition, method_}};
  }

  WordSets required_words() const override {
    WordSets words;
    for (const std::string& base : bases_) {
      words.push_back({std::string(LastPart(base)), method_});
    }
    return words;
  }

  void Check(Node function, const FileContext& file, Findings& findings) const override {
    const Node definition = file.classes().EnclosingClass(function);
    if (!definition || function.parent() != definition.Child(Field::kBody)) return;
    if (!DerivesFromBase(definition, file) || IsMadeStatic(definition)) return;
    if (!IsCalled(definition, file)) return;
    findings.push_back(Row(function.Child(Field::kName).range(), header().why));
  }

 private:
  bool DerivesFromBase(Node definition, const FileContext& file) const {
    return std::ranges::any_of(
        NamedChildren(definition.Child(Field::kSuperclasses)), [&](Node base) {
          return std::ranges::any_of(file.names().Resolve(base), [&](const QualifiedName& name) {
            return !name.local && IsOneOf(name.name, bases_);
          });
        });
  }

  /// `forward = staticmethod(forward)` behind the method.
  bool IsMadeStatic(Node definition) const {
    return std::ranges::any_of(NodesIn(definition.Child(Field::kBody)), [&](Node node) {
      return node.Is(NodeKind::kAssignment) && node.Child(Field::kLeft).text() == method_;
    });
  }

  /// True if the file, or another one that gets the class from it, calls an object of the class.
  static bool IsCalled(Node definition, const FileContext& file) {
    const std::string_view name = definition.Child(Field::kName).text();
    if (CallsObject(file.tree(), name)) return true;
    const ProjectIndex* project = file.project();
    if (project == nullptr) return false;
    const std::string& own = file.source().path();
    if (!project->IsImportedElsewhere(own, name)) return false;
    return std::ranges::any_of(project->FilesCalling(name), [&](const std::string& path) {
      if (path == own) return false;
      const std::shared_ptr<const OpenedFile> other = project->Open(path);
      return other != nullptr && CallsObject(other->tree(), name);
    });
  }

  /// `Corr(4)(x)`, or `self.corr = Corr(4)` and `self.corr(x)`.
  static bool CallsObject(const SyntaxTree& tree, std::string_view name) {
    std::set<std::string_view> kept;  // what objects are assigned to
    std::set<std::string_view> called;
    for (const Node call : NodesIn(tree)) {
      if (!call.Is(NodeKind::kCall)) continue;
      const std::string_view callee = call.Child(Field::kFunction).text();
      called.insert(callee);
      if (LastPart(callee) != name) continue;
      const Node parent = call.parent();
      if (parent.Is(NodeKind::kCall) && call.field() == Field::kFunction) return true;
      if (parent.Is(NodeKind::kAssignment) && call.field() == Field::kRight) {
        kept.insert(parent.Child(Field::kLeft).text());
      }
    }
    return std::ranges::any_of(kept, [&](std::string_view one) { return called.contains(one); });
  }

  std::vector<std::string> bases_;
  std::string method_;
};

}  // namespace

RuleKind InstanceCallRuleKind() {
  return {"InstanceCallRule",
          "Reports a method that is no static one, of a class that derives from a class of a "
          "library, where the project calls an object of that class; the rule's why is the "
          "message.",
          {{"bases", FieldType::kStringList, true,
            "The full names of the class of the library: torch.autograd.Function."},
           {"method", FieldType::kString, true, "The method: forward."},
           {"source", FieldType::kString, false, "Where this is documented."}},
          MakeRule<InstanceCallRule>};
}

}  // namespace transplt
