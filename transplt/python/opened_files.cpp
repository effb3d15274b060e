// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/opened_files.h"

#include "transplt/python/project_index.h"

namespace transplt {

OpenedFile::OpenedFile(std::unique_ptr<const SourceFile> source, SyntaxTree tree,
                       const ModuleExports* exports)
    : source_(std::move(source)), tree_(std::move(tree)), exports_(exports) {
  tree_.GiveUpParsingOn();
}

const NameTable& OpenedFile::names() const {
  std::call_once(names_made_, [this] {
    const std::string& path = source_->path();
    names_ = std::make_unique<NameTable>(tree_, ProjectIndex::ModuleName(path),
                                         ProjectIndex::IsPackage(path), exports_);
  });
  return *names_;
}

size_t OpenedFile::memory() const {
  // The table of names needs about as much as the tree, and the places of all names as well.
  return source_->bytes().size() + 3 * tree_.memory();
}

OpenedFiles::Pointer OpenedFiles::Get(const std::string& path,
                                      const std::function<Pointer()>& open) {
  const std::shared_ptr<Place> place = PlaceOf(path);
  std::call_once(place->opened, [&] {
    place->file = open();
    Count(place);
  });
  return place->file;
}

bool OpenedFiles::IsNearlyFull() {
  const std::lock_guard lock(mutex_);
  return used_ > limit_ / 10 * 9;
}

std::shared_ptr<OpenedFiles::Place> OpenedFiles::PlaceOf(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto known = by_path_.find(path); known != by_path_.end()) {
    places_.splice(places_.begin(), places_, known->second);
  } else {
    places_.push_front(std::make_shared<Place>(path));
    by_path_.emplace(places_.front()->path, places_.begin());
  }
  return places_.front();
}

void OpenedFiles::Count(const std::shared_ptr<Place>& place) {
  const size_t memory = place->file == nullptr ? 0 : place->file->memory();
  const std::lock_guard lock(mutex_);
  const auto known = by_path_.find(place->path);
  // Other threads may have asked for so much else that this file is forgotten already.
  if (known == by_path_.end() || *known->second != place) return;
  place->memory = memory;
  used_ += memory;
  while (used_ > limit_ && places_.size() > 1) {
    used_ -= places_.back()->memory;
    by_path_.erase(places_.back()->path);
    places_.pop_back();
  }
}

}  // namespace transplt
