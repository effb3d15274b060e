// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/policy.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "transplt/base/one_of.h"
#include "transplt/base/similar_name.h"
#include "transplt/base/text_parts.h"
#include "transplt/project/file_content.h"

namespace transplt {
namespace {

/// Reads the file; the first mistake is kept.
class PolicyReader {
 public:
  Result<Policy> Read(std::string_view text) {
    toml::table root;
    try {
      root = toml::parse(text);
    } catch (const toml::parse_error& mistake) {
      return Mistake(mistake.source(),
                     {std::string(mistake.description()), std::string(mistake.description())});
    }
    RefuseUnknown(root, {"torch", "torch_npu", "programs", "rules", "causes", "edits"});
    policy_.torch = String(root, "torch");
    policy_.torch_npu = String(root, "torch_npu");
    ReadPrograms(root);
    ForEachTable(root, "rules", [&](const toml::table& rule) { ReadRule(rule); });
    ForEachTable(root, "causes", [&](const toml::table& cause) { ReadCause(cause); });
    ForEachTable(root, "edits", [&](const toml::table& edits) { ReadEdits(edits); });
    if (error_) return *error_;
    return std::move(policy_);
  }

 private:
  static Error Mistake(const toml::source_region& place, Text what) {
    return {Error::Code::kUsage, fmt::format("{}:{}", kPolicyFile, place.begin.line),
            std::move(what)};
  }

  /// The first line of an entry; the library does not keep that of its heading.
  static toml::source_region PlaceOf(const toml::table& table) {
    toml::source_region place = table.source();
    for (const auto& [key, value] : table) {
      const bool is_first = !place.begin || key.source().begin.line < place.begin.line;
      if (is_first) place = key.source();
    }
    return place;
  }

  void Fail(const toml::source_region& place, Text what) {
    if (!error_) error_ = Mistake(place, std::move(what));
  }

  void RefuseUnknown(const toml::table& table, const std::vector<std::string_view>& known) {
    for (const auto& [key, value] : table) {
      if (IsOneOf(key.str(), known)) continue;
      const Text remedy = SuggestName(key.str(), known, {"there are", "可用的有"});
      Fail(key.source(),
           Say("unknown key \"{0}\"{1}", "未知的键 \"{0}\"{2}", key.str(), remedy.en, remedy.zh));
    }
  }

  /// The text under `key`; empty if it is not there.
  std::string String(const toml::table& table, std::string_view key) {
    const toml::node* value = table.get(key);
    if (value == nullptr) return {};
    const auto text = value->value_exact<std::string>();
    if (!text || text->empty()) {
      Fail(value->source(),
           Say("\"{}\" must be a text in quotes", "\"{}\" 必须是带引号的文本", key));
      return {};
    }
    return *text;
  }

  std::string RequiredString(const toml::table& table, std::string_view key) {
    if (table.get(key) == nullptr) {
      Fail(PlaceOf(table), Say("\"{}\" is missing here", "此处缺少 \"{}\"", key));
    }
    return String(table, key);
  }

  template <typename Read>
  void ForEachTable(const toml::table& root, std::string_view key, Read read) {
    const toml::node* value = root.get(key);
    if (value == nullptr) return;
    const toml::array* list = value->as_array();
    for (const toml::node& item : list == nullptr ? toml::array() : *list) {
      if (!item.is_table()) list = nullptr;
      if (list == nullptr) break;
      read(*item.as_table());
    }
    if (list == nullptr) {
      Fail(value->source(), Say("write [[{0}]] above each entry", "请在每一项之前写 [[{0}]]", key));
    }
  }

  void ReadPrograms(const toml::table& root) {
    const toml::node* value = root.get("programs");
    if (value == nullptr) return;
    const toml::array* list = value->as_array();
    bool is_right = list != nullptr;
    for (size_t i = 0; is_right && i < list->size(); ++i) {
      const auto path = list->get(i)->value_exact<std::string>();
      is_right = path.has_value();
      if (is_right) policy_.programs.push_back(*path);
    }
    if (!is_right) {
      Fail(value->source(), Say("\"programs\" must be a list of paths: [\"train.py\"]",
                                "\"programs\" 必须是路径列表: [\"train.py\"]"));
    }
  }

  void ReadRule(const toml::table& rule) {
    RefuseUnknown(rule, {"id", "off", "reason"});
    RequiredString(rule, "reason");
    policy_.disabled.push_back(RequiredString(rule, "id"));
    const toml::node* off = rule.get("off");
    if (off == nullptr || off->value_exact<bool>() != true) {
      Fail(PlaceOf(rule),
           Say("write off = true: a rule of this list does not run; a severity belongs to a cause",
               "请写 off = true: 此列表中的规则不运行; 严重程度属于 [[causes]]"));
    }
  }

  void ReadCause(const toml::table& cause) {
    RefuseUnknown(cause, {"id", "severity", "reason"});
    Policy::RuledCause ruled;
    ruled.id = RequiredString(cause, "id");
    ruled.reason = RequiredString(cause, "reason");
    ruled.line = PlaceOf(cause).begin.line;
    const std::string name = RequiredString(cause, "severity");
    const std::optional<Severity> severity = SeverityNamed(name);
    if (!severity && !name.empty()) {
      std::vector<std::string_view> known;
      for (const Severity each : kSeverities) known.push_back(Name(each));
      const Text remedy = SuggestName(name, known, {"there are", "可用的有"});
      Fail(PlaceOf(cause), Say("unknown severity \"{0}\"{1}", "未知的严重程度 \"{0}\"{2}", name,
                               remedy.en, remedy.zh));
    }
    ruled.severity = severity.value_or(Severity::kNote);
    policy_.causes.push_back(std::move(ruled));
  }

