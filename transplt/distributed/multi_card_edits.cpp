// SPDX-License-Identifier: Apache-2.0
#include "transplt/distributed/multi_card_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "transplt/distributed/multi_card.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/python/arguments.h"
#include "transplt/python/main_block.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr int kOriginDepth = 24;

std::string Called(std::string_view function) {
  return fmt::format("{}.{}(", kDistributedModule, function);
}

bool Names(const std::vector<std::string>& names, std::initializer_list<std::string_view> wanted) {
  return std::ranges::any_of(
      names, [&](const std::string& n) { return std::ranges::find(wanted, n) != wanted.end(); });
}

/// True if the program leaves the loop, the function or itself at the end of `block`.
bool Leaves(Node block) { return EndsFlow(block) && LastNamedChild(block).text() != "continue"; }

bool HasName(Node expression) {
  return std::ranges::any_of(NodesIn(expression),
                             [](Node n) { return n.Is(NodeKind::kIdentifier); });
}

}  // namespace

bool CallsDistributedModule(const ProgramText& text) {
  for (const Node root : text.Roots()) {
    for (const Node node : NodesIn(root)) {
      if (!node.Is(NodeKind::kCall)) continue;
      const Node callee = node.Child(Field::kFunction);
      if (callee.Is(NodeKind::kAttribute) &&
          callee.Child(Field::kObject).text() == kDistributedModule) {
        return true;
      }
    }
  }
  return false;
}

std::optional<Error> MultiCardEdits::Make(const std::string& main) {
  if (auto error = RefuseSeveralCards()) return error;
  if (auto error = Start(main)) return error;
  DivideBatches();
  DivideSizes();
  WrapModels();
  ReduceNumbers();
  ScaleLosses();
  DecideTogether();
  DivideWork();
  Advise();
  return std::nullopt;
}

Finding MultiCardEdits::NewFinding(Node node, Text message) const {
  Finding finding;
  finding.range = node.range();
  finding.rule_id = kMultiCardRule;
  finding.message = std::move(message);
  finding.needs_import = fmt::format("import {}", kDistributedModule);
  finding.belongs_to = kMultiCardRule;
  finding.takes_over = true;
  return finding;
}

void MultiCardEdits::Around(Node expression, std::string before, std::string after, Text message) {
  wraps_.push_back({expression, std::move(before), std::move(after), std::move(message)});
}

void MultiCardEdits::Around(Node expression, std::string_view function, Text message) {
  Around(expression, Called(function), ")", std::move(message));
}

void MultiCardEdits::Replace(Node node, std::string text, Text message) {
  Finding finding = NewFinding(node, std::move(message));
  finding.fix.Replace(node.range(), std::move(text));
  findings_[text_.CodeOf(node).path()].push_back(std::move(finding));
}

void MultiCardEdits::AddRow(Node node, Text message, Severity severity) {
  findings_[text_.CodeOf(node).path()].push_back(
      RowAt(node.range(), kMultiCardRule, std::move(message), Operation::kSuggestion, severity));
}

