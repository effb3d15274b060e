// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "transplt/base/requirement.h"
#include "transplt/base/word_list.h"
#include "transplt/engine/version_specifier.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/name_use.h"
#include "transplt/facts/optional_names.h"
#include "transplt/facts/project.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/main_block.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/library_counterpart.h"
#include "transplt/rule_kinds/optional_import.h"
#include "transplt/rule_kinds/package_names.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// What becomes of a library on an NPU, by the value of `effect`.
Text EffectOf(std::string_view effect, std::string_view remedy) {
  if (effect == "import" && remedy == "install") {
    return Say("the package for CUDA does not install or import on an NPU machine",
               "面向 CUDA 的安装包在 NPU 机器上无法安装或导入");
  }
  if (effect == "import") {
    return Say("cannot be installed or imported without CUDA", "没有 CUDA 时无法安装或导入");
  }
  if (effect == "run") return Say("does not run on an NPU as it is", "无法直接在 NPU 上运行");
  if (effect == "slow") return Say("computes on the CPU", "在 CPU 上计算");
  if (effect == "use") {
    return Say("what the code uses of it decides whether that runs on an NPU",
               "能否在 NPU 上运行取决于代码使用的部分");
  }
  return Say("another version, build or setting of it serves the NPU",
             "NPU 上需使用其他版本、构建或设置");
}

Severity SeverityOfEffect(std::string_view effect) {
  if (effect == "import") return Severity::kStopsImport;
  if (effect == "run") return Severity::kStopsRun;
  if (effect == "use") return Severity::kNote;
  return effect == "slow" ? Severity::kSlower : Severity::kMayGoWrong;
}

/// True if the value of a configuration is the path of something that a program loads by it:
/// `_target_: vllm.LLM`. A file or a host has dots in its name as well, but no class at its end.
bool IsClassPath(const Setting& setting) {
  constexpr std::string_view kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  if (setting.kind != Setting::Kind::kKey || setting.value_range.empty()) return false;
  std::string spelled;
  for (const std::string_view word : WordsIn(setting.value)) {
    spelled += spelled.empty() ? "" : ".";
    spelled += word;
  }
  return spelled == setting.value && spelled.find('.') != std::string::npos &&
         (kUpper.find(LastPart(spelled).front()) != kUpper.npos || setting.name.starts_with('_'));
}

/// Reports what a project gets from a library that needs CUDA: the first place in each file that
/// imports it or names a class of it, and the places that ask for its package. All of them have one
/// message.
class LibraryReportRule : public Rule {
 public:
  LibraryReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        names_(fields.List("names")),
        packages_(fields.List("packages")),
        needed_by_(fields.List("needed_by")),
        counterparts_(fields.List("counterparts")),
        goes_with_(fields.List("goes_with")),
        own_parts_(fields.List("own_parts")),
        makers_(fields.List("makers")),
        has_counterpart_(fields.String("remedy") != "none"),
        import_works_(fields.Boolean("import_works", false)),
        every_use_(fields.Boolean("every_use", false)),
        is_all_(fields.Boolean("is_all", false)),
        installed_(fields.String("installed")),
        severity_(SeverityOfEffect(fields.String("effect"))),
        stops_(severity_ == Severity::kStopsImport || severity_ == Severity::kStopsRun),
        // What another package replaces under the same name runs behind the same condition.
        is_cuda_only_(stops_ && fields.String("remedy") != "install") {
    if (fields.Has("served_from")) served_from_ = *ParseVersion(fields.String("served_from"));
    const Text effect = EffectOf(fields.String("effect"), fields.String("remedy"));
    const Text& why = this->header().why;
    message_ = {id() + ": " + effect.en + "; " + why.en, id() + ": " + effect.zh + "；" + why.zh};
    if (names_.empty()) return;
    entry_.old_name = names_.front();
    entry_.is_unsupported = stops_ && !has_counterpart_;
    entry_.rule_id = id();
  }

  const ApiEntry* api_entry() const override { return names_.empty() ? nullptr : &entry_; }

  std::vector<std::string> cuda_only_names() const override {
    return is_cuda_only_ ? names_ : std::vector<std::string>();
  }

