// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/affinity.h"

#include <gtest/gtest.h>

#include "tests/unit/parsed_file.h"

namespace transplt {
namespace {

const AffinityTable& TheAffinity() {
  static const Result<AffinityTable> table = AffinityTable::Load();
  EXPECT_TRUE(table) << table.error().where << ": " << table.error().what.en;
  return *table;
}

/// "LINE CALL AFFINITY" of each use in a file that stands alone.
std::vector<std::string> UsesIn(const std::string& code, const std::string& path = "model.py") {
  const ParsedFile file(code, path);
  const ApiTable apis;
  const FileContext context(file.tree(), apis, nullptr);
  AffinityDefinitions definitions;
  for (const auto& [name, entry] : AffinityDefinitionsIn(context, TheAffinity())) {
    definitions.emplace(DefinitionPlace(path, name), entry);
  }
  std::vector<std::string> uses;
  for (const AffinityUse& use : AffinityUsesIn(context, TheAffinity(), definitions)) {
    uses.push_back(std::to_string(use.start_line) + " " + use.call + " " +
                   use.entry->affinity.substr(use.entry->affinity.rfind('.') + 1));
  }
  return uses;
}

using Uses = std::vector<std::string>;

TEST(Affinity, AFunctionIsKnownByItsNameAndItsParameters) {
  EXPECT_EQ(UsesIn("def channel_shuffle(x, groups):\n    return x\n\nchannel_shuffle(1, 2)\n"),
            Uses{"4 channel_shuffle ChannelShuffle"});
  EXPECT_EQ(UsesIn("def channel_shuffle(x, groups, axis):\n    return x\n\n"
                   "channel_shuffle(1, 2, 3)\n"),
            Uses{});
}

TEST(Affinity, AClassIsKnownByWhatItIsMadeOf) {
  const std::string head = "class DropPath:\n    def __init__(self, drop_prob";
  EXPECT_EQ(UsesIn(head + ": float = 0.0):\n        pass\n\nd = DropPath(0.1)\n"),
            Uses{"5 DropPath NpuDropPath"});
  EXPECT_EQ(UsesIn(head + ", inplace):\n        pass\n\nd = DropPath(0.1, True)\n"), Uses{});
  EXPECT_EQ(UsesIn("class DropPath:\n    pass\n\nd = DropPath()\n"), Uses{});
  EXPECT_EQ(UsesIn("class Mish:\n    def forward(self, x):\n        return x\n\nMish()\n"),
            Uses{"5 Mish Mish"});
}

TEST(Affinity, AMethodIsListedWhereItIsDefined) {
  EXPECT_EQ(
      UsesIn("class YoloCoder:\n    def encode(self, bboxes, gt_bboxes, stride):\n"
             "        return bboxes\n\n\ndef encode(text):\n    return text.encode(1, 2, 3)\n"),
      Uses{"2 YoloCoder.encode npu_bbox_coder_encode_yolo"});
}

TEST(Affinity, ARollNeedsTwoDimensions) {
  EXPECT_EQ(UsesIn("import torch\ntorch.roll(x, shifts=(1, 1), dims=(1, 2))\n"
                   "torch.roll(x, 1, 0)\nnp.roll(x, (1, 1), (1, 2))\n"),
            Uses{"2 torch.roll roll"});
}

TEST(Affinity, AMatmulNeedsATransposedFactor) {
  EXPECT_EQ(
      UsesIn("import torch\ntorch.matmul(a, b.transpose(-2, -1))\ntorch.matmul(a, b)\n"
             "c = a @ b.transpose(-1, -2)\nd = a @ b.transpose(0, 1)\n"),
      (Uses{"2 torch.matmul matmul_transpose", "4 a @ b.transpose(-1, -2) matmul_transpose"}));
}

TEST(Affinity, AStoreNeedsAMaskAndANumber) {
  EXPECT_EQ(UsesIn("import torch\ndef f(y, d, k, v):\n    x = torch.sigmoid(y)\n    x[x > 0] = 0\n"
                   "    x[x > 1] = torch.ones(3)\n    d[k] = v\n    x[0] = 1\n"),
            Uses{"4 x[x > 0] npu_fast_condition_index_put"});
}

TEST(Affinity, TestsAreNotLookedAt) {
  EXPECT_EQ(UsesIn("import torch\ntorch.nn.SiLU()\n"), Uses{"2 torch.nn.SiLU SiLU"});
  EXPECT_EQ(UsesIn("import torch\ntorch.nn.SiLU()\n", "tests/test_model.py"), Uses{});
}

TEST(AffinityTable, NamesWhatAnEntryLacks) {
  const auto table = AffinityTable::Parse("a.json", R"({"affinity": [{"what": "call"}]})");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().where, "a.json:1:15: #/affinity/0");
}

}  // namespace
}  // namespace transplt
