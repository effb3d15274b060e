// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/selection.h"

#include <charconv>

namespace transplt::capture {
namespace {

bool ReadNumber(std::string_view text, uint64_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Status Selection::Parse(std::string_view text, Selection* selection) {
  selection->ranges_.clear();
  if (text.empty()) return {};
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('|', at), text.size());
    const std::string_view part = text.substr(at, end - at);
    const size_t dash = part.find('-');
    uint64_t first = 0;
    if (!ReadNumber(part.substr(0, dash), &first)) {
      return Invalid("selection \"" + std::string(text) + "\": \"" + std::string(part) +
                     "\" is neither a number nor a range; write for example 0|3-5|10");
    }
    uint64_t last = first;
    if (dash != std::string_view::npos && !ReadNumber(part.substr(dash + 1), &last)) {
      return Invalid("selection \"" + std::string(text) + "\": \"" + std::string(part) +
                     "\" has no number behind the dash; write for example 3-5");
    }
    if (last < first) {
      return Invalid("selection \"" + std::string(text) + "\": \"" + std::string(part) +
                     "\" runs backwards; write the smaller number first");
    }
    selection->ranges_.emplace_back(first, last);
    at = end + 1;
  }
  return {};
}

bool Selection::Contains(uint64_t number) const {
  if (ranges_.empty()) return true;
  for (const auto& [first, last] : ranges_) {
    if (first <= number && number <= last) return true;
  }
  return false;
}

}  // namespace transplt::capture
