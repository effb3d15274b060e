// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// The simple or compound statement that holds `node`: a child of a module or a block, or of a
/// one-line clause.
Node EnclosingStatement(Node node);

/// The `def` that `node` stands in, whatever lambdas are around it, or is; a null node outside.
Node DefinitionAround(Node node);

/// True for a `def` that is read like an attribute: `@property`, `@cached_property`.
bool IsProperty(Node function);

/// True for `for` and `while`.
bool IsLoop(Node statement);

/// The innermost loop that `node` runs in, as far as its own function; null if there is none.
Node LoopAround(Node node);

/// True if `node` is a part of an import statement.
bool IsInImport(Node node);

/// True for a target of an assignment, alone or among others: `a` of `a = f()` and `a, b = f()`.
bool IsAssigned(Node node);

/// The blanks in front of `node`, if nothing else stands there on its line.
std::optional<std::string> MarginOf(Node node);

/// The blanks before a call that is a statement and has its lines for itself.
std::optional<std::string> IndentOfStatement(Node call);

/// Where the first statement of `module` begins that is neither a string nor `from __future__`, or
/// where the file ends.
uint32_t TopOfCode(Node module);

/// True if `string` is a docstring or another string that stands alone as a statement: prose.
bool IsBareString(Node string);

/// True if the program does not go on behind `block`: its last statement is return, raise, break,
/// continue, a call that ends the program, or an `if` all of whose branches end so. A null node has
/// no end.
bool EndsFlow(Node block);
/// True for such a statement.
bool LeavesBlock(Node statement);
/// True if one branch of the `if` is always taken, and the program does not go on behind any of
/// them but `branch`, a block or a null node.
bool OtherBranchesEnd(Node if_statement, Node branch);

/// How another statement is written directly behind `statement`: on a line of its own with the
/// same indentation and line end, or after `;` where the statement shares its line.
class StatementPlace {
 public:
  StatementPlace(Node statement, const SourceFile& source);

  /// True if only what fits on the statement's line can follow it.
  bool shares_line() const { return shares_line_; }
  const std::string& indent() const { return indent_; }
  /// Where the new text is inserted.
  uint32_t insertion() const { return insertion_; }
  /// The text that adds one statement; the texts of several are appended to each other.
  std::string Join(std::string_view statement) const;

 private:
  bool shares_line_ = false;
  bool at_end_ = false;  // the last line of the file has no line end
  uint32_t insertion_ = 0;
  std::string indent_;
  std::string line_end_;
};

}  // namespace transplt
