// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/engine/file_context.h"
#include "transplt/engine/word_filter.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/pickled_objects.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/default_argument.h"
#include "transplt/rule_kinds/handed_argument.h"
#include "transplt/rule_kinds/library_call.h"
#include "transplt/rule_kinds/parsed_argument.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

std::vector<LibraryCall> CallsOfRule(const Fields& fields) {
  std::vector<LibraryCall> calls;
  for (const std::string& text : fields.List("calls")) {
    if (std::optional<LibraryCall> call = ReadLibraryCall(text)) calls.push_back(*std::move(call));
  }
  return calls;
}

/// Reports where a program makes an object of a class of a library: a call of the class, however
/// it is named there, or of a method that makes one, a class of the project that derives from it,
/// and the name of the class in a configuration (`_target_: lightning.Trainer`). An argument that
/// decides is found as well where its value waits under its name: in a dictionary, as a default.
/// A rule about members or hooks is about these alone: `Trainer.add_argparse_args()`, and methods
/// that a class of the project defines for the library to call. What always takes the place of a
/// value is written there.
class ObjectReportRule : public Rule {
 public:
  ObjectReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        packages_(fields.List("packages")),
        names_(fields.List("names")),
        makers_(fields.List("makers")),
        arguments_(fields.List("arguments")),
        values_(fields.List("values")),
        idle_values_(fields.List("idle_values")),
        spared_values_(fields.List("spared_values")),
        needs_(fields.String("needs")),
        spared_by_(fields.String("spared_by")),
        members_(fields.List("members")),
        hooks_(fields.List("hooks")),
        held_as_(fields.String("held_as")),
        of_any_(fields.Boolean("of_any", false)),
        assigned_(fields.Boolean("assigned", false)),
        calls_(CallsOfRule(fields)),
        returns_(fields.Integer("returns", 0)),
        returned_keys_(fields.List("returned_keys")),
        named_to_(fields.List("named_to")),
        left_out_{fields.String("left_out"), fields.Integer("left_out_idx", -1)},
        settled_by_(fields.List("settled_by")),
        keeper_(fields.String("keeps_objects_by")),
        instead_(fields.List("instead")),
        not_after_(fields.String("not_after")),
        only_with_argument_(fields.Boolean("only_with_argument", false)),
        only_beside_names_(fields.Boolean("only_beside_names", false)),
        only_calls_(fields.Boolean("only_calls", false)),
        of_derived_(fields.Boolean("derived", false)),
        parsed_(fields) {}

  std::vector<Trigger> triggers() const override {
    if (IsAboutMembers()) {
      std::vector<Trigger> of_members;
      for (const std::string& hook : hooks_) {
        of_members.push_back({NodeKind::kFunctionDefinition, hook});
      }
      const NodeKind use = held_as_.empty() ? NodeKind::kCall : NodeKind::kAttribute;
      for (const std::string& member : members_) of_members.push_back({use, member});
      return of_members;
    }
    std::vector<Trigger> triggers = {{NodeKind::kCall, ""}, {NodeKind::kClassDefinition, ""}};
    if (!only_with_argument_ || only_calls_) return triggers;
    for (const std::string& value : values_) triggers.push_back({NodeKind::kString, value});
    return triggers;
  }

  WordSets required_words() const override {
    WordSets words;
    for (const std::vector<std::string>* list : {&hooks_, &members_}) {
      for (const std::string& word : *list) {
        words.push_back(held_as_.empty() ? WordSets::value_type{word}
                                         : WordSets::value_type{word, held_as_});
      }
    }
    if (IsAboutMembers()) return words;
    if (of_derived_) {  // the class may come from another file
      for (const std::string& argument : arguments_) words.push_back({argument});
      return words;
    }
    for (const std::vector<std::string>* list : {&names_, &makers_}) {
      for (const std::string& name : *list) {
        if (name == "*") continue;
        if (!only_with_argument_) words.push_back({name});
        for (const std::string& argument : arguments_) {
          if (only_with_argument_) words.push_back({name, argument});
        }
      }
    }
    if (only_calls_) return words;
    for (const std::string& argument : arguments_) {
      for (const std::string& value : values_) {
        if (only_with_argument_ && value != "True") words.push_back(WordsOfItem(argument, value));
      }
    }
    return words;
  }
  WordSets setting_words() const override {
    WordSets words = parsed_.WordsFor(arguments_);
    if (IsAboutMembers()) return words;
    for (const std::string& package : packages_) {
      for (const std::string& name : names_) {
        if (name != "*" && !only_with_argument_) {
          words.push_back({package.substr(0, package.find('.')), name});
        }
      }
    }
    if (!only_with_argument_ || only_calls_) return words;
    for (const std::string& argument : arguments_) {
      for (const std::string& value : values_) words.push_back(WordsOfItem(argument, value));
    }
    return words;
  }

