// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/source_texts.h"

#include <gtest/gtest.h>

#include <string>

namespace transplt {
namespace {

/// Ten lines that are long enough to be no chance, with `device` in the third.
std::string Script(const std::string& device) {
  std::string text = "import torch\n\n";
  text += "net = torch.nn.Linear(8, 4).to(\"" + device + "\")\n";
  for (int i = 0; i < 7; ++i) {
    text += "optimizer_" + std::to_string(i) + " = torch.optim.SGD(net.parameters(), lr=0.1)\n";
  }
  return text;
}

std::string Named(const std::string& script, const std::string& text) {
  SourceTexts sources;
  sources.Add("train.py", script);
  return sources.WithNames(text);
}

TEST(SourceTexts, HaveANameWhereTheyArePrintedWhole) {
  const std::string script = Script("cuda");
  EXPECT_EQ(Named(script, "1 begin\n" + script + "loss 2\n"), "1 begin\n<train.py>\nloss 2\n");
  EXPECT_EQ(Named(script, script + "\n" + script), "<train.py>\n<train.py>");
}

TEST(SourceTexts, MayBeginBehindAPrefixAndEndBeforeAnotherText) {
  const std::string script = Script("cuda");
  const std::string end = script.substr(0, script.size() - 1);
  EXPECT_EQ(Named(script, "INFO import\nINFO " + end + " (end)\n0.5"),
            "INFO import\nINFO <train.py> (end)\n0.5");
}

TEST(SourceTexts, HaveANameWhereAPartIsPrinted) {
  const std::string script = Script("cuda");
  const std::string part = script.substr(script.find("net ="));
  EXPECT_EQ(Named(script, "the model:\n" + part + "loss 2\n"), "the model:\n<train.py>\nloss 2\n");
  EXPECT_EQ(Named(script, script + part), "<train.py>\n<train.py>");
}

TEST(SourceTexts, AreNotThoseOfAnotherScript) {
  EXPECT_EQ(Named(Script("cuda"), "loss 1\n" + Script("npu").substr(0, 60)),
            "loss 1\n" + Script("npu").substr(0, 60));
}

TEST(SourceTexts, AreNotSeenInAFewEqualLines) {
  const std::string text =
      "import torch\n\noptimizer_0 = torch.optim.SGD(net.parameters(), lr=0.1)\n";
  EXPECT_EQ(Named(Script("cuda"), text), text);
}

TEST(SourceTexts, OfManyFilesWithOneHeadAreNamedByTheirs) {
  const std::string other = Script("cuda") + "print(1)\n";
  SourceTexts sources;
  sources.Add("a.py", Script("cuda"));
  sources.Add("b.py", other);
  EXPECT_EQ(sources.WithNames("x\n" + Script("cuda") + "loss 3\n"), "x\n<a.py>\nloss 3\n");
}

}  // namespace
}  // namespace transplt
