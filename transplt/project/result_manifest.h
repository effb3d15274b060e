// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "transplt/project/file_content.h"

namespace transplt {

/// The mark of a folder that transplt has written, in its root. Without it --force does not
/// replace the folder. It is empty while the folder is being written.
inline constexpr const char* kManifestFile = ".transplt-manifest.json";

/// What `transplt review` knows about the run, in the root of a result.
inline constexpr const char* kReviewFile = ".transplt-review.json";

/// What transplt has written into a result folder, so that what a person has changed in it since
/// can be told.
class ResultManifest {
 public:
  void AddFile(const std::string& path, FileContent content);
  /// A file so large that reading it for its hash would cost time: known by size and time of its
  /// last change, in nanoseconds.
  void AddLargeFile(const std::string& path, uint64_t size, int64_t modified);
  void AddLink(const std::string& path, const std::string& target);

  std::string ToJson() const;

  /// The manifest of the open folder; nothing if it has none, or one that is not whole.
  static std::optional<ResultManifest> Read(int folder);

  /// True if the open folder holds a file or link that was not written so, or that cannot be
  /// read. What is missing, empty folders, and the cache of Python do not count.
  bool HasForeignContent(int folder) const;

  /// What was changed, added or removed in the open folder since, sorted; but for the cache of
  /// Python. A folder that cannot be read counts as changed.
  std::vector<std::string> Differences(int folder) const;

 private:
  struct Entry {
    uint64_t size = 0;
    std::string hash;      ///< empty for a large file
    int64_t modified = 0;  ///< of a large file
    std::optional<std::string> link;
  };
  /// Calls `visit` for each path in the folder that is not one, and for folders that cannot be
  /// read, until it returns false.
  static void Walk(int folder, const std::function<bool(const std::string&, bool is_read)>& visit);
  bool IsAsWritten(int folder, const std::string& path) const;

  std::map<std::string, Entry> entries_;
};

}  // namespace transplt
