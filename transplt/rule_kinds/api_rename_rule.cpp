// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/call_graph.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/string_place.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/places_of_file.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/alias_rewrite.h"
#include "transplt/rule_kinds/api_import.h"
#include "transplt/rule_kinds/api_spelling.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// Renames an API in every spelling: attribute, import, from-import, alias, decorator,
/// annotation, base class, getattr, and strings that hold its full name.
class ApiRenameRule : public Rule {
 public:
  ApiRenameRule(RuleHeader header, const Fields& fields) : Rule(std::move(header)) {
    entry_.old_name = fields.String("old_name");
    entry_.new_name = fields.String("new_name");
    entry_.is_module = fields.Boolean("module", false);
    entry_.in_class = fields.Boolean("class_member", false);
    if_needed_ = fields.Boolean("if_needed", false);
    if (fields.Boolean("parent_called", false)) {
      entry_.new_name =
          std::string(ParentPart(entry_.new_name)) + "()." + std::string(LastPart(entry_.new_name));
      entry_.in_class = true;
    }
    // A builtin of Python cannot be imported from where the old name was.
    if (IsBuiltin()) entry_.in_class = true;
    entry_.rule_id = id();
    caveat_ = {fields.String("caveat"), fields.String("caveat_zh")};
    no_caveat_in_ = fields.List("no_caveat_in");
    entry_.refused_keywords = fields.List("refused_keywords");
    entry_.result_uses = fields.List("result_uses");
    entry_.called_only = fields.Boolean("called_only", false);
    entry_.asked_only = fields.Boolean("asked_only", false);
    entry_.call.first_argument = fields.String("first_argument");
    entry_.call.first_keyword = fields.String("first_keyword");
    entry_.call.positional_names = fields.List("positional_names");
    entry_.call.default_keyword = fields.String("default_keyword");
    entry_.call.default_value = fields.String("default_value");
    entry_.call.bare_keywords = fields.List("bare_keywords");
    entry_.call.condition = fields.String("condition");
    entry_.call.otherwise = fields.String("otherwise", "None");
    entry_.call.implied_by = fields.List("implied_by");
  }

  const ApiEntry* api_entry() const override { return &entry_; }

  std::vector<Trigger> triggers() const override {
    const std::string last(LastPart(entry_.old_name));
    return {{NodeKind::kAttribute, last},           {NodeKind::kMemberType, last},
            {NodeKind::kDottedName, last},          {NodeKind::kImportStatement, last},
            {NodeKind::kImportFromStatement, last}, {NodeKind::kString, last}};
  }

  std::vector<std::vector<std::string>> required_words() const override {
    // What no import can name is always written behind its module.
    const std::string_view name = entry_.old_name;
    if (entry_.in_class)
      return {{std::string(LastPart(ParentPart(name))), std::string(LastPart(name))}};
    return WordsOfName(name);
  }

  void Check(Node node, const FileContext& file, std::vector<Finding>& findings) const override {
    if (entry_.asked_only && !AsksAbout(entry_, file)) return;
    if (if_needed_ && IsHandled(node, file)) return;
    switch (node.kind()) {
      case NodeKind::kImportStatement:
        CheckImport(node, file, findings);
        break;
      case NodeKind::kImportFromStatement:
        CheckImportFrom(node, file, findings);
        break;
      case NodeKind::kString:
        CheckString(node, file, findings);
        break;
      case NodeKind::kDottedName:
        if (!node.parent().Is(NodeKind::kCasePattern) &&
            !node.parent().Is(NodeKind::kClassPattern)) {
          break;
        }
        [[fallthrough]];
      default:
        CheckChain(node, file, findings);
        break;
    }
  }

 private:
  /// True where the program goes on without the old name.
  static bool IsHandled(Node node, const FileContext& file) {
    return IsImport(node) ? IsOptionalImport(node, file.names(), file.project())
                          : IsOptionalName(node) && !IsLostInHandler(node);
  }

  /// `float` for `numpy.float`
  bool IsBuiltin() const { return !HasPart(entry_.new_name, '.'); }

  bool IsHidden(const FileContext& file) const {
    return std::ranges::any_of(file.names().bindings(), [&](const Binding& binding) {
      return binding.name == entry_.new_name;
    });
  }

