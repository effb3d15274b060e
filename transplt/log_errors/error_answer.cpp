// SPDX-License-Identifier: Apache-2.0
#include "transplt/log_errors/error_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace transplt {
namespace {

using Json = nlohmann::ordered_json;

/// An error with the log that has it.
struct Placed {
  const LogErrors* log = nullptr;
  const FoundError* error = nullptr;
};

/// The errors of the last failure of each log; what says most first.
std::vector<Placed> LastErrors(const std::vector<LogErrors>& logs) {
  std::vector<Placed> errors;
  for (const LogErrors& log : logs) {
    for (const FoundError& error : log.last) errors.push_back({&log, &error});
  }
  std::ranges::stable_sort(errors, {}, [](const Placed& placed) { return placed.error->level; });
  return errors;
}

std::string Place(const Placed& placed) {
  return fmt::format("{}:{}", placed.log->name, placed.error->first_line);
}

/// "line 7 to 90, 12 times, ranks 0 3".
std::string Where(const FoundError& error, Language language) {
  std::string where;
  if (error.times > 1) {
    where += Say(", {} times, last in line {}", ", 共 {} 次, 最后在第 {} 行", error.times,
                 error.last_line)
                 .In(language);
  }
  if (error.ranks.empty()) return where;
  constexpr size_t kShown = 16;
  std::string ranks;
  size_t shown = 0;
  for (const uint32_t rank : error.ranks) {
    if (shown++ == kShown) break;
    ranks += fmt::format(" {}", rank);
  }
  if (error.ranks.size() > kShown) ranks += " ...";
  return where + Say(", ranks{}", ", rank{}", ranks).In(language);
}

Text Heading(ErrorLevel level) {
  switch (level) {
    case ErrorLevel::kCause:
      return Say("the cause", "原因");
    case ErrorLevel::kUnknown:
      return Say("an error that transplt does not know", "transplt 不认识的错误");
    case ErrorLevel::kWarned:
      return Say("the cause, as a warning says", "警告所示的原因");
    case ErrorLevel::kGeneral:
      return Say("what failed", "失败之处");
    case ErrorLevel::kConsequence:
      return Say("comes from an error elsewhere", "由别处的错误引起");
    case ErrorLevel::kWrapper:
      return Say("says that something failed, not why: the cause is not in this log",
                 "只说明有操作失败, 未说明原因: 原因不在此日志中");
    case ErrorLevel::kHarmless:
      break;
  }
  return Say("harmless", "无害");
}

std::string Explained(const Placed& placed, Language language) {
  const FoundError& error = *placed.error;
  std::string text =
      fmt::format("{}: {}{}\n  {}\n", Place(placed), Heading(error.level).In(language),
                  Where(error, language), error.text);
  if (error.known == nullptr) return text;
  text += Say("  meaning: {}\n", "  含义: {}\n", error.known->meaning.In(language)).In(language);
  text += Say("  to do: {}\n", "  处理: {}\n", error.known->remedy.In(language)).In(language);
  if (!error.known->help.empty()) {
    text += Say("  transplt: {}\n", "  transplt: {}\n", error.known->help).In(language);
  }
  return text;
}

std::string Listed(const Placed& placed, Language language) {
  const FoundError& error = *placed.error;
  const std::string what = error.known == nullptr ? error.text : error.known->meaning.In(language);
  return fmt::format("  {}{}: {}\n", Place(placed), Where(error, language), what);
}

std::string Section(const Text& title, const std::vector<Placed>& errors, Language language) {
  constexpr size_t kMost = 10;
  if (errors.empty()) return {};
  std::string text = title.In(language) + "\n";
  for (size_t i = 0; i < std::min(errors.size(), kMost); ++i) text += Listed(errors[i], language);
  if (errors.size() > kMost) {
    text += Say("  and {} more\n", "  另有 {} 项\n", errors.size() - kMost).In(language);
  }
  return text;
}

std::vector<Placed> Of(const std::vector<LogErrors>& logs,
                       std::vector<FoundError> LogErrors::*member) {
  std::vector<Placed> errors;
  for (const LogErrors& log : logs) {
    for (const FoundError& error : log.*member) errors.push_back({&log, &error});
  }
  return errors;
}

Json ErrorJson(const Placed& placed, Language language) {
  const FoundError& error = *placed.error;
  Json json = {{"log", placed.log->name},      {"line", error.first_line},
               {"last_line", error.last_line}, {"times", error.times},
               {"ranks", error.ranks},         {"level", NameOf(error.level)},
               {"text", error.text},           {"id", nullptr}};
  if (error.known == nullptr) return json;
  json["id"] = error.known->id;
  json["meaning"] = error.known->meaning.In(language);
  json["remedy"] = error.known->remedy.In(language);
  json["command"] = error.known->help;
  json["source"] = error.known->source;
  return json;
}

Json ListJson(const std::vector<Placed>& errors, Language language) {
  Json list = Json::array();
  for (const Placed& placed : errors) list.push_back(ErrorJson(placed, language));
  return list;
}

}  // namespace

const FoundError* FirstError(const std::vector<LogErrors>& logs) {
  const std::vector<Placed> errors = LastErrors(logs);
  return errors.empty() ? nullptr : errors.front().error;
}

LogAnswer AnswerOf(const std::vector<LogErrors>& logs) {
  const FoundError* first = FirstError(logs);
  if (first == nullptr) return LogAnswer::kNone;
  const bool says_why =
      first->level != ErrorLevel::kUnknown && first->level != ErrorLevel::kWrapper;
  return says_why ? LogAnswer::kKnown : LogAnswer::kUnknown;
}

std::string AnswerText(const std::vector<LogErrors>& logs, Language language) {
  std::vector<Placed> errors = LastErrors(logs);
  std::string text;
  if (errors.empty()) text = Say("no error was found\n", "未发现错误\n").In(language);
  if (!errors.empty()) {
    text = Explained(errors.front(), language);
    errors.erase(errors.begin());
  }
  text += Section(Say("with it:", "同时出现:"), errors, language);
  text += Section(Say("earlier:", "更早:"), Of(logs, &LogErrors::earlier), language);
  text += Section(Say("harmless:", "无害:"), Of(logs, &LogErrors::harmless), language);
  return text;
}

std::string AnswerJson(const std::vector<LogErrors>& logs, Language language) {
  static constexpr std::array<std::string_view, 3> kAnswers = {"known", "unknown", "none"};
  Json read = Json::array();
  for (const LogErrors& log : logs) read.push_back({{"log", log.name}, {"lines", log.lines}});
  const Json json = {
      {"answer", kAnswers.at(static_cast<size_t>(AnswerOf(logs)))},
      {"logs", read},
      {"errors", ListJson(LastErrors(logs), language)},
      {"earlier", ListJson(Of(logs, &LogErrors::earlier), language)},
      {"harmless", ListJson(Of(logs, &LogErrors::harmless), language)},
  };
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace transplt
