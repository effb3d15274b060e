// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/settled_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "transplt/base/word_list.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr int kConditionDepth = 16;
constexpr size_t kMostItems = 16;
constexpr size_t kMostMeanings = 4;
constexpr int64_t kPython = 3;
constexpr double kLargestNumber = 1e15;

using Numbers = std::vector<int64_t>;

/// A value as Python has it, as far as versions are made of it.
struct Value {
  enum class Kind : uint8_t { kNone, kBool, kNumber, kText, kList, kVersion };
  Kind kind = Kind::kBool;
  bool truth = false;
  double number = 0;
  std::string text = {};          ///< of a text, and of the version of torch, which is one, too
  std::vector<Value> items = {};  ///< of a list or tuple
  Numbers release = {};           ///< of a version
  bool is_open = false;           ///< more parts follow in `release`, which are not known
};

using Known = std::optional<Value>;

Known Truth(bool truth) { return Value{Value::Kind::kBool, truth}; }
Known Number(double number) { return Value{Value::Kind::kNumber, false, number}; }
Known KnownText(std::string text) { return Value{Value::Kind::kText, false, 0, std::move(text)}; }
Known List(std::vector<Value> items) {
  return Value{Value::Kind::kList, false, 0, {}, std::move(items)};
}

/// The numbers of "2.12.0", up to what is none: "1.13.0a0" gives 1, 13, 0.
Numbers ReleaseOf(std::string_view text) {
  Numbers release;
  while (!text.empty()) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) break;
    release.push_back(number);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
  }
  return release;
}

Known VersionOf(std::string_view text) {
  Value version{Value::Kind::kVersion};
  version.text = text;
  version.release = ReleaseOf(text);
  if (version.release.empty()) return std::nullopt;
  return version;
}

/// True for a text, and for the version of torch, which is one.
bool HasText(const Value& value) {
  return value.kind == Value::Kind::kText ||
         (value.kind == Value::Kind::kVersion && !value.text.empty());
}

std::optional<bool> IsTrue(const Known& value) {
  if (!value) return std::nullopt;
  switch (value->kind) {
    case Value::Kind::kNone:
      return false;
    case Value::Kind::kBool:
      return value->truth;
    case Value::Kind::kNumber:
      return value->number != 0;
    case Value::Kind::kText:
      return !value->text.empty();
    case Value::Kind::kList:
      return !value->items.empty();
    case Value::Kind::kVersion:
      return true;
  }
  return std::nullopt;
}

/// The numbers of what is compared with a version; nothing if there are none.
std::optional<Numbers> NumbersOf(const Value& value) {
  if (value.kind == Value::Kind::kVersion) return value.release;
  if (value.kind == Value::Kind::kText) {
    Numbers release = ReleaseOf(value.text);
    if (release.empty()) return std::nullopt;
    return release;
  }
  if (value.kind != Value::Kind::kList) return std::nullopt;
  Numbers numbers;
  for (const Value& item : value.items) {
    if (item.kind != Value::Kind::kNumber) return std::nullopt;
    numbers.push_back(static_cast<int64_t>(item.number));
  }
  return numbers;
}

/// True if `numbers` has nothing but zeros from `first` on, which no version is below: (3, 0).
bool EndsInZeros(const Numbers& numbers, size_t first) {
  return std::all_of(numbers.begin() + static_cast<ptrdiff_t>(std::min(first, numbers.size())),
                     numbers.end(), [](int64_t number) { return number == 0; });
}