/// Wraps that begin or end at one place become one finding, the outer ones outside.
std::map<std::string, Findings, std::less<>> MultiCardEdits::Findings() {
  std::ranges::stable_sort(wraps_, [](const Wrap& a, const Wrap& b) {
    const TextRange x = a.expression.range();
    const TextRange y = b.expression.range();
    const std::string& file_a = a.expression.tree().source().path();
    const std::string& file_b = b.expression.tree().source().path();
    if (file_a != file_b) return file_a < file_b;
    return x.start != y.start ? x.start < y.start : x.end > y.end;
  });
  std::map<std::string, transplt::Findings, std::less<>> made;
  for (Wrap& wrap : wraps_) {
    transplt::Findings& of_file = made[text_.CodeOf(wrap.expression).path()];
    const TextRange range = wrap.expression.range();
    const auto has = [&](const Finding& finding, uint32_t at) {
      return std::ranges::any_of(finding.fix.edits,
                                 [&](const Edit& edit) { return edit.range.start == at; });
    };
    const auto shared = std::ranges::find_if(of_file, [&](const Finding& finding) {
      return has(finding, range.start) || has(finding, range.end);
    });
    if (shared == of_file.end()) {
      Finding& finding = of_file.emplace_back(NewFinding(wrap.expression, std::move(wrap.message)));
      finding.operation = Operation::kInsert;
      finding.fix.Insert(range.start, std::move(wrap.before));
      finding.fix.Insert(range.end, std::move(wrap.after));
      continue;
    }
    const auto add = [&](uint32_t at, const std::string& text, bool in_front) {
      for (Edit& edit : shared->fix.edits) {
        if (edit.range.start != at) continue;
        edit.text = in_front ? text + edit.text : edit.text + text;
        return;
      }
      shared->fix.Insert(at, text);
    };
    add(range.start, wrap.before, false);
    add(range.end, wrap.after, true);
    shared->range.end = std::max(shared->range.end, range.end);
  }
  wraps_.clear();
  for (auto& [path, findings] : made) {
    std::ranges::move(findings, std::back_inserter(findings_[path]));
  }
  return std::move(findings_);
}

// ----- the process

/// True for a statement of a module that does more than to define something.
bool MultiCardEdits::RunsAtOnce(Node statement) {
  return !statement.Is(NodeKind::kFunctionDefinition) && !IsBareString(statement) &&
         !statement.Is(NodeKind::kClassDefinition) && !statement.Is(NodeKind::kDecoratedDefinition);
}

/// True for one that calls torch, code of the project or print(): each process has to know by then
/// which one it is.
bool MultiCardEdits::UsesTraining(Node statement) const {
  if (!RunsAtOnce(statement)) return false;
  return std::ranges::any_of(NodesIn(statement), [&](Node node) {
    if (!node.Is(NodeKind::kCall)) return false;
    const std::vector<std::string> names = text_.LibraryNames(node.Child(Field::kFunction));
    const bool is_torch = std::ranges::any_of(names, [](const std::string& name) {
      return name == "print" || name.starts_with("torch");
    });
    return is_torch || !text_.FunctionsOf(node).empty();
  });
}

std::optional<Error> MultiCardEdits::Start(const std::string& main) {
  for (const Node root : text_.Roots()) {
    const CodeFile& code = text_.CodeOf(root);
    if (code.path() != main) continue;
    const std::vector<Node> blocks = MainBlocksOf(root);
    Node first;
    for (const Node statement : NamedChildren(root)) {
      const bool is_import = statement.Is(NodeKind::kImportStatement) ||
                             statement.Is(NodeKind::kImportFromStatement) ||
                             statement.Is(NodeKind::kFutureImportStatement);
      if (is_import) first = {};
      const bool is_main = std::ranges::find(blocks, statement) != blocks.end();
      if (first || is_import || is_main) continue;
      if (blocks.empty() ? RunsAtOnce(statement) : UsesTraining(statement)) first = statement;
    }
    if (!first && !blocks.empty()) {
      first = blocks.front().Child(Field::kConsequence).first_named_child();
    }
    if (!first) break;
    Finding finding = NewFinding(first, Say("each process takes its card and joins the others",
                                            "各进程占用各自的卡并加入进程组"));
    finding.operation = Operation::kInsert;
    const std::optional<std::string> margin = MarginOf(first);
    const std::string call = Called("start") + ")";
    const uint32_t at = first.range().start;
    finding.range = {at, at};
    finding.fix.Insert(
        at, margin ? call + std::string(code.source().LineEndAt(at)) + *margin : call + "; ");
    findings_[main].push_back(std::move(finding));
    return std::nullopt;
  }
  return Error{Error::Code::kUsage, main,
               Say("there is no statement before which a process could join the others",
                   "没有可在其前加入进程组的语句")};
}

