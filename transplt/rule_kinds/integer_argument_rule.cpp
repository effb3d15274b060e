// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "transplt/base/one_of.h"
#include "transplt/engine/file_context.h"
#include "transplt/engine/word_filter.h"
#include "transplt/facts/fractions.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr std::string_view kWrapper = "int";

/// Writes int() around a number of the class float where only an integer is taken.
class IntegerArgumentRule : public Rule {
 public:
  IntegerArgumentRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        functions_(fields.List("functions")),
        methods_(fields.List("methods")),
        keywords_(fields.List("arg_keywords")),
        index_(static_cast<size_t>(fields.Integer("arg_idx", 0))),
        count_(static_cast<size_t>(fields.Integer("arg_count", 1))),
        parts_(fields.Boolean("parts", false)),
        only_parts_(fields.Boolean("only_parts", false)),
        needs_division_(fields.Boolean("needs_division", false)),
        slices_(fields.Boolean("slices", false)),
        repeats_(fields.Boolean("repeats", false)),
        apart_from_(fields.List("apart_from")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    for (const std::string& name : functions_) triggers.push_back({NodeKind::kCall, name});
    for (const std::string& name : methods_) triggers.push_back({NodeKind::kCall, name});
    if (slices_) triggers.push_back({NodeKind::kSubscript, ""});
    if (repeats_) triggers.push_back({NodeKind::kBinaryOperator, ""});
    return triggers;
  }

  WordSets required_words() const override {
    const std::string division(kDivision);
    WordSets words;
    for (const std::string& name : functions_) {
      for (std::vector<std::string>& all : WordsOfName(name)) {
        if (needs_division_) all.push_back(division);
        words.push_back(std::move(all));
      }
    }
    for (const std::string& name : methods_) words.push_back({name, division});
    if (slices_ || repeats_) words.push_back({division});
    return words;
  }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (node.Is(NodeKind::kSubscript)) return CheckSubscript(node, file, findings);
    if (node.Is(NodeKind::kBinaryOperator)) return CheckRepetition(node, file, findings);
    const Node callee = node.Child(Field::kFunction);
    const bool is_function = NamesOneOf(callee, functions_, file.names());
    const bool is_method = !is_function && callee.Is(NodeKind::kAttribute) &&
                           IsOneOf(callee.Child(Field::kAttribute).text(), methods_) &&
                           !IsOfModule(callee, file);
    if ((!is_function && !is_method) || IsOptionalCall(node, "TypeError")) return;
    const std::vector<Argument> arguments = ArgumentsOf(node);
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Argument& argument = arguments[i];
      if (argument.is_splat) break;
      const bool is_meant = argument.keyword.empty() ? i >= index_ && i < index_ + count_
                                                     : IsOneOf(argument.keyword, keywords_);
      if (is_meant) CheckValue(argument.value, callee.text(), is_method, file, findings);
    }
  }

 private:
  /// `np.repeat`: a function of a module, and no method.
  static bool IsOfModule(Node callee, const FileContext& file) {
    Node first = callee;
    while (first.Is(NodeKind::kAttribute)) first = first.Child(Field::kObject);
    if (!first.Is(NodeKind::kIdentifier)) return false;
    const NameTable::Meanings bindings = file.names().BindingsOf(first);
    return std::any_of(bindings.begin(), bindings.end(), [](const Binding* binding) {
      return binding->kind == BindingKind::kImport;
    });
  }

  void CheckValue(Node value, std::string_view about, bool is_counted, const FileContext& file,
                  Findings& findings) const {
    const ValueSources& sources = file.sources();
    if (parts_) {
      const std::vector<ValueSource> all = sources.Of(value);
      for (const ValueSource& source : all) {
        const bool is_list = source.node.Is(NodeKind::kTuple) || source.node.Is(NodeKind::kList);
        if (!is_list || source.names != &file.names()) continue;
        for (const Node part : NamedChildren(source.node)) {
          Wrap(part, about, is_counted, sources, file, findings);
        }
      }
    }
    if (!only_parts_) Wrap(value, about, is_counted, sources, file, findings);
  }

  void Wrap(Node value, std::string_view about, bool is_counted, const ValueSources& sources,
            const FileContext& file, Findings& findings) const {
    const ValueSource source{value, &file.names()};
    if (!IsFraction(source, sources) || (is_counted && !HasCount(source, sources))) return;
    if (MayBeArray(source, sources)) return;
    const ValueSource rounded = SourceToRound(source, sources);
    for (const Node part : RoundedParts(rounded, sources)) WrapPart(part, about, file, findings);
  }

  /// What `i = h / 2 + w / 2` computes of `i`: of that int() rounds another number than Python 2
  /// did part by part. Else the value itself.
  static ValueSource SourceToRound(const ValueSource& value, const ValueSources& sources) {
    if (!value.node.Is(NodeKind::kIdentifier)) return value;
    const std::vector<ValueSource> all = sources.Of(value);
    if (all.size() != 1 || all.front().names != value.names) return value;
    const Node assignment = all.front().node.parent();
    const bool is_own = assignment.Is(NodeKind::kAssignment) &&
                        assignment.Child(Field::kLeft).text() == value.node.text();
    const std::vector<Node> parts = RoundedParts(all.front(), sources);
    const bool is_whole = parts.size() == 1 && parts.front() == all.front().node;
    return is_own && !is_whole && HasOnlyCounts(value, sources) ? all.front() : value;
  }

  void WrapPart(Node value, std::string_view about, const FileContext& file,
                Findings& findings) const {
    const TextRange range = value.range();
    const auto is_known = [&](const Finding& known) {
      return known.rule_id == id() && known.range == range;
    };
    if (std::ranges::any_of(findings, is_known)) return;
    if (std::ranges::any_of(file.names().bindings(),
                            [](const Binding& binding) { return binding.name == kWrapper; })) {
      return findings.push_back(Row(range, WhyOf(about)));
    }
    Finding finding = Change(range, WhyOf(about));
    const bool has_parentheses = value.Is(NodeKind::kParenthesizedExpression);
    finding.fix.Insert(range.start, std::string(kWrapper) + (has_parentheses ? "" : "("));
    if (!has_parentheses) finding.fix.Insert(range.end, ")");
    findings.push_back(std::move(finding));
  }

  /// An array of fractions: int() takes no array.
  static bool MayBeArray(const ValueSource& value, const ValueSources& sources) {
    const std::vector<ValueSource> all = sources.Of(value);
    return std::ranges::any_of(all, [&](const ValueSource& source) {
      for (const Node node : NodesIn(source.node)) {
        if (node.Is(NodeKind::kList) || node.Is(NodeKind::kTuple)) return true;
      }
      return false;
    });
  }

  void CheckSubscript(Node subscript, const FileContext& file, Findings& findings) const {
    const Node whole = subscript.Child(Field::kValue);
    const std::string_view last =
        whole.Is(NodeKind::kAttribute) ? whole.Child(Field::kAttribute).text() : whole.text();
    if (IsOneOf(last, apart_from_)) return;
    const ValueSources& sources = file.sources();
    for (const Node index : NamedChildren(subscript)) {
      if (index == whole || index.Is(NodeKind::kComment)) continue;
      if (index.Is(NodeKind::kSlice)) {
        for (const Node end : NamedChildren(index)) {
          Wrap(end, subscript.text(), false, sources, file, findings);
        }
        continue;
      }
      if (!index.Is(NodeKind::kBinaryOperator) && !index.Is(NodeKind::kIdentifier)) continue;
      // A tensor or an array of indices is no number that int() could take.
      const ValueSource value{index, &file.names()};
      if (IsDictionary(whole, sources) || IsOwnObject(whole, file)) continue;
      if (!HasOnlyCounts(value, sources)) continue;
      Wrap(index, subscript.text(), true, sources, file, findings);
    }
  }

  /// True unless the text shows that it is none.
  static bool IsDictionary(Node whole, const ValueSources& sources) {
    const std::vector<ValueSource> all = sources.Of(whole);
    return std::ranges::any_of(all, [](const ValueSource& source) {
      return source.node.Is(NodeKind::kDictionary) ||
             source.node.Is(NodeKind::kDictionaryComprehension) ||
             (source.node.Is(NodeKind::kCall) &&
              source.node.text().find("ict") != std::string::npos);
    });
  }

  /// True if it may be an object of a class of the project, whose own __getitem__ takes what it
  /// wants.
  static bool IsOwnObject(Node whole, const FileContext& file) {
    const std::vector<ValueSource> all = file.sources().Of(whole);
    return std::ranges::any_of(all, [&](const ValueSource& source) {
      if (!source.node.Is(NodeKind::kCall)) return false;
      const auto made = source.names->Resolve(source.node.Child(Field::kFunction));
      return std::ranges::any_of(made, [&](const QualifiedName& name) {
        const bool is_class = std::isupper(static_cast<unsigned char>(LastPart(name.name)[0])) != 0;
        return is_class && (name.local || file.IsOwn(name.name));
      });
    });
  }

  /// `[0] * (n / 2)`
  void CheckRepetition(Node product, const FileContext& file, Findings& findings) const {
    if (SignOf(product) != "*") return;
    const Node left = product.Child(Field::kLeft);
    const Node right = product.Child(Field::kRight);
    const auto is_list = [](Node node) {
      return node.Is(NodeKind::kList) || node.Is(NodeKind::kString);
    };
    if (is_list(left) == is_list(right)) return;
    Wrap(is_list(left) ? right : left, product.text(), false, file.sources(), file, findings);
  }

  std::vector<std::string> functions_;
  std::vector<std::string> methods_;
  std::vector<std::string> keywords_;
  size_t index_;
  size_t count_;
  bool parts_;
  bool only_parts_;
  bool needs_division_;
  bool slices_;
  bool repeats_;
  std::vector<std::string> apart_from_;
};

}  // namespace

