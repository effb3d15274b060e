// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/served_devices.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "transplt/base/ascii.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/name_table.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr char kSign = '*';

/// True if `text` has the lower-case `word` at `at`, as a word of its own or as a part of a name.
bool HasWordAt(std::string_view text, size_t at, std::string_view word) {
  if (text.size() - at < word.size()) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    if (ToLower(text[at + i]) != word[i]) return false;
  }
  const char first = text[at];
  const char last = text[at + word.size() - 1];
  const char before = at == 0 ? '_' : text[at - 1];
  const size_t end = at + word.size();
  const char after = end == text.size() ? '_' : text[end];
  const bool starts = !IsLetter(before) || (IsLower(before) && IsUpper(first));
  const bool ends =
      !IsLetter(after) || (IsUpper(after) && (IsLower(last) || end + 1 < text.size()));
  return starts && ends;
}

bool IsNegative(Node comparison) {
  for (Node child = comparison.first_child(); child; child = child.next_sibling()) {
    if (child.IsToken("!=") || child.IsToken("not in") || child.IsToken("is not")) return true;
  }
  return false;
}

Node NameIn(Node definition) {
  if (definition.Is(NodeKind::kDecoratedDefinition))
    definition = definition.Child(Field::kDefinition);
  if (definition.Is(NodeKind::kClassDefinition) || definition.Is(NodeKind::kFunctionDefinition)) {
    return definition.Child(Field::kName);
  }
  if (definition.Is(NodeKind::kExpressionStatement)) definition = definition.first_named_child();
  const Node left = definition.Is(NodeKind::kAssignment) ? definition.Child(Field::kLeft) : Node();
  return left.Is(NodeKind::kIdentifier) ? left : Node();
}

/// The name that a plain assignment gives another name to: `cuda` of `npu = cuda`.
Node AliasedIn(Node definition) {
  if (definition.Is(NodeKind::kExpressionStatement)) definition = definition.first_named_child();
  const Node right =
      definition.Is(NodeKind::kAssignment) ? definition.Child(Field::kRight) : Node();
  return right.Is(NodeKind::kIdentifier) ? right : Node();
}

/// The definition of a function or class at the top of the file, or a null node.
Node DefinitionAtTop(Node statement) {
  const Node definition = statement.Is(NodeKind::kDecoratedDefinition)
                              ? statement.Child(Field::kDefinition)
                              : statement;
  const bool is_definition =
      definition.Is(NodeKind::kFunctionDefinition) || definition.Is(NodeKind::kClassDefinition);
  return is_definition ? definition : Node();
}

/// True for `Literal["cuda", "npu"]`; an index of something else is no list.
bool IsListOfValues(Node subscript) {
  return LastPart(subscript.first_named_child().text()) == "Literal";
}

bool IsWithin(const std::vector<Node>& parts, Node node) {
  return std::ranges::any_of(parts, [&](Node part) { return part.range().Contains(node.range()); });
}

bool HasIdIn(const std::vector<uint32_t>& ids, Node node) {
  if (!node) return false;
  const auto first = std::lower_bound(ids.begin(), ids.end(), node.id());
  return first != ids.end() && *first < node.end_id();
}

}  // namespace

bool HasDeviceWord(std::string_view text, const std::vector<std::string>& words) {
  // Whole files are searched: most places are told apart by their first letter.
  std::array<bool, 256> may_start = {};
  for (const std::string& word : words) {
    if (word.empty()) continue;
    may_start[static_cast<unsigned char>(word.front())] = true;
    may_start[static_cast<unsigned char>(ToUpper(word.front()))] = true;
  }
  for (size_t at = 0; at < text.size(); ++at) {
    if (!may_start[static_cast<unsigned char>(text[at])]) continue;
    for (const std::string& word : words) {
      if (HasWordAt(text, at, word)) return true;
    }
  }
  return false;
}

std::optional<std::string> WithoutDevice(std::string_view name,
                                         const std::vector<std::string>& words) {
  std::string key;
  bool found = false;
  for (size_t at = 0; at < name.size();) {
    size_t length = 0;
    for (const std::string& word : words) {
      if (HasWordAt(name, at, word)) length = std::max(length, word.size());
    }
    found = found || length > 0;
    key.push_back(length > 0 ? kSign : ToLower(name[at]));
    at += std::max<size_t>(length, 1);
  }
  return found ? std::optional(key) : std::nullopt;
}

