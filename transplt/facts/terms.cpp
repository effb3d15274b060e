// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/terms.h"

#include <algorithm>
#include <array>
#include <utility>

#include "transplt/base/one_of.h"
#include "transplt/facts/object_makers.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/python/arguments.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr int kTermDepth = 8;
constexpr size_t kMostParts = 16;
constexpr size_t kLongestConstant = 64;
constexpr std::array<std::string_view, 7> kFalsy = {"False", "None", "0", "''", "[]", "{}", "()"};

/// `os.environ.get`, `os.getenv` and `os.environ`, without the name of the module.
bool IsEnvironment(const NameTable& names, Node expression, std::string_view name) {
  return expression && names.IsNamed(expression, name);
}

/// `os.getenv("NAME")`, `os.environ["NAME"]`
bool IsFromEnvironment(const NameTable& names, Node value) {
  const Node callee = value.Child(Field::kFunction);
  const Node object = value.Is(NodeKind::kSubscript) ? value.Child(Field::kValue) : Node();
  return IsEnvironment(names, callee, "os.environ.get") ||
         IsEnvironment(names, callee, "os.getenv") || IsEnvironment(names, object, "os.environ");
}

}  // namespace

bool IsFalsyConstant(std::string_view constant) { return IsOneOf(constant, kFalsy); }

std::string ConstantOf(Node expression) {
  switch (expression.kind()) {
    case NodeKind::kTrue:
    case NodeKind::kFalse:
    case NodeKind::kNone:
    case NodeKind::kInteger:
      return std::string(expression.text());
    case NodeKind::kUnaryOperator: {
      const Node operand = expression.first_named_child();
      const bool is_negative = SignOf(expression) == "-" && operand.Is(NodeKind::kInteger);
      return is_negative ? "-" + std::string(operand.text()) : "";
    }
    case NodeKind::kString: {
      const Node content = PlainStringContent(expression);
      const bool is_empty = !content && expression.text().size() == 2;
      if (content.text().size() > kLongestConstant || (!content && !is_empty)) return "";
      return "'" + std::string(content ? content.text() : "") + "'";
    }
    case NodeKind::kList:
    case NodeKind::kTuple:
    case NodeKind::kDictionary:
      return expression.first_named_child() ? "" : std::string(expression.text());
    default:
      return "";
  }
}

TermReader::TermReader(const CodeFile& file, std::vector<Term>& terms, const Machine& machine)
    : file_(file), names_(file.names()), settled_(names_, machine), terms_(terms) {
  if (terms_.empty()) terms_.emplace_back();
}

uint32_t TermReader::Of(Node expression, Node function, uint32_t unit) {
  return expression ? Read(expression, {function, unit}) : kUnknownTerm;
}

uint32_t TermReader::Add(Term term) {
  terms_.push_back(std::move(term));
  return static_cast<uint32_t>(terms_.size() - 1);
}

uint32_t TermReader::AddOnce(Term::Kind kind, std::string_view name, uint32_t unit) {
  const auto [place, is_new] = known_.try_emplace({kind, unit, std::string(name)}, kUnknownTerm);
  if (is_new) {
    Term term;
    term.kind = kind;
    term.name = name;
    term.unit = unit;
    place->second = Add(std::move(term));
  }
  return place->second;
}

uint32_t TermReader::Constant(std::string_view constant) {
  return AddOnce(Term::Kind::kConstant, constant, 0);
}

uint32_t TermReader::Not(uint32_t term) {
  if (term == kUnknownTerm) return kUnknownTerm;
  Term negated;
  negated.kind = Term::Kind::kNot;
  negated.parts = {term};
  return Add(std::move(negated));
}

uint32_t TermReader::And(uint32_t a, uint32_t b) {
  if (a == kUnknownTerm || b == kUnknownTerm) return std::max(a, b);
  Term both;
  both.kind = Term::Kind::kAnd;
  both.parts = {a, b};
  return Add(std::move(both));
}

