// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "transplt/native/tokens.h"

namespace transplt {

/// The tokens of a source with their text. Numbers of tokens that do not exist are allowed.
class TokenText {
 public:
  TokenText(std::string_view source, const std::vector<NativeToken>& tokens)
      : source_(source), tokens_(tokens) {}

  size_t size() const { return tokens_.size(); }
  std::string_view source() const { return source_; }
  const NativeToken& operator[](size_t i) const { return tokens_[i]; }
  std::string_view Of(size_t i) const {
    return i < tokens_.size() ? tokens_[i].range.In(source_) : std::string_view();
  }
  bool IsName(size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == NativeToken::Kind::kName;
  }
  bool Is(size_t i, std::string_view text) const { return Of(i) == text; }

  /// The first token that does not begin before the byte `offset`.
  size_t FirstFrom(uint32_t offset) const;
  /// The bracket that closes the one at `open`; nothing if that is none, or if the directive or the
  /// file ends before.
  std::optional<size_t> Close(size_t open) const;
  /// The bracket that the one at `close` closes, likewise.
  std::optional<size_t> Open(size_t close) const;
  /// The `>` that closes the `<` at `open`, if this looks like arguments of a template.
  std::optional<size_t> CloseAngle(size_t open) const;
  /// The tokens [first, last) of each argument between the brackets `open` and `close`.
  std::vector<std::pair<size_t, size_t>> Arguments(size_t open, size_t close) const;
  /// The `#` of the directive that token `i` is part of; nothing if it is part of none.
  std::optional<size_t> HashOf(size_t i) const;
  /// The first token behind that `#`, "define"; or "".
  std::string_view DirectiveOf(size_t i) const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// Goes through all tokens once, for what is asked of many of them.
  void FindPairs() const;

  std::string_view source_;
  const std::vector<NativeToken>& tokens_;
  mutable bool has_pairs_ = false;
  mutable std::vector<uint32_t> others_;      // by bracket: the one that closes or opens it
  mutable std::vector<uint32_t> directives_;  // by token: the `#` of its directive
};

}  // namespace transplt
