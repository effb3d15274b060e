// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/stand_in_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "transplt/base/one_of.h"
#include "transplt/base/stand_in_marks.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/migrate/own_extensions.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/api_import.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

using Answer = ModuleStandIns::Answer;

constexpr std::string_view kBuilder = "torch.utils.cpp_extension.CUDAExtension";
constexpr std::string_view kNpuBuilder = "torch_npu.utils.cpp_extension.NpuExtension";
constexpr std::string_view kEnding = ".cu";

/// The piece of a string of Python that ends it, if that is text.
Node LastPiece(Node string) {
  Node last;
  for (Node part = string.first_named_child(); part; part = part.next_named_sibling()) {
    const bool is_piece = part.Is(NodeKind::kStringContent) || part.Is(NodeKind::kInterpolation);
    if (is_piece) last = part;
  }
  return last && last.Is(NodeKind::kStringContent) ? last : Node();
}

/// Strings that name CUDA sources: "src/nms.cu", "*.cu", f"{folder}/nms.cu".
std::vector<Node> SourceNames(const SyntaxTree& tree) {
  std::vector<Node> names;
  for (const Node node : NodesIn(tree)) {
    if (!node.Is(NodeKind::kString) || node.parent().Is(NodeKind::kExpressionStatement)) continue;
    const Node piece = LastPiece(node);
    if (piece && piece.text().ends_with(kEnding)) names.push_back(piece);
  }
  return names;
}

/// True for ".cu" that is compared with the ending of a name: `os.path.splitext(f)[1] == ".cu"`.
bool IsComparedEnding(Node piece) {
  if (piece.text() != kEnding) return false;
  Node up = piece.parent().parent();
  while (up.Is(NodeKind::kTuple) || up.Is(NodeKind::kList) || up.Is(NodeKind::kSet)) {
    up = up.parent();
  }
  return !up.Is(NodeKind::kArgumentList) && !up.Is(NodeKind::kBinaryOperator);
}

/// True for "src/nms.cu", a whole path or the end of one, and not a part that is joined with
/// others.
bool NamesOneSource(Node piece) {
  const Node string = piece.parent();
  const bool is_whole = PlainStringContent(string) == piece;
  const bool is_part = string.parent().Is(NodeKind::kBinaryOperator) ||
                       string.parent().Is(NodeKind::kAttribute) ||
                       string.parent().Is(NodeKind::kConcatenatedString);
  const size_t slash = piece.text().rfind('/');
  const std::string_view name =
      piece.text().substr(slash == std::string_view::npos ? 0 : slash + 1);
  return is_whole && !is_part && name.size() > kEnding.size() &&
         name.find_first_of("*?[{%") == std::string_view::npos;
}

bool IsBuilderUse(Node node, const NameTable& names) {
  if (node.Is(NodeKind::kAttribute)) {
    return node.Child(Field::kAttribute).text() == LastPart(kBuilder) &&
           names.IsNamed(node, kBuilder);
  }
  if (!node.Is(NodeKind::kIdentifier) || IsInImport(node) || IsAssigned(node)) return false;
  const bool is_member = node.parent().Is(NodeKind::kAttribute) && node.field() != Field::kObject;
  const bool is_keyword =
      node.parent().Is(NodeKind::kKeywordArgument) && node.field() == Field::kName;
  // A variable that holds the class, or another one, stays as it is.
  const std::vector<const Binding*> bindings = names.BindingsOf(node);
  const bool is_imported = std::ranges::any_of(
      bindings, [](const Binding* binding) { return binding->kind == BindingKind::kImport; });
  return !is_member && !is_keyword && is_imported && names.IsNamed(node, kBuilder);
}

std::vector<Node> BuilderUses(const SyntaxTree& tree, const NameTable& names) {
  std::vector<Node> uses;
  for (const Node node : NodesIn(tree)) {
    if (IsBuilderUse(node, names)) uses.push_back(node);
  }
  return uses;
}

/// True within `libraries=["cublas"]`.
bool IsLibrary(Node node) {
  for (Node up = node.parent(); up; up = up.parent()) {
    if (up.Is(NodeKind::kKeywordArgument)) return up.Child(Field::kName).text() == "libraries";
  }
  return false;
}