  /// `is_only_type`: the caveat does not matter there.
  Finding Renamed(TextRange range, const FileContext& file, bool is_only_type = false) const {
    Finding finding =
        Change(range, Say("change {} to {}", "将 {} 改为 {}", entry_.old_name, entry_.new_name));
    if (!caveat_.empty() && !is_only_type) {
      finding.applicability = Applicability::kUnsafe;
      finding.message.en += "; " + caveat_.en;
      finding.message.zh += "; " + caveat_.zh;
    }
    finding.needs_device_import = file.apis().target().Owns(entry_.new_name);
    // What is in the module of the old name is written behind what the file calls that module.
    const bool is_beside = ParentPart(entry_.new_name) == ParentPart(entry_.old_name);
    if (!finding.needs_device_import && !IsBuiltin() && !is_beside &&
        !entry_.new_name.starts_with("torch.")) {
      finding.needs_import = "import " + std::string(ParentPart(entry_.new_name));
    }
    return finding;
  }

  /// `np.zeros(3, dtype=np.bool)`, `x.astype(np.bool)`
  bool IsWithoutCaveat(Node node) const {
    const Node parent = node.parent();
    if (parent.Is(NodeKind::kKeywordArgument)) {
      return IsOneOf(parent.Child(Field::kName).text(), no_caveat_in_);
    }
    if (!parent.Is(NodeKind::kArgumentList)) return false;
    return IsOneOf(LastPart(parent.parent().Child(Field::kFunction).text()), no_caveat_in_);
  }

  Finding Unknown(TextRange range, const std::string& name, const FileContext& file) const {
    if (const std::string* releases = file.apis().OtherReleases(name)) {
      return Row(
          range,
          Say("{} has no counterpart in the torch_npu that is assumed; releases {} have one; "
              "left as it is",
              "所假定的 torch_npu 没有 {} 的对应接口; 发布版本 {} 中有; 保持原样", name, *releases),
          Operation::kUnsupported);
    }
    return Row(range,
               Say("{} is not known to exist in torch_npu; left as it is",
                   "torch_npu 中未知是否存在 {}, 保持原样", name),
               Operation::kUnknown);
  }

  /// `np` of `np.lib.pad`.
  static Node FirstOf(Node chain) {
    while (chain.Is(NodeKind::kAttribute)) chain = chain.Child(Field::kObject);
    return chain;
  }

  void CheckChain(Node node, const FileContext& file, std::vector<Finding>& findings) const {
    if (!file.names().IsNamed(node, entry_.old_name)) return;
    const Node parent = node.parent();
    if (parent.Is(NodeKind::kAttribute) && node.field() == Field::kObject) {
      const std::string member =
          entry_.old_name + "." + std::string(parent.Child(Field::kAttribute).text());
      const ApiEntry* member_entry = file.apis().Find(member);
      // Of a module only the member decides: another rule knows it, or nobody does.
      if (entry_.is_module && member_entry == nullptr) {
        findings.push_back(Unknown(parent.range(), member, file));
      }
      if (entry_.is_module) return;
      // `ProfilerActivity.CUDA`: the rule of the longer name writes the whole chain.
      if (member_entry != nullptr && !member_entry->new_name.empty()) return;
    }
    if (HasReportedMember(node, file) || MayHaveNewName(node, file)) return;
    // `np.bool = np.bool_` gives the old name to who asks for it.
    if (IsAssigned(node) && !file.apis().target().Owns(entry_.new_name)) return;
    if (IsBuiltin() && IsHidden(file)) {
      findings.push_back(
          Row(node.range(), Say("write {} of builtins; this file gives the name "
                                "another meaning",
                                "请改用 builtins 的 {}；本文件中该名称另有含义", entry_.new_name)));
      return;
    }
    if (!entry_.call.empty() && !IsWholeChain(node))
      return Refuse(node, {Obstacle::kNotCalled}, findings);
    const Binding* alias = entry_.DependsOnCalls() && node.Is(NodeKind::kAttribute)
                               ? BindingOfValue(node, file)
                               : nullptr;
    if (alias != nullptr && !entry_.in_class) return CheckAlias(node, *alias, file, findings);
    if (const ApiObstacle obstacle = ObstacleAt(node, file))
      return Refuse(node, obstacle, findings);
    Finding finding = Renamed(node.range(), file, IsWithoutCaveat(node));
    if (entry_.new_name.starts_with("torch.") && !entry_.old_name.starts_with("torch.") &&
        file.names().LocalNameOf("torch").empty()) {
      finding.needs_import = "import torch";
    }
    finding.fix = RespellChain(node, entry_, file);
    // `np.pad` for `np.lib.pad`: what is written begins with the module that has it.
    if (file.names().IsNamed(FirstOf(node), ParentPart(entry_.new_name))) {
      finding.needs_import.clear();
    }
    if (IsCalled(node)) AddTo(finding.fix, ArgumentEdits(node.parent(), entry_, file));
    if (finding.needs_import.empty() && WritesUnboundTorch(finding.fix, file)) {
      findings.push_back(Row(node.range(), Say("import torch and write {}",
                                               "请导入 torch 并写作 {}", entry_.new_name)));
      return;
    }
    if (!finding.fix.empty()) findings.push_back(std::move(finding));
    if (entry_.is_module && parent.Is(NodeKind::kAssignment)) {
      const Node alias = parent.Child(Field::kLeft);
      if (alias.Is(NodeKind::kIdentifier)) ReportUnknownMembers(alias, file, findings);
    }
  }

