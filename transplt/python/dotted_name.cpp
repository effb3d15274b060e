// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/dotted_name.h"

#include <algorithm>

#include "transplt/base/word_list.h"

namespace transplt {

std::string_view FirstPart(std::string_view dotted) { return dotted.substr(0, dotted.find('.')); }

std::string_view LastPart(std::string_view dotted) {
  const size_t dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

std::string_view ParentPart(std::string_view dotted) {
  const size_t dot = dotted.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : dotted.substr(0, dot);
}

std::vector<std::string_view> SplitDotted(std::string_view dotted) {
  std::vector<std::string_view> parts;
  while (!dotted.empty()) {
    const size_t dot = std::min(dotted.find('.'), dotted.size());
    parts.push_back(dotted.substr(0, dot));
    dotted.remove_prefix(std::min(dot + 1, dotted.size()));
  }
  return parts;
}

std::string MemberName(std::string_view module, std::string_view member) {
  std::string name(module);
  name.append(name.empty() || name.ends_with('.') ? "" : ".").append(member);
  const WordList& paths = Words("second-paths");
  // The row of a name gives the same name, that of a module its package.
  const std::string_view first = paths.MeaningOf(name);
  const bool is_module = name.starts_with(std::string(first) + ".");  // of that package
  if (!first.empty() && LastPart(first) == member && !is_module) return std::string(first);
  // What starts with an underscore is not known beside its own module.
  const std::string_view package =
      member.starts_with('_') ? std::string_view() : paths.MeaningOf(module);
  return package.empty() ? name : std::string(package) + "." + std::string(member);
}

}  // namespace transplt
