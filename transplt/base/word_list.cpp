// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/word_list.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "transplt/base/json_document.h"
#include "transplt/base/json_object_reader.h"
#include "transplt/base/packed_json.h"

namespace transplt {

// Generated from rules/signatures/*.json.
std::string_view PackedCommandWords();
std::string_view PackedFileWords();
std::string_view PackedNameWords();
std::string_view PackedRunWords();
std::string_view PackedTensorWords();
std::string_view PackedTensorflowWords();

/// Reads one row.
class WordListReader : private JsonObjectReader {
 public:
  WordListReader(const JsonDocument& document, const JsonValue& object)
      : JsonObjectReader(document, object) {}

  std::optional<Error> Read(WordLists& lists) {
    const std::string id = String("id");
    String("why");
    WordList list;
    list.words_ = Strings("words");
    if (const JsonValue* meanings = Member("meanings", JsonValue::Type::kObject, false)) {
      for (const JsonValue* meaning : meanings->children()) {
        list.words_.push_back(meaning->key());
        list.meanings_[meaning->key()] = meaning->string();
      }
    }
    const JsonValue* examples = Member("examples", JsonValue::Type::kList, true);
    if (examples != nullptr && examples->children().empty()) {
      Fail(*examples, Say("an example is missing", "缺少示例"));
    }
    RefuseUnknown();
    for (const std::string& word : list.words_) {
      if (word.find('*') == std::string::npos) {
        list.exact_.insert(word);
      } else {
        list.patterns_.push_back(word);
      }
    }
    if (!error() && (list.words_.empty() || !lists.emplace(id, std::move(list)).second)) {
      Fail(object(), Say("\"{}\" has no words or is there twice", "\"{}\" 没有词或重复", id));
    }
    return error();
  }
};

bool MatchesPattern(std::string_view pattern, std::string_view text) {
  const size_t first = pattern.find('*');
  if (first == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, first))) return false;
  text.remove_prefix(first);
  pattern.remove_prefix(first + 1);
  // What stands between two stars is taken where it comes first; the last part ends the text.
  for (size_t next = pattern.find('*'); next != std::string_view::npos; next = pattern.find('*')) {
    const size_t at = text.find(pattern.substr(0, next));
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + next);
    pattern.remove_prefix(next + 1);
  }
  return text.ends_with(pattern);
}

bool WordList::Has(std::string_view word) const {
  return exact_.contains(word) ||
         std::any_of(patterns_.begin(), patterns_.end(),
                     [&](const std::string& pattern) { return MatchesPattern(pattern, word); });
}

bool WordList::HasPackageOf(std::string_view dotted) const {
  while (!Has(dotted)) {
    const size_t dot = dotted.rfind('.');
    if (dot == std::string_view::npos) return false;
    dotted = dotted.substr(0, dot);
  }
  return true;
}

bool WordList::HasPartOf(std::string_view text) const {
  return std::any_of(words_.begin(), words_.end(), [&](const std::string& word) {
    return text.find(word) != std::string_view::npos;
  });
}

int WordList::PositionOf(std::string_view word) const {
  const auto found = std::find(words_.begin(), words_.end(), word);
  return found == words_.end() ? -1 : static_cast<int>(found - words_.begin());
}

std::string_view WordList::MeaningOf(std::string_view word) const {
  const auto found = meanings_.find(word);
  return found == meanings_.end() ? std::string_view() : found->second;
}

std::optional<Error> ReadWordLists(const JsonDocument& document, WordLists& lists) {
  const JsonValue* rows = document.root().Find("words");
  if (rows == nullptr || rows->type() != JsonValue::Type::kList) {
    return Error{Error::Code::kBadInput, document.name(), Say("no \"words\"", "缺少 \"words\"")};
  }
  for (const JsonValue* row : rows->children()) {
    if (auto error = WordListReader(document, *row).Read(lists)) return error;
  }
  return std::nullopt;
}

const WordLists& BuiltinWordLists() {
  static const WordLists lists = [] {
    constexpr std::array<std::pair<const char*, std::string_view (*)()>, 6> kFiles = {{
        {"rules/signatures/commands.json", PackedCommandWords},
        {"rules/signatures/files.json", PackedFileWords},
        {"rules/signatures/names.json", PackedNameWords},
        {"rules/signatures/runs.json", PackedRunWords},
        {"rules/signatures/tensors.json", PackedTensorWords},
        {"rules/signatures/tensorflow.json", PackedTensorflowWords},
    }};
    WordLists all;
    for (const auto& [name, packed] : kFiles) {
      if (const auto error = ReadWordLists(UnpackJson(name, packed()), all)) {
        RefuseOwnTable(*error);
      }
    }
    return all;
  }();
  return lists;
}

const WordList& Words(std::string_view id) {
  const WordLists& lists = BuiltinWordLists();
  const auto found = lists.find(id);
  if (found == lists.end()) {
    std::fputs(("rules/signatures: no words \"" + std::string(id) + "\"\n").c_str(), stderr);
    std::abort();
  }
  return found->second;
}

}  // namespace transplt
