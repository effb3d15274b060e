// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/name_use.h"

#include <gtest/gtest.h>

#include "tests/unit/parsed_file.h"
#include "transplt/python/name_table.h"
#include "transplt/python/places_of_file.h"

namespace transplt {
namespace {

/// The last place where the file says Net.
Node LastNet(const ParsedFile& file) {
  Node last;
  for (uint32_t id = 0; id < file.tree().size(); ++id) {
    const Node node = file.tree().node(id);
    if (node.Is(NodeKind::kIdentifier) && node.text() == "Net") last = node;
  }
  return last;
}

NameUseAt UseIn(const ParsedFile& file) { return UseOfName(LastNet(file)); }

bool IsOnlyNamedIn(const std::string& code) {
  const ParsedFile file(code, "main.py");
  return IsOnlyNamed(LastNet(file));
}

NameUse KindIn(const std::string& code) {
  const ParsedFile file(code, "main.py");
  return UseIn(file).use;
}

TEST(UseOfName, RunsWhatIsCalledOrInheritedFrom) {
  EXPECT_EQ(KindIn("Net(3)\n"), NameUse::kRun);
  EXPECT_EQ(KindIn("class A(Net):\n    pass\n"), NameUse::kRun);
}

TEST(UseOfName, HandsOnWhatIsAnArgument) {
  EXPECT_EQ(KindIn("register(Net)\n"), NameUse::kHandedOn);
  EXPECT_EQ(KindIn("register(cls=Net)\n"), NameUse::kHandedOn);
  EXPECT_EQ(KindIn("register([A, Net])\n"), NameUse::kHandedOn);
}

TEST(UseOfName, ReturnsWhatStandsBehindReturn) {
  EXPECT_EQ(KindIn("def f():\n    return Net\n"), NameUse::kReturned);
  EXPECT_EQ(KindIn("def f():\n    return A, Net\n"), NameUse::kReturned);
  EXPECT_EQ(KindIn("def f():\n    return Net()\n"), NameUse::kRun);
}

TEST(UseOfName, AsksWhetherAnObjectIsOfTheClass) {
  EXPECT_EQ(KindIn("isinstance(x, Net)\n"), NameUse::kAsked);
  EXPECT_EQ(KindIn("isinstance(x, (A, Net))\n"), NameUse::kAsked);
  EXPECT_EQ(KindIn("type(x) is Net\n"), NameUse::kAsked);
}

TEST(UseOfName, TellsTheNameUnderWhichSomethingIsKept) {
  const ParsedFile file("kinds = (A, Net)\n", "main.py");
  const NameUseAt at = UseIn(file);
  EXPECT_EQ(at.use, NameUse::kKept);
  EXPECT_EQ(at.kept_as.text(), "kinds");
}

TEST(RunsWithDefinition, HoldsOfWhatAClassOfTheModuleInheritsFrom) {
  const auto runs = [](const std::string& code) {
    const ParsedFile file(code, "main.py");
    const NameTable names(file.tree(), "main", false);
    return RunsWithDefinition(names.places().NodesSaying("Net").front());
  };
  EXPECT_TRUE(runs("class A(x.Net):\n    pass\n"));
  EXPECT_TRUE(runs("@Net\ndef f():\n    pass\n"));
  EXPECT_FALSE(runs("class A:\n    def f(self):\n        return Net()\n"));
  EXPECT_FALSE(runs("def f():\n    class A(Net):\n        pass\n"));
}

TEST(IsOnlyNamed, HoldsOfAnnotationsAndOfTheClassThatAnObjectIsAskedFor) {
  EXPECT_TRUE(IsOnlyNamedIn("def f(x: Optional[Net] = None):\n    pass\n"));
  EXPECT_TRUE(IsOnlyNamedIn("isinstance(x, Net)\n"));
  EXPECT_TRUE(IsOnlyNamedIn("isinstance(x, (A, Net.Part))\n"));
}

TEST(IsOnlyNamed, FailsWhereTheNameIsRunOrHandedOn) {
  EXPECT_FALSE(IsOnlyNamedIn("x: Config = Net(3)\n"));
  EXPECT_FALSE(IsOnlyNamedIn("isinstance(Net.make(), A)\n"));
  EXPECT_FALSE(IsOnlyNamedIn("register(Net)\n"));
}

}  // namespace
}  // namespace transplt
