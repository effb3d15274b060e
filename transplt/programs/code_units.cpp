// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/code_units.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <limits>
#include <unordered_map>
#include <utility>

#include "transplt/base/cancelled.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/engine/target.h"
#include "transplt/facts/argument_reader.h"
#include "transplt/facts/base_constructor.h"
#include "transplt/facts/call_graph.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/name_use.h"
#include "transplt/facts/object_makers.h"
#include "transplt/facts/optional_names.h"
#include "transplt/facts/project.h"
#include "transplt/facts/range_set.h"
#include "transplt/facts/taken_values.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/facts/terms.h"
#include "transplt/facts/training_calls.h"
#include "transplt/facts/written_text.h"
#include "transplt/frontends/shell_words.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/main_block.h"
#include "transplt/python/parameters.h"
#include "transplt/python/places_of_file.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

using Names = std::set<std::string_view>;

constexpr size_t kMostBindings = 200;  // of one name that are looked at

constexpr std::array<std::string_view, 4> kTextsOfClasses = {"__doc__", "__module__", "__name__",
                                                             "__qualname__"};

bool IsDefinition(Node node) {
  return node.Is(NodeKind::kFunctionDefinition) || node.Is(NodeKind::kClassDefinition);
}

/// True for the outermost node of `a.b.c`, where it is read as a value.
bool IsWholeChain(Node node) {
  const Node parent = node.parent();
  if (parent.Is(NodeKind::kAttribute) || parent.Is(NodeKind::kDottedName)) return false;
  if (parent.Is(NodeKind::kKeywordArgument) && node.field() == Field::kName) return false;
  return !(IsDefinition(parent) && node.field() == Field::kName) &&
         !parent.Is(NodeKind::kParameters) && !parent.Is(NodeKind::kAliasedImport);
}

/// Reads one file, node by node in the order of the text.
class UnitCollector {
 public:
  UnitCollector(const CodeFile& file, const TrainingApis& apis, const Machine& machine)
      : file_(file),
        apis_(apis),
        names_(file.names()),
        makers_(file),
        settled_(names_, machine),
        dead_(settled_.DeadParts()),
        terms_(file, result_.terms, machine) {}

  /// An import, a definition, a comment or a text.
  static bool OnlyDefines(Node statement) {
    return IsImport(statement) || IsDefinition(statement) ||
           statement.Is(NodeKind::kDecoratedDefinition) || statement.Is(NodeKind::kComment) ||
           (statement.Is(NodeKind::kExpressionStatement) &&
            statement.first_named_child().Is(NodeKind::kString));
  }

  /// False for a block of `pass` and remarks, which editors put under `if __name__ ...`.
  static bool DoesSomething(Node block) {
    return !block || std::ranges::any_of(NamedChildren(block), [](Node statement) {
      const bool is_text = statement.Is(NodeKind::kExpressionStatement) &&
                           (statement.first_named_child().Is(NodeKind::kString) ||
                            statement.first_named_child().Is(NodeKind::kEllipsis));
      return !is_text && !statement.Is(NodeKind::kPassStatement) &&
             !statement.Is(NodeKind::kComment);
    });
  }

  FileUnits Run() {
    for (const Binding& binding : names_.bindings()) NoteBinding(binding);
    std::erase_if(result_.constants, [](const auto& constant) { return constant.second == 0; });
    for (Node block : MainBlocksOf(file_.tree().root())) {
      if (DoesSomething(block.Child(Field::kConsequence))) main_blocks_.insert(block.id());
    }
    result_.only_defines = std::ranges::all_of(NamedChildren(file_.tree().root()), OnlyDefines);
    UnitNamed("", 1);
    for (const std::string& target : imports_) {
      AddSign(TensorflowSignOf(target), file_.tree().root());
    }
    result_.starts.emplace_back();
    for (uint32_t id = 0; id < file_.tree().size(); ++id) {
      if (file_.project() != nullptr && IsCancelled(file_.project()->cancelled())) break;
      const Node node = file_.tree().node(id);
      while (!open_.empty() && id >= open_.back().end_id) open_.pop_back();
      Enter(node);
      Read(node);
    }
    for (const auto& [name, function] : commands_) AddCommands(name, function);
    for (const Node condition : asserted_) ReadAsserted(condition);
    for (const std::string& flag : required_flags_) RequireFlag(flag);
    for (const std::string& option : asserted_options_) ForgetDefaultOf(option);
    AddUsesOfImports();
    AddLookups();
    AddModulesOfTables();
    AddMethodsByName();
    CloseSpans(std::numeric_limits<uint32_t>::max());
    for (const auto& [name, place] : index_) {
      result_.by_name.push_back(static_cast<uint32_t>(place));
    }
    result_.has_tests |= IsTestFile();
    if (!result_.packages.empty()) ReadScriptHeader();
    for (const Framework framework : kFrameworks) {
      const bool is_imported = std::ranges::any_of(imports_, [&](const std::string& target) {
        return target.substr(0, target.find('.')) == PackageOf(framework);
      });
      if (is_imported) result_.frameworks.push_back(framework);
    }
    return std::move(result_);
  }

 private:
  struct Span {
    UnitStart start;
    uint32_t last;
    int conditions;  // that are joined in that of `start`
  };

  struct Open {
    uint32_t end_id;
    size_t unit;
    std::string name;  // with those around it
    Node function;     // null in a class and a main block
    bool is_function() const { return static_cast<bool>(function); }
  };

  /// What runs only where a condition holds.
  struct Guarded {
    uint32_t condition;
    TextRange range;
  };

  uint32_t LineOf(Node node) const { return file_.source().Locate(node.range().start).line; }
  const std::string& Path() const { return file_.source().path(); }
  CodeUnit& Unit() { return result_.units[open_.empty() ? 0 : open_.back().unit]; }

  /// The lines of `range` belong to `unit`. A branch of a branch is one.
  void OpenSpan(TextRange range, size_t unit, bool is_branch, uint32_t condition = kUnknownTerm) {
    const uint32_t first = file_.source().Locate(range.start).line;
    CloseSpans(first);
    const bool in_branch = is_branch || (!spans_.empty() && spans_.back().start.in_branch);
    const uint32_t last = range.empty() ? range.start : range.end - 1;
    constexpr int kMostConditions = 32;
    int conditions = condition == kUnknownTerm ? 0 : 1;
    if (!spans_.empty() && spans_.back().start.unit == unit) {
      const Span& around = spans_.back();
      const bool is_full = around.conditions == kMostConditions;
      condition = terms_.And(around.start.condition, is_full ? kUnknownTerm : condition);
      conditions = std::min(kMostConditions, conditions + around.conditions);
    }
    spans_.push_back(
        {{first, unit, in_branch, condition}, file_.source().Locate(last).line, conditions});
    result_.starts.push_back(spans_.back().start);
  }

  /// Ends the spans that do not reach `line`: what is around them goes on.
  void CloseSpans(uint32_t line) {
    while (!spans_.empty() && spans_.back().last < line) {
      const uint32_t behind = spans_.back().last + 1;
      spans_.pop_back();
      UnitStart around = spans_.empty() ? UnitStart() : spans_.back().start;
      around.line = behind;
      result_.starts.push_back(around);
    }
  }

  bool IsBranch(Node node) const {
    const Node parent = node.parent();
    if (!node.Is(NodeKind::kBlock) || !parent) return false;
    const bool is_main = main_blocks_.contains(parent.id()) && node.field() == Field::kConsequence;
    // What a function defines may run later, or never.
    const bool in_function = !open_.empty() && open_.back().is_function();
    if (IsDefinition(parent)) return in_function && parent != open_.back().function;
    if (parent.Is(NodeKind::kTryStatement) && node.field() == Field::kBody) {
      return IsForgiven(parent);
    }
    if (parent.Is(NodeKind::kIfStatement) && node.field() == Field::kConsequence &&
        settled_.Of(parent.Child(Field::kCondition)) == true) {
      return false;
    }
    if (parent.Is(NodeKind::kExceptClause) && BuildsWhatFailed(parent)) return false;
    // There is something to go through, as a rule.
    return !is_main && !parent.Is(NodeKind::kForStatement) &&
           !parent.Is(NodeKind::kWithStatement) && !parent.Is(NodeKind::kFinallyClause);
  }

  /// `try: import x`, `except ImportError: x = load("x", sources)`, or `from .build import x`, of a
  /// module that does so: the one or the other has to bring it.
  bool BuildsWhatFailed(Node handler) const {
    const auto [known, is_new] = builders_.try_emplace(handler.id(), false);
    if (is_new) known->second = LoadsWhatIsImportedBefore(handler);
    return known->second;
  }

  bool LoadsWhatIsImportedBefore(Node handler) const {
    const Node import = handler.parent().Child(Field::kBody).first_named_child();
    if (!IsImport(import)) return false;
    const std::vector<ImportedModule> imported = ImportedModules(import, names_);
    return std::ranges::any_of(NodesIn(handler), [&](Node node) {
      if (IsImport(node)) return BringsLoaded(node, import);
      if (!node.Is(NodeKind::kCall)) return false;
      const ExtensionModule loaded = ExtensionModuleOf(node, names_);
      // `_ext = load("_ext", ...)` in place of `import pkg._ext as _ext`.
      return !loaded.loader.empty() &&
             std::ranges::any_of(imported, [&](const ImportedModule& module) {
               return LastPart(module.name) == LastPart(loaded.name);
             });
    });
  }

  /// True if `import` takes what another module has compiled as it was imported, under a name that
  /// `failed` should have bound.
  bool BringsLoaded(Node import, Node failed) const {
    return std::ranges::any_of(names_.bindings(), [&](const Binding& binding) {
      if (binding.statement != import || file_.project() == nullptr) return false;
      const bool is_in_its_place = std::ranges::any_of(names_.bindings(), [&](const Binding& one) {
        return one.statement == failed && one.name == binding.name && one.scope == binding.scope;
      });
      if (!is_in_its_place) return false;
      const std::string path =
          file_.project()->FileOfModule(Path(), std::string(ParentPart(binding.target)));
      const auto opened = path.empty() || path == Path() ? nullptr : file_.project()->Open(path);
      if (opened == nullptr) return false;
      const NameTable& names = opened->names();
      return std::ranges::any_of(names.bindings(), [&](const Binding& made) {
        return made.scope == 0 && made.name == LastPart(binding.target) &&
               made.value.Is(NodeKind::kCall) &&
               !ExtensionModuleOf(made.value, names).loader.empty();
      });
    });
  }

  /// True if the program goes on behind some handler of `try_statement`: what fails in its body
  /// need not stop anything.
  static bool IsForgiven(Node try_statement) {
    return std::ranges::any_of(NamedChildren(try_statement), [](Node part) {
      return part.Is(NodeKind::kExceptClause) && !EndsInHandler(part);
    });
  }

  size_t UnitNamed(const std::string& name, uint32_t line) {
    const auto [place, is_new] = index_.emplace(name, result_.units.size());
    if (is_new) {
      result_.units.emplace_back();
      result_.units.back().name = name;
      result_.units.back().line = line;
    }
    return place->second;
  }

  void NoteBinding(const Binding& binding) {
    heads_.insert(binding.name);
    const bool may_name = binding.kind == BindingKind::kImport ||
                          binding.kind == BindingKind::kFunction ||
                          binding.kind == BindingKind::kClass ||
                          (binding.kind == BindingKind::kAssignment &&
                           (binding.scope == 0 || binding.value.Is(NodeKind::kAttribute) ||
                            NamesByCall(binding.value)));
    if (may_name) named_.insert(binding.name);
    if (binding.scope == 0) NoteConstant(binding, std::string(binding.name));
    if (const Node holder = PlainClassOf(binding)) {
      NoteConstant(binding, fmt::format("{}.{}", holder.Child(Field::kName).text(), binding.name));
    }
    if (binding.scope == 0 && binding.kind == BindingKind::kAssignment && IsTable(binding.value)) {
      tables_.insert(binding.name);
    }
    if (binding.scope == 0 && binding.value.Is(NodeKind::kCall)) {
      for (Origin& maker : makers_.Of(binding.value)) {
        result_.objects[std::string(binding.name)].push_back(std::move(maker));
      }
    }
    if (binding.kind == BindingKind::kImport) {
      imports_.push_back(binding.target);
      imported_.insert(binding.name);
    }
    if (WorksLater(binding)) {
      imported_.insert(binding.name);
      late_.insert(binding.node.id());
    }
  }

  /// `import_module("a.b")`, `getattr(module, "run")`
  bool NamesByCall(Node value) const {
    if (!value.Is(NodeKind::kCall)) return false;
    const Node callee = value.Child(Field::kFunction);
    return callee.text() == "getattr" || IsImportFunction(callee, names_);
  }

  /// True for `step = torch.compile(run)` in the code of the module, or in a `try` there, if only
  /// the file uses it.
  bool WorksLater(const Binding& binding) const {
    const Node statement = binding.statement;
    Node around = statement.parent().parent();
    const bool is_tried =
        around && around.field() == Field::kBody && around.parent().Is(NodeKind::kTryStatement);
    if (is_tried) around = around.parent().parent();
    if (binding.kind != BindingKind::kAssignment || !statement.Is(NodeKind::kAssignment) ||
        !around.Is(NodeKind::kModule) || statement.Child(Field::kLeft) != binding.node ||
        statement.Child(Field::kRight) != binding.value || !binding.value.Is(NodeKind::kCall)) {
      return false;
    }
    const Node callee = binding.value.Child(Field::kFunction);
    const auto is_maker = [&](std::string_view maker) { return names_.IsNamed(callee, maker); };
    return std::ranges::any_of(Words("makers-of-late-functions").words(), is_maker) &&
           (file_.project() == nullptr ||
            !file_.project()->IsImportedElsewhere(Path(), binding.name));
  }

  /// The class at the top of the module whose body binds a name, if it inherits from nothing: a
  /// member of an Enum is not its value.
  Node PlainClassOf(const Binding& binding) const {
    const Node holder = binding.scope == 0 ? Node() : names_.ScopeNode(binding.scope);
    const bool is_plain = holder && holder.Is(NodeKind::kClassDefinition) &&
                          holder.parent().Is(NodeKind::kModule) &&
                          !holder.Child(Field::kSuperclasses);
    return is_plain ? holder : Node();
  }

  /// A variable that is bound twice is none.
  void NoteConstant(const Binding& binding, std::string name) {
    const bool is_value = binding.kind == BindingKind::kAssignment && binding.value;
    const std::string constant = is_value ? ConstantOf(binding.value) : "";
    const uint32_t term = constant.empty() ? kUnknownTerm : terms_.Constant(constant);
    const auto [known, is_new] = result_.constants.emplace(std::move(name), term);
    if (!is_new) known->second = kUnknownTerm;
  }

  /// The term of an expression at the place that is read.
  uint32_t TermOf(Node expression) {
    if (open_.empty()) return terms_.Of(expression, {}, 0);
    return terms_.Of(expression, open_.back().function, static_cast<uint32_t>(open_.back().unit));
  }

  uint32_t ConditionOf(Node clause) {
    const auto [known, is_new] = conditions_.try_emplace(clause.id(), kUnknownTerm);
    if (is_new) known->second = TermOf(clause.Child(Field::kCondition));
    return known->second;
  }

  /// What holds where the clause `clause` of an `if` statement is looked at.
  uint32_t ConditionBefore(Node clause) {
    constexpr int kMostClauses = 8;
    const Node statement = clause.parent();
    uint32_t condition = terms_.Not(ConditionOf(statement));
    int clauses = 0;
    for (const Node other : NamedChildren(statement)) {
      if (other == clause || ++clauses > kMostClauses) break;
      if (!other.Is(NodeKind::kElifClause)) continue;
      condition = terms_.And(condition, terms_.Not(ConditionOf(other)));
    }
    return condition;
  }

