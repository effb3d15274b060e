// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/engine/file_context.h"
#include "transplt/engine/word_filter.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/string_place.h"
#include "transplt/python/callee.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr std::string_view kDefault = "default";  // the keyword of options

/// Reports strings that are exactly one of a list: names of environment variables without a
/// counterpart, for example.
class ValueReportRule : public Rule {
 public:
  ValueReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        values_(fields.List("values")),
        functions_(fields.List("arguments_of")),
        compared_(fields.Boolean("compared", false)),
        key_(fields.String("key")),
        idle_values_(fields.List("idle_values")),
        package_(fields.String("package")),
        run_by_(fields.List("run_by")),
        needed_by_(fields.List("needed_by")),
        piped_into_(fields.List("piped_into")),
        not_piped_into_(fields.List("not_piped_into")),
        of_function_(fields.Boolean("of_function", false)),
        unchosen_(fields.Boolean("unchosen", false)),
        option_default_(fields.Boolean("option_default", false)),
        served_by_(fields.List("served_by")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    for (const std::string& value : values_) {
      triggers.push_back({NodeKind::kString, std::string(WordsIn(value).front())});
    }
    return triggers;
  }

  WordSets required_words() const override {
    WordSets words;
    for (const std::string& value : values_) {
      const std::vector<std::string_view> parts = WordsIn(value);
      const std::vector<std::string> of_value(parts.begin(), parts.end());
      if (functions_.empty()) words.push_back(of_value);
      if (functions_.empty() && !package_.empty()) words.back().push_back(package_);
      for (const std::string& function : functions_) {
        words.push_back(of_value);
        words.back().emplace_back(LastPart(function));
      }
      if (!option_default_) continue;
      words.push_back(of_value);
      words.back().emplace_back(kDefault);
    }
    return words;
  }

  void Check(Node string, const FileContext& file, Findings& findings) const override {
    const Node content = PlainStringContent(string);
    if (!piped_into_.empty()) return;  // a command in a string comes as a setting
    if (!content || IsBareString(string) || file.IsOtherFramework()) return;
    for (const std::string& value : values_) {
      const bool found = compared_ ? HasPart(content.text(), value) : content.text() == value;
      // To ask whether something has the name does nothing with it.
      if (!found || IsCompared(string) != (compared_ || IsForAssertions())) continue;
      const bool is_default = option_default_ && IsDefaultForArgument(string, file);
      if (!functions_.empty() && !is_default && !IsArgument(string, file)) continue;
      if (unchosen_ && string.parent().Is(NodeKind::kConditionalExpression)) continue;
      if (!key_.empty() && (!IsKey(string, file) || IsIdle(string) || IsForOneKind(string))) {
        continue;
      }
      if (!package_.empty() && !is_default && !file.Imports(package_)) continue;
      if (IsServedIn(file)) return;
      Report(value, PlaceOf(string), findings);
      if (IsRunForShow(string, file)) findings.back().severity = Severity::kNoEffect;
      if (IsNeeded(string, file)) findings.back().severity = Severity::kStopsRun;
      return;
    }
  }

  void CheckSetting(const Setting& setting, Findings& findings) const override {
    using Kind = Setting::Kind;
    if (compared_ || !functions_.empty() || key_ == "used" || !package_.empty()) return;
    // A variable is a key of the environment.
    if (!key_.empty() && (setting.kind != Kind::kVariable || IsOneOf(setting.value, idle_values_)))
      return;
    if (setting.kind != Kind::kVariable && setting.kind != Kind::kCommand) return;
    if (setting.name_range.empty() || !IsOneOf(setting.name, values_)) return;
    if (!piped_into_.empty() && !IsOneOf(setting.piped_into, piped_into_)) return;
    if (IsOneOf(setting.piped_into, not_piped_into_)) return;
    Report(setting.name, setting.name_range, findings);
  }

 private:
  /// True if the file names what serves the NPU in the same way: `f.register_kernel("npu")`.
  bool IsServedIn(const FileContext& file) const {
    return std::ranges::any_of(served_by_, [&](const std::string& word) {
      return std::ranges::any_of(file.NodesSaying(word),
                                 [](Node node) { return node.Is(NodeKind::kStringContent); });
    });
  }

