// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/instrumentation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "transplt/analysis/advice_file.h"
#include "transplt/base/edit.h"
#include "transplt/base/plain_text.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/python/arguments.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr std::string_view kImport = "import transplt_shapes as _transplt_shapes";
constexpr std::string_view kRuleId = "analyze.dynamic_shape";

bool Contains(std::string_view text, std::string_view word) { return HasPart(text, word); }

/// True for functions and classes that are compiled from their source, or turned into something
/// that cannot call back: torch.jit.script, numba.jit, triton.jit, torch.compile ...
bool IsCompiled(Node decorator) {
  const std::string_view text = decorator.text();
  return Contains(text, "jit") || Contains(text, "script") || Contains(text, "kernel") ||
         Contains(text, "compile") || Contains(text, "overload") || Contains(text, "vectorize") ||
         Contains(text, "typecheck");
}

bool IsTensorMethod(std::string_view name) { return Words("watched-methods").Has(name); }

/// Methods that find out who called them, or that no tensor goes through.
bool IsNoise(std::string_view name) {
  return name.starts_with("__") || Words("unwatched-methods").Has(name);
}

/// Collects the calls of a file and the edits that instrument them.
class Instrumenter {
 public:
  Instrumenter(const FileContext& file, size_t number)
      : file_(file), types_(file.names(), file.classes()), number_(number) {}

  std::optional<InstrumentedFile> Run() {
    if (!file_.tree().unparsed().empty() || file_.IsOtherFramework() || IsOldPython()) {
      return std::nullopt;
    }
    for (const Node node : NodesIn(file_.tree())) {
      if (node.Is(NodeKind::kCall) && IsWanted(node)) Wrap(node);
      LookForScript(node);
    }
    if (result_.calls.empty()) return std::nullopt;
    result_.path = file_.source().path();
    return Edited() ? std::optional(std::move(result_)) : std::nullopt;
  }

 private:
  bool IsOldPython() const {
    for (uint32_t id = 0; id < file_.tree().size(); ++id) {
      const NodeKind kind = file_.tree().node(id).kind();
      if (kind == NodeKind::kPrintStatement || kind == NodeKind::kExecStatement) return true;
    }
    return false;
  }

  void LookForScript(Node node) {
    if (node.Is(NodeKind::kIdentifier) && node.text() == "__name__" &&
        node.parent().Is(NodeKind::kComparisonOperator)) {
      result_.is_script = true;
    }
  }

  /// What stands around the call allows that its callee is replaced by an expression.
  bool IsAllowedHere(Node call) const {
    Node below = call;
    for (Node up = call.parent(); up; below = up, up = up.parent()) {
      switch (up.kind()) {
        case NodeKind::kDecorator:
        case NodeKind::kType:
        case NodeKind::kString:  // `f"{f(x)=}"` shows its source
        case NodeKind::kTypeAliasStatement:
        case NodeKind::kParameters:
        case NodeKind::kLambdaParameters:
        case NodeKind::kClassPattern:
          return false;
        case NodeKind::kClassDefinition:
          if (below.field() == Field::kSuperclasses) return false;
          break;
        case NodeKind::kFunctionDefinition:
          if (up.Child(Field::kName).text() == "__init__") return false;
          break;
        case NodeKind::kDecoratedDefinition:
          for (const Node item : NamedChildren(up)) {
            if (item.Is(NodeKind::kDecorator) && IsCompiled(item)) return false;
          }
          break;
        default:
          break;
      }
    }
    return true;
  }

  bool IsWanted(Node call) const {
    const Node callee = call.Child(Field::kFunction);
    if (!IsAllowedHere(call)) return false;
    if (callee.Is(NodeKind::kSubscript)) {
      const Node object = callee.Child(Field::kValue);
      return object.Is(NodeKind::kAttribute) && object.text().starts_with("self.");
    }
    if (!callee.Is(NodeKind::kIdentifier) && !callee.Is(NodeKind::kAttribute)) return false;
    const Node last = callee.Is(NodeKind::kIdentifier) ? callee : callee.Child(Field::kAttribute);
    if (IsNoise(last.text()) || last.text() == "cls" || IsUpper(last.text()[0])) return false;
    if (ChainOf(callee).head.text() == "_transplt_shapes") return false;
    const std::vector<QualifiedName> names = file_.names().Resolve(callee);
    if (!names.empty()) return IsWantedName(call, names.front());
    if (callee.Is(NodeKind::kIdentifier)) return !file_.names().BindingsOf(callee).empty();
    return IsWantedMethod(call, callee);
  }

  bool IsWantedName(Node call, const QualifiedName& name) const {
    const size_t dot = name.name.rfind('.');
    const std::string_view last = std::string_view(name.name).substr(dot + 1);
    if (name.local) return !IsUpper(last[0]);
    if (dot == std::string::npos) return false;  // a builtin
    const std::string module = name.name.substr(0, dot);
    if (Words("watched-modules").Has(module)) {
      return !IsUpper(last[0]) && types_.Of(call) != ValueType::kOther;
    }
    return file_.project() != nullptr &&
           !file_.project()->FileOfModule(file_.source().path(), module).empty();
  }

  bool IsWantedMethod(Node call, Node callee) const {
    const std::string_view method = callee.Child(Field::kAttribute).text();
    const Node object = callee.Child(Field::kObject);
    if (types_.Of(object) == ValueType::kOther && object.text() != "self") return false;
    if (object.text() == "self" || object.text().starts_with("super(") || method == "forward")
      return true;
    if (IsTensorMethod(method)) return true;
    return std::ranges::any_of(ArgumentsOf(call), [&](const Argument& argument) {
      return !argument.is_splat && types_.IsTensor(argument.value);
    });
  }