  /// What must hold for the body of a branch to run, as far as its statement says it.
  uint32_t ConditionOfBranch(Node block) {
    const Node parent = block.parent();
    switch (parent.kind()) {
      case NodeKind::kIfStatement:
      case NodeKind::kWhileStatement:
        return ConditionOf(parent);
      case NodeKind::kElifClause:
        return terms_.And(ConditionBefore(parent), ConditionOf(parent));
      case NodeKind::kElseClause:
        if (parent.parent().Is(NodeKind::kIfStatement)) return ConditionBefore(parent);
        break;
      default:
        break;
    }
    return kUnknownTerm;
  }

  /// Behind `if x: return` x does not hold. Behind `if x: raise` a person has seen to it.
  void NoteEnd(Node statement) {
    const Node next = statement.next_named_sibling();
    const Node last = LastNamedChild(statement.Child(Field::kConsequence));
    if (!next || statement.Child(Field::kAlternative)) return;
    if (last.Is(NodeKind::kRaiseStatement) || last.Is(NodeKind::kExpressionStatement)) return;
    if (!EndsFlow(statement.Child(Field::kConsequence))) return;
    const uint32_t condition = terms_.Not(ConditionOf(statement));
    if (condition == kUnknownTerm) return;
    rests_[next.id()] = {condition, {next.range().start, statement.parent().range().end}};
  }

  void NoteChoice(Node expression) {
    const Node yes = expression.first_named_child();
    const Node condition = yes.next_named_sibling();
    const uint32_t term = condition ? TermOf(condition) : kUnknownTerm;
    if (term == kUnknownTerm) return;
    const size_t unit = open_.empty() ? 0 : open_.back().unit;
    const auto add = [&](Node value, uint32_t of_value) {
      if (!value || of_value == kUnknownTerm) return;
      result_.choices.push_back({file_.source().Locate(value.range().start),
                                 file_.source().Locate(value.range().end), unit,
                                 WithConditionAround(of_value)});
    };
    add(yes, term);
    add(condition.next_named_sibling(), terms_.Not(term));
  }

  /// `emit_nvtx(enabled=args.profile)`: what the call names does its work where that holds.
  void NoteSwitch(Node call) {
    const Node callee = call.Child(Field::kFunction);
    const std::string_view last = LastPart(callee.text());
    const WordList& switches = Words("switches-of-calls");
    for (const std::string& name : switches.words()) {
      if (LastPart(name) != last || !names_.IsNamed(callee, name)) continue;
      const std::vector<Argument> arguments = ArgumentsOf(call);
      const Argument* value = FindArgument(arguments, 0, switches.MeaningOf(name));
      const uint32_t term = value == nullptr ? kUnknownTerm : TermOf(value->value);
      if (term == kUnknownTerm) return;
      const size_t unit = open_.empty() ? 0 : open_.back().unit;
      result_.choices.push_back({file_.source().Locate(callee.range().start),
                                 file_.source().Locate(callee.range().end), unit,
                                 WithConditionAround(term)});
    }
  }

  void EnterBranch(Node node) {
    const size_t unit = open_.empty() ? 0 : open_.back().unit;
    if (node.Is(NodeKind::kIfStatement)) NoteEnd(node);
    const auto rest = rests_.find(node.id());
    if (rest != rests_.end()) {
      OpenSpan(rest->second.range, unit, false, rest->second.condition);
    }
    const bool is_of_try = node.parent().Is(NodeKind::kTryStatement);
    if (is_of_try && node.field() == Field::kBody) NoteCaught(node, unit);
    if (!IsBranch(node)) return;
    if (is_of_try) NoteFallback(node.parent());
    OpenSpan(node.range(), unit, true, ConditionOfBranch(node));
  }

  void NoteCaught(Node body, size_t unit) {
    const Node try_statement = body.parent();
    const Node loop = LoopAround(try_statement);
    // What a loop does until it succeeds goes on for ever.
    const bool repeats =
        loop.Is(NodeKind::kWhileStatement) && std::ranges::any_of(NodesIn(body), [](Node node) {
          return node.Is(NodeKind::kBreakStatement) || node.Is(NodeKind::kReturnStatement);
        });
    const bool goes_on =
        !repeats && std::ranges::any_of(NamedChildren(try_statement), [&](Node part) {
          return part.Is(NodeKind::kExceptClause) && TakesAnyError(part) &&
                 (loop ? GoesOn(part)
                       : DoesNothing(LastNamedChild(part)) || GivesInstead(part, body));
        });
    if (!goes_on) return;
    result_.caught.push_back(
        {LineOf(try_statement), file_.source().Locate(body.range().end - 1).line, unit});
  }

  /// `except:`, `except Exception as e:`
  static bool TakesAnyError(Node clause) {
    const Node first = clause.first_named_child();
    if (first.Is(NodeKind::kBlock)) return true;
    const Node taken = first.Is(NodeKind::kAsPattern) ? first.first_named_child() : first;
    const std::string_view name = LastPart(taken.text());
    return name == "Exception" || name == "BaseException";
  }

  /// True if the handler neither ends the loop, the function or the program, nor raises.
  static bool GoesOn(Node clause) { return !Leaves(clause, true); }

  static bool Leaves(Node clause, bool by_return) {
    return std::ranges::any_of(NodesIn(clause), [&](Node node) {
      const bool leaves = node.Is(NodeKind::kRaiseStatement) ||
                          node.Is(NodeKind::kBreakStatement) ||
                          (by_return && node.Is(NodeKind::kReturnStatement));
      return leaves || (node.Is(NodeKind::kCall) &&
                        Words("leaving-calls").Has(node.Child(Field::kFunction).text()));
    });
  }

  /// True if the handler gives a variable that the body sets another value, or the function another
  /// result, and leaves nothing else: `mask = input_mask`.
  static bool GivesInstead(Node clause, Node body) {
    const Node block = LastNamedChild(clause);
    const Node last = LastNamedChild(block);
    if (IsAnswer(last) && OnlyAsks(body)) return !Leaves(clause, false);
    if (last.Is(NodeKind::kReturnStatement)) {
      return IsResult(last.first_named_child()) && !Leaves(clause, false) &&
             std::ranges::any_of(NodesIn(body), [](Node node) {
               return node.Is(NodeKind::kReturnStatement) && IsResult(node.first_named_child());
             });
    }
    if (!GoesOn(clause)) return false;
    std::set<std::string_view> set;
    for (const Node node : NodesIn(body)) {
      if (node.Is(NodeKind::kAssignment)) set.insert(node.Child(Field::kLeft).text());
    }
    return std::ranges::any_of(NodesIn(block), [&](Node node) {
      return node.Is(NodeKind::kAssignment) && set.contains(node.Child(Field::kLeft).text()) &&
             IsResult(node.Child(Field::kRight));
    });
  }

  /// `return False`
  static bool IsAnswer(Node statement) {
    const Node value = statement.first_named_child();
    return statement.Is(NodeKind::kReturnStatement) &&
           (value.Is(NodeKind::kTrue) || value.Is(NodeKind::kFalse));
  }

  /// True if the body is a question, which its last statement answers: `init()`, `return True`.
  static bool OnlyAsks(Node body) {
    return IsAnswer(LastNamedChild(body)) &&
           std::ranges::all_of(NamedChildren(body), [](Node statement) {
             return statement.Is(NodeKind::kExpressionStatement) || IsImport(statement) ||
                    statement.Is(NodeKind::kReturnStatement) || statement.Is(NodeKind::kComment);
           });
  }

  /// False for None, and the like: whoever gets that has to do without.
  static bool IsResult(Node value) { return value && ConstantOf(value).empty(); }

  static bool DoesNothing(Node block) {
    return std::ranges::all_of(NamedChildren(block), [](Node statement) {
      return statement.Is(NodeKind::kPassStatement) || statement.Is(NodeKind::kComment);
    });
  }

  static Node LoopAround(Node node) {
    for (Node up = node.parent(); up; up = up.parent()) {
      if (up.Is(NodeKind::kFunctionDefinition) || up.Is(NodeKind::kClassDefinition)) return {};
      if (up.Is(NodeKind::kForStatement) || up.Is(NodeKind::kWhileStatement)) return up;
    }
    return {};
  }

  void NoteFallback(Node try_statement) {
    Node handler;
    for (const Node part : NamedChildren(try_statement)) {
      if (!part.Is(NodeKind::kExceptClause)) continue;
      if (handler) return;
      handler = part;
    }
    result_.fallbacks.push_back({LineOf(try_statement), LineOf(handler),
                                 file_.source().Locate(handler.range().end - 1).line});
  }

  /// True if `node` runs whenever the unit around it runs, as far as it comes.
  bool IsSure(Node node) const {
    if (!(open_.empty() ? result_.units[0] : result_.units[open_.back().unit])
             .ComesTo(LineOf(node))) {
      return false;
    }
    constexpr int kMostLevels = 200;
    int levels = 0;
    const Node function = open_.empty() ? Node() : open_.back().function;
    for (Node child = node, up = node.parent(); up && up != function;
         child = up, up = up.parent()) {
      switch (up.kind()) {
        case NodeKind::kBlock:
          if (IsBranch(up)) return false;
          break;
        case NodeKind::kLambda:
        case NodeKind::kGeneratorExpression:
          return false;
        case NodeKind::kConditionalExpression:
          if (child != up.first_named_child().next_named_sibling()) return false;
          break;
        case NodeKind::kBooleanOperator:
          if (!(child == up.first_named_child())) return false;
          break;
        default:
          break;
      }
      if (main_blocks_.contains(up.id())) break;
      if (++levels == kMostLevels) return false;
    }
    return true;
  }

  /// Behind a `return`, `break`, `continue` or exit() in a branch the rest need not run.
  void NoteEarlyEnd(Node statement) {
    if (statement.Is(NodeKind::kRaiseStatement) || !LeavesBlock(statement)) return;
    Node around = statement.parent();
    while (around && !IsDefinition(around)) around = around.parent();
    if (around != (open_.empty() ? Node() : open_.back().function)) return;
    CodeUnit& unit = Unit();
    if (unit.may_end == 0 && !IsSure(statement)) unit.may_end = LineOf(statement);
  }

  /// Opens the unit that begins with `node`. A decorator belongs to what it decorates.
  void Enter(Node node) {
    if (!main_blocks_.contains(node.id())) EnterBranch(node);
    if (!open_.empty() && open_.back().is_function()) return;
    if (main_blocks_.contains(node.id())) {
      if (result_.main_line == 0) result_.main_line = LineOf(node);
      const size_t unit = UnitNamed(std::string(kMainBlock), LineOf(node));
      OpenSpan(node.range(), unit, false);
      open_.push_back({node.end_id(), unit, "", {}});
      return;
    }
    Node definition = node;
    if (node.Is(NodeKind::kDecoratedDefinition)) definition = node.Child(Field::kDefinition);
    if (!IsDefinition(definition)) return;
    if (node.parent().Is(NodeKind::kDecoratedDefinition)) return;  // opened there
    std::string name = open_.empty() ? "" : open_.back().name;
    if (!name.empty()) name.push_back('.');
    name += definition.Child(Field::kName).text();
    const size_t unit = UnitNamed(name, LineOf(definition));
    const bool is_function = definition.Is(NodeKind::kFunctionDefinition);
    if (is_function) {
      AddFunction(definition, unit, name);
    } else {
      AddClass(definition, name);
    }
    // Decorators, bases and defaults are computed by the code around.
    if (is_function) {
      NoteDecorators(definition);
      NoteDefaults(definition);
    } else {
      NoteBases(definition);
    }
    OpenSpan(definition.Child(Field::kBody).range(), unit, false);
    open_.push_back({node.end_id(), unit, name, is_function ? definition : Node()});
  }

  void NoteDecorators(Node function) {
    const Node decorated = function.parent();
    if (!decorated.Is(NodeKind::kDecoratedDefinition)) return;
    const uint32_t body = LineOf(function.Child(Field::kBody));
    for (uint32_t line = LineOf(decorated); line < LineOf(function); ++line) {
      result_.works_later.emplace(line, body);
    }
  }

  /// A text that a parameter has by default does something once the function runs.
  void NoteDefaults(Node function) {
    const Node parameters = function.Child(Field::kParameters);
    const uint32_t body = LineOf(function.Child(Field::kBody));
    const bool computes = std::ranges::any_of(NodesIn(parameters),
                                              [](Node node) { return node.Is(NodeKind::kCall); });
    if (computes) return;
    for (const Node parameter : NamedChildren(parameters)) {
      const Node value = parameter.Child(Field::kValue);
      const bool is_text = value.Is(NodeKind::kString) && LineOf(value) < body;
      if (is_text) result_.works_later.emplace(LineOf(value), body);
    }
  }

  /// A base does its work in objects of the class, and so does an attribute that only lists
  /// constants: the base reads it.
  void NoteBases(Node definition) {
    const Node bases = definition.Child(Field::kSuperclasses);
    const Node body = definition.Child(Field::kBody);
    if (!bases || LineOf(body) == LineOf(definition)) return;
    const auto note = [&](uint32_t line, uint32_t end, uint32_t first) {
      for (; line < end; ++line) result_.works_later.emplace(line, first);
    };
    std::vector<Node> listed;
    uint32_t first = 0;
    for (Node statement : NamedChildren(body)) {
      if (statement.Is(NodeKind::kDecoratedDefinition)) {
        statement = statement.Child(Field::kDefinition);
      }
      if (statement.Is(NodeKind::kFunctionDefinition)) {
        if (first == 0) first = LineOf(statement.Child(Field::kBody));
      } else if (OnlyLists(statement)) {
        listed.push_back(statement);
      }
    }
    if (first == 0) return;
    note(LineOf(definition), LineOf(body), first);
    for (const Node statement : listed) {
      note(LineOf(statement), file_.source().Locate(statement.range().end - 1).line + 1, first);
    }
  }

  /// `keys = ["weight"]`: nothing that could fail where the class is defined.
  static bool OnlyLists(Node statement) {
    const Node assignment =
        statement.Is(NodeKind::kExpressionStatement) ? statement.first_named_child() : statement;
    const Node value =
        assignment.Is(NodeKind::kAssignment) ? assignment.Child(Field::kRight) : Node();
    return value && std::ranges::none_of(NodesIn(value), [](Node node) {
             return node.Is(NodeKind::kCall) || node.Is(NodeKind::kAttribute) ||
                    node.Is(NodeKind::kIdentifier);
           });
  }

  void AddFunction(Node function, size_t unit, const std::string& name) {
    CodeUnit& code = result_.units[unit];
    code.parameters = ParametersAsArguments(function, file_);
    AddDefaults(function, code);
    const size_t dot = name.rfind('.');
    if (dot != std::string::npos) {
      result_.classes[name.substr(0, dot)].methods.insert(name.substr(dot + 1));
      if (!code.parameters.empty() && !IsStaticMethod(function)) {  // self
        code.parameters.erase(code.parameters.begin());
        code.defaults.erase(code.defaults.begin());
        if (code.positional_parameters > 0) --code.positional_parameters;
      }
    }
    code.most_parameters = code.parameters.size();
    for (const EntryArgument& parameter : code.parameters) {
      if (parameter.required) ++code.required_parameters;
    }
    const std::string_view list = function.Child(Field::kParameters).text();
    if (HasPart(list, '*')) {
      code.most_parameters = std::numeric_limits<size_t>::max();
    }
  }

