// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <unordered_set>

#include "transplt/engine/compiled_code.h"
#include "transplt/facts/base_constructor.h"
#include "transplt/facts/name_use.h"
#include "transplt/python/callee.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

void AppendDottedParts(Node node, std::vector<std::string_view>& names) {
  for (uint32_t id = node.id() + 1; id < node.end_id(); ++id) {
    Node part = node.tree().node(id);
    if (part.Is(NodeKind::kIdentifier)) names.push_back(part.text());
  }
}

std::vector<WordSets> WordsOf(const RuleSet& rules, WordSets (Rule::*words)() const) {
  std::vector<WordSets> all;
  for (const LoadedRule& loaded : rules.rules()) all.push_back((*loaded.rule.*words)());
  return all;
}

/// The names by which rules ask for a node that is no call, see Trigger.
void AppendNames(Node node, std::vector<std::string_view>& names) {
  switch (node.kind()) {
    case NodeKind::kIdentifier:
      names.push_back(node.text());
      break;
    case NodeKind::kAttribute:
      names.push_back(node.Child(Field::kAttribute).text());
      break;
    case NodeKind::kMemberType:
    case NodeKind::kDottedName: {
      Node last;
      for (const Node part : NamedChildren(node)) last = part;
      if (last) names.push_back(last.text());
      break;
    }
    case NodeKind::kFunctionDefinition:
    case NodeKind::kClassDefinition:
      names.push_back(node.Child(Field::kName).text());
      break;
    case NodeKind::kImportStatement:
    case NodeKind::kImportFromStatement:
      AppendDottedParts(node, names);
      break;
    case NodeKind::kString:
      for (Node part = node.first_child(); part; part = part.next_sibling()) {
        if (!part.Is(NodeKind::kStringContent)) continue;
        for (std::string_view word : WordsIn(part.text())) names.push_back(word);
      }
      break;
    default:
      break;
  }
}

/// Completes what `rule` has found by what its data say about all that it finds.
void NameCause(const Rule& rule, Finding& finding) {
  if (finding.cause.empty()) finding.cause = rule.header().cause;
  if (!finding.severity) finding.severity = rule.header().severity;
}

}  // namespace

Engine::Engine(const RuleSet& rules)
    : rules_(rules),
      apis_(rules.target()),
      filter_(WordsOf(rules, &Rule::required_words)),
      setting_filter_(WordsOf(rules, &Rule::setting_words)) {
  const std::vector<LoadedRule>& loaded = rules.rules();
  triggers_.reserve(loaded.size());
  std::vector<std::string> only_cuda;
  for (const auto& [name, releases] : rules.of_other_releases()) {
    apis_.AddOfOtherReleases(name, releases);
  }
  for (uint32_t index = 0; index < loaded.size(); ++index) {
    const Rule& rule = *loaded[index].rule;
    if (const NpuPreamble* preamble = rule.npu_preamble()) preambles_.push_back(preamble);
    const GuardSignatures* guards = rule.guard_signatures();
    if (guards != nullptr && !guards_) guards_ = *guards;
    const ApiEntry* entry = rule.api_entry();
    if (entry != nullptr) apis_.Add(*entry);
    std::ranges::move(rule.cuda_only_names(), std::back_inserter(only_cuda));
    // Of several rules about one API the first decides, and the others have nothing to say.
    const bool decides = entry == nullptr || apis_.Find(entry->old_name)->rule_id == entry->rule_id;
    triggers_.push_back(decides ? rule.triggers() : std::vector<Trigger>());
    for (const Trigger& trigger : triggers_.back()) {
      ByKind& row = table_[static_cast<size_t>(trigger.kind)];
      (trigger.name.empty() ? row.any_name : row.by_name[trigger.name]).push_back(index);
    }
  }
  if (guards_) {
    guards_->cuda_only.insert(guards_->cuda_only.end(), only_cuda.begin(), only_cuda.end());
  }
}

WordFilter::FileWords Engine::Scan(std::string_view bytes, const ProjectIndex* project) const {
  std::unordered_set<std::string_view> words;
  const auto spells = [&](std::string_view name) {
    if (words.empty()) {
      const std::vector<std::string_view> all = WordsIn(bytes);
      words.insert(all.begin(), all.end());
    }
    return words.contains(name);
  };
  return filter_.Scan(bytes, [&](std::string_view function) {
    if (project == nullptr || spells(LastPart(function))) return spells(LastPart(function));
    const std::set<std::string, std::less<>>& names = project->NamesGiving(function);
    return std::any_of(names.begin(), names.end(), spells);
  });
}

WordFilter::FileWords Engine::ScanSettings(std::string_view bytes) const {
  return setting_filter_.Scan(bytes, [](std::string_view) { return false; });
}

/// One file on its way through the engine.
class Engine::Walk {
 public:
  Walk(const Engine& engine, const FileContext& file, const WordFilter::FileWords& words,
       BudgetMeter* meter)
      : engine_(engine), file_(file), words_(words), meter_(meter) {
    for (uint32_t index : words.rules()) {
      for (const Trigger& trigger : engine.triggers_[index]) {
        const size_t dot = trigger.name.rfind('.');
        if (dot == std::string::npos) continue;
        called_names_.insert(std::string_view(trigger.name).substr(dot + 1));
      }
    }
  }

