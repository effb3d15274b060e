// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/git_checkout.h"

#include <fcntl.h>
#include <git2.h>
#include <unistd.h>

#include <utility>

#include "transplt/project/folder_handle.h"

namespace transplt {
namespace {

Text LastGitError() {
  const git_error* error = git_error_last();
  return Say(
      "the list of files that git tracks cannot be read ({}): files that .gitignore names "
      "count as ignored, even if they are tracked; --copy all copies them",
      "无法读取 git 跟踪的文件列表（{}）：.gitignore "
      "列出的文件即使被跟踪也视为已忽略；可用 --copy all 复制它们",
      error != nullptr ? error->message : "?");
}

std::string ItemPath(git_repository* repository, git_repository_item_t item) {
  git_buf buffer = GIT_BUF_INIT;
  std::string path;
  if (git_repository_item_path(&buffer, repository, item) == 0) path = buffer.ptr;
  git_buf_dispose(&buffer);
  return path;
}

}  // namespace

std::shared_ptr<void> StartGitLibrary() {
  git_libgit2_init();
  for (int level = GIT_CONFIG_LEVEL_PROGRAMDATA; level <= GIT_CONFIG_LEVEL_GLOBAL; ++level) {
    git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "");
  }
  git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
  return {nullptr, [](void*) { git_libgit2_shutdown(); }};
}

std::optional<GitCheckout> GitCheckout::At(const std::string& folder) {
  GitCheckout checkout;
  checkout.library_ = StartGitLibrary();
  git_repository* opened = nullptr;
  const int status =
      git_repository_open_ext(&opened, folder.c_str(), GIT_REPOSITORY_OPEN_NO_SEARCH, nullptr);
  const std::unique_ptr<git_repository, void (*)(git_repository*)> repository(opened,
                                                                              git_repository_free);
  if (status == GIT_ENOTFOUND) return std::nullopt;
  if (status != 0) {
    checkout.trouble_ = LastGitError();
    return checkout;
  }
  const std::string exclude = ItemPath(opened, GIT_REPOSITORY_ITEM_INFO) + "/exclude";
  const FileHandle file(open(exclude.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  // Most repositories have none; one that cannot be read says nothing, as for git.
  if (!file || !ReadAll(file.get(), checkout.exclude_text_)) checkout.exclude_text_.clear();
  checkout.ReadIndex(ItemPath(opened, GIT_REPOSITORY_ITEM_INDEX));
  return checkout;
}

void GitCheckout::ReadIndex(const std::string& path) {
  git_index* index = nullptr;
  const int status = git_index_open(&index, path.c_str());
  if (status != 0) trouble_ = LastGitError();
  index_ = std::shared_ptr<git_index>(index, git_index_free);
}

bool GitCheckout::Tracks(const std::string& path) const {
  return index_ && git_index_find(nullptr, index_.get(), path.c_str()) == 0;
}

bool GitCheckout::TracksBelow(const std::string& folder) const {
  return index_ && git_index_find_prefix(nullptr, index_.get(), (folder + "/").c_str()) == 0;
}

}  // namespace transplt
