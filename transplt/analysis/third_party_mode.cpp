// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "transplt/analysis/libraries.h"
#include "transplt/analysis/mode.h"
#include "transplt/analysis/native_operators.h"
#include "transplt/base/one_of.h"
#include "transplt/base/plain_text.h"
#include "transplt/base/text_parts.h"
#include "transplt/engine/api_support.h"
#include "transplt/engine/torch_apis.h"
#include "transplt/facts/call_graph.h"

namespace transplt {
namespace {

enum class ProblemKind : uint8_t {
  kTorch,        ///< an API of torch
  kOwnOperator,  ///< of the library that is looked at
  kLibrary,      ///< something of a third library
};

/// What keeps a function from running on the NPU as it is.
struct Problem {
  std::string api;
  Support support = Support::kUnsupported;
  ProblemKind kind = ProblemKind::kTorch;
  friend bool operator<(const Problem& a, const Problem& b) {
    return std::tie(a.api, a.support, a.kind) < std::tie(b.api, b.support, b.kind);
  }
};

struct ProblemPlace {
  Problem problem;
  std::string owner;  ///< the definition in whose code it stands
  std::string place;  ///< "a.py:12"
  bool in_branch = false;
};

struct FileFacts {
  std::vector<Definition> definitions;
  std::vector<ProblemPlace> problems;
};

FileFacts FactsOf(const FileContext& file, const ApiSupport& support,
                  const NativeOperators& operators, const Libraries& libraries) {
  FileFacts facts{DefinitionsIn(file.code()), {}};
  const auto add = [&](Node node, Problem problem) {
    const uint32_t line = file.source().Locate(node.range().start).line;
    facts.problems.push_back({std::move(problem), OwnerOf(node),
                              fmt::format("{}:{}", OneLine(file.source().path()), line),
                              IsInBranch(node)});
  };
  for (const ApiUse& use : TorchApisIn(file, support)) {
    if (use.support == Support::kLimited) continue;
    add(file.tree().node(use.node), {use.api, use.support, ProblemKind::kTorch});
  }
  for (const auto& [node, name] : CudaOperatorUses(file, operators)) {
    add(node, {name, Support::kUnsupported, ProblemKind::kOwnOperator});
  }
  for (const auto& [node, name] : libraries.UsesIn(file)) {
    add(node, {name, Support::kUnsupported, ProblemKind::kLibrary});
  }
  return facts;
}

/// The functions and classes of a library, what they call, and what that makes of them.
class CallGraph {
 public:
  CallGraph(const std::vector<std::string>& paths, const std::vector<FileFacts>& files) {
    for (size_t i = 0; i < files.size(); ++i) {
      for (const Definition& definition : files[i].definitions) {
        index_.emplace(std::pair(paths[i], definition.name), nodes_.size());
        nodes_.push_back({paths[i], &definition, {}, {}});
      }
    }
    for (size_t id = 0; id < nodes_.size(); ++id) Connect(id);
    for (size_t i = 0; i < files.size(); ++i) {
      for (const ProblemPlace& found : files[i].problems) {
        const auto owner = index_.find(std::pair(paths[i], found.owner));
        if (owner != index_.end()) AddProblem(owner->second, found);
      }
    }
  }

  /// Where a problem stands in the code, and whether it is met only if some branch is taken.
  struct Found {
    std::string place;
    bool in_branch = false;
  };
  struct Node {
    std::string file;
    const Definition* definition;
    std::map<size_t, bool> callers;  ///< true for one that calls this in a branch only
    std::map<Problem, Found> problems;
  };
  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  using Id = std::optional<size_t>;

  Id Find(const std::string& file, const std::string& name) const {
    const auto found = index_.find(std::pair(file, name));
    return found == index_.end() ? std::nullopt : Id(found->second);
  }

  /// The definition of `member` in the class `holder` or the first base that has one. Each class
  /// is looked at once, since bases may form a cycle.
  Id FindMember(const DefinitionRef& holder, const std::string& member, bool in_bases_only) const {
    std::vector<const DefinitionRef*> classes = {&holder};
    std::set<size_t> seen;
    while (!classes.empty()) {
      const DefinitionRef& one = *classes.back();
      classes.pop_back();
      if (&one != &holder || !in_bases_only) {
        if (const Id own = Find(one.file, one.name + "." + member)) return own;
      }
      const Id owner = Find(one.file, one.name);
      if (!owner || !seen.insert(*owner).second) continue;
      const std::vector<DefinitionRef>& bases = nodes_[*owner].definition->bases;
      for (auto base = bases.rbegin(); base != bases.rend(); ++base) classes.push_back(&*base);
    }
    return std::nullopt;
  }

