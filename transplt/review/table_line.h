// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace transplt {

/// A line of a table, or the row of a sheet.
struct TableLine {
  uint32_t number = 0;  ///< from 1
  std::vector<std::string> cells;
};

/// Appends the character `c` as UTF-8.
inline void AppendUtf8(std::string& text, uint32_t c) {
  const auto add = [&](uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xC0 | c >> 6);
  } else {
    if (c < 0x10000) add(0xE0 | c >> 12);
    if (c >= 0x10000) add(0xF0 | c >> 18);
    if (c >= 0x10000) add(0x80 | (c >> 12 & 0x3F));
    add(0x80 | (c >> 6 & 0x3F));
  }
  add(0x80 | (c & 0x3F));
}

}  // namespace transplt
