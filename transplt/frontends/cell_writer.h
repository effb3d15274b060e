// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/edit.h"
#include "transplt/frontends/notebook_cell.h"

namespace transplt {

/// Makes the edits of one code cell in the JSON text. Strings that no edit touches keep their
/// bytes, and so does what is kept within the others; each new line becomes an element of its own
/// if the code is a list.
class CellWriter {
 public:
  /// All must outlive the writer.
  CellWriter(std::string_view json, std::string_view python, const JsonOffsets& offsets,
             const NotebookCell& cell)
      : json_(json), python_(python), offsets_(offsets), cell_(cell) {}

  /// `edits` lie in the cell, sorted and disjoint. `ascii`: write \u escapes for all other
  /// characters. nullopt if the cell would not end with its last line.
  std::optional<std::vector<Edit>> Write(const std::vector<const Edit*>& edits, bool ascii);

 private:
  /// A string of the changed cell.
  struct NewString {
    std::string json;  ///< without quotes
    std::string text;
    uint32_t line_end_size = 0;  ///< bytes of `json` that the last character takes, if a line feed
    std::optional<size_t> same_as;  ///< the index of the old string that it equals
  };

  void Keep(TextRange range);
  void KeepPartOfString(size_t index, TextRange range);
  void Insert(std::string_view text);
  void InsertLine(std::string_view line);
  /// The string to append to: after a line end in a list, a new one.
  NewString& Current();
  bool EndsLine() const { return !strings_.empty() && strings_.back().text.ends_with('\n'); }
  /// Leaves out the last line end if the cell did; false if the last line has none.
  bool Finish();
  std::vector<Edit> Difference() const;
  Edit Replace(size_t first, size_t last, size_t new_first, size_t new_last) const;
  std::string Joined(size_t first, size_t last) const;
  std::string Separator() const;
  std::string Escape(std::string_view text) const;

  const std::string_view json_;
  const std::string_view python_;
  const JsonOffsets& offsets_;
  const NotebookCell& cell_;
  bool ascii_ = false;
  std::vector<NewString> strings_;
  uint32_t kept_end_ = 0;       // where the kept text ends that was written last; 0 after another
  bool owes_line_end_ = false;  // the added line end is kept, but not written yet
};

}  // namespace transplt
