// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/includes.h"

#include "transplt/native/token_text.h"

namespace transplt {
namespace {

/// The #include lines before the first line of code.
class FirstBlock {
 public:
  explicit FirstBlock(const TokenText& text) {
    int depth = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      if (!text[i].in_directive) is_over_ = true;
      if (text[i].kind == NativeToken::Kind::kHeader) Add(text, i, depth);
      if (!text[i].starts_line || !text.Is(i, "#")) continue;
      const std::string_view word = text.Of(i + 1);
      if (word.starts_with("if")) ++depth;
      if (word == "endif") --depth;
    }
  }

  const std::set<std::string>& headers() const { return headers_; }
  /// The last one that no #if decides about which decides less about another one.
  std::optional<size_t> last() const { return last_; }

 private:
  void Add(const TokenText& text, size_t i, int depth) {
    const std::string_view written = text.Of(i);
    if (written.size() > 2) headers_.emplace(written.substr(1, written.size() - 2));
    const bool is_better = !last_ || depth <= depth_;
    if ((is_over_ && last_) || !is_better) return;
    last_ = i;
    depth_ = depth;
  }

  std::set<std::string> headers_;  // of all of the source
  std::optional<size_t> last_;
  int depth_ = 0;
  bool is_over_ = false;
};

}  // namespace

std::optional<Edit> MissingIncludes(std::string_view source, const std::vector<NativeToken>& tokens,
                                    const NativeRules& rules,
                                    const std::set<std::string>& applied) {
  const TokenText text(source, tokens);
  const FirstBlock block(text);
  if (!block.last()) return std::nullopt;
  const size_t end = source.find('\n', text[*block.last()].range.end);
  if (end == std::string_view::npos) return std::nullopt;
  std::set<std::string> there = block.headers();
  std::set<std::string> missing;
  for (const std::string& id : applied) {
    const NativeRule* rule = rules.Find(id);
    if (rule == nullptr) continue;
    if (rule->kind == NativeRule::Kind::kHeader) {
      there.insert(rule->to);  // "" of a header that goes
    } else if (!rule->header.empty()) {
      missing.insert(rule->header);
    }
  }
  std::string lines;
  const std::string_view line_end = source[end - 1] == '\r' ? "\r\n" : "\n";
  for (const std::string& header : missing) {
    if (there.contains(header)) continue;
    lines.append("#include <").append(header).append(">").append(line_end);
  }
  if (lines.empty()) return std::nullopt;
  const auto at = static_cast<uint32_t>(end + 1);
  return Edit{{at, at}, lines};
}

}  // namespace transplt
