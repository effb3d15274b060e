// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// How far what a rule writes does the same.
enum class Likeness {
  kExact,   ///< another name for the same
  kAdapt,   ///< the arguments or the meaning differ, and the rule takes care of it or says so
  kApprox,  ///< the nearest that there is
};
std::string_view Name(Likeness likeness);  ///< "exact", "adapt", "approx"

/// A text before and after; the same for what must not change.
struct NativeExample {
  std::string before;
  std::string after;
};

/// A rule about C++ and CUDA sources: a row of rules/cxx/*.json.
struct NativeRule {
  enum class Kind {
    kName,          ///< a type, a constant, a macro or a function: another name
    kCall,          ///< a function: another name and other arguments
    kExpression,    ///< a function: an expression around its arguments
    kReport,        ///< a name without counterpart
    kDropped,       ///< a type that is gone: its variables go where nothing is left that needs them
    kStatement,     ///< a function that sets what an NPU does not have: its statement goes
    kFamily,        ///< names of a library that no other rule is about
    kMember,        ///< a member of a class of torch
    kMemberReport,  ///< a member of a class of CUDA without counterpart
    kCondition,     ///< a macro that conditions ask for and that no NPU defines
    kNamespace,     ///< a namespace that a `using namespace` opens
    kMacroArgument,  ///< a word among the arguments of a macro
    kMacroMember,    ///< a member that an argument of a macro ends with a call of
    kHeader,         ///< a header
    kKernelFeature,  ///< what a kernel uses
  };
  Kind kind = Kind::kName;
  std::string id;
  /// "cudaMalloc", "at::cuda::CUDAGuard"; of a family a pattern, "cudnn*".
  std::vector<std::string> names;
  std::string to;  ///< what takes its place; empty if nothing does
  Likeness likeness = Likeness::kExact;
  std::string why;  ///< what a person should know; may be empty
  std::string why_zh;
  std::string instead;  ///< code to write in its place
  /// Versions of torch that have `to`, ">=2.1"; with others `instead` is what to write. Empty: all.
  std::string torch;
  std::string header;    ///< that declares `to`: "acl/acl.h"
  bool is_gone = false;  ///< of a header: no torch has it any more, so that the line goes
  /// Of a header: a source that includes it is written around a library that no NPU has, and is not
  /// migrated.
  bool is_left = false;
  /// Of a condition: the macro tells that the compiler of CUDA is at work, which compiles no .cpp.
  bool is_of_compiler = false;
  /// Of a condition: the macro tells that a header was read, so that what hangs on it is for the
  /// library of that header.
  bool is_guard = false;
  /// Of a report: what is passed to it, or is its value, does not depend on it and is migrated.
  bool is_apart = false;
  /// A name without its namespace means it, even where nothing shows what it is.
  bool alone = false;
  /// Of a call by the number of its arguments: what is passed, "$0" being the first one written.
  std::map<size_t, std::vector<std::string>> arguments;
  std::map<size_t, std::string> casts;  ///< argument -> "void**"
  /// By the number of arguments: "$1->size($2)". Those that it names stay in their order.
  std::map<size_t, std::string> expressions;
  /// Of a call or an expression: where something in this argument has no counterpart, the call
  /// stays.
  std::optional<size_t> needed_argument;
  /// Of an expression whose arguments are a text of printf and its values: which argument the text
  /// is, and what is written, "TORCH_CHECK(false, print($...))", `$...` being the text and the
  /// values as they stand.
  std::optional<size_t> printf_argument;
  std::string printf_form;
  /// Of an expression: it is written as an argument of these functions alone, and as their first
  /// one of several it moves behind the others. Empty: wherever it stands.
  std::vector<std::string> argument_of;
  /// Of the same: members that are called on it -> the function that takes their arguments and,
  /// behind them, the expression; "" if the call is the expression itself.
  std::map<std::string, std::string> member_calls;
  std::vector<std::string> classes;          ///< that have the member: "at::Tensor"
  std::vector<std::string> through;          ///< calls between object and member: "type"
  std::map<std::string, std::string> words;  ///< of a macro argument
  size_t index = 0;                          ///< of a macro argument
  std::string member;                        ///< that the argument of a macro ends with
  std::string library;                       ///< that a family is made of: "cuDNN"
  /// What the feature adds to the work on a kernel, or what each operator costs that uses the
  /// library.
  double hours = 0;
  std::vector<NativeExample> examples;
};

/// The rules about C++ and CUDA sources, immutable once loaded.
class NativeRules {
 public:
  /// Fails with the place of the first mistake. `texts`: names of files and their JSON.
  static Result<NativeRules> Load(
      const std::vector<std::pair<std::string, std::string_view>>& texts);
  /// Those of rules/cxx, which travel in the program.
  static const NativeRules& Builtin();

  const std::vector<NativeRule>& all() const { return rules_; }
  /// The rule with this id, or null.
  const NativeRule* Find(std::string_view id) const;
  /// The rules of kind kName, kCall, kExpression, kReport, kStatement, kDropped, kNamespace,
  /// kCondition,
  /// kMacroArgument and kMacroMember whose names end with `word`.
  const std::vector<const NativeRule*>& NamedBy(std::string_view word) const;
  /// The rules of kind kMember and kMemberReport about `word`.
  const std::vector<const NativeRule*>& MembersNamed(std::string_view word) const;
  /// The family that `word` belongs to, or null.
  const NativeRule* FamilyOf(std::string_view word) const;
  /// The rule of kind kHeader about `header`, one with the exact name before one with a pattern.
  const NativeRule* HeaderRule(std::string_view header) const;
  const std::vector<const NativeRule*>& features() const { return features_; }

 private:
  NativeRules() = default;
  void Index();

  using ByWord = std::map<std::string, std::vector<const NativeRule*>, std::less<>>;
  std::vector<NativeRule> rules_;
  std::map<std::string, const NativeRule*, std::less<>> by_id_;
  ByWord by_name_;
  ByWord by_member_;
  std::map<std::string, const NativeRule*, std::less<>> headers_;
  std::vector<const NativeRule*> header_patterns_;
  std::vector<const NativeRule*> families_;
  std::vector<const NativeRule*> features_;
};

}  // namespace transplt
