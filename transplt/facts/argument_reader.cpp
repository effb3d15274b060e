// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/argument_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "transplt/base/plain_text.h"
#include "transplt/base/text_parts.h"
#include "transplt/facts/terms.h"
#include "transplt/python/arguments.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

std::string PlaceOf(Node node, const CodeFile& file) {
  return fmt::format("{}:{}", OneLine(file.source().path()),
                     file.source().Locate(node.range().start).line);
}

bool IsString(Node node) {
  return node.Is(NodeKind::kString) || node.Is(NodeKind::kConcatenatedString);
}

std::string DestOf(std::string_view option) {
  std::string dest(option.substr(std::min(option.find_first_not_of('-'), option.size())));
  std::ranges::replace(dest, '-', '_');
  return dest;
}

/// The name under which options are given: the first long one.
void SetNames(std::vector<std::string> names, EntryArgument& argument) {
  if (names.empty()) return;
  const auto longest =
      std::ranges::find_if(names, [](const std::string& name) { return name.starts_with("--"); });
  const auto chosen = longest == names.end() ? names.begin() : longest;
  argument.name = *chosen;
  argument.positional = !argument.name.starts_with('-');
  names.erase(chosen);
  argument.aliases = std::move(names);
  if (argument.dest.empty()) argument.dest = DestOf(argument.name);
}

std::vector<std::string> ItemsOf(Node list) {
  std::vector<std::string> items;
  const bool is_list =
      list.Is(NodeKind::kList) || list.Is(NodeKind::kTuple) || list.Is(NodeKind::kSet);
  for (Node item = is_list ? list.first_named_child() : Node(); item;
       item = item.next_named_sibling()) {
    items.push_back(ValueText(item));
  }
  return items;
}

/// Help that stands in several pieces is put together as far as it is plain.
std::string HelpText(Node value) {
  if (!value.Is(NodeKind::kConcatenatedString)) return IsString(value) ? ValueText(value) : "";
  std::string help;
  for (const Node part : NamedChildren(value)) {
    help += ValueText(part);
  }
  return help;
}

/// What the keywords say that argparse, click and their like have in common.
void ReadKeywords(const std::vector<Argument>& arguments, EntryArgument& argument) {
  for (const Argument& given : arguments) {
    const Node value = given.value;
    if (given.keyword == "required") argument.required = value.Is(NodeKind::kTrue);
    if (given.keyword == "default") argument.default_value = ValueText(value);
    if (given.keyword == "choices") argument.choices = ItemsOf(value);
    if (given.keyword == "dest" && IsString(value)) argument.dest = ValueText(value);
    if (given.keyword == "help") argument.help = OneLine(HelpText(value));
    if (given.keyword == "is_flag") argument.takes_value = !value.Is(NodeKind::kTrue);
    if (given.keyword == "action") {
      const std::string action = ValueText(value);
      argument.takes_value =
          !action.starts_with("store_") && action != "count" && !HasPart(action, "BooleanOptional");
    }
  }
}

/// True if an argument may be left out: `nargs="?"`, `nargs="*"`, argparse.REMAINDER.
bool MayBeMissing(const std::vector<Argument>& arguments) {
  const Argument* nargs = FindKeyword(arguments, "nargs");
  if (nargs == nullptr) return false;
  const std::string value = ValueText(nargs->value);
  return value == "?" || value == "*" || value == "0" || value == "..." ||
         value.ends_with("REMAINDER") || value == "-1";
}

std::optional<EntryArgument> FromParser(const std::vector<Argument>& arguments) {
  EntryArgument argument;
  std::vector<std::string> names;
  for (const Argument& given : arguments) {
    if (given.keyword.empty() && !given.is_splat && PlainStringContent(given.value)) {
      names.push_back(ValueText(given.value));
    }
  }
  if (names.empty()) return std::nullopt;
  ReadKeywords(arguments, argument);
  SetNames(std::move(names), argument);
  if (argument.positional) {
    argument.required = !MayBeMissing(arguments) && argument.default_value.empty();
  }
  return argument;
}

