// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generators/config_schema.h"
#include "generators/output_text.h"

namespace transplt {

/// A file that was made.
struct GeneratedFile {
  std::string name;  ///< what such a file is usually called
  std::string text;
};

/// Makes the files of a kind from a configuration that its schema has accepted. Appends what is
/// wrong with it beyond that, and notes; if there are mistakes, the files do not count.
using FileMaker = Result<std::vector<GeneratedFile>> (*)(const std::string& configuration,
                                                         std::vector<ConfigMistake>& mistakes);

/// One kind of file that `transplt generate` writes.
struct GeneratorKind {
  std::string_view name;
  Text title;
  std::string_view file;       ///< what such a file is usually called
  std::string_view framework;  ///< "pytorch", "mindspore", or "" for any
  OutputLanguage language;
  std::string_view (*schema)();
  std::string_view (*script)();  ///< its template; null where the configuration itself is written
  Text page;                     ///< where the vendor describes it
  /// The names at the top of such a file: one of them makes it this kind. Only of JSON.
  std::vector<std::string_view> members = {};
  FileMaker make = nullptr;  ///< instead of a template
};

/// All kinds, in the order in which they are listed.
const std::vector<GeneratorKind>& GeneratorKinds();

/// The kind called `name`, or null.
const GeneratorKind* FindGeneratorKind(std::string_view name);

/// What was made of a command line, or what is wrong with it.
struct Generated {
  std::vector<GeneratedFile> files;  ///< at least one, unless there are mistakes
  std::string configuration;         ///< the JSON that they were made of
  std::vector<Text> notes;
  std::vector<Error> mistakes;  ///< `where` names the option; if there are any, there are no files
};

/// The files that the options ask for. The configuration is checked against the schema first.
Result<Generated> Generate(const GeneratorKind& kind, const GivenOptions& given);

}  // namespace transplt
