// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/bindings.h"

#include <algorithm>
#include <optional>

#include "transplt/base/word_list.h"
#include "transplt/native/macro_names.h"
#include "transplt/native/token_text.h"

namespace transplt {
namespace {

/// "ops" of "ops::nms(Tensor x) -> Tensor"; "" where none is written.
std::string NamespaceIn(std::string_view text) {
  text = text.substr(0, text.find_first_of("( "));
  const size_t colons = text.rfind("::");
  return colons == std::string_view::npos ? "" : std::string(text.substr(0, colons));
}

/// "nms" of "nms(Tensor x) -> Tensor".
std::string NameIn(std::string_view text) {
  text = text.substr(0, text.find_first_of("( "));
  const size_t colons = text.rfind("::");
  if (colons != std::string_view::npos) text.remove_prefix(colons + 2);
  return std::string(text);
}

/// One token of a binding: as it is written, or as the macro around it makes it for one of its
/// uses.
class Spelling {
 public:
  explicit Spelling(const TokenText& text, const MacroNames* macros = nullptr, size_t use = 0)
      : text_(text), macros_(macros), use_(use) {}

  std::string Of(size_t token) const {
    const MacroNames::Made* made = macros_ == nullptr ? nullptr : macros_->At(token);
    return std::string(made == nullptr ? text_.Of(token) : std::string_view(made->names[use_]));
  }

