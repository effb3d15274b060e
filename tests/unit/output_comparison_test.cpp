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
  return CompareOutputs(ReadPrintedLines(reference, ""), ReadPrintedLines(other, ""),
                        {kind, order, tolerance});
}

/// Compares with the knowledge of what differs between two runs of the reference.
OutputComparison CompareKnowing(std::string_view reference, std::string_view again,
                                std::string_view other) {
  const auto lines = ReadPrintedLines(reference, "");
  const auto lines_again = ReadPrintedLines(again, "");
  OutputRules rules;
  rules.variation = FindVariation(lines, lines_again, rules);
  OutputComparison result = CompareOutputs(lines, ReadPrintedLines(other, ""), rules);
  TakeNotReproducible(result, CompareOutputs(lines, lines_again, rules));
  return result;
}

TEST(OutputComparison, CountsEqualNumbers) {
  const OutputComparison result =
      Compare("loss 0.5\nloss 0.25 on cuda:0 3 s\n", "loss 0.5\nloss 0.25 on npu:0 9 s\n");
  EXPECT_THAT(result.differences, IsEmpty());
  EXPECT_EQ(result.NumberCount(), 2U);
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

TEST(OutputComparison, TellsIntegersApartThatADoubleDoesNot) {
  EXPECT_THAT(Compare("sum 12345678901234567890\n", "sum 12345678901234567891\n").differences,
              SizeIs(1));
  EXPECT_THAT(Compare("sum 0xbeef\n", "sum 0xbef0\n").differences, SizeIs(2));
}

TEST(OutputComparison, TakesTheNamesOfDevicesForEqualAndNothingMore) {
  EXPECT_THAT(Compare("use_cuda: True on cuda:1\n", "use_npu: True on npu:1\n").differences,
              IsEmpty());
  EXPECT_THAT(Compare("on cuda:1\n", "on npu:0\n").differences, SizeIs(2));
  EXPECT_THAT(Compare("use_cuda: True\n", "use_npu: False\n").differences, SizeIs(2));
  EXPECT_THAT(Compare("GPU validation done\n", "").differences, SizeIs(1));
  EXPECT_THAT(Compare("saved out/net_cuda.pt\n", "saved out/net_npu.pt\n").differences, IsEmpty());
  EXPECT_THAT(Compare("best=./ckpt/acc_0.93.pth\n", "best=./ckpt/acc_0.43.pth\n").differences,
              SizeIs(2));
}

TEST(OutputComparison, OfALogMissesNumbersButNoWarningsAndProgressBars) {
  EXPECT_THAT(Compare("INFO:root:val acc 0.930\n", "", OutputKind::kLog).differences, SizeIs(1));
  EXPECT_THAT(Compare("loss 5\nloss 6\n", "loss 5\n", OutputKind::kLog).differences, SizeIs(1));
  EXPECT_THAT(Compare("/x/y.py:12: UserWarning: at most 5\n  f(x, 5)\n"
                      "[W Context.cpp:70] 3 times\n"
                      "train: 100%|###| 10/10 [00:05<00:00, 1.9it/s, loss=0.5]\n",
                      "", OutputKind::kLog)
                  .differences,
              IsEmpty());
}

TEST(OutputComparison, OfTheLogWithoutADeviceForgivesLinesOfAKindThatTheOtherDoesNotHave) {
  EXPECT_THAT(Compare("using 1 GPU\n", "", OutputKind::kOtherLog).differences, IsEmpty());
  EXPECT_THAT(Compare("loss 5\nloss 6\n", "loss 5\n", OutputKind::kOtherLog).differences,
              SizeIs(1));
}

TEST(OutputComparison, DoesNotTakeASignForANumber) {
  EXPECT_THAT(Compare("epoch # 1\n", "epoch 3 1\n").differences, SizeIs(2));
}

TEST(OutputComparison, OfNumbersForgivesWords) {
  EXPECT_THAT(Compare("on the fast way\n", "", OutputKind::kNumbers).differences, IsEmpty());
  EXPECT_THAT(Compare("loss 5\n", "", OutputKind::kNumbers).differences, SizeIs(1));
}

TEST(OutputComparison, KeepsTheOrderOfEachProcess) {
  EXPECT_THAT(Compare("loss 1\nloss 2\n", "loss 2\nloss 1\n").differences, SizeIs(2));
  const auto of_processes = [](std::string_view reference, std::string_view other) {
    return Compare(reference, other, OutputKind::kResults, LineOrder::kByProcess).differences;
  };
  EXPECT_THAT(of_processes("rank 0 loss 1\nrank 1 loss 2\n", "rank 1 loss 2\nrank 0 loss 1\n"),
              IsEmpty());
  EXPECT_THAT(of_processes("rank 0 loss 1\nrank 0 loss 2\n", "rank 0 loss 2\nrank 0 loss 1\n"),
              SizeIs(2));
  EXPECT_THAT(of_processes("loss 1\nloss 2\n", "loss 2\nloss 1\n"), SizeIs(2));
}

TEST(OutputComparison, ForgivesAnOrderThatTheReferenceDoesNotKeep) {
  EXPECT_THAT(CompareKnowing("a 1\na 2\nb 1\nb 2\n", "a 2\na 1\nb 1\nb 2\n", "a 2\na 1\nb 2\nb 1\n")
                  .differences,
              SizeIs(2));
  EXPECT_THAT(CompareKnowing("a 1\na 2\n", "a 2\na 1\n", "a 2\na 3\n").differences, SizeIs(1));
}

TEST(OutputComparison, SetsAsideTheColumnsThatTheReferenceDoesNotReproduce) {
  const OutputComparison result = CompareKnowing(
      "loss 1 x 5\nloss 2 x 6\n", "loss 1 x 5\nloss 2 x 9\n", "loss 1 x 7\nloss 3 x 8\n");
  ASSERT_THAT(result.differences, SizeIs(1));
  EXPECT_EQ(result.differences[0].name, "loss");
  EXPECT_EQ(result.NumberCount(), 2U);
}

TEST(OutputComparison, KeepsWhatIsFarMoreOffThanTheReferenceFromItself) {
  EXPECT_THAT(CompareKnowing("x 0.5\n", "x 0.6\n", "x 1.4\n").differences, IsEmpty());
  const auto far = CompareKnowing("x 0.5\n", "x 0.6\n", "x 2.5\n").differences;
  ASSERT_THAT(far, SizeIs(1));
  EXPECT_NEAR(far[0].usual_distance, 0.1, 1e-9);
  EXPECT_THAT(CompareKnowing("x 0.5\n", "x 0.6\n", "x nan\n").differences, SizeIs(1));
}

TEST(OutputComparison, ForgivesNamesThatAreMadeInEachRun) {
  EXPECT_THAT(CompareKnowing("run 3fa92b77 on cuda:1 loss 1\n", "run 91bc3d10 on cuda:1 loss 1\n",
                             "run c0ffee12 on npu:1 loss 1\n")
                  .differences,
              IsEmpty());
  EXPECT_THAT(CompareKnowing("run 3fa92b77 on cuda:1 loss 1\n", "run 91bc3d10 on cuda:1 loss 1\n",
                             "run c0ffee12 on npu:0 loss 1\n")
                  .differences,
              SizeIs(2));
  EXPECT_THAT(
      CompareKnowing("run 3fa92b77 loss 1\n", "run 91bc3d10 loss 1\n", "run c0ffee12 loss 2\n")
          .differences,
      SizeIs(1));
  EXPECT_THAT(
      CompareKnowing("in /tmp/tmpabcdefgh\n", "in /tmp/tmpqrstuvwx\n", "in /tmp/tmpijklmnop\n")
          .differences,
      IsEmpty());
  EXPECT_THAT(CompareKnowing("id 9b1deb4d-3b7d-4281-9bdd-2b0d7b3dcb6d\n",
                             "id 110ec58a-a0f2-4ac4-8393-c866d813b8d1\n",
                             "id 7c9e6679-7425-40de-944b-e07fc1f90ae7\n")
                  .differences,
              IsEmpty());
}

}  // namespace
}  // namespace transplt
