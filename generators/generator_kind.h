// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generators/config_schema.h"
#include "generators/output_text.h"
#include "transplt/base/result.h"

namespace transplt {

/// A kind of file that `transplt generate` writes; a row of the table.
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
};

/// All kinds, in the order in which they are listed.
const std::vector<GeneratorKind>& GeneratorKinds();

/// The kind called `name`, or null.
const GeneratorKind* FindGeneratorKind(std::string_view name);

/// What was made of a command line, or what is wrong with it.
struct Generated {
  std::string text;           ///< of the file
  std::string configuration;  ///< the JSON that it was made of
  std::vector<Text> notes;
  std::vector<Error> mistakes;  ///< `where` names the option; if there are any, there is no text
};

/// The file that the options ask for. The configuration is checked against the schema first.
Result<Generated> Generate(const GeneratorKind& kind, const GivenOptions& given);

}  // namespace transplt
