// SPDX-License-Identifier: Apache-2.0
#include "transplt/batch/results_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "transplt/project/file_error.h"

namespace transplt {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// Lines of a file, one after the other.
class LineReader {
 public:
  explicit LineReader(const std::string& path) : file_(std::fopen(path.c_str(), "rbe")) {}
  ~LineReader() { std::free(line_); }
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  bool is_open() const { return file_ != nullptr; }
  bool has_failed() const { return std::ferror(file_.get()) != 0; }

  /// With its line end; nothing at the end of the file.
  std::optional<std::string_view> Next() {
    const ssize_t size = getline(&line_, &room_, file_.get());
    if (size <= 0) return std::nullopt;
    return std::string_view(line_, static_cast<size_t>(size));
  }

 private:
  std::unique_ptr<std::FILE, CloseFile> file_;
  char* line_ = nullptr;
  size_t room_ = 0;
};

/// The file that takes the place of another one once it is complete.
FileHandle OpenSuccessor(const std::string& path) {
  return FileHandle(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
}

}  // namespace

Result<Done> ReadResults(
    const std::string& path,
    const std::function<std::optional<Error>(const RecordHead&, std::string_view line,
                                             const RecordPlace& place)>& take) {
  const Text what = Say("cannot read the results", "无法读取结果记录");
  LineReader reader(path);
  if (!reader.is_open()) return FileError(path, what, errno, Error::Code::kUsage);
  uint64_t offset = 0;
  for (size_t number = 1;; ++number) {
    const std::optional<std::string_view> line = reader.Next();
    if (!line || !line->ends_with('\n')) break;
    const std::optional<RecordHead> head = ReadRecordHead(*line);
    if (!head) {
      return Error{Error::Code::kUsage, fmt::format("{}:{}", path, number),
                   Say("this line is no record of transplt batch; repair or remove it",
                       "该行不是 transplt batch 的记录; 请修复或删除")};
    }
    if (auto error = take(*head, *line, {head->number, offset, line->size()})) return *error;
    offset += line->size();
  }
  if (reader.has_failed()) return FileError(path, what, EIO, Error::Code::kUsage);
  return Done();
}

Result<ResultsFile> ResultsFile::Open(const std::string& path, const Keep& keep, bool with_run) {
  const std::string successor = path + ".partial";
  ResultsFile results(path, OpenSuccessor(successor));
  if (!results.file_) return results.CannotWrite(errno);
  if (access(path.c_str(), F_OK) == 0) {
    const Result<Done> done = ReadResults(path,
                                          [&](const RecordHead& head, std::string_view line,
                                              const RecordPlace&) -> std::optional<Error> {
                                            const Result<std::optional<size_t>> number = keep(head);
                                            if (!number) return number.error();
                                            if (!*number) return std::nullopt;
                                            const Result<Done> kept = results.Append(
                                                **number, AdaptedRecord(line, **number, with_run));
                                            if (!kept) return kept.error();
                                            return std::nullopt;
                                          });
    if (!done) {
      unlink(successor.c_str());
      return done.error();
    }
  }
  if (rename(successor.c_str(), path.c_str()) != 0) return results.CannotWrite(errno);
  return results;
}

Error ResultsFile::CannotWrite(int number) const {
  return FileError(path_, Say("cannot write the results", "无法写入结果记录"), number);
}

Result<Done> ResultsFile::Append(size_t number, std::string_view line) {
  if (!WriteAll(file_.get(), line)) {
    const int reason = errno;
    // The next run would leave a part of a line out as well.
    const auto size = static_cast<off_t>(size_);
    if (ftruncate(file_.get(), size) == 0) lseek(file_.get(), size, SEEK_SET);
    return CannotWrite(reason);
  }
  places_.push_back({number, size_, line.size()});
  size_ += line.size();
  return Done();
}

Result<Done> ResultsFile::Sort() {
  const auto is_before = [](const RecordPlace& a, const RecordPlace& b) {
    return a.number < b.number;
  };
  if (std::is_sorted(places_.begin(), places_.end(), is_before)) return Done();
  std::sort(places_.begin(), places_.end(), is_before);
  const std::string successor = path_ + ".partial";
  FileHandle sorted = OpenSuccessor(successor);
  if (!sorted) return CannotWrite(errno);
  std::string line;
  uint64_t offset = 0;
  for (RecordPlace& place : places_) {
    line.resize(place.size);
    const ssize_t got =
        pread(file_.get(), line.data(), line.size(), static_cast<off_t>(place.offset));
    if (got != static_cast<ssize_t>(line.size())) return CannotWrite(got < 0 ? errno : EIO);
    if (!WriteAll(sorted.get(), line)) return CannotWrite(errno);
    place.offset = offset;
    offset += place.size;
  }
  if (rename(successor.c_str(), path_.c_str()) != 0) return CannotWrite(errno);
  file_ = std::move(sorted);
  return Done();
}

}  // namespace transplt