  void ReadEdits(const toml::table& edits) {
    RefuseUnknown(edits, {"file", "rule", "cause", "line", "reason"});
    Policy::DeclinedEdits declined;
    declined.file = String(edits, "file");
    declined.rule = String(edits, "rule");
    declined.cause = String(edits, "cause");
    declined.line_text = Trimmed(String(edits, "line"));
    declined.reason = RequiredString(edits, "reason");
    declined.line = PlaceOf(edits).begin.line;
    if (declined.file.empty() && declined.rule.empty() && declined.cause.empty()) {
      Fail(PlaceOf(edits), Say("say which edits: give file, rule or cause",
                               "请指明哪些修改: 给出 file、rule 或 cause"));
    }
    policy_.edits.push_back(std::move(declined));
  }

  Policy policy_;
  std::optional<Error> error_;
};

/// `text` in quotes, on one line.
std::string QuotedText(const std::string& text) {
  std::ostringstream out;
  out << toml::toml_formatter{toml::value<std::string>(text), toml::format_flags::none};
  return out.str();
}

/// `text` with the line ends of `like`.
std::string WithLineEndsOf(std::string_view like, std::string_view text) {
  const bool has_cr = like.find("\r\n") != std::string_view::npos;
  std::string changed;
  for (const char c : text) {
    if (c == '\n' && has_cr) changed.push_back('\r');
    changed.push_back(c);
  }
  return changed;
}

}  // namespace

Result<Policy> ParsePolicy(std::string_view text) { return PolicyReader().Read(text); }

Result<std::string> ReadPolicyText(const ProjectFiles& project) {
  const auto file = std::ranges::find(project.entries, kPolicyFile, &ProjectEntry::path);
  if (project.is_file || file == project.entries.end()) return std::string();
  return ReadProjectFile(project, *file);
}

bool Policy::DeclinedEdits::Cover(const ChangeRecord& record) const {
  return (file.empty() || record.file == file ||
          (file.ends_with('/') && record.file.starts_with(file))) &&
         (rule.empty() || record.rule_id == rule) && (cause.empty() || record.cause == cause) &&
         (line_text.empty() || Trimmed(record.source_line) == line_text);
}

Result<std::string> WithDeclinedEdits(std::string_view text,
                                      const std::vector<Policy::DeclinedEdits>& entries) {
  std::string added;
  for (const Policy::DeclinedEdits& entry : entries) {
    added += "\n[[edits]]\n";
    for (const auto& [key, value] :
         {std::pair("file", entry.file), std::pair("rule", entry.rule),
          std::pair("cause", entry.cause), std::pair("line", entry.line_text),
          std::pair("reason", entry.reason)}) {
      if (!value.empty()) added += fmt::format("{} = {}\n", key, QuotedText(value));
    }
  }
  std::string whole(text);
  if (text.empty()) added.erase(0, 1);
  if (!text.empty() && !text.ends_with('\n')) added.insert(0, "\n");
  whole += WithLineEndsOf(text, added);
  const Result<Policy> policy = ParsePolicy(whole);
  if (!policy) return policy.error();
  return whole;
}

std::vector<Text> ApplyPolicy(const Policy& policy, RunResult& run) {
  std::set<std::string> met;
  for (ChangeRecord& record : run.records) {
    if (record.applicability != Applicability::kDisplayOnly) continue;
    const auto ruled = std::ranges::find(policy.causes, record.cause, &Policy::RuledCause::id);
    if (ruled == policy.causes.end()) continue;
    met.insert(ruled->id);
    record.severity = ruled->severity;
    const std::string why = fmt::format(" ({}:{}: {})", kPolicyFile, ruled->line, ruled->reason);
    record.message.en += why;
    record.message.zh += why;
  }
  std::vector<Text> notes;
  if (!policy.edits.empty() && !run.rejected.empty()) {
    const auto left_out = std::ranges::count_if(run.rejected, [&](const ChangeRecord& record) {
      return std::ranges::any_of(policy.edits, [&](const auto& e) { return e.Cover(record); });
    });
    notes.push_back(Say("{} edits are left out, as {} says", "按 {1} 的规定, 未进行 {0} 处修改",
                        left_out, kPolicyFile));
  }
  for (const Policy::RuledCause& ruled : policy.causes) {
    if (met.contains(ruled.id)) continue;
    notes.push_back(Say("{}:{}: nothing in this run has the cause \"{}\"; take the entry out",
                        "{}:{}: 本次运行中没有原因 \"{}\"; 请去掉该项", kPolicyFile, ruled.line,
                        ruled.id));
  }
  for (const Policy::DeclinedEdits& declined : policy.edits) {
    const auto is_met = [&](const ChangeRecord& record) {
      return record.applicability != Applicability::kDisplayOnly && declined.Cover(record);
    };
    if (std::ranges::any_of(run.rejected, is_met) || std::ranges::any_of(run.records, is_met)) {
      continue;
    }
    notes.push_back(Say("{}:{}: nothing in this run is such an edit; take the entry out",
                        "{}:{}: 本次运行中没有此类修改; 请去掉该项", kPolicyFile, declined.line));
  }
  return notes;
}

}  // namespace transplt
