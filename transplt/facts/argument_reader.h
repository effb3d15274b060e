// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "transplt/facts/code_file.h"
#include "transplt/facts/entry_argument.h"

namespace transplt {

/// The argument that a call defines: `add_argument` of a parser (argparse and those that look like
/// it), `click.option`, `flags.DEFINE_string`. nullopt for other calls.
std::optional<EntryArgument> ArgumentDefinedBy(Node call, const CodeFile& file);

/// What such a call says that the option is if nobody gives it, as Term::name has it; "" if the
/// text does not say it.
std::string ConstantDefaultOf(Node call);

/// The expression that says it; a null node if none does.
Node DefaultOf(Node call);

/// The options that `flags.mark_flag_as_required("x")` makes required.
std::vector<std::string> FlagsRequiredBy(Node call);

/// The parameters of a function as options: Fire and Typer make them of it.
std::vector<EntryArgument> ParametersAsArguments(Node function, const CodeFile& file);

/// The annotated fields of a class as options: HfArgumentParser and others make them of it.
std::vector<EntryArgument> FieldsAsArguments(Node definition, const CodeFile& file);

/// What a field of a dataclass is by default: `value` itself, or of `field(default=x)` x; a null
/// node where it is made by a function.
Node DefaultOfField(Node value);

/// The text of a plain string, else the source text of the expression.
std::string ValueText(Node expression);

}  // namespace transplt
