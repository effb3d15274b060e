// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/classes.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/parsed_file.h"

namespace transplt {
namespace {

/// True if what the last call of a method named `method` is made on is an object of a class of the
/// file that defines it.
bool LastReceiverDefines(const std::string& code, const std::string& method) {
  const ParsedFile file(code);
  const NameTable names(file.tree(), "file", false);
  const Classes classes(names, nullptr);
  for (uint32_t id = file.tree().size(); id-- > 0;) {
    const Node node = file.tree().node(id);
    if (node.Is(NodeKind::kAttribute) && node.Child(Field::kAttribute).text() == method) {
      return classes.ReceiverDefines(node.Child(Field::kObject), method);
    }
  }
  ADD_FAILURE() << "no such call";
  return false;
}

const std::string kBatch = "class Batch:\n    def cuda(self):\n        return self\n";

TEST(Classes, AMethodGivesBackTheObjectThatItIsCalledOn) {
  EXPECT_TRUE(LastReceiverDefines(kBatch + "b = Batch()\nb = b.cuda()\nb.cuda()\n", "cuda"));
  EXPECT_FALSE(LastReceiverDefines(kBatch + "b = load()\nb = b.cuda()\nb.cuda()\n", "cuda"));
}

TEST(Classes, EveryBindingOfAVariableCounts) {
  const std::string code = kBatch + "b = Batch()\nif c:\n    b = ";
  EXPECT_TRUE(LastReceiverDefines(code + "Batch()\nb.cuda()\n", "cuda"));
  EXPECT_FALSE(LastReceiverDefines(code + "load()\nb.cuda()\n", "cuda"));
}

TEST(Classes, BasesThatFormACycleEnd) {
  const std::string code = "class A(B):\n    pass\nclass B(A):\n    def own(self):\n        pass\n";
  EXPECT_TRUE(LastReceiverDefines(code + "A().own()\n", "own"));
  EXPECT_FALSE(LastReceiverDefines(code + "A().cuda()\n", "cuda"));
}

TEST(Classes, AnAttributeIsWhatItsClassAssigns) {
  const std::string code = kBatch +
                           "class T:\n    def __init__(self):\n        self.feed = Batch()\n"
                           "    def f(self):\n        self.feed = self.feed.cuda()\n";
  EXPECT_TRUE(LastReceiverDefines(code, "cuda"));
  EXPECT_FALSE(LastReceiverDefines(code + "        self.feed.cuda()\n", "cuda"));
}

TEST(ClassesSize, FollowsAVariableThatIsBoundAgainThousandsOfTimesOnASmallStack) {
  std::string code = kBatch + "b = Batch()\n";
  for (int i = 0; i < 40000; ++i) code += "b = b.cuda()\n";
  RunOnSmallStack([&] { EXPECT_TRUE(LastReceiverDefines(code, "cuda")); });
}

TEST(ClassesSize, AsksEachOfThousandsOfClassesForTheSameName) {
  std::string code = "class C0:\n    pass\n";
  for (int i = 0; i < 10000; ++i) {
    code += "class C" + std::to_string(i + 1) + "(C" + std::to_string(i) +
            "):\n    def f(self):\n        self.cuda()\n";
  }
  const ParsedFile file(code);
  const NameTable names(file.tree(), "file", false);
  const Classes classes(names, nullptr);
  for (uint32_t id = 0; id < file.tree().size(); ++id) {
    const Node node = file.tree().node(id);
    if (!node.Is(NodeKind::kClassDefinition)) continue;
    ASSERT_FALSE(classes.ClassDefines(node, "cuda"));
  }
}

}  // namespace
}  // namespace transplt
