// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "transplt/base/one_of.h"
#include "transplt/base/word_list.h"
#include "transplt/engine/word_filter.h"
#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/rule_kinds/default_argument.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

using Kind = ResultUse::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 7> kUses = {
    {{"item", Kind::kItem},
     {"unpacked", Kind::kUnpacked},
     {"ordered", Kind::kOrdered},
     {"equal", Kind::kEqual},
     {"membership", Kind::kMembership},
     {"computed", Kind::kComputed},
     {"returned", Kind::kReturned}}};

std::optional<Kind> UseNamed(std::string_view name) {
  for (const auto& [known, kind] : kUses) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

/// Reports where a program uses the result of a function in a way that the NPU does not serve.
class ResultReportRule : public Rule {
 public:
  ResultReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        functions_(fields.List("functions")),
        members_(fields.List("members")),
        keyword_(fields.String("keyword")),
        gives_(fields.Integer("gives", 0)),
        most_positional_(fields.Integer("most_positional", -1)),
        of_part_(fields.Boolean("of_part", false)),
        given_text_(fields.Boolean("given_text", false)),
        empty_list_(fields.Boolean("empty_list", false)),
        whole_(fields.Boolean("whole", false)),
        asked_by_(fields.List("asked_by")),
        unsure_with_(fields.List("unsure_with")),
        passed_on_(fields.Boolean("passed_on", false)),
        unless_keyword_(fields.String("unless_keyword")),
        not_with_(fields.List("not_with")),
        left_out_{fields.String("left_out"), fields.Integer("left_out_idx", -1)},
        handed_(fields.Boolean("handed", false)),
        defaulted_(fields.Boolean("defaulted", false)),
        missing_(fields.Boolean("missing", false)),
        through_(fields.List("through")),
        apart_from_(fields.List("apart_from")),
        chosen_(fields.List("chosen_in_handler")),
        holds_for_(fields.List("holds_for")),
        replaced_by_(fields.String("replaced_by")) {
    for (const std::string& use : fields.List("uses")) uses_.push_back(*UseNamed(use));
    if (std::vector<std::string> rules = fields.List("keeps"); !rules.empty()) {
      keeps_ = std::make_shared<KeptBack>(
          KeptBack{std::move(rules), {fields.String("kept_why"), fields.String("kept_why_zh")}});
    }
  }

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    for (const std::string& member : members_) {
      triggers.push_back({NodeKind::kAttribute, member});
      triggers.push_back({NodeKind::kString, member});
    }
    if (uses_.empty()) return triggers;
    for (const std::string& function : functions_) triggers.push_back({NodeKind::kCall, function});
    return triggers;
  }

  WordSets required_words() const override {
    WordSets words;
    for (const std::string& function : functions_) {
      const std::string result = WordForResultOf(function);
      for (const std::string& member : members_) {
        // Another file may make what a function is given.
        words.push_back(handed_ ? WordSets::value_type{member}
                                : WordSets::value_type{member, result});
      }
      if (uses_.empty()) continue;
      for (std::vector<std::string>& all : WordsOfName(function)) words.push_back(std::move(all));
    }
    return words;
  }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (file.IsOtherFramework()) return;
    const size_t before = findings.size();
    for (const std::string& function : functions_) {
      const ApiEntry* entry = file.apis().Find(function);
      if (entry != nullptr && !replaced_by_.empty() && entry->new_name.starts_with(replaced_by_)) {
        continue;
      }
      for (const ResultUse* use : file.results().At(PlaceOf(node), function, through_)) {
        const std::string chosen = ChosenInHandler(*use, file);
        const bool is_guarded = chosen.empty() && file.results().IsGuarded(*use);
        const bool is_shown = !missing_ && IsShown(*use, file);
        if (!Concerns(*use, node) || is_guarded || is_shown || IsApart(*use) ||
            !TakesOtherwise(*use, file) || HasUnlessKeyword(use->origin) ||
            IsExcludedBy(use->origin) || IsExcludedBy(use->run) || !LeavesArgument(use->origin) ||
            (use->passed_on_by && !passed_on_)) {
          continue;
        }
        Report(*use, function, file, findings);
        if (!chosen.empty()) TellChosen(*use, chosen, file, findings.back());
      }
    }
    if (handed_ && findings.size() == before) CheckHanded(node, file, findings);
  }

 private:
  /// `env.step(action)` in a function that another file hands what a function of the rule gives.
  void CheckHanded(Node member, const FileContext& file, Findings& findings) const {
    if (!member.Is(NodeKind::kAttribute) || !IsGiven(member.Child(Field::kObject), file)) return;
    const Node object = member.Child(Field::kObject);
    const ResultUse use{Kind::kMember, member, object, object,
                        member.Child(Field::kAttribute).text()};
    if (!Concerns(use, member) || file.results().IsGuarded(use) || IsApart(use) ||
        !TakesOtherwise(use, file)) {
      return;
    }
    const ValueSources& sources = file.sources();
    const std::optional<ValueSource> maker =
        MakerOf({object, &file.names()}, use.member, sources, file, 0);
    if (!maker || HasUnlessKeyword(maker->node) || IsExcludedBy(maker->node) ||
        !LeavesArgument(maker->node)) {
      return;
    }
    Report(use, std::string(maker->node.Child(Field::kFunction).text()), file, findings);
    const uint32_t line = maker->names->tree().source().Locate(maker->node.range().start).line;
    const Text place = Say(" ({}:{} makes it)", "（由 {}:{} 创建）", maker->path(), line);
    findings.back().message.en += place.en;
    findings.back().message.zh += place.zh;
  }

  /// The type that the `except` which takes the error of the use names, of those of the rule; "".
  std::string ChosenInHandler(const ResultUse& use, const FileContext& file) const {
    const Node handler = chosen_.empty() ? Node() : file.results().HandlerOf(use);
    if (!handler) return {};
    for (const Node node : NodesIn(handler)) {
      const bool is_name = node.Is(NodeKind::kAttribute) || node.Is(NodeKind::kIdentifier);
      if (is_name && NamesOneOf(node, chosen_, file.names())) return std::string(node.text());
    }
    return {};
  }

  static void TellChosen(const ResultUse& use, const std::string& chosen, const FileContext& file,
                         Finding& finding) {
    const Node handler = file.results().HandlerOf(use);
    const uint32_t line = file.source().Locate(handler.range().start).line;
    const Text more = Say(
        "; the except at line {} takes the error, so that the program goes on with {}, whatever "
        "the NPU can do",
        "；第 {} 行的 except 会捕获该错误, 程序改用 {} 继续, 与 NPU 的实际能力无关", line, chosen);
    finding.message.en += more.en;
    finding.message.zh += more.zh;
    finding.severity = Severity::kMayGoWrong;
  }

  /// True for a parameter, and for what a constructor may have kept, of a project that may have the
  /// functions of the rule.
  bool IsGiven(Node object, const FileContext& file) const {
    const ProjectIndex* project = file.project();
    if (project == nullptr) return false;
    const bool has_functions = std::ranges::any_of(functions_, [&](const std::string& function) {
      return !project->FilesSpelling(FirstPart(function)).empty();
    });
    if (!has_functions) return false;
    if (object.Is(NodeKind::kAttribute)) return object.Child(Field::kObject).text() == "self";
    if (!object.Is(NodeKind::kIdentifier)) return false;
    const NameTable::Meanings bindings = file.names().BindingsOf(object);
    return std::any_of(bindings.begin(), bindings.end(), [](const Binding* binding) {
      return binding->kind == BindingKind::kParameter;
    });
  }

  /// The call of a function of the rule that makes `value`, perhaps within what wraps it and leaves
  /// the member as it is.
  std::optional<ValueSource> MakerOf(const ValueSource& value, std::string_view member,
                                     const ValueSources& sources, const FileContext& file,
                                     int depth) const {
    constexpr int kDeepest = 6;
    if (depth > kDeepest) return std::nullopt;
    for (const ValueSource& source : sources.Of(value)) {
      if (source.node.Is(NodeKind::kAttribute) && IsFormOf(source.node)) {
        const ValueSource whole = source.At(source.node.Child(Field::kObject));
        if (auto maker = MakerOf(whole, member, sources, file, depth + 1)) return maker;
      }
      if (!source.node.Is(NodeKind::kCall)) continue;
      const Node callee = source.node.Child(Field::kFunction);
      const std::vector<QualifiedName> names = source.names->Resolve(callee);
      if (std::ranges::any_of(names, [&](const QualifiedName& name) {
            return !name.local && IsOneOf(name.name, functions_);
          })) {
        return source;
      }
      const std::vector<Argument> arguments = ArgumentsOf(source.node);
      if (arguments.empty() || !Wraps(source, names, member, sources, file)) continue;
      const ValueSource inner = source.At(arguments.front().value);
      if (auto maker = MakerOf(inner, member, sources, file, depth + 1)) return maker;
    }
    return std::nullopt;
  }

  /// `env.unwrapped`, another form of the same value.
  bool IsFormOf(Node attribute) const {
    return IsOneOf("." + std::string(attribute.Child(Field::kAttribute).text()), through_);
  }

  static bool Wraps(const ValueSource& call, const std::vector<QualifiedName>& names,
                    std::string_view member, const ValueSources& sources, const FileContext& file) {
    const WordList& wrappers = Words("wrappers");
    const auto definition = sources.DefinitionOf(call.At(call.node.Child(Field::kFunction)));
    if (definition) {
      const Classes classes(*definition->names, file.project());
      if (classes.ClassDefines(definition->node, member)) return false;
    }
    return std::ranges::any_of(names, [&](const QualifiedName& name) {
      const std::vector<std::string> bases = file.project()->OutsideBasesOf(call.path(), name.name);
      return std::ranges::any_of(bases,
                                 [&](const std::string& base) { return wrappers.Has(base); });
    });
  }

  /// The call of `getattr(result, "member")` that holds the string; else the node itself.
  static Node PlaceOf(Node node) {
    return node.Is(NodeKind::kString) ? node.parent().parent() : node;
  }

  /// True if `use` is what the rule asks for, and `node` the one place where to say so.
  bool Concerns(const ResultUse& use, Node node) const {
    if (use.kind != Kind::kMember) {
      return IsOneOf(use.kind, uses_) && (!empty_list_ || ComparesWithNothing(use));
    }
    if (!IsOneOf(use.member, members_) || !GetsText(use)) return false;
    if (use.node.Is(NodeKind::kCall)) {
      return (defaulted_ || !use.has_default) && node.Is(NodeKind::kString);
    }
    return use.node == node && HasKeyword(node) && PassesTooMany(node) && IsOfPart(node);
  }

  /// `x == []`
  static bool ComparesWithNothing(const ResultUse& use) {
    const NamedChildren parts(use.node);
    return use.node.Is(NodeKind::kComparisonOperator) && std::ranges::any_of(parts, [](Node part) {
             return part.Is(NodeKind::kList) && !part.first_named_child();
           });
  }

  /// True unless the rule asks for a text that the call of the member gets: `x.split(",")`.
  bool GetsText(const ResultUse& use) const {
    if (!given_text_) return true;
    const Node call = use.node.parent();
    if (!call.Is(NodeKind::kCall) || use.node.field() != Field::kFunction) return false;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (arguments.empty() || !arguments[0].value.Is(NodeKind::kString)) return false;
    const std::string_view start = arguments[0].value.first_named_child().text();
    return start.find_first_of("bB") == std::string_view::npos;
  }

  /// True unless the rule says how many arguments a call of the member may pass by position.
  bool PassesTooMany(Node member) const {
    if (most_positional_ < 0) return true;
    const Node call = member.parent();
    if (!call.Is(NodeKind::kCall) || member.field() != Field::kFunction) return false;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    return std::ranges::count_if(arguments, [](const Argument& argument) {
             return argument.keyword.empty() && !argument.is_splat;
           }) > most_positional_;
  }

  /// `t["a"].apply(f)`, `t.a.apply(f)`
  bool IsOfPart(Node member) const {
    if (!of_part_) return true;
    const Node object = member.Child(Field::kObject);
    return object.Is(NodeKind::kAttribute) ||
           (object.Is(NodeKind::kSubscript) && PlainStringContent(object.Child(Field::kSubscript)));
  }

  bool HasKeyword(Node member) const {
    if (keyword_.empty()) return true;
    const Node call = member.parent();
    return call.Is(NodeKind::kCall) && FindKeyword(ArgumentsOf(call), keyword_) != nullptr;
  }

  bool HasUnlessKeyword(Node call) const {
    if (unless_keyword_.empty()) return false;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Argument* given = FindKeyword(arguments, unless_keyword_);
    return given != nullptr && !given->value.Is(NodeKind::kFalse) &&
           !given->value.Is(NodeKind::kNone);
  }

  /// True if the text of `call` passes one of those arguments; what `**x` holds is not looked at.
  bool IsExcludedBy(Node call) const {
    if (not_with_.empty() || !call.Is(NodeKind::kCall)) return false;
    std::vector<Argument> arguments = ArgumentsOf(call);
    std::erase_if(arguments, [](const Argument& argument) { return argument.is_splat; });
    return IsExcluded(arguments, not_with_);
  }

  bool LeavesArgument(Node call) const {
    if (left_out_.keyword.empty()) return true;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    return left_out_.GivenIn(arguments) == nullptr && !IsExcluded(arguments, {});
  }

  /// The keyword that the rule makes an exception of, if the project may give it elsewhere: where a
  /// function calls the one of the rule, or with what the project registers.
  std::string_view KeywordSpelledElsewhere(const FileContext& file) const {
    const auto is_spelled = [&](std::string_view keyword) {
      return SpellsWord(file.source().bytes(), keyword) ||
             (file.project() != nullptr && !file.project()->FilesSpelling(keyword).empty());
    };
    if (!unless_keyword_.empty() && is_spelled(unless_keyword_)) return unless_keyword_;
    for (const std::string_view excluded : not_with_) {
      const std::string_view keyword = excluded.substr(0, excluded.find('='));
      if (is_spelled(keyword)) return keyword;
    }
    return {};
  }

  /// True unless the rule says how many values a call of the member, or without members of the
  /// function, gives, and the program takes these: it unpacks as many, or takes them one by one.
  bool TakesOtherwise(const ResultUse& use, const FileContext& file) const {
    if (gives_ == 0) return true;
    if (members_.empty() && use.kind == Kind::kUnpacked) {
      const size_t values = ValuesUnpacked(use);
      return values != 0 && values != static_cast<size_t>(gives_);
    }
    if (use.kind != Kind::kMember) return true;
    const Node call = use.node.parent();
    if (!call.Is(NodeKind::kCall) || use.node.field() != Field::kFunction) return false;
    bool is_whole = false;
    for (const ResultUse& taken : file.results().OfValue(call)) {
      if (const size_t values = ValuesUnpacked(taken); values != 0) {
        return values != static_cast<size_t>(gives_);
      }
      const bool is_asked = taken.kind == Kind::kPassed && IsOneOf(taken.member, asked_by_);
      if (taken.kind == Kind::kItem || taken.kind == Kind::kUnpacked || is_asked) return false;
      is_whole |= taken.kind != Kind::kReturned;
    }
    return whole_ && is_whole;
  }

  /// True if the member becomes a part of a text that nobody reads as a version.
  static bool IsShown(const ResultUse& use, const FileContext& file) {
    if (use.kind != Kind::kMember || !use.node.parent().Is(NodeKind::kInterpolation)) return false;
    const Node list = use.node.parent().parent().parent();
    if (!list.Is(NodeKind::kArgumentList)) return true;
    const auto names = file.names().Resolve(list.parent().Child(Field::kFunction));
    return std::ranges::none_of(names, [](const QualifiedName& name) {
      return !name.local && Words("version-parsers").Has(name.name);
    });
  }

  /// True if the use asks for the name of an NPU, or a condition around it has one that leaves NPUs
  /// out.
  bool IsApart(const ResultUse& use) const {
    const bool is_method = use.kind == Kind::kMember && use.node.parent().Is(NodeKind::kCall);
    const std::string_view question = (is_method ? use.node.parent() : use.node).text();
    if (std::ranges::any_of(holds_for_, [&](const std::string& name) {
          return question.find(name) != std::string_view::npos;
        })) {
      return true;
    }
    if (apart_from_.empty()) return false;
    for (Node node = use.node; node.parent(); node = node.parent()) {
      const bool is_first = node.field() == Field::kConsequence;
      if (is_first && HasApartName(node.parent().Child(Field::kCondition))) return true;
      const bool is_and = node.parent().Is(NodeKind::kBooleanOperator);
      if (is_and && node.field() == Field::kRight &&
          HasApartName(node.parent().Child(Field::kLeft))) {
        return true;
      }
    }
    return false;
  }

  bool HasApartName(Node condition) const {
    const std::string_view text = condition.text();
    return std::ranges::any_of(apart_from_, [&](const std::string& name) {
      for (size_t at = text.find(name); at != std::string_view::npos;
           at = text.find(name, at + 1)) {
        const size_t end = at + name.size();
        const bool starts = at == 0 || !IsLetter(text[at - 1]);
        if (starts && (end == text.size() || !IsLetter(text[end]))) return true;
      }
      return false;
    });
  }

  static bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  void Report(const ResultUse& use, const std::string& function, const FileContext& file,
              Findings& findings) const {
    std::string about(LastPart(function));
    about += "()";
    if (use.kind == Kind::kMember) about += "." + std::string(use.member);
    Finding finding = Change(use.node.range());
    Leave(finding, WhyOf(about));
    finding.keeps = keeps_;
    if (!unsure_with_.empty() && ProjectCalls(unsure_with_, file)) {
      finding.severity = Severity::kMayGoWrong;
      finding.message.en += "; what the project itself registers may answer otherwise";
      finding.message.zh += "；项目自行注册的对象可能不同";
    }
    if (const std::string_view keyword = KeywordSpelledElsewhere(file); !keyword.empty()) {
      finding.severity = Severity::kMayGoWrong;
      finding.message.en += fmt::format("; the project names {} elsewhere", keyword);
      finding.message.zh += fmt::format("；项目在其他位置使用了 {}", keyword);
    }
    if (use.kind == Kind::kReturned) {
      finding.message.en += fmt::format("; it is returned here, look at what calls {}", use.member);
      finding.message.zh += fmt::format("; 此处返回该结果，请检查 {} 的调用处", use.member);
    }
    findings.push_back(std::move(finding));
  }

  std::vector<std::string> functions_;
  std::vector<std::string> members_;
  std::vector<Kind> uses_;
  std::string keyword_;
  int64_t gives_;
  int64_t most_positional_;
  bool of_part_;
  bool given_text_;
  bool empty_list_;
  bool whole_;
  std::vector<std::string> asked_by_;
  std::vector<std::string> unsure_with_;
  bool passed_on_;
  std::string unless_keyword_;
  std::vector<std::string> not_with_;
  DefaultArgument left_out_;
  bool handed_;
  bool defaulted_;
  bool missing_;
  std::vector<std::string> through_;
  std::vector<std::string> apart_from_;
  std::vector<std::string> chosen_;  // types of elements
  std::vector<std::string> holds_for_;
  std::string replaced_by_;
  std::shared_ptr<const KeptBack> keeps_;
};