  static bool IsStaticMethod(Node function) {
    const Node around = function.parent();
    if (!around.Is(NodeKind::kDecoratedDefinition)) return false;
    return std::ranges::any_of(NamedChildren(around), [](Node child) {
      return child.Is(NodeKind::kDecorator) && child.first_named_child().text() == "staticmethod";
    });
  }

  void AddDefaults(Node function, CodeUnit& code) {
    bool is_positional = true;
    const Node list = function.Child(Field::kParameters);
    for (Node item = list.first_child(); item; item = item.next_sibling()) {
      if (item.text().starts_with('*')) is_positional = false;
      Node name = item.Child(Field::kName);
      if (!name) name = item.Is(NodeKind::kTypedParameter) ? item.first_named_child() : item;
      if (!name.Is(NodeKind::kIdentifier)) continue;
      code.defaults.push_back(TermOf(item.Child(Field::kValue)));
      if (is_positional) ++code.positional_parameters;
    }
  }

  void AddClass(Node definition, const std::string& name) {
    ClassUnit& known = result_.classes[name];
    known.fields = FieldsAsArguments(definition, file_);
    const Node bases = definition.Child(Field::kSuperclasses);
    for (Node base = bases ? bases.first_named_child() : Node(); base;
         base = base.next_named_sibling()) {
      for (const QualifiedName& base_name : names_.Resolve(base)) {
        known.bases.push_back(OriginOf(file_, base_name));
        const TrainingApi* api = apis_.FindCall(base_name.name);
        if (api != nullptr && api->kind == TrainingApi::Kind::kTest) result_.has_tests = true;
      }
    }
  }

  void Read(Node node) {
    NoteEarlyEnd(node);
    switch (node.kind()) {
      case NodeKind::kCall:
        NoteSwitch(node);
        ReadCall(node);
        break;
      case NodeKind::kConditionalExpression:
        NoteChoice(node);
        break;
      case NodeKind::kType:
        type_end_ = std::max(type_end_, node.end_id());
        break;
      case NodeKind::kIdentifier:
        NoteUse(node);
        ReadName(node);
        break;
      case NodeKind::kAttribute:
        ReadName(node);
        ReadProperty(node);
        break;
      case NodeKind::kImportStatement:
        ReadImport(node);
        break;
      case NodeKind::kImportFromStatement:
        ReadImportFrom(node);
        break;
      case NodeKind::kReturnStatement:
        for (const Origin& maker : makers_.Of(node.first_named_child())) {
          Unit().returns.push_back(maker);
        }
        break;
      case NodeKind::kAssertStatement:
        ReadAssertion(node);
        break;
      case NodeKind::kAugmentedAssignment:
      case NodeKind::kAssignment:
        NoteLateFunction(node);
        ReadAssignment(node);
        break;
      case NodeKind::kString:
        ReadString(node);
        break;
      case NodeKind::kDecorator:
        ReadDecorator(node);
        break;
      case NodeKind::kSubscript:
        ReadSubscript(node);
        break;
      case NodeKind::kPair:
        if (const Node key = PlainStringContent(node.Child(Field::kKey))) {
          Define(key.text(), node, node.Child(Field::kValue));
        }
        break;
      default:
        break;
    }
  }

  void AddFact(CodeFact::Kind kind, Node node, std::string text = "",
               const TrainingApi* api = nullptr) {
    CodeFact fact;
    fact.kind = kind;
    fact.text = std::move(text);
    fact.api = api;
    fact.line = LineOf(node);
    fact.in_branch = IsInBranch(node);
    fact.conditions = ConditionsAround(node);
    Unit().facts.push_back(std::move(fact));
  }

  void AddSign(TensorflowSign sign, Node node) {
    const bool is_switch =
        sign == TensorflowSign::kSessionsSwitch || sign == TensorflowSign::kEagerSwitch;
    const bool is_told = std::ranges::any_of(
        Unit().facts, [&](const CodeFact& fact) { return fact.sign == sign && !is_switch; });
    if (sign == TensorflowSign::kNone || is_told) return;
    AddFact(CodeFact::Kind::kTensorflow, node);
    Unit().facts.back().sign = sign;
  }

  /// What the `if` statements that let `node` run read: "distributed" of `if args.distributed:`.
  std::vector<std::string> ConditionsAround(Node node) const {
    std::vector<std::string> read;
    for (Node child = node, up = node.parent(); up && !IsDefinition(up);
         child = up, up = up.parent()) {
      if (!up.Is(NodeKind::kIfStatement) || child.field() != Field::kConsequence) continue;
      const Node condition = up.Child(Field::kCondition);
      for (const Node part : NodesIn(condition)) {
        if (part.Is(NodeKind::kIdentifier)) read.emplace_back(part.text());
      }
    }
    return read;
  }

  // ----- names and calls

  bool MayBeNamed(Node chain) const {
    const Node head = ChainOf(chain).head;
    if (!head.Is(NodeKind::kIdentifier)) return head.Is(NodeKind::kConditionalExpression);
    return named_.contains(head.text()) || !heads_.contains(head.text());
  }

  /// True if a name stands for what a function defines for itself: that is part of its unit.
  bool IsInsideFunction(Node identifier) const {
    if (!identifier.Is(NodeKind::kIdentifier)) return false;
    return std::ranges::any_of(names_.BindingsOf(identifier), [&](const Binding* binding) {
      return (binding->kind == BindingKind::kFunction || binding->kind == BindingKind::kClass) &&
             names_.ScopeNode(binding->scope).Is(NodeKind::kFunctionDefinition);
    });
  }

  void ReadName(Node node) {
    const bool is_callee = node.parent().Is(NodeKind::kCall) && node.field() == Field::kFunction;
    if (is_callee || !IsWholeChain(node)) return;
    // `run = partial(self.train, 1)` hands a method on, and somebody calls it.
    if (node.Is(NodeKind::kAttribute) && node.Child(Field::kObject).text() == "self" &&
        node.field() != Field::kLeft) {
      Unit().calls.push_back({std::string(node.Child(Field::kAttribute).text()),
                              makers_.Of(node.Child(Field::kObject)),
                              false,
                              0,
                              true,
                              true,
                              {},
                              LineOf(node)});
      return;
    }
    AddTaken(node, false);
    if (!MayBeNamed(node)) return;
    const Node head = ChainOf(node).head;
    const bool is_starred = !names_.star_imports().empty() && !heads_.contains(head.text());
    if (head.Is(NodeKind::kIdentifier) && !named_.contains(head.text()) && !is_starred) return;
    AddMentions(node, false);
    // `NETS[name]` of a table, or of an object that may be a registry.
    const bool may_give = tables_.contains(node.text()) || result_.objects.contains(node.text());
    if (node.Is(NodeKind::kIdentifier) && may_give && !open_.empty() &&
        OriginOfVariable(file_, node)) {
      Unit().mentions.push_back({{Path(), std::string(node.text())}, LineOf(node), false});
    }
  }

  /// `config.provider`, which runs code where a class of the project defines it so.
  void ReadProperty(Node attribute) {
    if (file_.project() == nullptr || IsAssigned(attribute)) return;
    const std::string_view name = attribute.Child(Field::kAttribute).text();
    if (!file_.project()->PropertyNames().contains(name)) return;
    MethodCall read;
    read.method = name;
    read.makers = makers_.Of(attribute.Child(Field::kObject));
    read.line = LineOf(attribute);
    Unit().calls.push_back(std::move(read));
  }

  /// `Net.__doc__` makes no object.
  static bool IsTextOfClass(Node expression) {
    return expression.Is(NodeKind::kAttribute) &&
           std::ranges::find(kTextsOfClasses, expression.Child(Field::kAttribute).text()) !=
               kTextsOfClasses.end();
  }

  static bool IsType(Node expression) {
    if (IsTextOfClass(expression)) return true;
    for (Node up = expression.parent(); up && !IsDefinition(up); up = up.parent()) {
      if (up.Is(NodeKind::kType) || up.field() == Field::kSuperclasses) return true;
      if (!up.Is(NodeKind::kCall)) continue;
      const std::string_view callee = up.Child(Field::kFunction).text();
      return callee == "isinstance" || callee == "issubclass" || callee == "super";
    }
    return false;
  }

  /// True for `REGISTRY.register` of `@REGISTRY.register` and of `@REGISTRY.register("name")`.
  static bool IsDecorator(Node expression) {
    const Node parent = expression.parent();
    return parent.Is(NodeKind::kDecorator) ||
           (parent.Is(NodeKind::kCall) && expression.field() == Field::kFunction &&
            parent.parent().Is(NodeKind::kDecorator));
  }

  /// What a name stands for; that of libraries is given back.
  std::vector<std::string> AddMentions(Node expression, bool is_called) {
    std::vector<std::string> external;
    for (const QualifiedName& name : names_.Resolve(expression)) {
      if (name.local && IsInsideFunction(ChainOf(expression).head)) continue;
      Origin origin = OriginOf(file_, name);
      if (origin.file.empty()) {
        if (const TrainingApi* api = ApiOf(origin.name, is_called)) {
          AddFact(CodeFact::Kind::kApi, expression, origin.name, api);
        }
        AddSign(TensorflowSignOf(origin.name), expression);
        external.push_back(std::move(origin.name));
      } else {
        Unit().mentions.push_back({std::move(origin), LineOf(expression), is_called,
                                   IsType(expression), is_called && IsSure(expression)});
        if (is_called) Unit().mentions.back().passed = PassedBy(expression.parent());
        Unit().mentions.back().decorates = IsDecorator(expression);
        Unit().mentions.back().is_forgiven = IsForgivenUse(ChainOf(expression).head);
        if (const std::string table = TableAround(expression); !table.empty()) {
          const Mention held = Unit().mentions.back();
          // Whoever uses the table may use what it holds; who only imports the module does not.
          if (!is_called) Unit().mentions.pop_back();
          CodeUnit& unit = result_.units[UnitNamed(table, held.line)];
          unit.is_table = true;
          unit.mentions.push_back(held);
        }
      }
    }
    return external;
  }

  /// `NETS[key].Model`: one of several, by what the key is.
  void AddTaken(Node expression, bool is_called) {
    std::vector<TakenValue> values = TakenValuesOf(expression, file_);
    // Nobody calls a module.
    std::erase_if(values, [&](const TakenValue& value) {
      return value.origin.file.empty() || (is_called && value.origin.name.empty());
    });
    const auto own = std::ranges::find_if(values, &TakenValue::is_own);
    const auto first = own == values.end() ? values.begin() : own;
    const bool is_only = std::ranges::all_of(values, [&](const TakenValue& value) {
      return value.origin == first->origin || (first->is_own && !value.is_own);
    });
    const Origin only = is_only && !values.empty() ? first->origin : Origin();
    for (TakenValue& value : values) {
      Mention& mention = Unit().mentions.emplace_back();
      mention.target = std::move(value.origin);
      mention.line = LineOf(expression);
      mention.is_called = is_called;
      mention.is_sure = is_called && mention.target == only && IsSure(expression);
      if (is_called) mention.passed = PassedBy(expression.parent());
      if (value.key.empty()) continue;
      mention.condition =
          WithConditionAround(terms_.Equal(TermOf(value.asked), terms_.Constant(value.key)));
    }
  }

  /// `condition` with that of the place which is read.
  uint32_t WithConditionAround(uint32_t condition) {
    const size_t unit = open_.empty() ? 0 : open_.back().unit;
    const bool is_inside = !spans_.empty() && spans_.back().start.unit == unit;
    return is_inside ? terms_.And(spans_.back().start.condition, condition) : condition;
  }

  /// True for a name that comes from imports without which the program goes on, where a test of it
  /// decides whether it is used.
  bool IsForgivenUse(Node name) {
    constexpr size_t kMostStatements = 64;  // each is looked for in the whole file
    if (!name.Is(NodeKind::kIdentifier)) return false;
    bool is_forgiven = false;
    for (const Binding* binding : names_.BindingsOf(name)) {
      if (binding->kind == BindingKind::kAssignment && binding->value.Is(NodeKind::kNone)) continue;
      if (binding->kind != BindingKind::kImport) return false;
      const auto [known, is_new] = forgiven_.try_emplace(binding->statement.id());
      if (is_new && forgiven_uses_ < kMostStatements &&
          IsOptionalImport(binding->statement, names_, file_.project())) {
        ++forgiven_uses_;
        known->second.emplace();
        for (const UseWithoutImport& at :
             UsesWithoutImport(binding->statement, names_, file_.project())) {
          known->second->insert(names_.ScopeOf(at.use));
        }
      }
      if (!known->second || known->second->contains(names_.ScopeOf(name))) return false;
      is_forgiven = true;
    }
    return is_forgiven;
  }

  static bool IsTable(Node value) {
    const bool is_dict =
        value.Is(NodeKind::kCall) && value.Child(Field::kFunction).text() == "dict";
    return is_dict || value.Is(NodeKind::kDictionary) || value.Is(NodeKind::kList) ||
           value.Is(NodeKind::kTuple);
  }

  /// "NETS" for what stands in `NETS = {"a": A}`, `NETS = [A, B]` or `NETS["a"] = A` of the module:
  /// who takes something out of it may call that.
  std::string TableAround(Node expression) const {
    if (!open_.empty()) return {};
    Node value = expression;
    constexpr int kMostLevels = 8;
    for (int i = 0; i < kMostLevels && value && !value.parent().Is(NodeKind::kAssignment); ++i) {
      value = value.parent();
    }
    const Node assignment = value.parent();
    if (!assignment.Is(NodeKind::kAssignment) || value.field() != Field::kRight) return {};
    const Node left = assignment.Child(Field::kLeft);
    const bool is_item = left.Is(NodeKind::kSubscript);
    const Node name = is_item ? left.Child(Field::kValue) : left;
    if (!name.Is(NodeKind::kIdentifier) || (!is_item && !IsTable(value))) return {};
    return std::string(name.text());
  }

  /// What is only named may still say how processes are started: `MPI.COMM_WORLD.rank`.
  const TrainingApi* ApiOf(const std::string& name, bool is_called) const {
    const TrainingApi* api = apis_.FindCall(name);
    const bool counts = api != nullptr && api->kind != TrainingApi::Kind::kInference &&
                        (is_called || api->kind == TrainingApi::Kind::kLauncher);
    if (!counts) return nullptr;
    // A name of a launcher that is not called has to be an object of the library.
    return is_called || HasPart(name, "COMM_WORLD") ? api : nullptr;
  }

  /// `eval(config.MODEL)(config)`: anything that the module has, by a name that the program makes.
  void ReadEval(Node call) {
    if (call.Child(Field::kFunction).text() != "eval" || !IsCalled(call)) return;
    if (!TakenValuesOf(call, file_).empty()) return;  // see AddTaken
    const Node given = call.Child(Field::kArguments).first_named_child();
    if (given && !PlainStringContent(given) && file_.project() != nullptr) {
      Unit().lookups.push_back({Path(), LineOf(call), true});
    }
  }

  /// `module` may be asked for anything that it has.
  void LookUp(Node module, Node place) {
    if (file_.project() == nullptr || !module) return;
    if (module.Is(NodeKind::kCall) && module.Child(Field::kFunction).text() == "globals") {
      Unit().lookups.push_back({Path(), LineOf(place)});
    }
    for (const QualifiedName& name : names_.Resolve(module)) {
      std::string file = file_.project()->FileOfModule(Path(), name.name);
      if (!file.empty()) Unit().lookups.push_back({std::move(file), LineOf(place)});
    }
  }

