// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/torch_apis.h"

#include <algorithm>
#include <unordered_set>

#include "transplt/base/text_parts.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/receiver.h"
#include "transplt/facts/string_place.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/python/callee.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// `a.b` of `a.b.c` is looked at as a part of that.
bool IsPartOfLonger(Node node) {
  return node.parent().Is(NodeKind::kAttribute) && node.field() == Field::kObject;
}

/// The names that a file imports under, wherever it does.
std::unordered_set<std::string_view> ImportedNames(const NameTable& names) {
  std::unordered_set<std::string_view> imported;
  for (const Binding& binding : names.bindings()) {
    if (binding.kind == BindingKind::kImport) imported.insert(binding.name);
  }
  return imported;
}

/// `relu` of `relu(x)` after `from torch.nn.functional import relu`, or after a star import. What
/// `relu = F.relu` makes is seen there.
bool IsImported(Node identifier, const NameTable& names,
                const std::unordered_set<std::string_view>& imported) {
  const Node parent = identifier.parent();
  const bool is_label = parent.Is(NodeKind::kAttribute) || (parent.Is(NodeKind::kKeywordArgument) &&
                                                            identifier.field() != Field::kValue);
  if (is_label) return false;
  const NameTable::Meanings meanings = names.BindingsOf(identifier);
  if (meanings.empty()) return IsCalled(identifier);  // a star import
  return imported.contains(identifier.text()) &&
         std::ranges::any_of(meanings, [&](const Binding* binding) {
           return binding->kind == BindingKind::kImport && !(binding->node == identifier);
         });
}

class Uses {
 public:
  Uses(const FileContext& file, const ApiSupport& support)
      : file_(file), support_(support), types_(file.names(), file.classes()) {}

  std::vector<ApiUse> Run() {
    for (const Node node : UsedNames(file_)) Look(node);
    return std::move(uses_);
  }

 private:
  void Look(Node node) {
    const std::vector<QualifiedName> names = file_.names().Resolve(node);
    if (!names.empty()) {
      // Of `try: from a import f; except ImportError: from torch import f` the first counts.
      for (const QualifiedName& name : names) {
        if (!IsOfTorch(name)) continue;
        if (IsOnlyNamed(node, name.name) || Grade(name.name, node)) return;
      }
      return;
    }
    if (!node.Is(NodeKind::kAttribute) || !IsCalled(node)) return;
    const std::string_view method = node.Child(Field::kAttribute).text();
    const bool is_cuda = method == "cuda";
    const std::string* api = support_.UnsupportedMethod(method);
    if ((api == nullptr && !is_cuda) || !file_.Imports("torch")) return;
    const Node receiver = node.Child(Field::kObject);
    Text reason;
    if (IsForeignReceiver(receiver, method, file_.code(), &reason)) return;
    if (is_cuda) {
      Add(node, "torch.Tensor.cuda", Support::kRenamed, "");
    } else if (!types_.IsOnHost(receiver) && !IsInDataset(node) &&
               !(IsOfModules(*api) && types_.IsNewModule(receiver))) {
      Add(node, *api, Support::kUnsupported, "");
    }
  }

  static bool IsOfModules(const std::string& api) { return api.starts_with("torch.nn.Module."); }

  static bool IsOfTorch(const QualifiedName& name) {
    return !name.local && name.name.starts_with("torch.");
  }

  /// The methods of a data set make samples, on the host.
  bool IsInDataset(Node node) const {
    const Node holder = file_.classes().EnclosingClass(node);
    if (!holder || !holder.Child(Field::kBody).IsAncestorOf(node)) return false;
    const Node bases = holder.Child(Field::kSuperclasses);
    return holder.Child(Field::kName).text().ends_with("Dataset") ||
           HasPart(bases.text(), "Dataset");
  }

  /// `torch.arange(n, device='cpu')`.
  bool IsResultOnHost(Node name) const { return IsCalled(name) && types_.IsOnHost(name.parent()); }

