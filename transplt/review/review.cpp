// SPDX-License-Identifier: Apache-2.0
#include "transplt/review/review.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "transplt/project/atomic_write.h"
#include "transplt/project/file_content.h"
#include "transplt/project/folder_handle.h"
#include "transplt/project/result_manifest.h"
#include "transplt/report/change_table.h"
#include "transplt/report/record_place.h"
#include "transplt/review/suppression.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

std::optional<uint32_t> NumberIn(std::string_view text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// What stands behind `prefix`; nothing if `selector` does not begin with it.
std::optional<std::string> Behind(std::string_view prefix, const std::string& selector) {
  if (!selector.starts_with(prefix)) return std::nullopt;
  return selector.substr(prefix.size());
}

/// The folder without "." and '/' at the end, so that it has a name and a parent.
Result<std::string> FolderOfResult(const std::string& result) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(fs::absolute(result, error), error);
  if (!error && fs::is_directory(path, error)) return path.string();
  return Error{Error::Code::kUsage, result,
               Say("there is no such folder; give the one that `transplt migrate PROJECT -o OUT` "
                   "has written: OUT/<name>_msft",
                   "没有该文件夹; 请给出 `transplt migrate PROJECT -o OUT` 写出的 "
                   "OUT/<name>_msft")};
}

/// Nothing if the folder is as transplt has written it, but for `table`.
std::optional<Error> ChangeByHand(int folder, const std::string& path, const std::string& table) {
  const std::optional<ResultManifest> manifest = ResultManifest::Read(folder);
  if (!manifest) {
    return Error{Error::Code::kUsage, path,
                 Say("was not written by transplt: it holds no complete {}",
                     "不是由 transplt 写出的: 其中没有完整的 {}", kManifestFile)};
  }
  for (const std::string& file : manifest->Differences(folder)) {
    std::error_code ignored;  // what cannot be compared is not the table
    if (!table.empty() && fs::equivalent(path + "/" + file, table, ignored)) continue;
    if (file == "change_list.csv") {
      return Error{Error::Code::kUsage, file,
                   Say("was edited, so its decisions have to be read: give --decisions {}/{}",
                       "该文件已被编辑, 需读取其中的决定: 请给出 --decisions {}/{}", path, file)};
    }
    return Error{Error::Code::kUsage, file,
                 Say("was changed in the result by hand, and a review would overwrite it; move "
                     "your work out of {}, put the file back or migrate the project again, and "
                     "review then",
                     "结果中的该文件被手工改动过, 审阅会将其覆盖; 请先将改动移出 {}, "
                     "还原该文件或重新迁移项目, 再进行审阅",
                     path)};
  }
  return std::nullopt;
}

}  // namespace

Result<Review> Review::Open(const std::string& result, const std::string& project,
                            const std::string& table) {
  Review review;
  Result<std::string> path = FolderOfResult(result);
  if (!path) return path.error();
  review.result_ = *std::move(path);
  const FileHandle folder = OpenFolder(review.result_);
  std::string text;
  const FileHandle file = OpenBelow(folder.get(), kReviewFile, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!folder || !file || !ReadAll(file.get(), text)) {
    return Error{Error::Code::kUsage, result,
                 Say("holds no {}: give a folder that `transplt migrate PROJECT -o OUT` has "
                     "written (OUT/<name>_msft)",
                     "其中没有 {}: 请给出 `transplt migrate PROJECT -o OUT` 写出的文件夹 "
                     "(OUT/<name>_msft)",
                     kReviewFile)};
  }
  if (auto error = ChangeByHand(folder.get(), review.result_, table)) return *error;
  Result<RunRecord> record =
      RunRecord::FromJson(review.result_ + "/" + std::string(kReviewFile), text);
  if (!record) return record.error();
  review.record_ = *std::move(record);
  review.decisions_before_ = review.record_.decisions;
  std::error_code error;
  review.project_ = project.empty()
                        ? (fs::path(review.result_) / review.record_.input).lexically_normal()
                        : fs::path(project);
  if (!fs::exists(review.project_, error)) {
    return Error{Error::Code::kUsage, review.project_,
                 Say("the original project is not here; say with --project where it is",
                     "原项目不在此处; 请用 --project 指明其位置")};
  }
  return review;
}

std::string_view Review::DecisionOn(const RecordedFix& fix) const {
  const auto known = record_.decisions.find(fix.key());
  return known == record_.decisions.end() ? std::string_view() : known->second;
}

std::vector<size_t> Review::Named(const std::string& selector) const {
  const size_t colon = selector.rfind(':');
  const auto line = colon == selector.npos ? std::nullopt : NumberIn(selector.substr(colon + 1));
  const bool names_cause = NamesCause(selector);
  const auto is_meant = [&](const RecordedFix& fix) {
    const ChangeRecord& record = fix.record;
    if (selector == "all") return true;
    if (names_cause) return record.cause == selector;
    if (const auto rule = Behind("rule:", selector)) return record.rule_id == *rule;
    if (const auto group = Behind("group:", selector)) return NumberIn(*group) == fix.group;
    if (const auto file = Behind("file:", selector)) {
      return record.file == *file || (file->ends_with('/') && record.file.starts_with(*file));
    }
    return line && record.file == selector.substr(0, colon) && record.start_line <= *line &&
           *line <= record.end_line;
  };
  std::vector<size_t> named;
  for (size_t i = 0; i < record_.fixes.size(); ++i) {
    if (is_meant(record_.fixes[i])) named.push_back(i);
  }
  return named;
}