  bool IsAboutLibrary() const override { return true; }

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    for (const std::string& name : names_) {
      const std::string first(FirstPart(name));
      const std::string last(LastPart(name));
      triggers.push_back({NodeKind::kImportStatement, first});
      triggers.push_back({NodeKind::kImportFromStatement, first});
      triggers.push_back({NodeKind::kString, last});
      if (first != name) triggers.push_back({NodeKind::kAttribute, last});
    }
    for (const std::vector<std::string>& words : packages_.Words()) {
      triggers.push_back({NodeKind::kString, words.front()});
    }
    return triggers;
  }

  WordSets required_words() const override {
    WordSets words;
    for (const std::string& name : names_) {
      for (std::vector<std::string>& of_name : WordsOfName(name)) {
        words.push_back(std::move(of_name));
      }
    }
    for (std::vector<std::string>& of_package : packages_.WordsInSetup()) {
      words.push_back(std::move(of_package));
    }
    return words;
  }
  WordSets setting_words() const override {
    WordSets words = packages_.Words();
    for (const std::string& name : names_) {
      for (std::vector<std::string>& of_name : WordsOfName(name)) {
        words.push_back(std::move(of_name));
      }
    }
    return words;
  }

  void CheckSettings(const std::vector<Setting>& settings, Findings& findings) const override {
    const size_t first = findings.size();  // from here on stand rows of this rule
    for (const Setting& setting : settings) {
      if (IsClassPath(setting) && !served_from_ && Holds(setting.value)) {
        if (findings.size() == first) Report(setting.value_range, false, findings);
        continue;
      }
      const TextRange range = packages_.FindIn(setting);
      if (!range.empty() && !IsServed(setting.versions)) {
        ReportInstalled(range, setting.is_extra, findings);
      }
    }
  }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (node.Is(NodeKind::kString)) return CheckString(node, file, findings);
    if (node.Is(NodeKind::kAttribute) && !IsUseOfPart(node, file)) return;
    // Of thousands of imports that bring something else, none has to look for the first place.
    if (IsImport(node) && !Brings(node, file)) return;
    if (const std::optional<Counterpart> named = CounterpartIn(file)) {
      return TellCounterpart(node, *named, file, findings);
    }
    if (every_use_ && node.Is(NodeKind::kAttribute)) return ReportUse(node, file, findings);
    const Node place = FirstPlace(file);
    const bool is_here = place && (place == node || node.IsAncestorOf(place));
    if (is_here) {
      ReportPlace(place, file, findings);
      findings.back().cause = LibraryBesideIn(file);
      if (is_all_ && IsProgramFor(place, file)) KeepAll(findings.back());
      if (IsImport(node)) ReportFurther(place, file, findings);
    }
    if (IsImport(node)) ReportUnread(node, file, findings);
    if (stops_ && IsImport(node)) ReportUses(node, file, findings);
  }

 private:
  /// Of a library that serves NPUs from some version on only older versions are reported.
  bool IsServed(std::string_view versions) const {
    if (!served_from_) return false;
    const std::optional<VersionSpecifier> asked = VersionSpecifier::Parse(versions);
    return !asked || asked->newest() >= *served_from_;
  }

  /// What the project names that serves the NPU in place of the library, or beside it.
  struct Counterpart {
    std::string name;
    std::string path;  ///< of a file that names it
  };

  std::optional<Counterpart> CounterpartIn(const FileContext& file) const {
    if (file.project() == nullptr) return std::nullopt;
    const ProjectIndex& project = *file.project();
    for (const std::string& module : counterparts_) {
      const std::vector<std::string>& paths = project.FilesSpelling(module);
      if (!paths.empty()) return Counterpart{module, paths.front()};
      std::string package = module;
      std::ranges::replace(package, '_', '-');
      if (std::string path = FileAskingFor(package, project); !path.empty()) {
        return Counterpart{std::move(package), std::move(path)};
      }
    }
    return std::nullopt;
  }

  /// A list of packages, or a file of Python, with the name of the package in it: one that has the
  /// import name of the library is asked for, and never imported. "" if there is none.
  static std::string FileAskingFor(const std::string& package, const ProjectIndex& project) {
    if (package.find('-') == std::string::npos) return {};
    for (const std::string& list : Words("lists-of-packages").words()) {
      const Result<std::string> bytes = project.Bytes(list);
      if (bytes && bytes->find(package) != std::string::npos) return list;
    }
    for (const std::string& path : project.FilesSpelling(package.substr(package.rfind('-') + 1))) {
      const std::shared_ptr<const OpenedFile> other = project.Open(path);
      const bool names_it = other != nullptr &&
                            other->tree().source().bytes().find(package) != std::string_view::npos;
      if (names_it) return path;
    }
    return {};
  }

  /// The project knows what to do in its code; it has to be installed all the same.
  void TellCounterpart(Node node, const Counterpart& counterpart, const FileContext& file,
                       Findings& findings) const {
    if (!IsImport(node)) return;
    const Node place = FirstPlace(file);
    if (!place || !(place == node || node.IsAncestorOf(place))) return;
    Finding row = Row(place.range(),
                      Say("{}: the project names {} ({}): {}", "{}: 项目中使用了 {} ({})：{}", id(),
                          counterpart.name, counterpart.path, ""),
                      Operation::kSuggestion);
    row.message.en += header().why.en;
    row.message.zh += header().why.zh;
    row.severity = Severity::kMayGoWrong;
    row.cause = kCounterpartCause;
    findings.push_back(std::move(row));
  }

  /// The library that the file uses this one for, which is one matter with it, or "".
  std::string LibraryBesideIn(const FileContext& file) const {
    const auto spells = [&](const std::string& part) {
      return !file.NodesSaying(LastPart(part)).empty();
    };
    if (std::ranges::any_of(own_parts_, spells)) return {};
    const auto beside = std::ranges::find_if(
        goes_with_, [&](const std::string& library) { return file.Imports(library); });
    return beside == goes_with_.end() ? "" : *beside;
  }

  void CheckString(Node string, const FileContext& file, Findings& findings) const {
    if (packages_.AreRequiredBy(string)) {
      const std::string_view text = PlainStringContent(string).text();
      const std::optional<Requirement> requirement = ParseRequirement(text);
      if (!requirement || IsServed(requirement->versions.In(text))) return;
      if (IsInAttributeOfClass(string)) return ReportAsked(string.range(), findings);
      ReportInstalled(string.range(), true, findings);
    } else if (IsImportedBy(string, file) && !IsOwn(PlainStringContent(string).text(), file)) {
      Report(string.range(), IsOptional(string, file), findings);
    }
  }

  static bool IsOptional(Node place, const FileContext& file) {
    return IsOptionalImport(place, file.names(), file.project());
  }

  /// Elsewhere the name of a package is a word like others.
  bool IsImportedBy(Node string, const FileContext& file) const {
    const Node content = PlainStringContent(string);
    return content && !served_from_ && Holds(content.text()) && IsImportedByName(string, file);
  }

  bool Holds(std::string_view qualified) const {
    return std::ranges::any_of(names_,
                               [&](const std::string& name) { return IsInside(name, qualified); });
  }

  /// The import that brings the library first, or else the first use of a part of it that an
  /// import of the whole brings: `numba.cuda.jit` after `import numba`. A null node if there is
  /// none.
  Node FirstPlace(const FileContext& file) const {
    if (served_from_) return {};
    Node first;
    for (const std::string& name : names_) {
      for (Node node : file.NodesSaying(FirstPart(name))) {
        const std::vector<Node> items = ItemsOf(StatementAround(node), name, file);
        if (items.empty()) continue;
        if (!first || items.front().id() < first.id()) first = items.front();
        break;
      }
    }
    if (first) return first;
    for (const std::string& name : names_) {
      if (FirstPart(name) == name) continue;
      for (Node node : file.NodesSaying(LastPart(name))) {
        const Node use = node.parent();
        const bool is_use = use.Is(NodeKind::kAttribute) && node.field() == Field::kAttribute &&
                            IsNamed(use, name, file) && !IsOptionalName(use);
        if (!is_use) continue;
        if (!first || use.id() < first.id()) first = use;
        break;
      }
    }
    return first;
  }

  /// An import that may fail, and one of a function, stand for no import of another function; what
  /// fails where it is used stops who uses it, whatever else the file imports.
  void ReportFurther(Node first, const FileContext& file, Findings& findings) const {
    std::map<uint32_t, Node> places;  // of all imports behind the first, by their ids
    for (const std::string& name : names_) {
      for (const Node node : file.NodesSaying(FirstPart(name))) {
        for (const Node item : ItemsOf(StatementAround(node), name, file)) {
          if (item.id() > first.id()) places.emplace(item.id(), item);
        }
      }
    }
    if (idles_unused()) {
      for (const auto& [id, place] : places) ReportPlace(place, file, findings);
      return;
    }
    // A first row in a clause, as in a `try`, does not say what the scope needs in any case.
    std::set<uint32_t> told;
    std::set<uint32_t> sure;
    const auto take = [&](Node place) {
      if (IsOptional(place, file)) return false;
      const uint32_t scope = file.names().ScopeOf(place);
      const bool is_sure = !IsInClause(place);
      if (sure.contains(scope) || (!is_sure && told.contains(scope))) return false;
      told.insert(scope);
      if (is_sure) sure.insert(scope);
      return true;
    };
    take(first);
    for (const auto& [id, place] : places) {
      if (sure.contains(kModuleScope)) return;
      if (take(place)) Report(place.range(), false, findings);
    }
  }

  /// True if the import at `place` stands in an `if`, a `try` or the like of its scope.
  static bool IsInClause(Node place) {
    const Node block = EnclosingStatement(place).parent();
    return !block.Is(NodeKind::kModule) && !block.parent().Is(NodeKind::kFunctionDefinition) &&
           !block.parent().Is(NodeKind::kClassDefinition);
  }

  /// True if the import `statement` brings the library or a part of it.
  bool Brings(Node statement, const FileContext& file) const {
    return std::any_of(names_.begin(), names_.end(), [&](const std::string& name) {
      return !ItemsOf(statement, name, file).empty();
    });
  }

  /// True if `attribute` is the use of a part of the library, wherever the first use stands, and no
  /// `try` goes on without that.
  bool IsUseOfPart(Node attribute, const FileContext& file) const {
    return std::ranges::any_of(names_, [&](const std::string& name) {
      return attribute.Child(Field::kAttribute).text() == LastPart(name) &&
             IsNamed(attribute, name, file) && !IsOptionalName(attribute);
    });
  }

  /// True for a program that imports the library before anything else that it does: without it
  /// nothing of the file runs.
  static bool IsProgramFor(Node place, const FileContext& file) {
    const bool is_at_top = file.names().ScopeOf(place) == kModuleScope &&
                           EnclosingStatement(place).parent().Is(NodeKind::kModule);
    if (!is_at_top) return false;
    if (!MainBlocksOf(file.tree().root()).empty() || file.project() == nullptr) return true;
    const std::string& path = file.source().path();
    std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    name = name.substr(0, name.find('.'));
    const std::vector<std::string>& spelling = file.project()->FilesSpelling(name);
    return std::ranges::all_of(spelling, [&](const std::string& other) { return other == path; });
  }

  void KeepAll(Finding& finding) const {
    const Text rest = Say(" (nothing in this program is edited)", "（该程序中不作任何修改）");
    finding.keeps = std::make_shared<KeptBack>(
        KeptBack{{"*"},
                 {finding.message.en + rest.en, finding.message.zh + rest.zh},
                 finding.severity.value_or(severity_)});
  }

  /// The project may hold a package of this name itself, or build it: the module of a package that
  /// it builds is not the package, and what replaces that does not replace it.
  bool IsOwn(std::string_view module, const FileContext& file) const {
    if (file.IsOwn(module)) return true;
    return !packages_.empty() && FirstPart(module) != FirstPart(id()) &&
           file.modules() != nullptr && file.modules()->FindExtension(module) != nullptr;
  }

  bool IsNamed(Node expression, const std::string& name, const FileContext& file) const {
    return file.names().IsNamed(expression, name) && !IsOwn(name, file);
  }

  /// The import that `identifier` stands in, or a null node.
  static Node StatementAround(Node identifier) {
    Node statement = identifier.parent();
    while (statement.Is(NodeKind::kDottedName) || statement.Is(NodeKind::kAliasedImport)) {
      statement = statement.parent();
    }
    return IsImport(statement) ? statement : Node();
  }

  /// A library that fails where it is used does nothing where a file only imports it.
  bool idles_unused() const { return severity_ == Severity::kStopsRun; }

  /// The items of the import `statement` that bring `name` or a part of it.
  std::vector<Node> ItemsOf(Node statement, std::string_view name, const FileContext& file) const {
    if (!statement || IsForTypesOnly(statement, file.names())) return {};
    std::vector<Node> items;
    for (const ImportedModule& module : ImportedModules(statement, file.names())) {
      const bool is_brought = IsInside(name, module.name) && !IsOwn(module.name, file);
      const bool is_used =
          !idles_unused() ||
          (IsImportUsed(module.item, file) && !WaitsForObjects(module.item, names_, makers_, file));
      if (is_brought && is_used) {
        items.push_back(module.item);
      }
    }
    return items;
  }

  void Report(TextRange range, bool is_optional, Findings& findings) const {
    const bool blocks = stops_ && !has_counterpart_ && !is_optional;
    Finding finding =
        Row(range, message_, blocks ? Operation::kUnsupported : Operation::kSuggestion);
    finding.severity = severity_;
    if (is_optional && import_works_) {
      TellImportWorks(finding);
    } else if (is_optional) {
      TellOptionalImport(finding);
    }
    findings.push_back(std::move(finding));
  }

  void ReportPlace(Node place, const FileContext& file, Findings& findings) const {
    if (!import_works_ || !AreUsesForgiven(place, file)) {
      return Report(place.range(), IsOptional(place, file), findings);
    }
    findings.push_back(Row(place.range(), message_, Operation::kSuggestion));
    findings.back().severity = Severity::kNote;
    Append(Say(" (where its calls fail, the program goes on)", "（其调用失败时程序会继续运行）"),
           findings.back());
  }

  /// True if the program goes on wherever what the import at `place` brings fails: all uses stand
  /// in a `try` that takes any error, or those of the library.
  bool AreUsesForgiven(Node place, const FileContext& file) const {
    const std::vector<Binding>& all = file.names().bindings();
    return std::ranges::any_of(all,
                               [&](const Binding& binding) { return IsBoundAt(binding, place); }) &&
           std::ranges::all_of(all, [&](const Binding& binding) {
             return !IsBoundAt(binding, place) || AreUsesForgiven(binding, file);
           });
  }

  static bool IsBoundAt(const Binding& binding, Node place) {
    return binding.kind == BindingKind::kImport && place.range().Contains(binding.node.range());
  }

  bool AreUsesForgiven(const Binding& binding, const FileContext& file) const {
    const bool is_given_on =
        binding.scope == kModuleScope && file.project() != nullptr &&
        file.project()->IsImportedElsewhere(file.source().path(), binding.name);
    return !is_given_on && std::ranges::all_of(file.NodesSaying(binding.name), [&](Node node) {
      if (IsImport(EnclosingStatement(node)) || node.field() == Field::kAttribute) return true;
      const NameTable::Meanings meant = file.names().BindingsOf(node);
      const bool is_use = std::find(meant.begin(), meant.end(), &binding) != meant.end();
      return !is_use || IsForgiven(node, file);
    });
  }

  bool IsForgiven(Node use, const FileContext& file) const {
    const auto forgives = [&](Node clause) {
      return TakesErrors(clause, file) && !FailsInHandler(clause);
    };
    return IsTypeOfError(use) || HandlerAround(use, forgives);
  }

  /// `except pynvml.NVMLError` calls nothing.
  static bool IsTypeOfError(Node use) {
    for (Node child = use; child && !child.Is(NodeKind::kBlock); child = child.parent()) {
      const Node parent = child.parent();
      if (parent.Is(NodeKind::kExceptClause)) return child == parent.first_named_child();
    }
    return false;
  }

  /// True for an `except` clause that takes all errors, or those of the library.
  bool TakesErrors(Node clause, const FileContext& file) const {
    const Node type = clause.first_named_child();
    return type.Is(NodeKind::kBlock) || std::ranges::any_of(NodesIn(type), [&](Node node) {
             if (node.text() == "Exception" || node.text() == "BaseException") return true;
             if (!node.Is(NodeKind::kIdentifier) && !node.Is(NodeKind::kAttribute)) return false;
             return std::ranges::any_of(file.names().Resolve(node), [&](const QualifiedName& name) {
               return !name.local && Holds(name.name);
             });
           });
  }

  /// The name is missing: what asks for it fails, whatever it does with it.
  void ReportUse(Node use, const FileContext& file, Findings& findings) const {
    if (IsIdleAnnotation(use)) return;
    Report(use.range(), IsOptional(use, file), findings);
    const bool stops_import = severity_ == Severity::kStopsRun && RunsWithDefinition(use);
    if (stops_import) findings.back().severity = Severity::kStopsImport;
  }

  /// A program that would go on without the library has it, and stops where it takes it.
  static void TellImportWorks(Finding& finding) {
    finding.severity = Severity::kMayGoWrong;
    const Text text =
        Say(" (this import succeeds without CUDA where the package is installed: the program stops "
            "where it uses it)",
            "（若已安装该软件包，没有 CUDA 时导入也会成功：程序会在使用处停止）");
    finding.message.en += text.en;
    finding.message.zh += text.zh;
  }

  /// The import may fail, but what it should bring is used in any case.
  void ReportUses(Node statement, const FileContext& file, Findings& findings) const {
    for (const UseWithoutImport& needed :
         UsesWithoutImport(statement, file.names(), file.project())) {
      Report(needed.use.range(), false, findings);
      findings.back().severity = Severity::kStopsRun;
      if (import_works_ && !AreUsesForgiven(statement, file)) continue;
      const Text reason = needed.reason();
      findings.back().message.en += reason.en;
      findings.back().message.zh += reason.zh;
    }
  }

  /// What runs in place of the library, where that would have been told the lengths of sequences.
  void ReportUnread(Node statement, const FileContext& file, Findings& findings) const {
    for (const CodeWithoutImport& code : CodeInPlaceOf(statement, file.names(), file.project())) {
      std::vector<std::string> lengths = code.unread;
      std::erase_if(lengths,
                    [](const std::string& name) { return !Words("sequence-lengths").Has(name); });
      if (lengths.empty()) continue;
      const std::string names = fmt::format("{}", fmt::join(lengths, ", "));
      findings.push_back(
          Row(code.place.range(),
              Say("without {} the program goes on here, which does not read {}: what these leave "
                  "out is computed as well, and results differ where lengths do; give it a mask "
                  "made of them",
                  "没有 {} 时程序会执行到此处, 而此处没有读取 {}: 其排除的部分也会参与计算, "
                  "长度不一时结果会不同; 请由其构造掩码并传入",
                  names_.front(), names)));
      findings.back().severity = Severity::kMayGoWrong;
      findings.back().operation = Operation::kSuggestion;
    }
  }

  /// What is installed stops no program by itself: where one imports it, that has its own row. A
  /// project may run without an extra.
  void ReportInstalled(TextRange range, bool is_extra, Findings& findings) const {
    Report(range, false, findings);
    Finding& finding = findings.back();
    finding.severity = std::max(severity_, Severity::kMayGoWrong);
    const bool does_harm = severity_ == Severity::kStopsImport || !installed_.empty();
    // Of an old version no import is told.
    if (!needed_by_.empty() || !served_from_) {
      finding.unimported =
          does_harm && needed_by_.empty() ? Unimported::kLeftOut : Unimported::kNote;
    }
    finding.needed_by = needed_by_;
    if (installed_ == "fails") {
      if (!is_extra) finding.severity = Severity::kStopsRun;
      Append(Say(" (where there is no nvcc its build stops: delete this line)",
                 "（没有 nvcc 时其编译会停止：请删除该行）"),
             finding);
    } else if (installed_ == "displaces") {
      Append(Say(" (delete this line: what it installs takes the place of packages for the NPU)",
                 "（请删除该行：它安装的内容会取代 NPU 所用的软件包）"),
             finding);
    }
  }

  /// `require_pkgs = ["mamba_ssm"]` of a class: nothing installs it, the class asks whether it is
  /// there.
  static bool IsInAttributeOfClass(Node string) {
    const Node list = string.parent();
    const Node statement = list.parent().parent();
    return list.parent().Is(NodeKind::kAssignment) &&
           statement.parent().parent().Is(NodeKind::kClassDefinition);
  }

  void ReportAsked(TextRange range, Findings& findings) const {
    if (!stops_) return;
    Report(range, false, findings);
    findings.back().operation = Operation::kSuggestion;
    findings.back().severity = Severity::kMayGoWrong;
    Append(Say(" (this class asks for the package: where it is checked, what needs the class ends)",
               "（该类要求此软件包：检查之处会使依赖该类的程序停止）"),
           findings.back());
  }

  static void Append(const Text& text, Finding& finding) {
    finding.message.en += text.en;
    finding.message.zh += text.zh;
  }

  static constexpr uint32_t kModuleScope = 0;

  std::vector<std::string> names_;
  PackageNames packages_;
  std::vector<std::string> needed_by_;
  std::optional<Version> served_from_;
  std::vector<std::string> counterparts_;
  std::vector<std::string> goes_with_;
  std::vector<std::string> own_parts_;
  std::vector<std::string> makers_;
  bool has_counterpart_;
  bool import_works_;
  bool every_use_;
  bool is_all_;
  std::string installed_;
  Severity severity_;
  bool stops_;
  bool is_cuda_only_;
  Text message_;
  ApiEntry entry_;
};

