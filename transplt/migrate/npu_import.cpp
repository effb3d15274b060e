// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/npu_import.h"

#include <algorithm>
#include <set>

#include "transplt/engine/statement.h"

namespace transplt {
namespace {

constexpr std::string_view kPackage = "torch_npu";

bool IsOfPackage(std::string_view target, std::string_view package) {
  return target.starts_with(package) &&
         (target.size() == package.size() || target[package.size()] == '.');
}

/// An import that never runs: below `if TYPE_CHECKING:`.
bool IsForTypeCheckers(Node statement) {
  for (Node node = statement.parent(); node; node = node.parent()) {
    if (node.Is(NodeKind::kIfStatement) &&
        node.Child(Field::kCondition).text().find("TYPE_CHECKING") != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

class NpuImports {
 public:
  NpuImports(const FileContext& file, const EditList& edits) : file_(file), edits_(edits) {
    for (const Binding& binding : file.names().bindings()) {
      if (binding.kind != BindingKind::kImport || IsForTypeCheckers(binding.statement)) continue;
      if (IsOfPackage(binding.target, "torch")) torch_.push_back(&binding);
      if (IsOfPackage(binding.target, kPackage)) npu_.push_back(&binding);
    }
    top_ = FirstTorchImport(0);
    lonely_entry_ = torch_.empty() && npu_.empty() && IsEntry();
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

  /// True for a script that is run itself and imports no torch: nobody else loads torch_npu.
  bool IsLonelyEntry() const { return lonely_entry_; }

  /// True if a fix writes `torch_npu.x` where nothing binds that name.
  bool NeedsBinding(const Finding& finding) const {
    const bool spelled =
        std::any_of(finding.fix.edits.begin(), finding.fix.edits.end(),
                    [](const Edit& e) { return e.text.starts_with("torch_npu."); });
    return spelled && !IsImport(finding) && !BindsPackage();
  }

  /// Where the package is imported in a file without an import of torch: before its first import.
  uint32_t Top(std::string* text) const {
    Node first;
    const Node root = file_.tree().root();
    for (Node statement = root.first_named_child(); statement;
         statement = statement.next_named_sibling()) {
      const bool prose = statement.Is(NodeKind::kExpressionStatement) &&
                         statement.first_named_child().Is(NodeKind::kString);
      if (prose || statement.Is(NodeKind::kFutureImportStatement)) continue;
      first = statement;
      break;
    }
    const uint32_t offset = first ? first.range().start : root.range().end;
    *text = "import torch_npu" + std::string(file_.source().LineEndAt(offset));
    return offset;
  }

 private:
  bool IsEntry() const {
    const Node root = file_.tree().root();
    for (Node statement = root.first_named_child(); statement;
         statement = statement.next_named_sibling()) {
      if (!statement.Is(NodeKind::kIfStatement)) continue;
      const std::string_view condition = statement.Child(Field::kCondition).text();
      if (condition.find("__name__") != std::string_view::npos) return true;
    }
    return false;
  }

  static bool IsImport(const Finding& finding) {
    return std::any_of(finding.fix.edits.begin(), finding.fix.edits.end(),
                       [](const Edit& e) { return e.text.find("import ") != std::string::npos; });
  }

  bool BindsPackage() const {
    return std::any_of(npu_.begin(), npu_.end(), [](const Binding* binding) {
      return binding->scope == 0 && binding->name == kPackage;
    });
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
    for (Node statement = root.first_named_child(); statement;
         statement = statement.next_named_sibling()) {
      if (statement.Is(NodeKind::kImportFromStatement) &&
          IsOfPackage(file_.names().ModuleOf(statement), "torch")) {
        return statement;
      }
    }
    return {};
  }

  /// True if torch_npu is loaded in `scope` already, or by what the fixes write there.
  bool HasNpu(uint32_t scope, const Finding& finding) const {
    if (NeedsBinding(finding)) return false;
    const bool imported =
        std::any_of(npu_.begin(), npu_.end(), [&](const Binding* b) { return b->scope == scope; });
    return imported || std::any_of(torch_.begin(), torch_.end(), [&](const Binding* b) {
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
    const StatementPlace place(statement, file_.source());
    return std::any_of(
        edits_.edits().begin(), edits_.edits().end(), [&](const EditList::Accepted& accepted) {
          const TextRange edit = accepted.edit.range;
          const bool inside = range.Contains(edit) || edit.start == place.insertion();
          return inside && accepted.edit.text.find(kPackage) != std::string::npos;
        });
  }

  const FileContext& file_;
  const EditList& edits_;
  std::vector<const Binding*> torch_;  // imports of torch that run
  std::vector<const Binding*> npu_;    // imports of torch_npu that run
  Node top_;                           // the first import of torch at module level
  bool lonely_entry_ = false;
};

Finding Import(TextRange place, std::string text) {
  Finding finding;
  finding.range = place;
  finding.rule_id = "import-torch-npu";
  finding.operation = Operation::kInsert;
  finding.message = Say("import torch_npu", "导入 torch_npu");
  finding.fix.edits.push_back({place, std::move(text)});
  return finding;
}

}  // namespace

std::vector<Finding> RequiredNpuImports(const FileContext& file,
                                        const std::vector<Finding>& accepted,
                                        const EditList& edits) {
  const NpuImports imports(file, edits);
  std::vector<Finding> result;
  std::set<uint32_t> places;
  for (const Finding& finding : accepted) {
    if (!finding.needs_npu_import) continue;
    if (const Node statement = imports.StatementFor(finding)) {
      const StatementPlace place(statement, file.source());
      if (places.insert(place.insertion()).second) {
        result.push_back(
            Import({place.insertion(), place.insertion()}, place.Join("import torch_npu")));
      }
    } else if (imports.NeedsBinding(finding) || imports.IsLonelyEntry()) {
      std::string text;
      const uint32_t offset = imports.Top(&text);
      if (places.insert(offset).second) result.push_back(Import({offset, offset}, text));
    }
  }
  return result;
}

}  // namespace transplt