/// Why the build program cannot be edited.
std::optional<Text> ObstacleInBuild(const OpenedFile& file) {
  if (BuilderUses(file.tree(), file.names()).empty()) {
    return Say("it does not build them with {}", "它不使用 {} 编译", kBuilder);
  }
  const std::vector<Node> sources = SourceNames(file.tree());
  if (sources.empty()) {
    return Say("it does not spell the names of its CUDA sources", "其中未写出 CUDA 源码的名称");
  }
  for (const Node piece : sources) {
    if (IsComparedEnding(piece)) {
      return Say("it compares endings of names with .cu (line {})",
                 "它将文件名后缀与 .cu 比较 (第 {} 行)",
                 file.tree().source().Locate(piece.range().start).line);
    }
  }
  for (const Node node : NodesIn(file.tree())) {
    const Node content = node.Is(NodeKind::kString) ? PlainStringContent(node) : Node();
    if (!content || !Words("cuda-link-libraries").Has(content.text())) continue;
    if (!content.text().starts_with("-l") && !IsLibrary(node)) continue;
    return Say("it links {} (line {}), a library of CUDA", "它链接 CUDA 库 {} (第 {} 行)",
               content.text(), file.tree().source().Locate(content.range().start).line);
  }
  return std::nullopt;
}

/// Makes the stand-ins for what one program builds.
class BuildPlanner {
 public:
  BuildPlanner(const ProjectFiles& project, const OwnOperatorSources& sources,
               const SourcesOfModules& files, const std::atomic<bool>* cancelled)
      : project_(project), sources_(sources), files_(files), cancelled_(cancelled) {}

  BuildStandIns For(const std::string& build, const std::vector<const ExtensionModule*>& modules) {
    BuildStandIns made;
    std::optional<Text> obstacle = Fill(build, modules, made);
    if (!obstacle) obstacle = ObstacleInTexts(made);
    if (!obstacle) return made;
    made = {};
    made.refusal = *std::move(obstacle);
    return made;
  }

 private:
  std::optional<Text> Fill(const std::string& build,
                           const std::vector<const ExtensionModule*>& modules,
                           BuildStandIns& made) {
    const std::shared_ptr<const OpenedFile> file = sources_.index.Open(build);
    if (file == nullptr) return Say("{} cannot be read", "{} 无法读取", build);
    if (std::optional<Text> obstacle = ObstacleInBuild(*file)) return obstacle;
    // An ending that no pattern of the program finds among its other sources.
    made.suffix = kStandInEnding;
    made.suffix += HasPart(file->tree().source().bytes(), ".cc") ? ".cxx" : ".cc";
    for (const ExtensionModule* module : modules) {
      ModuleStandIns one = MakeStandIns(files_.Of(module->name), made.suffix);
      if (!one.refusal.en.empty()) return one.refusal;
      std::ranges::move(one.sources, std::back_inserter(made.sources));
      one.sources.clear();
      made.modules.emplace(module->name, std::move(one));
    }
    if (made.sources.empty()) return Say("none was found", "未找到 CUDA 源码");
    for (const Node piece : SourceNames(file->tree())) {
      if (NamesOneSource(piece) && !IsReplaced(std::string(piece.text()), made)) {
        return Say("{} was not found", "未找到 {}", piece.text());
      }
    }
    for (const ExtensionModule* module : modules) {
      for (const std::string& source : module->sources) {
        if (source.ends_with(kEnding) && !IsReplaced(source, made)) {
          return Say("{} was not found", "未找到 {}", source);
        }
      }
    }
    return std::nullopt;
  }

  static bool IsReplaced(const std::string& source, const BuildStandIns& made) {
    const auto name_of = [](std::string_view path) { return path.substr(path.rfind('/') + 1); };
    return std::ranges::any_of(
        made.sources, [&](const StandIn& one) { return name_of(one.replaces) == name_of(source); });
  }

  std::optional<Text> ObstacleInTexts(const BuildStandIns& made) const {
    std::map<std::string, std::string> texts;
    for (const StandIn& one : made.sources) {
      if (FindEntry(project_, one.path) != nullptr) {
        return Say("{} exists already", "{} 已存在", one.path);
      }
      texts.emplace(one.path, one.text);
    }
    const auto said = sources_.native.Check(texts, cancelled_);
    if (!said) return said.error().what;
    for (const auto& [path, words] : *said) {
      if (words.empty()) continue;
      return Text{"the stand-in " + path + " does not fit the declarations of torch: " + words.en,
                  "替代源码 " + path + " 与 torch 的声明不符: " + words.zh};
    }
    return std::nullopt;
  }

  const ProjectFiles& project_;
  const OwnOperatorSources& sources_;
  const SourcesOfModules& files_;
  const std::atomic<bool>* const cancelled_;
};

