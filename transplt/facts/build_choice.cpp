// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/build_choice.h"

#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/served_devices.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

CudaNeed NeedAt(Node sign) { return {sign.range(), std::string(sign.text())}; }

}  // namespace

BuildChoices::BuildChoices(const NameTable& names, const GuardSignatures& signatures)
    : names_(names), signatures_(signatures) {
  for (const std::string& builder : signatures.builders) {
    modules_.push_back(builder.substr(0, builder.rfind('.')));
  }
  is_about_builds_ = std::ranges::any_of(names.bindings(), [&](const Binding& binding) {
    return binding.kind == BindingKind::kImport && IsOfBuilders(binding.target);
  });
}

std::optional<CudaNeed> BuildChoices::Of(const Guard& guard) const {
  if (!is_about_builds_) return std::nullopt;
  if (const Node option = OptionThatTakes(guard.decides)) return NeedAt(option);
  for (TextRange part : guard.with) {
    if (const Node sign = SignIn(part, true)) return NeedAt(sign);
  }
  for (TextRange part : guard.without) {
    if (const Node sign = SignIn(part, false)) return NeedAt(sign);
  }
  return std::nullopt;
}

bool BuildChoices::IsOfBuilders(std::string_view name) const {
  return std::ranges::any_of(modules_,
                             [&](const std::string& module) { return IsInside(module, name); });
}

/// `with_cuda` of `load(..., with_cuda=answer)` and of `with_cuda = answer`.
Node BuildChoices::OptionThatTakes(Node answer) const {
  const Node holder = answer.parent();
  Node name;
  if (holder.Is(NodeKind::kKeywordArgument)) name = holder.Child(Field::kName);
  if (holder.Is(NodeKind::kAssignment)) name = holder.Child(Field::kLeft);
  return name && IsOneOf(name.text(), signatures_.build_options) ? name : Node();
}

/// The first thing in `part` that is about a build for CUDA; where there is no CUDA C++ is built
/// as well.
Node BuildChoices::SignIn(TextRange part, bool is_with) const {
  const Node whole = names_.tree().NodeAt(part);
  for (const Node node : NodesIn(whole)) {
    if (part.Contains(node.range()) && IsSign(node, is_with)) return node;
  }
  return {};
}

bool BuildChoices::IsSign(Node node, bool is_with) const {
  if (node.Is(NodeKind::kStringContent)) return IsSourceOrFlag(node.text(), is_with);
  if (!node.Is(NodeKind::kIdentifier)) return false;
  if (IsOneOf(node.text(), signatures_.build_options)) return true;
  const Node whole = node.field() == Field::kAttribute ? node.parent() : node;
  const bool is_of_builders =
      std::ranges::any_of(names_.Resolve(whole), [&](const QualifiedName& name) {
        // The toolkit can be asked for by whoever lists what is installed.
        return !name.local && IsOfBuilders(name.name) && !IsOneOf(name.name, modules_) &&
               !IsOneOf(name.name, signatures_.toolkit);
      });
  if (is_of_builders) return is_with || HasDeviceWord(node.text(), signatures_.words);
  return is_with && HoldsSources(node);
}

bool BuildChoices::IsSourceOrFlag(std::string_view text, bool is_with) const {
  if (text.ends_with(signatures_.source_suffix)) return true;
  return is_with && std::ranges::any_of(signatures_.build_flags, [&](const std::string& flag) {
           return text.starts_with(flag);
         });
}

/// `kernels` of `kernels = ["ops.cu"]`.
bool BuildChoices::HoldsSources(Node name) const {
  if (IsAssigned(name)) return false;
  return std::ranges::any_of(names_.BindingsOf(name), [&](const Binding* binding) {
    if (binding->kind != BindingKind::kAssignment || !binding->value) return false;
    return std::ranges::any_of(NodesIn(binding->value), [&](Node node) {
      return node.Is(NodeKind::kStringContent) && node.text().ends_with(signatures_.source_suffix);
    });
  });
}

}  // namespace transplt
