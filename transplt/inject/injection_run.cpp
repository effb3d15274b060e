// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/injection_run.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "transplt/base/text_parts.h"
#include "transplt/facts/imported_package.h"
#include "transplt/frontends/file_type.h"
#include "transplt/frontends/notebook_edits.h"
#include "transplt/inject/frameworks.h"
#include "transplt/inject/inject_file.h"
#include "transplt/inject/tool_constraints.h"
#include "transplt/project/atomic_write.h"
#include "transplt/project/file_error.h"
#include "transplt/project/folder_handle.h"
#include "transplt/project/kept_aside.h"
#include "transplt/project/output_place.h"
#include "transplt/report/change_list_csv.h"
#include "transplt/report/unified_diff.h"

namespace transplt {
namespace {

/// Where the byte at `offset` of the result of `list` stands in `original`. In the text of an edit
/// it is counted by lines from the end, for what is changed stands behind what was there before.
uint32_t PlaceBefore(const EditList& list, uint32_t offset, std::string_view original) {
  uint32_t behind = 0;     // of the original
  uint32_t in_result = 0;  // the same place
  for (const auto& [edit, rule] : list.edits()) {
    const uint32_t start = in_result + (edit.range.start - behind);
    if (offset < start) break;
    const auto size = static_cast<uint32_t>(edit.text.size());
    if (offset < start + size) {
      const std::string_view text = edit.text;
      const std::string_view before = original.substr(edit.range.start, edit.range.size());
      const size_t line = text.substr(0, offset - start).rfind('\n') + 1;  // npos + 1 is 0
      auto lines = std::ranges::count(text.substr(line), '\n');
      size_t at = before.size();
      while (at > 0 && (before[at - 1] != '\n' || lines-- > 0)) --at;
      const size_t column = std::min(offset - start - line, before.size() - at);
      return edit.range.start + static_cast<uint32_t>(at + column);
    }
    behind = edit.range.end;
    in_result = start + size;
  }
  return behind + (offset - in_result);
}

/// What is done with one file, and what was found in it.
class Rewriter {
 public:
  explicit Rewriter(const InjectionOptions& options)
      : options_(options), framework_(*FindInjectFramework(options.framework)) {}

  /// Notebooks are injected into where an edit is a few lines at its place.
  bool IsNotebook(const ProjectEntry& entry) const {
    constexpr uint64_t kLargest = 4 << 20;
    return entry.selected && entry.size <= kLargest &&
           FileTypeOf(entry.path) == FileType::kNotebook;
  }

  FileResult Rewrite(const ProjectEntry& entry, std::string bytes, const ProjectIndex& index,
                     Parser& parser) {
    if (IsNotebook(entry)) return RewriteNotebook(entry.path, bytes, index, parser);
    return RewriteProgram(entry.path, std::move(bytes), index, parser, {options_.with_diffs, false},
                          {});
  }

  /// What the tool does in the file. A file whose program shows what the tool must not meet stays
  /// as it is.
  FileInjection InjectInto(const InjectFile& file) const {
    const InjectRequest& request = options_.request;
    FileInjection injection = framework_.inject(file, request);
    if (injection.sites.empty()) return injection;
    const InjectionSite first = injection.sites.front();
    Findings rows;
    FileInjection left;
    for (const BrokenConstraint& broken :
         BrokenConstraints(file, framework_.name, request.tool, request.options)) {
      rows.push_back(RowAt(first.range, "inject-constraint", broken.what));
      if (!broken.is_certain || broken.warns || !left.sites.empty()) continue;
      left.sites.push_back({first.range, first.kind, broken.what});
      left.Leave(request.options, first.range, broken.what);
    }
    FileInjection& result = left.sites.empty() ? injection : left;
    for (Finding& row : rows) result.findings.push_back(std::move(row));
    return std::move(result);
  }

