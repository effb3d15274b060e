// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/advice_page.h"

namespace transplt {

Result<ModeResult> RunDynamicShape(const AnalyzedProject& project) {
  const Result<AdviceTable> table = AdviceTable::Load();
  if (!table) return table.error();
  const Result<ProjectAdvice> advice = AdviceOn(project, *table);
  if (!advice) return advice.error();
  ModeResult result;
  size_t number = 0;
  AppendAdvice(*advice, "dynamic_shape", number, result.page);
  if (number == 0) {
    Append(result.page, Say("no shape was found that depends on data\n", "未发现依赖数据的形状\n"));
  }
  result.tables.push_back(AdviceRows(*advice, "dynamic_shape"));
  return result;
}

}  // namespace transplt
