// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/field_value.h"

#include <array>
#include <charconv>
#include <optional>
#include <regex>

#include "transplt/base/similar_name.h"
#include "transplt/base/text_parts.h"

namespace transplt {
namespace {

/// What a field of a type wants, for "must be ...".
Text Wanted(FieldType type) {
  switch (type) {
    case FieldType::kInteger:
      return {"an integer", "整数"};
    case FieldType::kBoolean:
      return {"true or false", " true 或 false"};
    case FieldType::kStringList:
      return {"a list of strings", "字符串列表"};
    case FieldType::kRegexList:
      return {"a list of regular expressions", "正则表达式列表"};
    case FieldType::kString:
    case FieldType::kDottedName:
    case FieldType::kDottedOrEmpty:
    case FieldType::kChoice:
      break;
  }
  return {"a string", "字符串"};
}

bool WantsList(FieldType type) {
  return type == FieldType::kStringList || type == FieldType::kRegexList;
}

/// How to write instead what was probably meant, or nothing.
Text Remedy(FieldType wanted, bool required, const JsonValue& value) {
  using Type = JsonValue::Type;
  if (value.type() == Type::kNull && !required) return {"; leave the field out", "；请省略该字段"};
  if (value.type() == Type::kString && wanted == FieldType::kInteger) {
    const std::string& text = value.string();
    int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && stop == text.data() + text.size()) {
      return Say("; write {} without quotes", "；请写 {}，不带引号", number);
    }
  }
  if (value.type() == Type::kString && wanted == FieldType::kBoolean) {
    return {"; write true or false without quotes", "；请写 true 或 false，不带引号"};
  }
  if (value.type() == Type::kString && WantsList(wanted)) {
    return Say("; write [{}]", "；请写 [{}]", QuoteForMessage(value.string()));
  }
  if (value.type() == Type::kInteger && !WantsList(wanted) && wanted != FieldType::kBoolean) {
    const int64_t number = value.integer();
    return Say("; write \"{}\"", "；请写 \"{}\"", number);
  }
  return {};
}

/// Punctuation and blanks beyond ASCII that input methods and web pages put into names.
bool IsWideNonLetter(std::string_view text, size_t at) {
  if (text.substr(at).starts_with("\u00A0")) return true;
  if (text.size() < at + 3) return false;
  const std::string_view character = text.substr(at, 3);  // three bytes are U+0800 to U+FFFF
  return (character >= "\u2000" && character <= "\u206F") ||
         (character >= "\u3000" && character <= "\u3020") ||
         (character >= "\uFF00" && character <= "\uFF0F") ||
         (character >= "\uFF1A" && character <= "\uFF20") || character == "\uFEFF";
}

bool IsIllegal(std::string_view text, size_t at) {
  const char c = text[at];
  if (static_cast<unsigned char>(c) >= 0x80) return IsWideNonLetter(text, at);
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return !letter && !(c >= '0' && c <= '9') && c != '_' && c != '.';
}

/// Why `text` is no dotted name of Python; nothing if it is one.
std::optional<Text> FindNameMistake(std::string_view text) {
  if (text.empty()) return Text{"is empty; write a name", "为空；请填写名称"};
  const std::string quoted = QuoteForMessage(text);
  for (size_t i = 0; i < text.size(); ++i) {
    if (!IsIllegal(text, i)) continue;
    size_t end = i + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    const std::string character = QuoteForMessage(text.substr(i, end - i));
    return Say("is {}, and a name cannot hold {}; write it as in \"torch.cuda.amp\"",
               "为 {}，名称中不能含有 {}；请写成 \"torch.cuda.amp\" 的形式", quoted, character);
  }
  bool part_starts = true;
  for (const char c : text) {
    if (part_starts && c == '.') {
      return Say("is {}, and a dot must stand between two names; delete the dot that does not",
                 "为 {}，点号必须位于两个名称之间；请删除多余的点号", quoted);
    }
    if (part_starts && c >= '0' && c <= '9') {
      return Say("is {}, and no name starts with a digit", "为 {}，名称不能以数字开头", quoted);
    }
    part_starts = c == '.';
  }
  if (part_starts) {
    return Say("is {}, and a dot must stand between two names; delete the dot that does not",
               "为 {}，点号必须位于两个名称之间；请删除多余的点号", quoted);
  }
  return std::nullopt;
}

Error BadField(const JsonDocument& document, const JsonValue& value, std::string_view name,
               const Text& mistake) {
  return BadRule(document.Where(value), {fmt::format("\"{}\" {}", name, mistake.en),
                                         fmt::format("\"{}\" {}", name, mistake.zh)});
}

Result<Fields::Value> ReadString(const JsonDocument& document, const FieldSpec& spec,
                                 const JsonValue& value) {
  const std::string& text = value.string();
  if (spec.type == FieldType::kChoice) {
    for (std::string_view choice : spec.choices) {
      if (text == choice) return Fields::Value(text);
    }
    const Text choices = SuggestName(text, spec.choices, {"the choices are", "可选值为"});
    const std::string quoted = QuoteForMessage(text);
    return BadField(document, value, spec.name,
                    {fmt::format("cannot be {}{}", quoted, choices.en),
                     fmt::format("不能为 {}{}", quoted, choices.zh)});
  }
  const bool may_be_empty = spec.type == FieldType::kString || text.empty();
  if (spec.type == FieldType::kString || (spec.type == FieldType::kDottedOrEmpty && may_be_empty)) {
    return Fields::Value(text);
  }
  if (std::optional<Text> mistake = FindNameMistake(text)) {
    return BadField(document, value, spec.name, *mistake);
  }
  return Fields::Value(text);
}

/// True if `pattern` has one of `signs` where a group, an alternative or the whole begins.
bool StartsAPartWith(std::string_view pattern, std::string_view signs) {
  bool part_starts = true;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (part_starts && HasPart(signs, pattern[i])) return true;
    part_starts = pattern[i] == '(' || pattern[i] == '|' || pattern[i] == '^';
    if (pattern[i] == '(' && pattern.substr(i + 1).starts_with('?')) ++i;  // "(?:" repeats nothing
    if (pattern[i] == '\\') ++i;
  }
  return false;
}

