// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/similar_name.h"

#include <algorithm>
#include <array>
#include <string>

#include "transplt/base/ascii.h"

namespace transplt {
namespace {

/// The letters and digits of `name`: "argIdx", "arg-idx" and "ARG_IDX" all mean "arg_idx".
std::string LettersAndDigits(std::string_view name) {
  std::string folded;
  for (char c : name) {
    if (c == '_' || c == '-' || c == ' ') continue;
    folded += ToLower(c);
  }
  return folded;
}

/// Optimal string alignment: a swap of two neighbours counts as one mistake.
size_t Distance(std::string_view a, std::string_view b) {
  // Rows i-2, i-1 and i of the table of distances between prefixes.
  std::array<std::vector<size_t>, 3> rows;
  for (std::vector<size_t>& row : rows) row.resize(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) rows[1][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    rows[2][0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = rows[1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[2][j] = std::min({rows[1][j] + 1, rows[2][j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) rows[2][j] = std::min(rows[2][j], rows[0][j - 2] + 1);
    }
    std::rotate(rows.begin(), rows.begin() + 1, rows.end());
  }
  return rows[1][b.size()];
}

}  // namespace

std::optional<std::string_view> SimilarName(std::string_view written,
                                            const std::vector<std::string_view>& known) {
  constexpr size_t kLongest = 100;  // nobody misspells a name into a paragraph
  if (written.empty() || written.size() > kLongest) return std::nullopt;
  const std::string folded = LettersAndDigits(written);
  std::optional<std::string_view> nearest;
  size_t fewest = folded.size() / 3 + 1;  // up to a third of the letters may be wrong
  for (std::string_view name : known) {
    const size_t distance = Distance(folded, LettersAndDigits(name));
    if (distance >= fewest) continue;
    fewest = distance;
    nearest = name;
  }
  return nearest;
}

Text SuggestName(std::string_view written, const std::vector<std::string_view>& known,
                 const Text& label) {
  if (const std::optional<std::string_view> near = SimilarName(written, known)) {
    return Say("; did you mean \"{}\"?", "；您是否想写 \"{}\"？", *near);
  }
  Text list;
  for (size_t i = 0; i < known.size(); ++i) {
    const bool last = i + 1 == known.size();
    if (i > 0) {
      list.en += last ? " and " : ", ";
      list.zh += "、";
    }
    const std::string quoted = '"' + std::string(known[i]) + '"';
    list.en += quoted;
    list.zh += quoted;
  }
  return {"; " + label.en + " " + list.en, "；" + label.zh + " " + list.zh};
}

}  // namespace transplt
