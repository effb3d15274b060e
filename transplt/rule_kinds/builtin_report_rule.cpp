// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/name_use.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"
#include "transplt/python/places_of_file.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// Reports builtins that Python has no longer: names that nothing in the project defines, and
/// methods of objects that another builtin has made.
class BuiltinReportRule : public Rule {
 public:
  BuiltinReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        names_(fields.List("names")),
        methods_(fields.List("methods")),
        instead_(fields.List("instead")),
        made_by_(fields.List("made_by")),
        made_by_methods_(fields.List("made_by_methods")),
        dictionaries_(fields.Boolean("dictionaries", false)),
        of_unknown_(fields.Boolean("of_unknown", false)),
        as_list_(fields.Boolean("as_list", false)),
        list_methods_(fields.List("list_methods")),
        list_takers_(fields.List("list_takers")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    for (const std::string& name : names_) triggers.push_back({NodeKind::kIdentifier, name});
    for (const std::string& name : methods_) triggers.push_back({NodeKind::kAttribute, name});
    return triggers;
  }

  WordSets required_words() const override {
    WordSets words;
    for (const std::string& name : names_) words.push_back({name});
    for (const std::string& name : methods_) words.push_back({name});
    return words;
  }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    const bool is_method = node.Is(NodeKind::kAttribute);
    const Node name = is_method ? node.Child(Field::kAttribute) : node;
    const bool is_missed = is_method ? IsMethod(node, file) : IsBuiltin(node, file);
    const bool is_guess = !is_missed && is_method && of_unknown_ && MayBeMethod(node, file);
    if (!is_missed && !is_guess) return;
    if (as_list_) {
      if (!IsTakenAsList(node, file) || IsOptionalCall(node, "TypeError")) return;
    } else if (IsOptionalCall(node, is_method ? "AttributeError" : "NameError")) {
      return;
    }
    Finding row = Row(name.range(), WhyOf(name.text()), Operation::kUnsupported);
    const std::vector<std::string>& of = is_method ? methods_ : names_;
    const auto place = static_cast<size_t>(std::ranges::find(of, name.text()) - of.begin());
    if (place < instead_.size()) {
      row.message.en += "; write " + instead_[place];
      row.message.zh += "；请写 " + instead_[place];
    }
    if (RunsWithDefinition(node)) row.severity = Severity::kStopsImport;
    if (is_guess) row.severity = Severity::kMayGoWrong;
    if (!is_method && place < instead_.size() && IsAskedBehindSame(node, instead_[place])) {
      row.severity = Severity::kMayGoWrong;
    }
    findings.push_back(std::move(row));
  }

 private:
  /// True for an expression that nothing but the builtin can give a meaning.
  bool IsBuiltin(Node name, const FileContext& file) const {
    if (!IsOneOf(name.text(), names_) || IsIdleAnnotation(name)) return false;
    if (IsInImport(name) || IsAssigned(name) || name.field() == Field::kAttribute ||
        name.field() == Field::kName || !file.names().BindingsOf(name).empty()) {
      return false;
    }
    const std::vector<QualifiedName> meanings = file.names().Resolve(name);
    const auto is_plain = [&](const QualifiedName& meaning) {
      return !meaning.local && meaning.name == name.text();
    };
    return !meanings.empty() && std::ranges::all_of(meanings, is_plain);
  }

  /// True for `unicode` of `type(x) == str or type(x) == unicode`: the objects that it is for pass
  /// the first question.
  static bool IsAskedBehindSame(Node name, std::string_view instead) {
    Node side = name;
    while (side && !side.parent().Is(NodeKind::kBooleanOperator)) {
      side = side.parent();
      if (side.Is(NodeKind::kBlock) || side.Is(NodeKind::kModule)) return false;
    }
    if (!side || side.field() != Field::kRight) return false;
    const Node left = side.parent().Child(Field::kLeft);
    if (!left.next_sibling().IsToken("or")) return false;
    std::string same(side.text());
    const size_t start = name.range().start - side.range().start;
    same.replace(start, name.text().size(), instead);
    return left.text() == same;
  }

  bool IsMethod(Node attribute, const FileContext& file) const {
    if (!IsOneOf(attribute.Child(Field::kAttribute).text(), methods_)) return false;
    if (attribute.field() != Field::kFunction) return false;
    const ValueSources& sources = file.sources();
    const std::vector<ValueSource> all = sources.Of(attribute.Child(Field::kObject));
    return !all.empty() &&
           std::ranges::all_of(all, [&](const ValueSource& source) { return IsMade(source); });
  }

  /// True for a call of the method where nothing shows another object that has it: no class of the
  /// project defines it, the object is no module and is not made by a library, and the file does
  /// not ask for the method by its name.
  bool MayBeMethod(Node attribute, const FileContext& file) const {
    const std::string_view method = attribute.Child(Field::kAttribute).text();
    if (!IsOneOf(method, methods_) || attribute.field() != Field::kFunction) return false;
    const Node object = attribute.Child(Field::kObject);
    const std::vector<ValueSource> all = file.sources().Of(object);
    const auto is_of_library = [](const ValueSource& source) {
      const Node made =
          source.node.Is(NodeKind::kCall) ? source.node.Child(Field::kFunction) : source.node;
      return std::ranges::any_of(source.names->Resolve(made),
                                 [](const QualifiedName& name) { return !name.local; }) &&
             !source.names->BindingsOf(FirstNameOf(made)).empty();
    };
    if (std::ranges::any_of(
            all, [&](const ValueSource& one) { return is_of_library(one) && !IsMade(one); })) {
      return false;
    }
    return !IsDefinedOrAskedFor(method, file);
  }

  static Node FirstNameOf(Node chain) {
    while (chain.Is(NodeKind::kAttribute)) chain = chain.Child(Field::kObject);
    return chain;
  }

  static bool IsDefinedOrAskedFor(std::string_view method, const FileContext& file) {
    const auto has_it = [&](const NameTable& names) {
      return std::ranges::any_of(names.places().NodesSaying(method), [](Node name) {
        return name.Is(NodeKind::kStringContent) ||
               (name.field() == Field::kName && name.parent().Is(NodeKind::kFunctionDefinition));
      });
    };
    if (has_it(file.names())) return true;
    if (file.project() == nullptr) return false;
    return std::ranges::any_of(file.project()->FilesSpelling(method), [&](const std::string& path) {
      const std::shared_ptr<const OpenedFile> other = file.project()->Open(path);
      return other != nullptr && has_it(other->names());
    });
  }

  /// True if the program does with the result of the call what only a list can do.
  bool IsTakenAsList(Node callee, const FileContext& file) const {
    if (callee.field() != Field::kFunction || !callee.parent().Is(NodeKind::kCall)) return false;
    const Node call = callee.parent();
    const std::vector<ResultUse> uses = file.results().OfValue(call);
    return std::ranges::any_of(uses, [&](const ResultUse& use) {
      if (IsBoundAnewBetween(call, use.value, file.names())) return false;
      switch (use.kind) {
        case ResultUse::Kind::kItem:
          return use.node.Is(NodeKind::kSubscript);
        case ResultUse::Kind::kMember:
          return IsOneOf(use.member, list_methods_);
        case ResultUse::Kind::kPassed:
          return IsOneOf(use.member, list_takers_);
        case ResultUse::Kind::kComputed:
          return use.node.Is(NodeKind::kBinaryOperator) &&
                 (SignOf(use.node) == "+" || SignOf(use.node) == "*");
        default:
          return false;
      }
    });
  }

  /// True if each way from the call to the variable `use` goes through an assignment that gives it
  /// another value: `x = map(f, y)`, `x = dict(x)`, `x[0]`.
  static bool IsBoundAnewBetween(Node call, Node use, const NameTable& names) {
    if (!use.Is(NodeKind::kIdentifier)) return false;
    const NameTable::Meanings meanings = names.BindingsOf(use);
    return std::any_of(meanings.begin(), meanings.end(), [&](const Binding* binding) {
      const Node assignment = binding->node.parent();
      const bool is_between = binding->kind == BindingKind::kAssignment &&
                              assignment.Is(NodeKind::kAssignment) &&
                              assignment.parent().Is(NodeKind::kExpressionStatement) &&
                              assignment.id() > call.id() && assignment.end_id() <= use.id();
      return is_between && assignment.parent().parent().IsAncestorOf(use);
    });
  }

  bool IsMade(const ValueSource& source) const {
    const Node node = source.node;
    if (dictionaries_ && node.Is(NodeKind::kAttribute) &&
        node.Child(Field::kAttribute).text() == "__dict__") {
      return true;
    }
    if (node.Is(NodeKind::kCall) && node.Child(Field::kFunction).Is(NodeKind::kAttribute) &&
        IsOneOf(node.Child(Field::kFunction).Child(Field::kAttribute).text(), made_by_methods_)) {
      return true;
    }
    if (dictionaries_ &&
        (node.Is(NodeKind::kDictionary) || node.Is(NodeKind::kDictionaryComprehension))) {
      return true;
    }
    return node.Is(NodeKind::kCall) &&
           NamesOneOf(node.Child(Field::kFunction), made_by_, *source.names);
  }

  std::vector<std::string> names_;
  std::vector<std::string> methods_;
  std::vector<std::string> instead_;
  std::vector<std::string> made_by_;
  std::vector<std::string> made_by_methods_;
  bool dictionaries_;
  bool of_unknown_;
  bool as_list_;
  std::vector<std::string> list_methods_;
  std::vector<std::string> list_takers_;
};

}  // namespace

