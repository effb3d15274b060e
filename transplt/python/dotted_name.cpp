// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/dotted_name.h"

#include <algorithm>

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

}  // namespace transplt
