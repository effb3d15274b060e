// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/device_index.h"

#include <algorithm>

#include "transplt/base/word_list.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

DeviceIndex IndexOf(Node value, const FileContext& file, int depth);
DeviceIndex IndexOfOperation(Node operation, const FileContext& file, int depth);
DeviceIndex IndexOfName(Node name, const FileContext& file, int depth);
DeviceIndex IndexOfBinding(const Binding& binding, const FileContext& file, int depth);
DeviceIndex IndexOfAttribute(Node attribute, const FileContext& file, int depth);
bool IsIndexCall(Node call, const FileContext& file);
bool IsOpen(Node value);
std::vector<std::string> SpellingsOf(std::string_view name);
bool IsIntegerOption(Node call);
bool HasNumberAsDefault(const std::vector<Argument>& arguments);

DeviceIndex IndexOf(Node value, const FileContext& file, int depth) {
  constexpr int kDeepest = 5;
  while (value.Is(NodeKind::kParenthesizedExpression)) value = value.first_named_child();
  if (!value || depth > kDeepest) return DeviceIndex::kNo;
  switch (value.kind()) {
    case NodeKind::kInteger:
      return DeviceIndex::kYes;
    case NodeKind::kCall:
      return IsIndexCall(value, file) ? DeviceIndex::kYes : DeviceIndex::kNo;
    case NodeKind::kBinaryOperator:
      return IndexOfOperation(value, file, depth);
    case NodeKind::kIdentifier:
      return IndexOfName(value, file, depth);
    case NodeKind::kAttribute:
      return IndexOfAttribute(value, file, depth);
    default:
      return DeviceIndex::kNo;
  }
}

bool IsIndexCall(Node call, const FileContext& file) {
  const std::vector<QualifiedName> names = file.names().Resolve(call.Child(Field::kFunction));
  return !names.empty() && std::ranges::all_of(names, [](const QualifiedName& n) {
    return !n.local && Words("index-functions").Has(n.name);
  });
}

/// `rank % torch.cuda.device_count()`
DeviceIndex IndexOfOperation(Node operation, const FileContext& file, int depth) {
  const Node left = operation.Child(Field::kLeft);
  if (!left || left.Is(NodeKind::kString)) return DeviceIndex::kNo;
  return std::max(IndexOf(left, file, depth + 1),
                  IndexOf(operation.Child(Field::kRight), file, depth + 1));
}

bool SoundsLikeIndex(std::string_view name) {
  while (name.starts_with('_')) name.remove_prefix(1);
  return Words("index-names").Has(name);
}

DeviceIndex IndexOfName(Node name, const FileContext& file, int depth) {
  const NameTable::Meanings bindings = file.names().BindingsOf(name);
  DeviceIndex least = bindings.empty() ? DeviceIndex::kNo : DeviceIndex::kYes;
  for (const Binding* binding : bindings) {
    least = std::min(least, IndexOfBinding(*binding, file, depth));
  }
  return least;
}

DeviceIndex IndexOfBinding(const Binding& binding, const FileContext& file, int depth) {
  if (binding.kind == BindingKind::kAssignment) {
    const DeviceIndex value = IndexOf(binding.value, file, depth + 1);
    return value == DeviceIndex::kNo && IsOpen(binding.value) && SoundsLikeIndex(binding.name)
               ? DeviceIndex::kByName
               : value;
  }
  if (binding.kind == BindingKind::kOther && binding.statement.Is(NodeKind::kForStatement)) {
    const Node iterated = binding.statement.Child(Field::kRight);
    const bool is_range =
        iterated.Is(NodeKind::kCall) && iterated.Child(Field::kFunction).text() == "range";
    return is_range ? DeviceIndex::kYes : DeviceIndex::kNo;
  }
  if (binding.kind != BindingKind::kParameter) return DeviceIndex::kNo;
  const Node type = binding.node.parent().Child(Field::kType);
  if (type) return type.text() == "int" ? DeviceIndex::kYes : DeviceIndex::kNo;
  return SoundsLikeIndex(binding.name) ? DeviceIndex::kByName : DeviceIndex::kNo;
}

