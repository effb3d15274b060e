// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/project/project_files.h"

namespace transplt {

/// The result folder while it is written: OUT/.<name>.partial-XXXXXX, which Commit() renames to
/// OUT/<name>. Until then an earlier result is untouched; without Commit() nothing is left behind.
/// A manifest in it lists what was written. An earlier result that holds anything else by now is
/// not deleted: it is kept as OUT/<name>.before-N.
class OutputTree {
 public:
  /// Creates the folders. `name` is "<project>_msft"; `input` the folder or file that is migrated.
  /// Refused (kUsage): OUT inside a folder INPUT, INPUT inside OUT/name, and an OUT/name that
  /// exists, unless `force` is given and transplt has written it. Removes what runs that were
  /// killed have left for this `name`. `cancelled`, which may be null, ends the copying of a file.
  static Result<OutputTree> Create(const std::string& out_dir, const std::string& name,
                                   const std::string& input, bool force,
                                   const std::atomic<bool>* cancelled = nullptr);
  OutputTree(OutputTree&&) noexcept;
  OutputTree& operator=(OutputTree&&) noexcept;
  ~OutputTree();

  /// OUT/name, for messages.
  const std::string& path() const;
  /// Where the file `relative` of the root lies until Commit, for writers that need a path. They
  /// must have written it by then.
  std::string PathUntilCommit(const std::string& relative);

  /// The three below may be called from several threads. They create the folders on the way, with
  /// the modes that these have in the input. Nothing is written twice: that is an Error. A failed
  /// one leaves no file behind. `relative` has '/' and no "." or "..".

  /// Without `mode` the file gets what the umask leaves of rw-rw-rw-.
  Result<Done> Write(const std::string& relative, std::string_view bytes,
                     std::optional<mode_t> mode);
  /// A file of the input as it is, with its mode, or a link. What is wrong with the input's file
  /// is a kBadInput error, so that the run can go on without it; kIo is about the output.
  Result<Done> Copy(const ProjectEntry& entry);
  Result<Done> MakeFolder(const std::string& relative);

  /// Puts the tree in its place, in one step where the file system can. An error leaves the
  /// earlier result where it was, except one that says that the new result is complete and only
  /// the earlier one could not be removed.
  Result<Done> Commit();

  /// Earlier results that were kept, because somebody has changed them; what a person should know.
  std::vector<Text> Notes() const;

 private:
  class State;
  explicit OutputTree(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace transplt
