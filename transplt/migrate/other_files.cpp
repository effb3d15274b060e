// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/other_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "transplt/base/json_document.h"
#include "transplt/base/one_of.h"
#include "transplt/base/pattern.h"
#include "transplt/base/plain_text.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/project.h"
#include "transplt/facts/signatures.h"
#include "transplt/facts/value_flows.h"
#include "transplt/frontends/cython_names.h"
#include "transplt/frontends/markdown.h"
#include "transplt/frontends/notebook.h"
#include "transplt/frontends/notebook_edits.h"
#include "transplt/frontends/settings.h"
#include "transplt/frontends/shell.h"
#include "transplt/frontends/shell_runs.h"
#include "transplt/migrate/embedded_python.h"
#include "transplt/migrate/missing_modules.h"
#include "transplt/migrate/native_findings.h"
#include "transplt/migrate/native_sources.h"
#include "transplt/migrate/own_operators.h"
#include "transplt/migrate/policy.h"
#include "transplt/migrate/served_programs.h"
#include "transplt/project/folder_handle.h"
#include "transplt/python/dotted_name.h"
#include "transplt/report/unified_diff.h"

namespace transplt {
namespace {

constexpr uint64_t kLargestFile = 4 << 20;
constexpr size_t kLongestLine = 4000;
bool IsCMake(std::string_view path) {
  return path.substr(path.rfind('/') + 1) == "CMakeLists.txt" || path.ends_with(".cmake");
}

/// Copied, with a row for each line that speaks of CUDA.
bool IsOnlyReported(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return path.ends_with(".args") || name == "justfile" || IsMakefile(path) || IsCMake(path);
}

bool IsNative(std::string_view path) { return Words("native-files").Has(path); }

size_t FindWord(std::string_view text) {
  size_t first = std::string_view::npos;
  for (const std::string& word : Words("cuda-words").words())
    first = std::min(first, text.find(word));
  return first;
}

/// Values that the migrated Python does not take any more: devices, backends, environment names,
/// and Python inside scripts and notebooks.
const Pattern& Values() {
  static const Pattern values(
      R"(\bCUDA_VISIBLE_DEVICES|\bCUDA_LAUNCH_BLOCKING|\bPYTORCH_CUDA_ALLOC_CONF|\bNCCL_[A-Z_]+\s*[=:])"
      R"(|nvidia-smi|backend\\?["']?\s*[:= ]\s*\\?["']?nccl\b)"
      R"(|device[\w-]*\\?["']?\s*[:= ]\s*\\?["']?cuda\b)"
      R"(|torch\.cuda\.|\.cuda\(|\\?["']cuda(:\d+)?\\?["'])");
  return values;
}

Text LeftAsItIs(const std::string& value) {
  return Say(
      "left as it is: {} is about GPUs; if the migrated program gets it, write what the NPU "
      "has in its place",
      "保持原样: {} 与 GPU 有关; 若迁移后的程序会用到, 请改写为 NPU 上的对应值", value);
}

/// A row for line `number`, at the byte `position` of its text `line`.
ChangeRecord RecordAt(const std::string& path, uint32_t number, size_t position,
                      std::string_view line) {
  ChangeRecord record;
  record.file = path;
  record.operation = Operation::kSuggestion;
  record.applicability = Applicability::kDisplayOnly;
  record.rule_id = record.cause = "file-type";
  record.severity = Severity::kMayGoWrong;
  record.start_line = number;
  record.end_line = number;
  record.column = CharactersIn(line.substr(0, position)) + 1;
  record.source_line = line.substr(0, 200);
  return record;
}

}  // namespace

bool IsWorthALook(const ProjectEntry& entry) {
  if (!entry.selected || entry.path == kPolicyFile) return false;
  // A source of any size is work for someone, and the limit of a file's bytes has a row.
  if (entry.size > kLargestFile && !IsCxxSource(entry.path)) return false;
  return IsOnlyReported(entry.path) || FileTypeOf(entry.path) != FileType::kOther ||
         IsNative(entry.path) || IsCython(entry.path);
}

namespace {

/// Where rows stand already, columns in characters.
class SettledPlaces {
 public:
  explicit SettledPlaces(const std::vector<ChangeRecord>& records) {
    for (const ChangeRecord& record : records) {
      const size_t start = record.column == 0 ? 0 : record.column - 1;
      const size_t length = std::max<size_t>(CharactersIn(record.before), 1);
      places_.emplace(record.start_line, std::pair(start, start + length));
    }
  }

  bool HasLine(uint32_t line) const { return places_.contains(line); }

  bool Covers(uint32_t line, size_t start, size_t length) const {
    const auto [first, last] = places_.equal_range(line);
    return std::any_of(first, last, [&](const auto& place) {
      return place.second.first < start + length && start < place.second.second;
    });
  }

