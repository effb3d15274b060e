// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/base/test_file.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/base_constructor.h"
#include "transplt/facts/gradients.h"
#include "transplt/facts/import_closure.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/optional_names.h"
#include "transplt/facts/project.h"
#include "transplt/facts/string_place.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/call_remedies.h"
#include "transplt/rule_kinds/class_use.h"
#include "transplt/rule_kinds/default_argument.h"
#include "transplt/rule_kinds/optional_import.h"
#include "transplt/rule_kinds/package_names.h"
#include "transplt/rule_kinds/removed_names.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr const char* kPartial = "functools.partial";

/// Reports an API that stays in the source, with the reason and what a person can do.
class ApiReportRule : public Rule {
 public:
  ApiReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        keyword_(fields.String("keyword")),
        idle_values_(fields.List("idle_values")),
        sure_values_(fields.List("sure_values")),
        called_(fields.Boolean("called", false)),
        callable_(fields.Boolean("callable", false)),
        is_module_(fields.Boolean("module", false)),
        removed_(fields.Boolean("removed", false)),
        if_needed_(fields.Boolean("if_needed", false)),
        left_tensorflow_(fields.Boolean("left_tensorflow", false)),
        may_be_shown_(fields.Boolean("may_be_shown", false)),
        is_none_(fields.Boolean("is_none", false)),
        as_type_(fields.Boolean("as_type", false)),
        of_gradients_(fields.Boolean("of_gradients", false)),
        beside_(fields.List("beside")),
        not_with_(fields.List("not_with")),
        only_with_(fields.List("only_with")),
        plain_sources_(fields.List("plain_sources")),
        forgiven_by_(fields.String("forgiven_by")),
        raises_(fields.String("raises")),
        remedies_(fields),
        packages_(fields.List("packages")),
        unsupported_(fields.String("status") == "unsupported"),
        cuda_only_(fields.Boolean("cuda_only", false)) {
    entry_.old_name = fields.String("name");
    entry_.is_unsupported = unsupported_;
    entry_.is_removed = removed_;
    entry_.rule_id = id();
  }

  const ApiEntry* api_entry() const override {
    return keyword_.empty() && !called_ && !is_module_ ? &entry_ : nullptr;
  }

  std::vector<std::string> cuda_only_names() const override {
    return cuda_only_ ? std::vector<std::string>{entry_.old_name} : std::vector<std::string>();
  }

  std::vector<Trigger> triggers() const override {
    const std::string last(LastPart(entry_.old_name));
    if (!keyword_.empty()) return {{NodeKind::kCall, entry_.old_name}, {NodeKind::kCall, kPartial}};
    if (called_) return {{NodeKind::kCall, entry_.old_name}};
    if (is_module_) {
      return {{NodeKind::kImportStatement, last}, {NodeKind::kImportFromStatement, last}};
    }
    if (callable_) {
      return {{NodeKind::kAttribute, last},
              {NodeKind::kIdentifier, last},
              {NodeKind::kImportFromStatement, last},
              {NodeKind::kString, last}};
    }
    std::vector<Trigger> triggers = {{NodeKind::kAttribute, last},
                                     {NodeKind::kMemberType, last},
                                     {NodeKind::kCall, last},
                                     {NodeKind::kImportStatement, last},
                                     {NodeKind::kImportFromStatement, last},
                                     {NodeKind::kString, last}};
    for (const std::vector<std::string>& words : packages_.Words()) {
      triggers.push_back({NodeKind::kString, words.front()});
    }
    return triggers;
  }

  WordSets required_words() const override {
    WordSets words = WordsOfName(entry_.old_name);
    for (std::vector<std::string>& all : words) {
      if (!keyword_.empty()) all.push_back(keyword_);
    }
    for (std::vector<std::string>& of_package : packages_.WordsInSetup()) {
      words.push_back(std::move(of_package));
    }
    return words;
  }
  WordSets setting_words() const override { return packages_.Words(); }

