// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/settings_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "generators/doctor.h"
#include "transplt/base/json_document.h"

namespace transplt {

std::optional<std::string> SettingsText(const std::string& path) {
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(path, error);
  if (!is_file || std::filesystem::file_size(path, error) > JsonDocument::kMaxBytes || error) {
    return std::nullopt;
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(stream), {}};
}

std::optional<Error> MistakeInFile(const OptionSpec& spec, const std::string& path) {
  const GeneratorKind* kind = FindGeneratorKind(spec.file_kind);
  if (kind == nullptr || !path.starts_with('/')) return std::nullopt;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return Error{Error::Code::kUsage, path,
                 Say("this is a folder; name the JSON file of {}",
                     "这是文件夹；请给出 {} 的 JSON 文件", spec.name)};
  }
  const std::optional<std::string> text = SettingsText(path);
  if (!text) return std::nullopt;
  const Result<Diagnosis> diagnosis = DiagnoseJson(path, *text, kind);
  if (!diagnosis) return diagnosis.error();
  if (diagnosis->mistakes.empty()) return std::nullopt;
  const Error& first = diagnosis->mistakes.front();
  return Error{Error::Code::kUsage, first.where, first.what};
}

}  // namespace transplt
