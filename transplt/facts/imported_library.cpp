// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/imported_library.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/string_place.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/places_of_file.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// The handlers of an error: its bases, itself and what it is most often raised as.
using Handlers = std::span<const std::string_view>;
constexpr std::array<std::string_view, 4> kOfImports = {"ImportError", "ModuleNotFoundError",
                                                        "Exception", "BaseException"};
constexpr std::array<std::string_view, 3> kOfNames = {"AttributeError", "Exception",
                                                      "BaseException"};

bool Takes(Node handler, Handlers handlers) {
  const Node first = handler.first_named_child();
  if (first.Is(NodeKind::kBlock)) return true;  // a bare `except:`
  for (uint32_t id = first.id(); id < first.end_id(); ++id) {
    const Node node = first.tree().node(id);
    const bool is_taken = node.Is(NodeKind::kIdentifier) &&
                          std::ranges::find(handlers, node.text()) != handlers.end();
    if (is_taken) return true;
  }
  return false;
}

/// `a, b = None`
bool UnpacksNone(Node statement) {
  const Node assignment = statement.first_named_child();
  if (!statement.Is(NodeKind::kExpressionStatement) || !assignment.Is(NodeKind::kAssignment)) {
    return false;
  }
  const Node target = assignment.Child(Field::kLeft);
  return assignment.Child(Field::kRight).Is(NodeKind::kNone) &&
         (target.Is(NodeKind::kPatternList) || target.Is(NodeKind::kTuplePattern));
}

/// True if the program does not go on behind the handler where `package` cannot be imported: it
/// raises or leaves, or imports another module of the package.
bool Ends(Node handler, std::string_view package) {
  if (EndsInHandler(handler)) return true;
  return !package.empty() &&
         std::ranges::any_of(NamedChildren(LastNamedChild(handler)),
                             [&](Node statement) { return ImportedPackage(statement) == package; });
}

/// True if `node` stands in the body of a `try` that imports the package.
bool IsBesideImport(Node node, std::string_view package) {
  for (Node child = node; child; child = child.parent()) {
    const Node parent = child.parent();
    if (!parent.Is(NodeKind::kTryStatement) || child.Is(NodeKind::kExceptClause)) continue;
    const auto statements = NamedChildren(parent.Child(Field::kBody));
    return std::ranges::any_of(statements,
                               [&](Node other) { return ImportedPackage(other) == package; });
  }
  return false;
}

/// `def has_flash(): try: import flash_attn ...`
bool TriesImport(Node function, std::string_view package) {
  return std::ranges::any_of(NodesIn(function), [&](Node node) {
    return IsImport(node) && ImportedPackage(node) == package &&
           node.parent().parent().Is(NodeKind::kTryStatement);
  });
}

/// True if the variable, the attribute or the function `name` of the file has the answer whether
/// the package is there: `has = find_spec("flash_attn") is not None`, `self.has = ...`, or `has =
/// True` in a `try` that imports it.
bool HoldsAnswer(std::string_view name, const NameTable& names, std::string_view package) {
  return std::ranges::any_of(names.places().NodesSaying(name), [&](Node place) {
    if (place.parent().Is(NodeKind::kFunctionDefinition) && place.field() == Field::kName) {
      return TriesImport(place.parent(), package);
    }
    const bool is_member =
        place.parent().Is(NodeKind::kAttribute) && place.field() == Field::kAttribute;
    const Node target = is_member ? place.parent() : place;
    const Node assignment = target.parent();
    const Node value = assignment.Child(Field::kRight);
    if (!assignment.Is(NodeKind::kAssignment) || target.field() != Field::kLeft || !value) {
      return false;
    }
    if (value.Is(NodeKind::kTrue) && IsBesideImport(assignment, package)) return true;
    return std::ranges::any_of(NodesIn(value),
                               [&](Node part) { return AsksForPackage(part, package); });
  });
}

/// True if what stands beside the branch, `else: raise`, ends what the program does.
bool EndsElsewhere(Node branch) {
  const Node statement = branch.Is(NodeKind::kElifClause) ? branch.parent() : branch;
  const Node last = LastNamedChild(statement);
  return last.Is(NodeKind::kElseClause) && EndsFlow(last.Child(Field::kBody));
}

