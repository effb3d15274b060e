// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/cuda_sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <ranges>
#include <set>

#include "transplt/base/framework.h"
#include "transplt/base/one_of.h"
#include "transplt/base/test_file.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/build_choice.h"
#include "transplt/facts/call_graph.h"
#include "transplt/facts/cuda_needs.h"
#include "transplt/facts/device_declarations.h"
#include "transplt/facts/guards.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/project.h"
#include "transplt/facts/range_set.h"
#include "transplt/facts/served_devices.h"
#include "transplt/facts/signatures.h"
#include "transplt/facts/string_place.h"
#include "transplt/facts/value_flows.h"
#include "transplt/migrate/own_extensions.h"
#include "transplt/migrate/served_programs.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/name_table.h"
#include "transplt/python/places_of_file.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

bool HasFix(const Finding& finding) { return !finding.fix.empty(); }

class CudaSides {
 public:
  CudaSides(const FileContext& file, const GuardSignatures& signatures,
            const CudaSidesOptions& options, Findings& findings)
      : file_(file),
        tree_(file.tree()),
        signatures_(signatures),
        options_(options),
        code_(options.code),
        findings_(findings),
        served_(tree_, signatures) {}

  KeptForCuda Run() {
    if (LeaveServedFile()) return {std::move(kept_), {}};
    LeaveServedParts();
    // Of what stays for CUDA the functions stay that ask for it.
    const ProjectIndex* project = options_.is_served ? file_.project() : nullptr;
    guards_ = GuardsOf(file_.names(), signatures_, project);
    if (!guards_.empty()) {
      needs_.emplace(file_.names(), file_.source().path(), guards_, signatures_, code_);
      if (options_.any_device) needs_->Add(LeftForCuda());
      build_choices_.emplace(file_.names(), signatures_);
      FindFixes();
      for (const Guard& guard : guards_) by_decision_.emplace(guard.decides.id(), &guard);
      for (const Guard& guard : guards_) {
        if (guard.asks == Guard::Asks::kWhichGpu) JudgeWhichGpu(guard);
      }
      for (const Guard& guard : guards_) Judge(guard);
      KeepWholeConditions();
      KeepHelpers();
      SettleBoundNames();
      LowerAskedImports();
      LowerIdleQuestions();
      ReportBuild();
      Leave();
    }
    if (options_.is_served) {
      kept_ = {tree_.root().range()};
      for (const Guard& guard : guards_) SkipParts(guard);
      LowerSkipped();
      if (code_ != nullptr && code_->IsTransferred(file_.source().path())) LeaveTransferred();
      const RangeSet skipped(skipped_);
      const RangeSet demands(Demands());
      const auto raises = [&](const Finding& finding) {
        return Raises(finding, skipped) ||
               (demands.Contains(finding.range) && !skipped.Contains(finding.range));
      };
      const RangeSet questions(QuestionsAboutValues());
      const auto asks = [&](const Finding& finding) { return questions.Contains(finding.range); };
      LeaveToServedProgram(file_.source(), signatures_.words, raises, asks, findings_);
      return {std::move(kept_), std::move(skipped_)};
    }
    ReportServed();
    for (Finding& row : rows_) findings_.push_back(std::move(row));
    return {std::move(kept_), std::move(skipped_)};
  }

 private:
  /// What rules have left as it is, since it has no counterpart for all devices.
  std::vector<CudaNeed> LeftForCuda() const {
    std::vector<CudaNeed> left;
    for (const Finding& finding : findings_) {
      if (finding.applicability != Applicability::kDisplayOnly || finding.range.empty()) continue;
      const std::string_view text = finding.range.In(tree_.source().bytes());
      if (HasDeviceWord(text, signatures_.words)) {
        left.push_back({finding.range, std::string(text)});
      }
    }
    return left;
  }

  // The program serves the other device already.

  /// True if the place of an edit, which is not behind a condition that only CUDA meets, raises
  /// where there is no CUDA: a call that needs it, a tensor or
  /// module that goes to it, or a device that an own function gets and uses as one.
  bool Raises(const Finding& finding, const RangeSet& skipped) const {
    if (skipped.Contains(finding.range)) return false;
    const Node place = tree_.NodeAt(finding.range);
    if (IsForEachDevice(place)) return false;
    for (Node node = place, outer = node.parent(); outer; node = outer, outer = outer.parent()) {
      // The right side of `known and torch.cuda...`, one of two values, what runs later.
      const bool may_be_skipped =
          (outer.Is(NodeKind::kBooleanOperator) && node.field() == Field::kRight) ||
          (outer.Is(NodeKind::kConditionalExpression) &&
           node != outer.first_named_child().next_named_sibling()) ||
          outer.Is(NodeKind::kLambda);
      if (may_be_skipped) return false;
      if (outer.Is(NodeKind::kBlock) || outer.Is(NodeKind::kModule)) break;
    }
    if (Words("raises-without-cuda").Has(finding.rule_id)) return IsCalled(place);
    Node value = place;
    while (value && !value.Is(NodeKind::kString)) value = value.parent();
    if (!value) return false;
    const Node item = value.parent().Is(NodeKind::kKeywordArgument) ? value.parent() : value;
    const Node call = item.parent().parent();
    if (!item.parent().Is(NodeKind::kArgumentList) || !call.Is(NodeKind::kCall)) return false;
    if (call.parent().Is(NodeKind::kDecorator)) return false;  // `@REGISTRY("cuda")`
    if (file_.values().IsHandedToProject(value)) return IsUsedAsDevice(value);
    const Node callee = call.Child(Field::kFunction);
    const auto calls = [&](const WordList& list) {
      return std::ranges::any_of(file_.names().Resolve(callee), [&](const QualifiedName& name) {
        return !name.local && list.Has(name.name);
      });
    };
    if (calls(Words("takes-a-backend"))) return true;
    // It fails where the device is used: a default may be left out, a comparison uses none.
    if (file_.names().IsNamed(callee, "torch.device")) {
      return !OnlyNamesDevice(call) && IsUsedAsDevice(value);
    }
    if (item == value) {
      return callee.Is(NodeKind::kAttribute) && callee.Child(Field::kAttribute).text() == "to" &&
             item == item.parent().first_named_child();
    }
    return item.Child(Field::kName).text() == "device" &&
           (calls(Words("host-makers")) || calls(Words("made-on-a-device")));
  }

  /// True for `torch.device("cuda")` as a default of a parameter, beside what it is compared with,
  /// and as a constant that the file itself does not use: the object of a device that is not there
  /// raises nothing.
  bool OnlyNamesDevice(Node call) const {
    const Node parent = call.parent();
    if (parent.Is(NodeKind::kAssignment) && parent.parent().parent().Is(NodeKind::kModule)) {
      const Node target = parent.Child(Field::kLeft);
      return target.Is(NodeKind::kIdentifier) && !IsUsedHere(target);
    }
    return parent.Is(NodeKind::kDefaultParameter) || parent.Is(NodeKind::kTypedDefaultParameter) ||
           parent.Is(NodeKind::kComparisonOperator);
  }

  /// True if the file itself uses the variable that `target` sets.
  bool IsUsedHere(Node target) const {
    return std::ranges::any_of(file_.NodesSaying(target.text()), [&](Node node) {
      const bool is_set = node.field() == Field::kLeft && node.parent().Is(NodeKind::kAssignment);
      const bool is_member = node.field() == Field::kAttribute;
      if (is_set || is_member || !node.Is(NodeKind::kIdentifier)) return false;
      const NameTable::Meanings bindings = file_.names().BindingsOf(node);
      return std::any_of(bindings.begin(), bindings.end(),
                         [&](const Binding* binding) { return binding->node == target; });
    });
  }

  /// True in what runs for each device, `for i in range(torch.cuda.device_count())`: there is none.
  bool IsForEachDevice(Node place) const {
    const auto counts_devices = [&](Node sequence) {
      if (!sequence.Is(NodeKind::kCall) || sequence.Child(Field::kFunction).text() != "range") {
        return false;
      }
      const Node last = LastNamedChild(sequence.Child(Field::kArguments));
      const Node callee = last.Is(NodeKind::kCall) ? last.Child(Field::kFunction) : Node();
      return callee && std::ranges::any_of(signatures_.availability, [&](const std::string& name) {
               return file_.names().IsNamed(callee, name);
             });
    };
    for (Node node = place, outer = node.parent(); outer; node = outer, outer = outer.parent()) {
      if (outer.Is(NodeKind::kFunctionDefinition)) return false;
      if (node.field() != Field::kBody) continue;
      if (outer.Is(NodeKind::kForStatement)) {
        if (counts_devices(outer.Child(Field::kRight))) return true;
        continue;
      }
      for (const Node part : NamedChildren(outer)) {
        if (part.Is(NodeKind::kForInClause) && counts_devices(part.Child(Field::kRight))) {
          return true;
        }
      }
    }
    return false;
  }

  /// `torch.cuda.Stream()`; to name it, as an annotation does, needs no CUDA.
  static bool IsCalled(Node place) {
    while (place.parent().Is(NodeKind::kAttribute)) place = place.parent();
    return place.field() == Field::kFunction && place.parent().Is(NodeKind::kCall);
  }

  /// `x.device.type != "cuda"`: what asks where a tensor is has an answer for other devices, too,
  /// unless it is an assertion.
  std::vector<TextRange> QuestionsAboutValues() const {
    std::vector<TextRange> questions;
    for (const Guard& guard : guards_) {
      const bool is_question = guard.asks == Guard::Asks::kValue && !IsDemand(guard);
      if (is_question) questions.push_back(guard.condition.range());
    }
    return questions;
  }

  /// `assert x.is_cuda`: with another answer the program raises.
  std::vector<TextRange> Demands() const {
    std::vector<TextRange> demands;
    for (const Guard& guard : guards_) {
      if (IsDemand(guard)) demands.push_back(guard.condition.range());
    }
    return demands;
  }

  /// True if no other device comes to the same place.
  bool IsUsedAsDevice(Node string) const {
    const Verdict verdict = file_.values().VerdictOf(string);
    const auto& texts = file_.values().TextsOf(string);
    return verdict.kind == Verdict::Kind::kDevice && !verdict.is_contradiction() &&
           verdict.evidence.strength >= Strength::kName && texts.size() == 1;
  }

