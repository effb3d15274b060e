// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/bindings.h"

#include <optional>

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

}  // namespace

std::vector<NativeBinding> BindingsIn(std::string_view source,
                                      const std::vector<NativeToken>& tokens) {
  const TokenText text(source, tokens);
  std::vector<NativeBinding> bindings;
  for (size_t i = 1; i + 2 < text.size(); ++i) {
    const bool is_binding =
        text.Is(i - 1, ".") && (text.Is(i, "def") || text.Is(i, "impl")) && text.Is(i + 1, "(");
    if (!is_binding || text[i + 2].kind != NativeToken::Kind::kText) continue;
    const std::optional<size_t> close = text.Close(i + 1);
    if (!close) continue;
    const auto arguments = text.Arguments(i + 1, *close);
    const std::string name = NameIn(text.Of(i + 2));
    if (name.empty() || arguments.size() < 2) continue;
    bindings.push_back(
        {name, FunctionIn(text, arguments[1].first, arguments[1].second), text[i + 2].range});
  }
  return bindings;
}

}  // namespace transplt