  void CheckSettings(const std::vector<Setting>& settings, Findings& findings) const override {
    for (const Setting& setting : settings) CheckSetting(setting, findings);
    for (const Setting* setting : parsed_.AmongSettings(settings, arguments_)) {
      const bool is_it = values_.empty() || IsOf(values_, setting->value);
      if (!is_it || IsOneOf(setting->value, idle_values_)) continue;
      Report(setting->name_range, findings);
      findings.back().needed_by = parsed_.NeededBy(*setting);
    }
  }

  void CheckSetting(const Setting& setting, Findings& findings) const override {
    using Kind = Setting::Kind;
    const bool is_option = only_with_argument_ && setting.kind == Kind::kOption;
    if (only_calls_ || IsAboutMembers() || (setting.kind != Kind::kKey && !is_option)) return;
    if (setting.value_range.empty()) return;
    // Of an argument that decides, a configuration gives the value by the same name.
    const bool is_it = only_with_argument_
                           ? IsOf(arguments_, setting.name) && IsOf(values_, setting.value)
                           : IsMade(setting.value);
    if (!is_it) return;
    ReportValue(setting.value_range, setting.value, findings);
    if (only_beside_names_) findings.back().needed_by = names_;
  }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (node.Is(NodeKind::kString)) {
      if (HasValue(node) && WaitsUnderName(node, file) && !IsBehindNeed(node, file)) {
        Report(node.range(), findings);
      }
      return;
    }
    if (node.Is(NodeKind::kClassDefinition)) {
      if (!only_with_argument_) CheckBases(node, file, findings);
      return;
    }
    if (node.Is(NodeKind::kFunctionDefinition)) return CheckHook(node, file, findings);
    if (node.Is(NodeKind::kAttribute)) return CheckHeld(node, file, findings);
    if (IsAboutMembers()) return CheckMember(node, file, findings);
    const std::optional<Callee> callee = MadeBy(node, file);
    if (callee) return CheckCall(node, *callee, file, findings);
    if (of_derived_) CheckHanded(node, file, findings);
  }

 private:
  /// The words of `precision: 16-mixed`.
  static WordSets::value_type WordsOfItem(const std::string& argument, const std::string& value) {
    WordSets::value_type words = {argument};
    for (const std::string_view word : WordsIn(value)) words.emplace_back(word);
    return words;
  }

  bool IsAboutMembers() const { return !members_.empty() || !hooks_.empty(); }

  /// `Trainer.add_argparse_args(parser)`, `Model.load_from_checkpoint(path)`
  void CheckMember(Node call, const FileContext& file, Findings& findings) const {
    const Node callee = call.Child(Field::kFunction);
    const bool is_it =
        std::ranges::any_of(file.names().Resolve(callee), [&](const QualifiedName& name) {
          return IsOf(members_, LastPart(name.name)) &&
                 DerivesFromIt({std::string(ParentPart(name.name)), name.local}, file);
        });
    if (!is_it || !LeavesArgument(call) || IsSettled(call, file)) return;
    if (keeper_.empty()) return Report(callee.range(), findings);
    const ValueSources& sources = file.sources();
    const auto made = sources.DefinitionOf(callee.Child(Field::kObject));
    const Node kept = made && made->node.Is(NodeKind::kClassDefinition)
                          ? ObjectHandedTo(keeper_, made->node)
                          : Node();
    if (!kept) return;
    Report(callee.range(), findings);
    const uint32_t line = kept.tree().source().Locate(kept.range().start).line;
    const Text place = Say(" ({}:{}: {})", "（{}:{}: {}）", made->path(), line, kept.text());
    findings.back().message.en += place.en;
    findings.back().message.zh += place.zh;
  }

  /// `self.trainer.use_ddp` in a class that derives from one of the library, `trainer.use_ddp`
  /// there where a method is given it, and of a `trainer = Trainer()`.
  void CheckHeld(Node member, const FileContext& file, Findings& findings) const {
    const Node holder = member.Child(Field::kObject);
    const Node name = holder.Is(NodeKind::kAttribute) ? holder.Child(Field::kAttribute) : holder;
    const bool is_assigned =
        member.field() == Field::kLeft && member.parent().Is(NodeKind::kAssignment);
    if (name.text() != held_as_ || is_assigned != assigned_) return;
    if (of_any_ ? !holder.Is(NodeKind::kAttribute) || !ImportsIt(file)
                : !IsInDerived(member, file) && !IsMadeHere(holder, file)) {
      return;
    }
    if (!IsAskedFor(member, file)) Report(member.range(), findings);
  }

  bool ImportsIt(const FileContext& file) const {
    return std::ranges::any_of(packages_, [&](const std::string& package) {
      return file.Imports(package.substr(0, package.find('.')));
    });
  }

  /// True if the program goes on where it is not there: `try`, `hasattr(trainer, "use_ddp")`.
  static bool IsAskedFor(Node member, const FileContext& file) {
    const std::string_view name = member.Child(Field::kAttribute).text();
    return IsOptionalName(member) || std::ranges::any_of(file.NodesSaying(name), [](Node node) {
             return node.Is(NodeKind::kStringContent);
           });
  }

  bool IsInDerived(Node node, const FileContext& file) const {
    const Node definition = file.classes().EnclosingClass(node);
    if (!definition) return false;
    for (const Node base : NamedChildren(definition.Child(Field::kSuperclasses))) {
      for (const QualifiedName& name : file.names().Resolve(base)) {
        if (DerivesFromIt(name, file)) return true;
      }
    }
    return false;
  }

  bool IsMadeHere(Node name, const FileContext& file) const {
    if (!name.Is(NodeKind::kIdentifier)) return false;
    const NameTable::Meanings bindings = file.names().BindingsOf(name);
    return std::any_of(bindings.begin(), bindings.end(), [&](const Binding* binding) {
      return binding->kind == BindingKind::kAssignment && binding->value.Is(NodeKind::kCall) &&
             MadeBy(binding->value, file).has_value();
    });
  }

  bool LeavesArgument(Node call) const {
    if (left_out_.keyword.empty()) return true;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Argument* given = left_out_.GivenIn(arguments);
    return given == nullptr ? !IsExcluded(arguments, {}) : given->value.Is(NodeKind::kNone);
  }

  /// True if one of those methods is called on what `call` gives, or takes it, or nobody sees here
  /// where it goes: `model = Model.load_from_checkpoint(path).eval()`, `trainer.test(model)`.
  bool IsSettled(Node call, const FileContext& file) const {
    if (settled_by_.empty()) return false;
    Node whole = call;
    while (whole.parent().Is(NodeKind::kAttribute) || whole.parent().Is(NodeKind::kCall)) {
      if (whole.field() == Field::kAttribute) break;
      whole = whole.parent();
      if (IsSettling(whole)) return true;
    }
    const Node assignment = whole.parent();
    if (!assignment.Is(NodeKind::kAssignment)) return true;
    const std::string_view name = LastPart(assignment.Child(Field::kLeft).text());
    return std::ranges::any_of(file.NodesSaying(name), [&](Node use) {
      if (use.field() == Field::kAttribute) use = use.parent();
      Node outer = use;
      while (outer.parent().Is(NodeKind::kAttribute) || outer.parent().Is(NodeKind::kCall)) {
        outer = outer.parent();
        if (IsSettling(outer)) return true;
      }
      if (use.parent().Is(NodeKind::kKeywordArgument)) use = use.parent();
      return use.parent().Is(NodeKind::kArgumentList) && IsSettling(use.parent().parent());
    });
  }

  bool IsSettling(Node call) const {
    const Node callee = call.Is(NodeKind::kCall) ? call.Child(Field::kFunction) : Node();
    return callee.Is(NodeKind::kAttribute) &&
           IsOf(settled_by_, callee.Child(Field::kAttribute).text());
  }

  /// A method of a class that derives from one of the library, perhaps through others.
  void CheckHook(Node function, const FileContext& file, Findings& findings) const {
    const Node definition = file.classes().EnclosingClass(function);
    const Node block = function.parent().Is(NodeKind::kDecoratedDefinition)
                           ? function.parent().parent()
                           : function.parent();
    if (!definition || block != definition.Child(Field::kBody)) return;
    const std::optional<Misfit> misfit = MisfitOfHook(function, definition, file);
    if (!calls_.empty() && !misfit) return;
    for (const Node base : NamedChildren(definition.Child(Field::kSuperclasses))) {
      for (const QualifiedName& name : file.names().Resolve(base)) {
        if (!DerivesFromIt(name, file)) continue;
        const TextRange place = function.Child(Field::kName).range();
        if (misfit) return ReportMisfit(place, *misfit, findings);
        if (!returned_keys_.empty()) {
          const Node key = ReturnedKey(function, file);
          if (key) Report(key.range(), findings);
          return;
        }
        if (returns_ == 0) return Report(place, findings);
        const Node other = OtherReturn(function, file);
        if (other && IsNamedTo(definition, file)) Report(other.range(), findings);
        return;
      }
    }
  }

  /// The first of the calls that the library makes of a method, and the method does not take.
  std::optional<Misfit> MisfitOfHook(Node function, Node definition,
                                     const FileContext& file) const {
    for (const LibraryCall& call : calls_) {
      std::optional<Misfit> misfit = MisfitOf(call, function);
      if (misfit && IsMadeFor(call, definition, file)) return misfit;
    }
    return std::nullopt;
  }

  void ReportMisfit(TextRange range, const Misfit& misfit, Findings& findings) const {
    Text message = header().why;
    message.en += " (here " + misfit.what.en + ")";
    message.zh += "（此处" + misfit.what.zh + "）";
    findings.push_back(Row(range, std::move(message)));
    if (!misfit.raises) findings.back().severity = Severity::kMayGoWrong;
  }

  /// The first of those keys in a dictionary that `function` returns, or a null node.
  Node ReturnedKey(Node function, const FileContext& file) const {
    const ValueSources& sources = file.sources();
    for (const Node node : NodesIn(function)) {
      const Node value = node.Is(NodeKind::kReturnStatement) ? node.first_named_child() : Node();
      if (!value || DefinitionAround(node) != function) continue;
      for (const ValueSource& source : sources.Of(value)) {
        if (!source.node.Is(NodeKind::kDictionary) || &source.node.tree() != &file.tree()) continue;
        for (const Node pair : NamedChildren(source.node)) {
          const Node key = pair.Is(NodeKind::kPair) ? pair.Child(Field::kKey) : Node();
          const Node content = key ? PlainStringContent(key) : Node();
          if (content && IsOf(returned_keys_, content.text())) return key;
        }
      }
    }
    return {};
  }

  /// The first `return` of `function` that gives another number of values than the library wants,
  /// or a null node.
  Node OtherReturn(Node function, const FileContext& file) const {
    for (const Node node : NodesIn(function)) {
      if (!node.Is(NodeKind::kReturnStatement)) continue;
      const Node values = node.first_named_child();
      const bool is_own = file.names().ScopeNode(file.names().ScopeOf(node)) == function;
      if (!is_own || (!values.Is(NodeKind::kExpressionList) && !values.Is(NodeKind::kTuple))) {
        continue;
      }
      int64_t count = 0;
      bool has_star = false;
      for (const Node value : NamedChildren(values)) {
        has_star |= value.Is(NodeKind::kListSplat);
        ++count;
      }
      if (!has_star && count != returns_) return node;
    }
    return {};
  }

  /// True if the project names the class to one of those functions, itself or by a text that ends
  /// with its name: `register("Walk-v0", entry_point="walks.walk:Walk")`.
  bool IsNamedTo(Node definition, const FileContext& file) const {
    if (named_to_.empty()) return true;
    const std::string_view name = definition.Child(Field::kName).text();
    const auto names_it = [&](const Argument& argument) {
      const Node content =
          argument.value.Is(NodeKind::kString) ? PlainStringContent(argument.value) : Node();
      const std::string_view text = content ? content.text() : argument.value.text();
      return text.substr(text.find_last_of(":.") + 1) == name;
    };
    const auto is_named_in = [&](const NameTable& names) {
      for (const Node call : NodesIn(names.tree())) {
        if (!call.Is(NodeKind::kCall) ||
            !NamesOneOf(call.Child(Field::kFunction), named_to_, names)) {
          continue;
        }
        if (std::ranges::any_of(ArgumentsOf(call), names_it)) return true;
      }
      return false;
    };
    if (file.project() == nullptr) return is_named_in(file.names());
    return std::ranges::any_of(file.project()->FilesSpelling(name), [&](const std::string& path) {
      const std::shared_ptr<const OpenedFile> other = file.project()->Open(path);
      return other != nullptr && is_named_in(other->names());
    });
  }

  bool DerivesFromIt(const QualifiedName& base, const FileContext& file) const {
    if (file.project() == nullptr) {
      return base.local ? HasItAsBase(base.name, file) : IsMade(base.name);
    }
    return std::ranges::any_of(file.project()->OutsideBasesOf(file.source().path(), base.name),
                               [&](const std::string& name) { return IsMade(name); });
  }

  /// The same of a class of the file, as far as its own bases show.
  bool HasItAsBase(std::string_view own_class, const FileContext& file) const {
    return std::ranges::any_of(file.names().bindings(), [&](const Binding& binding) {
      if (binding.kind != BindingKind::kClass || binding.name != own_class) return false;
      const Node bases = binding.statement.Child(Field::kSuperclasses);
      return bases && std::ranges::any_of(NamedChildren(bases), [&](Node base) {
               return std::ranges::any_of(
                   file.names().Resolve(base),
                   [&](const QualifiedName& name) { return !name.local && IsMade(name.name); });
             });
    });
  }

  /// What makes the object, if `call` makes one.
  std::optional<Callee> MadeBy(Node call, const FileContext& file) const {
    for (const Callee& callee : CalleesOf(call)) {
      const std::vector<QualifiedName> names = file.names().Resolve(callee.expression);
      const bool is_made = std::ranges::any_of(names, [&](const QualifiedName& name) {
        return !name.local && IsMade(name.name) && !file.IsOwn(name.name);
      });
      if (is_made) return callee;
    }
    return std::nullopt;
  }

  void CheckCall(Node call, const Callee& callee, const FileContext& file,
                 Findings& findings) const {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (IsSpared(arguments)) return;
    for (const std::string& keyword : arguments_) {
      const Argument* argument = FindKeyword(arguments, keyword);
      if (argument == nullptr) continue;
      const std::vector<Node> found = ValuesOf(argument->value, file);
      if (found.empty() || IsOneOf(argument->value.text(), idle_values_)) continue;
      if (const Node spared = SparedChoice(argument->value)) {
        Report(argument->range, findings);
        return TellChoice(spared.text(), findings.back());
      }
      if (IsPlain(argument->value)) return ReportArgument(*argument, findings);
      // What gives a variable its value, or one side of a choice, may stand in code for CUDA alone.
      for (const Node value : found) {
        Report(value == argument->value ? argument->range : value.range(), findings);
      }
      return;
    }
    if (only_with_argument_ || IsDoneBefore(call, arguments)) return;
    Report(callee.expression.range(), findings);
  }

  /// A call of a class of the project that hands one of the arguments on to the class.
  void CheckHanded(Node call, const FileContext& file, Findings& findings) const {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const auto is_handed = [&](const std::string& keyword) {
      if (FindKeyword(arguments, keyword) == nullptr) return false;
      const std::vector<std::string> classes = ClassesHanded(call, keyword, file);
      return std::ranges::any_of(classes, [&](const std::string& name) { return IsMade(name); });
    };
    if (!std::ranges::any_of(arguments_, is_handed)) return;
    CheckCall(call, CalleesOf(call).front(), file, findings);
  }

  /// The `"cpu"` of `"gpu" if available else "cpu"`, or a null node.
  Node SparedChoice(Node value) const {
    if (!value.Is(NodeKind::kConditionalExpression)) return {};
    for (const Node one : {value.first_named_child(), LastNamedChild(value)}) {
      const Node content = one.Is(NodeKind::kString) ? PlainStringContent(one) : Node();
      if (content && IsOneOf(content.text(), spared_values_)) return one;
    }
    return {};
  }

  /// With that value the program goes on.
  static void TellChoice(std::string_view spared, Finding& finding) {
    finding.severity = Severity::kMayGoWrong;
    const Text text =
        Say(" (where it is {0} here, the program goes on with that, and without an NPU)",
            "（此处取值为 {0} 时程序会继续运行，但不使用 NPU）", spared);
    finding.message.en += text.en;
    finding.message.zh += text.zh;
  }

  /// `Trainer(accelerator="cpu", ...)`
  bool IsSpared(const std::vector<Argument>& arguments) const {
    if (spared_values_.empty() || arguments_.empty()) return false;
    const Argument* argument =
        FindKeyword(arguments, spared_by_.empty() ? arguments_.front() : spared_by_);
    const bool is_text = argument != nullptr && argument->value.Is(NodeKind::kString);
    const Node content = is_text ? PlainStringContent(argument->value) : Node();
    return content && IsOneOf(content.text(), spared_values_);
  }

  /// True if the statement of `call`, or one around it, comes behind one beside it that sets what
  /// the rule names of an argument: `cfg.MODEL.DEVICE = device` before `build_model(cfg)`.
  bool IsDoneBefore(Node call, const std::vector<Argument>& arguments) const {
    if (not_after_.empty()) return false;
    for (Node inner = call; inner; inner = inner.parent()) {
      if (inner.Is(NodeKind::kFunctionDefinition)) return false;
      if (!inner.parent().Is(NodeKind::kBlock) && !inner.parent().Is(NodeKind::kModule)) continue;
      for (const Node statement : NamedChildren(inner.parent())) {
        if (statement == inner) break;
        if (SetsIt(statement.first_named_child(), arguments)) return true;
      }
    }
    return false;
  }

  bool SetsIt(Node assignment, const std::vector<Argument>& arguments) const {
    if (!assignment.Is(NodeKind::kAssignment)) return false;
    const std::string_view target = assignment.Child(Field::kLeft).text();
    return std::ranges::any_of(arguments, [&](const Argument& argument) {
      const std::string_view holder = argument.value.text();
      return target.size() == holder.size() + 1 + not_after_.size() && target.starts_with(holder) &&
             target[holder.size()] == '.' && target.ends_with(not_after_);
    });
  }

  void CheckBases(Node definition, const FileContext& file, Findings& findings) const {
    const Node bases = definition.Child(Field::kSuperclasses);
    for (const Node base : NamedChildren(bases)) {
      const std::vector<QualifiedName> names = file.names().Resolve(base);
      const bool is_made = std::ranges::any_of(names, [&](const QualifiedName& name) {
        return !name.local && IsMade(name.name) && !file.IsOwn(name.name);
      });
      if (is_made) Report(base.range(), findings);
    }
  }

  /// True for an argument whose value is one of those asked for.
  bool HasValue(Node value) const {
    if (values_.empty()) return true;
    const Node content = value.Is(NodeKind::kString) ? PlainStringContent(value) : Node();
    const std::string_view text = content ? content.text() : value.text();
    return IsOneOf(text, values_);
  }

  /// What has such a value of those that `value` may have: itself, what a variable of another name
  /// is given, a side of a choice. None where the program asks for the package that the value
  /// needs.
  std::vector<Node> ValuesOf(Node value, const FileContext& file) const {
    std::vector<Node> found;
    AddValuesOf(value, file, found);
    return found;
  }

  void AddValuesOf(Node value, const FileContext& file, std::vector<Node>& found) const {
    if (!values_.empty() && value.Is(NodeKind::kConditionalExpression)) {
      const Node condition = value.first_named_child().next_named_sibling();
      for (const Node side : {value.first_named_child(), condition.next_named_sibling()}) {
        if (HasValue(side) && !IsBehindNeed(side, file)) found.push_back(side);
      }
      return;
    }
    if (HasValue(value)) {
      if (!IsBehindNeed(value, file)) found.push_back(value);
      return;
    }
    // The place that gives a variable of the argument's name its value is reported itself.
    const bool waits = IsOf(arguments_, value.text()) && !only_calls_;
    if (!value.Is(NodeKind::kIdentifier) || waits) return;
    for (const Binding* binding : file.names().BindingsOf(value)) {
      if (binding->kind == BindingKind::kAssignment && binding->value &&
          !binding->value.Is(NodeKind::kIdentifier)) {
        AddValuesOf(binding->value, file, found);
      }
    }
  }

  /// True if the program comes to `node` only where the package that the value needs is there.
  bool IsBehindNeed(Node node, const FileContext& file) const {
    return !needs_.empty() && RunsWithLibraryAlone(node, needs_, file.names(), file.project());
  }

  /// True if `string` is what a dictionary, a parameter, a field, an option or a call that makes no
  /// object itself has under the name of an argument that decides.
  bool WaitsUnderName(Node string, const FileContext& file) const {
    Node value = string;
    while (value.parent().Is(NodeKind::kConditionalExpression) ||
           value.parent().Is(NodeKind::kParenthesizedExpression)) {
      value = value.parent();
    }
    if (IsDefault(value)) return IsDeciding(NameOfDefault(value.parent().parent().parent()));
    const Node call = value.parent().parent().parent();
    if (value.parent().Is(NodeKind::kKeywordArgument) && MadeBy(call, file)) return false;
    return IsDeciding(NameOver(value));
  }

  /// `field(default="x")`.
  static bool IsDefault(Node value) {
    return value.parent().Is(NodeKind::kKeywordArgument) &&
           value.parent().Child(Field::kName).text() == "default";
  }

  /// The option or the field that a call with a default makes.
  static std::string_view NameOfDefault(Node call) {
    const Node first = call.Child(Field::kArguments).first_named_child();
    const Node content = first.Is(NodeKind::kString) ? PlainStringContent(first) : Node();
    return content ? content.text() : NameOver(call);
  }

  /// The name under which the place of `value` is known: its key, parameter or variable; "" if
  /// none.
  static std::string_view NameOver(Node value) {
    const Node parent = value.parent();
    switch (parent.kind()) {
      case NodeKind::kPair:
        return value.field() == Field::kValue ? TextOf(parent.Child(Field::kKey)) : "";
      case NodeKind::kKeywordArgument:
      case NodeKind::kDefaultParameter:
      case NodeKind::kTypedDefaultParameter:
        return parent.Child(Field::kName).text();
      case NodeKind::kAssignment: {
        const Node left = parent.Child(Field::kLeft);
        if (value.field() != Field::kRight) return {};
        return left.Is(NodeKind::kSubscript) ? TextOf(left.Child(Field::kSubscript))
                                             : LastPart(left.text());
      }
      case NodeKind::kArgumentList: {  // setattr(config, "name", "x"), kwargs.get("name", "x")
        Node before = parent.first_named_child();
        while (before && before.next_named_sibling() != value) before = before.next_named_sibling();
        return TextOf(before);
      }
      default:
        return {};
    }
  }

  /// "x" for the string 'x', "" for anything else.
  static std::string_view TextOf(Node string) {
    const Node content = string.Is(NodeKind::kString) ? PlainStringContent(string) : Node();
    return content ? content.text() : std::string_view();
  }

  /// `_attn_implementation` and `--attn-implementation` are `attn_implementation`.
  bool IsDeciding(std::string_view spelled) const {
    std::string name(spelled.substr(std::min(spelled.find_first_not_of("-_"), spelled.size())));
    std::replace(name.begin(), name.end(), '-', '_');
    return IsOf(arguments_, name);
  }

  /// How deep a class lies in its package does not matter: "lightning.pytorch.trainer.Trainer".
  bool IsMade(std::string_view qualified) const {
    const bool is_of_package = std::ranges::any_of(packages_, [&](const std::string& package) {
      return qualified.size() > package.size() && IsInside(package, qualified);
    });
    if (!is_of_package) return false;
    const std::string_view last = LastPart(qualified);
    // Of every class, a call of the class itself is for whoever asks: a configuration is handed on.
    if (IsOneOf(last, names_)) return true;
    return IsOf(makers_, last) && IsOf(names_, LastPart(ParentPart(qualified)));
  }

  static bool IsOf(const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::any_of(names, [&](const std::string& one) {
      return one == name || (one == "*" && !name.empty());
    });
  }

  /// True for a value that stands there as it is: nothing else gives it.
  static bool IsPlain(Node value) {
    return value.Is(NodeKind::kString) || value.Is(NodeKind::kTrue) || value.Is(NodeKind::kFalse) ||
           value.Is(NodeKind::kNone);
  }

  void ReportArgument(const Argument& argument, Findings& findings) const {
    const Node content =
        argument.value.Is(NodeKind::kString) ? PlainStringContent(argument.value) : argument.value;
    const bool may_write = content && !instead_.empty();
    if (!may_write) return Report(argument.range, findings);
    ReportValue(content.range(), content.text(), findings);
  }

  /// Writes what takes the place of `value`, or reports it where nothing does.
  void ReportValue(TextRange range, std::string_view value, Findings& findings) const {
    const auto at = std::ranges::find(values_, value);
    if (instead_.empty() || at == values_.end()) return Report(range, findings);
    const std::string& text = instead_[static_cast<size_t>(at - values_.begin())];
    Finding finding = Change(range, Say("change {} to {}", "将 {} 改为 {}", value, text));
    finding.fix.Replace(range, text);
    findings.push_back(std::move(finding));
  }

  void Report(TextRange range, Findings& findings) const {
    findings.push_back(Row(range, header().why));
  }

  std::vector<std::string> packages_;
  std::vector<std::string> names_;
  std::vector<std::string> makers_;
  std::vector<std::string> arguments_;
  std::vector<std::string> values_;
  std::vector<std::string> idle_values_;
  std::vector<std::string> spared_values_;
  std::string needs_;
  std::string spared_by_;
  std::vector<std::string> members_;
  std::vector<std::string> hooks_;
  std::string held_as_;
  bool of_any_;
  bool assigned_;
  std::vector<LibraryCall> calls_;
  int64_t returns_;
  std::vector<std::string> returned_keys_;
  std::vector<std::string> named_to_;
  DefaultArgument left_out_;
  std::vector<std::string> settled_by_;
  std::string keeper_;
  std::vector<std::string> instead_;
  std::string not_after_;
  bool only_with_argument_;
  bool only_beside_names_;
  bool only_calls_;
  bool of_derived_;
  ParsedArgument parsed_;
};