/// Edits one program that builds CUDA sources.
class BuildEdits {
 public:
  BuildEdits(const FileContext& file, const BuildStandIns& stand_ins,
             const std::vector<std::string>& toolkit)
      : file_(file), stand_ins_(stand_ins), toolkit_(toolkit) {
    old_.old_name = kBuilder;
    old_.rule_id = kStandInRule;
    old_.new_name = kNpuBuilder;
  }

  Findings Make() {
    for (const Node piece : SourceNames(file_.tree())) EditSource(piece);
    for (const Node node : NodesIn(file_.tree())) {
      if (node.Is(NodeKind::kImportFromStatement)) EditImport(node);
    }
    for (const Node use : BuilderUses(file_.tree(), file_.names())) EditUse(use);
    for (const Node node : NodesIn(file_.tree())) EditQuestion(node);
    return std::move(findings_);
  }

 private:
  Finding& Add(TextRange range, Text message) {
    Finding& finding = findings_.emplace_back();
    finding.range = range;
    finding.rule_id = kStandInRule;
    finding.message = std::move(message);
    finding.takes_over = true;
    finding.belongs_to = std::string(kStandInRule) + ":" + file_.source().path();
    return finding;
  }

  void EditSource(Node piece) {
    const uint32_t end = piece.range().end;
    const TextRange ending = {end - static_cast<uint32_t>(kEnding.size()), end};
    Add(ending, Say("build the C++ source that stands in for this CUDA source",
                    "编译替代此 CUDA 源码的 C++ 源码"))
        .fix.Replace(ending, stand_ins_.suffix);
  }

  void EditImport(Node statement) {
    ImportPlan plan = PlanImportFrom(statement, file_);
    for (ImportedName& name : plan.names) {
      const bool is_it = plan.module + "." + std::string(name.name.text()) == kBuilder;
      if (is_it && !name.item.Is(NodeKind::kAliasedImport)) name.entry = &old_;
    }
    if (plan.FirstMoved() == nullptr || plan.is_star) return;
    const std::string last(LastPart(kNpuBuilder));
    const std::string renamed = last + " as " + std::string(LastPart(kBuilder));
    Finding& finding = Add(statement.range(), Message());
    finding.fix = MoveImport(statement, plan, file_);
    for (Edit& edit : finding.fix.edits) {
      if (const size_t at = edit.text.find(renamed); at != std::string::npos) {
        edit.text.replace(at, renamed.size(), last);
      }
    }
    is_imported_ = true;
  }

  static Text Message() { return Say("change {} to {}", "将 {} 改为 {}", kBuilder, kNpuBuilder); }

  void EditUse(Node use) {
    Finding& finding = Add(use.range(), Message());
    finding.fix.Replace(use.range(), std::string(LastPart(kNpuBuilder)));
    if (!is_imported_) {
      finding.needs_import =
          fmt::format("from {} import {}", kNpuBuilder.substr(0, kNpuBuilder.rfind('.')),
                      LastPart(kNpuBuilder));
    }
  }

  /// `CUDA_HOME is not None`: no toolkit of CUDA is needed any more.
  void EditQuestion(Node node) {
    if (!node.Is(NodeKind::kIdentifier) && !node.Is(NodeKind::kAttribute)) return;
    if (node.parent().Is(NodeKind::kAttribute) || IsInImport(node) || IsAssigned(node)) return;
    const bool is_it = std::ranges::any_of(
        toolkit_, [&](const std::string& name) { return file_.names().IsNamed(node, name); });
    if (!is_it) return;
    Node asks = node.parent();
    std::string answer = "True";
    if (asks.Is(NodeKind::kComparisonOperator)) {
      const std::string_view text = asks.text();
      const bool is_none = text.ends_with("is None") || text.ends_with("== None");
      if (!is_none && !text.ends_with("is not None") && !text.ends_with("!= None")) return;
      if (is_none) answer = "False";
    } else {
      const bool is_condition = asks.Is(NodeKind::kBooleanOperator) ||
                                asks.Is(NodeKind::kNotOperator) ||
                                node.field() == Field::kCondition;
      if (!is_condition) return;
      asks = node;
    }
    while (asks.parent().Is(NodeKind::kParenthesizedExpression)) asks = asks.parent();
    Finding& finding =
        Add(asks.range(), Say("the stand-ins need no toolkit of CUDA", "替代源码无需 CUDA 工具包"));
    const std::optional<TextRange> joined = answer == "True" ? JoinedBy(asks) : std::nullopt;
    finding.fix.Replace(joined.value_or(asks.range()), joined ? "" : answer);
  }

