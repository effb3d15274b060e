// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "transplt/base/text.h"

struct git_index;

namespace transplt {

/// libgit2, started, without any file of configuration but that of the repository itself, and
/// without its refusal of a repository of another user (containers mount such): repositories are
/// only read, and nothing that their configuration names is run. Released last.
std::shared_ptr<void> StartGitLibrary();

/// A git work tree: what its index tracks, and its own list of ignored names. Only read; the
/// settings of the user and of the machine (core.excludesfile, safe.directory) play no part.
class GitCheckout {
 public:
  /// The work tree whose top is `folder`, or nothing if git would not see one there.
  static std::optional<GitCheckout> At(const std::string& folder);

  /// True for files of the index and for the folders of submodules; relative to the top.
  bool Tracks(const std::string& path) const;
  /// True if the index has something below `folder`.
  bool TracksBelow(const std::string& folder) const;

  /// The text of .git/info/exclude.
  const std::string& exclude_text() const { return exclude_text_; }
  /// Why the index could not be read, so that nothing counts as tracked; empty if it could.
  const Text& trouble() const { return trouble_; }

 private:
  GitCheckout() = default;
  void ReadIndex(const std::string& path);

  std::shared_ptr<void> library_;  // keeps libgit2 started, released last
  std::shared_ptr<git_index> index_;
  std::string exclude_text_;
  Text trouble_;
};

}  // namespace transplt
