// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/shell_words.h"

#include <algorithm>
#include <array>

#include "transplt/base/ascii.h"
#include "transplt/base/one_of.h"

namespace transplt {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool IsName(std::string_view name, std::string_view further) {
  return !name.empty() && (IsLetter(name.front()) || name.front() == '_') &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return IsAlphanumeric(c) || c == '_' || further.find(c) != std::string_view::npos;
         });
}

}  // namespace

bool IsNoWord(std::string_view kind) {
  constexpr std::array<std::string_view, 8> kNoWords = {"(",
                                                        ")",
                                                        "comment",
                                                        "file_redirect",
                                                        "heredoc_redirect",
                                                        "herestring_redirect",
                                                        "subshell",
                                                        "variable_assignment"};
  return IsOneOf(kind, kNoWords);
}

ShellWord Unquote(std::string_view text, TextRange word) {
  const std::string_view all = word.In(text);
  if (all.size() < 2 || (all.front() != '"' && all.front() != '\'')) return {word};
  // The next quote ends the string; behind a backslash or in `$(...)` it need not, but then the
  // string is not plain anyway.
  if (all.find(all.front(), 1) != all.size() - 1) return {word};
  return {{word.start + 1, word.end - 1}, all.front()};
}

bool IsPlain(std::string_view text, ShellWord word) {
  if (word.quote == '\'') return true;
  const std::string_view special = word.quote == '"' ? "\"$`\\" : "'\"$`\\()<> \t\r\n";
  return word.In(text).find_first_of(special) == std::string_view::npos;
}

ShellWord DefaultOfExpansion(std::string_view text, ShellWord word) {
  const std::string_view all = word.In(text);
  if (word.quote == '\'' || !all.starts_with("${") || all.find('}') != all.size() - 1) return word;
  const size_t sign = all.find_first_of("-=");
  const size_t name_end =
      all.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789", 2);
  const bool has_default = sign != std::string_view::npos && name_end > 2 &&
                           (name_end == sign || (all[name_end] == ':' && name_end + 1 == sign));
  if (!has_default) return word;
  const uint32_t start = word.range.start + static_cast<uint32_t>(sign) + 1;
  return Unquote(text, {start, word.range.end - 1});
}

ShellPair SplitPair(std::string_view text, ShellWord word) {
  const size_t equals = word.In(text).find('=');
  if (equals == std::string_view::npos) return {word.range, std::nullopt};
  const uint32_t at = word.range.start + static_cast<uint32_t>(equals);
  const TextRange value{at + 1, word.range.end};
  return {{word.range.start, at},
          word.quote == 0 ? Unquote(text, value) : ShellWord{value, word.quote}};
}

bool IsOptionName(std::string_view name) { return IsName(name, "-./@"); }
bool IsVariableName(std::string_view name) { return IsName(name, ""); }

bool IsCapitalName(std::string_view text) {
  return text.size() > 1 && (text[0] < '0' || text[0] > '9') &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
         });
}

TextRange ProgramName(std::string_view text, ShellWord word) {
  const std::string_view path = word.In(text);
  const size_t slash = path.rfind('/');
  const size_t start = slash == std::string_view::npos ? 0 : slash + 1;
  if (!IsName(path.substr(start), "-.+")) return {};
  return {word.range.start + static_cast<uint32_t>(start), word.range.end};
}

std::vector<TextRange> SplitWords(std::string_view text, TextRange part,
                                  const std::vector<TextRange>& expansions) {
  std::vector<TextRange> words;
  auto expansion = expansions.begin();
  uint32_t start = part.start;
  const auto end_word = [&](uint32_t end) {
    if (start < end) words.push_back({start, end});
  };
  for (uint32_t at = part.start; at < part.end;) {
    if (expansion != expansions.end() && at == expansion->start) {
      at = (expansion++)->end;
      continue;
    }
    const bool continues_line =
        text[at] == '\\' && at + 1 < part.end && (text[at + 1] == '\n' || text[at + 1] == '\r');
    if (continues_line || kBlanks.find(text[at]) != std::string_view::npos) {
      end_word(at);
      start = at + 1;
    }
    ++at;
  }
  end_word(part.end);
  return words;
}

}  // namespace transplt
