// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/own_saves.h"

#include <algorithm>
#include <vector>

#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// True for a path that is the same wherever it is read: a text, or a variable that is set once.
bool IsOnePath(Node path, const NameTable& names) {
  if (PlainStringContent(path)) return true;
  if (!path.Is(NodeKind::kIdentifier)) return false;
  const NameTable::Meanings bindings = names.BindingsOf(path);
  if (bindings.size() != 1) return false;
  const Binding* const only = *bindings.begin();
  return only->kind == BindingKind::kAssignment && !LoopAround(only->node);
}

/// The statement of `block` that holds `node`; a null node if none does.
Node StatementIn(Node block, Node node) {
  while (node && node.parent() != block) node = node.parent();
  return node;
}

/// True if `earlier` has run, or a loop around it, wherever `later` does.
bool RunsBefore(Node earlier, Node later) {
  if (DefinitionAround(earlier) != DefinitionAround(later)) return false;
  for (Node block = later.parent(); block; block = block.parent()) {
    if (block.Is(NodeKind::kFunctionDefinition)) return false;
    if (!block.Is(NodeKind::kBlock) && !block.Is(NodeKind::kModule)) continue;
    const Node first = StatementIn(block, earlier);
    if (!first) continue;
    const bool is_before = first.range().end <= later.range().start;
    return is_before && (IsLoop(first) || first == EnclosingStatement(earlier));
  }
  return false;
}

/// The calls of the function around `node`, wherever they are; nothing outside of functions.
std::vector<ValueSource> CallsOfHolder(Node node, const NameTable& names,
                                       const ValueSources& sources) {
  const Node function = DefinitionAround(node);
  if (!function) return {};
  return sources.CallsOf({function, &names});
}

}  // namespace

bool IsWrittenByRun(Node load, const NameTable& names, const ProjectIndex* project,
                    const IsSaving& is_saving) {
  const std::vector<Argument> read = ArgumentsOf(load);
  if (read.empty() || read[0].is_splat || !IsOnePath(read[0].value, names)) return false;
  std::vector<Node> saves;
  for (const Node node : NodesIn(names.tree())) {
    if (!node.Is(NodeKind::kCall) || !is_saving(node)) continue;
    const std::vector<Argument> written = ArgumentsOf(node);
    if (written.size() < 2 || written[1].is_splat) continue;
    if (!IsSameExpression(written[1].value, read[0].value, names)) continue;
    saves.push_back(node);
  }
  if (saves.empty()) return false;
  const ValueSources sources(names, project);
  for (const Node save : std::vector<Node>(saves)) {
    for (const ValueSource& call : CallsOfHolder(save, names, sources)) {
      if (call.names == &names) saves.push_back(call.node);
    }
  }
  const auto has_saved = [&](Node place) {
    return std::ranges::any_of(saves, [&](Node save) { return RunsBefore(save, place); });
  };
  if (has_saved(load)) return true;
  const std::vector<ValueSource> calls = CallsOfHolder(load, names, sources);
  return !calls.empty() && std::ranges::all_of(calls, [&](const ValueSource& call) {
    return call.names == &names && has_saved(call.node);
  });
}

}  // namespace transplt
