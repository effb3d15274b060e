// SPDX-License-Identifier: Apache-2.0
#include "transplt/log_errors/literal_finder.h"

namespace transplt {

LiteralFinder::LiteralFinder(const std::vector<std::string>& literals) {
  AddClasses(literals);
  AddStates(literals);
  Link();
}

void LiteralFinder::AddClasses(const std::vector<std::string>& literals) {
  for (const std::string& literal : literals) {
    for (const char c : literal) {
      uint8_t& number = class_of_[static_cast<unsigned char>(c)];
      if (number == 0) number = static_cast<uint8_t>(class_count_++);
    }
  }
}

void LiteralFinder::AddStates(const std::vector<std::string>& literals) {
  next_.assign(class_count_, 0);
  ends_.resize(1);
  for (uint32_t i = 0; i < literals.size(); ++i) {
    uint32_t state = 0;
    for (const char c : literals[i]) {
      const size_t at = state * class_count_ + class_of_[static_cast<unsigned char>(c)];
      if (next_[at] == 0) {
        next_[at] = static_cast<uint32_t>(ends_.size());
        ends_.emplace_back();
        next_.resize(next_.size() + class_count_, 0);
      }
      state = next_[at];
    }
    ends_[state].push_back(i);
  }
}

void LiteralFinder::Link() {
  // Breadth first: where a state goes on misses is shorter, and so already linked.
  std::vector<uint32_t> on_miss(ends_.size(), 0);
  std::vector<uint32_t> queue;
  for (uint32_t c = 0; c < class_count_; ++c) {
    if (next_[c] != 0) queue.push_back(next_[c]);
  }
  for (size_t i = 0; i < queue.size(); ++i) {
    const uint32_t state = queue[i];
    const uint32_t missed = on_miss[state];
    ends_[state].insert(ends_[state].end(), ends_[missed].begin(), ends_[missed].end());
    for (uint32_t c = 0; c < class_count_; ++c) {
      uint32_t& to = next_[state * class_count_ + c];
      const uint32_t to_on_miss = next_[missed * class_count_ + c];
      if (to == 0) {
        to = to_on_miss;
      } else {
        on_miss[to] = to_on_miss;
        queue.push_back(to);
      }
    }
  }
}

size_t LiteralFinder::FindEnd(std::string_view text, size_t start) const {
  uint32_t state = 0;
  for (size_t i = start; i < text.size(); ++i) {
    state = Next(state, text[i]);
    if (!ends_[state].empty()) return i + 1;
  }
  return std::string_view::npos;
}

}  // namespace transplt