/// One device of several: the program places its parts itself.
std::optional<Error> MultiCardEdits::RefuseSeveralCards() const {
  std::map<std::string, Node> indices;
  for (const Node root : text_.Roots()) {
    for (const Node node : NodesIn(root)) {
      if (!node.Is(NodeKind::kStringContent) || !text_.Runs(node)) continue;
      const std::string_view content = node.text();
      if (content.size() < 6 || !content.starts_with("cuda:")) continue;
      const std::string_view index = content.substr(5);
      if (index.find_first_not_of("0123456789") != std::string_view::npos) continue;
      indices.emplace(index, node);
    }
  }
  if (indices.size() < 2) return std::nullopt;
  const auto& [second, node] = *std::next(indices.begin());
  return Error{Error::Code::kUsage, text_.PlaceOf(node),
               Say("the program uses card {} besides card {} itself: which process would have "
                   "which cannot be told",
                   "程序自身除卡 {1} 外还使用卡 {0}: 无法得知各进程应使用哪张卡", second,
                   indices.begin()->first)};
}

// ----- batches, models, losses

void MultiCardEdits::DivideBatches() {
  for (const DataLoop& loop : training_.loops()) {
    const std::string after = loop.condition.empty() ? ")" : ", " + loop.condition + ")";
    Around(loop.loader, Called("shard"), after,
           Say("each process takes its part of every batch", "各进程取每个批次中属于自己的部分"));
  }
}

/// `torch.ones(self.batch_size)` that meets a batch in the loss: as many as the part has.
void MultiCardEdits::DivideSizes() {
  std::set<std::string> sizes;
  for (const Node root : text_.Roots()) {
    for (const Node node : NodesIn(root)) {
      if (!node.Is(NodeKind::kCall) || !text_.Runs(node)) continue;
      const std::vector<Argument> arguments = ArgumentsOf(node);
      const Argument* size = FindKeyword(arguments, "batch_size");
      const auto slot = size == nullptr ? std::nullopt : text_.SlotOf(size->value);
      if (slot && training_.IsLoader(node)) sizes.insert(text_.JoinedSlot(*slot));
    }
  }
  for (const Node root : text_.Roots()) {
    for (const Node node : NodesIn(root)) {
      if (!node.Is(NodeKind::kCall) || !text_.Runs(node) || !training_.IsInLoss(node)) continue;
      const std::vector<std::string> names = text_.LibraryNames(node.Child(Field::kFunction));
      const bool makes = std::ranges::any_of(
          names, [&](const std::string& name) { return known_.tensors.Match(name); });
      if (!makes) continue;
      for (const Node part : NodesIn(node.Child(Field::kArguments))) {
        if (!part.Is(NodeKind::kIdentifier) && !part.Is(NodeKind::kAttribute)) continue;
        const auto slot = text_.SlotOf(part);
        if (!slot || !sizes.contains(text_.JoinedSlot(*slot))) continue;
        Around(part, "part", Say("as many as this process has of a batch", "本进程所得的批次大小"));
      }
    }
  }
}

void MultiCardEdits::WrapModels() {
  for (const Node model : training_.models()) {
    Around(
        model, "wrap",
        Say("the model runs in DistributedDataParallel", "模型在 DistributedDataParallel 中运行"));
  }
}

