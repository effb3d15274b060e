// SPDX-License-Identifier: Apache-2.0
#include "generators/output_text.h"

#include <kainjow/mustache.hpp>

#include "generators/config_condition.h"
#include "transplt/base/json_text.h"

namespace transplt {
namespace {

namespace mustache = kainjow::mustache;

std::string PythonLiteral(const OrderedJson& value) {
  std::string text;
  switch (value.type()) {
    case OrderedJson::value_t::null:
      return "None";
    case OrderedJson::value_t::boolean:
      return value.get<bool>() ? "True" : "False";
    case OrderedJson::value_t::array:
      for (const OrderedJson& item : value) {
        text += (text.empty() ? "" : ", ") + PythonLiteral(item);
      }
      return "[" + text + "]";
    case OrderedJson::value_t::object:
      for (const auto& [key, member] : value.items()) {
        text += (text.empty() ? "" : ", ") + OrderedJson(key).dump() + ": " + PythonLiteral(member);
      }
      return "{" + text + "}";
    default:
      return value.dump();  // a string of JSON is one of Python, and so are numbers
  }
}

std::string BareText(const OrderedJson& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string ShellQuoted(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+-";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

/// Stands where a line end was, so that the library does not take the line for one of tags alone.
constexpr std::string_view kTagLine = "\x01tag line\x01";

/// Takes the line end off lines that hold nothing but a section's tag: the library leaves it where
/// the section is skipped, and takes a blank line that follows for its own.
std::string WithoutTagLines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    const bool is_tag = line.size() > 4 && line.starts_with("{{") && line.ends_with("}}\n") &&
                        std::string_view("#^/").find(line[2]) != std::string_view::npos &&
                        line.find("}}") == line.size() - 3;
    result += is_tag ? line.substr(0, line.size() - 1) : line;
    if (is_tag) result += kTagLine;
    text.remove_prefix(end);
  }
  return result;
}

}  // namespace

std::string Literal(std::string_view json, OutputLanguage language) {
  const OrderedJson value = ParseOrderedJson(json);
  // JSON is YAML, and its strings are double-quoted ones there.
  if (value.is_discarded() || language == OutputLanguage::kJson ||
      language == OutputLanguage::kYaml) {
    return std::string(json);
  }
  return language == OutputLanguage::kPython ? PythonLiteral(value) : ShellQuoted(BareText(value));
}

Result<std::string> RenderScript(std::string_view text, const std::string& configuration,
                                 const ConfigSchema& schema, OutputLanguage language,
                                 const std::map<std::string, std::string>& extra) {
  const OrderedJson json = ParseOrderedJson(configuration);
  mustache::mustache script{WithoutTagLines(text)};
  // What the template sees are JSON texts; this makes literals of them.
  script.set_custom_escape(
      [language](const std::string& value) { return Literal(value, language); });
  mustache::data data;
  mustache::data members{mustache::data::type::list};
  for (const auto& [name, value] : json.items()) {
    data.set(name, value.dump());
    data.set("has_" + name, true);
    data.set(name + "_is_" + BareText(value), true);
    mustache::data member;
    member.set("key", name);
    member.set("name", OrderedJson(name).dump());
    member.set("value", value.dump());
    member.set("text", OrderedJson(BareText(value)).dump());
    member.set("what", schema.DescriptionAt("/" + name));
    members.push_back(member);
    if (name == "op") data.set("op_name", BareText(value));
  }
  data.set("members", members);
  for (const auto& [name, value] : extra) {
    data.set(name, value);
    data.set("has_" + name, true);
  }
  std::string result = script.render(data);
  for (size_t at = 0; (at = result.find(kTagLine, at)) != std::string::npos;) {
    result.erase(at, kTagLine.size());
  }
  if (script.is_valid()) return result;
  return Error{Error::Code::kBadInput, "", Say("{}", "{}", script.error_message())};
}

}  // namespace transplt
