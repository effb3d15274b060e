// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/instrumentation.h"

#include <gtest/gtest.h>

#include "tests/unit/parsed_file.h"

namespace transplt {
namespace {

std::optional<InstrumentedFile> Instrumented(const std::string& code) {
  const ParsedFile file(code);
  const ApiTable apis;
  return Instrument(FileContext(file.tree(), apis, nullptr), 7);
}

/// The text without the import of the module, or "" if nothing was instrumented.
std::string TextOf(const std::string& code) {
  const auto file = Instrumented(code);
  if (!file) return "";
  std::string text = file->text;
  const std::string import = "import transplt_shapes as _transplt_shapes\n";
  const size_t at = text.find(import);
  EXPECT_NE(at, std::string::npos) << text;
  return text.erase(at, import.size());
}

TEST(Instrumentation, WrapsTheCalleeAndLeavesTheArguments) {
  EXPECT_EQ(TextOf("import torch\ny = torch.relu(x, *a, k=1, **b)  # c\n"),
            "import torch\ny = _transplt_shapes.at(7, 0, torch.relu)(x, *a, k=1, **b)  # c\n");
}

TEST(Instrumentation, WrapsCalleesOfCallees) {
  EXPECT_EQ(TextOf("import torch\ny = torch.relu(x).view(1)\n"),
            "import torch\n"
            "y = _transplt_shapes.at(7, 0, _transplt_shapes.at(7, 1, torch.relu)(x).view)(1)\n");
}

TEST(Instrumentation, LeavesWhatWouldChangeItsMeaning) {
  for (const char* code : {
           "import torch\n\n\n@torch.jit.script\ndef f(x):\n    return torch.relu(x)\n",
           "import torch\n\n\n@torch.no_grad()\ndef f(x):\n    pass\n",
           "import torch\nprint(f'{torch.relu(x)=}')\n",
           "import torch\n\n\nclass A(make(torch.relu(x))):\n    pass\n",
           "import torch\n\n\ndef f(x: torch.relu(y) = torch.relu(z)):\n    pass\n",
           "import torch\n\n\nclass A:\n    def __init__(self):\n        self.x = torch.relu(y)\n",
           "import torch\nlogger.info('%s', torch.zeros)\nprint(len(x))\ntorch.nn.Linear(1, 2)\n",
           "import torch\ntorch.relu(x\n",
           "import torch\nprint torch.relu(x)\n",
       }) {
    EXPECT_EQ(TextOf(code), "") << code;
  }
}

TEST(Instrumentation, ImportsItsModuleBehindDocstringAndFuture) {
  const auto file = Instrumented(
      "#!/usr/bin/python3\n\"\"\"Doc\"\"\"\nfrom __future__ import annotations; import torch\n"
      "torch.relu(x)\n");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->text,
            "#!/usr/bin/python3\n\"\"\"Doc\"\"\"\nfrom __future__ import annotations; "
            "import transplt_shapes as _transplt_shapes; import torch\n"
            "_transplt_shapes.at(7, 0, torch.relu)(x)\n");
  EXPECT_EQ(file->added_line, 0U);
}

TEST(Instrumentation, KeepsTheLineEnds) {
  const auto file = Instrumented("import torch\r\ntorch.relu(x)\r\n");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->text.starts_with("import transplt_shapes as _transplt_shapes\r\nimport torch"));
  EXPECT_EQ(file->added_line, 1U);
}

TEST(Instrumentation, SaysWhatItPutInSoThatItCanBeTakenOut) {
  const std::string code = "import torch\ny = torch.relu(torch.abs(x)).view(2)  # \xC3\xA4\n";
  const auto file = Instrumented(code);
  ASSERT_TRUE(file);
  std::string text = file->text;
  for (auto range = file->inserted.rbegin(); range != file->inserted.rend(); ++range) {
    text.erase(range->start, range->end - range->start);
  }
  EXPECT_EQ(text, "import transplt_shapes as _transplt_shapes\n" + code);
  ASSERT_EQ(file->calls.size(), 3U);
  EXPECT_EQ(file->calls[1].name, "torch.relu");
  EXPECT_EQ(file->calls[1].line, 2U);
}

}  // namespace
}  // namespace transplt
