// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/unused_packages.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "transplt/base/one_of.h"
#include "transplt/base/requirement.h"
#include "transplt/python/dotted_name.h"

namespace transplt {
namespace {

class ImportedPackages {
 public:
  ImportedPackages(const ProgramCode& code, const ProjectIndex& index) : index_(index) {
    for (size_t i = 0; i < code.files.size(); ++i) {
      for (const std::string& name : code.files[i].imported_names) {
        names_[FirstPart(name)].emplace(name, code.paths[i]);
      }
    }
  }

  /// True if code imports the package that the row of a rule is about, and of it what the row is
  /// about.
  bool Have(const ChangeRecord& record) const {
    const std::optional<Requirement> requirement = ParseRequirement(record.before);
    const std::string_view asked = requirement ? requirement->name.In(record.before) : "";
    return std::ranges::any_of(names_, [&](const auto& of_package) {
      const auto& [package, names] = of_package;
      const bool is_meant =
          package == FirstPart(record.rule_id) || (requirement && NamesPackage(asked, package));
      return is_meant && (record.needed_by.empty() || MayUse(names, package, record.needed_by));
    });
  }

 private:
  /// Names, with the files that import them.
  using Names = std::set<std::pair<std::string_view, std::string_view>>;

  /// `import package` may use all that its file spells.
  bool MayUse(const Names& imported, std::string_view package,
              const std::vector<std::string>& parts) const {
    const auto spells = [&](std::string_view file) {
      return std::ranges::any_of(parts, [&](const std::string& part) {
        return IsOneOf(file, index_.FilesSpelling(part));
      });
    };
    return std::ranges::any_of(imported, [&](const auto& of_file) {
      const auto& [name, file] = of_file;
      return IsOneOf(LastPart(name), parts) || (name == package && spells(file));
    });
  }

  const ProjectIndex& index_;
  std::map<std::string_view, Names> names_;  // by package
};

}  // namespace

void NoteUnusedPackages(const ProgramCode& code, const ProjectIndex& index,
                        std::vector<ChangeRecord>& records) {
  std::set<std::string> used;  // ids of rules
  for (const ChangeRecord& record : records) {
    if (!record.only_installs) used.insert(record.rule_id);
  }
  const ImportedPackages imported(code, index);
  for (ChangeRecord& record : records) {
    if (!record.only_installs || used.contains(record.rule_id) || imported.Have(record)) continue;
    record.severity = Severity::kNote;
    const std::string needed_by = fmt::format("{}", fmt::join(record.needed_by, ", "));
    const Text reason =
        record.needed_by.empty()
            ? Say(" (no code of the project imports it)", "（项目代码未导入它）")
            : Say(" (no code of the project imports {})", "（项目代码未导入 {}）", needed_by);
    record.message.en += reason.en;
    record.message.zh += reason.zh;
  }
}

}  // namespace transplt
