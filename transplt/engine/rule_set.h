// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/base/framework.h"
#include "transplt/base/result.h"
#include "transplt/engine/library_releases.h"
#include "transplt/engine/rule.h"
#include "transplt/engine/rule_kind.h"
#include "transplt/engine/target.h"
#include "transplt/engine/version_range.h"

namespace transplt {

/// A before/after example of a rule; `after` equal to `before` means "must not change", which JSON
/// may also write as {"unchanged": "text"}.
struct RuleExample {
  std::string before;
  std::string after;
};

/// A package of the project and the versions of it for which a rule runs.
struct LibraryRange {
  std::string package;
  VersionRange versions;
  std::string text;  ///< "timm>=1.0.12"
};

/// When a rule runs, and what its file says about it.
struct RuleNotes {
  std::string target;     ///< the name of a target; empty: for all
  std::string torch;      ///< ">=2.1,<2.5"; empty: with every version
  std::string torch_npu;  ///< ">=7.3.0"; empty: with every release
  std::vector<std::string> features;
  std::vector<LibraryRange> libraries;       ///< empty: whatever the project asks for
  std::vector<LibraryRange> with_libraries;  ///< all of which have to be there as well
  Fields fields;
};

/// A rule as loaded, with what only documentation and tests need.
struct LoadedRule {
  std::unique_ptr<Rule> rule;
  std::vector<RuleExample> examples;
  RuleNotes notes;

  /// True if the rule runs only when an option asks for it.
  bool IsOptional() const;
};

/// A file of rules: `name` is what messages call it, `text` its content (JSON).
struct RuleFile {
  std::string name;
  std::string text;
  bool built_in = false;  ///< built-in rules must have id, why and examples
  /// What `text` holds, if it is read already; its rules then need no examples.
  std::shared_ptr<const JsonDocument> document = nullptr;
};

/// The newest torch version that the tables of names and of supported APIs are about.
inline constexpr std::string_view kNewestTorch = "2.13";

/// A release that the project has to take of a library, since the one that it asks for cannot stay.
struct ReplacedRelease {
  Version asked_for;
  LibraryRelease taken;
  size_t changes = 0;   ///< places of the project that it asks for a change of
  std::string told_by;  ///< the id of the rule that tells it; empty: what packages need
};

/// What decides which of the loaded rules are active.
struct RuleSelection {
  /// The name of a target of rules/targets, or of one that a rule file describes. The rules of a
  /// file that names another target are left out.
  std::string target = DefaultTarget().name;
  Framework framework = Framework::kPytorch;  ///< built-in rules of another one are left out
  bool tensorflow = true;                     ///< but not those for files that use TensorFlow
  /// Rules outside their `torch` range are left out; empty: the newest with a torch_npu.
  std::string torch_version = {};
  /// The oldest torch that the project asks for; all zero if nothing says which. Rules outside
  /// their `project_torch` range are left out.
  Version project_torch = {};
  /// The newest versions of packages that the project asks for, by their names; of others it takes
  /// the newest there is. Rules outside their `libraries` ranges are left out.
  std::vector<std::pair<std::string, Version>> libraries = {};
  /// Packages of which `libraries` has another version than the project asks for. A rule which says
  /// that the one it asks for cannot stay runs all the same, and names the one that it takes.
  std::vector<ReplacedRelease> replaced = {};
  /// Only rules about versions of this package, whatever these are; empty: all rules.
  std::string of_package = {};
  /// The same for `torch_npu`: a release; empty: the newest for this torch.
  std::string torch_npu = {};
  /// A rule runs if it has one of these in feature_switch; one without is "normal". Rules of
  /// "2.1.0" always run.
  std::vector<std::string> features = {"normal"};
  std::vector<std::string> disabled = {};  ///< ids of rules that are left out
  bool include_inactive = false;  ///< for listing and testing: all rules, whatever the above says
};

/// A value that feature_switch of a rule may have.
struct Feature {
  std::string_view name;
  std::string_view what;  ///< what its rules do, in English; empty: no option selects it
};
std::span<const Feature> KnownFeatures();

/// The features that a user names, "drop-last" or "drop_last"; fails for one that no option
/// selects.
Result<std::vector<std::string>> FeaturesNamed(const std::vector<std::string>& names);

/// The rules of one run, in the order in which they run: the order of the files, then of the
/// kinds in a file, then of the list.
class RuleSet {
 public:
  /// Fails with the first of the errors that `Check` finds.
  static Result<RuleSet> Load(const std::vector<RuleFile>& files, const RuleSelection& selection,
                              std::span<const RuleKind> kinds);

  /// Everything that is wrong with the files, in their order; rules that are not selected are
  /// checked as well.
  static std::vector<Error> Check(const std::vector<RuleFile>& files,
                                  const RuleSelection& selection, std::span<const RuleKind> kinds);

  const std::vector<LoadedRule>& rules() const { return rules_; }
  const Target& target() const { return target_; }
  /// Names of APIs whose counterpart the assumed release of torch_npu lacks, each with the releases
  /// that have it: ">=7.2.0".
  const std::vector<std::pair<std::string, std::string>>& of_other_releases() const {
    return of_other_releases_;
  }

 private:
  std::vector<LoadedRule> rules_;
  Target target_;
  std::vector<std::pair<std::string, std::string>> of_other_releases_;
};

}  // namespace transplt