/// The same of a name that the file takes from others of the project.
bool HoldsAnswerElsewhere(Node name, std::string_view package, const NameTable& names,
                          const ProjectIndex& project) {
  return std::ranges::any_of(names.Resolve(name), [&](const QualifiedName& variable) {
    if (variable.local) return false;
    const std::string path =
        project.FileOfModule(name.tree().source().path(), ParentPart(variable.name));
    const auto file = path.empty() ? nullptr : project.Open(path);
    return file != nullptr && HoldsAnswer(LastPart(variable.name), file->names(), package);
  });
}

/// True if the branch of the `if` gives the answer of the function: its caller goes on.
bool AnswersIn(Node if_statement) {
  const Node last = LastNamedChild(if_statement.Child(Field::kConsequence));
  return last.Is(NodeKind::kReturnStatement) && last.first_named_child();
}

/// `not x`, `x is None`
bool Denies(Node condition) {
  if (condition.Is(NodeKind::kNotOperator)) return true;
  return condition.Is(NodeKind::kComparisonOperator) &&
         LastNamedChild(condition).Is(NodeKind::kNone) &&
         condition.first_named_child().next_sibling().text() == "is";
}

/// `if is_flash_attn_available():` around `node`, unless the program ends where it is not; or
/// `if not is_flash_attn_available(): return x` above it.
bool IsBehindQuestion(Node node, std::string_view package, const NameTable& names,
                      const ProjectIndex* project) {
  if (package.empty()) return false;
  const auto names_it = [&](Node part) {
    if (part.Is(NodeKind::kAttribute)) {
      return project != nullptr && HoldsAnswerElsewhere(part, package, names, *project);
    }
    if (!part.Is(NodeKind::kIdentifier)) return AsksForPackage(part, package);
    return HoldsAnswer(part.text(), names, package) ||
           (project != nullptr && HoldsAnswerElsewhere(part, package, names, *project));
  };
  for (Node child = node; child; child = child.parent()) {
    const Node parent = child.parent();
    if (parent.Is(NodeKind::kConditionalExpression) && child == parent.first_named_child()) {
      const Node condition = child.next_named_sibling();
      if (std::ranges::any_of(NodesIn(condition), names_it)) return true;
    }
    const bool is_branch =
        (parent.Is(NodeKind::kIfStatement) || parent.Is(NodeKind::kElifClause)) &&
        child.field() == Field::kConsequence;
    if (is_branch && std::ranges::any_of(NodesIn(parent.Child(Field::kCondition)), names_it)) {
      return !EndsElsewhere(parent);
    }
    if (!parent.Is(NodeKind::kBlock)) continue;
    for (Node before = parent.first_named_child(); before && before != child;
         before = before.next_named_sibling()) {
      if (!before.Is(NodeKind::kIfStatement) || !AnswersIn(before)) continue;
      const Node condition = before.Child(Field::kCondition);
      if (Denies(condition) && std::ranges::any_of(NodesIn(condition), names_it)) return true;
    }
  }
  return false;
}

/// True for a name that is no call, as a definition or an import has it.
bool IsDefined(Node name) {
  const Node parent = name.parent();
  return (parent.Is(NodeKind::kFunctionDefinition) && name.field() == Field::kName) ||
         IsImport(EnclosingStatement(name));
}

/// True if all that the file does with what is called `name` is behind the question for the
/// package. `uses` counts it.
bool IsUsedBehindQuestion(std::string_view name, std::string_view package, const NameTable& names,
                          const ProjectIndex* project, size_t& uses) {
  return std::ranges::all_of(names.places().NodesSaying(name), [&](Node place) {
    if (IsDefined(place)) return true;
    ++uses;
    return IsBehindQuestion(place, package, names, project);
  });
}

