// SPDX-License-Identifier: Apache-2.0
#include "transplt/lsp/open_project.h"

#include <algorithm>
#include <filesystem>

#include "transplt/analysis/evidence.h"

namespace transplt {

OpenProject::OpenProject(std::string input, MigrationOptions conversion)
    : options_(std::move(conversion)) {
  options_.input = std::move(input);
  std::error_code ignored;  // what is no folder is reported by Update
  const std::filesystem::path path = options_.input;
  root_ =
      std::filesystem::is_directory(path, ignored) ? path.string() : path.parent_path().string();
}

std::optional<Error> OpenProject::Update(std::shared_ptr<const OpenTexts> texts,
                                         const std::atomic<bool>* cancelled) {
  rows_.clear();
  fixes_.clear();
  analyzed_.reset();
  options_.files.open_texts = std::move(texts);
  MigrationOptions options = options_;
  options.cancelled = options.files.cancelled = cancelled;
  options.with_values = true;
  Result<MigrationResult> result = Migrate(options);
  if (!result) return result.error();
  fixes_ = FixesOf(result->run);
  std::map<FixKey, uint32_t> groups;
  for (const RecordedFix& fix : fixes_) groups.try_emplace(fix.key(), fix.group);
  for (ChangeRecord& record : result->run.records) {
    if (record.follows) continue;
    const auto group = groups.find({record.file, record.range, record.rule_id});
    const bool edits = record.applicability != Applicability::kDisplayOnly && group != groups.end();
    rows_.push_back({std::move(record), edits ? group->second : 0});
  }
  return std::nullopt;
}

std::string OpenProject::Relative(const std::string& path) const {
  const std::string folder = root_ + "/";
  return path.starts_with(folder) ? path.substr(folder.size()) : std::string();
}

std::vector<const OpenProject::Row*> OpenProject::RowsOf(const std::string& path) const {
  const std::string file = Relative(path);
  std::vector<const Row*> found;
  for (const Row& row : rows_) {
    if (row.record.file == file && !file.empty()) found.push_back(&row);
  }
  return found;
}

std::vector<const OpenProject::Row*> OpenProject::RowsOf(uint32_t group) const {
  std::vector<const Row*> found;
  for (const Row& row : rows_) {
    if (row.group == group && group != 0) found.push_back(&row);
  }
  return found;
}

Result<std::map<std::string, std::vector<Edit>>> OpenProject::EditsOf(
    const std::set<uint32_t>& groups) const {
  FixDecisions decisions;
  std::set<FixKey> wanted;
  std::set<std::string> files;
  for (const RecordedFix& fix : fixes_) {
    if (groups.contains(fix.group)) {
      files.insert(fix.record.file);
      wanted.insert(fix.key());
    } else {
      decisions[fix.key()] = kReject;
    }
  }
  MigrationOptions options = options_;
  options.decisions = &decisions;
  options.with_edits = true;
  Result<MigrationResult> result = Migrate(options);
  if (!result) return result.error();
  for (const ChangeRecord& record : result->run.records) {
    const bool edits = record.applicability != Applicability::kDisplayOnly && !record.follows;
    if (edits && !wanted.contains({record.file, record.range, record.rule_id})) {
      return Error{Error::Code::kBadInput, record.file, ProjectHasChanged()};
    }
  }
  std::map<std::string, std::vector<Edit>> edits;
  for (auto& [file, of_file] : result->edits) {
    // The entry of a program gets a statement even if all of its edits are rejected.
    if (files.contains(file)) edits[PathOf(file)] = std::move(of_file);
  }
  return edits;
}

Result<Text> OpenProject::EvidenceAt(const std::string& path, uint32_t offset) {
  if (analyzed_ == nullptr) {
    AnalysisOptions options;
    options.input = options_.input;
    options.torch_version = options_.torch_version;
    options.torch_npu = options_.torch_npu;
    options.files = options_.files;
    Result<std::unique_ptr<const AnalyzedProject>> opened =
        AnalyzedProject::Open(std::move(options));
    if (!opened) return opened.error();
    analyzed_ = *std::move(opened);
  }
  const std::string file = Relative(path);
  const std::shared_ptr<const OpenedFile> source = analyzed_->index().Open(file);
  const LineColumn place = source == nullptr ? LineColumn() : source->source().Locate(offset);
  return transplt::EvidenceAt(*analyzed_, file, place);
}

}  // namespace transplt