  /// Injects into the file as it would be without what the same tool has put there before.
  FileInjection InjectAnew(const SourceFile& source, const SyntaxTree& tree,
                           const ProjectIndex& index, Parser& parser) const {
    const Findings removals = InjectedParts(tree).Removals(options_.request.tool);
    if (removals.empty()) {
      return InjectInto(InjectFile(tree, &index));
    }
    const EditList bared = AllOf(removals);
    const Result<SourceFile> bare =
        SourceFile::FromBytes(source.path(), bared.ApplyTo(source.bytes()));
    if (!bare) return {};
    const SyntaxTree bare_tree = SyntaxTree::Parse(*bare, parser);
    FileInjection injection = InjectInto(InjectFile(bare_tree, &index));
    const auto& options = injection.options;
    const bool is_left = !options.empty() && std::ranges::all_of(options, [](const auto& option) {
      return option.second.set == 0;
    });
    Findings edits;
    for (Finding& finding : injection.findings) {
      if (finding.applicability != Applicability::kDisplayOnly) edits.push_back(std::move(finding));
    }
    // What was said about places was said the first time.
    injection.findings.clear();
    const std::string text = AllOf(edits).ApplyTo(bare->bytes());
    // What was injected before stays where nothing can take its place.
    if (!is_left && text != source.bytes())
      injection.findings.push_back(Difference(source.bytes(), text));
    for (InjectionSite& site : injection.sites) {
      site.range.start = PlaceBefore(bared, site.range.start, source.bytes());
    }
    for (auto& [name, fate] : injection.options) {
      fate.first_left.start = PlaceBefore(bared, fate.first_left.start, source.bytes());
    }
    return injection;
  }

  static EditList AllOf(const Findings& findings) {
    EditList edits;
    for (const Finding& finding : findings) {
      static_cast<void>(edits.TryAdd(finding.fix, finding.rule_id));
    }
    return edits;
  }

  /// One edit that turns `before` into `after`, whole lines.
  static Finding Difference(std::string_view before, std::string_view after) {
    size_t start = 0;
    while (start < before.size() && start < after.size() && before[start] == after[start]) ++start;
    while (start > 0 && before[start - 1] != '\n') --start;
    size_t end = 0;
    while (end + start < before.size() && end + start < after.size() &&
           before[before.size() - 1 - end] == after[after.size() - 1 - end]) {
      ++end;
    }
    Finding finding;
    finding.range = {static_cast<uint32_t>(start), static_cast<uint32_t>(before.size() - end)};
    finding.rule_id = "inject-update";
    finding.message = Say("updates what was injected before", "更新之前注入的内容");
    finding.fix.Replace(finding.range,
                        std::string(after.substr(start, after.size() - end - start)));
    return finding;
  }

  std::vector<FileSites> TakeSites() {
    std::ranges::sort(sites_,
                      [](const FileSites& a, const FileSites& b) { return a.file < b.file; });
    return std::move(sites_);
  }

  bool HasSites() const { return !sites_.empty(); }
  bool IsUnmigrated() const { return is_unmigrated_ && sites_.empty(); }

  /// Of each option that was asked for.
  std::vector<OptionAccount> Accounts() const {
    using Action = InjectionOptions::Action;
    const bool injects = options_.action == Action::kInject || options_.action == Action::kList;
    std::vector<OptionAccount> accounts;
    if (!injects || sites_.empty()) return accounts;
    for (const OptionValue& option : options_.request.options) {
      for (const std::string& name : option.AccountNames()) {
        const auto found = accounts_.find(name);
        accounts.push_back(found == accounts_.end() ? OptionAccount{name, 0, 0, "", {}}
                                                    : found->second);
      }
    }
    return accounts;
  }

 private:
  /// Where an offset of a program lies in its file; empty: at the same place.
  using Locate = std::function<LineColumn(uint32_t)>;

