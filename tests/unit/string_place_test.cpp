// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/string_place.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/parsed_file.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// The first `x.y` of the code.
bool IsMemberOnlyShown(const std::string& code) {
  const ParsedFile file(code);
  for (const Node node : NodesIn(file.tree().root())) {
    if (node.Is(NodeKind::kAttribute) && node.text() == "x.y") return IsOnlyShown(node);
  }
  ADD_FAILURE() << "no x.y";
  return false;
}

TEST(IsOnlyShown, HoldsOfWhatGoesIntoAMessage) {
  EXPECT_TRUE(IsMemberOnlyShown("print(x.y)\n"));
  EXPECT_TRUE(IsMemberOnlyShown("print('y:', x.y)\n"));
  EXPECT_TRUE(IsMemberOnlyShown("print('y: {}'.format(x.y))\n"));
  EXPECT_TRUE(IsMemberOnlyShown("print('y: ' + str(x.y))\n"));
  EXPECT_TRUE(IsMemberOnlyShown("print(f'y: {x.y}')\n"));
  EXPECT_TRUE(IsMemberOnlyShown("print('y: %s' % x.y)\n"));
}

TEST(IsOnlyShown, FailsWhereTheValueIsUsed) {
  EXPECT_FALSE(IsMemberOnlyShown("z = x.y\n"));
  EXPECT_FALSE(IsMemberOnlyShown("z = 'y: {}'.format(x.y)\n"));
  EXPECT_FALSE(IsMemberOnlyShown("print(x.y.split('.'))\n"));
  EXPECT_FALSE(IsMemberOnlyShown("print(int(x.y))\n"));
  EXPECT_FALSE(IsMemberOnlyShown("install(x.y)\n"));
}

}  // namespace
}  // namespace transplt
