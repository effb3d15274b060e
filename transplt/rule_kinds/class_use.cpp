// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/class_use.h"

namespace transplt {
namespace {

/// Names that stand for other names, one after the other.
constexpr int kMostNames = 4;

NameUse UseAt(Node name, const FileContext& file, int depth);

bool IsOnlyAskedAt(Node bound, const FileContext& file, int depth) {
  bool is_asked = false;
  for (const Node node : file.NodesSaying(bound.text())) {
    const bool is_name = node.Is(NodeKind::kIdentifier) && node.field() != Field::kAttribute;
    if (!is_name || node == bound) continue;
    if (UseAt(node, file, depth) != NameUse::kAsked) return false;
    is_asked = true;
  }
  return is_asked;
}

/// What is kept under a name is run, unless the file only asks about that name.
NameUse UseAt(Node name, const FileContext& file, int depth) {
  const NameUseAt at = UseOfName(name);
  if (at.use != NameUse::kKept) return at.use;
  const bool is_asked = depth < kMostNames && IsOnlyAskedAt(at.kept_as, file, depth + 1);
  return is_asked ? NameUse::kAsked : NameUse::kRun;
}

}  // namespace

NameUse UseOfClass(Node name, const FileContext& file) { return UseAt(name, file, 0); }

void LowerSeverity(NameUse use, Finding& finding) {
  if (use == NameUse::kHandedOn) finding.severity = Severity::kMayGoWrong;
  if (use == NameUse::kReturned) finding.severity = Severity::kNote;
}

bool IsOnlyAsked(Node bound, const FileContext& file) { return IsOnlyAskedAt(bound, file, 0); }

}  // namespace transplt