  FileResult RewriteProgram(const std::string& path, std::string bytes, const ProjectIndex& index,
                            Parser& parser, ResultParts parts, const Locate& locate) {
    FileResult result;
    result.outcome.file = path;
    if (!IsOfInterest(bytes)) {
      NoteUnmigrated(path, bytes, parser);
      if (!MayStartProgram(bytes)) return result;
    }
    Result<SourceFile> source = SourceFile::FromBytes(path, std::move(bytes));
    if (!source) return SkippedFile(path, source.error().what);
    const SyntaxTree tree = SyntaxTree::Parse(*source, parser);
    FileInjection injection;
    const bool inject = options_.action == InjectionOptions::Action::kInject ||
                        options_.action == InjectionOptions::Action::kList;
    if (inject && framework_.starts_anew) {
      injection = InjectAnew(*source, tree, index, parser);
    } else if (options_.action == InjectionOptions::Action::kRemove) {
      injection.findings = InjectedParts(tree).Removals();
      for (const Finding& finding : injection.findings) {
        injection.sites.push_back({finding.range, "injected", finding.message});
      }
    } else {
      const InjectFile file(tree, &index);
      injection = options_.action == InjectionOptions::Action::kLint
                      ? framework_.lint(file, options_.table)
                      : InjectInto(file);
    }
    Keep(path, injection,
         [&](uint32_t offset) { return locate ? locate(offset) : source->Locate(offset); });
    Selection selection(*source);
    if (options_.action != InjectionOptions::Action::kList) {
      selection.Add(std::move(injection.findings));
    }
    // Whether a part that is not Python has a place nobody knows.
    const bool removes = options_.action == InjectionOptions::Action::kRemove;
    for (TextRange range : tree.unparsed()) {
      if (!removes) selection.Add(UnparsedPart(range));
    }
    return ResultOf(selection, selection.edits(), *source, parts, [&](std::string text) {
      return IsBroken(std::move(text), tree, selection.edits(), parser);
    });
  }

  FileResult RewriteNotebook(const std::string& path, const std::string& bytes,
                             const ProjectIndex& index, Parser& parser) {
    FileResult result;
    result.outcome.file = path;
    const Result<Notebook> notebook = Notebook::FromJson(path, bytes);
    const Result<SourceFile> file = SourceFile::FromBytes(path, bytes);
    if (!notebook && IsOfInterest(bytes)) return SkippedFile(path, notebook.error().what);
    if (!notebook || !file) return result;
    result = RewriteProgram(
        path, notebook->python(), index, parser, {false, true},
        [&](uint32_t offset) { return file->Locate(notebook->ToJsonOffset(offset)); });
    const Result<SourceFile> program = SourceFile::FromBytes(path, notebook->python());
    if (program) PlaceInNotebook(*notebook, *program, *file, result.records);
    if (!result.text) return result;
    const auto edits = EditsOfNotebook(*notebook, std::exchange(result.edits, {}));
    if (!edits) {
      return SkippedFile(path, Say("an edit does not fit into the cells; make it by hand",
                                   "有修改无法写回单元; 请手工修改"));
    }
    result.text = edits->ApplyTo(bytes);
    if (options_.with_diffs) result.diff = UnifiedDiff(*file, *edits);
    return result;
  }

  bool IsOfInterest(std::string_view bytes) const {
    if (options_.action == InjectionOptions::Action::kRemove) {
      return HasPart(bytes, "# transplt-inject: ");
    }
    const bool lints =
        options_.action == InjectionOptions::Action::kLint && !framework_.lint_words.empty();
    return std::ranges::any_of(lints ? framework_.lint_words : framework_.words,
                               [&](std::string_view w) { return HasPart(bytes, w); });
  }

  /// True if initialize_system may belong into a file that names nothing of the NPU itself.
  bool MayStartProgram(std::string_view bytes) const {
    using Action = InjectionOptions::Action;
    const bool injects = options_.action == Action::kInject || options_.action == Action::kList;
    return injects && options_.request.initialize_system && HasPart(bytes, "import ");
  }

