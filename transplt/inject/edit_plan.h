// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/finding.h"
#include "transplt/inject/injected_parts.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// What an edit is for: it becomes a row of the reports.
struct EditReason {
  TextRange range;  ///< what it is about
  std::string rule_id;
  Text message;
};

/// Collects what is put into one file, statement by statement, and marks it so that it can be
/// taken out again (see InjectedParts): what goes to one place becomes one finding.
class EditPlan {
 public:
  /// `tag`: a word that the comments bear besides.
  explicit EditPlan(const SyntaxTree& tree, std::string_view tag = {});

  /// Imports go behind `statement` and the imports that follow it, with its indentation.
  void ImportBehind(Node statement) { import_behind_ = statement; }

  /// True if a line can stand before `statement`: it begins its line.
  static bool CanInsertBefore(Node statement) { return MarginOf(statement).has_value(); }

  /// Lines with the indentation of `statement`; four blanks at the start of a line stand for one
  /// more level.
  void InsertBefore(Node statement, const std::vector<std::string>& lines,
                    const EditReason& reason);
  void InsertAfter(Node statement, const std::vector<std::string>& lines, const EditReason& reason);
  /// Replaces a part of a statement. A line end in `text` is written "\n".
  void Replace(TextRange range, std::string text, const EditReason& reason);
  /// A statement at module level, behind the import statements that the file begins with; once,
  /// however often it is asked for.
  void Import(const std::string& statement);
  /// A line of a definition behind these imports.
  void Define(const std::string& line) { definitions_.push_back(line); }

  bool empty() const { return places_.empty() && regions_.empty() && imports_.empty(); }
  std::vector<Finding> Findings() const;

  /// `text` as a Python literal in the quotes that the file uses most, or in those of `like`.
  std::string Quoted(std::string_view text) const;
  void QuoteLike(Node like);
  const SyntaxTree& tree() const { return tree_; }

 private:
  struct Place {
    std::vector<std::string> imports;
    std::string indent_imports;
    std::vector<std::string> after;   // behind the statement that ends here; written first
    std::vector<std::string> before;  // before the statement that starts here
    std::string indent_after;
    std::string indent_before;
    bool at_end = false;  // the file's last line has no line end
    std::vector<EditReason> reasons;
  };
  /// Statements of which a part is replaced, as whole lines.
  struct Region {
    uint32_t last_line = 0;
    std::vector<Edit> edits;
    std::vector<EditReason> reasons;
  };

  void Insert(uint32_t offset, bool is_after, std::string indent,
              const std::vector<std::string>& lines, const EditReason& reason);
  std::string Block(const std::vector<std::string>& lines, const std::string& indent,
                    uint32_t offset, std::string_view begin) const;
  bool IsOfOther(const InjectedParts::Part& part) const;
  std::string_view OwnTag() const;
  uint32_t BehindLesserTags(uint32_t line) const;
  std::string IndentOf(uint32_t line) const;
  uint32_t LineEndOffset(uint32_t line) const;
  std::map<uint32_t, Region> MergedRegions() const;
  Fix FixOf(uint32_t first_line, const Region& region) const;
  std::string TextAt(const Place& place, uint32_t offset) const;
  uint32_t ImportOffset() const;
  void AddImports(std::map<uint32_t, Place>& places) const;
  bool IsOpenEnd(uint32_t offset) const;

  const SyntaxTree& tree_;
  const SourceFile& source_;
  const InjectedParts injected_;
  const std::string tag_;  // with a blank in front
  Node import_behind_;
  std::string unit_ = "    ";  // one level of indentation
  const char common_quote_;
  char quote_ = '"';
  std::map<uint32_t, Place> places_;    // by offset
  std::map<uint32_t, Region> regions_;  // by first line
  std::vector<std::string> imports_;
  std::vector<std::string> definitions_;
};

}  // namespace transplt
