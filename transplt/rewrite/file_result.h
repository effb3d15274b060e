// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/rewrite/selection.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// What became of one file.
struct FileResult {
  FileOutcome outcome;
  std::vector<ChangeRecord> records;  ///< open ones, rejected ones, then those of edits
  std::optional<std::string> text;    ///< the new bytes; nothing if the file stays as it is
  std::string diff;                   ///< if it was asked for
  std::vector<Edit> edits;            ///< that make `text`, if they were asked for
};

/// What is kept of a file besides its outcome.
struct ResultParts {
  bool diff = false;
  bool edits = false;
};

/// What became of a file of which this was selected, and then written as `edits`. `is_broken` is
/// asked about the new text: where it says so, the original stays and the outcome is kFailed.
FileResult ResultOf(const Selection& selection, const EditList& edits, const SourceFile& source,
                    ResultParts parts, const std::function<bool(std::string)>& is_broken);

/// True if reading `text`, made by `edits`, back shows something unparsable that the original did
/// not have.
bool IsBroken(std::string text, const SyntaxTree& original, const EditList& edits, Parser& parser);

/// A part of a file that is not valid Python, and was not looked at.
Finding UnparsedPart(TextRange range);

/// The record and outcome of a file that could not be looked at.
FileResult SkippedFile(const std::string& path, Text reason);

}  // namespace transplt