  /// True for `torch.accelerator.x` in a file that knows torch by no name: what makes names of the
  /// NPU known is imported with the fix, but nothing imports torch itself.
  bool WritesUnboundTorch(const Fix& fix, const FileContext& file) const {
    return !file.apis().target().Owns(entry_.new_name) &&
           file.names().LocalNameOf("torch").empty() &&
           std::any_of(fix.edits.begin(), fix.edits.end(),
                       [](const Edit& edit) { return edit.text.starts_with("torch."); });
  }

  /// `ProcessGroupNCCL.NCCL_CTA_POLICY_ZERO`: a member that another rule knows to have no
  /// counterpart keeps the whole name.
  bool HasReportedMember(Node node, const FileContext& file) const {
    const Node parent = node.parent();
    if (!parent.Is(NodeKind::kAttribute) || node.field() != Field::kObject) return false;
    const std::string member(parent.Child(Field::kAttribute).text());
    const ApiEntry* entry = file.apis().Find(entry_.old_name + "." + member);
    return entry != nullptr && entry->new_name.empty();
  }

  /// `abc.Mapping` behind `try: abc = collections.abc`, `except AttributeError: abc = collections`:
  /// where there is the new name, it takes that itself.
  bool MayHaveNewName(Node node, const FileContext& file) const {
    const std::vector<QualifiedName> names = file.names().Resolve(node);
    return names.size() > 1 && std::ranges::any_of(names, [&](const QualifiedName& name) {
             return !name.local && name.name == entry_.new_name;
           });
  }

  static bool IsCalled(Node node) {
    return node.parent().Is(NodeKind::kCall) && node.field() == Field::kFunction;
  }

  /// False for `torch.cuda.amp.autocast.__init__`: a member of what gets the new name.
  static bool IsWholeChain(Node node) {
    return !node.parent().Is(NodeKind::kAttribute) || node.field() != Field::kObject;
  }

  /// What keeps the name from getting the new one here.
  ApiObstacle ObstacleAt(Node node, const FileContext& file) const {
    if (!entry_.DependsOnCalls()) return {};
    const std::vector<QualifiedName> names = file.names().Resolve(node);
    const bool mixed = std::any_of(names.begin(), names.end(), [&](const QualifiedName& name) {
      return name.local || name.name != entry_.old_name;
    });
    if (mixed && !entry_.call.empty()) return {Obstacle::kMixed};
    while (!IsWholeChain(node)) node = node.parent();
    if (IsCalled(node)) return ObstacleOfCall(node.parent(), entry_, file);
    return {KeepsUse(node, entry_) ? Obstacle::kNotCalled : Obstacle::kNone};
  }

