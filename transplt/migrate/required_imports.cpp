// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/required_imports.h"

#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/import_closure.h"
#include "transplt/migrate/inserted_statements.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

bool IsPackageOrBelow(std::string_view target, std::string_view package) {
  return target.starts_with(package) &&
         (target.size() == package.size() || target[package.size()] == '.');
}

/// An import that never runs: below `if TYPE_CHECKING:`.
bool IsForTypeCheckers(Node statement) {
  for (Node node = statement.parent(); node; node = node.parent()) {
    if (node.Is(NodeKind::kIfStatement) &&
        HasPart(node.Child(Field::kCondition).text(), "TYPE_CHECKING")) {
      return true;
    }
  }
  return false;
}

class NpuImports {
 public:
  NpuImports(const FileContext& file, const EditList& edits, bool guard)
      : file_(file), edits_(edits), package_(file.apis().target().package), guard_(guard) {
    for (const Binding& binding : file.names().bindings()) {
      if (binding.kind != BindingKind::kImport || IsForTypeCheckers(binding.statement)) continue;
      if (IsPackageOrBelow(binding.target, "torch")) torch_.push_back(&binding);
      if (!package_.empty() && IsPackageOrBelow(binding.target, package_)) npu_.push_back(&binding);
    }
    top_ = FirstTorchImport(0);
    const bool is_lonely = torch_.empty() && npu_.empty();
    lonely_entry_ = is_lonely && IsEntry() && !ImportsPythonAlone(file.names(), file.project());
    lonely_demo_ = is_lonely && !lonely_entry_ && ActsWhenLoaded() && !ImportsFromProject();
  }

  /// The import statement of torch behind which a use at `range` needs the import, or null.
  Node StatementFor(const Finding& finding) const {
    if (top_) return HasNpu(0, finding) ? Node() : top_;
    const NameTable& names = file_.names();
    uint32_t scope = names.ScopeOf(file_.tree().NodeAt(finding.range));
    for (; scope != 0; scope = names.ParentScope(scope)) {
      if (HasNpu(scope, finding)) return {};
      if (Node local = FirstTorchImport(scope)) return local;
    }
    return {};
  }

  /// The import statement of torch or torch_npu at module level behind which others are written,
  /// or null.
  Node TopStatement() const {
    for (const Binding* binding : npu_) {
      if (binding->scope == 0) return binding->statement;
    }
    return top_;
  }

  bool HasNpuAtTop() const {
    return std::ranges::any_of(npu_, [](const Binding* b) { return b->scope == 0; });
  }

  bool BindsPackage() const {
    return std::ranges::any_of(npu_, [&](const Binding* binding) {
      return binding->scope == 0 && binding->name == package_;
    });
  }

  /// True for a file that is run itself: one that asks for its name, or that trains when it is
  /// loaded.
  bool IsEntry() const {
    const Node root = file_.tree().root();
    for (const Node statement : NamedChildren(root)) {
      if (!statement.Is(NodeKind::kIfStatement)) continue;
      const std::string_view condition = statement.Child(Field::kCondition).text();
      if (HasPart(condition, "__name__")) return true;
    }
    return false;
  }

  /// True if the module itself does more than to define and to set up: a script without a question
  /// for its name, as demos are.
  bool ActsWhenLoaded() const {
    const Node root = file_.tree().root();
    for (const Node statement : NamedChildren(root)) {
      if (!statement.Is(NodeKind::kExpressionStatement) ||
          !statement.first_named_child().Is(NodeKind::kCall)) {
        continue;
      }
      const std::string_view text = statement.text();
      if (!Words("set-up-calls").Has(text)) {
        return true;
      }
    }
    return false;
  }

  /// Whose modules load torch_npu themselves where they need it.
  bool ImportsFromProject() const {
    if (file_.project() == nullptr) return false;
    return std::ranges::any_of(file_.names().bindings(), [&](const Binding& binding) {
      if (binding.kind != BindingKind::kImport) return false;
      const std::string_view target = binding.target;
      const auto is_file = [&](std::string_view module) {
        return !file_.project()->FileOfModule(file_.source().path(), module).empty();
      };
      const size_t dot = target.rfind('.');
      return is_file(target) || (dot != target.npos && is_file(target.substr(0, dot)));
    });
  }

  /// True if the module itself calls backward(): a script or a notebook.
  bool TrainsAtModuleLevel() const {
    for (const Node node : NodesIn(file_.tree())) {
      if (node.Is(NodeKind::kAttribute) && node.field() == Field::kFunction &&
          node.Child(Field::kAttribute).text() == "backward" && file_.names().ScopeOf(node) == 0) {
        return true;
      }
    }
    return false;
  }

