// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/programs_in_strings.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "transplt/base/text_parts.h"
#include "transplt/facts/string_place.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// A string with it is looked at as a program.
constexpr std::string_view kMarkOfProgram = "torch.cuda";
/// So is one with this word in which the program that writes it leaves holes.
constexpr std::string_view kMarkBesideHoles = "cuda";
/// Stands before a program that is indented as a whole.
constexpr std::string_view kBlockHead = "if 1:\n";

/// A string as a program: `text` holds `prefix` bytes that are not in the file, then those of the
/// string's content from `start` on.
struct StringProgram {
  std::string text;
  uint32_t prefix = 0;
  uint32_t start = 0;
  uint32_t size = 0;
  bool takes_lines = false;  ///< the string may hold line ends
  bool has_holes = false;    ///< it computes a part of its text
  bool is_piece = false;     ///< an expression, which becomes a part of a statement or of prose
};

/// A name as long as `size`, for what a formatted string computes.
std::string Placeholder(size_t size) { return std::string(size, '_'); }

/// Writes `content` of a string as the program has it, byte for byte: a line end takes the place of
/// `\\n`. False for other escapes, whose bytes are not those of the program.
bool AddContent(Node content, std::string& program) {
  const size_t start = program.size();
  program += content.text();
  for (Node escape = content.first_child(); escape; escape = escape.next_sibling()) {
    const size_t at = start + (escape.range().start - content.range().start);
    if (escape.text() == "\\n") {
      program.replace(at, 2, " \n");
    } else if (escape.text() == "\\t") {
      program.replace(at, 2, "  ");
    } else {
      return false;
    }
  }
  return true;
}

/// The content of `string` with names in place of what it computes; nullopt for a string with
/// escapes that do not fit.
std::optional<StringProgram> ContentOf(Node string) {
  StringProgram program;
  for (Node part = string.first_child(); part; part = part.next_sibling()) {
    if (part.Is(NodeKind::kStringStart)) {
      const std::string_view quotes = part.text();
      program.takes_lines = quotes.ends_with("\"\"\"") || quotes.ends_with("'''");
      if (quotes.find_first_of("bB") != std::string_view::npos) return std::nullopt;
      program.start = part.range().end;
    } else if (part.Is(NodeKind::kStringContent)) {
      if (!AddContent(part, program.text)) return std::nullopt;
    } else if (part.Is(NodeKind::kInterpolation)) {
      program.text += Placeholder(part.range().size());
      program.has_holes = true;
    } else if (!part.Is(NodeKind::kStringEnd)) {
      return std::nullopt;
    }
  }
  program.size = static_cast<uint32_t>(program.text.size());
  return program;
}

/// A statement that says what to do. `torch.cuda.x() is False` and a bare name may be prose.
bool IsInstruction(Node statement) {
  if (!statement.Is(NodeKind::kExpressionStatement)) return true;
  Node expression = statement.first_named_child();
  while (expression.Is(NodeKind::kNotOperator) || expression.Is(NodeKind::kAwait)) {
    expression = expression.first_named_child();
  }
  return expression.Is(NodeKind::kCall) || expression.Is(NodeKind::kAssignment) ||
         expression.Is(NodeKind::kAugmentedAssignment);
}

/// `______.is_cuda`: something that is asked of what stands in a hole.
bool IsPieceOfProgram(const SyntaxTree& tree) {
  const Node statement = tree.root().first_named_child();
  if (!tree.unparsed().empty() || !statement.Is(NodeKind::kExpressionStatement)) return false;
  if (statement.next_named_sibling() || !statement.text().starts_with("__")) return false;
  Node head = statement.first_named_child();
  while (head && !head.Is(NodeKind::kAttribute)) head = head.first_named_child();
  return bool(head);
}

bool IsProgram(const SyntaxTree& tree) {
  if (!tree.unparsed().empty()) return false;
  bool has_statement = false;
  for (const Node child : NamedChildren(tree.root())) {
    if (!IsInstruction(child)) return false;
    has_statement = true;
  }
  return has_statement;
}

/// Looks at the strings of a file one by one.
class StringPrograms {
 public:
  StringPrograms(const FileContext& file, const Engine& engine, Parser& parser)
      : file_(file), engine_(engine), parser_(parser) {}

  Findings Check() {
    for (const Node string : NodesIn(file_.tree())) {
      if (!string.Is(NodeKind::kString) || !HasPart(string.text(), kMarkBesideHoles)) {
        continue;
      }
      if (IsBareString(string) || IsMessage(string)) continue;
      std::optional<StringProgram> program = ContentOf(string);
      if (!program) continue;
      if (!program->has_holes && !HasPart(string.text(), kMarkOfProgram)) continue;
      CheckAs(*std::move(program));
    }
    return std::move(findings_);
  }

 private:
  /// As it is; as the head of a statement; as the body of one.
  void CheckAs(StringProgram program) {
    if (CheckText(program)) return;
    StringProgram head = program;
    head.text += " pass";
    if (CheckText(head)) return;
    StringProgram body = program;
    body.text.insert(0, kBlockHead);
    body.prefix = static_cast<uint32_t>(kBlockHead.size());
    if (CheckText(body)) return;
    program.is_piece = program.has_holes;
    if (program.is_piece) CheckText(program);
  }

  /// False if the text is no program.
  bool CheckText(const StringProgram& program) {
    const Result<SourceFile> source = SourceFile::FromBytes(file_.source().path(), program.text);
    if (!source) return false;
    const SyntaxTree tree = SyntaxTree::Parse(*source, parser_);
    if (program.is_piece ? !IsPieceOfProgram(tree) : !IsProgram(tree)) return false;
    const FileContext context(tree, engine_.apis(), nullptr);
    for (Finding& finding : engine_.Check(context, engine_.Scan(program.text, nullptr))) {
      Place(program, std::move(finding));
    }
    return true;
  }

  /// Moves a finding to its place in the file, or leaves it out if it is not one of the string.
  void Place(const StringProgram& program, Finding finding) {
    if (!Move(program, finding.range)) return;
    bool fits = !program.is_piece;
    for (Edit& edit : finding.fix.edits) {
      fits &= Move(program, edit.range) &&
              edit.text.find_first_of("'\"\\{}") == std::string::npos &&
              (program.takes_lines || !HasPart(edit.text, '\n'));
    }
    if (!fits) {
      finding.fix = {};
      finding.operation = Operation::kSuggestion;
      finding.applicability = Applicability::kDisplayOnly;
    }
    finding.message = {"in a program that stands in a string: " + finding.message.en,
                       "位于字符串中的程序: " + finding.message.zh};
    findings_.push_back(std::move(finding));
  }

  static bool Move(const StringProgram& program, TextRange& range) {
    if (range.start < program.prefix || range.end > program.prefix + program.size) return false;
    range.start = range.start - program.prefix + program.start;
    range.end = range.end - program.prefix + program.start;
    return true;
  }

  const FileContext& file_;
  const Engine& engine_;
  Parser& parser_;
  Findings findings_;
};

}  // namespace

Findings CheckProgramsInStrings(const FileContext& file, const Engine& engine, Parser& parser) {
  if (!HasPart(file.source().bytes(), kMarkBesideHoles)) return {};
  return StringPrograms(file, engine, parser).Check();
}

}  // namespace transplt
