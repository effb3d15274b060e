// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/npu_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string_view>
#include <utility>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/frontends/file_type.h"
#include "transplt/frontends/shell_runs.h"
#include "transplt/python/arguments.h"
#include "transplt/python/opened_files.h"
#include "transplt/python/places_of_file.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr std::string_view kNpuVariable = "npu-variable";

class LaunchReader {
 public:
  LaunchReader(const ProjectIndex& index, const GuardSignatures& signatures)
      : index_(index), signatures_(signatures) {}

  void Read(const SourceFile& script) {
    for (const ShellRun& run : RunsIn(script)) {
      const std::string place = fmt::format("{}:{}", script.path(), run.line);
      for (const auto& [name, value] : run.environment) {
        const bool is_told = HasDeviceWord(value, signatures_.target_words) && IsPlain(value);
        if (is_told) launches_.variables.try_emplace(name, NpuLaunches::Variable{value, place});
      }
      if (std::string started = FileOf(run, script.path()); !started.empty()) {
        launches_.started.try_emplace(std::move(started), place);
      }
    }
  }

  NpuLaunches Take() { return std::move(launches_); }

 private:
  static bool IsPlain(std::string_view value) { return value.find('$') == value.npos; }

  /// The Python file that the command starts and tells to take an NPU, or "".
  std::string FileOf(const ShellRun& run, const std::string& script) const {
    std::string file;
    for (size_t i = run.program; i < run.words.size(); ++i) {
      if (file.empty()) {
        if (run.words[i].ends_with(".py")) file = FileAt(run.words[i], script);
        const bool is_module = i > 0 && run.words[i - 1] == "-m";
        if (is_module) file = index_.FileOfModule(script, run.words[i]);
      } else if (NamesTarget(run.words[i])) {
        return file;
      }
    }
    return {};
  }

  /// "npu", "npu:0" and "--device=npu".
  bool NamesTarget(std::string_view word) const {
    if (word.starts_with('-')) word.remove_prefix(std::min(word.size(), word.find('=') + 1));
    const size_t colon = word.rfind(':');
    if (colon != word.npos && colon + 1 < word.size() &&
        std::isdigit(static_cast<unsigned char>(word[colon + 1])) != 0) {
      word = word.substr(0, colon);
    }
    return IsOneOf(word, signatures_.target_words);
  }

  /// The only file of the project whose path ends so: what is in front is for the shell to know.
  std::string FileAt(std::string_view path, std::string_view script) const {
    while (path.find('$') != path.npos || path.starts_with("./") || path.starts_with("../")) {
      const size_t slash = path.find('/');
      if (slash == path.npos) return {};
      path.remove_prefix(slash + 1);
    }
    // `${ROOT:-/opt/project}/train.py`
    if (const size_t brace = path.rfind('}'); brace != path.npos) {
      path.remove_prefix(std::min(path.size(), brace + 2));
    }
    std::string beside = std::string(FolderOf(script));
    if (!beside.empty()) beside.push_back('/');
    beside += path;
    if (std::ranges::binary_search(index_.paths(), beside)) return beside;
    // `/opt/project/tools/train.py`: where the project lay when the script was written.
    for (size_t slash = path.find('/');; slash = path.find('/')) {
      if (std::string found = OnlyEnding(path); !found.empty()) return found;
      if (slash == path.npos || path.find('/', slash + 1) == path.npos) return {};
      path.remove_prefix(slash + 1);
    }
  }

  std::string OnlyEnding(std::string_view path) const {
    std::string found;
    for (const std::string& known : index_.paths()) {
      const bool fits =
          known == path || (known.ends_with(path) && known[known.size() - path.size() - 1] == '/');
      if (!fits) continue;
      if (!found.empty()) return {};
      found = known;
    }
    return found;
  }

  const ProjectIndex& index_;
  const GuardSignatures& signatures_;
  NpuLaunches launches_;
};

/// `os.environ.get(name, "cuda")`, `os.getenv(name, "cuda")`: the text of what it is by default; a
/// null node for all else.
Node DefaultForCuda(Node call, std::string_view name, const NameTable& names,
                    const GuardSignatures& signatures) {
  const std::vector<Argument> given = ArgumentsOf(call);
  if (given.size() != 2 || PlainStringContent(given[0].value).text() != name) return {};
  const Node callee = call.Child(Field::kFunction);
  const bool is_read =
      names.IsNamed(callee, "os.environ.get") || names.IsNamed(callee, "os.getenv");
  const Node text = PlainStringContent(given[1].value);
  return is_read && text && HasDeviceWord(text.text(), signatures.words) ? text : Node();
}

/// True for `default=read` of an option, and for `given or read`: something else may decide.
bool IsLastResort(Node read) {
  const Node parent = read.parent();
  return parent.Is(NodeKind::kKeywordArgument) || parent.Is(NodeKind::kBooleanOperator);
}

}  // namespace

NpuLaunches FindNpuLaunches(const ProjectFiles& project, const ProjectIndex& index,
                            const GuardSignatures& signatures) {
  constexpr uint64_t kLargestScript = 1 << 20;
  LaunchReader reader(index, signatures);
  for (const ProjectEntry& entry : project.entries) {
    const bool is_script = entry.kind == ProjectEntry::Kind::kOther && entry.selected &&
                           entry.size <= kLargestScript &&
                           FileTypeOf(entry.path) == FileType::kShell;
    if (!is_script) continue;
    Result<std::string> bytes = ReadProjectFile(project, entry);
    if (!bytes || !HasDeviceWord(*bytes, signatures.target_words)) continue;
    const Result<SourceFile> source = SourceFile::FromBytes(entry.path, *std::move(bytes));
    if (source) reader.Read(*source);
  }
  return reader.Take();
}

std::vector<ChangeRecord> VariablesForNpus(const NpuLaunches& launches, const ProjectCode& code,
                                           const ProjectIndex& index,
                                           const GuardSignatures& signatures) {
  std::vector<ChangeRecord> rows;
  for (const auto& [name, variable] : launches.variables) {
    for (const std::string& path : index.FilesSpelling(name)) {
      const std::shared_ptr<const OpenedFile> file =
          code.ServedBy(path).empty() ? nullptr : index.Open(path);
      if (file == nullptr) continue;
      for (const Node node : NodesIn(file->tree())) {
        if (!node.Is(NodeKind::kCall)) continue;
        const Node value = DefaultForCuda(node, name, file->names(), signatures);
        if (!value) continue;
        const LineColumn place = file->source().Locate(node.range().start);
        ChangeRecord& row = rows.emplace_back();
        row.file = path;
        row.start_line = row.end_line = place.line;
        row.column = place.column;
        row.operation = Operation::kSuggestion;
        row.applicability = Applicability::kDisplayOnly;
        row.rule_id = row.cause = kNpuVariable;
        row.severity = IsLastResort(node) ? Severity::kMayGoWrong : Severity::kStopsRun;
        row.before = std::string(node.text());
        row.values = {fmt::format("{}={}", name, variable.value)};
        row.message = Say("unless {0} is set the program takes {1}: set {0}={2}, as {3} does",
                          "未设置 {0} 时程序使用 {1}: 请如 {3} 那样设置 {0}={2}", name,
                          value.text(), variable.value, variable.place);
      }
    }
  }
  return rows;
}

}  // namespace transplt
