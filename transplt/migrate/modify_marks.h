// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/base/edit.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// `edits` with comments around the statements that they change:
///
///     ############## npu modify begin #############
///     ############## npu modify end #############
///
/// A region is made of whole lines: those of a simple statement, or of the head of a compound one.
/// Neighbouring regions become one. What lies between two such comments already gets no others,
/// and a region gets none where they would move the first lines that only count there (`#!`, the
/// encoding).
EditList WithModifyMarks(const SyntaxTree& tree, const EditList& edits);

}  // namespace transplt