Result<std::unique_ptr<Rule>> MakeLibraryReportRule(RuleHeader header, const Fields& fields) {
  if (fields.List("names").empty() && fields.List("packages").empty()) {
    return BadRule(Say("give names, packages or both", "须给出 names 或 packages"));
  }
  if (auto mistake = PackageNames(fields.List("packages")).Mistake()) return *mistake;
  if (fields.Has("served_from")) {
    if (const auto version = ParseVersion(fields.String("served_from")); !version) {
      return version.error();
    }
  }
  return MakeRule<LibraryReportRule>(std::move(header), fields);
}

}  // namespace

RuleKind LibraryReportRuleKind() {
  return {
      "LibraryReportRule",
      "Reports a library that needs CUDA where a file first imports it, where a configuration "
      "first names a class of it, and where a project asks for its package, always with the same "
      "message: what the library does on an NPU, "
      "and the rule's why, which says what to do.",
      {{"names", FieldType::kStringList, false,
        "Dotted names that programs import, for example flash_attn and numba.cuda; what lies in "
        "them counts as well."},
       {"packages", FieldType::kStringList, false,
        "Packages that bring it, as pip compares names; * stands for any text."},
       {"effect",
        FieldType::kChoice,
        true,
        "import: it cannot be installed or imported without CUDA; run: it does not run on an "
        "NPU as it is; slow: it computes on the CPU; install: another package or version "
        "serves the NPU; use: the code that uses it is told where it stops.",
        {"import", "run", "slow", "install", "use"}},
       {"remedy",
        FieldType::kChoice,
        true,
        "What a person does: install another package or version, replace its calls, switch "
        "off an option, migrate its sources, or none where no counterpart is known.",
        {"install", "replace", "switch_off", "migrate", "none"}},
       {"served_from", FieldType::kString, false,
        "The first version that serves NPUs: only projects that ask for an older one are "
        "reported, and imports are not."},
       {"every_use", FieldType::kBoolean, false,
        "The names are missing where there is no CUDA: each use of one has its row, not the first "
        "of "
        "a file alone, and one that a `def` at the top computes, as an annotation, stops the "
        "import."},
       {"is_all", FieldType::kBoolean, false,
        "A program that imports it at its top is about nothing else: nothing in that is edited."},
       {"installed",
        FieldType::kChoice,
        false,
        "What a line does that asks for the package: fails, pip builds it with nvcc; displaces, it "
        "takes the place of packages for the NPU.",
        {"fails", "displaces"}},
       {"needed_by", FieldType::kStringList, false,
        "Last parts of the names of the package that need what the rule says, where the others do "
        "not: where no file imports one of them, a requirement is a note."},
       {"import_works", FieldType::kBoolean, false,
        "Its import succeeds without CUDA, so that a program which would go on without it takes "
        "it."},
       {"counterparts", FieldType::kStringList, false,
        "Modules that serve the NPU in its place or beside it: of a project that names one, "
        "imports "
        "only say what to install."},
       {"goes_with", FieldType::kStringList, false,
        "Libraries that this one serves: its import in a file that imports one of them belongs to "
        "the rule of that name."},
       {"own_parts", FieldType::kStringList, false,
        "Of goes_with: parts of this one that do work of their own: a file that names one is a "
        "matter of this rule."},
       {"makers", FieldType::kStringList, false,
        "What makes objects of its classes besides these: where the project has none of them and "
        "calls no such class, what waits for such an object, as behind isinstance(), is not used."},
       {"source", FieldType::kString, false, "Where the counterpart is documented."}},
      MakeLibraryReportRule};
}

}  // namespace transplt