Result<std::unique_ptr<Rule>> MakeObjectReportRule(RuleHeader header, const Fields& fields) {
  const std::vector<std::string> names = fields.List("names");
  const bool takes_all = IsOneOf("*", names);
  if (takes_all && fields.List("makers").empty()) {
    return BadRule(Say("the name * needs makers", "名称 * 须与 makers 一同使用"));
  }
  if (fields.Boolean("only_with_argument", false) && fields.List("arguments").empty()) {
    return BadRule(
        Say("only_with_argument needs arguments", "only_with_argument 须与 arguments 一同使用"));
  }
  if (fields.Boolean("derived", false) && !fields.Boolean("only_with_argument", false)) {
    return BadRule(
        Say("derived needs only_with_argument", "derived 须与 only_with_argument 一同使用"));
  }
  if (CallsOfRule(fields).size() != fields.List("calls").size()) {
    return BadRule(Say("\"calls\" is a list of arguments: loop: model, inputs, count=",
                       "\"calls\" 是参数列表，例如：loop: model, inputs, count="));
  }
  if (fields.Has("held_as") && fields.List("members").empty()) {
    return BadRule(Say("held_as needs members", "held_as 须与 members 一同使用"));
  }
  if (fields.Has("instead") && fields.List("instead").size() != fields.List("values").size()) {
    return BadRule(Say("\"instead\" needs one text for each of \"values\"",
                       "\"instead\" 须为 \"values\" 的每一项给出一个文本"));
  }
  return MakeRule<ObjectReportRule>(std::move(header), fields);
}

}  // namespace