  /// A file for one of the devices, beside which there is one for the other.
  bool LeaveServedFile() {
    const std::string& path = file_.source().path();
    if (code_ == nullptr) return false;
    std::string sibling = code_->SiblingOf(path);
    if (sibling.empty()) sibling = code_->DeclaredBeside(path);
    const bool is_own = sibling.empty();
    if (is_own) sibling = code_->sides().OwnEntry(path);
    if (sibling.empty()) return false;
    Finding* first = nullptr;
    for (Finding& finding : findings_) {
      if (HasFix(finding) && (first == nullptr || finding.range.start < first->range.start)) {
        first = &finding;
      }
    }
    if (first != nullptr && !options_.is_served) {
      served_row_ = first->range;
      evidence_ = sibling;
      served_count_ = std::ranges::count_if(findings_, HasFix);
    }
    // What the side for the NPU may meet there is told all the same.
    std::erase_if(findings_, [&](const Finding& finding) { return !is_own || HasFix(finding); });
    kept_.push_back(tree_.root().range());
    ReportServed();
    for (Finding& row : rows_) findings_.push_back(std::move(row));
    return true;
  }

  /// What the import of transfer_to_npu makes work: all but comparisons with the name of a device.
  void LeaveTransferred() {
    std::erase_if(findings_, [&](const Finding& finding) {
      if (!HasFix(finding)) return false;
      const Node statement = EnclosingStatement(tree_.NodeAt(finding.range));
      for (Node node = tree_.NodeAt(finding.range); node && node != statement;
           node = node.parent()) {
        if (node.Is(NodeKind::kComparisonOperator)) return false;
      }
      return true;
    });
  }

  void LeaveServedParts() {
    std::erase_if(findings_, [&](const Finding& finding) {
      const Node place = tree_.NodeAt(finding.range);
      const Node evidence = served_.EvidenceFor(place);
      const std::string beside = evidence ? "" : SideOf(place);
      if (!evidence && beside.empty()) return false;
      kept_.push_back(finding.range);
      CountServed(finding,
                  evidence ? fmt::format("{}:{}", file_.source().path(), LineOf(evidence.range()))
                           : beside);
      return true;
    });
  }

  /// What is for the NPU beside the part of the project that `place` belongs to, or declares.
  std::string SideOf(Node place) {
    std::string beside = SideBeside(place);
    if (!beside.empty() || file_.project() == nullptr) return beside;
    auto declaration = DeclarationAround(place, *file_.project(), signatures_);
    return declaration ? std::move(declaration->beside) : BranchOfOther(place);
  }

  /// `if vendor == "a":` around `place`, of what tables for other devices alone say.
  std::string BranchOfOther(Node place) {
    if (code_ == nullptr) return {};
    for (Node inner = place, outer = place.parent(); outer; inner = outer, outer = outer.parent()) {
      Node condition;
      if (inner.field() == Field::kConsequence) {
        condition = outer.Child(Field::kCondition);
      } else if (outer.Is(NodeKind::kConditionalExpression) && inner == outer.first_named_child()) {
        condition = inner.next_named_sibling();
      }
      if (!condition) continue;
      const auto [known, is_new] = branches_.try_emplace(condition.id());
      if (is_new) known->second = OtherOf(condition);
      if (!known->second.empty()) return known->second;
    }
    return {};
  }

  /// The entry for the NPU where `condition` asks for the text of another entry.
  std::string OtherOf(Node condition) const {
    condition = WithoutParentheses(condition);
    const Node left = condition.first_named_child();
    if (condition.Is(NodeKind::kBooleanOperator) && left.next_sibling().IsToken("and")) {
      std::string other = OtherOf(left);
      return other.empty() ? OtherOf(LastNamedChild(condition)) : std::move(other);
    }
    if (!condition.Is(NodeKind::kComparisonOperator)) return {};
    const Node right = left.next_named_sibling();
    const bool is_equality =
        left.next_sibling().IsToken("==") && right == LastNamedChild(condition);
    const Node text =
        is_equality && right.Is(NodeKind::kString) ? PlainStringContent(right) : Node();
    const bool is_name = left.Is(NodeKind::kIdentifier) || left.Is(NodeKind::kAttribute);
    return text && is_name ? code_->sides().OfOther(LastPart(left.text()), text.text())
                           : std::string();
  }

  /// The outermost class around `place`, or a null node.
  Node OuterClassOf(Node place) {
    if (!outer_classes_) {
      outer_classes_.emplace();
      for (const Node node : NodesIn(tree_)) {
        if (!node.Is(NodeKind::kClassDefinition)) continue;
        const bool is_inner =
            !outer_classes_->empty() && outer_classes_->back().range().Contains(node.range());
        if (!is_inner) outer_classes_->push_back(node);
      }
    }
    const auto next = std::ranges::upper_bound(*outer_classes_, place.range().start, {},
                                               [](Node node) { return node.range().start; });
    if (next == outer_classes_->begin()) return {};
    const Node before = *std::prev(next);
    return before.range().Contains(place.range()) ? before : Node();
  }

  /// The file with the class for the NPU, where `place` is in one for another device.
  std::string SideBeside(Node place) {
    const Node around = OuterClassOf(place);
    if (!around || code_ == nullptr) return {};
    const auto [known, is_new] = sides_.try_emplace(around.id());
    if (is_new) {
      known->second = code_->SideBeside(file_.source().path(), around.Child(Field::kName).text());
    }
    return known->second;
  }

  void CountServed(const Finding& finding, const std::string& evidence) {
    ++served_count_;
    if (!served_row_ || finding.range.start < served_row_->start) {
      served_row_ = finding.range;
      evidence_ = evidence;
    }
  }

  void ReportServed() {
    if (!served_row_) return;
    Report(*served_row_,
           Say("the program serves the NPU already (see {}), so {} places for CUDA in this file "
               "stay as they are",
               "程序已支持 NPU (见 {}), 本文件中 {} 处面向 CUDA 的代码保持原样", evidence_,
               served_count_),
           Severity::kNote);
  }

  // Conditions.

  void FindFixes() {
    for (const Finding& finding : findings_) {
      if (!HasFix(finding)) continue;
      fixes_.push_back(finding.range);
    }
    std::ranges::sort(fixes_, [](TextRange a, TextRange b) { return a.start < b.start; });
    for (const Finding& finding : findings_) {
      if (!finding.range.empty()) by_start_.emplace_back(finding.range.start, &finding);
    }
    std::ranges::stable_sort(by_start_, {}, [](const auto& entry) { return entry.first; });
    uint32_t last_end = 0;
    for (const auto& [start, finding] : by_start_) {
      ends_so_far_.push_back(last_end = std::max(last_end, finding->range.end));
    }
  }

  /// The findings that begin in `part`. A file can have a finding for each of its guards: nothing
  /// may go through all of them for each guard.
  auto FindingsIn(TextRange part) const {
    const auto start_of = [](const auto& entry) { return entry.first; };
    const auto first = std::ranges::lower_bound(by_start_, part.start, {}, start_of);
    return std::ranges::subrange(first,
                                 std::ranges::upper_bound(by_start_, part.end, {}, start_of)) |
           std::views::values;
  }

  bool HasFixIn(const std::vector<TextRange>& parts) const {
    return std::ranges::any_of(parts, [&](TextRange part) { return FixIn(part); });
  }

  bool FixIn(TextRange part) const {
    const auto first = FirstFix(part.start);
    return first != fixes_.end() && first->end <= part.end;
  }

  std::vector<TextRange>::const_iterator FirstFix(uint32_t from) const {
    return std::lower_bound(fixes_.begin(), fixes_.end(), from,
                            [](TextRange fix, uint32_t start) { return fix.start < start; });
  }

  void Judge(const Guard& guard) {
    if (guard.asks == Guard::Asks::kHost) return JudgeHost(guard);
    if (const CudaNeed* other = ComparedWith(guard)) {
      return KeepBeside(guard, *other,
                        Say("this keeps asking for CUDA, since it is compared with {}, which is "
                            "about CUDA as well",
                            "该条件仍检查 CUDA, 因为与其比较的 {} 也针对 CUDA", other->name));
    }
    const CudaNeed* need = NeedIn(guard.with);
    if (need == nullptr) need = NeedIn(guard.reached);
    const bool is_of_build = AsksForBuild(guard) && BuildsForCuda();
    if (need != nullptr) return JudgeNeed(guard, *need, !is_of_build && IsMixed(guard));
    if (is_of_build) return KeepForBuild(guard);
    if (guard.asks == Guard::Asks::kMachine) {
      if (const auto choice = build_choices_->Of(guard)) {
        return JudgeBuildChoice(guard, *choice);
      }
    }
    need = NeedOfCalls(guard);
    if (need != nullptr) {
      const bool all_need = AllCallsNeedCuda(guard);
      JudgeNeed(guard, *need, !all_need);
      if (all_need) KeepCalls(guard);
      return;
    }
    if (const CudaNeed* question = UnansweredBehind(guard)) {
      JudgeNeed(guard, *question, false);
      return KeepCalls(guard);
    }
    if (const CudaNeed* other = JoinedWith(guard)) {
      return KeepBeside(guard, *other,
                        Say("this keeps asking for CUDA, since it is true only with {}, which is "
                            "about CUDA as well",
                            "该条件仍检查 CUDA, 因为它还要求 {}, 而后者也针对 CUDA", other->name));
    }
    if (const Node callee = ForeignSwitch(guard)) return KeepForLibrary(guard, callee);
    if (IsOfCudaClass(guard)) return Keep(guard);
    if (kept_decisions_.contains(guard.decides.id())) return;
    if (KeepsItsValue(guard)) return KeepWithValue(guard);
    ReportFeature(guard);
  }

  /// What is compared with the answer and is about CUDA itself:
  /// `own_ext.is_cuda_available() == torch.cuda.is_available()`.
  const CudaNeed* ComparedWith(const Guard& guard) const {
    Node side = guard.condition;
    while (side.parent().Is(NodeKind::kParenthesizedExpression)) side = side.parent();
    const Node comparison = side.parent();
    if (!comparison.Is(NodeKind::kComparisonOperator)) return nullptr;
    for (const Node other : NamedChildren(comparison)) {
      const CudaNeed* need = other == side ? nullptr : needs_->FirstIn({other.range()});
      if (need != nullptr) return need;
    }
    return nullptr;
  }

  /// What is called with the answer as a switch for CUDA of its own: `GradCAM(use_cuda=answer)` of
  /// a library that knows no other device. A null node if nothing is, or if something else gets the
  /// answer as well.
  Node ForeignSwitch(const Guard& guard) const {
    const Node value = WithSameAnswer(guard.condition);
    if (!IsKept(value)) return ForeignTaker(value);
    const bool decides_more =
        std::ranges::any_of(guard.with, [&](TextRange part) { return !IsAnswer(PartAt(part)); });
    if (decides_more) return {};
    Node callee;
    for (const ResultUse& use : file_.results().OfValue(value)) {
      const Node taker = ForeignTaker(WithSameAnswer(use.value));
      if (!taker) return {};
      if (!callee) callee = taker;
    }
    return callee;
  }