  /// The side `node` of `a and node`, with the word.
  static std::optional<TextRange> JoinedBy(Node node) {
    const Node join = node.parent();
    if (!join.Is(NodeKind::kBooleanOperator)) return std::nullopt;
    const Node first = join.first_named_child();
    const bool is_last = first != node && first.next_sibling().IsToken("and");
    if (!is_last) return std::nullopt;
    return TextRange{first.range().end, node.range().end};
  }

  const FileContext& file_;
  const BuildStandIns& stand_ins_;
  const std::vector<std::string>& toolkit_;
  ApiEntry old_;
  bool is_imported_ = false;
  Findings findings_;
};

}  // namespace

StandInPlan StandInPlan::For(const ProjectFiles& project, const OwnOperatorSources& sources,
                             const std::atomic<bool>* cancelled) {
  StandInPlan plan;
  std::map<std::string, std::vector<const ExtensionModule*>> builds;
  for (const ExtensionModule& module : sources.modules.extensions()) {
    if (module.is_cuda) builds[module.declared_in].push_back(&module);
  }
  if (builds.empty()) return plan;
  const SourcesOfModules files(sources);
  BuildPlanner planner(project, sources, files, cancelled);
  for (const auto& [build, modules] : builds) {
    BuildStandIns& made = plan.builds_[build];
    if (!sources.native.reason().en.empty()) {
      made.refusal = sources.native.reason();
    } else {
      made = planner.For(build, modules);
    }
  }
  return plan;
}

const BuildStandIns* StandInPlan::Find(std::string_view build) const {
  const auto found = builds_.find(build);
  return found == builds_.end() ? nullptr : &found->second;
}

const ModuleStandIns* StandInPlan::Of(const ExtensionModule& module) const {
  const BuildStandIns* build = Find(module.declared_in);
  if (build == nullptr) return nullptr;
  const auto found = build->modules.find(module.name);
  return found == build->modules.end() ? nullptr : &found->second;
}

std::vector<std::string> StandInPlan::ModulesThatServe() const {
  std::vector<std::string> modules;
  for (const auto& [build, made] : builds_) {
    for (const auto& [module, stand_ins] : made.modules) {
      const bool fails = std::ranges::any_of(
          stand_ins.operators, [](const auto& one) { return one.second == Answer::kFails; });
      if (!fails) modules.push_back(module);
    }
  }
  return modules;
}

bool StandInPlan::Writes(std::string_view build) const {
  const BuildStandIns* found = Find(build);
  return found != nullptr && !found->sources.empty();
}

Findings CheckLoadedSources(const Findings& found, const std::vector<std::string>& builders) {
  Findings rows;
  for (const Finding& finding : found) {
    if (!IsOneOf(finding.rule_id, builders) || !finding.fix.empty()) continue;
    rows.push_back(RowAt(
        finding.range, kStandInRule,
        Say("no source stands in for those in CUDA: {} compiles them when the program runs; let a "
            "setup.py build them with CUDAExtension, import the module, and migrate again",
            "未生成 CUDA 源码的替代源码: {} 在程序运行时编译它们; 请改由 setup.py 用 CUDAExtension "
            "编译并导入该模块, 然后重新迁移",
            LastPart(finding.rule_id)),
        Operation::kSuggestion, Severity::kNote));
    rows.back().cause = kOwnExtensionCause;
  }
  return rows;
}

Findings CheckStandIns(const FileContext& file, const StandInPlan& plan,
                       const std::vector<std::string>& toolkit) {
  const BuildStandIns* build = plan.Find(file.source().path());
  const std::vector<Node> uses = BuilderUses(file.tree(), file.names());
  if (build == nullptr && uses.empty()) return {};
  Text reason = Say("the names of its modules are not written out", "未写出其模块的名称");
  if (build != nullptr) {
    if (build->refusal.en.empty()) return BuildEdits(file, *build, toolkit).Make();
    reason = build->refusal;
  }
  const TextRange place = uses.empty() ? TextRange{0, 0} : uses.front().range();
  const Text why = {"no source stands in for those in CUDA: " + reason.en,
                    "未生成 CUDA 源码的替代源码: " + reason.zh};
  Findings rows = {RowAt(place, kStandInRule, why, Operation::kSuggestion, Severity::kNote)};
  rows.back().cause = kOwnExtensionCause;
  return rows;
}

}  // namespace transplt