RuleKind ObjectReportRuleKind() {
  return {
      "ObjectReportRule",
      "Reports where a program makes an object of a class of a library, by whatever name it "
      "knows the class, where a class of the project derives from it, and where a "
      "configuration names it; the rule's why is the message. A value that another always takes "
      "the place of is changed.",
      ParsedArgument::WithFieldsOf(
          {{"packages", FieldType::kStringList, true,
            "The packages that hold the class, for example pytorch_lightning."},
           {"names", FieldType::kStringList, true,
            "The last names of classes and functions; * stands for every class, and then only "
            "makers "
            "are meant."},
           {"makers", FieldType::kStringList, false,
            "Methods of the class that make an object, for example from_pretrained."},
           {"arguments", FieldType::kStringList, false,
            "The keyword arguments that decide: the first one that is passed is the place that "
            "is reported."},
           {"values", FieldType::kStringList, false,
            "Only these values of the arguments count: the text of a string, or True."},
           {"idle_values", FieldType::kStringList, false,
            "Values of the arguments that ask for nothing, as they are written: 0, False."},
           {"spared_values", FieldType::kStringList, false,
            "Texts of the first of arguments with which the call is not reported: cpu."},
           {"needs", FieldType::kString, false,
            "The package that such a value needs: where the program asks whether it is there, or "
            "has just imported it in a try, nothing is reported."},
           {"spared_by", FieldType::kString, false,
            "Of spared_values: the argument that has one of them, if it is not the first."},
           {"members", FieldType::kStringList, false,
            "Methods of the class itself, and of those of the project that derive from it: only "
            "their "
            "calls are reported."},
           {"held_as", FieldType::kString, false,
            "Of members: an attribute of its objects, and a parameter of their methods: the uses "
            "of "
            "members of that are reported, which the library has no longer."},
           {"of_any", FieldType::kBoolean, false,
            "Of held_as: of whatever object, in files that import one of packages: no other "
            "library has such an attribute with such members."},
           {"assigned", FieldType::kBoolean, false,
            "Of held_as: not the uses of the member are reported, but where it is given a value."},
           {"left_out", FieldType::kDottedName, false,
            "Of members: only calls that leave this argument to its default, or pass None for it."},
           {"left_out_idx", FieldType::kInteger, false,
            "Of left_out: its position, if it can be positional."},
           {"settled_by", FieldType::kStringList, false,
            "Of members: methods that are called on the result, or take it: where one is, and "
            "where "
            "the result gets no name, the call is not reported."},
           {"keeps_objects_by", FieldType::kDottedName, false,
            "Of members: only of a class of the project whose constructor hands an object to this "
            "method of it, which writes it into checkpoints."},
           {"hooks", FieldType::kStringList, false,
            "Methods for the library to call: only their definitions are reported, in classes that "
            "derive from the class, itself or through others of the project."},
           {"only_with_argument", FieldType::kBoolean, false,
            "Report only calls that pass one of the arguments."},
           {"calls", FieldType::kStringList, false,
            "Of hooks: the arguments with which the library calls one: model, inputs, count=; "
            "with = those passed by keyword, with ? those passed only where there is a parameter; "
            "!name is a parameter that it refuses. In front, and a colon, the methods in which it "
            "does, "
            "the outermost first: train > loop: model. A method that takes them is not reported, "
            "nor one of a class that puts others in the place of those methods."},
           {"instead", FieldType::kStringList, false,
            "What takes the place of each of values, in their order: written where the value "
            "itself stands, in code and in configurations."},
           {"returned_keys", FieldType::kStringList, false,
            "Of hooks: only one that returns a dictionary with one of these keys, of which the row "
            "is about the first."},
           {"returns", FieldType::kInteger, false,
            "Of hooks: how many values the library unpacks from what one returns: only a return of "
            "another number is reported."},
           {"named_to", FieldType::kStringList, false,
            "Of returns: functions by their full names: only classes that the project names to "
            "one, itself or as text: entry_point=\"walks.walk:Walk\"."},
           {"not_after", FieldType::kDottedName, false,
            "A part of an argument, MODEL.DEVICE: no report behind an assignment to it, beside the "
            "call or around it."},
           {"only_beside_names", FieldType::kBoolean, false,
            "Of configurations and commands: only in projects whose code spells one of names."},
           {"only_calls", FieldType::kBoolean, false,
            "Of only_with_argument: other places that give an argument of the name its value, in "
            "code and in configurations, are not meant."},
           {"derived", FieldType::kBoolean, false,
            "Also calls of classes of the project that hand one of arguments on to the constructor "
            "of "
            "the class: they have none of their own, or pass it their **kwargs."},
           {"source", FieldType::kString, false, "Where this is documented."}}),
      MakeObjectReportRule};
}

}  // namespace transplt
