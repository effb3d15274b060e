// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/edit.h"
#include "transplt/base/result.h"
#include "transplt/frontends/notebook_cell.h"

namespace transplt {

/// A Jupyter notebook (format 3 or 4) as one Python program: its code cells, one after the other.
/// Never changed after reading.
class Notebook {
 public:
  /// `name` is what messages call the notebook. Fails with kBadInput, saying why, for what is no
  /// notebook (not JSON, no cells) and for one whose kernel is not Python.
  static Result<Notebook> FromJson(std::string_view name, std::string_view json);

  /// The code cells, each ended by a line end; cells without any text are left out. What only
  /// IPython understands (`!ls`, `%matplotlib inline`, `torch.nn?`, cells in another language)
  /// is masked: a comment or a value of the same length stands in for it.
  const std::string& python() const { return python_; }

  /// The edits of the JSON text that make these edits of python(), sorted. Every byte outside the
  /// strings that they touch stays as it is, and reading the result again gives the edited
  /// program (masked anew: an edit may open a bracket, say). nullopt for edits that overlap, cross
  /// the border of a cell, join a cell with the next one, or touch what is masked.
  ///
  /// At the border of two cells whole lines go to the later one, unless they are indented, or go
  /// on with the imports that end the earlier one, or the later one begins with a cell magic.
  std::optional<std::vector<Edit>> ToJson(const std::vector<Edit>& edits) const;

  /// The place in the JSON text of a place in python().
  uint32_t ToJsonOffset(uint32_t offset) const { return offsets_.Find(offset); }

  /// Where a message sends a person who has the notebook open.
  struct Place {
    uint32_t cell = 1;  ///< from 1, among all cells of the notebook
    uint32_t line = 1;  ///< in that cell, from 1

    friend bool operator==(const Place&, const Place&) = default;
  };
  /// The end of python() belongs to the last cell.
  Place PlaceOf(uint32_t offset) const;

 private:
  Notebook() = default;

  /// The index of the cell that holds `offset`, at a border that of the later one.
  size_t CellAt(uint32_t offset) const;
  /// The index of the cell in which `edit` can be made.
  std::optional<size_t> CellFor(const Edit& edit) const;
  bool GoesOnWith(const NotebookCell& cell, std::string_view text) const;

  std::string json_;
  std::string python_;
  std::vector<NotebookCell> cells_;  // those with text, without gaps between them
  JsonOffsets offsets_;
  bool escapes_all_but_ascii_ = false;
};

}  // namespace transplt