/// True if `node` is in a function that the project uses behind such questions alone.
bool IsInAskedFunction(Node node, std::string_view package, const NameTable& names,
                       const ProjectIndex* project) {
  if (package.empty()) return false;
  Node function = node.parent();
  while (function && !function.Is(NodeKind::kFunctionDefinition)) function = function.parent();
  // A library may call a method, too.
  const Node around = function ? function.parent().parent() : Node();
  if (!function || around.Is(NodeKind::kClassDefinition) ||
      around.parent().Is(NodeKind::kClassDefinition)) {
    return false;
  }
  const std::string_view name = function.Child(Field::kName).text();
  const std::string& own = names.tree().source().path();
  size_t uses = 0;
  if (!IsUsedBehindQuestion(name, package, names, project, uses)) return false;
  const auto is_asked_in = [&](const std::string& path) {
    if (path == own) return true;
    const std::shared_ptr<const OpenedFile> file = project->Open(path);
    return file != nullptr && IsUsedBehindQuestion(name, package, file->names(), project, uses);
  };
  return (project == nullptr || std::ranges::all_of(project->FilesSpelling(name), is_asked_in)) &&
         uses > 0;
}

Node HandlerOf(Node node, Handlers handlers) {
  return HandlerAround(node, [&](Node clause) { return Takes(clause, handlers); });
}

/// True if that handler does not end what the program does.
bool GoesOnBehind(Node node, Handlers handlers, std::string_view package) {
  const Node handler = HandlerOf(node, handlers);
  return handler && !Ends(handler, package);
}

/// "timm" of `from timm.data import a, b`
std::set<std::string> PackagesOf(Node import, const NameTable& names) {
  std::set<std::string> packages;
  for (const ImportedModule& module : ImportedModules(import, names)) {
    packages.emplace(FirstPart(module.name));
  }
  return packages;
}

/// The statements of a block, without comments.
std::vector<Node> StatementsOf(Node block) {
  std::vector<Node> statements;
  for (const Node statement : NamedChildren(block)) {
    if (!statement.Is(NodeKind::kComment)) statements.push_back(statement);
  }
  return statements;
}

/// `if not getattr(builtins, "__BUILDS__", False): raise`: nobody has set it, as a rule.
bool EndsUnlessSet(Node statement) {
  if (!statement.Is(NodeKind::kIfStatement)) return false;
  const Node condition = statement.Child(Field::kCondition);
  const Node asked = condition.Is(NodeKind::kNotOperator) ? condition.first_named_child() : Node();
  if (!asked.Is(NodeKind::kCall) || asked.Child(Field::kFunction).text() != "getattr") return false;
  const std::vector<Argument> given = ArgumentsOf(asked);
  return given.size() == 3 && given[2].value.Is(NodeKind::kFalse) &&
         EndsFlow(statement.Child(Field::kConsequence));
}

}  // namespace

std::string_view ImportedPackage(Node statement) {
  Node module = statement.Child(Field::kModuleName);
  if (statement.Is(NodeKind::kImportStatement)) {
    module = statement.first_named_child();
    if (module.Is(NodeKind::kAliasedImport)) module = module.Child(Field::kName);
  }
  return module ? module.text().substr(0, module.text().find('.')) : std::string_view();
}

bool AsksForPackage(Node part, std::string_view package) {
  if (!part.Is(NodeKind::kCall) || package.empty()) return false;
  const std::string_view callee = LastPart(part.Child(Field::kFunction).text());
  if (HasPart(callee, package)) return true;
  const Node first = part.Child(Field::kArguments).first_named_child();
  const Node content = first ? PlainStringContent(first) : Node();
  return content && FirstPart(content.text()) == package && Words("package-questions").Has(callee);
}

bool IsImportFunction(Node callee, const NameTable& names) {
  return std::ranges::any_of(Words("import-functions").words(), [&](std::string_view importer) {
    return names.IsNamed(callee, importer);
  });
}

bool EndsInHandler(Node handler) {
  const Node body = LastNamedChild(handler);
  const Node last = LastNamedChild(body);
  // With a value the function answers, and its caller goes on.
  const bool answers = last.Is(NodeKind::kReturnStatement) && last.first_named_child();
  return (EndsFlow(body) && !answers) ||
         std::ranges::any_of(NamedChildren(body), [](Node statement) {
           return UnpacksNone(statement) || EndsUnlessSet(statement);
         });
}

Node HandlerAround(Node node, const std::function<bool(Node clause)>& takes) {
  for (Node child = node; child; child = child.parent()) {
    const Node parent = child.parent();
    if (parent.Is(NodeKind::kFunctionDefinition)) return {};
    if (!parent.Is(NodeKind::kTryStatement) || child.field() != Field::kBody) continue;
    for (const Node part : NamedChildren(parent)) {
      if (part.Is(NodeKind::kExceptClause) && takes(part)) return part;
    }
  }
  return {};
}

