// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "generators/config_schema.h"
#include "transplt/base/result.h"

namespace transplt {

/// What a generated file is written in.
enum class OutputLanguage { kJson, kPython, kShell, kYaml };

/// A value, given as JSON text, as a literal of the language: quoted so that nothing in it can be
/// taken for code. JSON that is no value of the language (an object in a shell) is its text.
std::string Literal(std::string_view json, OutputLanguage language);

/// The script that `text`, a mustache template, makes of a configuration, whose members it sees:
///
///     {{NAME}}           the value as a literal
///     {{#has_NAME}}      where the member is there
///     {{#NAME_is_VALUE}} where it is that
///     {{#members}}       for each member: {{name}} and {{value}} as literals, {{text}} the literal
///                        of the value as a string, {{{key}}} the name, {{{what}}} its description
///     {{{NAME_name}}}    the bare text, only of a member "op", which the schema has checked
///     {{{NAME}}}         the bare text `extra.at(NAME)`; {{#has_NAME}} where it is there
Result<std::string> RenderScript(std::string_view text, const std::string& configuration,
                                 const ConfigSchema& schema, OutputLanguage language,
                                 const std::map<std::string, std::string>& extra = {});

}  // namespace transplt
