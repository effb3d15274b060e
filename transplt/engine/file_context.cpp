// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/file_context.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace transplt {

const NameTable& FileContext::names() const {
  if (!names_) {
    const std::string& path = source().path();
    names_ = std::make_shared<const NameTable>(tree_, ProjectIndex::ModuleName(path),
                                               ProjectIndex::IsPackage(path), project_);
  }
  return *names_;
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
  return std::any_of(
      names().star_imports().begin(), names().star_imports().end(), [&](const std::string& module) {
        return module == framework || module.starts_with(std::string(framework) + ".");
      });
}

bool FileContext::IsOtherFramework() const {
  static constexpr std::array<std::string_view, 16> kOthers = {
      "tensorflow", "jax", "mindspore", "paddle", "mxnet",   "chainer", "numba", "cupy",
      "pycuda",     "tvm", "keras",     "torch",  "oneflow", "caffe",   "flax",  "tf_keras"};
  if (!other_framework_) {
    other_framework_ = !Imports(PackageOf(framework_)) &&
                       std::any_of(kOthers.begin(), kOthers.end(),
                                   [&](std::string_view name) { return Imports(name); });
  }
  return *other_framework_;
}

bool FileContext::MigratesTensorflow() const {
  if (framework_ == Framework::kTensorflow) return true;
  return tensorflow_.migrated && !Imports("torch") && !Imports("mindspore");
}

bool FileContext::UsesSessions() const {
  // Names that only TensorFlow 1 has, or that only TensorFlow 2 has.
  static constexpr std::array<std::string_view, 45> kOfSessions = {"Session",
                                                                   "InteractiveSession",
                                                                   "MonitoredTrainingSession",
                                                                   "MonitoredSession",
                                                                   "SingularMonitoredSession",
                                                                   "ChiefSessionCreator",
                                                                   "WorkerSessionCreator",
                                                                   "SessionManager",
                                                                   "Supervisor",
                                                                   "GraphOptions",
                                                                   "OptimizerOptions",
                                                                   "estimator",
                                                                   "ConfigProto",
                                                                   "GPUOptions",
                                                                   "contrib",
                                                                   "v1",
                                                                   "placeholder",
                                                                   "placeholder_with_default",
                                                                   "get_variable",
                                                                   "variable_scope",
                                                                   "global_variables_initializer",
                                                                   "local_variables_initializer",
                                                                   "initialize_all_variables",
                                                                   "get_collection",
                                                                   "add_to_collection",
                                                                   "get_default_graph",
                                                                   "reset_default_graph",
                                                                   "get_or_create_global_step",
                                                                   "Estimator",
                                                                   "EstimatorSpec",
                                                                   "TPUEstimator",
                                                                   "RunConfig",
                                                                   "TrainSpec",
                                                                   "GradientDescentOptimizer",
                                                                   "MomentumOptimizer",
                                                                   "AdamOptimizer",
                                                                   "AdagradOptimizer",
                                                                   "RMSPropOptimizer",
                                                                   "make_one_shot_iterator",
                                                                   "make_initializable_iterator",
                                                                   "truncated_normal_initializer",
                                                                   "set_random_seed",
                                                                   "keep_prob",
                                                                   "model_to_estimator",
                                                                   "set_session"};
  static constexpr std::array<std::string_view, 5> kOfEager = {
      "GradientTape", "list_physical_devices", "set_visible_devices", "set_memory_growth",
      "experimental_run_v2"};
  if (!uses_sessions_) {
    const auto says = [&](std::string_view name) { return !NodesSaying(name).empty(); };
    uses_sessions_ =
        std::any_of(kOfSessions.begin(), kOfSessions.end(), says) ||
        (tensorflow_.usual == 1 && std::none_of(kOfEager.begin(), kOfEager.end(), says));
    if (tensorflow_.installed == 1) uses_sessions_ = true;
  }
  return *uses_sessions_;
}

int FileContext::InstalledTensorflow() const {
  if (tensorflow_.installed != 0) return tensorflow_.installed;
  return UsesSessions() ? 1 : 2;
}

Node FileContext::EnclosingClass(Node node) const {
  for (uint32_t scope = names().ScopeOf(node); scope != 0; scope = names().ParentScope(scope)) {
    Node holder = names().ScopeNode(scope);
    if (holder.Is(NodeKind::kClassDefinition)) return holder;
  }
  return {};
}

bool FileContext::ClassDefines(Node definition, std::string_view name) const {
  // The class, and the bases that this file defines: each once, since bases may form a cycle.
  std::vector<Node> classes = {definition};
  std::unordered_set<uint32_t> seen = {definition.id()};
  for (size_t i = 0; i < classes.size(); ++i) {
    if (DefinesItself(classes[i], name)) return true;
    Node bases = classes[i].Child(Field::kSuperclasses);
    for (Node base = bases ? bases.first_named_child() : Node(); base;
         base = base.next_named_sibling()) {
      if (base.Is(NodeKind::kIdentifier)) {
        for (const Binding* binding : names().BindingsOf(base)) {
          if (binding->kind == BindingKind::kClass && seen.insert(binding->statement.id()).second) {
            classes.push_back(binding->statement);
          }
        }
      }
      if (project_ == nullptr) continue;
      for (const QualifiedName& qualified : names().Resolve(base)) {
        if (!qualified.local && project_->ClassDefines(source().path(), qualified.name, name)) {
          return true;
        }
      }
    }
  }
  return false;
}