  /// The outermost expression that only passes the answer on: `not (x)`, `bool(x)`, `x and y`,
  /// `True if x else False`.
  static Node WithSameAnswer(Node value) {
    for (Node parent = value.parent(); parent; value = parent, parent = parent.parent()) {
      const Node call = parent.parent();
      const bool passes_on =
          parent.Is(NodeKind::kParenthesizedExpression) || parent.Is(NodeKind::kNotOperator) ||
          parent.Is(NodeKind::kBooleanOperator) ||
          (parent.Is(NodeKind::kConditionalExpression) && SpellsAnswer(parent, value));
      if (passes_on) continue;
      const bool is_converted = parent.Is(NodeKind::kArgumentList) && call.Is(NodeKind::kCall) &&
                                call.Child(Field::kFunction).text() == "bool";
      if (!is_converted) break;
      parent = call;
    }
    return value;
  }

  /// `True if condition else False`
  static bool SpellsAnswer(Node choice, Node condition) {
    return std::ranges::all_of(NamedChildren(choice),
                               [&](Node part) { return part == condition || IsAnswer(part); });
  }

  static bool IsAnswer(Node value) {
    return value.Is(NodeKind::kTrue) || value.Is(NodeKind::kFalse);
  }

  /// `answer = value`
  static bool IsKept(Node value) {
    const Node assignment = value.parent();
    return assignment.Is(NodeKind::kAssignment) && value.field() == Field::kRight &&
           assignment.Child(Field::kLeft).Is(NodeKind::kIdentifier);
  }

  /// The callee that takes `value` as a switch for CUDA of its library, or a null node. What a
  /// parameter is called with takes it as well where the file hands the same to the library.
  Node ForeignTaker(Node value) const {
    const Node argument = value.parent();
    if (!argument.Is(NodeKind::kKeywordArgument)) return {};
    if (const Node callee = ForeignCallee(argument)) return callee;
    if (!IsParameter(argument.parent().parent().Child(Field::kFunction))) return {};
    for (const Node name : file_.NodesSaying(argument.Child(Field::kName).text())) {
      const Node other = name.parent();
      if (!other.Is(NodeKind::kKeywordArgument) || other.text() != argument.text()) continue;
      if (const Node callee = ForeignCallee(other)) return callee;
    }
    return {};
  }

  Node ForeignCallee(Node argument) const {
    const std::string_view keyword = argument.Child(Field::kName).text();
    const Node callee = argument.parent().parent().Child(Field::kFunction);
    if (!callee) return {};
    const bool is_foreign =
        std::ranges::any_of(file_.names().Resolve(callee), [&](const QualifiedName& name) {
          const Signature* known = name.local ? nullptr : Signatures::Builtin().OfCall(name.name);
          if (known == nullptr || known->OfArgument(0, keyword) != Meaning::kForeign) return false;
          return known->arguments.contains(keyword) || HasDeviceWord(keyword, signatures_.words);
        });
    return is_foreign ? callee : Node();
  }

  bool IsParameter(Node callee) const {
    if (!callee.Is(NodeKind::kIdentifier)) return false;
    const NameTable::Meanings bindings = file_.names().BindingsOf(callee);
    return std::any_of(bindings.begin(), bindings.end(), [](const Binding* binding) {
      return binding->kind == BindingKind::kParameter;
    });
  }

  void KeepForLibrary(const Guard& guard, Node callee) {
    Keep(guard);
    if (!FixIn(guard.condition.range())) return;
    const bool moves_what_it_is_given =
        std::ranges::any_of(file_.names().Resolve(callee), [](const QualifiedName& name) {
          return !name.local && Words("movers-to-cuda").Has(FirstPart(name.name));
        });
    if (moves_what_it_is_given) {
      return Report(
          guard.condition.range(),
          Say("this keeps asking for CUDA, since {} knows no other device: on the NPU it moves "
              "nothing, so that a model on the NPU meets an input on the CPU: move the input to "
              "the device of the model before it is handed over",
              "该条件仍检查 CUDA, 因为 {} 不支持其他设备: 在 NPU 环境中它不移动任何数据, NPU "
              "上的模型会遇到 CPU 上的输入: 请在传入前将输入移至模型所在设备",
              callee.text()),
          Severity::kMayGoWrong);
    }
    Report(guard.condition.range(),
           Say("this keeps asking for CUDA, since {} knows no other device: on the NPU it works "
               "on the CPU",
               "该条件仍检查 CUDA, 因为 {} 不支持其他设备: 在 NPU 环境中它在 CPU 上运行",
               callee.text()),
           Severity::kNote);
  }

  /// What only CUDA has and is asked for together with the device:
  /// `torch.cuda.is_available() and CUDA_HOME is not None`.
  const CudaNeed* JoinedWith(const Guard& guard) const {
    Node side = guard.condition;
    while (side.parent().Is(NodeKind::kParenthesizedExpression)) side = side.parent();
    for (Node join = side.parent(); join.Is(NodeKind::kBooleanOperator); join = join.parent()) {
      const Node first = join.first_named_child();
      if (!first.next_sibling().IsToken("and")) return nullptr;
      if (const CudaNeed* other = needs_->FirstQuestionIn(join.range())) return other;
    }
    return nullptr;
  }

  void KeepBeside(const Guard& guard, const CudaNeed& other, Text why) {
    Keep(guard);
    if (FixIn(guard.condition.range())) ReportOnce(guard, other, std::move(why));
  }

  /// True for a file that installs the program and builds something for CUDA: all that it asks the
  /// machine is about what it builds.
  bool BuildsForCuda() const {
    const std::string& path = file_.source().path();
    const std::string name = path.substr(path.rfind('/') + 1);
    return (!needs_->all().empty() && IsOneOf(name, signatures_.program_files)) ||
           DeclaresExtension();
  }

  /// True if the modules that the file builds are told where programs import them: to write their
  /// operators anew is the work, what the file asks falls away with it.
  bool DeclaresExtension() const { return OwnExtension() != nullptr; }

  /// A module of CUDA that the file builds, or null.
  const ExtensionModule* OwnExtension() const {
    if (file_.modules() == nullptr) return nullptr;
    const std::vector<ExtensionModule>& all = file_.modules()->extensions();
    const auto found = std::ranges::find_if(all, [&](const ExtensionModule& module) {
      return module.is_cuda && module.declared_in == file_.source().path();
    });
    return found == all.end() ? nullptr : &*found;
  }

  /// Whether there is a GPU, or which one: `get_device_capability(i)` chooses what to compile for.
  /// A question for the kind that has no counterpart keeps its own row.
  bool AsksForBuild(const Guard& guard) const {
    return guard.asks == Guard::Asks::kMachine ||
           (guard.asks == Guard::Asks::kWhichGpu && FixIn(guard.condition.range()));
  }

  void KeepForBuild(const Guard& guard) {
    KeepDecision(guard);
    if (!FixIn(guard.condition.range())) return;
    build_questions_.push_back(guard.condition.range());
    // What is said of an answer begins with the variables that get it.
    const Node holder = guard.condition.parent();
    if (holder.Is(NodeKind::kAssignment)) guarded_ranges_.push_back(holder.range());
  }

  /// A condition that chooses sources or options for CUDA, in a file that others ask to build.
  void JudgeBuildChoice(const Guard& guard, const CudaNeed& choice) {
    if (IsMixed(guard)) return JudgeNeed(guard, choice, true);
    const bool was_moved = FixIn(guard.condition.range());
    KeepDecision(guard);
    if (!was_moved) return;
    ReportOnce(
        guard, choice,
        Say("this keeps asking for CUDA, since it chooses what is built for CUDA ({}, line "
            "{}): on the NPU the C++ sources alone are built, without what only the CUDA "
            "sources define",
            "该条件仍检查 CUDA, 因为它决定为 CUDA 编译的内容 ({}, 第 {} 行): 在 NPU 上仅编译 "
            "C++ 源码, 不含仅由 CUDA 源码定义的部分",
            choice.name, LineOf(choice.range)));
  }

  std::string WhatIsBuilt() const {
    if (!needs_->all().empty()) return needs_->all().front().name;
    const ExtensionModule* module = OwnExtension();
    return module == nullptr ? std::string() : module->name;
  }

  void ReportBuild() {
    if (build_questions_.empty()) return;
    std::string lines;
    for (TextRange question : build_questions_) {
      lines += fmt::format("{}{}", lines.empty() ? "" : ", ", LineOf(question));
    }
    Report(
        build_questions_.front(),
        Say("what this file asks the machine decides what it builds for CUDA ({}), and stays, by "
            "line: {}",
            "本文件对设备的检查决定为 CUDA 编译的内容 ({}), 保持不变, 所在行: {}", WhatIsBuilt(),
            lines),
        Severity::kNote);
  }

  /// The first need in one of `parts` that no condition within the part protects by itself.
  const CudaNeed* NeedIn(const std::vector<TextRange>& parts) {
    if (!innermost_) FindInnermost();
    for (TextRange part : parts) {
      for (const CudaNeed* need = needs_->FirstIn({part}); need != nullptr;
           need = needs_->FirstIn({{need->range.end, part.end}})) {
        const auto inner = innermost_->find(need->range.start);
        if (inner == innermost_->end() || inner->second >= part.size()) return need;
      }
    }
    return nullptr;
  }

  /// Of each need the length of the shortest part around it that a condition protects. What asks
  /// for a kind of GPU does not count: where there is no CUDA it cannot be asked. An assertion does
  /// not either: it leads no device another way, so that the condition around it has to do that.
  void FindInnermost() {
    innermost_.emplace();
    for (const Guard& guard : guards_) {
      if (guard.asks == Guard::Asks::kHost || guard.asks == Guard::Asks::kWhichGpu) continue;
      for (TextRange part : guard.with) {
        if (guard.Demands(part)) continue;
        for (const CudaNeed* need = needs_->FirstIn({part}); need != nullptr;
             need = needs_->FirstIn({{need->range.end, part.end}})) {
          const auto [known, is_new] = innermost_->emplace(need->range.start, part.size());
          known->second = std::min(known->second, part.size());
        }
      }
    }
  }

  const CudaNeed* NeedOfCalls(const Guard& guard) {
    for (const std::vector<TextRange>& parts : guard.by_call) {
      if (const CudaNeed* need = NeedIn(parts)) return need;
    }
    return nullptr;
  }