  /// `expression` takes some member of `module`, by a name that the program makes. True if `module`
  /// is one of the project.
  bool LookUpMember(Node module, Node expression) {
    if (!TakenValuesOf(expression, file_).empty()) {
      if (!IsCalled(expression)) AddTaken(expression, false);
      return true;
    }
    const size_t known = Unit().lookups.size();
    LookUp(module, expression);
    return Unit().lookups.size() != known;
  }

  /// `import_module("models." + name)`: modules whose names fit, and anything that they have.
  void ReadImportByName(Node call) {
    if (file_.project() == nullptr) return;
    const Node callee = call.Child(Field::kFunction);
    if (IsImportFunction(callee, names_)) {
      if (const std::optional<std::string> package = PackageGivenTo(call)) {
        ReadModuleName(call.Child(Field::kArguments).first_named_child(), call, false, *package);
      }
    }
    if (const std::string_view keyword = PathKeywordOf(callee); !keyword.empty()) {
      const Argument* path = FindArgument(ArgumentsOf(call), 1, keyword);
      if (path != nullptr) ReadModulePath(path->value, call);
    }
    // `Registry("model", locations=["pkg.models"])` imports them when it is asked for something.
    for (const Argument& argument : ArgumentsOf(call)) {
      const bool is_list =
          argument.value.Is(NodeKind::kList) || argument.value.Is(NodeKind::kTuple);
      if (argument.keyword.empty() || !is_list) continue;
      const std::string suffix = "." + std::string(argument.keyword);
      const bool imports =
          std::ranges::any_of(names_.Resolve(callee), [&](const QualifiedName& name) {
            return !name.local && Words("late-imports").Has(name.name + suffix);
          });
      if (!imports) continue;
      for (const Node name : NamedChildren(argument.value)) ReadModuleName(name, call, true, "");
    }
  }

  /// The second argument of `import_module(".nets", __name__)`, from which relative names count, as
  /// a path of modules from the root. "" if there is none, or its text does not say it; nothing if
  /// it is a package of a library.
  std::optional<std::string> PackageGivenTo(Node call) const {
    const std::vector<Argument> given = ArgumentsOf(call);
    const Argument* package = FindArgument(given, 1, "package");
    if (package == nullptr) return "";
    const std::string own = ProjectIndex::ModuleName(Path());
    const std::string around = ProjectIndex::IsPackage(Path()) ? own : std::string(ParentPart(own));
    // `package = __package__ if __package__ is not None else ""`
    const bool names_package = std::ranges::any_of(ValuesOf(package->value), [](Node value) {
      return std::ranges::any_of(NodesIn(value),
                                 [](Node node) { return node.text() == "__package__"; });
    });
    if (names_package) return around;
    if (package->value.text() == "__name__") return own;
    const Node text = PlainStringContent(package->value);
    if (!text) return "";
    const std::string path = file_.project()->FileOfModule(Path(), text.text());
    if (!path.empty()) return ProjectIndex::ModuleName(path);
    std::string name(text.text());
    return IsPackageOfProject(name) ? std::optional(std::move(name)) : std::nullopt;
  }

  /// The expression, and what variables that it consists of are bound to.
  std::vector<Node> ValuesOf(Node expression) const {
    std::vector<Node> values = {expression};
    if (!expression.Is(NodeKind::kIdentifier)) return values;
    for (const Binding* binding : names_.BindingsOf(expression)) {
      if (binding->value) values.push_back(binding->value);
    }
    return values;
  }

  /// "..nets.fast" of the package "pkg.models" as the index has names of modules that count from
  /// the root: ".pkg.nets.fast". Others stay as they are.
  static std::string FromRoot(const std::string& name, std::string_view package) {
    const size_t dots = name.find_first_not_of('.');
    if (dots == 0 || dots == std::string::npos || package.empty()) return name;
    for (size_t i = 1; i < dots; ++i) package = ParentPart(package);
    return "." + std::string(package) + (package.empty() ? "" : ".") + name.substr(dots);
  }

  /// `is_late`: the import need not come. `package`: see PackageGivenTo().
  void ReadModuleName(Node name, Node call, bool is_late, std::string_view package) {
    std::vector<std::string> patterns = HandedPatterns(name);
    if (patterns.empty()) patterns = WrittenPatterns(name, names_);
    for (const std::string& written : patterns) {
      const std::string pattern = FromRoot(written, package);
      if (!HasPart(pattern, '*')) {
        const std::string path = file_.project()->FileOfModule(Path(), pattern);
        AddImportByName(path, call, !is_late && patterns.size() == 1, !is_late);
        continue;
      }
      // What may be any module at all is what configurations name, or an option by default.
      if (std::ranges::all_of(pattern, [](char c) { return c == '*' || c == '.'; })) {
        if (IsOfEnvironment(name, 0)) continue;
        NoteConfigured(call);
        if (MayBeListed(name, 0)) AddListed(call);
        packages_of_unknown_.emplace(package);
        for (const std::string& module : DefaultsOfOption(name)) {
          AddImportByName(file_.project()->FileOfModule(Path(), module), call, true, false);
        }
        continue;
      }
      const bool is_from_root = pattern.starts_with('.');
      for (const std::string& path : FilesOfModules(pattern.substr(is_from_root ? 1 : 0))) {
        AddImportByName(path, call, false, false);
      }
    }
  }

  /// `self.module` and `self.__name__` of a lazy importer, and a parameter of a function: the texts
  /// that its calls hand over. Empty where another file may call it, or one is not known.
  std::vector<std::string> HandedPatterns(Node name) const {
    if (name.Is(NodeKind::kIdentifier)) {
      const Binding* parameter = OnlyParameter(name);
      if (parameter == nullptr) return {};
      const Node function = names_.ScopeNode(parameter->scope);
      return IsMethod(function) ? std::vector<std::string>()
                                : PatternsHandedTo(*parameter, function, function);
    }
    if (!name.Is(NodeKind::kAttribute) || name.Child(Field::kObject).text() != "self") return {};
    const Node holder = ClassAround(name, names_);
    const Node constructor = holder ? ConstructorOf(holder) : Node();
    const Node value =
        constructor ? ValueKeptAs(name.Child(Field::kAttribute).text(), holder) : Node();
    const Binding* parameter = value.Is(NodeKind::kIdentifier) ? OnlyParameter(value) : nullptr;
    const bool is_its =
        parameter != nullptr && names_.ScopeNode(parameter->scope).id() == constructor.id();
    return is_its ? PatternsHandedTo(*parameter, constructor, holder) : std::vector<std::string>();
  }

  const Binding* OnlyParameter(Node name) const {
    const NameTable::Meanings bindings = names_.BindingsOf(name);
    const bool is_it = bindings.size() == 1 && bindings.front()->kind == BindingKind::kParameter;
    return is_it ? bindings.front() : nullptr;
  }

  /// What the class sets the attribute to, if it says so once. A module keeps the first argument of
  /// its constructor as its name.
  Node ValueKeptAs(std::string_view attribute, Node holder) const {
    Node value;
    for (const Node node : NodesIn(holder)) {
      Node kept;
      if (node.Is(NodeKind::kAssignment)) {
        const Node left = node.Child(Field::kLeft);
        const bool is_it = left.Is(NodeKind::kAttribute) &&
                           left.Child(Field::kObject).text() == "self" &&
                           left.Child(Field::kAttribute).text() == attribute;
        const Node right = node.Child(Field::kRight);
        if (is_it && right && !right.Is(NodeKind::kNone)) kept = right;
      } else if (node.Is(NodeKind::kCall) && attribute == "__name__" &&
                 node.Child(Field::kFunction).text() == "super().__init__") {
        kept = node.Child(Field::kArguments).first_named_child();
      }
      if (!kept) continue;
      if (value) return {};
      value = kept;
    }
    return value;
  }

  /// What all calls of `callee`, a function or class that no other file spells, hand to the
  /// parameter of `function`. Of a module that it hands to itself, what lies below the others.
  std::vector<std::string> PatternsHandedTo(const Binding& parameter, Node function,
                                            Node callee) const {
    const Node name = callee.Child(Field::kName);
    const bool is_at_top = names_.ScopeOf(name) == 0;
    if (!is_at_top || file_.project()->FilesSpelling(name.text()).size() != 1) return {};
    std::vector<std::string> handed;
    bool goes_below = false;
    for (const Node use : names_.places().NodesSaying(name.text())) {
      if (use.id() == name.id()) continue;
      if (!IsCalled(use)) {
        if (use.Is(NodeKind::kIdentifier) && !IsType(use)) return {};
        continue;
      }
      const Node given = ArgumentFor(use.parent(), function, parameter.node);
      if (callee.IsAncestorOf(use)) {
        goes_below = true;
        continue;
      }
      for (std::string& pattern : WrittenPatterns(given, names_)) {
        if (pattern.starts_with('*')) return {};
        handed.push_back(std::move(pattern));
      }
    }
    for (size_t i = handed.size(); goes_below && i > 0; --i) {
      if (IsPackageOfProject(handed[i - 1])) handed.push_back(handed[i - 1] + ".*");
    }
    return handed;
  }

  bool IsPackageOfProject(std::string name) const {
    if (!file_.project()->FileOfModule(Path(), name).empty()) return true;
    std::ranges::replace(name, '.', '/');
    return HasModules(name);  // without __init__.py
  }

  /// The keyword of the path that a function like `imp.load_source` loads a module from, or "".
  std::string_view PathKeywordOf(Node callee) const {
    for (const QualifiedName& name : names_.Resolve(callee)) {
      if (!name.local) return Words("importers-of-paths").MeaningOf(name.name);
    }
    return {};
  }

  /// `load_source(name, os.path.join("nets", args.net, "__init__.py"))`: files that fit, in this
  /// folder or in one above it.
  void ReadModulePath(Node path, Node call) {
    const std::vector<std::string> patterns = WrittenPatterns(path, names_);
    for (const std::string& pattern : patterns) {
      const bool is_whole = !HasPart(pattern, '*');
      if (!is_whole && !NamesFolder(pattern)) continue;
      const auto folders = std::ranges::count(pattern, '/');
      for (const std::string& file : file_.project()->paths()) {
        const bool is_it = std::ranges::count(file, '/') == folders
                               ? MatchesPattern(pattern, file)
                               : MatchesPattern("*/" + pattern, file) && is_whole;
        if (is_it) AddImportByName(file, call, is_whole && patterns.size() == 1, is_whole);
      }
    }
  }

  /// True for "nets/*/__init__.py", which says where the files are.
  static bool NamesFolder(std::string_view pattern) {
    const std::string_view first = pattern.substr(0, pattern.find('/'));
    return first.size() < pattern.size() && !first.empty() && !HasPart(first, '*') && first != ".";
  }

  /// `import_module(os.environ["SETUP"])`, also of what all callers in the file hand over: a module
  /// of the user, not of the project.
  bool IsOfEnvironment(Node value, int steps) {
    constexpr int kMostSteps = 3;
    const Term& term = result_.terms[TermOf(value)];
    if (term.kind == Term::Kind::kEnvironment) {
      return std::ranges::all_of(term.parts, [&](uint32_t otherwise) {
        const Term& part = result_.terms[otherwise];
        return part.kind == Term::Kind::kConstant && IsFalsyConstant(part.name);
      });
    }
    const NameTable::Meanings bindings = names_.BindingsOf(value);
    const bool is_parameter = bindings.size() == 1 &&
                              bindings.front()->kind == BindingKind::kParameter &&
                              !bindings.front()->value;
    if (!is_parameter || steps > kMostSteps) return false;
    const Node function = names_.ScopeNode(bindings.front()->scope);
    bool is_called = false;
    for (const Node use : names_.places().NodesSaying(function.Child(Field::kName).text())) {
      if (!IsCalled(use)) continue;
      const Node given = ArgumentFor(use.parent(), function, bindings.front()->node);
      if (!given || !IsOfEnvironment(given, steps + 1)) return false;
      is_called = true;
    }
    return is_called;
  }

  /// False for the name of a module that comes from somewhere else than from what the file lists:
  /// `name = settings.get("EXTENSION")`, where another file has the settings.
  bool MayBeListed(Node value, int steps) const {
    constexpr int kMostSteps = 6;
    if (steps > kMostSteps) return true;
    return std::ranges::any_of(NodesIn(value), [&](Node node) {
      if (!node.Is(NodeKind::kIdentifier)) return false;
      if (Words("folder-listers").Has(node.text())) return true;
      const bool is_member =
          node.parent().Is(NodeKind::kAttribute) && node.field() == Field::kAttribute;
      if (is_member) return false;
      return std::ranges::any_of(names_.BindingsOf(node), [&](const Binding* binding) {
        switch (binding->kind) {
          case BindingKind::kImport:
            return false;
          case BindingKind::kFunction:
            return !binding->statement.IsAncestorOf(value) &&
                   MayBeListed(binding->statement.Child(Field::kBody), kMostSteps);
          case BindingKind::kAssignment:
            return binding->value && !binding->value.IsAncestorOf(node) &&
                   MayBeListed(binding->value, steps + 1);
          default: {
            const Node loop = binding->node.parent();
            const Node items = loop.Child(Field::kRight);
            const bool is_item =
                (loop.Is(NodeKind::kForStatement) || loop.Is(NodeKind::kForInClause)) && items &&
                !items.IsAncestorOf(node);
            return !is_item || MayBeListed(items, steps + 1);  // a parameter: from its callers
          }
        }
      });
    });
  }

  /// `for name in os.listdir("models"): names.append(f"models.{name[:-3]}")`, which somebody
  /// imports by name: modules whose names fit.
  void AddListed(Node call) {
    if (!ListsFolders()) return;
    bool is_said = false;
    for (const Node node : NodesIn(file_.tree())) {
      if (!node.Is(NodeKind::kString) || PlainStringContent(node)) continue;
      for (const std::string& pattern : WrittenPatterns(node, names_)) {
        if (pattern.starts_with('*') || !HasPart(pattern, ".*")) continue;
        for (const std::string& path : FilesOfModules(pattern)) {
          AddImportByName(path, call, false, false);
          is_said = true;
        }
      }
    }
    result_.imports_listed |= !is_said;
  }

  /// `Registry("nets", folders=["models/heads"])`: who lists folders may be told this one.
  void NoteFolders(Node call) {
    if (file_.project() == nullptr) return;
    const auto note = [&](Node value) {
      const std::string_view folder = PlainStringContent(value).text();
      if (HasModules(folder) && !IsOwnPackage(folder)) result_.named_folders.emplace(folder);
    };
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const bool is_path = names_.IsNamed(call.Child(Field::kFunction), "os.path.join");
    for (const Argument& argument : arguments) {
      // `os.path.join("pkg", "page.html")`: a part of a path.
      if (is_path && &argument != &arguments.back()) continue;
      note(argument.value);
      const bool is_list =
          argument.value.Is(NodeKind::kList) || argument.value.Is(NodeKind::kTuple);
      if (!is_list) continue;
      for (const Node value : NamedChildren(argument.value)) note(value);
    }
  }

  /// True if the file says the name of the package that it lies in, what the program is called, as
  /// in `version("pkg")`. A file right in the package may list it.
  bool IsOwnPackage(std::string_view folder) const {
    const std::string_view own = FolderOf(Path());
    if (HasPart(folder, '/') || !own.starts_with(folder)) return false;
    return own.size() > folder.size() ? own[folder.size()] == '/' : !ListsFolders();
  }

  bool ListsFolders() const {
    return std::ranges::any_of(Words("folder-listers").words(), [&](const std::string& lister) {
      return !names_.places().NodesSaying(lister).empty();
    });
  }