ServedDevices::ServedDevices(const SyntaxTree& tree, const GuardSignatures& signatures)
    : tree_(tree), signatures_(signatures) {
  FindWords();
  if (targets_.empty()) return;
  FindDefinitions();
  FindQuestions();
  FindTables();
}

void ServedDevices::FindWords() {
  if (!HasDeviceWord(tree_.source().bytes(), signatures_.target_words)) return;
  bool is_own = false;  // a word that only the target has
  bool has_sharer = false;
  for (uint32_t id = 0; id < tree_.size(); ++id) {
    const Node part = tree_.node(id);
    // A string of several words is prose.
    const bool is_word = part.Is(NodeKind::kIdentifier) ||
                         (part.Is(NodeKind::kStringContent) &&
                          part.text().find_first_of(" \n") == std::string_view::npos);
    if (!is_word) continue;
    if (HasDeviceWord(part.text(), signatures_.target_words)) {
      targets_.push_back(id);
      is_own = is_own || !HasDeviceWord(part.text(), signatures_.shared_words);
    }
    has_sharer = has_sharer || HasDeviceWord(part.text(), signatures_.sharers);
    if (HasDeviceWord(part.text(), signatures_.words)) sources_.push_back(id);
  }
  if (has_sharer && !is_own) targets_.clear();
}

bool ServedDevices::NamesTarget(Node node) const { return HasIdIn(targets_, node); }
bool ServedDevices::NamesSource(Node node) const { return HasIdIn(sources_, node); }

/// True if what holds where the condition is true is for the NPU; false for `not is_npu()`.
bool ServedDevices::Serves(Node condition) const {
  condition = WithoutParentheses(condition);
  if (!condition || !NamesTarget(condition)) return false;
  if (condition.Is(NodeKind::kNotOperator)) return false;
  if (condition.Is(NodeKind::kComparisonOperator)) return !IsNegative(condition);
  if (condition.Is(NodeKind::kBooleanOperator)) {
    const Node left = condition.Child(Field::kLeft);
    const Node right = condition.Child(Field::kRight);
    return Serves(left) || Serves(right);
  }
  return true;
}

/// The condition of an if/elif/else chain that asks for the NPU.
Node ServedDevices::OtherBranch(Node statement) const {
  const auto [entry, is_new] = chains_.try_emplace(statement.id());
  if (!is_new) return entry->second;
  Node condition = statement.Child(Field::kCondition);
  for (Node other = statement.first_named_child(); other && !NamesTarget(condition);
       other = other.next_named_sibling()) {
    if (other.Is(NodeKind::kElifClause)) condition = other.Child(Field::kCondition);
  }
  if (NamesTarget(condition)) entry->second = condition;
  return entry->second;
}

/// `"cuda" if torch.cuda.is_available() else "npu"`, and the same as a statement.
Node ServedDevices::OtherAlternative(Node condition, Node alternative) const {
  const bool serves = condition && alternative && NamesSource(condition) &&
                      !NamesTarget(condition) && !NamesSource(alternative) &&
                      NamesTarget(alternative);
  return serves ? alternative : Node();
}

/// The condition of the first statement of the block that leaves it where there is an NPU:
/// `if is_npu_available(): return "npu"`.
Node ServedDevices::LeavingBranch(Node block) const {
  const auto [entry, is_new] = leaving_.try_emplace(block.id());
  if (!is_new) return entry->second;
  // Of a package that may be missing the question stands in a `try`.
  const auto look = [&](Node statement) {
    if (!statement.Is(NodeKind::kIfStatement) || statement.Child(Field::kAlternative))
      return Node();
    const Node condition = statement.Child(Field::kCondition);
    const bool leaves = Serves(condition) && EndsFlow(statement.Child(Field::kConsequence));
    return leaves ? condition : Node();
  };
  Node found;
  for (const Node statement : NamedChildren(block)) {
    if (found) break;
    found = look(statement);
    if (!statement.Is(NodeKind::kTryStatement)) continue;
    for (const Node tried : NamedChildren(statement.Child(Field::kBody))) {
      if (!found) found = look(tried);
    }
  }
  return entry->second = found;
}

