// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "transplt/base/text.h"
#include "transplt/base/text_range.h"
#include "transplt/native/effects.h"

namespace transplt {

/// What the declarations show about a name at one place.
struct NativeName {
  bool is_own = false;  ///< the project declares it
  std::string name;     ///< of a name of CUDA or torch: "c10::cuda::CUDAStream"
  std::string owner;    ///< of a member: the class that has it, "at::Tensor"
};

/// One parameter of a function, as the migrated source has it.
struct NativeParameter {
  std::string type;  ///< with all namespaces: "const at::Tensor &"
  std::string name;  ///< may be empty
};

/// A function that a source defines, kernels included.
struct NativeFunction {
  /// Who can use it.
  enum class Reach {
    kShared,    ///< all sources that are linked with this one
    kLocal,     ///< this source alone: it is static, inline, or in a namespace without a name
    kTemplate,  ///< whoever sees the body
    kMember,    ///< it belongs to a class
  };
  std::string name;  ///< with its namespaces
  std::string signature;
  TextRange range;
  bool is_template = false;
  std::set<std::string> calls = {};  ///< functions of the project that its text names
  Reach reach = Reach::kLocal;
  bool is_c = false;        ///< extern "C"
  bool only_fails = false;  ///< its body does nothing but raise an error
  std::string result = {};  ///< its type, as that of a parameter
  std::vector<NativeParameter> parameters = {};
  /// Among the types of result and parameters one of the project's or of CUDA, or, as "?", one that
  /// is not known.
  std::string own_type = {};
  uint32_t body = 0;  ///< where its body begins
};

/// Something that the parser did not accept.
struct NativeDiagnostic {
  uint32_t offset = 0;
  std::string message;
  std::string macro_file = {};  ///< where the macro is defined whose body has it; empty if none has
  uint32_t macro_offset = 0;    ///< and what it is about there
};

/// What a parse of one source shows; empty where it shows nothing.
struct NativeFacts {
  Text error;                            ///< why the source was not parsed; empty if it was
  std::map<uint32_t, NativeName> names;  ///< by the offset of the name
  /// The types of the arguments of calls of CUDA, by the offset of the function's name.
  std::map<uint32_t, std::vector<std::string>> argument_types;
  /// What evaluating those arguments does, likewise. Of a call in a macro: in any of its uses.
  ArgumentEffects effects;
  /// The same for calls in macros of headers, by the path of the header.
  std::map<std::string, ArgumentEffects> effects_in_headers;
  std::vector<NativeFunction> functions;
  std::vector<std::string> missing_headers;
  std::set<std::string> headers;  ///< of the project, with their paths, that were read
  std::vector<NativeDiagnostic> diagnostics;
  /// Names that the source, or what it includes, declares, with their namespaces and without.
  std::set<std::string> declared;
  /// Functions and variables of the project, with their namespaces, that the source uses and that
  /// neither it nor what it includes defines: it is linked with what does.
  std::set<std::string> undefined;
  std::set<std::string> variables;  ///< that it defines for others, with their namespaces
};

}  // namespace transplt
