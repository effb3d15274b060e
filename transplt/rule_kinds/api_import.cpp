// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/api_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

std::string TargetModule(const ApiEntry& entry, const Target& target) {
  const std::string_view parent = ParentPart(entry.new_name);
  if (entry.is_module && parent == "torch" && target.Owns(entry.new_name)) return target.package;
  return target.ImportSpelling(parent);
}

/// `new_leaf`, or `new_leaf as old` where the file knows the name as something else.
std::string ItemText(const ImportedName& name, const FileContext& file) {
  const std::string leaf(LastPart(name.entry->new_name));
  const std::string_view bytes = file.source().bytes();
  if (name.item.Is(NodeKind::kAliasedImport)) {
    const TextRange rest{name.name.range().end, name.item.range().end};
    return leaf + std::string(rest.In(bytes));
  }
  return leaf == name.name.text() ? leaf : leaf + " as " + std::string(name.name.text());
}

Node CommaAfter(Node item) {
  const Node next = item.next_sibling();
  return next.IsToken(",") ? next : Node();
}

/// The whole line, if nothing but `item` and its comma stands on it.
std::optional<TextRange> OwnLine(Node item, const SourceFile& source) {
  const std::string_view bytes = source.bytes();
  const TextRange line = source.LineRange(source.Locate(item.range().start).line);
  const Node comma = CommaAfter(item);
  const uint32_t end = comma ? comma.range().end : item.range().end;
  if (end > line.end) return std::nullopt;
  const std::string_view after = TextRange{end, line.end}.In(bytes);
  if (!MarginOf(item) || after.find_first_not_of(" \t") != std::string_view::npos) {
    return std::nullopt;
  }
  uint32_t next = line.end;
  if (next < bytes.size() && bytes[next] == '\r') ++next;
  if (next < bytes.size() && bytes[next] == '\n') ++next;
  return TextRange{line.start, next};
}

/// A moved name with names that stay behind it: with its comma, up to the next name, unless a
/// comment stands between.
TextRange WithCommaBehind(Node item) {
  TextRange range = item.range();
  const Node comma = CommaAfter(item);
  if (!comma) return range;
  range.end = comma.range().end;
  const Node after = comma.next_sibling();
  if (after && !after.Is(NodeKind::kComment)) range.end = after.range().start;
  return range;
}

/// A moved name with no name that stays behind it: the comma before it goes along, unless a
/// comment follows that comma.
TextRange WithCommaBefore(Node item, Node previous) {
  TextRange range = item.range();
  const Node before = CommaAfter(previous);
  if (before && !before.next_sibling().Is(NodeKind::kComment)) {
    range.start = before.range().start;
  } else if (const Node comma = CommaAfter(item)) {
    range.end = comma.range().end;
  }
  return range;
}

/// Deletes the names that move away; what stays keeps its place and its comments.
void RemoveMoved(const ImportPlan& plan, const SourceFile& source, Fix& fix) {
  size_t last_staying = plan.names.size();
  while (plan.names[last_staying - 1].moves()) --last_staying;
  for (size_t i = 0; i < plan.names.size(); ++i) {
    if (!plan.names[i].moves()) continue;
    const Node item = plan.names[i].item;
    std::optional<TextRange> range = OwnLine(item, source);
    if (!range) {
      range =
          i < last_staying ? WithCommaBehind(item) : WithCommaBefore(item, plan.names[i - 1].item);
    }
    fix.Replace(*range, "");
  }
}

/// Why the name of `item` in `statement` keeps the old API.
ApiObstacle ObstacleIn(Node statement, Node bound, const ApiEntry& entry, const FileContext& file) {
  if (!entry.new_name.starts_with("torch") && !entry.new_name.empty()) {
    for (Node node = statement; node; node = node.parent()) {
      if (node.Is(NodeKind::kExceptClause)) return {Obstacle::kFallback};
    }
  }
  if (!entry.DependsOnCalls() || entry.in_class) return {};
  const Binding* binding = BindingMadeBy(bound, file);
  return binding == nullptr ? ApiObstacle() : AliasOf(*binding, entry, file).obstacle;
}

}  // namespace

