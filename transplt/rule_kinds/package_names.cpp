// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/package_names.h"

#include <algorithm>

#include "transplt/base/requirement.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/engine/environment_marker.h"
#include "transplt/engine/rule_kind.h"
#include "transplt/engine/word_filter.h"
#include "transplt/facts/imported_library.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// The words of `pattern` that stand in each text that it matches.
std::vector<std::string> WholeWords(std::string_view pattern) {
  std::vector<std::string> words;
  for (std::string_view word : WordsIn(pattern)) {
    const auto start = static_cast<size_t>(word.data() - pattern.data());
    const size_t end = start + word.size();
    const bool is_cut =
        (start > 0 && pattern[start - 1] == '*') || (end < pattern.size() && pattern[end] == '*');
    if (!is_cut) words.emplace_back(word);
  }
  return words;
}

/// The name under which the list stands that `string` is in: of an argument, a variable or a
/// function; "" where it has none. A variable that is handed on has the name of its argument.
std::string_view NameOfList(Node string, const PackageLists* lists) {
  for (Node node = string; node; node = node.parent()) {
    switch (node.kind()) {
      case NodeKind::kSubscript:  // the name of an extra: extras["fast"] = ["xformers"]
        return {};
      case NodeKind::kKeywordArgument:
        return node.Child(Field::kName).text();
      case NodeKind::kAssignment:
      case NodeKind::kAugmentedAssignment: {
        const std::string_view variable = node.Child(Field::kLeft).text();
        const PackageLists of_file =
            lists == nullptr ? PackageListsIn(node.tree()) : PackageLists();
        const PackageLists& known = lists == nullptr ? of_file : *lists;
        const auto argument = known.find(variable);
        return argument == known.end() ? variable : argument->second;
      }
      case NodeKind::kCall:
        return node.Child(Field::kFunction).text();
      case NodeKind::kFunctionDefinition:
      case NodeKind::kBlock:
        return {};
      default:
        break;
    }
  }
  return {};
}

bool SpeaksOfPackages(std::string_view name) {
  for (std::string_view word :
       {"requir", "REQUIR", "Requir", "depend", "DEPEND", "deps", "DEPS", "extras"}) {
    if (HasPart(name, word)) return true;
  }
  return false;
}

}  // namespace

PackageLists PackageListsIn(const SyntaxTree& tree) {
  PackageLists lists;
  for (const Node node : NodesIn(tree)) {
    if (!node.Is(NodeKind::kKeywordArgument)) continue;
    const Node value = node.Child(Field::kValue);
    const std::string_view name = node.Child(Field::kName).text();
    if (value.Is(NodeKind::kIdentifier) && SpeaksOfPackages(name)) lists[value.text()] = name;
  }
  return lists;
}

std::optional<Error> PackageNames::Mistake() const {
  for (const std::string& pattern : patterns_) {
    if (!WholeWords(pattern).empty()) continue;
    return BadRule(Say("\"{}\" holds no whole word that a file could be searched for",
                       "\"{}\" 中没有可供查找的完整单词", pattern));
  }
  return std::nullopt;
}

WordSets PackageNames::Words() const {
  WordSets words;
  for (const std::string& pattern : patterns_) {
    words.push_back(WholeWords(pattern));
    std::string joined = pattern;  // `flash_attn` is one word
    std::ranges::replace(joined, '-', '_');
    if (joined == pattern) continue;
    std::vector<std::string> of_joined = WholeWords(joined);
    if (!of_joined.empty()) words.push_back(std::move(of_joined));
  }
  return words;
}

WordSets PackageNames::WordsInSetup() const {
  WordSets words;
  for (const std::vector<std::string>& of_package : Words()) {
    for (std::string_view word : {"setuptools", "install_requires", "check_requirements"}) {
      words.push_back(of_package);
      words.back().emplace_back(word);
    }
  }
  return words;
}

bool PackageNames::Match(std::string_view text) const {
  return std::ranges::any_of(
      patterns_, [&](const std::string& pattern) { return NamesPackage(pattern, text); });
}

TextRange PackageNames::FindIn(const Setting& setting) const {
  switch (setting.kind) {
    case Setting::Kind::kDependency:
      return Match(setting.name) || Match(setting.value) ? setting.value_range : TextRange{};
    case Setting::Kind::kContainer:
      return Match(setting.name) ? setting.name_range : TextRange{};
    case Setting::Kind::kCommand:
      return {};
    default: {
      // `pip install -U torch==2.1.0+cu118`: the package that follows is one of its own.
      const bool is_package =
          setting.kind == Setting::Kind::kOption && HasPart(setting.value, "==");
      if (is_package) return {};
      const std::string& value = setting.value.empty() ? setting.value_start : setting.value;
      if (Match(setting.name + "=" + value)) return setting.name_range;
      const bool is_path = HasPart(setting.value, '/');
      if (is_path && !setting.value_range.empty() && Match(setting.value)) {
        return setting.value_range;
      }
      return {};
    }
  }
}

bool PackageNames::AreRequiredBy(Node string, const PackageLists* lists) const {
  const Node content = PlainStringContent(string);
  const std::optional<Requirement> found =
      content ? ParseRequirement(content.text()) : std::nullopt;
  if (!found ||
      (!Match(found->name.In(content.text())) && !Match(found->whole.In(content.text())))) {
    return false;
  }
  if (!AdmitsNpuMachine(found->marker.In(content.text()))) return false;
  // The name of an extra, as in {"vllm": ["vllm==0.6"]}, asks for nothing by itself.
  const bool is_key = string.parent().Is(NodeKind::kPair) && string.field() == Field::kKey;
  const Node value = is_key ? string.parent().Child(Field::kValue) : Node();
  if (value.Is(NodeKind::kList) || value.Is(NodeKind::kTuple)) return false;
  return SpeaksOfPackages(NameOfList(string, lists));
}

bool IsInExtra(Node string, const PackageLists& lists) {
  const std::string_view name = NameOfList(string, &lists);
  return HasPart(name, "extras") || HasPart(name, "EXTRAS") || HasPart(name, "tests_require");
}

bool IsImportedByName(Node string, const FileContext& file) {
  const Node call = string.parent().Is(NodeKind::kArgumentList) ? string.parent().parent() : Node();
  return call.Is(NodeKind::kCall) && IsImportFunction(call.Child(Field::kFunction), file.names());
}

}  // namespace transplt
