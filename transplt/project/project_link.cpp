// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/project_link.h"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string_view>

#include "transplt/project/file_error.h"
#include "transplt/project/folder_handle.h"

namespace transplt {
namespace {

/// True if `target`, read from the folder of the link at `path`, never names a place above the
/// root.
bool StaysInside(std::string_view path, std::string_view target) {
  if (target.starts_with('/')) return false;
  int depth = 0;
  for (const char c : path) depth += c == '/' ? 1 : 0;
  while (!target.empty()) {
    const std::string_view part = target.substr(0, target.find('/'));
    if (part == "..") {
      if (--depth < 0) return false;
    } else if (!part.empty() && part != ".") {
      ++depth;
    }
    target.remove_prefix(std::min(part.size() + 1, target.size()));
  }
  return true;
}

Text WhyNoTarget(int number, const std::string& target) {
  if (number == ENOENT || number == ENOTDIR) {
    return Say("a link to \"{}\", which does not exist; not copied",
               "指向不存在的 \"{}\" 的链接；未复制", target);
  }
  if (number == ELOOP) {
    return Say("a link that leads to itself in a circle through \"{}\"; not copied",
               "经由 \"{}\" 循环指向自身的链接；未复制", target);
  }
  const Text why = SystemText(number);
  return {"a link to \"" + target + "\": " + why.en, "指向 \"" + target + "\" 的链接：" + why.zh};
}

}  // namespace

void ClassifyLink(const std::string& root, const std::string& target, ProjectEntry& entry) {
  const std::string link = root + "/" + entry.path;
  const std::unique_ptr<char, void (*)(void*)> resolved(realpath(link.c_str(), nullptr), free);
  if (!resolved) {
    entry.kind = ProjectEntry::Kind::kSkipped;
    entry.reason = WhyNoTarget(errno, target);
    return;
  }
  const std::string real = resolved.get();
  if (real != root && !real.starts_with(root + "/")) {
    entry.kind = ProjectEntry::Kind::kSkipped;
    entry.reason = Say("a link that leads out of the input, to \"{}\"; not followed and not copied",
                       "指向输入目录之外（\"{}\"）的链接；未跟随，也未复制", target);
    return;
  }
  entry.kind = ProjectEntry::Kind::kLink;
  entry.link_target = target;
  if (!StaysInside(entry.path, target)) {
    const std::filesystem::path folder(Joined(root, ParentOf(entry.path)));
    entry.link_target = std::filesystem::path(real).lexically_relative(folder).string();
  }
}

}  // namespace transplt
