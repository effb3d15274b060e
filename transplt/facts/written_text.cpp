// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/written_text.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

using Texts = std::vector<std::string>;

constexpr size_t kMostTexts = 256;
constexpr int kMostTextSteps = 2000;
constexpr int kMostDepth = 40;

/// Each text of `first` with each of `second` behind it.
Texts Combined(const Texts& first, const Texts& second) {
  Texts texts;
  if (first.size() * second.size() > kMostTexts) return texts;
  for (const std::string& a : first) {
    for (const std::string& b : second) texts.push_back(a + b);
  }
  return texts;
}

class Reader {
 public:
  /// `unknown` stands for what is not known; without it nothing is read then.
  Reader(const NameTable& names, const PassedArguments& passed, Texts unknown = {})
      : names_(names), passed_(passed), unknown_(std::move(unknown)) {}

  Texts Read(Node expression) {
    if (++steps_ > kMostTextSteps || depth_ >= kMostDepth) return unknown_;
    ++depth_;
    Texts texts = ReadKind(expression);
    --depth_;
    if (texts.size() > kMostTexts) texts.clear();
    return texts.empty() ? unknown_ : texts;
  }

 private:
  Texts ReadKind(Node expression) {
    switch (expression.kind()) {
      case NodeKind::kString:
        return ReadString(expression);
      case NodeKind::kInteger:
        return {std::string(expression.text())};
      case NodeKind::kConcatenatedString:
        return ReadAdjacent(expression);
      case NodeKind::kParenthesizedExpression:
        return Read(expression.first_named_child());
      case NodeKind::kConditionalExpression:
        return ReadBranches(expression);
      case NodeKind::kBinaryOperator:
        return ReadOperator(expression);
      case NodeKind::kCall:
        return ReadMethod(expression);
      case NodeKind::kIdentifier:
        return ReadName(expression);
      case NodeKind::kSubscript:
        return ReadEntries(expression.Child(Field::kValue));
      default:
        return {};
    }
  }

  Texts ReadString(Node string) {
    Texts texts = {""};
    for (Node part = string.first_child(); part; part = part.next_sibling()) {
      if (part.Is(NodeKind::kStringContent)) {
        if (part.first_child()) return {};  // an escape
        texts = Combined(texts, {std::string(part.text())});
      } else if (part.Is(NodeKind::kInterpolation)) {
        texts = Combined(texts, Read(part.Child(Field::kExpression)));
      } else if (part.Is(NodeKind::kEscapeSequence) || part.Is(NodeKind::kEscapeInterpolation)) {
        return {};
      }
      if (texts.empty()) return {};
    }
    return texts;
  }

  Texts ReadAdjacent(Node strings) {
    Texts texts = {""};
    for (Node part = strings.first_named_child(); part; part = part.next_named_sibling()) {
      texts = Combined(texts, Read(part));
    }
    return texts;
  }

  /// `a if c else b`: the condition stands between.
  Texts ReadBranches(Node conditional) {
    const Node first = conditional.first_named_child();
    Texts texts = Read(first);
    const Texts other = Read(first.next_named_sibling().next_named_sibling());
    if (texts.empty() || other.empty()) return {};
    texts.insert(texts.end(), other.begin(), other.end());
    return texts;
  }

  Texts ReadOperator(Node operation) {
    const Node left = operation.Child(Field::kLeft);
    const Node right = operation.Child(Field::kRight);
    Node token = left.next_sibling();
    while (token && !token.Is(NodeKind::kToken)) token = token.next_sibling();
    const std::string_view sign = token.text();
    if (sign == "+") return Combined(Read(left), Read(right));
    if (sign != "%") return {};
    std::vector<Node> values;
    if (right.Is(NodeKind::kTuple)) {
      for (Node item = right.first_named_child(); item; item = item.next_named_sibling()) {
        values.push_back(item);
      }
    } else {
      values.push_back(right);
    }
    return Filled(Read(left), "%s", values);
  }

  /// `"{}.{}".format(a, b)`, `".".join([a, b])`, `os.path.join(a, b)`
  Texts ReadMethod(Node call) {
    const Node callee = call.Child(Field::kFunction);
    if (!callee.Is(NodeKind::kAttribute)) return {};
    const std::string_view method = callee.Child(Field::kAttribute).text();
    const Node object = callee.Child(Field::kObject);
    std::vector<Node> values;
    for (const Node item : NamedChildren(call.Child(Field::kArguments))) {
      if (item.Is(NodeKind::kKeywordArgument)) return {};
      values.push_back(item);
    }
    if (method == "join" && names_.IsNamed(callee, "os.path.join")) return JoinedBy({"/"}, values);
    if (method == "format") return Filled(Read(object), "{}", values);
    if (method == "get" && !values.empty()) return ReadEntries(object);
    return method == "join" && values.size() == 1 ? Joined(object, values.front()) : Texts();
  }

