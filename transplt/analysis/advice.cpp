// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/advice.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>

#include "transplt/analysis/advice_detectors.h"
#include "transplt/base/ascii.h"
#include "transplt/base/plain_text.h"
#include "transplt/base/test_file.h"
#include "transplt/base/text_parts.h"
#include "transplt/facts/project.h"
#include "transplt/python/arguments.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Looks at the nodes of one file for all kinds in one walk.
class AdviceSearch {
 public:
  AdviceSearch(const FileContext& file, const AdviceTable& table, const Version& version)
      : file_(file), advice_(file), table_(table) {
    found_.places.resize(table.kinds().size());
    for (size_t i = 0; i < table.kinds().size(); ++i) {
      const AdviceKind& kind = table.kinds()[i];
      if (!kind.torch.Contains(version)) continue;
      if (!kind.detector.empty()) {
        const Detector* detector = FindDetector(kind.detector);
        for (NodeKind node_kind : detector->kinds) detecting_[node_kind].emplace_back(i, detector);
      }
      for (const std::string& name : kind.functions) by_function_.emplace(name, i);
      for (const std::string& name : kind.methods) by_method_.emplace(name, i);
      for (const std::string& name : kind.tensor_methods) by_tensor_method_.emplace(name, i);
    }
  }

  FileAdvice Run() {
    for (const Node node : NodesIn(file_.tree())) {
      const auto detecting = detecting_.find(node.kind());
      if (detecting == detecting_.end() && !node.Is(NodeKind::kCall)) continue;
      if (file_.tree().IsUnparsed(node.range())) continue;
      if (detecting != detecting_.end()) {
        for (const auto& [kind, detector] : detecting->second) {
          if (detector->sees(node, advice_)) Add(kind, node);
        }
      }
      if (node.Is(NodeKind::kCall)) LookAtCall(node);
    }
    return std::move(found_);
  }

 private:
  void LookAtCall(Node call) {
    const std::string name = advice_.CalledName(call);
    if (!name.empty()) {
      AddAll(by_function_, name, call);
      return;
    }
    const Node callee = call.Child(Field::kFunction);
    if (!callee.Is(NodeKind::kAttribute) || !file_.names().Resolve(callee).empty()) return;
    const std::string method(callee.Child(Field::kAttribute).text());
    const bool is_asked_for = by_method_.contains(method) || by_tensor_method_.contains(method);
    if (!is_asked_for) return;
    const Node object = callee.Child(Field::kObject);
    const ValueType type = advice_.types().Of(object);
    if (type == ValueType::kOther || file_.classes().ReceiverDefines(object, method)) return;
    AddAll(by_method_, method, call);
    if (type != ValueType::kUnknown) AddAll(by_tensor_method_, method, call);
  }

  void AddAll(const std::multimap<std::string, size_t>& kinds, const std::string& name, Node call) {
    const auto [first, last] = kinds.equal_range(name);
    for (auto kind = first; kind != last; ++kind) {
      const AdviceKind& asked = table_.kinds()[kind->second];
      const bool has_needed = asked.needs.empty() || HasAnArgument(asked.needs, call);
      if (has_needed && !HasAnArgument(asked.without, call)) Add(kind->second, call);
    }
  }

  /// True if the call passes one of `wanted`, or may pass it.
  static bool HasAnArgument(const std::map<std::string, int64_t>& wanted, Node call) {
    if (wanted.empty()) return false;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Argument& argument = arguments[i];
      if (argument.is_splat) return true;
      for (const auto& [keyword, position] : wanted) {
        const bool is_it = argument.keyword.empty() ? static_cast<int64_t>(i) == position
                                                    : argument.keyword == keyword;
        const bool is_off = argument.value.Is(NodeKind::kFalse) ||
                            argument.value.Is(NodeKind::kNone) || argument.value.text() == "0";
        if (is_it && !is_off) return true;
      }
    }
    return false;
  }

  void Add(size_t kind, Node node) {
    if (!advice_.IsIn(table_.kinds()[kind].scope, node)) return;
    const SourceFile& source = file_.source();
    constexpr size_t kMaxText = 80;
    std::string text = OneLine(source.TextOf(node.range()).substr(0, 4 * kMaxText));
    const size_t blanks = text.find("    ");
    text = FitColumns(blanks == std::string::npos ? text : text.substr(0, blanks), kMaxText);
    AdvicePlace place{source.path(), source.Locate(node.range().start).line,
                      source.Locate(node.range().end).line, std::move(text)};
    std::vector<AdvicePlace>& places = found_.places[kind];
    // Two of a kind on one line are one thing to do.
    if (!places.empty() && places.back().start_line == place.start_line) return;
    places.push_back(std::move(place));
  }

  const FileContext& file_;
  const AdviceFile advice_;
  const AdviceTable& table_;
  FileAdvice found_;
  std::map<NodeKind, std::vector<std::pair<size_t, const Detector*>>> detecting_;
  std::multimap<std::string, size_t> by_function_;
  std::multimap<std::string, size_t> by_method_;
  std::multimap<std::string, size_t> by_tensor_method_;
};

/// True if `word` stands in `text` without letters beside it: amp in `use_amp`, not in `sample`.
bool HasWord(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !IsLetter(text[at - 1]) || !IsLetter(word.front());
    const bool ends = end == text.size() || !IsLetter(text[end]) || !IsLetter(word.back());
    if (begins && ends) return true;
  }
  return false;
}