Node ImportedName::bound() const {
  return item.Is(NodeKind::kAliasedImport) ? item.Child(Field::kAlias) : name.first_named_child();
}

const ImportedName* ImportPlan::FirstMoved() const {
  for (const ImportedName& name : names) {
    if (name.moves()) return &name;
  }
  return nullptr;
}

ImportPlan PlanImportFrom(Node statement, const FileContext& file) {
  ImportPlan plan;
  plan.module = file.names().ModuleOf(statement);
  plan.module_entry = file.apis().Find(plan.module);
  for (const Node item : NamedChildren(statement)) {
    if (item.Is(NodeKind::kWildcardImport)) plan.is_star = true;
    if (item.field() != Field::kName) continue;
    Node name = item.Is(NodeKind::kAliasedImport) ? item.Child(Field::kName) : item;
    const ApiEntry* entry = file.apis().Find(MemberName(plan.module, name.text()));
    if (entry != nullptr && entry->asked_only && !AsksAbout(*entry, file)) entry = nullptr;
    ImportedName imported{item, name, entry};
    if (entry != nullptr) {
      imported.obstacle = ObstacleIn(statement, imported.bound(), *entry, file);
    }
    plan.names.push_back(std::move(imported));
  }
  return plan;
}

Fix MoveImport(Node statement, const ImportPlan& plan, const FileContext& file) {
  Fix fix;
  const Node module = statement.Child(Field::kModuleName);
  if (!module) return fix;
  if (plan.is_star) {
    fix.Replace(module.range(), file.apis().target().ImportSpelling(plan.module_entry->new_name));
    return fix;
  }
  // The target modules in the order of the text.
  std::vector<std::pair<std::string, std::string>> groups;  // module, "a, b as c"
  bool all_move = true;
  for (const ImportedName& name : plan.names) {
    if (!name.moves()) {
      all_move = false;
      continue;
    }
    const std::string target = TargetModule(*name.entry, file.apis().target());
    auto group = groups.begin();
    while (group != groups.end() && group->first != target) ++group;
    if (group == groups.end()) {
      groups.emplace_back(target, ItemText(name, file));
    } else {
      group->second += ", " + ItemText(name, file);
    }
  }
  const bool same_module = groups.size() == 1 && groups.front().first == plan.module;
  if (same_module || (all_move && groups.size() == 1)) {
    if (!same_module) fix.Replace(module.range(), groups.front().first);
    for (const ImportedName& name : plan.names) {
      if (!name.moves()) continue;
      const std::string text = ItemText(name, file);
      if (text != name.item.text()) fix.Replace(name.item.range(), text);
    }
    return fix;
  }
  std::string added;
  const StatementPlace place(statement, file.source());
  for (const auto& [target, names] : groups) {
    added += place.Join(fmt::format("from {} import {}", target, names));
  }
  if (all_move) {
    // Nothing stays: the first group takes the statement's place.
    fix.Replace(statement.range(),
                "from " + groups.front().first + " import " + groups.front().second);
    added.clear();
    for (size_t i = 1; i < groups.size(); ++i) {
      added += place.Join("from " + groups[i].first + " import " + groups[i].second);
    }
  } else {
    RemoveMoved(plan, file.source(), fix);
  }
  fix.Insert(place.insertion(), added);
  return fix;
}

Text MoveMessage(const ImportPlan& plan, const Text& of_one) {
  std::string old_names;
  std::string new_names;
  size_t count = 0;
  for (const ImportedName& name : plan.names) {
    if (!name.moves()) continue;
    old_names += (count == 0 ? "" : ", ") + name.entry->old_name;
    new_names += (count == 0 ? "" : ", ") + name.entry->new_name;
    ++count;
  }
  return count < 2 ? of_one : Say("change {} to {}", "将 {} 改为 {}", old_names, new_names);
}

bool BindsTorchElsewhere(Node item, const FileContext& file) {
  const NameTable& names = file.names();
  const uint32_t scope = names.ScopeOf(item);
  return std::ranges::any_of(names.bindings(), [&](const Binding& b) {
    return b.scope == scope && b.kind == BindingKind::kImport && b.name == "torch" &&
           b.node.parent().text() == "torch";
  });
}

}  // namespace transplt
