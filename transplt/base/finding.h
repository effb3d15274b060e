// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/edit.h"
#include "transplt/base/severity.h"
#include "transplt/base/text.h"
#include "transplt/base/text_range.h"

namespace transplt {

/// How far a fix may be trusted.
enum class Applicability {
  kSafe,         ///< the name or the role of the value was resolved
  kUnsafe,       ///< applied, but matched without knowing the receiver or the role: worth a look
  kDisplayOnly,  ///< nothing is edited; a person decides
};

/// The "Operation Type" of change_list.csv.
enum class Operation {
  kInsert,
  kModify,
  kDelete,
  kUnsupported,  ///< an API without counterpart on the NPU, left as it is
  kUnknown,      ///< an API that is not known to exist in torch_npu, left as it is
  kSuggestion,   ///< something left for a person, with the reason
  kUnparsed,     ///< a range that is not valid Python and was not looked at
  kSkipped,      ///< a file that was not migrated
  kFailed,       ///< a file whose migration went wrong and that was kept as it is
};

/// What becomes of a row about a package that the project installs where no code of it imports
/// that.
enum class Unimported : uint8_t {
  kStays,    ///< the row is about something else, or as grave as before
  kNote,     ///< it installs, and nothing runs it
  kLeftOut,  ///< it cannot be installed, or does harm there: the line has to go
};

/// What a row says of a file in which edits of other rules would make the program fail at its
/// place.
struct KeptBack {
  std::vector<std::string> rules;  ///< whose edits are not made in the file: ids, * for any text
  Text message;                    ///< of the row, where there were such edits
  Severity severity = Severity::kMayGoWrong;
};

/// Something that a rule has seen at one place of a file, with the edit that answers it, if any.
struct Finding {
  TextRange range;  ///< what the finding is about, in the original bytes
  std::string rule_id;
  Operation operation = Operation::kModify;
  Applicability applicability = Applicability::kSafe;
  Text message;
  Fix fix;  ///< empty if `applicability` is kDisplayOnly, or else an import is all
  /// What this is one place of: findings with one cause have one remedy. Empty: the rule itself.
  std::string cause = {};
  /// Of a finding that edits nothing. Nothing: what `operation` says of it.
  std::optional<Severity> severity = {};
  Unimported unimported = Unimported::kStays;
  /// What of a package needs it, as "Trainer": without its words in code it is a note, or nothing.
  std::vector<std::string> needed_by = {};
  /// The fix writes a name that exists only after `import torch_npu`.
  bool needs_device_import = false;
  /// The fix writes a name that this statement binds: "from apex import amp". Empty: none.
  std::string needs_import = {};
  /// Names of the NPU adapter for TensorFlow that the fix writes: {"npu_config_proto"}.
  std::vector<std::string> needs_adapter = {};
  /// Fixes with the same word here, in whatever file, are made together or not at all.
  std::string belongs_to = {};
  /// What other rules would edit here is dropped: the user has asked for this fix by an option, or
  /// it does what their edits are for.
  bool takes_over = false;
  /// Of a row: null if no edits of the file fall away for it.
  std::shared_ptr<const KeptBack> keeps = {};
};

using Findings = std::vector<Finding>;

/// What was found at `range` and stays as it is: a row for a person.
Finding RowAt(TextRange range, std::string_view rule_id, Text message,
              Operation operation = Operation::kSuggestion,
              std::optional<Severity> severity = std::nullopt);

/// The severity of `finding`; where nobody has said one, an API that the NPU lacks stops the run,
/// and all else may go wrong.
Severity SeverityOf(const Finding& finding);

/// Makes of `finding`, which found a place to edit, a row that edits nothing.
void Leave(Finding& finding, Text message);

std::string_view Name(Applicability applicability);  ///< "safe", "unsafe", "display-only"
std::string_view Name(Operation operation);          ///< "INSERT", "MODIFY", ...

}  // namespace transplt
