// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/engine.h"

#include <algorithm>

namespace transplt {
namespace {

bool IsWordByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= 'a' && byte <= 'z') || byte == '_' || byte >= 0x80;
}

void AppendWords(std::string_view text, std::vector<std::string_view>& names) {
  size_t i = 0;
  while (i < text.size()) {
    const size_t start = i;
    while (i < text.size() && IsWordByte(text[i])) ++i;
    if (i > start) names.push_back(text.substr(start, i - start));
    ++i;
  }
}

/// The last name of what is called; both branches of `(a if c else b)()`.
void AppendCalleeNames(Node callee, std::vector<std::string_view>& names) {
  while (callee.Is(NodeKind::kParenthesizedExpression)) callee = callee.first_named_child();
  if (!callee) return;
  if (callee.Is(NodeKind::kIdentifier)) {
    names.push_back(callee.text());
  } else if (callee.Is(NodeKind::kAttribute)) {
    names.push_back(callee.Child(Field::kAttribute).text());
  } else if (callee.Is(NodeKind::kConditionalExpression)) {
    Node yes = callee.first_named_child();
    Node condition = yes ? yes.next_named_sibling() : Node();
    AppendCalleeNames(yes, names);
    if (condition) AppendCalleeNames(condition.next_named_sibling(), names);
  }
}

void AppendDottedParts(Node node, std::vector<std::string_view>& names) {
  for (uint32_t id = node.id() + 1; id < node.end_id(); ++id) {
    Node part = node.tree().node(id);
    if (part.Is(NodeKind::kIdentifier)) names.push_back(part.text());
  }
}

std::vector<std::vector<std::vector<std::string>>> WordsOf(const RuleSet& rules) {
  std::vector<std::vector<std::vector<std::string>>> words;
  for (const LoadedRule& loaded : rules.rules()) words.push_back(loaded.rule->required_words());
  return words;
}

}  // namespace

void AppendNames(Node node, std::vector<std::string_view>& names) {
  switch (node.kind()) {
    case NodeKind::kIdentifier:
      names.push_back(node.text());
      break;
    case NodeKind::kAttribute:
      names.push_back(node.Child(Field::kAttribute).text());
      break;
    case NodeKind::kMemberType:
    case NodeKind::kDottedName: {
      Node last;
      for (Node part = node.first_named_child(); part; part = part.next_named_sibling())
        last = part;
      if (last) names.push_back(last.text());
      break;
    }
    case NodeKind::kCall:
      AppendCalleeNames(node.Child(Field::kFunction), names);
      break;
    case NodeKind::kImportStatement:
    case NodeKind::kImportFromStatement:
      AppendDottedParts(node, names);
      break;
    case NodeKind::kString:
      for (Node part = node.first_child(); part; part = part.next_sibling()) {
        if (part.Is(NodeKind::kStringContent)) AppendWords(part.text(), names);
      }
      break;
    default:
      break;
  }
}

Engine::Engine(const RuleSet& rules) : rules_(rules), filter_(WordsOf(rules)) {
  const std::vector<LoadedRule>& loaded = rules.rules();
  triggers_.reserve(loaded.size());
  for (uint32_t index = 0; index < loaded.size(); ++index) {
    const Rule& rule = *loaded[index].rule;
    if (const ApiEntry* entry = rule.api_entry()) apis_.Add(*entry);
    triggers_.push_back(rule.triggers());
    for (const Trigger& trigger : triggers_.back()) {
      ByKind& row = table_[static_cast<size_t>(trigger.kind)];
      (trigger.word.empty() ? row.any_word : row.by_word[trigger.word]).push_back(index);
    }
  }
}

std::vector<Finding> Engine::Check(const FileContext& file,
                                   const WordFilter::FileWords& words) const {
  const SyntaxTree& tree = file.tree();
  std::vector<std::pair<uint32_t, Finding>> found;
  std::vector<Finding> findings;
  std::vector<std::string_view> names;
  std::vector<uint32_t> rules;
  for (uint32_t id = 0; id < tree.size(); ++id) {
    const Node node = tree.node(id);
    const ByKind& row = table_[static_cast<size_t>(node.kind())];
    if (row.empty()) continue;
    rules = row.any_word;
    if (!row.by_word.empty()) {
      names.clear();
      AppendNames(node, names);
      for (std::string_view name : names) {
        auto entry = row.by_word.find(name);
        if (entry != row.by_word.end()) {
          rules.insert(rules.end(), entry->second.begin(), entry->second.end());
        }
      }
    }
    if (rules.empty() || tree.IsUnparsed(node.range())) continue;
    std::sort(rules.begin(), rules.end());
    rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
    for (uint32_t index : rules) {
      if (!filter_.CanHold(index, words)) continue;
      rules_.rules()[index].rule->Check(node, file, findings);
      for (Finding& finding : findings) found.emplace_back(index, std::move(finding));
      findings.clear();
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& entry : found) findings.push_back(std::move(entry.second));
  return findings;
}

}  // namespace transplt
