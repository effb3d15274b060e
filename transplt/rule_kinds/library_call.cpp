// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/library_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "transplt/base/ascii.h"
#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/facts/value_sources.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr size_t kMostClasses = 32;

std::vector<std::string> Listed(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    const std::string_view part = Trimmed(text.substr(0, end));
    if (!part.empty()) parts.emplace_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// A parameter that takes one argument.
struct Parameter {
  std::string_view name;
  bool has_default = false;
  bool by_position = true;
  bool by_keyword = true;
};

/// The parameters of a method, without the object itself.
struct Parameters {
  std::vector<Parameter> all;
  bool takes_more = false;      ///< *args
  bool takes_keywords = false;  ///< **kwargs
};

bool IsStatic(Node method) {
  const Node around = method.parent();
  if (!around.Is(NodeKind::kDecoratedDefinition)) return false;
  return std::ranges::any_of(NamedChildren(around), [](Node child) {
    return child.Is(NodeKind::kDecorator) &&
           child.first_named_child().text() == std::string_view("staticmethod");
  });
}

Parameters ParametersOf(Node method) {
  Parameters parameters;
  bool is_keyword_only = false;
  for (const Node parameter : NamedChildren(method.Child(Field::kParameters))) {
    const std::string_view text = parameter.text();
    if (parameter.Is(NodeKind::kComment)) continue;
    if (text == "/") {
      for (Parameter& before : parameters.all) before.by_keyword = false;
    } else if (text.starts_with("**")) {
      parameters.takes_keywords = true;
    } else if (text.starts_with('*')) {
      parameters.takes_more |= text != "*";
      is_keyword_only = true;
    } else {
      const Node named = parameter.Child(Field::kName);
      const Node plain =
          parameter.Is(NodeKind::kIdentifier) ? parameter : parameter.first_named_child();
      const bool has_default = parameter.Is(NodeKind::kDefaultParameter) ||
                               parameter.Is(NodeKind::kTypedDefaultParameter);
      parameters.all.push_back({(named ? named : plain).text(), has_default, !is_keyword_only});
    }
  }
  if (!IsStatic(method) && !parameters.all.empty() && parameters.all.front().by_position) {
    parameters.all.erase(parameters.all.begin());
  }
  return parameters;
}

/// `num_items` and `num_items_in_batch`, `_scheduler` and `lr_scheduler`.
bool ShareAWord(std::string_view a, std::string_view b) {
  const std::vector<std::string> words = Listed(b, '_');
  return std::ranges::any_of(Listed(a, '_'),
                             [&](const std::string& word) { return IsOneOf(word, words); });
}

/// True if the argument `name` means something else than the parameter that it gets to: the
/// parameter has the name of another argument, the argument that of another parameter, or the
/// parameter is one that may be left out, which the author of the method has added for himself.
bool IsMoved(std::string_view name, const Parameter& to, const LibraryCall& call,
             const Parameters& parameters) {
  if (to.name == name || to.name.starts_with('_')) return false;
  const bool has_own_place = std::ranges::any_of(
      parameters.all, [&](const Parameter& parameter) { return parameter.name == name; });
  if (call.HasArgument(to.name) || has_own_place) return true;
  return to.has_default && to.name.size() > 1 && !ShareAWord(to.name, name);
}

Misfit Refusal(Text what) { return {std::move(what), true}; }

std::string NamesIn(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

bool LibraryCall::HasArgument(std::string_view name) const {
  return IsOneOf(name, positional) || IsOneOf(name, optional) || IsOneOf(name, keywords);
}

std::optional<LibraryCall> ReadLibraryCall(std::string_view text) {
  LibraryCall call;
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    call.callers = Listed(text.substr(0, colon), '>');
    text.remove_prefix(colon + 1);
  }
  for (std::string& argument : Listed(text, ',')) {
    std::vector<std::string>* list = &call.positional;
    if (argument.ends_with('=') || argument.ends_with('?')) {
      list = argument.back() == '=' ? &call.keywords : &call.optional;
      argument.pop_back();
    } else if (argument.starts_with('!')) {
      list = &call.refused;
      argument.erase(0, 1);
    }
    const bool comes_late =
        list == &call.positional && (!call.keywords.empty() || !call.optional.empty());
    if (argument.empty() || comes_late || !std::ranges::all_of(argument, IsWordByte)) {
      return std::nullopt;
    }
    list->push_back(std::move(argument));
  }
  return call;
}

std::optional<Misfit> MisfitOf(const LibraryCall& call, Node method) {
  const Parameters parameters = ParametersOf(method);
  std::set<std::string_view> given;
  std::vector<std::string> refused;
  std::optional<Misfit> moved;
  size_t place = 0;
  const auto take = [&](const std::string& argument) {
    if (place >= parameters.all.size() || !parameters.all[place].by_position) return false;
    const Parameter& to = parameters.all[place++];
    given.insert(to.name);
    if (!moved && IsMoved(argument, to, call, parameters)) {
      moved = {Say("its parameter {} gets {}", "其参数 {} 会得到 {}", to.name, argument), false};
    }
    return true;
  };
  for (const std::string& argument : call.positional) {
    if (!take(argument) && !parameters.takes_more) refused.push_back(argument);
  }
  for (const std::string& argument : call.optional) take(argument);
  std::vector<std::string> doubled;
  for (const std::string& keyword : call.keywords) {
    const auto to = std::ranges::find_if(parameters.all, [&](const Parameter& parameter) {
      return parameter.by_keyword && parameter.name == keyword;
    });
    if (to == parameters.all.end()) {
      if (!parameters.takes_keywords) refused.push_back(keyword);
    } else if (!given.insert(to->name).second) {
      doubled.push_back(keyword);
    }
  }
  std::vector<std::string> missing;
  for (const Parameter& parameter : parameters.all) {
    if (!parameter.has_default && !given.contains(parameter.name)) {
      missing.emplace_back(parameter.name);
    }
  }
  for (const std::string& name : call.refused) {
    if (std::ranges::any_of(parameters.all,
                            [&](const Parameter& one) { return one.name == name; })) {
      return Refusal(Say("it has the parameter {}", "它具有参数 {}", name));
    }
  }
  if (!refused.empty()) {
    return Refusal(Say("it does not take {}, which raises TypeError",
                       "它不接受 {}，因而抛出 TypeError", NamesIn(refused)));
  }
  if (!doubled.empty()) {
    return Refusal(Say("it gets {} twice, which raises TypeError",
                       "它会两次得到 {}，因而抛出 TypeError", NamesIn(doubled)));
  }
  if (!missing.empty()) {
    return Refusal(Say("nothing is passed for its parameter {}, which raises TypeError",
                       "其参数 {} 不会得到任何值，因而抛出 TypeError", NamesIn(missing)));
  }
  return moved;
}

namespace {

/// The classes of the project that `definition` is made of, itself in front.
std::vector<ValueSource> WithOwnBases(Node definition, const FileContext& file) {
  const ValueSources& sources = file.sources();
  std::vector<ValueSource> classes = {{definition, &file.names()}};
  for (size_t at = 0; at < classes.size() && classes.size() < kMostClasses; ++at) {
    for (const Node base : NamedChildren(classes[at].node.Child(Field::kSuperclasses))) {
      const std::optional<ValueSource> found = sources.DefinitionOf(classes[at].At(base));
      const bool is_class = found && found->node.Is(NodeKind::kClassDefinition);
      const bool is_new = is_class && std::ranges::none_of(classes, [&](const ValueSource& known) {
                            return known.node == found->node;
                          });
      if (is_new) classes.push_back(*found);
    }
  }
  return classes;
}

Node MethodOf(Node definition, std::string_view name) {
  for (Node statement : NamedChildren(definition.Child(Field::kBody))) {
    if (statement.Is(NodeKind::kDecoratedDefinition))
      statement = statement.Child(Field::kDefinition);
    if (statement.Is(NodeKind::kFunctionDefinition) &&
        statement.Child(Field::kName).text() == name) {
      return statement;
    }
  }
  return {};
}

bool Spells(Node function, std::string_view name) {
  return std::ranges::any_of(NodesIn(function), [&](Node node) {
    return node.Is(NodeKind::kIdentifier) && node != function.Child(Field::kName) &&
           node.text() == name;
  });
}

/// `super().train(...)`, `Trainer.train(self, ...)`
bool CallsThatOfBase(Node method, std::string_view name) {
  return std::ranges::any_of(NodesIn(method), [&](Node node) {
    const Node callee = node.Is(NodeKind::kCall) ? node.Child(Field::kFunction) : Node();
    return callee.Is(NodeKind::kAttribute) && callee.Child(Field::kAttribute).text() == name &&
           callee.Child(Field::kObject).text() != "self";
  });
}

}  // namespace

bool IsMadeFor(const LibraryCall& call, Node definition, const FileContext& file) {
  if (call.callers.empty()) return true;
  const std::vector<ValueSource> classes = WithOwnBases(definition, file);
  for (size_t at = 0; at < call.callers.size(); ++at) {
    for (const ValueSource& one : classes) {
      const Node method = MethodOf(one.node, call.callers[at]);
      if (!method || CallsThatOfBase(method, call.callers[at])) continue;
      // What takes the place of an outer method may call the next one all the same.
      const bool is_last = at + 1 == call.callers.size();
      if (is_last || !Spells(method, call.callers[at + 1])) return false;
    }
  }
  return true;
}

}  // namespace transplt
