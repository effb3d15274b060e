// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "transplt/base/finding.h"
#include "transplt/base/source_file.h"

namespace transplt {

/// A row of every report: one edit that was made, or one thing that was found and left alone.
/// Lines and columns are those of the original file, counted from 1; all text is UTF-8.
struct ChangeRecord {
  std::string file;         ///< relative to the project's root, with '/'
  uint32_t start_line = 0;  ///< 0 when the record is about the whole file
  uint32_t end_line = 0;
  uint32_t column = 0;
  Operation operation = Operation::kModify;
  Text message;
  std::string rule_id;
  std::string cause;  ///< records with one cause have one reason and one remedy; else `rule_id`
  Severity severity = Severity::kNote;  ///< of a record that edits nothing
  Applicability applicability = Applicability::kSafe;
  /// Which of RunResult::programs reach it; of a record that edits nothing.
  std::vector<uint32_t> programs = {};
  /// If none of them does as it stands: what has to be set, "--use_tpu".
  std::set<std::string> settings = {};
  /// It is in code of Python that none of them gets to, even if each makes objects of all classes
  /// that it loads; of a record that edits nothing.
  bool is_unused = false;
  std::string before;       ///< the text that the finding is about
  std::string after;        ///< what replaces it; empty when nothing is edited
  std::string source_line;  ///< the first original line, for messages on a terminal
  TextRange range = {};     ///< what it is about, in the text in which the rules have found it
  /// The values that the edit is about, by name: edits that share one belong together. Of a row
  /// about a package its name.
  std::vector<std::string> values = {};
  bool follows = false;  ///< an edit that is there only because others need it: an import
  Unimported unimported = Unimported::kStays;  ///< see Finding
  std::vector<std::string> needed_by = {};     ///< see Finding
  std::string decision = {};  ///< of a person, about the edit: "accept", "reject"; else empty
};

/// Code behind a condition that goes on asking for CUDA: no NPU gets to it.
struct CodeForCuda {
  uint32_t first_line = 0;
  uint32_t last_line = 0;
  std::string text;  ///< of a part of one line; else empty: the lines as a whole
};

/// What became of one file of the input.
struct FileOutcome {
  enum class Status {
    kMigrated,   ///< at least one edit was made
    kUnchanged,  ///< read, and nothing to edit
    kCopied,     ///< not a file type that is migrated: copied as it is
    kSkipped,    ///< could not be looked at, `reason` says why
    kFailed,     ///< the migration went wrong: the original was kept, `reason` says why
  };
  std::string file;
  Status status = Status::kUnchanged;
  Text reason;
  uint32_t edits = 0;      ///< edits that were made
  uint32_t left_open = 0;  ///< things found and left for a person
  std::vector<CodeForCuda> for_cuda = {};
};

/// A program of the project, and what its code shows about a start on an NPU.
struct ProgramOutcome {
  enum class Verdict : uint8_t {
    kStarts,   ///< nothing that it reaches stops it, as far as the source shows
    kStops,    ///< something stops it for certain
    kUnknown,  ///< something stops it if it is reached, or a part could not be read
    kLeftOut,  ///< it is of a framework that the run leaves as it is
  };
  std::string path;                 ///< "tools/train.py"
  std::string module = {};          ///< "package.train", where it is started with `python -m`
  std::string working_folder = {};  ///< relative to the root; "" for the root itself
  /// The module that starts its processes, "torch.distributed.run"; "" if one process is enough.
  std::string launcher = {};
  std::string framework = {};  ///< that it uses, "pytorch": that of the run first; or ""
  bool trains = false;         ///< it changes the parameters of a model
  /// Its path is that of a test, nothing of the project starts it, and it takes no options.
  bool is_test = false;
  Verdict verdict = Verdict::kStarts;
  /// Ids of the causes that the verdict is about.
  std::vector<std::string> causes = {};
  /// Of a program that stops for certain: ids of what may stop it after that.
  std::vector<std::string> further = {};
  /// What stops it only where a person sets something.
  struct Optional {
    std::string cause;
    std::set<std::string> settings;  ///< one of these: "--use_tpu", "config.use_tpu"
  };
  std::vector<Optional> optional = {};
  /// Packages that it imports in any case and of which nothing is known.
  std::vector<std::string> unknown_packages = {};
  /// Ids of the causes of lines for CUDA alone in it, which a project that serves NPUs keeps.
  std::vector<std::string> cuda_lines = {};
};

/// "starts", "stops", "unknown", "left-out".
std::string_view Name(ProgramOutcome::Verdict verdict);
std::string_view Name(FileOutcome::Status status);  ///< "migrated", "unchanged", ...

/// Order of every report: file, line, column, then what is written.
void SortRecords(std::vector<ChangeRecord>& records);

/// Everything that a run has to tell. The reports are written from this and nothing else.
struct RunResult {
  std::string tool_version;
  std::string input;      ///< as given by the user
  std::string output;     ///< the result folder; empty when nothing is written
  bool in_place = false;  ///< the input itself was changed
  std::string framework;  ///< "pytorch" ...
  std::string torch_version;
  std::string torch_npu;                  ///< the release that is assumed: "7.3.0"
  std::string cann;                       ///< that belongs to it; may be empty
  std::string npu_package;                ///< torch-npu as pip installs it: "2.8.0.post2"; or ""
  std::vector<std::string> beside_torch;  ///< what this torch needs beside it: "numpy<2"
  Text versions_from;                     ///< who chose these versions
  std::string pythons;                    ///< for which this torch exists: "3.10-3.14"; or ""
  std::string torch_published;            ///< "2021-03" if support of this torch ended; or ""
  /// What the project asks for in any version.
  std::vector<std::string> loose_requirements;
  /// What some programs need that use TensorFlow.
  struct TensorflowEnvironment {
    std::string version;  ///< "1.15.0"
    std::string pythons;  ///< "3.7"
    std::string adapter;  ///< "npu_bridge"
    std::vector<std::string> programs;
  };
  std::vector<TensorflowEnvironment> tensorflow;
  std::vector<ChangeRecord> records;         ///< sorted by SortRecords
  std::vector<ChangeRecord> rejected;        ///< edits that a person did not want; sorted so, too
  std::vector<FileOutcome> files;            ///< sorted by file
  std::vector<ProgramOutcome> programs;      ///< what trains first
  uint64_t ignored_files = 0;                ///< left out of the output: ignored, VCS, environments
  std::vector<std::string> ignored_folders;  ///< the folders among them, with '/' at the end
  std::vector<Text> notes;                   ///< what a person should know about the run as a whole
  double seconds = 0;  ///< wall time; never written to a file, so that outputs are deterministic
};

/// The rows of the list of changes: `run.records` and `run.rejected`, sorted.
std::vector<ChangeRecord> RecordsWithRejected(const RunResult& run);

}  // namespace transplt