/// The words of `table` that stand in the text as identifiers, or as parts of them.
void AddWords(const FileContext& file, const AdviceTable& table, FileAdvice& advice) {
  const std::string_view text = file.source().bytes();
  for (const AdviceKind& kind : table.kinds()) {
    for (const auto* words : {&kind.unless_words, &kind.only_words}) {
      for (const std::string& word : *words) {
        if (HasWord(text, word)) advice.words.insert(word);
      }
    }
  }
}

void AddImports(const FileContext& file, FileAdvice& advice) {
  if (file.project() == nullptr) return;
  for (const Binding& binding : file.names().bindings()) {
    if (binding.kind != BindingKind::kImport) continue;
    std::string_view module = binding.target;
    std::string path = file.project()->FileOfModule(file.source().path(), module);
    if (path.empty() && HasPart(module, '.')) {
      path =
          file.project()->FileOfModule(file.source().path(), module.substr(0, module.rfind('.')));
    }
    if (!path.empty()) advice.imports.insert(std::move(path));
  }
  for (const std::string& module : file.names().star_imports()) {
    std::string path = file.project()->FileOfModule(file.source().path(), module);
    if (!path.empty()) advice.imports.insert(std::move(path));
  }
}

/// The files that import each other, directly or not, are taken to be one program.
class Programs {
 public:
  Programs(const std::vector<std::string>& paths, const std::vector<FileAdvice>& files)
      : program_(paths.size()) {
    std::iota(program_.begin(), program_.end(), size_t{0});
    for (size_t i = 0; i < paths.size(); ++i) {
      // A test imports what many programs have in common.
      if (files[i].is_test) continue;
      for (const std::string& path : files[i].imports) {
        const auto found = std::lower_bound(paths.begin(), paths.end(), path);
        if (found != paths.end() && *found == path) {
          program_[Of(i)] = Of(static_cast<size_t>(found - paths.begin()));
        }
      }
    }
  }

  size_t Of(size_t file) {
    while (program_[file] != file) file = program_[file] = program_[program_[file]];
    return file;
  }

 private:
  std::vector<size_t> program_;
};

/// Which kinds have something to say about which program.
class AdviceSelection {
 public:
  AdviceSelection(const std::vector<std::string>& paths, const std::vector<FileAdvice>& files,
                  const AdviceTable& table)
      : programs_(paths, files) {
    for (size_t i = 0; i < files.size(); ++i) {
      if (files[i].is_test) continue;
      const size_t program = programs_.Of(i);
      words_[program].insert(files[i].words.begin(), files[i].words.end());
      for (size_t kind = 0; kind < files[i].places.size(); ++kind) {
        if (files[i].places[kind].empty()) continue;
        for (const std::string& list : table.kinds()[kind].lists) lists_[program].insert(list);
      }
    }
  }

  bool Says(const AdviceKind& kind, size_t file) {
    const size_t program = programs_.Of(file);
    const auto has = [&](const std::string& word) { return words_[program].contains(word); };
    if (std::ranges::any_of(kind.unless_words, has)) return false;
    if (!kind.only_words.empty() && std::ranges::none_of(kind.only_words, has)) {
      return false;
    }
    return kind.with_list.empty() || lists_[program].contains(kind.with_list);
  }

 private:
  Programs programs_;
  std::map<size_t, std::set<std::string, std::less<>>> words_;
  std::map<size_t, std::set<std::string, std::less<>>> lists_;
};

}  // namespace

FileAdvice AdviceIn(const FileContext& file, const AdviceTable& table, const Version& version) {
  if (!file.Imports("torch")) {
    FileAdvice advice;
    AddImports(file, advice);
    AddWords(file, table, advice);
    return advice;
  }
  FileAdvice advice = AdviceSearch(file, table, version).Run();
  AddWords(file, table, advice);
  AddImports(file, advice);
  return advice;
}

ProjectAdvice SelectAdvice(const std::vector<std::string>& paths, std::vector<FileAdvice> files,
                           const AdviceTable& table) {
  ProjectAdvice result;
  AdviceSelection selection(paths, files, table);
  for (size_t kind = 0; kind < table.kinds().size(); ++kind) {
    Advice advice{&table.kinds()[kind], {}};
    for (size_t i = 0; i < files.size(); ++i) {
      if (files[i].places.empty() || !selection.Says(*advice.kind, i)) continue;
      std::move(files[i].places[kind].begin(), files[i].places[kind].end(),
                std::back_inserter(advice.places));
    }
    if (!advice.places.empty()) result.kinds.push_back(std::move(advice));
  }
  for (const FileAdvice& file : files) result.test_files += file.is_test ? 1 : 0;
  return result;
}

Result<ProjectAdvice> AdviceOn(const AnalyzedProject& project, const AdviceTable& table) {
  const Result<Version> version = ParseVersion(project.options().torch_version);
  if (!version) return version.error();
  std::vector<FileAdvice> files =
      project.ForEachFile<FileAdvice>("import", [&](const FileContext& file) {
        if (!IsTestFile(file.source().path())) return AdviceIn(file, table, *version);
        FileAdvice test;
        test.is_test = true;
        return test;
      });
  return SelectAdvice(project.python_files(), std::move(files), table);
}

}  // namespace transplt