  Findings Run() {
    const SyntaxTree& tree = file_.tree();
    for (const Node node : NodesIn(tree)) {
      const ByKind& row = engine_.table_[static_cast<size_t>(node.kind())];
      if (row.empty()) continue;
      if (meter_ != nullptr && meter_->IsSpent()) break;
      FindRules(node, row);
      if (!rules_.empty() && !tree.IsUnparsed(node.range())) Check(node);
    }
    std::ranges::stable_sort(found_,
                             [](const auto& a, const auto& b) { return a.first < b.first; });
    Findings findings;
    findings.reserve(found_.size());
    for (auto& [rule, finding] : found_) findings.push_back(std::move(finding));
    return findings;
  }

 private:
  void FindRules(Node node, const ByKind& row) {
    rules_ = row.any_name;
    if (row.by_name.empty()) return;
    if (node.Is(NodeKind::kCall)) return AddRulesOfCall(node, row);
    names_.clear();
    AppendNames(node, names_);
    for (std::string_view name : names_) AddRules(name, row);
  }

  void AddRulesOfCall(Node call, const ByKind& row) {
    for (const Callee& callee : CalleesOf(call)) {
      const std::string_view last = callee.last_name.text();
      AddRules(last, row);
      // `CD = CC.DD; CD()` and `from m import a as b; b()` spell another name.
      const bool may_be_alias = callee.expression.Is(NodeKind::kIdentifier);
      if (called_names_.empty() || (!may_be_alias && !called_names_.contains(last))) continue;
      for (const QualifiedName& name : file_.names().Resolve(callee.expression)) {
        if (name.name != last) AddRules(name.name, row);
      }
    }
    // `super().__init__(...)` passes arguments to the class that is the base.
    const std::optional<BaseConstructor> constructor = BaseConstructorOf(call, file_.names());
    if (!constructor) return;
    for (const QualifiedName& base : constructor->bases) {
      AddRules(base.name, row);
      if (LastPart(base.name) != base.name) AddRules(LastPart(base.name), row);
    }
  }

  void AddRules(std::string_view name, const ByKind& row) {
    const auto entry = row.by_name.find(name);
    if (entry == row.by_name.end()) return;
    rules_.insert(rules_.end(), entry->second.begin(), entry->second.end());
  }

  void Check(Node node) {
    std::ranges::sort(rules_);
    rules_.erase(std::unique(rules_.begin(), rules_.end()), rules_.end());
    for (uint32_t index : rules_) {
      if (!words_.CanHold(index)) continue;
      const LoadedRule& loaded = engine_.rules_.rules()[index];
      loaded.rule->Check(node, file_, findings_);
      for (Finding& finding : findings_) {
        finding.takes_over = finding.takes_over || loaded.IsOptional();
        NameCause(*loaded.rule, finding);
        if (engine_.apis_.target().device.empty()) LeaveTorchScript(finding);
        // What a function imports stops it when it is called.
        if (finding.severity == Severity::kStopsImport && IsInFunction(finding.range)) {
          finding.severity = Severity::kStopsRun;
        }
        found_.emplace_back(index, std::move(finding));
      }
      findings_.clear();
    }
  }

  /// What asks PyTorch for the accelerator is no TorchScript, and would end a program that runs.
  void LeaveTorchScript(Finding& finding) const {
    if (finding.fix.edits.empty() || !IsTorchScript(file_.tree().NodeAt(finding.range), file_))
      return;
    Leave(finding, Say("stays: torch.jit.script compiles this function, and knows no accelerator",
                       "保持不变: torch.jit.script 会编译此函数, 且不支持 torch.accelerator"));
  }

  const Engine& engine_;
  const FileContext& file_;
  const WordFilter::FileWords& words_;
  BudgetMeter* meter_;
  std::unordered_set<std::string_view> called_names_;  // last parts of what rules ask to be called
  std::vector<std::pair<uint32_t, Finding>> found_;
  bool IsInFunction(TextRange range) const {
    const Node node = file_.tree().NodeAt(range);
    return DefinitionAround(node) && !RunsWithDefinition(node);
  }

  // Kept from node to node for their memory.
  std::vector<uint32_t> rules_;
  std::vector<std::string_view> names_;
  Findings findings_;
};

Findings Engine::Check(const FileContext& file, const WordFilter::FileWords& words,
                       BudgetMeter* meter) const {
  return Walk(*this, file, words, meter).Run();
}

Findings Engine::Check(const std::vector<Setting>& settings,
                       const WordFilter::FileWords& words) const {
  Findings findings;
  std::vector<uint32_t> rules = words.rules();
  std::ranges::sort(rules);
  for (uint32_t index : rules) {
    const Rule& rule = *rules_.rules()[index].rule;
    const size_t first = findings.size();
    rule.CheckSettings(settings, findings);
    for (Finding& finding : std::span(findings).subspan(first)) NameCause(rule, finding);
  }
  return findings;
}

}  // namespace transplt