  /// The string, or where the function begins above which it stands in a decorator: who calls that
  /// comes to this place, and who imports it does not.
  TextRange PlaceOf(Node string) const {
    for (Node node = string; of_function_ && node; node = node.parent()) {
      if (!node.Is(NodeKind::kDecorator)) continue;
      Node place = node.parent().Child(Field::kDefinition).Child(Field::kBody).first_named_child();
      while (place && place.first_named_child()) place = place.first_named_child();
      return place ? place.range() : string.range();
    }
    return string.range();
  }

  /// `os.system("nvidia-smi")` whose result nobody looks at.
  bool IsRunForShow(Node string, const FileContext& file) const {
    const Node call = string.parent().parent();
    return call.Is(NodeKind::kCall) && call.parent().Is(NodeKind::kExpressionStatement) &&
           std::ranges::any_of(
               run_by_, [&](const std::string& function) { return Calls(call, function, file); });
  }

  /// `subprocess.run(["nvidia-smi", "-L"])`, also through a variable: raises where there is no such
  /// program, unless a `try` is around it.
  bool IsNeeded(Node string, const FileContext& file) const {
    const Node list = string.parent();
    const bool is_command = (list.Is(NodeKind::kList) || list.Is(NodeKind::kTuple)) &&
                            list.first_named_child() == string;
    if (needed_by_.empty() || !is_command) return false;
    if (!list.parent().Is(NodeKind::kAssignment)) return IsRun(list, file);
    const Node variable = list.parent().Child(Field::kLeft);
    return variable.Is(NodeKind::kIdentifier) &&
           std::ranges::any_of(file.NodesSaying(variable.text()), [&](Node use) {
             return DefinitionAround(use) == DefinitionAround(variable) && IsRun(use, file);
           });
  }

  bool IsRun(Node command, const FileContext& file) const {
    const Node call = command.parent().parent();
    if (!call.Is(NodeKind::kCall) || command.parent().first_named_child() != command) return false;
    return !IsTried(call) && std::ranges::any_of(needed_by_, [&](const std::string& function) {
      return Calls(call, function, file);
    });
  }

  static bool IsTried(Node node) {
    for (; node.parent() && !node.Is(NodeKind::kFunctionDefinition); node = node.parent()) {
      const Node outer = node.parent();
      if (!outer.Is(NodeKind::kTryStatement) || node.field() != Field::kBody) continue;
      for (const Node clause : NamedChildren(outer)) {
        if (clause.Is(NodeKind::kExceptClause) && !FailsInHandler(clause)) return true;
      }
    }
    return false;
  }

  bool IsForAssertions() const { return key_ == "asserted"; }

  /// `assert platform.ray_device_key == "GPU"`
  static bool IsAsserted(Node string) {
    const Node comparison = string.parent();
    return comparison.Is(NodeKind::kComparisonOperator) &&
           comparison.first_named_child().next_sibling().IsToken("==") &&
           comparison.parent().Is(NodeKind::kAssertStatement) &&
           comparison.parent().first_named_child() == comparison;
  }

  /// `{"GPU": 1}`, `resources["GPU"] = 1`; unless only what is set counts: `resources["GPU"]`,
  /// `resources.get("GPU", 0)`, too. `Literal["GPU", "NPU"]` is a type.
  bool IsKey(Node string, const FileContext& file) const {
    if (IsForAssertions()) return IsAsserted(string);
    const Node parent = string.parent();
    if (parent.Is(NodeKind::kPair)) return string.field() == Field::kKey;
    const bool only_set = key_ == "set";
    if (parent.Is(NodeKind::kSubscript)) {
      const bool is_set =
          parent.parent().Is(NodeKind::kAssignment) && parent.field() == Field::kLeft;
      const bool is_type = std::ranges::any_of(
          file.names().Resolve(parent.Child(Field::kValue)),
          [](const QualifiedName& name) { return !name.local && name.name.starts_with("typing"); });
      return string.field() == Field::kSubscript && (is_set || !only_set) && !is_type;
    }
    const Node call = parent.parent();
    if (IsSetByDefault(string)) return true;
    if (only_set || !parent.Is(NodeKind::kArgumentList) || !call.Is(NodeKind::kCall)) return false;
    const Node callee = call.Child(Field::kFunction);
    return callee.Is(NodeKind::kAttribute) && callee.Child(Field::kAttribute).text() == "get" &&
           parent.first_named_child() == string;
  }

