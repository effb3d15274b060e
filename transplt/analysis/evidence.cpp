// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/evidence.h"

#include <fmt/format.h>

#include <memory>

#include "transplt/facts/value_flows.h"

namespace transplt {
namespace {

/// The string that holds the place, or a null node.
Node StringAt(const SyntaxTree& tree, LineColumn place) {
  const auto is_not_after = [](LineColumn a, LineColumn b) {
    return a.line < b.line || (a.line == b.line && a.column <= b.column);
  };
  for (uint32_t id = 0; id < tree.size(); ++id) {
    const Node node = tree.node(id);
    if (!node.Is(NodeKind::kString)) continue;
    const bool has_begun = is_not_after(tree.source().Locate(node.range().start), place);
    if (has_begun && !is_not_after(tree.source().Locate(node.range().end), place)) return node;
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

void Add(Text& text, const Text& more) {
  text.en += more.en;
  text.zh += more.zh;
}

Text Described(ValueFlows& values, Node string, const ProjectIndex& index) {
  const Verdict verdict = values.VerdictOf(string);
  const Text what = Described(verdict);
  const std::string shown(string.text());
  Text text = {shown + ": " + what.en + "\n", shown + ": " + what.zh + "\n"};
  if (verdict.evidence.strength != Strength::kNone) {
    const std::string place = Shown(index, verdict.evidence.path, verdict.evidence.range);
    const Text strength = NameOf(verdict.evidence.strength);
    Add(text, {fmt::format("  {} ({})\n", place, strength.en),
               fmt::format("  {} ({})\n", place, strength.zh)});
  }
  if (verdict.is_contradiction()) {
    const std::string place = Shown(index, verdict.against.path, verdict.against.range);
    Add(text, Say("  but {} takes it for a device or a backend\n",
                  "  但 {} 将其作为设备或通信后端使用\n", place));
  }
  Add(text, Say("the same value:\n", "同一个值:\n"));
  for (const ValuePlace& place : values.PlacesOf(string)) {
    Add(text, Say("  {}\n", "  {}\n", Shown(index, place.path, place.range)));
  }
  return text;
}

}  // namespace

Result<Text> EvidenceAt(const AnalyzedProject& project, const std::string& path, LineColumn place) {
  const ProjectIndex& index = project.index();
  const std::shared_ptr<const OpenedFile> source = index.Open(path);
  if (source == nullptr) {
    return Error{Error::Code::kBadInput, path,
                 Say("not a readable Python file of the project {}; give its folder with --project",
                     "不是项目 {} 中可读取的 Python 文件; 请用 --project 给出项目目录",
                     project.options().input)};
  }
  const Node string = StringAt(source->tree(), place);
  if (!string) {
    return Error{Error::Code::kBadInput, fmt::format("{}:{}:{}", path, place.line, place.column),
                 Say("there is no text in quotes here", "此处没有带引号的文本")};
  }
  const Classes classes(source->names(), &index);
  const ProjectValues shared(index, Signatures::Builtin());
  ValueFlows values(source->names(), classes, &index, Signatures::Builtin(), &shared);
  return Described(values, string, index);
}

}  // namespace transplt
