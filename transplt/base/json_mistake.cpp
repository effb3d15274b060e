// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/json_mistake.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "transplt/base/ascii.h"

namespace transplt {
namespace {

using After = JsonReadState::After;

/// A character that an input method or a word processor writes, and the one that JSON wants.
struct Lookalike {
  std::string_view typed;
  std::string_view wanted;
};

constexpr std::array<Lookalike, 15> kLookalikes = {{
    {"\u201C", "\""},
    {"\u201D", "\""},
    {"\u2018", "\""},
    {"\u2019", "\""},
    {"\uFF02", "\""},
    {"\uFF1A", ":"},
    {"\uFF0C", ","},
    {"\u3001", ","},
    {"\uFF5B", "{"},
    {"\uFF5D", "}"},
    {"\uFF3B", "["},
    {"\uFF3D", "]"},
    {"\u3010", "["},
    {"\u3011", "]"},
    {"\uFF1B", ","},
}};
constexpr std::array<std::string_view, 4> kWrongBlanks = {"\u00A0", "\u3000", "\u200B", "\uFEFF"};

/// Words of other languages for a value that JSON spells differently, or not at all ("").
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kForeignWords = {{
    {"True", "true"},
    {"False", "false"},
    {"TRUE", "true"},
    {"FALSE", "false"},
    {"yes", "true"},
    {"no", "false"},
    {"None", "null"},
    {"NULL", "null"},
    {"nil", "null"},
    {"undefined", "null"},
    {"NaN", ""},
    {"nan", ""},
    {"Infinity", ""},
    {"inf", ""},
}};

bool IsOfBareWord(char c) { return IsLetter(c) || c == '_'; }

/// Looks at the text where the parser gave up. Each method explains what is wrong if one thing or
/// another was expected there.
class MistakeFinder {
 public:
  MistakeFinder(std::string_view text, const JsonReadState& state) : text_(text), state_(state) {}

  JsonMistake Find() const {
    const size_t at = SkipBlanks(state_.position);
    if (std::optional<JsonMistake> mistake = OutsideJson(at)) return *mistake;
    switch (state_.after) {
      case After::kNothing:
        return NoValue(at);
      case After::kOpenObject:
        return NoKey(at);
      case After::kOpenList:
        return NoValue(at);
      case After::kKey:
        return AfterKey(at);
      case After::kMember:
      case After::kElement:
        return AfterValue(at);
      case After::kWholeDocument:
        return AfterDocument(at);
    }
    return Unexpected(at, "a value", "值");
  }

 private:
  bool in_object() const { return state_.open && text_[state_.open->offset] == '{'; }
  char closer() const { return in_object() ? '}' : ']'; }
  size_t SkipBlanks(size_t at) const {
    return std::min(text_.find_first_not_of(" \t\r\n", at), text_.size());
  }
  bool StartsWith(size_t at, std::string_view prefix) const {
    return text_.substr(at).starts_with(prefix);
  }
  std::string_view WordAt(size_t at) const {
    size_t end = at;
    while (end < text_.size() && (IsOfBareWord(text_[end]) || IsDigit(text_[end]))) ++end;
    return text_.substr(at, end - at);
  }
  /// The character at `at` with all its bytes, quoted.
  std::string CharacterAt(size_t at) const {
    size_t end = at + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;
    return QuoteForMessage(text_.substr(at, end - at));
  }

  JsonMistake Unexpected(size_t at, std::string_view wanted, std::string_view wanted_zh) const {
    const std::string found = CharacterAt(at);
    return {at,
            {fmt::format("unexpected {}; {} is expected here", found, wanted),
             fmt::format("意外的 {}；此处应为{}", found, wanted_zh)}};
  }

  /// What may stand nowhere: the end of the text, comments, full-width punctuation.
  std::optional<JsonMistake> OutsideJson(size_t at) const {
    if (at >= text_.size()) return CutOff(text_.size());
    if (text_[at] == '#' || StartsWith(at, "//") || StartsWith(at, "/*")) {
      return JsonMistake{at, Say("JSON has no comments; delete it", "JSON 不支持注释；请删除")};
    }
    for (const Lookalike& pair : kLookalikes) {
      if (!StartsWith(at, pair.typed)) continue;
      return JsonMistake{at,
                         Say("the character {} is not JSON; type {} instead",
                             "字符 {} 不是 JSON 字符；请改用半角的 {}", pair.typed, pair.wanted)};
    }
    for (std::string_view blank : kWrongBlanks) {
      if (!StartsWith(at, blank)) continue;
      return JsonMistake{
          at, Say("an invisible character that is no ordinary space (copied from a "
                  "web page?); replace it by a space",
                  "此处有不可见的非普通空格字符（可能从网页复制而来）；请替换为普通空格")};
    }
    return std::nullopt;
  }

