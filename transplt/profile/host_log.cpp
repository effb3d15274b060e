// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "transplt/dump/op_log.h"
#include "transplt/profile/profile.h"

namespace transplt {
namespace {

/// The head of a line of a host log: "[INFO] ASCENDCL(PID,NAME):2024-06-13-14:35:02.123.456 ...".
struct LogHead {
  std::string_view process;
  double micros = 0;  ///< of the day
};

std::optional<uint32_t> Digits(std::string_view text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<LogHead> ReadHead(std::string_view line) {
  const size_t open = line.find('(');
  const size_t comma = line.find(',', open == line.npos ? 0 : open);
  const size_t colon = line.find("):", open == line.npos ? 0 : open);
  if (!line.starts_with('[') || open == line.npos || colon == line.npos) return std::nullopt;
  LogHead head;
  head.process = line.substr(open + 1, std::min(comma, colon) - open - 1);
  // YYYY-MM-DD-HH:MM:SS.mmm.uuu
  const std::string_view time = line.substr(colon + 2);
  if (time.size() < 27) return std::nullopt;
  const auto hours = Digits(time.substr(11, 2));
  const auto minutes = Digits(time.substr(14, 2));
  const auto seconds = Digits(time.substr(17, 2));
  const auto millis = Digits(time.substr(20, 3));
  const auto micros = Digits(time.substr(24, 3));
  if (!hours || !minutes || !seconds || !millis || !micros) return std::nullopt;
  head.micros = ((*hours * 60.0 + *minutes) * 60 + *seconds) * 1e6 + *millis * 1e3 + *micros;
  return head;
}

/// The compilations of one operator.
struct Compiled {
  uint64_t times = 0;
  double micros = 0;
  std::set<std::string> parameters;
};

/// What one process of the log does.
struct LogProcess {
  std::string op;          ///< that was last said to be compiled or looked for
  std::string parameters;  ///< its shapes and formats
  bool is_counted = false;
  double first = -1;
  double last = -1;
  Compiled* waiting = nullptr;  ///< what the last line began to compile
};

class LogReader {
 public:
  void Line(std::string_view line) {
    const std::optional<LogHead> head = ReadHead(line);
    LogProcess& process = processes_[std::string(head ? head->process : std::string_view())];
    if (head) Clock(process, head->micros);
    if (const std::optional<LoggedOp> op = ReadLoggedOp(line)) {
      ++ops_;
      process.op = op->type;
      process.parameters = op->parameters;
      process.is_counted = false;
      if (const BottleneckKind* kind = table_.OfKernel(op->type, {}); kind != nullptr) {
        sums_.Add(*kind, op->type, 0, 1, {}, op->parameters);
      }
    }
    if (process.is_counted || process.op.empty() || table_.OfLogLine(line) == nullptr) return;
    process.is_counted = true;
    Compiled& compiled = compiled_[process.op];
    ++compiled.times;
    compiled.parameters.insert(process.parameters);
    process.waiting = &compiled;
  }

  bool has_ops() const { return ops_ > 0; }

  Profile Analyze() && {
    Profile profile;
    profile.form = ProfileForm::kLog;
    uint64_t once = 0;
    for (const auto& [op, compiled] : compiled_) {
      if (compiled.times == 1) {
        ++once;
        continue;
      }
      // The first time is that of the first step.
      const double later = compiled.micros * static_cast<double>(compiled.times - 1) /
                           static_cast<double>(compiled.times);
      sums_.Add(table_.Kind("compile"), op, later, compiled.times - 1, {},
                fmt::format("{}: {} shapes", op, compiled.parameters.size()));
    }
    for (const auto& [name, process] : processes_) {
      if (process.first >= 0)
        profile.micros = std::max(profile.micros, process.last - process.first);
    }
    profile.bottlenecks = std::move(sums_).Sorted(profile.micros);
    for (Bottleneck& bottleneck : profile.bottlenecks) {
      if (bottleneck.micros > 0) continue;
      bottleneck.share = static_cast<double>(bottleneck.count) / static_cast<double>(ops_);
    }
    if (once > 0) {
      profile.notes.push_back(
          Say("{} operators were compiled once, which the first step needs: nothing is to do there",
              "{} 个算子只编译了一次，属于首个 step 的正常编译，无须处理", once));
    }
    profile.notes.push_back(
        Say("a log tells how often; its times are from a line to the next line of the process",
            "日志只记录次数；耗时为同一进程中该行到下一行的间隔"));
    return profile;
  }

 private:
  /// The time since the line before belongs to what that line began.
  static void Clock(LogProcess& process, double micros) {
    if (process.last >= 0 && process.waiting != nullptr && micros > process.last) {
      process.waiting->micros += micros - process.last;
    }
    process.waiting = nullptr;
    if (process.first < 0) process.first = micros;
    process.last = micros;
  }

  const BottleneckTable& table_ = BottleneckTable::Builtin();
  std::map<std::string, LogProcess> processes_;
  std::map<std::string, Compiled> compiled_;
  BottleneckSums sums_;
  uint64_t ops_ = 0;
};

}  // namespace

Result<Profile> ReadHostLog(const std::string& path, std::string_view text) {
  LogReader reader;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    reader.Line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!reader.has_ops()) {
    return Error{Error::Code::kBadInput, path,
                 Say("holds no line of an operator (aclopCompile::aclOp ... OpType:): collect it "
                     "with the log level info",
                     "没有算子信息行 (aclopCompile::aclOp ... OpType:)：请将日志级别设为 info 后"
                     "重新采集")};
  }
  return std::move(reader).Analyze();
}

}  // namespace transplt
