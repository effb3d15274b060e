// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/batch/project_record.h"
#include "transplt/project/folder_handle.h"

namespace transplt {

/// Where one record stands in a file of results.
struct RecordPlace {
  size_t number = 0;    ///< of the project
  uint64_t offset = 0;  ///< in bytes
  uint64_t size = 0;    ///< with the line end
};

/// Reads a file of results line by line. `take` gets each record and its place; an Error that it
/// returns ends the reading. A last line without its end was cut off by a kill and is left out;
/// another line that is no record is an Error.
Result<Done> ReadResults(
    const std::string& path,
    const std::function<std::optional<Error>(const RecordHead&, std::string_view line,
                                             const RecordPlace& place)>& take);

/// The file to which a batch appends its records. Only places are kept in memory, no records.
class ResultsFile {
 public:
  /// The number that a record of an earlier run has now; nothing if it is to be left out.
  using Keep = std::function<Result<std::optional<size_t>>(const RecordHead&)>;

  /// Opens or creates the file. Records that are there go through `keep`, and an Error of it leaves
  /// the file as it was; `with_run` says whether they keep what differs from run to run.
  static Result<ResultsFile> Open(const std::string& path, const Keep& keep, bool with_run);

  /// Appends a record (with its line end). What a full disk leaves of a line is taken off again.
  Result<Done> Append(size_t number, std::string_view line);
  /// Writes the records anew in the order of their numbers, and renames.
  Result<Done> Sort();

 private:
  ResultsFile(std::string path, FileHandle file) : path_(std::move(path)), file_(std::move(file)) {}
  Error CannotWrite(int number) const;

  std::string path_;
  FileHandle file_;
  uint64_t size_ = 0;
  std::vector<RecordPlace> places_;
};

}  // namespace transplt
