// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "transplt/base/text_parts.h"
#include "transplt/engine/file_context.h"
#include "transplt/python/arguments.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/removed_names.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Reports the names of a package that its release has no longer: each as an ApiReportRule would.
class RemovedNamesReportRule : public Rule {
 public:
  RemovedNamesReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        package_(fields.String("package")),
        is_common_(fields.Boolean("common", false)) {}

  std::vector<Trigger> triggers() const override {
    return {{NodeKind::kImportStatement, package_}, {NodeKind::kImportFromStatement, package_}};
  }

  WordSets required_words() const override {
    if (!is_common_) return {{package_}};
    WordSets words;
    for (const RemovedName& removed : RemovedNamesOf(package_)) {
      std::vector<std::string>& needed = words.emplace_back();
      needed.push_back(package_);
      needed.emplace_back(LastPart(removed.api()));
      if (!removed.argument().empty()) needed.emplace_back(removed.argument());
    }
    return words;
  }
  WordSets setting_words() const override { return {}; }

  void Check(Node statement, const FileContext& file, Findings& findings) const override {
    const bool from = statement.Is(NodeKind::kImportFromStatement);
    const std::string module = from ? file.names().ModuleOf(statement) : "";
    for (const Node item : NamedChildren(statement)) {
      if (item.field() != Field::kName) continue;
      const bool has_alias = item.Is(NodeKind::kAliasedImport);
      const Node name = has_alias ? item.Child(Field::kName) : item;
      const std::string imported =
          from ? MemberName(module, name.text()) : std::string(name.text());
      if (FirstPart(imported) != package_) continue;
      if (const RemovedName* removed = Find(imported)) {
        Report(*removed, statement, file, findings);
        if (from && module.starts_with(removed->name)) return;  // the row is about the module
        continue;
      }
      CheckUses(has_alias ? item.Child(Field::kAlias) : name.first_named_child(), statement, file,
                findings);
    }
  }

 private:
  const RemovedName* Find(std::string_view name) const {
    return FindRemovedName(name, header().library_version);
  }

  /// `nx.from_numpy_matrix` of `import networkx as nx`, `f1_score(multiclass=True)`.
  void CheckUses(Node bound, Node statement, const FileContext& file, Findings& findings) const {
    for (const Node use : file.NodesSaying(bound.text())) {
      if (!use.Is(NodeKind::kIdentifier) || !IsMeaningOf(statement, use, file)) continue;
      Node name = use;
      while (name.field() == Field::kObject && name.parent().Is(NodeKind::kAttribute)) {
        name = name.parent();
        if (CheckAttribute(name, file, findings)) break;
      }
      if (name.field() == Field::kFunction) CheckArguments(name, file, findings);
    }
  }

  /// True if there is something to say.
  bool CheckAttribute(Node name, const FileContext& file, Findings& findings) const {
    const std::vector<QualifiedName> meanings = file.names().Resolve(name);
    const RemovedName* removed = meanings.empty() ? nullptr : Find(meanings.front().name);
    if (removed != nullptr) Report(*removed, name, file, findings);
    return removed != nullptr;
  }

  void CheckArguments(Node callee, const FileContext& file, Findings& findings) const {
    const std::vector<QualifiedName> meanings = file.names().Resolve(callee);
    if (meanings.empty()) return;
    for (const Argument& argument : ArgumentsOf(callee.parent())) {
      if (argument.keyword.empty()) continue;
      const std::string row = fmt::format("{}({})", meanings.front().name, argument.keyword);
      const RemovedName* removed = Find(row);
      if (removed != nullptr) Report(*removed, callee.parent(), file, findings);
    }
  }

  /// True if `statement` is the first import that gives `use` its meaning.
  static bool IsMeaningOf(Node statement, Node use, const FileContext& file) {
    if (IsInImport(use)) return false;
    for (const Binding* binding : file.names().BindingsOf(use)) {
      if (binding->kind == BindingKind::kImport) return binding->statement == statement;
    }
    return false;
  }

  void Report(const RemovedName& removed, Node node, const FileContext& file,
              Findings& findings) const {
    RuleHeader about = header();
    about.why = Say("{} {} took it away", "{} {} 已移除", removed.library, removed.since);
    const Text take =
        removed.instead.empty()
            ? removed.argument().empty()
                  ? Say(": write it yourself, as it is in older releases", "：请参照旧版本自行实现")
                  : Say(": leave it out, or do by hand what it did",
                        "：请去除该参数，或自行实现其作用")
            : Say(": take {}", "：请使用 {}", removed.instead);
    about.why.en += take.en;
    about.why.zh += take.zh;
    Fields fields;
    const std::string_view argument = removed.argument();
    fields.Set("name", std::string(removed.api()));
    if (!argument.empty()) fields.Set("keyword", std::string(argument));
    fields.Set("status", std::string("advice"));
    fields.Set("removed", true);
    const Result<std::unique_ptr<Rule>> rule = ApiReportRuleKind().make(std::move(about), fields);
    (*rule)->Check(node, file, findings);
  }

  std::string package_;
  bool is_common_;
};

}  // namespace

RuleKind RemovedNamesReportRuleKind() {
  return {"RemovedNamesReportRule",
          "Reports each use of a name that releases of a package took away, by "
          "rules/removed_names.csv, for the release that the project gets.",
          {{"package", FieldType::kDottedName, true, "What programs import."},
           {"common", FieldType::kBoolean, false,
            "Most files import it: only those are looked at that spell one of the names."},
           {"source", FieldType::kString, false, "Where this is documented."}},
          MakeRule<RemovedNamesReportRule>};
}

}  // namespace transplt
