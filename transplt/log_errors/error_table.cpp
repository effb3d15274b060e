// SPDX-License-Identifier: Apache-2.0
#include "transplt/log_errors/error_table.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "transplt/base/json_object_reader.h"

namespace transplt {

// Generated from rules/log_errors.json.
std::string_view LogErrorsText();

namespace {

constexpr std::array<std::pair<ErrorLevel, std::string_view>, 7> kLevels = {{
    {ErrorLevel::kCause, "cause"},
    {ErrorLevel::kUnknown, "unknown"},
    {ErrorLevel::kWarned, "warned"},
    {ErrorLevel::kGeneral, "general"},
    {ErrorLevel::kConsequence, "consequence"},
    {ErrorLevel::kWrapper, "wrapper"},
    {ErrorLevel::kHarmless, "harmless"},
}};

class ErrorReader : private JsonObjectReader {
 public:
  ErrorReader(const JsonDocument& document, const JsonValue& object)
      : JsonObjectReader(document, object) {}

  /// Reads the patterns into `matches`.
  KnownError Read(const std::vector<std::string>& contexts, std::vector<std::string>& matches) {
    KnownError row;
    row.id = String("id");
    row.level = Level();
    row.is_fallback = Member("fallback", JsonValue::Type::kBoolean, false) != nullptr;
    row.meaning = {String("meaning"), String("meaning_zh")};
    row.remedy = {String("remedy"), String("remedy_zh")};
    row.help = String("help", false);
    row.source = String("source");
    row.examples = Strings("examples", true);
    row.beside = Strings("beside");
    matches = Strings("matches");
    for (const std::string& number : Strings("numbers")) {
      for (const std::string& context : contexts) matches.push_back(context + number);
    }
    if (matches.empty() || row.examples.empty()) {
      Fail(object(), Say("no patterns or no examples", "没有模式或示例"));
    }
    RefuseUnknown();
    if (error()) RefuseOwnTable(*error());
    return row;
  }

 private:
  ErrorLevel Level() {
    const std::string name = String("level");
    for (const auto& [level, level_name] : kLevels) {
      if (level_name == name) return level;
    }
    Fail(object(), Say("\"{}\" is no level", "\"{}\" 不是级别", name));
    return ErrorLevel::kCause;
  }
};

}  // namespace

std::string_view NameOf(ErrorLevel level) {
  const auto* row = std::ranges::find(kLevels, level, &decltype(kLevels)::value_type::first);
  return row->second;
}

ErrorTable ErrorTable::Read() {
  const Result<JsonDocument> document =
      JsonDocument::Parse("rules/log_errors.json", LogErrorsText());
  if (!document) RefuseOwnTable(document.error());
  const auto words = [&document](const char* key) {
    std::vector<std::string> words;
    for (const JsonValue* word : document->root().Find(key)->children()) {
      words.push_back(word->string());
    }
    return words;
  };
  const std::vector<std::string> contexts = words("number_contexts");
  std::vector<KnownError> rows;
  std::vector<RowPattern> patterns;
  for (const JsonValue* object : document->root().Find("errors")->children()) {
    std::vector<std::string> matches;
    rows.push_back(ErrorReader(*document, *object).Read(contexts, matches));
    for (const std::string& match : matches) {
      patterns.push_back({static_cast<uint32_t>(rows.size() - 1), LogPattern(match)});
    }
  }
  LogSigns signs{words("rank_signs"), words("error_signs"), words("warning_signs")};
  return {std::move(signs), std::move(rows), std::move(patterns)};
}

namespace {

/// The literals of the patterns, in their order, and behind them what shows an error of any kind.
template <typename Patterns>
std::vector<std::string> LiteralsOf(const LogSigns& signs, const Patterns& patterns) {
  std::vector<std::string> literals;
  literals.reserve(patterns.size());
  for (const auto& row : patterns) literals.push_back(row.pattern.literal());
  for (const std::string_view sign : SignsOfExceptions()) literals.emplace_back(sign);
  literals.insert(literals.end(), signs.errors.begin(), signs.errors.end());
  return literals;
}

}  // namespace

ErrorTable::ErrorTable(LogSigns signs, std::vector<KnownError> rows,
                       std::vector<RowPattern> patterns)
    : signs_(std::move(signs)),
      rows_(std::move(rows)),
      patterns_(std::move(patterns)),
      finder_(LiteralsOf(signs_, patterns_)) {}

const ErrorTable& ErrorTable::BuiltIn() {
  static const ErrorTable table = Read();
  return table;
}

std::vector<const KnownError*> ErrorTable::Find(std::string_view line) const {
  std::vector<uint32_t> candidates;
  finder_.ForEach(line, [&](uint32_t literal) {
    if (literal < patterns_.size()) candidates.push_back(literal);
  });
  std::ranges::sort(candidates);
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::vector<const KnownError*> found;
  for (const uint32_t candidate : candidates) {
    const KnownError* row = &rows_[patterns_[candidate].row];
    if (!found.empty() && found.back() == row) continue;
    if (patterns_[candidate].pattern.Matches(line)) found.push_back(row);
  }
  const bool has_other =
      std::ranges::any_of(found, [](const KnownError* row) { return !row->is_fallback; });
  if (has_other) std::erase_if(found, [](const KnownError* row) { return row->is_fallback; });
  // What a harmless message quotes is no error either.
  const auto is_harmless = [](const KnownError* row) {
    return row->level == ErrorLevel::kHarmless;
  };
  if (std::ranges::any_of(found, is_harmless)) std::erase_if(found, std::not_fn(is_harmless));
  return found;
}

}  // namespace transplt
