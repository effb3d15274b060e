// SPDX-License-Identifier: Apache-2.0
#include "transplt/compare/pair_kernel.h"

#include <gmock/gmock.h>
#include <hwy/targets.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace transplt {
namespace {

struct Pair {
  std::vector<float> x;
  std::vector<float> y;
};

Pair RandomPair(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Pair pair;
  for (size_t i = 0; i < count; ++i) {
    pair.y.push_back(i % 5 == 0 ? 0.0F : normal(random));
    pair.x.push_back(pair.y.back() + 1e-3F * normal(random));
  }
  return pair;
}

PairSums SumsOf(const Pair& pair) {
  PairPass pass(PassKind::kFull, 0x1p-23);
  pass.Add(pair.x.data(), pair.y.data(), pair.x.size());
  return pass.sums();
}

double DivergenceOf(const Pair& pair) {
  DivergencePass pass(SumsOf(pair));
  pass.Add(pair.x.data(), pair.y.data(), pair.x.size());
  return pass.sums().Value();
}

void ExpectClose(double a, double b) { EXPECT_NEAR(a, b, 2e-5 * std::abs(b)); }

TEST(PairPass, GivesTheSameWithEveryInstructionSetOfThisMachine) {
  const Pair pair = RandomPair(20'011, 7);
  const PairSums golden = SumsOf(pair);
  const double divergence = DivergenceOf(pair);
  size_t tried = 0;
  for (int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
    hwy::SetSupportedTargetsForTest(targets & -targets);
    const PairSums sums = SumsOf(pair);
    SCOPED_TRACE(PairKernelTarget());
    EXPECT_EQ(sums.count, golden.count);
    ExpectClose(sums.sum_square, golden.sum_square);
    ExpectClose(sums.sum_relative, golden.sum_relative);
    ExpectClose(sums.sum_relative_all, golden.sum_relative_all);
    ExpectClose(sums.x.m2, golden.x.m2);
    EXPECT_EQ(sums.max_difference, golden.max_difference);
    EXPECT_EQ(sums.y.min, golden.y.min);
    EXPECT_EQ(sums.x.max, golden.x.max);
    EXPECT_NEAR(DivergenceOf(pair), divergence, 1e-4 * divergence);
    ++tried;
  }
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_GE(tried, 2U) << "only one instruction set was tried";
}

TEST(PairPass, GivesTheSameInWhateverPiecesTheValuesCome) {
  const Pair pair = RandomPair(30'000, 3);
  const PairSums whole = SumsOf(pair);
  PairPass pass(PassKind::kFull, 0x1p-23);
  for (size_t start = 0, size = 1; start < pair.x.size(); start += size, size = size * 3 + 1) {
    size = std::min(size, pair.x.size() - start);
    pass.Add(pair.x.data() + start, pair.y.data() + start, size);
  }
  EXPECT_EQ(pass.sums().count, whole.count);
  ExpectClose(pass.sums().sum_square, whole.sum_square);
  ExpectClose(pass.sums().x.m2, whole.x.m2);
  EXPECT_EQ(pass.sums().within_1e3, whole.within_1e3);
}

TEST(PairPass, OfNineMetricsAgreesWithTheFullOne) {
  const Pair pair = RandomPair(10'000, 5);
  const PairSums full = SumsOf(pair);
  PairPass pass(PassKind::kNine, 0x1p-23);
  pass.Add(pair.x.data(), pair.y.data(), pair.x.size());
  EXPECT_EQ(pass.sums().sum_square, full.sum_square);
  EXPECT_EQ(pass.sums().sum_difference, full.sum_difference);
  ExpectClose(pass.sums().sum_relative, full.sum_relative);
  EXPECT_EQ(pass.sums().x.min, std::numeric_limits<double>::infinity());
}

TEST(PairPass, CountsWhatIsNotFiniteOnEitherSide) {
  Pair pair = RandomPair(9000, 1);
  pair.x[3] = NAN;
  pair.y[8500] = INFINITY;
  const PairSums sums = SumsOf(pair);
  EXPECT_EQ(sums.count, 8998U);
  EXPECT_EQ(sums.x.nans, 1U);
  EXPECT_EQ(sums.y.infinities, 1U);
  EXPECT_EQ(sums.mismatched, 2U);
}

TEST(Divergence, OfATensorFromItselfIsZero) {
  Pair pair = RandomPair(5000, 2);
  pair.x = pair.y;
  EXPECT_EQ(DivergenceOf(pair), 0);
}

TEST(Metrics, OfNothingHaveNoValue) {
  const Metrics metrics = MetricsOf({});
  EXPECT_TRUE(std::isnan(metrics.cosine));
  EXPECT_TRUE(std::isnan(metrics.mean_absolute));
}

}  // namespace
}  // namespace transplt
