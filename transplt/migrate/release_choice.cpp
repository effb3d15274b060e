// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/release_choice.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "transplt/base/requirement.h"
#include "transplt/engine/library_releases.h"
#include "transplt/rule_kinds/builtin_rules.h"

namespace transplt {
namespace {

using FindStops = std::function<Result<StopsByRule>(const RuleSet&)>;

/// What stops the project with one release of a library.
struct ReleaseOutcome {
  size_t refusals = 0;  ///< places where nothing but another release helps
  size_t changes = 0;   ///< places where something can be written
  /// The rule by which the release stops the project first, and at most places; empty if none does.
  std::string first_refusal;

  bool operator<(const ReleaseOutcome& other) const {
    return std::pair(refusals, changes) < std::pair(other.refusals, other.changes);
  }
};

/// The rules about one release of a library, with all others as `selection` has them.
Result<RuleSet> RulesAbout(const std::string& package, const Version& version,
                           RuleSelection selection) {
  selection.of_package = package;
  for (auto& [name, asked_for] : selection.libraries) {
    if (name == package) asked_for = version;
  }
  return LoadRules({}, true, selection);
}

/// What other packages need of the library is not told by its own versions.
bool IsOwn(const LoadedRule& rule) { return !rule.notes.fields.Has("needed"); }

bool MayRefuse(const RuleSet& rules) {
  return std::ranges::any_of(rules.rules(), [](const LoadedRule& rule) {
    return rule.rule->header().needs_other_release && IsOwn(rule);
  });
}

ReleaseOutcome Judge(const RuleSet& rules, const StopsByRule& stops) {
  ReleaseOutcome outcome;
  Stops first;
  for (const LoadedRule& rule : rules.rules()) {
    const auto found = stops.find(rule.rule->id());
    if (found == stops.end() || !IsOwn(rule)) continue;
    const Stops& here = found->second;
    const bool refuses = rule.rule->header().needs_other_release;
    (refuses ? outcome.refusals : outcome.changes) += here.places;
    const auto rank = [](const Stops& of) { return std::pair(of.at_import, of.places); };
    if (!refuses || (!outcome.first_refusal.empty() && rank(here) <= rank(first))) continue;
    outcome.first_refusal = found->first;
    first = here;
  }
  return outcome;
}

/// The rules that refuse releases of the library for what of it programs use, where `stops` tells
/// that this one uses nothing of the kind.
std::vector<std::string> IdleRules(const std::string& package, const RuleSet& rules,
                                   const StopsByRule& stops) {
  std::vector<std::string> idle;
  for (const LoadedRule& rule : rules.rules()) {
    const Fields& fields = rule.notes.fields;
    if (!fields.Has("needed") || !fields.Has("needed_by") || stops.contains(rule.rule->id())) {
      continue;
    }
    const std::vector<std::string> packages = fields.List("packages");
    const bool is_meant = std::ranges::any_of(
        packages, [&](const std::string& pattern) { return NamesPackage(pattern, package); });
    if (is_meant) idle.push_back(rule.rule->id());
  }
  return idle;
}

/// What `find` finds with this release of the library.
Result<ReleaseOutcome> JudgeRelease(const std::string& package, const Version& version,
                                    const RuleSelection& selection, const FindStops& find) {
  const Result<RuleSet> rules = RulesAbout(package, version, selection);
  if (!rules) return rules.error();
  const Result<StopsByRule> stops = find(*rules);
  if (!stops) return stops.error();
  return Judge(*rules, *stops);
}

}  // namespace

Result<Done> ReplaceReleases(const std::vector<RuleFile>& user_rules, const FindStops& find,
                             RuleSelection& selection) {
  std::optional<RuleSet> all;
  for (auto& [package, asked_for] : selection.libraries) {
    std::vector<LibraryRelease> releases = ReleasesOf(package);
    // Who asks for any gets the last.
    if (!releases.empty()) asked_for = std::min(asked_for, releases.back().version);
    std::erase_if(releases,
                  [&](const LibraryRelease& release) { return release.version <= asked_for; });
    if (releases.empty()) continue;
    if (!all) {
      Result<RuleSet> rules = LoadRules(user_rules, true, selection);
      if (!rules) return rules.error();
      all.emplace(*std::move(rules));
    }
    const Result<RuleSet> rules = RulesAbout(package, asked_for, selection);
    if (!rules) return rules.error();
    bool must_go = MustBeReplaced(package, asked_for, *all);
    if (!must_go && !MayRefuse(*rules)) continue;
    const Result<StopsByRule> found = find(*rules);
    if (!found) return found.error();
    if (must_go) {
      const std::vector<std::string> idle = IdleRules(package, *all, *found);
      if (!idle.empty()) {
        selection.disabled.insert(selection.disabled.end(), idle.begin(), idle.end());
        Result<RuleSet> others = LoadRules(user_rules, true, selection);
        if (!others) return others.error();
        all.emplace(*std::move(others));
        must_go = MustBeReplaced(package, asked_for, *all);
      }
    }
    const ReleaseOutcome now = Judge(*rules, *found);
    if (!must_go && now.refusals == 0) continue;
    const LibraryRelease* taken = nullptr;
    ReleaseOutcome best;
    for (const LibraryRelease& release : releases) {
      const bool is_newest = release.version == kNewestVersion;
      if (!is_newest && MustBeReplaced(package, release.version, *all)) continue;
      Result<ReleaseOutcome> outcome = JudgeRelease(package, release.version, selection, find);
      if (!outcome) return outcome.error();
      if (taken != nullptr && !(*outcome < best)) continue;
      taken = &release;
      best = *std::move(outcome);
    }
    if (taken == nullptr) continue;
    selection.replaced.push_back(
        {asked_for, *taken, best.refusals + best.changes, now.first_refusal});
    asked_for = taken->version;
  }
  return Done{};
}

}  // namespace transplt
