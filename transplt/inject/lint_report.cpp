// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/lint_report.h"

#include <algorithm>

#include "transplt/base/similar_name.h"

namespace transplt {

void LintReport::Report(Node at, Text what) {
  result_.sites.push_back({at.range(), "lint", what});
  result_.findings.push_back(RowAt(at.range(), rule_, std::move(what)));
}

const OptionSpec* LintReport::Find(std::string_view tool, const std::string& name, Node at) {
  const OptionSpec* spec = table_.Find(framework_, name, tool);
  if (spec != nullptr) return spec;
  if (const auto near = SimilarName(name, table_.Names(framework_, tool))) {
    Report(at, Say("no option is called {}: it is ignored; did you mean {}?",
                   "没有名为 {} 的选项, 会被忽略; 您是否想写 {}?", name, *near));
  } else {
    Report(at, Say("no option is called {}: it is ignored", "没有名为 {} 的选项, 会被忽略", name));
  }
  return nullptr;
}

void LintReport::CheckOptions(std::string_view tool, const std::vector<LintedOption>& options) {
  for (const LintedOption& option : options) {
    const OptionSpec* spec = Find(tool, option.name, option.at);
    if (spec == nullptr || !option.value) continue;
    if (std::optional<Text> mistake = MistakeIn(*spec, *option.value)) {
      Report(option.at, *std::move(mistake));
    }
  }
  CheckTogether(tool, options);
}

void LintReport::CheckTogether(std::string_view tool, const std::vector<LintedOption>& options) {
  std::vector<OptionValue> values;
  for (const LintedOption& option : options) {
    const OptionSpec* spec = table_.Find(framework_, option.name, tool);
    if (spec == nullptr) continue;
    std::erase_if(values, [&](const OptionValue& other) { return other.spec == spec; });
    // A switch that is computed may be off.
    const std::string unknown = spec->type == OptionType::kBool ? "false" : "";
    values.push_back({spec, option.value.value_or(unknown)});
  }
  const std::optional<Error> broken = BrokenCondition(values);
  if (!broken) return;
  for (const LintedOption& option : options) {
    if (option.name != broken->where) continue;
    Report(option.at, broken->what);
    return;
  }
}

}  // namespace transplt