 private:
  std::multimap<uint32_t, std::pair<size_t, size_t>> places_;  // line -> columns
};

/// `echo "CUDA_VISIBLE_DEVICES is not set"`: a text for people, which goes nowhere else. With a
/// value behind the name it may be a command that somebody is to copy; with its own value it shows
/// that.
bool IsOnlyShown(std::string_view line, const PatternMatch& match) {
  const std::string_view command = line.substr(line.find_first_not_of(" \t"));
  if (!command.starts_with("echo ") && !command.starts_with("printf ")) return false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '|' || (line[i] == '>' && line.substr(i, 2) != ">&")) return false;
  }
  std::string_view value = line.substr(match.end());
  if (!value.starts_with("=")) return true;
  value.remove_prefix(1);
  for (std::string_view start : {"$", "${"}) {
    if (value.starts_with(start) && value.substr(start.size()).starts_with(match.In(line))) {
      return true;
    }
  }
  return false;
}

/// True for a data set, one record of JSON on each line, which sets nothing.
bool IsJsonLines(std::string_view bytes) {
  size_t records = 0;
  while (!bytes.empty() && records < 2) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = Trimmed(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (line.empty()) continue;
    const bool is_record = (line.starts_with('{') && line.ends_with('}')) ||
                           (line.starts_with('[') && line.ends_with(']'));
    if (!is_record) return false;
    ++records;
  }
  return records == 2;
}

/// True if what begins at `position` of a line of JSON is a part of a text of several lines, such
/// as an answer or a program in a data set.
bool IsInText(std::string_view line, size_t position) {
  size_t start = std::string_view::npos;  // of the string, behind its quote
  bool has_breaks = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      has_breaks = has_breaks || (start != line.npos && line.substr(i, 2) == "\\n");
      ++i;
    } else if (line[i] == '"') {
      if (start != line.npos && position >= start && position <= i) return has_breaks;
      start = start == line.npos ? i + 1 : line.npos;
      has_breaks = false;
    }
  }
  return false;
}

/// True for what gives words numbers, as the vocabulary of a tokenizer does.
bool IsVocabulary(std::string_view bytes) {
  constexpr size_t kFewestWords = 100;
  const Result<JsonDocument> document = JsonDocument::Parse("", bytes);
  if (!document) return false;
  const std::vector<const JsonValue*>& words = document->root().children();
  return words.size() >= kFewestWords && std::ranges::all_of(words, [](const JsonValue* value) {
           return value->type() == JsonValue::Type::kInteger ||
                  value->type() == JsonValue::Type::kNumber;
         });
}

/// Adds rows for what speaks of CUDA in places that no rule has said anything about, so that
/// nobody believes that the whole file was migrated.
void ReportTheRest(const std::string& path, std::string_view bytes, FileMigration& result) {
  if (FindWord(bytes) == std::string_view::npos) return;
  const bool is_json = FileTypeOf(path) == FileType::kJson;
  if (is_json && (IsJsonLines(bytes) || IsVocabulary(bytes))) return;
  const SettledPlaces settled(result.records);
  const bool native = IsNative(path);
  // By the value: the first row about it, and the other lines that have it.
  std::map<std::string, std::pair<ChangeRecord*, std::vector<uint32_t>>> told;
  for (ChangeRecord& record : result.records) {
    if (record.after.empty()) told.try_emplace(record.before, &record, std::vector<uint32_t>());
  }
  std::deque<ChangeRecord> rows;
  uint32_t number = 0;
  for (size_t start = 0; start < bytes.size();) {
    const size_t end = std::min(bytes.find('\n', start), bytes.size());
    const std::string_view line = bytes.substr(start, end - start);
    start = end + 1;
    ++number;
    const size_t word = FindWord(line);
    if (word == std::string_view::npos) continue;
    const size_t text = line.find_first_not_of(" \t");
    if (line[text] == '#' || line[text] == ';' || line.substr(text).starts_with("//") ||
        (!native && line.substr(text).starts_with("/*"))) {
      continue;
    }
    if (native) {
      if (settled.HasLine(number)) continue;
      // One row: such a file is rewritten as a whole.
      ChangeRecord record = RecordAt(path, number, word, line);
      record.message =
          Say("C++ and CUDA sources are copied, not migrated", "C++ 与 CUDA 源码只复制, 不迁移");
      record.rule_id = kNativeSource;
      record.cause = "cuda-extension";
      record.severity = Severity::kNote;
      record.before = record.source_line;
      result.records.push_back(std::move(record));
      ++result.outcome.left_open;
      break;
    }
    if (line.size() > kLongestLine) continue;
    std::optional<PatternMatch> match = Values().Find(line);
    // One row for a line is enough.
    const auto is_settled = [&] {
      const size_t characters = CharactersIn(line.substr(0, match->position));
      return settled.Covers(number, characters, match->length) || IsOnlyShown(line, *match) ||
             (is_json && IsInText(line, match->position));
    };
    while (match && is_settled()) match = Values().Find(line, match->end());
    if (!match) continue;
    ChangeRecord record = RecordAt(path, number, match->position, line);
    record.before = match->In(line);
    record.message = LeftAsItIs(record.before);
    const std::string value = record.before.substr(0, record.before.find_last_not_of(" =:") + 1);
    auto& [row, lines] = told[value];
    if (row == nullptr) {
      row = &rows.emplace_back(std::move(record));
    } else {
      lines.push_back(number);
    }
  }
  for (const auto& [value, row] : told) {
    if (row.second.empty()) continue;
    const std::string lines = fmt::format("{}", fmt::join(row.second, ", "));
    row.first->message.en += fmt::format("; {} is on these lines too: {}", value, lines);
    row.first->message.zh += fmt::format("；{} 还出现在以下各行：{}", value, lines);
  }
  result.outcome.left_open += static_cast<uint32_t>(rows.size());
  std::move(rows.begin(), rows.end(), std::back_inserter(result.records));
}