  /// False if another meaning of the name has to be looked at.
  bool Grade(const std::string& name, Node node) {
    if (support_.IsModule(name)) return false;
    // A new name that a rule gives is one that torch_npu has.
    const ApiEntry* entry = file_.apis().FindPrefix(name);
    if (entry != nullptr && !entry->new_name.empty()) {
      Add(node, name, Support::kRenamed, entry->rule_id);
      return true;
    }
    ApiSupport::Grade grade = support_.Of(name);
    if (entry == nullptr && (IsInDataset(node) || IsResultOnHost(node))) return true;
    // `torch.float` is a type, and not the method that is called so.
    const bool is_value = !IsCalled(node) && name.find('.') == name.rfind('.');
    if (entry == nullptr && is_value && grade.api != name) return true;
    if (entry != nullptr) {
      Add(node, entry->old_name, GradeOfRule(*entry, grade.support), entry->rule_id);
    } else if (grade.support == Support::kUnknown) {
      // Of constants, types and private parts the documentation does not speak.
      const bool is_asked_for = IsCalled(node) && !HasPart(name, "._");
      if (!is_asked_for || IsOfStarImport(node)) return false;
      Add(node, name, grade.support, "");
    } else if (grade.support != Support::kSupported) {
      Add(node, std::move(grade.api), grade.support, "");
    }
    return true;
  }

  /// `print` after `from torch.optim import *`: what nothing else binds may be of Python itself.
  bool IsOfStarImport(Node node) const {
    while (node.Is(NodeKind::kAttribute)) node = node.Child(Field::kObject);
    return node.Is(NodeKind::kIdentifier) && file_.names().BindingsOf(node).empty();
  }

  /// A rule that advises knows better than the documentation whether the name may stay.
  static Support GradeOfRule(const ApiEntry& entry, Support documented) {
    const bool may_stay =
        documented != Support::kUnknown || entry.old_name.starts_with("torch.backends.");
    return entry.is_unsupported || !may_stay ? Support::kUnsupported : Support::kLimited;
  }

  void Add(Node node, std::string api, Support support, std::string rule_id) {
    const SourceFile& source = file_.source();
    uses_.push_back({source.path(), node.id(), source.Locate(node.range().start).line,
                     source.Locate(node.range().end).line, std::move(api), support,
                     std::move(rule_id)});
  }

  const FileContext& file_;
  const ApiSupport& support_;
  const TensorTypes types_;
  std::vector<ApiUse> uses_;
};

}  // namespace

std::vector<Node> UsedNames(const FileContext& file) {
  std::vector<Node> names;
  const std::unordered_set<std::string_view> imported = ImportedNames(file.names());
  for (const Node node : NodesIn(file.tree())) {
    const bool is_name =
        node.Is(NodeKind::kAttribute)
            ? !IsPartOfLonger(node)
            : node.Is(NodeKind::kIdentifier) && IsImported(node, file.names(), imported);
    if (is_name && !file.tree().IsUnparsed(node.range())) names.push_back(node);
  }
  return names;
}

bool IsOnlyNamed(Node node, std::string_view name) {
  const char initial = name[name.rfind('.') + 1];
  const bool is_class = initial >= 'A' && initial <= 'Z';
  bool in_collection = false;
  for (Node parent = node.parent(); parent; node = parent, parent = parent.parent()) {
    switch (parent.kind()) {
      case NodeKind::kType:
      case NodeKind::kComparisonOperator:
        return is_class;
      case NodeKind::kImportStatement:
      case NodeKind::kImportFromStatement:
        return true;
      case NodeKind::kArgumentList: {
        const std::string_view callee = parent.parent().Child(Field::kFunction).text();
        return parent.parent().Is(NodeKind::kCall) &&
               (callee == "isinstance" || callee == "issubclass" || callee == "hasattr" ||
                callee.ends_with("assertIsInstance") || callee.ends_with("safe_globals"));
      }
      case NodeKind::kAssignment:  // `norms = (nn.LayerNorm, nn.BatchNorm2d)`
        return is_class && in_collection;
      case NodeKind::kTuple:
      case NodeKind::kList:
      case NodeKind::kSet:
      case NodeKind::kDictionary:  // `POOLS = {"max": nn.MaxPool2d, "max3d": nn.MaxPool3d}`
        in_collection = true;
        break;
      case NodeKind::kPair:
      case NodeKind::kParenthesizedExpression:
      case NodeKind::kDottedName:
      case NodeKind::kAliasedImport:
      case NodeKind::kSubscript:
      case NodeKind::kBinaryOperator:  // `(A | B)`
        break;
      default:
        return false;
    }
  }
  return false;
}

std::vector<ApiUse> TorchApisIn(const FileContext& file, const ApiSupport& support) {
  return Uses(file, support).Run();
}

}  // namespace transplt