  void Keep(const std::string& path, const FileInjection& injection, const Locate& locate) {
    if (injection.sites.empty()) return;
    FileSites kept{path, injection.sites, {}};
    for (const InjectionSite& site : kept.sites) {
      kept.places.push_back(locate(site.range.start));
    }
    const std::lock_guard lock(mutex_);
    sites_.push_back(std::move(kept));
    for (const auto& [name, fate] : injection.options) {
      OptionAccount& account = accounts_[name];
      account.name = name;
      account.set += fate.set;
      account.left += fate.left;
      if (fate.left == 0) continue;
      const std::string place = fmt::format("{}:{}", path, locate(fate.first_left.start).line);
      if (!account.first_left.empty() && account.first_left <= place) continue;
      account.first_left = place;
      account.why_left = fate.why_left;
    }
  }

  void NoteUnmigrated(const std::string& path, const std::string& bytes, Parser& parser) {
    const bool may_be = !framework_.package.empty() && HasPart(bytes, framework_.package);
    if (!may_be || !FileImports(path, bytes, parser).Has(framework_.package)) return;
    const std::lock_guard lock(mutex_);
    is_unmigrated_ = true;
  }

  const InjectionOptions& options_;
  const InjectFramework& framework_;
  std::mutex mutex_;
  std::vector<FileSites> sites_;
  std::map<std::string, OptionAccount> accounts_;
  bool is_unmigrated_ = false;
};

/// Refuses OUT/`name` if it is the input itself, or exists and is not to be replaced.
Result<Done> CheckOutputFile(const InjectionOptions& options, const std::string& name) {
  namespace fs = std::filesystem;
  const std::string path = (fs::path(options.rewrite.output) / name).string();
  std::error_code error;
  if (fs::equivalent(path, options.rewrite.input, error)) {
    return Error{Error::Code::kUsage, options.rewrite.output,
                 Say("the result would replace the input; choose another folder, or --in-place",
                     "结果会覆盖输入; 请选择其他文件夹, 或使用 --in-place")};
  }
  if (fs::exists(path, error) && !options.rewrite.force) {
    return Error{Error::Code::kUsage, path,
                 Say("exists already; give --force to replace it, or choose another output folder",
                     "已存在；请使用 --force 覆盖，或选择其他输出文件夹")};
  }
  return Done();
}

class Run {
 public:
  Run(const InjectionOptions& options, ProjectFiles project)
      : options_(options), project_(std::move(project)), rewriter_(options) {}

  Result<InjectionResult> Execute() {
    InjectionResult result;
    if (std::optional<Error> refusal = Refusal()) return *refusal;
    const bool one_file = project_.is_file && !options_.rewrite.output.empty();
    if (one_file) {
      Result<Done> place = CheckOutputFile(options_, project_.entries.front().path);
      if (!place) return place.error();
    }
    RewriteOptions rewrite = options_.rewrite;
    rewrite.result_name = project_.name;
    if (one_file) rewrite.output.clear();
    const mode_t mode = one_file ? project_.entries.front().mode : 0;
    Result<RewriteResult> done = RewriteProject(rewrite, project_, Steps());
    if (!done) return done.error();
    result.rewrite = *std::move(done);
    result.is_unmigrated = rewriter_.IsUnmigrated();
    result.options = rewriter_.Accounts();
    result.sites = rewriter_.TakeSites();
    if (options_.rewrite.output.empty() || result.sites.empty()) return result;
    result.rewrite.run.output = options_.rewrite.output;
    if (one_file) {
      if (Result<std::vector<std::string>> made = CreateFolders(options_.rewrite.output); !made) {
        return made.error();
      }
      if (auto error = WriteBeside(project_.entries.front().path, text_, mode, result)) {
        return *error;
      }
    }
    const std::string list = ChangeListCsv(result.rewrite.run);
    if (auto error = WriteBeside(std::string(kChangeListFile), list, 0666, result)) return *error;
    return result;
  }