/// What stops CMake where there is no CUDA.
const Pattern& CMakeDemands() {
  static const Pattern demands(
      fmt::format(R"(\bfind_package\s*\(\s*(?:{0})\b|\benable_language\s*\(\s*CUDA\b)"
                  R"(|\bproject\s*\([^)]*\bCUDA\b|\bcuda_add_\w+|\bCUDA::\w+)",
                  fmt::join(Words("cmake-packages-of-cuda").words(), "|")),
      Pattern::Case::kIgnored);
  return demands;
}

/// What shows that such a build compiles sources for CUDA.
const Pattern& CMakeSources() {
  static const Pattern sources(
      R"(\benable_language\s*\(\s*CUDA\b|\bproject\s*\([^)]*\bCUDA\b|\bcuda_add_\w+|\.cu\b)",
      Pattern::Case::kIgnored);
  return sources;
}

/// One row for all that a build with CMake asks of CUDA.
void ReportCMake(const std::string& path, std::string_view bytes, FileMigration& result) {
  std::optional<ChangeRecord> row;
  std::vector<uint32_t> others;
  bool has_sources = false;
  uint32_t number = 0;
  for (size_t start = 0; start < bytes.size();) {
    const size_t end = std::min(bytes.find('\n', start), bytes.size());
    std::string_view line = bytes.substr(start, end - start);
    start = end + 1;
    ++number;
    line = line.substr(0, std::min({line.find('#'), line.size(), kLongestLine}));
    has_sources |= CMakeSources().IsIn(line);
    const std::optional<PatternMatch> match = CMakeDemands().Find(line);
    if (!match) continue;
    if (row) {
      others.push_back(number);
      continue;
    }
    row = RecordAt(path, number, match->position, line);
    row->rule_id = kCMakeRow;
    row->before = match->In(line);
    row->message = Say(
        "this build asks for CUDA, which no machine with an NPU has, and stops there or leaves the "
        "sources for CUDA out; for an NPU take it out and link ascendcl of ASCEND_HOME_PATH",
        "此构建要求 CUDA, 而 NPU 机器上没有 CUDA: 构建会在此停止或略去 CUDA 源码; 面向 NPU "
        "请去掉该要求, 并链接 ASCEND_HOME_PATH 下的 ascendcl");
  }
  if (!row) return;
  row->cause = has_sources ? "cuda-extension" : kCMakeRow;
  if (!others.empty()) {
    row->message.en += fmt::format("; also on the lines {}", fmt::join(others, ", "));
    row->message.zh += fmt::format("；另见行 {}", fmt::join(others, ", "));
  }
  ++result.outcome.left_open;
  result.records.push_back(*std::move(row));
}

/// The place in the notebook of the first character of a line that stands in for a magic or a shell
/// line; nothing for other lines.
std::optional<uint32_t> PlaceOfMagic(const Notebook& notebook, const SourceFile& program,
                                     const SourceFile& file, uint32_t line) {
  const TextRange range = program.LineRange(line);
  const std::string_view text = range.In(program.bytes());
  const size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos || text[start] != '#') return std::nullopt;
  const uint32_t place = notebook.ToJsonOffset(range.start + static_cast<uint32_t>(start));
  if (place >= file.bytes().size() || file.bytes()[place] == '#') return std::nullopt;  // a comment
  return place;
}

