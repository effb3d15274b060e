// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/changed_files.h"

#include <git2.h>

#include <filesystem>
#include <memory>
#include <string_view>

#include "transplt/project/git_checkout.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

template <typename Object>
using Owned = std::unique_ptr<Object, void (*)(Object*)>;

Error Refused(const std::string& where, Text what) {
  return {Error::Code::kUsage, where, std::move(what)};
}

/// Nothing, and the error of libgit2 in what is said, without a commit or tree of that name.
Owned<git_tree> TreeOf(git_repository* repository, const std::string& reference) {
  git_object* found = nullptr;
  git_object* peeled = nullptr;
  if (git_revparse_single(&found, repository, reference.c_str()) == 0) {
    const Owned<git_object> owned(found, git_object_free);
    git_object_peel(&peeled, found, GIT_OBJECT_TREE);
  }
  return {reinterpret_cast<git_tree*>(peeled), git_tree_free};
}

/// The path of `input` below the top of the work tree, with '/' at its end; "" for the top.
std::string PrefixOf(const fs::path& input, const fs::path& top) {
  const std::string prefix = input.lexically_relative(top).generic_string();
  return prefix == "." ? "" : prefix + "/";
}

}  // namespace

Result<std::vector<std::string>> ChangedFiles(const std::string& input,
                                              const std::string& reference) {
  std::error_code ignored;
  const fs::path folder = fs::canonical(input, ignored);
  if (!fs::is_directory(folder, ignored)) {
    return Refused(input, Say("--changed needs a folder", "--changed 需要一个目录"));
  }
  const std::shared_ptr<void> library = StartGitLibrary();
  git_repository* opened = nullptr;
  git_repository_open_ext(&opened, folder.c_str(), 0, nullptr);
  const Owned<git_repository> repository(opened, git_repository_free);
  if (opened == nullptr || git_repository_workdir(opened) == nullptr) {
    return Refused(input, Say("is in no git repository", "不在 git 仓库中"));
  }
  const Owned<git_tree> tree = TreeOf(opened, reference);
  if (tree == nullptr) {
    return Refused(reference, Say("is no commit of the repository", "不是仓库中的提交"));
  }
  git_diff_options options;
  git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
  options.flags = GIT_DIFF_INCLUDE_UNTRACKED | GIT_DIFF_RECURSE_UNTRACKED_DIRS;
  git_diff* made = nullptr;
  if (git_diff_tree_to_workdir_with_index(&made, opened, tree.get(), &options) != 0) {
    const git_error* error = git_error_last();
    return Refused(input, Say("cannot be compared with {}: {}", "无法与 {} 比较: {}", reference,
                              error != nullptr ? error->message : "?"));
  }
  const Owned<git_diff> diff(made, git_diff_free);
  fs::path top = git_repository_workdir(opened);
  const std::string prefix = PrefixOf(folder, fs::canonical(top, ignored));
  std::vector<std::string> paths;
  for (size_t i = 0; i < git_diff_num_deltas(diff.get()); ++i) {
    const git_diff_delta* delta = git_diff_get_delta(diff.get(), i);
    const std::string_view path = delta->new_file.path;
    if (delta->status != GIT_DELTA_DELETED && path.starts_with(prefix)) {
      paths.emplace_back(path.substr(prefix.size()));
    }
  }
  return paths;
}

std::string PatternOfFile(std::string_view path) {
  constexpr std::string_view kSpecial = "\\*?[] ";
  std::string pattern = "/";
  for (const char c : path) {
    if (kSpecial.find(c) != kSpecial.npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

}  // namespace transplt
