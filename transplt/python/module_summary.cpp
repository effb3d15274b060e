// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "transplt/base/word_list.h"
#include "transplt/python/project_index.h"
#include "transplt/python/returned_imports.h"

namespace transplt {
namespace {

using Names = std::set<std::string, std::less<>>;

constexpr int kMostWrappers = 8;  // around each other
constexpr size_t kMostLateModules = 400;
constexpr std::string_view kGetter = "__getattr__";

/// The x of every `self.x = ...` in the methods of a class, whatever they call self.
void AddMembersSetByMethods(Node definition, Names& members) {
  const SyntaxTree& tree = definition.tree();
  for (uint32_t id = definition.id(); id < definition.end_id(); ++id) {
    const Node target = tree.node(id);
    if (!target.Is(NodeKind::kAttribute) || target.field() != Field::kLeft) continue;
    const Node object = target.Child(Field::kObject);
    if (object.Is(NodeKind::kIdentifier) && object.text() == "self") {
      members.emplace(target.Child(Field::kAttribute).text());
    }
  }
}

class Summarizer {
 public:
  explicit Summarizer(const NameTable& names) : names_(names) {}

  ModuleSummary Run() {
    summary_.star_imports = names_.star_imports();
    for (const Binding& binding : names_.bindings()) {
      if (binding.scope == 0) {
        Add(binding);
      } else if (auto owner = class_of_scope_.find(binding.scope);
                 owner != class_of_scope_.end() && owner->second != nullptr) {
        owner->second->members.emplace(binding.name);
      } else if (owner == class_of_scope_.end()) {
        AddMember(binding);
      }
    }
    AddLate();
    return std::move(summary_);
  }

 private:
  /// `def __getattr__(name)` of a module, or what a helper makes in its place, gives names when
  /// they are asked for (PEP 562). The body imports them, or texts say from which modules: as if
  /// they were imported with a star.
  void AddLate() {
    if (!GivesLate()) return;
    for (const Binding& binding : names_.bindings()) {
      const std::string name(binding.name);
      if (binding.kind != BindingKind::kImport || !IsInGetter(binding) ||
          summary_.definitions.contains(name)) {
        continue;
      }
      auto& targets = summary_.names[name];
      if (targets.empty()) targets.push_back({binding.target, false});
    }
    const std::string package = PackageOf(names_.tree().source().path());
    std::vector<std::string> modules;
    Names texts;
    for (uint32_t id = 0; id < names_.tree().size(); ++id) {
      const Node content = names_.tree().node(id);
      if (!content.Is(NodeKind::kStringContent) || !IsModuleName(content.text())) continue;
      if (modules.size() >= kMostLateModules || !texts.emplace(content.text()).second) continue;
      const std::string_view text = content.text();
      const std::string_view name = text.substr(text.find_first_not_of('.'));
      modules.push_back(package + std::string(name));
      if (name.size() == text.size() && name.find('.') != name.npos) modules.emplace_back(name);
    }
    summary_.star_imports.insert(summary_.star_imports.begin(), modules.begin(), modules.end());
  }

  /// ".models." of models/__init__.py and models/net.py, "." at the root: what modules beside the
  /// file are called in front.
  static std::string PackageOf(const std::string& path) {
    std::string module = ProjectIndex::ModuleName(path);
    if (!ProjectIndex::IsPackage(path)) module.resize(module.rfind('.') + 1);
    if (!module.empty() && module.back() != '.') module.push_back('.');
    return "." + module;
  }

  bool IsInGetter(const Binding& binding) const {
    const Node holder = binding.scope == 0 ? Node() : names_.ScopeNode(binding.scope);
    return holder.Is(NodeKind::kFunctionDefinition) && holder.parent().Is(NodeKind::kModule) &&
           holder.Child(Field::kName).text() == kGetter;
  }

  bool GivesLate() const {
    if (summary_.definitions.contains(kGetter) || summary_.names.contains(kGetter)) return true;
    // `sys.modules[__name__] = LazyModule(__name__, structure)`
    const SyntaxTree& tree = names_.tree();
    if (tree.source().parse_text().find("modules[__name__]") == std::string_view::npos)
      return false;
    for (uint32_t id = 0; id < tree.size(); ++id) {
      const Node item = tree.node(id);
      if (item.Is(NodeKind::kSubscript) && item.field() == Field::kLeft &&
          item.Child(Field::kSubscript).text() == "__name__" &&
          names_.IsNamed(item.Child(Field::kValue), "sys.modules")) {
        return true;
      }
    }
    return false;
  }

