// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/pickled_objects.h"

#include <algorithm>
#include <string>
#include <vector>

#include "transplt/base/word_list.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/parameters.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr int kMostObjectSteps = 6;

const WordList& PickledClasses() { return Words("classes-that-are-pickled"); }
const WordList& Givers() { return Words("functions-that-give-pickled-objects"); }

Node ClassOfMethod(Node node) {
  while (node && !node.Is(NodeKind::kClassDefinition)) node = node.parent();
  return node;
}

std::vector<std::string> NamesOfCallee(const ValueSource& callee, const ValueSources& sources,
                                       int steps);

/// The classes of libraries that the class `definition` is made from, by their full names.
void AddBases(const ValueSource& definition, const ValueSources& sources, int steps,
              std::vector<std::string>& bases) {
  if (steps > kMostObjectSteps || !definition.node.Child(Field::kSuperclasses)) return;
  for (const Node base : NamedChildren(definition.node.Child(Field::kSuperclasses))) {
    const auto own = sources.DefinitionOf(definition.At(base));
    if (own && own->node.Is(NodeKind::kClassDefinition)) {
      AddBases(*own, sources, steps + 1, bases);
      continue;
    }
    for (const QualifiedName& name : definition.names->Resolve(base)) {
      if (!name.local) bases.push_back(name.name);
    }
  }
}

/// The classes of libraries of `object`, of which a method is called.
std::vector<std::string> ClassesOf(const ValueSource& object, const ValueSources& sources,
                                   int steps) {
  std::vector<std::string> classes;
  if (object.node.text() == "self" || object.node.text() == "super()") {
    if (const Node around = ClassOfMethod(object.node)) {
      AddBases(object.At(around), sources, steps, classes);
    }
    return classes;
  }
  for (const ValueSource& source : sources.Of(object)) {
    if (!source.node.Is(NodeKind::kCall)) continue;
    for (std::string& name :
         NamesOfCallee(source.At(source.node.Child(Field::kFunction)), sources, steps + 1)) {
      if (PickledClasses().Has(name)) classes.push_back(std::move(name));
      // `adj.t().to_symmetric()`
      else if (Givers().MeaningOf(name) == "own class")
        classes.emplace_back(ParentPart(name));
    }
  }
  return classes;
}

/// What `callee` is called in full: a class, a function, or a method of a class of a library.
std::vector<std::string> NamesOfCallee(const ValueSource& callee, const ValueSources& sources,
                                       int steps) {
  std::vector<std::string> names;
  for (QualifiedName& name : callee.names->Resolve(callee.node)) {
    if (!name.local) names.push_back(std::move(name.name));
  }
  if (steps > kMostObjectSteps || !callee.node.Is(NodeKind::kAttribute)) return names;
  const std::string method = "." + std::string(callee.node.Child(Field::kAttribute).text());
  for (const std::string& holder :
       ClassesOf(callee.At(callee.node.Child(Field::kObject)), sources, steps)) {
    names.push_back(holder + method);
  }
  return names;
}

bool IsCallGivingObject(const ValueSource& source, const ValueSources& sources) {
  if (!source.node.Is(NodeKind::kCall)) return false;
  const ValueSource callee = source.At(source.node.Child(Field::kFunction));
  if (const auto made = sources.DefinitionOf(callee)) {
    return made->node.Is(NodeKind::kClassDefinition);
  }
  return std::ranges::any_of(NamesOfCallee(callee, sources, 0), [](const std::string& name) {
    return PickledClasses().Has(name) || Givers().Has(name);
  });
}

/// `data, slices = self.collate(graphs)`: true of `data`.
bool IsFirstOfTuple(const ValueSource& source, const ValueSources& sources) {
  if (!source.node.Is(NodeKind::kIdentifier)) return false;
  return std::ranges::any_of(source.names->BindingsOf(source.node), [&](const Binding* binding) {
    const Node pattern = binding->node ? binding->node.parent() : Node();
    const bool is_first =
        (pattern.Is(NodeKind::kPatternList) || pattern.Is(NodeKind::kTuplePattern)) &&
        pattern.first_named_child() == binding->node && pattern.field() == Field::kLeft;
    if (!is_first) return false;
    for (const ValueSource& given : sources.Of(source.At(pattern.parent().Child(Field::kRight)))) {
      if (!given.node.Is(NodeKind::kCall)) continue;
      const auto names = NamesOfCallee(given.At(given.node.Child(Field::kFunction)), sources, 0);
      if (std::ranges::any_of(names, [](const std::string& name) {
            return Givers().MeaningOf(name) == "first of a tuple";
          })) {
        return true;
      }
    }
    return false;
  });
}

/// The parameter `name` of the constructor, or a null node.
Node ParameterNamed(Node constructor, std::string_view name) {
  return name == "self" ? Node() : ParameterOf(constructor, 0, name);
}

/// True if the constructor asks the parameter for an attribute that no plain value has:
/// `cfg.width`.
bool IsAskedAsObject(Node constructor, std::string_view parameter) {
  return std::ranges::any_of(NodesIn(constructor), [&](Node node) {
    return node.Is(NodeKind::kAttribute) && node.Child(Field::kObject).text() == parameter &&
           node.Child(Field::kObject).Is(NodeKind::kIdentifier) &&
           !Words("members-of-plain-values").Has(node.Child(Field::kAttribute).text());
  });
}

/// Whether `call` hands on the parameter: by its name, or as all of them; not where it leaves it
/// out, nor the values that the object itself holds: `self.save_hyperparameters(args)`.
bool HandsOnByName(Node call, std::string_view parameter) {
  bool names_any = false;
  for (const Argument& argument : ArgumentsOf(call)) {
    const bool is_meant = std::ranges::any_of(NodesIn(argument.value), [&](Node node) {
      return node.Is(NodeKind::kStringContent) && node.text() == parameter;
    });
    if (argument.keyword == "ignore") {
      const bool is_written = argument.value.Is(NodeKind::kString) ||
                              argument.value.Is(NodeKind::kList) ||
                              argument.value.Is(NodeKind::kTuple);
      if (is_meant || !is_written) return false;
      continue;
    }
    if (!argument.keyword.empty()) continue;
    if (is_meant) return true;
    names_any = true;
  }
  return !names_any;
}

}  // namespace

Node ObjectHandedTo(std::string_view keeper, Node definition) {
  const Node constructor = ConstructorOf(definition);
  if (!constructor) return {};
  for (const Node call : NodesIn(constructor)) {
    if (!call.Is(NodeKind::kCall)) continue;
    const Node callee = call.Child(Field::kFunction);
    if (!callee.Is(NodeKind::kAttribute) || callee.Child(Field::kAttribute).text() != keeper ||
        callee.Child(Field::kObject).text() != "self") {
      continue;
    }
    for (const Node asked : NodesIn(constructor)) {
      if (!asked.Is(NodeKind::kIdentifier) || asked.field() != Field::kObject) continue;
      const Node parameter = ParameterNamed(constructor, asked.text());
      if (parameter && HandsOnByName(call, parameter.text()) &&
          IsAskedAsObject(constructor, parameter.text())) {
        return parameter;
      }
    }
  }
  return {};
}

bool MayBePickledObject(const ValueSource& value, const ValueSources& sources) {
  return std::ranges::any_of(sources.Of(value), [&](const ValueSource& source) {
    return IsCallGivingObject(source, sources) || IsFirstOfTuple(source, sources);
  });
}

}  // namespace transplt
