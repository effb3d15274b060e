// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/native/token_text.h"

namespace transplt {

/// The tokens that stay because a name does: a call half in names of CUDA and half in those of an
/// NPU builds for neither.
class StayingUses {
 public:
  explicit StayingUses(const TokenText& text) : text_(text), stays_(text.size(), false) {}

  /// The name that ends with token `last` stays: the arguments of its call, the value of the
  /// variable whose type it is, and what it is compared with stay too. Statements in braces among
  /// the arguments are on their own.
  void Add(size_t last);
  bool Has(size_t token) const { return token < stays_.size() && stays_[token]; }

 private:
  size_t FirstOfName(size_t last) const;
  std::optional<size_t> OpenOfCall(size_t last) const;
  void AddArguments(size_t open, size_t close);
  void AddValue(size_t last);
  void AddCompared(size_t first, size_t end);
  void Mark(size_t first, size_t last);

  const TokenText& text_;
  std::vector<bool> stays_;
};

}  // namespace transplt