  /// True for ".models.net".
  static bool IsModuleName(std::string_view text) {
    const size_t first = std::min(text.find_first_not_of('.'), text.size());
    const std::string_view name = text.substr(first);
    // Classes are no modules.
    const std::string_view last = name.substr(name.rfind('.') + 1);
    return !last.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0 &&
           std::isupper(static_cast<unsigned char>(last.front())) == 0 &&
           std::ranges::all_of(
               name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
  }

  /// `return f()`, and `x = f()` with `return x`.
  void AddResults(const Binding& function) {
    std::vector<QualifiedName>& results = summary_.results[std::string(function.name)];
    results.clear();
    const Node definition = function.statement;
    for (uint32_t id = definition.id(); id < definition.end_id(); ++id) {
      const Node statement = names_.tree().node(id);
      if (!statement.Is(NodeKind::kReturnStatement)) continue;
      if (names_.ScopeNode(names_.ScopeOf(statement)) != definition) continue;
      Node value = statement.first_named_child();
      while (value.Is(NodeKind::kParenthesizedExpression)) value = value.first_named_child();
      AddResult(value, results);
      if (!value.Is(NodeKind::kIdentifier)) continue;
      for (const Binding* binding : names_.BindingsOf(value)) {
        if (binding->kind == BindingKind::kAssignment) AddResult(binding->value, results);
      }
    }
    if (results.empty()) summary_.results.erase(std::string(function.name));
    std::vector<std::string> imports = ReturnedImports(definition, names_);
    if (!imports.empty()) {
      summary_.returned_imports[std::string(function.name)] = std::move(imports);
    }
  }

  /// What wraps a result, `gym.wrappers.TimeLimit(gym.make(name))`, stands for that as well.
  void AddResult(Node value, std::vector<QualifiedName>& results, int depth = 0) const {
    if (!value.Is(NodeKind::kCall) || depth == kMostWrappers) return;
    for (const QualifiedName& name : names_.Resolve(value.Child(Field::kFunction))) {
      results.push_back(name);
      if (name.local || !Words("wrappers").Has(name.name)) continue;
      const Node wrapped = value.Child(Field::kArguments).first_named_child();
      AddResult(wrapped, results, depth + 1);
      if (!wrapped.Is(NodeKind::kIdentifier)) continue;
      for (const Binding* binding : names_.BindingsOf(wrapped)) {
        if (binding->kind == BindingKind::kAssignment) {
          AddResult(binding->value, results, depth + 1);
        }
      }
    }
  }

  void Add(const Binding& binding) {
    const std::string name(binding.name);
    if (IsUnconditional(binding)) {
      summary_.names.erase(name);
      summary_.definitions.erase(name);
    }
    if (binding.kind == BindingKind::kImport) {
      summary_.names[name].push_back({binding.target, false});
      return;
    }
    if (binding.kind == BindingKind::kAssignment) {
      std::vector<QualifiedName> values = Followed(binding.value);
      if (!values.empty()) {
        auto& known = summary_.names[name];
        known.insert(known.end(), values.begin(), values.end());
        if (!std::ranges::any_of(values, &QualifiedName::local)) return;
      }
    }
    summary_.definitions.insert(name);
    if (binding.kind == BindingKind::kFunction) AddResults(binding);
    if (binding.kind == BindingKind::kClass) {
      ModuleSummary::Class& described = summary_.classes[name];
      described = Describe(binding.statement);
      class_at_.emplace(binding.statement.id(), &described);
    }
  }

  /// Replaces for certain what the name stood for.
  static bool IsUnconditional(const Binding& binding) {
    Node statement = binding.statement;
    if (!statement || statement.Is(NodeKind::kForStatement)) return false;
    if (statement.Is(NodeKind::kAssignment) && !statement.Child(Field::kRight)) return false;
    while (statement.parent() && (statement.parent().Is(NodeKind::kExpressionStatement) ||
                                  statement.parent().Is(NodeKind::kDecoratedDefinition))) {
      statement = statement.parent();
    }
    return statement.parent().Is(NodeKind::kModule);
  }

  /// The names of other modules, or what this one defines, that a value stands for: `Pool.apply`.
  std::vector<QualifiedName> Followed(Node value) const {
    std::vector<QualifiedName> values = names_.Resolve(value);
    const Node head = ChainOf(value).head;
    const bool is_bound = head.Is(NodeKind::kIdentifier) && !names_.BindingsOf(head).empty();
    // `x = y` with a y that the file does not know is a variable, not a member of a module.
    const bool is_known = is_bound || head.Is(NodeKind::kConditionalExpression);
    std::erase_if(values, [&](const QualifiedName& name) {
      return !name.local && !is_known && name.name.find('.') == std::string::npos;
    });
    return values;
  }

  ModuleSummary::Class Describe(Node definition) const {
    ModuleSummary::Class result;
    if (Node bases = definition.Child(Field::kSuperclasses)) {
      for (Node base = bases.first_named_child(); base; base = base.next_named_sibling()) {
        for (const QualifiedName& name : names_.Resolve(base)) result.bases.push_back(name.name);
      }
    }
    AddMembersSetByMethods(definition, result.members);
    return result;
  }

  /// Remembers which scope is the body of which class of the module.
  void AddMember(const Binding& binding) {
    const Node holder = names_.ScopeNode(binding.scope);
    const auto found = class_at_.find(holder.id());
    ModuleSummary::Class* owner = found == class_at_.end() ? nullptr : found->second;
    class_of_scope_.emplace(binding.scope, owner);
    if (owner != nullptr) owner->members.emplace(binding.name);
  }

  const NameTable& names_;
  ModuleSummary summary_;
  std::unordered_map<uint32_t, ModuleSummary::Class*> class_at_;  // by node id
  std::unordered_map<uint32_t, ModuleSummary::Class*> class_of_scope_;
};

}  // namespace

ModuleSummary Summarize(const NameTable& names) { return Summarizer(names).Run(); }

}  // namespace transplt