RuleKind IntegerArgumentRuleKind() {
  return {"IntegerArgumentRule",
          "Writes int() around what surely is a number of the class float where only an integer is "
          "taken: `range(n / 2)` of a program for Python 2, `numpy.zeros(1e3)` for an old NumPy.",
          {{"functions", FieldType::kStringList, false, "The functions by their full names."},
           {"methods", FieldType::kStringList, false,
            "Methods by their names; only where one number of the fraction surely is an integer."},
           {"arg_idx", FieldType::kInteger, false, "The position of the argument, from 0; 0."},
           {"arg_keywords", FieldType::kStringList, false, "Its keywords."},
           {"arg_count", FieldType::kInteger, false,
            "How many arguments from there on are integers; 1."},
           {"parts", FieldType::kBoolean, false, "The parts of a tuple or list are integers, too."},
           {"only_parts", FieldType::kBoolean, false, "The argument itself is none."},
           {"needs_division", FieldType::kBoolean, false,
            "Most files call the functions: only those are looked at that divide."},
           {"slices", FieldType::kBoolean, false, "The ends of slices, and indices of lists."},
           {"repeats", FieldType::kBoolean, false, "How often a list or text is repeated."},
           {"apart_from", FieldType::kStringList, false,
            "Of slices: names of what is not indexed by integers: mgrid."},
           {"source", FieldType::kString, false, "Where this is documented."}},
          MakeRule<IntegerArgumentRule>};
}

}  // namespace transplt
