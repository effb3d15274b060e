// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/advice_page.h"

namespace transplt {

Result<ModeResult> RunAdvice(const AnalyzedProject& project) {
  const Result<AdviceTable> table = AdviceTable::Load();
  if (!table) return table.error();
  const Result<ProjectAdvice> advice = AdviceOn(project, *table);
  if (!advice) return advice.error();
  ModeResult result;
  size_t number = 0;
  AppendAdvice(*advice, "performance", number, result.page);
  AppendAdvice(*advice, "precision", number, result.page);
  if (number == 0) Append(result.page, Say("nothing found\n", "未发现问题\n"));
  if (advice->test_files > 0) {
    Append(result.page, Say("\n{} files of tests were not looked at\n", "\n未检查 {} 个测试文件\n",
                            advice->test_files));
  }
  for (const char* list : {"precision", "performance"}) {
    result.tables.push_back(AdviceRows(*advice, list));
  }
  return result;
}

}  // namespace transplt
