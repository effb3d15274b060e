// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/facts/own_saves.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/rule_kinds/api_calls.h"
#include "transplt/rule_kinds/default_argument.h"
#include "transplt/rule_kinds/device_text.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Writes an argument that a call leaves to its default, where the default means CUDA.
class DefaultArgumentRule : public Rule {
 public:
  DefaultArgumentRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        func_name_(fields.String("func_name")),
        argument_{fields.String("arg_keyword"), fields.Integer("arg_idx", -1)},
        value_(fields.String("arg_new")),
        excluded_(fields.List("not_with")),
        purposes_(fields.List("purposes")),
        other_purposes_(fields.List("other_purposes")),
        needed_(fields.List("only_with")),
        handed_to_(fields.List("handed_to")),
        result_methods_(fields.List("result_methods")),
        saved_by_(fields.String("saved_by")),
        of_object_(fields.Boolean("of_object", false)),
        npu_(fields.Boolean("npu", true)) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kCall, func_name_}}; }

  WordSets required_words() const override { return WordsOfName(func_name_); }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (!node.Child(Field::kArguments).Is(NodeKind::kArgumentList)) return;
    if (!PassesArgumentsTo(node, func_name_, file)) return;
    if (of_object_ && !IsMethodOfObject(node.Child(Field::kFunction), file)) return;
    const std::vector<Argument> arguments = ArgumentsPassed(node, file);
    if (argument_.GivenIn(arguments) != nullptr || IsExcluded(arguments, excluded_)) return;
    if (!HasNeeded(arguments)) return;
    if (!handed_to_.empty() && !IsHandedTo(node, func_name_, handed_to_, file) &&
        !IsGivenInOtherBranch(node, argument_)) {
      return;
    }
    if (!result_methods_.empty() && !IsAskedFor(node)) return;
    const auto is_saving = [&](Node call) {
      return file.names().IsNamed(call.Child(Field::kFunction), saved_by_);
    };
    const bool is_own =
        !saved_by_.empty() && IsWrittenByRun(node, file.names(), file.project(), is_saving);
    if (is_own) return;
    Finding finding = Change(node.range());
    const Purpose purpose = PurposeOf(node, arguments);
    if (purpose == Purpose::kOther) return;
    if (purpose == Purpose::kUnknown) {
      return findings.push_back(Row(
          finding.range, Say("{0} stays: nothing says whether it is for {1}; pass {2}={3} if it is",
                             "{0} 保持不变: 无法判断是否用于 {1}; 如是, 请传入 {2}={3}", func_name_,
                             purposes_.front(), argument_.keyword, value_)));
    }
    const bool may_be_own = of_object_ && ProjectDefinesMethod(func_name_, file);
    if (may_be_own || MayBeOther(node, func_name_, file)) {
      findings.push_back(Row(finding.range, MayBeOtherMessage(func_name_)));
      if (may_be_own) findings.back().severity = Severity::kMayGoWrong;
      return;
    }
    if (const Node fallback = ExceptAround(node)) {
      if (IsTriedWithArgument(fallback.parent(), file)) return;
      return findings.push_back(
          Row(finding.range,
              Say("{} stays: it is what an except clause falls back to, perhaps for a version that "
                  "does not know {}",
                  "{} 保持不变: 位于 except 分支, 可能用于不支持 {} 的版本", func_name_,
                  argument_.keyword)));
    }
    const std::optional<std::string> value = ValueAt(node, file);
    if (!value) return;
    finding.operation = Operation::kModify;
    finding.message = Say("pass {}={} to function {}", "为函数 {2} 传入 {0}={1}", argument_.keyword,
                          *value, func_name_);
    const std::string text = argument_.keyword + "=" + *value;
    const std::vector<Argument> spelled = ArgumentsOf(node);
    if (spelled.empty()) {
      finding.fix.Insert(node.Child(Field::kArguments).range().start + 1, text);
    } else {
      finding.fix.Insert(spelled.back().node.range().end, ", " + text);
    }
    finding.needs_device_import = npu_ && NamesDevice(*value, file);
    findings.push_back(std::move(finding));
  }

 private:
  /// `x.f` of an object, and no function of a module.
  static bool IsMethodOfObject(Node callee, const FileContext& file) {
    if (!callee.Is(NodeKind::kAttribute)) return false;
    Node first = callee;
    while (first.Is(NodeKind::kAttribute)) first = first.Child(Field::kObject);
    if (!first.Is(NodeKind::kIdentifier)) return true;
    const NameTable::Meanings bindings = file.names().BindingsOf(first);
    return std::none_of(bindings.begin(), bindings.end(), [](const Binding* binding) {
      return binding->kind == BindingKind::kImport;
    });
  }

  /// True if the call's result is asked at once for one of `result_methods`: `load(f).item()`.
  bool IsAskedFor(Node call) const {
    const Node member = call.parent();
    return member.Is(NodeKind::kAttribute) && call.field() == Field::kObject &&
           member.parent().Is(NodeKind::kCall) && member.field() == Field::kFunction &&
           IsOneOf(member.Child(Field::kAttribute).text(), result_methods_);
  }

  /// The value as it is spelled at `place`; nothing where that cannot be.
  std::optional<std::string> ValueAt(Node place, const FileContext& file) const {
    if (!HasPart(value_, "torch.")) return value_;
    return TorchTextAt(place, value_, file);
  }

  /// True if the value is a device, or a name, that exists only with the package of the target.
  static bool NamesDevice(std::string_view value, const FileContext& file) {
    const std::string& device = file.apis().target().device;
    return !device.empty() && HasPart(value, device);
  }

  enum class Purpose { kThis, kOther, kUnknown };

  bool HasNeeded(const std::vector<Argument>& arguments) const {
    return std::ranges::all_of(needed_, [&](const std::string& keyword) {
      return FindKeyword(arguments, keyword) != nullptr;
    });
  }

  /// Whether the call is for what the rule is about: by the names that its result gets, of what it
  /// is given first, and of the functions around it, the nearest first.
  Purpose PurposeOf(Node call, const std::vector<Argument>& arguments) const {
    if (purposes_.empty()) return Purpose::kThis;
    std::vector<std::string_view> names;
    for (Node node = call; node.parent(); node = node.parent()) {
      const Node parent = node.parent();
      if (parent.Is(NodeKind::kAssignment) && node.field() == Field::kRight) {
        names.push_back(parent.Child(Field::kLeft).text());
      }
      if (parent.Is(NodeKind::kPair)) names.push_back(parent.Child(Field::kKey).text());
      if (parent.Is(NodeKind::kKeywordArgument)) names.push_back(parent.Child(Field::kName).text());
      if (parent.Is(NodeKind::kFunctionDefinition)) {
        names.push_back(parent.Child(Field::kName).text());
      }
    }
    names.insert(names.begin() + (names.empty() ? 0 : 1),
                 arguments.empty() ? std::string_view() : arguments[0].value.text());
    for (std::string_view name : names) {
      if (HasOneOf(name, other_purposes_)) return Purpose::kOther;
      if (HasOneOf(name, purposes_)) return Purpose::kThis;
    }
    return Purpose::kUnknown;
  }

  /// True if a word of `name` ("train" of "trainLoader" and of "data['train']") is one of `words`.
  static bool HasOneOf(std::string_view name, const std::vector<std::string>& words) {
    return std::ranges::any_of(PartsOfName(name),
                               [&](const std::string& part) { return IsOneOf(part, words); });
  }

  static Node ExceptAround(Node node) {
    for (Node parent = node.parent(); parent; parent = parent.parent()) {
      if (parent.Is(NodeKind::kExceptClause)) return parent;
      if (parent.Is(NodeKind::kFunctionDefinition)) return {};
    }
    return {};
  }

  /// `try: load(f, Loader=x)`: what follows is for versions that do not know the argument.
  bool IsTriedWithArgument(Node statement, const FileContext& file) const {
    return std::ranges::any_of(NodesIn(statement.Child(Field::kBody)), [&](Node call) {
      return call.Is(NodeKind::kCall) && PassesArgumentsTo(call, func_name_, file) &&
             argument_.GivenIn(ArgumentsPassed(call, file)) != nullptr;
    });
  }

  std::string func_name_;
  DefaultArgument argument_;
  std::string value_;
  std::vector<std::string> excluded_;
  std::vector<std::string> purposes_;
  std::vector<std::string> other_purposes_;
  std::vector<std::string> needed_;
  std::vector<std::string> handed_to_;
  std::vector<std::string> result_methods_;
  std::string saved_by_;
  bool of_object_;
  bool npu_;
};

}  // namespace

