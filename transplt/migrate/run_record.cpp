// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/run_record.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "transplt/base/json_text.h"
#include "transplt/project/json_path.h"
#include "transplt/project/result_manifest.h"

namespace transplt {
namespace {

using nlohmann::json;

constexpr int kFormat = 2;
constexpr std::array kEdits = {Operation::kInsert, Operation::kModify, Operation::kDelete};
constexpr std::array kTrust = {Applicability::kSafe, Applicability::kUnsafe};
constexpr std::array kCopies = {CopyMode::kProject, CopyMode::kAll, CopyMode::kChanged};

std::string Dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json MultiCardToJson(const std::optional<MultiCardRequest>& request) {
  if (!request) return {};
  return {{"main", PathToJson(request->main)}, {"model", request->model}};
}

std::optional<MultiCardRequest> MultiCardFromJson(const json& from) {
  if (from.is_null()) return std::nullopt;
  return MultiCardRequest{BytesFromJson(from.at("main")).value_or(""), from.at("model")};
}

json OptionsToJson(const MigrationOptions& options) {
  json rules = json::array();
  for (const RuleFile& file : options.user_rules) {
    rules.push_back({{"name", PathToJson(file.name)}, {"text", PathToJson(file.text)}});
  }
  return {{"rules", rules},
          {"builtin_rules", options.builtin_rules},
          {"framework", options.framework ? json(NameOf(*options.framework)) : json()},
          {"tensorflow_version", options.tensorflow_version},
          {"torch_version", options.torch_version},
          {"torch_npu", options.torch_npu},
          {"target", options.target},
          {"features", options.features},
          {"disabled", options.disabled},
          {"mark", options.mark},
          {"extend_served", options.extend_served},
          {"edit_docs", options.edit_docs},
          {"multi_card", MultiCardToJson(options.multi_card)},
          {"guard_imports", options.guard_imports},
          {"include", options.files.include},
          {"exclude", options.files.exclude},
          {"copy", static_cast<int>(options.files.copy)},
          {"budget", {options.budget.bytes, options.budget.nodes, options.budget.seconds}},
          {"prefilter", options.prefilter},
          {"chinese", options.language == Language::kChinese}};
}

/// Throws std::exception for what is not of OptionsToJson.
MigrationOptions OptionsFromJson(const json& from) {
  MigrationOptions options;
  for (const json& file : from.at("rules")) {
    options.user_rules.push_back({BytesFromJson(file.at("name")).value_or(""),
                                  BytesFromJson(file.at("text")).value_or(""), false});
  }
  options.builtin_rules = from.at("builtin_rules");
  options.framework.reset();
  for (const Framework framework : kFrameworks) {
    if (from.at("framework") == NameOf(framework)) options.framework = framework;
  }
  options.tensorflow_version = from.at("tensorflow_version");
  options.torch_version = from.at("torch_version");
  options.torch_npu = from.at("torch_npu");
  options.target = from.at("target");
  options.features = from.at("features").get<std::vector<std::string>>();
  options.disabled = from.at("disabled").get<std::vector<std::string>>();
  options.mark = from.at("mark");
  options.extend_served = from.at("extend_served");
  options.edit_docs = from.value("edit_docs", false);
  options.multi_card = MultiCardFromJson(from.value("multi_card", json()));
  options.guard_imports = from.at("guard_imports");
  options.files.include = from.at("include").get<std::vector<std::string>>();
  options.files.exclude = from.at("exclude").get<std::vector<std::string>>();
  options.files.copy = kCopies.at(from.at("copy").get<size_t>());
  options.budget.bytes = from.at("budget").at(0);
  options.budget.nodes = from.at("budget").at(1);
  options.budget.seconds = from.at("budget").at(2);
  options.prefilter = from.at("prefilter");
  options.language = from.at("chinese").get<bool>() ? Language::kChinese : Language::kEnglish;
  return options;
}

json FixToJson(const RecordedFix& fix) {
  const ChangeRecord& record = fix.record;
  return {{"file", PathToJson(record.file)},
          {"line", record.start_line},
          {"end_line", record.end_line},
          {"column", record.column},
          {"range", {record.range.start, record.range.end}},
          {"operation", Name(record.operation)},
          {"rule", record.rule_id},
          {"cause", record.cause},
          {"applicability", Name(record.applicability)},
          {"message", record.message.en},
          {"message_zh", record.message.zh},
          {"source_line", record.source_line},
          {"before", record.before},
          {"after", record.after},
          {"group", fix.group}};
}

/// Of `values`, the one with this name.
template <typename Values>
auto Named(const Values& values, const json& name) {
  const auto found =
      std::ranges::find_if(values, [&](const auto value) { return name == Name(value); });
  if (found == values.end()) throw std::runtime_error("unknown name");
  return *found;
}

/// Throws std::exception for what is not of FixToJson.
RecordedFix FixFromJson(const json& from) {
  RecordedFix fix;
  ChangeRecord& record = fix.record;
  std::optional<std::string> path = PathFromJson(from.at("file"));
  if (!path) throw std::runtime_error("no path inside the project");
  record.file = *std::move(path);
  record.start_line = from.at("line");
  record.end_line = from.at("end_line");
  record.column = from.at("column");
  record.range = {from.at("range").at(0), from.at("range").at(1)};
  record.operation = Named(kEdits, from.at("operation"));
  record.rule_id = from.at("rule");
  record.cause = from.at("cause");
  record.applicability = Named(kTrust, from.at("applicability"));
  record.message = {from.at("message"), from.at("message_zh")};
  record.source_line = from.at("source_line");
  record.before = from.at("before");
  record.after = from.at("after");
  fix.group = from.at("group");
  return fix;
}

json DecisionsToJson(const FixDecisions& decisions, const std::vector<RecordedFix>& fixes) {
  json accepted = json::array();
  json rejected = json::array();
  for (size_t i = 0; i < fixes.size(); ++i) {
    const auto known = decisions.find(fixes[i].key());
    if (known == decisions.end()) continue;
    (known->second == kReject ? rejected : accepted).push_back(i);
  }
  return {{kAccept, accepted}, {kReject, rejected}};
}

FixDecisions DecisionsFromJson(const json& from, const std::vector<RecordedFix>& fixes) {
  FixDecisions decisions;
  for (const std::string_view word : {kAccept, kReject}) {
    for (const json& index : from.at(std::string(word))) {
      const auto number = index.get<size_t>();
      if (number >= fixes.size()) throw std::runtime_error("no such edit");
      decisions[fixes[number].key()] = word;
    }
  }
  return decisions;
}

/// Sets of numbers that grow together.
class Sets {
 public:
  explicit Sets(size_t count) : parents_(count) {
    std::iota(parents_.begin(), parents_.end(), size_t{0});
  }
  size_t Root(size_t i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }
  void Join(size_t a, size_t b) { parents_[Root(a)] = Root(b); }