  /// `names[mode]`, `names.get(mode)` of `names = {"a": "x"}` or `names = dict(a="x")`: all values,
  /// for another mode may be set.
  Texts ReadEntries(Node holder) {
    if (!holder.Is(NodeKind::kIdentifier)) return {};
    const NameTable::Meanings bindings = names_.BindingsOf(holder);
    if (bindings.size() != 1 || bindings.front()->kind != BindingKind::kAssignment) return {};
    Node table = bindings.front()->value;
    if (table.Is(NodeKind::kCall) && table.Child(Field::kFunction).text() == "dict") {
      table = table.Child(Field::kArguments);
    } else if (!table.Is(NodeKind::kDictionary)) {
      return {};
    }
    Texts all;
    for (const Node entry : NamedChildren(table)) {
      if (!entry.Is(NodeKind::kPair) && !entry.Is(NodeKind::kKeywordArgument)) return {};
      const Texts texts = Read(entry.Child(Field::kValue));
      if (texts.empty()) return {};
      all.insert(all.end(), texts.begin(), texts.end());
    }
    return all;
  }

  Texts Joined(Node separator, Node parts) {
    if (!parts.Is(NodeKind::kList) && !parts.Is(NodeKind::kTuple)) return {};
    std::vector<Node> values;
    for (const Node part : NamedChildren(parts)) values.push_back(part);
    return JoinedBy(Read(separator), values);
  }

  Texts JoinedBy(const Texts& between, const std::vector<Node>& parts) {
    Texts texts;
    for (const Node part : parts) {
      texts = texts.empty() ? Read(part) : Combined(Combined(texts, between), Read(part));
      if (texts.empty()) return {};
    }
    return texts;
  }

  /// The texts of `patterns` with the values at the places that `mark` shows.
  Texts Filled(const Texts& patterns, std::string_view mark, const std::vector<Node>& values) {
    Texts all;
    for (const std::string& pattern : patterns) {
      Texts texts = {""};
      std::string_view rest = pattern;
      for (const Node value : values) {
        const size_t at = rest.find(mark);
        if (at == std::string_view::npos) return {};
        texts = Combined(Combined(texts, {std::string(rest.substr(0, at))}), Read(value));
        rest.remove_prefix(at + mark.size());
      }
      if (rest.find(mark) != std::string_view::npos) return {};
      texts = Combined(texts, {std::string(rest)});
      all.insert(all.end(), texts.begin(), texts.end());
    }
    return all;
  }

  Texts ReadName(Node identifier) {
    Texts all;
    for (const Binding* binding : names_.BindingsOf(identifier)) {
      const Texts texts = ReadBinding(*binding);
      if (texts.empty()) return {};
      all.insert(all.end(), texts.begin(), texts.end());
    }
    return all;
  }

  Texts ReadBinding(const Binding& binding) {
    if (binding.kind == BindingKind::kAssignment) return Read(binding.value);
    if (binding.kind == BindingKind::kParameter) {
      const auto argument = passed_.find(&binding);
      return Read(argument == passed_.end() ? binding.value : argument->second);
    }
    const Node loop = binding.node.parent();
    const bool is_loop = loop.Is(NodeKind::kForStatement) || loop.Is(NodeKind::kForInClause);
    return is_loop && binding.node.field() == Field::kLeft ? ReadItems(loop.Child(Field::kRight))
                                                           : Texts();
  }

  Texts ReadItems(Node iterable) {
    if (iterable.Is(NodeKind::kIdentifier)) {
      const NameTable::Meanings bindings = names_.BindingsOf(iterable);
      if (bindings.size() != 1) return {};
      iterable = bindings.front()->value;
    }
    if (!iterable.Is(NodeKind::kList) && !iterable.Is(NodeKind::kTuple) &&
        !iterable.Is(NodeKind::kSet)) {
      return {};
    }
    Texts all;
    for (Node item = iterable.first_named_child(); item; item = item.next_named_sibling()) {
      const Texts texts = Read(item);
      if (texts.empty()) return {};
      all.insert(all.end(), texts.begin(), texts.end());
    }
    return all;
  }

  const NameTable& names_;
  const PassedArguments& passed_;
  const Texts unknown_;
  int steps_ = 0;
  int depth_ = 0;
};

}  // namespace

std::vector<std::string> WrittenTexts(Node expression, const NameTable& names,
                                      const PassedArguments& passed) {
  if (!expression) return {};
  return Reader(names, passed).Read(expression);
}

std::vector<std::string> WrittenPatterns(Node expression, const NameTable& names) {
  if (!expression) return {"*"};
  return Reader(names, {}, {"*"}).Read(expression);
}

}  // namespace transplt