/// Less than, equal to or greater than 0. Nothing if it depends on parts that are not known.
std::optional<int> OrderOfVersions(const Value& a, const Value& b) {
  const auto left = NumbersOf(a);
  const auto right = NumbersOf(b);
  if (!left || !right) return std::nullopt;
  const bool is_tuple = a.kind == Value::Kind::kList || b.kind == Value::Kind::kList;
  for (size_t i = 0; i < std::max(left->size(), right->size()); ++i) {
    if (a.is_open && i >= left->size()) {
      return EndsInZeros(*right, i) ? std::optional(1) : std::nullopt;
    }
    if (b.is_open && i >= right->size()) {
      return EndsInZeros(*left, i) ? std::optional(-1) : std::nullopt;
    }
    // (3,) < (3, 0), but the version 2 is 2.0.
    const int64_t missing = is_tuple ? -1 : 0;
    const int64_t x = i < left->size() ? (*left)[i] : missing;
    const int64_t y = i < right->size() ? (*right)[i] : missing;
    if (x != y) return x < y ? -1 : 1;
  }
  // sys.version_info has more parts than the tuple.
  if (a.is_open || b.is_open) return a.is_open ? 1 : -1;
  return 0;
}

std::optional<int> OrderOf(const Value& a, const Value& b) {
  if (a.kind == Value::Kind::kNone || b.kind == Value::Kind::kNone) {
    // Nothing is less than None; that it is another value is all that is known.
    return a.kind == b.kind ? 0 : 1;
  }
  if (a.kind == Value::Kind::kVersion || b.kind == Value::Kind::kVersion) {
    return OrderOfVersions(a, b);
  }
  if (a.kind != b.kind) return std::nullopt;
  if (a.kind == Value::Kind::kBool) return static_cast<int>(a.truth) - static_cast<int>(b.truth);
  if (a.kind == Value::Kind::kNumber) {
    return static_cast<int>(a.number > b.number) - static_cast<int>(a.number < b.number);
  }
  if (a.kind == Value::Kind::kText) return a.text.compare(b.text);
  if (a.kind != Value::Kind::kList) return std::nullopt;
  for (size_t i = 0; i < std::min(a.items.size(), b.items.size()); ++i) {
    const std::optional<int> order = OrderOf(a.items[i], b.items[i]);
    if (order != 0) return order;
  }
  return static_cast<int>(a.items.size()) - static_cast<int>(b.items.size());
}

std::optional<bool> Compare(const Value& a, std::string_view sign, const Value& b) {
  if (sign == "in" || sign == "not in") {
    if (b.kind == Value::Kind::kList) {
      const bool is_in = std::ranges::any_of(
          b.items, [&](const Value& item) { return Compare(a, "==", item) == true; });
      return is_in == (sign == "in");
    }
    if (!HasText(a) || !HasText(b)) return std::nullopt;
    return (b.text.find(a.text) != std::string::npos) == (sign == "in");
  }
  const std::optional<int> order = OrderOf(a, b);
  if (!order) return std::nullopt;
  if (sign == "==" || sign == "is") return order == 0;
  if (sign == "!=" || sign == "is not") return order != 0;
  if (a.kind == Value::Kind::kNone || b.kind == Value::Kind::kNone) return std::nullopt;
  if (sign == "<") return order < 0;
  if (sign == "<=") return order <= 0;
  if (sign == ">") return order > 0;
  if (sign == ">=") return order >= 0;
  return std::nullopt;
}

/// `value` of Python's int(), float() or str().
Known Converted(const Known& value, std::string_view type) {
  if (!value) return std::nullopt;
  if (type == "str") return HasText(*value) ? KnownText(value->text) : std::nullopt;
  if (value->kind == Value::Kind::kNumber) {
    return Number(type == "int" ? static_cast<double>(static_cast<int64_t>(value->number))
                                : value->number);
  }
  if (!HasText(*value)) return std::nullopt;
  const std::string& text = value->text;
  const char* end = text.data() + text.size();
  double number = 0;
  const bool is_int = type == "int";
  const bool has_digits_only = text.find_first_not_of("0123456789") == std::string::npos;
  if (is_int && !has_digits_only) return std::nullopt;
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  // What an int64_t cannot hold is no part of a version.
  if (error != std::errc() || rest != end || number > kLargestNumber) return std::nullopt;
  return Number(number);
}