RuleKind BuiltinReportRuleKind() {
  return {"BuiltinReportRule",
          "Reports builtins that Python has no longer: names that nothing in the file defines or "
          "imports, and methods of objects that another builtin has made; the rule's why is the "
          "message.",
          {{"names", FieldType::kStringList, false, "The names: xrange."},
           {"methods", FieldType::kStringList, false, "The methods: iteritems."},
           {"instead", FieldType::kStringList, false,
            "What takes the place of each of names, or else of methods, in their order."},
           {"made_by", FieldType::kStringList, false,
            "Of methods: the functions and classes that make the objects: dict."},
           {"dictionaries", FieldType::kBoolean, false,
            "Of methods: displays and comprehensions of dictionaries make such objects, too."},
           {"made_by_methods", FieldType::kStringList, false,
            "Of methods: methods that make the objects: state_dict."},
           {"of_unknown", FieldType::kBoolean, false,
            "Of methods: also of objects of which nothing is known, which may go wrong."},
           {"as_list", FieldType::kBoolean, false,
            "Python has them, but gives no list: only where the program takes the result for one: "
            "x[0], x + y, and what list_methods and list_takers name."},
           {"list_methods", FieldType::kStringList, false, "Of as_list: methods of lists: sort."},
           {"list_takers", FieldType::kStringList, false,
            "Of as_list: functions that take a list, by their last names: shuffle."},
           {"source", FieldType::kString, false, "Where this is documented."}},
          MakeRule<BuiltinReportRule>};
}

}  // namespace transplt