  void Refuse(Node node, const ApiObstacle& obstacle, std::vector<Finding>& findings) const {
    const bool is_refusal = obstacle.kind == Obstacle::kKeyword;
    findings.push_back(Row(node.range(), DescribeObstacle(entry_, obstacle),
                           is_refusal ? Operation::kUnsupported : Operation::kSuggestion));
  }

  /// `ac = torch.cuda.amp.autocast`: the alias and all that it means elsewhere change together.
  void CheckAlias(Node node, const Binding& binding, const FileContext& file,
                  std::vector<Finding>& findings) const {
    const ApiAlias alias = AliasOf(binding, entry_, file);
    if (alias.obstacle) {
      if (alias.IsLedBy(binding)) Refuse(node, alias.obstacle, findings);
      return;
    }
    const AliasRewrite rewrite = AliasRewrite::From(binding, entry_, file);
    if (!rewrite.IsLedBy(node)) return;
    Finding finding = Renamed(node.range(), file);
    finding.fix = rewrite.ToFix(file);
    finding.needs_device_import = file.apis().target().Owns(entry_.new_name);
    findings.push_back(std::move(finding));
  }

  void CheckImport(Node statement, const FileContext& file, std::vector<Finding>& findings) const {
    if (!entry_.is_module) return;
    for (Node item = statement.first_named_child(); item; item = item.next_named_sibling()) {
      const bool aliased = item.Is(NodeKind::kAliasedImport);
      const Node name = aliased ? item.Child(Field::kName) : item;
      const ApiEntry* entry = file.apis().FindPrefix(name.text());
      if (entry == nullptr || entry->old_name != entry_.old_name) continue;
      if (name.text() != entry_.old_name) {
        findings.push_back(Unknown(item.range(), std::string(name.text()), file));
        continue;
      }
      Finding finding = Renamed(item.range(), file);
      if (aliased) {
        finding.fix.edits.push_back(
            {name.range(), file.apis().target().ImportSpelling(entry_.new_name)});
        finding.needs_device_import = false;
        findings.push_back(std::move(finding));
        ReportUnknownMembers(item.Child(Field::kAlias), file, findings);
      } else {
        // It binds `torch`; where something else does that too, only the NPU's package is needed.
        const bool torch_bound = BindsTorchElsewhere(item, file);
        finding.fix.edits.push_back(
            {name.range(), torch_bound && !file.apis().target().package.empty()
                               ? file.apis().target().package
                               : "torch"});
        finding.needs_device_import = !torch_bound;
        findings.push_back(std::move(finding));
      }
    }
  }

  /// True if the file knows the new name, too, and a branch takes the old one:
  /// `try: from collections.abc import Mapping`, `except ImportError: from collections import
  /// Mapping`.
  bool HasAlternative(Node statement, const ImportPlan& plan, const FileContext& file) const {
    return IsInBranch(statement) && std::ranges::any_of(plan.names, [&](const ImportedName& name) {
             if (name.entry == nullptr || name.entry->rule_id != id()) return false;
             return std::ranges::any_of(file.names().bindings(), [&](const Binding& binding) {
               return binding.kind == BindingKind::kImport && binding.name == name.bound().text() &&
                      binding.target == entry_.new_name;
             });
           });
  }

  void CheckImportFrom(Node statement, const FileContext& file,
                       std::vector<Finding>& findings) const {
    const ImportPlan plan = PlanImportFrom(statement, file);
    const bool is_this_module =
        plan.module_entry != nullptr && plan.module_entry->rule_id == id() && entry_.is_module;
    if (is_this_module) {
      for (const ImportedName& name : plan.names) {
        if (name.entry == nullptr) {
          findings.push_back(
              Unknown(name.item.range(), plan.module + "." + std::string(name.name.text()), file));
        }
      }
    }
    if (HasAlternative(statement, plan, file)) return;
    if (entry_.in_class) ReportImportOfMember(plan, findings);
    for (const ImportedName& name : plan.names) {
      if (!name.obstacle || name.entry->rule_id != id()) continue;
      const Binding* binding = BindingMadeBy(name.bound(), file);
      const bool led = binding == nullptr || !entry_.DependsOnCalls() ||
                       AliasOf(*binding, entry_, file).IsLedBy(*binding);
      if (led) Refuse(name.item, name.obstacle, findings);
    }
    const ImportedName* first = plan.FirstMoved();
    const bool star = plan.is_star && is_this_module;
    if (star || (first != nullptr && first->entry->rule_id == id())) {
      Finding finding = Renamed(statement.range(), file);
      finding.message = MoveMessage(plan, finding.message);
      const AliasRewrite rewrite = AliasRewrite::From(statement, file);
      if (!rewrite.IsLedBy(statement)) return;
      finding.fix = star ? MoveImport(statement, plan, file) : rewrite.ToFix(file);
      finding.needs_device_import = false;  // it imports from the package itself
      finding.needs_import.clear();
      findings.push_back(std::move(finding));
    }
    if (!entry_.is_module) return;
    for (const ImportedName& name : plan.names) {
      if (name.entry != nullptr && name.entry->rule_id == id()) {
        const Node alias =
            name.item.Is(NodeKind::kAliasedImport) ? name.item.Child(Field::kAlias) : name.name;
        ReportUnknownMembers(alias, file, findings);
      }
    }
  }