  bool HasModules(std::string_view folder) const {
    const bool may_be = !folder.empty() && !folder.ends_with('/') && !HasPart(folder, ' ');
    if (!may_be) return false;
    const std::string start = std::string(folder) + "/";
    const std::vector<std::string>& paths = file_.project()->paths();
    const auto first = std::ranges::lower_bound(paths, start);
    return first != paths.end() && first->starts_with(start);
  }

  /// The texts that `args.model` is by default, where the file has defined the option before.
  std::vector<std::string> DefaultsOfOption(Node value) const {
    std::vector<std::string> texts;
    const auto known = value.Is(NodeKind::kAttribute)
                           ? result_.attributes.find(value.Child(Field::kAttribute).text())
                           : result_.attributes.end();
    if (known == result_.attributes.end()) return texts;
    for (const AttributeValue& defined : known->second) {
      const std::string_view constant = result_.terms[defined.term].name;
      const bool is_text = !defined.option.empty() && constant.starts_with('\'');
      if (is_text) texts.emplace_back(constant.substr(1, constant.size() - 2));
    }
    return texts;
  }

  /// `MODULES = {"fast": "pkg.nets.fast"}`, `EXPORTS = {"Net": (".nets", "Net")}` of a file that
  /// imports modules by names which its text does not say: who uses the table may import these.
  void AddModulesOfTables() {
    if (packages_of_unknown_.empty()) return;
    for (const Binding& binding : names_.bindings()) {
      const bool is_table = binding.scope == 0 && binding.kind == BindingKind::kAssignment &&
                            binding.value.Is(NodeKind::kDictionary);
      if (!is_table) continue;
      std::set<std::string> modules;
      for (const Node pair : NamedChildren(binding.value)) {
        Node value = pair.Child(Field::kValue);
        if (value.Is(NodeKind::kTuple) || value.Is(NodeKind::kList)) {
          value = value.first_named_child();
        }
        const Node text = PlainStringContent(value);
        if (!text || !HasPart(text.text(), '.')) continue;
        for (const std::string& package : packages_of_unknown_) {
          const std::string module = FromRoot(std::string(text.text()), package);
          const bool is_relative = module.starts_with('.') && package.empty();
          std::string path = is_relative ? "" : file_.project()->FileOfModule(Path(), module);
          if (!path.empty() && path != Path()) modules.insert(std::move(path));
        }
      }
      if (modules.empty()) continue;
      const uint32_t line = LineOf(binding.node);
      CodeUnit& unit = result_.units[UnitNamed(std::string(binding.name), line)];
      unit.is_table = true;
      for (const std::string& path : modules) unit.imports.push_back({path, "", line, false});
    }
  }

  void NoteConfigured(Node call) {
    if (Unit().configured_line == 0) Unit().configured_line = LineOf(call);
  }

  /// "models.*": what is made up is one part of the name where a module fits so, else several.
  std::vector<std::string> FilesOfModules(const std::string& pattern) const {
    std::vector<std::string> exact;
    std::vector<std::string> deeper;
    const auto parts = static_cast<std::ptrdiff_t>(SplitDotted(pattern).size());
    for (const std::string& path : file_.project()->paths()) {
      const std::string module = ProjectIndex::ModuleName(path);
      if (!MatchesPattern(pattern, module) && !MatchesPattern("*." + pattern, module)) continue;
      const std::vector<std::string_view> names = SplitDotted(module);
      const bool is_exact =
          std::ssize(names) >= parts &&
          MatchesPattern(pattern,
                         fmt::format("{}", fmt::join(names.end() - parts, names.end(), ".")));
      (is_exact ? exact : deeper).push_back(path);
    }
    return exact.empty() ? deeper : exact;
  }

  /// `comes`: whenever the call runs. `is_written`: the call spells the name of the module.
  void AddImportByName(const std::string& path, Node call, bool comes, bool is_written) {
    if (path.empty() || path == Path()) return;
    Unit().imports.push_back({path, "", LineOf(call), comes && IsSure(call), false,
                              IsOptionalImport(call, names_, file_.project())});
    // `x = import_module("a.b")` is `import a.b as x`.
    const Node holder = call.parent();
    const bool binds = holder.Is(NodeKind::kAssignment) && call.field() == Field::kRight &&
                       holder.Child(Field::kLeft).Is(NodeKind::kIdentifier);
    if (binds && is_written) return;
    if (open_.empty()) {
      imported_by_name_.push_back({path, LineOf(call)});
    } else {
      Unit().lookups.push_back({path, LineOf(call)});
    }
  }

  void ReadLookup(Node call) {
    const std::vector<Argument> given = ArgumentsOf(call);
    const bool is_made = given.size() >= 2 && !PlainStringContent(given[1].value);
    if (!is_made || call.Child(Field::kFunction).text() != "getattr") return;
    const bool is_module = LookUpMember(given[0].value, call);
    const Node object = given[0].value;
    NoteMethodsByName(call, object, given[1].value);
    const bool may_be_module =
        object.Is(NodeKind::kIdentifier) && object.text() != "self" && !open_.empty() && !is_module;
    if (may_be_module) asked_.emplace_back(open_.back().unit, LineOf(call));
  }

  /// `getattr(self, f"init_{kind}")`: a method whose name fits.
  void NoteMethodsByName(Node call, Node object, Node name) {
    if (open_.empty()) return;
    const std::vector<Origin> makers = makers_.Of(object);
    if (makers.empty()) return;
    for (std::string& pattern : WrittenPatterns(name, names_)) {
      methods_by_name_.push_back({open_.back().unit, LineOf(call), makers, std::move(pattern)});
    }
  }

  /// Of any name at all, `getattr(self, stage)`, those that a text of the project spells.
  bool MayBeAsked(std::string_view pattern, const std::string& method) const {
    if (pattern.find_first_not_of('*') != pattern.npos) return true;
    if (file_.project() == nullptr || IsCalledByItself(method)) return false;
    const std::vector<std::string>& files = file_.project()->FilesSpelling(method);
    return std::ranges::any_of(files, [&](const std::string& path) {
      const Result<std::string> text = file_.project()->Bytes(path);
      return text && (HasPart(*text, "'" + method + "'") || HasPart(*text, "\"" + method + "\""));
    });
  }
  static bool IsCalledByItself(std::string_view method) {
    return method.starts_with("__") || method == "forward";
  }

  void AddMethodsByName() {
    for (const MethodByName& asked : methods_by_name_) {
      std::set<std::string_view> methods;
      for (const auto& [name, unit] : result_.classes) {
        for (const std::string& method : unit.methods) {
          if (MatchesPattern(asked.pattern, method) && MayBeAsked(asked.pattern, method)) {
            methods.insert(method);
          }
        }
      }
      for (const std::string_view method : methods) {
        result_.units[asked.unit].calls.push_back(
            {std::string(method), asked.makers, false, 0, true, true, {}, asked.line});
      }
    }
  }

  /// What the module imports by name is asked for what it has where a function asks a variable; if
  /// none does, at once.
  void AddLookups() {
    for (ModuleLookup& imported : imported_by_name_) {
      for (const auto& [unit, line] : asked_) {
        result_.units[unit].lookups.push_back({imported.file, line});
      }
      if (asked_.empty()) result_.units[0].lookups.push_back(std::move(imported));
    }
  }

  /// True for `**values` whose keys the code spells somewhere. What a parser, a configuration or
  /// another object holds, it need not.
  static bool IsPutTogether(const Argument& splat) {
    Node value = splat.value;
    if (!splat.node.Is(NodeKind::kDictionarySplat)) return false;
    while (value.Is(NodeKind::kSubscript)) value = value.Child(Field::kValue);
    return !value.Is(NodeKind::kAttribute) &&
           !(value.Is(NodeKind::kCall) && value.Child(Field::kFunction).text() == "vars");
  }

  /// True for `*rest` of the function's own parameter `*rest`: as a rule no call has any.
  static bool IsOwnRest(const Argument& splat) {
    const Node function = DefinitionAround(splat.node);
    if (!splat.node.Is(NodeKind::kListSplat) || !function) return false;
    return std::ranges::any_of(NamedChildren(function.Child(Field::kParameters)),
                               [&](Node parameter) {
                                 return parameter.Is(NodeKind::kListSplatPattern) &&
                                        parameter.first_named_child().text() == splat.value.text();
                               });
  }

  /// What a call hands to the function that it calls.
  PassedValues PassedBy(Node call) {
    PassedValues passed;
    if (!call.Is(NodeKind::kCall)) return passed;
    bool has_rest = false;
    for (const Argument& argument : ArgumentsOf(call)) {
      if (argument.is_splat) {
        has_rest |= IsOwnRest(argument);
        if (!IsOwnRest(argument) && !IsPutTogether(argument)) return {};
        passed.has_splat = true;
        continue;
      }
      if (has_rest && argument.keyword.empty()) return {};  // its position is not known
      passed.values.push_back({std::string(argument.keyword), TermOf(argument.value)});
    }
    passed.is_known = true;
    return passed;
  }

  /// `place` gives the attribute, option or key `name` the value of `value`.
  void Define(std::string_view name, Node place, Node value, std::string option = "") {
    Define(name, place, TermOf(value), std::move(option));
  }
  void Define(std::string_view name, Node place, uint32_t term, std::string option) {
    std::vector<AttributeValue>& known = result_.attributes[std::string(name)];
    const uint32_t condition = WithConditionAround(kUnknownTerm);
    const bool is_key = !place.Is(NodeKind::kAttribute);
    for (AttributeValue& other : known) {
      if (other.term != term || other.option != option || other.condition != condition ||
          other.is_key != is_key) {
        continue;
      }
      other.line = 0;
      return;
    }
    known.push_back({term, LineOf(place), std::move(option), is_key, condition});
  }

  void ReadCall(Node call) {
    const Node callee = call.Child(Field::kFunction);
    for (const Argument& argument : ArgumentsOf(call)) {
      if (!argument.keyword.empty()) Define(argument.keyword, call, argument.value);
    }
    ReadLookup(call);
    ReadEval(call);
    ReadImportByName(call);
    NoteFolders(call);
    const bool is_backward = IsBackwardCall(call);
    if (is_backward) AddFact(CodeFact::Kind::kBackward, call);
    // A backward() of another name gets the optimizer, and updates the weights itself.
    const bool has_optimizer = is_backward && !HasPart(callee.text(), "backward");
    if (IsUpdateCall(call) || UpdatesInPlace(call) || has_optimizer) {
      AddFact(CodeFact::Kind::kUpdate, call);
    }
    ReadArgument(call, callee);
    for (std::string& flag : FlagsRequiredBy(call)) required_flags_.insert(std::move(flag));
    std::vector<std::string> external;
    const size_t known = Unit().mentions.size();
    if (MayBeNamed(callee)) external = AddMentions(callee, true);
    AddTaken(callee, true);
    for (const std::string& name : external) ReadLibraryCall(call, name);
    if (external.empty() && known == Unit().mentions.size()) AddMethodCall(call, callee);
    if (callee.Is(NodeKind::kAttribute)) {
      ReadMethodOfFile(call, callee.Child(Field::kAttribute).text());
    }
    ReadOptionUses(call, external);
  }

  /// What stands in a branch need not be given in the other one.
  void ReadArgument(Node call, Node callee) {
    if (auto argument = ArgumentDefinedBy(call, file_)) {
      const bool may_be_left_out = !argument->positional && !argument->required;
      const std::string constant = may_be_left_out ? ConstantDefaultOf(call) : "";
      Define(argument->dest, call, constant.empty() ? kUnknownTerm : terms_.Constant(constant),
             argument->name);
      if (IsFalsyConstant(constant)) unset_options_.insert(argument->dest);
      if (IsInBranch(call)) argument->required = false;
      Unit().arguments.push_back(*std::move(argument));
    } else if (callee.Is(NodeKind::kAttribute) &&
               callee.Child(Field::kAttribute).text() == "add_argument") {
      AddFact(CodeFact::Kind::kOtherParser, call, "argparse");  // named by a variable
    }
  }

  /// `p.data.add_(p.grad, alpha=-lr)`
  static bool UpdatesInPlace(Node call) {
    const Node callee = call.Child(Field::kFunction);
    if (!callee.Is(NodeKind::kAttribute)) return false;
    const std::string_view name = callee.Child(Field::kAttribute).text();
    return (name == "add_" || name == "sub_" || name == "addcdiv_") &&
           HasPart(call.Child(Field::kArguments).text(), ".grad");
  }

  void AddMethodCall(Node call, Node callee) {
    if (callee.text() == "cls") {  // makes an object of the class around it
      for (Origin& made : makers_.Of(callee)) {
        Unit().mentions.push_back(
            {std::move(made), LineOf(call), true, false, IsSure(call), PassedBy(call)});
      }
    }
    if (!callee.Is(NodeKind::kAttribute)) return;
    const Node object = callee.Child(Field::kObject);
    MethodCall made;
    made.method = callee.Child(Field::kAttribute).text();
    if (made.method == "Process") {  // of get_context("spawn")
      const std::vector<Argument> given = ArgumentsOf(call);
      const Argument* target = FindKeyword(given, "target");
      if (target) AddFactAbout(CodeFact::Kind::kStartsProcess, call, target->value);
    }
    made.makers = makers_.Of(object);
    made.is_super = object.Is(NodeKind::kCall) && object.Child(Field::kFunction).text() == "super";
    for (const Argument& argument : ArgumentsOf(call)) {
      if (argument.is_splat) made.has_splat = true;
      if (argument.keyword.empty()) {
        ++made.arguments;
      } else {
        made.has_keywords = true;
      }
    }
    made.members = makers_.MembersUsedOf(object);
    made.line = LineOf(call);
    made.is_sure = IsSure(call);
    if (made.is_super || !made.makers.empty()) made.passed = PassedBy(call);
    // `self.layer(x)` may call an object.
    if (const std::vector<Origin> makers = makers_.Of(callee); !makers.empty()) {
      Unit().calls.push_back({"__call__", makers, false, 0, true, true, {}, made.line});
    }
    Unit().calls.push_back(std::move(made));
  }

  /// Methods that mean the same of whatever object a file calls them.
  void ReadMethodOfFile(Node call, std::string_view method) {
    for (const TrainingApi& row : apis_.rows()) {
      const bool infers = row.kind == TrainingApi::Kind::kInference;
      if ((row.kind != TrainingApi::Kind::kMethod && !infers) || !row.HasMethod(method)) continue;
      const bool is_imported = std::ranges::any_of(
          imports_, [&](const std::string& target) { return row.IsOfPackage(target); });
      const std::vector<Argument> given = ArgumentsOf(call);
      if (infers && row.keywords.empty() && !given.empty()) continue;
      const bool has_keyword = row.keywords.empty() ||
                               std::ranges::any_of(row.keywords, [&](const std::string& keyword) {
                                 return FindKeyword(given, keyword) != nullptr;
                               });
      if (is_imported && has_keyword) {
        AddFact(CodeFact::Kind::kApi, call, "." + std::string(method), &row);
      }
    }
  }