  void CheckSetting(const Setting& setting, Findings& findings) const override {
    const TextRange range = packages_.FindIn(setting);
    if (!range.empty()) Report(range, findings);
  }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (left_tensorflow_ && file.MigratesTensorflow()) return;
    const size_t before = findings.size();
    Look(node, file, findings);
    const auto first = findings.begin() + static_cast<std::ptrdiff_t>(before);
    // A library says nothing about itself.
    if (first != findings.end() &&
        (file.IsOwn(entry_.old_name) || ImportsOwn(node, file) || IsPutBack(file)))
      findings.erase(first, findings.end());
    if (findings.size() > before) TellRemedy(node, findings.back());
    if (findings.size() > before && IsForgiven(node, file)) {
      std::for_each(findings.begin() + static_cast<std::ptrdiff_t>(before), findings.end(),
                    [&](Finding& finding) { TellForgiven(finding); });
    }
  }

 private:
  void Look(Node node, const FileContext& file, Findings& findings) const {
    if (as_type_ && !node.Is(NodeKind::kAttribute)) return;
    switch (node.kind()) {
      case NodeKind::kImportStatement:
      case NodeKind::kImportFromStatement:
        CheckImport(node, file, findings);
        break;
      case NodeKind::kString: {
        const Node content = PlainStringContent(node);
        const bool is_name = content && content.text() == entry_.old_name && !IsBareString(node) &&
                             !IsMessage(node) && !IsLookedFor(node) &&
                             (IsDottedName() || IsAskedFor(node));
        if (is_name || packages_.AreRequiredBy(node)) Report(node.range(), findings);
        break;
      }
      case NodeKind::kCall: {
        if (!keyword_.empty()) return CheckKeyword(node, file, findings);
        if (called_) return CheckCallee(node, file, findings);
        // `range_push()` after a from-import: an attribute is asked for itself.
        const Node callee = node.Child(Field::kFunction);
        // What cannot be imported is told at the import.
        if (callee.Is(NodeKind::kIdentifier) && !StopsImport() && !IsToldAtImport(callee, file) &&
            file.names().IsNamed(callee, entry_.old_name)) {
          if (!IsNotMissed(callee, file) && !IsExcused(node, file)) {
            Report(callee.range(), findings);
            TellIfTaken(callee, findings.back());
            TellIfOptional(callee, file, findings.back());
          }
        }
        break;
      }
      default:
        if (IsPartOfStatement(node) || !file.names().IsNamed(node, entry_.old_name) ||
            IsNotMissed(node, file)) {
          break;
        }
        if (node.field() == Field::kFunction && IsExcused(node.parent(), file)) break;
        if (!IsPartOfLongerName(node, file)) ReportUse(node, file, findings);
        break;
    }
  }

  /// True if the project itself sets a module under the name: `sys.modules[f"lib.{name}"] = ...`.
  bool IsPutBack(const FileContext& file) const {
    if (!is_module_) return false;
    if (file.project() == nullptr) return SetsModule(file.names());
    const std::vector<std::string>& paths = file.project()->FilesSpelling("modules");
    return std::ranges::any_of(paths, [&](const std::string& path) {
      if (IsTestFile(path)) return false;
      const std::shared_ptr<const OpenedFile> other = file.project()->Open(path);
      return other != nullptr && SetsModule(other->names());
    });
  }

  bool SetsModule(const NameTable& names) const {
    return std::ranges::any_of(names.places().NodesSaying("modules"), [&](Node place) {
      const Node modules = place.parent();
      const Node item = modules.parent();
      const bool is_set = item.Is(NodeKind::kSubscript) && item.field() == Field::kLeft &&
                          modules.field() == Field::kValue && names.IsNamed(modules, "sys.modules");
      const Node key = is_set ? item.Child(Field::kSubscript) : Node();
      if (!key.Is(NodeKind::kString)) return false;
      if (const Node content = PlainStringContent(key)) return content.text() == entry_.old_name;
      // What an f-string begins with.
      for (const Node part : NamedChildren(key)) {
        if (part.Is(NodeKind::kInterpolation)) return false;
        if (!part.Is(NodeKind::kStringContent)) continue;
        return HasPart(part.text(), '.') && entry_.old_name.starts_with(part.text());
      }
      return false;
    });
  }

  /// True for an import of what the project itself has under the name.
  static bool ImportsOwn(Node node, const FileContext& file) {
    if (!node.Is(NodeKind::kImportStatement) && !node.Is(NodeKind::kImportFromStatement))
      return false;
    return std::ranges::any_of(ImportedModules(node, file.names()),
                               [&](const ImportedModule& of) { return file.IsOwn(of.name); });
  }

  /// True for an identifier that is no expression.
  static bool IsPartOfStatement(Node name) {
    return name.Is(NodeKind::kIdentifier) &&
           (IsInImport(name) || IsAssigned(name) || name.field() == Field::kAttribute ||
            name.field() == Field::kName);
  }

  void CheckKeyword(Node call, const FileContext& file, Findings& findings) const {
    if (!PassesArgumentsTo(call, entry_.old_name, file) && !IsPartial(call, file)) return;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Argument* argument = FindKeyword(arguments, keyword_);
    if (argument == nullptr || IsOneOf(argument->value.text(), idle_values_)) return;
    if (!not_with_.empty() && IsExcluded(arguments, not_with_)) return;
    if (of_gradients_ && IsWithoutGradients(call)) return;
    if (IsOfHostTensor(call, file) || !IsBesideOne(file)) return;
    Report(argument->node.range(), findings);
    const bool is_sure = sure_values_.empty() || IsOneOf(argument->value.text(), sure_values_);
    if (!is_sure) findings.back().severity = Severity::kMayGoWrong;
  }

  /// `functools.partial(api, keyword=value)`
  bool IsPartial(Node call, const FileContext& file) const {
    const Node function = call.Child(Field::kArguments).first_named_child();
    return function && file.names().IsNamed(call.Child(Field::kFunction), kPartial) &&
           file.names().IsNamed(function, entry_.old_name);
  }

  /// True if the project spells one of the names without which the argument means nothing.
  bool IsBesideOne(const FileContext& file) const {
    return beside_.empty() || std::ranges::any_of(beside_, [&](const std::string& name) {
             return file.project() == nullptr ? !file.NodesSaying(name).empty()
                                              : !file.project()->FilesSpelling(name).empty();
           });
  }

  /// True for a call of a method of a tensor that is in the memory of the host.
  static bool IsOfHostTensor(Node call, const FileContext& file) {
    const Node callee = call.Child(Field::kFunction);
    if (!callee.Is(NodeKind::kAttribute) || !file.names().Resolve(callee).empty()) return false;
    return TensorTypes(file.names(), file.classes()).IsOnHost(callee.Child(Field::kObject));
  }

  void CheckCallee(Node call, const FileContext& file, Findings& findings) const {
    const Node callee = call.Child(Field::kFunction);
    if (!file.names().IsNamed(callee, entry_.old_name) || IsNotMissed(callee, file)) return;
    if (IsExcused(call, file)) return;
    Report(callee.range(), findings);
    TellIfTaken(callee, findings.back());
  }

  /// True if the arguments of `call` say that it is not meant.
  bool IsExcused(Node call, const FileContext& file) const {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (HasOnlyPlainSources(arguments, file)) return true;
    const bool is_named = std::ranges::any_of(arguments, [&](const Argument& argument) {
      const Node content = PlainStringContent(argument.value);
      return content && IsOneOf(content.text(), not_with_);
    });
    if (is_named || only_with_.empty()) return is_named;
    return std::ranges::none_of(arguments, [&](const Argument& argument) {
      const Node value = argument.value;
      const bool is_list = value.Is(NodeKind::kList) || value.Is(NodeKind::kTuple);
      const Node content = PlainStringContent(is_list ? value.first_named_child() : value);
      if (content) return IsMeant(content.text());
      return std::ranges::any_of(
          file.names().Resolve(argument.value),
          [&](const QualifiedName& name) { return !name.local && IsMeant(name.name); });
    });
  }

  /// True if all sources are such as the rule leaves: those that the call writes out, or where it
  /// does not, those of the project.
  bool HasOnlyPlainSources(const std::vector<Argument>& arguments, const FileContext& file) const {
    if (plain_sources_.empty()) return false;
    const Argument* sources = FindArgument(arguments, 1, "sources");
    if (sources == nullptr || !sources->value.Is(NodeKind::kList)) {
      return file.modules() != nullptr && file.modules()->extension_sources().AreOnlyCpp();
    }
    return std::ranges::all_of(NamedChildren(sources->value), [&](Node source) {
      Node content;  // the end of a path that is put together
      for (const Node node : NodesIn(source)) {
        if (node.Is(NodeKind::kStringContent)) content = node;
      }
      return content && std::ranges::any_of(plain_sources_, [&](const std::string& pattern) {
               return MatchesPattern(pattern, content.text());
             });
    });
  }

  bool IsMeant(std::string_view argument) const {
    return std::ranges::any_of(
        only_with_, [&](const std::string& pattern) { return MatchesPattern(pattern, argument); });
  }

  /// True if each program that gets to `node` sets the switch under which a failure does not end
  /// it: in a file of the project, other than a test.
  bool IsForgiven(Node node, const FileContext& file) const {
    if (forgiven_by_.empty()) return false;
    if (SetsSwitch(file.names(), node)) return true;
    if (file.project() == nullptr) return false;
    const std::vector<std::string>& paths =
        file.project()->FilesSpelling(std::string(LastPart(forgiven_by_)));
    return std::ranges::any_of(paths, [&](const std::string& path) {
      if (IsTestFile(path)) return false;
      const std::shared_ptr<const OpenedFile> other = file.project()->Open(path);
      return other != nullptr && SetsSwitch(other->names(), {}) &&
             ComesOnlyWith(file.source().path(), path, *file.project());
    });
  }

  /// True if the file sets the switch for all of its work, or before `node` in the same branch.
  bool SetsSwitch(const NameTable& names, Node node) const {
    return std::ranges::any_of(names.places().NodesSaying(LastPart(forgiven_by_)), [&](Node word) {
      const Node name = word.parent();
      return name.Is(NodeKind::kAttribute) && name.field() == Field::kLeft &&
             name.parent().Child(Field::kRight).Is(NodeKind::kTrue) &&
             (!IsInBranch(name) || IsBeforeInBlock(name, node)) &&
             names.IsNamed(name, forgiven_by_);
    });
  }

  /// True if a function sets the switch in one of its branches: for some of its work. The branch of
  /// a module asks about the program as a whole.
  static bool IsInBranch(Node node) {
    bool in_branch = false;
    for (; node; node = node.parent()) {
      if (node.Is(NodeKind::kFunctionDefinition)) return in_branch;
      in_branch = in_branch || node.Is(NodeKind::kIfStatement);
    }
    return false;
  }

  /// True if `node` stands behind `setting` in the block of it: who gets there has set it.
  static bool IsBeforeInBlock(Node setting, Node node) {
    if (!node) return false;
    const Node block = EnclosingStatement(setting).parent();
    return block.range().Contains(node.range()) && setting.range().end <= node.range().start;
  }

  /// What stands for this call with its arguments.
  void TellRemedy(Node node, Finding& finding) const {
    const Node call = node.field() == Field::kFunction ? node.parent() : node;
    if (!call.Is(NodeKind::kCall)) return;
    const std::optional<std::string> remedy = remedies_.For(call);
    if (!remedy) return;
    const Text text = Say("; here {}", "；此处为 {}", *remedy);
    finding.message.en += text.en;
    finding.message.zh += text.zh;
  }

  void TellForgiven(Finding& finding) const {
    finding.severity = std::max(finding.severity.value_or(Severity::kSlower), Severity::kSlower);
    const Text reason =
        Say(" (the project sets {} = True: where this fails, the program goes on without it)",
            "（项目设置了 {} = True：此处失败时程序不使用它而继续运行）", forgiven_by_);
    finding.message.en += reason.en;
    finding.message.zh += reason.zh;
  }

  /// A call whose failure a `try` takes ends nothing. Of a name that is gone it fails each time.
  void TellIfTaken(Node name, Finding& finding) const {
    const bool is_lost = removed_ && IsLostInHandler(name);
    const bool is_call = name.field() == Field::kFunction;
    if (!is_lost && (raises_.empty() || !is_call || !IsOptionalCall(name, raises_))) return;
    finding.severity = is_lost ? Severity::kMayGoWrong : Severity::kNote;
    const Text reason =
        is_lost ? Say(" (the `try` around it takes the error each time, and goes on without it)",
                      "（外层的 `try` 每次都会捕获该错误，程序在没有其结果的情况下继续运行）")
                : Say(" (where it fails, the `try` around it takes the {}, and goes on)",
                      "（此处失败时，外层的 `try` 会捕获 {} 并继续运行）", raises_);
    finding.message.en += reason.en;
    finding.message.zh += reason.zh;
  }

  /// `if amp is not None: amp.initialize(...)`: all uses ask whether the import has brought it.
  static void TellIfOptional(Node name, const FileContext& file, Finding& finding) {
    while (name.Is(NodeKind::kAttribute)) name = name.Child(Field::kObject);
    if (!name.Is(NodeKind::kIdentifier)) return;
    for (const Binding* binding : file.names().BindingsOf(name)) {
      if (binding->kind != BindingKind::kImport) continue;
      if (IsOptionalImport(binding->statement, file.names(), file.project()) &&
          UsesWithoutImport(binding->statement, file.names(), file.project()).empty()) {
        TellOptionalImport(finding);
      }
      return;
    }
  }

  /// `{"and": ReduceOp.BAND, "sum": ReduceOp.SUM}`: the value of one key of several.
  static bool IsOneOfTable(Node name) {
    if (!name.parent().Is(NodeKind::kPair) || name.field() != Field::kValue) return false;
    return std::ranges::count_if(NamedChildren(name.parent().parent()),
                                 [](Node item) { return item.Is(NodeKind::kPair); }) > 1;
  }

  void TellTable(Finding& finding) const {
    const auto severity = finding.severity ? finding.severity : header().severity;
    if (severity != Severity::kStopsRun) return;
    finding.severity = Severity::kMayGoWrong;
    const Text reason = Say(" (it stops a program that takes it out of this table)",
                            "（仅当程序从此表中取用它时才会中断）");
    finding.message.en += reason.en;
    finding.message.zh += reason.zh;
  }

  /// True where another name is tried first.
  static bool IsInHandler(Node node) {
    for (; node; node = node.parent()) {
      if (node.Is(NodeKind::kExceptClause)) return true;
    }
    return false;
  }

  void CheckImport(Node statement, const FileContext& file, Findings& findings) const {
    const auto lacks = [&](Node import) { return BringsWhatIsMissing(import, file); };
    if (removed_ && IsPassedOver(statement, file.names(), lacks)) return;
    if (if_needed_ &&
        (IsOptionalImport(statement, file.names(), file.project()) || IsInHandler(statement))) {
      return;
    }
    const bool from = statement.Is(NodeKind::kImportFromStatement);
    const std::string module = from ? file.names().ModuleOf(statement) : "";
    if (from && IsInside(module)) return ReportModule(statement, module, file, findings);
    if (from && is_module_) return;  // a name of the module around it may have its name
    for (const Node item : NamedChildren(statement)) {
      if (item.field() != Field::kName) continue;
      const Node name = item.Is(NodeKind::kAliasedImport) ? item.Child(Field::kName) : item;
      const std::string imported =
          from ? MemberName(module, name.text()) : std::string(name.text());
      // What is called is told where it is called, and what is only compared with is not used.
      const bool is_told =
          from && imported == entry_.old_name && !removed_ && !StopsImport() &&
          (IsNamedLater(item) || IsCalled(item, file) || IsOnlyTestedFor(item, file));
      if (is_told && callable_) ReportUsesOf(item.Child(Field::kAlias), file, findings);
      const bool fails = removed_ || StopsImport();  // by itself, whoever uses it
      if (!IsInside(imported) || is_told || (!fails && !IsImportUsed(item, file))) continue;
      ReportImport(item, statement, file, findings);
    }
  }

  /// The uses of the name under which an import brings it: `DP` of `import DataParallel as DP`.
  void ReportUsesOf(Node alias, const FileContext& file, Findings& findings) const {
    if (!alias || alias.text() == LastPart(entry_.old_name)) return;
    for (const Node name : file.NodesSaying(alias.text())) {
      if (name != alias && name.Is(NodeKind::kIdentifier)) Look(name, file, findings);
    }
  }

  /// True if `callee` has its meaning from an import, which fails where the name is gone.
  bool IsToldAtImport(Node callee, const FileContext& file) const {
    const NameTable::Meanings bindings = file.names().BindingsOf(callee);
    return removed_ && std::any_of(bindings.begin(), bindings.end(), [&](const Binding* binding) {
             return binding->kind == BindingKind::kImport && binding->target == entry_.old_name;
           });
  }

  bool StopsImport() const { return header().severity == Severity::kStopsImport; }

  /// True if the uses of what `item` imports have rows of their own.
  bool IsNamedLater(Node item) const { return callable_ && !item.Is(NodeKind::kAliasedImport); }

  static bool IsCalled(Node item, const FileContext& file) {
    const Node bound = item.Is(NodeKind::kAliasedImport) ? item.Child(Field::kAlias) : item;
    return std::ranges::any_of(file.NodesSaying(bound.text()), [&](Node node) {
      return node.field() == Field::kFunction && node.parent().Is(NodeKind::kCall);
    });
  }

  /// `from torch.cuda.nccl import version`, unless the names have rules of their own.
  void ReportModule(Node statement, const std::string& module, const FileContext& file,
                    Findings& findings) const {
    for (const Node item : NamedChildren(statement)) {
      if (item.field() != Field::kName && !item.Is(NodeKind::kWildcardImport)) continue;
      const Node name = item.Is(NodeKind::kAliasedImport) ? item.Child(Field::kName) : item;
      if (file.apis().Find(module + "." + std::string(name.text())) != nullptr) continue;
      return ReportImport(statement, statement, file, findings);
    }
  }

  void ReportImport(Node place, Node statement, const FileContext& file, Findings& findings) const {
    Report(place.range(), findings);
    if (removed_ && header().severity == Severity::kStopsRun) {
      findings.back().severity = Severity::kStopsImport;
    }
    const bool is_optional = IsOptionalImport(statement, file.names(), file.project()) ||
                             (IsDottedName() && IsReplacedImport(statement, [&](Node import) {
                                return BringsWhatIsMissing(import, file);
                              }));
    if (is_optional) TellOptionalImport(findings.back());
    if (!is_none_) return;
    for (const Node name : file.NodesSaying(LastPart(entry_.old_name))) {
      const bool is_use = !IsInImport(name) && file.names().IsNamed(name, entry_.old_name);
      if (is_use && TellEnd(name, file, findings.back())) return;
    }
  }

  /// True for an import of what this rule or another one reports.
  bool BringsWhatIsMissing(Node import, const FileContext& file) const {
    return std::ranges::any_of(
        ImportedModules(import, file.names()), [&](const ImportedModule& module) {
          const ApiEntry* entry = file.apis().FindPrefix(module.name);
          return IsInside(module.name) ||
                 (entry != nullptr && (entry->is_unsupported || entry->is_removed)) ||
                 (removed_ && FindRemovedName(module.name, header().library_version) != nullptr);
        });
  }

  /// `if CUDA_HOME is None: raise RuntimeError(...)`
  static bool TellEnd(Node name, const FileContext& file, Finding& finding) {
    if (!EndsWhereNone(name)) return false;
    const uint32_t line = file.source().Locate(name.range().start).line;
    const bool is_setup = NameOfFile(file.source().path()) == "setup.py";
    const Text end = is_setup ? Say(" (line {} ends the installation there)",
                                    "（第 {} 行的检查会使安装在此终止）", line)
                              : Say(" (line {} ends the program there)",
                                    "（第 {} 行的检查会使程序在此终止）", line);
    finding.message.en += end.en;
    finding.message.zh += end.zh;
    finding.severity = Severity::kStopsRun;
    return true;
  }

  /// True for `torch.version.cuda.split(".")`, which fails with None, if nothing around it chooses
  /// and nothing else in its function asks for `name`.
  static bool IsUsedAsObject(Node name) {
    const bool is_member = name.parent().Is(NodeKind::kAttribute) && name.field() == Field::kObject;
    const bool is_item = name.parent().Is(NodeKind::kSubscript) && name.field() == Field::kValue;
    if (!is_member && !is_item) return false;
    Node around = name.parent();
    while (around.parent() && !around.Is(NodeKind::kFunctionDefinition)) {
      around = around.parent();
      const bool chooses =
          around.Is(NodeKind::kIfStatement) || around.Is(NodeKind::kConditionalExpression) ||
          around.Is(NodeKind::kBooleanOperator) || around.Is(NodeKind::kTryStatement);
      if (chooses) return false;
    }
    const std::string_view text = around.text();
    return text.find(name.text()) == text.rfind(name.text());
  }

  /// True if a test of `name` ends the program where it is None.
  static bool EndsWhereNone(Node name) {
    Node test = name.parent();
    if (test.Is(NodeKind::kAssertStatement)) return true;
    if (test.Is(NodeKind::kComparisonOperator)) {
      const std::string_view rest = test.text().substr(name.text().size());
      if (test.parent().Is(NodeKind::kAssertStatement)) return rest == " is not None";
      if (rest != " is None" && rest != " == None") return false;
    } else if (!test.Is(NodeKind::kNotOperator)) {
      return false;
    }
    while (test.parent().Is(NodeKind::kParenthesizedExpression) ||
           (test.parent().Is(NodeKind::kBooleanOperator) && SignOf(test.parent()) == "or")) {
      test = test.parent();
    }
    if (test.field() != Field::kCondition || !test.parent().Is(NodeKind::kIfStatement)) {
      return false;
    }
    const Node last = LastNamedChild(test.parent().Child(Field::kConsequence));
    return LeavesBlock(last) &&
           (last.Is(NodeKind::kRaiseStatement) || last.Is(NodeKind::kExpressionStatement));
  }

  /// True if a name that is gone is not missed here: the program goes on without it, or the name
  /// has another meaning where it is gone.
  bool IsNotMissed(Node node, const FileContext& file) const {
    if (!removed_) return false;
    return (IsOptionalName(node) && !IsLostInHandler(node)) ||
           std::ranges::any_of(file.names().Resolve(node), [&](const QualifiedName& name) {
             return name.local || name.name != entry_.old_name;
           });
  }

  /// True if the file uses what it imports in tests for the class alone.
  static bool IsOnlyTestedFor(Node item, const FileContext& file) {
    return IsOnlyAsked(
        item.Is(NodeKind::kAliasedImport) ? item.Child(Field::kAlias) : item.first_named_child(),
        file);
  }

  bool IsDottedName() const { return HasPart(entry_.old_name, '.'); }

  /// `import_module("spconv")`, `is_package_available("spconv")`: elsewhere the name of a package
  /// is a word like others, `kind="spconv"`.
  static bool IsAskedFor(Node string) {
    const Node call =
        string.parent().Is(NodeKind::kArgumentList) ? string.parent().parent() : Node();
    if (!call.Is(NodeKind::kCall)) return false;
    const std::string_view callee = call.Child(Field::kFunction).text();
    return Words("package-questions").Has(callee);
  }

  /// True for the object of `torch.cuda.nvtx.range_push`, which has a rule of its own.
  bool IsPartOfLongerName(Node node, const FileContext& file) const {
    const Node parent = node.parent();
    if (!parent.Is(NodeKind::kAttribute) || node.field() != Field::kObject) return false;
    const std::string member(parent.Child(Field::kAttribute).text());
    return file.apis().Find(entry_.old_name + "." + member) != nullptr;
  }

  /// The API itself, or what a module that is reported as a whole has in it.
  bool IsInside(const std::string& name) const {
    return name.starts_with(entry_.old_name) &&
           (name.size() == entry_.old_name.size() || name[entry_.old_name.size()] == '.');
  }

  /// True for the type that tensors get: `x.to(name)`, `dtype=name`, `{"offload_dtype": name}`.
  /// Elsewhere a type is compared with another, or stands in a table of types.
  static bool IsGivenAsType(Node name, const FileContext& file) {
    constexpr std::string_view kDtype = "dtype";
    const Node holder = name.parent();
    const bool is_value = name.field() == Field::kValue;
    if (holder.Is(NodeKind::kPair)) {
      const Node key = PlainStringContent(holder.Child(Field::kKey));
      return is_value && key && key.text().ends_with(kDtype);
    }
    const Node arguments = holder.Is(NodeKind::kKeywordArgument) ? holder.parent() : holder;
    if (!arguments.Is(NodeKind::kArgumentList)) return false;
    if (holder.Is(NodeKind::kKeywordArgument)) {
      if (!is_value || !holder.Child(Field::kName).text().ends_with(kDtype)) return false;
    } else if (!Words("type-conversions")
                    .Has(LastPart(arguments.parent().Child(Field::kFunction).text()))) {
      return false;
    }
    const Node call = arguments.parent();
    if (IsKeptInConstant(call, file)) return false;
    const Argument* device = FindKeyword(ArgumentsOf(call), "device");
    const Node text = device == nullptr ? Node() : PlainStringContent(device->value);
    return !(text && text.text() == "cpu") && !IsOfHostTensor(call, file);
  }

  /// `FORMAT = Format(dtype=torch.float8_e4m3fn)` of the project's own Format, in the code of the
  /// module: a description, as an entry of a table is; no tensor is there yet.
  static bool IsKeptInConstant(Node call, const FileContext& file) {
    if (EnclosingFunction(call) || !call.parent().Is(NodeKind::kAssignment)) return false;
    return static_cast<bool>(OwnClass(call.Child(Field::kFunction), file.names()));
  }

  void ReportUse(Node name, const FileContext& file, Findings& findings) const {
    if (as_type_ && !IsGivenAsType(name, file)) return;
    const NameUse use = UseOfClass(name, file);
    if (use == NameUse::kAsked) return;
    Report(name.range(), findings);
    if (removed_ && header().severity == Severity::kStopsRun && RunsWithDefinition(name)) {
      findings.back().severity = Severity::kStopsImport;
    }
    if (callable_) LowerSeverity(use, findings.back());
    if (!removed_ && IsOneOfTable(name)) TellTable(findings.back());
    if (may_be_shown_ && IsOnlyShown(name)) findings.back().severity = Severity::kNote;
    TellIfTaken(name, findings.back());
    TellIfOptional(name, file, findings.back());
    if (!is_none_ || TellEnd(name, file, findings.back())) return;
    if (IsUsedAsObject(name)) findings.back().severity = Severity::kStopsRun;
  }

  void Report(TextRange range, Findings& findings) const {
    const std::string& about = keyword_.empty() ? entry_.old_name : keyword_;
    findings.push_back(
        Row(range, WhyOf(about), unsupported_ ? Operation::kUnsupported : Operation::kSuggestion));
  }

  ApiEntry entry_;
  std::string keyword_;
  std::vector<std::string> idle_values_;
  std::vector<std::string> sure_values_;
  bool called_;
  bool callable_;
  bool is_module_;
  bool removed_;
  bool if_needed_;
  bool left_tensorflow_;
  bool may_be_shown_;
  bool is_none_;
  bool as_type_;
  bool of_gradients_;
  std::vector<std::string> beside_;
  std::vector<std::string> not_with_;
  std::vector<std::string> only_with_;
  std::vector<std::string> plain_sources_;
  std::string forgiven_by_;
  std::string raises_;
  CallRemedies remedies_;
  PackageNames packages_;
  bool unsupported_;
  bool cuda_only_;
};

