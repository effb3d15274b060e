// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/alias_rewrite.h"

#include <algorithm>
#include <utility>

#include "transplt/rule_kinds/api_import.h"
#include "transplt/rule_kinds/api_spelling.h"

namespace transplt {

AliasRewrite AliasRewrite::From(Node statement, const FileContext& file) {
  AliasRewrite rewrite;
  rewrite.AddImport(statement, file);
  return rewrite;
}

AliasRewrite AliasRewrite::From(const Binding& binding, const ApiEntry& entry,
                                const FileContext& file) {
  AliasRewrite rewrite;
  rewrite.AddAlias(binding, entry, file);
  return rewrite;
}

void AliasRewrite::AddImport(Node statement, const FileContext& file) {
  if (!imports_.emplace(statement.id(), statement).second) return;
  for (const ImportedName& name : PlanImportFrom(statement, file).names) {
    if (!name.moves() || !name.entry->DependsOnCalls()) continue;
    const Binding* binding = BindingMadeBy(name.bound(), file);
    if (binding != nullptr) AddAlias(*binding, *name.entry, file);
  }
}

void AliasRewrite::AddAlias(const Binding& binding, const ApiEntry& entry,
                            const FileContext& file) {
  const ApiAlias alias = AliasOf(binding, entry, file);
  for (Node call : alias.calls) calls_.emplace(call.id(), &entry);
  for (const Binding* holder : alias.holders) {
    if (holder->kind == BindingKind::kImport) AddImport(holder->statement, file);
    for (Node chain : SpelledIn(*holder, entry, file)) chains_.emplace(chain.id(), &entry);
  }
}

bool AliasRewrite::IsLedBy(Node place) const {
  const uint32_t none = place.id() + 1;
  const uint32_t first = std::min(imports_.empty() ? none : imports_.begin()->first,
                                  chains_.empty() ? none : chains_.begin()->first);
  return first == place.id();
}

Fix AliasRewrite::ToFix(const FileContext& file) const {
  Fix fix;
  for (const auto& [id, statement] : imports_) {
    AddTo(fix, MoveImport(statement, PlanImportFrom(statement, file), file).edits);
  }
  for (const auto& [id, entry] : chains_) {
    AddTo(fix, RespellChain(file.tree().node(id), *entry, file).edits);
  }
  for (const auto& [id, entry] : calls_) {
    AddTo(fix, ArgumentEdits(file.tree().node(id), *entry, file));
  }
  return fix;
}

void AddTo(Fix& fix, std::vector<Edit> edits) {
  for (Edit& edit : edits) {
    const auto follows = std::ranges::find_if(fix.edits, [&](const Edit& other) {
      return edit.range.empty() && other.range.start == edit.range.start;
    });
    if (follows != fix.edits.end()) {
      follows->text.insert(0, edit.text);
    } else {
      fix.edits.push_back(std::move(edit));
    }
  }
}

}  // namespace transplt