  void ReadLibraryCall(Node call, const std::string& name) {
    const std::vector<Argument> given = ArgumentsOf(call);
    if (Words("configured-makers").Has(name)) NoteConfigured(call);
    if (name.ends_with("distributed.init_process_group")) {
      const Argument* url = FindKeyword(given, "init_method");
      AddFact(CodeFact::Kind::kInitProcessGroup, call,
              url == nullptr || ValueText(url->value) == "env://" ? "" : ValueText(url->value));
    } else if (name.ends_with("multiprocessing.Process")) {
      const Argument* target = FindKeyword(given, "target");
      AddFactAbout(CodeFact::Kind::kStartsProcess, call, target ? target->value : Node());
    } else if (name == "torch.autograd.grad" || name == "torch.autograd.backward") {
      AddFact(CodeFact::Kind::kBackward, call);
    } else if (name.starts_with("sys.path.")) {
      AddFact(CodeFact::Kind::kAddsToPath, call);
    } else if (name == "hydra.main") {
      AddFact(CodeFact::Kind::kHydra, call, HydraConfig(given));
    } else if (name == "fire.Fire" || name == "typer.run") {
      AddFactAbout(CodeFact::Kind::kFire, call, given.empty() ? Node() : given[0].value);
    } else if (name.ends_with("HfArgumentParser") || name.starts_with("tyro.cli") ||
               name.ends_with("simple_parsing.parse") || name.ends_with("TrlParser")) {
      AddDataclasses(call);
    } else if (name.ends_with("app.run") && given.empty()) {  // of TensorFlow 1 and absl
      Unit().mentions.push_back({{Path(), "main"}, LineOf(call), true});
    } else if (name.starts_with("torch.optim.") && !given.empty()) {
      AddFact(CodeFact::Kind::kOptimizer, call, IsListOfTensors(given[0].value) ? "tensors" : "");
    } else if (name == "exec" && !given.empty()) {
      MentionExecuted(call);
      ImportExecuted(given.front().value, call);
    } else if (Words("command-functions").Has(name) && !given.empty()) {
      StartPrograms(given.front().value, call);
    } else if (name == "omegaconf.OmegaConf.from_cli" || name == "jsonargparse.CLI") {
      AddFact(CodeFact::Kind::kOtherParser, call, name);
    } else if (const TrainingApi* api = apis_.FindCall(name)) {
      if (api->kind == TrainingApi::Kind::kSetup) ReadSetup(given);
      const bool infers = api->kind == TrainingApi::Kind::kInference && IsContext(call);
      if (infers) AddFact(CodeFact::Kind::kApi, call, name, api);
    }
  }

  /// True for what a `with` enters; a decorator is for the function behind it.
  static bool IsContext(Node call) {
    Node item = call.parent();
    if (item.Is(NodeKind::kAsPattern)) item = item.parent();
    return item.Is(NodeKind::kWithItem);
  }

  /// `[image]`, `[code] + list(noise)`: not the parameters of a model, nor groups of them.
  bool IsListOfTensors(Node value) const {
    Node list = value;
    if (list.Is(NodeKind::kIdentifier)) {
      for (const Binding* binding : names_.BindingsOf(list)) {
        if (binding->kind == BindingKind::kAssignment) value = list = binding->value;
      }
    }
    while (list.Is(NodeKind::kBinaryOperator)) list = list.first_named_child();
    return list.Is(NodeKind::kList) && list.first_named_child() &&
           !list.first_named_child().Is(NodeKind::kDictionary) && !HasPart(value.text(), "param");
  }

  /// `exec(open("config.py").read())` runs the code of that file.
  void MentionExecuted(Node call) {
    const Node list = call.Child(Field::kArguments);
    for (uint32_t id = list.id(); id < list.end_id(); ++id) {
      const Node text = PlainStringContent(call.tree().node(id));
      if (!text || !text.text().ends_with(".py")) continue;
      const std::string_view path = text.text();
      AddModule(call, std::string(path.substr(0, path.size() - 3)), "");
    }
  }

  /// `os.system("python tools/train.py --lr 0.1")`, `run(["python", "tools/train.py"])`: the files
  /// of the project that the command names.
  void StartPrograms(Node command, Node call) {
    if (file_.project() == nullptr) return;
    std::string_view before;
    for (const Node text : PartsOfCommand(command)) {
      for (const std::string& pattern : WrittenPatterns(text, names_)) {
        const TextRange whole = {0, static_cast<uint32_t>(pattern.size())};
        for (const TextRange range : SplitWords(pattern, whole, {})) {
          std::string_view word = range.In(pattern);
          const bool is_module = before == "-m";
          before = word == "-m" ? "-m" : "";
          if (!is_module && !word.ends_with(".py")) continue;
          if (word.starts_with("./")) word.remove_prefix(2);
          std::string module(is_module ? word : word.substr(0, word.size() - 3));
          std::ranges::replace(module, '/', '.');
          const std::string path = file_.project()->FileOfModule(Path(), module);
          if (path.empty() || path == Path()) continue;
          Unit().imports.push_back({path, "", LineOf(call), IsSure(call), true});
        }
      }
    }
  }

  /// The items of a list, also of one that a variable holds; else the command itself, or what the
  /// variable got first and later.
  std::vector<Node> PartsOfCommand(Node command) const {
    std::vector<Node> parts;
    const auto add = [&](Node value) {
      if (value.Is(NodeKind::kBinaryOperator)) value = value.first_named_child();
      if (value.Is(NodeKind::kList))
        std::ranges::copy(NamedChildren(value), std::back_inserter(parts));
    };
    add(command);
    if (command.Is(NodeKind::kIdentifier)) {
      // `command += more` leaves in it what was there.
      const uint32_t scope = names_.ScopeOf(command);
      for (const Binding& binding : names_.bindings()) {
        const bool is_it = binding.name == command.text() && binding.scope == scope;
        if (!is_it || !binding.value) continue;
        const size_t known = parts.size();
        add(binding.value);
        if (parts.size() == known) parts.push_back(binding.value);
      }
    }
    if (parts.empty()) parts.push_back(command);
    return parts;
  }

  /// `exec(f"from .data import {kind}")`: the modules that the text imports.
  void ImportExecuted(Node text, Node call) {
    if (file_.project() == nullptr) return;
    for (std::string pattern : WrittenPatterns(text, names_)) {
      std::ranges::replace(pattern, '*', '_');
      const Result<SourceFile> source = SourceFile::FromBytes(Path(), std::move(pattern));
      if (!source) continue;
      Parser parser;
      const SyntaxTree tree = SyntaxTree::Parse(*source, parser);
      const NameTable names(tree, ProjectIndex::ModuleName(Path()),
                            ProjectIndex::IsPackage(Path()));
      for (const Binding& binding : names.bindings()) {
        if (binding.kind != BindingKind::kImport) continue;
        const Node statement = binding.statement;
        const bool is_from = statement.Is(NodeKind::kImportFromStatement);
        const std::string module = is_from ? names.ModuleOf(statement) : binding.target;
        AddImportByName(file_.project()->FileOfModule(Path(), module), call, true, true);
      }
    }
  }

  static std::string HydraConfig(const std::vector<Argument>& given) {
    const auto value = [&](std::string_view keyword, size_t position) {
      const Argument* argument = FindArgument(given, position, keyword);
      return argument == nullptr ? std::string() : ValueText(argument->value);
    };
    return value("config_path", 0) + "/" + value("config_name", 1);
  }

  void AddFactAbout(CodeFact::Kind kind, Node call, Node subject) {
    const std::vector<QualifiedName> names =
        subject ? names_.Resolve(subject) : std::vector<QualifiedName>();
    AddFact(kind, call, names.empty() ? "" : OriginOf(file_, names.front()).name);
    if (!names.empty()) Unit().facts.back().file = OriginOf(file_, names.front()).file;
  }

  /// All classes among the arguments of a parser of dataclasses.
  void AddDataclasses(Node call) {
    const Node list = call.Child(Field::kArguments);
    for (const Node node : NodesIn(list)) {
      if (!node.Is(NodeKind::kIdentifier) || !IsWholeChain(node)) continue;
      const std::vector<QualifiedName> names = names_.Resolve(node);
      if (!names.empty()) AddFactAbout(CodeFact::Kind::kDataclassParser, call, node);
    }
  }

  /// `entry_points={"console_scripts": ["name = module:function"]}`
  void ReadSetup(const std::vector<Argument>& given) {
    const Argument* points = FindKeyword(given, "entry_points");
    if (points == nullptr) return;
    Node value = points->value;
    if (value.Is(NodeKind::kIdentifier)) {
      for (const Binding* binding : names_.BindingsOf(value)) {
        if (binding->value) value = binding->value;
      }
    }
    for (const Node node : NodesIn(value)) {
      const Node text = node.Is(NodeKind::kString) ? PlainStringContent(node) : Node();
      if (!text || !HasPart(text.text(), '=') || !HasPart(text.text(), ':')) {
        continue;
      }
      result_.console_scripts.emplace_back(text.text());
      result_.script_lines.push_back(LineOf(node));
    }
  }

  // ----- what becomes of options

  /// The options in an expression: "gpu" of `f"cuda:{args.gpu}"`, or of `gpu`.
  static std::vector<std::string> OptionsIn(Node expression) {
    std::vector<std::string> options;
    for (uint32_t id = expression.id(); expression && id < expression.end_id(); ++id) {
      const Node node = expression.tree().node(id);
      const Node parent = node.parent();
      const bool is_head = (parent.Is(NodeKind::kAttribute) && node.field() == Field::kObject) ||
                           (parent.Is(NodeKind::kSubscript) && node.field() == Field::kValue);
      const bool is_called = parent.Is(NodeKind::kCall) && node.field() == Field::kFunction;
      // Of `args.file.split()` the value is something else than the option.
      const bool has_more = parent.Is(NodeKind::kAttribute) &&
                            parent.parent().Is(NodeKind::kAttribute) &&
                            parent.field() == Field::kObject;
      if (node.Is(NodeKind::kIdentifier) && !is_head && !is_called && !has_more) {
        options.emplace_back(node.text());
      }
    }
    return options;
  }

  void AddUses(Node expression, ArgumentRole role) {
    if (!expression) return;
    for (std::string& option : OptionsIn(expression)) {
      Unit().uses.push_back({std::move(option), role, LineOf(expression)});
    }
    // `root = os.path.join(args.data, "train")` is one step away.
    for (const Node node : NodesIn(expression)) {
      if (!node.Is(NodeKind::kIdentifier) || node.parent().Is(NodeKind::kAttribute)) continue;
      for (const Binding* binding : names_.BindingsOf(node)) {
        if (binding->kind != BindingKind::kAssignment || !binding->value) continue;
        for (std::string& option : OptionsIn(binding->value)) {
          Unit().uses.push_back({std::move(option), role, LineOf(expression)});
        }
      }
    }
  }

  void ReadOptionUses(Node call, const std::vector<std::string>& external) {
    const std::vector<Argument> given = ArgumentsOf(call);
    if (given.empty()) return;
    const auto use = [&](std::string_view keyword, ArgumentRole role) {
      if (const Argument* argument = FindKeyword(given, keyword)) AddUses(argument->value, role);
    };
    for (const std::string& name : external) {
      if (name.ends_with("distributed.init_process_group")) {
        use("backend", ArgumentRole::kBackend);
        if (given[0].keyword.empty()) AddUses(given[0].value, ArgumentRole::kBackend);
        use("init_method", ArgumentRole::kDistUrl);
        use("world_size", ArgumentRole::kWorldSize);
        use("rank", ArgumentRole::kRank);
      } else if (name.ends_with("multiprocessing.spawn")) {
        use("nprocs", ArgumentRole::kCardCount);
      } else if (name.ends_with(".set_device") || name == "torch.device" ||
                 name.ends_with("cuda.device") || name == DefaultTarget().module + ".device") {
        AddUses(given[0].value, ArgumentRole::kDevice);
      } else if (name.starts_with("torchvision.datasets.") ||
                 name.ends_with("datasets.load_dataset")) {
        AddUses(given[0].value, ArgumentRole::kData);
        use("root", ArgumentRole::kData);
      } else if (name == "mindspore.set_context" || name.ends_with("context.set_context")) {
        use("device_id", ArgumentRole::kDevice);
      }
    }
    ReadDeviceMethod(call, given);
  }

  /// `model.cuda(args.gpu)`
  void ReadDeviceMethod(Node call, const std::vector<Argument>& given) {
    const Node callee = call.Child(Field::kFunction);
    if (!callee.Is(NodeKind::kAttribute)) return;
    const std::string_view method = callee.Child(Field::kAttribute).text();
    if (method != "to" && Words("moving-methods").Has(method) && given[0].keyword.empty()) {
      AddUses(given[0].value, ArgumentRole::kDevice);
    }
  }

  /// `os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu`, and updates without an optimizer.
  void ReadAssignment(Node assignment) {
    const Node left = assignment.Child(Field::kLeft);
    const Node right = assignment.Child(Field::kRight);
    if (assignment.Is(NodeKind::kAugmentedAssignment)) {
      if (HasPart(right.text(), ".grad")) {
        AddFact(CodeFact::Kind::kUpdate, assignment);
      }
      DefineTargets(left, {});
      return;
    }
    if (left.Is(NodeKind::kAttribute) && left.Child(Field::kObject).text() == "self") {
      const std::string& owner = Unit().name;
      result_.classes[owner.substr(0, std::min(owner.rfind('.'), owner.size()))].attributes.emplace(
          left.Child(Field::kAttribute).text());
    }
    DefineTargets(left, right);
    if (!left.Is(NodeKind::kSubscript) || !right) return;
    if (HasPart(left.text(), "VISIBLE_DEVICES")) {
      AddUses(right, ArgumentRole::kDevice);
    }
  }

  /// `x.a, y["b"] = value`; in the body of a class also `name = value`.
  void DefineTargets(Node left, Node right) {
    if (left.Is(NodeKind::kAttribute)) {
      Define(left.Child(Field::kAttribute).text(), left, right);
    } else if (left.Is(NodeKind::kSubscript)) {
      if (const Node key = PlainStringContent(left.Child(Field::kSubscript))) {
        Define(key.text(), left, right);
      }
    } else if (left.Is(NodeKind::kIdentifier)) {
      const bool in_class =
          !open_.empty() && !open_.back().is_function() && !open_.back().name.empty();
      if (in_class) Define(left.text(), left, right ? DefaultOfField(right) : right);
    } else {
      for (const Node part : NamedChildren(left)) DefineTargets(part, {});
    }
  }

  // ----- variables, decorators, imports

  /// The names of variables of the environment, where they are read.
  void ReadString(Node string) {
    const Node content = PlainStringContent(string);
    if (!content) return;
    MentionDotted(string, content.text());
    const bool is_rank = Words("rank-variables").Has(content.text());
    if (!is_rank && !Words("scheduler-variables").Has(content.text())) return;
    if (!IsReadFromEnvironment(string)) {
      if (is_rank && IsSetInEnvironment(string)) {
        AddFact(CodeFact::Kind::kSetsRank, string, std::string(content.text()));
      }
      return;
    }
    AddFact(is_rank ? CodeFact::Kind::kReadsRank : CodeFact::Kind::kReadsScheduler, string,
            std::string(content.text()));
  }

  /// "training.loss.Loss" in a string, "++model.target=training.loss.Loss" as well, names what
  /// something will look up and call.
  void MentionDotted(Node string, std::string_view text) {
    text.remove_prefix(text.rfind('=') + 1);
    const size_t dot = text.rfind('.');
    const bool is_dotted = dot != std::string_view::npos && dot > 0 && dot + 1 < text.size() &&
                           std::ranges::all_of(text, [](unsigned char c) {
                             return std::isalnum(c) != 0 || c == '_' || c == '.';
                           });
    if (!is_dotted || file_.project() == nullptr) return;
    const std::string file = file_.project()->FileOfModule(Path(), text.substr(0, dot));
    if (file.empty()) return;
    Unit().mentions.push_back({{file, std::string(text.substr(dot + 1))}, LineOf(string), false});
  }

