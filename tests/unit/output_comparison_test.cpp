// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/output_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transplt {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

OutputComparison Compare(std::string_view reference, std::string_view other,
                         OutputKind kind = OutputKind::kResults, LineOrder order = LineOrder::kKept,
                         NumberTolerance tolerance = {}) {
  return CompareOutputs(ReadPrintedLines(reference, ""), ReadPrintedLines(other, ""), kind, order,
                        tolerance);
}

TEST(OutputComparison, CountsEqualNumbers) {
  const OutputComparison result =
      Compare("loss 0.5\nloss 0.25 on cuda:0 3 s\n", "loss 0.5\nloss 0.25 on npu:0 9 s\n");
  EXPECT_THAT(result.differences, IsEmpty());
  EXPECT_EQ(result.NumberCount(), 2U);
  EXPECT_EQ(result.ignored, 1U);
}

TEST(OutputComparison, ShowsTheLinesOfADifference) {
  const OutputComparison result = Compare("epoch 1 loss 0.50\n", "epoch 1 loss 0.51\n");
  ASSERT_THAT(result.differences, SizeIs(1));
  const PrintedDifference& difference = result.differences[0];
  EXPECT_EQ(difference.name, "loss");
  EXPECT_EQ(difference.reference_number, "0.50");
  EXPECT_EQ(difference.other_number, "0.51");
  EXPECT_EQ(difference.reference, "epoch 1 loss 0.50");
  EXPECT_EQ(difference.other, "epoch 1 loss 0.51");
}

TEST(OutputComparison, TakesEqualValuesForEqualHoweverTheyArePrinted) {
  EXPECT_THAT(Compare("x 1.50\n", "x 1.5\n").differences, IsEmpty());
  EXPECT_THAT(Compare("x nan\n", "x NaN\n").differences, IsEmpty());
  EXPECT_EQ(Compare("x nan\n", "x nan\n").not_finite, 1U);
  EXPECT_THAT(Compare("x nan\n", "x 1\n").differences, SizeIs(1));
  EXPECT_THAT(Compare("x inf\n", "x -inf\n").differences, SizeIs(1));
}

TEST(OutputComparison, AllowsTheTolerance) {
  const auto differences = [](NumberTolerance tolerance) {
    return Compare("x 100\n", "x 101\n", OutputKind::kResults, LineOrder::kKept, tolerance)
        .differences.size();
  };
  EXPECT_EQ(differences({}), 1U);
  EXPECT_EQ(differences({0.005, 0}), 1U);
  EXPECT_EQ(differences({0.01, 0}), 0U);
  EXPECT_EQ(differences({0, 1}), 0U);
}

TEST(OutputComparison, FindsLinesThatOnlyOneHas) {
  EXPECT_THAT(Compare("loss 1\nloss 2\n", "loss 1\n").differences, SizeIs(1));
  EXPECT_THAT(Compare("a\n", "a\nb\n").differences, SizeIs(1));
  EXPECT_EQ(Compare("a\n", "a\nb\n").differences[0].other, "b");
}

TEST(OutputComparison, LeavesOutWordsAboutTheDevice) {
  EXPECT_THAT(Compare("using the cuda kernels\n", "").differences, IsEmpty());
  EXPECT_THAT(Compare("cuda 5\n", "").differences, SizeIs(1));
  EXPECT_THAT(Compare("using cuda\n", "using cpu\n").differences, SizeIs(1));
}

TEST(OutputComparison, OfALogForgivesLinesOfAKindThatTheOtherDoesNotHave) {
  EXPECT_THAT(Compare("warning 5\n", "", OutputKind::kLog).differences, IsEmpty());
  EXPECT_THAT(Compare("loss 5\nloss 6\n", "loss 5\n", OutputKind::kLog).differences, SizeIs(1));
}

TEST(OutputComparison, OfNumbersForgivesWords) {
  EXPECT_THAT(Compare("on the fast way\n", "", OutputKind::kNumbers).differences, IsEmpty());
  EXPECT_THAT(Compare("loss 5\n", "", OutputKind::kNumbers).differences, SizeIs(1));
}

TEST(OutputComparison, KeepsTheOrderOfOneProcessOnly) {
  EXPECT_THAT(Compare("loss 1\nloss 2\n", "loss 2\nloss 1\n").differences, SizeIs(2));
  EXPECT_THAT(Compare("rank 0 loss 1\nrank 1 loss 2\n", "rank 1 loss 2\nrank 0 loss 1\n",
                      OutputKind::kResults, LineOrder::kLoose)
                  .differences,
              IsEmpty());
  EXPECT_THAT(Compare("rank 0 loss 1\nrank 1 loss 2\n", "rank 1 loss 3\nrank 0 loss 1\n",
                      OutputKind::kResults, LineOrder::kLoose)
                  .differences,
              SizeIs(1));
}

TEST(OutputComparison, SetsAsideWhatTheReferenceDoesNotReproduce) {
  OutputComparison result = Compare("loss 1 x 5\nloss 2 x 6\n", "loss 1 x 7\nloss 3 x 8\n");
  const OutputComparison repeated = Compare("loss 1 x 5\nloss 2 x 6\n", "loss 1 x 5\nloss 2 x 9\n");
  EXPECT_THAT(TakeNotReproducible(result, ColumnsOf(repeated)), SizeIs(2));
  ASSERT_THAT(result.differences, SizeIs(1));
  EXPECT_EQ(result.differences[0].name, "loss");
  EXPECT_EQ(result.NumberCount(), 2U);
}

}  // namespace
}  // namespace transplt