  /// What the guard protects and an NPU has no answer to, where other devices go another way, and
  /// what is asked is the device of a tensor. Whether there is a device at all decides about more,
  /// unless all else behind that asks about it as well.
  const CudaNeed* UnansweredBehind(const Guard& guard) {
    if (guard.asks == Guard::Asks::kWhichGpu || guard.skips_test || IsDemand(guard)) return nullptr;
    const bool is_of_machine = guard.asks == Guard::Asks::kMachine;
    if (const CudaNeed* question = needs_->FirstUnansweredIn(guard.with)) {
      if (guard.otherwise.empty() || Raises(guard.otherwise)) return nullptr;
      return is_of_machine && !OnlyAsksIn(guard.with) ? nullptr : question;
    }
    if (is_of_machine) return nullptr;
    const CudaNeed* first = nullptr;
    for (const std::vector<TextRange>& parts : guard.by_call) {
      const CudaNeed* question = needs_->FirstUnansweredIn(parts);
      if (question == nullptr) return nullptr;
      if (first == nullptr) first = question;
    }
    return IsAnsweredElsewhere(guard) ? nullptr : first;
  }

  /// True if the parts do nothing but ask which GPU there is, or whether, tell people about it, and
  /// compute with Python's own functions.
  bool OnlyAsksIn(const std::vector<TextRange>& parts) const {
    const auto asks = [&](Node callee) {
      const auto is_it = [&](const std::string& name) {
        return file_.names().IsNamed(callee, name);
      };
      return std::ranges::any_of(signatures_.which_gpu, is_it) ||
             std::ranges::any_of(signatures_.availability, is_it);
    };
    const auto is_harmless = [&](Node call) {
      const Node callee = call.Child(Field::kFunction);
      if (callee.Is(NodeKind::kIdentifier) && Words("names-of-python").Has(callee.text()))
        return true;
      const Node shown = call.Child(Field::kArguments).first_named_child();
      return asks(callee) || (shown && IsMessage(shown));
    };
    return std::ranges::all_of(parts, [&](TextRange part) {
      return std::ranges::all_of(NodesIn(file_.tree()), [&](Node node) {
        return !part.Contains(node.range()) || !node.Is(NodeKind::kCall) || is_harmless(node);
      });
    });
  }

  /// A function that is asked in several places gives one answer for all of them.
  bool AllCallsNeedCuda(const Guard& guard) {
    const bool all = std::ranges::all_of(guard.by_call, [&](const std::vector<TextRange>& parts) {
      return NeedIn(parts) != nullptr;
    });
    return all && !IsAnsweredElsewhere(guard);
  }

  bool IsAnsweredElsewhere(const Guard& guard) const {
    return std::ranges::any_of(guard.functions, [&](Node function) {
      return IsUsedElsewhere(std::string(function.Child(Field::kName).text()));
    });
  }

  /// True for an assertion: it leads no device another way.
  static bool IsDemand(const Guard& guard) {
    return !guard.with.empty() &&
           std::ranges::all_of(guard.with, [&](TextRange part) { return guard.Demands(part); });
  }

  void JudgeNeed(const Guard& guard, const CudaNeed& need, bool is_mixed) {
    if (is_mixed) {
      // The NPU goes on: what stops it then may be told where it stands, as behind an assertion.
      if (!FixIn(guard.condition.range()) || IsDemand(guard) || IsTold(need)) return;
      return ReportOnce(
          guard, need,
          Say("this protects {} (line {}), which only CUDA runs, together with code that the NPU "
              "needs, and asks for the NPU now; split it, and leave {} to CUDA",
              "该条件同时保护仅 CUDA 可运行的 {} (第 {} 行) 与 NPU 需要的代码, 现已改为检查 NPU; "
              "请拆分该条件, 将 {} 仅留给 CUDA",
              need.name, LineOf(need.range), need.name),
          Severity::kStopsRun);
    }
    const bool was_moved = FixIn(guard.condition.range()) || HasFixIn(guard.with);
    Keep(guard);
    KeepRestOfChain(guard);
    if (!was_moved) return;
    if (options_.any_device) {
      return ReportOnce(
          guard, need,
          Say("the condition stays: it protects {} (line {}), which works with CUDA "
              "alone",
              "条件保持不变: 其保护的 {} (第 {} 行) 仅适用于 CUDA", need.name, LineOf(need.range)));
    }
    if (!guard.skips_test && !guard.otherwise.empty() && Raises(guard.otherwise)) {
      return ReportOnce(
          guard, need,
          Say("this keeps asking for CUDA, since it protects {} (line {}), which only "
              "CUDA runs; on the NPU the program raises an error at line {}: give it "
              "something else to run",
              "该条件仍检查 CUDA, 因为其保护的 {} (第 {} 行) 仅 CUDA 可运行; "
              "在 NPU 上程序会在第 {} 行报错: 请提供其他实现",
              need.name, LineOf(need.range), LineOf(guard.otherwise)),
          Severity::kStopsRun);
    }
    if (IsDemand(guard)) {
      return ReportOnce(
          guard, need,
          Say("this assertion keeps demanding CUDA, since {} (line {}) behind it runs on CUDA "
              "alone: an NPU must not get here",
              "该断言仍要求 CUDA, 因为其后的 {} (第 {} 行) 仅 CUDA 可运行: NPU 不应执行到此处",
              need.name, LineOf(need.range)),
          OwnExtensionIn(need) == nullptr ? Severity::kNote : Severity::kMayGoWrong);
    }
    ReportKept(guard, need);
  }

  /// True if the part does nothing but raise an error, and say something before.
  bool Raises(TextRange part) const {
    Node node = tree_.NodeAt(part);
    while (node.Is(NodeKind::kElseClause) || TakesOthers(node)) {
      node = node.Child(node.Is(NodeKind::kElseClause) ? Field::kBody : Field::kConsequence);
    }
    if (node.Is(NodeKind::kRaiseStatement)) return true;
    for (const Node child : NamedChildren(node)) {
      if (child.range().start < part.start) continue;
      if (child.Is(NodeKind::kRaiseStatement)) return true;
      if (!Shows(child)) return false;
    }
    return false;
  }

  /// `Loader.is_available` beside `Loader.load`, which compiles sources of CUDA.
  bool IsOfCudaClass(const Guard& guard) const {
    const Node statement = guard.decides.parent();
    if (guard.asks != Guard::Asks::kMachine || !statement.Is(NodeKind::kReturnStatement)) {
      return false;
    }
    for (Node outer = statement.parent(); outer; outer = outer.parent()) {
      if (!outer.Is(NodeKind::kClassDefinition)) continue;
      const std::string prefix = std::string(outer.Child(Field::kName).text()) + ".";
      const auto& functions = needs_->summary().functions;
      for (auto part = functions.lower_bound(prefix);
           part != functions.end() && part->first.starts_with(prefix); ++part) {
        if (!part->second.need.empty()) return true;
      }
      return false;
    }
    return false;
  }

  /// True if the condition also decides where the program computes: it has to ask for the NPU.
  bool IsMixed(const Guard& guard) const {
    if (guard.asks != Guard::Asks::kMachine || guard.skips_test) return false;
    std::vector<TextRange> parts = guard.with;
    parts.insert(parts.end(), guard.reached.begin(), guard.reached.end());
    for (TextRange part : parts) {
      const uint32_t end = IsOptional(guard) ? EndOfNpuIn(part) : part.end;
      for (auto fix = FirstFix(part.start); fix != fixes_.end() && fix->end <= end; ++fix) {
        if (IsOrdinary(*fix, part, guard)) return true;
      }
    }
    return false;
  }

  /// `self.is_fast and torch.cuda.is_available()`: the program does without what this protects.
  bool IsOptional(const Guard& guard) const {
    for (Node side = guard.condition; side != guard.decides; side = side.parent()) {
      const Node join = side.parent();
      if (join.Is(NodeKind::kParenthesizedExpression)) continue;
      const Node first = join.first_named_child();
      if (!join.Is(NodeKind::kBooleanOperator) || !first.next_sibling().IsToken("and"))
        return false;
      const Node other = side == first ? LastNamedChild(join) : first;
      if (!HasDeviceWord(other.text(), signatures_.words)) return true;
    }
    return false;
  }

  /// Where a run on an NPU of the part ends: at the first import that fails there, whatever follows
  /// it.
  uint32_t EndOfNpuIn(TextRange part) const {
    for (const CudaNeed& need : needs_->all()) {
      if (!part.Contains(need.range)) continue;
      const Node import = tree_.NodeAt(need.range);
      if (!IsImport(import)) continue;
      Node block = import.parent();
      if (block.parent().Is(NodeKind::kTryStatement)) block = block.parent().parent();
      if (block.range().Contains(part)) return need.range.start;
    }
    return part.end;
  }

  bool IsOrdinary(TextRange fix, TextRange part, const Guard& guard) const {
    const Node node = tree_.NodeAt(fix);
    const Node statement = EnclosingStatement(node);
    if (needs_->FirstIn({statement.range()}) != nullptr) return false;
    if (!guard.otherwise.empty() && !IsPlacement(node)) return false;
    return !ServesNeed(statement, part);
  }

  /// `x.cuda()`, "cuda": what puts something on the device, and is not just a call about it.
  bool IsPlacement(Node node) const {
    if (node.Is(NodeKind::kString) || node.Is(NodeKind::kStringContent)) return true;
    const auto& values = signatures_.values;
    const Node name = node.Is(NodeKind::kAttribute) ? node.Child(Field::kAttribute) : node;
    return IsOneOf(name.text(), values) && name.parent().parent().Is(NodeKind::kCall);
  }

  /// True if what the statement assigns goes into something that only CUDA runs: `x = x.cuda()`
  /// before `kernel(x)`.
  bool ServesNeed(Node statement, TextRange part) const {
    const Node assignment = statement.first_named_child();
    const Node left =
        assignment.Is(NodeKind::kAssignment) ? assignment.Child(Field::kLeft) : Node();
    if (!left) return false;
    for (const CudaNeed& need : needs_->all()) {
      if (!part.Contains(need.range)) continue;
      const Node user = EnclosingStatement(tree_.NodeAt(need.range));
      for (const Node name : NodesIn(user)) {
        if (name.Is(NodeKind::kIdentifier) && name.text() == left.text()) return true;
      }
    }
    return false;
  }