  /// `sys.argv[1]`; a part of it is read by code of its own.
  void ReadSubscript(Node subscript) {
    const Node value = subscript.Child(Field::kValue);
    const bool is_dict =
        value.Is(NodeKind::kAttribute) && value.Child(Field::kAttribute).text() == "__dict__";
    if (is_dict || value.Is(NodeKind::kCall)) {
      LookUpMember(is_dict ? value.Child(Field::kObject) : value, subscript);
    }
    const Node index = subscript.Child(Field::kSubscript);
    const bool is_slice = index.Is(NodeKind::kSlice);
    if ((!is_slice && !index.Is(NodeKind::kInteger)) || index.text() == "0" ||
        !names_.IsNamed(subscript.Child(Field::kValue), "sys.argv")) {
      return;
    }
    AddFact(is_slice ? CodeFact::Kind::kOtherParser : CodeFact::Kind::kReadsArgv, subscript,
            is_slice ? "sys.argv" : std::string(index.text()));
    // `len(sys.argv) > 1 and sys.argv[1]`
    for (Node up = subscript.parent(); up && !up.Is(NodeKind::kBlock); up = up.parent()) {
      if (up.Is(NodeKind::kBooleanOperator)) Unit().facts.back().in_branch = true;
    }
  }

  bool IsEnvironment(Node node) const {
    return std::ranges::any_of(node ? names_.Resolve(node) : std::vector<QualifiedName>(),
                               [](const QualifiedName& name) {
                                 return name.name == "os.environ" ||
                                        name.name == "os.environ.get" || name.name == "os.getenv";
                               });
  }

  /// `os.environ["RANK"] = ...`
  bool IsSetInEnvironment(Node string) const {
    const Node item = string.parent();
    return item.Is(NodeKind::kSubscript) && item.field() == Field::kLeft &&
           item.parent().Is(NodeKind::kAssignment) && IsEnvironment(item.Child(Field::kValue));
  }

  bool IsReadFromEnvironment(Node string) const {
    const Node parent = string.parent();
    if (parent.Is(NodeKind::kSubscript)) {
      const Node up = parent.parent();
      const bool is_set = up.Is(NodeKind::kAssignment) && parent.field() == Field::kLeft;
      return !is_set && IsEnvironment(parent.Child(Field::kValue));
    }
    if (parent.Is(NodeKind::kArgumentList)) {
      return IsEnvironment(parent.parent().Child(Field::kFunction)) &&
             parent.first_named_child() == string;
    }
    // `for name in ("LOCAL_RANK", ...)`: the names of what the loop looks up.
    const bool is_list = parent.Is(NodeKind::kTuple) || parent.Is(NodeKind::kList);
    if (is_list && parent.parent().Is(NodeKind::kForStatement)) {
      return HasPart(parent.parent().Child(Field::kBody).text(), "environ");
    }
    if (!parent.Is(NodeKind::kComparisonOperator)) return false;
    return IsEnvironment(string.next_named_sibling()) && !IsSetBehind(parent, string);
  }

  /// `if "LOCAL_RANK" not in os.environ: os.environ["LOCAL_RANK"] = ...`
  bool IsSetBehind(Node test, Node name) const {
    const Node branch = test.parent();
    if (!branch.Is(NodeKind::kIfStatement) || test.field() != Field::kCondition) return false;
    return std::ranges::any_of(NodesIn(branch.Child(Field::kConsequence)), [&](Node node) {
      return node.Is(NodeKind::kSubscript) && node.field() == Field::kLeft &&
             node.Child(Field::kSubscript).text() == name.text() &&
             IsEnvironment(node.Child(Field::kValue));
    });
  }

  /// `@cli.command()`, `@app.route("/x")`: the function belongs to the program that `cli` or `app`
  /// is. `@REGISTRY.register()`: the class or function is one of those that can be asked for.
  void ReadDecorator(Node decorator) {
    Node expression = decorator.first_named_child();
    if (expression.Is(NodeKind::kCall)) expression = expression.Child(Field::kFunction);
    NoteRegistrar(decorator, expression);
    NoteRegistry(expression);
    if (!expression.Is(NodeKind::kAttribute)) return;
    const Node head = ChainOf(expression).head;
    const std::string_view member = expression.Child(Field::kAttribute).text();
    if (!head.Is(NodeKind::kIdentifier) || open_.empty()) return;
    const bool makes_program = Words("main-decorators").Has(member);
    if (member == "command" || makes_program || IsServer(head)) {
      commands_.emplace_back(head.text(), Unit().name);
    }
    if (makes_program) {
      if (result_.main_line == 0) result_.main_line = LineOf(decorator);
      UnitNamed(std::string(kMainBlock), LineOf(decorator));
      AddFact(CodeFact::Kind::kOtherParser, decorator, std::string(head.text()));
    }
  }

  /// `REGISTRY` of `@REGISTRY.register()` and of `@REGISTRY("name")`, above a class.
  void NoteRegistry(Node expression) {
    const bool is_member = expression.Is(NodeKind::kAttribute);
    const Node registry = is_member ? expression.Child(Field::kObject) : expression;
    const auto holder = open_.empty() ? result_.classes.end() : result_.classes.find(Unit().name);
    if (holder == result_.classes.end() || !ChainOf(registry).head.Is(NodeKind::kIdentifier)) {
      return;
    }
    for (const QualifiedName& name : names_.Resolve(registry)) {
      Origin origin = OriginOf(file_, name);
      // What is no member of an object is a function of a library, or of the project: none that
      // could be asked.
      if (is_member || (!origin.file.empty() && HoldsObject(origin))) {
        holder->second.registries.push_back(std::move(origin));
      }
    }
    const auto own = OriginOfVariable(file_, registry);
    if (own && (is_member || HoldsObject(*own))) holder->second.registries.push_back(*own);
  }

  /// True for a variable of a module that holds what a call has made.
  bool HoldsObject(const Origin& variable) const {
    if (file_.project() == nullptr || HasPart(variable.name, '.')) return false;
    const auto opened = file_.project()->Open(variable.file);
    return opened != nullptr &&
           std::ranges::any_of(opened->names().bindings(), [&](const Binding& binding) {
             return binding.scope == 0 && binding.name == variable.name &&
                    binding.kind == BindingKind::kAssignment && binding.value.Is(NodeKind::kCall);
           });
  }

  void NoteRegistrar(Node decorator, Node expression) {
    const bool is_of_module =
        open_.size() == 1 && open_.back().function.parent() == decorator.parent();
    const Node last =
        expression.Is(NodeKind::kAttribute) ? expression.Child(Field::kAttribute) : expression;
    if (!is_of_module || !last || !Words("registering-decorators").Has(last.text())) return;
    for (const QualifiedName& name : names_.Resolve(expression)) {
      Unit().registrars.push_back(OriginOf(file_, name));
    }
    // Of an object that another file of the project, or this one, has made.
    if (Unit().registrars.empty()) Unit().registrars.push_back({Path(), std::string(last.text())});
  }

  /// `app` of `app = Flask(__name__)`: it calls what its decorators mark.
  bool IsServer(Node name) const {
    return std::ranges::any_of(names_.BindingsOf(name), [&](const Binding* binding) {
      if (binding->kind != BindingKind::kAssignment || !binding->value.Is(NodeKind::kCall)) {
        return false;
      }
      return std::ranges::any_of(names_.Resolve(binding->value.Child(Field::kFunction)),
                                 [](const QualifiedName& made) {
                                   return !made.local && Words("makers-of-servers").Has(made.name);
                                 });
    });
  }

  void AddCommands(const std::string& group, const std::string& function) {
    const Origin target{Path(), function};
    const auto found = index_.find(group);
    if (found != index_.end()) {
      CodeUnit& unit = result_.units[found->second];
      unit.mentions.push_back({target, unit.line, true});
      return;
    }
    // A variable of the module: whoever calls it runs them.
    for (CodeUnit& unit : result_.units) {
      if (unit.name == kMainBlock) unit.mentions.push_back({target, unit.line, true});
    }
  }

  /// `assert args.model`, `assert args.model or args.folder is not None`: each run is given one of
  /// these options.
  void ReadAssertion(Node assertion) {
    if (!IsInBranch(assertion)) asserted_.push_back(assertion.first_named_child());
  }

  void ReadAsserted(Node condition) {
    const bool is_boolean = condition.Is(NodeKind::kBooleanOperator);
    if (is_boolean && SignOf(condition) == "and") {
      ReadAsserted(condition.Child(Field::kLeft));
      return ReadAsserted(condition.Child(Field::kRight));
    }
    std::vector<std::string> options;
    if (!AddAssertedOptions(condition, options)) return;
    const bool holds_by_default = std::ranges::any_of(
        options, [&](const std::string& option) { return !unset_options_.contains(option); });
    if (holds_by_default) return;
    if (options.size() == 1) required_flags_.insert(options.front());
    asserted_options_.insert(options.begin(), options.end());
  }

  /// False if the condition may hold without one of them.
  static bool AddAssertedOptions(Node condition, std::vector<std::string>& options) {
    if (condition.Is(NodeKind::kParenthesizedExpression)) {
      return AddAssertedOptions(condition.first_named_child(), options);
    }
    if (condition.Is(NodeKind::kBooleanOperator)) {
      return SignOf(condition) == "or" &&
             AddAssertedOptions(condition.Child(Field::kLeft), options) &&
             AddAssertedOptions(condition.Child(Field::kRight), options);
    }
    const Node option =
        condition.Is(NodeKind::kComparisonOperator) ? condition.first_named_child() : condition;
    const bool is_option = option.Is(NodeKind::kAttribute) &&
                           option.Child(Field::kObject).Is(NodeKind::kIdentifier) &&
                           option.Child(Field::kObject).text() != "self";
    if (!is_option) return false;
    const std::string_view behind = condition.text().substr(option.text().size());
    if (!behind.empty() && behind != " is not None" && behind != " != None") return false;
    options.emplace_back(option.Child(Field::kAttribute).text());
    return true;
  }

  /// An option that is always given has another value than its default, whatever that is.
  void ForgetDefaultOf(const std::string& option) {
    const auto known = result_.attributes.find(option);
    if (known == result_.attributes.end()) return;
    for (AttributeValue& value : known->second) {
      if (!value.option.empty()) value.term = kUnknownTerm;
    }
  }

  void RequireFlag(const std::string& flag) {
    for (CodeUnit& unit : result_.units) {
      for (EntryArgument& argument : unit.arguments) {
        if (argument.dest == flag) argument.required = true;
      }
    }
  }

  void AddModule(Node statement, const std::string& module, const std::string& as_imported,
                 bool may_be_bound = false) {
    if (file_.project() == nullptr || module.empty()) return;
    const std::string path = file_.project()->FileOfModule(Path(), module);
    if (path.empty() || path == Path() || IsForTypesOnly(statement, names_)) return;
    Unit().imports.push_back({path, as_imported, LineOf(statement),
                              !may_be_bound && IsSure(statement), false,
                              IsOptionalImport(statement, names_, file_.project())});
  }

  /// True if the package binds the name itself: `from package import name` takes that one, and
  /// loads no module of that name.
  bool IsBoundBy(const std::string& package, std::string_view name) const {
    const std::string path =
        file_.project() == nullptr ? "" : file_.project()->FileOfModule(Path(), package);
    if (path.empty() || !ProjectIndex::IsPackage(path) || path == Path()) return false;
    const auto opened = file_.project()->Open(path);
    return opened != nullptr && BindsInModule(opened->names(), name);
  }

  /// True if the module gives the name a value, other than by `from . import name`.
  static bool BindsInModule(const NameTable& names, std::string_view name) {
    return std::ranges::any_of(names.bindings(), [&](const Binding& binding) {
      return binding.scope == 0 && binding.name == name &&
             !(binding.kind == BindingKind::kImport &&
               binding.statement.Is(NodeKind::kImportFromStatement) &&
               binding.statement.Child(Field::kModuleName).text() == ".");
    });
  }

  /// True if the package `package`, whose modules import `name` from it, gives it no such name.
  bool MustBeModule(const std::string& package, std::string_view name) const {
    const std::string path =
        file_.project() == nullptr ? "" : file_.project()->FileOfModule(Path(), package);
    if (path == Path() ? BindsInModule(names_, name) : IsBoundBy(package, name)) return false;
    const auto opened = path.empty() ? nullptr : file_.project()->Open(path);
    return opened != nullptr && std::ranges::none_of(NodesIn(opened->tree()), [](Node node) {
             // `from .ops import *`, `def __getattr__(name)`, `globals()[name] = ...`
             return node.Is(NodeKind::kWildcardImport) ||
                    (node.Is(NodeKind::kIdentifier) && Words("makers-of-names").Has(node.text()));
           });
  }

  /// A package that imports `name` for type checkers alone loads the module of it when somebody
  /// asks for it: here `statement`.
  void AddLateModule(Node statement, const std::string& package, std::string_view name,
                     int depth = 0) {
    constexpr int kMostPackages = 8;  // one that takes the name from the other
    const std::string path =
        file_.project() == nullptr ? "" : file_.project()->FileOfModule(Path(), package);
    if (depth > kMostPackages || !ProjectIndex::IsPackage(path) || path == Path()) return;
    const auto opened = file_.project()->Open(path);
    if (opened == nullptr) return;
    for (const Binding& binding : opened->names().bindings()) {
      if (binding.scope != 0 || binding.name != name) continue;
      const bool is_late = binding.kind == BindingKind::kImport &&
                           binding.statement.Is(NodeKind::kImportFromStatement) &&
                           IsForTypesOnly(binding.statement, opened->names());
      if (!is_late) continue;
      const std::string module(ParentPart(binding.target));
      AddModule(statement, module, "", true);  // if the package does so
      AddModule(statement, binding.target, "", true);
      AddLateModule(statement, module, LastPart(binding.target), depth + 1);
    }
  }

  /// `from package import Net`, where the package has a __getattr__ that finds the module of Net.
  void AddModuleOfGetter(Node statement, const std::string& package, std::string_view name) {
    const std::string path =
        file_.project() == nullptr ? "" : file_.project()->FileOfModule(Path(), package);
    if (path == Path() || !ProjectIndex::IsPackage(path) || IsBoundBy(package, name)) return;
    if (!file_.project()->FileOfModule(Path(), package + "." + std::string(name)).empty()) return;
    const auto found = file_.project()->Find(Path(), package, name);
    if (!found || found->size() != 1) return;
    const std::string& target = found->front().name;
    AddModule(statement, std::string(ParentPart(target)), "");
  }

  /// Where the project should have `module`, without an ending: beside the package around it that
  /// is there. "" if it may be a module of a library, or lies above the project.
  std::string PathInProject(const std::string& module, bool is_relative) const {
    if (module.starts_with("..")) return {};
    for (size_t dot = module.rfind('.'); dot != std::string::npos && dot > 0;
         dot = module.rfind('.', dot - 1)) {
      const std::string package = file_.project()->FileOfModule(Path(), module.substr(0, dot));
      if (package.empty()) continue;
      if (NameOfFile(package) != "__init__.py") return {};
      std::string rest = module.substr(dot);
      std::ranges::replace(rest, '.', '/');
      return std::string(FolderOf(package)) + rest;
    }
    // The folders of a project need not be packages.
    const bool is_plain = Path().find('.') == Path().rfind('.');
    if (!is_relative || !is_plain || module.starts_with('.')) return {};
    std::string path = module;
    std::ranges::replace(path, '.', '/');
    return path;
  }

