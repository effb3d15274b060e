// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/run_checks.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <set>
#include <tuple>

#include "transplt/base/plain_text.h"

namespace transplt {
namespace {

using How = ProcessEnd::How;

Text EndText(const SimulatedRun& run) {
  switch (run.end.how) {
    case How::kExit:
      if (run.report.is_late && run.end.number == 0) {
        return Say("ended after {} steps of optimizers: a third of --timeout was over",
                   "在 {} 个优化器步骤后结束: 已用去 --timeout 的三分之一", run.report.steps);
      }
      if (run.report.steps > 0 && run.end.number == 0) {
        return Say("ended after {} steps of optimizers", "在 {} 个优化器步骤后结束",
                   run.report.steps);
      }
      return Say("exit code {}", "退出码 {}", run.end.number);
    case How::kSignal:
      return Say("killed by signal {} ({})", "被信号 {} ({}) 终止", run.end.number,
                 strsignal(run.end.number));
    case How::kTimeout:
      return Say("did not end in time (--timeout)", "超时未结束 (--timeout)");
    case How::kTooMuchOutput:
      return Say("was ended: it had printed more than 1 GiB", "已被终止: 打印超过 1 GiB");
    case How::kCancelled:
      return Say("interrupted", "已中断");
  }
  return {};
}

bool NeedsDownload(const ReportedException& exception) {
  for (const char* type : {"URLError", "HTTPError", "ConnectionError", "ConnectTimeout",
                           "MaxRetryError", "gaierror", "RemoteDisconnected", "SSLError"}) {
    if (exception.type.ends_with(type)) return true;
  }
  // torchvision says so in a RuntimeError.
  return exception.message.starts_with("Error downloading") ||
         exception.message.starts_with("Dataset not found");
}

/// What helps against an exception that is not about the migration.
Text Remedy(const ReportedException& exception) {
  if (NeedsDownload(exception)) {
    return Say(" (the script needs a download: put the data into the project, or use --fake-data)",
               " (脚本需要下载: 请将数据放入工程, 或使用 --fake-data)");
  }
  if (exception.lies_in_project) {
    return Say(
        " (the project has it: name the folder that holds it in PYTHONPATH, as in "
        "PYTHONPATH=ORIGINAL transplt verify ORIGINAL ...)",
        " (工程中有此模块: 请将其所在目录写入 PYTHONPATH, 例如 "
        "PYTHONPATH=原工程 transplt verify 原工程 ...)");
  }
  if (exception.type.ends_with("ModuleNotFoundError")) {
    return Say(" (install it for the Python that is used, or choose another with --python)",
               " (请为所用 Python 安装, 或用 --python 另选)");
  }
  if (exception.type.ends_with("FileNotFoundError")) {
    return Say(
        " (each run starts in a fresh copy of its project: put what the script reads there, and "
        "create "
        "the folders that it writes into, since git keeps no empty ones)",
        " (每次运行以其工程的新副本为当前目录: 请将脚本读取的数据放入工程, 并创建脚本写入的目录, "
        "git "
        "不保存空目录)");
  }
  return {};
}

CheckItem ExceptionItem(const ReportedException& exception) {
  const std::string text = OneLine(
      exception.message.empty() ? exception.type : exception.type + ": " + exception.message);
  const Text remedy = Remedy(exception);
  const bool in_child = exception.process == "child" || exception.process == "thread";
  CheckItem item{in_child
                     ? Say("in a {}: {}{}", "在 {} 中: {}{}", exception.process, text, remedy.en)
                     : Say("{}{}", "{}{}", text, remedy.en),
                 exception.file, exception.line};
  item.what.zh = in_child ? fmt::format("在 {} 中: {}{}", exception.process, text, remedy.zh)
                          : text + remedy.zh;
  item.is_failure = true;
  return item;
}

bool PrintsTraceback(const SimulatedRun& run, const ReportedException& wanted) {
  return std::any_of(run.tracebacks.begin(), run.tracebacks.end(),
                     [&](const ReportedException& traceback) {
                       return traceback.type == wanted.type && traceback.message == wanted.message;
                     });
}

/// `reference` may be null.
void AddExceptions(const SimulatedRun& run, const SimulatedRun* reference, Check& check) {
  std::set<std::string> told;
  for (const ReportedException& exception : run.report.exceptions) {
    check.Add(ExceptionItem(exception));
    told.insert(exception.type);
  }
  for (const ReportedException& traceback : run.tracebacks) {
    // "torch.cuda.OutOfMemoryError" on stderr is the type "OutOfMemoryError" of a report.
    const size_t dot = traceback.type.rfind('.');
    const std::string type =
        dot == std::string::npos ? traceback.type : traceback.type.substr(dot + 1);
    if (told.contains(type) || told.contains(traceback.type)) continue;
    CheckItem item = ExceptionItem(traceback);
    item.what = {"a traceback was printed: " + item.what.en, "打印了异常回溯: " + item.what.zh};
    if (reference != nullptr && PrintsTraceback(*reference, traceback)) {
      item.what.en += " (the original prints it too)";
      item.what.zh += " (原工程也打印它)";
    }
    check.Add(std::move(item));
  }
}

/// What a run that failed without an exception has printed last: an error of argparse, say.
void AddLastWords(const SimulatedRun& run, Check& check) {
  constexpr size_t kLines = 3;
  const size_t first = run.err.size() > kLines ? run.err.size() - kLines : 0;
  for (size_t i = first; i < run.err.size(); ++i) {
    check.Add({Say("on stderr: {}", "stderr: {}", OneLine(run.err[i].text))});
  }
}

/// What every run must do.
void CheckEnd(const SimulatedRun& run, const SimulatedRun* reference, Check& check) {
  check.result = EndText(run);
  if (run.report.processes > 1) {
    const Text more = Say(", {} processes", ", {} 个进程", run.report.processes);
    check.result = {check.result.en + more.en, check.result.zh + more.zh};
  }
  if (run.end.how != How::kExit || run.end.number != 0) check.state = Check::State::kFailed;
  AddExceptions(run, reference, check);
  if (check.state == Check::State::kFailed && check.items.empty()) AddLastWords(run, check);
  if (run.report.processes == 0) {
    check.Fail(Say("the simulator did not run: -E, -I and -S keep Python from loading it",
                   "模拟器未运行: -E, -I, -S 会使 Python 不加载它"));
  }
  if (!run.report.torch_supported) {
    check.Add({Say("the simulator is not tested with torch {}", "模拟器未在 torch {} 上测试过",
                   run.report.torch)});
  }
  if (run.end.had_left) {
    check.Add({Say("processes went on after the script had ended, and were killed",
                   "脚本结束后仍有进程运行, 已被终止")});
  }
  if (run.report.unreadable > 0) {
    check.Fail(Say("{} lines of the simulator's report cannot be read",
                   "模拟器报告中有 {} 行无法读取", run.report.unreadable));
  }
}

bool HasItemAt(const Check* check, const ReportedPlace& place) {
  return check != nullptr &&
         std::any_of(check->items.begin(), check->items.end(), [&](const CheckItem& item) {
           return item.line > 0 && item.file == place.file && item.line == place.line;
         });
}

bool HasRareType(const ReportedOperator& seen) {
  return std::any_of(seen.types.begin(), seen.types.end(), [](const std::string& type) {
    return type == "float64" || type.starts_with("complex");
  });
}

}  // namespace

Check CheckReference(const SimulatedRun& reference) {
  Check check{
      "reference", Say("the original, simulated cuda", "原工程, 模拟 cuda"), Check::State::kOk, {}};
  CheckEnd(reference, nullptr, check);
  return check;
}

Check CheckMigrated(const SimulatedRun& migrated, const SimulatedRun& reference) {
  Check check{"migrated",
              Say("the migrated project, simulated npu", "迁移后的工程, 模拟 npu"),
              Check::State::kOk,
              {}};
  CheckEnd(migrated, &reference, check);
  const bool equal =
      migrated.end.how == reference.end.how && migrated.end.number == reference.end.number;
  if (equal && migrated.end.how == How::kExit && migrated.end.number != 0) {
    check.Add(
        {Say("the original ends with exit code {} as well: the script itself does not succeed",
             "原工程同样以退出码 {} 结束: 脚本本身未成功", migrated.end.number)});
  }
  if (equal && migrated.end.how == How::kExit &&
      migrated.report.failed_exits != reference.report.failed_exits) {
    check.Fail(Say("exit codes of the processes that failed: {}; in the reference: {}",
                   "失败进程的退出码: {}; 参考运行中: {}",
                   fmt::format("{}", migrated.report.failed_exits),
                   fmt::format("{}", reference.report.failed_exits)));
  }
  // A child that its parent ends on purpose is killed in both.
  const uint32_t lost = migrated.report.unfinished;
  if (migrated.end.how == How::kExit && lost > 0) {
    CheckItem item{Say("{} processes were killed before their end; in the reference {}",
                       "{} 个进程未正常结束而被终止; 参考运行中为 {} 个", lost,
                       reference.report.unfinished)};
    item.is_failure = lost > reference.report.unfinished;
    check.Add(std::move(item));
  }
  return check;
}

Check CheckResidual(const SimulatedRun& migrated, const Check* left) {
  Check check{"residual", Say("no CUDA is used", "未使用 CUDA"), Check::State::kOk, {}};
  size_t used = 0;
  size_t asked = 0;
  for (const ReportedPlace& place : migrated.report.residual) {
    ++(place.harmless ? asked : used);
    const bool was_missed = place.harmless && HasItemAt(left, place);
    CheckItem item{
        was_missed
            ? Say("{}: asked, and answered with no; `transplt migrate` would ask for the NPU",
                  "{}: 查询结果为否; `transplt migrate` 会改为查询 NPU", place.what)
        : place.harmless ? Say("{}: asked, which does no harm", "{}: 仅为查询, 无害", place.what)
                         : Say("{}", "{}", place.what),
        place.file, place.line, place.count};
    item.is_failure = !place.harmless || was_missed;
    check.Add(std::move(item));
  }
  check.result = Say("{} places use it, {} ask for it", "{} 处使用, {} 处查询", used, asked);
  return check;
}

namespace {

/// Work that the original did on the GPU must be on the NPU, device by device.
void CompareWork(const RunReport& migrated, const RunReport& reference, bool has_one_card,
                 Check& check) {
  if (!has_one_card && migrated.device_indices != reference.device_indices) {
    check.Fail(Say(
        "the processes use the devices {} of the NPU, in the reference those {} of the "
        "GPU (one list for each process)",
        "各进程使用的 NPU 设备为 {}, 参考运行中的 GPU 设备为 {} (每个进程一个列表)",
        fmt::format("{}", migrated.device_indices), fmt::format("{}", reference.device_indices)));
  }
  // Counts come from the ends of processes: one that was killed has none.
  if (migrated.unfinished > 0 || reference.unfinished > 0) return;
  const ReportedWork& ours = migrated.device_work;
  const ReportedWork& theirs = reference.device_work;
  if (ours.backwards < theirs.backwards) {
    const ReportedWork& cpu = migrated.cpu_work;
    CheckItem item{
        Say("{} calls of backward ran on the NPU, in the reference {} on the GPU: {} ran on the "
            "CPU, the first of them here",
            "{} 次 backward 在 NPU 上运行, 参考运行中有 {} 次在 GPU 上; {} 次在 CPU 上运行, "
            "其中第一次在此处",
            ours.backwards, theirs.backwards, cpu.backwards),
        cpu.file, cpu.line};
    item.is_failure = true;
    check.Add(std::move(item));
  } else if (ours.operators * 100 < theirs.operators * 99) {  // threads may miscount a few
    check.Fail(
        Say("{} operators ran on the NPU, in the reference {} on the GPU: a part of the "
            "work was left on the CPU",
            "{} 个算子在 NPU 上运行, 参考运行中有 {} 个在 GPU 上: 部分工作留在了 CPU 上",
            ours.operators, theirs.operators));
  }
}

}  // namespace

namespace {

/// A script that trains on the CPU by itself is none that the migration has broken.
void AddTrainingOnCpu(const RunReport& migrated, const RunReport& reference, Check& check) {
  for (const ReportedPlace& place : migrated.cpu_only) {
    CheckItem item{Say("{}", "{}", place.what), place.file, place.line, place.count};
    item.is_failure = reference.cpu_only.empty();
    if (!item.is_failure) {
      item.what = Say("trains on the CPU, and so does the original", "在 CPU 上训练, 原工程亦然");
    }
    check.Add(std::move(item));
  }
}

}  // namespace

Check CheckDevices(const SimulatedRun& migrated, const SimulatedRun& reference, bool has_one_card) {
  Check check{
      "devices", Say("devices are used consistently", "设备使用一致"), Check::State::kOk, {}};
  for (const ReportedPlace& place : migrated.report.violations) {
    CheckItem item{Say("{}", "{}", place.what), place.file, place.line, place.count};
    item.is_failure = true;
    check.Add(std::move(item));
  }
  check.result = Say("{} violations; {} operators and {} calls of backward on the NPU",
                     "{} 处违规; NPU 上 {} 个算子, {} 次 backward", check.items.size(),
                     migrated.report.device_work.operators, migrated.report.device_work.backwards);
  AddTrainingOnCpu(migrated.report, reference.report, check);
  const auto unused = [](const SimulatedRun& run) { return !run.report.used_device; };
  if (unused(migrated) && !unused(reference) && migrated.end.how == How::kExit) {
    check.Fail(
        Say("nothing was put on the NPU: the program ran on the CPU, while the original used "
            "the GPU",
            "未将任何数据放到 NPU 上: 程序在 CPU 上运行, 而原工程使用了 GPU"));
  } else if (migrated.Succeeded() && reference.Succeeded() && !unused(migrated)) {
    CompareWork(migrated.report, reference.report, has_one_card, check);
  } else if (unused(migrated) && unused(reference)) {
    check.Add({Say("neither the original nor the migrated project has put anything on a device",
                   "原工程与迁移后的工程均未将任何数据放到设备上")});
  }
  return check;
}

Check CheckOperators(const SimulatedRun& migrated) {
  Check check{"operators", Say("operators have support", "算子受支持"), Check::State::kOk, {}};
  std::vector<ReportedOperator> seen = migrated.report.operators;
  std::sort(seen.begin(), seen.end(), [](const ReportedOperator& a, const ReportedOperator& b) {
    // "unsupported", "module", "limited", then operator by operator.
    return std::tie(b.support, a.name, a.file, a.line, a.types) <
           std::tie(a.support, b.name, b.file, b.line, b.types);
  });
  size_t unsupported = 0;
  for (const ReportedOperator& op : seen) {
    const bool is_unsupported = op.support == "unsupported";
    unsupported += is_unsupported ? 1 : 0;
    const std::string types = fmt::format("{}", fmt::join(op.types, ", "));
    const std::string name = types.empty() ? op.name : op.name + " (" + types + ")";
    const bool is_module = op.support == "module";
    CheckItem item{is_unsupported || is_module
                       ? Say("{} is not supported: {}; NEXT.md of the migration says what to do",
                             "不支持 {}: {}; 处理办法见迁移结果中的 NEXT.md", name, op.note)
                       : Say("{} is limited: {}", "{} 受限: {}", name, op.note),
                   op.file, op.line, op.count};
    // Most operators are limited in one way or other; types that NPUs rarely take are worth a look.
    item.is_detail = !is_unsupported && !is_module && !HasRareType(op);
    item.lacks_support = is_unsupported;
    item.is_unlisted = is_module;
    check.Add(std::move(item));
  }
  check.result =
      Say("{} unsupported, {} limited along the executed lines",
          "已执行的代码中: 不支持 {} 处, 受限 {} 处", unsupported, seen.size() - unsupported);
  return check;
}

Check CheckOldSpellings(const SimulatedRun& migrated, const SimulatedRun& reference) {
  Check check{
      "spellings",
      Say("the migrated code is written for present versions", "迁移后的代码适用于当前版本"),
      Check::State::kOk,
      {}};
  for (const ReportedPlace& place : migrated.report.old_spellings) {
    CheckItem item{
        Say("{}: only older versions take it; both runs have read {}: write that before you train",
            "{}: 仅旧版本接受; 两次运行均按 {} 处理: 训练之前请改写", place.what, place.now),
        place.file, place.line, place.count};
    item.is_for_older_versions = true;
    check.Add(std::move(item));
  }
  const size_t left = check.items.size();
  const size_t before = reference.report.old_spellings.size();
  check.result = before > left ? Say("{} places are not, {} in the original",
                                     "{} 处不适用, 原工程中 {} 处", left, before)
                               : Say("{} places are not", "{} 处不适用", left);
  return check;
}

Check CheckUnsimulated(const SimulatedRun& migrated) {
  Check check{"unsimulated", Say("all of it is simulated", "全部可模拟"), Check::State::kOk, {}};
  for (const ReportedPlace& place : migrated.report.unsimulated) {
    check.Add({Say("{} is not simulated: what it does on an NPU was not looked at",
                   "{} 未被模拟: 未检查其在 NPU 上的行为", place.what),
               place.file, place.line, place.count});
  }
  for (const ReportedPlace& place : migrated.report.stand_ins) {
    check.Add({Say("{} is not installed for this Python: an empty stand-in took its place",
                   "所用 Python 未安装 {}: 由空的占位模块代替", place.what),
               place.file, place.line, place.count});
  }
  for (const ReportedPlace& place : migrated.report.fake_weights) {
    check.Add({Say("{} was not downloaded: the model kept the values it began with",
                   "未下载 {}: 模型保留初始值", place.what),
               place.file, place.line, place.count});
  }
  for (const ReportedPlace& place : migrated.report.fake_downloads) {
    check.Add({Say("{} was not downloaded: made-up data of the same form took its place",
                   "未下载 {}: 由相同格式的替身数据代替", place.what),
               place.file, place.line, place.count});
  }
  check.result = Say("{} places are not", "{} 处未模拟", check.items.size());
  return check;
}

Check CheckCopies(const SimulatedRun& migrated, const SimulatedRun& reference) {
  Check check{
      "copies", Say("the projects were copied whole", "工程已完整复制"), Check::State::kOk, {}};
  std::set<std::string> told;
  for (const SimulatedRun* run : {&reference, &migrated}) {
    for (const NotCopied& left : run->not_copied) {
      if (told.insert(left.path).second) check.Add({left.why, left.path});
    }
  }
  if (!migrated.lent.empty()) {
    check.Add({Say("{} files that git ignores and the migrated project does not have came from the "
                   "original, the first of them this one",
                   "{} 个被 git 忽略且迁移后的工程中没有的文件取自原工程, 其中第一个为此文件",
                   migrated.lent.size()),
               migrated.lent.front()});
  }
  if (migrated.is_installed || reference.is_installed) {
    CheckItem item{Say("packages of the project could be imported, as after pip install -e .",
                       "工程自身的软件包可被导入, 如同执行 pip install -e . 之后")};
    item.is_detail = true;
    check.Add(std::move(item));
  }
  check.result = Say("all but {}", "除 {} 项之外全部", told.size());
  return check;
}

}  // namespace transplt
