// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/advice_page.h"
#include "transplt/analysis/instrumentation.h"

namespace transplt {
namespace {

ProjectCopy CopyOf(InstrumentedProject instrumented) {
  ProjectCopy copy;
  for (InstrumentedFile& file : instrumented.files) {
    copy.changed.emplace(std::move(file.path), std::move(file.text));
  }
  copy.added.push_back({std::string(kShapesDescriptionFile), std::move(instrumented.description)});
  for (std::string& path : instrumented.module_paths) {
    copy.added.push_back({std::move(path), std::string(ShapesModule())});
  }
  return copy;
}

}  // namespace

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
  if (!project.options().copies) {
    Append(result.page, Say("\n-o OUT also writes a copy of the project that reports the shapes of "
                            "its tensors when it has run\n",
                            "\n-o OUT 还会写出项目的插桩副本, 运行结束后报告张量形状范围\n"));
    return result;
  }
  Result<InstrumentedProject> instrumented = InstrumentProject(project);
  if (!instrumented) return instrumented.error();
  size_t calls = 0;
  for (const InstrumentedFile& file : instrumented->files) calls += file.calls.size();
  Append(result.page,
         Say("\n{} calls in {} files of the copy report their shapes: run it as you run the "
             "project, on any device\n",
             "\n副本中 {} 处调用 ({} 个文件) 会报告形状: 在任意设备上照常运行即可\n", calls,
             instrumented->files.size()));
  result.copy = CopyOf(*std::move(instrumented));
  return result;
}

}  // namespace transplt
