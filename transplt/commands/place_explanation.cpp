// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/place_explanation.h"

#include <filesystem>
#include <optional>

#include "transplt/analysis/evidence.h"
#include "transplt/commands/terminal.h"
#include "transplt/project/project_root.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

struct ExplainedPlace {
  std::string path;
  uint32_t line = 0;
  uint32_t column = 0;
};

/// The number at the end of `text`, which loses it and the colon before it.
std::optional<uint32_t> CutNumber(std::string_view& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) return std::nullopt;
  uint32_t number = 0;
  for (const char c : text.substr(colon + 1)) {
    constexpr uint32_t kMost = 100'000'000;
    if (c < '0' || c > '9' || number > kMost) return std::nullopt;
    number = number * 10 + static_cast<uint32_t>(c - '0');
  }
  text = text.substr(0, colon);
  return number;
}

std::optional<ExplainedPlace> PlaceOf(std::string_view text) {
  const std::optional<uint32_t> column = CutNumber(text);
  const std::optional<uint32_t> line = column ? CutNumber(text) : std::nullopt;
  if (!line || text.empty()) return std::nullopt;
  return ExplainedPlace{std::string(text), *line, *column};
}

}  // namespace

bool IsPlace(std::string_view text) { return PlaceOf(text).has_value(); }

int ExplainPlace(const std::string& place, const std::string& project, Language language) {
  const ExplainedPlace at = *PlaceOf(place);
  std::error_code error;
  const fs::path file = fs::canonical(at.path, error);
  if (error) {
    return Complain(Error{Error::Code::kBadInput, at.path,
                          Say("cannot read the file: {}", "无法读取文件: {}", error.message())},
                    language);
  }
  AnalysisOptions options;
  options.input = project.empty()
                      ? ProjectRootAbove(file.string()).value_or(file.parent_path().string())
                      : project;
  const Result<std::unique_ptr<const AnalyzedProject>> opened = AnalyzedProject::Open(options);
  if (!opened) return Complain(opened.error(), language);
  const fs::path root = fs::canonical(options.input, error);
  const std::string path = fs::relative(file, root, error).generic_string();
  const Result<Text> evidence = EvidenceAt(**opened, path, {at.line, at.column});
  if (!evidence) return Complain(evidence.error(), language);
  PrintOut(evidence->In(language));
  return kExitDone;
}

}  // namespace transplt
