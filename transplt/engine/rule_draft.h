// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/json_document.h"
#include "transplt/engine/rule_kind.h"
#include "transplt/engine/rule_set.h"
#include "transplt/engine/version_range.h"

namespace transplt {

/// One rule object of a file as read, before its kind makes a rule of it.
struct RuleDraft {
  RuleHeader header;
  Fields fields;
  std::vector<RuleExample> examples;
  std::vector<std::string> features = {"normal"};
  VersionRange torch;
  std::string torch_text;  ///< the range as it is written
  VersionRange project_torch;
  std::string project_torch_text;
  VersionRange torch_npu;  ///< of releases
  std::string torch_npu_text;
  std::vector<LibraryRange> libraries;
  std::vector<LibraryRange> with_libraries;
};

/// Reads `object`, a rule of `kind`, to its end and appends an Error for everything that is wrong
/// with it. Nothing is returned if something is. A rule that needs documentation has an id, both
/// explanations and examples.
std::optional<RuleDraft> ReadRuleDraft(const JsonDocument& document, const RuleKind& kind,
                                       const JsonValue& object, bool needs_documentation,
                                       std::vector<Error>& errors);

/// A field that rules of every kind may have.
struct SharedField {
  std::string_view name;
  std::string_view description;
};

inline constexpr std::array<SharedField, 13> kSharedFields = {{
    {"id", "Name of the rule in reports, unique over all files; without it FILE#/rules/KIND/N."},
    {"why", "Why the code must change, in English; shown with every change."},
    {"why_zh", "The same in Chinese."},
    {"cause",
     "What the reports count its places under, together with those of other rules; without "
     "it the id."},
    {"severity",
     "What becomes of the program on an NPU where the rule leaves something to a person."},
    {"examples", "Code before and after the rule, or code that it leaves unchanged."},
    {"feature_switch", "The rule runs only with one of these features; normally \"normal\"."},
    {"torch", "Versions of torch for which the rule runs, as in \">=2.1,<2.5\"."},
    {"project_torch",
     "Versions of torch; the rule does not run for a project that asks for newer ones alone."},
    {"torch_npu", "Releases of torch_npu for which the rule runs, as in \">=6.0.rc1,<7.3.0\"."},
    {"libraries",
     "Packages with versions, as in [\"timm>=1.0.12\"]; the rule runs where the newest version of "
     "one of them that the project asks for is in its range. A project that does not say gets the "
     "newest there is."},
    {"with_libraries",
     "Packages with versions, as in [\"numpy>=2\"]; the rule runs only where this holds of each of "
     "them, too."},
    {"needs_other_release",
     "Where the rule reports, these versions of \"libraries\" cannot stay: another release is all "
     "that helps. The message goes on with the one that asks for the fewest changes of the "
     "project, whose rules run then."},
}};

/// What an id looks like, as a regular expression for the schema.
inline constexpr std::string_view kIdPattern = "^[^\\x00- \\x7F]+$";

}  // namespace transplt
