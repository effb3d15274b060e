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
#include "transplt/base/text_parts.h"
#include "transplt/frontends/file_type.h"
#include "transplt/python/dotted_name.h"

namespace transplt {
namespace {

constexpr std::string_view kUnusedRequirement = "unused-requirement";
constexpr std::string_view kListForPython2 = "list-for-python-2";

/// The name of the package that the row asks for: in setup.py it asks by a string.
std::string_view PackageOf(const ChangeRecord& record) {
  constexpr std::string_view kQuotes = "\"'";
  std::string_view text = record.before;
  text.remove_prefix(std::min(text.find_first_not_of(kQuotes), text.size()));
  text = text.substr(0, text.find_last_not_of(kQuotes) + 1);
  const std::optional<Requirement> requirement = ParseRequirement(text);
  return requirement ? requirement->name.In(text) : text;
}

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
    const std::string_view asked = PackageOf(record);
    return std::ranges::any_of(names_, [&](const auto& of_package) {
      const auto& [package, names] = of_package;
      const bool is_meant = package == FirstPart(record.rule_id) || NamesPackage(asked, package);
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

/// What makes a note of a row about a package that installs and that nothing runs.
void BecomeNote(ChangeRecord& record) {
  const std::string needed_by = fmt::format("{}", fmt::join(record.needed_by, ", "));
  const Text reason =
      record.needed_by.empty()
          ? Say(" (no code of the project imports it)", "（项目代码未导入它）")
          : Say(" (no code of the project imports {})", "（项目代码未导入 {}）", needed_by);
  record.message.en += reason.en;
  record.message.zh += reason.zh;
}

/// It stops no program, but the installation, or harms what else is installed.
void BecomeLineToLeaveOut(ChangeRecord& record) {
  const std::string package(PackageOf(record));
  record.cause = kUnusedRequirement;
  record.values = {package};
  record.message = Say(
      "{}: no code of the project imports this package, which does not install on an NPU "
      "machine, or takes the place of what an NPU needs: leave the line out",
      "{}: 项目代码未导入该软件包, 它在 NPU 机器上无法安装, 或会取代 NPU 所需的软件包: 请去掉该行",
      package);
}

}  // namespace

void NoteUnusedPackages(const ProgramCode& code, const ProjectIndex& index,
                        std::vector<ChangeRecord>& records) {
  std::set<std::string> used;  // ids of rules
  for (const ChangeRecord& record : records) {
    if (record.unimported == Unimported::kStays) used.insert(record.rule_id);
  }
  const ImportedPackages imported(code, index);
  for (ChangeRecord& record : records) {
    const bool may_be_unused =
        record.unimported != Unimported::kStays && !used.contains(record.rule_id);
    // Which code of the project a submodule is for nobody knows while that is not here, but that
    // of a library is for code that imports the library.
    const bool is_open = record.unimported == Unimported::kLeftOut &&
                         FileTypeOf(record.file) == FileType::kSubmodules;
    if (!may_be_unused || is_open || imported.Have(record)) continue;
    record.severity = Severity::kNote;
    if (record.unimported == Unimported::kLeftOut) {
      BecomeLineToLeaveOut(record);
    } else {
      BecomeNote(record);
    }
  }
}

void NoteListsForPython2(const std::set<std::string>& lists, std::vector<ChangeRecord>& records) {
  if (lists.empty()) return;
  for (ChangeRecord& record : records) {
    if (!lists.contains(record.file)) continue;
    record.severity = Severity::kNote;
    record.cause = kListForPython2;
    record.message.en += " (this list is for Python 2)";
    record.message.zh += "（该列表用于 Python 2）";
  }
}

void NoteListsOfOthers(const ProjectPrograms& programs, Framework framework,
                       std::vector<ChangeRecord>& records) {
  std::map<std::string_view, bool> lists;                // by folder: true for one of others
  std::vector<std::pair<std::string_view, bool>> users;  // programs; true if they use it
  const auto uses = [&](const EntryPoint& entry) {
    return std::ranges::any_of(entry.runs, [&](const RunUnit& run) {
      const FileUnits* file = programs.code.Find(programs.graph.FileOf(run.unit));
      return file != nullptr && IsOneOf(framework, file->frameworks);
    });
  };
  for (ChangeRecord& record : records) {
    const std::string_view folder = FolderOf(record.file);
    const bool is_list = record.severity <= Severity::kStopsRun && !folder.empty() &&
                         FileTypeOf(record.file) == FileType::kRequirements;
    if (!is_list) continue;
    if (users.empty()) {
      for (const EntryPoint& entry : programs.entries.candidates) {
        users.emplace_back(entry.path, uses(entry));
      }
    }
    const auto [known, is_new] = lists.try_emplace(folder, false);
    if (is_new) {
      bool has_program = false;
      bool has_user = false;
      for (const auto& [path, is_user] : users) {
        if (!path.starts_with(folder) || path.substr(folder.size()).front() != '/') continue;
        has_program = true;
        has_user = has_user || is_user;
      }
      known->second = has_program && !has_user;
    }
    if (!known->second) continue;
    record.severity = Severity::kNote;
    const Text reason = Say(" (the programs in {} do not use {})", "（{} 中的程序不使用 {}）",
                            folder, NameOf(framework));
    record.message.en += reason.en;
    record.message.zh += reason.zh;
  }
}

}  // namespace transplt
