// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/adapter_imports.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/migrate/inserted_statements.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

bool IsBelow(std::string_view target, std::string_view package) {
  return target.substr(0, target.find('.')) == package;
}

bool IsOfAdapter(std::string_view target) {
  return std::ranges::any_of(Words("adapter-modules").words(), [&](std::string_view module) {
    return IsBelow(target, module.substr(0, module.find('.')));
  });
}

/// The statement of `scope` itself that holds `statement`: an import in a `try` may not run.
Node StatementOfScope(Node statement, uint32_t scope, const FileContext& file) {
  const Node holder = file.names().ScopeNode(scope);
  Node body = holder.Is(NodeKind::kModule) ? holder : holder.Child(Field::kBody);
  Node node = statement;
  while (node.parent() && !(node.parent() == body)) node = node.parent();
  return node.parent() ? node : statement;
}

class AdapterImporter {
 public:
  AdapterImporter(const FileContext& file, const EditList& edits)
      : file_(file),
        edits_(edits),
        module_(Words("adapter-modules").words()[file.InstalledTensorflow() == 1 ? 0 : 1]) {
    const std::vector<std::string>& stars = file.names().star_imports();
    has_star_ = std::ranges::any_of(
        stars, [](const std::string& module) { return Words("adapter-modules").Has(module); });
  }

  void Add(const Finding& finding) {
    if (finding.needs_adapter.empty()) return;
    const NameTable& names = file_.names();
    Node import = FirstImport(0);
    uint32_t scope = 0;
    if (!import) {
      scope = names.ScopeOf(file_.tree().NodeAt(finding.range));
      while (scope != 0 && !(import = FirstImport(scope))) scope = names.ParentScope(scope);
    }
    Wanted& wanted = wanted_[import ? import.range().start : 0];
    wanted.statement = import;
    for (const std::string& name : finding.needs_adapter) {
      const bool is_statement = name.find_first_of(" (") != std::string::npos;
      if (is_statement) {
        if (!IsWritten(name)) wanted.statements.emplace(name, finding.rule_id);
      } else if (!has_star_ && !Has(name, scope)) {
        wanted.names.insert(name);
      }
    }
  }

  std::vector<Finding> Findings() const {
    InsertedStatements insertions(file_, TopOfCode(file_.tree().root()), false);
    for (const auto& [offset, wanted] : wanted_) {
      for (const auto& [text, rule] : wanted.statements) {
        if (IsImport(text)) insertions.At(wanted.statement, text, rule);
      }
      for (const std::string& text : ImportsOf(wanted)) {
        insertions.At(wanted.statement, text, std::string(kRule));
      }
      for (const auto& [text, rule] : wanted.statements) {
        if (!IsImport(text)) insertions.At(wanted.statement, text, rule);
      }
    }
    return insertions.Findings();
  }

 private:
  static constexpr std::string_view kRule = "tf.import-adapter";

  /// What is written at one place.
  struct Wanted {
    Node statement;  // the import of TensorFlow that it follows
    std::set<std::string> names;
    std::map<std::string, std::string> statements;  // with the rule that needs it
  };

  std::string Package() const { return std::string(module_.substr(0, module_.find('.'))); }

  static bool IsImport(const std::string& statement) {
    return statement.starts_with("import ") || statement.starts_with("from ");
  }

  std::vector<std::string> ImportsOf(const Wanted& wanted) const {
    if (wanted.names.empty()) return {};
    std::vector<std::string> texts;
    std::string list;
    for (const std::string& name : wanted.names) list += (list.empty() ? "" : ", ") + name;
    const bool is_compatible = module_ == Words("adapter-modules").words()[1];
    if (is_compatible) texts.push_back("import " + Package());
    texts.push_back(fmt::format("from {} import {}", module_, list));
    if (is_compatible) texts.push_back(Package() + ".compat.enable_v1()");
    return texts;
  }

  /// The first statement of the scope that imports TensorFlow, with the `try` around it.
  Node FirstImport(uint32_t scope) const {
    for (std::string_view package : {"tensorflow", "keras", "tf_slim", "horovod"}) {
      for (const Binding& binding : file_.names().bindings()) {
        if (binding.scope == scope && binding.kind == BindingKind::kImport &&
            IsBelow(binding.target, package)) {
          return StatementOfScope(binding.statement, scope, file_);
        }
      }
    }
    return {};
  }

  /// True if the statement is in the file, or another edit writes it.
  bool IsWritten(const std::string& statement) const {
    return HasPart(file_.source().bytes(), statement) ||
           std::ranges::any_of(edits_.edits(), [&](const EditList::Accepted& accepted) {
             return HasPart(accepted.edit.text, statement);
           });
  }

  bool Has(const std::string& name, uint32_t scope) const {
    return std::ranges::any_of(file_.names().bindings(), [&](const Binding& binding) {
      return binding.name == name && binding.kind == BindingKind::kImport &&
             (binding.scope == scope || binding.scope == 0) && IsOfAdapter(binding.target);
    });
  }

  const FileContext& file_;
  const EditList& edits_;
  const std::string_view module_;
  bool has_star_ = false;
  std::map<uint32_t, Wanted> wanted_;  // by the place of the import of TensorFlow
};

}  // namespace

Findings AdapterImports(const FileContext& file, const Findings& accepted, const Findings& others,
                        const EditList& edits) {
  const auto needs_some = [](const Finding& finding) { return !finding.needs_adapter.empty(); };
  if (others.empty() && std::ranges::none_of(accepted, needs_some)) return {};
  AdapterImporter importer(file, edits);
  for (const Finding& finding : accepted) importer.Add(finding);
  for (const Finding& finding : others) importer.Add(finding);
  return importer.Findings();
}

}  // namespace transplt
