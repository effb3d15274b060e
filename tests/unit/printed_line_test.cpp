// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/printed_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "transplt/verify/printed_places.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The numbers of a line that are compared, as they were printed.
std::vector<std::string> Compared(std::string_view line) {
  std::vector<std::string> numbers;
  for (const PrintedNumber& number : ReadPrintedLine(line).numbers) {
    if (number.is_compared) numbers.push_back(number.text);
  }
  return numbers;
}

std::vector<std::string> Patterns(std::string_view output, std::string_view folder = "") {
  std::vector<std::string> patterns;
  for (const PrintedLine& line : ReadPrintedLines(output, folder)) {
    patterns.push_back(line.pattern);
  }
  return patterns;
}

TEST(PrintedLine, HoldsNumbersInEveryUsualForm) {
  EXPECT_THAT(Compared("loss 0.5 -1.25e-05 +3 .5 7. 1E6 (12/34) acc=99%, [5]"),
              ElementsAre("0.5", "-1.25e-05", "+3", ".5", "7", "1E6", "12", "34", "99", "5"));
}

TEST(PrintedLine, HoldsNumbersThatAreNotFinite) {
  const PrintedLine line = ReadPrintedLine("loss nan, -inf and info");
  ASSERT_EQ(line.numbers.size(), 2U);
  EXPECT_TRUE(std::isnan(line.numbers[0].value));
  EXPECT_LT(line.numbers[1].value, 0);
  EXPECT_TRUE(std::isinf(line.numbers[1].value));
  EXPECT_EQ(line.pattern, "loss #, # and info");
}

TEST(PrintedLine, TakesDigitsInWordsPathsVersionsAndAddressesForText) {
  EXPECT_THAT(Compared("fc1 conv2d_3 64x64 3fa92b 1.13.1 <Net at 0x7f12ab> ./out/ckpt_12.pt "
                       "0xbeef 9b1deb4d-3b7d-4281-9bdd-2b0d7b3dcb6d"),
              IsEmpty());
  EXPECT_NE(ReadPrintedLine("saved /tmp/a1/x_20.pt").pattern,
            ReadPrintedLine("saved /tmp/a1/x_3.pt").pattern);
  EXPECT_EQ(ReadPrintedLine("0x7f12ab34cd56").pattern, ReadPrintedLine("0x55d0ab34cd56").pattern);
  EXPECT_NE(ReadPrintedLine("0xbeef").pattern, ReadPrintedLine("0xbef0").pattern);
  EXPECT_EQ(ReadPrintedLine("<Net at 0x7f12ab>").pattern, ReadPrintedLine("<Net at 0x1>").pattern);
}

TEST(PrintedLine, DoesNotCompareTimesRatesAndSizesOfMemory) {
  for (const char* line : {"took 12 s",
                           "iter time 0.23",
                           "elapsed: 4",
                           "3.5it/s",
                           "0.2s/it",
                           "1200 img/s",
                           "12.3ms",
                           "ms/batch 12.5",
                           "| time: 5.00s",
                           "memory 1024 MB",
                           "peak_mem_mb=12",
                           "pid 4711",
                           "2024-01-31 12:30:59,123",
                           "[00:01<00:07",
                           "mfu -100.00%",
                           "throughput: 55 samples",
                           "train_runtime: 3.2",
                           "Speed: 3.1ms",
                           "step 0.10s (mean 0.12)",
                           "Time  0.512 ( 0.530)"}) {
    const std::vector<std::string> numbers = Compared(line);
    EXPECT_THAT(numbers, IsEmpty()) << line;
  }
}

TEST(PrintedLine, ComparesTheResultsBesideThem) {
  EXPECT_THAT(
      Compared("| epoch   1 |   200/ 2983 batches | lr 20.00 | ms/batch 12.34 | loss  7.10"),
      ElementsAre("1", "200", "2983", "20.00", "7.10"));
  EXPECT_THAT(Compared("iter 3: loss 4.2, time 23.1ms, mfu 1.5%"), ElementsAre("3", "4.2"));
  EXPECT_THAT(Compared("Epoch: [0][1/5] Time 0.1 (0.2) Data 0.01 (0.02) Loss 6.9 (7.0)"),
              ElementsAre("0", "1", "5", "6.9", "7.0"));
  EXPECT_THAT(Compared("loss 0.5 min 0.1 max 3"), ElementsAre("0.5", "0.1", "3"));
  EXPECT_THAT(Compared("timestep 500 data 3"), ElementsAre("500", "3"));
}