  /// `if device.type == "cpu": plain() else: own_kernel()`: the NPU takes the branch of CUDA.
  void JudgeHost(const Guard& guard) {
    const CudaNeed* need = needs_->FirstIn(guard.without);
    if (need == nullptr || !ComparesDevice(guard.condition)) return;
    if (!protected_) {
      std::vector<TextRange> parts;
      for (const Guard& other : guards_) {
        if (other.asks == Guard::Asks::kHost) continue;
        parts.insert(parts.end(), other.with.begin(), other.with.end());
      }
      protected_.emplace(std::move(parts));
    }
    if (protected_->Contains(need->range)) return;
    const Text message =
        guard.with.empty() || Raises(guard.with.front())
            ? Say("{} (line {}) runs on CUDA alone, and an NPU gets there, since it is not the "
                  "CPU; give it something else to run",
                  "{} (第 {} 行) 仅 CUDA 可运行, 而 NPU 不是 CPU, 会执行到此; 请为其提供其他实现",
                  need->name, LineOf(need->range))
            : Say("{} (line {}) runs on CUDA alone, and an NPU gets there, since it is not the "
                  "CPU; let it take line {}",
                  "{} (第 {} 行) 仅 CUDA 可运行, 而 NPU 不是 CPU, 会执行到此; 请让其执行第 {} 行",
                  need->name, LineOf(need->range), LineOf(guard.with.front()));
    ReportOnce(guard, *need, message, Severity::kStopsRun);
  }

  /// True if what is compared with the name of the host is a device for certain: "cpu" names many
  /// other choices, as where an optimizer keeps its state.
  bool ComparesDevice(Node comparison) const {
    for (const Node string : NodesIn(comparison)) {
      if (!string.Is(NodeKind::kString)) continue;
      const Verdict verdict = file_.values().VerdictOf(string);
      if (verdict.kind == Verdict::Kind::kDevice && verdict.evidence.strength >= Strength::kShape) {
        return true;
      }
    }
    return false;
  }

  /// `torch.cuda.is_available() and torch.cuda.get_device_capability() >= (8, 0)`: no NPU is that.
  void JudgeWhichGpu(const Guard& guard) {
    bool asks_machine = guard.skips_test;
    const auto [first, last] = by_decision_.equal_range(guard.decides.id());
    for (auto other = first; other != last; ++other) {
      asks_machine = asks_machine || other->second->asks == Guard::Asks::kMachine;
    }
    if (!asks_machine || !kept_decisions_.insert(guard.decides.id()).second) return;
    for (auto other = first; other != last; ++other) Keep(*other->second);
    if (!FixIn(guard.decides.range()) || !reported_.insert(guard.decides.id()).second) return;
    Report(guard.condition.range(),
           Say("this asks for one kind of GPU and stays, since no NPU is one; see whether the NPU "
               "can do what it protects",
               "该条件检查特定型号的 GPU, NPU 均不符合, 保持原样; 请确认 NPU 是否支持其保护的功能"),
           Severity::kNote);
  }

  /// `"cuda" if torch.cuda.is_available() else "mps"` of which the value stays: with another
  /// condition the program would choose CUDA on other machines.
  bool KeepsItsValue(const Guard& guard) const {
    if (guard.asks != Guard::Asks::kMachine || !FixIn(guard.condition.range())) return false;
    return !HasFixIn(guard.with) && std::ranges::any_of(guard.with, [&](TextRange part) {
      return GivesValue(PartAt(part));
    });
  }

  /// The string itself for a part that is all of its text.
  Node PartAt(TextRange part) const {
    const Node node = tree_.NodeAt(part);
    return node.Is(NodeKind::kStringContent) ? node.parent() : node;
  }

  /// A value of which a rule says what it means needs no second row, and a file that names the NPU
  /// asks for it elsewhere.
  void KeepWithValue(const Guard& guard) {
    KeepDecision(guard);
    const bool is_told = std::ranges::any_of(guard.with, [&](TextRange part) {
      return std::ranges::any_of(NodesIn(PartAt(part)), [&](Node node) {
        return node.Is(NodeKind::kString) && StaysForCuda(node);
      });
    });
    if (is_told || served_.FirstName() || !reported_.insert(guard.decides.id()).second) return;
    if (IsOfOtherKind(guard)) {
      return Report(guard.condition.range(),
                    Say("this keeps asking for CUDA, as the value given here keeps its name, and "
                        "an NPU takes the other branch",
                        "此处给出的值保持不变, 故该条件仍检查 CUDA, NPU 会进入另一分支"),
                    Severity::kNote);
    }
    Report(guard.condition.range(),
           Say("this keeps asking for CUDA, and an NPU takes the other branch, since nothing in "
               "the text shows that the value given here is a device; if it is one, change both",
               "该条件仍检查 CUDA, NPU 会进入另一分支, 因为文本未表明此处给出的值是设备; "
               "若其为设备, 请将两者一并修改"),
           Severity::kMayGoWrong);
  }

  /// True if what the program does with a value that the guard gives shows that it is no device of
  /// torch: its own row says what it is.
  bool IsOfOtherKind(const Guard& guard) const {
    return std::ranges::any_of(guard.with, [&](TextRange part) {
      return std::ranges::any_of(NodesIn(PartAt(part)), [&](Node node) {
        if (!node.Is(NodeKind::kString) || FindingsIn(node.range()).empty()) return false;
        const Verdict verdict = file_.values().VerdictOf(node);
        return verdict.kind == Verdict::Kind::kOther && verdict.evidence.is_firm;
      });
    });
  }

  /// The guard with all other questions of its condition.
  void KeepDecision(const Guard& guard) {
    const auto [first, last] = by_decision_.equal_range(guard.decides.id());
    for (auto other = first; other != last; ++other) Keep(*other->second);
  }

  /// True for "CUDAExecutionProvider": a rule says that it means CUDA, and leaves it as it is.
  bool StaysForCuda(Node string) const {
    return std::ranges::any_of(FindingsIn(string.range()), [&](const Finding* finding) {
      return !HasFix(*finding) && string.range().Contains(finding->range) &&
             SeverityOf(*finding) != Severity::kNote;
    });
  }

  /// True for "cuda", and for a block that gives or keeps that.
  bool GivesValue(Node node) const {
    switch (node.kind()) {
      case NodeKind::kBlock:
        return std::ranges::any_of(NamedChildren(node),
                                   [&](Node statement) { return GivesValue(statement); });
      case NodeKind::kReturnStatement:
      case NodeKind::kExpressionStatement:
        return GivesValue(node.first_named_child());
      case NodeKind::kAssignment:
        return GivesValue(node.Child(Field::kRight));
      case NodeKind::kString: {
        const Node content = PlainStringContent(node);
        const auto& values = signatures_.values;
        if (!content) return false;
        const std::string_view device = content.text().substr(0, content.text().find(':'));
        return IsOneOf(device, values) || StaysForCuda(node);
      }
      default:
        return false;
    }
  }

  // What the name of something that is not known hints at.

  void ReportFeature(const Guard& guard) {
    if (!FixIn(guard.condition.range()) || OnlyShows(guard)) return;
    std::string_view feature;
    for (size_t i = 0; i < guard.with.size() && feature.empty(); ++i) {
      feature = FeatureIn(guard.with[i], guard);
    }
    if (feature.empty() && guard.decides_value && !IsArgument(guard) && !StopsAtAnswer(guard)) {
      feature = FeatureIn(EnclosingStatement(guard.condition).range(), guard);
    }
    const Node key = guard.decides;
    if (feature.empty() || !reported_.insert(key.id()).second) return;
    Report(guard.condition.range(),
           Say("{}: this guards what was made for CUDA, and the NPU takes this branch now; see "
               "whether it works there, or keep the branch for CUDA",
               "{}: 此处保护的是面向 CUDA 的功能，迁移后 NPU 也会进入此分支；请确认其在 NPU "
               "上可用，或仅为 CUDA 保留该分支",
               feature),
           guard.skips_test ? Severity::kNote : Severity::kMayGoWrong);
  }

  /// True for `capability = torch.cuda.get_device_capability()` whose answer for an NPU stops the
  /// program where it is used, as a row says: nothing is decided before.
  bool StopsAtAnswer(const Guard& guard) const {
    const TextRange question = guard.condition.range();
    const Node assignment = EnclosingStatement(guard.condition).first_named_child();
    const Node name =
        assignment.Is(NodeKind::kAssignment) ? assignment.Child(Field::kLeft) : Node();
    return std::ranges::any_of(findings_, [&](const Finding& finding) {
      if (HasFix(finding) || SeverityOf(finding) > Severity::kStopsRun) return false;
      if (finding.range.Contains(question)) return true;
      if (!name.Is(NodeKind::kIdentifier) || finding.range.start < question.end) return false;
      const Node use = tree_.NodeAt({finding.range.start, finding.range.start + 1});
      return use.Is(NodeKind::kIdentifier) && use.text() == name.text() &&
             file_.names().ScopeOf(use) == file_.names().ScopeOf(name);
    });
  }

  static bool IsArgument(const Guard& guard) {
    return guard.decides.parent().Is(NodeKind::kArgumentList);
  }

  std::string_view FeatureIn(TextRange part, const Guard& guard) const {
    const Node whole = tree_.NodeAt(part);
    for (const Node node : NodesIn(whole)) {
      if (!node.Is(NodeKind::kIdentifier) || !part.Contains(node.range()) ||
          guard.condition.IsAncestorOf(node)) {
        continue;
      }
      const bool hints =
          HintsAtFeature(node.text()) || (guard.asks == Guard::Asks::kValue && HintsAtKernel(node));
      if (!hints || IsAnswered(node) || IsInFallback(node) || IsInImportOfTorch(node)) continue;
      if (!IsShown(node) && !IsOnlyEverShown(node) && !IsIdleValue(node)) return node.text();
    }
    return {};
  }

  /// True in `import torch.backends.cudnn as cudnn`: it works everywhere, and each use of what it
  /// brings tells for itself.
  static bool IsInImportOfTorch(Node node) {
    while (node && !IsImport(node)) node = node.parent();
    return node && BringsTorchAlone(node);
  }

  static bool BringsTorchAlone(Node import) {
    const auto is_of_torch = [](Node module) {
      return FirstPart(module.text()) == PackageOf(Framework::kPytorch);
    };
    if (import.Is(NodeKind::kImportFromStatement)) {
      return is_of_torch(import.Child(Field::kModuleName));
    }
    return std::ranges::all_of(NamedChildren(import), [&](Node item) {
      return is_of_torch(item.Is(NodeKind::kAliasedImport) ? item.Child(Field::kName) : item);
    });
  }

  /// True for what is printed or logged: `fused` of `print(f"fused: {fused}")`.
  bool IsShown(Node node) const {
    for (; node.parent() && !node.parent().Is(NodeKind::kBlock); node = node.parent()) {
      const bool is_argument =
          node.parent().Is(NodeKind::kArgumentList) || node.parent().Is(NodeKind::kPrintStatement);
      if (is_argument && IsMessage(node)) return true;
    }
    return false;
  }