bool Review::NamesCause(const std::string& selector) const {
  return std::ranges::any_of(record_.fixes,
                             [&](const RecordedFix& fix) { return fix.record.cause == selector; });
}

std::optional<Error> Review::Decide(const std::string& selector, std::string_view word) {
  const std::vector<size_t> named = Named(selector);
  if (named.empty()) {
    return Error{Error::Code::kUsage, selector,
                 Say("names no edit of this result; name a cause, rule:ID, file:PATH, group:N, "
                     "PATH:LINE or all (`transplt review --list` shows the edits; imports follow "
                     "from them)",
                     "未指明该结果中的任何修改; 请给出原因、rule:ID、file:PATH、group:N、"
                     "PATH:LINE 或 all (`transplt review --list` 可列出修改; 导入语句随之而定)")};
  }
  DecideAbout(named, word);
  return std::nullopt;
}

void Review::DecideAbout(const std::vector<size_t>& chosen, std::string_view word) {
  std::set<FixKey> named;
  std::map<uint32_t, size_t> groups;  // and the first edit that was named
  for (const size_t i : chosen) {
    named.insert(record_.fixes[i].key());
    groups.try_emplace(record_.fixes[i].group, i);
  }
  for (const RecordedFix& fix : record_.fixes) {
    const auto group = groups.find(fix.group);
    if (group == groups.end()) continue;
    std::string& decision = record_.decisions[fix.key()];
    const bool is_new = decision != word;
    decision = word;
    if (!is_new || named.contains(fix.key())) continue;
    const ChangeRecord& first = record_.fixes[group->second].record;
    notes_.push_back(
        word == kReject
            ? Say("{} is rejected too: it belongs together with {}",
                  "{} 也被拒绝: 它与 {} 属于一体", PlaceOf("", fix.record), PlaceOf("", first))
            : Say("{} is accepted too: it belongs together with {}",
                  "{} 也被接受: 它与 {} 属于一体", PlaceOf("", fix.record), PlaceOf("", first)));
  }
}

std::vector<size_t> Review::Candidates(const DecisionRow& row) const {
  const auto shown = [](std::string_view text) {
    const TableCell cell = TextCell(text);
    const auto* string = std::get_if<std::string>(&cell);
    return string == nullptr ? std::string() : WithoutBlanks(*string);
  };
  const auto line = NumberIn(WithoutBlanks(row.start_line));
  const auto column = NumberIn(WithoutBlanks(row.column));
  std::vector<size_t> at_place;
  std::vector<size_t> alike;  // the texts are the same, too
  for (size_t i = 0; i < record_.fixes.size(); ++i) {
    const ChangeRecord& record = record_.fixes[i].record;
    if (record.start_line != line || record.column != column ||
        shown(record.file) != WithoutBlanks(row.file) ||
        shown(record.rule_id) != WithoutBlanks(row.rule_id) ||
        shown(record.message.en) != WithoutBlanks(row.message)) {
      continue;
    }
    at_place.push_back(i);
    const bool is_alike = shown(record.before) == WithoutBlanks(row.before) &&
                          shown(record.after) == WithoutBlanks(row.after);
    if (is_alike) alike.push_back(i);
  }
  return at_place.size() > 1 ? alike : at_place;
}

std::optional<Error> Review::DecideAs(const std::string& name,
                                      const std::vector<DecisionRow>& rows) {
  const auto at = [&](const DecisionRow& row) { return fmt::format("{}:{}", name, row.line); };
  size_t idle = 0;
  std::map<std::vector<size_t>, size_t> seen;  // rows that are alike mean one edit after the other
  std::map<uint32_t, const DecisionRow*> groups;
  std::map<std::string, std::vector<size_t>> chosen;
  for (const DecisionRow& row : rows) {
    if (row.decision.empty()) continue;
    if (!row.is_edit) {
      ++idle;
      continue;
    }
    const std::vector<size_t> candidates = Candidates(row);
    const size_t which = candidates.empty() ? 0 : seen[candidates]++;
    if (which >= candidates.size()) {
      return Error{Error::Code::kUsage, at(row),
                   Say("this row is about no edit of the result that can be decided: it belongs "
                       "to another run, was edited, stands here twice, or is an import that "
                       "follows from the other edits of its file",
                       "该行不对应结果中任何可决定的修改: 它属于另一次运行、被改动过、重复出现, "
                       "或是随同文件其他修改而定的导入语句")};
    }
    const RecordedFix& fix = record_.fixes[candidates[which]];
    const auto before = decisions_before_.find(fix.key());
    if (before != decisions_before_.end() && before->second == row.decision) continue;
    const auto [other, is_first] = groups.try_emplace(fix.group, &row);
    if (!is_first && other->second->decision != row.decision) {
      return Error{Error::Code::kUsage, at(row),
                   Say("says {}, and line {} says {}: the two edits belong together",
                       "为 {}, 而第 {} 行为 {}: 两处修改属于一体", row.decision,
                       other->second->line, other->second->decision)};
    }
    chosen[row.decision].push_back(candidates[which]);
  }
  for (const auto& [word, fixes] : chosen) DecideAbout(fixes, word);
  if (idle > 0) {
    notes_.push_back(
        Say("{} rows with a decision are about places where nothing was edited; "
            "their decisions change nothing",
            "{} 行填写了决定, 但其所在位置没有修改; 这些决定不起作用", idle));
  }
  return std::nullopt;
}

