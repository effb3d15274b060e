// SPDX-License-Identifier: Apache-2.0
#include "transplt/batch/project_worker.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "transplt/batch/manifest.h"
#include "transplt/batch/project_record.h"
#include "transplt/batch/tree_digest.h"
#include "transplt/project/file_error.h"
#include "transplt/project/folder_handle.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

/// `text` with `to` for every `from`.
std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  if (from.empty()) return text;
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

class Worker {
 public:
  explicit Worker(const ProjectJob& job) : job_(job), input_(job.location) {}

  std::string Run() {
    if (const auto error = FindInput()) {
      const bool is_disk = error->code == Error::Code::kIo;
      return ErrorBody(is_disk ? ProjectOutcome::kFailed : ProjectOutcome::kUnreadable,
                       ForRecord(*error));
    }
    MigrationOptions options = *job_.options;
    options.with_record = false;  // shards and resumed runs give the same bytes
    options.input = input_;
    options.output = job_.output;
    options.files.output = job_.output;
    options.jobs = 1;
    const Result<MigrationResult> result = Migrate(options);
    if (!result) return ErrorBody(ProjectOutcome::kFailed, ForRecord(result.error()));
    const RunResult& run = result->run;
    if (run.output.empty()) return MigrationBody(run, "", "");
    const Result<std::string> digest = DigestOfTree(run.output);
    if (!digest) return ErrorBody(ProjectOutcome::kFailed, ForRecord(digest.error()));
    return MigrationBody(run, job_.output_prefix + "/" + std::string(LastName(run.output)),
                         *digest);
  }

 private:
  /// The error without paths that differ from run to run.
  Error ForRecord(Error error) const {
    for (std::string* text : {&error.where, &error.what.en, &error.what.zh}) {
      *text = Replaced(*text, unpacked_, job_.path);
      *text = Replaced(*text, job_.output, job_.output_prefix);
      if (job_.location != job_.path) *text = Replaced(*text, job_.location, job_.path);
    }
    return error;
  }

  Error CannotRead(int number) const {
    return FileError(job_.path, Say("cannot read the project", "无法读取项目"), number,
                     Error::Code::kBadInput);
  }

  std::optional<Error> FindInput() {
    struct stat status {};
    if (stat(job_.location.c_str(), &status) != 0) return CannotRead(errno);
    if (S_ISDIR(status.st_mode)) {
      if (!OpenFolder(job_.location)) return CannotRead(errno);
      return std::nullopt;
    }
    if (!S_ISREG(status.st_mode)) {
      return Error{Error::Code::kBadInput, job_.path,
                   Say("this is neither a folder nor a file", "既不是文件夹也不是文件")};
    }
    if (access(job_.location.c_str(), R_OK) != 0) return CannotRead(errno);
    if (IsArchiveName(job_.location)) return Unpack();
    return std::nullopt;
  }

  std::optional<Error> Unpack() {
    // The result is called after this folder.
    const std::string stem = StemOf(job_.location);
    unpacked_ = job_.work + "/" + (stem == "." || stem == ".." ? "project" : stem);
    std::error_code error;
    fs::create_directories(unpacked_, error);
    if (error) {
      return FileError(unpacked_, Say("cannot make the work folder", "无法创建工作目录"),
                       error.value());
    }
    const Result<Done> done = UnpackArchive(job_.location, unpacked_, job_.limits);
    if (!done) return done.error();
    input_ = unpacked_;
    // Most archives hold one folder, and that is the project.
    fs::directory_iterator at(unpacked_, error);
    if (error || at == fs::directory_iterator()) return std::nullopt;
    const fs::path first = at->path();
    const bool is_only = at.increment(error) == fs::directory_iterator() && !error;
    if (is_only && fs::is_directory(fs::symlink_status(first, error))) input_ = first.string();
    return std::nullopt;
  }

  const ProjectJob& job_;
  std::string input_;
  std::string unpacked_;
};

}  // namespace

std::string MigrateProject(const ProjectJob& job) { return Worker(job).Run(); }

}  // namespace transplt
