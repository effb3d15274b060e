// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/receiver.h"

#include <algorithm>

#include "transplt/facts/signatures.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

std::string_view Root(std::string_view dotted) { return dotted.substr(0, dotted.find('.')); }

/// The library that made every object that `identifier` can be, where none of its objects is a
/// tensor or a module of torch; else "".
std::string LibraryOf(Node identifier, const FileContext& file) {
  std::string library;
  for (const Binding* binding : file.names().BindingsOf(identifier)) {
    if (binding->kind != BindingKind::kAssignment || !binding->value.Is(NodeKind::kCall)) return {};
    const std::vector<QualifiedName> names =
        file.names().Resolve(binding->value.Child(Field::kFunction));
    if (names.size() != 1 || names.front().local) return {};
    if (!Signatures::Builtin().IsForeign(names.front().name)) return {};
    library = Root(names.front().name);
  }
  return library;
}

/// True if a variable of a usual name for the options of a program is not provably something else.
bool IsOfOptions(Node identifier, const FileContext& file) {
  if (!Signatures::Builtin().IsNameOfOptions(identifier.text())) return false;
  const std::vector<const Binding*> bindings = file.names().BindingsOf(identifier);
  return std::none_of(bindings.begin(), bindings.end(), [&](const Binding* binding) {
    if (binding->kind != BindingKind::kAssignment || !binding->value.Is(NodeKind::kCall)) {
      return false;
    }
    const std::vector<QualifiedName> made =
        file.names().Resolve(binding->value.Child(Field::kFunction));
    return std::any_of(made.begin(), made.end(), [](const QualifiedName& name) {
      return !name.local && Root(name.name) == "torch";
    });
  });
}

}  // namespace

bool IsForeignReceiver(Node receiver, std::string_view name, const FileContext& file,
                       Text* reason) {
  const Chain chain = ChainOf(receiver);
  if (chain.head.Is(NodeKind::kIdentifier) && IsOfOptions(chain.head, file)) {
    *reason = Say("an option of the program", "程序的选项");
    return true;
  }
  if (file.classes().ReceiverDefines(receiver, name)) {
    *reason = Say("its class defines {} itself", "其类自行定义了 {}", name);
    return true;
  }
  if (!chain.head.Is(NodeKind::kIdentifier)) return false;
  if (const std::string library = LibraryOf(chain.head, file); !library.empty()) {
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
