// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "transplt/facts/training_apis.h"
#include "transplt/programs/console_scripts.h"

namespace transplt {

/// A command of a document or a script of the project that starts one of its programs.
struct EntryCommand {
  /// Where it stands; the earlier, the more it says about what the project is for. kSentence: in a
  /// sentence of the main README.
  enum class Source : uint8_t { kMainReadme, kSentence, kReadme, kDocument, kScript };
  std::string file;    ///< of the program, in the project
  std::string module;  ///< of `-m`; or ""
  std::string script;  ///< a ConsoleScript; or ""
  std::string folder;  ///< the folder of the project in which it is given, "" for the root
  std::vector<std::string> words;                               ///< all of it
  std::map<std::string, std::string, std::less<>> environment;  ///< variables that it gets
  std::vector<std::string> arguments;                           ///< what the program gets
  Source source = Source::kScript;
  bool has_launcher = false;  ///< torchrun or the like starts the processes
  bool is_exact = true;       ///< false: only the end of the path names the file
  std::string place;          ///< "README.md:12"
};

/// The best source first, each in the order of its text. A document that starts a shell script of
/// the project starts what that script starts.
std::vector<EntryCommand> FindEntryCommands(const ProgramSources& sources, const ProgramCode& code,
                                            const TrainingApis& apis,
                                            const std::vector<ConsoleScript>& scripts);

}  // namespace transplt