  void NoteMissing(Node name, const std::string& module, bool is_relative) {
    if (file_.project() == nullptr || module.empty()) return;
    if (!file_.project()->FileOfModule(Path(), module).empty()) return;
    std::string path = PathInProject(module, is_relative);
    const Node place = path.empty() ? Node() : PlaceOfNeed(name);
    if (!place) return;
    const LineColumn position = file_.source().Locate(place.range().start);
    const TextRange line = file_.source().LineRange(position.line);
    const bool runs_later = place != name || (!open_.empty() && open_.back().is_function());
    const bool is_of_package = is_relative && !name.text().starts_with('.');
    result_.missing.push_back(
        {(is_of_package ? "." : "") + std::string(name.text()), runs_later, std::move(path),
         std::string(Trimmed(line.In(file_.source().bytes()))), position.line, position.column});
  }

  /// Where the program needs what `name` of an import brings: there, or, if it goes on where the
  /// import fails, at the first use without a test. A null node if it does not need it.
  Node PlaceOfNeed(Node name) const {
    const Node statement = EnclosingStatement(name);
    if (IsForTypesOnly(statement, names_) || dead_.Contains(statement.range())) return {};
    const bool goes_on =
        IsOptionalImport(name, names_, file_.project()) ||
        IsReplacedImport(statement, [&](Node import) { return IsMissing(import); });
    if (!goes_on) return name;
    const std::vector<UseWithoutImport> uses =
        UsesWithoutImport(statement, names_, file_.project());
    return uses.empty() ? Node() : uses.front().use;
  }

  /// True for an import of a module that the project should have and has not. The handler of an
  /// import may bring another module of the same package.
  bool IsMissing(Node import) const {
    const bool is_from = import.Is(NodeKind::kImportFromStatement);
    if (!is_from) return true;
    const Node module = import.Child(Field::kModuleName);
    return file_.project()->FileOfModule(Path(), names_.ModuleOf(import)).empty() &&
           !PathInProject(names_.ModuleOf(import), module.text().starts_with('.')).empty();
  }

  /// The packages that a script asks for itself: `# dependencies = ["numpy"]` between `# ///
  /// script` and `# ///` (PEP 723).
  void ReadScriptHeader() {
    bool is_inside = false;
    for (const Node node : NodesIn(file_.tree())) {
      if (!node.Is(NodeKind::kComment)) continue;
      const std::string_view text = Trimmed(node.text().substr(1));
      if (text == "///") return;
      is_inside |= text == "/// script";
      if (!is_inside) continue;
      for (size_t quote = text.find('"'); quote != text.npos; quote = text.find('"', quote + 1)) {
        const size_t end = text.find('"', quote + 1);
        if (end == text.npos) break;
        result_.script_requirements.emplace_back(text.substr(quote + 1, end - quote - 1));
        quote = end;
      }
    }
  }

  void NotePackage(Node name, const std::string& module, std::vector<std::string> names) {
    const std::string_view package = FirstPart(module);
    if (package.empty() || Words("python-modules").Has(package)) return;
    if (Words("packages-without-cuda").Has(package)) return;
    const bool is_own =
        file_.project() != nullptr && !file_.project()->FileOfModule(Path(), package).empty();
    const Node place = is_own ? Node() : PlaceOfNeed(name);
    if (!place) return;
    const LineColumn position = file_.source().Locate(place.range().start);
    const TextRange line = file_.source().LineRange(position.line);
    result_.packages.push_back({std::string(package), module, std::move(names),
                                std::string(place == name ? package : place.text()),
                                std::string(Trimmed(line.In(file_.source().bytes()))),
                                position.line, position.column});
  }

  /// Python runs the packages around a module before the module. Those around this file, to which a
  /// relative import leads, have run if somebody has imported the file by their names.
  void AddPackagesOf(Node statement, const std::string& module, bool is_relative) {
    const size_t name = module.find_first_not_of('.');
    if (name == std::string::npos) return;
    const std::string own = is_relative ? ProjectIndex::ModuleName(Path()) + "." : "";
    for (size_t dot = module.find('.', name); dot != std::string::npos;
         dot = module.find('.', dot + 1)) {
      if (own.starts_with(std::string_view(module).substr(name, dot + 1 - name))) continue;
      AddModule(statement, module.substr(0, dot), "");
    }
  }

  void NoteImport(Node statement) {
    const uint32_t last = file_.source().Locate(statement.range().end - 1).line;
    statements_.emplace(statement.id(), result_.imports.size());
    ImportStatement& import = result_.imports.emplace_back();
    import.first_line = LineOf(statement);
    import.last_line = last;
    for (const Node item : NamedChildren(statement)) {
      if (item.field() != Field::kName) continue;
      const LineColumn place = file_.source().Locate(item.range().start);
      import.names.push_back({place.line, place.column, {}});
    }
  }

  void NoteLateFunction(Node assignment) {
    const Node name = assignment.Child(Field::kLeft);
    if (!late_.contains(name.id())) return;
    const LineColumn place = file_.source().Locate(name.range().start);
    statements_.emplace(assignment.id(), result_.imports.size());
    ImportStatement& statement = result_.imports.emplace_back();
    statement.first_line = place.line;
    statement.last_line = file_.source().Locate(assignment.range().end - 1).line;
    statement.names.push_back({place.line, place.column, {}});
    statement.is_for_file = true;
  }

  /// An import may stand behind a function that uses it.
  void NoteUse(Node identifier) {
    const Node parent = identifier.parent();
    const bool is_member =
        parent.Is(NodeKind::kAttribute) && identifier.field() == Field::kAttribute;
    if (is_member || parent.Is(NodeKind::kDottedName) || parent.Is(NodeKind::kAliasedImport))
      return;
    // The name of a method, `f(name=x)`, `name = x`: another thing that is called so.
    const bool is_target = identifier.field() == Field::kLeft && parent.Is(NodeKind::kAssignment);
    if (identifier.field() == Field::kName || is_target) return;
    if (!imported_.contains(identifier.text()) || identifier.id() < type_end_) return;
    if (IsOnlyNamed(identifier)) return;
    const NameTable::Meanings bindings = names_.BindingsOf(identifier);
    // Of very many the nearest.
    const size_t first = bindings.size() - std::min(bindings.size(), kMostBindings);
    for (size_t i = first; i < bindings.size(); ++i) {
      const Binding* binding = bindings[i];
      const bool is_import = binding->kind == BindingKind::kImport;
      if ((!is_import && !late_.contains(binding->node.id())) || binding->node == identifier) {
        continue;
      }
      // `step = torch.compile(step)` names what it was before.
      const TextRange range = binding->statement.range();
      const bool is_inside =
          range.start <= identifier.range().start && identifier.range().end <= range.end;
      if (!is_import && is_inside) continue;
      used_.push_back({binding->statement.id(), ItemOf(*binding),
                       file_.source().Locate(identifier.range().start)});
    }
  }

  /// Which of the names of its statement the binding is.
  static size_t ItemOf(const Binding& binding) {
    if (binding.kind != BindingKind::kImport) return 0;
    size_t item = 0;
    for (const Node name : NamedChildren(binding.statement)) {
      if (name.field() != Field::kName) continue;
      if (binding.node.range().start < name.range().end) break;
      ++item;
    }
    return item;
  }

  void AddUsesOfImports() {
    for (const auto& [statement, item, place] : used_) {
      const auto found = statements_.find(statement);
      if (found == statements_.end()) continue;
      std::vector<ImportStatement::Name>& names = result_.imports[found->second].names;
      if (item >= names.size()) continue;
      std::vector<LineColumn>& uses = names[item].uses;
      const auto choice_of = [&](LineColumn use) { return result_.ChoiceAt(use.line, use.column); };
      const bool is_known = !uses.empty() && uses.back().line == place.line &&
                            choice_of(uses.back()) == choice_of(place);
      if (!is_known) uses.push_back(place);
    }
  }

  void ReadImport(Node statement) {
    NoteImport(statement);
    for (const Node item : NamedChildren(statement)) {
      const Node name = item.Is(NodeKind::kAliasedImport) ? item.Child(Field::kName) : item;
      const std::string module(name.text());
      AddPackagesOf(statement, module, false);
      AddModule(statement, module, module);
      NoteMissing(name, module, false);
      NotePackage(name, module, {});
      result_.imported_names.insert(module);
    }
  }

  static std::vector<std::string> NamesImportedBy(Node statement) {
    std::vector<std::string> names;
    for (const Node item : NamedChildren(statement)) {
      if (item.field() != Field::kName) continue;
      const Node name = item.Is(NodeKind::kAliasedImport) ? item.Child(Field::kName) : item;
      names.emplace_back(name.text());
    }
    return names;
  }

  void ReadImportFrom(Node statement) {
    NoteImport(statement);
    const bool is_relative = statement.Child(Field::kModuleName).Is(NodeKind::kRelativeImport);
    if (is_relative) Unit().has_relative_import = true;
    const std::string module = names_.ModuleOf(statement);
    const std::string as_imported = is_relative ? "" : module;
    AddPackagesOf(statement, module, is_relative);
    AddModule(statement, module, as_imported);
    NoteMissing(statement.Child(Field::kModuleName), module, is_relative);
    if (!is_relative) {
      NotePackage(statement.Child(Field::kModuleName), module, NamesImportedBy(statement));
    }
    for (const Node item : NamedChildren(statement)) {
      if (item.field() != Field::kName) continue;
      const Node name = item.Is(NodeKind::kAliasedImport) ? item.Child(Field::kName) : item;
      const std::string full = module + (module == "." ? "" : ".") + std::string(name.text());
      AddModule(statement, full, is_relative ? "" : full, IsBoundBy(module, name.text()));
      const bool is_of_package = statement.Child(Field::kModuleName).text() == ".";
      if (is_of_package && MustBeModule(module, name.text())) NoteMissing(name, full, true);
      AddLateModule(statement, module, name.text());
      AddModuleOfGetter(statement, module, name.text());
      if (!is_relative) result_.imported_names.insert(full);
    }
  }

  /// pytest collects what is called so, whoever runs it.
  bool IsTestFile() const {
    const std::string_view name = std::string_view(Path()).substr(Path().rfind('/') + 1);
    if (!name.starts_with("test_") && !name.ends_with("_test.py")) return false;
    const auto is_test = [](std::string_view unit) {
      return unit.starts_with("test") || unit.starts_with("Test");
    };
    // A program that gives the function what it needs is its own runner: `test_speed(args)`; so is
    // one with options.
    const CodeUnit* main = result_.Find(kMainBlock);
    const bool runs_itself =
        main != nullptr && (!main->arguments.empty() ||
                            std::ranges::any_of(main->mentions, [&](const Mention& mention) {
                              return mention.is_called && is_test(mention.target.name) &&
                                     !mention.passed.values.empty();
                            }));
    return !runs_itself && std::ranges::any_of(result_.units, [&](const CodeUnit& unit) {
      return is_test(unit.name);
    });
  }

  const CodeFile& file_;
  const TrainingApis& apis_;
  const NameTable& names_;
  ObjectMakers makers_;
  FileUnits result_;
  const SettledConditions settled_;
  const RangeSet dead_;  // what no run comes to
  TermReader terms_;
  std::unordered_map<uint32_t, uint32_t> conditions_;  // of clauses, by the id of their node
  std::unordered_map<uint32_t, Guarded> rests_;        // by the id of the first node
  std::map<std::string, size_t> index_;
  std::vector<Open> open_;
  std::vector<Span> spans_;  // open ones, the innermost last
  std::set<uint32_t> main_blocks_;
  Names heads_;  // names that the file binds
  Names named_;  // those of them that may stand for something by name
  std::vector<ModuleLookup> imported_by_name_;      // by the module itself, with the lines
  std::set<std::string> packages_of_unknown_;       // given to imports by names that are not known
  std::vector<std::pair<size_t, uint32_t>> asked_;  // units and lines of `getattr(variable, name)`
  /// A method that is looked up by a name which the program makes.
  struct MethodByName {
    size_t unit;
    uint32_t line;
    std::vector<Origin> makers;
    std::string pattern;
  };
  std::vector<MethodByName> methods_by_name_;
  Names tables_;  // variables of the module that may hold functions
  Names imported_;
  std::set<uint32_t> late_;  // the names that assignments of functions which work later bind
  std::unordered_map<uint32_t, size_t> statements_;  // of imports, by their node: in the result
  /// A line that uses what an import binds.
  struct UsedImport {
    uint32_t statement;  // its node
    size_t item;
    LineColumn place;
  };
  std::vector<UsedImport> used_;
  uint32_t type_end_ = 0;  // the first node behind the annotation that is being read
  std::vector<std::string> imports_;
  std::vector<std::pair<std::string, std::string>> commands_;  // group, function
  mutable std::unordered_map<uint32_t, bool> builders_;        // by `except` clause
  /// Of import statements without which the program goes on: the scopes that need them anyway.
  std::map<uint32_t, std::optional<std::set<uint32_t>>> forgiven_;
  size_t forgiven_uses_ = 0;  // those that have been looked for
  std::set<std::string> required_flags_;
  std::set<std::string> unset_options_;  ///< that are None, False or 0 unless they are given
  std::vector<Node> asserted_;           ///< conditions
  std::set<std::string> asserted_options_;
};

}  // namespace

const CodeUnit* FileUnits::Find(std::string_view name) const {
  const auto name_of = [&](uint32_t place) -> std::string_view { return units[place].name; };
  const auto found = std::ranges::lower_bound(by_name, name, {}, name_of);
  return found != by_name.end() && name_of(*found) == name ? &units[*found] : nullptr;
}

std::vector<LineColumn> ImportStatement::UsesOf(uint32_t line, uint32_t column) const {
  const auto behind = std::ranges::upper_bound(
      names, std::make_pair(line, column), {},
      [](const Name& name) { return std::make_pair(name.line, name.column); });
  if (behind != names.begin()) return std::prev(behind)->uses;
  std::vector<LineColumn> all;
  for (const Name& name : names) all.insert(all.end(), name.uses.begin(), name.uses.end());
  std::ranges::sort(all, {}, [](LineColumn use) { return std::pair(use.line, use.column); });
  return all;
}

const ImportStatement* FileUnits::ImportAt(uint32_t line) const {
  const auto behind = std::ranges::upper_bound(imports, line, {}, &ImportStatement::first_line);
  const bool is_import = behind != imports.begin() && line <= std::prev(behind)->last_line;
  return is_import ? &*std::prev(behind) : nullptr;
}

uint32_t FileUnits::CaughtAt(size_t unit, uint32_t line) const {
  const auto around = std::ranges::find_if(caught, [&](const CaughtLines& lines) {
    return lines.unit == unit && lines.first < line && line <= lines.last;
  });
  return around == caught.end() ? 0 : around->first;
}

const Fallback* FileUnits::FallbackAt(uint32_t line) const {
  const auto around = [&](const Fallback& one) { return one.line < line && line <= one.end; };
  const auto last = std::find_if(fallbacks.rbegin(), fallbacks.rend(), around);
  return last == fallbacks.rend() ? nullptr : &*last;
}

const UnitStart& FileUnits::StartAt(uint32_t line) const {
  return *(std::ranges::upper_bound(starts, line, {}, &UnitStart::line) - 1);
}

size_t FileUnits::ChoiceAt(uint32_t line, uint32_t column) const {
  const std::pair place(line, column);
  const auto pair_of = [](LineColumn at) { return std::pair(at.line, at.column); };
  for (size_t i = choices.size(); i > 0; --i) {
    const Choice& choice = choices[i - 1];
    if (pair_of(choice.first) <= place && place < pair_of(choice.end)) return i - 1;
  }
  return kNoChoice;
}

FileUnits UnitsOf(const CodeFile& file, const TrainingApis& apis, const Machine& machine) {
  return UnitCollector(file, apis, machine).Run();
}

}  // namespace transplt
