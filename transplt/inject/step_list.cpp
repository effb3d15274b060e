// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/step_list.h"

#include <algorithm>
#include <charconv>

namespace transplt {
namespace {

int StepNumber(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::string StepList(std::string_view steps) {
  std::string list;
  while (!steps.empty()) {
    const size_t end = std::min(steps.find('|'), steps.size());
    const std::string_view item = steps.substr(0, end);
    const size_t dash = item.find('-');
    const int first = StepNumber(item.substr(0, dash));
    const int last = dash == std::string_view::npos ? first : StepNumber(item.substr(dash + 1));
    for (int step = first; step <= last; ++step) {
      list += (list.empty() ? "" : ", ") + std::to_string(step);
    }
    steps.remove_prefix(std::min(end + 1, steps.size()));
  }
  return "[" + list + "]";
}

}  // namespace transplt
