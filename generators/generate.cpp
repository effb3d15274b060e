// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "generators/generator_kind.h"

namespace transplt {
namespace {

std::string Dashed(const std::vector<std::string>& options) {
  std::string text;
  for (const std::string& option : options) text += (text.empty() ? "--" : ", --") + option;
  return text;
}

/// A mistake in the words of the command line.
Error AsUsageError(const ConfigSchema& schema, const ConfigMistake& mistake) {
  std::vector<std::string> options = mistake.options;
  if (options.empty()) options = {schema.OptionAt(mistake.pointer)};
  Error error{Error::Code::kUsage, Dashed(options), mistake.what};
  if (!mistake.is_missing) return error;
  const std::string option = options.front();
  for (const ConfigOption& one : schema.Options()) {
    if (one.name != option) continue;
    error.what = {"must be given: " + one.what.en, "必须给出：" + one.what.zh};
  }
  return error;
}

Result<std::vector<GeneratedFile>> MakeFiles(const GeneratorKind& kind,
                                             const std::string& configuration,
                                             const ConfigSchema& schema,
                                             std::vector<ConfigMistake>& mistakes) {
  if (kind.make != nullptr) return kind.make(configuration, mistakes);
  std::string text = configuration;
  if (kind.script != nullptr) {
    Result<std::string> script = RenderScript(kind.script(), configuration, schema, kind.language);
    if (!script) return script.error();
    text = *std::move(script);
  }
  return std::vector<GeneratedFile>{{std::string(kind.file), std::move(text)}};
}

}  // namespace

const GeneratorKind* FindGeneratorKind(std::string_view name) {
  const auto& kinds = GeneratorKinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [name](const GeneratorKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

Result<Generated> Generate(const GeneratorKind& kind, const GivenOptions& given) {
  const Result<ConfigSchema> schema = ConfigSchema::Parse(kind.schema());
  if (!schema) return schema.error();
  Generated generated;
  std::vector<ConfigMistake> mistakes;
  generated.configuration = schema->Make(given, Defaults::kWrite, mistakes);
  const auto document = JsonDocument::Parse(std::string(kind.name), generated.configuration);
  if (!document) return document.error();
  if (mistakes.empty()) mistakes = schema->Check(*document);
  Result<std::vector<GeneratedFile>> files =
      HasMistake(mistakes) ? std::vector<GeneratedFile>()
                           : MakeFiles(kind, generated.configuration, *schema, mistakes);
  if (!files) return files.error();
  for (const ConfigMistake& mistake : mistakes) {
    Error error = AsUsageError(*schema, mistake);
    if (!mistake.is_note) {
      generated.mistakes.push_back(std::move(error));
      continue;
    }
    generated.notes.push_back(
        {error.where + ": " + error.what.en, error.where + "：" + error.what.zh});
  }
  if (generated.mistakes.empty()) generated.files = *std::move(files);
  return generated;
}

}  // namespace transplt
