// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "transplt/base/requirement.h"
#include "transplt/engine/torch_npu_releases.h"
#include "transplt/engine/version_specifier.h"
#include "transplt/rule_kinds/package_names.h"
#include "transplt/rule_kinds/rule_kind_rows.h"

namespace transplt {
namespace {

/// The counterpart of a package on the NPU, and the versions of the package that have one.
struct Counterpart {
  std::string name;
  std::vector<std::string> versions;  ///< rising
  Text change;                        ///< what to do about other versions, before the nearest
  std::string assumed;                ///< the version of the package that the run assumes, or ""

  static Result<Counterpart> Make(const Fields& fields) {
    Counterpart counterpart{fields.String("counterpart"),
                            fields.List("versions"),
                            {fields.String("change"), fields.String("change_zh")},
                            fields.String("assumed")};
    if (counterpart.change.en.empty()) {
      counterpart.change = {"change them: the nearest are", "请更改版本：最接近的有"};
    }
    if (counterpart.name.empty() != counterpart.versions.empty()) {
      return BadRule(Say("counterpart and versions belong together; give both or none",
                         "counterpart 与 versions 须同时给出或同时省略"));
    }
    for (const std::string& version : counterpart.versions) {
      if (const Result<Version> read = ParseVersion(version); !read) return read.error();
    }
    std::ranges::sort(counterpart.versions, IsOlder);
    return counterpart;
  }

  static bool IsOlder(const std::string& a, const std::string& b) {
    return *ParseVersion(a) < *ParseVersion(b);
  }

  /// What to tell about a package of which `specifier` ("==1.13.1") is asked for; `why` is what the
  /// rule tells about versions that it cannot read. Nothing where one of them has a counterpart:
  /// that is installed for every project.
  std::optional<Text> Message(const Text& why, std::string_view specifier) const {
    if (versions.empty()) return why;
    const std::optional<VersionSpecifier> asked = VersionSpecifier::Parse(specifier);
    if (!asked) return specifier.empty() ? std::nullopt : std::optional(why);
    const bool is_served = std::ranges::any_of(versions, [&](const std::string& version) {
      return asked->Admits(*ParseVersion(version));
    });
    if (is_served) {
      // Whoever installs these versions gets others than those the migration is for.
      const Result<Version> version = ParseVersion(assumed);
      if (!version || asked->Admits(*version)) return std::nullopt;
      return Text{fmt::format("the versions asked for leave out {}, which this run assumes; {} {}",
                              assumed, change.en, Nearest(asked->first())),
                  fmt::format("所要求的版本不含本次运行所假定的 {}；{} {}", assumed, change.zh,
                              Nearest(asked->first()))};
    }
    const std::string nearest = Nearest(asked->first());
    return Text{
        fmt::format("no {} exists for the versions asked for; {} {}", name, change.en, nearest),
        fmt::format("所要求的版本没有对应的 {}；{} {}", name, change.zh, nearest)};
  }

 private:
  std::string Nearest(const Version& version) const {
    const auto above = std::partition_point(
        versions.begin(), versions.end(),
        [&](const std::string& known) { return *ParseVersion(known) < version; });
    std::string nearest = above == versions.begin() ? "" : *std::prev(above);
    if (above != versions.end()) nearest += (nearest.empty() ? "" : ", ") + *above;
    return nearest;
  }
};

/// Reports packages, images and settings of containers that a project asks for and that need CUDA.
class DependencyReportRule : public Rule {
 public:
  DependencyReportRule(RuleHeader header, PackageNames packages, Counterpart counterpart,
                       std::optional<VersionRange> needed, std::optional<VersionRange> refused,
                       const Fields& fields)
      : Rule(std::move(header)),
        packages_(std::move(packages)),
        counterpart_(std::move(counterpart)),
        needed_(std::move(needed)),
        refused_(std::move(refused)),
        also_unpinned_(fields.Boolean("also_unpinned", false)),
        built_for_(fields.String("built_for")),
        needed_by_(fields.List("needed_by")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    for (const std::vector<std::string>& words : packages_.Words()) {
      triggers.push_back({NodeKind::kString, words.front()});
    }
    return triggers;
  }

  WordSets required_words() const override { return packages_.WordsInSetup(); }
  WordSets setting_words() const override { return packages_.Words(); }

  void Check(Node string, const FileContext& /*file*/, Findings& findings) const override {
    if (!packages_.AreRequiredBy(string)) return;
    const std::string_view text = PlainStringContent(string).text();
    const std::optional<Requirement> requirement = ParseRequirement(text);
    Report(text, requirement ? requirement->versions.In(text) : "", string.range(), findings);
  }

  void CheckSetting(const Setting& setting, Findings& findings) const override {
    const TextRange range = packages_.FindIn(setting);
    if (range.empty()) return;
    const bool is_value =
        setting.kind != Setting::Kind::kDependency && range == setting.value_range;
    std::string name = is_value ? setting.value : setting.name;
    // As it is written, without the mark of what Slurm is asked for.
    if (setting.kind == Setting::Kind::kContainer && name.starts_with('#')) name.erase(0, 1);
    const size_t before = findings.size();
    Report(name, setting.versions, range, findings);
    if (findings.size() > before) findings.back().needed_by = needed_by_;
  }