 private:
  const TokenText& text_;
  const MacroNames* const macros_;
  const size_t use_;
};

/// The function that the tokens [first, behind) name: `&at::nms`, `TORCH_FN(nms)`, `(T)nms`.
std::string FunctionIn(const TokenText& text, const Spelling& spelling, size_t first,
                       size_t behind) {
  std::string name;
  for (size_t i = first; i < behind; ++i) {
    if (text.Is(i, "[")) return "";
    if (text.Is(i, "##")) {
      ++i;  // the rest of a name that is known
    } else if (text.IsName(i)) {
      name = spelling.Of(i);
      while (text.Is(i + 1, "::") && text.IsName(i + 2)) {
        i += 2;
        name += "::" + spelling.Of(i);
      }
    } else if (text.Is(i, "<")) {
      i = text.CloseAngle(i).value_or(i);
    }
  }
  return name;
}

/// True for what opens a block of bindings: `PYBIND11_MODULE(name, m) {`.
bool OpensBlock(const TokenText& text, size_t i) {
  return text.IsName(i) && text.Is(i + 1, "(") && text.IsName(i + 2) &&
         Words("binding-blocks").Has(text.Of(i));
}

/// `namespace a::b {`, `extern "C" {`
bool OpensNamespace(const TokenText& text, size_t brace) {
  for (size_t i = brace; i-- > 0 && brace - i < 8;) {
    if (text.Is(i, "namespace") || text.Is(i, "extern")) return true;
    const bool is_name =
        text.IsName(i) || text.Is(i, "::") || text[i].kind == NativeToken::Kind::kText;
    if (!is_name) return false;
  }
  return false;
}

std::set<std::string> NamesIn(const TokenText& text, const Spelling& spelling, size_t first,
                              size_t behind) {
  std::set<std::string> names;
  for (size_t i = first; i < behind; ++i) {
    if (text.IsName(i)) names.insert(spelling.Of(i));
  }
  return names;
}

bool IsInCapitals(std::string_view name) {
  return name.size() > 1 && std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
}

/// What the function is bound by at token `i`: "nms" and #NAME next to each other.
std::string BoundText(const TokenText& text, const Spelling& spelling, size_t first,
                      size_t behind) {
  std::string name;
  for (size_t i = first; i < behind; ++i) {
    if (text[i].kind == NativeToken::Kind::kText && text.Of(i).starts_with('"')) {
      name += text.Of(i).substr(1, text.Of(i).size() - 2);
    } else if (text.Is(i, "#") && text.IsName(i + 1)) {
      name += spelling.Of(++i);
    } else {
      return "";
    }
  }
  return name;
}

/// What a binding stands in: the name of the block, and the namespace of torch.ops.
struct Block {
  std::string name = {};
  std::string library = {};
};

/// True for `.op(` of `torch::RegisterOperators().op("ns::f", &f)`.
bool RegistersOperator(const TokenText& text, size_t i) {
  return text.Is(i, "op") && text.Is(i + 1, "(") && text[i + 2].kind == NativeToken::Kind::kText &&
         text.Of(i + 2).find("::") != std::string_view::npos;
}

/// The bindings that `.def(...)` with its bracket at token `open` makes: one for each use of the
/// macro around it, if its name depends on that.
void AddBindings(const TokenText& text, const MacroNames& macros, size_t open, const Block& block,
                 std::vector<NativeBinding>& bindings) {
  const std::optional<size_t> close = text.Close(open);
  if (!close) return;
  const auto arguments = text.Arguments(open, *close);
  if (arguments.size() < 2) return;
  std::vector<Spelling> spellings;
  for (size_t i = arguments[0].first; i < arguments[0].second; ++i) {
    const MacroNames::Made* made = text.Is(i - 1, "#") ? macros.At(i) : nullptr;
    for (size_t use = spellings.size(); made != nullptr && use < made->names.size(); ++use) {
      spellings.emplace_back(text, &macros, use);
    }
  }
  if (spellings.empty()) spellings.emplace_back(text);
  for (const Spelling& spelling : spellings) {
    NativeBinding binding;
    const std::string bound = BoundText(text, spelling, arguments[0].first, arguments[0].second);
    binding.name = NameIn(bound);
    if (binding.name.empty()) continue;
    binding.function = FunctionIn(text, spelling, arguments[1].first, arguments[1].second);
    binding.range = {text[arguments[0].first].range.start, text[arguments[0].second - 1].range.end};
    binding.module = block.name;
    const std::string space = NamespaceIn(bound);
    const bool is_of_torch = block.name == block.library;
    binding.library = is_of_torch && !space.empty() ? space : block.library;
    if (binding.function.empty()) {
      binding.names = NamesIn(text, spelling, arguments[1].first, arguments.back().second);
    }
    bindings.push_back(std::move(binding));
  }
}

}  // namespace

std::vector<NativeBinding> BindingsIn(std::string_view source,
                                      const std::vector<NativeToken>& tokens) {
  const TokenText text(source, tokens);
  const MacroNames macros(text);
  std::vector<NativeBinding> bindings;
  Block block;
  for (size_t i = 0; i + 2 < text.size(); ++i) {
    if (OpensBlock(text, i)) {
      block.name = text.Of(i + 2);
      block.library = Words("library-blocks").Has(text.Of(i)) ? block.name : "";
    }
    if (i == 0 || !text.Is(i - 1, ".")) continue;
    const bool is_binding = (text.Is(i, "def") || text.Is(i, "impl")) && text.Is(i + 1, "(");
    if (is_binding) AddBindings(text, macros, i + 1, block, bindings);
    if (RegistersOperator(text, i)) AddBindings(text, macros, i + 1, {}, bindings);
  }
  return bindings;
}

std::vector<NativeLink> LinksIn(std::string_view source, const std::vector<NativeToken>& tokens) {
  const TokenText text(source, tokens);
  const Spelling spelling(text);
  std::vector<NativeLink> links;
  for (size_t i = 0; i < text.size(); ++i) {
    // Bodies of namespaces and of extern "C" count as outside of functions.
    if (text.Is(i, "{") && !OpensNamespace(text, i)) {
      i = text.Close(i).value_or(i);
      continue;
    }
    const bool is_call = text[i].starts_line && !text[i].in_directive && text.IsName(i) &&
                         text.Is(i + 1, "(") && IsInCapitals(text.Of(i));
    if (!is_call) continue;
    const std::optional<size_t> close = text.Close(i + 1);
    if (!close) continue;
    NativeLink link;
    for (const auto& [first, behind] : text.Arguments(i + 1, *close)) {
      std::string name = FunctionIn(text, spelling, first, behind);
      if (!name.empty()) link.push_back(std::move(name));
    }
    if (link.size() > 1) links.push_back(std::move(link));
    i = *close;
  }
  return links;
}

}  // namespace transplt