uint32_t TermReader::Equal(uint32_t a, uint32_t b) {
  if (a == kUnknownTerm || b == kUnknownTerm) return kUnknownTerm;
  Term equal;
  equal.kind = Term::Kind::kCompare;
  equal.name = "==";
  equal.parts = {a, b};
  return Add(std::move(equal));
}

uint32_t TermReader::Read(Node expression, const Place& place) {
  if (place.depth > kTermDepth) return kUnknownTerm;
  if (const std::string constant = ConstantOf(expression); !constant.empty()) {
    return Constant(constant);
  }
  if (const auto truth = settled_.Of(expression)) return Constant(*truth ? "True" : "False");
  Place below = place;
  ++below.depth;
  switch (expression.kind()) {
    case NodeKind::kIdentifier:
      return OfName(expression, below);
    case NodeKind::kAttribute:
      return OfAttribute(expression);
    case NodeKind::kSubscript:
      return OfSubscript(expression);
    case NodeKind::kCall:
      return OfCall(expression, below);
    case NodeKind::kParenthesizedExpression:
      return Read(expression.first_named_child(), below);
    case NodeKind::kNotOperator:
      return Not(Read(expression.first_named_child(), below));
    case NodeKind::kBooleanOperator:
      return OfOperation(expression, below);
    case NodeKind::kComparisonOperator:
      return OfComparison(expression, below);
    default:
      return kUnknownTerm;
  }
}

/// Only of a name that one binding alone can stand for.
uint32_t TermReader::OfName(Node name, const Place& place) {
  const NameTable::Meanings bindings = names_.BindingsOf(name);
  if (bindings.empty()) {  // of `from module import *`
    const std::vector<QualifiedName> named = names_.Resolve(name);
    return named.size() == 1 ? OfVariable(named.front().name) : kUnknownTerm;
  }
  if (bindings.size() != 1) return kUnknownTerm;
  const Binding& binding = *bindings.front();
  switch (binding.kind) {
    case BindingKind::kParameter:
      if (!place.function || !(names_.ScopeNode(binding.scope) == place.function)) break;
      return AddOnce(Term::Kind::kParameter, binding.name, place.unit);
    case BindingKind::kImport:
      return OfVariable(binding.target);
    case BindingKind::kAssignment:
      if (!binding.value || binding.value.IsAncestorOf(name)) break;
      // What one function assigns to a variable of the module another one may read.
      if (binding.scope == 0 && ConstantOf(binding.value).empty() &&
          !IsFromEnvironment(names_, binding.value)) {
        break;
      }
      return Read(binding.value, place);
    default:
      break;
  }
  return kUnknownTerm;
}

uint32_t TermReader::OfVariable(const std::string& dotted) {
  Origin origin = OriginOf(file_, {dotted, false});
  if (origin.file.empty()) return kUnknownTerm;
  Term variable;
  variable.kind = Term::Kind::kVariable;
  variable.name = std::move(origin.name);
  variable.source = std::move(origin.file);
  return Add(std::move(variable));
}

uint32_t TermReader::Setting(Term::Kind kind, Node name, Node expression, Node otherwise,
                             const Place& place) {
  Term setting;
  setting.kind = kind;
  setting.name = name.text();
  setting.source = kind == Term::Kind::kEnvironment ? setting.name : std::string(expression.text());
  if (setting.source.size() > kLongestConstant) return kUnknownTerm;
  if (otherwise) setting.parts.push_back(Read(otherwise, place));
  return Add(std::move(setting));
}

uint32_t TermReader::OfAttribute(Node attribute) {
  const Node object = attribute.Child(Field::kObject);
  // `module.NAME`
  for (const QualifiedName& name : names_.Resolve(attribute)) {
    if (name.local) return kUnknownTerm;
    const Node head = ChainOf(object).head;
    if (head.Is(NodeKind::kIdentifier) && !names_.BindingsOf(head).empty() &&
        names_.BindingsOf(head).front()->kind == BindingKind::kImport) {
      return OfVariable(name.name);
    }
  }
  return Setting(Term::Kind::kAttribute, attribute.Child(Field::kAttribute), attribute, {}, {});
}

