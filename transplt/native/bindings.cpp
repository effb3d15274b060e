// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/bindings.h"

#include <algorithm>
#include <optional>

#include "transplt/base/word_list.h"
#include "transplt/native/token_text.h"

namespace transplt {
namespace {

/// "nms" of the text `"nms(Tensor x) -> Tensor"`; "" for a text of another form.
std::string NameIn(std::string_view text) {
  if (text.size() < 2 || text.front() != '"') return "";
  text = text.substr(1, text.size() - 2);
  text = text.substr(0, text.find_first_of("( "));
  const size_t colons = text.rfind("::");
  if (colons != std::string_view::npos) text.remove_prefix(colons + 2);
  return std::string(text);
}

/// The function that the tokens [first, behind) name: `&at::nms`, `TORCH_FN(nms)`, `(T)nms`.
std::string FunctionIn(const TokenText& text, size_t first, size_t behind) {
  std::string name;
  for (size_t i = first; i < behind; ++i) {
    if (text.Is(i, "[")) return "";
    if (text.IsName(i)) {
      name = text.Of(i);
      while (text.Is(i + 1, "::") && text.IsName(i + 2)) {
        i += 2;
        name += "::" + std::string(text.Of(i));
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

std::set<std::string> NamesIn(const TokenText& text, size_t first, size_t behind) {
  std::set<std::string> names;
  for (size_t i = first; i < behind; ++i) {
    if (text.IsName(i)) names.emplace(text.Of(i));
  }
  return names;
}

bool IsInCapitals(std::string_view name) {
  return name.size() > 1 && std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
}

}  // namespace

std::vector<NativeBinding> BindingsIn(std::string_view source,
                                      const std::vector<NativeToken>& tokens) {
  const TokenText text(source, tokens);
  std::vector<NativeBinding> bindings;
  std::string block;
  for (size_t i = 0; i + 2 < text.size(); ++i) {
    if (OpensBlock(text, i)) block = text.Of(i + 2);
    if (i == 0) continue;
    const bool is_binding =
        text.Is(i - 1, ".") && (text.Is(i, "def") || text.Is(i, "impl")) && text.Is(i + 1, "(");
    if (!is_binding || text[i + 2].kind != NativeToken::Kind::kText) continue;
    const std::optional<size_t> close = text.Close(i + 1);
    if (!close) continue;
    const auto arguments = text.Arguments(i + 1, *close);
    const std::string name = NameIn(text.Of(i + 2));
    if (name.empty() || arguments.size() < 2) continue;
    NativeBinding& binding = bindings.emplace_back();
    binding.name = name;
    binding.function = FunctionIn(text, arguments[1].first, arguments[1].second);
    binding.range = text[i + 2].range;
    binding.module = block;
    if (binding.function.empty()) {
      binding.names = NamesIn(text, arguments[1].first, arguments.back().second);
    }
  }
  return bindings;
}

std::vector<NativeLink> LinksIn(std::string_view source, const std::vector<NativeToken>& tokens) {
  const TokenText text(source, tokens);
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
      std::string name = FunctionIn(text, first, behind);
      if (!name.empty()) link.push_back(std::move(name));
    }
    if (link.size() > 1) links.push_back(std::move(link));
    i = *close;
  }
  return links;
}

}  // namespace transplt
