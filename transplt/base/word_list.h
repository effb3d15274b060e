// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/json_document.h"
#include "transplt/base/result.h"

namespace transplt {

/// Names that mean the same to transplt: a row of rules/signatures/*.json. Immutable.
///
/// A `*` at the start or at the end of a word stands for any text. A row may give each word a
/// meaning of its own.
class WordList {
 public:
  /// True if `word` is one of them.
  bool Has(std::string_view word) const;
  /// True if `dotted` is one of them or lies in one: torch.fx.Node lies in torch.fx.
  bool HasPackageOf(std::string_view dotted) const;
  /// True if `text` holds one of them anywhere.
  bool HasPartOf(std::string_view text) const;
  /// What the row says of `word`, or "".
  std::string_view MeaningOf(std::string_view word) const;

  /// The place of `word` in the file, from 0, or -1.
  int PositionOf(std::string_view word) const;

  /// In the order of the file.
  const std::vector<std::string>& words() const { return words_; }

 private:
  friend class WordListReader;

  std::vector<std::string> words_;
  std::set<std::string, std::less<>> exact_;
  std::vector<std::string> patterns_;
  std::map<std::string, std::string, std::less<>> meanings_;
};

using WordLists = std::map<std::string, WordList, std::less<>>;

/// Reads {"words": [{"id": ..., "why": ..., "words": [...], "examples": [...]}, ...]} into
/// `lists`. The examples are for the tests.
std::optional<Error> ReadWordLists(const JsonDocument& document, WordLists& lists);

/// All that travel in the program, read once.
const WordLists& BuiltinWordLists();

/// The list `id` of those; the program ends if there is none, which a test finds first.
const WordList& Words(std::string_view id);

/// True if `text` is `pattern`, in which each `*` stands for any text.
bool MatchesPattern(std::string_view pattern, std::string_view text);

}  // namespace transplt