/// `@click.option("--n", "count", type=int)`, `@click.argument("data")`
std::optional<EntryArgument> FromClick(const std::vector<Argument>& arguments, bool is_option) {
  EntryArgument argument;
  std::vector<std::string> names;
  for (const Argument& given : arguments) {
    if (!given.keyword.empty() || !PlainStringContent(given.value)) continue;
    std::string name = ValueText(given.value);
    if (is_option && !name.starts_with('-')) {
      argument.dest = name;
      continue;
    }
    // "--full/--small" is one flag under two names.
    const size_t slash = name.find('/');
    if (slash != std::string::npos) argument.takes_value = false;
    names.push_back(name.substr(0, slash));
  }
  if (names.empty()) return std::nullopt;
  argument.required = !is_option;
  ReadKeywords(arguments, argument);
  SetNames(std::move(names), argument);
  if (!is_option && MayBeMissing(arguments)) argument.required = false;
  return argument;
}

/// `flags.DEFINE_string("name", "default", "help")`; a default of None is no requirement.
std::optional<EntryArgument> FromFlags(const std::vector<Argument>& arguments) {
  std::vector<Node> values;
  for (const Argument& given : arguments) {
    if (given.keyword.empty() || given.keyword == "name" || given.keyword == "default" ||
        given.keyword == "help") {
      values.push_back(given.value);
    }
  }
  if (values.empty() || !PlainStringContent(values[0])) return std::nullopt;
  EntryArgument argument;
  argument.name = "--" + ValueText(values[0]);
  argument.dest = ValueText(values[0]);
  if (values.size() > 1) argument.default_value = ValueText(values[1]);
  if (!values.empty()) argument.help = OneLine(HelpText(values.back()));
  if (const Argument* required = FindKeyword(arguments, "required")) {
    argument.required = required->value.Is(NodeKind::kTrue);
  }
  return argument;
}

/// The last name of what `call` calls; empty for what is no call.
std::string_view MethodName(Node call) {
  const Node callee = call.Child(Field::kFunction);
  if (callee.Is(NodeKind::kAttribute)) return callee.Child(Field::kAttribute).text();
  return callee.Is(NodeKind::kIdentifier) ? callee.text() : std::string_view();
}

bool ComesFrom(Node callee, const CodeFile& file, std::string_view package) {
  return std::ranges::any_of(file.names().Resolve(callee), [&](const QualifiedName& name) {
    return !name.local && name.name.starts_with(package);
  });
}

/// `field(default=1, metadata={"help": "..."})`; any other value is the default.
void ReadField(Node value, EntryArgument& argument) {
  argument.required = false;
  if (MethodName(value) != "field" && MethodName(value) != "Field") {
    argument.default_value = ValueText(value);
    return;
  }
  argument.required = true;
  for (const Argument& part : ArgumentsOf(value)) {
    if (part.keyword == "default" || part.keyword == "default_factory") {
      argument.required = part.value.Is(NodeKind::kEllipsis);
      if (part.keyword == "default") argument.default_value = ValueText(part.value);
    }
    if (part.keyword != "metadata" || !part.value.Is(NodeKind::kDictionary)) continue;
    for (const Node pair : NamedChildren(part.value)) {
      if (ValueText(pair.Child(Field::kKey)) == "help") {
        argument.help = OneLine(HelpText(pair.Child(Field::kValue)));
      }
    }
  }
}

}  // namespace

std::string ValueText(Node expression) {
  if (const Node content = PlainStringContent(expression)) return std::string(content.text());
  const bool is_empty = expression.Is(NodeKind::kString) && expression.text().size() <= 3;
  if (is_empty) return "";
  return OneLine(std::string(expression.text()));
}