void MultiCardEdits::ScaleLosses() {
  for (const auto& [call, loss] : training_.backwards()) {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (const Argument* keeps = FindKeyword(arguments, "retain_graph");
        keeps != nullptr && !keeps->value.Is(NodeKind::kFalse)) {
      AddRow(call,
             Say("DistributedDataParallel averages the gradients of the first backward() after a "
                 "forward alone: where another follows, add the losses and call it once",
                 "DistributedDataParallel 只对一次前向之后的第一个 backward() 的梯度取平均: "
                 "若其后还有 backward(), 请将各 loss 相加后只调用一次"),
             Severity::kMayGoWrong);
    }
    if (!loss) continue;
    const Share share = share_.Of(loss);
    if (share == Share::kSum) {
      Around(loss, "summed",
             Say("the loss is a sum over the batch: gradients are added, not averaged",
                 "loss 是对批次求和: 梯度应相加而非取平均"));
    }
    if (!share_.IsCertain(loss)) {
      AddRow(
          call,
          Say("whether this loss is a mean over the batch cannot be told: gradients are averaged "
              "over the cards, which is right for a mean; for a sum write "
              "transplt_distributed.summed(loss)",
              "无法判断该 loss 是否为批次均值: 梯度在各卡间取平均, 仅对均值正确; 若为求和, 请写 "
              "transplt_distributed.summed(loss)"),
          Severity::kMayGoWrong);
    }
  }
}

// ----- numbers that are reported

bool MultiCardEdits::IsReduced(Node expression) const {
  for (Node up = expression; up; up = up.parent()) {
    if (reduced_.contains(up)) return true;
  }
  return false;
}

bool MultiCardEdits::ReduceIfShared(Node expression) {
  const Share share = share_.Of(expression);
  if (share != Share::kMean && share != Share::kSum) return false;
  const bool is_behind = !IsInLoop(expression);
  const Origin origin = OriginOf(expression, !is_behind, 0);
  if (origin == Origin::kElsewhere || (is_behind && origin == Origin::kNowhere)) return false;
  reduced_.insert(expression);
  share_.NoteWhole(expression);
  const std::string_view end = is_behind ? ", last=True)" : ")";
  if (share == Share::kMean) {
    Around(expression, Called("mean"), std::string(end),
           Say("the mean over the cards", "各卡的平均值"));
  } else {
    Around(expression, Called("total"), std::string(end),
           Say("the sum over the cards", "各卡之和"));
  }
  return true;
}

/// True for a loop over a loader.
bool MultiCardEdits::TakesBatches(Node loop) const {
  return std::ranges::any_of(NodesIn(loop.Child(Field::kRight)),
                             [&](Node node) { return training_.IsLoader(node); });
}

/// True for code of a loop over batches that computes gradients, and of functions that such a loop
/// runs; not for loops over batches in these, which evaluate.
bool MultiCardEdits::IsInLoop(Node node) const {
  for (Node up = node; up; up = up.parent()) {
    if (data_loops_.contains(up)) return true;
    if (IsLoop(up) && TakesBatches(up)) return false;
    if (up.Is(NodeKind::kFunctionDefinition)) {
      return training_.functions().contains(up) && !training_.HoldsLoop(up);
    }
  }
  return false;
}

/// What gives `slot` to a use of it: of the statements before, in its function, the nearest that
/// do. A number of the training and one of the evaluation may have one name.
std::vector<SlotSource> MultiCardEdits::NearestSources(Node use, const std::string& slot) const {
  const std::vector<SlotSource>& sources = text_.SourcesOf(slot);
  const auto those = [&](const auto& is_given) {
    std::vector<SlotSource> given;
    std::ranges::copy_if(sources, std::back_inserter(given), is_given, &SlotSource::node);
    return given;
  };
  const Node own = EnclosingStatement(use);
  for (Node up = own; up && !up.Is(NodeKind::kFunctionDefinition); up = up.parent()) {
    // The head of a loop around the use.
    std::vector<SlotSource> nearest =
        up == own ? std::vector<SlotSource>()
                  : those([&](Node source) { return EnclosingStatement(source) == up; });
    if (!nearest.empty()) return nearest;
    if (!up.parent().Is(NodeKind::kBlock) && !up.parent().Is(NodeKind::kModule)) continue;
    for (const Node before : NamedChildren(up.parent())) {
      if (before == up) break;
      auto given = those([&](Node source) { return before.IsAncestorOf(source); });
      if (!given.empty()) nearest = std::move(given);
    }
    if (!nearest.empty()) return nearest;
  }
  return sources;
}