Known Parts(std::string_view text, std::string_view separator) {
  if (separator.empty()) return std::nullopt;
  std::vector<Value> parts;
  while (parts.size() < kMostItems) {
    const size_t end = text.find(separator);
    parts.push_back(*KnownText(std::string(text.substr(0, end))));
    if (end == std::string_view::npos) return List(std::move(parts));
    text.remove_prefix(end + separator.size());
  }
  return std::nullopt;
}

/// What is computed from constants and from what the machine settles.
class Evaluator {
 public:
  Evaluator(const NameTable& names, const Machine& machine) : names_(names), machine_(machine) {}

  /// True once the machine was asked.
  bool asks() const { return asks_; }

  Known Of(Node expression, int depth = 0) {
    if (!expression || depth > kConditionDepth) return std::nullopt;
    const int below = depth + 1;
    switch (expression.kind()) {
      case NodeKind::kNone:
        return Value{Value::Kind::kNone};
      case NodeKind::kTrue:
      case NodeKind::kFalse:
        return Truth(expression.Is(NodeKind::kTrue));
      case NodeKind::kInteger:
      case NodeKind::kFloat:
        return Converted(KnownText(std::string(expression.text())), "float");
      case NodeKind::kString: {
        const Node content = PlainStringContent(expression);
        return content ? KnownText(std::string(content.text())) : std::nullopt;
      }
      case NodeKind::kParenthesizedExpression:
        return Of(expression.first_named_child(), below);
      case NodeKind::kTuple:
      case NodeKind::kList:
        return OfItems(expression, below);
      case NodeKind::kIdentifier:
        return OfName(expression, below);
      case NodeKind::kAttribute:
        return OfAttribute(expression, below);
      case NodeKind::kSubscript:
        return OfSubscript(expression, below);
      case NodeKind::kCall:
        return OfCall(expression, below);
      case NodeKind::kListComprehension:
      case NodeKind::kGeneratorExpression:
        return OfComprehension(expression, below);
      case NodeKind::kNotOperator: {
        const auto truth = IsTrue(Of(expression.first_named_child(), below));
        return truth ? Truth(!*truth) : std::nullopt;
      }
      case NodeKind::kBooleanOperator:
        return OfOperation(expression, below);
      case NodeKind::kComparisonOperator:
        return OfComparison(expression, below);
      default:
        return std::nullopt;
    }
  }

 private:
  Known OfKnownName(Node expression) {
    Known known = SettledName(expression);
    asks_ |= known.has_value();
    return known;
  }

  /// The version of torch or of Python, what ROCm brings.
  Known SettledName(Node expression) const {
    for (const QualifiedName& name : names_.Resolve(expression)) {
      if (name.local) continue;
      if (Words("torch-versions").Has(name.name)) {
        return machine_.torch.empty() ? std::nullopt : VersionOf(machine_.torch);
      }
      if (Words("torchvision-versions").Has(name.name)) {
        return machine_.torchvision.empty() ? std::nullopt : VersionOf(machine_.torchvision);
      }
      if (Known package = VersionOfPackage(name.name)) return package;
      if (machine_.has_npu_alone && Words("names-of-rocm").Has(name.name)) {
        return Value{Value::Kind::kNone};
      }
      if (Known system = SystemName(name.name)) return system;
      const std::string_view python = Words("python-versions").MeaningOf(name.name);
      if (python == "version") {
        Value version{Value::Kind::kVersion};
        version.release = {kPython};
        version.is_open = true;
        return version;
      }
      if (python == "major") return Number(kPython);
      if (python == "is-2" || python == "is-3") return Truth(python == "is-3");
    }
    return std::nullopt;
  }

  /// `pytorch_lightning.__version__`
  Known VersionOfPackage(std::string_view name) const {
    std::string package(ParentPart(name));
    if (machine_.packages == nullptr || LastPart(name) != "__version__") return std::nullopt;
    std::ranges::replace(package, '_', '-');
    const auto known = machine_.packages->find(package);
    return known == machine_.packages->end() ? std::nullopt : VersionOf(known->second);
  }

  /// What the operating system of machines with NPUs is called.
  Known SystemName(std::string_view name) const {
    const std::string_view text = Words("system-names").MeaningOf(name);
    return machine_.has_npu_alone && !text.empty() ? KnownText(std::string(text)) : std::nullopt;
  }

