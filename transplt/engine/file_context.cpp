// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/file_context.h"

#include <algorithm>

#include "transplt/facts/project.h"
#include "transplt/facts/value_flows.h"
#include "transplt/facts/value_sources.h"
#include "transplt/python/dotted_name.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {

FileContext::FileContext(const SyntaxTree& tree, const ApiTable& apis, const ProjectIndex* project,
                         Framework framework, TensorflowVersions tensorflow,
                         const ProjectValues* shared_values)
    : tree_(tree),
      apis_(apis),
      project_(project),
      framework_(framework),
      tensorflow_(tensorflow),
      shared_values_(shared_values) {}

FileContext::~FileContext() = default;

const NameTable& FileContext::names() const {
  if (names_ == nullptr) {
    const std::string& path = source().path();
    own_names_ = std::make_unique<NameTable>(tree_, ProjectIndex::ModuleName(path),
                                             ProjectIndex::IsPackage(path), project_);
    names_ = own_names_.get();
  }
  return *names_;
}

const Classes& FileContext::classes() const {
  if (!classes_) classes_ = std::make_unique<Classes>(names(), project_);
  return *classes_;
}

bool FileContext::IsOwn(std::string_view module) const {
  const std::string& path = source().path();
  if (modules_ != nullptr) return modules_->IsOwn(path, module);
  return project_ != nullptr && !project_->FileOfModule(path, module).empty();
}

ValueFlows& FileContext::values() const {
  if (!values_) {
    values_ = std::make_unique<ValueFlows>(names(), classes(), project_, Signatures::Builtin(),
                                           shared_values_);
  }
  return *values_;
}

const ResultUses& FileContext::results() const {
  if (!results_) results_ = std::make_unique<ResultUses>(names(), classes(), project_);
  return *results_;
}

const ValueSources& FileContext::sources() const {
  if (!sources_) sources_ = std::make_unique<ValueSources>(names(), project_);
  return *sources_;
}

bool FileContext::Imports(std::string_view framework) const {
  for (const Binding& binding : names().bindings()) {
    if (binding.kind != BindingKind::kImport) continue;
    const std::string& target = binding.target;
    if (target.starts_with(framework) &&
        (target.size() == framework.size() || target[framework.size()] == '.')) {
      return true;
    }
  }
  const bool has_star = std::ranges::any_of(names().star_imports(), [&](const std::string& module) {
    return module == framework || module.starts_with(std::string(framework) + ".");
  });
  return has_star || BroughtByStars().contains(framework);
}

const std::set<std::string, std::less<>>& FileContext::BroughtByStars() const {
  if (brought_by_stars_) return *brought_by_stars_;
  std::set<std::string, std::less<>>& packages = brought_by_stars_.emplace();
  if (project_ == nullptr || names().star_imports().empty()) return packages;
  for (const auto& [text, nodes] : NodesByText()) {
    const bool is_used = std::ranges::any_of(nodes, [&](Node node) {
      return node.Is(NodeKind::kIdentifier) && names().BindingsOf(node).empty();
    });
    if (!is_used) continue;
    for (const std::string& module : names().star_imports()) {
      const auto origins = project_->Find(source().path(), module, text);
      for (const QualifiedName& origin : origins.value_or(std::vector<QualifiedName>())) {
        if (!origin.local) packages.emplace(FirstPart(origin.name));
      }
    }
  }
  return packages;
}

bool FileContext::IsOtherFramework() const {
  if (!other_framework_) {
    other_framework_ =
        !Imports(PackageOf(framework_)) &&
        (std::ranges::any_of(Signatures::Builtin().frameworks(),
                             [&](const std::string& name) { return Imports(name); }) ||
         (framework_ != Framework::kPytorch && Imports(PackageOf(Framework::kPytorch))));
  }
  return *other_framework_;
}

bool FileContext::MigratesTensorflow() const {
  if (framework_ == Framework::kTensorflow) return true;
  return tensorflow_.migrated && !Imports("torch") && !Imports("mindspore");
}

bool FileContext::UsesSessions() const {
  return tensorflow_.installed == 1 || tensorflow_.use.mode == TensorflowMode::kSessions;
}

int FileContext::InstalledTensorflow() const {
  if (tensorflow_.installed != 0) return tensorflow_.installed;
  return UsesSessions() ? 1 : 2;
}

const FileContext::NodeTexts& FileContext::NodesByText() const {
  if (nodes_by_text_.empty()) {
    for (const Node node : NodesIn(tree_)) {
      if (node.Is(NodeKind::kIdentifier) || node.Is(NodeKind::kStringContent)) {
        nodes_by_text_[node.text()].push_back(node);
      }
    }
  }
  return nodes_by_text_;
}

const std::vector<Node>& FileContext::NodesSaying(std::string_view text) const {
  static const std::vector<Node> kNone;
  const auto found = NodesByText().find(text);
  return found == nodes_by_text_.end() ? kNone : found->second;
}

}  // namespace transplt
