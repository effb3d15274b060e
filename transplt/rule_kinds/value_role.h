// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transplt/engine/file_context.h"

namespace transplt {

/// What the value of a string is used for, seen from where it stands.
struct ValueRole {
  enum class Kind {
    kNamed,  ///< its place says what it is: an argument, default or name that speaks of a device
    kValue,  ///< a value; nothing at its place says that it is not a device
    kKept,   ///< something else, `reason` says what: it stays
    kProse,  ///< text for people, without anything to say about it
  };
  Kind kind = Kind::kValue;
  Text reason;
  /// Of kKept: what is kept is no device, backend or variable at all. Otherwise only devices are
  /// meant: "nccl" as a key of data is still the name of the backend.
  bool firm = false;
  bool is_key = false;  ///< looked up in something: `data["cuda"]`, `data.get("cuda")`
};

/// The role of the string literal `string` in `file`, as far as its place tells.
ValueRole RoleOf(Node string, const FileContext& file);

/// The role of the value of any expression, told by its parent alone.
ValueRole RoleInPlace(Node node, const FileContext& file);

/// The expression around `expression` that has the same value or is made of it: parentheses,
/// branches, collections, concatenation, `'cuda:{}'.format(...)`.
Node Outermost(Node expression);

/// True if a name or a piece of code has a word that stands for devices: device, backend ...
bool SpeaksOfDevice(std::string_view text);

/// True if `string` is a text for people: an argument of print or a logger, a help text, the
/// message of an exception or an assertion.
bool IsMessage(Node string);

/// True if a string that holds a dotted name stands where Python looks the name up: an argument
/// of patch, setattr, import_module, type ..., an annotation, a comparison.
bool IsReference(Node string);

/// True if a call of `function` with `arguments` defines an option of the command line:
/// add_argument of argparse, DEFINE_string of absl, option of click, add of configargparse.
bool DefinesOption(std::string_view function, Node arguments);

/// `tf.contrib.training.HParams(dist_backend="nccl")`: it only holds what the program says to
/// others, which may be of another framework than TensorFlow.
bool IsHeldByHparams(Node argument);

/// True if the value is only compared: `device.type == 'cuda'`.
bool IsCompared(Node string);

/// True if the value is handed to a function that is not told what it is: a positional argument,
/// but not of what defines options of a command line.
bool IsPositionalArgument(Node string);

/// `ACCELERATOR = "cuda"` at the top of a module.
bool IsConstantOfModule(Node string);

/// The object of `getattr(object, string)`, `hasattr`, `setattr` or `delattr`; else a null node.
Node AttributeHolder(Node string);

}  // namespace transplt
