// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/receiver.h"

#include <algorithm>
#include <array>

#include "transplt/base/one_of.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

constexpr std::array<std::string_view, 10> kOptionObjects = {
    "args", "opt", "opts", "cfg", "config", "options", "params", "hparams", "FLAGS", "parser"};

std::string_view Root(std::string_view dotted) { return dotted.substr(0, dotted.find('.')); }

/// The library that made every object that `identifier` can be, where none of its objects is a
/// tensor or a module of torch; else "".
std::string_view LibraryOf(Node identifier, const FileContext& file) {
  static constexpr std::array<std::string_view, 12> kLibraries = {
      "numba", "cupy", "pycuda", "jax",    "pandas", "numpy",
      "scipy", "PIL",  "xarray", "polars", "pint",   "cudf"};
  std::string_view library;
  for (const Binding* binding : file.names().BindingsOf(identifier)) {
    if (binding->kind != BindingKind::kAssignment || !binding->value.Is(NodeKind::kCall)) return {};
    const std::vector<QualifiedName> names =
        file.names().Resolve(binding->value.Child(Field::kFunction));
    if (names.size() != 1 || names.front().local) return {};
    const auto known = std::find(kLibraries.begin(), kLibraries.end(), Root(names.front().name));
    if (known == kLibraries.end()) return {};
    library = *known;
  }
  return library;
}

}  // namespace

bool IsForeignReceiver(Node receiver, std::string_view name, const FileContext& file,
                       Text* reason) {
  const Chain chain = ChainOf(receiver);
  if (chain.head.Is(NodeKind::kIdentifier) && IsOneOf(chain.head.text(), kOptionObjects)) {
    *reason = Say("an option of the program", "程序的选项");
    return true;
  }
  if (file.classes().ReceiverDefines(receiver, name)) {
    *reason = Say("its class defines {} itself", "其类自行定义了 {}", name);
    return true;
  }
  if (!chain.head.Is(NodeKind::kIdentifier)) return false;
  if (const std::string_view library = LibraryOf(chain.head, file); !library.empty()) {
    *reason = Say("it belongs to {}", "属于 {}", library);
    return true;
  }
  const std::vector<const Binding*> bindings = file.names().BindingsOf(chain.head);
  const bool imported = !bindings.empty() &&
                        std::all_of(bindings.begin(), bindings.end(), [](const Binding* binding) {
                          return binding->kind == BindingKind::kImport;
                        });
  if (!imported) return false;
  const std::string& target = bindings.front()->target;
  // An object that another file of the project offers may well be a module.
  const bool of_project =
      file.project() != nullptr &&
      (!file.project()->FileOfModule(file.source().path(), target).empty() ||
       !file.project()->FileOfModule(file.source().path(), ParentPart(target)).empty());
  if (of_project) return false;
  *reason = Say("it belongs to {}", "属于 {}", Root(target));
  return true;
}

}  // namespace transplt