/// Where what the expression has of a batch comes from. `takes_any`: of a name that several places
/// give a value, one in a loop is enough; functions that loops of both kinds run have such names.
MultiCardEdits::Origin MultiCardEdits::OriginOf(Node expression, bool takes_any, int depth) const {
  if (depth > kOriginDepth) return Origin::kElsewhere;
  Origin origin = Origin::kNowhere;
  std::vector<Node> open = {expression};
  while (!open.empty() && origin != Origin::kElsewhere) {
    const Node node = open.back();
    open.pop_back();
    const bool is_name = node.Is(NodeKind::kIdentifier) || node.Is(NodeKind::kAttribute);
    const auto slot = is_name ? text_.SlotOf(node) : std::nullopt;
    const std::vector<SlotSource> sources =
        slot ? NearestSources(node, *slot) : std::vector<SlotSource>();
    if (!sources.empty()) {
      if (!share_.DependsOnBatch(node)) continue;
      std::set<Origin> given;
      for (const SlotSource& source : sources) {
        given.insert(OriginOfSource(source, takes_any, depth));
      }
      const bool is_of_loop = takes_any || !given.contains(Origin::kElsewhere);
      origin = std::max(
          origin, is_of_loop && given.contains(Origin::kLoop) ? Origin::kLoop : Origin::kElsewhere);
    } else if (node.Is(NodeKind::kCall) && RunsLoop(node)) {
      origin = std::max(origin, OriginOfSource({node}, takes_any, depth));
    } else if (node.Is(NodeKind::kAttribute)) {
      open.push_back(node.Child(Field::kObject));
    } else if (node.Is(NodeKind::kKeywordArgument)) {
      open.push_back(node.Child(Field::kValue));
    } else {
      for (const Node child : NamedChildren(node)) open.push_back(child);
    }
  }
  return origin;
}

MultiCardEdits::Origin MultiCardEdits::OriginOfSource(const SlotSource& source, bool takes_any,
                                                      int depth) const {
  if (!source.node.Is(NodeKind::kCall) || !RunsLoop(source.node)) {
    return IsInLoop(source.node) ? Origin::kLoop : OriginOf(source.node, takes_any, depth + 1);
  }
  Origin origin = Origin::kNowhere;
  for (const Node function : text_.FunctionsOf(source.node)) {
    for (const Node value : ProgramText::ReturnedBy(function, source.index.value_or(0))) {
      origin = std::max(origin, OriginOf(value, takes_any, depth + 1));
    }
  }
  return origin;
}

/// True for a call of a function that holds a loop over batches.
bool MultiCardEdits::RunsLoop(Node call) const {
  return std::ranges::any_of(text_.FunctionsOf(call), [&](Node function) {
    return training_.HoldsLoop(function) || std::ranges::any_of(NodesIn(function), [&](Node node) {
             return IsLoop(node) && TakesBatches(node);
           });
  });
}

/// `total += number`
void MultiCardEdits::ReduceAdded(Node added) {
  if (SignOf(added) != "+=") return;
  const Node target = added.Child(Field::kLeft);
  if (training_.IsOfLoss(target)) return;
  // A meter divides sums by numbers of samples: of each process's part, that is right as it is.
  const bool is_of_object = target.Is(NodeKind::kAttribute);
  if (is_of_object && !training_.HoldsLoop(ProgramText::FunctionAround(added))) return;
  ReduceIfShared(added.Child(Field::kRight));
}

