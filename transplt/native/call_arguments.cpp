// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/call_arguments.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace transplt {

/// One argument of the call that is written.
struct CallArguments::Passed {
  std::string before;  // what stands before and behind the argument that was written
  std::string behind;
  std::optional<size_t> argument;
  bool stays = false;
};

namespace {

std::string WithoutBlanks(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) result += c;
  }
  return result;
}

/// The numbers of a longest rising sequence in `values`, of which nothing is left out at all cost.
std::vector<size_t> LongestRise(const std::vector<std::optional<size_t>>& values) {
  std::vector<size_t> length(values.size(), 0);
  std::vector<size_t> from(values.size(), values.size());
  size_t best = values.size();
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    length[i] = 1;
    for (size_t j = 0; j < i; ++j) {
      if (values[j] && *values[j] < *values[i] && length[j] + 1 > length[i]) {
        length[i] = length[j] + 1;
        from[i] = j;
      }
    }
    // The later of two equal ends: `(p, n, v, n)` of `(p, v, n)` inserts the first n.
    if (best == values.size() || length[i] >= length[best]) best = i;
  }
  std::vector<size_t> rise;
  for (size_t i = best; i < values.size(); i = from[i]) rise.push_back(i);
  std::reverse(rise.begin(), rise.end());
  return rise;
}

/// What is inserted at one place is one edit.
std::vector<Edit> Joined(std::vector<Edit> edits) {
  std::vector<Edit> joined;
  for (Edit& edit : edits) {
    const bool is_same = !joined.empty() && edit.range.empty() && joined.back().range == edit.range;
    if (is_same) {
      joined.back().text += edit.text;
    } else {
      joined.push_back(std::move(edit));
    }
  }
  return joined;
}

}  // namespace

CallArguments::CallArguments(const TokenText& text, size_t open, size_t close)
    : text_(text), open_(open), close_(close), tokens_(text.Arguments(open, close)) {
  for (const auto& [first, behind] : tokens_) {
    if (first == behind) {
      const uint32_t at = text[first].range.start;
      ranges_.push_back({at, at});
    } else {
      ranges_.push_back({text[first].range.start, text[behind - 1].range.end});
    }
  }
}

/// True if a cast before the argument would take only its first part.
bool CallArguments::IsCompound(size_t argument) const {
  const auto [first, behind] = tokens_[argument];
  for (size_t i = first; i < behind; ++i) {
    const std::string_view token = text_.Of(i);
    if (token == "(" || token == "[") {
      i = text_.Close(i).value_or(behind);
      continue;
    }
    const bool is_unary = i == first && (token == "&" || token == "*");
    const bool joins = token == "." || token == "->" || token == "::";
    if (text_[i].kind == NativeToken::Kind::kPunctuation && !is_unary && !joins) return true;
  }
  return false;
}

/// True if `->` and `*` around the argument take all of it.
bool CallArguments::IsPlain(size_t argument) const {
  return text_.IsName(tokens_[argument].first) && !IsCompound(argument);
}

/// "" if the argument has the type already.
std::string CallArguments::CastOf(const NativeRule& rule, size_t argument) const {
  const auto cast = rule.casts.find(argument);
  if (cast == rule.casts.end()) return "";
  const std::string type = WithoutBlanks(cast->second);
  if (argument < types.size() && WithoutBlanks(types[argument]) == type) return "";
  const std::string written = WithoutBlanks(ranges_[argument].In(text_.source()));
  for (const std::string& already :
       {"(" + type + ")", "reinterpret_cast<" + type + ">", "static_cast<" + type + ">"}) {
    if (written.starts_with(already)) return "";
  }
  return "(" + cast->second + ")";
}

