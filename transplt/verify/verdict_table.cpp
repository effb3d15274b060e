// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/plain_text.h"
#include "transplt/verify/verdict.h"

namespace transplt {
namespace {

constexpr size_t kColumns = 240;

std::string StateWord(Check::State state, Language language) {
  switch (state) {
    case Check::State::kOk:
      return Say("ok  ", "通过").In(language);
    case Check::State::kFailed:
      return Say("FAIL", "失败").In(language);
    case Check::State::kNote:
      return Say("note", "注意").In(language);
    case Check::State::kSkipped:
      return Say("skip", "跳过").In(language);
  }
  return "";
}

std::string ItemLines(const CheckItem& item, Language language) {
  std::string line = item.is_failure ? "      ! " : "      - ";
  if (!item.file.empty()) {
    line += OneLine(item.file);
    line += item.line > 0 ? fmt::format(":{}: ", item.line) : ": ";
  }
  line += FitColumns(OneLine(item.what.In(language)), kColumns);
  if (item.count > 1) line += Say(" ({} times)", " ({} 次)", item.count).In(language);
  line += '\n';
  for (const auto& [name, text] : {std::pair(Say("reference", "参考"), item.reference),
                                   std::pair(Say("migrated", "迁移后"), item.migrated)}) {
    if (!text.empty()) line += fmt::format("          {}: {}\n", name.In(language), OneLine(text));
  }
  return line;
}

}  // namespace

std::string VerdictTable(const Verification& verification, Language language) {
  std::string command;
  for (const std::string& argument : verification.arguments) command += " " + OneLine(argument);
  const std::string torch =
      verification.torch_version.empty() ? "" : ", torch " + verification.torch_version;
  std::string text =
      fmt::format("{} -> {}\n", OneLine(verification.original), OneLine(verification.migrated));
  if (!command.empty()) text += fmt::format("{}{}\n", OneLine(verification.python), command);
  text += Say("Python {}{}, names of torch_npu {}\n\n", "Python {}{}, torch_npu {} 的名称\n\n",
              verification.python_version, torch, verification.torch_npu)
              .In(language);
  for (const Check& check : verification.checks) {
    text += fmt::format("{}  {}: {}\n", StateWord(check.state, language), check.title.In(language),
                        check.result.In(language));
    size_t details = 0;
    for (const CheckItem& item : check.items) {
      if (item.is_detail) {
        ++details;
      } else {
        text += ItemLines(item, language);
      }
    }
    if (details > 0) {
      text += Say("      - {} more in --json and --html\n",
                  "      - 另有 {} 项, 见 --json 与 --html\n", details)
                  .In(language);
    }
  }
  text += fmt::format("\n{}\n{}\n", VerdictText(verification).In(language),
                      NothingRanOnAnNpu().In(language));
  return text;
}

}  // namespace transplt