/// `if is_npu_available(): return "npu"` above what is for CUDA.
bool ServedDevices::LeavesToSource(Node statement) const {
  const Node block = statement.parent();
  if (!statement.Is(NodeKind::kIfStatement) || !block.Is(NodeKind::kBlock)) return false;
  if (LeavingBranch(block) != statement.Child(Field::kCondition)) return false;
  for (Node next = statement.next_named_sibling(); next; next = next.next_named_sibling()) {
    if (NamesSource(next)) return true;
  }
  return false;
}

Node ServedDevices::BranchBefore(Node statement) const {
  const Node block = statement.parent();
  if (!block.Is(NodeKind::kBlock)) return {};
  const Node condition = LeavingBranch(block);
  return condition && condition.id() < statement.id() ? condition : Node();
}

/// 1 if a key or an item is for CUDA, 2 if it is for the NPU, else 0.
int ServedDevices::DeviceOf(Node entry) const {
  if (entry.Is(NodeKind::kType)) entry = entry.first_named_child();
  const Node key = entry.Is(NodeKind::kPair) ? entry.Child(Field::kKey) : entry;
  const bool is_name =
      key.Is(NodeKind::kString) || key.Is(NodeKind::kIdentifier) || key.Is(NodeKind::kAttribute);
  if (!is_name) return 0;
  if (NamesTarget(key)) return 2;
  return NamesSource(key) ? 1 : 0;
}

const ServedDevices::Entries& ServedDevices::EntriesOf(Node holder) const {
  const auto [entry, is_new] = entries_.try_emplace(holder.id());
  if (!is_new) return entry->second;
  Entries& entries = entry->second;
  for (Node item = holder.first_named_child(); item; item = item.next_named_sibling()) {
    const int device = DeviceOf(item);
    if (device == 1 && !entries.source) entries.source = item;
    if (device == 2 && !entries.target) entries.target = item;
  }
  return entries;
}

/// The entry for the other device beside `item` of a dictionary, list, tuple or set.
Node ServedDevices::OtherEntry(Node holder, Node item) const {
  const Entries& entries = EntriesOf(holder);
  if (!entries.source || !entries.target) return {};
  return DeviceOf(item) == 0 ? Node() : entries.target;
}

/// `"nccl" or "hccl"`, `x == "cuda" or x == "npu"`, `has_cuda() or has_npu()`.
Node ServedDevices::OtherOperand(Node operation, Node operand) const {
  const Node left = operation.Child(Field::kLeft);
  const Node right = operation.Child(Field::kRight);
  const Node other = operand == left ? right : left;
  const bool is_choice =
      (NamesTarget(other) && NamesSource(operand)) || (NamesTarget(operand) && NamesSource(other));
  return is_choice ? other : Node();
}

/// Definitions of one block whose names differ in the device alone: `class CudaDevice` beside
/// `class NpuDevice`, `NCCL_BACKEND` beside `HCCL_BACKEND`.
void ServedDevices::FindDefinitions() {
  struct Sides {
    std::vector<Node> source;
    std::vector<Node> target;
  };
  std::map<std::tuple<uint32_t, NodeKind, std::string>, Sides> by_name;
  for (uint32_t id = 0; id < tree_.size(); ++id) {
    const Node node = tree_.node(id);
    const Node parent = node.parent();
    if (!parent.Is(NodeKind::kModule) && !parent.Is(NodeKind::kBlock)) continue;
    const Node name = NameIn(node);
    if (!name) continue;
    const NodeKind kind = name.parent().kind();
    if (const auto key = WithoutDevice(name.text(), signatures_.words)) {
      by_name[{parent.id(), kind, *key}].source.push_back(node);
    } else if (const auto of_target = WithoutDevice(name.text(), signatures_.target_words)) {
      // A second name for what serves CUDA serves nothing else; a migration writes such ones.
      const Node aliased = AliasedIn(node);
      if (aliased && WithoutDevice(aliased.text(), signatures_.words) == of_target) continue;
      by_name[{parent.id(), kind, *of_target}].target.push_back(node);
    }
  }
  for (const auto& [key, sides] : by_name) {
    if (sides.source.empty() || sides.target.empty()) continue;
    for (Node node : sides.source) beside_.emplace(node.id(), sides.target.front());
    for (Node node : sides.target) beside_.emplace(node.id(), sides.target.front());
  }
}