bool FailsInHandler(Node handler) {
  const Node last = LastNamedChild(LastNamedChild(handler));
  const bool goes_elsewhere = last.Is(NodeKind::kReturnStatement) ||
                              last.Is(NodeKind::kBreakStatement) || last.Is(NodeKind::kOtherNamed);
  return LeavesBlock(last) && !last.Is(NodeKind::kIfStatement) && !goes_elsewhere;
}

bool IsInside(std::string_view name, std::string_view qualified) {
  return qualified.starts_with(name) &&
         (qualified.size() == name.size() || qualified[name.size()] == '.');
}

std::vector<ImportedModule> ImportedModules(Node statement, const NameTable& names) {
  std::vector<ImportedModule> modules;
  const bool is_from = statement.Is(NodeKind::kImportFromStatement);
  const std::string module = is_from ? names.ModuleOf(statement) : "";
  for (Node item = statement.first_named_child(); item; item = item.next_named_sibling()) {
    if (item.Is(NodeKind::kWildcardImport)) modules.push_back({statement, module});
    if (item.field() != Field::kName) continue;
    const Node name = item.Is(NodeKind::kAliasedImport) ? item.Child(Field::kName) : item;
    modules.push_back({item, (is_from ? module + "." : "") + std::string(name.text())});
  }
  return modules;
}

bool IsOptionalImport(Node node, const NameTable& names, const ProjectIndex* project) {
  const std::string_view package = ImportedPackage(EnclosingStatement(node));
  return GoesOnBehind(node, kOfImports, package) ||
         IsBehindQuestion(node, package, names, project) ||
         IsInAskedFunction(node, package, names, project);
}

bool IsBehindImport(Node node, const std::function<bool(Node statement)>& brings) {
  const auto is_tried = [&](Node try_statement) {
    return std::ranges::any_of(NamedChildren(try_statement.Child(Field::kBody)), brings);
  };
  const auto is_sure = [&](Node statement) {
    if (!statement.Is(NodeKind::kTryStatement)) return brings(statement);
    return is_tried(statement) && std::ranges::all_of(NamedChildren(statement), [](Node part) {
             return !part.Is(NodeKind::kExceptClause) || EndsFlow(LastNamedChild(part));
           });
  };
  for (Node child = node; child.parent(); child = child.parent()) {
    const Node parent = child.parent();
    const bool is_else = child.Is(NodeKind::kElseClause) && parent.Is(NodeKind::kTryStatement);
    if (is_else && is_tried(parent)) return true;
    if (!parent.Is(NodeKind::kBlock) && !parent.Is(NodeKind::kModule)) continue;
    for (Node before = parent.first_named_child(); before && before != child;
         before = before.next_named_sibling()) {
      if (is_sure(before)) return true;
    }
  }
  return false;
}

bool Brings(Node statement, std::string_view library, const NameTable& names) {
  return IsImport(statement) &&
         std::ranges::any_of(ImportedModules(statement, names), [&](const ImportedModule& module) {
           return IsInside(library, module.name);
         });
}

bool RunsWithLibraryAlone(Node node, std::string_view library, const NameTable& names,
                          const ProjectIndex* project) {
  return IsBehindQuestion(node, FirstPart(library), names, project) ||
         IsBehindImport(node, [&](Node statement) { return Brings(statement, library, names); });
}

namespace {

/// True if `tried` defines all names that the import `statement` binds, and does nothing before
/// that can fail: `from torchvision.transforms import InterpolationMode`, `def resize(): ...`.
bool BindsInstead(Node tried, Node statement, const NameTable& names,
                  const std::function<bool(Node import)>& fails) {
  const std::set<std::string> packages = PackagesOf(statement, names);
  const auto is_there = [&](const std::string& package) {
    return packages.contains(package) || package == "torch" || package == "torchvision" ||
           Words("python-modules").Has(package);
  };
  const auto may_fail = [&](Node one) {
    const bool defines = one.Is(NodeKind::kFunctionDefinition) ||
                         one.Is(NodeKind::kClassDefinition) ||
                         one.first_named_child().Is(NodeKind::kAssignment);
    if (!IsImport(one)) return !defines;
    return fails(one) || !std::ranges::all_of(PackagesOf(one, names), is_there);
  };
  if (std::ranges::any_of(StatementsOf(tried), may_fail)) return false;
  bool binds = false;
  for (const Binding& taken : names.bindings()) {
    if (taken.statement != statement) continue;
    binds = std::ranges::any_of(names.bindings(), [&](const Binding& other) {
      return other.name == taken.name && other.scope == taken.scope &&
             tried.range().Contains(other.node.range());
    });
    if (!binds) return false;
  }
  return binds;
}

}  // namespace

