// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "transplt/base/requirement.h"
#include "transplt/base/text_parts.h"
#include "transplt/engine/file_context.h"
#include "transplt/engine/version_specifier.h"
#include "transplt/rule_kinds/package_names.h"
#include "transplt/rule_kinds/rule_kind_rows.h"

namespace transplt {
namespace {

/// Releases of a package, and those of the other library that they take.
struct ReleaseNeeds {
  std::string text;  ///< ">=2.26,<3"
  VersionRange releases;
  std::string needed_text;  ///< ">=1.3.17,<1.8"
  VersionRange needed;

  static Result<ReleaseNeeds> Parse(std::string_view text) {
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
      return BadRule(Say("write \"releases: releases of the other library\", as in \"{}\"",
                         "请写作“版本: 另一库的版本”，例如 \"{}\"", ">=2,<3: >=1.3,<1.8"));
    }
    ReleaseNeeds row{std::string(Trimmed(text.substr(0, colon))),
                     {},
                     std::string(Trimmed(text.substr(colon + 1))),
                     {}};
    const Result<VersionRange> releases = VersionRange::Parse(row.text);
    if (!releases) return BadRule(releases.error().what);
    const Result<VersionRange> needed = VersionRange::Parse(row.needed_text);
    if (!needed) return BadRule(needed.error().what);
    row.releases = *releases;
    row.needed = *needed;
    return row;
  }
};

/// A release of a library, and how it is written.
struct NamedVersion {
  std::string text;
  Version version;
};

/// Reports releases of packages that do not run beside the release of another library that the
/// project gets: which one that is, the choice of releases has settled before.
class LibraryNeedsReportRule : public Rule {
 public:
  LibraryNeedsReportRule(RuleHeader header, const Fields& fields, std::vector<ReleaseNeeds> rows,
                         std::vector<NamedVersion> serving)
      : Rule(std::move(header)),
        packages_(fields.List("packages")),
        package_(fields.List("packages").front()),
        library_(fields.String("library")),
        bounds_(fields.List("bounds")),
        otherwise_{fields.String("otherwise"), fields.String("otherwise_zh")},
        rows_(std::move(rows)),
        serving_(std::move(serving)) {
    if (this->header().library_version == kNewestVersion) return;
    serving_ = {{TextOf(this->header().library_version), this->header().library_version}};
  }

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    for (const std::vector<std::string>& words : packages_.Words()) {
      triggers.push_back({NodeKind::kString, words.front()});
    }
    for (const std::string& name : bounds_) triggers.push_back({NodeKind::kIdentifier, name});
    return triggers;
  }

  WordSets required_words() const override {
    WordSets words = packages_.WordsInSetup();
    for (const std::string& name : bounds_) words.push_back({name});
    return words;
  }
  WordSets setting_words() const override { return packages_.Words(); }

  void Check(Node node, const FileContext& /*file*/, Findings& findings) const override {
    if (node.Is(NodeKind::kIdentifier)) return CheckBound(node, findings);
    if (!packages_.AreRequiredBy(node)) return;
    const std::string_view text = PlainStringContent(node).text();
    const std::optional<Requirement> requirement = ParseRequirement(text);
    Report(text, requirement ? requirement->versions.In(text) : "", node.range(), findings);
  }

  void CheckSetting(const Setting& setting, Findings& findings) const override {
    if (setting.kind != Setting::Kind::kDependency) return;
    const TextRange range = packages_.FindIn(setting);
    if (!range.empty()) Report(setting.name, setting.versions, range, findings);
  }

 private:
  /// "1.7.2"; of the newest that a project admits with "<1.8": "1.7.x".
  static std::string TextOf(const Version& version) {
    constexpr size_t kShown = 3;
    std::string text;
    for (size_t i = 0; i < kShown; ++i) {
      if (version[i] == kNewestVersion[i]) return text + ".x";
      text += fmt::format("{}{}", text.empty() ? "" : ".", version[i]);
    }
    return text;
  }

  /// The one of `serving_` that is in the range, the last of several; where none is named, that
  /// which is newer than all.
  const NamedVersion* FirstIn(const VersionRange& needed) const {
    static const NamedVersion newest{"", kNewestVersion};
    if (serving_.empty()) return needed.Contains(kNewestVersion) ? &newest : nullptr;
    const auto found = std::find_if(serving_.rbegin(), serving_.rend(), [&](const auto& served) {
      return needed.Contains(served.version);
    });
    return found == serving_.rend() ? nullptr : &*found;
  }

  /// `mmcv_maximum_version = '1.4.0'` in a copy of the package.
  void CheckBound(Node name, Findings& findings) const {
    const Node assignment = name.parent();
    if (!assignment.Is(NodeKind::kAssignment) || name.field() != Field::kLeft) return;
    const Node content = PlainStringContent(assignment.Child(Field::kRight));
    if (!content || serving_.empty()) return;
    const Result<Version> bound = ParseVersion(content.text());
    const bool is_refused = bound && std::ranges::all_of(serving_, [&](const NamedVersion& served) {
                              return served.version > *bound;
                            });
    if (!is_refused) return;
    // The newest that is like the oldest.
    const NamedVersion& served =
        *std::find_if(serving_.rbegin(), serving_.rend(), [&](const NamedVersion& release) {
          return release.version[0] == serving_.front().version[0];
        });
    findings.push_back(Row(
        assignment.range(),
        Say("{}: the check refuses {} {}: raise it to '{}'", "{}：该检查拒绝 {} {}：请提高至 '{}'",
            name.text(), library_, served.text, served.text)));
  }

