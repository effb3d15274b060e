// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/handed_argument.h"

#include <algorithm>
#include <optional>

#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr int kMostLevels = 8;  // on the way up: bases may form a cycle

/// Follows one keyword argument from a class of the project up through its bases.
class HandedArgument {
 public:
  HandedArgument(std::string_view keyword, const ValueSources& sources)
      : keyword_(keyword), sources_(sources) {}

  /// False if what `base` names has no constructor that would take it: the next base does.
  bool Follow(const ValueSource& base, int level) {
    const std::optional<ValueSource> definition = sources_.DefinitionOf(base);
    if (!definition) return AddOutside(base);
    if (!definition->node.Is(NodeKind::kClassDefinition) || level == kMostLevels) return true;
    const Node constructor = ConstructorOf(definition->node);
    if (constructor) {
      FollowConstructor(definition->At(constructor), *definition, level);
      return true;
    }
    return IsField(definition->node) || FollowBases(*definition, level);
  }

  std::vector<std::string> Take() { return std::move(classes_); }

 private:
  bool AddOutside(const ValueSource& base) {
    for (const QualifiedName& name : base.names->Resolve(base.node)) {
      if (!name.local) classes_.push_back(name.name);
    }
    return true;
  }

  bool FollowBases(const ValueSource& definition, int level) {
    const Node bases = definition.node.Child(Field::kSuperclasses);
    if (!bases) return false;
    return std::ranges::any_of(NamedChildren(bases), [&](Node base) {
      return !base.Is(NodeKind::kKeywordArgument) && Follow(definition.At(base), level + 1);
    });
  }

  /// `def __init__(self, own, **kwargs): super().__init__(**kwargs)`
  void FollowConstructor(const ValueSource& constructor, const ValueSource& definition, int level) {
    std::string_view rest;
    for (const Node parameter : NamedChildren(constructor.node.Child(Field::kParameters))) {
      const Node name = NameOfParameter(parameter);
      if (name && name.text() == keyword_) return;
      if (IsRest(parameter)) rest = name.text();
    }
    const Node body = constructor.node.Child(Field::kBody);
    if (rest.empty() || SpellsKeyword(body)) return;
    for (const Node node : NodesIn(body)) {
      if (!node.Is(NodeKind::kCall) || !HandsOn(node, rest)) continue;
      const Node callee = node.Child(Field::kFunction);
      if (!callee.Is(NodeKind::kAttribute) || callee.Child(Field::kAttribute).text() != "__init__")
        continue;
      const Node object = callee.Child(Field::kObject);
      if (!object.Is(NodeKind::kCall)) {
        Follow(definition.At(object), level + 1);
      } else if (object.Child(Field::kFunction).text() == "super") {
        FollowBases(definition, level);
      }
    }
  }

  static bool IsRest(Node parameter) {
    return parameter.Is(NodeKind::kDictionarySplatPattern) ||
           (parameter.Is(NodeKind::kTypedParameter) &&
            parameter.first_named_child().Is(NodeKind::kDictionarySplatPattern));
  }

  /// The identifier of `x`, `x: T`, `x=1`, `*x` and `**x: T`.
  static Node NameOfParameter(Node parameter) {
    const Node named = parameter.Child(Field::kName);
    if (named) return named;
    Node name = parameter;
    while (name && !name.Is(NodeKind::kIdentifier)) name = name.first_named_child();
    return name;
  }

  static bool HandsOn(Node call, std::string_view rest) {
    return std::ranges::any_of(ArgumentsOf(call), [&](const Argument& argument) {
      return argument.node.Is(NodeKind::kDictionarySplat) &&
             argument.node.first_named_child().text() == rest;
    });
  }

  /// True if the constructor itself does something with it: `kwargs.pop("tokenizer")`.
  bool SpellsKeyword(Node body) const {
    return std::ranges::any_of(NodesIn(body), [&](Node node) {
      return node.Is(NodeKind::kStringContent) && node.text() == keyword_;
    });
  }

  static Node ConstructorOf(Node definition) {
    for (Node member : NamedChildren(definition.Child(Field::kBody))) {
      if (member.Is(NodeKind::kDecoratedDefinition)) member = LastNamedChild(member);
      if (member.Is(NodeKind::kFunctionDefinition) &&
          member.Child(Field::kName).text() == "__init__") {
        return member;
      }
    }
    return {};
  }

  /// True for a field of a dataclass, which is an argument of its constructor.
  bool IsField(Node definition) const {
    return std::ranges::any_of(NamedChildren(definition.Child(Field::kBody)), [&](Node statement) {
      const Node assignment = statement.first_named_child();
      return assignment.Is(NodeKind::kAssignment) &&
             assignment.Child(Field::kLeft).text() == keyword_;
    });
  }

  std::string_view keyword_;
  const ValueSources& sources_;
  std::vector<std::string> classes_;
};

}  // namespace

std::vector<std::string> ClassesHanded(Node call, std::string_view keyword,
                                       const FileContext& file) {
  const ValueSources& sources = file.sources();
  HandedArgument handed(keyword, sources);
  for (const Callee& callee : CalleesOf(call)) {
    const ValueSource own{callee.expression, &file.names()};
    const std::optional<ValueSource> definition = sources.DefinitionOf(own);
    if (definition && definition->node.Is(NodeKind::kClassDefinition)) handed.Follow(own, 0);
  }
  return handed.Take();
}

}  // namespace transplt
