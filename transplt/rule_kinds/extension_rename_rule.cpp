// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/python/arguments.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/api_import.h"
#include "transplt/rule_kinds/class_use.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// True if everything in `value` is spelled out: no variable could bring in what is not seen.
bool IsLiteral(Node value) {
  for (const Node node : NodesIn(value)) {
    if (node.Is(NodeKind::kIdentifier) || node.Is(NodeKind::kInterpolation)) return false;
  }
  return true;
}

bool SpeaksOfCuda(std::string_view text) {
  for (std::string_view word : {"cuda", "CUDA", "nvcc", "cudnn", "cublas", "nccl", "NCCL", ".cu"}) {
    if (HasPart(text, word)) return true;
  }
  return false;
}

/// Replaces the builder of CUDA extensions where C++ alone is built with it; else reports it.
class ExtensionRenameRule : public Rule {
 public:
  ExtensionRenameRule(RuleHeader header, const Fields& fields) : Rule(std::move(header)) {
    known_.old_name = fields.String("old_name");
    known_.rule_id = id();
    moved_ = known_;
    moved_.new_name = fields.String("new_name");
  }

  /// The name stays wherever other rules would ask about it.
  const ApiEntry* api_entry() const override { return &known_; }

  std::vector<Trigger> triggers() const override {
    const std::string last(LastPart(known_.old_name));
    return {{NodeKind::kImportFromStatement, last},
            {NodeKind::kAttribute, last},
            {NodeKind::kIdentifier, last}};
  }

  WordSets required_words() const override { return WordsOfName(known_.old_name); }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (node.Is(NodeKind::kImportFromStatement)) return CheckImport(node, file, findings);
    if (!IsUse(node, file)) return;
    if (node.Is(NodeKind::kAttribute) || !BuildsCppOnly(file)) ReportUse(node, file, findings);
  }

 private:
  /// True for the name where it is used, not where it is imported or is a part of another.
  bool IsUse(Node node, const FileContext& file) const {
    if (IsInImport(node) || IsAssigned(node)) return false;
    const bool is_member = node.parent().Is(NodeKind::kAttribute) && node.field() != Field::kObject;
    const bool is_keyword =
        node.parent().Is(NodeKind::kKeywordArgument) && node.field() == Field::kName;
    return !is_member && !is_keyword && file.names().IsNamed(node, known_.old_name);
  }

  std::vector<Node> Uses(const FileContext& file) const {
    std::vector<Node> uses;
    const std::string_view last = LastPart(known_.old_name);
    for (const Node node : NodesIn(file.tree())) {
      if (node.Is(NodeKind::kIdentifier) && node.text() == last && IsUse(node, file)) {
        uses.push_back(node);
      }
    }
    return uses;
  }

  /// True if the file calls it under its own name only, each time for C++ alone.
  bool BuildsCppOnly(const FileContext& file) const {
    const std::vector<Node> uses = Uses(file);
    return !uses.empty() && std::ranges::all_of(uses, [](Node use) {
      const Node call = use.parent();
      return call.Is(NodeKind::kCall) && use.field() == Field::kFunction && IsCppOnly(call);
    });
  }

  static bool IsCppOnly(Node call) {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    bool has_sources = false;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Argument& argument = arguments[i];
      const std::string_view name = !argument.keyword.empty() ? argument.keyword
                                    : i == 0                  ? "name"
                                    : i == 1                  ? "sources"
                                                              : "";
      if (argument.is_splat || !Words("extension-keywords").Has(name)) {
        return false;
      }
      if (name == "name") continue;
      if (SpeaksOfCuda(argument.value.text())) return false;
      const bool decides = name == "sources" || name == "extra_compile_args";
      if (decides && !IsLiteral(argument.value)) return false;
      if (name == "sources") has_sources = argument.value.Is(NodeKind::kList);
    }
    return has_sources;
  }

  void CheckImport(Node statement, const FileContext& file, Findings& findings) const {
    ImportPlan plan = PlanImportFrom(statement, file);
    for (ImportedName& name : plan.names) {
      if (plan.module + "." + std::string(name.name.text()) != known_.old_name) continue;
      const bool has_alias = name.item.Is(NodeKind::kAliasedImport);
      if (has_alias) return Report(name.item.range(), findings);
      if (!BuildsCppOnly(file)) return;
      name.entry = &moved_;
    }
    if (plan.FirstMoved() == nullptr || plan.is_star) return;
    const std::string last(LastPart(moved_.new_name));
    const std::string renamed = last + " as " + std::string(LastPart(known_.old_name));
    Finding finding = Change(statement.range());
    finding.applicability = Applicability::kUnsafe;
    finding.message =
        Say("change {} to {}; see that the C++ sources use no CUDA",
            "将 {} 改为 {}; 请确认 C++ 源码未使用 CUDA", known_.old_name, moved_.new_name);
    finding.fix = MoveImport(statement, plan, file);
    for (Edit& edit : finding.fix.edits) {
      if (const size_t at = edit.text.find(renamed); at != std::string::npos) {
        edit.text.replace(at, renamed.size(), last);
      }
    }
    for (Node use : Uses(file)) finding.fix.Replace(use.range(), last);
    findings.push_back(std::move(finding));
  }

  void ReportUse(Node name, const FileContext& file, Findings& findings) const {
    const NameUse use = UseOfClass(name, file);
    if (use == NameUse::kAsked) return;
    Report(name.range(), findings);
    LowerSeverity(use, findings.back());
  }

  void Report(TextRange range, Findings& findings) const {
    findings.push_back(Row(range, WhyOf(known_.old_name), Operation::kUnsupported));
  }

  ApiEntry known_;
  ApiEntry moved_;
};

}  // namespace

RuleKind ExtensionRenameRuleKind() {
  return {
      "ExtensionRenameRule",
      "Replaces the class that builds an extension where all sources are C++ and no flag is for "
      "nvcc; else the rule's why is the message.",
      {{"old_name", FieldType::kDottedName, true,
        "Full name, for example torch.utils.cpp_extension.CUDAExtension."},
       {"new_name", FieldType::kDottedName, true, "Full name of what takes its place."}},
      MakeRule<ExtensionRenameRule>};
}

}  // namespace transplt
