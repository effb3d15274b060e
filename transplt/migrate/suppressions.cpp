// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/suppressions.h"

#include <algorithm>
#include <limits>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"

namespace transplt {
namespace {

constexpr std::string_view kMarkOfComment = "transplt: ";
constexpr uint32_t kLastLine = std::numeric_limits<uint32_t>::max();

/// "a, b" of "[a, b] because ..." as rules; false if the bracket is not closed or holds nothing.
bool ReadRules(std::string_view text, std::vector<std::string>& rules) {
  if (!text.starts_with('[')) return true;
  const size_t end = text.find(']');
  if (end == std::string_view::npos) return false;
  std::string_view list = text.substr(1, end - 1);
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    const std::string_view rule = Trimmed(list.substr(0, comma));
    if (!rule.empty()) rules.emplace_back(rule);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return !rules.empty();
}

Finding ReportAt(TextRange range, Text message) {
  return RowAt(range, "suppression", std::move(message), Operation::kSuggestion, Severity::kNote);
}

}  // namespace

bool Suppressions::MayBeIn(std::string_view bytes) { return HasPart(bytes, "transplt: ignore"); }

Suppressions::Suppressions(const SyntaxTree& tree) : source_(tree.source()) {
  if (!MayBeIn(source_.bytes())) return;
  for (uint32_t id = 0; id < tree.size(); ++id) {
    if (tree.node(id).Is(NodeKind::kComment)) Read(tree.node(id));
  }
  for (size_t index : open_) {
    Refuse(comments_[index].range,
           Say("ignore-start has no ignore-end; it covers the rest of the file",
               "ignore-start 没有对应的 ignore-end; 其作用至文件末尾"));
  }
}

void Suppressions::Read(Node comment) {
  const TextRange range = comment.range();
  std::string_view text = Trimmed(comment.text().substr(1));
  if (!text.starts_with(kMarkOfComment)) return;
  text.remove_prefix(kMarkOfComment.size());
  const size_t word_end = std::min(text.find_first_of("[ \t"), text.size());
  const std::string_view word = text.substr(0, word_end);
  const uint32_t line = source_.Locate(range.start).line;
  Comment read{range, line, line, {}};
  if (word == "ignore-end") {
    if (open_.empty()) {
      return Refuse(range,
                    Say("ignore-end without ignore-start", "ignore-end 之前没有 ignore-start"));
    }
    comments_[open_.back()].last_line = line;
    open_.pop_back();
    return;
  }
  if (word != "ignore" && word != "ignore-start" && word != "ignore-file") {
    return Refuse(range,
                  Say("not understood: write ignore, ignore-start, ignore-end or ignore-file",
                      "无法识别: 请写 ignore、ignore-start、ignore-end 或 ignore-file"));
  }
  if (!ReadRules(Trimmed(text.substr(word_end)), read.rules)) {
    return Refuse(range, Say("write the ids of rules in brackets: ignore[torch.cuda.synchronize]",
                             "请在方括号中写规则 ID: ignore[torch.cuda.synchronize]"));
  }
  if (word == "ignore") {
    const TextRange before{source_.LineRange(line).start, range.start};
    if (Trimmed(before.In(source_.bytes())).empty()) read.last_line = line + 1;
  } else {
    read.last_line = kLastLine;
    if (word == "ignore-file") read.first_line = 1;
    if (word == "ignore-start") open_.push_back(comments_.size());
  }
  comments_.push_back(std::move(read));
}

void Suppressions::Refuse(TextRange range, Text why) {
  refused_.push_back(ReportAt(range, std::move(why)));
}

bool Suppressions::Cover(const Finding& finding) {
  if (comments_.empty()) return false;
  const uint32_t line = source_.Locate(finding.range.start).line;
  bool is_covered = false;
  for (Comment& comment : comments_) {
    const bool is_meant = comment.rules.empty() || IsOneOf(finding.rule_id, comment.rules);
    if (!is_meant || line < comment.first_line || line > comment.last_line) continue;
    comment.is_used = true;
    is_covered = true;
  }
  return is_covered;
}

Findings Suppressions::Unused() const {
  Findings findings = refused_;
  for (const Comment& comment : comments_) {
    if (comment.is_used) continue;
    findings.push_back(
        ReportAt(comment.range,
                 Say("this suppression covers nothing: remove it, or look at the id of the rule",
                     "该抑制注释未起作用: 请删除, 或核对规则 ID")));
  }
  return findings;
}

}  // namespace transplt
