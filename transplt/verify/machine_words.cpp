// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/machine_words.h"

#include <algorithm>
#include <array>

namespace transplt {
namespace {

/// Parts of the name of a number that is about the machine and not about what is computed.
constexpr std::array<std::string_view, 42> kMachineWords = {
    "time",    "times",    "elapsed", "eta",  "took",      "takes",    "duration",
    "second",  "seconds",  "secs",    "sec",  "ms",        "speed",    "throughput",
    "fps",     "ips",      "latency", "date", "timestamp", "pid",      "port",
    "memory",  "mem",      "vram",    "mfu",  "hfu",       "runtime",  "hours",
    "minutes", "mins",     "wps",     "ups",  "flops",     "tflops",   "gflops",
    "uptime",  "walltime", "clock",   "rss",  "allocated", "reserved", "hostname"};

/// What stands directly behind such a number: `0.5s`, `12ms`.
constexpr std::array<std::string_view, 24> kUnits = {
    "s",  "sec", "secs", "ms", "msec", "us",  "ns",  "min", "mins", "h",  "hr",  "hrs",
    "it", "kb",  "mb",   "gb", "tb",   "kib", "mib", "gib", "tib",  "hz", "mhz", "ghz"};

/// What may stand behind it with a blank between. `min` and `h` can be the next word of a list.
constexpr std::array<std::string_view, 22> kSpacedUnits = {
    "s",   "sec",     "secs",  "second", "seconds", "ms", "msec", "milliseconds",
    "us",  "minutes", "hours", "mins",   "kb",      "mb", "gb",   "tb",
    "kib", "mib",     "gib",   "bytes",  "fps",     "hz"};

/// The last parts of the names of results.
constexpr std::array<std::string_view, 21> kResults = {
    "loss", "losses", "mse",        "mae",   "rmse", "acc",  "accuracy",
    "err",  "error",  "errors",     "score", "ppl",  "f1",   "iou",
    "map",  "auc",    "perplexity", "bleu",  "ap",   "grad", "norm"};

constexpr std::array<std::string_view, 13> kStatistics = {
    "mean", "avg", "average", "min", "max", "total", "median",
    "std",  "sum", "peak",    "p50", "p95", "p99"};

template <size_t N>
bool Contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

bool IsRate(std::string_view unit) {
  if (IsResultName(unit)) return false;  // 0.4 loss/acc
  return unit.ends_with("/s") || unit.ends_with("/sec") || unit.ends_with("/second") ||
         unit.starts_with("s/") || unit.starts_with("sec/") || unit.starts_with("ms/");
}

bool IsResultName(std::string_view name) {
  const size_t before = name.find_last_of("_-/.");
  return Contains(kResults, before == name.npos ? name : name.substr(before + 1));
}

bool IsStatistic(std::string_view word) { return Contains(kStatistics, word); }

bool IsMachineName(std::string_view name) {
  if (IsResultName(name)) return false;
  if (Contains(kMachineWords, name) || IsRate(name)) return true;
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find_first_of("_-/."));
    if (Contains(kMachineWords, part)) return true;
    name.remove_prefix(std::min(part.size() + 1, name.size()));
  }
  return false;
}

bool IsMachineUnit(std::string_view unit) { return Contains(kUnits, unit); }

bool IsSpacedMachineUnit(std::string_view unit) { return Contains(kSpacedUnits, unit); }

}  // namespace transplt
