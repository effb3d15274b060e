// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/project/read_log.h"

namespace transplt {

/// Which files of the input belong into the result.
enum class CopyMode {
  kProject,  ///< all but ignored ones, version control and environments
  kAll,      ///< ignored ones, version control and environments too, as they are
  kChanged,  ///< only what the migration changes; found as with kProject
};

/// Texts that stand for files, whatever the disk holds: the open buffers of an editor. By their
/// absolute paths without links.
using OpenTexts = std::map<std::string, std::string>;

struct FileSelection {
  /// Patterns as in .gitignore, relative to the root; see PathSelection. They decide what is
  /// migrated: a Python file (see IsPythonScript) that is not selected is an entry of kind kOther.
  std::vector<std::string> include = {};
  std::vector<std::string> exclude = {};
  CopyMode copy = CopyMode::kProject;
  /// The folder that the result is written to, never walked; empty if nothing is written.
  std::string output = {};
  /// What is read instead of files; a file that the disk does not hold yet is one of the project,
  /// too. May be null.
  std::shared_ptr<const OpenTexts> open_texts = {};
  /// Is told what is found and read. May be null.
  std::shared_ptr<ReadLog> reads = {};
  /// Ends the search, with an Error, when it becomes true. May be null.
  const std::atomic<bool>* cancelled = nullptr;
};

/// One thing in the input: a file, a link, or something that could not be looked at.
struct ProjectEntry {
  enum class Kind {
    kMigratable,  ///< Python that is to be migrated
    kOther,       ///< copied as it is
    kLink,        ///< leads to a place inside the input: kept as a link
    kSkipped,     ///< neither read nor copied, `reason` says why
  };
  std::string path = {};  ///< relative to the root, with '/'; the bytes on disk, maybe not UTF-8
  Kind kind = Kind::kOther;
  bool selected = true;  ///< false for what include and exclude, or git, leave out
  Text reason = {};
  /// Of a kLink: what the link says, except that a way through the outside (an absolute path, or
  /// one that names the input's own folder) is given as the way inside, so that a copy of the
  /// link leads into the copy.
  std::string link_target = {};
  mode_t mode = 0;  ///< permission bits
  uint64_t size = 0;
};

/// What a run has to work on. All lists are sorted by bytes.
struct ProjectFiles {
  std::string root;      ///< absolute, without links; for a file the folder that holds it
  std::string name;      ///< the folder's name, or the stem of the file
  bool is_file = false;  ///< the input is one file, not a folder
  std::vector<ProjectEntry> entries;
  /// Every folder that belongs to the project, also empty ones, without the root.
  std::vector<std::string> folders;
  uint64_t ignored_files = 0;  ///< left out; those inside ignored_folders are not counted
  std::vector<std::string> ignored_folders;  ///< left out and not looked into, with '/' at the end
  std::vector<Text> notes;  ///< what a person should know about how the files were found
  std::map<std::string, std::string> texts = {};  ///< what is read instead of these entries
  std::shared_ptr<ReadLog> reads = {};            ///< that of the selection
};

/// Finds the files of `input`, a file or a folder. Ignored is what git ignores (as if the folder
/// were a repository when it is none), whatever the user's own git settings are, and environments
/// and build trees, known by their marker files. A file that git tracks is never ignored, nor,
/// where there is no git to ask, a source that may be tracked: see ProjectWalk. Nothing is written,
/// and no link is followed except `input` itself.
Result<ProjectFiles> FindProjectFiles(const std::string& input, const FileSelection& selection);

/// The bytes of an entry of kind kMigratable or kOther; kBadInput if it cannot be read (any more).
Result<std::string> ReadProjectFile(const ProjectFiles& project, const ProjectEntry& entry);

/// The same for the file `path`; kBadInput, too, if the project has none.
Result<std::string> ReadProjectFile(const ProjectFiles& project, std::string_view path);

/// The entry of the file `path`, or null.
const ProjectEntry* FindEntry(const ProjectFiles& project, std::string_view path);

}  // namespace transplt
