// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/unwrap_rule.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "transplt/base/json_document.h"
#include "transplt/facts/module_inputs.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/api_calls.h"
#include "transplt/rule_kinds/checkpoint_prefix.h"
#include "transplt/rule_kinds/main_block.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// What a rule that takes wrappers off knows of them.
struct WrapperNames {
  std::string function;                  ///< that wraps, by its full name
  std::vector<std::string> other_names;  ///< of the same function
  std::string keyword;                   ///< of what is wrapped, else the first argument
  std::string member;                    ///< that only the wrapper has
  std::string prefix;                    ///< of the names in its checkpoints
  bool moves_inputs = false;

  bool Include(Node callee, const NameTable& table) const {
    return table.IsNamed(callee, function) || NamesOneOf(callee, other_names, table);
  }
};

/// The argument of `call` that is wrapped, or a null node.
Node WrappedBy(Node call, const WrapperNames& names) {
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const Argument* wrapped = FindArgument(arguments, 0, names.keyword);
  return wrapped == nullptr ? Node() : wrapped->value;
}

/// `model.module if hasattr(model, "module") else model`, `if isinstance(model, DataParallel):`
bool IsAskedFor(Node member) {
  const std::string_view object = member.Child(Field::kObject).text();
  for (Node child = member, up = member.parent(); up; child = up, up = up.parent()) {
    const bool is_branch =
        up.Is(NodeKind::kConditionalExpression)
            ? child == up.first_named_child()
            : up.Is(NodeKind::kIfStatement) && child.field() == Field::kConsequence;
    if (!is_branch) continue;
    const Node condition = up.Is(NodeKind::kIfStatement)
                               ? up.Child(Field::kCondition)
                               : up.first_named_child().next_named_sibling();
    if (!condition.Is(NodeKind::kCall)) continue;
    const std::string_view function = condition.Child(Field::kFunction).text();
    const std::vector<Argument> arguments = ArgumentsOf(condition);
    const bool asks = (function == "hasattr" || function == "isinstance") && !arguments.empty() &&
                      arguments[0].value.text() == object;
    if (asks) return true;
  }
  return false;
}

/// Tells which calls that wrap a model can be taken off: the same answer in every file, so that all
/// uses of a model follow it. For one file and thread.
class Wrappers {
 public:
  Wrappers(const FileContext& file, const WrapperNames& names)
      : file_(file), names_(names), sources_(file.names(), file.project()) {}

  /// What makes an object: calls that wrap, and all else.
  struct Makers {
    std::vector<ValueSource> wrappers;
    std::vector<ValueSource> others;
  };
  Makers MakersOf(const ValueSource& object) const {
    Makers makers;
    std::set<SourcePlace> seen;
    Collect(object, makers, seen);
    return makers;
  }

  /// Why the wrapper made by `call` stays; nothing where it is taken off.
  const std::optional<Text>& WhyStays(const ValueSource& call) {
    const auto known = stays_.find(call.place());
    if (known != stays_.end()) return known->second;
    return stays_[call.place()] = FindWhyStays(call);
  }

  /// True if one of the wrappers makes the object, and none of them stays.
  bool AreTakenOff(const Makers& makers) {
    return !makers.wrappers.empty() &&
           std::ranges::none_of(makers.wrappers, [&](const ValueSource& wrapper) {
             return WhyStays(wrapper).has_value();
           });
  }

  /// True for `model.module` of which nothing asks whether it is there.
  bool IsMember(Node node) const {
    return !names_.member.empty() && node.Is(NodeKind::kAttribute) &&
           node.Child(Field::kAttribute).text() == names_.member &&
           node.Child(Field::kObject).text() != "self" && !IsAskedFor(node);
  }

  /// True if nothing but the wrapped models and the wrappers around them makes the object.
  bool AreOfWrappedModel(const Makers& makers) const {
    std::set<SourcePlace> wrapped;
    for (const ValueSource& wrapper : makers.wrappers) {
      const Makers inner = MakersOf(wrapper.At(WrappedBy(wrapper.node, names_)));
      for (const ValueSource& one : inner.others) wrapped.insert(one.place());
    }
    return !makers.wrappers.empty() &&
           std::ranges::all_of(makers.others, [&](const ValueSource& other) {
             return other.node.Is(NodeKind::kNone) || wrapped.contains(other.place());
           });
  }