  /// The variable that gets a value of which `node` is a part; a null node if none does.
  static Node AssignedWith(Node node) {
    while (node.parent() && !node.parent().Is(NodeKind::kAssignment)) {
      if (node.Is(NodeKind::kBlock)) return {};
      node = node.parent();
    }
    return node.field() == Field::kRight ? node.parent().Child(Field::kLeft) : Node();
  }

  bool IsSetWithoutEffect(Node target) const { return target && IsWithoutEffect(target); }

  /// True in a value that only goes where it has no effect, or into messages.
  bool IsIdleValue(Node node) const {
    const Node target = AssignedWith(node);
    return IsSetWithoutEffect(target) || IsOnlyEverShown(target);
  }

  /// True for a variable, here bound, that only messages and settings without effect read.
  bool IsOnlyEverShown(Node name) const {
    if (!name.Is(NodeKind::kIdentifier) || name.field() != Field::kLeft ||
        !name.parent().Is(NodeKind::kAssignment)) {
      return false;
    }
    size_t shown = 0;
    for (const Node use : file_.NodesSaying(name.text())) {
      const bool is_other = IsAssigned(use) || use.field() == Field::kAttribute;
      if (use == name || is_other) continue;
      if (!IsSetWithoutEffect(AssignedWith(use)) && !IsShown(use)) return false;
      ++shown;
    }
    return shown > 0 && !IsUsedElsewhere(std::string(name.text()));
  }

  /// True if all that the answer decides is what the program says to people.
  bool OnlyShows(const Guard& guard) const {
    if (guard.decides_value || guard.skips_test || !guard.by_call.empty()) return false;
    size_t blocks = 0;
    for (const std::vector<TextRange>* parts : {&guard.with, &guard.without}) {
      for (const TextRange part : *parts) {
        Node block = tree_.NodeAt(part);
        // A block of one statement has its range.
        while (!block.Is(NodeKind::kBlock) && block.parent() && block.parent().range() == part) {
          block = block.parent();
        }
        const bool is_condition = guard.decides.IsAncestorOf(block) || guard.decides == block;
        if (is_condition) continue;
        if (!block.Is(NodeKind::kBlock) || !OnlyShows(block)) return false;
        ++blocks;
      }
    }
    return blocks > 0;
  }

  bool OnlyShows(Node block) const {
    const NamedChildren statements(block);
    return std::ranges::all_of(statements, [&](Node statement) { return Shows(statement); });
  }

  bool Shows(Node statement) const {
    const Node call = statement.first_named_child();
    if (statement.Is(NodeKind::kPrintStatement)) return true;
    if (IsImport(statement)) return BringsTorchAlone(statement);
    if (statement.Is(NodeKind::kIfStatement)) return ShowsOnCondition(statement);
    if (!statement.Is(NodeKind::kExpressionStatement)) return false;
    if (call.Is(NodeKind::kAssignment)) return IsWithoutEffect(call.Child(Field::kLeft));
    if (!call.Is(NodeKind::kCall)) return false;
    const Node argument = call.Child(Field::kArguments).first_named_child();
    return (argument && IsMessage(argument)) || IsWithoutEffect(call.Child(Field::kFunction));
  }

  /// `if is_main: print(...)`, which calls nothing to find out.
  bool ShowsOnCondition(Node if_statement) const {
    const Node condition = if_statement.Child(Field::kCondition);
    const bool calls =
        std::ranges::any_of(NodesIn(condition), [](Node node) { return node.Is(NodeKind::kCall); });
    return !calls && AllBranchesOnlyShow(if_statement);
  }

  /// True if a rule says that what is set or called there has no effect on an NPU.
  bool IsWithoutEffect(Node name) const {
    return std::ranges::any_of(FindingsIn(name.range()), [&](const Finding* finding) {
      return !HasFix(*finding) && SeverityOf(*finding) >= Severity::kNoEffect &&
             (finding->range == name.range() ||
              (name.Is(NodeKind::kSubscript) && name.range().Contains(finding->range)));
    });
  }

  /// `if "A100" in torch.cuda.get_device_name(): os.environ["NCCL_P2P_DISABLE"] = "1"`: which way
  /// an NPU takes there makes no difference. What raises does so whatever comes after it.
  void LowerIdleQuestions() {
    for (Finding& finding : findings_) {
      if (HasFix(finding) || SeverityOf(finding) != Severity::kMayGoWrong) continue;
      Node node = tree_.NodeAt(finding.range);
      while (node && node.field() != Field::kCondition && !node.Is(NodeKind::kBlock)) {
        node = node.parent();
      }
      const Node whole = node.parent();
      if (whole.Is(NodeKind::kIfStatement) && node.field() == Field::kCondition &&
          AllBranchesOnlyShow(whole)) {
        finding.severity = Severity::kNoEffect;
      }
    }
  }

  bool AllBranchesOnlyShow(Node if_statement) const {
    return std::ranges::all_of(NamedChildren(if_statement), [&](Node part) {
      if (part.field() == Field::kCondition || part.Is(NodeKind::kComment)) return true;
      if (part.Is(NodeKind::kBlock)) return OnlyShows(part);
      return part.Is(NodeKind::kElseClause) && OnlyShows(part.Child(Field::kBody));
    });
  }

  /// True if a rule has edited this or said what becomes of it: nothing is left to guess.
  bool IsAnswered(Node name) const {
    const TextRange part = name.range();
    const auto start_of = [](const auto& entry) { return entry.first; };
    size_t place =
        std::ranges::upper_bound(by_start_, part.start, {}, start_of) - by_start_.begin();
    while (place > 0 && ends_so_far_[place - 1] >= part.end) {
      if (by_start_[--place].second->range.Contains(part)) return true;
    }
    return false;
  }

  /// True in a `try` that goes on where something is missing, and in what it does then.
  static bool IsInFallback(Node node) {
    if (IsCaught(node)) return true;
    while (node && !node.Is(NodeKind::kExceptClause)) node = node.parent();
    return static_cast<bool>(node);
  }

  bool HintsAtFeature(std::string_view identifier) const {
    std::string name(identifier);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::ranges::any_of(signatures_.features,
                               [&](const std::string& feature) { return HasPart(name, feature); });
  }

  /// `median_filter_cuda(x)`: what is called for a tensor there is made for that device.
  bool HintsAtKernel(Node name) const {
    const std::string& suffix = signatures_.kernel_suffix;
    if (suffix.empty() || !name.text().ends_with(suffix)) return false;
    const Node whole = name.field() == Field::kAttribute ? name.parent() : name;
    return whole.parent().Is(NodeKind::kCall) && whole.field() == Field::kFunction &&
           !OnlyMoves(OwnFunction(whole));
  }

  /// The function of the file, or the method of the class around it, that `callee` is; a null node
  /// for anything else.
  Node OwnFunction(Node callee) const {
    if (callee.Is(NodeKind::kIdentifier)) {
      const NameTable::Meanings meanings = file_.names().BindingsOf(callee);
      const bool is_function =
          meanings.size() == 1 && meanings.front()->kind == BindingKind::kFunction;
      return is_function ? meanings.front()->statement : Node();
    }
    if (!callee.Is(NodeKind::kAttribute) || callee.Child(Field::kObject).text() != "self") {
      return {};
    }
    const Node holder = file_.classes().EnclosingClass(callee);
    if (!holder) return {};
    for (const Node member : NamedChildren(holder.Child(Field::kBody))) {
      const bool is_it =
          member.Is(NodeKind::kFunctionDefinition) &&
          member.Child(Field::kName).text() == callee.Child(Field::kAttribute).text();
      if (is_it) return member;
    }
    return {};
  }

  /// True for a function that calls nothing but what moves tensors to a device.
  static bool OnlyMoves(Node function) {
    size_t moves = 0;
    for (const Node node : NodesIn(function)) {
      if (!node.Is(NodeKind::kCall)) continue;
      const Node callee = node.Child(Field::kFunction);
      const bool is_move = callee.Is(NodeKind::kAttribute) &&
                           Words("moving-methods").Has(callee.Child(Field::kAttribute).text());
      if (!is_move) return false;
      ++moves;
    }
    return moves > 0;
  }

  // The findings.

  void Keep(const Guard& guard) {
    kept_guards_.insert(&guard);
    guarded_ranges_.push_back(guard.condition.range());
    guarded_ranges_.insert(guarded_ranges_.end(), guard.with.begin(), guard.with.end());
    SkipParts(guard);
  }

  /// `elif not x.is_cuda: raise` behind `if x.is_cuda:`, which stays: if it asked for the NPU, a
  /// tensor of that would pass both.
  void KeepRestOfChain(const Guard& guard) {
    const Node holder = guard.decides.parent();
    if (guard.asks != Guard::Asks::kValue || guard.decides.field() != Field::kCondition) return;
    const Node chain = holder.Is(NodeKind::kElifClause) ? holder.parent() : holder;
    for (const Guard& other : guards_) {
      const Node clause = other.decides.parent();
      const bool is_behind = other.asks == Guard::Asks::kValue &&
                             other.decides.field() == Field::kCondition &&
                             clause.Is(NodeKind::kElifClause) && clause.parent() == chain &&
                             other.decides.id() > guard.decides.id();
      if (is_behind) Keep(other);
    }
  }

  /// True for `elif not x.is_cuda:`, which tensors of other devices go through.
  bool TakesOthers(Node clause) const {
    if (!clause.Is(NodeKind::kElifClause)) return false;
    const auto [first, last] = by_decision_.equal_range(clause.Child(Field::kCondition).id());
    return std::any_of(first, last, [&](const auto& decided) {
      return IsIn(decided.second->without, clause.Child(Field::kConsequence).range());
    });
  }

  /// What runs behind the calls of a function that asks for the device of a tensor, and that stays.
  void KeepCalls(const Guard& guard) {
    if (guard.asks != Guard::Asks::kValue) return;
    for (const std::vector<TextRange>& parts : guard.by_call) {
      guarded_ranges_.insert(guarded_ranges_.end(), parts.begin(), parts.end());
      skipped_.insert(skipped_.end(), parts.begin(), parts.end());
    }
  }

  /// `not v.is_cuda and x.is_cuda`: both ask for the same device.
  void KeepWholeConditions() {
    for (const Guard& guard : guards_) {
      const auto [first, last] = by_decision_.equal_range(guard.decides.id());
      const bool keeps_another = std::any_of(
          first, last, [&](const auto& other) { return kept_guards_.contains(other.second); });
      if (keeps_another) guarded_ranges_.push_back(guard.condition.range());
    }
  }