/// True if the class `definition` has a member `name`, whatever its bases have.
bool FileContext::DefinesItself(Node definition, std::string_view name) const {
  const uint32_t body_start = definition.Child(Field::kBody).id();
  for (const Binding& binding : names().bindings()) {
    if (binding.name == name && binding.node.id() > body_start &&
        names().ScopeNode(binding.scope) == definition) {
      return true;
    }
  }
  for (uint32_t id = body_start; id < definition.end_id(); ++id) {
    const Node node = tree_.node(id);
    if (node.Is(NodeKind::kAttribute) && node.field() == Field::kLeft &&
        node.parent().Is(NodeKind::kAssignment) && node.Child(Field::kAttribute).text() == name &&
        node.Child(Field::kObject).text() == "self") {
      return true;
    }
  }
  return false;
}

const std::vector<Node>& FileContext::NodesSaying(std::string_view text) const {
  static const std::vector<Node> kNone;
  if (nodes_by_text_.empty()) {
    for (uint32_t id = 0; id < tree_.size(); ++id) {
      const Node node = tree_.node(id);
      if (node.Is(NodeKind::kIdentifier) || node.Is(NodeKind::kStringContent)) {
        nodes_by_text_[node.text()].push_back(node);
      }
    }
  }
  const auto found = nodes_by_text_.find(text);
  return found == nodes_by_text_.end() ? kNone : found->second;
}

bool FileContext::ReceiverDefines(Node receiver, std::string_view name) const {
  while (receiver.Is(NodeKind::kParenthesizedExpression)) receiver = receiver.first_named_child();
  if (receiver.Is(NodeKind::kCall)) {
    // `Wrapper(...)`: an object of the class that is called.
    Node callee = receiver.Child(Field::kFunction);
    if (callee.Is(NodeKind::kIdentifier)) {
      for (const Binding* binding : names().BindingsOf(callee)) {
        if (binding->kind == BindingKind::kClass) return ClassDefines(binding->statement, name);
      }
    }
    if (project_ == nullptr) return false;
    const std::vector<QualifiedName> classes = names().Resolve(callee);
    return std::any_of(classes.begin(), classes.end(), [&](const QualifiedName& candidate) {
      return !candidate.local && project_->ClassDefines(source().path(), candidate.name, name);
    });
  }
  if (receiver.Is(NodeKind::kAttribute)) return MemberDefines(receiver, name);
  if (!receiver.Is(NodeKind::kIdentifier)) return false;
  if (receiver.text() == "self") {
    Node holder = EnclosingClass(receiver);
    return holder && ClassDefines(holder, name);
  }
  const std::vector<const Binding*> bindings = names().BindingsOf(receiver);
  return !bindings.empty() &&
         std::all_of(bindings.begin(), bindings.end(), [&](const Binding* binding) {
           if (binding->kind == BindingKind::kParameter) return AnnotationDefines(*binding, name);
           return binding->kind == BindingKind::kAssignment && binding->value.Is(NodeKind::kCall) &&
                  (ReceiverDefines(binding->value, name) ||
                   ReturnsItself(binding->value, receiver, name));
         });
}

/// `b = b.cuda()`: what a method of an object gives is taken to be that object.
bool FileContext::ReturnsItself(Node call, Node receiver, std::string_view name) const {
  const Node callee = call.Child(Field::kFunction);
  if (!callee.Is(NodeKind::kAttribute)) return false;
  const Node object = callee.Child(Field::kObject);
  return object.Is(NodeKind::kIdentifier) && object.text() == receiver.text() &&
         object.id() < receiver.id() && ReceiverDefines(object, name);
}

bool FileContext::AnnotationDefines(const Binding& parameter, std::string_view name) const {
  const Node type = parameter.node.parent().Child(Field::kType);
  const Node annotation = type ? type.first_named_child() : Node();
  if (!annotation.Is(NodeKind::kIdentifier)) return false;
  const std::vector<const Binding*> classes = names().BindingsOf(annotation);
  return std::any_of(classes.begin(), classes.end(), [&](const Binding* binding) {
    return binding->kind == BindingKind::kClass && ClassDefines(binding->statement, name);
  });
}

/// `self.feed.cuda()` where the class says `self.feed = Batch(...)`, and nothing else.
bool FileContext::MemberDefines(Node member, std::string_view name) const {
  const Node holder = EnclosingClass(member);
  if (!holder || member.Child(Field::kObject).text() != "self") return false;
  bool found = false;
  for (uint32_t id = holder.id(); id < holder.end_id(); ++id) {
    const Node node = tree_.node(id);
    if (!node.Is(NodeKind::kAssignment) || node.Child(Field::kLeft).text() != member.text()) {
      continue;
    }
    const Node value = node.Child(Field::kRight);
    if (!value.Is(NodeKind::kCall) || value.IsAncestorOf(member)) continue;
    if (!ReceiverDefines(value, name)) return false;
    found = true;
  }
  return found;
}

}  // namespace transplt
