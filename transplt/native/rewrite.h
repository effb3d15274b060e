// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/edit.h"
#include "transplt/native/facts.h"
#include "transplt/native/rules.h"
#include "transplt/native/tokens.h"

namespace transplt {

/// What was found at one place of a C++ or CUDA source.
struct NativeFinding {
  enum class Outcome {
    kEdited,
    kNoCounterpart,   ///< nothing takes the place of the name
    kArguments,       ///< the rule knows no form with these arguments
    kUnknown,         ///< a name of a library of CUDA that no rule is about
    kUnsure,          ///< a member of an object whose class is not known, or not by this name
    kTwice,           ///< an argument that changes something would be written twice
    kLost,            ///< an argument that changes something would be left out
    kCondition,       ///< asks for a macro that an NPU does not define
    kConditionTrue,   ///< ... and is true without it
    kConditionFalse,  ///< ... and is false without it, and nothing takes the place of its code
    kConditionIdle,   ///< ... and is false without it, and its code is for CUDA alone
    kConditionElse,   ///< ... and is false without it, so that another branch is compiled
    kConditionFails,  ///< ... and raises an error without it
    kWithItsUse,      ///< part of a call, a declaration or a comparison of which another part stays
    kForward,         ///< a declaration in place of a header of CUDA, which stops nobody
  };
  TextRange range;
  std::string rule_id;
  Outcome outcome = Outcome::kEdited;
  bool is_resolved = false;  ///< a declaration shows what the name is
  Fix fix;
  TextRange argument = {};  ///< of kTwice and kLost
};

/// True for what stays so that no compiler for an NPU, or no run on one, gets past it.
bool StopsAnNpu(NativeFinding::Outcome outcome);

/// What is known besides the source itself.
struct NativeContext {
  const NativeRules& rules;
  const NativeFacts& facts;
  /// That the project declares, in whatever source, with their namespaces and without, and the
  /// names of its headers.
  const std::set<std::string>& own_names;
};

/// What `rules` find in a source, in the order of the text. Comments and texts are never edited;
/// all branches of #if and the bodies of macros are.
std::vector<NativeFinding> RewriteNative(std::string_view source,
                                         const std::vector<NativeToken>& tokens,
                                         const NativeContext& context);

/// The names of the macros that a source defines.
std::set<std::string> MacrosIn(std::string_view source, const std::vector<NativeToken>& tokens);

}  // namespace transplt