  /// A function of the file that only what stays for CUDA calls belongs to it.
  void KeepHelpers() {
    if (guarded_ranges_.empty()) return;
    const RangeSet guarded(guarded_ranges_);
    for (const Binding& binding : file_.names().bindings()) {
      const bool is_helper = binding.kind == BindingKind::kFunction && binding.scope == 0;
      if (!is_helper || !FixIn(binding.statement.range())) continue;
      if (OnlyCudaReads(binding, guarded)) guarded_ranges_.push_back(binding.statement.range());
    }
    cuda_only_.clear();
  }

  /// `if torch.cuda.is_available(): ops = load(...)`: without `ops` nothing is missing where all
  /// that reads it stands behind such conditions too.
  void SettleBoundNames() {
    if (open_.empty()) return;
    const RangeSet guarded(guarded_ranges_);
    for (const auto& [row, guard] : open_) {
      std::vector<std::string> names;
      std::vector<TextRange> makers;
      std::string place;  // that reads one of them whatever the device is
      std::string read;
      bool is_settled = true;
      for (const Binding& binding : file_.names().bindings()) {
        if (!IsIn(guard->with, binding.node.range())) continue;
        // Behind an assertion nothing goes another way.
        is_settled = is_settled && !IsIn(guard->demanded, binding.node.range()) &&
                     OnlyCudaReads(binding, guarded);
        makers.push_back(EnclosingStatement(binding.node).range());
        std::string name(binding.name);
        const uint32_t line = place.empty() ? SureReadHere(binding, *guard, guarded) : 0;
        if (line > 0) {
          place = fmt::format("{}:{}", file_.source().path(), line);
          read = name;
        }
        if (!IsOneOf(name, names)) names.push_back(std::move(name));
      }
      if (names.empty()) continue;
      if (!is_settled) {
        for (size_t i = 0; i < names.size() && place.empty(); ++i) {
          place = SureReadElsewhere(names[i]);
          read = names[i];
        }
        if (!place.empty()) TellSureRead(place, read, rows_[row]);
        for (TextRange maker : makers) missed_.emplace_back(maker, *rows_[row].severity);
        continue;
      }
      rows_[row].message =
          Say("this keeps asking for CUDA, and on the NPU nothing is missing: all that reads what "
              "it makes ({}) stands behind such conditions too",
              "该条件仍检查 CUDA, NPU 上并无缺失: 读取其结果 ({}) 的代码均处于同类条件之后",
              fmt::format("{}", fmt::join(names, ", ")));
      rows_[row].severity = Severity::kNote;
      rows_[row].cause = fmt::format("{}:{}", signatures_.rule_id, Name(Severity::kNote));
    }
  }

  /// What is read at `place` without asking is missing there on an NPU.
  void TellSureRead(const std::string& place, const std::string& name, Finding& row) const {
    const Text more = Say("; {} reads {} without asking, and stops there",
                          "; {} 处不经检查即读取 {}, 执行到该处会中断", place, name);
    row.message.en += more.en;
    row.message.zh += more.zh;
    row.severity = Severity::kStopsRun;
    if (row.cause.starts_with(kOwnExtensionCause)) return;
    row.cause = fmt::format("{}:{}", signatures_.rule_id, Name(Severity::kStopsRun));
  }

  /// True if `says` so of another file of the project that spells `name`; null stands for one that
  /// cannot be read.
  bool AnyOther(const std::string& name,
                const std::function<bool(const std::string&, const OpenedFile*)>& says) const {
    if (file_.project() == nullptr) return false;
    return std::ranges::any_of(file_.project()->FilesSpelling(name), [&](const std::string& path) {
      return path != file_.source().path() && says(path, file_.project()->Open(path).get());
    });
  }

  /// "path:line" of another file that reads `name` of this one whatever the device is; or "".
  std::string SureReadElsewhere(const std::string& name) const {
    std::string place;
    AnyOther(name, [&](const std::string& path, const OpenedFile* opened) {
      if (opened == nullptr || IsTestFile(path)) return false;
      const Classes classes(opened->names(), file_.project());
      const CodeFile other(opened->names(), classes, file_.project());
      for (const Node word : opened->names().places().NodesSaying(name)) {
        const Node use = word.field() == Field::kAttribute ? word.parent() : word;
        if (IsInImport(use) || IsInBranch(use) || IsCaught(use)) continue;
        const std::vector<QualifiedName> meanings = opened->names().Resolve(use);
        const bool is_it = std::ranges::any_of(meanings, [&](const QualifiedName& meaning) {
          const std::optional<DefinitionRef> ref = Locate(other, meaning);
          return ref && ref->file == file_.source().path() && ref->name == name;
        });
        if (!is_it) continue;
        place = fmt::format("{}:{}", path, other.source().Locate(use.range().start).line);
        return true;
      }
      return false;
    });
    return place;
  }

  /// The line of this file that takes a part of what `binding` names whatever the device is; 0 if
  /// there is none.
  uint32_t SureReadHere(const Binding& binding, const Guard& guard, const RangeSet& guarded) {
    const auto is_missing = [&](const Binding* other) {
      return IsIn(guard.with, other->node.range()) ||
             (other->value && other->value.text() == "None");
    };
    for (const Node use : file_.NodesSaying(binding.name)) {
      const bool takes_part =
          use.parent().Is(NodeKind::kAttribute) && use.field() != Field::kAttribute;
      if (!takes_part || guarded.Contains(use.range()) || IsInBranch(use) || IsCaught(use))
        continue;
      const std::vector<const Binding*> of = file_.names().BindingsOf(use);
      const bool is_it = std::ranges::find(of, &binding) != of.end();
      if (!is_it || !std::ranges::all_of(of, is_missing)) continue;
      const Binding* definition = DefinitionAround(use);
      if (definition == nullptr || !OnlyCudaReads(*definition, guarded)) return LineOf(use.range());
    }
    return 0;
  }

  /// `from torch.utils.cpp_extension import CUDA_HOME` of what only conditions that stay ask for.
  void LowerAskedImports() {
    std::vector<TextRange> kept = guarded_ranges_;
    for (const Guard* guard : kept_guards_) kept.push_back(guard->decides.range());
    const RangeSet guarded(std::move(kept));
    cuda_only_.clear();
    std::multimap<uint32_t, const Binding*> imports;  // by their start
    for (const Binding& binding : file_.names().bindings()) {
      if (binding.kind == BindingKind::kImport && binding.scope == 0) {
        imports.emplace(binding.node.range().start, &binding);
      }
    }
    for (Finding& finding : findings_) {
      if (HasFix(finding) || SeverityOf(finding) != Severity::kMayGoWrong) continue;
      const auto [first, last] = imports.equal_range(finding.range.start);
      for (auto import = first; import != last; ++import) {
        const bool is_it = import->second->node.range() == finding.range;
        if (is_it && OnlyCudaReads(*import->second, guarded)) {
          finding.severity = Severity::kNoEffect;
        }
      }
    }
  }

  /// True if the name is read, and each place that does is one that only CUDA gets to. A function
  /// or a class is such a place if all that names it is.
  bool OnlyCudaReads(const Binding& binding, const RangeSet& guarded) {
    const auto [answer, is_new] = cuda_only_.emplace(binding.node.id(), true);  // true while asked
    if (is_new) answer->second = AllReadsAreGuarded(binding, guarded);
    return answer->second;
  }

  bool AllReadsAreGuarded(const Binding& binding, const RangeSet& guarded) {
    if (binding.scope == 0 && IsUsedElsewhere(std::string(binding.name))) return false;
    bool is_any = false;
    for (const Node use : file_.NodesSaying(binding.name)) {
      const bool is_recursive = binding.kind != BindingKind::kImport && binding.statement &&
                                binding.statement.IsAncestorOf(use);
      if (use.field() == Field::kAttribute || is_recursive) continue;
      const std::vector<const Binding*> of = file_.names().BindingsOf(use);
      const bool is_read = std::ranges::any_of(of, [&](const Binding* other) {
        return other->scope == binding.scope && other->node != use;
      });
      is_any = is_any || is_read;
      if (!is_read || guarded.Contains(use.range())) continue;
      const Binding* definition = DefinitionAround(use);
      if (definition == nullptr || !OnlyCudaReads(*definition, guarded)) return false;
    }
    return is_any;
  }

  /// What the outermost definition around `node` binds; null: it stands in none.
  const Binding* DefinitionAround(Node node) const {
    Node outermost;
    for (Node up = node.parent(); up; up = up.parent()) {
      if (up.Is(NodeKind::kFunctionDefinition) || up.Is(NodeKind::kClassDefinition)) outermost = up;
    }
    for (const Binding& binding : file_.names().bindings()) {
      if (outermost && binding.statement == outermost && binding.scope == 0) return &binding;
    }
    return nullptr;
  }

  /// True if another file may read the name from this one. One that defines it itself has its own.
  bool IsUsedElsewhere(const std::string& name) const {
    return AnyOther(name, [&](const std::string&, const OpenedFile* opened) {
      return opened == nullptr ||
             std::ranges::none_of(opened->names().bindings(), [&](const Binding& binding) {
               return binding.name == name && binding.kind != BindingKind::kImport;
             });
    });
  }

  bool IsSpelledElsewhere(std::string_view name) const {
    return file_.project() != nullptr && file_.project()->FilesSpelling(name).size() > 1;
  }

  /// What only CUDA runs behind `guard`, as it stands, an NPU does not get to. Behind an assertion
  /// it is not skipped but demanded.
  /// `impl == "cuda"` of a parameter that is "cuda" by default and keeps that, since it is no
  /// device as far as the program says.
  bool HoldsByDefault(const Guard& guard) const {
    const Node comparison = guard.condition;
    if (!comparison.Is(NodeKind::kComparisonOperator) || FixIn(comparison.range())) return false;
    const NamedChildren parts(comparison);
    const std::vector<Node> sides(parts.begin(), parts.end());
    if (sides.size() != 2) return false;
    for (const auto& [name, text] :
         {std::pair(sides[0], sides[1]), std::pair(sides[1], sides[0])}) {
      if (!name.Is(NodeKind::kIdentifier) || !text.Is(NodeKind::kString)) continue;
      const Node content = PlainStringContent(text);
      return content && std::ranges::any_of(file_.names().BindingsOf(name), [&](const Binding* of) {
               const bool has_text =
                   of->kind == BindingKind::kParameter && of->value.Is(NodeKind::kString);
               const Node own = has_text ? PlainStringContent(of->value) : Node();
               return own && own.text() == content.text();
             });
    }
    return false;
  }

