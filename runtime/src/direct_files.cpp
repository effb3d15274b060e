// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/direct_files.h"

#include <sys/stat.h>

#include <utility>

namespace transplt::capture {

void DirectFiles::SetPlace(const std::string& root, transplt_format format, Existing existing) {
  root_ = root;
  format_ = format;
  existing_ = existing;
}

std::string DirectFiles::PathOf(const RecordMeta& meta) const {
  return WithoutDoubleSlashes(root_ + "/" + meta.name + EndingOf(format_));
}

bool DirectFiles::Begin(std::string_view meta) {
  file_.reset();
  if (!RecordMeta::Parse(meta, &meta_)) return false;
  const std::string path = PathOf(meta_);
  if (!IsFree(path)) return false;
  file_.emplace();
  if (!file_->Create(meta_, format_, path).ok()) file_.reset();
  return file_.has_value();
}

bool DirectFiles::IsFree(const std::string& path) const {
  struct stat what {};
  return ::lstat(path.c_str(), &what) != 0 ||
         (existing_ == Existing::kReplace && S_ISREG(what.st_mode));
}

void DirectFiles::Take(std::string_view piece) { file_->Take(piece); }

void DirectFiles::End(bool is_complete) {
  if (is_complete) {
    Status status = file_ ? file_->Finish() : Status{};
    const std::lock_guard lock(mutex_);
    if (!file_) {
      outcome_.stayed.push_back({PathOf(meta_), meta_.bytes});
    } else if (status.ok()) {
      ++outcome_.files;
    } else {
      ++outcome_.lost_records;
      outcome_.lost_bytes += meta_.bytes;
      if (outcome_.first_error.ok()) outcome_.first_error = std::move(status);
    }
  }
  file_.reset();
  ++ended_;
}

DirectFiles::Outcome DirectFiles::Collect() {
  const std::lock_guard lock(mutex_);
  return std::exchange(outcome_, {});
}

}  // namespace transplt::capture
