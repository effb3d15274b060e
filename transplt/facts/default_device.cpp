// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/default_device.h"

#include <algorithm>

#include "transplt/base/word_list.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/places_of_file.h"

namespace transplt {
namespace {

const WordList& Setters() { return Words("default-device-setters"); }

/// torch.cuda.FloatTensor, 'torch.cuda.FloatTensor'
bool NamesType(Node given) {
  const Node text = PlainStringContent(given);
  return (text ? text.text() : given.text()).ends_with("Tensor");
}

/// True for "cuda:0", torch.cuda.FloatTensor, "torch.cuda.FloatTensor" and `device`; not for
/// "torch.FloatTensor".
bool NamesOther(Node given) {
  const Node text = PlainStringContent(given);
  const std::string_view said = text ? text.text() : given.text();
  if (NamesType(given)) return std::ranges::count(said, '.') > 1;
  return !Words("host-devices").Has(said.substr(0, said.find(':')));
}

using Counts = bool (*)(Node given);
bool NamesOtherType(Node given) { return NamesType(given) && NamesOther(given); }

bool Chooses(Node call, const NameTable& names, Counts counts) {
  const Node given = call.Child(Field::kArguments).first_named_child();
  if (!given || !counts(given)) return false;
  return std::ranges::any_of(
      names.Resolve(call.Child(Field::kFunction)), [](const QualifiedName& name) {
        return !name.local && FirstPart(name.name) == "torch" && Setters().Has(LastPart(name.name));
      });
}

bool ChoosesIn(const NameTable& names, Counts counts) {
  return std::ranges::any_of(Setters().words(), [&](const std::string& setter) {
    return std::ranges::any_of(names.places().NodesSaying(setter), [&](Node name) {
      const Node callee = name.parent().Is(NodeKind::kAttribute) ? name.parent() : name;
      return callee.parent().Is(NodeKind::kCall) && callee.field() == Field::kFunction &&
             Chooses(callee.parent(), names, counts);
    });
  });
}

bool ChoosesInProject(const NameTable& names, const ProjectIndex* project, Counts counts) {
  if (ChoosesIn(names, counts)) return true;
  if (project == nullptr) return false;
  return std::ranges::any_of(Setters().words(), [&](const std::string& setter) {
    return std::ranges::any_of(project->FilesSpelling(setter), [&](const std::string& path) {
      const auto opened = project->Open(path);
      return opened != nullptr && ChoosesIn(opened->names(), counts);
    });
  });
}

}  // namespace

bool ChoosesDefaultDevice(const NameTable& names, const ProjectIndex* project) {
  return ChoosesInProject(names, project, NamesOther);
}

bool ChoosesDefaultTensorType(const NameTable& names, const ProjectIndex* project) {
  return ChoosesInProject(names, project, NamesOtherType);
}

bool TakesDefaultDevice(const ValueSource& call) {
  return std::ranges::any_of(
      call.names->Resolve(call.node.Child(Field::kFunction)), [](const QualifiedName& name) {
        return !name.local && Words("host-makers").Has(name.name) &&
               !name.name.ends_with("Tensor") && !Words("makers-on-the-host").Has(name.name);
      });
}

}  // namespace transplt