  /// `from torch.cuda.nvtx import range_push`: its counterpart can only be used as an attribute.
  void ReportImportOfMember(const ImportPlan& plan, std::vector<Finding>& findings) const {
    for (const ImportedName& name : plan.names) {
      if (name.entry == nullptr || name.entry->rule_id != id()) continue;
      const bool of_call = entry_.new_name.find('(') != std::string::npos;
      if (IsBuiltin()) {
        findings.push_back(
            Row(name.item.range(), Say("{} is a builtin of Python: leave the import "
                                       "out",
                                       "{} 是 Python 内置名称：请去掉该导入", entry_.new_name)));
        continue;
      }
      findings.push_back(Row(
          name.item.range(),
          of_call ? Say("{0} cannot be imported; left as it is, write {0} where it is used",
                        "{0} 无法导入；保持原样，请在使用处写 {0}", entry_.new_name)
                  : Say("{0} is a member of a class and cannot be imported; left as it is, "
                        "write {0} where it is used",
                        "{0} 是类的成员，无法导入；保持原样，请在使用处写 {0}", entry_.new_name)));
    }
  }

  /// `cuda.foo` after `from torch import cuda`: no other rule asks for nodes named foo.
  void ReportUnknownMembers(Node alias, const FileContext& file,
                            std::vector<Finding>& findings) const {
    std::vector<Node> unknown;
    for (const auto& [member, nodes] : file.names().places().MembersOf(alias.text())) {
      if (file.apis().Find(entry_.old_name + "." + std::string(member)) != nullptr) continue;
      std::ranges::copy_if(nodes, std::back_inserter(unknown), [&](Node node) {
        return file.names().IsNamed(node.Child(Field::kObject), entry_.old_name);
      });
    }
    std::ranges::sort(unknown, {}, &Node::id);
    for (const Node node : unknown) {
      const std::string_view member = node.Child(Field::kAttribute).text();
      findings.push_back(Unknown(node.range(), entry_.old_name + "." + std::string(member), file));
    }
  }

  void CheckString(Node string, const FileContext& file, std::vector<Finding>& findings) const {
    const Node content = PlainStringContent(string);
    if (!content || IsBareString(string)) return;
    const std::string_view text = content.text();
    if (text == LastPart(entry_.old_name)) {
      if (const Node object = AttributeHolder(string)) {
        const std::string_view leaf = LastPart(entry_.new_name);
        const std::string_view old_parent = ParentPart(entry_.old_name);
        if (!file.names().IsNamed(object, old_parent)) return;
        const ApiEntry* moved = file.apis().Find(old_parent);
        const bool is_there =
            ParentPart(entry_.new_name) == (moved == nullptr ? old_parent : moved->new_name);
        if (!is_there && !IsBuiltin()) {
          findings.push_back(
              Row(string.range(), Say("write {} in place of this getattr",
                                      "请用 {} 代替此处的 getattr", entry_.new_name)));
          return;
        }
        if (text == leaf) return;
        Finding finding = Renamed(string.range(), file);
        finding.fix.edits.push_back({content.range(), std::string(leaf)});
        findings.push_back(std::move(finding));
      }
      return;
    }
    const ApiEntry* entry = IsDotted(text) ? file.apis().FindPrefix(text) : nullptr;
    if (entry == nullptr || entry->old_name != entry_.old_name || IsMessage(string)) return;
    // A string names no call, and the full name of a type is a text of its own.
    if (IsBuiltin() || entry_.new_name.find('(') != std::string::npos) return;
    const bool is_member = text.size() > entry_.old_name.size();
    if (entry_.is_module && is_member) {
      findings.push_back(Unknown(string.range(), std::string(text), file));
      return;
    }
    Finding finding = Renamed(string.range(), file);
    finding.applicability =
        !entry_.is_module && IsReference(string) ? Applicability::kSafe : Applicability::kUnsafe;
    const uint32_t start = content.range().start;
    finding.fix.edits.push_back(
        {{start, start + static_cast<uint32_t>(entry_.old_name.size())}, entry_.new_name});
    findings.push_back(std::move(finding));
  }

