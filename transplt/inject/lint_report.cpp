// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/lint_report.h"

#include <algorithm>

#include "transplt/base/similar_name.h"
#include "transplt/inject/tool_constraints.h"
#include "transplt/inject/tool_schema.h"

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

void LintReport::CheckConstraints(const InjectFile& file, std::string_view tool,
                                  const std::vector<LintedOption>& options, Node at) {
  std::vector<OptionValue> values;
  for (const LintedOption& option : options) {
    const OptionSpec* spec = table_.Find(framework_, option.name, tool);
    if (spec != nullptr && option.value) values.push_back({spec, *option.value});
  }
  for (BrokenConstraint& broken : BrokenConstraints(file, framework_, tool, values)) {
    Report(at, std::move(broken.what));
  }
}

void LintReport::CheckTogether(std::string_view tool, const std::vector<LintedOption>& options) {
  std::vector<OptionValue> values;
  std::vector<OptionValue> known;
  for (const LintedOption& option : options) {
    const OptionSpec* spec = table_.Find(framework_, option.name, tool);
    if (spec == nullptr) continue;
    std::erase_if(values, [&](const OptionValue& other) { return other.spec == spec; });
    if (option.value) known.push_back({spec, *option.value});
    // A switch that is computed may be off.
    const std::string unknown = spec->type == OptionType::kBool ? "false" : "";
    values.push_back({spec, option.value.value_or(unknown)});
  }
  for (const SchemaMistake& mistake : CheckBySchema(table_, framework_, tool, known)) {
    if (mistake.is_note) continue;
    const auto at = std::ranges::find(options, mistake.option, &LintedOption::name);
    // One that is computed has a value that is not seen here; one that is missing is told where
    // the others are.
    if (at != options.end() && !at->value) continue;
    if (!options.empty())
      Report(at != options.end() ? at->at : options.front().at,
             {mistake.option + ": " + mistake.what.en, mistake.option + ": " + mistake.what.zh});
  }
  for (const Error& broken : BrokenConditions(values)) {
    const auto at = std::ranges::find(options, broken.where, &LintedOption::name);
    if (at != options.end()) Report(at->at, broken.what);
  }
}

}  // namespace transplt
