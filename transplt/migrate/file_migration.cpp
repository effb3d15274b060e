// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/file_migration.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/dead_files.h"
#include "transplt/facts/range_set.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/facts/value_flows.h"
#include "transplt/migrate/adapter_imports.h"
#include "transplt/migrate/command_strings.h"
#include "transplt/migrate/consistency.h"
#include "transplt/migrate/cuda_sides.h"
#include "transplt/migrate/kernels_in_strings.h"
#include "transplt/migrate/modify_marks.h"
#include "transplt/migrate/moved_imports.h"
#include "transplt/migrate/own_extensions.h"
#include "transplt/migrate/programs_in_strings.h"
#include "transplt/migrate/python_2.h"
#include "transplt/migrate/required_imports.h"
#include "transplt/migrate/stand_in_plan.h"
#include "transplt/migrate/suppressions.h"
#include "transplt/migrate/unsupported_apis.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/statement.h"

namespace transplt {
namespace {

/// True if whoever set the parser's meter will not take what becomes of the file.
bool IsSpent(const Parser& parser) { return parser.meter() != nullptr && parser.meter()->spent(); }

/// The tree of a file: the project's, if that has parsed the same text, or one of its own.
class ParsedFile {
 public:
  ParsedFile(const SourceFile& source, const ProjectIndex* project, Parser& parser) {
    if (project != nullptr) opened_ = project->Open(source.path());
    if (opened_ != nullptr && opened_->source().bytes() != source.bytes()) opened_ = nullptr;
    if (opened_ == nullptr) own_ = SyntaxTree::Parse(source, parser);
  }

  const SyntaxTree& tree() const { return own_ ? *own_ : opened_->tree(); }
  /// Null if the tree is one of its own.
  const NameTable* names() const { return own_ ? nullptr : &opened_->names(); }