/// Conditions that follow one another, one for each device: `if has_cuda(): return "cuda"`, then
/// `if has_npu(): return "npu"`.
void ServedDevices::FindQuestions() {
  for (uint32_t id = 0; id < tree_.size(); ++id) {
    const Node block = tree_.node(id);
    if (!block.Is(NodeKind::kModule) && !block.Is(NodeKind::kBlock)) continue;
    std::vector<Node> row;
    Node target;
    const auto end_row = [&] {
      for (Node question : row) {
        if (target) beside_.emplace(question.id(), target);
      }
      row.clear();
      target = Node();
    };
    for (Node child = block.first_named_child(); child; child = child.next_named_sibling()) {
      if (!child.Is(NodeKind::kIfStatement)) {
        if (!child.Is(NodeKind::kComment)) end_row();
        continue;
      }
      const Node condition = child.Child(Field::kCondition);
      if (NamesTarget(condition)) {
        if (!target) target = condition;
      } else if (NamesSource(condition)) {
        row.push_back(child);
      }
    }
    end_row();
  }
}

/// Lists of what is made with one class or function for each device, by name:
/// `[Spec(name="cuda", ...), Spec(name="npu", ...)]`.
void ServedDevices::FindTables() {
  std::vector<Node> sides;
  for (uint32_t id = 0; id < tree_.size(); ++id) {
    const Node node = tree_.node(id);
    if (node.Is(NodeKind::kList) || node.Is(NodeKind::kTuple)) FindTable(node, sides);
  }
  if (!sides.empty()) FindHelpersOf(sides, beside_.at(sides.front().id()));
}

/// Appends the entries for other devices than the NPU to `sides`.
void ServedDevices::FindTable(Node table, std::vector<Node>& sides) {
  struct Entries {
    std::vector<Node> others;
    Node target;
    bool has_source = false;
  };
  if (!NamesTarget(table) || !NamesSource(table)) return;
  std::map<std::pair<std::string_view, std::string_view>, Entries> by_keyword;
  for (const Node entry : NamedChildren(table)) {
    if (!entry.Is(NodeKind::kCall)) continue;
    for (const Argument& argument : ArgumentsOf(entry)) {
      if (argument.keyword.empty() || !argument.value.Is(NodeKind::kString)) continue;
      Entries& entries = by_keyword[{entry.Child(Field::kFunction).text(), argument.keyword}];
      if (NamesTarget(argument.value)) {
        if (!entries.target) entries.target = entry;
        continue;
      }
      entries.others.push_back(entry);
      entries.has_source = entries.has_source || NamesSource(argument.value);
    }
  }
  for (const auto& [keyword, entries] : by_keyword) {
    if (!entries.target || !entries.has_source) continue;
    for (const Node entry : entries.others) {
      if (beside_.emplace(entry.id(), entries.target).second) sides.push_back(entry);
    }
  }
}

/// Functions and classes of the file that nothing in it names but `sides`, and what only these
/// name, belong to the sides.
void ServedDevices::FindHelpersOf(std::vector<Node> sides, Node target) {
  std::map<std::string_view, std::vector<Node>> uses;
  std::vector<Node> definitions;
  for (const Node statement : NamedChildren(tree_.root())) {
    const Node definition = DefinitionAtTop(statement);
    if (!definition) continue;
    definitions.push_back(definition);
    uses.try_emplace(definition.Child(Field::kName).text());
  }
  for (uint32_t id = 0; id < tree_.size(); ++id) {
    const Node node = tree_.node(id);
    if (!node.Is(NodeKind::kIdentifier) || node.field() == Field::kAttribute) continue;
    const bool is_definition =
        node.field() == Field::kName && (node.parent().Is(NodeKind::kFunctionDefinition) ||
                                         node.parent().Is(NodeKind::kClassDefinition));
    const auto named = is_definition ? uses.end() : uses.find(node.text());
    if (named != uses.end()) named->second.push_back(node);
  }
  for (bool has_more = true; has_more;) {
    has_more = false;
    for (const Node definition : definitions) {
      if (IsWithin(sides, definition)) continue;
      const std::vector<Node>& of = uses.at(definition.Child(Field::kName).text());
      const bool is_of_sides =
          std::ranges::any_of(of, [&](Node use) { return IsWithin(sides, use); }) &&
          std::ranges::all_of(of, [&](Node use) {
            return IsWithin(sides, use) || definition.range().Contains(use.range());
          });
      if (!is_of_sides) continue;
      beside_.emplace(definition.id(), target);
      sides.push_back(definition);
      has_more = true;
    }
  }
}