  /// The value that all bindings of a name agree about. A switch that its author may turn has none:
  /// `DEBUG = False`.
  Known OfName(Node name, int depth) {
    const NameTable::Meanings bindings = names_.BindingsOf(name);
    if (bindings.empty()) return OfKnownName(name);
    if (bindings.size() > kMostMeanings) return std::nullopt;
    const bool asked_before = std::exchange(asks_, false);
    Known value = AgreedValue(bindings, name, depth);
    const bool is_switch =
        value && (value->kind == Value::Kind::kNone || value->kind == Value::Kind::kBool ||
                  value->kind == Value::Kind::kNumber);
    if (is_switch && !asks_) value = std::nullopt;
    asks_ |= asked_before;
    return value;
  }

  Known AgreedValue(const NameTable::Meanings& bindings, Node name, int depth) {
    Known value;
    for (const Binding* binding : bindings) {
      Known one = OfBinding(*binding, name, depth);
      const bool is_other = value && one && Compare(*value, "==", *one) != true;
      if (!one || is_other) return std::nullopt;
      value = std::move(one);
    }
    return value;
  }

  Known OfBinding(const Binding& binding, Node name, int depth) {
    if (binding.kind == BindingKind::kImport) return OfKnownName(name);
    if (binding.kind == BindingKind::kAssignment) {
      const bool is_own = !binding.value || binding.value.IsAncestorOf(name);
      return is_own ? std::nullopt : Of(binding.value, depth);
    }
    // `major, minor = ...`
    const Node pattern = binding.node.parent();
    const Node assignment = pattern ? pattern.parent() : Node();
    if (!pattern.Is(NodeKind::kPatternList) || !assignment.Is(NodeKind::kAssignment)) {
      return std::nullopt;
    }
    const Node right = assignment.Child(Field::kRight);
    if (!right || right.IsAncestorOf(name)) return std::nullopt;
    const Known value = Of(right, depth);
    if (!value || value->kind != Value::Kind::kList) return std::nullopt;
    size_t index = 0;
    for (const Node target : NamedChildren(pattern)) {
      if (!target.Is(NodeKind::kIdentifier)) return std::nullopt;
      if (target == binding.node) {
        return index < value->items.size() ? Known(value->items[index]) : std::nullopt;
      }
      ++index;
    }
    return std::nullopt;
  }

  Known OfAttribute(Node attribute, int depth) {
    if (const Known known = OfKnownName(attribute)) return known;
    const Known value = Of(attribute.Child(Field::kObject), depth);
    if (!value || value->kind != Value::Kind::kVersion || value->is_open) return std::nullopt;
    const std::string_view part = attribute.Child(Field::kAttribute).text();
    const Numbers& release = value->release;
    const int place = Words("version-parts").PositionOf(part);
    if (place >= 0) {
      const auto at = static_cast<size_t>(place);
      return Number(at < release.size() ? static_cast<double>(release[at]) : 0);
    }
    if (part != "release") return std::nullopt;
    std::vector<Value> numbers;
    for (const int64_t number : release) numbers.push_back(*Number(static_cast<double>(number)));
    return List(std::move(numbers));
  }

  Known OfItems(Node list, int depth) {
    std::vector<Value> items;
    for (const Node item : NamedChildren(list)) {
      Known value = Of(item, depth);
      if (!value || items.size() == kMostItems) return std::nullopt;
      items.push_back(*std::move(value));
    }
    return List(std::move(items));
  }

  /// `[int(x) for x in parts]`: each part converted.
  Known OfComprehension(Node comprehension, int depth) {
    const Node body = comprehension.first_named_child();
    const Node clause = body.next_named_sibling();
    if (!clause.Is(NodeKind::kForInClause) || clause.next_named_sibling()) return std::nullopt;
    const Known parts = Of(clause.Child(Field::kRight), depth);
    const std::string_view variable = clause.Child(Field::kLeft).text();
    if (!parts || parts->kind != Value::Kind::kList) return std::nullopt;
    if (body.text() == variable) return parts;
    const std::vector<Argument> given = ArgumentsOf(body);
    if (!body.Is(NodeKind::kCall) || given.size() != 1 || given[0].value.text() != variable) {
      return std::nullopt;
    }
    return Mapped(body.Child(Field::kFunction).text(), *parts);
  }