  /// True in a script that imports no torch and moves a model to the NPU: `pipe.to("npu")`.
  bool MovesInDemo(const Finding& finding) const {
    if (!lonely_demo_) return false;
    if (finding.rule_id == ".cuda") return true;
    for (Node up = file_.tree().NodeAt(finding.range); up; up = up.parent()) {
      if (!up.Is(NodeKind::kCall)) continue;
      return up.Child(Field::kFunction).Child(Field::kAttribute).text() == "to";
    }
    return false;
  }

  /// True for a script that is run itself and imports libraries, but no torch: nobody else loads
  /// torch_npu.
  bool IsLonelyEntry() const { return lonely_entry_; }

  /// True if a fix writes `torch_npu.x` where nothing binds that name.
  bool NeedsBinding(const Finding& finding) const {
    const bool spelled = std::ranges::any_of(
        finding.fix.edits, [&](const Edit& e) { return e.text.starts_with(package_ + "."); });
    return spelled && !IsImport(finding) && !BindsPackage();
  }

  bool WritesPackage(const Finding& finding) const {
    return std::ranges::any_of(finding.fix.edits,
                               [&](const Edit& edit) { return HasPart(edit.text, package_); });
  }

 private:
  static bool IsImport(const Finding& finding) {
    return std::ranges::any_of(finding.fix.edits,
                               [](const Edit& e) { return HasPart(e.text, "import "); });
  }

  /// Unconditional imports go first: what stands in a branch may not run.
  Node FirstTorchImport(uint32_t scope) const {
    Node conditional;
    for (const Binding* binding : torch_) {
      if (binding->scope != scope) continue;
      const Node holder = binding->statement.parent();
      if (holder.Is(NodeKind::kModule) ||
          (holder.Is(NodeKind::kBlock) && holder.parent() == file_.names().ScopeNode(scope))) {
        return binding->statement;
      }
      if (!conditional) conditional = binding->statement;
    }
    if (scope == 0 && !conditional) return StarImportOfTorch();
    return conditional;
  }

  /// `from torch import *` binds no name that could be asked for.
  Node StarImportOfTorch() const {
    const Node root = file_.tree().root();
    for (const Node statement : NamedChildren(root)) {
      if (statement.Is(NodeKind::kImportFromStatement) &&
          IsPackageOrBelow(file_.names().ModuleOf(statement), "torch")) {
        return statement;
      }
    }
    return {};
  }

  /// True if torch_npu is loaded in `scope` already, or by what the fixes write there.
  bool HasNpu(uint32_t scope, const Finding& finding) const {
    if (NeedsBinding(finding)) return false;
    const bool imported =
        std::ranges::any_of(npu_, [&](const Binding* b) { return b->scope == scope; });
    // Where imports are tried, one that fails loads nothing.
    if (imported || guard_) return imported;
    return std::ranges::any_of(torch_, [&](const Binding* b) {
      return b->scope == scope && WritesPackage(b->statement) &&
             Precedes(b->statement, scope, finding);
    });
  }

  /// True if `statement` always runs, and before what `finding` is about.
  bool Precedes(Node statement, uint32_t scope, const Finding& finding) const {
    const Node holder = statement.parent();
    const bool always =
        holder.Is(NodeKind::kModule) ||
        (holder.Is(NodeKind::kBlock) && holder.parent() == file_.names().ScopeNode(scope));
    if (!always) return false;
    const bool same = file_.names().ScopeOf(file_.tree().NodeAt(finding.range)) == scope;
    return !same || statement.range().start <= finding.range.start;
  }

  bool WritesPackage(Node statement) const {
    const TextRange range = statement.range();
    const uint32_t behind = StatementPlace(statement, file_.source()).insertion();
    const auto end = edits_.edits().end();
    auto accepted = edits_.From(range.start);
    for (; accepted != end && accepted->edit.range.start <= behind; ++accepted) {
      const TextRange edit = accepted->edit.range;
      const bool is_its = range.Contains(edit) || edit.start == behind;
      if (is_its && HasPart(accepted->edit.text, package_)) return true;
    }
    return false;
  }

  const FileContext& file_;
  const EditList& edits_;
  const std::string package_;  // that the target needs
  const bool guard_;
  std::vector<const Binding*> torch_;  // imports of torch that run
  std::vector<const Binding*> npu_;    // imports of torch_npu that run
  Node top_;                           // the first import of torch at module level
  bool lonely_entry_ = false;
  bool lonely_demo_ = false;
};

