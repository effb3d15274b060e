// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/rule_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

#include "transplt/base/plain_text.h"
#include "transplt/commands/native_rule_text.h"
#include "transplt/engine/api_table.h"

namespace transplt {
namespace {

/// Kinds of which the rules of one file are much alike: a row of a table says it all.
bool IsRow(const LoadedRule& rule) {
  const std::string& kind = rule.rule->header().kind;
  const std::string form = rule.notes.fields.String("form");
  return kind == "ApiRenameRule" || kind == "ApiReportRule" || kind == "KeywordModifyRule" ||
         (kind == "ValueRenameRule" && (form == "environment" || form == "exact"));
}

/// What a rule of a table changes, as Markdown.
std::string ChangeOf(const LoadedRule& rule, Language language) {
  const Fields& fields = rule.notes.fields;
  const std::string& kind = rule.rule->header().kind;
  if (kind == "ApiRenameRule") return fmt::format("`{}`", rule.rule->api_entry()->new_name);
  if (kind == "ValueRenameRule") return fmt::format("`{}`", fields.String("new_value"));
  if (kind == "KeywordModifyRule") {
    const std::string keyword = fields.String("new_keyword");
    const std::string old = fields.String("func_name") + "(" + fields.String("old_keyword") + "=)";
    return keyword.empty() ? Say("`{}`: without keyword", "`{}`: 不使用关键字", old).In(language)
                           : fmt::format("`{}`: `{}=`", old, keyword);
  }
  const bool is_advice = fields.String("status") == "advice";
  return (is_advice ? Say("stays, reported", "保持不变, 给出提示")
                    : Say("stays: no counterpart", "保持不变: 没有对应接口"))
      .In(language);
}

/// Text for a cell of a Markdown table.
std::string Anchor(const std::string& id) { return fmt::format("<a id=\"{}\"></a>", id); }

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The lines of both texts, those that only one has marked with - or +.
std::string DiffOf(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> a = LinesOf(before);
  const std::vector<std::string_view> b = LinesOf(after);
  // common[i][j]: how many lines a[i..] and b[j..] have in common
  std::vector<std::vector<size_t>> common(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::string diff;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      if (!a[i].empty()) diff += fmt::format(" {}", a[i]);
      diff += '\n';
      ++i;
      ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      diff += fmt::format("-{}\n", a[i++]);
    } else {
      diff += fmt::format("+{}\n", b[j++]);
    }
  }
  return diff;
}

std::string Examples(const LoadedRule& rule, Language language) {
  const bool reports = rule.rule->header().kind.ends_with("ReportRule");
  std::string text;
  for (const RuleExample& example : rule.examples) {
    if (example.before == example.after) {
      const bool is_reported = reports && &example == rule.examples.data();
      const Text label = is_reported ? Say("Stays, and is reported:", "保持不变, 并列出:")
                                     : Say("Stays as it is:", "保持不变:");
      text += fmt::format("\n{}\n\n```python\n{}```\n", label.In(language), example.before);
    } else {
      text += fmt::format("\n```diff\n{}```\n", DiffOf(example.before, example.after));
    }
  }
  return text;
}

std::string ValueText(const Fields::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return fmt::format("`{}`", *text);
  if (const auto* number = std::get_if<int64_t>(&value)) return fmt::format("`{}`", *number);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "`true`" : "`false`";
  std::string list;
  for (const std::string& item : std::get<std::vector<std::string>>(value)) {
    list += fmt::format("{}`{}`", list.empty() ? "" : ", ", item);
  }
  return list;
}

/// "torch >=2.1 · target npu", what holds of it.
std::string Conditions(const LoadedRule& rule, Language language) {
  std::string text;
  const auto add = [&](const Text& part) {
    text += (text.empty() ? "" : " · ") + part.In(language);
  };
  const RuleNotes& notes = rule.notes;
  add(Say("kind `{}`", "类型 `{}`", rule.rule->header().kind));
  if (!notes.target.empty()) add(Say("target `{}`", "目标 `{}`", notes.target));
  if (!notes.torch.empty()) add(Say("torch `{}`", "torch `{}`", notes.torch));
  if (!notes.torch_npu.empty()) add(Say("torch_npu `{}`", "torch_npu `{}`", notes.torch_npu));
  for (const LibraryRange& library : notes.libraries) {
    add(Say("package `{}`", "软件包 `{}`", library.text));
  }
  for (const LibraryRange& library : notes.with_libraries) {
    add(Say("with `{}`", "且 `{}`", library.text));
  }
  for (const std::string& feature : notes.features) {
    if (feature != "normal") add(Say("feature `{}`", "特性 `{}`", feature));
  }
  return text;
}

/// ">=2.1; torch_npu <26.0.0; timm>=1.0.12"
std::string VersionsOf(const RuleNotes& notes) {
  std::string versions = notes.torch;
  const auto add = [&](const std::string& more) {
    versions += (versions.empty() ? "" : "; ") + more;
  };
  if (!notes.torch_npu.empty()) add("torch_npu " + notes.torch_npu);
  for (const LibraryRange& library : notes.libraries) add(library.text);
  for (const LibraryRange& library : notes.with_libraries) add("with " + library.text);
  return versions;
}

std::string Row(const LoadedRule& rule, Language language) {
  const RuleHeader& header = rule.rule->header();
  std::string why = header.why.In(language);
  const Fields& fields = rule.notes.fields;
  const std::string caveat = fields.String(language == Language::kChinese ? "caveat_zh" : "caveat");
  if (!caveat.empty()) why += Say(" But: {}.", " 注意: {}。", caveat).In(language);
  const std::vector<std::string> refused = fields.List("refused_keywords");
  if (!refused.empty()) {
    why +=
        Say(" Calls with {} stay.", " 带有 {} 的调用保持不变。", ValueText(refused)).In(language);
  }
  const std::vector<std::string> uses = fields.List("result_uses");
  if (!uses.empty()) {
    why += Say(" A call stays unless its result is used for {}.",
               " 返回值不用于 {} 时, 调用保持不变。", ValueText(uses))
               .In(language);
  }
  return fmt::format("| {}`{}` | {} | {} | {} |\n", Anchor(header.id), header.id,
                     ChangeOf(rule, language), MarkdownCell(VersionsOf(rule.notes)),
                     MarkdownCell(why));
}

using RulesOfPage = std::vector<const LoadedRule*>;

std::string Page(const std::string& name, const RulesOfPage& rules, Language language) {
  const std::string& target = rules.front()->notes.target;
  std::string text = fmt::format("# {}\n\n", name);
  text += Say("The rules of `rules/{}.json`{}. [All rules](README.md)\n",
              "`rules/{}.json` 中的规则{}。[全部规则](README.md)\n", name,
              target.empty() ? "" : fmt::format(" (`--target {}`)", target))
              .In(language);
  const LoadedRule* first_row = nullptr;
  for (const LoadedRule* rule : rules) {
    if (!IsRow(*rule)) continue;
    if (first_row == nullptr) {
      text += Say("\n| rule | becomes | torch | why |\n|---|---|---|---|\n",
                  "\n| 规则 | 变为 | torch | 说明 |\n|---|---|---|---|\n")
                  .In(language);
      first_row = rule;
    }
    text += Row(*rule, language);
  }
  if (first_row != nullptr) {
    text += Say("\nAs an example `{}`:\n", "\n以 `{}` 为例:\n", first_row->rule->id()).In(language);
    text += Examples(*first_row, language);
  }
  for (const LoadedRule* rule : rules) {
    if (!IsRow(*rule)) text += "\n" + RuleSection(*rule, language);
  }
  return text;
}

std::string Index(const std::map<std::string, RulesOfPage>& pages, Language language) {
  std::string text =
      Say("# Rules\n\nPrinted by `transplt rule pages`; do not edit. `transplt explain ID` shows "
          "one rule with its examples.\n",
          "# 规则\n\n由 `transplt rule pages` 生成, 请勿修改。`transplt explain ID` "
          "显示一条规则及其示例。\n")
          .In(language);
  for (const auto& [name, rules] : pages) {
    const std::string& target = rules.front()->notes.target;
    text += fmt::format("\n## [{0}]({0}.md)\n\n", name);
    if (!target.empty()) text += fmt::format("`--target {}` · ", target);
    text += Say("{} rules\n\n", "{} 条规则\n\n", rules.size()).In(language);
    std::string links;
    for (const LoadedRule* rule : rules) {
      const std::string& id = rule->rule->id();
      links += fmt::format("{}[{}]({}.md#{})", links.empty() ? "" : " ·\n", id, name, id);
    }
    text += links + "\n";
  }
  text += Say("\n## [cxx](cxx.md)\n\n{} rules about C++ and CUDA sources\n",
              "\n## [cxx](cxx.md)\n\n{} 条关于 C++ 与 CUDA 源码的规则\n",
              NativeRules::Builtin().all().size())
              .In(language);
  text += Say("\n## Not rules\n\n| id | meaning |\n|---|---|\n",
              "\n## 不是规则\n\n| id | 含义 |\n|---|---|\n")
              .In(language);
  for (const auto& [id, meaning] : OwnIds()) {
    text += fmt::format("| {}`{}` | {} |\n", Anchor(id), id, MarkdownCell(meaning.In(language)));
  }
  return text;
}

/// "pytorch_amp" for "rules/pytorch_amp.json#/rules/ApiRenameRule/3".
std::string PageOf(const LoadedRule& rule) {
  std::string_view origin = rule.rule->header().origin;
  origin = origin.substr(0, origin.find(".json"));
  return std::string(origin.substr(origin.rfind('/') + 1));
}

}  // namespace

