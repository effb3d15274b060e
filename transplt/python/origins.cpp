// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/origins.h"

#include <algorithm>
#include <bit>

#include "transplt/base/word_list.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/returned_imports.h"

namespace transplt {
namespace {

constexpr size_t kMaxNames = 32;
/// How many nodes' names are kept, a power of two.
constexpr size_t kMostAnswers = 4096;
/// No name that anybody knows is longer, in bytes and in parts.
constexpr size_t kLongestName = 1000;
constexpr uint32_t kMostParts = 100;
/// How deep conditional expressions stand in each other's branches, and how many branches they
/// have.
constexpr int kMaxDepth = 16;
constexpr size_t kMostBranches = 400;
/// For bindings that lead to each other.
constexpr size_t kLongestTrail = 16;
constexpr int kMaxSteps = 400;

void AddWithinLimits(std::vector<QualifiedName>& names, QualifiedName name) {
  if (names.size() == kMaxNames || name.name.size() > kLongestName) return;
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

bool IsTooLong(Node chain) {
  // The object of an attribute is its first child, which has the next number.
  const SyntaxTree& tree = chain.tree();
  for (uint32_t part = 0; part <= kMostParts; ++part) {
    const uint32_t id = chain.id() + part;
    if (id >= tree.size() || !tree.node(id).Is(NodeKind::kAttribute)) return false;
  }
  return true;
}

/// The values that a conditional expression can have, in the order of the text.
std::vector<Node> BranchesOf(Node conditional) {
  std::vector<Node> values;
  std::vector<Node> branches = {conditional};
  while (!branches.empty() && values.size() < kMostBranches) {
    Node branch = branches.back();
    branches.pop_back();
    while (branch.Is(NodeKind::kParenthesizedExpression)) branch = branch.first_named_child();
    if (branch.Is(NodeKind::kConditionalExpression)) {
      const Node yes = branch.first_named_child();
      const Node condition = yes ? yes.next_named_sibling() : Node();
      branches.push_back(condition ? condition.next_named_sibling() : Node());
      branches.push_back(yes);
    } else if (branch) {
      values.push_back(branch);
    }
  }
  return values;
}

/// `import_module("ops.fast")`, `load_ext("_ext", [...])` as far as the spelling tells: the callee,
/// and the name of the module.
struct ImportByName {
  Node callee;
  std::string_view module;  ///< "" for something else
};

ImportByName ImportByNameIn(Node value) {
  if (!value.Is(NodeKind::kCall)) return {};
  const Node callee = value.Child(Field::kFunction);
  const Node argument = value.Child(Field::kArguments).first_named_child();
  const Node content = argument.Is(NodeKind::kString) ? PlainStringContent(argument) : Node();
  if (!content || content.text().starts_with('.')) return {};
  const auto is_spelled = [&](std::string_view importer) {
    return LastPart(importer) == LastPart(callee.text());
  };
  const bool is_import = std::ranges::any_of(
      Words(argument.next_named_sibling() ? "importers-of-parts" : "import-functions").words(),
      is_spelled);
  return is_import ? ImportByName{callee, content.text()} : ImportByName{};
}

/// The callee of a call without arguments; a null node for something else.
Node CalleeWithoutArguments(Node value) {
  if (!value.Is(NodeKind::kCall)) return {};
  const Node arguments = value.Child(Field::kArguments);
  const bool is_plain = arguments.Is(NodeKind::kArgumentList) && !arguments.first_named_child();
  return is_plain ? value.Child(Field::kFunction) : Node();
}

}  // namespace

std::vector<QualifiedName> NameTable::Origins::Of(Node expression) {
  if (!expression) return {};
  const std::lock_guard lock(mutex_);
  return AnswerFor(expression);
}

std::vector<QualifiedName> NameTable::Origins::GivenBy(Node call) {
  const Node callee = CalleeWithoutArguments(call);
  if (!callee) return {};
  const std::lock_guard lock(mutex_);
  AnswerFor(callee);
  return NamesOfReturned(callee, nullptr, 0);
}

bool NameTable::Origins::IsNamed(Node expression, std::string_view name) {
  if (!expression) return false;
  const std::lock_guard lock(mutex_);
  const Names& names = AnswerFor(expression);
  return std::any_of(names.begin(), names.end(), [&](const QualifiedName& candidate) {
    return !candidate.local && candidate.name == name;
  });
}

const NameTable::Origins::Names& NameTable::Origins::AnswerFor(Node expression) {
  if (answers_.empty()) {
    marks_.resize(table_.bindings_.size());
    answers_.resize(std::min(kMostAnswers, std::bit_ceil(size_t{table_.tree_.size()} / 8 + 1)));
  }
  Answer& answer = answers_[expression.id() & (answers_.size() - 1)];
  if (answer.is_known && answer.node == expression.id()) return answer.names;
  Settle(RangesIn(expression));
  answer = {expression.id(), true, NamesOf(expression, nullptr, 0)};
  return answer.names;
}

// Which bindings have to be known before others.

std::vector<NameTable::Range> NameTable::Origins::RangesIn(Node expression) const {
  std::vector<Range> ranges;
  std::vector<std::pair<Node, int>> pending = {{expression, 0}};
  while (!pending.empty()) {
    const auto [node, depth] = pending.back();
    pending.pop_back();
    if (!node || depth > kMaxDepth || IsTooLong(node)) continue;
    const Node head = ChainOf(node).head;
    if (head.Is(NodeKind::kIdentifier)) {
      for (const Range& range : table_.ReachOf(head)) {
        if (!range.empty()) ranges.push_back(range);
      }
    } else if (head.Is(NodeKind::kConditionalExpression)) {
      for (Node branch : BranchesOf(head)) pending.emplace_back(branch, depth + 1);
    } else if (const ImportByName by_name = ImportByNameIn(head); !by_name.module.empty()) {
      pending.emplace_back(by_name.callee, depth + 1);
    } else if (const Node callee = CalleeWithoutArguments(head)) {
      pending.emplace_back(callee, depth + 1);
    }
  }
  return ranges;
}

size_t NameTable::Origins::FirstUnknown(const Range& range) const {
  const auto growing = growing_.find({range.candidates, range.first});
  return growing == growing_.end() ? range.first : std::max(range.first, growing->second.known);
}

void NameTable::Origins::Settle(const std::vector<Range>& ranges) {
  for (const Range& range : ranges) {
    for (size_t i = FirstUnknown(range); i < range.last; ++i) SettleFrom((*range.candidates)[i]);
  }
}

void NameTable::Origins::SettleFrom(uint32_t binding) {
  if (marks_[binding].order != 0) return;
  Enter(binding);
  while (!steps_.empty()) {
    if (!GoOn()) Leave();
  }
}

void NameTable::Origins::Enter(uint32_t binding) {
  Mark& mark = marks_[binding];
  mark.order = mark.lowest = ++last_order_;
  open_.push_back(binding);
  Step step;
  step.binding = binding;
  const Binding& bound = table_.bindings_[binding];
  if (bound.kind == BindingKind::kAssignment) step.ranges = RangesIn(bound.value);
  if (!step.ranges.empty()) step.next = FirstUnknown(step.ranges.front());
  steps_.push_back(std::move(step));
}

bool NameTable::Origins::GoOn() {
  Step& step = steps_.back();
  while (step.range < step.ranges.size()) {
    const Range& range = step.ranges[step.range];
    if (step.next >= range.last) {
      if (++step.range < step.ranges.size()) step.next = FirstUnknown(step.ranges[step.range]);
      continue;
    }
    const uint32_t binding = (*range.candidates)[step.next++];
    const Mark& mark = marks_[binding];
    if (mark.order == 0) {
      Enter(binding);
      return true;
    }
    if (mark.is_known) continue;
    Mark& own = marks_[step.binding];
    own.lowest = std::min(own.lowest, mark.order);
    step.is_cyclic = true;
  }
  return false;
}

void NameTable::Origins::Leave() {
  const Step step = std::move(steps_.back());
  steps_.pop_back();
  Mark& mark = marks_[step.binding];
  if (!steps_.empty()) {
    Mark& before = marks_[steps_.back().binding];
    before.lowest = std::min(before.lowest, mark.lowest);
  }
  if (mark.lowest != mark.order) return;
  const auto first = std::find(open_.rbegin(), open_.rend(), step.binding).base() - 1;
  const std::vector<uint32_t> members(first, open_.end());
  open_.erase(first, open_.end());
  if (members.size() == 1 && !step.is_cyclic) {
    mark.names = NamesOfBinding(step.binding, nullptr, 0);
    mark.is_known = true;
    return;
  }
  const uint32_t cycle = ++last_cycle_;
  for (uint32_t member : members) marks_[member].cycle = cycle;
  for (uint32_t member : members) {
    Trail trail{cycle, {member}};
    marks_[member].names = NamesOfBinding(member, &trail, 0);
  }
  for (uint32_t member : members) marks_[member].is_known = true;
}

// What expressions stand for, once the bindings that they lead to are known.

NameTable::Origins::Names NameTable::Origins::NamesOf(Node expression, Trail* trail, int depth) {
  if (!expression || depth > kMaxDepth || IsTooLong(expression)) return {};
  const Chain chain = ChainOf(expression);
  Names names = NamesOfHead(chain.head, trail, depth);
  for (Node part : chain.parts) {
    Names members;
    for (const QualifiedName& name : names) table_.AddMember(name, part.text(), members);
    names = std::move(members);
  }
  return names;
}

NameTable::Origins::Names NameTable::Origins::NamesOfHead(Node head, Trail* trail, int depth) {
  if (head.Is(NodeKind::kConditionalExpression)) return NamesOfBranches(head, trail, depth);
  if (!head.Is(NodeKind::kIdentifier)) return {};
  const Reach reach = table_.ReachOf(head);
  if (reach[0].empty() && reach[1].empty()) return NamesOfUnbound(head.text());
  Names names;
  for (const Range& range : reach) AddNames(range, trail, depth, names);
  return names;
}

NameTable::Origins::Names NameTable::Origins::NamesOfBranches(Node conditional, Trail* trail,
                                                              int depth) {
  Names names;
  for (Node branch : BranchesOf(conditional)) {
    for (QualifiedName& name : NamesOf(branch, trail, depth + 1)) {
      AddWithinLimits(names, std::move(name));
    }
  }
  return names;
}

const NameTable::Origins::Names& NameTable::Origins::NamesOfUnbound(std::string_view name) {
  const auto [known, is_new] = unbound_.try_emplace(name);
  Names& names = known->second;
  if (!is_new) return names;
  names.push_back({std::string(name), false});
  const std::vector<std::string>& stars = table_.star_imports_;
  for (auto module = stars.rbegin(); module != stars.rend(); ++module) {
    if (table_.exports_ != nullptr) {
      auto found = table_.exports_->Find(table_.tree_.source().path(), *module, name);
      if (found && !found->empty()) return names = *std::move(found);
      if (found) {
        std::string defined =
            table_.exports_->FindDefinition(table_.tree_.source().path(), *module, name);
        if (!defined.empty()) return names = {{std::move(defined), false}};
        continue;
      }
    }
    if (!module->starts_with('.')) AddWithinLimits(names, {MemberName(*module, name), false});
  }
  return names;
}

NameTable::Origins::Growing& NameTable::Origins::GrowingOf(const Range& range) {
  Growing& growing = growing_[{range.candidates, range.first}];
  growing.known = std::max(growing.known, range.first);
  for (; growing.known < range.last; ++growing.known) {
    for (const QualifiedName& name : marks_[(*range.candidates)[growing.known]].names) {
      const bool is_there = std::any_of(growing.names.begin(), growing.names.end(),
                                        [&](const auto& entry) { return entry.first == name; });
      if (is_there || growing.names.size() == kMaxNames) continue;
      growing.names.emplace_back(name, growing.known);
    }
  }
  return growing;
}

void NameTable::Origins::AddNames(const Range& range, Trail* trail, int depth, Names& names) {
  if (trail != nullptr) {
    for (size_t i = range.first; i < range.last && trail->steps < kMaxSteps; ++i) {
      AddOnTrail((*range.candidates)[i], *trail, depth, names);
    }
  } else if (range.last - range.first == 1) {
    for (const QualifiedName& name : marks_[(*range.candidates)[range.first]].names) {
      AddWithinLimits(names, name);
    }
  } else if (!range.empty()) {
    for (const auto& [name, place] : GrowingOf(range).names) {
      if (place < range.last) AddWithinLimits(names, name);
    }
  }
}

void NameTable::Origins::AddOnTrail(uint32_t binding, Trail& trail, int depth, Names& names) {
  const Mark& mark = marks_[binding];
  if (mark.cycle != trail.cycle) {
    for (const QualifiedName& name : mark.names) AddWithinLimits(names, name);
    return;
  }
  std::vector<uint32_t>& path = trail.path;
  ++trail.steps;
  if (path.size() > kLongestTrail || std::find(path.begin(), path.end(), binding) != path.end()) {
    return;
  }
  path.push_back(binding);
  for (QualifiedName& name : NamesOfBinding(binding, &trail, depth)) {
    AddWithinLimits(names, std::move(name));
  }
  path.pop_back();
}

NameTable::Origins::Names NameTable::Origins::NamesOfBinding(uint32_t binding, Trail* trail,
                                                             int depth) {
  const Binding& bound = table_.bindings_[binding];
  switch (bound.kind) {
    case BindingKind::kImport: {
      const size_t dot = bound.target.rfind('.');
      if (dot == std::string::npos) return {{bound.target, false}};
      Names names;
      table_.AddMember({bound.target.substr(0, dot), false},
                       std::string_view(bound.target).substr(dot + 1), names);
      return names;
    }
    case BindingKind::kAssignment: {
      if (const Node callee = CalleeWithoutArguments(bound.value)) {
        return NamesOfReturned(callee, trail, depth);
      }
      const ImportByName by_name = ImportByNameIn(bound.value);
      return by_name.module.empty() ? NamesOf(bound.value, trail, depth)
                                    : NamesOfImport(by_name.callee, by_name.module, trail, depth);
    }
    case BindingKind::kFunction:
    case BindingKind::kClass:
      return {{std::string(bound.name), true}};
    case BindingKind::kParameter:
    case BindingKind::kOther:
      return {};
  }
  return {};
}

NameTable::Origins::Names NameTable::Origins::NamesOfImport(Node callee, std::string_view module,
                                                            Trail* trail, int depth) {
  for (const QualifiedName& name : NamesOf(callee, trail, depth + 1)) {
    // `__import__("a.b")` gives a.
    const bool gives_package = name.name == "__import__";
    if (name.local) continue;
    if (Words("import-functions").Has(name.name)) {
      return {{std::string(gives_package ? FirstPart(module) : module), false}};
    }
    const std::string_view package = Words("importers-of-parts").MeaningOf(name.name);
    if (!package.empty()) return {{MemberName(package, module), false}};
  }
  return {};
}

NameTable::Origins::Names NameTable::Origins::NamesOfReturned(Node callee, Trail* trail,
                                                              int depth) {
  std::vector<std::string> imports;
  if (callee.Is(NodeKind::kIdentifier)) {
    for (const Binding* binding : table_.BindingsOf(callee)) {
      if (binding->kind == BindingKind::kFunction) {
        imports = ReturnedImports(binding->statement, table_);
      }
    }
  }
  for (const QualifiedName& name : NamesOf(callee, trail, depth + 1)) {
    if (!imports.empty() || name.local || table_.exports_ == nullptr) continue;
    imports = table_.exports_->ImportsReturnedBy(table_.tree_.source().path(), name.name);
  }
  Names names;
  for (std::string& import : imports) AddWithinLimits(names, {std::move(import), false});
  return names;
}

void NameTable::AddMember(const QualifiedName& name, std::string_view part,
                          std::vector<QualifiedName>& names) const {
  // `compat.th.cuda` where compat.py says `import torch as th`.
  if (exports_ != nullptr && !name.local) {
    const auto found = exports_->Find(tree_.source().path(), name.name, part);
    if (found && !found->empty()) {
      for (const QualifiedName& member : *found) AddWithinLimits(names, member);
      return;
    }
  }
  AddWithinLimits(
      names,
      {name.local ? name.name + "." + std::string(part) : MemberName(name.name, part), name.local});
}

}  // namespace transplt
