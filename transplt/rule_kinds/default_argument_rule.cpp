// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/signatures.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/rule_kinds/api_calls.h"
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
        keyword_(fields.String("arg_keyword")),
        value_(fields.String("arg_new")),
        index_(fields.Integer("arg_idx", -1)),
        excluded_(fields.List("not_with")),
        purposes_(fields.List("purposes")),
        other_purposes_(fields.List("other_purposes")),
        needed_(fields.List("only_with")),
        file_words_(fields.List("file_words")),
        not_into_(fields.List("not_into")),
        only_models_(fields.Boolean("only_models", false)),
        no_models_(fields.Boolean("no_models", false)),
        through_(fields.List("through")),
        saved_by_(fields.String("saved_by")),
        not_from_(fields.List("not_from")),
        report_only_(fields.Boolean("report_only", false)),
        none_branch_(fields.Boolean("none_branch", false)),
        npu_(fields.Boolean("npu", true)) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kCall, func_name_}}; }

  WordSets required_words() const override {
    WordSets words = WordsOfName(func_name_);
    for (std::vector<std::string>& all : words) {
      if (none_branch_) all.emplace_back("None");
    }
    return words;
  }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (!node.Child(Field::kArguments).Is(NodeKind::kArgumentList)) return;
    if (!Calls(node, func_name_, file)) return;
    const std::vector<Argument> arguments = ArgumentsOf(node);
    const Argument* given = GivenIn(arguments);
    if (none_branch_) {
      if (given != nullptr) CheckBranches(given->value, file, findings);
      return;
    }
    for (const Argument& argument : arguments) {
      if (argument.is_splat || IsExcluded(argument)) return;
    }
    // A report can be made of None as of nothing; text cannot be written beside it.
    if (given != nullptr && !(report_only_ && given->value.Is(NodeKind::kNone))) return;
    if (!HasNeeded(arguments) || !IsMeant(node, file) || GoesInto(node, file)) return;
    const Node use = only_models_ || no_models_ ? UseAsModel(node, file) : Node();
    if (use ? no_models_ : only_models_) return;
    if (!not_from_.empty() && HasOnlyKnownAddresses(file)) return;
    Finding finding = Change(node.range());
    if (report_only_) {
      finding.range = node.Child(Field::kFunction).range();
      Text message = WhyOf(func_name_);
      if (use) {
        const uint32_t line = file.source().Locate(use.range().end).line;
        message.en += fmt::format(" (line {}: {})", line, use.text());
        message.zh += fmt::format("（第 {} 行: {}）", line, use.text());
      }
      return findings.push_back(Row(finding.range, std::move(message)));
    }
    const Purpose purpose = PurposeOf(node, arguments);
    if (purpose == Purpose::kOther) return;
    if (purpose == Purpose::kUnknown) {
      return findings.push_back(Row(
          finding.range, Say("{0} stays: nothing says whether it is for {1}; pass {2}={3} if it is",
                             "{0} 保持不变: 无法判断是否用于 {1}; 如是, 请传入 {2}={3}", func_name_,
                             purposes_.front(), keyword_, value_)));
    }
    if (MayBeOther(node, func_name_, file)) {
      return findings.push_back(Row(finding.range, MayBeOtherMessage(func_name_)));
    }
    if (IsFallback(node)) {
      return findings.push_back(Row(
          finding.range,
          Say("{} stays: it is what an except clause falls back to, perhaps for a version that "
              "does "
              "not know {}",
              "{} 保持不变: 位于 except 分支, 可能用于不支持 {} 的版本", func_name_, keyword_)));
    }
    const std::optional<std::string> value = ValueAt(node, file);
    if (!value) return;
    finding.operation = Operation::kModify;
    finding.message =
        Say("pass {}={} to function {}", "为函数 {2} 传入 {0}={1}", keyword_, *value, func_name_);
    const std::string text = keyword_ + "=" + *value;
    if (arguments.empty()) {
      finding.fix.Insert(node.Child(Field::kArguments).range().start + 1, text);
    } else {
      finding.fix.Insert(arguments.back().node.range().end, ", " + text);
    }
    finding.needs_device_import = npu_ && NamesDevice(*value, file);
    findings.push_back(std::move(finding));
  }

 private:
  /// True if the file has addresses, and all of them begin with one of those that the rule leaves.
  bool HasOnlyKnownAddresses(const FileContext& file) const {
    bool has_any = false;
    for (const Node node : NodesIn(file.tree())) {
      if (!node.Is(NodeKind::kStringContent) || !HasPart(node.text(), "://")) continue;
      const bool is_known = std::ranges::any_of(
          not_from_, [&](const std::string& address) { return node.text().starts_with(address); });
      if (!is_known) return false;
      has_any = true;
    }
    return has_any;
  }

  /// The argument, where the call has it, by keyword or position; else null.
  const Argument* GivenIn(const std::vector<Argument>& arguments) const {
    if (const Argument* by_keyword = FindKeyword(arguments, keyword_)) return by_keyword;
    int64_t position = 0;
    for (const Argument& argument : arguments) {
      if (!argument.keyword.empty()) continue;
      if (position++ == index_) return &argument;
    }
    return nullptr;
  }

  /// `None if torch.cuda.is_available() else "cpu"`: None becomes the value. Where a variable holds
  /// the choice, which may be for something else too, the place is reported.
  void CheckBranches(Node value, const FileContext& file, Findings& findings) const {
    while (value.Is(NodeKind::kParenthesizedExpression)) value = value.first_named_child();
    Finding finding;
    finding.rule_id = id();
    finding.applicability = Applicability::kUnsafe;
    finding.message = Say("pass {}={} in place of None to function {}: ",
                          "为函数 {2} 传入 {0}={1} 以代替 None: ", keyword_, value_, func_name_);
    finding.message.en += header().why.en;
    finding.message.zh += header().why.zh;
    Choice choice = ChoiceIn(value);
    if (const Node chosen = ValueOnlyFor(value, file)) {
      choice = ChoiceIn(chosen);
      if (choice.is_beside_host && !IsFirstUse(value, file)) return;  // changed with that
    }
    if (choice.none && choice.is_beside_host) {
      finding.range = choice.none.range();
      finding.fix.Replace(choice.none.range(), value_);
      finding.needs_device_import = npu_;
      findings.push_back(std::move(finding));
      return;
    }
    finding.range = value.range();
    finding.operation = Operation::kSuggestion;
    finding.applicability = Applicability::kDisplayOnly;
    bool may_be_none = bool(choice.none);
    if (value.Is(NodeKind::kIdentifier)) {
      may_be_none = std::ranges::any_of(file.names().BindingsOf(value), [](const Binding* binding) {
        return binding->kind == BindingKind::kAssignment && ChoiceIn(binding->value).none;
      });
    }
    if (may_be_none) findings.push_back(std::move(finding));
  }

  /// The value of the variable `use`, if it has one alone and is only passed on as this argument.
  Node ValueOnlyFor(Node use, const FileContext& file) const {
    if (!use.Is(NodeKind::kIdentifier)) return {};
    const NameTable::Meanings bindings = file.names().BindingsOf(use);
    if (bindings.size() != 1 || bindings[0]->kind != BindingKind::kAssignment) return {};
    const bool is_passed = std::ranges::all_of(UsesOf(*bindings[0], file), [&](Node other) {
      const Node parent = other.parent();
      return parent.Is(NodeKind::kKeywordArgument) && parent.Child(Field::kName).text() == keyword_;
    });
    return is_passed ? bindings[0]->value : Node();
  }

  static std::vector<Node> UsesOf(const Binding& binding, const FileContext& file) {
    std::vector<Node> uses;
    for (const Node node : file.NodesSaying(binding.name)) {
      if (!node.Is(NodeKind::kIdentifier) || node == binding.node) continue;
      const NameTable::Meanings meanings = file.names().BindingsOf(node);
      const bool is_key = node.field() == Field::kName;
      if (!is_key && std::ranges::find(meanings, &binding) != meanings.end()) uses.push_back(node);
    }
    return uses;
  }

  static bool IsFirstUse(Node use, const FileContext& file) {
    return UsesOf(*file.names().BindingsOf(use)[0], file).front() == use;
  }

  struct Choice {
    Node none;                    ///< of `None if a else b` or of `b if a else None`
    bool is_beside_host = false;  ///< the other branch is the CPU
  };

  /// Beside the name of another device None is for the CPU, and nothing is chosen.
  static Choice ChoiceIn(Node value) {
    if (!value.Is(NodeKind::kConditionalExpression)) return {};
    const Node yes = value.first_named_child();
    const Node condition = yes.next_named_sibling();
    const Node no = condition ? condition.next_named_sibling() : Node();
    if (yes.Is(NodeKind::kNone) == no.Is(NodeKind::kNone)) return {};
    const Node other = yes.Is(NodeKind::kNone) ? no : yes;
    const bool is_host = HasPart(other.text(), "cpu");
    if (!is_host && other.Is(NodeKind::kString)) return {};
    return {yes.Is(NodeKind::kNone) ? yes : no, is_host};
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

  /// True if the file has the words that the rule asks for, or the one of a function of the
  /// project that the result is handed to.
  bool IsMeant(Node call, const FileContext& file) const {
    return std::ranges::all_of(file_words_, [&](const std::string& word) {
      return !file.NodesSaying(word).empty() || IsHandedToFileWith(word, call, file);
    });
  }

  bool IsHandedToFileWith(const std::string& word, Node call, const FileContext& file) const {
    if (file.project() == nullptr) return false;
    const std::string& path = file.source().path();
    for (const ResultUse& use : file.results().Of(func_name_, through_)) {
      if (use.origin != call || use.kind != ResultUse::Kind::kPassed) continue;
      for (const QualifiedName& name : file.names().Resolve(use.node.Child(Field::kFunction))) {
        if (name.local) continue;
        const std::string holder = file.project()->FileOfModule(path, ParentPart(name.name));
        const std::vector<std::string>& spelling = file.project()->FilesSpelling(word);
        if (!holder.empty() && std::ranges::find(spelling, holder) != spelling.end()) return true;
      }
    }
    return false;
  }

  /// The first place where the result of `call` is used as a model, or a null node.
  Node UseAsModel(Node call, const FileContext& file) const {
    const WordList& members = Words("methods-of-modules");
    for (const ResultUse& use : file.results().Of(func_name_, through_)) {
      if (use.origin != call || use.kind != ResultUse::Kind::kMember) continue;
      if (members.Has(use.member)) return use.node;
    }
    return {};
  }

  /// `state = torch.load(path)`, `model.load_state_dict(state["model"])`: the result, or its items,
  /// go into the functions or are looked through, and nothing else becomes of them; nor does the
  /// file itself save what the rule is about.
  bool GoesInto(Node call, const FileContext& file) const {
    if (not_into_.empty() || SavesObjects(file)) return false;
    bool goes = false;
    for (const ResultUse& use : file.results().Of(func_name_, through_)) {
      if (use.origin != call) continue;
      const bool is_passed = use.kind == ResultUse::Kind::kPassed;
      if (is_passed ? !IsOneOf(use.member, not_into_) : !IsLookedAt(use)) return false;
      goes |= is_passed;
    }
    return goes;
  }

  /// `"model" in state`, `for name, value in state.items()`, `state["epoch"] + 1`
  static bool IsLookedAt(const ResultUse& use) {
    using Kind = ResultUse::Kind;
    return use.kind == Kind::kItem || use.kind == Kind::kMembership || use.kind == Kind::kEqual ||
           use.kind == Kind::kOrdered || use.kind == Kind::kComputed;
  }

  /// `torch.save({"args": args, ...}, path)`: what a program calls so holds objects.
  bool SavesObjects(const FileContext& file) const {
    if (saved_by_.empty()) return false;
    return std::ranges::any_of(file.NodesSaying(LastPart(saved_by_)), [&](Node name) {
      const Node callee = name.field() == Field::kAttribute ? name.parent() : name;
      const Node saving = callee.parent();
      if (!saving.Is(NodeKind::kCall) || callee.field() != Field::kFunction) return false;
      if (!file.names().IsNamed(callee, saved_by_)) return false;
      const std::vector<Argument> given = ArgumentsOf(saving);
      return !given.empty() && HoldsObject(given.front().value, file);
    });
  }

  static bool HoldsObject(Node saved, const FileContext& file) {
    if (saved.Is(NodeKind::kIdentifier)) {
      return std::ranges::any_of(file.names().BindingsOf(saved), [&](const Binding* binding) {
        return binding->value && !binding->value.Is(NodeKind::kIdentifier) &&
               HoldsObject(binding->value, file);
      });
    }
    return std::ranges::any_of(NodesIn(saved), [](Node node) {
      return node.Is(NodeKind::kIdentifier) && IsHeld(node) &&
             Signatures::Builtin().IsNameOfOptions(node.text());
    });
  }

  /// `{"args": node}`, `dict(args=node)`
  static bool IsHeld(Node node) {
    const Node holder = node.parent();
    if (node.field() != Field::kValue) return false;
    if (holder.Is(NodeKind::kPair)) return true;
    const Node call = holder.parent().parent();
    return holder.Is(NodeKind::kKeywordArgument) && call.Is(NodeKind::kCall) &&
           call.Child(Field::kFunction).text() == "dict";
  }

  bool IsExcluded(const Argument& argument) const {
    if (argument.keyword.empty()) return false;
    const std::string spelled = fmt::format("{}={}", argument.keyword, argument.value.text());
    return std::ranges::any_of(excluded_, [&](const std::string& excluded) {
      return excluded == argument.keyword || excluded == spelled;
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

  static bool IsFallback(Node node) {
    for (Node parent = node.parent(); parent; parent = parent.parent()) {
      if (parent.Is(NodeKind::kExceptClause)) return true;
      if (parent.Is(NodeKind::kFunctionDefinition)) return false;
    }
    return false;
  }

  std::string func_name_;
  std::string keyword_;
  std::string value_;
  int64_t index_;
  std::vector<std::string> excluded_;
  std::vector<std::string> purposes_;
  std::vector<std::string> other_purposes_;
  std::vector<std::string> needed_;
  std::vector<std::string> file_words_;
  std::vector<std::string> not_into_;
  bool only_models_;
  bool no_models_;
  std::vector<std::string> through_;
  std::string saved_by_;
  std::vector<std::string> not_from_;
  bool report_only_;
  bool none_branch_;
  bool npu_;
};

}  // namespace

RuleKind DefaultArgumentRuleKind() {
  return {
      "DefaultArgumentRule",
      "Writes, or reports, an argument that a call leaves to its default.",
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
       {"file_words", FieldType::kStringList, false,
        "Names without which a file is not about this: it has them, or a file of the project to a "
        "function of which the result is handed."},
       {"not_into", FieldType::kStringList, false,
        "Functions, by their last names: a call whose result, or items of it, go into them alone "
        "stays."},
       {"saved_by", FieldType::kDottedName, false,
        "With not_into: not in a file in which this function is given the options of the program."},
       {"only_models", FieldType::kBoolean, false,
        "Only calls of whose result, or of an item of it, a method of models is called."},
       {"no_models", FieldType::kBoolean, false, "Not such calls."},
       {"through", FieldType::kStringList, false,
        "Methods that give another form of the result, and [] for its items: what is used so is "
        "the result, too."},
       {"not_from", FieldType::kStringList, false,
        "Not in a file all of whose addresses begin with one of these."},
       {"report_only", FieldType::kBoolean, false,
        "Edit nothing and report the call; the rule's why is the message."},
       {"none_branch", FieldType::kBoolean, false,
        "Only where the call passes a choice, one branch of which is None: arg_new takes the "
        "place of None. A variable that holds such a choice is reported."},
       {"npu", FieldType::kBoolean, false, "Whether the value needs torch_npu; true."}},
      MakeRule<DefaultArgumentRule>};
}

}  // namespace transplt