Result<std::unique_ptr<Rule>> MakeResultReportRule(RuleHeader header, const Fields& fields) {
  if (fields.List("functions").empty() ||
      (fields.List("members").empty() && fields.List("uses").empty())) {
    return BadRule(Say("name at least one of \"functions\", and one of \"members\" or of \"uses\"",
                       "请给出至少一个 \"functions\"，以及至少一个 \"members\" 或 \"uses\""));
  }
  for (const std::string& use : fields.List("uses")) {
    if (UseNamed(use)) continue;
    std::vector<std::string_view> known;
    for (const auto& row : kUses) known.push_back(row.first);
    return BadRule(Say("\"uses\" cannot hold \"{}\"; there are {}",
                       "\"uses\" 不能包含 \"{}\"；可用的有 {}", use,
                       fmt::format("{}", fmt::join(known, ", "))));
  }
  return MakeRule<ResultReportRule>(std::move(header), fields);
}

}  // namespace

RuleKind ResultReportRuleKind() {
  return {
      "ResultReportRule",
      "Reports where the result of a function is used in a way that the NPU does not serve: found "
      "through variables, attributes of self, and functions that return it, also those of other "
      "files. A use that the program guards itself is not reported; the rule's why is the message.",
      {{"functions", FieldType::kStringList, true, "Functions or classes by their full names."},
       {"members", FieldType::kStringList, false, "Members that the result lacks."},
       {"keyword", FieldType::kDottedName, false,
        "Only calls of a member with this keyword argument are meant."},
       {"gives", FieldType::kInteger, false,
        "How many values a call of a member gives, or without members one of the function: only "
        "calls are meant whose result the program unpacks into another number."},
       {"most_positional", FieldType::kInteger, false,
        "Of members: only calls with more positional arguments than this are meant."},
       {"given_text", FieldType::kBoolean, false,
        "Of members: only calls whose first argument is a text in quotes, and no bytes."},
       {"empty_list", FieldType::kBoolean, false, "Of equal: only a comparison with []."},
       {"of_part", FieldType::kBoolean, false,
        "Of members: only those of a part that its name picks: x[\"a\"].member, x.a.member."},
       {"whole", FieldType::kBoolean, false,
        "Of gives: also calls whose result it takes for one value."},
       {"asked_by", FieldType::kStringList, false,
        "Of whole: functions, by their last names, that ask how many values there are: len."},
       {"unsure_with", FieldType::kStringList, false,
        "Functions by their full names, which register what the functions of the rule make: in a "
        "project that calls one, the program may go wrong."},
       {"passed_on", FieldType::kBoolean, false,
        "Of members: also a method of a class of the file that wraps the result, which calls the "
        "member."},
       {"unless_keyword", FieldType::kString, false,
        "A call of the function with this keyword argument, other than False or None, is not "
        "meant. "
        "Where the project spells it elsewhere, the program may go wrong."},
       {"not_with", FieldType::kStringList, false,
        "Arguments that exclude a call of the function, and of its result: a keyword, or "
        "KEYWORD=VALUE. Where the project spells the keyword elsewhere, the program may go wrong."},
       {"left_out", FieldType::kString, false,
        "Only where the call of the function leaves this argument to its default."},
       {"left_out_idx", FieldType::kInteger, false,
        "Of left_out: its position, if it can be positional."},
       {"handed", FieldType::kBoolean, false,
        "Of members: also where another file hands the result to a function, or to a constructor "
        "that keeps it."},
       {"defaulted", FieldType::kBoolean, false,
        "Also where getattr() is given a default: the member exists, and is None."},
       {"missing", FieldType::kBoolean, false,
        "The members are not there: what only puts them into a text fails as well."},
       {"uses", FieldType::kStringList, false,
        "Uses that fail: item, unpacked, ordered, equal, membership, computed, returned."},
       {"through", FieldType::kStringList, false,
        "Methods that give the same value in another form: lower, strip; attributes with a dot: "
        ".T; [] for items; forward() for calls of an object that run its method forward."},
       {"chosen_in_handler", FieldType::kStringList, false,
        "Types of elements by their full names: where an `except` takes the error and names one, "
        "the row says that the program goes on with it. Other places that one takes have no row."},
       {"apart_from", FieldType::kStringList, false,
        "A condition with one of these words keeps the NPU out: hip, rocm."},
       {"holds_for", FieldType::kStringList, false,
        "Nothing is reported of a use that names one of these: Ascend."},
       {"replaced_by", FieldType::kString, false,
        "Nothing is reported where another rule puts a name that starts like this in place of the "
        "function."},
       {"keeps", FieldType::kStringList, false,
        "Rules by their ids, * for any text, whose edits are not made in a file with such a use: "
        "they bring the object that does not serve it."},
       {"kept_why", FieldType::kString, false, "The message where \"keeps\" has kept edits back."},
       {"kept_why_zh", FieldType::kString, false, "The same in Chinese."},
       {"source", FieldType::kString, false, "Where this is documented."}},
      MakeResultReportRule};
}

}  // namespace transplt
