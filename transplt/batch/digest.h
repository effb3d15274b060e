// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace transplt {

/// A hash over many pieces (XXH3, 128 bits): it tells whether two results are the same, and is no
/// protection against somebody who wants them to look the same.
class Digest {
 public:
  Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  ~Digest();

  /// Adds bytes; where one call ends and the next begins plays no part.
  void Add(std::string_view bytes);
  /// Adds a piece with its length, so that "ab" and "c" differ from "a" and "bc".
  void AddField(std::string_view bytes);
  /// "xxh128:" and 32 hexadecimal digits.
  std::string Text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace transplt
