// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "transplt/python/name_table.h"

namespace transplt {

/// Another file of the project, read for a question that a summary cannot answer. Safe to use from
/// several threads.
class OpenedFile {
 public:
  /// `tree` is that of `source`; `exports` must outlive the file.
  OpenedFile(std::unique_ptr<const SourceFile> source, SyntaxTree tree,
             const ModuleExports* exports);

  const SourceFile& source() const { return *source_; }
  const SyntaxTree& tree() const { return tree_; }
  /// Created on first use.
  const NameTable& names() const;
  /// Bytes that the file and its tree occupy, roughly.
  size_t memory() const;

 private:
  std::unique_ptr<const SourceFile> source_;
  SyntaxTree tree_;  // points to *source_
  const ModuleExports* exports_;
  mutable std::once_flag names_made_;
  mutable std::unique_ptr<const NameTable> names_;
};

/// The files that were opened last, so that each is parsed once while questions about it come one
/// after the other. Files that do not fit into `limit` bytes together are forgotten, the ones that
/// were not asked for longest first; the file that was asked for last stays whatever its size.
class OpenedFiles {
 public:
  using Pointer = std::shared_ptr<const OpenedFile>;

  explicit OpenedFiles(size_t limit) : limit_(limit) {}

  /// The file `path`, which `open` reads if it is not kept; null if that gives null. Threads that
  /// ask for one file at the same time wait for one of them to open it.
  Pointer Get(const std::string& path, const std::function<Pointer()>& open);

  /// True if little more can be kept before files are forgotten.
  bool IsNearlyFull();

 private:
  struct Place {
    explicit Place(std::string of) : path(std::move(of)) {}
    const std::string path;
    std::once_flag opened;
    Pointer file;
    size_t memory = 0;  // once `file` counts in used_
  };

  std::shared_ptr<Place> PlaceOf(const std::string& path);
  void Count(const std::shared_ptr<Place>& place);

  const size_t limit_;
  std::mutex mutex_;                          // of the members below
  std::list<std::shared_ptr<Place>> places_;  // those asked for last stand in front
  std::unordered_map<std::string_view, std::list<std::shared_ptr<Place>>::iterator> by_path_;
  size_t used_ = 0;
};

}  // namespace transplt
