// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "transplt/base/text.h"

namespace transplt {

/// Why a step could not finish. `where` names the place as a person would look it up:
/// "path", "path:line:column" or "rules/my.json#/rules/ArgsModifyRule/2"; empty when there is none.
struct Error {
  enum class Code {
    kIo,        ///< the file system refused
    kUsage,     ///< wrong command line or configuration
    kBadRule,   ///< a rule file that cannot be used
    kBadInput,  ///< an input file that cannot be migrated (binary, wrong encoding ...)
  };
  Code code;
  std::string where;
  Text what;
};

/// A T, or the Error that prevented it; the subset of std::expected that is used here.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// The value of a step that returns nothing.
struct Done {};

}  // namespace transplt