  void SkipParts(const Guard& guard) {
    if (guard.asks == Guard::Asks::kHost || HoldsByDefault(guard)) return;
    const auto skip = [&](const std::vector<TextRange>& parts) {
      for (TextRange part : parts) {
        if (!guard.Demands(part)) skipped_.push_back(part);
      }
    };
    skip(guard.with);
    for (const auto& of_call : guard.by_call) skip(of_call);
    if (!RequiresCuda(guard.decides)) return;
    skipped_.insert(skipped_.end(), guard.reached.begin(), guard.reached.end());
  }

  /// True if a condition is true only with what only CUDA has: `CUDA_HOME is not None and (...)`.
  bool RequiresCuda(Node condition) const {
    while (condition.Is(NodeKind::kParenthesizedExpression)) {
      condition = condition.first_named_child();
    }
    if (!condition.Is(NodeKind::kBooleanOperator)) {
      return needs_ && needs_->FirstQuestionIn(condition.range()) != nullptr;
    }
    const Node first = condition.first_named_child();
    return first.next_sibling().IsToken("and") &&
           (RequiresCuda(first) || RequiresCuda(LastNamedChild(condition)));
  }

  /// What an NPU does not get to stops nothing there.
  void LowerSkipped() {
    const RangeSet skipped(skipped_);
    for (Finding& finding : findings_) {
      if (HasFix(finding) || !skipped.Contains(finding.range)) continue;
      Severity least = Severity::kNoEffect;
      for (const auto& [maker, severity] : missed_) {
        if (maker.Contains(finding.range)) least = std::min(least, severity);
      }
      finding.severity = std::max(SeverityOf(finding), least);
    }
  }

  /// Takes back what the guards keep.
  void Leave() {
    const RangeSet guarded(guarded_ranges_);
    std::erase_if(findings_, [&](const Finding& finding) {
      // What is said of a comparison begins with the condition that it is about.
      if (guarded.Contains({finding.range.start, finding.range.start})) {
        // What the NPU has no counterpart for is part of the list of such APIs all the same.
        return HasFix(finding) || finding.operation == Operation::kSuggestion;
      }
      return false;
    });
    LowerSkipped();
    kept_.insert(kept_.end(), guarded_ranges_.begin(), guarded_ranges_.end());
  }

  uint32_t LineOf(TextRange range) const { return file_.source().Locate(range.start).line; }

  void ReportOnce(const Guard& guard, const CudaNeed& need, Text message,
                  Severity severity = Severity::kNote) {
    // Two questions of one condition, and two conditions around one need, are one matter.
    if (!reported_.insert(guard.decides.id()).second) return;
    if (!reported_needs_.insert(need.range.start).second) return;
    Report(guard.condition.range(), std::move(message), severity);
    // Who writes the operators anew changes the condition, too: one matter for a person.
    const ExtensionModule* module = OwnExtensionIn(need);
    if (severity != Severity::kNote && module != nullptr) {
      rows_.back().cause = OwnExtensionCause(module->name);
    }
  }

  /// True if a rule says at `need` itself that it stops a run, and what to write there.
  bool IsTold(const CudaNeed& need) const {
    return std::ranges::any_of(findings_, [&](const Finding& finding) {
      return !HasFix(finding) && SeverityOf(finding) <= Severity::kStopsRun &&
             (finding.range.Contains(need.range) || need.range.Contains(finding.range));
    });
  }

  /// The module of CUDA that `need` names, or null. It may name functions on the way to that:
  /// "f(): pkg.ext.forward".
  const ExtensionModule* OwnExtensionIn(const CudaNeed& need) const {
    const size_t way = need.name.rfind(": ");
    const std::string_view name =
        std::string_view(need.name).substr(way == std::string::npos ? 0 : way + 2);
    const ProjectModules* modules = file_.modules();
    if (modules == nullptr) return nullptr;
    const ExtensionModule* module = modules->FindExtension(name);
    if (module != nullptr && module->is_cuda) return module;
    for (Node call = tree_.NodeAt(need.range); call; call = call.parent()) {
      if (call.Is(NodeKind::kCall)) return modules->LoadedBy(call, file_.names());
    }
    return nullptr;
  }

  /// What the guard calls for tensors that are not on a GPU, of a module of the project in C++ that
  /// has no code for any device; "" if nothing.
  std::string CppForHostIn(const Guard& guard) const {
    if (guard.asks != Guard::Asks::kValue || file_.modules() == nullptr) return {};
    for (const TextRange part : guard.without) {
      for (const Node node : NodesIn(PartAt(part))) {
        if (!node.Is(NodeKind::kCall) || !part.Contains(node.range())) continue;
        for (const QualifiedName& name : file_.names().Resolve(node.Child(Field::kFunction))) {
          const ExtensionModule* module = file_.modules()->FindExtension(name.name);
          if (module != nullptr && !module->IsForCuda()) return name.name;
        }
      }
    }
    return {};
  }

  /// Behind `assert x.is_cuda` stands nothing that an NPU could go on with.
  Severity SeverityBehind(const Guard& guard, const CudaNeed& need) const {
    if (guard.skips_test || OnlyShows(guard)) return Severity::kNote;
    return IsIn(guard.demanded, need.range) ? Severity::kStopsRun : Severity::kMayGoWrong;
  }

  Text Refuses(const CudaNeed& need) const {
    return Say(
        "this keeps asking for CUDA, since it protects {} (line {}), which only CUDA runs; "
        "an NPU gets an error here",
        "该条件仍检查 CUDA, 因为其保护的 {} (第 {} 行) 仅 CUDA 可运行; NPU 在此处会报错", need.name,
        LineOf(need.range));
  }

  Text NothingElse(const CudaNeed& need) const {
    return Say(
        "this keeps asking for CUDA, since it protects {} (line {}), which only CUDA runs; "
        "the program has nothing else for the NPU here",
        "该条件仍检查 CUDA, 因为其保护的 {} (第 {} 行) 仅 CUDA 可运行; "
        "程序此处没有可供 NPU 使用的其他代码",
        need.name, LineOf(need.range));
  }

  /// A condition that stays, so that an NPU goes on behind what it protects.
  void ReportKept(const Guard& guard, const CudaNeed& need) {
    if (guard.otherwise.empty()) {
      const size_t before = rows_.size();
      ReportOnce(guard, need, IsIn(guard.demanded, need.range) ? Refuses(need) : NothingElse(need),
                 SeverityBehind(guard, need));
      if (rows_.size() > before && rows_.back().severity != Severity::kNote)
        open_.emplace_back(rows_.size() - 1, &guard);
      return;
    }
    if (const std::string host = CppForHostIn(guard); !host.empty()) {
      ReportOnce(
          guard, need,
          Say("this keeps asking for CUDA, since it protects {} (line {}), which only CUDA "
              "runs; on the NPU the program goes on at line {}, where {}, C++ for the CPU, "
              "gets tensors of the NPU: copy them to the CPU, and what it gives back",
              "该条件仍检查 CUDA, 因为其保护的 {} (第 {} 行) 仅 CUDA 可运行; 在 NPU 上程序从第 {} "
              "行继续, 而该处面向 CPU 的 C++ 代码 {} 会收到 NPU 张量: 请将其拷贝到 CPU, "
              "并将结果拷贝回来",
              need.name, LineOf(need.range), LineOf(guard.otherwise), host),
          Severity::kMayGoWrong);
      return;
    }
    ReportOnce(guard, need,
               Say("this keeps asking for CUDA, since it protects {} (line {}), which only CUDA "
                   "runs; on the NPU the program goes on at line {}",
                   "该条件仍检查 CUDA, 因为其保护的 {} (第 {} 行) 仅 CUDA 可运行; "
                   "在 NPU 上程序从第 {} 行继续",
                   need.name, LineOf(need.range), LineOf(guard.otherwise)));
  }

  void Report(TextRange range, Text message, Severity severity) {
    rows_.push_back(
        RowAt(range, signatures_.rule_id, std::move(message), Operation::kSuggestion, severity));
    const bool is_told = severity != Severity::kNote && BuildsForCuda() && DeclaresExtension();
    rows_.back().cause = is_told ? std::string(kOwnExtensionCause)
                                 : fmt::format("{}:{}", signatures_.rule_id, Name(severity));
  }

  const FileContext& file_;
  const SyntaxTree& tree_;
  const GuardSignatures& signatures_;
  const CudaSidesOptions& options_;
  const ProjectCode* code_;
  Findings& findings_;
  const ServedDevices served_;
  std::vector<Guard> guards_;
  std::optional<CudaNeeds> needs_;
  std::optional<BuildChoices> build_choices_;
  std::vector<TextRange> fixes_;                               // sorted
  std::vector<std::pair<uint32_t, const Finding*>> by_start_;  // those that are about a place
  std::vector<uint32_t> ends_so_far_;  // for each of by_start_: how far those up to it reach
  std::vector<TextRange> guarded_ranges_;
  std::vector<TextRange> skipped_;                  // where CUDA alone gets to
  std::optional<std::vector<Node>> outer_classes_;  // in the order of the text
  std::optional<TextRange> served_row_;
  std::string evidence_;
  int64_t served_count_ = 0;
  std::vector<TextRange> build_questions_;  // that stay in a file that builds for CUDA
  std::multimap<uint32_t, const Guard*> by_decision_;
  std::set<uint32_t> kept_decisions_;
  std::set<const Guard*> kept_guards_;
  std::optional<std::map<uint32_t, uint32_t>> innermost_;  // lengths, by the start of a need
  std::optional<RangeSet> protected_;  // by other conditions than those about the host
  std::set<uint32_t> reported_;        // conditions
  std::set<uint32_t> reported_needs_;  // by their start
  std::vector<std::pair<size_t, const Guard*>> open_;  // rows that find nothing for the NPU
  /// What makes names that an NPU reads all the same, and how bad that is.
  std::vector<std::pair<TextRange, Severity>> missed_;
  std::map<uint32_t, bool> cuda_only_;        // answers of OnlyCudaReads(), by node id
  std::map<uint32_t, std::string> sides_;     // answers of SideBeside(), by the id of a class
  std::map<uint32_t, std::string> branches_;  // answers of OtherOf(), by the id of a condition
  Findings rows_;
  std::vector<TextRange> kept_;
};

}  // namespace

KeptForCuda KeepCudaSides(const FileContext& file, const GuardSignatures& signatures,
                          const CudaSidesOptions& options, Findings& findings) {
  if (file.IsOtherFramework()) return {};
  return CudaSides(file, signatures, options, findings).Run();
}

}  // namespace transplt