/// True if `pattern` has a group of a kind that ECMAScript does not know: "(?i)", "(?P<name>".
bool HasForeignGroup(std::string_view pattern) {
  for (size_t at = pattern.find("(?"); at != std::string_view::npos;
       at = pattern.find("(?", at + 1)) {
    const bool escaped = at > 0 && pattern[at - 1] == '\\';
    const char sign = at + 2 < pattern.size() ? pattern[at + 2] : '\0';
    if (!escaped && sign != ':' && sign != '=' && sign != '!') return true;
  }
  return false;
}

/// Says what std::regex says only by a number, which for parentheses means several things.
Text RegexMistake(std::string_view pattern, std::regex_constants::error_type error) {
  namespace codes = std::regex_constants;
  if (HasForeignGroup(pattern)) {
    return {
        "groups such as (?i), (?P<name> ) and (?<= ) are not known here; write ( ), case is "
        "ignored anyway",
        "不支持 (?i)、(?P<name> )、(?<= ) 这类分组；请写 ( )，匹配本就不区分大小写"};
  }
  if (StartsAPartWith(pattern, "*+?{")) {
    return {"a repetition has nothing to repeat; any text is \".*\"",
            "重复符号之前没有可重复的内容；任意文本写作 \".*\""};
  }
  if (error == codes::error_paren) {
    return {"a \"(\" or \")\" has no partner; one that stands for itself is \"[(]\" or \"[)]\"",
            "\"(\" 或 \")\" 不成对；表示字符本身时请写 \"[(]\" 或 \"[)]\""};
  }
  if (error == codes::error_brack) {
    return {"a \"[\" is not closed; one that stands for itself is \"\\\\[\"",
            "\"[\" 未闭合；表示字符本身时请写 \"\\\\[\""};
  }
  if (error == codes::error_brace || error == codes::error_badbrace) {
    return {"a repetition is written as in {2,3}; a \"{\" that stands for itself is \"[{]\"",
            "重复次数应写成 {2,3} 的形式；表示 \"{\" 本身时请写 \"[{]\""};
  }
  if (error == codes::error_escape) {
    return {"a backslash stands alone; one that stands for itself is \"\\\\\\\\\" in JSON",
            "存在孤立的反斜杠；表示反斜杠本身时在 JSON 中请写 \"\\\\\\\\\""};
  }
  if (error == codes::error_range) {
    return {"a range in \"[ ]\" runs backwards; write it as in [a-z]",
            "\"[ ]\" 中的范围顺序颠倒；请写成 [a-z] 的形式"};
  }
  if (error == codes::error_backref) {
    return {"it refers to a group that it does not have; number the groups from 1",
            "引用了不存在的分组；分组从 1 开始编号"};
  }
  if (error == codes::error_collate || error == codes::error_ctype) {
    return {"a class such as [:alpha:] is unknown; write the characters as in [a-z]",
            "[:alpha:] 这类字符类未知；请写成 [a-z] 的形式"};
  }
  return {"it is too large; split it", "过于庞大；请拆分"};
}