  static bool IsDotted(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '.';
    });
  }

  ApiEntry entry_;
  bool if_needed_ = false;
  Text caveat_;
  std::vector<std::string> no_caveat_in_;
};

}  // namespace

RuleKind ApiRenameRuleKind() {
  return {"ApiRenameRule",
          "Renames an API, found under its full resolved name, in every spelling: attribute, "
          "import, from-import, alias, decorator, annotation, base class, getattr, type string.",
          {{"old_name", FieldType::kDottedName, true, "Full name, for example torch.cuda.Stream."},
           {"new_name", FieldType::kDottedName, true,
            "Full name, for example torch.npu.Stream; without a dot it is a builtin of Python."},
           {"module", FieldType::kBoolean, false,
            "The name is a module: its members move only if a rule of their own says so."},
           {"caveat", FieldType::kString, false,
            "What differs although the name exists; the edit is then marked unsafe."},
           {"caveat_zh", FieldType::kString, false, "The same in Chinese."},
           {"no_caveat_in", FieldType::kStringList, false,
            "Keywords and last names of functions: as their argument the name means the same."},
           {"called_only", FieldType::kBoolean, false,
            "Only where it is called; tests, tables and signatures keep the old name."},
           {"asked_only", FieldType::kBoolean, false,
            "Only in files that ask whether an object is of the class: isinstance(x, Old)."},
           {"first_argument", FieldType::kString, false,
            "Python text that the new name is given before the other arguments."},
           {"first_keyword", FieldType::kDottedName, false,
            "The keyword of first_argument: calls that give it keep their arguments."},
           {"positional_names", FieldType::kStringList, false,
            "Keywords for what was positional; without them it moves one place on behind "
            "first_argument."},
           {"default_keyword", FieldType::kDottedName, false,
            "A keyword whose default differs: calls that do not give it get default_value."},
           {"default_value", FieldType::kString, false,
            "For default_keyword: Python text, what the old name takes by default."},
           {"bare_keywords", FieldType::kStringList, false,
            "Keywords that the new name does not know: the argument is passed by its position."},
           {"condition", FieldType::kString, false,
            "Python text; calls become `call if condition else otherwise`."},
           {"otherwise", FieldType::kString, false, "For condition: Python text; else None."},
           {"implied_by", FieldType::kStringList, false,
            "For condition: functions; below `if function():` it is left out."},
           {"refused_keywords", FieldType::kStringList, false,
            "Keyword arguments that the new function does not take: such calls stay. "
            "\"*\" stands for positional ones, \".x\" for the member x of the result."},
           {"result_uses", FieldType::kStringList, false,
            "What may be done with the result: its members, and functions that take it. A call "
            "whose result is used otherwise keeps the old name."},
           {"if_needed", FieldType::kBoolean, false,
            "Not where a `try` takes that the name is missing."},
           {"class_member", FieldType::kBoolean, false,
            "The new name is a member of a class, so that an import of the old one stays."},
           {"parent_called", FieldType::kBoolean, false,
            "The new name is a member of what its parent returns: "
            "torch.get_device_module().seed_all for torch.get_device_module.seed_all."},
           {"source", FieldType::kString, false, "Where this is documented."}},
          MakeRule<ApiRenameRule>};
}

}  // namespace transplt
