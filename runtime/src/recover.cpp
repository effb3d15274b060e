// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/recover.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "runtime/src/exporter.h"
#include "runtime/src/run_folder.h"

namespace transplt::capture {
namespace {

void Keep(Status status, Status* first) {
  if (first->ok()) *first = std::move(status);
}

Status RecoverSegment(const std::string& path, const std::string& root, uint64_t* files) {
  SegmentReader segment;
  if (Status status = segment.Open(path); !status.ok()) return status;
  Status first = segment.damage();
  if (segment.has_layout()) {
    Layout layout = segment.layout();
    layout.root = root;
    const ExportResult result =
        Export(segment, layout, segment.step().value_or(layout.next_step), Existing::kReplace);
    *files += result.files;
    // What has not become a file stays for another recovery.
    if (!result.first_error.ok()) return result.first_error;
    Keep(result.first_refusal, &first);
    if (Status status = SyncFileSystem(root); !status.ok()) return status;
  }
  if (!segment.damage().ok()) {
    Keep(SetAside(path), &first);
  } else if (::unlink(path.c_str()) != 0) {
    Keep(IoError(path, errno), &first);
  }
  return first;
}

/// What a process was writing when it ended has a name that only it gives.
void RemoveUnfinished(const std::string& root, const std::string& process) {
  if (process.empty()) return;
  const std::string prefix = ".tmp-" + process + "-";
  std::error_code ignored;
  std::filesystem::recursive_directory_iterator entry(
      root, std::filesystem::directory_options::skip_permission_denied, ignored);
  for (; entry != std::filesystem::recursive_directory_iterator(); entry.increment(ignored)) {
    if (entry->path().filename().native().starts_with(prefix)) {
      ::unlink(entry->path().c_str());
    }
  }
}

}  // namespace

Status SetAside(const std::string& segment) {
  struct stat what {};
  std::string aside = segment + ".damaged";
  for (int i = 1; ::stat(aside.c_str(), &what) == 0; ++i) {
    aside = segment + ".damaged." + std::to_string(i);
  }
  return std::rename(segment.c_str(), aside.c_str()) == 0 ? Status{} : IoError(segment, errno);
}

Status Recover(const std::string& root, uint64_t* files) {
  struct stat what {};
  if (::stat(root.c_str(), &what) != 0) return IoError(root, errno);
  if (!S_ISDIR(what.st_mode)) return {TRANSPLT_IO, root + ": is not a folder"};
  Status first;
  for (const std::string& folder : LogFoldersIn(root)) {
    LogFolder log;
    if (Status held = log.Hold(folder, "recover it when that has ended"); !held.ok()) {
      Keep(std::move(held), &first);
      continue;
    }
    RemoveUnfinished(root, log.former_process());
    for (const std::string& path : log.Segments()) Keep(RecoverSegment(path, root, files), &first);
    log.Leave();
  }
  return first;
}

}  // namespace transplt::capture