 private:
  void Collect(const ValueSource& value, Makers& makers, std::set<SourcePlace>& seen) const {
    if (!seen.insert(value.place()).second) return;
    for (const ValueSource& source : sources_.Of(value)) {
      const ValueSource made = source.At(MadeFirst(source.node));
      if (!seen.insert(made.place()).second) continue;
      const bool wraps = made.node.Is(NodeKind::kCall) &&
                         names_.Include(made.node.Child(Field::kFunction), *made.names);
      if (wraps) {
        makers.wrappers.push_back(made);
      } else if (made.node != source.node) {
        seen.erase(made.place());
        Collect(made, makers, seen);
      } else {
        makers.others.push_back(made);
      }
    }
  }

  std::optional<Text> FindWhyStays(const ValueSource& call) const {
    const Classes classes(*call.names, file_.project());
    const ModuleInputs inputs =
        InputsOfModule(call.node, CodeFile(*call.names, classes, file_.project()));
    for (const Node node : NodesIn(call.names->tree())) {
      if (!IsMember(node)) continue;
      const Makers makers = MakersOf(call.At(node.Child(Field::kObject)));
      if (MayBeMade(makers, call) && !AreOfWrappedModel(makers)) {
        return WhyStaysWith(call.At(node));
      }
    }
    for (const ValueSource& member : inputs.members) {
      if (IsMember(member.node) && !FallsAway(member)) return WhyStaysWith(member);
    }
    if (names_.moves_inputs && (!inputs.is_called || inputs.unplaced)) return WhyMoves(inputs);
    return std::nullopt;
  }

  /// True if the call is among the makers, or nothing is known of them.
  static bool MayBeMade(const Makers& makers, const ValueSource& call) {
    const auto is_it = [&](const ValueSource& one) { return one.place() == call.place(); };
    const auto is_call = [](const ValueSource& one) { return one.node.Is(NodeKind::kCall); };
    if (!makers.wrappers.empty()) return std::ranges::any_of(makers.wrappers, is_it);
    return !std::ranges::all_of(makers.others, is_call);
  }

  bool FallsAway(const ValueSource& member) const {
    return AreOfWrappedModel(MakersOf(member.At(member.node.Child(Field::kObject))));
  }

  Text WhyStaysWith(const ValueSource& member) const {
    const uint32_t line = member.names->tree().source().Locate(member.node.range().start).line;
    if (member.path() == file_.source().path()) {
      return Say("{} stays, because .{} in line {} is a member of it",
                 "{0} 保持不变, 因为第 {2} 行使用了它的成员 .{1}", names_.function, names_.member,
                 line);
    }
    return Say("{} stays, because .{} at {}:{} is a member of it",
               "{0} 保持不变, 因为 {2}:{3} 使用了它的成员 .{1}", names_.function, names_.member,
               member.path(), line);
  }

  Text WhyMoves(const ModuleInputs& inputs) const {
    const std::string& function = names_.function;
    if (!inputs.unplaced) {
      return Say(
          "{} stays: it moves what the model is called with to the device, and no call shows "
          "that this is there without it; where it is, take {} off by hand",
          "{0} 保持不变: 它会把模型的输入移至设备, 而源代码中没有调用表明输入本已在设备上; "
          "若确实如此, 请手动去除 {1}",
          function, function);
    }
    const ValueSource& value = *inputs.unplaced;
    const uint32_t line = value.names->tree().source().Locate(value.node.range().start).line;
    return Say(
        "{} stays: it moves what the model is called with to the device, and nothing shows "
        "that {} ({}:{}) is there without it; move that to the device before the call, and "
        "take {} off by hand",
        "{0} 保持不变: 它会把模型的输入移至设备, 而源代码未表明 {1} ({2}:{3}) 本已在设备上; "
        "请在调用前将其移至设备, 再手动去除 {4}",
        function, QuoteForMessage(value.node.text()), value.path(), line, function);
  }