  /// `os.environ.setdefault("KEY", value)`
  static bool IsSetByDefault(Node string) {
    const Node call = string.parent().parent();
    const Node callee = call.Is(NodeKind::kCall) ? call.Child(Field::kFunction) : Node();
    return callee.Is(NodeKind::kAttribute) &&
           callee.Child(Field::kAttribute).text() == "setdefault" &&
           string.parent().first_named_child() == string;
  }

  /// True for a key that is given a value which asks for nothing: `{"num_gpus": 0}`.
  bool IsIdle(Node key) const {
    const Node parent = key.parent();
    const Node value = parent.Is(NodeKind::kPair) ? parent.Child(Field::kValue)
                       : IsSetByDefault(key)      ? key.next_named_sibling()
                                                  : parent.parent().Child(Field::kRight);
    const Node content = PlainStringContent(value);
    return value && IsOneOf(content ? content.text() : value.text(), idle_values_);
  }

  /// True for `if kind == "GPU": options["num_gpus"] = 1` before `else: options["resources"] =
  /// {kind: 1}`: the program asks for other kinds by their own names.
  static bool IsForOneKind(Node string) {
    for (Node inner = string, outer = string.parent(); outer;
         inner = outer, outer = outer.parent()) {
      if (outer.Is(NodeKind::kFunctionDefinition)) return false;
      if (outer.Is(NodeKind::kConditionalExpression) && inner == outer.first_named_child()) {
        const Node kind = NameEqualToText(inner.next_named_sibling());
        if (kind && HasKey(LastNamedChild(outer), kind)) return true;
      }
      const bool is_branch =
          (outer.Is(NodeKind::kIfStatement) || outer.Is(NodeKind::kElifClause)) &&
          inner.field() == Field::kConsequence;
      if (!is_branch) continue;
      const Node kind = NameEqualToText(outer.Child(Field::kCondition));
      const Node first = outer.Is(NodeKind::kIfStatement) ? outer.Child(Field::kAlternative)
                                                          : outer.next_named_sibling();
      for (Node other = first; kind && other; other = other.next_named_sibling()) {
        if (HasKey(other, kind)) return true;
      }
    }
    return false;
  }

  /// The name of `name == "text"`, or a null node.
  static Node NameEqualToText(Node condition) {
    if (!condition.Is(NodeKind::kComparisonOperator)) return {};
    const Node left = condition.first_named_child();
    const bool is_name = left.Is(NodeKind::kIdentifier) || left.Is(NodeKind::kAttribute);
    const bool equals = left.next_sibling().IsToken("==") &&
                        LastNamedChild(condition) == left.next_named_sibling() &&
                        LastNamedChild(condition).Is(NodeKind::kString);
    return is_name && equals ? left : Node();
  }

  /// True if `name` is the key of an entry in `branch`.
  static bool HasKey(Node branch, Node name) {
    return std::ranges::any_of(NodesIn(branch), [&](Node node) {
      const bool is_key =
          (node.parent().Is(NodeKind::kPair) && node.field() == Field::kKey) ||
          (node.parent().Is(NodeKind::kSubscript) && node.field() == Field::kSubscript);
      return is_key && node.kind() == name.kind() && node.text() == name.text();
    });
  }

  /// True for an argument of one of the functions, or an element of such an argument; and for a key
  /// of a dictionary that one is given, by itself or by the name that it gets.
  bool IsArgument(Node string, const FileContext& file) const {
    if (key_.empty() || !string.parent().Is(NodeKind::kPair)) return IsGiven(string, file);
    const Node dictionary = string.parent().parent();
    if (IsGiven(dictionary, file)) return true;
    const Node name = dictionary.parent().Is(NodeKind::kAssignment)
                          ? dictionary.parent().Child(Field::kLeft)
                          : Node();
    return name.Is(NodeKind::kIdentifier) &&
           std::ranges::any_of(file.NodesSaying(name.text()), [&](Node use) {
             return use.Is(NodeKind::kIdentifier) && !(use == name) && IsGiven(use, file);
           });
  }

