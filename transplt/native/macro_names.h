// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/native/token_text.h"

namespace transplt {

/// The names that the macros of a source make of their arguments where the source uses them:
/// `NAME##_forward` is scale_forward where it says `FORWARD(scale)`.
class MacroNames {
 public:
  /// `text` outlives this.
  explicit MacroNames(const TokenText& text);

  /// What a token in the body of a macro is part of, or stands for.
  struct Made {
    size_t first = 0;  ///< the first token of the name as the body has it
    /// One for each use of the macro; the same use has the same place for all tokens of a macro.
    std::vector<std::string> names;
  };
  /// Null for a token that no macro makes a name of.
  const Made* At(size_t token) const;

  /// All names in what the macro that is used at `token` makes there; empty if none is. Where
  /// conditions choose among several definitions of it, those of all.
  std::set<std::string> UsedAt(size_t token) const;

 private:
  using Arguments = std::vector<std::string>;
  struct Use {
    size_t macro = 0;
    size_t token = 0;
    Arguments arguments;           // as they are written
    std::optional<size_t> inside;  // the macro whose body has the use
  };
  struct Macro {
    std::string_view name;
    std::vector<std::string_view> parameters;
    size_t first = 0;  // of the body
    size_t behind = 0;
  };

  void FindMacros();
  void FindUses();
  void FindNames();
  const std::vector<Arguments>& ArgumentsOf(size_t macro);
  Arguments Substituted(const Arguments& written, size_t outer, const Arguments& given) const;
  /// Macros that use each other could go on without end: `steps` counts down.
  void AddNamesIn(size_t macro, const Arguments& arguments, size_t& steps,
                  std::set<std::string>& names) const;
  /// The last token of the name that begins at `token`: `a ## b`.
  size_t LastOfName(size_t token, size_t behind) const;
  std::string NameFrom(size_t first, size_t last, const Macro& macro,
                       const Arguments& arguments) const;

  const TokenText& text_;
  std::map<std::string_view, size_t> by_name_;
  std::vector<Macro> macros_;
  std::vector<Use> uses_;
  std::map<size_t, std::vector<Arguments>> arguments_;  // of all uses, by macro
  std::map<size_t, Made> made_;                         // by the first token of a name
  std::map<size_t, size_t> first_tokens_;               // by each token of a name
};

}  // namespace transplt