uint32_t TermReader::OfSubscript(Node subscript) {
  const Node key = PlainStringContent(subscript.Child(Field::kSubscript));
  if (!key) return kUnknownTerm;
  const bool is_variable = IsFromEnvironment(names_, subscript);
  return Setting(is_variable ? Term::Kind::kEnvironment : Term::Kind::kAttribute, key, subscript,
                 {}, {});
}

/// `bool(x)`, `getattr(x, "name", default)`, `x.get("name", default)`, `os.environ.get("NAME")`
uint32_t TermReader::OfCall(Node call, const Place& place) {
  const Node callee = call.Child(Field::kFunction);
  const std::vector<Argument> given = ArgumentsOf(call);
  if (given.empty() || given.size() > 3) return kUnknownTerm;
  if (callee.text() == "bool" || callee.text() == "int" || callee.text() == "str") {
    return given.size() == 1 ? Read(given[0].value, place) : kUnknownTerm;
  }
  const bool is_getattr = callee.text() == "getattr" && given.size() >= 2;
  const bool is_get = callee.Is(NodeKind::kAttribute) &&
                      callee.Child(Field::kAttribute).text() == "get" && given.size() <= 2;
  const bool is_variable = IsFromEnvironment(names_, call);
  if (!is_getattr && !is_get && !is_variable) return kUnknownTerm;
  const size_t at = is_getattr ? 1 : 0;
  const Node key = PlainStringContent(given[at].value);
  if (!key || given.size() > at + 2) return kUnknownTerm;
  const Node otherwise = given.size() > at + 1 ? given[at + 1].value : Node();
  const uint32_t term = Setting(is_variable ? Term::Kind::kEnvironment : Term::Kind::kAttribute,
                                key, call, otherwise, place);
  // `x.get("name")` of what is not there is None; getattr() fails.
  if (term != kUnknownTerm && !otherwise && !is_getattr) {
    const uint32_t none = Constant("None");  // which may move the terms
    terms_[term].parts.push_back(none);
  }
  return term;
}

uint32_t TermReader::OfOperation(Node operation, const Place& place) {
  Term both;
  both.kind = SignOf(operation) == "and" ? Term::Kind::kAnd : Term::Kind::kOr;
  both.parts = {Read(operation.Child(Field::kLeft), place),
                Read(operation.Child(Field::kRight), place)};
  const bool is_unknown = std::ranges::all_of(both.parts, [](uint32_t p) { return p == 0; });
  return is_unknown ? kUnknownTerm : Add(std::move(both));
}

uint32_t TermReader::OfComparison(Node comparison, const Place& place) {
  const Node left = comparison.first_named_child();
  const Node right = left.next_named_sibling();
  if (!right || right.next_named_sibling()) return kUnknownTerm;
  Term term;
  term.kind = Term::Kind::kCompare;
  std::string_view sign = SignOf(comparison);
  const bool is_negative = sign == "not in";
  if (sign == "is") sign = "==";
  if (sign == "is not") sign = "!=";
  term.name = sign;
  term.parts = {Read(left, place)};
  if (sign == "in" || is_negative) {
    term.kind = Term::Kind::kIsIn;
    if (!right.Is(NodeKind::kList) && !right.Is(NodeKind::kTuple) && !right.Is(NodeKind::kSet)) {
      return kUnknownTerm;
    }
    for (const Node item : NamedChildren(right)) term.parts.push_back(Read(item, place));
  } else {
    term.parts.push_back(Read(right, place));
  }
  const bool is_unknown = std::ranges::any_of(term.parts, [](uint32_t p) { return p == 0; });
  if (is_unknown || term.parts.size() > kMostParts) return kUnknownTerm;
  const uint32_t index = Add(std::move(term));
  return is_negative ? Not(index) : index;
}

}  // namespace transplt
