// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/torch_apis.h"

#include <algorithm>

namespace transplt {
namespace {

bool IsCalled(Node node) {
  const Node parent = node.parent();
  return parent.Is(NodeKind::kCall) && parent.Child(Field::kFunction) == node;
}

/// `a.b` of `a.b.c` is looked at as a part of that.
bool IsPartOfLonger(Node node) {
  return node.parent().Is(NodeKind::kAttribute) && node.field() == Field::kObject;
}

class Uses {
 public:
  Uses(const FileContext& file, const ApiSupport& support) : file_(file), support_(support) {}

  std::vector<ApiUse> Run() {
    for (uint32_t id = 0; id < file_.tree().size(); ++id) {
      const Node node = file_.tree().node(id);
      // `relu(x)` after `from torch.nn.functional import relu`, too.
      const bool is_name = node.Is(NodeKind::kAttribute)
                               ? !IsPartOfLonger(node)
                               : node.Is(NodeKind::kIdentifier) && IsCalled(node);
      if (is_name) {
        Look(node);
      } else if (node.Is(NodeKind::kImportFromStatement)) {
        LookAtImport(node);
      }
    }
    return std::move(uses_);
  }

 private:
  void Look(Node node) {
    if (file_.tree().IsUnparsed(node.range())) return;
    const std::vector<QualifiedName> names = file_.names().Resolve(node);
    for (const QualifiedName& name : names) {
      if (!name.local && Grade(name.name, node)) return;
    }
    if (!names.empty() || !node.Is(NodeKind::kAttribute) || !IsCalled(node)) return;
    const std::string_view method = node.Child(Field::kAttribute).text();
    if (support_.IsUnsupportedMethod(method) && file_.Imports("torch") &&
        !file_.ReceiverDefines(node.Child(Field::kObject), method)) {
      Add(node, "torch.Tensor." + std::string(method), Support::kUnsupported);
    }
  }

  void LookAtImport(Node statement) {
    const std::string module = file_.names().ModuleOf(statement);
    if (module != "torch" && !module.starts_with("torch.")) return;
    for (Node item = statement.first_named_child(); item; item = item.next_named_sibling()) {
      if (item.field() != Field::kName) continue;
      const Node name = item.Is(NodeKind::kAliasedImport) ? item.Child(Field::kName) : item;
      Grade(module + "." + std::string(name.text()), item);
    }
  }

  /// True if `name` is of torch.
  bool Grade(const std::string& name, Node node) {
    if (!name.starts_with("torch.")) return false;
    if (support_.IsModule(name)) return true;
    // A new name that a rule gives is one that torch_npu has.
    const ApiEntry* entry = file_.apis().FindPrefix(name);
    if (entry != nullptr && !entry->new_name.empty()) return true;
    const Support grade = support_.Of(name);
    if (entry != nullptr && grade == Support::kUnknown) {
      Add(node, entry->old_name, Support::kUnsupported);
    } else if (grade == Support::kUnknown) {
      // Of constants, types and private parts the documentation does not speak.
      const bool is_asked_for = IsCalled(node) && name.find("._") == std::string::npos;
      if (is_asked_for && !name.starts_with("torch.npu.")) Add(node, name, grade);
    } else if (grade != Support::kSupported) {
      Add(node, name, grade);
    }
    return true;
  }

  void Add(Node node, std::string api, Support support) {
    const SourceFile& source = file_.source();
    uses_.push_back({source.path(), source.Locate(node.range().start).line,
                     source.Locate(node.range().end).line, std::move(api), support});
  }

  const FileContext& file_;
  const ApiSupport& support_;
  std::vector<ApiUse> uses_;
};

}  // namespace

std::vector<ApiUse> TorchApisIn(const FileContext& file, const ApiSupport& support) {
  return Uses(file, support).Run();
}

}  // namespace transplt
