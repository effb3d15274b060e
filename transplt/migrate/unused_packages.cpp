// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/unused_packages.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "transplt/base/requirement.h"
#include "transplt/python/dotted_name.h"

namespace transplt {
namespace {

class ImportedPackages {
 public:
  explicit ImportedPackages(const ProgramCode& code) {
    for (const FileUnits& file : code.files) {
      names_.insert(file.imported_packages.begin(), file.imported_packages.end());
    }
  }

  /// True if code imports the package that the row of a rule is about.
  bool Have(const ChangeRecord& record) const {
    if (names_.contains(FirstPart(record.rule_id))) return true;
    const std::optional<Requirement> requirement = ParseRequirement(record.before);
    if (!requirement) return false;
    const std::string_view asked = requirement->name.In(record.before);
    return std::ranges::any_of(names_,
                               [&](const std::string& name) { return NamesPackage(asked, name); });
  }

 private:
  std::set<std::string, std::less<>> names_;
};

}  // namespace

void NoteUnusedPackages(const ProgramCode& code, std::vector<ChangeRecord>& records) {
  std::set<std::string> used;  // ids of rules
  for (const ChangeRecord& record : records) {
    if (!record.only_installs) used.insert(record.rule_id);
  }
  const ImportedPackages imported(code);
  for (ChangeRecord& record : records) {
    if (!record.only_installs || used.contains(record.rule_id) || imported.Have(record)) continue;
    record.severity = Severity::kNote;
    const Text reason = Say(" (no code of the project imports it)", "（项目代码未导入它）");
    record.message.en += reason.en;
    record.message.zh += reason.zh;
  }
}

}  // namespace transplt