  static bool IsConversion(std::string_view name) {
    return name == "int" || name == "float" || name == "str";
  }

  static Known Mapped(std::string_view conversion, const Value& parts) {
    if (!IsConversion(conversion) || parts.kind != Value::Kind::kList) return std::nullopt;
    std::vector<Value> items;
    for (const Value& part : parts.items) {
      Known item = Converted(part, conversion);
      if (!item) return std::nullopt;
      items.push_back(*std::move(item));
    }
    return List(std::move(items));
  }

  Known OfSubscript(Node subscript, int depth) {
    const Known value = Of(subscript.Child(Field::kValue), depth);
    const Node key = subscript.Child(Field::kSubscript);
    if (!value || !key) return std::nullopt;
    const bool is_text = HasText(*value);
    if (!is_text && value->kind == Value::Kind::kVersion) {  // sys.version_info
      return key.text() == "0" ? Number(static_cast<double>(value->release[0])) : std::nullopt;
    }
    if (!is_text && value->kind != Value::Kind::kList) return std::nullopt;
    const size_t size = is_text ? value->text.size() : value->items.size();
    const auto part = PartOf(key, size);
    if (!part) return std::nullopt;
    const auto [first, last] = *part;
    if (is_text) return KnownText(value->text.substr(first, last - first));
    if (!key.Is(NodeKind::kSlice)) return value->items[first];
    const auto begin = value->items.begin();
    return List(
        {begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last)});
  }

  /// From where and up to where `[i]`, `[a:b]`, `[:b]` and `[a:]` take a part of `size` items.
  static std::optional<std::pair<size_t, size_t>> PartOf(Node key, size_t size) {
    const auto at = [&](Node node) -> std::optional<size_t> {
      const Node digits = node.Is(NodeKind::kUnaryOperator) ? node.first_named_child() : node;
      const Known number = digits.Is(NodeKind::kInteger)
                               ? Converted(KnownText(std::string(digits.text())), "int")
                               : std::nullopt;
      if (!number) return std::nullopt;
      const auto count = static_cast<size_t>(number->number);
      if (digits == node) return count;
      if (!node.text().starts_with('-') || count > size) return std::nullopt;
      return size - count;
    };
    if (!key.Is(NodeKind::kSlice)) {
      const auto index = at(key);
      if (!index || *index >= size) return std::nullopt;
      return std::pair(*index, *index + 1);
    }
    std::pair<size_t, size_t> part(0, size);
    int colons = 0;
    for (Node child = key.first_child(); child; child = child.next_sibling()) {
      if (child.IsToken(":")) {
        ++colons;
        continue;
      }
      const auto bound = at(child);
      if (!bound || colons > 1) return std::nullopt;
      (colons == 0 ? part.first : part.second) = std::min(*bound, size);
    }
    if (part.first > part.second) part.first = part.second;
    return part;
  }

  Known OfCall(Node call, int depth) {
    const Node callee = call.Child(Field::kFunction);
    const std::vector<Argument> given = ArgumentsOf(call);
    if (machine_.has_npu_alone && IsNamedIn(callee, Words("questions-for-other-devices"))) {
      asks_ = true;
      return Truth(false);
    }
    if (given.empty()) {
      for (const QualifiedName& name : names_.Resolve(callee)) {
        const Known system = name.local ? std::nullopt : SystemName(name.name + "()");
        asks_ |= system.has_value();
        if (system) return system;
      }
    }
    if (callee.Is(NodeKind::kAttribute)) {
      if (const Known result = OfMethod(callee, given, depth)) return result;
    }
    if (given.empty() || given.size() > 2) return std::nullopt;
    const std::string_view name = callee.text();
    if (given.size() == 2) {
      if (name == "hasattr") return OfPresence(given[0].value, given[1].value);
      const Known parts = name == "map" ? Of(given[1].value, depth) : std::nullopt;
      return parts ? Mapped(given[0].value.text(), *parts) : std::nullopt;
    }
    const Known value = Of(given[0].value, depth);
    if (!value) return std::nullopt;
    if (IsConversion(name)) return Converted(value, name);
    if (name == "tuple" || name == "list") {
      return value->kind == Value::Kind::kList ? value : std::nullopt;
    }
    const bool is_parser = IsNamedIn(callee, Words("version-parsers")) || IsCalledAsParser(name);
    return is_parser && HasText(*value) ? VersionOf(value->text) : std::nullopt;
  }

  /// True for a function of the program that is called like one that makes versions:
  /// `parse_version`.
  static bool IsCalledAsParser(std::string_view callee) {
    const std::string_view name = LastPart(callee);
    return name.find("ersion") != name.npos &&
           std::ranges::any_of(Words("version-parsers").words(),
                               [&](const std::string& parser) { return LastPart(parser) == name; });
  }

  /// `hasattr(faiss, "StandardGpuResources")`
  Known OfPresence(Node module, Node attribute) {
    const Node content = attribute.Is(NodeKind::kString) ? PlainStringContent(attribute) : Node();
    if (!content || !machine_.has_npu_alone) return std::nullopt;
    const bool is_of_cuda =
        std::ranges::any_of(names_.Resolve(module), [&](const QualifiedName& resolved) {
          return !resolved.local && Words("names-of-cuda-builds")
                                        .Has(fmt::format("{}.{}", resolved.name, content.text()));
        });
    asks_ |= is_of_cuda;
    return is_of_cuda ? Truth(false) : std::nullopt;
  }

  bool IsNamedIn(Node callee, const WordList& list) const {
    return std::ranges::any_of(names_.Resolve(callee), [&](const QualifiedName& resolved) {
      return !resolved.local && list.Has(resolved.name);
    });
  }

  /// `text.split(".")`, `text.startswith("1.")`, `".".join(parts)`
  Known OfMethod(Node callee, const std::vector<Argument>& given, int depth) {
    if (given.empty() || given.size() > 2) return std::nullopt;
    const std::string_view method = callee.Child(Field::kAttribute).text();
    const Known object = Of(callee.Child(Field::kObject), depth);
    const Known argument = object ? Of(given[0].value, depth) : std::nullopt;
    if (!argument || !HasText(*object)) return std::nullopt;
    const std::string& text = object->text;
    if (method == "join" && argument->kind == Value::Kind::kList) {
      std::string joined;
      for (const Value& part : argument->items) {
        if (!HasText(part)) return std::nullopt;
        if (&part != &argument->items.front()) joined += text;
        joined += part.text;
      }
      return KnownText(std::move(joined));
    }
    if (!HasText(*argument)) return std::nullopt;
    if (method == "split" && given.size() == 1) return Parts(text, argument->text);
    if (method == "startswith") return Truth(text.starts_with(argument->text));
    return std::nullopt;
  }

  Known OfOperation(Node operation, int depth) {
    const Node left = operation.Child(Field::kLeft);
    const auto a = IsTrue(Of(left, depth));
    const auto b = IsTrue(Of(operation.Child(Field::kRight), depth));
    const bool decides = left.next_sibling().IsToken("or");
    if (a == decides || b == decides) return Truth(decides);
    if (!a || !b) return std::nullopt;
    return Truth(!decides);
  }

  /// `"torch.fft" in sys.modules`: what torch imports itself, from a release on, is there behind
  /// `import torch`.
  std::optional<bool> IsLoaded(const Value& module, Node table) const {
    if (module.kind != Value::Kind::kText || machine_.torch.empty()) return std::nullopt;
    if (!IsNamedIn(table, Words("tables-of-loaded-modules"))) return std::nullopt;
    const std::string_view since = Words("modules-that-torch-loads-from").MeaningOf(module.text);
    const Known torch = VersionOf(machine_.torch);
    const Known first = since.empty() ? std::nullopt : VersionOf(since);
    if (!torch || !first || OrderOfVersions(*torch, *first).value_or(-1) < 0) return std::nullopt;
    return true;
  }

  /// `a < b`, `a <= b < c`
  Known OfComparison(Node comparison, int depth) {
    Known left = Of(comparison.first_named_child(), depth);
    std::string_view sign;
    for (Node child = comparison.first_named_child().next_sibling(); child;
         child = child.next_sibling()) {
      if (child.Is(NodeKind::kToken)) {
        sign = child.text();
        continue;
      }
      if (const auto is_loaded = left ? IsLoaded(*left, child) : std::nullopt) {
        asks_ = true;
        if (sign != "in" && sign != "not in") return std::nullopt;
        return Truth(*is_loaded == (sign == "in"));
      }
      Known right = left ? Of(child, depth) : std::nullopt;
      const auto truth = right ? Compare(*left, sign, *right) : std::nullopt;
      if (!truth || !*truth) return truth ? Truth(false) : std::nullopt;
      left = std::move(right);
    }
    return Truth(true);
  }

  const NameTable& names_;
  const Machine machine_;
  bool asks_ = false;
};