 private:
  void Report(std::string_view name, std::string_view versions, TextRange range,
              Findings& findings) const {
    if ((needed_ && MayBeNeeded(versions)) || (refused_ && !IsRefused(versions))) return;
    const std::optional<Text> message = built_for_.empty()
                                            ? counterpart_.Message(header().why, versions)
                                            : MessageAboutTorch(name, versions);
    if (!message) return;
    findings.push_back(Row(
        range, {std::string(name) + ": " + message->en, std::string(name) + ": " + message->zh}));
  }

  /// True if the newest version that is asked for is one of those that are needed.
  bool MayBeNeeded(std::string_view versions) const {
    const std::optional<VersionSpecifier> asked = VersionSpecifier::Parse(versions);
    if (!asked) return !versions.empty() || !also_unpinned_ || needed_->Contains(kNewestVersion);
    return needed_->Contains(asked->newest());
  }

  /// True if the newest version that is asked for is one of those that are refused.
  bool IsRefused(std::string_view versions) const {
    const std::optional<VersionSpecifier> asked = VersionSpecifier::Parse(versions);
    return asked && refused_->Contains(asked->newest());
  }

  /// What to tell about a package whose releases are built for one torch each; nothing where one
  /// that is asked for is built for the torch that the run assumes.
  std::optional<Text> MessageAboutTorch(std::string_view name, std::string_view versions) const {
    static const Result<TorchNpuReleases> releases = TorchNpuReleases::Load();
    const std::optional<VersionSpecifier> asked = VersionSpecifier::Parse(versions);
    const Result<Version> torch = ParseVersion(built_for_);
    if (!releases || !asked || !torch) return std::nullopt;
    const std::string package = std::string(name.substr(0, name.find_first_of("=<>!~[ ")));
    if (releases->AdmitsCompanion(package, *asked, *torch)) return std::nullopt;
    const Version first = *releases->CompanionOf(package, *torch);
    return Text{fmt::format("{}: take {} {}.{} beside torch {}", header().why.en, package, first[0],
                            first[1], built_for_),
                fmt::format("{}：请与 torch {} 一起使用 {} {}.{}", header().why.zh, built_for_,
                            package, first[0], first[1])};
  }

  PackageNames packages_;
  Counterpart counterpart_;
  std::optional<VersionRange> needed_;
  std::optional<VersionRange> refused_;
  bool also_unpinned_;
  std::string built_for_;  // a torch; empty: the package is no matter of torch
  std::vector<std::string> needed_by_;
};

Result<std::unique_ptr<Rule>> MakeDependencyReportRule(RuleHeader header, const Fields& fields) {
  PackageNames packages(fields.List("packages"));
  if (auto mistake = packages.Mistake()) return *mistake;
  Result<Counterpart> counterpart = Counterpart::Make(fields);
  if (!counterpart) return counterpart.error();
  std::optional<VersionRange> needed;
  std::optional<VersionRange> refused;
  for (const auto& [field, into] : {std::pair{"needed", &needed}, std::pair{"refused", &refused}}) {
    if (!fields.Has(field)) continue;
    const Result<VersionRange> range = VersionRange::Parse(fields.String(field));
    if (!range) return range.error();
    *into = *range;
  }
  return std::unique_ptr<Rule>(std::make_unique<DependencyReportRule>(
      std::move(header), std::move(packages), *std::move(counterpart), std::move(needed),
      std::move(refused), fields));
}

}  // namespace

RuleKind DependencyReportRuleKind() {
  return {
      "DependencyReportRule",
      "Reports packages that a project asks for (requirements, environment.yml, pyproject.toml, "
      "setup.py, setup.cfg, `pip install`), and images and settings of containers; the rule's "
      "why is the message.",
      {{"packages", FieldType::kStringList, true,
        "Names as pip compares them; * stands for any text."},
       {"counterpart", FieldType::kString, false,
        "The package that serves the NPU beside it, for example torch-npu."},
       {"versions", FieldType::kStringList, false,
        "The versions of the package that have this counterpart: only others are reported."},
       {"assumed", FieldType::kString, false,
        "The version of the package that the run assumes: who leaves it out is reported too."},
       {"change", FieldType::kString, false,
        "What to do about other versions: the nearest ones stand behind this text."},
       {"change_zh", FieldType::kString, false, "The same in Chinese."},
       {"needed", FieldType::kString, false,
        "A range of versions, \">=3.10\": only who asks for none of them is reported, by the "
        "newest "
        "version asked for."},
       {"refused", FieldType::kString, false,
        "A range of versions, \">=1.5,<1.8\": only who asks for one of these is reported, by the "
        "newest version asked for."},
       {"also_unpinned", FieldType::kBoolean, false,
        "Of needed: who asks for any version gets the newest, and is reported if that is none of "
        "them."},
       {"needed_by", FieldType::kStringList, false,
        "Names that code uses for which the package matters: a list of packages is not reported "
        "where no file of Python spells one."},
       {"built_for", FieldType::kString, false,
        "A version of torch: the package has releases for one torch each, and who asks for none of "
        "those for this torch is reported."},
       {"source", FieldType::kString, false, "Where the counterpart is documented."}},
      MakeDependencyReportRule};
}

}  // namespace transplt
