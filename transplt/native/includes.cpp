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
  /// The first header in quotes, of those that as little decides about as about `last`.
  std::optional<size_t> own() const { return depth_ == own_depth_ ? own_ : std::nullopt; }

 private:
  void Add(const TokenText& text, size_t i, int depth) {
    const std::string_view written = text.Of(i);
    if (written.size() > 2) headers_.emplace(written.substr(1, written.size() - 2));
    const bool is_better = !last_ || depth <= depth_;
    if ((is_over_ && last_) || !is_better) return;
    const bool is_own = written.starts_with('"');
    if (is_own && (!own_ || depth < own_depth_)) {
      own_ = i;
      own_depth_ = depth;
    }
    last_ = i;
    depth_ = depth;
  }

  std::set<std::string> headers_;  // of all of the source
  std::optional<size_t> last_;
  std::optional<size_t> own_;
  int depth_ = 0;
  int own_depth_ = 0;
  bool is_over_ = false;
};

size_t LineOf(std::string_view source, size_t offset) {
  return source.substr(0, offset).rfind('\n') + 1;  // of npos: 0
}

std::optional<size_t> NextLine(std::string_view source, size_t offset) {
  const size_t end = source.find('\n', offset);
  return end == std::string_view::npos ? std::nullopt : std::optional<size_t>(end + 1);
}

/// Of a header without #include: behind `#pragma once`, or `#ifndef X` and `#define X`. What has
/// neither may be a part of what includes it; where nothing does, before its first code.
std::optional<size_t> TopOf(const TokenText& text, bool is_included) {
  const bool is_once = text.Is(0, "#") && text.Is(1, "pragma") && text.Is(2, "once");
  const bool is_guard = text.Is(0, "#") && text.Is(1, "ifndef") && text.Is(3, "#") &&
                        text.Is(4, "define") && text.Of(5) == text.Of(2);
  if (!is_once && !is_guard && (is_included || text.size() == 0)) return std::nullopt;
  if (!is_once && !is_guard) return LineOf(text.source(), text[0].range.start);
  return NextLine(text.source(), text[is_once ? 2 : 5].range.end);
}

}  // namespace

std::optional<Edit> MissingIncludes(std::string_view source, const std::vector<NativeToken>& tokens,
                                    const NativeRules& rules, const std::set<std::string>& applied,
                                    bool is_included) {
  const TokenText text(source, tokens);
  const FirstBlock block(text);
  const std::optional<size_t> place = block.own() ? LineOf(source, text[*block.own()].range.start)
                                      : block.last()
                                          ? NextLine(source, text[*block.last()].range.end)
                                          : TopOf(text, is_included);
  if (!place) return std::nullopt;
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
  const size_t end = source.find('\n');
  const bool has_return = end != std::string_view::npos && end > 0 && source[end - 1] == '\r';
  const std::string_view line_end = has_return ? "\r\n" : "\n";
  for (const std::string& header : missing) {
    if (there.contains(header)) continue;
    lines.append("#include <").append(header).append(">").append(line_end);
  }
  if (lines.empty()) return std::nullopt;
  const auto at = static_cast<uint32_t>(*place);
  return Edit{{at, at}, lines};
}

}  // namespace transplt