  const FileContext& file_;
  const WrapperNames& names_;
  const ValueSources sources_;
  std::map<SourcePlace, std::optional<Text>> stays_;
};

/// Puts what a function wraps in the place of its call: `DataParallel(model).to(d)` becomes
/// `model.to(d)`, and with it `model.module.x` becomes `model.x`.
class UnwrapRule : public Rule {
 public:
  UnwrapRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)), names_{fields.String("func_name"),
                                        fields.List("other_names"),
                                        fields.String("arg_keyword"),
                                        fields.String("member"),
                                        fields.String("prefix"),
                                        fields.Boolean("moves_inputs", false)} {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kModule, ""}}; }

  WordSets required_words() const override {
    WordSets words = {{std::string(LastPart(names_.function))}};
    for (const std::string& name : names_.other_names)
      words.push_back({std::string(LastPart(name))});
    if (!names_.member.empty()) words.push_back({names_.member});
    if (!names_.prefix.empty()) words.push_back({std::string(kLoad)});
    return words;
  }

  void Check(Node module, const FileContext& file, Findings& findings) const override {
    Wrappers wrappers(file, names_);
    for (const Node node : NodesIn(module)) {
      if (node.Is(NodeKind::kCall)) {
        CheckCall(node, file, wrappers, findings);
        CheckLoad(node, file, wrappers, findings);
      } else if (wrappers.IsMember(node)) {
        CheckMember(node, file, wrappers, findings);
      }
    }
  }

 private:
  static constexpr std::string_view kLoad = "load_state_dict";

  void CheckCall(Node call, const FileContext& file, Wrappers& wrappers, Findings& findings) const {
    std::vector<std::string> names = {names_.function};
    names.insert(names.end(), names_.other_names.begin(), names_.other_names.end());
    const auto name =
        std::ranges::find_if(names, [&](const std::string& one) { return Calls(call, one, file); });
    if (name == names.end()) return;
    if (MayBeOther(call, *name, file)) {
      return findings.push_back(Row(call.range(), MayBeOtherMessage(*name)));
    }
    const Node wrapped = WrappedBy(call, names_);
    if (!wrapped) return;
    const ValueSource wrapper = {call, &file.names()};
    if (const std::optional<Text>& reason = wrappers.WhyStays(wrapper)) {
      return findings.push_back(Row(call.range(), *reason));
    }
    Finding finding = Change(call.range());
    finding.message = Say("take {} off {}", "去除 {1} 外层的 {0}", names_.function, wrapped.text());
    finding.belongs_to = WordOf({{wrapper}, {}});
    if (const Node statement = StatementWithoutUse(call, wrapped)) {
      finding.range = statement.range();
      finding.fix.edits.push_back(RemoveStatement(statement, file));
    } else {
      const bool is_atomic = IsAtomic(wrapped);
      finding.fix.Replace({call.range().start, wrapped.range().start}, is_atomic ? "" : "(");
      finding.fix.Replace({wrapped.range().end, call.range().end}, is_atomic ? "" : ")");
    }
    findings.push_back(std::move(finding));
  }

  /// `model = DataParallel(model)`, of which `model = model` would be left; or a null node.
  static Node StatementWithoutUse(Node call, Node wrapped) {
    const Node assignment = call.parent();
    const bool is_same = assignment.Is(NodeKind::kAssignment) && call.field() == Field::kRight &&
                         assignment.Child(Field::kLeft).text() == wrapped.text() &&
                         !HasSideEffects(wrapped);
    const Node statement = is_same ? assignment.parent() : Node();
    return statement.Is(NodeKind::kExpressionStatement) ? statement : Node();
  }

  /// `model.module.x` of a model whose wrapper is taken off.
  void CheckMember(Node member, const FileContext& file, Wrappers& wrappers,
                   Findings& findings) const {
    const Node object = member.Child(Field::kObject);
    const Wrappers::Makers makers = wrappers.MakersOf({object, &file.names()});
    if (makers.wrappers.empty()) return TellOfParameter(member, file, findings);
    if (!wrappers.AreOfWrappedModel(makers) || !wrappers.AreTakenOff(makers)) return;
    Finding finding = Change(member.range());
    finding.message = Say("{} is no longer wrapped and has no .{}", "{} 不再被封装, 没有成员 .{}",
                          object.text(), names_.member);
    finding.belongs_to = WordOf(makers);
    finding.fix.Replace({object.range().end, member.range().end}, "");
    findings.push_back(std::move(finding));
  }

  /// A function that no caller in sight hands its model takes what others may have unwrapped.
  void TellOfParameter(Node member, const FileContext& file, Findings& findings) const {
    const Node object = member.Child(Field::kObject);
    if (!member.parent().Is(NodeKind::kAttribute) || !object.Is(NodeKind::kIdentifier)) return;
    const NameTable::Meanings meanings = file.names().BindingsOf(object);
    const bool is_parameter =
        !meanings.empty() && std::ranges::all_of(meanings, [](const Binding* binding) {
          return binding->kind == BindingKind::kParameter;
        });
    if (!is_parameter || !file.Imports(FirstPart(names_.function))) return;
    findings.push_back(
        Row(member.range(),
            Say("a model that {} does not wrap has no .{}: where {} gets one, write {} alone",
                "未被 {} 封装的模型没有成员 .{}: 若 {} 为这样的模型, 请只写 {}", names_.function,
                names_.member, object.text(), object.text())));
  }

  /// A checkpoint of wrapped models that one gets whose wrapper is taken off.
  void CheckLoad(Node call, const FileContext& file, Wrappers& wrappers, Findings& findings) const {
    const Node callee = call.Child(Field::kFunction);
    const bool loads = !names_.prefix.empty() && callee.Is(NodeKind::kAttribute) &&
                       callee.Child(Field::kAttribute).text() == kLoad;
    const std::optional<Argument> state = loads ? StateGivenTo(call) : std::nullopt;
    if (!state || IsMethodCall(state->value, "state_dict")) return;
    const Node model = callee.Child(Field::kObject);
    const Wrappers::Makers makers = wrappers.MakersOf({model, &file.names()});
    const bool are_earlier = std::ranges::any_of(makers.wrappers, [&](const ValueSource& wrapper) {
      return wrapper.names != &file.names() ||
             file.names().ScopeOf(wrapper.node) != file.names().ScopeOf(call) ||
             wrapper.node.range().start < call.range().start;
    });
    if (!are_earlier || !wrappers.AreTakenOff(makers)) return;
    Finding finding = Change(state->value.range());
    finding.belongs_to = WordOf(makers);
    StripPrefix(finding, state->value, names_.prefix);
    findings.push_back(std::move(finding));
  }

  /// The word that all edits of one file's wrappers have in common.
  std::string WordOf(const Wrappers::Makers& makers) const {
    return fmt::format("{} {}", id(), makers.wrappers.front().path());
  }

  WrapperNames names_;
};

}  // namespace

RuleKind UnwrapRuleKind() {
  return {
      "UnwrapRule",
      "Puts what a function wraps in the place of its call.",
      {{"func_name", FieldType::kDottedName, true, "The function or class that wraps."},
       {"other_names", FieldType::kStringList, false, "Its other full names."},
       {"arg_keyword", FieldType::kDottedName, true,
        "The keyword of what is wrapped, which else is the first argument."},
       {"member", FieldType::kDottedName, false,
        "A member that only the wrapper has, which falls away with it; the wrapper stays, and is "
        "reported, where a use of it without asking whether it is there may be of another."},
       {"prefix", FieldType::kString, false,
        "What the wrapper puts before the names in its checkpoints: it is taken off them where "
        "the model loads one."},
       {"moves_inputs", FieldType::kBoolean, false,
        "The wrapper moves what it is called with to the device: it stays, and is reported, "
        "where the calls do not show that this is there already."}},
      MakeRule<UnwrapRule>};
}

}  // namespace transplt