std::optional<EntryArgument> ArgumentDefinedBy(Node call, const CodeFile& file) {
  const std::string_view method = MethodName(call);
  std::optional<EntryArgument> argument;
  const Node callee = call.Child(Field::kFunction);
  if (method == "add_argument" && callee.Is(NodeKind::kAttribute)) {
    argument = FromParser(ArgumentsOf(call));
  } else if (method == "add" && callee.Is(NodeKind::kAttribute)) {  // of ConfigArgParse
    argument = FromParser(ArgumentsOf(call));
    if (argument && argument->positional) argument.reset();
  } else if ((method == "option" || method == "argument") && ComesFrom(callee, file, "click")) {
    argument = FromClick(ArgumentsOf(call), method == "option");
  } else if (method.starts_with("DEFINE_")) {
    argument = FromFlags(ArgumentsOf(call));
    if (argument && method.starts_with("DEFINE_bool")) argument->takes_value = false;
  }
  if (argument) argument->place = PlaceOf(call, file);
  return argument;
}

Node DefaultOf(Node call) {
  size_t positional = 0;
  const bool is_flag = MethodName(call).starts_with("DEFINE_");
  Node value;
  for (const Argument& argument : ArgumentsOf(call)) {
    const bool is_second = is_flag && argument.keyword.empty() && ++positional == 2;
    if (is_second || argument.keyword == "default") value = argument.value;
  }
  return value;
}

std::string ConstantDefaultOf(Node call) {
  std::string action;
  const bool is_flag = MethodName(call).starts_with("DEFINE_");
  for (const Argument& argument : ArgumentsOf(call)) {
    if (argument.is_splat || argument.keyword == "required") return "";
    if (argument.keyword == "action") action = ValueText(argument.value);
    if (argument.keyword == "is_flag") action = "store_true";
  }
  if (const Node value = DefaultOf(call)) return ConstantOf(value);
  if (action == "store_true") return "False";
  if (action == "store_false") return "True";
  return action.empty() && !is_flag ? "None" : "";
}

Node DefaultOfField(Node value) {
  const std::string_view method = MethodName(value);
  if (method != "field" && method != "Field") return value;
  const std::vector<Argument> given = ArgumentsOf(value);
  const Argument* constant = FindKeyword(given, "default");
  return constant == nullptr ? Node() : constant->value;
}

std::vector<std::string> FlagsRequiredBy(Node call) {
  std::vector<std::string> names;
  const std::string_view method = MethodName(call);
  if (method != "mark_flag_as_required" && method != "mark_flags_as_required") return names;
  for (const Argument& given : ArgumentsOf(call)) {
    for (const std::string& item : ItemsOf(given.value)) names.push_back(item);
    if (PlainStringContent(given.value)) names.push_back(ValueText(given.value));
  }
  return names;
}

std::vector<EntryArgument> ParametersAsArguments(Node function, const CodeFile& file) {
  std::vector<EntryArgument> arguments;
  const Node list = function.Child(Field::kParameters);
  for (Node item = list ? list.first_named_child() : Node(); item;
       item = item.next_named_sibling()) {
    Node name = item.Child(Field::kName);
    if (!name) name = item.Is(NodeKind::kTypedParameter) ? item.first_named_child() : item;
    if (!name.Is(NodeKind::kIdentifier)) continue;  // *args
    EntryArgument argument;
    argument.dest = name.text();
    argument.name = "--" + argument.dest;
    const Node value = item.Child(Field::kValue);
    argument.required = !value;
    if (value) argument.default_value = ValueText(value);
    argument.place = PlaceOf(item, file);
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

std::vector<EntryArgument> FieldsAsArguments(Node definition, const CodeFile& file) {
  std::vector<EntryArgument> arguments;
  const Node body = definition.Child(Field::kBody);
  for (Node item = body ? body.first_named_child() : Node(); item;
       item = item.next_named_sibling()) {
    const Node assignment =
        item.Is(NodeKind::kExpressionStatement) ? item.first_named_child() : item;
    if (!assignment.Is(NodeKind::kAssignment) || !assignment.Child(Field::kType)) continue;
    const Node name = assignment.Child(Field::kLeft);
    if (!name.Is(NodeKind::kIdentifier)) continue;
    EntryArgument argument;
    argument.dest = name.text();
    argument.name = "--" + argument.dest;
    argument.required = true;
    if (const Node value = assignment.Child(Field::kRight)) ReadField(value, argument);
    argument.place = PlaceOf(assignment, file);
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

}  // namespace transplt