/// Adds rows for what the rules find in shell lines: `!pip install flash-attn`. They stay.
void ReportShellLines(const Notebook& notebook, const SourceFile& program, const SourceFile& file,
                      const Engine& engine, FileMigration& result) {
  std::string text(program.bytes());
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c != '\n'; }, ' ');
  for (uint32_t line = 1; line <= program.line_count(); ++line) {
    const std::optional<uint32_t> place = PlaceOfMagic(notebook, program, file, line);
    if (!place || file.bytes()[*place] != '!') continue;
    const TextRange range = program.LineRange(line);
    text.replace(range.start, range.size(), range.In(program.bytes()));
    text[text.find('#', range.start)] = ' ';
  }
  const Result<SourceFile> script = SourceFile::FromBytes(file.path(), text);
  if (!script) return;
  for (Finding& finding : engine.Check(ShellSettings(*script), engine.ScanSettings(text))) {
    finding.fix = {};
    finding.operation = Operation::kSuggestion;
    finding.applicability = Applicability::kDisplayOnly;
    result.records.push_back(RecordOf(finding, *script));
    ++result.outcome.left_open;
  }
}

/// Adds rows for the magics that speak of CUDA (`%env CUDA_VISIBLE_DEVICES=0`), and for shell lines
/// that do and that no rule has said anything about.
void ReportMagics(const Notebook& notebook, const SourceFile& program, const SourceFile& file,
                  FileMigration& result) {
  std::set<uint32_t> settled;
  for (const ChangeRecord& record : result.records) settled.insert(record.start_line);
  for (uint32_t line = 1; line <= program.line_count(); ++line) {
    if (settled.contains(line) || !PlaceOfMagic(notebook, program, file, line)) continue;
    const std::string_view text = program.LineRange(line).In(program.bytes());
    if (text.size() > kLongestLine) continue;
    const std::optional<PatternMatch> match = Values().Find(text);
    if (!match) continue;
    ChangeRecord record = RecordAt(file.path(), line, match->position, text);
    record.before = match->In(text);
    record.message = LeftAsItIs(record.before);
    result.records.push_back(std::move(record));
    ++result.outcome.left_open;
  }
}

/// Keeps of a changed file, besides its text, what was asked for.
void KeepParts(const SourceFile& file, const EditList& edits, const FileMigrationOptions& options,
               FileMigration& result) {
  if (options.with_diff) result.diff = UnifiedDiff(file, edits);
  if (!options.with_edits) return;
  for (const EditList::Accepted& accepted : edits.edits()) result.edits.push_back(accepted.edit);
}

FileMigration MigrateNotebook(const std::string& path, const std::string& bytes,
                              const Engine& engine, const ProjectIndex* project, Parser& parser,
                              const FileMigrationOptions& options) {
  FileMigration result;
  result.outcome.file = path;
  const Result<Notebook> notebook = Notebook::FromJson(path, bytes);
  const Result<SourceFile> file = SourceFile::FromBytes(path, bytes);
  if (!notebook || !file) {
    result = SkippedFile(path, notebook ? file.error().what : notebook.error().what);
    const bool speaks_of_cuda = FindWord(bytes) != std::string_view::npos;
    for (ChangeRecord& record : result.records) {
      record.severity = speaks_of_cuda ? Severity::kMayGoWrong : Severity::kNote;
    }
    return result;
  }
  FileMigrationOptions cells = options;
  cells.with_diff = false;
  cells.with_edits = true;
  result = MigrateFile(path, notebook->python(), engine, project, parser, cells);
  const Result<SourceFile> program = SourceFile::FromBytes(path, notebook->python());
  if (program) {
    ReportShellLines(*notebook, *program, *file, engine, result);
    if (options.report_rest) ReportMagics(*notebook, *program, *file, result);
    PlaceInNotebook(*notebook, *program, *file, result.records);
  }
  if (!result.text) return result;
  const auto edits = EditsOfNotebook(*notebook, std::exchange(result.edits, {}));
  if (!edits) {
    result = SkippedFile(path, Say("an edit does not fit into the cells; migrate it by hand",
                                   "有修改无法写回单元; 请手工迁移"));
    return result;
  }
  result.text = edits->ApplyTo(bytes);
  KeepParts(*file, *edits, options, result);
  return result;
}

/// "c_region" of `cimport c_region` and of `from c_region cimport area`; else "".
std::string_view TakenByCimport(std::string_view line) {
  const bool is_from = line.starts_with("from ");
  constexpr std::string_view kCimport = "cimport ";
  if (!is_from && !line.starts_with(kCimport)) return {};
  if (is_from && line.find(" cimport ") == line.npos) return {};
  const std::string_view rest = Trimmed(line.substr(is_from ? 5 : kCimport.size()));
  const std::string_view name = rest.substr(0, rest.find_first_of(" \t,;#\r\n"));
  return name.find('.') == name.npos ? name : std::string_view();
}