/// `tensor.item()`, `float(tensor)`
void MultiCardEdits::ReduceRead(Node call) {
  const Node callee = call.Child(Field::kFunction);
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const std::string_view method = callee.Child(Field::kAttribute).text();
  const bool is_item = callee.Is(NodeKind::kAttribute) && arguments.empty() &&
                       (method == "item" || method == "numpy" || method == "tolist");
  const bool is_number = callee.text() == "float" && arguments.size() == 1;
  if (!is_item && !is_number) return;
  // Of `loss.item() / len(x)` the mean is meant, not the sum that it is made of.
  Node whole = call;
  for (Node up = call.parent();
       up.Is(NodeKind::kBinaryOperator) || up.Is(NodeKind::kParenthesizedExpression);
       up = up.parent()) {
    whole = up;
  }
  if (!(whole == call) && ReduceIfShared(whole)) return;
  ReduceIfShared(is_item ? callee.Child(Field::kObject) : arguments.front().value);
}

/// True for `meter.avg`: what such an object keeps was given to it as that of the whole.
bool MultiCardEdits::IsOfMeter(Node expression) const {
  if (!expression.Is(NodeKind::kAttribute)) return false;
  const auto slot = text_.SlotOf(expression.Child(Field::kObject));
  return slot && !text_.ClassesOf(*slot).empty();
}

/// True for `print(...)`, `"{}".format(...)`, `logging.info(...)`, `writer.add_scalar(...)`.
bool MultiCardEdits::Shows(Node call) const {
  const Node callee = call.Child(Field::kFunction);
  const auto is_known = [&](Node made) {
    const std::vector<std::string> names = text_.LibraryNames(made.Child(Field::kFunction));
    const MultiCardCalls::Way* way = known_.FindWay(names, made);
    return (way != nullptr && way->wrapper == "on_main") ||
           std::ranges::any_of(names, [&](const auto& name) { return known_.shows.Match(name); });
  };
  if (is_known(call)) return true;
  if (!callee.Is(NodeKind::kAttribute)) return false;
  const Node object = callee.Child(Field::kObject);
  if (object.Is(NodeKind::kString)) return callee.Child(Field::kAttribute).text() == "format";
  const auto slot = text_.SlotOf(object);
  if (!slot) return false;
  return std::ranges::any_of(text_.SourcesOf(*slot), [&](const SlotSource& source) {
    return source.node.Is(NodeKind::kCall) && is_known(source.node);
  });
}

/// What a call shows or writes.
void MultiCardEdits::ReduceShown(Node call) {
  if (!Shows(call)) return;
  std::vector<Node> shown;
  for (const Argument& argument : ArgumentsOf(call)) {
    if (argument.is_splat) continue;
    if (!argument.value.Is(NodeKind::kDictionary)) shown.push_back(argument.value);
    for (const Node pair : NamedChildren(argument.value)) {
      if (pair.Is(NodeKind::kPair)) shown.push_back(pair.Child(Field::kValue));
    }
  }
  while (!shown.empty()) {
    const Node value = shown.back();
    shown.pop_back();
    if (!HasName(value) || IsReduced(value) || IsOfMeter(value) || ReduceIfShared(value)) continue;
    // `"%f" % loss`, `"loss " + str(loss)`, `(a, b)`
    const Node parts = value.Is(NodeKind::kCall) ? value.Child(Field::kArguments) : value;
    const bool is_text = value.Is(NodeKind::kCall) && text_.FunctionsOf(value).empty();
    if (!is_text && !value.Is(NodeKind::kBinaryOperator) && !value.Is(NodeKind::kTuple) &&
        !value.Is(NodeKind::kParenthesizedExpression)) {
      continue;
    }
    for (const Node part : NamedChildren(parts)) {
      shown.push_back(part.Is(NodeKind::kKeywordArgument) ? part.Child(Field::kValue) : part);
    }
  }
}

/// `losses.append(loss.detach())`: of each batch the number of the whole is kept.
void MultiCardEdits::ReduceKept(Node call) {
  const Node callee = call.Child(Field::kFunction);
  const std::vector<Argument> arguments = ArgumentsOf(call);
  if (!callee.Is(NodeKind::kAttribute) || arguments.size() != 1 || !IsInLoop(call)) return;
  if (callee.Child(Field::kAttribute).text() != "append") return;
  const auto list = text_.SlotOf(callee.Child(Field::kObject));
  if (!list || training_.IsOfLoss(callee.Child(Field::kObject))) return;
  const Node kept = arguments.front().value;
  const bool is_read = std::ranges::any_of(NodesIn(kept), [&](Node n) { return IsReduced(n); });
  if (!is_read) ReduceIfShared(kept);
}

