// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/native_rule_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "transplt/base/plain_text.h"

namespace transplt {
namespace {

/// What a person should know; never empty.
Text NoteOf(const NativeRule& rule) {
  if (!rule.why.empty()) return {rule.why, rule.why_zh};
  if (rule.to.empty()) return Say("has no counterpart on an NPU", "在 NPU 上没有对应项");
  const std::string likeness(Name(rule.likeness));
  return {likeness, likeness};
}

std::string Code(const std::string& text) {
  return text.empty() ? "" : "`" + MarkdownCell(text) + "`";
}

}  // namespace

std::string NativeRuleText(const NativeRule& rule, const std::string& name, Language language) {
  std::string text = rule.to.empty() ? name + "\n" : fmt::format("{} -> {}\n", name, rule.to);
  for (const auto& [count, passed] : rule.arguments) {
    text += Say("  with {} arguments: {}({})\n", "  {} 个参数时: {}({})\n", count, rule.to,
                fmt::format("{}", fmt::join(passed, ", ")))
                .In(language);
  }
  if (!rule.torch.empty()) text += fmt::format("  torch {}\n", rule.torch);
  if (!rule.instead.empty()) {
    text += Say("  else write {}\n", "  否则请改写为 {}\n", rule.instead).In(language);
  }
  return text + fmt::format("  {} (C++): {}\n", rule.id, NoteOf(rule).In(language));
}

std::string NativeRuleSection(const NativeRule& rule, Language language) {
  std::string text = NativeRuleText(rule, fmt::format("{}", fmt::join(rule.names, ", ")), language);
  for (const NativeExample& example : rule.examples) {
    text += example.before == example.after
                ? fmt::format("\n{}", example.before)
                : fmt::format("\n{}->\n{}", example.before, example.after);
  }
  return text;
}

std::string NativeRulePage(Language language) {
  std::string text =
      Say("# C++ and CUDA sources\n\nPrinted by `transplt rule pages`; do not edit. "
          "`transplt explain ID` shows one rule with its examples.\n\n"
          "| name | becomes | note |\n|---|---|---|\n",
          "# C++ 与 CUDA 源码\n\n由 `transplt rule pages` 生成, 请勿修改。`transplt explain ID` "
          "显示一条规则及其示例。\n\n| 名称 | 改为 | 说明 |\n|---|---|---|\n")
          .In(language);
  for (const NativeRule& rule : NativeRules::Builtin().all()) {
    std::string note = MarkdownCell(NoteOf(rule).In(language));
    if (!rule.instead.empty()) {
      note += Say("; else {}", "; 否则 {}", Code(rule.instead)).In(language);
    }
    text += fmt::format("| {} | {} | {} |\n", Code(fmt::format("{}", fmt::join(rule.names, ", "))),
                        Code(rule.to), note);
  }
  return text;
}

}  // namespace transplt
