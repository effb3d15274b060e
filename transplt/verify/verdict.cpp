// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace transplt {
namespace {

/// How many kinds of lines and values were left out, because the reference does not reproduce them.
size_t NotReproducible(const Verification& verification) {
  size_t kinds = 0;
  for (const Check& check : verification.checks) {
    for (const CheckItem& item : check.items) kinds += item.not_reproducible;
  }
  return kinds;
}

/// How many items of all checks are marked so.
size_t CountItems(const Verification& verification, bool CheckItem::*mark) {
  size_t places = 0;
  for (const Check& check : verification.checks) {
    for (const CheckItem& item : check.items) places += item.*mark ? 1 : 0;
  }
  return places;
}

/// "; but ..." where it is written for older versions than it will run with.
Text ButOld(const Verification& verification) {
  const size_t places = CountItems(verification, &CheckItem::is_for_older_versions);
  if (places == 0) return {};
  return Say("; but {} places are written for older versions, and stop it with present ones",
             "; 但有 {} 处代码仅适用于旧版本, 在当前版本下会使其停止", places);
}

/// "; only ..." where the processes were ended before their end.
Text OnlyTheFirstSteps(const Verification& verification) {
  if (verification.ended_after_steps == 0) return {};
  return Say("; only up to step {} of the optimizers: what comes later was not run",
             "; 仅到优化器的第 {} 步: 其后的部分未运行", verification.ended_after_steps);
}

/// "; but ..." where the migrated project does not take the arguments of the original.
Text ButOwnArguments(const Verification& verification) {
  if (verification.own_arguments.empty()) return {};
  return Say("; but not with {} as given: that is CUDA's, and it had its own",
             "; 但不能使用所给的 {}: 该参数属于 CUDA, 运行时已改用其自身的值",
             fmt::format("{}", fmt::join(verification.own_arguments, " ")));
}

Text operator+(Text text, const Text& more) {
  text.en += more.en;
  text.zh += more.zh;
  return text;
}

/// What an equal run does not say.
Text Conditions(const Verification& verification) {
  return OnlyTheFirstSteps(verification) + ButOwnArguments(verification) + ButOld(verification);
}

Text SameAsReference(const Verification& verification) {
  const Text same =
      Say("runs device-consistently (simulated), and prints and writes what its reference does",
          "设备使用一致 (模拟), 输出与写出的文件同参考运行相同");
  const size_t kinds = NotReproducible(verification);
  if (kinds == 0) return same;
  return same + Say(", except {} kinds of lines or values that are not reproducible",
                    ", 但有 {} 类行或值不可复现, 未作判断", kinds);
}

Text EqualText(const Verification& verification) {
  const size_t modules = CountItems(verification, &CheckItem::is_unlisted);
  const Text unlisted =
      modules == 0 ? Text()
                   : Say("; but {} modules are not listed as supported on NPUs (see above)",
                         "; 但有 {} 个模块未列为 NPU 支持 (见上)", modules);
  return Say("equal: ", "一致: ") + SameAsReference(verification) + unlisted;
}

/// Equal where devices are simulated, and no more than that.
Text UnsupportedText(const Verification& verification) {
  return Say("unsupported: {} operators that it uses have no support on NPUs (see "
             "above), though it ",
             "不受支持: 所用的 {} 个算子不受 NPU 支持 (见上), 虽然",
             CountItems(verification, &CheckItem::lacks_support)) +
         SameAsReference(verification);
}

}  // namespace

void Check::Add(CheckItem item) {
  if (item.is_failure) {
    state = State::kFailed;
  } else if (state == State::kOk && !item.is_detail) {
    state = State::kNote;
  }
  items.push_back(std::move(item));
}

void Check::Fail(Text what) {
  CheckItem item{std::move(what)};
  item.is_failure = true;
  Add(std::move(item));
}

std::string_view Name(Check::State state) {
  switch (state) {
    case Check::State::kOk:
      return "ok";
    case Check::State::kFailed:
      return "failed";
    case Check::State::kNote:
      return "note";
    case Check::State::kSkipped:
      return "skipped";
  }
  return "";
}

std::string_view Name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kEqual:
      return "equal";
    case Verdict::kLacksSupport:
      return "lacks-support";
    case Verdict::kStaticOk:
      return "static-ok";
    case Verdict::kFailed:
      return "failed";
    case Verdict::kNothingCompared:
      return "nothing-compared";
    case Verdict::kNoDevice:
      return "no-device";
    case Verdict::kReferenceFailed:
      return "reference-failed";
  }
  return "";
}

bool IsSuccess(Verdict verdict) {
  return verdict == Verdict::kEqual || verdict == Verdict::kStaticOk;
}

Text VerdictText(const Verification& verification) {
  switch (verification.verdict) {
    case Verdict::kEqual:
      return EqualText(verification) + Conditions(verification);
    case Verdict::kLacksSupport:
      return UnsupportedText(verification) + Conditions(verification);
    case Verdict::kStaticOk:
      return Say("nothing found: the files were only looked at, nothing was run",
                 "未发现问题: 仅做静态检查, 未运行");
    case Verdict::kFailed:
      return Say("failed: see the checks above", "未通过: 见以上各项");
    case Verdict::kNothingCompared:
      return Say("ran, nothing compared: no numbers printed, no file written",
                 "已运行, 但无可比较之处: 未打印数字, 未写出文件");
    case Verdict::kNoDevice:
      return Say(
          "nothing reached a device: with these arguments neither the original nor the migrated "
          "project uses one, so the migration was not tested",
          "未使用任何设备: 在这些参数下, 原工程与迁移后的工程均未使用设备, 因此迁移未经测试");
    case Verdict::kReferenceFailed:
      return Say(
          "no reference: the original itself does not run to its end under the simulator, so "
          "nothing can be said about the migration",
          "无参考: 原工程自身未能在模拟器下运行结束, 因此无法判断迁移结果");
  }
  return {};
}

Text NothingRanOnAnNpu() {
  return Say(
      "Nothing ran on an NPU: devices were simulated on the CPU. Precision, speed, memory and "
      "the operators of the hardware were not tested.",
      "未在 NPU 上运行: 设备由 CPU 模拟。未测试精度、性能、内存和硬件算子。");
}

}  // namespace transplt
