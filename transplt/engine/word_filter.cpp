// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/word_filter.h"

#include <algorithm>
#include <array>
#include <optional>

namespace transplt {
namespace {

constexpr std::array<bool, 256> WordBytes() {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c) {
    table[static_cast<size_t>(c)] = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                                    (c >= 'a' && c <= 'z') || c == '_' || c >= 0x80;
  }
  return table;
}
constexpr std::array<bool, 256> kWordByte = WordBytes();

/// Words of 15 bytes and more share a bit.
uint16_t LengthBit(size_t length) {
  return static_cast<uint16_t>(1U << std::min<size_t>(length, 15));
}

constexpr std::string_view kImport = "import";
constexpr std::string_view kResultOf = "result of ";

/// True if a star follows, behind blanks at most.
bool NextIsStar(const char* p, const char* end) {
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\\' || *p == '\r' || *p == '\n')) ++p;
  return p < end && *p == '*';
}

/// True if `/` at `at` stands between what may be two numbers.
bool IsDivision(std::string_view bytes, size_t at) {
  const size_t before = bytes.substr(0, at).find_last_not_of(' ');
  const size_t after = bytes.find_first_not_of(' ', at + 1);
  if (before == std::string_view::npos || after == std::string_view::npos) return false;
  const auto is_word = [&](size_t i) { return kWordByte[static_cast<unsigned char>(bytes[i])]; };
  return (is_word(before) || bytes[before] == ')' || bytes[before] == ']') &&
         (is_word(after) || bytes[after] == '(' || bytes[after] == '.');
}

}  // namespace

std::string WordForResultOf(std::string_view function) {
  return std::string(kResultOf).append(function);
}

std::vector<std::string_view> WordsIn(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t start = i;
    while (i < text.size() && kWordByte[static_cast<unsigned char>(text[i])]) ++i;
    if (i > start) words.push_back(text.substr(start, i - start));
  }
  return words;
}

WordFilter::WordFilter(const std::vector<WordSets>& rules)
    : rule_count_(rules.size()), first_bytes_(256, 0) {
  for (uint32_t rule = 0; rule < rules.size(); ++rule) {
    for (const std::vector<std::string>& words : rules[rule]) {
      if (words.empty()) {
        always_.push_back(rule);
        break;
      }
      Alternative alternative{rule, {}, {}};
      for (const std::string& word : words) AddWord(word, alternative);
      alternatives_.push_back(std::move(alternative));
    }
  }
  std::vector<uint32_t> uses(words_.size(), 0);
  for (const Alternative& alternative : alternatives_) {
    for (uint32_t word : alternative.words) ++uses[word];
  }
  alternatives_of_word_.resize(words_.size());
  for (uint32_t index = 0; index < alternatives_.size(); ++index) {
    const std::vector<uint32_t>& words = alternatives_[index].words;
    const uint32_t rarest =
        *std::ranges::min_element(words, [&](uint32_t a, uint32_t b) { return uses[a] < uses[b]; });
    alternatives_of_word_[rarest].push_back(index);
  }
}

void WordFilter::AddWord(const std::string& word, Alternative& alternative) {
  if (!word.starts_with(kResultOf)) {
    alternative.words.push_back(WordId(word));
    return;
  }
  const std::string function = word.substr(kResultOf.size());
  const auto known = std::find(result_functions_.begin(), result_functions_.end(), function);
  alternative.results.push_back(static_cast<uint32_t>(known - result_functions_.begin()));
  if (known == result_functions_.end()) result_functions_.push_back(function);
}

uint32_t WordFilter::WordId(const std::string& word) {
  if (const auto found = vocabulary_.find(word); found != vocabulary_.end()) return found->second;
  const auto id = static_cast<uint32_t>(words_.size());
  vocabulary_.emplace(words_.emplace_back(word), id);
  const std::string_view spelled = word == kStarImport ? kImport : std::string_view(word);
  first_bytes_[static_cast<unsigned char>(spelled[0])] |= LengthBit(spelled.size());
  return id;
}

WordFilter::FileWords WordFilter::Scan(std::string_view bytes,
                                       const MayHaveResult& may_have_result) const {
  std::vector<bool> present(words_.size(), false);
  std::vector<uint32_t> seen;
  const auto mark = [&](std::string_view word) {
    const auto found = vocabulary_.find(word);
    if (found == vocabulary_.end() || present[found->second]) return;
    present[found->second] = true;
    seen.push_back(found->second);
  };
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  bool divides = false;
  while (p < end) {
    const char* start = p;
    while (p < end && kWordByte[static_cast<unsigned char>(*p)]) ++p;
    const auto length = static_cast<size_t>(p - start);
    if (length != 0 &&
        (first_bytes_[static_cast<unsigned char>(*start)] & LengthBit(length)) != 0) {
      const std::string_view word(start, length);
      mark(word);
      if (word == kImport && NextIsStar(p, end)) mark(kStarImport);
    }
    if (!divides && p < end && *p == '/') {
      divides = IsDivision(bytes, static_cast<size_t>(p - bytes.data()));
    }
    ++p;
  }
  if (divides) mark(kDivision);
  FileWords result;
  result.can_hold_.assign(rule_count_, false);
  const auto add = [&](uint32_t rule) {
    if (!result.can_hold_[rule]) result.rules_.push_back(rule);
    result.can_hold_[rule] = true;
  };
  std::vector<std::optional<bool>> results(result_functions_.size());
  const auto has_result = [&](uint32_t function) {
    std::optional<bool>& has = results[function];
    if (!has) has = may_have_result(result_functions_[function]);
    return *has;
  };
  for (uint32_t rule : always_) add(rule);
  for (uint32_t word : seen) {
    for (uint32_t index : alternatives_of_word_[word]) {
      const Alternative& alternative = alternatives_[index];
      if (std::ranges::all_of(alternative.words,
                              [&](uint32_t needed) { return present[needed]; }) &&
          std::ranges::all_of(alternative.results, has_result)) {
        add(alternative.rule);
      }
    }
  }
  return result;
}

}  // namespace transplt