/// Cython 3 looks for a declaration file beside a module of a package only where a dot says so.
void ReportCimports(const SourceFile& file, const ProjectIndex* project, FileMigration& result) {
  const std::string folder(FolderOf(file.path()));
  const bool is_of_package = project != nullptr && !folder.empty() &&
                             std::ranges::binary_search(project->paths(), folder + "/__init__.py");
  if (!is_of_package || file.bytes().find("language_level=2") != std::string::npos) return;
  for (uint32_t number = 1; number <= file.line_count(); ++number) {
    const std::string_view line = file.LineRange(number).In(file.bytes());
    const std::string_view name = TakenByCimport(line);
    if (name.empty() || !project->Bytes(fmt::format("{}/{}.pxd", folder, name))) continue;
    ChangeRecord record = RecordAt(file.path(), number, 0, line);
    record.rule_id = record.cause = kCythonCimport;
    record.severity = Severity::kStopsImport;
    record.before = name;
    record.message =
        Say("Cython 3 does not find {0}.pxd beside this module of a package ('{0}.pxd' not found), "
            "so that nothing builds it: name it with a dot (from . cimport {0}, or "
            "from .{0} cimport ...), or build with cython<3",
            "Cython 3 找不到包内与此模块同目录的 {0}.pxd ('{0}.pxd' not found), 因此无法构建: "
            "请加点号 (from . cimport {0} 或 from .{0} cimport ...), 或使用 cython<3 构建",
            name);
    result.records.push_back(std::move(record));
    ++result.outcome.left_open;
  }
}

/// The names of libraries in a source of Cython, which are those of Python. An edit that is more
/// than another name in its place is left to a person, with the file.
FileMigration MigrateCython(const std::string& path, const std::string& bytes, const Engine& engine,
                            const ProjectIndex* project, Parser& parser,
                            const FileMigrationOptions& options) {
  FileMigration result;
  result.outcome.file = path;
  const Result<SourceFile> source = SourceFile::FromBytes(path, bytes);
  if (!source) return result;
  FileMigrationOptions of_names = options;
  of_names.with_diff = false;
  of_names.with_edits = true;
  FileMigration names = MigrateFile(path, NamesInCython(bytes), engine, project, parser, of_names);
  const bool is_read = names.outcome.status == FileOutcome::Status::kMigrated ||
                       names.outcome.status == FileOutcome::Status::kUnchanged;
  const auto is_insertion = [](const Edit& edit) { return edit.range.empty(); };
  if (std::ranges::any_of(names.edits, is_insertion)) {
    ChangeRecord record = RecordAt(path, 1, 0, source->LineRange(1).In(bytes));
    record.message =
        Say("this source of Cython stays as it is, for an edit is more than another name: migrate "
            "it by hand",
            "此 Cython 源文件保持原样, 因为有修改不只是更换名称: 请手工迁移");
    result.records.push_back(std::move(record));
    result.outcome.left_open = 1;
    ReportCimports(*source, project, result);
    return result;
  }
  result = std::move(names);
  if (!is_read) return result;
  for (ChangeRecord& record : result.records) {
    if (record.start_line == 0) continue;
    const std::string_view line = source->LineRange(record.start_line).In(source->bytes());
    record.column = CharactersIn(line.substr(0, std::max(record.column, 1u) - 1)) + 1;
    record.source_line = line;
  }
  ReportCimports(*source, project, result);
  EditList edits;
  for (Edit& edit : std::exchange(result.edits, {})) {
    if (edits.TryAdd({{std::move(edit)}}, "")) {
      return SkippedFile(path, Say("edits of the names collide; migrate it by hand",
                                   "名称的修改相互冲突; 请手工迁移"));
    }
  }
  if (edits.empty()) return result;
  result.text = edits.ApplyTo(bytes);
  KeepParts(*source, edits, options, result);
  return result;
}

/// What is said of several packages alike becomes one row: "cuda-cudart, cuda-nvcc: a part of ...".
void JoinPackages(Findings& findings) {
  constexpr std::string_view kEnd = ": ";
  std::map<std::pair<std::string, std::string>, size_t> known;  // by the rule and what it says
  Findings kept;
  for (Finding& finding : findings) {
    const size_t name = finding.message.en.find(kEnd);
    const size_t name_zh = finding.message.zh.find(kEnd);
    const bool may_join = finding.fix.empty() && finding.rule_id.starts_with("package.") &&
                          name != std::string::npos && name_zh != std::string::npos;
    if (!may_join) {
      kept.push_back(std::move(finding));
      continue;
    }
    const auto [entry, is_new] =
        known.try_emplace({finding.rule_id, finding.message.en.substr(name)}, kept.size());
    const bool is_same = !is_new && kept[entry->second].message.en == finding.message.en;
    if (is_new || is_same) {
      kept.push_back(std::move(finding));
      continue;
    }
    Text& message = kept[entry->second].message;
    message.en.insert(message.en.find(kEnd), ", " + finding.message.en.substr(0, name));
    message.zh.insert(message.zh.find(kEnd), ", " + finding.message.zh.substr(0, name_zh));
  }
  findings = std::move(kept);
}

