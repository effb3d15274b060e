// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/includes.h"

#include <algorithm>
#include <compare>
#include <optional>
#include <set>
#include <vector>

#include "transplt/base/word_list.h"
#include "transplt/native/conditions.h"
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
  /// The tokens of those that stand in it.
  const std::vector<size_t>& all() const { return all_; }
  /// The last one that no #if decides about which decides less about another one.
  std::optional<size_t> last() const { return last_; }
  /// The first header in quotes, of those that as little decides about as about `last`.
  std::optional<size_t> own() const { return depth_ == own_depth_ ? own_ : std::nullopt; }

 private:
  void Add(const TokenText& text, size_t i, int depth) {
    const std::string_view written = text.Of(i);
    if (written.size() > 2) headers_.emplace(written.substr(1, written.size() - 2));
    if (!is_over_) all_.push_back(i);
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
  std::vector<size_t> all_;
  std::optional<size_t> last_;
  std::optional<size_t> own_;
  int depth_ = 0;
  int own_depth_ = 0;
  bool is_over_ = false;
};

/// True for the switch of a build, `ifdef WITH_CUDA`.
bool AsksForCuda(const std::string& condition) {
  const std::vector<NativeToken> tokens = TokensOf(condition);
  return std::ranges::any_of(tokens, [&](const NativeToken& token) {
    return token.kind == NativeToken::Kind::kName &&
           Words("cuda-switches").Has(token.range.In(condition));
  });
}

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

/// Where lines are inserted, and the #if that have to stand around them.
struct Place {
  size_t at = 0;
  std::vector<std::string> around;

  auto operator<=>(const Place&) const = default;
};

/// Finds the place of each header that is missing.
class Places {
 public:
  Places(const TokenText& text, const NativeRules& rules, const AppliedRules& applied,
         bool is_included)
      : text_(text), block_(text), conditions_(text) {
    usual_ = block_.own()    ? LineOf(text.source(), text[*block_.own()].range.start)
             : block_.last() ? NextLine(text.source(), text[*block_.last()].range.end)
                             : TopOf(text, is_included);
    for (const auto& [id, offsets] : applied) {
      const NativeRule* rule = rules.Find(id);
      if (rule == nullptr || rule->kind != NativeRule::Kind::kHeader) continue;
      for (const uint32_t offset : offsets) around_cuda_.push_back(conditions_.At(offset));
    }
  }

  const FirstBlock& block() const { return block_; }

  /// The place for what is needed at `uses`.
  std::optional<Place> For(const std::vector<uint32_t>& uses) const {
    if (!usual_) return std::nullopt;
    const Place usual = {*usual_, {}};
    const std::vector<std::string> common = CommonOf(uses);
    const size_t line_before = usual.at == 0 ? 0 : usual.at - 1;
    const std::vector<std::string> here = conditions_.At(static_cast<uint32_t>(line_before));
    const bool is_for_all = std::ranges::any_of(
        around_cuda_, [&](const auto& conditions) { return AreAmong(conditions, here); });
    if (is_for_all || AreAmong(common, here)) return usual;
    Place best = usual;
    std::vector<std::string> given = here;
    bool is_own = false;
    for (const size_t i : block_.all()) {
      const std::vector<std::string> conditions = conditions_.At(text_[i].range.start);
      if (!AreAmong(conditions, common) || conditions.size() < given.size()) continue;
      const bool is_first = best.at == usual.at;
      if (conditions.size() == given.size() && (is_first || is_own)) continue;
      is_own = text_.Of(i).starts_with('"');
      const std::optional<size_t> line = is_own ? LineOf(text_.source(), text_[i].range.start)
                                                : NextLine(text_.source(), text_[i].range.end);
      if (!line) continue;
      best.at = *line;
      given = conditions;
    }
    for (const std::string& condition : common) {
      if (std::ranges::find(given, condition) == given.end()) best.around.push_back(condition);
    }
    const bool can_wrap = std::ranges::all_of(best.around, [](const std::string& condition) {
      return condition.starts_with("if") && condition.find('\n') == std::string::npos;
    });
    return can_wrap ? best : usual;
  }

 private:
  /// The conditions of all of `uses`.
  std::vector<std::string> CommonOf(const std::vector<uint32_t>& uses) const {
    std::vector<std::string> common;
    for (const uint32_t use : uses) {
      const std::vector<std::string> conditions = conditions_.At(use);
      if (use == uses.front()) common = conditions;
      std::erase_if(common, [&](const std::string& condition) {
        return std::ranges::find(conditions, condition) == conditions.end();
      });
      if (common.empty()) break;
    }
    // Any other condition may ask for what is defined further below.
    std::erase_if(common, [](const std::string& condition) { return !AsksForCuda(condition); });
    return common;
  }

  const TokenText& text_;
  const FirstBlock block_;
  const Conditions conditions_;
  std::optional<size_t> usual_;
  std::vector<std::vector<std::string>> around_cuda_;  // around each #include of CUDA
};

/// Of each header that the edits need: where they do.
std::map<std::string, std::vector<uint32_t>> NeededHeaders(const NativeRules& rules,
                                                           const AppliedRules& applied,
                                                           std::set<std::string> there) {
  std::map<std::string, std::vector<uint32_t>> needed;
  for (const auto& [id, offsets] : applied) {
    const NativeRule* rule = rules.Find(id);
    if (rule == nullptr) continue;
    if (rule->kind == NativeRule::Kind::kHeader) {
      there.insert(rule->to);  // "" of a header that goes
    } else if (!rule->header.empty()) {
      std::vector<uint32_t>& uses = needed[rule->header];
      uses.insert(uses.end(), offsets.begin(), offsets.end());
    }
  }
  std::erase_if(needed, [&](const auto& entry) { return there.contains(entry.first); });
  return needed;
}

}  // namespace

std::vector<Edit> MissingIncludes(std::string_view source, const std::vector<NativeToken>& tokens,
                                  const NativeRules& rules, const AppliedRules& applied,
                                  bool is_included) {
  const TokenText text(source, tokens);
  const Places places(text, rules, applied, is_included);
  const size_t end = source.find('\n');
  const bool has_return = end != std::string_view::npos && end > 0 && source[end - 1] == '\r';
  const std::string line_end = has_return ? "\r\n" : "\n";
  std::map<Place, std::string> lines;
  for (const auto& [header, uses] : NeededHeaders(rules, applied, places.block().headers())) {
    const std::optional<Place> place = places.For(uses);
    if (place) lines[*place] += "#include <" + header + ">" + line_end;
  }
  std::vector<Edit> edits;
  for (auto& [place, text_there] : lines) {
    std::string written;
    for (const std::string& condition : place.around) written += "#" + condition + line_end;
    written += text_there;
    for (size_t i = 0; i < place.around.size(); ++i) written += "#endif" + line_end;
    const auto at = static_cast<uint32_t>(place.at);
    if (!edits.empty() && edits.back().range.start == at) {
      edits.back().text += written;
    } else {
      edits.push_back({{at, at}, written});
    }
  }
  return edits;
}

}  // namespace transplt
