// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "transplt/base/text_range.h"
#include "transplt/frontends/ipython_syntax.h"

namespace transplt {

/// One string of the JSON text that holds a part of a cell's code.
struct CellString {
  TextRange json;  ///< with its quotes
  TextRange python;
};

/// A code cell, in the JSON text and in the program that the cells make.
struct NotebookCell {
  uint32_t number = 0;  ///< from 1, among all cells of the notebook
  TextRange python;
  /// The code in the JSON text lacks the last line end that it has in `python`.
  bool has_added_line_end = false;
  /// The code is a list of strings, else a single string.
  bool is_list = false;
  TextRange source;  ///< the list in the JSON text, without its brackets
  std::vector<CellString> strings;
  IpythonCell ipython;  ///< with its ranges in the program
};

/// Where the bytes of the program stand in the JSON text.
class JsonOffsets {
 public:
  /// From `python` on, up to the next such place, both texts are the same, or else one character
  /// that the JSON text escapes.
  void Add(uint32_t python, uint32_t json) { steps_.push_back({python, json}); }

  /// The start of an escape for the first byte of its character.
  uint32_t Find(uint32_t python) const {
    const auto after =
        std::upper_bound(steps_.begin(), steps_.end(), python,
                         [](uint32_t offset, const Step& step) { return offset < step.python; });
    if (after == steps_.begin()) return 0;
    return (after - 1)->json + (python - (after - 1)->python);
  }

 private:
  struct Step {
    uint32_t python;
    uint32_t json;
  };
  std::vector<Step> steps_;  // sorted by both
};

}  // namespace transplt
