// SPDX-License-Identifier: Apache-2.0
#include "transplt/distributed/multi_card_calls.h"

#include <gtest/gtest.h>

#include "tests/unit/parsed_file.h"
#include "transplt/python/name_table.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

TEST(MultiCardCalls, EachExampleIsMadeAsItsRowSays) {
  const Result<MultiCardCalls> calls = MultiCardCalls::Load();
  ASSERT_TRUE(calls) << calls.error().where << ": " << calls.error().what.en;
  for (const MultiCardCalls::Way& row : calls->ways) {
    const ParsedFile file(row.before);
    const NameTable names(file.tree(), "file", false);
    std::vector<std::string> made;
    for (const Node node : NodesIn(file.tree())) {
      if (!node.Is(NodeKind::kCall)) continue;
      std::vector<std::string> called;
      const Node callee = node.Child(Field::kFunction);
      for (const QualifiedName& name : names.Resolve(callee)) called.push_back(name.name);
      const MultiCardCalls::Way* way = calls->FindWay(called, node);
      if (way == nullptr) continue;
      EXPECT_EQ(way, &row) << row.before;
      made.push_back("transplt_distributed." + way->wrapper + "(" + std::string(callee.text()) +
                     ")" + std::string(node.Child(Field::kArguments).text()));
    }
    EXPECT_EQ(made, std::vector{row.after}) << row.before;
  }
}

TEST(MultiCardCalls, AFileThatIsReadIsReadByEachProcess) {
  const Result<MultiCardCalls> calls = MultiCardCalls::Load();
  ASSERT_TRUE(calls);
  for (const char* text : {"open('a')", "open('a', 'rb')", "open('a', mode='r')"}) {
    const ParsedFile file(text);
    EXPECT_EQ(calls->FindWay({"open"}, file.Find(NodeKind::kCall, text)), nullptr) << text;
  }
  const ParsedFile file("open('a', mode='wb')");
  EXPECT_NE(calls->FindWay({"open"}, file.Find(NodeKind::kCall, "open('a', mode='wb')")), nullptr);
}

TEST(NamePatterns, OneStarStandsForAnything) {
  const NamePatterns names({"torch.optim.*", "torch.nn.*Loss", "torch.load"});
  for (const char* name : {"torch.optim.SGD", "torch.nn.L1Loss", "torch.load"}) {
    EXPECT_TRUE(names.Match(name)) << name;
  }
  for (const char* name : {"torch.optim", "torch.nn.Linear", "torch.loads", "Loss"}) {
    EXPECT_FALSE(names.Match(name)) << name;
  }
}

}  // namespace
}  // namespace transplt