 private:
  /// What keeps the options from being injected at all: found before anything is written.
  std::optional<Error> Refusal() {
    const bool may_refuse = options_.action == InjectionOptions::Action::kInject &&
                            FindInjectFramework(options_.framework)->has_session_switches;
    if (!may_refuse || options_.request.replace_opposite) return std::nullopt;
    Rewriter rewriter(options_);
    RewriteSteps steps = Steps();
    steps.rewrite = [&](const ProjectEntry& entry, std::string bytes, const ProjectIndex& index,
                        Parser& parser) {
      return rewriter.Rewrite(entry, std::move(bytes), index, parser);
    };
    RewriteOptions rewrite = options_.rewrite;
    rewrite.output.clear();
    rewrite.in_place = false;
    const Result<RewriteResult> done = RewriteProject(rewrite, project_, steps);
    if (!done) return done.error();
    std::optional<Error> refusal;
    size_t others = 0;
    for (const FileSites& file : rewriter.TakeSites()) {
      for (size_t i = 0; i < file.sites.size(); ++i) {
        if (!file.sites[i].is_refused) continue;
        others += refusal ? 1 : 0;
        if (refusal) continue;
        refusal =
            Error{Error::Code::kUsage,
                  fmt::format("{}:{}:{}", file.file, file.places[i].line, file.places[i].column),
                  file.sites[i].state};
      }
    }
    if (others > 0) {
      const Text more =
          Say(" ({} more such places: see --list)", " (另有 {} 处: 见 --list)", others);
      refusal->what = {refusal->what.en + more.en, refusal->what.zh + more.zh};
    }
    return refusal;
  }

  /// Writes a file into the output folder. One that is there and holds something else is kept.
  std::optional<Error> WriteBeside(const std::string& name, std::string_view text, mode_t mode,
                                   InjectionResult& result) const {
    const std::string path = (std::filesystem::path(options_.rewrite.output) / name).string();
    const FileHandle folder = OpenFolder(options_.rewrite.output);
    std::string now;
    const FileHandle file = OpenBelow(folder.get(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (file && ReadAll(file.get(), now) && now == text) return std::nullopt;
    if (file) {
      const std::string kept = KeepAside(folder.get(), name, name);
      if (kept.empty()) return FileError(path, Say("cannot keep the file", "无法保留文件"), errno);
      result.rewrite.run.notes.push_back(Say("{}: what was there before is kept as \"{}\"",
                                             "{}：原有内容已保留为 \"{}\"", path, kept));
    }
    const Result<Done> written = AtomicWrite(path, text, mode, Existing::kRefuse);
    if (!written) return written.error();
    return std::nullopt;
  }

  RewriteSteps Steps() {
    RewriteSteps steps;
    steps.is_of_interest = [this](const ProjectEntry& entry) {
      return rewriter_.IsNotebook(entry);
    };
    steps.rewrite = [this](const ProjectEntry& entry, std::string bytes, const ProjectIndex& index,
                           Parser& parser) {
      const bool keep = !options_.rewrite.output.empty() && is_file_;
      if (keep) text_ = bytes;
      FileResult result = rewriter_.Rewrite(entry, std::move(bytes), index, parser);
      if (keep && result.text) text_ = *result.text;
      return result;
    };
    steps.finish = [this](RewriteResult& result) { result.run.framework = options_.framework; };
    steps.write_reports = [this](const RunResult&, OutputTree&) -> Result<bool> {
      return rewriter_.HasSites();
    };
    return steps;
  }

  const InjectionOptions& options_;
  ProjectFiles project_;
  const bool is_file_ = project_.is_file;
  Rewriter rewriter_;
  std::string text_;  // of the one file, where the input is a file
};

}  // namespace

Result<InjectionResult> InjectConfiguration(const InjectionOptions& options) {
  Result<ProjectFiles> project = FindProjectFiles(options.rewrite.input, options.files);
  if (!project) return project.error();
  return Run(options, *std::move(project)).Execute();
}

}  // namespace transplt