/// True if a module of the project, wherever it lies, has the name and the class of `path`: a
/// program may look for `pointnet2.MSG` below its models.
bool IsClassOfAModule(std::string_view path, const ProjectIndex& project) {
  const std::string_view name = LastPart(path);
  const std::string_view module = path.substr(0, path.size() - name.size() - 1);
  return std::ranges::any_of(project.FilesSpelling(name), [&](const std::string& file) {
    const std::string own = "." + ProjectIndex::ModuleName(file);
    return own.ends_with(fmt::format(".{}", module)) &&
           !project.FindDefinition("", own, name).empty();
  });
}

/// True if `finding` is about a class of the project itself, such as `_target_: vllm.LLM` in vllm.
bool IsAboutOwnClass(const Finding& finding, const SourceFile& source, const ProjectIndex* project,
                     const ProjectModules* modules) {
  const std::string_view named = finding.range.In(source.bytes());
  const size_t dot = named.find('.');
  const bool is_path = dot != named.npos && dot > 0 && named.find_first_of("/=: ") == named.npos;
  if (!is_path || !finding.fix.empty()) return false;
  return (modules != nullptr && modules->IsOwn(source.path(), named)) ||
         (project != nullptr && IsClassOfAModule(named, *project));
}

/// True if a file spells all parts of the dotted name.
bool IsSpelled(std::string_view name, const ProjectIndex& project) {
  const std::vector<std::string>& last = project.FilesSpelling(LastPart(name));
  return std::ranges::any_of(last, [&](const std::string& path) {
    return std::ranges::all_of(SplitDotted(name), [&](std::string_view part) {
      return IsOneOf(path, project.FilesSpelling(part));
    });
  });
}

/// True if no code of the project spells what a setting needs to mean what a rule says.
bool StandsAlone(const Finding& finding, const ProjectIndex* project) {
  const bool is_judged_later = finding.unimported != Unimported::kStays;
  if (is_judged_later || finding.needed_by.empty() || project == nullptr) return false;
  return std::ranges::none_of(finding.needed_by,
                              [&](const std::string& name) { return IsSpelled(name, *project); });
}

/// True if Python code of the project itself makes an option or a field of the name.
bool DefinesItself(std::string_view name, const ProjectIndex& project) {
  return std::ranges::any_of(project.FilesSpelling(name), [&](const std::string& path) {
    const Result<std::string> bytes = project.Bytes(path);
    if (!bytes) return false;
    return bytes->find(fmt::format("--{}", name)) != bytes->npos ||
           bytes->find(fmt::format(" {}:", name)) != bytes->npos;
  });
}

/// True if `finding` is about the name of an option that a library reads, and the project has one
/// of its own by that name.
bool IsAboutOwnOption(const Finding& finding, const std::vector<Setting>& settings,
                      const ProjectIndex* project) {
  if (finding.needed_by.empty() || project == nullptr) return false;
  const auto is_name = [&](const Setting& setting) {
    return setting.kind != Setting::Kind::kDependency && setting.name_range == finding.range;
  };
  const auto setting = std::ranges::find_if(settings, is_name);
  return setting != settings.end() && DefinesItself(setting->name, *project);
}

/// True if the commands of a document are to stay as they are.
bool StaysAsWritten(FileType type, const FileMigrationOptions& options) {
  return type == FileType::kMarkdown && !options.edit_docs;
}

/// True if the finding changes the value of a variable that a container gives the programs which
/// run in it, and the Dockerfile itself does not read it: they read the new one.
bool IsForContainer(const Finding& finding, const std::vector<Setting>& settings,
                    std::string_view bytes) {
  return std::ranges::any_of(settings, [&](const Setting& setting) {
    const TextRange value = setting.value_range;
    if (!setting.is_in_container || value.empty() || finding.range.start < value.start ||
        finding.range.end > value.end) {
      return false;
    }
    return bytes.find("$" + setting.name) == bytes.npos &&
           bytes.find("${" + setting.name) == bytes.npos;
  });
}

/// `gpu: cuda:0`, of which a program makes a device: the name of the key does not say so.
void AskForDevices(const ProjectValues& values, std::vector<Setting>& settings) {
  for (Setting& setting : settings) {
    setting.holds_device = setting.kind == Setting::Kind::kKey &&
                           Signatures::Builtin().MayBeDevice(setting.value) &&
                           values.IsDevice(setting.name);
  }
}

