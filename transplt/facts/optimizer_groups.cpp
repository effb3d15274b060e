// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/optimizer_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/base_constructor.h"
#include "transplt/facts/numpy_values.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/places_of_file.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr std::string_view kGroups = "param_groups";
constexpr std::string_view kLambda = "LambdaLR";
constexpr std::string_view kRates = "get_lr";

/// What an expression calls its value: "optimizer" of `self.optimizer` and of `state["optimizer"]`.
std::string_view NameOf(Node value) {
  if (value.Is(NodeKind::kSubscript)) {
    const Node key = PlainStringContent(value.Child(Field::kSubscript));
    return key ? key.text() : NameOf(value.Child(Field::kValue));
  }
  return LastPart(value.text());
}

/// True if `binding` is a variable of a loop over groups, alone or beside others (`for i, group in
/// enumerate(optimizer.param_groups)`).
bool IsOfGroupLoop(const Binding& binding) {
  Node target = binding.node;
  while (target.parent() && !target.parent().Is(NodeKind::kForStatement)) target = target.parent();
  return target.field() == Field::kLeft &&
         HasPart(target.parent().Child(Field::kRight).text(), kGroups);
}

/// True if `group` is one of the groups of an optimizer: `optimizer.param_groups[0]`, or the
/// variable of a loop over them.
bool IsOptimizerGroup(Node group, const NameTable& names) {
  if (group.Is(NodeKind::kSubscript)) {
    return LastPart(group.Child(Field::kValue).text()) == kGroups;
  }
  const auto& bindings = names.BindingsOf(group);
  return group.Is(NodeKind::kIdentifier) &&
         std::ranges::any_of(bindings, [](const Binding* one) { return IsOfGroupLoop(*one); });
}

/// What a function gives: the body of a lambda, or what it returns.
std::vector<ValueSource> ResultsOf(const ValueSource& function, const ValueSources& sources) {
  std::vector<ValueSource> results;
  for (const ValueSource& one : sources.Of(function)) {
    if (one.node.Is(NodeKind::kLambda)) results.push_back(one.At(one.node.Child(Field::kBody)));
    const auto definition = sources.DefinitionOf(one);
    if (!definition || !definition->node.Is(NodeKind::kFunctionDefinition)) continue;
    for (const Node node : NodesIn(definition->node)) {
      const Node value = node.Is(NodeKind::kReturnStatement) ? node.first_named_child() : Node();
      if (value) results.push_back(definition->At(value));
    }
  }
  return results;
}

/// True if `derived` is `definition` or derives from it, through classes of the file.
bool DerivesFrom(Node derived, Node definition, const NameTable& names, int steps) {
  if (derived == definition) return true;
  const Node bases = derived.Child(Field::kSuperclasses);
  return steps > 0 && bases && std::ranges::any_of(NamedChildren(bases), [&](Node base) {
           const Node own = OwnClass(base, names);
           return own && DerivesFrom(own, definition, names, steps - 1);
         });
}

constexpr int kMostLevelsUp = 6;

/// True for a class that is made from a scheduler of torch.
bool IsScheduler(Node definition, const NameTable& names, int steps = kMostLevelsUp) {
  const Node bases = definition.Child(Field::kSuperclasses);
  return steps > 0 && bases && std::ranges::any_of(NamedChildren(bases), [&](Node base) {
           const Node own = OwnClass(base, names);
           if (own) return IsScheduler(own, names, steps - 1);
           return std::ranges::any_of(names.Resolve(base), [](const QualifiedName& name) {
             return !name.local && name.name.starts_with("torch.optim.lr_scheduler.");
           });
         });
}

/// True if a class that derives from `definition` gives the attribute of `self` a value that
/// `is_meant`: it is the derived classes that are made.
template <typename IsMeant>
bool IsSetInDerived(Node attribute, Node definition, const NameTable& names,
                    const IsMeant& is_meant) {
  return std::ranges::any_of(names.places().NodesSaying("self"), [&](Node self) {
    const Node left = self.parent();
    const Node assignment = left.parent();
    const bool sets_it = left.Is(NodeKind::kAttribute) && left.field() == Field::kLeft &&
                         assignment.Is(NodeKind::kAssignment) && left.text() == attribute.text() &&
                         assignment.Child(Field::kRight);
    if (!sets_it) return false;
    const Node holder = ClassAround(left, names);
    return holder && DerivesFrom(holder, definition, names, kMostLevelsUp) &&
           is_meant({assignment.Child(Field::kRight), &names});
  });
}