/// A call or an attribute, of which nothing is known.
bool IsOpen(Node value) {
  return value.Is(NodeKind::kCall) || value.Is(NodeKind::kAttribute) ||
         value.Is(NodeKind::kSubscript) || value.Is(NodeKind::kIdentifier);
}

/// `args.local_rank` of an option that is an int, `self.gpu_id` that was set to one.
DeviceIndex IndexOfAttribute(Node attribute, const FileContext& file, int depth) {
  const std::string_view name = attribute.Child(Field::kAttribute).text();
  for (const std::string& option : SpellingsOf(name)) {
    for (const Node content : file.NodesSaying(option)) {
      const Node call = content.parent().parent().parent();
      if (call.Is(NodeKind::kCall) && IsIntegerOption(call)) return DeviceIndex::kYes;
    }
  }
  for (const Node use : file.NodesSaying(name)) {
    const Node target = use.parent();
    const Node assignment = target.parent();
    if (!assignment.Is(NodeKind::kAssignment) || target.field() != Field::kLeft ||
        target.text() != attribute.text() || assignment.IsAncestorOf(attribute)) {
      continue;
    }
    if (IndexOf(assignment.Child(Field::kRight), file, depth + 1) == DeviceIndex::kYes) {
      return DeviceIndex::kYes;
    }
  }
  return SoundsLikeIndex(name) ? DeviceIndex::kByName : DeviceIndex::kNo;
}

/// How a command line may write the option that becomes `name`.
std::vector<std::string> SpellingsOf(std::string_view name) {
  std::string dashed(name);
  std::ranges::replace(dashed, '_', '-');
  std::vector<std::string> spellings;
  for (const std::string& option : {std::string(name), dashed}) {
    spellings.push_back("--" + option);
    spellings.push_back("-" + option);
  }
  return spellings;
}

/// `add_argument("--local-rank", type=int)`
bool IsIntegerOption(Node call) {
  const std::vector<Callee> callees = CalleesOf(call);
  if (callees.empty() || callees.front().last_name.text() != "add_argument") return false;
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const Argument* type = FindKeyword(arguments, "type");
  return type != nullptr && type->value.text() == "int" && HasNumberAsDefault(arguments);
}

/// Where nothing is given the option is None otherwise, which is no index.
bool HasNumberAsDefault(const std::vector<Argument>& arguments) {
  const Argument* value = FindKeyword(arguments, "default");
  const Argument* required = FindKeyword(arguments, "required");
  return (value != nullptr &&
          (value->value.Is(NodeKind::kInteger) || value->value.Is(NodeKind::kUnaryOperator))) ||
         (required != nullptr && required->value.Is(NodeKind::kTrue));
}

}  // namespace

DeviceIndex IndexOf(Node value, const FileContext& file) { return IndexOf(value, file, 0); }

std::vector<Edit> NamedDevice(Node value, const std::string& device) {
  const uint32_t start = value.range().start;
  const uint32_t end = value.range().end;
  if (value.Is(NodeKind::kInteger)) {
    return {{{start, start}, "\"" + device + ":"}, {{end, end}, "\""}};
  }
  // Quotes and braces inside an f-string are only allowed since Python 3.12.
  const bool is_plain = value.text().find_first_of("\"'{}\\\n") == std::string_view::npos;
  if (is_plain) return {{{start, start}, "f\"" + device + ":{"}, {{end, end}, "}\""}};
  if (IsAtomic(value)) return {{{start, start}, "\"" + device + ":%d\" % "}};
  return {{{start, start}, "\"" + device + ":%d\" % ("}, {{end, end}, ")"}};
}

}  // namespace transplt
