// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/place_explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "transplt/analysis/analyzed_project.h"
#include "transplt/commands/terminal.h"
#include "transplt/facts/value_flows.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

struct Place {
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

std::optional<Place> PlaceOf(std::string_view text) {
  const std::optional<uint32_t> column = CutNumber(text);
  const std::optional<uint32_t> line = column ? CutNumber(text) : std::nullopt;
  if (!line || text.empty()) return std::nullopt;
  return Place{std::string(text), *line, *column};
}

fs::path ProjectAround(const fs::path& file) {
  for (fs::path folder = file.parent_path();; folder = folder.parent_path()) {
    for (const char* mark : {".git", "setup.py", "pyproject.toml"}) {
      std::error_code error;
      if (fs::exists(folder / mark, error)) return folder;
    }
    if (folder == folder.parent_path()) return file.parent_path();
  }
}

/// The string that holds the place, or a null node.
Node StringAt(const SyntaxTree& tree, const Place& place) {
  for (uint32_t id = 0; id < tree.size(); ++id) {
    const Node node = tree.node(id);
    if (!node.Is(NodeKind::kString)) continue;
    const LineColumn start = tree.source().Locate(node.range().start);
    const LineColumn end = tree.source().Locate(node.range().end);
    const bool is_behind =
        place.line > start.line || (place.line == start.line && place.column >= start.column);
    const bool is_before =
        place.line < end.line || (place.line == end.line && place.column < end.column);
    if (is_behind && is_before) return node;
  }
  return {};
}

std::string Shown(const ProjectIndex& index, const std::string& path, TextRange range) {
  const std::shared_ptr<const OpenedFile> file = index.Open(path);
  if (file == nullptr) return path;
  const LineColumn at = file->source().Locate(range.start);
  return fmt::format("{}:{}:{}", path, at.line, at.column);
}

Text Described(const Verdict& verdict) {
  switch (verdict.kind) {
    case Verdict::Kind::kDevice:
      return Say("a device or a communication backend", "设备或通信后端");
    case Verdict::Kind::kOther:
      return verdict.evidence.reason.empty() ? Say("a text for people", "供人阅读的文本")
                                             : verdict.evidence.reason;
    case Verdict::Kind::kUnknown:
      break;
  }
  return Say("nothing says what it is", "没有迹象表明其用途");
}

Text NameOf(Strength strength) {
  switch (strength) {
    case Strength::kResolved:
      return Say("resolved: a definition or a signature says it", "已确认: 由定义或签名得知");
    case Strength::kShape:
      return Say("shape: what it looks like, or is compared with", "形态: 由其写法或比较对象得知");
    case Strength::kName:
      return Say("name: only a name says it", "名称: 仅由名称得知");
    case Strength::kBeside:
      return Say("beside: only the values beside it say it", "并列: 仅由并列的值得知");
    case Strength::kNone:
      break;
  }
  return {};
}

void Print(ValueFlows& values, Node string, const ProjectIndex& index, Language language) {
  const Verdict verdict = values.VerdictOf(string);
  PrintOut(fmt::format("{}: {}\n", string.text(), Described(verdict).In(language)));
  if (verdict.evidence.strength != Strength::kNone) {
    PrintOut(fmt::format("  {} ({})\n", Shown(index, verdict.evidence.path, verdict.evidence.range),
                         NameOf(verdict.evidence.strength).In(language)));
  }
  if (verdict.is_contradiction()) {
    const std::string place = Shown(index, verdict.against.path, verdict.against.range);
    PrintOut(Say("  but {} takes it for a device or a backend\n",
                 "  但 {} 将其作为设备或通信后端使用\n", place)
                 .In(language));
  }
  PrintOut(Say("the same value:\n", "同一个值:\n").In(language));
  for (const ValuePlace& place : values.PlacesOf(string)) {
    PrintOut(fmt::format("  {}\n", Shown(index, place.path, place.range)));
  }
}

}  // namespace

bool IsPlace(std::string_view text) { return PlaceOf(text).has_value(); }

int ExplainPlace(const std::string& place, const std::string& project, Language language) {
  const Place at = *PlaceOf(place);
  std::error_code error;
  const fs::path file = fs::canonical(at.path, error);
  if (error) {
    return Complain(Error{Error::Code::kBadInput, at.path,
                          Say("cannot read the file: {}", "无法读取文件: {}", error.message())},
                    language);
  }
  AnalysisOptions options;
  options.input = project.empty() ? ProjectAround(file).string() : project;
  const Result<std::unique_ptr<const AnalyzedProject>> opened = AnalyzedProject::Open(options);
  if (!opened) return Complain(opened.error(), language);
  const ProjectIndex& index = (*opened)->index();
  const std::string path =
      fs::relative(file, fs::canonical(options.input, error), error).generic_string();
  const std::shared_ptr<const OpenedFile> source = index.Open(path);
  if (source == nullptr) {
    return Complain(
        Error{
            Error::Code::kBadInput, path,
            Say("not a readable Python file of the project {}; give its folder with --project",
                "不是项目 {} 中可读取的 Python 文件; 请用 --project 给出项目目录", options.input)},
        language);
  }
  const Node string = StringAt(source->tree(), at);
  if (!string) {
    return Complain(Error{Error::Code::kBadInput, place,
                          Say("there is no text in quotes here", "此处没有带引号的文本")},
                    language);
  }
  const Classes classes(source->names(), &index);
  const ProjectValues shared(index, Signatures::Builtin());
  ValueFlows values(source->names(), classes, &index, Signatures::Builtin(), &shared);
  Print(values, string, index, language);
  return kExitDone;
}

}  // namespace transplt
