// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/rule_names.h"

#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/engine/word_filter.h"
#include "transplt/facts/base_constructor.h"
#include "transplt/python/places_of_file.h"

namespace transplt {

bool MatchesName(const Callee& callee, std::string_view name, const FileContext& file) {
  if (callee.last_name.text() != LastPart(name)) {
    // `CD = CC.DD; CD()` and `from m import a as b; b()` spell another name.
    if (!callee.expression.Is(NodeKind::kIdentifier)) return false;
  }
  if (!HasPart(name, '.')) return callee.last_name.text() == name;
  const std::vector<QualifiedName> names = file.names().Resolve(callee.expression);
  return std::ranges::any_of(
      names, [&](const QualifiedName& candidate) { return candidate.name == name; });
}

bool Calls(Node call, std::string_view name, const FileContext& file) {
  return std::ranges::any_of(CalleesOf(call),
                             [&](const Callee& callee) { return MatchesName(callee, name, file); });
}

bool InitializesBase(Node call, std::string_view name, const FileContext& file) {
  const std::optional<BaseConstructor> constructor = BaseConstructorOf(call, file.names());
  return constructor && std::ranges::any_of(constructor->bases, [&](const QualifiedName& base) {
           return !base.local && base.name == name;
         });
}

bool PassesArgumentsTo(Node call, std::string_view name, const FileContext& file) {
  return Calls(call, name, file) || InitializesBase(call, name, file);
}

std::vector<Argument> ArgumentsPassed(Node call, const FileContext& file) {
  std::vector<Argument> arguments = ArgumentsOf(call);
  const std::optional<BaseConstructor> constructor = BaseConstructorOf(call, file.names());
  const bool has_self = constructor && constructor->passes_self && !arguments.empty() &&
                        arguments.front().keyword.empty() && !arguments.front().is_splat;
  if (has_self) arguments.erase(arguments.begin());
  return arguments;
}

bool NamesOneOf(Node node, const std::vector<std::string>& names, const NameTable& table) {
  return std::ranges::any_of(names,
                             [&](const std::string& name) { return table.IsNamed(node, name); });
}

std::vector<Node> CallsIn(const NameTable& names, const std::string& function) {
  std::vector<Node> calls;
  for (const Node said : names.places().NodesSaying(LastPart(function))) {
    const Node callee = said.field() == Field::kAttribute ? said.parent() : said;
    const bool is_call = callee.field() == Field::kFunction && names.IsNamed(callee, function);
    if (is_call) calls.push_back(callee.parent());
  }
  return calls;
}

bool ProjectCalls(const std::vector<std::string>& functions, const FileContext& file,
                  const std::function<bool(Node call)>& counts) {
  const auto is_called_in = [&](const NameTable& names) {
    return std::ranges::any_of(functions, [&](const std::string& function) {
      return std::ranges::any_of(CallsIn(names, function),
                                 [&](Node call) { return !counts || counts(call); });
    });
  };
  if (is_called_in(file.names())) return true;
  if (file.project() == nullptr) return false;
  return std::ranges::any_of(functions, [&](const std::string& function) {
    const std::vector<std::string>& paths =
        file.project()->FilesSpelling(std::string(LastPart(function)));
    return std::ranges::any_of(paths, [&](const std::string& path) {
      const std::shared_ptr<const OpenedFile> other = file.project()->Open(path);
      return other != nullptr && is_called_in(other->names());
    });
  });
}

WordSets WordsOfName(std::string_view dotted) {
  std::vector<std::string> words;
  for (std::string_view part : SplitDotted(dotted)) {
    if (part != "torch") words.emplace_back(part);
  }
  if (words.empty()) return {{std::string(LastPart(dotted))}};
  if (words.size() == 1) return {words};  // of `torch.x` x, of `horovod.torch` horovod
  return {words, {std::string(kStarImport), words.back()}};
}

}  // namespace transplt