  void Wrap(Node call) {
    const Node callee = call.Child(Field::kFunction);
    constexpr size_t kMaxName = 100;
    std::string name = types_.NameOf(callee);
    if (name.empty()) name = OneLine(file_.source().TextOf(callee.range()));
    // Callees of callees begin at the same place: the outer one comes first.
    before_[callee.range().start] +=
        fmt::format("_transplt_shapes.at({}, {}, ", number_, result_.calls.size());
    after_[callee.range().end] += ")";
    result_.calls.push_back(
        {file_.source().Locate(call.range().start).line, FitColumns(name, kMaxName)});
  }

  /// Behind the docstring and the imports from __future__, or else before the first statement.
  Edit ImportEdit() const {
    const SourceFile& source = file_.source();
    Node last;
    Node item = file_.tree().root().first_named_child();
    for (; item; item = item.next_named_sibling()) {
      const bool is_docstring = !last && item.Is(NodeKind::kExpressionStatement) &&
                                item.first_named_child().Is(NodeKind::kString) &&
                                !item.first_named_child().next_named_sibling();
      if (!is_docstring && !item.Is(NodeKind::kFutureImportStatement)) break;
      last = item;
    }
    if (last) {
      const StatementPlace place(last, source);
      return {{place.insertion(), place.insertion()}, place.Join(kImport)};
    }
    const uint32_t start = item.range().start;
    return {{start, start}, std::string(kImport) + std::string(source.LineEndAt(start))};
  }

  bool Edited() {
    Fix fix;
    const Edit import = ImportEdit();
    fix.edits.push_back(import);
    if (import.text.find_first_of("\r\n") != std::string::npos) {
      result_.added_line = file_.source().Locate(import.range.start).line;
    }
    for (const auto& [place, text] : before_) fix.Insert(place, text);
    for (const auto& [place, text] : after_) fix.Insert(place, text);
    std::ranges::sort(fix.edits,
                      [](const Edit& a, const Edit& b) { return a.range.start < b.range.start; });
    EditList edits;
    if (edits.TryAdd(fix, kRuleId)) return false;
    result_.text = edits.ApplyTo(file_.source().bytes());
    uint32_t shift = 0;
    for (const EditList::Accepted& accepted : edits.edits()) {
      const uint32_t start = accepted.edit.range.start + shift;
      const auto length = static_cast<uint32_t>(accepted.edit.text.size());
      if (!(accepted.edit == import)) result_.inserted.push_back({start, start + length});
      shift += length;
    }
    return IsStillPython(edits);
  }

  bool IsStillPython(const EditList& edits) const {
    const Result<SourceFile> edited = SourceFile::FromBytes(file_.source().path(), result_.text);
    if (!edited) return false;
    Parser parser;
    return file_.tree().ParseEdited(*edited, edits, parser).unparsed().empty();
  }

  const FileContext& file_;
  const TensorTypes types_;
  const size_t number_;
  InstrumentedFile result_;
  std::map<uint32_t, std::string> before_;
  std::map<uint32_t, std::string> after_;
};

std::string DescriptionOf(const std::vector<std::string>& paths,
                          const std::vector<InstrumentedFile>& files) {
  nlohmann::ordered_json entries = nlohmann::ordered_json::object();
  for (const InstrumentedFile& file : files) {
    const auto id = std::lower_bound(paths.begin(), paths.end(), file.path) - paths.begin();
    nlohmann::ordered_json calls = nlohmann::ordered_json::array();
    for (const InstrumentedCall& call : file.calls) calls.push_back({call.line, call.name});
    nlohmann::ordered_json inserted = nlohmann::ordered_json::array();
    for (TextRange range : file.inserted) {
      inserted.push_back({range.start, range.end - range.start});
    }
    entries[file.path] = {{"id", id},
                          {"added_line", file.added_line},
                          {"sites", std::move(calls)},
                          {"inserted", std::move(inserted)}};
  }
  const nlohmann::ordered_json document = {{"version", 1}, {"files", std::move(entries)}};
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::optional<InstrumentedFile> Instrument(const FileContext& file, size_t number) {
  return Instrumenter(file, number).Run();
}

Result<InstrumentedProject> InstrumentProject(const AnalyzedProject& project) {
  const std::vector<std::string>& paths = project.python_files();
  for (const std::string& path : paths) {
    if (path.substr(path.rfind('/') + 1) != kShapesModuleFile) continue;
    return Error{Error::Code::kUsage, path,
                 Say("the project is instrumented already: analyze the original",
                     "该项目已插桩: 请分析原始项目")};
  }
  std::vector<std::optional<InstrumentedFile>> files =
      project.ForEachFile<std::optional<InstrumentedFile>>("(", [&](const FileContext& file) {
        const auto place = std::lower_bound(paths.begin(), paths.end(), file.source().path());
        return Instrument(file, static_cast<size_t>(place - paths.begin()));
      });
  InstrumentedProject result;
  std::set<std::string> folders = {""};
  for (std::optional<InstrumentedFile>& file : files) {
    if (!file) continue;
    const std::string folder(PathBeforeName(file->path));
    const bool is_package = std::binary_search(paths.begin(), paths.end(), folder + "__init__.py");
    if (file->is_script || !is_package) folders.insert(folder);
    result.files.push_back(*std::move(file));
  }
  result.description = DescriptionOf(paths, result.files);
  for (const std::string& folder : folders) {
    result.module_paths.push_back(folder + std::string(kShapesModuleFile));
  }
  return result;
}

}  // namespace transplt
