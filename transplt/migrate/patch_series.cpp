// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/patch_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "transplt/base/plain_text.h"
#include "transplt/migrate/run_record.h"
#include "transplt/report/causes.h"
#include "transplt/report/patch_mail.h"
#include "transplt/report/record_place.h"

namespace transplt {
namespace {

constexpr size_t kShownPlaces = 30;
constexpr size_t kShownReasons = 5;

/// The edits of one patch.
struct Part {
  std::string cause;
  std::vector<const RecordedFix*> fixes;

  size_t Unsafe() const {
    return static_cast<size_t>(std::ranges::count_if(fixes, [](const RecordedFix* fix) {
      return fix->record.applicability == Applicability::kUnsafe;
    }));
  }
};

/// Groups that span causes belong to the cause of their first edit.
std::vector<Part> PartsOf(const std::vector<RecordedFix>& fixes) {
  std::map<uint32_t, std::string> causes;  // by the group
  std::map<std::string, Part> by_cause;
  for (const RecordedFix& fix : fixes) {
    const std::string& cause = causes.try_emplace(fix.group, fix.record.cause).first->second;
    Part& part = by_cause[cause];
    part.cause = cause;
    part.fixes.push_back(&fix);
  }
  std::vector<Part> parts;
  for (auto& [cause, part] : by_cause) parts.push_back(std::move(part));
  std::ranges::stable_sort(parts, {}, [](const Part& part) { return part.Unsafe() > 0; });
  return parts;
}

std::string BodyOf(const Part& part) {
  const auto known = std::ranges::find(KnownCauses(), part.cause, &KnownCause::id);
  std::string body;
  if (known != KnownCauses().end()) {
    body = known->reason.en + "\n";
    if (!known->remedy.empty()) body += known->remedy.en + "\n";
  } else {
    std::vector<std::string> reasons;
    for (const RecordedFix* fix : part.fixes) {
      const std::string& reason = fix->record.message.en;
      if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
    }
    for (size_t i = 0; i < std::min(reasons.size(), kShownReasons); ++i) {
      body += OneLine(reasons[i]) + "\n";
    }
    if (reasons.size() > kShownReasons) body += "...\n";
  }
  if (part.Unsafe() > 0) {
    body += fmt::format("\nTo look at, since the object or its role is not in the text: {}.\n",
                        part.Unsafe());
  }
  body += "\n";
  for (size_t i = 0; i < std::min(part.fixes.size(), kShownPlaces); ++i) {
    const ChangeRecord& record = part.fixes[i]->record;
    body += PlaceOf("", record);
    if (record.applicability == Applicability::kUnsafe) body += " (look at it)";
    body += "\n";
  }
  if (part.fixes.size() > kShownPlaces) {
    body += fmt::format("... and {} more\n", part.fixes.size() - kShownPlaces);
  }
  return body;
}

std::string SubjectOf(const Part& part) {
  std::set<std::string_view> files;
  for (const RecordedFix* fix : part.fixes) files.insert(fix->record.file);
  return fmt::format("{}: {} edits in {} files", part.cause, part.fixes.size(), files.size());
}

/// The mails, one part after the other.
class Series {
 public:
  Series(const RunResult& run, const PatchSource& source) : run_(run), source_(source) {}

  Result<std::vector<std::pair<std::string, std::string>>> Make() {
    const std::vector<RecordedFix> fixes = Made();
    for (const RecordedFix& fix : fixes) left_[fix.key()] = kReject;
    for (const auto& [name, content] : source_.added) {
      PatchMail mail{.subject = name + ": the edits below need this module"};
      mail.files.push_back({name, "", content, true});
      mails_.emplace_back(std::move(mail), name);
    }
    for (const Part& part : PartsOf(fixes)) {
      PatchMail mail{.subject = SubjectOf(part), .body = BodyOf(part)};
      std::set<std::string> files;
      for (const RecordedFix* fix : part.fixes) {
        left_.erase(fix->key());
        files.insert(fix->record.file);
      }
      for (const std::string& path : files) {
        if (auto error = Add(path, mail)) return *error;
      }
      if (!mail.files.empty()) mails_.emplace_back(std::move(mail), part.cause);
    }
    if (auto error = AddWhatFollowsAlone()) return *error;
    std::vector<std::pair<std::string, std::string>> texts;
    for (size_t i = 0; i < mails_.size(); ++i) {
      auto& [mail, cause] = mails_[i];
      mail.number = i + 1;
      mail.count = mails_.size();
      texts.emplace_back(FileNameOf(mail, cause), TextOf(mail));
    }
    return texts;
  }

 private:
  /// The edits that are in the result.
  std::vector<RecordedFix> Made() const {
    std::vector<RecordedFix> fixes = FixesOf(run_);
    std::set<FixKey> rejected;
    for (const ChangeRecord& record : run_.rejected) {
      rejected.insert({record.file, record.range, record.rule_id});
    }
    std::erase_if(fixes, [&](const RecordedFix& fix) { return rejected.contains(fix.key()); });
    return fixes;
  }

  /// The edits of files that have no others: `torch_npu.npu.set_compile_mode()` at the entry.
  std::optional<Error> AddWhatFollowsAlone() {
    std::map<std::string, std::set<std::string>> files;  // by the cause
    for (const ChangeRecord& record : run_.records) {
      if (record.follows && !texts_.contains(record.file)) files[record.cause].insert(record.file);
    }
    for (const auto& [cause, paths] : files) {
      PatchMail mail{.subject = fmt::format("{}: {} files", cause, paths.size())};
      for (const std::string& path : paths) {
        if (auto error = Add(path, mail)) return error;
      }
      if (!mail.files.empty()) mails_.emplace_back(std::move(mail), cause);
    }
    return std::nullopt;
  }

  /// Adds what the edits that are not left any more make of `path`.
  std::optional<Error> Add(const std::string& path, PatchMail& mail) {
    const Result<std::string> original = source_.original(path);
    if (!original) return original.error();
    std::string& now = texts_.try_emplace(path, *original).first->second;
    std::string next = source_.migrated(path, *original, left_).value_or(*original);
    if (next == now) return std::nullopt;
    mail.files.push_back({path, std::exchange(now, next), next});
    return std::nullopt;
  }

  const RunResult& run_;
  const PatchSource& source_;
  FixDecisions left_;                         // the edits of the patches to come, as rejected
  std::map<std::string, std::string> texts_;  // after the patches so far
  std::vector<std::pair<PatchMail, std::string>> mails_;
};

}  // namespace

Result<std::vector<std::pair<std::string, std::string>>> PatchSeries(const RunResult& run,
                                                                     const PatchSource& source) {
  return Series(run, source).Make();
}

}  // namespace transplt