  JsonMistake CutOff(size_t at) const {
    if (!state_.open) {
      return {at, Say("the text ends where a value is expected", "文本在应出现值的位置结束")};
    }
    const char open = text_[state_.open->offset];
    return {at, Say("the file ends inside the \"{}\" of line {}, column {}; it is cut off, or a "
                    "\"{}\" is missing",
                    "文件在第 {1} 行第 {2} 列的 \"{0}\" 未闭合时结束；文件不完整，或缺少 \"{3}\"",
                    open, state_.open->line, state_.open->column, closer())};
  }

  JsonMistake WrongCloser(size_t at) const {
    const char open = text_[state_.open->offset];
    return {at, Say("\"{}\" cannot close the \"{}\" of line {}, column {}; write \"{}\"",
                    "\"{0}\" 不能闭合第 {2} 行第 {3} 列的 \"{1}\"；请写 \"{4}\"", text_[at], open,
                    state_.open->line, state_.open->column, closer())};
  }

  JsonMistake AfterKey(size_t at) const {
    if (text_[at] == ':') {
      const size_t value = SkipBlanks(at + 1);
      if (std::optional<JsonMistake> mistake = OutsideJson(value)) return *mistake;
      return NoValue(value);
    }
    if (text_[at] == '=') {
      return {at, Say("\"=\" after a key; JSON writes \":\"", "键后使用了 \"=\"；JSON 应写 \":\"")};
    }
    if (text_[at] == ',' || text_[at] == '}' || text_[at] == ']') {
      return {at, Say("the key before this has no value; write \"key\": value",
                      "此前的键没有值；请写成 \"键\": 值")};
    }
    return {state_.position,
            Say("missing \":\" between a key and its value", "键与值之间缺少 \":\"")};
  }

  JsonMistake AfterValue(size_t at) const {
    if (text_[at] == ',') return AfterComma(at, SkipBlanks(at + 1));
    if (text_[at] == '}' || text_[at] == ']') return WrongCloser(at);
    if (text_[at] == ';') {
      return {at, Say("\";\" between values; JSON writes \",\"",
                      "值之间使用了 \";\"；JSON 应写 \",\"")};
    }
    if (text_[at] == ':' && !in_object()) {
      return {at, Say("a list has no keys; write {{ }} around \"key\": value pairs",
                      "列表没有键；请用 {{ }} 括住 \"键\": 值")};
    }
    if (at == state_.position && at > 0) {
      if (IsDigit(text_[at - 1]) &&
          (IsDigit(text_[at]) || IsOfBareWord(text_[at]) || text_[at] == '.')) {
        return BadNumber(at - 1);
      }
      if (text_[at - 1] == '"' && (IsOfBareWord(text_[at]) || IsDigit(text_[at]))) {
        return {at, Say("text right after a string; a quote inside a string is written \\\"",
                        "字符串之后紧跟文本；字符串内的引号应写作 \\\"")};
      }
    }
    constexpr std::string_view kOpeners = "\"'{[-(`";
    if (kOpeners.find(text_[at]) != std::string_view::npos || IsOfBareWord(text_[at]) ||
        IsDigit(text_[at])) {
      return {state_.position, Say("missing \",\" after this value", "该值之后缺少 \",\"")};
    }
    if (in_object()) return Unexpected(at, "\",\" or \"}\"", " \",\" 或 \"}\"");
    return Unexpected(at, "\",\" or \"]\"", " \",\" 或 \"]\"");
  }

  JsonMistake AfterComma(size_t comma, size_t at) const {
    if (std::optional<JsonMistake> mistake = OutsideJson(at)) return *mistake;
    if (text_[at] == closer()) {
      return {comma, Say("trailing comma; delete the \",\" before \"{}\"",
                         "多余的尾随逗号；请删除 \"{}\" 前的 \",\"", closer())};
    }
    return in_object() ? NoKey(at) : NoValue(at);
  }

  JsonMistake AfterDocument(size_t at) const {
    if (text_[at] == '}' || text_[at] == ']') {
      return {at, Say("one \"{}\" too many; everything is closed already",
                      "多余的 \"{}\"；所有括号均已闭合", text_[at])};
    }
    return {at, Say("text after the end of the JSON value; a file holds one value, delete the rest",
                    "JSON 值结束后仍有文本；一个文件只能包含一个值，请删除其余部分")};
  }

  JsonMistake NoKey(size_t at) const {
    if (text_[at] == '"') return FindStringMistake(text_, at, state_.stopped);
    if (text_[at] == '\'') return SingleQuotes(at);
    if (text_[at] == ']') return WrongCloser(at);
    if (text_[at] == ',') return ExtraComma(at);
    if (text_[at] == '{') {
      return {at,
              Say("\"{{\" where a key is expected; the \"{{\" of line {}, column {} is not closed",
                  "此处应为键，却出现 \"{{\"；第 {} 行第 {} 列的 \"{{\" 未闭合", state_.open->line,
                  state_.open->column)};
    }
    const std::string_view word = WordAt(at);
    if (word.empty()) return Unexpected(at, "a key in double quotes", "双引号括起的键");
    return {at, Say("the key {} has no quotes; write {}", "键 {} 缺少引号；请写成 {}", Short(word),
                    QuoteForMessage(word))};
  }

