// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transplt/native/token_text.h"

namespace transplt {

/// Which #if decide about what is written at a place.
class Conditions {
 public:
  explicit Conditions(const TokenText& text);

  /// Those that decide about the byte `offset`, outermost first, as `#if` lines without the `#`:
  /// "ifdef WITH_CUDA", which `if defined(WITH_CUDA)` is too. The other branches of one begin with
  /// "else ".
  std::vector<std::string> At(uint32_t offset) const;
  /// True where the code at `offset` is compiled only if `name` is defined.
  bool Needs(uint32_t offset, std::string_view name) const;
  /// True in a branch that is compiled only where the macro `name` is not defined: below
  /// `#ifndef name`, or in an #else of `#ifdef name`.
  bool IsWithout(uint32_t offset, std::string_view name) const;
  /// True if the byte `later` is never compiled without the byte `earlier`.
  bool Implies(uint32_t later, uint32_t earlier) const;

 private:
  struct Condition {
    size_t parent;
    std::string text;
  };
  struct Change {
    uint32_t offset;
    size_t innermost;  ///< from here on
  };
  static constexpr size_t kNone = static_cast<size_t>(-1);

  size_t InnermostAt(uint32_t offset) const;

  std::vector<Condition> conditions_;
  std::vector<Change> changes_;
};

/// True if all of `conditions` are among `others`.
bool AreAmong(const std::vector<std::string>& conditions, const std::vector<std::string>& others);

}  // namespace transplt
