// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/report_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "transplt/base/one_of.h"
#include "transplt/base/plain_text.h"
#include "transplt/base/similar_name.h"
#include "transplt/native/rules.h"
#include "transplt/report/causes.h"
#include "transplt/rule_kinds/builtin_rules.h"
#include "transplt/rule_kinds/rule_kinds.h"

namespace transplt {
namespace {

// What rows are called that no rule makes. The fixtures are asked whether one is missing here.
constexpr std::array<std::string_view, 38> kRowIds = {"async-argument",      "file",
                                                      "file-type",           "guard-imports",
                                                      "half-migrated-guard", "half-migrated-rest",
                                                      "import-torch-npu",    "kernel-in-string",
                                                      "missing-module",      "missing-submodule",
                                                      "unknown-package",     "native-check",
                                                      "native-half",         "native-header",
                                                      "native-include",      "native-kernel",
                                                      "native-launch",       "native-source",
                                                      "own-extension",       "served-program",
                                                      "suppression",         "syntax",
                                                      "tf.import-adapter",   "unsupported-api",
                                                      "native-language",     "stand-in",
                                                      "own-operator",        "native-build",
                                                      "unknown-requirement", "missing-source",
                                                      "old-standard",        "unplaced-training",
                                                      "kept-file",           "linked-module",
                                                      "shadowed-module",     "native-waits",
                                                      "cython-cimport",      "npu-variable"};

/// What a person may name: all that a report can show.
std::set<std::string, std::less<>> KnownIds(const RuleSet& rules) {
  std::set<std::string, std::less<>> known(kRowIds.begin(), kRowIds.end());
  for (const KnownCause& cause : KnownCauses()) known.insert(cause.id);
  for (const NativeRule& rule : NativeRules::Builtin().all()) known.insert(rule.id);
  for (const LoadedRule& loaded : rules.rules()) {
    known.insert(loaded.rule->id());
    if (!loaded.rule->header().cause.empty()) known.insert(loaded.rule->header().cause);
  }
  return known;
}

}  // namespace

std::optional<Error> CheckReportIds(const std::vector<std::string>& ids, const std::string& where,
                                    const std::vector<RuleFile>& user_rules) {
  if (ids.empty()) return std::nullopt;
  std::vector<RuleFile> files = user_rules;
  for (const RuleFile& file : ReadBuiltinRules()) files.push_back(file);
  const Result<RuleSet> rules = RuleSet::Load(files, {.include_inactive = true}, RuleKinds());
  if (!rules) return rules.error();
  const std::set<std::string, std::less<>> known = KnownIds(*rules);
  for (const std::string& id : ids) {
    // "cuda-extension:ops" is the cause of one module.
    if (known.contains(id) || known.contains(id.substr(0, id.find(':')))) continue;
    const std::vector<std::string_view> names(known.begin(), known.end());
    const std::optional<std::string_view> similar = SimilarName(id, names);
    return Error{Error::Code::kUsage, where,
                 similar
                     ? Say("no rule and no row has the id \"{}\"; did you mean \"{}\"?",
                           "没有 id 为 \"{}\" 的规则或条目; 是否指 \"{}\"?", id, *similar)
                     : Say("no rule and no row has the id \"{}\"; transplt rule list names the "
                           "rules, and change_list.csv the rest",
                           "没有 id 为 \"{}\" 的规则或条目; transplt rule list 可列出规则, 其余见 "
                           "change_list.csv",
                           id)};
  }
  return std::nullopt;
}

bool IsSwitchedOff(const ChangeRecord& record, std::span<const std::string> ids) {
  return record.applicability == Applicability::kDisplayOnly &&
         (std::ranges::find(ids, record.rule_id) != ids.end() ||
          std::ranges::find(ids, record.cause) != ids.end());
}

std::optional<Text> LeaveSwitchedOff(std::span<const std::string> ids, RunResult& run) {
  if (ids.empty()) return std::nullopt;
  std::string names;
  std::string edited;
  for (const std::string& id : ids) {
    const auto count = std::ranges::count_if(run.records, [&](const ChangeRecord& record) {
      return IsSwitchedOff(record, std::span(&id, 1));
    });
    names += (names.empty() ? "" : ", ") + OneLine(id);
    if (count > 0) names += fmt::format(" ({})", count);
    const bool is_edited = std::ranges::any_of(run.records, [&](const ChangeRecord& record) {
      return record.applicability != Applicability::kDisplayOnly && record.rule_id == id;
    });
    if (is_edited) edited += (edited.empty() ? "" : ", ") + OneLine(id);
  }
  for (const ChangeRecord& record : run.records) {
    if (!IsSwitchedOff(record, ids)) continue;
    const auto file = std::ranges::lower_bound(run.files, record.file, {}, &FileOutcome::file);
    const bool counts = file != run.files.end() && file->file == record.file;
    if (counts && file->left_open > 0) --file->left_open;
  }
  std::erase_if(run.records,
                [&](const ChangeRecord& record) { return IsSwitchedOff(record, ids); });
  const Text off = Say("switched off, and not shown: {}", "已关闭且不显示: {}", names);
  if (edited.empty()) return off;
  return Say("{0}; the edits of {2} are made, since others need them",
             "{1}; {2} 的修改仍会进行, 因为其他修改需要它们", off.en, off.zh, edited);
}

std::optional<Text> RulesWithoutPlace(const RuleSet& rules, const std::vector<RuleFile>& user_rules,
                                      const RunResult& run) {
  std::set<std::string_view> found;
  for (const ChangeRecord& record : run.records) found.insert(record.rule_id);
  std::string names;
  for (const LoadedRule& loaded : rules.rules()) {
    const std::string_view origin = loaded.rule->header().origin;
    const bool is_users = std::ranges::any_of(
        user_rules, [&](const RuleFile& file) { return origin.starts_with(file.name + "#"); });
    if (!is_users || found.contains(loaded.rule->id())) continue;
    names += (names.empty() ? "" : ", ") + OneLine(loaded.rule->id());
  }
  if (names.empty()) return std::nullopt;
  return Say("your rules that found nothing to do (are the names as the programs import them?): {}",
             "未找到可执行之处的自定义规则 (请核对名称是否与程序的导入一致): {}", names);
}

}  // namespace transplt