  JsonMistake NoValue(size_t at) const {
    const char c = text_[at];
    if (c == '"') return FindStringMistake(text_, at, state_.stopped);
    if (c == '\'') return SingleQuotes(at);
    if (c == ',') return ExtraComma(at);
    if ((c == ']' || c == '}') && state_.open) {
      if (state_.after == After::kKey) {
        return {at, Say("the key before this has no value; write \"key\": value",
                        "此前的键没有值；请写成 \"键\": 值")};
      }
      return WrongCloser(at);
    }
    if (c == '(') {
      return {at, Say("JSON has no tuples; write a list: [ ]", "JSON 没有元组；请写成列表：[ ]")};
    }
    if (IsDigit(c) || c == '-' || c == '+' || c == '.') return BadNumber(at);
    if (IsOfBareWord(c)) return BareWord(at);
    return Unexpected(at, "a value", "值");
  }

  JsonMistake SingleQuotes(size_t at) const {
    return {at, Say("single quotes; JSON wants double quotes: \"text\"",
                    "使用了单引号；JSON 要求双引号：\"文本\"")};
  }

  JsonMistake ExtraComma(size_t at) const {
    return {at, Say("a comma with nothing before it; delete it", "逗号之前没有内容；请删除该逗号")};
  }

  JsonMistake BadNumber(size_t at) const {
    size_t end = at;
    while (end < text_.size() &&
           (IsDigit(text_[end]) || IsOfBareWord(text_[end]) ||
            std::string_view("+-.").find(text_[end]) != std::string_view::npos)) {
      ++end;
    }
    const std::string number = Short(text_.substr(at, end - at));
    return {at, Say("{} is not a number of JSON; write plain decimal numbers such as 0, -1 or 0.5, "
                    "without leading zeros or \"+\"",
                    "{} 不是 JSON 数字；请写普通十进制数，如 0、-1 或 0.5，不带前导零或 \"+\"",
                    number)};
  }

  JsonMistake BareWord(size_t at) const {
    const std::string_view word = WordAt(at);
    if (at + word.size() < text_.size()) {
      const char next = text_[at + word.size()];
      if (word.size() <= 2 && (next == '"' || next == '\'')) {
        return {at, Say("JSON has no string prefixes such as {}\"; write \"text\", with \\\\ for a "
                        "backslash",
                        "JSON 没有 {}\" 这样的字符串前缀；请写 \"文本\"，反斜杠写作 \\\\", word)};
      }
    }
    for (const auto& [foreign, json] : kForeignWords) {
      if (word != foreign) continue;
      if (json.empty()) {
        return {at, Say("JSON has no {}; write a number or leave the field out",
                        "JSON 没有 {}；请写数字或省略该字段", word)};
      }
      if (json == "null") {
        return {at, Say("{} is not JSON; leave the field out", "{} 不是 JSON；请省略该字段", word)};
      }
      return {at, Say("{} is not JSON; write {}", "{} 不是 JSON；请写 {}", word, json)};
    }
    if (!state_.open) {
      return {at, Say("this is not JSON: it starts with \"{}\"; a JSON file starts with \"{{\"",
                      "这不是 JSON：以 \"{}\" 开头；JSON 文件以 \"{{\" 开头", Short(word))};
    }
    return {at, Say("the text {} has no quotes; write {}", "文本 {} 缺少引号；请写成 {}",
                    Short(word), QuoteForMessage(word))};
  }

  static std::string Short(std::string_view word) {
    return std::string(word.size() <= 60 ? word : word.substr(0, 57)) +
           (word.size() <= 60 ? "" : "...");
  }

  std::string_view text_;
  const JsonReadState& state_;
};

}  // namespace

JsonMistake FindJsonMistake(std::string_view text, const JsonReadState& state) {
  return MistakeFinder(text, state).Find();
}

std::optional<JsonMistake> FindEncodingMistake(std::string_view text) {
  const bool wide_mark = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  const bool wide_ascii = text.substr(0, 4).find('\0') != std::string_view::npos;
  if (wide_mark || wide_ascii) {
    return JsonMistake{
        0, Say("the file is UTF-16 or UTF-32 (some editors call it \"Unicode\"); save "
               "it as UTF-8",
               "文件编码为 UTF-16 或 UTF-32（部分编辑器称为 \"Unicode\"）；请另存为 UTF-8")};
  }
  const std::string_view content = text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
  if (content.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return JsonMistake{0, Say("the file is empty; a JSON file holds at least {{}}",
                              "文件为空；JSON 文件至少应包含 {{}}")};
  }
  return std::nullopt;
}

}  // namespace transplt
