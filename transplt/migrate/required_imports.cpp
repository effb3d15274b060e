// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/required_imports.h"

#include <algorithm>
#include <map>
#include <optional>

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
  NpuImports(const FileContext& file, const EditList& edits, bool guard)
      : file_(file), edits_(edits), guard_(guard) {
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

  /// The import statement of torch or torch_npu at module level behind which others are written,
  /// or null.
  Node TopStatement() const {
    for (const Binding* binding : npu_) {
      if (binding->scope == 0) return binding->statement;
    }
    return top_;
  }

  bool HasNpuAtTop() const {
    return std::any_of(npu_.begin(), npu_.end(), [](const Binding* b) { return b->scope == 0; });
  }

  bool BindsPackage() const {
    return std::any_of(npu_.begin(), npu_.end(), [](const Binding* binding) {
      return binding->scope == 0 && binding->name == kPackage;
    });
  }

  /// True for a file that is run itself: one that asks for its name, or that trains when it is
  /// loaded.
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

  /// True if the module itself calls backward(): a script or a notebook.
  bool TrainsAtModuleLevel() const {
    const SyntaxTree& tree = file_.tree();
    for (uint32_t id = 0; id < tree.size(); ++id) {
      const Node node = tree.node(id);
      if (node.Is(NodeKind::kAttribute) && node.field() == Field::kFunction &&
          node.Child(Field::kAttribute).text() == "backward" && file_.names().ScopeOf(node) == 0) {
        return true;
      }
    }
    return false;
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
  uint32_t Top() const {
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
    return first ? first.range().start : root.range().end;
  }

 private:
  static bool IsImport(const Finding& finding) {
    return std::any_of(finding.fix.edits.begin(), finding.fix.edits.end(),
                       [](const Edit& e) { return e.text.find("import ") != std::string::npos; });
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
    // Where imports are tried, one that fails loads nothing.
    if (imported || guard_) return imported;
    return std::any_of(torch_.begin(), torch_.end(), [&](const Binding* b) {
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
  const bool guard_;
  std::vector<const Binding*> torch_;  // imports of torch that run
  std::vector<const Binding*> npu_;    // imports of torch_npu that run
  Node top_;                           // the first import of torch at module level
  bool lonely_entry_ = false;
};

/// What is written at one place: statements, and the rules that ask for them.
struct Insertion {
  std::vector<std::string> statements;
  std::vector<std::string> tried;  // what fails where torch_npu is missing
  std::string rule_id = "import-torch-npu";
  std::optional<StatementPlace> place;  // none: before the first statement of the file
};

/// Collects what is inserted where; an offset holds one insertion.
class Insertions {
 public:
  Insertions(const FileContext& file, const NpuImports& imports, bool guard)
      : file_(file), imports_(imports), guard_(guard) {}

  void Behind(Node statement, const std::string& text, const std::string& rule_id) {
    const StatementPlace place(statement, file_.source());
    Insertion& insertion = places_[place.insertion()];
    insertion.place = place;
    Append(insertion, text, rule_id);
  }

  /// A statement that only runs once `import torch_npu`, which is inserted there, has succeeded.
  void InTry(Node statement, const std::string& text) {
    places_[StatementPlace(statement, file_.source()).insertion()].tried.push_back(text);
  }

  void AtTop(const std::string& text, const std::string& rule_id) {
    Append(places_[imports_.Top()], text, rule_id);
  }

  std::vector<Finding> Findings() const {
    std::vector<Finding> findings;
    for (const auto& [offset, insertion] : places_) {
      findings.push_back(Insert(offset, insertion));
      const auto& statements = insertion.statements;
      if (guard_ && insertion.place && insertion.place->shares_line() &&
          std::find(statements.begin(), statements.end(), kImport) != statements.end()) {
        findings.push_back(NotGuarded(offset));
      }
    }
    return findings;
  }

 private:
  static void Append(Insertion& insertion, const std::string& text, const std::string& rule_id) {
    std::vector<std::string>& all = insertion.statements;
    if (std::find(all.begin(), all.end(), text) != all.end()) return;
    all.push_back(text);
    if (text != kImport) insertion.rule_id = rule_id;
  }

  Finding Insert(uint32_t offset, const Insertion& insertion) const {
    Finding finding;
    finding.range = {offset, offset};
    finding.rule_id = insertion.rule_id;
    finding.operation = Operation::kInsert;
    std::string text;
    std::string all;
    for (const std::string& statement : insertion.statements) {
      all += (all.empty() ? "" : "; ") + statement;
      text += Written(statement, offset, insertion);
    }
    finding.message = all == kImport ? Say("import torch_npu", "导入 torch_npu")
                                     : Say("add {}", "添加 {}", all);
    finding.fix.edits.push_back({{offset, offset}, std::move(text)});
    return finding;
  }

  std::string Written(const std::string& statement, uint32_t offset,
                      const Insertion& insertion) const {
    const bool one_line = insertion.place && insertion.place->shares_line();
    const std::string line_end(file_.source().LineEndAt(offset));
    std::string text;
    for (const std::string& line : guard_ && statement == kImport && !one_line
                                       ? GuardedImport(insertion.tried)
                                       : std::vector<std::string>{statement}) {
      text += insertion.place ? insertion.place->Join(line) : line + line_end;
    }
    return text;
  }

  std::vector<std::string> GuardedImport(const std::vector<std::string>& tried) const {
    const std::string torch = file_.names().LocalNameOf("torch");
    std::vector<std::string> lines = {"try:", "    import torch_npu"};
    for (const std::string& statement : tried) lines.push_back("    " + statement);
    lines.emplace_back("except ImportError:");
    if (torch.empty()) lines.emplace_back("    import torch");
    const std::string name = torch.empty() ? "torch" : torch;
    lines.push_back(fmt::format("    {0}.npu = {0}.cuda", name));
    return lines;
  }

  static Finding NotGuarded(uint32_t offset) {
    Finding finding;
    finding.range = {offset, offset};
    finding.rule_id = "guard-imports";
    finding.operation = Operation::kSuggestion;
    finding.applicability = Applicability::kDisplayOnly;
    finding.message = Say("this import is not tried: it shares its line with other statements",
                          "该导入未加保护: 与其他语句位于同一行");
    return finding;
  }

  static constexpr std::string_view kImport = "import torch_npu";
  const FileContext& file_;
  const NpuImports& imports_;
  const bool guard_;
  std::map<uint32_t, Insertion> places_;
};

/// True if the file has `import_statement` in front of `offset` at module level.
bool Has(const FileContext& file, std::string_view statement_text, uint32_t end) {
  const Node root = file.tree().root();
  for (Node statement = root.first_named_child(); statement;
       statement = statement.next_named_sibling()) {
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

void AddPreambles(const FileContext& file, const NpuImports& imports,
                  const std::vector<Finding>& accepted, const AddedStatements& added,
                  Insertions& insertions) {
  const Node top = imports.TopStatement();
  if (!top) return;
  Node statement = top;
  if (statement.parent().Is(NodeKind::kModule)) statement = LastImport(statement);
  for (const NpuPreamble* preamble : added.preambles) {
    const bool is_asked_for =
        preamble->for_rule.empty() ||
        std::any_of(accepted.begin(), accepted.end(),
                    [&](const Finding& f) { return f.rule_id == preamble->for_rule; });
    if (!is_asked_for) continue;
    if (preamble->entry_only && !imports.IsEntry() && !imports.TrainsAtModuleLevel()) continue;
    if (Has(file, preamble->statements.back(), UINT32_MAX)) continue;
    if (!imports.BindsPackage()) insertions.Behind(top, "import torch_npu", preamble->rule_id);
    for (const std::string& text : preamble->statements) {
      if (added.guard && !imports.HasNpuAtTop()) {
        insertions.InTry(top, text);
        continue;
      }
      const bool is_import = text.starts_with("import ");
      if (is_import && Has(file, text, statement.range().end)) continue;
      insertions.Behind(statement, text, preamble->rule_id);
    }
  }
}

}  // namespace

std::vector<Finding> RequiredImports(const FileContext& file, const std::vector<Finding>& accepted,
                                     const EditList& edits, const AddedStatements& added) {
  const NpuImports imports(file, edits, added.guard);
  Insertions insertions(file, imports, added.guard);
  bool uses_npu = imports.HasNpuAtTop();
  for (const Finding& finding : accepted) {
    uses_npu = uses_npu || finding.needs_npu_import;
    if (!finding.needs_npu_import) continue;
    if (const Node statement = imports.StatementFor(finding)) {
      insertions.Behind(statement, "import torch_npu", finding.rule_id);
    } else if (imports.NeedsBinding(finding) || imports.IsLonelyEntry()) {
      insertions.AtTop("import torch_npu", finding.rule_id);
    }
  }
  for (const Finding& finding : accepted) {
    if (finding.needs_import.empty() || Has(file, finding.needs_import, UINT32_MAX)) continue;
    if (const Node statement = imports.TopStatement()) {
      insertions.Behind(statement, finding.needs_import, finding.rule_id);
    } else {
      insertions.AtTop(finding.needs_import, finding.rule_id);
    }
  }
  if (uses_npu && !added.preambles.empty()) {
    AddPreambles(file, imports, accepted, added, insertions);
  }
  return insertions.Findings();
}

}  // namespace transplt