std::optional<Text> FindRegexMistake(const std::string& pattern) {
  if (pattern.empty()) {
    return Text{"holds an empty regular expression, which matches everything; delete it",
                "含有空的正则表达式，会匹配一切；请删除"};
  }
  if (pattern.size() > kMaxRegexBytes) {
    return Say("holds a regular expression of more than {} characters; split it",
               "含有超过 {} 个字符的正则表达式；请拆分", kMaxRegexBytes);
  }
  try {
    const std::regex regex(pattern, std::regex::ECMAScript | std::regex::icase);
  } catch (const std::regex_error& error) {
    const Text why = RegexMistake(pattern, error.code());
    const std::string quoted = QuoteForMessage(pattern);
    return Text{fmt::format("holds the wrong regular expression {}: {}", quoted, why.en),
                fmt::format("含有错误的正则表达式 {}：{}", quoted, why.zh)};
  }
  return std::nullopt;
}

Result<Fields::Value> ReadList(const JsonDocument& document, const FieldSpec& spec,
                               const JsonValue& value) {
  std::vector<std::string> texts;
  for (const JsonValue* element : value.children()) {
    if (element->type() != JsonValue::Type::kString) {
      const Text found = DescribeValue(*element);
      return BadField(document, *element, spec.name,
                      {fmt::format("must hold strings only, not {}", found.en),
                       fmt::format("只能包含字符串，而不是{}", found.zh)});
    }
    if (spec.type == FieldType::kRegexList) {
      if (std::optional<Text> mistake = FindRegexMistake(element->string())) {
        return BadField(document, *element, spec.name, *mistake);
      }
    }
    texts.push_back(element->string());
  }
  return Fields::Value(std::move(texts));
}

}  // namespace

Text DescribeValue(const JsonValue& value) {
  switch (value.type()) {
    case JsonValue::Type::kNull:
      return {"null", " null"};
    case JsonValue::Type::kBoolean:
      return value.boolean() ? Text{"true", " true"} : Text{"false", " false"};
    case JsonValue::Type::kInteger: {
      const int64_t number = value.integer();
      return Say("the number {}", "数字 {}", number);
    }
    case JsonValue::Type::kNumber: {
      const double number = value.number();
      return Say("the number {}", "数字 {}", number);
    }
    case JsonValue::Type::kString:
      return Say("the string {}", "字符串 {}", QuoteForMessage(value.string()));
    case JsonValue::Type::kList:
      return {"a list", "列表"};
    case JsonValue::Type::kObject:
      break;
  }
  return {"an object", "对象"};
}

Error BadRule(std::string where, Text what) {
  return {Error::Code::kBadRule, std::move(where), std::move(what)};
}

Error WrongType(const JsonDocument& document, std::string_view name, FieldType wanted,
                const JsonValue& value, bool required) {
  const Text type = Wanted(wanted);
  const Text found = DescribeValue(value);
  const Text remedy = Remedy(wanted, required, value);
  return BadField(document, value, name,
                  {fmt::format("must be {}, not {}{}", type.en, found.en, remedy.en),
                   fmt::format("必须是{}，而不是{}{}", type.zh, found.zh, remedy.zh)});
}

Result<Fields::Value> ReadField(const JsonDocument& document, const FieldSpec& spec,
                                const JsonValue& value) {
  const JsonValue::Type type = value.type();
  if (spec.type == FieldType::kInteger && type == JsonValue::Type::kInteger) {
    return Fields::Value(value.integer());
  }
  if (spec.type == FieldType::kBoolean && type == JsonValue::Type::kBoolean) {
    return Fields::Value(value.boolean());
  }
  if (WantsList(spec.type) && type == JsonValue::Type::kList) {
    return ReadList(document, spec, value);
  }
  const bool wants_string =
      !WantsList(spec.type) && spec.type != FieldType::kInteger && spec.type != FieldType::kBoolean;
  if (wants_string && type == JsonValue::Type::kString) return ReadString(document, spec, value);
  return WrongType(document, spec.name, spec.type, value, spec.required);
}

}  // namespace transplt
