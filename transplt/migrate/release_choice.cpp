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

/// The rules about versions of one library, and what they find in the project.
class RulesOfLibrary {
 public:
  RulesOfLibrary(std::string package, const RuleSet& rules)
      : package_(std::move(package)), rules_(rules) {}

  void Found(StopsByRule stops) { stops_ = std::move(stops); }

  /// True if a rule may say of this version that it cannot stay.
  bool MayRefuse(const Version& version) const {
    return std::ranges::any_of(rules_.rules(), [&](const LoadedRule& rule) {
      return rule.rule->header().needs_other_release && IsAbout(rule, version);
    });
  }

  /// At how many places the version stops the project for which nothing but another release helps.
  size_t Refusals(const Version& version) const { return Count(version, true); }
  /// The same for places where something can be written.
  size_t Changes(const Version& version) const { return Count(version, false); }

  /// The rule by which the version stops the project first, and at most places; empty if none does.
  std::string FirstRefusal(const Version& version) const {
    std::string first;
    for (const auto& [id, stops] : Of(version, true)) {
      const auto rank = [](const Stops& of) { return std::pair(of.at_import, of.places); };
      if (first.empty() || rank(stops) > rank(stops_.at(first))) first = id;
    }
    return first;
  }

 private:
  size_t Count(const Version& version, bool needs_other_release) const {
    size_t count = 0;
    for (const auto& [id, stops] : Of(version, needs_other_release)) count += stops.places;
    return count;
  }

  StopsByRule Of(const Version& version, bool needs_other_release) const {
    StopsByRule stops;
    for (const LoadedRule& rule : rules_.rules()) {
      const auto found = stops_.find(rule.rule->id());
      if (found == stops_.end() || !IsAbout(rule, version)) continue;
      if (rule.rule->header().needs_other_release == needs_other_release) stops.insert(*found);
    }
    return stops;
  }

  /// What other packages need of the library is not told by its own versions.
  bool IsAbout(const LoadedRule& rule, const Version& version) const {
    if (rule.notes.fields.Has("needed")) return false;
    return std::ranges::any_of(rule.notes.libraries, [&](const LibraryRange& library) {
      return NamesPackage(library.package, package_) && library.versions.Contains(version);
    });
  }

  std::string package_;
  const RuleSet& rules_;
  StopsByRule stops_;
};

/// The release that refuses the project at the fewest places, and of these the one that asks for
/// the fewest changes.
LibraryRelease WithFewestStops(const std::vector<LibraryRelease>& releases,
                               const RulesOfLibrary& rules) {
  return *std::ranges::min_element(releases, {}, [&](const LibraryRelease& release) {
    return std::pair(rules.Refusals(release.version), rules.Changes(release.version));
  });
}

}  // namespace

Result<Done> ReplaceReleases(const std::vector<RuleFile>& user_rules,
                             const std::function<Result<StopsByRule>(const RuleSet&)>& find,
                             RuleSelection& selection) {
  std::optional<RuleSet> all;
  for (auto& [package, asked_for] : selection.libraries) {
    std::vector<LibraryRelease> releases = ReleasesOf(package);
    std::erase_if(releases,
                  [&](const LibraryRelease& release) { return release.version <= asked_for; });
    if (releases.empty()) continue;
    if (!all) {
      Result<RuleSet> rules = LoadRules(user_rules, true, selection);
      if (!rules) return rules.error();
      all.emplace(*std::move(rules));
    }
    RuleSelection about = selection;
    about.of_package = package;
    const Result<RuleSet> rules = LoadRules({}, true, about);
    if (!rules) return rules.error();
    RulesOfLibrary of_library(package, *rules);
    const bool must_go = MustBeReplaced(package, asked_for, *all);
    if (!must_go && !of_library.MayRefuse(asked_for)) continue;
    Result<StopsByRule> found = find(*rules);
    if (!found) return found.error();
    of_library.Found(*std::move(found));
    if (!must_go && of_library.Refusals(asked_for) == 0) continue;
    std::erase_if(releases, [&](const LibraryRelease& release) {
      return release.version != kNewestVersion && MustBeReplaced(package, release.version, *all);
    });
    LibraryRelease taken = WithFewestStops(releases, of_library);
    const size_t changes = of_library.Refusals(taken.version) + of_library.Changes(taken.version);
    selection.replaced.push_back({asked_for, taken, changes, of_library.FirstRefusal(asked_for)});
    asked_for = taken.version;
  }
  return Done{};
}

}  // namespace transplt
