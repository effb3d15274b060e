// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "transplt/facts/code_file.h"
#include "transplt/facts/settled_conditions.h"

namespace transplt {

/// An expression as far as constants, and the variables that may hold one, decide its value.
struct Term {
  enum class Kind : uint8_t {
    kUnknown,
    kConstant,     ///< `name`: as Python writes it: False, -1, 'text'
    kParameter,    ///< of a function; `name`, and `unit`
    kVariable,     ///< `name` of the module `source`, a file of the project
    kAttribute,    ///< `x.name`, `x["name"]`; `parts`: what `x.get("name", default)` gives else
    kEnvironment,  ///< the variable `name` of the environment; `parts`: what it is else
    kNot,
    kAnd,
    kOr,
    kCompare,  ///< `name`: == != < <= > >=
    kIsIn,     ///< the first of `parts` is one of the others
  };
  Kind kind = Kind::kUnknown;
  std::string name;
  /// Of an attribute: how the code writes it, "args.use_tpu". Of a variable: its file.
  std::string source;
  uint32_t unit = 0;            ///< of a parameter: as TermReader::Of was told
  std::vector<uint32_t> parts;  ///< indexes in the same list of terms
};

/// Index of a term about which nothing is known, in every list of terms.
inline constexpr uint32_t kUnknownTerm = 0;

/// True for a constant that counts as false: False, None, 0, an empty text or collection.
bool IsFalsyConstant(std::string_view constant);

/// The constant that `expression` is, as Term::name has it, or "".
std::string ConstantOf(Node expression);

/// Makes the terms of one file.
class TermReader {
 public:
  /// `terms` gets the term of index kUnknownTerm. `machine`: as SettledConditions has it.
  TermReader(const CodeFile& file, std::vector<Term>& terms, const Machine& machine = {});

  /// The index of the term of `expression`, which stands in the function `function` that is known
  /// as `unit`; a null node at the top of a file. kUnknownTerm for a null `expression`.
  uint32_t Of(Node expression, Node function, uint32_t unit);
  uint32_t Not(uint32_t term);
  /// Of a term about which nothing is known only the other one counts.
  uint32_t And(uint32_t a, uint32_t b);
  /// `a == b`; of a term about which nothing is known it is unknown.
  uint32_t Equal(uint32_t a, uint32_t b);
  uint32_t Constant(std::string_view constant);

 private:
  struct Place {
    Node function;
    uint32_t unit = 0;
    int depth = 0;
  };
  uint32_t Read(Node expression, const Place& place);
  uint32_t OfName(Node name, const Place& place);
  uint32_t OfAttribute(Node attribute);
  uint32_t OfVariable(const std::string& dotted);
  uint32_t OfSubscript(Node subscript);
  uint32_t OfCall(Node call, const Place& place);
  uint32_t OfComparison(Node comparison, const Place& place);
  uint32_t OfOperation(Node operation, const Place& place);
  uint32_t Setting(Term::Kind kind, Node name, Node expression, Node otherwise, const Place& place);
  uint32_t Add(Term term);
  /// One term for all expressions that are the same constant or parameter.
  uint32_t AddOnce(Term::Kind kind, std::string_view name, uint32_t unit);

  const CodeFile file_;
  const NameTable& names_;
  const SettledConditions settled_;
  std::vector<Term>& terms_;
  std::map<std::tuple<Term::Kind, uint32_t, std::string>, uint32_t> known_;
};

}  // namespace transplt
