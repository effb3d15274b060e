// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/facts/signatures.h"
#include "transplt/python/name_table.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// True if `string` is a text for people: an argument of print or a logger, a help text, the
/// message of an exception or an assertion.
bool IsMessage(Node string, const Signatures& signatures = Signatures::Builtin());

/// True for a value that goes into nothing but a message: `print(x)`, `print(f"{x}")`,
/// `log.info("{}".format(x))`.
bool IsOnlyShown(Node value);

/// True for an `except` of any error that says that something has failed and does nothing else:
/// what the `try` should have brought is missing afterwards, and nothing has its place.
bool OnlyTells(Node except_clause);

/// True if a string that holds a dotted name stands where Python looks the name up: an argument
/// of patch, setattr, import_module, type ..., an annotation, a comparison.
bool IsReference(Node string, const Signatures& signatures = Signatures::Builtin());

/// True if the value is only compared: `device.type == 'cuda'`.
bool IsCompared(Node string);

/// True if a method of a text looks for the string in it: `module.startswith('torch.cuda')`.
bool IsLookedFor(Node string, const Signatures& signatures = Signatures::Builtin());

/// True if the value is handed by its position to a function of which nothing is known.
bool IsPositionalArgument(Node string, const Signatures& signatures = Signatures::Builtin());

/// True if the string is the default of an option of the command line.
bool IsDefaultOfOption(Node string, const Signatures& signatures = Signatures::Builtin());

/// `tf.contrib.training.HParams(dist_backend="nccl")`: only kept, for a program that may be of
/// another framework than the file.
bool IsHeld(Node string, const NameTable& names,
            const Signatures& signatures = Signatures::Builtin());

/// `ACCELERATOR = "cuda"` at the top of a module.
bool IsConstantOfModule(Node string);

/// The object of `getattr(object, string)`, `hasattr`, `setattr` or `delattr`; else a null node.
Node AttributeHolder(Node string, const Signatures& signatures = Signatures::Builtin());

/// The expression around `expression` that has the same value or is made of it: parentheses,
/// branches, collections, concatenation, `'cuda:{}'.format(...)`. At most 1,000 levels up.
Node Outermost(Node expression);

}  // namespace transplt