TEST(PrintedLine, DoesNotTakeResultsForTimes) {
  EXPECT_THAT(Compared("epoch 1: 3.2s (loss=0.500, acc=0.90)"), ElementsAre("1", "0.500", "0.90"));
  EXPECT_THAT(Compared("epoch 1 | time 12.3 | 0.500 | 0.9"), ElementsAre("1", "0.500", "0.9"));
  EXPECT_THAT(Compared("time 12.3, 0.5"), ElementsAre("0.5"));
  EXPECT_THAT(Compared("times: [12.3, 0.5]"), IsEmpty());
  EXPECT_THAT(Compared("duration_loss: 0.5 speed_mae 0.4 time_mse=0.3 memory_loss 0.2 clock/acc 1"),
              ElementsAre("0.5", "0.4", "0.3", "0.2", "1"));
}

TEST(PrintedLine, IsTheSamePatternForEveryUnitOfATime) {
  EXPECT_EQ(ReadPrintedLine("took 1.2ms, loss 1").pattern,
            ReadPrintedLine("took 900.0us, loss 1").pattern);
  EXPECT_EQ(ReadPrintedLine("10/10 [00:05<00:00, 1.90it/s]").pattern,
            ReadPrintedLine("10/10 [00:07<00:00, 1.05s/it]").pattern);
  EXPECT_EQ(ReadPrintedLine("Step: 1s24ms | Loss: 3").pattern,
            ReadPrintedLine("Step: 966ms | Loss: 3").pattern);
  EXPECT_EQ(ReadPrintedLine("Tot: 1h2m").pattern, ReadPrintedLine("Tot: 3m59s").pattern);
  EXPECT_NE(ReadPrintedLine("conv 2d3d").pattern, ReadPrintedLine("conv 3d2d").pattern);
  EXPECT_NE(ReadPrintedLine("net 1s2x").pattern, ReadPrintedLine("net 1s3x").pattern);
  EXPECT_EQ(ReadPrintedLine("512 MB used").pattern, ReadPrintedLine("1.1 GB used").pattern);
}

TEST(PrintedLine, DoesNotSeeHowWideANumberIsPrinted) {
  EXPECT_EQ(ReadPrintedLine("Test: [ 0/10]\tTime 21.548 (21.548)\tLoss 3.3 (3.3)").pattern,
            ReadPrintedLine("Test: [ 0/10]\tTime  8.012 ( 8.012)\tLoss 3.3 (3.3)").pattern);
  EXPECT_EQ(ReadPrintedLine("time:12.1 loss 1").pattern,
            ReadPrintedLine("time: 2.1 loss 1").pattern);
  EXPECT_NE(ReadPrintedLine("a b 1").pattern, ReadPrintedLine("a (b 1").pattern);
}

TEST(PrintedLine, NamesNumbersByTheWordBeforeThem) {
  const PrintedLine line = ReadPrintedLine("D loss: 0.5 Val-Acc = 0.75");
  ASSERT_EQ(line.numbers.size(), 2U);
  EXPECT_EQ(line.numbers[0].name, "loss");
  EXPECT_EQ(line.numbers[1].name, "acc");
}

TEST(PrintedLine, IsTheSamePatternForBothDevices) {
  const PrintedLine cuda = ReadPrintedLine("using cuda:0 (torch.cuda, nccl) GPU use_cuda=True");
  const PrintedLine npu = ReadPrintedLine("using npu:0 (torch.npu, hccl) NPU use_npu=True");
  EXPECT_EQ(cuda.pattern, npu.pattern);
  EXPECT_NE(cuda.pattern,
            ReadPrintedLine("using npu:1 (torch.npu, hccl) NPU use_npu=True").pattern);
  EXPECT_NE(ReadPrintedLine("on cuda").pattern, ReadPrintedLine("on cpu").pattern);
}

TEST(PrintedLines, AreWhatATerminalShows) {
  EXPECT_THAT(Patterns("\x1b[31mred\x1b[0m\n 1%\r 50%\r100%\r\n\n   \nend"),
              ElementsAre("red", "#%", "end"));
}

TEST(PrintedLines, CallTheFolderOfTheRunProject) {
  EXPECT_THAT(Patterns("at /work/a1/x.py and\n", "/work/a1"), ElementsAre("at <project>/x.py and"));
  EXPECT_EQ(WithoutPlaces("/work/a1/x at 0x7fffffff1234", "/work/a1"), "<project>/x at <address>");
  EXPECT_EQ(WithoutPlaces("0x1 stays", ""), "0x1 stays");
}

TEST(PrintedLines, SurviveBytesThatAreNoText) {
  EXPECT_EQ(Patterns(std::string_view("a\0b\xff 1\n\xe4\xb8", 9)).size(), 2U);
}

}  // namespace
}  // namespace transplt
