// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/engine/file_context.h"

namespace transplt {

/// The APIs of libraries that an analysis by third_party has found unsupported, as its
/// full_unsupported_results.csv lists them.
class LibraryApis {
 public:
  /// Adds the rows of a CSV file with a column "3rd-party API", and "Message" and "File" if there
  /// are any. `path` is for errors.
  Result<Done> Add(const std::string& path, std::string_view csv);

  bool empty() const { return messages_.empty(); }
  /// Why the API called `name` is unsupported; null if it is not listed.
  const std::string* Find(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> messages_;
};

/// The places in a file that use one of `apis`: name nodes and the names of the APIs.
std::vector<std::pair<Node, std::string>> LibraryApiUses(const FileContext& file,
                                                         const LibraryApis& apis);

}  // namespace transplt
