// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/source_file.h"

namespace transplt {

/// A command that a script runs.
struct ShellRun {
  /// Without quotes. A variable that the script itself gives a plain value is put in; what only the
  /// shell can know stays as it is written: "$1", "$(date)".
  std::vector<std::string> words;
  /// Variables that stand in front of it, or that were exported before, and their values.
  std::map<std::string, std::string, std::less<>> environment;
  size_t program = 0;  ///< the word that runs last, behind `nohup`, `srun`, `mpirun`, `env` ...
  std::string folder;  ///< where the `cd` before it lead to, from the folder of the start
  uint32_t line = 1;
};

/// The commands of a script, in the order of the text. In a part that does not parse a command has
/// the words that the parser could find.
std::vector<ShellRun> RunsIn(const SourceFile& script);

/// By the name of the file.
bool IsMakefile(std::string_view path);
/// The recipes of a Makefile as a script, all else blank, so that lines and columns stay.
std::string RecipesOf(const SourceFile& makefile);
/// The same with the values of variables: those that name a program, `RUN = docker run --gpus all`,
/// and those that hold options, behind the program whose recipe expands them.
std::string CommandsOf(const SourceFile& makefile);
/// RunsIn() for the recipes of a Makefile.
std::vector<ShellRun> RunsInMakefile(const SourceFile& makefile);

/// `example`, which stands in a document, with as many bytes as a script that a shell can read:
/// without prompts, and with one word for "<your data>".
std::string ScriptOfExample(std::string_view example);
/// A part of such a script as it stands in the document, but for prompts.
std::string WithPlaceholders(std::string text);

/// The same for code in a document, where prompts stand in front of commands and "<your data>" for
/// what a reader has to fill in.
/// Variables that an earlier example of the document has set are known to the later ones.
using ShellVariables = std::map<std::string, std::vector<std::string>, std::less<>>;
std::vector<ShellRun> RunsInExample(const std::string& text, ShellVariables& variables);

}  // namespace transplt