/// False for a file that spells no name which the machine settles.
bool MayAsk(const NameTable& names) {
  for (const WordList* list :
       {&Words("torch-versions"), &Words("torchvision-versions"), &Words("python-versions"),
        &Words("names-of-rocm"), &Words("system-names"), &Words("questions-for-other-devices"),
        &Words("names-of-cuda-builds"), &Words("tables-of-loaded-modules")}) {
    for (const std::string_view name : list->words()) {
      const std::string_view last = LastPart(name);
      if (!names.places().NodesSaying(last.substr(0, last.find('('))).empty()) return true;
    }
  }
  return false;
}

}  // namespace

SettledConditions::SettledConditions(const NameTable& names, const Machine& machine)
    : names_(names), machine_(machine), may_ask_(MayAsk(names)) {}

std::optional<bool> SettledConditions::Of(Node condition) const {
  if (!may_ask_) return std::nullopt;
  Evaluator evaluator(names_, machine_);
  const Known value = evaluator.Of(condition);
  return evaluator.asks() ? IsTrue(value) : std::nullopt;
}

std::vector<TextRange> SettledConditions::DeadParts() const {
  std::vector<TextRange> dead;
  if (!may_ask_) return dead;
  const auto add = [&](Node part) {
    if (part) dead.push_back(part.range());
  };
  for (const Node node : NodesIn(names_.tree())) {
    if (node.Is(NodeKind::kIfStatement)) {
      bool is_decided = false;  // a clause above runs in any case
      std::optional<bool> truth = Of(node.Child(Field::kCondition));
      if (truth == false) add(node.Child(Field::kConsequence));
      is_decided = truth == true;
      for (const Node clause : NamedChildren(node)) {
        const bool is_elif = clause.Is(NodeKind::kElifClause);
        if (!is_elif && !clause.Is(NodeKind::kElseClause)) continue;
        if (is_decided) {
          add(clause);
          continue;
        }
        truth = is_elif ? Of(clause.Child(Field::kCondition)) : std::nullopt;
        if (truth == false) add(clause.Child(Field::kConsequence));
        is_decided = truth == true;
      }
    } else if (node.Is(NodeKind::kConditionalExpression)) {
      const Node yes = node.first_named_child();
      const Node condition = yes.next_named_sibling();
      const auto truth = Of(condition);
      if (truth) add(*truth ? condition.next_named_sibling() : yes);
    } else if (node.Is(NodeKind::kBooleanOperator)) {
      const Node left = node.Child(Field::kLeft);
      const auto truth = Of(left);
      if (truth == left.next_sibling().IsToken("or")) add(node.Child(Field::kRight));
    }
  }
  return dead;
}

}  // namespace transplt
