// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/html_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/base/plain_text.h"
#include "transplt/base/source_file.h"
#include "transplt/report/causes.h"
#include "transplt/report/change_table.h"
#include "transplt/report/first_screen.h"
#include "transplt/report/json_items.h"
#include "transplt/report/wording.h"

namespace transplt {

// Made from html/report.html, report.css and report.js: the page before and behind its data.
std::string_view HtmlPageHead();
std::string_view HtmlPageTail();

namespace {

using Json = nlohmann::ordered_json;

/// JSON for the inside of a <script>: a '<' could end it ("</script>") or begin a comment in it
/// ("<!--"), and JavaScript took U+2028 and U+2029 for line ends. All of them stand in strings
/// only.
std::string ForScript(std::string_view json) {
  std::string text;
  text.reserve(json.size() + json.size() / 16);
  for (size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = json.substr(i, 3);
    if (json[i] == '<') {
      text += "\\u003c";
    } else if (rest == "\xE2\x80\xA8" || rest == "\xE2\x80\xA9") {
      text += rest.back() == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      text.push_back(json[i]);
    }
  }
  return text;
}

/// A diff as UTF-8. It has the encoding of its file, which often its bytes alone tell here.
std::string Readable(const std::string& diff) {
  const Result<SourceFile> source = SourceFile::FromBytes("", diff);
  return ValidUtf8(source ? source->Decode(diff) : diff);
}

Json InBoth(const Text& text) { return {{"en", ValidUtf8(text.en)}, {"zh", ValidUtf8(text.zh)}}; }

Json FactsJson(const RunResult& run, Language language) {
  const RunFacts facts = FactsOf(run, language);
  Json told = Json::array();
  for (const Text& note : run.notes) told.push_back(OneLine(note.In(language)));
  return {{"assumed", facts.assumed},      {"written", facts.written}, {"edits", facts.edits},
          {"not_read", facts.not_read},    {"notes", std::move(told)}, {"commands", facts.commands},
          {"disclaimer", facts.disclaimer}};
}

Json HeadJson(const RunResult& run, const HtmlReportParts& parts) {
  Json severities = Json::array();
  for (const Severity severity : kSeverities) {
    severities.push_back({{"name", Name(severity)}, {"title", InBoth(TitleOf(severity))}});
  }
  return {
      {"schema_version", 1},
      {"language", parts.language == Language::kChinese ? "zh" : "en"},
      {"tool_version", run.tool_version},
      {"input", ValidUtf8(run.input)},
      {"output", ValidUtf8(run.output)},
      {"facts",
       {{"en", FactsJson(run, Language::kEnglish)}, {"zh", FactsJson(run, Language::kChinese)}}},
      {"severities", std::move(severities)},
      {"columns", kChangeColumns}};
}

Json PageProgram(const ProgramOutcome& program) {
  return {{"path", ValidUtf8(program.path)},
          {"trains", program.trains},
          {"verdict", Name(program.verdict)},
          // The page makes links of the causes: "{cuda-extension apex}".
          {"says", InBoth(VerdictOf(program, [](const std::vector<std::string>& ids) {
             const std::string names = fmt::format("{{{}}}", fmt::join(ids, " "));
             return Text{names, names};
           }))}};
}

Json PageCause(const Cause& cause) {
  return {{"id", cause.id},
          {"severity", Name(cause.severity)},
          {"on_machine", cause.on_machine},
          {"is_decision", IsDecision(cause)},
          {"reason", InBoth(cause.reason)},
          {"remedy", InBoth(cause.remedy)},
          {"places", cause.places.size()}};
}

/// Texts that many records share, each of them once.
class SharedTexts {
 public:
  size_t IndexOf(const Text& text) {
    const auto [known, is_new] = index_.try_emplace({text.en, text.zh}, texts_.size());
    if (is_new) texts_.push_back(&known->first);
    return known->second;
  }
  void Write(JsonItems& items) const {
    for (const auto* text : texts_) {
      items.Add(Json::array({ValidUtf8(text->first), ValidUtf8(text->second)}));
    }
  }

 private:
  std::map<std::pair<std::string, std::string>, size_t> index_;
  std::vector<const std::pair<std::string, std::string>*> texts_;
};

/// What is empty is left out: there may be very many records. `group` 0: nobody decides about it.
Json PageRecord(const ChangeRecord& record, size_t text, uint32_t group) {
  Json json = {{"file", ValidUtf8(record.file)}, {"text", text}};
  const auto add = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) json[std::string(key)] = ValidUtf8(value);
  };
  if (record.start_line != 0) {
    json["line"] = record.start_line;
    json["column"] = record.column;
    if (record.end_line != record.start_line) json["end"] = record.end_line;
  }
  add("operation", Name(record.operation));
  add("rule", record.rule_id);
  add("cause", record.cause == record.rule_id ? "" : record.cause);
  add("applicability", Name(record.applicability));
  if (record.applicability == Applicability::kDisplayOnly) add("severity", Name(record.severity));
  add("before", record.before);
  add("after", record.after);
  add("source", record.source_line);
  add("decision", record.decision);
  if (group != 0) json["group"] = group;
  if (!record.programs.empty()) json["programs"] = record.programs;
  return json;
}

/// Prints `"key": [...]`.
template <typename WriteItems>
void WriteListOfPage(std::string_view key, const TextSink& out, const WriteItems& write_items) {
  out(fmt::format(",\n\"{}\": [", key));
  JsonItems items(out, "");
  write_items(items);
  out("\n]");
}

void WriteData(const RunResult& run, const HtmlReportParts& parts, const TextSink& out) {
  const std::string head = OneLineJson(HeadJson(run, parts));
  out(head.substr(0, head.size() - 1));  // its members go on
  WriteListOfPage("programs", out, [&](JsonItems& items) {
    for (const ProgramOutcome& program : run.programs) items.Add(PageProgram(program));
  });
  WriteListOfPage("causes", out, [&](JsonItems& items) {
    for (const Cause& cause : CausesOf(run)) items.Add(PageCause(cause));
  });
  SharedTexts texts;
  WriteListOfPage("records", out, [&](JsonItems& items) {
    size_t decided = 0;
    for (const ChangeRecord& record : RecordsWithRejected(run)) {
      const bool is_open = record.applicability == Applicability::kDisplayOnly || record.follows;
      const uint32_t group =
          is_open || decided >= parts.groups.size() ? 0 : parts.groups[decided++];
      items.Add(PageRecord(record, texts.IndexOf(record.message), group));
    }
  });
  WriteListOfPage("texts", out, [&](JsonItems& items) { texts.Write(items); });
  WriteListOfPage("diffs", out, [&](JsonItems& items) {
    for (const std::string& diff : parts.diffs) items.Add(Readable(diff));
  });
  out("}");
}

}  // namespace

void WriteHtmlReport(const RunResult& run, const HtmlReportParts& parts, const TextSink& out) {
  out(HtmlPageHead());
  WriteData(run, parts, [&](std::string_view piece) { out(ForScript(piece)); });
  out(HtmlPageTail());
}

}  // namespace transplt
