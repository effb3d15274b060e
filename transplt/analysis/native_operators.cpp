// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/native_operators.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "transplt/base/ascii.h"
#include "transplt/base/pattern.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr uint64_t kLargest = 10 << 20;
constexpr std::string_view kNamedBySetup = "TORCH_EXTENSION_NAME";

/// `source` without comments, and with one blank for all blanks in a row; strings stay.
std::string Compacted(std::string_view source) {
  std::string text;
  const auto add_blank = [&] {
    if (!text.empty() && text.back() != ' ') text.push_back(' ');
  };
  for (size_t i = 0; i < source.size();) {
    const char c = source[i];
    const char next = i + 1 < source.size() ? source[i + 1] : '\0';
    if (c == '/' && (next == '/' || next == '*')) {
      const size_t end = next == '/' ? source.find('\n', i) : source.find("*/", i + 2);
      i = end == std::string_view::npos ? source.size() : end + (next == '/' ? 0 : 2);
      add_blank();
    } else if (c == '"' || c == '\'') {
      const size_t start = i++;
      while (i < source.size() && source[i] != c && source[i] != '\n') {
        i += source[i] == '\\' ? 2 : 1;
      }
      i = std::min(i + 1, source.size());
      text += source.substr(start, i - start);
    } else if (HasPart(std::string_view(" \t\r\n\f\v"), c)) {
      add_blank();
      ++i;
    } else {
      text.push_back(c);
      ++i;
    }
  }
  return text;
}

/// Where the brace that opens at `open` is closed, or the end of the text.
size_t ClosingBrace(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i) {
        if (text[i] == '\\') ++i;
      }
    } else if (text[i] == '{') {
      ++depth;
    } else if (text[i] == '}' && --depth == 0) {
      return i;
    }
  }
  return text.size();
}

/// "nms" of "ns::nms(Tensor a) -> Tensor".
std::string NameInSchema(std::string schema) {
  schema.resize(std::min(schema.find_first_of("( ."), schema.size()));
  const size_t colons = schema.rfind("::");
  return colons == std::string::npos ? schema : schema.substr(colons + 2);
}

/// "get_cuda_version" of `, &detectron2::get_cuda_version, "..."`.
std::string FunctionBehind(std::string_view arguments) {
  static const Pattern kFunction(R"(^" ?, ?&? ?(?:\w{1,200} ?:: ?){0,9}(\w{1,200}) ?[,)])");
  const std::optional<PatternMatch> found = kFunction.Find(arguments.substr(0, 2000));
  return found ? found->groups[0] : "";
}

/// The functions that the source defines and that take nothing: they tell something, as a version,
/// and compute nothing of a tensor.
void AddFunctionsOfNothing(std::string_view source, std::set<std::string, std::less<>>& functions) {
  constexpr std::string_view kBlank = " \t\r\n";
  for (size_t open = source.find('('); open != std::string_view::npos;
       open = source.find('(', open + 1)) {
    const size_t close = source.find_first_not_of(kBlank, open + 1);
    if (close == std::string_view::npos || source[close] != ')') continue;
    const size_t body = source.find_first_not_of(kBlank, close + 1);
    if (body == std::string_view::npos || source[body] != '{') continue;
    size_t start = open;
    while (start > 0 && IsWordByte(source[start - 1])) --start;
    if (start < open) functions.emplace(source.substr(start, open - start));
  }
}

/// The strings that a block gives to the methods of its module `m`, and the functions behind them.
std::vector<NativeOperator> NamesIn(std::string_view block, const std::string& m) {
  // m.def("x", m.impl(TORCH_SELECTIVE_NAME("x"), m.class_<T>("x"), py::class_<T>(m, "x"
  const Pattern before_name(
      R"(\b)" + m + R"( ?\. ?(?:def|impl|class_ ?<[^;{}"]{0,300}?>) ?\( ?)" +
      R"((?:TORCH_SELECTIVE_\w{1,40} ?\( ?)?"|\b(?:class_|enum_) ?<[^;{}"]{0,300}?> ?\( ?)" + m +
      R"( ?, ?")");
  std::vector<NativeOperator> operators;
  for (const PatternMatch& found : before_name.FindAll(block)) {
    const size_t start = found.end();
    const size_t length = std::min(block.find('"', start), block.size()) - start;
    std::string name = NameInSchema(std::string(block.substr(start, length)));
    const bool is_new =
        std::ranges::find(operators, name, &NativeOperator::name) == operators.end();
    if (!is_new || name.empty()) continue;
    operators.push_back({"", std::move(name), "", FunctionBehind(block.substr(start + length))});
  }
  return operators;
}

bool IsSource(std::string_view path) { return Words("native-sources").Has(path); }

bool SpeaksOfCuda(std::string_view path, std::string_view text) {
  return path.ends_with(".cu") || HasPart(text, "cuda") || HasPart(text, "CUDA");
}

/// The extension that `source` is part of: the one that names it, else the only one that is
/// declared in the nearest folder around it; null if that is not clear.
const ExtensionModule* ExtensionWith(std::string_view source,
                                     const std::vector<ExtensionModule>& extensions) {
  const ExtensionModule* nearest = nullptr;
  bool is_clear = false;
  for (const ExtensionModule& extension : extensions) {
    const std::string_view folder = PathBeforeName(extension.declared_in);
    if (!source.starts_with(folder)) continue;
    const std::string_view rest = source.substr(folder.size());
    for (const std::string& named : extension.sources) {
      if (rest == named || rest.ends_with("/" + named)) return &extension;
    }
    if (!extension.sources.empty()) continue;
    const size_t depth = nearest == nullptr ? 0 : PathBeforeName(nearest->declared_in).size();
    if (nearest != nullptr && folder.size() < depth) continue;
    is_clear = nearest == nullptr || folder.size() > depth;
    nearest = &extension;
  }
  return is_clear ? nearest : nullptr;
}

}  // namespace