/// What the rules find in the settings of a file.
FileMigration CheckSettings(FileType type, const SourceFile& source, const Engine& engine,
                            const ProjectIndex* project, const FileMigrationOptions& options) {
  std::vector<Setting> settings = SettingsOf(type, source);
  if (options.shared_values != nullptr) AskForDevices(*options.shared_values, settings);
  Findings findings = engine.Check(settings, engine.ScanSettings(source.bytes()));
  if (options.multi_card != nullptr) DropDeviceIndices(engine.apis().target().device, findings);
  std::erase_if(findings, [&](const Finding& finding) {
    return IsAboutOwnClass(finding, source, project, options.modules) ||
           StandsAlone(finding, project) || IsAboutOwnOption(finding, settings, project);
  });
  JoinPackages(findings);
  // What is installed for CUDA is not a choice of the program: see AsksForNpuPackages.
  const bool is_list = type == FileType::kRequirements || type == FileType::kCondaList;
  if (!is_list && IsServed(source.path(), options)) {
    // A setting may stay unused, and asks for nothing.
    const auto never = [](const Finding&) { return false; };
    LeaveToServedProgram(source, engine.guards()->words, never, never, findings);
  }
  // What is installed is a choice as a whole: another image, other packages.
  const bool only_reports = type == FileType::kDockerfile || type == FileType::kRequirements ||
                            type == FileType::kCondaList || type == FileType::kSubmodules;
  for (Finding& finding : findings) {
    if (!only_reports || finding.fix.empty()) continue;
    if (IsForContainer(finding, settings, source.bytes())) continue;
    finding.fix = {};
    finding.operation = Operation::kSuggestion;
    finding.applicability = Applicability::kDisplayOnly;
  }
  Selection selection(source, options.decisions, options.declined);
  selection.Add(std::move(findings));
  return ResultOf(selection, selection.edits(), source, {options.with_diff, options.with_edits},
                  [&](std::string text) {
                    if (StaysAsWritten(type, options)) return false;  // nobody writes it
                    const Result<SourceFile> edited =
                        SourceFile::FromBytes(source.path(), std::move(text));
                    return !edited || SettingsOf(type, *edited).size() != settings.size();
                  });
}

/// The Python programs that stand in the commands of a file.
std::vector<TextRange> PythonIn(FileType type, const SourceFile& source) {
  return type == FileType::kMarkdown ? PythonInMarkdown(source) : PythonIn(source);
}

FileMigration MigrateSettings(const std::string& path, const std::string& bytes,
                              const Engine& engine, const ProjectIndex* project, Parser& parser,
                              const FileMigrationOptions& options) {
  FileMigration result;
  result.outcome.file = path;
  const FileType type = FileTypeOf(path);
  const bool has_commands = type == FileType::kShell || type == FileType::kMarkdown;
  const bool may_hold_python = has_commands && engine.Scan(bytes, project).any_rule();
  if (!may_hold_python && !engine.ScanSettings(bytes).any_rule()) return result;
  const Result<SourceFile> source = SourceFile::FromBytes(path, bytes);
  if (!source) return result;  // a binary file by this name: copied
  const std::vector<TextRange> python =
      may_hold_python ? PythonIn(type, *source) : std::vector<TextRange>();
  if (python.empty()) return CheckSettings(type, *source, engine, project, options);

  FileMigrationOptions of_parts = options;
  of_parts.with_diff = false;
  of_parts.with_edits = true;
  result = CheckSettings(type, *source, engine, project, of_parts);
  if (result.outcome.status == FileOutcome::Status::kFailed) return result;
  MigrateEmbeddedPython(*source, python, engine, project, parser, options, result);
  EditList list;
  for (Edit& edit : std::exchange(result.edits, {})) {
    if (list.TryAdd({{std::move(edit)}}, "")) {
      return SkippedFile(path, Say("edits of the script and of Python in it collide; migrate it by "
                                   "hand",
                                   "脚本与其中 Python 的修改相互冲突; 请手工迁移"));
    }
  }
  if (list.empty()) return result;
  result.outcome.status = FileOutcome::Status::kMigrated;
  result.text = list.ApplyTo(bytes);
  KeepParts(*source, list, options, result);
  return result;
}

/// The file stays as it is.
void DropEdits(FileMigration& result) {
  result.text.reset();
  result.diff.clear();
  result.edits.clear();
  result.outcome.status = FileOutcome::Status::kCopied;
  result.outcome.edits = 0;
}

/// Rows about a document have a cause of their own, which asks for nothing: no NPU reads it.
void MoveToDocumentation(FileMigration& result) {
  for (ChangeRecord& record : result.records) {
    record.cause = "documentation";
    record.severity = Severity::kNote;
  }
}