/// What `get_lr` of a scheduler returns for a group that is of NumPy; or a null node. torch puts
/// it into the group as it is.
template <typename IsMeant>
Node RateOfNumpy(Node function, const NameTable& names, const IsMeant& is_meant) {
  const Node holder = ClassAround(function, names);
  if (!holder || !IsScheduler(holder, names)) return {};
  for (const Node node : NodesIn(function)) {
    const Node list = node.Is(NodeKind::kReturnStatement) ? node.first_named_child() : Node();
    if (!list.Is(NodeKind::kList) && !list.Is(NodeKind::kListComprehension)) continue;
    const Node rate = list.first_named_child();
    if (!rate) continue;
    if (is_meant({rate, &names})) return node;
    for (const Node part : NodesIn(rate)) {
      const bool is_own =
          part.Is(NodeKind::kAttribute) && part.Child(Field::kObject).text() == "self";
      if (is_own && IsSetInDerived(part, holder, names, is_meant)) return node;
    }
  }
  return {};
}

/// The first place of this file, or null.
Node FirstIn(const NameTable& names, const ProjectIndex* project) {
  const ValueSources sources(names, project);
  const auto is_numpy = [&](const ValueSource& value) { return MayBeOfNumpy(value, sources); };
  for (const Node node : NodesIn(names.tree())) {
    if (node.Is(NodeKind::kAssignment) && node.Child(Field::kRight)) {
      const Node left = node.Child(Field::kLeft);
      const bool is_item =
          left.Is(NodeKind::kSubscript) && PlainStringContent(left.Child(Field::kSubscript));
      if (is_item && IsOptimizerGroup(left.Child(Field::kValue), names) &&
          is_numpy({node.Child(Field::kRight), &names})) {
        return node;
      }
    }
    if (node.Is(NodeKind::kFunctionDefinition) && node.Child(Field::kName).text() == kRates) {
      if (const Node rate = RateOfNumpy(node, names, is_numpy)) return rate;
    }
    if (!node.Is(NodeKind::kCall) || LastPart(node.Child(Field::kFunction).text()) != kLambda) {
      continue;
    }
    const std::vector<Argument> arguments = ArgumentsOf(node);
    const Argument* function = FindKeyword(arguments, "lr_lambda");
    if (function == nullptr && arguments.size() > 1) function = &arguments[1];
    if (function != nullptr &&
        std::ranges::any_of(ResultsOf({function->value, &names}, sources), is_numpy)) {
      return node;
    }
  }
  return {};
}

std::string PlaceInFile(const NameTable& names, const ProjectIndex* project) {
  const Node place = FirstIn(names, project);
  const SourceFile& source = names.tree().source();
  return place ? fmt::format("{}:{}", source.path(), source.Locate(place.range().start).line) : "";
}

}  // namespace

bool IsOptimizer(const ValueSource& value, const ValueSources& sources) {
  if (Words("names-of-optimizers").Has(NameOf(value.node))) return true;
  return std::ranges::any_of(sources.Of(value), [](const ValueSource& source) {
    if (!source.node.Is(NodeKind::kCall)) return false;
    const auto names = source.names->Resolve(source.node.Child(Field::kFunction));
    return std::ranges::any_of(names, [](const QualifiedName& name) {
      return !name.local && name.name.starts_with("torch.optim.");
    });
  });
}

std::string NumpyInOptimizers(const NameTable& names, const ProjectIndex* project) {
  std::string place = PlaceInFile(names, project);
  if (!place.empty() || project == nullptr) return place;
  std::set<std::string_view> paths;
  for (const std::string_view word : {kGroups, kLambda, kRates}) {
    const std::vector<std::string>& spelling = project->FilesSpelling(word);
    paths.insert(spelling.begin(), spelling.end());
  }
  for (const std::string_view path : paths) {
    if (path == names.tree().source().path()) continue;
    const std::shared_ptr<const OpenedFile> file = project->Open(std::string(path));
    if (file == nullptr) continue;  // reported when the file itself is migrated
    place = PlaceInFile(file->names(), project);
    if (!place.empty()) break;
  }
  return place;
}

}  // namespace transplt