std::vector<NativeOperator> NativeOperatorsIn(const std::string& file, std::string_view source) {
  static const Pattern kBlock(
      R"(\b(PYBIND11_MODULE|TORCH_LIBRARY(?:_FRAGMENT|_IMPL)?) ?\( ?(\w{1,200}) ?,)"
      R"((?: ?\w{1,200} ?,)? ?(\w{1,200}) ?\) ?\{)");
  std::vector<NativeOperator> operators;
  if (!HasPart(source, "PYBIND11_MODULE") && !HasPart(source, "TORCH_LIBRARY")) {
    return operators;
  }
  const std::string text = Compacted(source);
  for (const PatternMatch& found : kBlock.FindAll(text)) {
    const size_t open = found.end() - 1;
    const size_t close = ClosingBrace(text, open);
    std::string module =
        found.groups[0] == "PYBIND11_MODULE" ? found.groups[1] : "torch.ops." + found.groups[1];
    if (module == kNamedBySetup) module.clear();
    const auto block = std::string_view(text).substr(open, close - open);
    for (NativeOperator& offered : NamesIn(block, found.groups[2])) {
      const bool is_known = std::ranges::any_of(operators, [&](const NativeOperator& other) {
        return other.name == offered.name && other.module == module;
      });
      if (is_known) continue;
      offered.file = file;
      offered.module = module;
      operators.push_back(std::move(offered));
    }
  }
  return operators;
}

NativeOperators::NativeOperators(const AnalyzedProject& project) {
  std::vector<ExtensionModule> extensions;
  for (std::vector<ExtensionModule>& declared : project.ForEachFile<std::vector<ExtensionModule>>(
           "cpp_extension", [](const FileContext& f) { return ExtensionModulesIn(f.names()); })) {
    std::move(declared.begin(), declared.end(), std::back_inserter(extensions));
  }
  std::set<std::string, std::less<>> functions_of_nothing;
  for (const ProjectEntry& entry : project.files().entries) {
    const bool is_worth_it = entry.kind == ProjectEntry::Kind::kOther && entry.selected &&
                             entry.size <= kLargest && IsSource(entry.path);
    if (!is_worth_it) continue;
    const Result<std::string> bytes = ReadProjectFile(project.files(), entry);
    if (!bytes) continue;
    AddFunctionsOfNothing(*bytes, functions_of_nothing);
    for (NativeOperator& found : NativeOperatorsIn(entry.path, *bytes)) {
      const ExtensionModule* extension = ExtensionWith(entry.path, extensions);
      // A module is imported from where setup.py puts it: fairseq.libnat, though the source calls
      // it libnat.
      if (extension != nullptr &&
          (found.module.empty() || extension->name.ends_with("." + found.module))) {
        found.module = extension->name;
      }
      const bool is_cuda =
          (extension != nullptr && extension->is_cuda) || SpeaksOfCuda(entry.path, *bytes);
      if (!found.module.empty()) is_cuda_[found.module + "." + found.name] |= is_cuda;
      operators_.push_back(std::move(found));
    }
  }
  for (const NativeOperator& found : operators_) {
    if (!functions_of_nothing.contains(found.function)) continue;
    is_cuda_.erase(found.module + "." + found.name);
  }
}

bool NativeOperators::IsCuda(std::string_view name) const {
  const auto found = is_cuda_.find(name);
  return found != is_cuda_.end() && found->second;
}

std::string NativeOperators::LoadedModule(Node call, const FileContext& file) {
  if (!call.Is(NodeKind::kCall) ||
      !file.names().IsNamed(call.Child(Field::kFunction), "torch.utils.cpp_extension.load")) {
    return "";
  }
  return ExtensionModuleOf(call, file.names()).name;
}

std::vector<std::pair<Node, std::string>> CudaOperatorUses(const FileContext& file,
                                                           const NativeOperators& operators) {
  std::vector<std::pair<Node, std::string>> uses;
  if (operators.all().empty()) return uses;
  for (const Node node : NodesIn(file.tree())) {
    const bool is_called_name = node.Is(NodeKind::kIdentifier) && node.field() == Field::kFunction;
    if (!node.Is(NodeKind::kAttribute) && !is_called_name) continue;
    std::vector<QualifiedName> names = file.names().Resolve(node);
    // `ext = load(name="x", ...)`, `ext.f(...)`
    const Node object = node.Is(NodeKind::kAttribute) ? node.Child(Field::kObject) : Node();
    if (names.empty() && object.Is(NodeKind::kIdentifier)) {
      for (const Binding* binding : file.names().BindingsOf(object)) {
        const std::string module = NativeOperators::LoadedModule(binding->value, file);
        if (module.empty()) continue;
        names.push_back({module + "." + std::string(node.Child(Field::kAttribute).text()), false});
      }
    }
    for (const QualifiedName& name : names) {
      if (name.local || !operators.IsCuda(name.name)) continue;
      uses.emplace_back(node, name.name);
      break;
    }
  }
  return uses;
}

}  // namespace transplt