/// The statements that run when a loop over batches has ended, without the loops among them.
NodeSet MultiCardEdits::CodeBehindLoops() const {
  NodeSet code;
  NodeSet seen;
  std::vector<Node> open(data_loops_.begin(), data_loops_.end());
  while (!open.empty()) {
    Node up = open.back();
    open.pop_back();
    for (; up && !up.Is(NodeKind::kFunctionDefinition); up = up.parent()) {
      if (!up.parent().Is(NodeKind::kBlock) && !up.parent().Is(NodeKind::kModule)) continue;
      for (Node next = up.next_named_sibling(); next; next = next.next_named_sibling()) {
        code.insert(next);
      }
    }
    if (!up || !seen.insert(up).second) continue;
    for (const Node call : text_.CallsOf(up)) {
      if (!text_.Runs(call)) continue;
      code.insert(EnclosingStatement(call));
      open.push_back(call);
    }
  }
  return code;
}

void MultiCardEdits::ReduceNumbers() {
  std::vector<Node> code(data_loops_.begin(), data_loops_.end());
  for (const Node function : training_.functions()) {
    if (!training_.HoldsLoop(function) && !training_.IsOfModel(function)) code.push_back(function);
  }
  std::ranges::copy(CodeBehindLoops(), std::back_inserter(code));
  const auto each = [&](const auto& visit) {
    NodeSet seen;
    for (const Node part : code) {
      for (const Node node : NodesIn(part)) {
        if (seen.insert(node).second && !IsReduced(node)) visit(node);
      }
    }
  };
  const auto read = [&](bool in_loop) {
    each([&](Node node) {
      if (node.Is(NodeKind::kCall) && IsInLoop(node) == in_loop) ReduceRead(node);
    });
  };
  each([&](Node node) {
    if (node.Is(NodeKind::kAugmentedAssignment)) ReduceAdded(node);
  });
  read(true);
  each([&](Node node) {
    if (node.Is(NodeKind::kCall)) ReduceKept(node);
  });
  read(false);
  each([&](Node node) {
    if (node.Is(NodeKind::kCall)) ReduceShown(node);
    if (node.Is(NodeKind::kInterpolation) && HasName(node.first_named_child())) {
      ReduceIfShared(node.first_named_child());
    }
  });
}

/// All processes leave a loop together, or none does.
void MultiCardEdits::DecideTogether() {
  NodeSet data_loops;
  for (const DataLoop& loop : training_.loops()) data_loops.insert(loop.loop);
  for (const Node root : text_.Roots()) {
    for (const Node node : NodesIn(root)) {
      const bool asks = node.Is(NodeKind::kIfStatement) || node.Is(NodeKind::kElifClause);
      if (!asks || !Leaves(node.Child(Field::kConsequence))) continue;
      const Node loop = LoopAround(node);
      if (!loop) continue;
      const Node condition = node.Child(Field::kCondition);
      const bool is_of_loss = std::ranges::any_of(NodesIn(condition), [&](Node n) {
        return n.Is(NodeKind::kIdentifier) && training_.IsOfLoss(n);
      });
      const bool is_outer = training_.outer_loops().contains(loop) && !data_loops.contains(loop);
      if (!is_outer && !(data_loops.contains(loop) && is_of_loss)) continue;
      Around(condition, "agreed",
             Say("the first process decides for all", "由第一个进程为所有进程决定"));
    }
  }
}

// ----- what one process does for all