/// Adds rows for what the commands of a Makefile, and variables for them, ask for and nothing
/// replaces: `docker run --gpus`.
void ReportRecipes(const std::string& path, const std::string& bytes, const Engine& engine,
                   FileMigration& result) {
  const Result<SourceFile> makefile = SourceFile::FromBytes(path, bytes);
  if (!makefile) return;
  const Result<SourceFile> script = SourceFile::FromBytes(path, CommandsOf(*makefile));
  if (!script) return;
  for (const Finding& finding :
       engine.Check(ShellSettings(*script), engine.ScanSettings(script->bytes()))) {
    if (!finding.fix.empty()) continue;
    result.records.push_back(RecordOf(finding, *script));
    ++result.outcome.left_open;
  }
}

/// Makes rows of the edits, which say what to write.
void LeaveToWriters(FileMigration& result) {
  std::erase_if(result.records,
                [](const ChangeRecord& record) { return record.decision == kReject; });
  for (ChangeRecord& record : result.records) {
    if (record.applicability == Applicability::kDisplayOnly) continue;
    const std::string after = OneLine(record.after);
    record.message = record.before.empty()
                         ? Say("add {} for the NPU; --edit-docs does it",
                               "面向 NPU 时加上 {}; --edit-docs 可代为修改", after)
                         : Say("write {1} in place of {0} for the NPU; --edit-docs does it",
                               "面向 NPU 时将 {0} 写为 {1}; --edit-docs 可代为修改",
                               OneLine(record.before), after);
    record.operation = Operation::kSuggestion;
    record.applicability = Applicability::kDisplayOnly;
    record.after.clear();
    record.values.clear();
    record.follows = false;
  }
  DropEdits(result);
  result.outcome.left_open = static_cast<uint32_t>(result.records.size());
}

/// True for what tools beside the program read: .github/workflows/tests.yml.
bool IsInHiddenFolder(std::string_view path) {
  const size_t folders = path.rfind('/');
  if (folders == std::string_view::npos) return false;
  return path.starts_with('.') || HasPart(path.substr(0, folders), "/.");
}

/// Such a file is about the machine of the tool: one row in place of edits.
void LeaveToTools(FileMigration& result) {
  DropEdits(result);
  result.outcome.left_open = result.records.empty() ? 0 : 1;
  if (result.records.empty()) return;
  std::set<uint32_t> lines;
  for (const ChangeRecord& record : result.records) lines.insert(record.start_line);
  ChangeRecord row = result.records.front();
  row.rule_id = row.cause = "file-type";
  row.severity = Severity::kNote;
  row.operation = Operation::kSuggestion;
  row.applicability = Applicability::kDisplayOnly;
  row.after.clear();
  const std::string numbers = fmt::format("{}", fmt::join(lines, ", "));
  row.message = Say("settings of a tool, left as they are; lines about CUDA: {}",
                    "工具的配置, 保持原样; 涉及 CUDA 的行: {}", numbers);
  result.records.assign(1, std::move(row));
}

}  // namespace

FileMigration MigrateOtherFile(const std::string& path, const std::string& bytes,
                               const Engine& engine, const ProjectIndex* project, Parser& parser,
                               const FileMigrationOptions& options) {
  if (options.native != nullptr && IsCxxSource(path)) {
    FileMigration native = MigrateNative(path, bytes, *options.native, options);
    if (native.outcome.status == FileOutcome::Status::kUnchanged) {
      native.outcome.status = FileOutcome::Status::kCopied;
    }
    return native;
  }
  const FileType type = FileTypeOf(path);
  const bool is_notebook = type == FileType::kNotebook;
  const auto migrate = is_notebook      ? MigrateNotebook
                       : IsCython(path) ? MigrateCython
                                        : MigrateSettings;
  FileMigration result = migrate(path, bytes, engine, project, parser, options);
  if (result.outcome.status == FileOutcome::Status::kUnchanged) {
    result.outcome.status = FileOutcome::Status::kCopied;
  }
  // What a notebook holds besides its cells are results, a document besides its commands prose.
  const bool is_read_in_parts = is_notebook || type == FileType::kMarkdown;
  const bool reports = options.report_rest && !is_read_in_parts && !IsServed(path, options);
  if (reports && IsMakefile(path)) ReportRecipes(path, bytes, engine, result);
  if (reports && IsCMake(path)) {
    ReportCMake(path, bytes, result);
  } else if (reports) {
    ReportTheRest(path, bytes, result);
  }
  if (IsInHiddenFolder(path)) LeaveToTools(result);
  const bool is_read = result.outcome.status == FileOutcome::Status::kCopied ||
                       result.outcome.status == FileOutcome::Status::kMigrated;
  if (type == FileType::kMarkdown && is_read) {
    if (StaysAsWritten(type, options)) LeaveToWriters(result);
    MoveToDocumentation(result);
  }
  return result;
}

}  // namespace transplt