  void Report(std::string_view name, std::string_view versions, TextRange range,
              Findings& findings) const {
    const std::optional<VersionSpecifier> asked = VersionSpecifier::Parse(versions);
    if (!asked && !versions.empty()) return;
    const Version newest = asked ? asked->newest() : kNewestVersion;
    const auto row = std::ranges::find_if(
        rows_, [&](const ReleaseNeeds& needs) { return needs.releases.Contains(newest); });
    if (row == rows_.end() || FirstIn(row->needed) != nullptr) return;
    const std::string refused = serving_.empty() ? std::string() : serving_.back().text;
    Text message =
        refused.empty()
            ? Say("{}: it takes {}{} alone", "{}：仅支持 {}{}", name, library_, row->needed_text)
            : Say("{}: it takes {}{} alone, and not {}", "{}：仅支持 {}{}，不支持 {}", name,
                  library_, row->needed_text, refused);
    const Text remedy = RemedyFrom(row);
    message.en += fmt::format("; {}: {}", header().why.en, remedy.en);
    message.zh += fmt::format("；{}：{}", header().why.zh, remedy.zh);
    findings.push_back(Row(range, std::move(message)));
  }

  Text RemedyFrom(std::vector<ReleaseNeeds>::const_iterator row) const {
    auto taken = std::find_if(row, rows_.end(), [&](const ReleaseNeeds& needs) {
      return FirstIn(needs.needed) != nullptr;
    });
    if (taken == rows_.end()) {
      const auto older =
          std::find_if(std::make_reverse_iterator(row), rows_.rend(),
                       [&](const ReleaseNeeds& needs) { return FirstIn(needs.needed) != nullptr; });
      if (older != rows_.rend()) taken = std::prev(older.base());
    }
    if (serving_.empty()) {
      return taken == rows_.end()
                 ? Say("ask for {}{} as well", "请同时要求 {}{}", library_, row->needed_text)
                 : Say("ask for {}{} as well, or take {}{}", "请同时要求 {}{}，或使用 {}{}",
                       library_, row->needed_text, package_, taken->text);
    }
    if (taken == rows_.end()) {
      Text none = Say("no release of {} is known to take that", "未知有支持它的 {} 版本", package_);
      if (!otherwise_.en.empty()) {
        none.en += ": " + otherwise_.en;
        none.zh += "：" + otherwise_.zh;
      }
      return none;
    }
    return Say("take {}{} and {} {} together", "请一并使用 {}{} 与 {} {}", package_, taken->text,
               library_, FirstIn(taken->needed)->text);
  }

  PackageNames packages_;
  std::string package_;
  std::string library_;
  std::vector<std::string> bounds_;
  Text otherwise_;
  std::vector<ReleaseNeeds> rows_;  // rising
  std::vector<NamedVersion> serving_;
};

Result<std::unique_ptr<Rule>> MakeLibraryNeedsReportRule(RuleHeader header, const Fields& fields) {
  if (fields.List("packages").empty() || fields.List("releases").empty()) {
    return BadRule(Say("packages and releases must not be empty", "packages 与 releases 不能为空"));
  }
  if (auto mistake = PackageNames(fields.List("packages")).Mistake()) return *mistake;
  std::vector<ReleaseNeeds> rows;
  for (const std::string& text : fields.List("releases")) {
    Result<ReleaseNeeds> row = ReleaseNeeds::Parse(text);
    if (!row) return row.error();
    rows.push_back(*std::move(row));
  }
  std::vector<NamedVersion> serving;
  for (const std::string& text : fields.List("serving")) {
    const Result<Version> version = ParseVersion(text);
    if (!version) return BadRule(version.error().what);
    serving.push_back({text, *version});
  }
  return std::unique_ptr<Rule>(std::make_unique<LibraryNeedsReportRule>(
      std::move(header), fields, std::move(rows), std::move(serving)));
}

}  // namespace

RuleKind LibraryNeedsReportRuleKind() {
  return {
      "LibraryNeedsReportRule",
      "Reports packages that a project asks for in a release which does not run beside the release "
      "of another library that the project gets, and names releases that go together; the rule's "
      "why says how that shows.",
      {{"packages", FieldType::kStringList, true,
        "Names as pip compares them; messages take the first."},
       {"library", FieldType::kString, true,
        "What messages call the other library. Its packages are those of \"libraries\", from which "
        "the rule learns which release the project gets."},
       {"releases", FieldType::kStringList, true,
        "Releases of the package, rising, each with those of the library that they take, as in "
        "\">=2.26,<3: >=1.3.17,<1.8\"."},
       {"serving", FieldType::kStringList, false,
        "The releases of the library to take for an NPU, rising: one of them is meant where the "
        "project does not say which it wants. Without it, that is the newest there is."},
       {"otherwise", FieldType::kString, false, "What to do where no release takes it."},
       {"otherwise_zh", FieldType::kString, false, "The same in Chinese."},
       {"bounds", FieldType::kStringList, false,
        "Variables with which copies of the package bound the version of the library: one that "
        "refuses all releases to take is reported, too."},
       {"source", FieldType::kString, false, "Where the ranges are documented."}},
      MakeLibraryNeedsReportRule};
}

}  // namespace transplt