std::vector<CallArguments::Passed> CallArguments::PassedBy(const NativeRule& rule) const {
  std::vector<Passed> passed;
  for (const std::string& item : rule.arguments.at(ranges_.size())) {
    Passed& one = passed.emplace_back();
    const size_t dollar = item.find('$');
    if (dollar == std::string::npos || dollar + 1 >= item.size()) {
      one.before = item;
      continue;
    }
    one.argument = static_cast<size_t>(item[dollar + 1] - '0');
    one.before = item.substr(0, dollar);
    one.behind = item.substr(dollar + 2);
    const std::string cast = CastOf(rule, *one.argument);
    if (cast.empty()) continue;
    const bool brackets = IsCompound(*one.argument);
    one.before += cast + (brackets ? "(" : "");
    one.behind.insert(0, brackets ? ")" : "");
  }
  return passed;
}

std::string CallArguments::WrittenOut(const Passed& item) const {
  if (!item.argument) return item.before;
  return item.before + migrated(ranges_[*item.argument]) + item.behind;
}

std::vector<Edit> CallArguments::EditsFor(const NativeRule& rule) const {
  std::vector<Passed> passed = PassedBy(rule);
  std::vector<std::optional<size_t>> order;
  for (const Passed& item : passed) order.push_back(item.argument);
  const std::vector<size_t> staying = LongestRise(order);
  for (const size_t i : staying) passed[i].stays = true;

  std::vector<Edit> edits;
  uint32_t gap_start = text_[open_].range.end;
  size_t next_argument = 0;  // the first one that is not dealt with
  std::vector<std::string> inserted;
  const auto close_gap = [&](uint32_t gap_end, size_t argument, bool is_first, bool is_last) {
    const bool drops = argument > next_argument;
    if (!drops && inserted.empty()) return;
    std::string text;
    for (const std::string& item : inserted) text += (text.empty() ? "" : ", ") + item;
    if (drops) {
      if (!is_first && (!text.empty() || !is_last)) text.insert(0, ", ");
      if (!is_last && !inserted.empty()) text += ", ";
      if (!is_last && inserted.empty() && is_first) text = "";
      edits.push_back({{gap_start, gap_end}, text});
    } else if (is_first && is_last) {
      edits.push_back({{gap_start, gap_start}, text});
    } else if (is_first) {
      edits.push_back({{gap_end, gap_end}, text + ", "});
    } else {
      edits.push_back({{gap_start, gap_start}, ", " + text});
    }
    inserted.clear();
  };
  bool is_first = true;
  for (const Passed& item : passed) {
    if (!item.stays) {
      inserted.push_back(WrittenOut(item));
      continue;
    }
    const TextRange range = ranges_[*item.argument];
    close_gap(range.start, *item.argument, is_first, false);
    if (!item.before.empty()) edits.push_back({{range.start, range.start}, item.before});
    if (!item.behind.empty()) edits.push_back({{range.end, range.end}, item.behind});
    gap_start = range.end;
    next_argument = *item.argument + 1;
    is_first = false;
  }
  close_gap(text_[close_].range.start, ranges_.size(), is_first, true);
  return Joined(std::move(edits));
}

std::vector<Edit> CallArguments::EditsForExpression(const NativeRule& rule, uint32_t start) const {
  std::vector<Edit> edits;
  std::string_view rest = rule.expressions.at(ranges_.size());
  std::string behind;  // closes the argument before
  while (true) {
    const size_t dollar = rest.find('$');
    std::string between = behind + std::string(rest.substr(0, dollar));
    if (dollar == std::string_view::npos) {
      edits.push_back({{start, text_[close_].range.end}, std::move(between)});
      return edits;
    }
    const auto argument = static_cast<size_t>(rest[dollar + 1] - '0');
    rest.remove_prefix(dollar + 2);
    const bool is_operand = rest.starts_with("->") || between.ends_with('*');
    const bool has_brackets = is_operand && !IsPlain(argument);
    behind = has_brackets ? ")" : "";
    edits.push_back({{start, ranges_[argument].start}, between + (has_brackets ? "(" : "")});
    start = ranges_[argument].end;
  }
}

}  // namespace transplt
