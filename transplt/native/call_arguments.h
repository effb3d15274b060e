// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "transplt/base/edit.h"
#include "transplt/native/rules.h"
#include "transplt/native/token_text.h"

namespace transplt {

/// The arguments of one call, and the edits that a rule makes of them. What stays in its place is
/// not touched, so that edits within it can be made as well: others are inserted beside it.
class CallArguments {
 public:
  CallArguments(const TokenText& text, size_t open, size_t close);

  /// The text of an argument as it will be; what moves to another place is copied with it.
  std::function<std::string(TextRange)> migrated;
  std::vector<std::string> types = {};  ///< of the arguments; empty if they are not known

  std::vector<Edit> EditsFor(const NativeRule& rule) const;
  /// For a call whose name begins at `start`.
  std::vector<Edit> EditsForExpression(const NativeRule& rule, uint32_t start) const;

 private:
  struct Passed;

  std::vector<Passed> PassedBy(const NativeRule& rule) const;
  std::string CastOf(const NativeRule& rule, size_t argument) const;
  bool IsCompound(size_t argument) const;
  bool IsPlain(size_t argument) const;
  std::string WrittenOut(const Passed& item) const;

  const TokenText& text_;
  const size_t open_;
  const size_t close_;
  std::vector<std::pair<size_t, size_t>> tokens_;  // of the arguments, from and behind
  std::vector<TextRange> ranges_;
};

}  // namespace transplt