std::string RuleSection(const LoadedRule& rule, Language language) {
  const RuleHeader& header = rule.rule->header();
  std::string text = fmt::format("## {}{}\n\n{}\n\n{}\n", Anchor(header.id), header.id,
                                 header.why.In(language), Conditions(rule, language));
  std::string fields;
  for (const auto& [name, value] : rule.notes.fields.values()) {
    fields += fmt::format("- `{}`: {}\n", name, ValueText(value));
  }
  return text + "\n" + fields + Examples(rule, language);
}

const std::map<std::string, Text>& OwnIds() {
  static const std::map<std::string, Text> ids = {
      {"import-torch-npu",
       Say("the import that the fixes of the file need", "文件的修改所需的导入")},
      {"half-migrated-guard", Say("a condition about one device before code for another",
                                  "条件针对一种设备, 其保护的代码针对另一种设备")},
      {"half-migrated-rest",
       Say("what is left of CUDA in a function of which the rest was migrated",
           "函数其余部分已迁移, 此处仍针对 CUDA")},
      {"own-extension",
       Say("a CUDA extension that the project builds: its import and its operators",
           "项目自身编译的 CUDA 扩展: 其导入与算子")},
      {"stand-in", Say("C++ sources that are built in place of CUDA sources, and what their "
                       "operators do",
                       "替代 CUDA 源码编译的 C++ 源码及其算子的行为")},
      {"served-program", Say("a program that serves NPUs already", "已支持 NPU 的程序")},
      {"unplaced-training", Say("a training that names no device and stays on the CPU",
                                "未指定设备而留在 CPU 上的训练")},
      {"shadowed-module",
       Say("a file or package of the project in the place of a module that torch "
           "imports",
           "取代 torch 所导入模块的项目文件或包")},
      {"npu-variable",
       Say("a variable of the environment without which a program that serves NPUs takes CUDA",
           "支持 NPU 的程序在未设置该环境变量时使用 CUDA")},
      {"missing-submodule",
       Say("submodules of git that are not checked out", "未检出的 git 子模块")},
      {"native-source",
       Say("C++ and CUDA sources that are only listed", "仅列出的 C++ 与 CUDA 源码")},
      {"native-kernel",
       Say("a CUDA kernel to be written in Ascend C", "需用 Ascend C 编写的 CUDA 核函数")},
      {"native-launch", Say("a launch of a CUDA kernel", "CUDA 核函数的启动")},
      {"native-header", Say("headers that a C++ or CUDA source includes and that were not found",
                            "C++ 或 CUDA 源码所包含但未找到的头文件")},
      {"native-include", Say("the headers that the edits of a C++ or CUDA source need",
                             "C++ 或 CUDA 源码的修改所需的头文件")},
      {"native-language",
       Say("a source in C that the edits make one in C++", "因修改而须改为 C++ 的 C 源码")},
      {"native-check",
       Say("an edit whose result does not fit the declarations of AscendCL or torch_npu",
           "修改结果与 AscendCL 或 torch_npu 的声明不符")},
      {"file-type", Say("a file that is copied and not migrated", "只复制、不迁移的文件")},
      {"syntax", Say("a part that is not valid Python", "不是合法 Python 的部分")},
      {"suppression", Say("a comment `# transplt: ignore` that covers nothing or is not understood",
                          "未起作用或无法识别的 `# transplt: ignore` 注释")},
      {"file", Say("a file that was skipped or failed", "被跳过或失败的文件")}};
  return ids;
}

std::map<std::string, std::string> RulePages(const RuleSet& rules, Language language) {
  std::map<std::string, RulesOfPage> pages;
  for (const LoadedRule& rule : rules.rules()) pages[PageOf(rule)].push_back(&rule);
  std::map<std::string, std::string> texts;
  texts["cxx.md"] = NativeRulePage(language);
  texts["README.md"] = Index(pages, language);
  for (const auto& [name, of_page] : pages) texts[name + ".md"] = Page(name, of_page, language);
  return texts;
}

}  // namespace transplt
