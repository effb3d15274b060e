// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/search_path.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "transplt/python/arguments.h"
#include "transplt/python/parameters.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr int kMostSteps = 4;    // from a name to what it is bound to, and on
constexpr int kMostNames = 500;  // of one file

/// The names of folders behind the last ".." of a path.
std::string EndOf(std::string_view path) {
  std::string end;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part == "..") {
      end.clear();
    } else if (!part.empty() && part != ".") {
      if (!end.empty()) end.push_back('/');
      end += part;
    }
  }
  return end;
}

/// "lib" of `${ROOT}/lib`: what stands behind the variables of a path.
std::string_view BehindVariables(std::string_view path) {
  const size_t variable = path.rfind('$');
  if (variable == path.npos) return path;
  const size_t slash = path.find('/', variable);
  return slash == path.npos ? std::string_view() : path.substr(slash);
}

/// The paths of a list of them, "$ROOT/lib:$PYTHONPATH".
void AddPaths(std::string_view list, std::set<std::string>& folders) {
  while (!list.empty()) {
    const size_t end = std::min(list.find_first_of(":;,"), list.size());
    const std::string_view path = BehindVariables(list.substr(0, end));
    if (std::string folder = EndOf(path); !folder.empty()) folders.insert(std::move(folder));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

/// Reads a line that says PYTHONPATH.
void AddFoldersOfLine(std::string_view line, std::set<std::string>& folders) {
  constexpr std::string_view kAssigned = "PYTHONPATH=";
  constexpr std::string_view kBetween = " \t\r\"'()<>[]{}";
  const bool assigns = line.find(kAssigned) != line.npos;
  for (size_t at = line.find(kAssigned); at != line.npos; at = line.find(kAssigned, at)) {
    at += kAssigned.size();
    const bool is_quoted = at < line.size() && (line[at] == '"' || line[at] == '\'');
    const size_t start = is_quoted ? at + 1 : at;
    const size_t end = is_quoted ? line.find(line[at], start) : line.find_first_of(" \t\r`", start);
    AddPaths(line.substr(start, std::min(end, line.size()) - start), folders);
  }
  if (assigns) return;
  for (size_t at = line.find_first_not_of(kBetween); at != line.npos;
       at = line.find_first_not_of(kBetween, at)) {
    const size_t end = std::min(line.find_first_of(kBetween, at), line.size());
    std::string_view word = line.substr(at, end - at);
    at = end;
    while (word.ends_with('.') || word.ends_with(',')) word.remove_suffix(1);
    const bool is_marked = word.size() > 2 && word.starts_with('`') && word.ends_with('`');
    if (is_marked) word = word.substr(1, word.size() - 2);
    // `https://...` names no folder.
    const bool is_address = word.find("//") != word.npos;
    if (!is_address && (is_marked || word.find('/') != word.npos)) AddPaths(word, folders);
  }
}

class FolderReader {
 public:
  explicit FolderReader(const NameTable& names) : names_(names) {}

  std::vector<std::string> Run() && {
    for (const Node node : NodesIn(names_.tree())) {
      if (node.Is(NodeKind::kKeywordArgument)) AddRootOfPackages(node);
      if (!node.Is(NodeKind::kCall)) continue;
      const Node callee = node.Child(Field::kFunction);
      if (!callee.Is(NodeKind::kAttribute)) continue;
      const std::string_view method = callee.Child(Field::kAttribute).text();
      if (method != "append" && method != "insert" && method != "extend") continue;
      if (!names_.IsNamed(callee.Child(Field::kObject), "sys.path")) continue;
      const std::vector<Argument> arguments = ArgumentsOf(node);
      if (!arguments.empty()) Add(arguments.back().value);
    }
    return {folders_.begin(), folders_.end()};
  }

 private:
  /// `package_dir={"": "lib"}`
  void AddRootOfPackages(Node argument) {
    if (argument.Child(Field::kName).text() != "package_dir") return;
    for (const Node pair : NamedChildren(argument.Child(Field::kValue))) {
      const Node key = pair.Is(NodeKind::kPair) ? pair.Child(Field::kKey) : Node();
      if (key.text() == "''" || key.text() == "\"\"") Add(pair.Child(Field::kValue));
    }
  }

  void Add(Node value) {
    if (value.Is(NodeKind::kList) || value.Is(NodeKind::kTuple)) {
      for (const Node element : NamedChildren(value)) Add(element);
      return;
    }
    for (const std::string& text : TextsOf(value, 0)) {
      if (std::string folder = EndOf(text); !folder.empty()) folders_.insert(std::move(folder));
    }
  }

  /// What the expression may say, with '/' between its pieces.
  std::vector<std::string> TextsOf(Node expression, int steps) {
    if (steps == kMostSteps) return {};
    if (expression.Is(NodeKind::kIdentifier)) return TextsOfName(expression, steps);
    std::string joined;
    for (const Node node : NodesIn(expression)) {
      if (node.Is(NodeKind::kStringContent)) {
        joined += "/" + std::string(node.text());
      } else if (node.Is(NodeKind::kIdentifier) && node.field() != Field::kAttribute) {
        const std::vector<std::string> texts = TextsOfName(node, steps);
        if (texts.size() == 1) joined += "/" + texts.front();
      }
    }
    return {joined};
  }

  std::vector<std::string> TextsOfName(Node identifier, int steps) {
    std::vector<std::string> texts;
    if (++names_followed_ > kMostNames) return texts;
    for (const Binding* binding : names_.BindingsOf(identifier)) {
      if (binding->kind == BindingKind::kAssignment && binding->value) {
        std::ranges::copy(TextsOf(binding->value, steps + 1), std::back_inserter(texts));
      } else if (binding->kind == BindingKind::kParameter) {
        AddArgumentsFor(*binding, steps, texts);
      }
    }
    return texts;
  }

  /// What the file's own calls pass for a parameter: `add_path("lib")`.
  void AddArgumentsFor(const Binding& parameter, int steps, std::vector<std::string>& texts) {
    const Node function = names_.ScopeNode(parameter.scope);
    if (!function.Is(NodeKind::kFunctionDefinition)) return;
    const std::string_view name = function.Child(Field::kName).text();
    for (const Node node : NodesIn(names_.tree())) {
      if (!node.Is(NodeKind::kCall) || node.Child(Field::kFunction).text() != name) continue;
      const std::vector<Argument> arguments = ArgumentsOf(node);
      for (size_t i = 0; i < arguments.size(); ++i) {
        const Node taken = ParameterOf(function, i, arguments[i].keyword);
        if (!taken || taken.text() != parameter.name) continue;
        std::ranges::copy(TextsOf(arguments[i].value, steps + 1), std::back_inserter(texts));
      }
    }
  }

  const NameTable& names_;
  std::set<std::string> folders_;
  int names_followed_ = 0;
};

}  // namespace

std::vector<std::string> FoldersAddedToPath(const NameTable& names) {
  return FolderReader(names).Run();
}

std::vector<std::string> FoldersOnPythonPath(std::string_view text) {
  std::set<std::string> folders;
  for (size_t at = text.find("PYTHONPATH"); at != text.npos;) {
    const size_t before = text.rfind('\n', at);
    const size_t start = before == text.npos ? 0 : before + 1;
    const size_t end = std::min(text.find('\n', at), text.size());
    AddFoldersOfLine(text.substr(start, end - start), folders);
    at = text.find("PYTHONPATH", end);
  }
  folders.erase("PYTHONPATH");
  return {folders.begin(), folders.end()};
}

}  // namespace transplt
