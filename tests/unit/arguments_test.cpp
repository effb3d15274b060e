// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/arguments.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/parsed_file.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// What the call `code` passes at position 1 or as `dim`; "" for nothing.
std::string SecondOrDim(const std::string& code) {
  const ParsedFile file(code);
  for (const Node node : NodesIn(file.tree().root())) {
    if (!node.Is(NodeKind::kCall)) continue;
    const std::vector<Argument> arguments = ArgumentsOf(node);
    const Argument* found = FindArgument(arguments, 1, "dim");
    return found == nullptr ? "" : std::string(found->value.text());
  }
  ADD_FAILURE() << "no call";
  return "";
}

TEST(Arguments, AnArgumentIsFoundAtItsPositionAndByItsKeyword) {
  EXPECT_EQ(SecondOrDim("f(x, 2)\n"), "2");
  EXPECT_EQ(SecondOrDim("f(x, dim=2)\n"), "2");
  EXPECT_EQ(SecondOrDim("f(dim=2, a=1)\n"), "2");
}

TEST(Arguments, AnArgumentThatTheCallDoesNotPassIsNotFound) {
  EXPECT_EQ(SecondOrDim("f(x)\n"), "");
  EXPECT_EQ(SecondOrDim("f(x, keepdim=True)\n"), "");
}

TEST(Arguments, APositionBehindStarredValuesIsOpen) {
  EXPECT_EQ(SecondOrDim("f(*x, 2)\n"), "");
  EXPECT_EQ(SecondOrDim("f(x, *y)\n"), "");
  EXPECT_EQ(SecondOrDim("f(*x, dim=2)\n"), "2");
}

}  // namespace
}  // namespace transplt
