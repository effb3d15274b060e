// SPDX-License-Identifier: Apache-2.0
// What the passes of `transplt compare` do in memory, on one thread: GB of both tensors per second
// of its processor, the best of some rounds that take turns. Usage: bench_compare_passes ELEMENTS
// ROUNDS.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "transplt/compare/pair_kernel.h"
#include "transplt/dump/widen.h"

namespace {

using transplt::DivergencePass;
using transplt::PairPass;
using transplt::PassKind;

constexpr size_t kChunk = size_t{1} << 14;

struct Row {
  std::string name;
  double best = 0;
};

/// Reads all of it and does next to nothing: what memory gives. The C library's search for a byte
/// that is not there has its own kernel for each processor.
double Search(const std::vector<char>& ones) {
  return std::memchr(ones.data(), 0, ones.size()) == nullptr ? 0.0 : 1.0;
}

/// The same with lines asked for ahead of time, which some machines need.
double ReadAhead(const std::vector<char>& ones) {
  constexpr size_t kLine = 64;
  constexpr size_t kAhead = 2048;
  uint64_t sum[kLine / sizeof(uint64_t)] = {};
  for (size_t i = 0; i + kLine <= ones.size(); i += kLine) {
    __builtin_prefetch(ones.data() + i + kAhead);
    uint64_t words[kLine / sizeof(uint64_t)];
    std::memcpy(words, ones.data() + i, sizeof words);
    for (size_t k = 0; k < std::size(words); ++k) sum[k] |= words[k];
  }
  return static_cast<double>(sum[0] & 1U);
}

double Nine(const std::vector<float>& x, const std::vector<float>& y) {
  PairPass pass(PassKind::kNine, 1e-7);
  pass.Add(x.data(), y.data(), x.size());
  return pass.sums().sum_square;
}

double Full(const std::vector<float>& x, const std::vector<float>& y) {
  PairPass pass(PassKind::kFull, 1e-7);
  pass.Add(x.data(), y.data(), x.size());
  return pass.sums().sum_square;
}

double Ten(const std::vector<float>& x, const std::vector<float>& y) {
  PairPass pass(PassKind::kFull, 1e-7);
  pass.Add(x.data(), y.data(), x.size());
  DivergencePass second(pass.sums());
  second.Add(x.data(), y.data(), x.size());
  return second.sums().Value();
}

double NineNarrow(const std::vector<uint16_t>& x, const std::vector<uint16_t>& y, bool half) {
  std::vector<float> a(kChunk);
  std::vector<float> b(kChunk);
  PairPass pass(PassKind::kNine, 1e-7);
  for (size_t i = 0; i < x.size(); i += kChunk) {
    const size_t count = std::min(kChunk, x.size() - i);
    const auto* from_x = reinterpret_cast<const char*>(x.data() + i);
    const auto* from_y = reinterpret_cast<const char*>(y.data() + i);
    (half ? transplt::WidenHalves : transplt::WidenBFloats)(from_x, count, a.data());
    (half ? transplt::WidenHalves : transplt::WidenBFloats)(from_y, count, b.data());
    pass.Add(a.data(), b.data(), count);
  }
  return pass.sums().sum_square;
}

/// Seconds of this thread's processor: others on the machine change it less than the clock.
double Now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

template <typename Run>
void Measure(Row& row, double bytes, double& sink, const Run& run) {
  const double start = Now();
  sink += run();
  row.best = std::max(row.best, bytes / (Now() - start) / 1e9);
}

}  // namespace

int main(int argc, char** argv) {
  const size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : size_t{1} << 26;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  std::vector<float> x(count);
  std::vector<float> y(count);
  uint32_t state = 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    y[i] = static_cast<float>(state >> 8) / 8388608.0F - 1.0F;
    x[i] = y[i] * (1.0F + static_cast<float>(state & 255U) * 1e-6F);
  }
  std::vector<uint16_t> narrow_x(count);
  std::vector<uint16_t> narrow_y(count);
  for (size_t i = 0; i < count; ++i) {
    narrow_x[i] = static_cast<uint16_t>(0x3C00U + (i & 255U));
    narrow_y[i] = static_cast<uint16_t>(0x3C00U + (i & 127U));
  }
  Row rows[] = {{"read"}, {"nine"}, {"full"}, {"ten"}, {"nine_float16"}, {"nine_bfloat16"}};
  const double bytes = 2.0 * sizeof(float) * static_cast<double>(count);
  const std::vector<char> ones(2 * sizeof(float) * count, 1);
  double sink = 0;
  for (int round = 0; round < rounds; ++round) {
    Measure(rows[0], bytes, sink, [&] { return Search(ones); });
    Measure(rows[0], bytes, sink, [&] { return ReadAhead(ones); });
    Measure(rows[1], bytes, sink, [&] { return Nine(x, y); });
    Measure(rows[2], bytes, sink, [&] { return Full(x, y); });
    Measure(rows[3], bytes, sink, [&] { return Ten(x, y); });
    Measure(rows[4], bytes / 2, sink, [&] { return NineNarrow(narrow_x, narrow_y, true); });
    Measure(rows[5], bytes / 2, sink, [&] { return NineNarrow(narrow_x, narrow_y, false); });
  }
  std::printf("{\"target\": \"%s\", \"sink\": %g", transplt::PairKernelTarget(), sink);
  for (const Row& row : rows) std::printf(", \"%s\": %.3f", row.name.c_str(), row.best);
  std::printf("}\n");
  return 0;
}