  /// `add_argument("--backend", default="gloo")`, where the option gets to one of the functions.
  bool IsDefaultForArgument(Node string, const FileContext& file) const {
    const Node keyword = string.parent();
    if (!keyword.Is(NodeKind::kKeywordArgument) || keyword.Child(Field::kName).text() != kDefault) {
      return false;
    }
    const Verdict verdict = file.values().VerdictOf(string);
    const ValueEvidence& taker = verdict.evidence;
    if (verdict.kind != Verdict::Kind::kDevice || taker.strength != Strength::kResolved) {
      return false;
    }
    if (taker.path == file.source().path()) {
      return IsGiven(file.tree().NodeAt(taker.range), file.names());
    }
    const auto other = file.project() != nullptr ? file.project()->Open(taker.path) : nullptr;
    return other != nullptr && IsGiven(other->tree().NodeAt(taker.range), other->names());
  }

  /// The same where the functions are called by their full names.
  bool IsGiven(Node value, const NameTable& names) const {
    while (value && !value.Is(NodeKind::kCall)) value = value.parent();
    return value && std::ranges::any_of(functions_, [&](const std::string& function) {
             return names.IsNamed(value.Child(Field::kFunction), function);
           });
  }

  bool IsGiven(Node value, const FileContext& file) const {
    Node argument = Outermost(value);
    if (argument.parent().Is(NodeKind::kKeywordArgument)) argument = argument.parent();
    const Node list = argument.parent();
    if (!list.Is(NodeKind::kArgumentList) || !list.parent().Is(NodeKind::kCall)) return false;
    return std::ranges::any_of(functions_, [&](const std::string& function) {
      return Calls(list.parent(), function, file);
    });
  }

  void Report(const std::string& value, TextRange range, Findings& findings) const {
    findings.push_back(Row(range, WhyOf(value)));
  }

  std::vector<std::string> values_;
  std::vector<std::string> functions_;
  bool compared_;
  std::string key_;
  std::vector<std::string> idle_values_;
  std::string package_;
  std::vector<std::string> run_by_;
  std::vector<std::string> needed_by_;
  std::vector<std::string> piped_into_;
  std::vector<std::string> not_piped_into_;
  bool of_function_;
  bool unchosen_;
  bool option_default_;
  std::vector<std::string> served_by_;
};

}  // namespace

RuleKind ValueReportRuleKind() {
  return {"ValueReportRule",
          "Reports strings that are exactly one of the values; the rule's why is the message.",
          {{"values", FieldType::kStringList, true,
            "The values, each a word; or phrases, if compared."},
           {"arguments_of", FieldType::kStringList, false,
            "Only where the string is an argument of one of these functions: a dotted name is the "
            "full resolved name, an undotted one the last name of any call."},
           {"compared", FieldType::kBoolean, false,
            "Strings that hold the phrase and are compared with something."},
           {"key",
            FieldType::kChoice,
            false,
            "Only where the string is a key of a dictionary: set, where one is made or given a "
            "value; used, also where one is read. asserted: where an assertion demands it.",
            {"set", "used", "asserted"}},
           {"idle_values", FieldType::kStringList, false,
            "Values of the key that ask for nothing, as they are written: 0, None."},
           {"package", FieldType::kString, false, "Only in files that import this package."},
           {"run_by", FieldType::kStringList, false,
            "Functions that run a program and raise nothing where there is none: a call for show "
            "has no effect."},
           {"needed_by", FieldType::kStringList, false,
            "Functions that run a program and raise an error where there is none: outside of try a "
            "list that begins with the value stops the program."},
           {"piped_into", FieldType::kStringList, false,
            "Only commands of a shell whose output ends in one of these: a program, or argmin()."},
           {"not_piped_into", FieldType::kStringList, false,
            "The opposite: not those at the end of whose pipeline one of these stands."},
           {"unchosen", FieldType::kBoolean, false,
            "Not where a condition chooses between the string and another value."},
           {"option_default", FieldType::kBoolean, false,
            "Of arguments_of: also where the string is the default of an option that gets there, "
            "from whatever file."},
           {"of_function", FieldType::kBoolean, false,
            "The row is about the function that the decorator marks: it stops who calls that."},
           {"served_by", FieldType::kStringList, false,
            "Other strings: a file that has one of them serves the NPU itself."},
           {"source", FieldType::kString, false, "Where this is documented."}},
          MakeRule<ValueReportRule>};
}

}  // namespace transplt