 private:
  std::vector<size_t> parents_;
};

}  // namespace

std::vector<RecordedFix> FixesOf(const RunResult& run) {
  std::vector<RecordedFix> fixes;
  for (ChangeRecord& record : RecordsWithRejected(run)) {
    if (record.applicability == Applicability::kDisplayOnly || record.follows) continue;
    record.decision.clear();
    fixes.push_back({std::move(record), 0});
  }
  Sets sets(fixes.size());
  std::map<std::string, size_t> by_value;
  std::map<FixKey, size_t> by_key;
  for (size_t i = 0; i < fixes.size(); ++i) {
    sets.Join(i, by_key.try_emplace(fixes[i].key(), i).first->second);
    for (std::string& value : fixes[i].record.values) {
      sets.Join(i, by_value.try_emplace(std::move(value), i).first->second);
    }
    fixes[i].record.values.clear();
  }
  std::map<size_t, uint32_t> numbers;
  for (size_t i = 0; i < fixes.size(); ++i) {
    const auto next = static_cast<uint32_t>(numbers.size() + 1);
    fixes[i].group = numbers.try_emplace(sets.Root(i), next).first->second;
  }
  return fixes;
}

std::string WayTo(const std::string& input, const std::string& result) {
  std::error_code ignored;  // an empty path is what the file then says, and cannot be used
  const auto resolved = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  };
  return resolved(input).lexically_relative(resolved(result)).string();
}

Text ProjectHasChanged() {
  return Say("the project has changed here since it was migrated; migrate it again",
             "项目的此处在迁移之后有改动; 请重新迁移");
}

std::string RunRecord::ToJson() const {
  std::string text = "{\"format\":" + std::to_string(kFormat) + ",\"tool\":\"transplt\"";
  const auto add = [&](std::string_view key, const json& value) {
    text.append(",\n\"").append(key).append("\":").append(Dump(value));
  };
  const auto add_list = [&](std::string_view key, const auto& items, const auto& to_json) {
    text.append(",\n\"").append(key).append("\":[");
    for (const char* end = "\n"; const auto& item : items) {
      text += std::exchange(end, ",\n") + Dump(to_json(item));
    }
    text += "\n]";
  };
  add("version", version);
  add("input", PathToJson(input));
  add("shown_input", PathToJson(shown_input));
  add("shown_output", PathToJson(shown_output));
  add("options", OptionsToJson(options));
  add("policy", PathToJson(policy));
  add_list("originals", originals, [](const auto& original) {
    return json{{"path", PathToJson(original.first)}, {"xxh128", original.second}};
  });
  add_list("fixes", fixes, FixToJson);
  add("decisions", DecisionsToJson(decisions, fixes));
  add_list("earlier", earlier,
           [&](const FixDecisions& state) { return DecisionsToJson(state, fixes); });
  return text + "\n}\n";
}

Result<RunRecord> RunRecord::FromJson(const std::string& name, std::string_view text) {
  try {
    const json from = ParseJson(text);
    RunRecord record;
    if (from.at("format") != kFormat) throw std::runtime_error("format");
    record.version = from.at("version");
    record.input = BytesFromJson(from.at("input")).value_or("");
    record.shown_input = BytesFromJson(from.at("shown_input")).value_or("");
    record.shown_output = BytesFromJson(from.at("shown_output")).value_or("");
    record.options = OptionsFromJson(from.at("options"));
    record.policy = BytesFromJson(from.at("policy")).value_or("");
    for (const json& original : from.at("originals")) {
      record.originals[BytesFromJson(original.at("path")).value_or("")] = original.at("xxh128");
    }
    for (const json& fix : from.at("fixes")) record.fixes.push_back(FixFromJson(fix));
    record.decisions = DecisionsFromJson(from.at("decisions"), record.fixes);
    for (const json& state : from.at("earlier")) {
      record.earlier.push_back(DecisionsFromJson(state, record.fixes));
    }
    return record;
  } catch (const std::exception&) {
    return Error{Error::Code::kBadInput, name,
                 Say("is not as transplt has written it; migrate the project again",
                     "不是 transplt 写出的内容; 请重新迁移项目")};
  }
}

}  // namespace transplt
