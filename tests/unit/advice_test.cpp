// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/advice.h"

#include <gtest/gtest.h>

#include "tests/unit/parsed_file.h"
#include "transplt/analysis/advice_page.h"

namespace transplt {
namespace {

const AdviceTable& TheAdvice() {
  static const Result<AdviceTable> table = AdviceTable::Load();
  EXPECT_TRUE(table) << table.error().where << ": " << table.error().what.en;
  return *table;
}

FileAdvice AdviceOf(const std::string& path, const std::string& code,
                    Version version = {2, 13, 0, 0}) {
  const ParsedFile file(code, path);
  const ApiTable apis;
  return AdviceIn(FileContext(file.tree(), apis, nullptr), TheAdvice(), version);
}

/// The lines of `code` that the kind `id` has something to say about.
std::vector<uint32_t> LinesOf(const std::string& id, const std::string& code,
                              Version version = {2, 13, 0, 0}) {
  std::vector<FileAdvice> files;
  files.push_back(AdviceOf("train.py", code, version));
  const ProjectAdvice advice = SelectAdvice({"train.py"}, std::move(files), TheAdvice());
  std::vector<uint32_t> lines;
  for (const Advice& one : advice.kinds) {
    if (one.kind->id != id) continue;
    for (const AdvicePlace& place : one.places) lines.push_back(place.start_line);
  }
  return lines;
}

TEST(AdviceTable, EveryExampleOfEveryKindIsAsItSays) {
  for (const AdviceKind& kind : TheAdvice().kinds()) {
    for (const AdviceKind::Example& example : kind.examples) {
      EXPECT_EQ(LinesOf(kind.id, example.code), example.lines) << kind.id << "\n" << example.code;
    }
  }
}

TEST(AdviceTable, EveryKindShowsWhatItSeesAndWhatItLeaves) {
  for (const AdviceKind& kind : TheAdvice().kinds()) {
    bool sees = false;
    bool leaves = false;
    for (const AdviceKind::Example& example : kind.examples) {
      (example.lines.empty() ? leaves : sees) = true;
    }
    // One example may show both.
    EXPECT_TRUE(sees) << kind.id;
    EXPECT_TRUE(leaves || kind.examples.size() > 1) << kind.id;
    for (const Text& text : {kind.what, kind.why, kind.remedy}) {
      EXPECT_FALSE(text.en.empty() || text.zh.empty()) << kind.id;
    }
    EXPECT_FALSE(kind.source.empty()) << kind.id;
  }
}

TEST(AdviceTable, NamesTheFieldThatItDoesNotKnow) {
  const Result<AdviceTable> table = AdviceTable::Parse(
      "a.json", R"({"advice": [{"id": "x", "lists": [], "what": "", "what_zh": "",
        "why": "", "why_zh": "", "do": "", "do_zh": "", "source": "", "examples": [], "thing": 1}]})");
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().what.en.find("thing"), std::string::npos);
}

TEST(Advice, AWordInAFileThatIsImportedSpeaksForTheWholeProgram) {
  const std::string train =
      "import torch\nfrom model import Net\n\ndef train(data):\n"
      "    for x in data:\n        Net(x).backward()\n";
  const auto count = [&](bool is_imported) {
    std::vector<FileAdvice> files;
    files.push_back(AdviceOf("model.py", "from torch.cuda.amp import autocast\n"));
    files.push_back(AdviceOf("train.py", train));
    if (is_imported) files[1].imports.insert("model.py");
    const ProjectAdvice advice =
        SelectAdvice({"model.py", "train.py"}, std::move(files), TheAdvice());
    size_t found = 0;
    for (const Advice& one : advice.kinds)
      found += one.kind->id == "precision_mode.missing" ? 1 : 0;
    return found;
  };
  EXPECT_EQ(count(true), 0U);
  EXPECT_EQ(count(false), 1U);
}

TEST(Advice, PinnedMemoryIsNotAdvisedForVersionsThatLackIt) {
  const std::string code = "from torch.utils.data import DataLoader\nDataLoader(train_set, 32)\n";
  EXPECT_EQ(LinesOf("data.pin_memory", code), std::vector<uint32_t>{2});
  EXPECT_TRUE(LinesOf("data.pin_memory", code, {1, 8, 1, 0}).empty());
}

TEST(Advice, AFileThatDoesNotImportTorchHasNoPlaces) {
  EXPECT_TRUE(AdviceOf("a.py", "x.masked_select(y)\n").places.empty());
}

TEST(Advice, ThePageNamesAKindOnceWithItsPlaces) {
  std::vector<FileAdvice> files;
  std::string code = "import torch\n";
  for (int i = 0; i < 10; ++i) code += "torch.optim.SGD(p)\n";
  files.push_back(AdviceOf("train.py", code));
  const ProjectAdvice advice = SelectAdvice({"train.py"}, std::move(files), TheAdvice());
  Text page;
  size_t number = 0;
  AppendAdvice(advice, "performance", number, page);
  EXPECT_EQ(number, 1U);
  EXPECT_NE(page.en.find("[optimizer.fused]: 10 places, 1 files"), std::string::npos) << page.en;
  EXPECT_NE(page.en.find("train.py:2: torch.optim.SGD(p)"), std::string::npos) << page.en;
  EXPECT_NE(page.zh.find("另有 4 处"), std::string::npos) << page.zh;
  EXPECT_EQ(AdviceRows(advice, "performance").rows.size(), 10U);
  EXPECT_TRUE(AdviceRows(advice, "precision").rows.empty());
}

}  // namespace
}  // namespace transplt
