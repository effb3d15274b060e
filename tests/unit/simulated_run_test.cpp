// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/simulated_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transplt/verify/printed_places.h"

namespace transplt {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(Tracebacks, NameTheInnermostPlaceOfTheProject) {
  const auto found = FindTracebacks(
      "noise\n"
      "Traceback (most recent call last):\n"
      "  File \"/w/train.py\", line 3, in <module>\n    main()\n"
      "  File \"/w/net/model.py\", line 12, in forward\n    x @ y\n"
      "  File \"/usr/lib/torch/x.py\", line 99, in f\n    pass\n"
      "RuntimeError: bad at 0x7f0011: /w/data\n",
      "/w");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].type, "RuntimeError");
  EXPECT_EQ(found[0].message, "bad at <address>: <project>/data");
  EXPECT_EQ(found[0].file, "net/model.py");
  EXPECT_EQ(found[0].line, 12U);
}

TEST(Tracebacks, AreFoundBehindThePrefixOfALauncherAndWithoutMessage) {
  const auto found = FindTracebacks(
      "[rank1]: Traceback (most recent call last):\n"
      "  File \"/other/train.py\", line 3, in f\nKeyboardInterrupt\n",
      "/w");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].type, "KeyboardInterrupt");
  EXPECT_EQ(found[0].file, "");
  EXPECT_THAT(FindTracebacks("all well\nError: 3\n", "/w"), IsEmpty());
}

TEST(WrittenNames, CallDevicesTheSame) {
  EXPECT_EQ(WithoutDeviceNames("out/model_cuda.pt"), "out/model_<device>.pt");
  EXPECT_EQ(WithoutDeviceNames("out/npu-0/x.pt"), "out/<device>-0/x.pt");
  EXPECT_EQ(WithoutDeviceNames("barracuda/input.pt"), "barracuda/input.pt");
}

TEST(WrittenNames, KeepFilesApart) {
  EXPECT_EQ(NamesOfWritten({"a_cuda.txt"}).at("a_cuda.txt"), "a_<device>.txt");
  EXPECT_EQ(NamesOfWritten({"a_gpu.txt"}).at("a_gpu.txt"), "a_<device>.txt");
  const auto two = NamesOfWritten({"a_cuda.txt", "a_gpu.txt"});
  EXPECT_EQ(two.at("a_cuda.txt"), "a_<device>.txt");
  EXPECT_EQ(two.at("a_gpu.txt"), "a_gpu.txt");
  EXPECT_EQ(NamesOfWritten({"a_cuda.txt", "a_npu.txt"}).at("a_npu.txt"), "a_npu.txt");
}

}  // namespace
}  // namespace transplt