Result<std::string> Review::Original(const std::string& file) const {
  std::error_code ignored;  // what is no folder is the file itself
  const std::string root =
      fs::is_directory(project_, ignored) ? project_ : fs::path(project_).parent_path().string();
  const FileHandle folder = OpenFolder(root.empty() ? "." : root);
  const FileHandle opened = OpenBelow(folder.get(), file, O_RDONLY | O_NONBLOCK);
  std::string bytes;
  const bool is_read = folder && opened && ReadAll(opened.get(), bytes);
  const auto known = record_.originals.find(file);
  if (is_read && known != record_.originals.end() && known->second == ContentOf(bytes).hash) {
    return bytes;
  }
  return Error{Error::Code::kUsage, file, ProjectHasChanged()};
}

std::vector<size_t> Review::NewlyRejected() const {
  std::vector<size_t> rejected;
  for (size_t i = 0; i < record_.fixes.size(); ++i) {
    const auto before = decisions_before_.find(record_.fixes[i].key());
    const bool was_rejected = before != decisions_before_.end() && before->second == kReject;
    if (IsRejected(record_.fixes[i]) && !was_rejected) rejected.push_back(i);
  }
  return rejected;
}

Result<std::string> Review::Suppressions(const std::vector<size_t>& chosen,
                                         const std::vector<std::string>& selectors,
                                         const std::string& reason) const {
  std::error_code ignored;  // what cannot be asked cannot be read either
  const fs::path file = fs::path(project_) / kPolicyFile;
  if (!fs::is_directory(project_, ignored) || fs::is_symlink(file, ignored)) {
    return Error{Error::Code::kUsage, file,
                 Say("cannot be written here: the project is a single file, or this is a link; "
                     "write the comment `transplt: ignore` into the source",
                     "无法写入: 项目是单个文件, 或此处是链接; 请在源码中写注释 "
                     "`transplt: ignore`")};
  }
  std::string text;
  const FileHandle folder = OpenFolder(project_);
  const FileHandle opened =
      OpenBelow(folder.get(), kPolicyFile, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (fs::exists(file, ignored) && (!opened || !ReadAll(opened.get(), text))) {
    return Error{Error::Code::kUsage, file, Say("cannot be read", "无法读取")};
  }
  const Result<Policy> policy = ParsePolicy(text);
  if (!policy) return policy.error();
  std::vector<Policy::DeclinedEdits> wider;
  for (const std::string& selector : selectors) {
    Policy::DeclinedEdits entry;
    if (NamesCause(selector)) {
      entry.cause = selector;
    } else {
      entry.rule = Behind("rule:", selector).value_or("");
      entry.file = Behind("file:", selector).value_or("");
    }
    const bool is_wide = !entry.cause.empty() || !entry.rule.empty() || !entry.file.empty();
    if (is_wide) wider.push_back(std::move(entry));
  }
  const auto entries = EntriesFor(*this, chosen, wider, policy->edits, reason);
  if (!entries) return entries.error();
  if (entries->empty()) return std::string();
  return WithDeclinedEdits(text, *entries);
}

Result<Done> Review::WriteSuppressions(std::string_view text) const {
  const std::string file = (fs::path(project_) / kPolicyFile).string();
  struct stat status {};
  const mode_t mode = stat(file.c_str(), &status) == 0 ? status.st_mode & 07777 : 0666;
  return AtomicWrite(file, text, mode, Existing::kReplace);
}

bool Review::Undo() {
  if (record_.earlier.empty()) return false;
  record_.decisions = std::move(record_.earlier.back());
  record_.earlier.pop_back();
  is_undone_ = true;
  return true;
}

Result<MigrationResult> Review::Write() {
  RunRecord next = record_;
  if (!is_undone_) next.earlier.push_back(decisions_before_);
  MigrationOptions options = next.options;
  options.again = &next;
  options.input = project_;
  const fs::path result(result_);
  options.output = result.parent_path();
  options.result_name = result.filename();
  options.files.output = options.output;
  options.force = true;
  options.make_launcher = make_launcher_;
  Result<MigrationResult> written = Migrate(options);
  if (written) {
    record_ = std::move(next);
    decisions_before_ = record_.decisions;
    is_undone_ = false;
  }
  return written;
}

}  // namespace transplt