/// `[f"cuda:{i}" for i in n] + [f"npu:{i}" for i in n]`: the term for the other device.
Node ServedDevices::OtherTerm(Node sum, Node term) const {
  if (!term.Is(NodeKind::kListComprehension)) return {};
  const Node element = term.first_named_child();
  if (!NamesSource(element) || NamesTarget(element)) return {};
  const auto serves = [&](Node other) {
    return other.Is(NodeKind::kListComprehension) && NamesTarget(other.first_named_child());
  };
  for (; sum.Is(NodeKind::kBinaryOperator); sum = sum.parent()) {
    if (!sum.first_named_child().next_sibling().IsToken("+")) return {};
    for (Node other = sum.first_named_child(); other; other = other.next_named_sibling()) {
      if (serves(other)) return other;
    }
  }
  return {};
}

Node ServedDevices::EvidenceFor(Node node) const {
  if (targets_.empty()) return {};
  for (Node inner = node, outer = node.parent(); outer; inner = outer, outer = outer.parent()) {
    if (const auto found = beside_.find(inner.id()); found != beside_.end()) return found->second;
    Node evidence;
    switch (outer.kind()) {
      case NodeKind::kIfStatement: {
        const bool is_clause = inner.Is(NodeKind::kElifClause) || inner.Is(NodeKind::kElseClause);
        evidence = OtherBranch(outer);
        if (!evidence && !is_clause) {
          evidence =
              OtherAlternative(outer.Child(Field::kCondition), outer.Child(Field::kAlternative));
        }
        break;
      }
      case NodeKind::kConditionalExpression: {
        const Node yes = outer.first_named_child();
        const Node condition = yes.next_named_sibling();
        const Node otherwise = condition ? condition.next_named_sibling() : Node();
        if (condition && NamesTarget(condition)) {
          evidence = condition;
        } else if (!(inner == otherwise)) {
          evidence = OtherAlternative(condition, otherwise);
        }
        break;
      }
      case NodeKind::kDictionary:
      case NodeKind::kList:
      case NodeKind::kTuple:
      case NodeKind::kSet:
      case NodeKind::kTypeParameter:  // device: Literal["cuda", "npu"]
        evidence = OtherEntry(outer, inner);
        break;
      case NodeKind::kSubscript:
        if (IsListOfValues(outer)) evidence = OtherEntry(outer, inner);
        break;
      case NodeKind::kBooleanOperator:
        evidence = OtherOperand(outer, inner);
        break;
      case NodeKind::kBinaryOperator:
        evidence = OtherTerm(outer, inner);
        break;
      case NodeKind::kFunctionDefinition:
      case NodeKind::kClassDefinition:
        if (HasDeviceWord(outer.Child(Field::kName).text(), signatures_.target_words)) {
          evidence = outer.Child(Field::kName);
        }
        break;
      default:
        break;
    }
    if (!evidence) evidence = BranchBefore(inner);
    if (evidence) return evidence;
  }
  return {};
}

Node ServedDevices::FirstName() const {
  for (uint32_t id : targets_) {
    if (tree_.node(id).Is(NodeKind::kIdentifier)) return tree_.node(id);
  }
  return {};
}

Node ServedDevices::FirstChoice() const {
  if (targets_.empty()) return {};
  for (uint32_t id = 0; id < tree_.size(); ++id) {
    const Node node = tree_.node(id);
    if (beside_.contains(id)) return node;
    const bool is_choice =
        node.Is(NodeKind::kIfStatement) || node.Is(NodeKind::kConditionalExpression);
    if (!is_choice) continue;
    const Node condition = node.Is(NodeKind::kIfStatement)
                               ? node.Child(Field::kCondition)
                               : node.first_named_child().next_named_sibling();
    if (OtherAlternative(condition, node.Is(NodeKind::kIfStatement)
                                        ? node.Child(Field::kAlternative)
                                        : condition.next_named_sibling())) {
      return node;
    }
    if (node.Is(NodeKind::kIfStatement) && OtherBranch(node) && NamesSource(node)) return node;
    if (LeavesToSource(node)) return node;
    if (node.Is(NodeKind::kConditionalExpression) && NamesTarget(condition) && NamesSource(node)) {
      return node;
    }
  }
  return {};
}

}  // namespace transplt