bool IsReplacedImport(Node statement, const std::function<bool(Node import)>& fails) {
  const Node handler = HandlerOf(statement, kOfImports);
  if (!handler || EndsInHandler(handler)) return false;
  return std::ranges::none_of(NamedChildren(LastNamedChild(handler)),
                              [&](Node other) { return IsImport(other) && fails(other); });
}

bool IsPassedOver(Node statement, const NameTable& names,
                  const std::function<bool(Node import)>& fails) {
  for (Node child = statement; child; child = child.parent()) {
    const Node clause = child.parent();
    if (clause.Is(NodeKind::kFunctionDefinition)) return false;
    if (!clause.parent().Is(NodeKind::kTryStatement)) continue;
    const std::vector<Node> tried = StatementsOf(clause.parent().Child(Field::kBody));
    if (clause.Is(NodeKind::kElseClause)) {
      if (std::ranges::any_of(tried, [&](Node one) { return IsImport(one) && fails(one); })) {
        return true;
      }
    }
    if (!clause.Is(NodeKind::kExceptClause) || !Takes(clause, kOfImports) || tried.empty()) {
      continue;
    }
    const auto packages = PackagesOf(statement, names);
    const bool brings_it = std::ranges::all_of(tried, [&](Node one) {
      return IsImport(one) && !fails(one) && PackagesOf(one, names) == packages;
    });
    if (brings_it || BindsInstead(clause.parent().Child(Field::kBody), statement, names, fails)) {
      return true;
    }
  }
  return false;
}

bool IsOptionalName(Node node) {
  const Node handler = HandlerOf(node, kOfNames);
  return handler && !Ends(handler, "") && !OnlyTells(handler);
}

namespace {

/// `x = torch.linalg.solve(a, b)` in the handler around `torch.solve(b, a)`: what takes its place.
bool CallsSamePackage(Node handler, Node name) {
  while (name.Is(NodeKind::kAttribute)) name = name.Child(Field::kObject);
  return std::ranges::any_of(NodesIn(handler), [&](Node node) {
    Node callee = node.Is(NodeKind::kCall) ? node.Child(Field::kFunction) : Node();
    while (callee.Is(NodeKind::kAttribute)) callee = callee.Child(Field::kObject);
    return callee && callee.text() == name.text();
  });
}

}  // namespace

bool IsLostInHandler(Node node) {
  const Handlers of_missing = Handlers(kOfNames).first(1);  // AttributeError
  const Node handler = HandlerOf(node, kOfNames);
  const bool takes_any =
      handler && (handler.first_named_child().Is(NodeKind::kBlock) || !Takes(handler, of_missing));
  if (!takes_any || !IsOptionalName(node) || CallsSamePackage(handler, node)) return false;
  // `solve = torch.solve` asks for the name alone, and of `tf.enable_eager_execution()` nobody
  // takes a result.
  const bool is_called = node.field() == Field::kFunction;
  const Node holder = is_called ? node.parent().parent() : node.parent();
  return !holder.Is(NodeKind::kExpressionStatement) &&
         (is_called || !holder.Is(NodeKind::kAssignment));
}

bool IsOptionalCall(Node node, std::string_view error) {
  const std::array<std::string_view, 3> handlers = {error, "Exception", "BaseException"};
  return GoesOnBehind(node, handlers, "");
}

bool IsForTypesOnly(Node node, const NameTable& names) {
  for (Node child = node; child; child = child.parent()) {
    const Node parent = child.parent();
    const bool is_body = parent.Is(NodeKind::kIfStatement) && child.field() == Field::kConsequence;
    if (is_body && names.IsNamed(parent.Child(Field::kCondition), "typing.TYPE_CHECKING")) {
      return true;
    }
  }
  return false;
}

}  // namespace transplt