void MultiCardEdits::DivideCall(Node call) {
  const Node callee = call.Child(Field::kFunction);
  const std::vector<std::string> names = text_.LibraryNames(callee);
  if (names.empty()) return;
  if (const MultiCardCalls::Way* way = known_.FindWay(names, call)) {
    Around(callee, way->wrapper, way->why);
    return;
  }
  if (Names(names, {"torch.nn.DataParallel", "torch.nn.parallel.DataParallel"})) {
    Replace(callee, fmt::format("{}.DataParallel", kDistributedModule),
            Say("one process per card in place of one for all", "以每卡一个进程代替单进程多卡"));
  }
}

/// `torch.cuda.set_device(args.gpu)`, `x.cuda(args.gpu)`: the card of the process.
void MultiCardEdits::ChooseCards(Node call) {
  const Node callee = call.Child(Field::kFunction);
  const std::vector<Argument> arguments = ArgumentsOf(call);
  if (arguments.empty() || !arguments.front().keyword.empty()) return;
  const std::vector<std::string> names = text_.LibraryNames(callee);
  size_t at = 0;
  if (Names(names, {"torch.device"})) {
    if (arguments.size() < 2) return;
    at = 1;
  } else if (!Names(names, {"torch.cuda.set_device", "torch.cuda.device"})) {
    const bool is_method = callee.Is(NodeKind::kAttribute) && names.empty() &&
                           callee.Child(Field::kAttribute).text() == "cuda" &&
                           text_.FunctionsOf(call).empty();
    if (!is_method) return;
  }
  const Node index = arguments[at].value;
  if (index.Is(NodeKind::kTrue) || index.Is(NodeKind::kFalse) || index.Is(NodeKind::kString))
    return;
  Replace(index, Called("local_rank") + ")", Say("the card of this process", "本进程的卡"));
}

/// `os.environ["CUDA_VISIBLE_DEVICES"] = ...`: who starts the processes chooses the cards.
void MultiCardEdits::LeaveChoiceOfCards(Node statement) {
  const Node assignment = statement.first_named_child();
  if (!assignment.Is(NodeKind::kAssignment)) return;
  const Node target = assignment.Child(Field::kLeft);
  if (!target.Is(NodeKind::kSubscript)) return;
  const Node key = PlainStringContent(target.Child(Field::kSubscript));
  if (!key || key.text() != "CUDA_VISIBLE_DEVICES") return;
  Replace(statement, "pass",
          Say("whoever starts the processes chooses the cards: ASCEND_RT_VISIBLE_DEVICES",
              "由启动者选择使用哪些卡: ASCEND_RT_VISIBLE_DEVICES"));
}

void MultiCardEdits::DivideWork() {
  for (const Node root : text_.Roots()) {
    for (const Node node : NodesIn(root)) {
      if (node.Is(NodeKind::kExpressionStatement) && text_.Runs(node)) LeaveChoiceOfCards(node);
      if (!node.Is(NodeKind::kCall) || !text_.Runs(node)) continue;
      DivideCall(node);
      ChooseCards(node);
    }
  }
}

void MultiCardEdits::Advise() {
  for (const Node root : text_.Roots()) {
    for (const Node node : NodesIn(root)) {
      if (!node.Is(NodeKind::kCall) || !text_.Runs(node)) continue;
      const auto names = text_.LibraryNames(node.Child(Field::kFunction));
      const bool is_norm = std::ranges::any_of(
          names, [](const std::string& name) { return name.starts_with("torch.nn.BatchNorm"); });
      if (!is_norm) continue;
      AddRow(node,
             Say("BatchNorm takes the statistics of one card's part of the batch: where that is "
                 "small, torch.nn.SyncBatchNorm.convert_sync_batchnorm(model) takes those of all",
                 "BatchNorm 只统计单卡所得的部分批次: 若该部分较小, "
                 "可用 torch.nn.SyncBatchNorm.convert_sync_batchnorm(model) 统计所有卡"),
             Severity::kNote);
      return;
    }
  }
}

}  // namespace transplt