  Id Target(const DefinitionRef& ref) const {
    if (ref.member.empty()) return Find(ref.file, ref.name);
    const Id found = FindMember(ref, ref.member, ref.is_super);
    if (found) return found;
    if (ref.member == "__call__") return FindMember(ref, "forward", false);
    // Of an autograd.Function all runs.
    return ref.member == "apply" ? Find(ref.file, ref.name) : std::nullopt;
  }

  void AddCaller(Id callee, size_t caller, bool in_branch) {
    if (!callee) return;
    const auto [place, is_new] = nodes_[*callee].callers.emplace(caller, in_branch);
    if (!is_new) place->second = place->second && in_branch;
  }

  void Connect(size_t id) {
    const Definition& definition = *nodes_[id].definition;
    for (const DefinitionRef& callee : definition.callees) {
      AddCaller(Target(callee), id, callee.in_branch);
    }
    if (!definition.is_class) return;
    // Who makes an object of a module also calls it.
    const DefinitionRef self{nodes_[id].file, definition.name, ""};
    for (const char* member : {"__init__", "__call__", "forward", "backward"}) {
      AddCaller(FindMember(self, member, false), id, false);
    }
  }

  /// Gives it to all who call this, too; in a circle everybody has it after one round.
  void AddProblem(size_t id, const ProblemPlace& found) {
    std::vector<std::pair<size_t, bool>> open = {{id, found.in_branch}};
    while (!open.empty()) {
      const auto [current, in_branch] = open.back();
      open.pop_back();
      const Found here{found.place, in_branch};
      const auto [place, is_new] = nodes_[current].problems.emplace(found.problem, here);
      if (!is_new && (in_branch || !place->second.in_branch)) continue;
      place->second = here;  // what is certain replaces what is not
      for (const auto& [caller, only_in_branch] : nodes_[current].callers) {
        open.emplace_back(caller, in_branch || only_in_branch);
      }
    }
  }

  std::vector<Node> nodes_;
  std::map<std::pair<std::string, std::string>, size_t> index_;
};

/// How the users of a library call what it defines.
class PublicNames {
 public:
  explicit PublicNames(const AnalyzedProject& project) : index_(project.index()) {
    const std::vector<std::string>& files = project.python_files();
    // The folder that was given is the package itself.
    if (IsOneOf("__init__.py", files)) {
      package_ = project.files().name + ".";
    }
  }

  /// "" for what is not meant for others: names with "_" in front, tests, scripts.
  std::string Of(const CallGraph::Node& node) const {
    std::string module = ProjectIndex::ModuleName(node.file);
    if (module.starts_with("src.")) module = module.substr(4);
    const std::string& name = node.definition->name;
    const std::string full = fmt::format("{}.{}", module, name);
    if (IsPrivate(full)) return "";
    return package_ + Shortened(module, name);
  }

 private:
  static bool IsPrivate(std::string_view full) {
    for (size_t start = 0; start < full.size();) {
      const size_t end = std::min(full.find('.', start), full.size());
      const std::string_view part = full.substr(start, end - start);
      if (part.starts_with('_') || HasPart(part, '-') || part == "tests" || part == "test" ||
          part == "setup" || part.starts_with("test_")) {
        return true;
      }
      start = end + 1;
    }
    return false;
  }

  /// With the shortest package that offers the name.
  std::string Shortened(const std::string& module, const std::string& name) const {
    const std::string first = name.substr(0, name.find('.'));
    const std::string origin = module.empty() ? first : module + "." + first;
    for (size_t dot = module.find('.');; dot = module.find('.', dot + 1)) {
      const std::string package = module.substr(0, dot);
      if (dot == std::string::npos) break;
      const auto found = index_.Find("", package, first);
      if (!found) continue;
      for (const QualifiedName& offered : *found) {
        if (offered.name == origin) return fmt::format("{}.{}", package, name);
      }
    }
    return module.empty() ? name : module + "." + name;
  }

