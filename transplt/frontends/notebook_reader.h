// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/base/text_range.h"

namespace transplt {

/// A code cell as it stands in the JSON text.
struct JsonCell {
  struct String {
    TextRange json;  ///< with its quotes
    std::string text;
  };
  uint32_t number = 0;  ///< from 1, among all cells of the notebook
  bool is_list = false;
  TextRange source;  ///< the list, without its brackets
  std::vector<String> strings;
};

/// The Python code cells of a notebook in format 3 or 4. Of a key that an object has twice the
/// last one counts, as for Jupyter. Fails with kBadInput for what is no Python notebook.
Result<std::vector<JsonCell>> ReadNotebook(std::string_view name, std::string_view json);

}  // namespace transplt