/// True if the file has this statement, at whatever depth: in a `try`, say.
bool HasAnywhere(const FileContext& file, std::string_view text) {
  for (const Node node : NodesIn(file.tree())) {
    if (node.Is(NodeKind::kExpressionStatement) && node.text() == text) return true;
  }
  return false;
}

/// True if the file has this statement in front of `end` at module level.
bool Has(const FileContext& file, std::string_view statement_text, uint32_t end) {
  const Node root = file.tree().root();
  for (const Node statement : NamedChildren(root)) {
    if (statement.range().start < end && statement.text() == statement_text) return true;
  }
  return false;
}

/// The last of the import statements that follow `first` without another statement between them.
Node LastImport(Node first) {
  Node last = first;
  for (Node next = first; next; next = next.next_named_sibling()) {
    if (!next.Is(NodeKind::kImportStatement) && !next.Is(NodeKind::kImportFromStatement)) break;
    last = next;
  }
  return last;
}

/// True if an edit inserts something at this place: another insertion there would conflict.
bool IsTaken(uint32_t offset, const EditList& edits) {
  return std::ranges::any_of(edits.edits(), [&](const EditList::Accepted& accepted) {
    return accepted.edit.range.start == offset && accepted.edit.range.end == offset;
  });
}

bool IsWanted(const NpuPreamble& preamble, const FileContext& file, const NpuImports& imports,
              const Findings& accepted) {
  const bool is_asked_for =
      preamble.for_rule.empty() || std::ranges::any_of(accepted, [&](const Finding& f) {
        return f.rule_id == preamble.for_rule;
      });
  if (!is_asked_for || HasAnywhere(file, preamble.statements.back())) return false;
  return !preamble.entry_only || imports.IsEntry() || imports.TrainsAtModuleLevel();
}

void AddPreambles(const FileContext& file, const NpuImports& imports, const Findings& accepted,
                  bool uses_npu, const AddedStatements& added, InsertedStatements& insertions) {
  const Node top = imports.TopStatement();
  if (!top && (!uses_npu || !imports.IsLonelyEntry())) return;
  Node statement = top;
  if (top && top.parent().Is(NodeKind::kModule)) statement = LastImport(top);
  const std::string statement_of_package = "import " + file.apis().target().package;
  for (const NpuPreamble* preamble : added.preambles) {
    // An entry may leave it to the modules that it imports to use the NPU.
    if (!uses_npu && !preamble->entry_only) continue;
    if (!IsWanted(*preamble, file, imports, accepted)) continue;
    if (!imports.BindsPackage()) insertions.At(top, statement_of_package, preamble->rule_id);
    for (const std::string& text : preamble->statements) {
      if (added.guard && !imports.HasNpuAtTop()) {
        insertions.InTry(top, text);
      } else if (!top || !text.starts_with("import ") || !Has(file, text, statement.range().end)) {
        insertions.At(statement, text, preamble->rule_id);
      }
    }
  }
}

}  // namespace

Findings RequiredImports(const FileContext& file, const Findings& accepted, const EditList& edits,
                         const AddedStatements& added) {
  const std::string& package = file.apis().target().package;
  const std::string statement_of_package = "import " + package;
  const NpuImports imports(file, edits, added.guard);
  InsertedStatements insertions(file, TopOfCode(file.tree().root()), added.guard);
  bool uses_npu = imports.HasNpuAtTop();
  for (const Finding& finding : accepted) {
    if (package.empty() || !added.npu) break;
    uses_npu = uses_npu || finding.needs_device_import || imports.WritesPackage(finding);
    if (!finding.needs_device_import) continue;
    const Node statement = imports.StatementFor(finding);
    if (statement || imports.NeedsBinding(finding) || imports.IsLonelyEntry() ||
        imports.MovesInDemo(finding)) {
      insertions.At(statement, statement_of_package, finding.rule_id);
    }
  }
  for (const Finding& finding : accepted) {
    if (finding.needs_import.empty() || Has(file, finding.needs_import, UINT32_MAX)) continue;
    const Node top = imports.TopStatement();
    const bool is_taken = top && IsTaken(StatementPlace(top, file.source()).insertion(), edits);
    insertions.At(is_taken ? Node() : top, finding.needs_import, finding.rule_id);
  }
  if (added.npu) AddPreambles(file, imports, accepted, uses_npu, added, insertions);
  return insertions.Findings();
}

}  // namespace transplt