  const ProjectIndex& index_;
  std::string package_;
};

/// The APIs of the library by the problem that they have.
using Affected = std::map<Problem, std::vector<std::string>>;

ResultTable TableOfProblems(const Affected& affected, std::string file, std::string column,
                            const std::function<bool(const Problem&)>& belongs) {
  constexpr size_t kNamesInACell = 100;
  ResultTable table{std::move(file), {std::move(column), "Affected 3rd-party API"}, {}};
  for (const auto& [problem, names] : affected) {
    if (!belongs(problem)) continue;
    for (size_t start = 0; start < names.size(); start += kNamesInACell) {
      std::string cell;
      for (size_t i = start; i < std::min(names.size(), start + kNamesInACell); ++i) {
        cell.append(i > start ? ", " : "").append(names[i]);
      }
      table.rows.push_back({TextCell(problem.api), TextCell(cell)});
    }
  }
  return table;
}

bool Blocks(const Problem& problem) { return problem.support == Support::kUnsupported; }

/// Whether the API named so cannot do without what is unsupported, and the reasons.
struct ApiVerdict {
  bool is_certain = false;
  std::string message;  ///< empty if nothing is unsupported
};

ApiVerdict VerdictOn(const CallGraph::Node& node) {
  std::string certain;
  std::string in_branch;
  for (const auto& [problem, found] : node.problems) {
    if (!Blocks(problem)) continue;
    std::string& list = found.in_branch ? in_branch : certain;
    if (!list.empty()) list += "; ";
    list += fmt::format("{} ({})", problem.api, found.place);
  }
  ApiVerdict verdict{!certain.empty(), ""};
  if (!certain.empty()) verdict.message.append("needs ").append(certain);
  if (!certain.empty() && !in_branch.empty()) verdict.message.append("; ");
  if (!in_branch.empty()) verdict.message.append("in a branch: ").append(in_branch);
  return verdict;
}

struct ProblemTotals {
  size_t all = 0;
  size_t certain = 0;
  size_t in_branch = 0;
};

Text PageOf(const Affected& affected, const ProblemTotals& totals) {
  constexpr size_t kShown = 20;
  Text page =
      Say("{} public functions and classes; {} of them need what no NPU supports, {} more if some "
          "branch is taken\nunsupported API, functions and classes that reach it, the first\n",
          "{} 个公开函数与类; 其中 {} 个依赖 NPU 不支持的接口, 另有 {} 个仅在某些分支中依赖\n"
          "不支持的接口, 到达它的函数与类数, 第一个\n",
          totals.all, totals.certain, totals.in_branch);
  std::vector<std::pair<const Problem*, const std::vector<std::string>*>> worst;
  for (const auto& [problem, names] : affected) {
    if (Blocks(problem)) worst.emplace_back(&problem, &names);
  }
  std::ranges::stable_sort(
      worst, [](const auto& a, const auto& b) { return a.second->size() > b.second->size(); });
  for (size_t i = 0; i < std::min(worst.size(), kShown); ++i) {
    const auto& [problem, names] = worst[i];
    Append(page, fmt::format("  {:<50} {:>5}  {}{}\n", problem->api, names->size(), names->front(),
                             names->size() > 1 ? " ..." : ""));
  }
  if (worst.size() > kShown) {
    Append(page, Say("  ... and {} more\n", "  ... 另有 {} 个\n", worst.size() - kShown));
  }
  return page;
}

}  // namespace

Result<ModeResult> RunThirdParty(const AnalyzedProject& project) {
  const ApiSupport support;
  const NativeOperators operators(project);
  const Libraries libraries(project.rules());
  const std::vector<FileFacts> files = project.ForEachFile<FileFacts>(
      "", [&](const FileContext& file) { return FactsOf(file, support, operators, libraries); });
  const CallGraph graph(project.python_files(), files);
  const PublicNames names(project);
  ResultTable unsupported{"full_unsupported_results.csv", {"File", "3rd-party API", "Message"}, {}};
  Affected affected;
  ProblemTotals totals;
  for (const CallGraph::Node& node : graph.nodes()) {
    const std::string name = names.Of(node);
    if (name.empty()) continue;
    ++totals.all;
    for (const auto& [problem, found] : node.problems) affected[problem].push_back(name);
    const ApiVerdict verdict = VerdictOn(node);
    if (verdict.message.empty()) continue;
    ++(verdict.is_certain ? totals.certain : totals.in_branch);
    unsupported.rows.push_back({TextCell(node.file), TextCell(name), TextCell(verdict.message)});
  }
  ModeResult result;
  result.page = PageOf(affected, totals);
  result.tables.push_back(std::move(unsupported));
  result.tables.push_back(
      TableOfProblems(affected, "framework_unsupported_op.csv", "Torch API",
                      [](const Problem& p) { return Blocks(p) && p.kind == ProblemKind::kTorch; }));
  result.tables.push_back(
      TableOfProblems(affected, "unknown_op.csv", "Torch API",
                      [](const Problem& p) { return p.support == Support::kUnknown; }));
  result.tables.push_back(
      TableOfProblems(affected, "migration_needed_op.csv", "Torch API",
                      [](const Problem& p) { return p.support == Support::kRenamed; }));
  result.tables.push_back(TableOfProblems(affected, "cuda_op.csv", "OP Name", [](const Problem& p) {
    return p.kind == ProblemKind::kOwnOperator;
  }));
  result.tables.push_back(
      TableOfProblems(affected, "library_op.csv", "Library API",
                      [](const Problem& p) { return p.kind == ProblemKind::kLibrary; }));
  return result;
}

}  // namespace transplt