 private:
  std::shared_ptr<const OpenedFile> opened_;
  std::optional<SyntaxTree> own_;
};

/// Takes out what is found where torch_npu cannot be imported.
void EraseWithoutNpu(const SyntaxTree& tree, const Target& target, Findings& findings) {
  const std::vector<TextRange> parts = PartsWithoutNpu(tree, target);
  if (parts.empty()) return;
  std::erase_if(findings, [&](const Finding& finding) {
    const auto behind =
        std::upper_bound(parts.begin(), parts.end(), finding.range.start,
                         [](uint32_t offset, TextRange part) { return offset < part.start; });
    return behind != parts.begin() && std::prev(behind)->Contains(finding.range);
  });
}

/// Says of each edit of a text which values the text is. Asks in the order of the text, so that
/// the answers are the same whatever was rejected.
void NameValues(const FileContext& file, const Selection& selection, FileMigration& result) {
  std::vector<std::pair<const Finding*, ChangeRecord*>> edits;
  size_t at = selection.open().size();
  for (const std::vector<Finding>* findings : {&selection.rejected(), &selection.accepted()}) {
    for (const Finding& finding : *findings) {
      // A file whose edits broke it has no records of them.
      if (at < result.records.size()) edits.emplace_back(&finding, &result.records[at++]);
    }
  }
  std::ranges::stable_sort(edits, {}, [](const auto& e) { return e.first->range.start; });
  for (const auto& [finding, record] : edits) {
    for (const Edit& edit : finding->fix.edits) {
      // An edit of a text lies few levels below it; a chain of calls has thousands.
      constexpr int kMostLevels = 8;
      Node node = file.tree().NodeAt(edit.range);
      for (int up = 0; node && !node.Is(NodeKind::kString); ++up) {
        node = up < kMostLevels ? node.parent() : Node();
      }
      if (!node || record->follows) continue;
      for (std::string& name : file.values().NamesOf(node)) {
        record->values.push_back(std::move(name));
      }
    }
    if (!finding->belongs_to.empty()) record->values.push_back(finding->belongs_to);
  }
}

/// What makes a program for several cards of the file's, in front of what the rules have found: it
/// was asked for.
void AddMultiCard(const MultiCardPlan& plan, const SyntaxTree& tree, const Target& target,
                  Findings& findings) {
  UseOwnCard(tree, target.device, findings);
  const auto found = plan.findings.find(tree.source().path());
  if (found == plan.findings.end()) return;
  // One process for all cards is no trouble where there is one for each.
  std::erase_if(findings, [&](const Finding& finding) {
    return std::ranges::any_of(found->second, [&](const Finding& mine) {
      return finding.applicability == Applicability::kDisplayOnly && !mine.fix.empty() &&
             finding.range == mine.range;
    });
  });
  findings.insert(findings.begin(), found->second.begin(), found->second.end());
}

/// Files without TensorFlow are not asked about it. One may have it of a module of the project:
/// `from loader import *`.
void UseTensorflow(const FileMigrationOptions& options, FileContext& file) {
  const TensorflowPrograms* programs = options.tensorflow_programs;
  const bool has_it = options.framework == Framework::kTensorflow ||
                      Words("tensorflow-packages").HasPartOf(file.source().bytes()) ||
                      (programs != nullptr && programs->MayRun(file.source().path()));
  if (!has_it) return;
  file.UseTensorflow(options.tensorflow_programs == nullptr
                         ? TensorflowUseOf(file.code())
                         : options.tensorflow_programs->Of(file.code()));
}

/// Takes out what a person would be asked about code that no run on the NPU comes to, and gives
/// that code.
std::vector<TextRange> EraseDeadRows(const FileContext& file, const FileMigrationOptions& options,
                                     Findings& findings) {
  if (findings.empty()) return {};
  std::vector<TextRange> behind;
  if (options.left_out != nullptr && file.project() != nullptr) {
    behind = PartsBehindImports(file.source().path(), options.left_out->files, *file.project());
    const RangeSet left(behind);
    std::erase_if(findings, [&](const Finding& finding) { return left.Contains(finding.range); });
  }
  std::vector<TextRange> parts = SettledConditions(file.names(), options.machine).DeadParts();
  const RangeSet dead(parts);
  // Another release of torch may come to what this one does not: that is migrated.
  const RangeSet dead_on_all(parts.empty() ? parts
                                           : DeadPartsOnAll(file.names(), options.machines));
  std::erase_if(findings, [&](const Finding& finding) {
    const bool is_row = finding.applicability == Applicability::kDisplayOnly;
    return (is_row ? dead : dead_on_all).Contains(finding.range);
  });
  parts.insert(parts.end(), behind.begin(), behind.end());
  return parts;
}

void AddDecided(const std::vector<TextRange>& parts, Findings& decided) {
  for (TextRange part : parts) {
    decided.emplace_back();
    decided.back().range = part;
  }
}

/// What is told of a command within a string, and of the string by the same rule, too.
void EraseRowsWithinStrings(std::string_view bytes, Findings& findings) {
  const auto is_string = [&](const Finding& finding) {
    const std::string_view text = bytes.substr(finding.range.start);
    return text.starts_with('"') || text.starts_with('\'');
  };
  const auto is_row = [](const Finding& finding) {
    return finding.applicability == Applicability::kDisplayOnly && !finding.rule_id.empty();
  };
  std::map<std::string, std::vector<TextRange>> strings;  // by rule
  for (const Finding& finding : findings) {
    if (is_row(finding) && is_string(finding)) strings[finding.rule_id].push_back(finding.range);
  }
  if (strings.empty()) return;
  std::map<std::string, RangeSet> told;
  for (auto& [rule, ranges] : strings) told.emplace(rule, RangeSet(std::move(ranges)));
  std::erase_if(findings, [&](const Finding& finding) {
    if (!is_row(finding) || is_string(finding)) return false;
    const auto same = told.find(finding.rule_id);
    return same != told.end() && same->second.Contains(finding.range);
  });
}

bool HasMultiCardFindings(const std::string& path, const FileMigrationOptions& options) {
  return options.multi_card != nullptr && options.multi_card->findings.contains(path);
}

/// The parts with their lines; of one that shares its line with other code, its text.
std::vector<CodeForCuda> CodeIn(const std::vector<TextRange>& parts, const SourceFile& source) {
  std::vector<CodeForCuda> code;
  for (TextRange part : parts) {
    if (part.empty()) continue;
    CodeForCuda& lines = code.emplace_back();
    lines.first_line = source.Locate(part.start).line;
    lines.last_line = source.Locate(part.end - 1).line;
    const TextRange line = source.LineRange(lines.first_line);
    const TextRange before = {line.start, part.start};
    if (!Trimmed(before.In(source.bytes())).empty()) lines.text = part.In(source.bytes());
  }
  return code;
}

/// The rows about libraries that are left out as a whole, which say that the file goes with them.
Findings RowsOfLeftOut(const Findings& findings, const Text& reason, const LeftOutCode* left_out) {
  Findings rows;
  for (const Finding& finding : findings) {
    if (left_out == nullptr || !left_out->rules.contains(finding.rule_id)) continue;
    rows.push_back(finding);
    rows.back().keeps = nullptr;
    rows.back().message.en += " (" + reason.en + ")";
    rows.back().message.zh += "（" + reason.zh + "）";
  }
  return rows;
}

/// What others say where `edits` are made falls away with it.
void EraseWithin(const Findings& edits, Findings& findings) {
  std::erase_if(findings, [&](const Finding& finding) {
    return std::ranges::any_of(edits, [&](const Finding& edit) {
      return edit.range.Contains(finding.range) || finding.range.Contains(edit.range);
    });
  });
}

/// True for the row of an import of a name of the CUDA toolkit: CUDA_HOME.
bool IsImportOfToolkit(const Finding& row, const FileContext& file,
                       const std::vector<std::string>& toolkit) {
  if (std::ranges::find(toolkit, row.rule_id) == toolkit.end()) return false;
  return std::ranges::any_of(file.names().bindings(), [&](const Binding& binding) {
    return binding.kind == BindingKind::kImport && binding.node.range() == row.range;
  });
}

/// The import of a name of the CUDA toolkit that nothing asks for any more.
void EraseUnasked(const FileContext& file, const std::vector<std::string>& toolkit,
                  Findings& findings) {
  std::erase_if(findings,
                [&](const Finding& finding) { return IsImportOfToolkit(finding, file, toolkit); });
}

/// The whole of a condition `a and b is not None` in which `name` is asked for.
TextRange ConjunctionAround(Node name) {
  Node whole = name;
  for (Node up = name.parent(); up; up = up.parent()) {
    const bool is_and = up.Is(NodeKind::kBooleanOperator) && SignOf(up) == "and";
    if (!is_and && !up.Is(NodeKind::kComparisonOperator) &&
        !up.Is(NodeKind::kParenthesizedExpression)) {
      break;
    }
    whole = up;
  }
  return whole.range();
}

/// The import of a name of the CUDA toolkit that is only asked for beside a question for CUDA which
/// has a row: `torch.cuda.is_available() and CUDA_HOME is not None`.
void EraseToldByGuard(const FileContext& file, const GuardSignatures& signatures,
                      Findings& findings) {
  std::vector<TextRange> guards;
  for (const Finding& finding : findings) {
    if (finding.rule_id == signatures.rule_id) guards.push_back(finding.range);
  }
  if (guards.empty()) return;
  const auto is_told = [&](Node use) {
    const TextRange whole = ConjunctionAround(use);
    return std::ranges::any_of(guards, [&](TextRange guard) { return whole.Contains(guard); });
  };
  std::erase_if(findings, [&](const Finding& finding) {
    if (!IsImportOfToolkit(finding, file, signatures.toolkit)) return false;
    return std::ranges::all_of(file.NodesSaying(LastPart(finding.rule_id)), [&](Node use) {
      return IsInImport(use) || !file.names().IsNamed(use, finding.rule_id) || is_told(use);
    });
  });
}

/// The import of a name of the CUDA toolkit beside a class that builds for CUDA, of which a row
/// says that it cannot: who writes that anew needs no toolkit.
void NoteToldByBuild(const FileContext& file, const GuardSignatures& signatures,
                     Findings& findings) {
  const auto module_of = [](std::string_view name) { return name.substr(0, name.rfind('.')); };
  const auto is_told = [&](std::string_view toolkit) {
    return std::ranges::any_of(findings, [&](const Finding& other) {
      return other.fix.empty() && IsOneOf(other.rule_id, signatures.cuda_only) &&
             module_of(other.rule_id) == module_of(toolkit);
    });
  };
  for (Finding& finding : findings) {
    if (!IsImportOfToolkit(finding, file, signatures.toolkit) || !is_told(finding.rule_id))
      continue;
    finding.severity = Severity::kNote;
  }
}

/// Takes away the edits that rows keep back, and lets these rows say so.
void KeepBack(Findings& findings) {
  const auto matches = [](const KeptBack& keeps, const Finding& finding) {
    return !finding.fix.empty() &&
           std::ranges::any_of(keeps.rules, [&](const std::string& pattern) {
             return MatchesPattern(pattern, finding.rule_id);
           });
  };
  std::set<std::shared_ptr<const KeptBack>> all;
  for (const Finding& row : findings) {
    if (row.keeps) all.insert(row.keeps);
  }
  std::erase_if(all, [&](const auto& keeps) {
    return std::ranges::none_of(findings, [&](const Finding& f) { return matches(*keeps, f); });
  });
  if (all.empty()) return;
  std::erase_if(findings, [&](const Finding& finding) {
    return std::ranges::any_of(all, [&](const auto& keeps) { return matches(*keeps, finding); });
  });
  for (Finding& row : findings) {
    if (!all.contains(row.keeps)) continue;
    row.message = row.keeps->message;
    row.severity = row.keeps->severity;
  }
}

/// True if an edit takes what stands at `range` away, or a row tells of the call there: no other
/// row is about it then.
bool IsReplaced(TextRange range, const Findings& findings) {
  return std::ranges::any_of(findings, [&](const Finding& finding) {
    // `DataParallel(model)` that stays, of which the rule that takes it off says why.
    const bool is_told = finding.applicability == Applicability::kDisplayOnly &&
                         finding.range.start == range.start && finding.range.Contains(range);
    return is_told || std::ranges::any_of(finding.fix.edits, [&](const Edit& edit) {
             return edit.range.Contains(range);
           });
  });
}

/// True if what serves the NPU is migrated on: it goes on serving machines without torch_npu.
bool IsExtended(std::string_view path, const FileMigrationOptions& options) {
  const bool asks = options.code != nullptr && !options.any_device && options.extend_served;
  return asks && !options.code->ServedBy(path).empty();
}

}  // namespace

bool IsServed(std::string_view path, const FileMigrationOptions& options) {
  const bool asks = options.code != nullptr && !options.any_device && !options.extend_served;
  return asks && !options.code->ServedBy(path).empty();
}

namespace {

/// What no NPU supports, where none of `findings` tells it.
Findings UnsupportedApis(const FileContext& file, const Findings& findings,
                         const FileMigrationOptions& options) {
  if (options.api_support == nullptr) return {};
  Findings rows = CheckUnsupportedApis(file, *options.api_support, options.disabled);
  const bool is_served = IsServed(file.source().path(), options);
  // Of a program that serves NPUs other rows than these are left out in the end.
  Findings telling;
  std::ranges::copy_if(findings, std::back_inserter(telling), [&](const Finding& row) {
    return !is_served || row.operation == Operation::kUnsupported;
  });
  std::erase_if(rows, [&](const Finding& row) { return IsReplaced(row.range, telling); });
  if (is_served) {  // it knows what it calls there
    for (Finding& row : rows) row.severity = Severity::kNote;
  }
  return rows;
}

}  // namespace

const Text* ReasonToKeep(std::string_view path, const FileMigrationOptions& options) {
  if (options.kept_files == nullptr) return nullptr;
  const auto found = options.kept_files->find(path);
  return found == options.kept_files->end() ? nullptr : &found->second;
}

Findings KeptRow(const Findings& findings, const Text& reason) {
  if (findings.empty()) return {};
  const Finding& first = *std::ranges::min_element(
      findings, {}, [](const Finding& finding) { return finding.range.start; });
  return {RowAt({first.range.start, first.range.start}, "kept-file", reason, Operation::kSuggestion,
                Severity::kNote)};
}

FileMigration MigrateFile(const std::string& path, std::string bytes, const Engine& engine,
                          const ProjectIndex* project, Parser& parser,
                          const FileMigrationOptions& options) {
  FileMigration result;
  result.outcome.file = path;
  if (bytes == DistributedModule()) return result;  // an earlier run has written it
  const WordFilter::FileWords words = engine.Scan(bytes, project);
  const bool is_of_interest =
      words.any_rule() || HasMultiCardFindings(path, options) || Suppressions::MayBeIn(bytes) ||
      MayHoldKernel(bytes) || MayHoldPython2(bytes) ||
      (options.api_support != nullptr && options.api_support->MayUseUnsupported(bytes)) ||
      (options.modules != nullptr && options.modules->MayNameExtension(bytes));
  Result<SourceFile> source = SourceFile::FromBytes(path, std::move(bytes));
  if (!source) return SkippedFile(path, source.error().what);
  if (options.prefilter && !is_of_interest) return result;
  const ParsedFile parsed(*source, project, parser);
  const SyntaxTree& tree = parsed.tree();
  if (!is_of_interest || IsSpent(parser)) return result;

  FileContext file(tree, engine.apis(), project, options.framework, options.tensorflow,
                   options.shared_values);
  if (parsed.names() != nullptr) file.UseNames(*parsed.names());
  file.UseModules(options.modules);
  UseTensorflow(options, file);
  Selection selection(*source, options.decisions, options.declined);
  Suppressions suppressions(tree);
  Findings findings = engine.Check(file, words, parser.meter());
  if (IsSpent(parser)) return result;
  if (const Text* reason = ReasonToKeep(path, options)) {
    Findings rows = RowsOfLeftOut(findings, *reason, options.left_out);
    selection.Add(rows.empty() ? KeptRow(findings, *reason) : std::move(rows));
    return ResultOf(selection, selection.edits(), *source, {options.with_diff, options.with_edits},
                    [](const std::string&) { return false; });
  }
  KeepBack(findings);
  for (Findings more :
       {CheckOwnExtensions(file, findings, options.stand_ins), CheckCommandStrings(file, engine),
        CheckProgramsInStrings(file, engine, parser), CheckKernelsInStrings(tree),
        CheckExtensionBuild(file, options.machine.torch), CheckPython2(tree)}) {
    std::move(more.begin(), more.end(), std::back_inserter(findings));
  }
  std::ranges::move(UnsupportedApis(file, findings, options), std::back_inserter(findings));
  if (options.multi_card != nullptr) {
    AddMultiCard(*options.multi_card, tree, engine.apis().target(), findings);
  };
  const auto suppressed =
      std::stable_partition(findings.begin(), findings.end(),
                            [&](const Finding& finding) { return !suppressions.Cover(finding); });
  Findings decided(suppressed, findings.end());
  findings.erase(suppressed, findings.end());
  EraseWithoutNpu(tree, engine.apis().target(), findings);
  AddDecided(EraseDeadRows(file, options, findings), decided);
  EraseRowsWithinStrings(file.source().bytes(), findings);
  std::vector<CodeForCuda> for_cuda;
  const bool builds_stand_ins = options.stand_ins != nullptr && options.stand_ins->Writes(path);
  // A program that builds for the NPU asks for the NPU.
  if (const GuardSignatures* guards = engine.guards();
      guards != nullptr && !findings.empty() && !builds_stand_ins) {
    const CudaSidesOptions sides = {.code = options.code,
                                    .is_served = IsServed(path, options),
                                    .any_device = options.any_device};
    KeptForCuda kept = KeepCudaSides(file, *guards, sides, findings);
    for_cuda = CodeIn(kept.passed, *source);
    EraseToldByGuard(file, *guards, findings);
    NoteToldByBuild(file, *guards, findings);
    AddDecided(std::move(kept.stays), decided);
  }
  if (options.stand_ins != nullptr && engine.guards() != nullptr) {
    Findings stand_ins = CheckStandIns(file, *options.stand_ins, engine.guards()->toolkit);
    std::ranges::move(CheckLoadedSources(findings, engine.guards()->builders),
                      std::back_inserter(stand_ins));
    if (builds_stand_ins) EraseWithin(stand_ins, findings);
    if (builds_stand_ins) EraseUnasked(file, engine.guards()->toolkit, findings);
    findings.insert(findings.begin(), stand_ins.begin(), stand_ins.end());
  }
  const bool guards_imports = options.guard_imports || IsExtended(path, options);
  if (guards_imports) GuardMovedImports(file, findings);
  selection.Add(std::move(findings));
  decided.insert(decided.end(), selection.rejected().begin(), selection.rejected().end());
  if (options.insert_npu_import) {
    Findings half = HalfMigrated(file, selection.edits(), selection.open(), decided);
    std::erase_if(half, [&](const Finding& finding) { return suppressions.Cover(finding); });
    selection.Add(std::move(half));
  }
  selection.Add(suppressions.Unused());
  selection.AddWhatFollows(
      RequiredImports(file, selection.accepted(), selection.edits(),
                      {engine.preambles(), options.insert_npu_import, guards_imports}));
  selection.AddWhatFollows(
      AdapterImports(file, selection.accepted(), selection.imports(), selection.edits()));
  for (TextRange range : tree.unparsed()) selection.Add(UnparsedPart(range));
  const EditList edits =
      options.mark ? WithModifyMarks(tree, selection.edits()) : selection.edits();
  result =
      ResultOf(selection, edits, *source, {options.with_diff, options.with_edits},
               [&](std::string text) { return IsBroken(std::move(text), tree, edits, parser); });
  if (options.with_values) NameValues(file, selection, result);
  result.outcome.for_cuda = std::move(for_cuda);
  return result;
}

}  // namespace transplt