Result<std::unique_ptr<Rule>> MakeApiReportRule(RuleHeader header, const Fields& fields) {
  if (auto mistake = PackageNames(fields.List("packages")).Mistake()) return *mistake;
  if (auto mistake = CallRemedies::Mistake(fields)) return BadRule(*std::move(mistake));
  return MakeRule<ApiReportRule>(std::move(header), fields);
}

}  // namespace

RuleKind ApiReportRuleKind() {
  return {
      "ApiReportRule",
      "Reports an API that stays in the source; the rule's why is the message.",
      {{"name", FieldType::kDottedName, true, "Full name, for example torch.cuda.nccl.version."},
       {"status",
        FieldType::kChoice,
        true,
        "unsupported: there is no counterpart; advice: it may stay, with something to know.",
        {"unsupported", "advice"}},
       {"keyword", FieldType::kDottedName, false,
        "Only this keyword argument of its calls is meant; the name may then be undotted."},
       {"idle_values", FieldType::kStringList, false,
        "Values of that argument that ask for nothing, as they are written: 0, False."},
       {"sure_values", FieldType::kStringList, false,
        "Values of that argument with which the row is as severe as the rule says; with others it "
        "may go wrong."},
       {"cuda_only", FieldType::kBoolean, false,
        "Nothing but CUDA can import or run it: a condition that protects it stays as it is."},
       {"called", FieldType::kBoolean, false, "Only its calls are meant."},
       {"callable", FieldType::kBoolean, false,
        "A class or function: what imports it, returns it or hands it on does not run it."},
       {"module", FieldType::kBoolean, false,
        "It was a module: only imports of it and from it are meant, and no function of its name."},
       {"removed", FieldType::kBoolean, false,
        "The name is there no longer: no row where a `try` takes the AttributeError."},
       {"left_tensorflow", FieldType::kBoolean, false,
        "Only where what the file does with TensorFlow stays on the CPU beside another framework, "
        "and so has the TensorFlow 2 that installs there."},
       {"if_needed", FieldType::kBoolean, false,
        "No row for an import that a `try` forgives, or that stands in its handler."},
       {"may_be_shown", FieldType::kBoolean, false,
        "Where its value only goes into a message, the row is a note."},
       {"is_none", FieldType::kBoolean, false,
        "It is None on the machine of an NPU: where a test of that ends the program, the row says "
        "so; where a member or a part of it is taken, that stops."},
       {"as_type", FieldType::kBoolean, false,
        "A type of elements: only where tensors get it, by a conversion or by a keyword or key "
        "that ends in dtype, and not on the host."},
       {"of_gradients", FieldType::kBoolean, false,
        "Of a keyword: only where the code around computes gradients."},
       {"beside", FieldType::kStringList, false,
        "Of a keyword: only where the project spells one of these names."},
       {"not_with", FieldType::kStringList, false,
        "Of calls: not those with one of these strings as an argument; of a keyword: not beside "
        "one of these keywords."},
       {"only_with", FieldType::kStringList, false,
        "Of calls: only those with one of these as an argument, or as the first part of a list; a "
        "string or a full name; * stands for any text."},
       {"plain_sources", FieldType::kStringList, false,
        "Of calls: not those whose sources are a list of files that all match one of these, or "
        "where the call does not list them, whose project has C++ sources and none in CUDA."},
       {"forgiven_by", FieldType::kDottedName, false,
        "A switch, by its full name: where each program that gets to the place sets it to True, a "
        "failure does not end the program, and the row says so."},
       {"raises", FieldType::kDottedName, false,
        "The error with which a call of it fails: where a `try` takes that and goes on, the row is "
        "a "
        "note and says so."},
       {"parameters", FieldType::kStringList, false,
        "Its parameters in their order, with their defaults: input, onesided=True."},
       {"remedies", FieldType::kStringList, false,
        "What the message ends with, by the arguments of a call: `dim=1 -> fft({input})`; * stands "
        "for any value but the default. What a remedy does not name has its default."},
       {"packages", FieldType::kStringList, false,
        "Packages that bring it, as pip compares names; where a project asks for one, that is "
        "reported too. * stands for any text."},
       {"source", FieldType::kString, false, "Where the counterpart is documented."}},
      MakeApiReportRule};
}

}  // namespace transplt
