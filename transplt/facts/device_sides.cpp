// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/device_sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "transplt/base/test_file.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/import_groups.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/served_devices.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/places_of_file.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// A text of a table: `device="npu"` of `Vendor(device="npu")`, or `DEVICE = "npu"`.
struct Entry {
  std::string table;  ///< the function that is called; "" for an assignment
  std::string name;   ///< the keyword, or the variable
  std::string text;
  uint32_t line = 0;

  bool IsOf(const Entry& other) const { return table == other.table && name == other.name; }
};

bool IsInFunction(Node node) {
  for (; node; node = node.parent()) {
    if (node.Is(NodeKind::kFunctionDefinition) || node.Is(NodeKind::kLambda)) return true;
  }
  return false;
}

/// The entries that the import of the file makes.
std::vector<Entry> EntriesOf(const OpenedFile& file) {
  std::vector<Entry> entries;
  for (const Node node : NodesIn(file.tree())) {
    if (!node.Is(NodeKind::kString)) continue;
    const Node content = PlainStringContent(node);
    const Node holder = node.parent();
    if (!content || content.text().find_first_of(" \n") != std::string_view::npos) continue;
    Entry entry;
    if (holder.Is(NodeKind::kKeywordArgument)) {
      const Node call = holder.parent().parent();
      if (!call.Is(NodeKind::kCall)) continue;
      entry.table = LastPart(call.Child(Field::kFunction).text());
      entry.name = holder.Child(Field::kName).text();
    } else if (holder.Is(NodeKind::kAssignment) && node.field() == Field::kRight) {
      const Node left = holder.Child(Field::kLeft);
      if (!left.Is(NodeKind::kIdentifier)) continue;
      entry.name = left.text();
    } else {
      continue;
    }
    if (IsInFunction(holder)) continue;
    entry.text = content.text();
    entry.line = file.source().Locate(node.range().start).line;
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<std::string_view> PartsOfPath(std::string_view path) {
  std::vector<std::string_view> parts;
  for (size_t start = 0; start <= path.size();) {
    const size_t end = std::min(path.find('/', start), path.size());
    parts.push_back(path.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

/// What two paths that differ in one part have up to that part: two folders, or two files of one.
struct Fork {
  std::string parent;
  std::string one;
  std::string other;
};

std::optional<Fork> ForkOf(const std::string& one, const std::string& other) {
  const std::vector<std::string_view> parts = PartsOfPath(one);
  const std::vector<std::string_view> others = PartsOfPath(other);
  if (parts.size() != others.size()) return std::nullopt;
  const auto [at, at_other] = std::ranges::mismatch(parts, others);
  if (at == parts.end() || !std::equal(at + 1, parts.end(), at_other + 1)) return std::nullopt;
  const auto length = static_cast<size_t>(at->data() - one.data());
  return Fork{one.substr(0, length == 0 ? 0 : length - 1), one.substr(0, length + at->size()),
              other.substr(0, length + at_other->size())};
}

bool IsIn(std::string_view place, std::string_view path) {
  return path.starts_with(place) && (path.size() == place.size() || path[place.size()] == '/');
}

/// The name by which a program imports what lies there.
std::string_view ModuleAt(std::string_view place) {
  const std::string_view name = NameOfFile(place);
  return name.substr(0, name.rfind(".py"));
}

/// True for a call that imports a module whose name is put together when it runs, in a file of the
/// folder `parent`, or by a name that spells that folder.
bool ImportsByName(Node callee, std::string_view parent) {
  if (callee.parent().Is(NodeKind::kAttribute)) callee = callee.parent();
  const Node call = callee.parent();
  if (callee.field() != Field::kFunction || !call.Is(NodeKind::kCall)) return false;
  const std::vector<Argument> arguments = ArgumentsOf(call);
  if (arguments.empty() || PlainStringContent(arguments.front().value)) return false;
  if (FolderOf(call.tree().source().path()) == parent) return true;
  const std::string_view folder = NameOfFile(parent);
  return !folder.empty() && HasPart(arguments.front().value.text(), fmt::format("{}.", folder));
}

/// True for an import that not every run gets to.
bool IsConditional(Node import) {
  for (Node node = import; node; node = node.parent()) {
    if (node.Is(NodeKind::kIfStatement) || node.Is(NodeKind::kTryStatement)) return true;
  }
  return false;
}

/// Finds out for one file for the device of the migration what other sides there are.
class SidesOfOne {
 public:
  SidesOfOne(const ProjectIndex& project, const GuardSignatures& signatures)
      : project_(project), signatures_(signatures) {}

  const std::vector<Entry>& EntriesAt(const std::string& path) const {
    const auto [known, is_new] = entries_.try_emplace(path);
    const std::shared_ptr<const OpenedFile> file = is_new ? project_.Open(path) : nullptr;
    if (file != nullptr) known->second = EntriesOf(*file);
    return known->second;
  }

  bool NamesTarget(const Entry& entry) const {
    return HasDeviceWord(entry.text, signatures_.target_words);
  }

  /// True if the file has the table for the device of the migration, and for no other one.
  bool IsForTargetAlone(const Entry& entry, const std::vector<Entry>& entries) const {
    return std::ranges::all_of(
               entries,
               [&](const Entry& other) { return !other.IsOf(entry) || NamesTarget(other); }) &&
           NamesTarget(entry);
  }

  /// True if the table for the device of the migration, which `entries` have, gives the name of
  /// `label` another text. A word for CUDA is compared with devices of any origin.
  bool IsOfOther(const Entry& label, const std::vector<Entry>& entries) const {
    bool has_own = false;
    for (const Entry& own : entries) {
      if (!own.IsOf(label)) continue;
      if (own.text == label.text) return false;
      has_own = true;
    }
    return has_own && !HasDeviceWord(label.text, signatures_.words);
  }

  /// A file for another device with an entry of the same table.
  struct Side {
    std::string path;
    Fork fork;
    std::vector<Entry> entries;
    bool is_for_cuda = false;
  };

  /// By the folder that holds the sides.
  std::map<std::string, std::vector<Side>> SidesBeside(const std::string& path,
                                                       const Entry& entry) const {
    std::map<std::string, std::vector<Side>> sides;
    for (const std::string& other : project_.FilesSpelling(entry.name)) {
      if (other == path || IsTestFile(other)) continue;
      std::optional<Fork> fork = ForkOf(path, other);
      if (!fork) continue;
      Side side{other, *std::move(fork), EntriesAt(other)};
      bool has_table = false;
      bool is_for_target = false;
      for (const Entry& own : side.entries) {
        if (!own.IsOf(entry)) continue;
        has_table = true;
        is_for_target |= NamesTarget(own);
        side.is_for_cuda |= HasDeviceWord(own.text, signatures_.words);
      }
      if (has_table && !is_for_target) sides[side.fork.parent].push_back(std::move(side));
    }
    std::erase_if(sides, [](const auto& found) {
      return std::ranges::none_of(found.second, &Side::is_for_cuda);
    });
    return sides;
  }

  /// True if code outside of the sides chooses among them: it makes the name of the package that it
  /// imports, or imports one for CUDA or the one for the device of the migration. A module whose
  /// name is made may be a configuration, one of many for each device.
  bool IsChosen(const std::vector<Side>& sides) const {
    return (IsPackage(sides.front().fork.one) && IsImportedByName(sides)) ||
           IsImportedOnCondition(sides);
  }

  /// Files of the sides that programs load on every device, and that the device of the migration
  /// has none of its own for.
  void AddShared(const std::vector<Side>& sides, std::set<std::string, std::less<>>& shared) const {
    std::vector<std::string> open;
    const auto look = [&](const std::string& from) {
      ForEachImport(from, [&](Node import, const std::string& imported) {
        if (IsConditional(import)) return;
        const auto side = std::ranges::find_if(
            sides, [&](const Side& one) { return IsIn(one.fork.other, imported); });
        if (side == sides.end()) return;
        const std::string own = side->fork.one + imported.substr(side->fork.other.size());
        if (std::ranges::binary_search(project_.paths(), own)) return;
        if (shared.insert(imported).second) open.push_back(imported);
      });
    };
    for (const Side& side : sides) {
      for (const std::string& path : project_.FilesSpelling(ModuleAt(side.fork.other))) {
        if (!IsInSide(path, sides) && !IsTestFile(path)) look(path);
      }
    }
    while (!open.empty()) {
      const std::string next = std::move(open.back());
      open.pop_back();
      look(next);
    }
  }

 private:
  bool IsPackage(const std::string& folder) const {
    return std::ranges::binary_search(project_.paths(), folder + "/__init__.py");
  }

  bool IsImportedByName(const std::vector<Side>& sides) const {
    for (const std::string& function : Words("import-functions").words()) {
      const std::string importer(LastPart(function));
      for (const std::string& path : project_.FilesSpelling(importer)) {
        const auto file = IsInSide(path, sides) ? nullptr : project_.Open(path);
        if (file == nullptr || IsTestFile(path)) continue;
        for (const Node callee : file->names().places().NodesSaying(importer)) {
          if (ImportsByName(callee, sides.front().fork.parent)) return true;
        }
      }
    }
    return false;
  }

  bool IsImportedOnCondition(const std::vector<Side>& sides) const {
    const Fork& first = sides.front().fork;
    for (const std::string& path : project_.FilesSpelling(ModuleAt(first.one))) {
      if (IsInSide(path, sides) || IsTestFile(path)) continue;
      bool has_own = false;
      bool has_other = false;
      bool is_conditional = false;
      ForEachImport(path, [&](Node import, const std::string& imported) {
        const bool is_own = IsIn(first.one, imported);
        const bool is_other = std::ranges::any_of(
            sides, [&](const Side& s) { return s.is_for_cuda && IsIn(s.fork.other, imported); });
        has_own |= is_own;
        has_other |= is_other;
        is_conditional |= (is_own || is_other) && IsConditional(import);
      });
      if (has_own && has_other && is_conditional) return true;
    }
    return false;
  }

  static bool IsInSide(std::string_view path, const std::vector<Side>& sides) {
    return IsIn(sides.front().fork.one, path) || std::ranges::any_of(sides, [&](const Side& side) {
             return IsIn(side.fork.other, path);
           });
  }

  template <typename Look>
  void ForEachImport(const std::string& path, const Look& look) const {
    const std::shared_ptr<const OpenedFile> file = project_.Open(path);
    if (file == nullptr) return;
    for (const Node node : NodesIn(file->tree())) {
      if (!IsImport(node) || file->tree().IsUnparsed(node.range())) continue;
      for (const std::string& imported : FilesOfImport(node, file->names(), project_)) {
        look(node, imported);
      }
    }
  }

  const ProjectIndex& project_;
  const GuardSignatures& signatures_;
  mutable std::map<std::string, std::vector<Entry>> entries_;  // by path
};

}  // namespace

DeviceSides::DeviceSides(const ProjectIndex& project, const GuardSignatures& signatures) {
  const SidesOfOne finder(project, signatures);
  for (const std::string& path : project.paths()) {
    const Result<std::string> bytes = project.Bytes(path);
    if (!bytes || IsTestFile(path) || !HasDeviceWord(*bytes, signatures.target_words)) continue;
    const std::vector<Entry>& entries = finder.EntriesAt(path);
    for (const Entry& entry : entries) {
      if (!finder.IsForTargetAlone(entry, entries)) continue;
      for (const auto& [parent, sides] : finder.SidesBeside(path, entry)) {
        if (!finder.IsChosen(sides)) continue;
        const std::string place = fmt::format("{}:{}", path, entry.line);
        own_.emplace(sides.front().fork.one, place);
        finder.AddShared(sides, shared_);
        for (const SidesOfOne::Side& side : sides) {
          others_.emplace(side.fork.other, place);
          for (const Entry& label : side.entries) {
            if (label.table == entry.table && finder.IsOfOther(label, entries)) {
              labels_[label.name].emplace(label.text, place);
            }
          }
        }
      }
    }
  }
}

std::string DeviceSides::In(const Places& places, std::string_view path) {
  for (std::string_view place = path; !places.empty() && !place.empty(); place = FolderOf(place)) {
    if (const auto found = places.find(place); found != places.end()) return found->second;
  }
  return {};
}

std::string DeviceSides::Beside(std::string_view path) const {
  return shared_.contains(path) ? std::string() : In(others_, path);
}

std::string DeviceSides::OwnEntry(std::string_view path) const { return In(own_, path); }

std::string DeviceSides::OfOther(std::string_view name, std::string_view value) const {
  const auto texts = labels_.find(name);
  if (texts == labels_.end()) return {};
  const auto found = texts->second.find(value);
  return found == texts->second.end() ? std::string() : found->second;
}

}  // namespace transplt