RuleKind DefaultArgumentRuleKind() {
  return {
      "DefaultArgumentRule",
      "Writes an argument that a call leaves to its default.",
      {{"func_name", FieldType::kDottedName, true, "The function."},
       {"arg_keyword", FieldType::kDottedName, true, "The keyword of the argument."},
       {"arg_new", FieldType::kString, true, "Its value, as Python text."},
       {"arg_idx", FieldType::kInteger, false, "Its position, if it can be positional."},
       {"not_with", FieldType::kStringList, false,
        "Arguments that exclude it: a keyword, or KEYWORD=VALUE."},
       {"purposes", FieldType::kStringList, false,
        "Only calls of which a name near them says so: train ... Names are those that the "
        "result gets, of the first argument and of the functions around the call."},
       {"other_purposes", FieldType::kStringList, false, "What says the opposite: val, test."},
       {"only_with", FieldType::kStringList, false,
        "Keyword arguments without which a call stays."},
       {"handed_to", FieldType::kStringList, false,
        "Methods of torch's objects: only calls the tensors of whose result go to one and nowhere "
        "else, and calls that have the argument in another branch of the same condition."},
       {"result_methods", FieldType::kStringList, false,
        "Methods of the result: only calls whose result is asked for one at once."},
       {"saved_by", FieldType::kDottedName, false,
        "A function that saves: not calls that read what the same run has surely saved before."},
       {"of_object", FieldType::kBoolean, false,
        "Only calls of a method of an object, and of no function of this name."},
       {"npu", FieldType::kBoolean, false, "Whether the value needs torch_npu; true."},
       {"source", FieldType::kString, false, "Where this is documented."}},
      MakeRule<DefaultArgumentRule>};
}

}  // namespace transplt
