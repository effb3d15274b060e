// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/word_list.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/unit/parsed_file.h"
#include "transplt/analysis/instrumentation.h"
#include "transplt/batch/manifest.h"
#include "transplt/dump/find_graph.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/native/operator_index.h"
#include "transplt/python/dotted_name.h"
#include "transplt/verify/printed_line.h"
#include "transplt/verify/written_files.h"

namespace transplt {
namespace {

std::string YesOrNo(bool is_so) { return is_so ? "yes" : "no"; }

/// What is known of the value in the line `y = ...`.
std::string KindOfY(const std::string& code) {
  const ParsedFile file(code);
  const NameTable names(file.tree(), "file", false);
  const Classes classes(names, nullptr);
  const TensorTypes types(names, classes);
  for (uint32_t id = 0; id < file.tree().size(); ++id) {
    const Node node = file.tree().node(id);
    if (!node.Is(NodeKind::kAssignment) || node.Child(Field::kLeft).text() != "y") continue;
    const Node value = node.Child(Field::kRight);
    switch (types.Of(value)) {
      case ValueType::kTensor:
        return types.IsOnHost(value) ? "tensor on the host" : "tensor";
      case ValueType::kMask:
        return "mask";
      case ValueType::kOther:
        return "other";
      case ValueType::kUnknown:
        return "unknown";
    }
  }
  return "no y";
}

std::string WatchedCalls(const std::string& code) {
  const ParsedFile file(code);
  const ApiTable apis;
  const auto watched = Instrument(FileContext(file.tree(), apis, nullptr), 0);
  return std::to_string(watched ? watched->calls.size() : 0);
}

std::string ComparedNumbers(const std::string& line) {
  std::string numbers;
  for (const PrintedNumber& number : ReadPrintedLine(line).numbers) {
    if (number.is_compared) numbers += (numbers.empty() ? "" : " ") + number.text;
  }
  return numbers;
}

std::string LeavesItNoFile(const std::string& type) {
  GraphOp op;
  op.type = type;
  return YesOrNo(LeavesNoFile(op));
}

const std::map<std::string, std::function<std::string(const std::string&)>>& Askers() {
  static const std::map<std::string, std::function<std::string(const std::string&)>> askers = {
      {"what is y", KindOfY},
      {"calls that are watched", WatchedCalls},
      {"which numbers are compared", ComparedNumbers},
      {"the pattern of the line",
       [](const std::string& line) { return ReadPrintedLine(line).pattern; }},
      {"leaves it no file", LeavesItNoFile},
      {"is it an archive", [](const std::string& name) { return YesOrNo(IsArchiveName(name)); }},
      {"is it a header",
       [](const std::string& name) { return YesOrNo(Words("cxx-headers").Has(name)); }},
      {"is it declared",
       [](const std::string& name) { return YesOrNo(Words("declared-headers").Has(name)); }},
      {"does it open bindings",
       [](const std::string& name) { return YesOrNo(Words("binding-blocks").Has(name)); }},
      {"is it for the CPU",
       [](const std::string& name) {
         return YesOrNo(Words("cpu-function-words").Has(name.substr(name.rfind('_') + 1)));
       }},
      {"does it choose CUDA",
       [](const std::string& name) { return YesOrNo(Words("cuda-switches").Has(name)); }},
      {"does it tell of a device",
       [](const std::string& name) { return YesOrNo(Words("device-function-words").Has(name)); }},
      {"does it only ask",
       [](const std::string& name) { return YesOrNo(Words("asking-calls").Has(name)); }},
      {"does it raise",
       [](const std::string& name) { return YesOrNo(Words("failing-words").Has(name)); }},
      {"does it check",
       [](const std::string& name) { return YesOrNo(Words("check-words").Has(name)); }},
      {"is it linked",
       [](const std::string& name) { return YesOrNo(Words("cuda-link-libraries").Has(name)); }},
      {"the operator elsewhere",
       [](const std::string& name) { return std::string(OperatorElsewhere(name)); }},
      {"the torch that serves",
       [](const std::string& name) {
         return std::string(Words("torch-of-packages").MeaningOf(FirstPart(name)));
       }},
      {"what the operator takes",
       [](const std::string& name) {
         return std::string(Words("operator-limits").MeaningOf(name));
       }},
      {"what has other limits",
       [](const std::string& name) {
         return std::string(Words("operators-with-other-limits").MeaningOf(name));
       }},
      {"is it a length of sequences",
       [](const std::string& name) { return YesOrNo(Words("sequence-lengths").Has(name)); }},
      {"is it a plain twin",
       [](const std::string& name) { return YesOrNo(Words("plain-twins").Has(name)); }},
      {"does apply run it",
       [](const std::string& name) { return YesOrNo(Words("run-by-apply").Has(name)); }},
      {"does it open operators of torch",
       [](const std::string& name) { return YesOrNo(Words("library-blocks").Has(name)); }},
      {"the first torch that needs a newer C++",
       [](const std::string& option) {
         return std::string(Words("old-standards").MeaningOf(option));
       }},
      {"is it a checkpoint", [](const std::string& name) { return YesOrNo(IsCheckpoint(name)); }},
  };
  return askers;
}

// Those with "run" are run by tests/rules/word_list_examples.py.
TEST(WordLists, TheirExamplesAreAnsweredAsTheySay) {
  const std::filesystem::path folder = TRANSPLT_SOURCE_DIR "/rules/signatures";
  size_t asked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream stream(entry.path());
    const nlohmann::json file = nlohmann::json::parse(stream);
    for (const nlohmann::json& row : file.value("words", nlohmann::json::array())) {
      for (const nlohmann::json& example : row.at("examples")) {
        if (!example.contains("asks")) continue;
        ++asked;
        const auto asker = Askers().find(example.at("asks"));
        ASSERT_NE(asker, Askers().end()) << example;
        EXPECT_EQ(asker->second(example.at("code")), example.at("answer")) << row.at("id");
      }
    }
  }
  EXPECT_GE(asked, 20U);
}

std::optional<Error> Read(std::string_view text, WordLists& lists) {
  const Result<JsonDocument> document = JsonDocument::Parse("a.json", text);
  return document ? ReadWordLists(*document, lists) : document.error();
}

std::optional<Error> ErrorIn(std::string_view text) {
  WordLists lists;
  return Read(text, lists);
}

TEST(WordLists, ABrokenRowIsRefusedWithItsPlace) {
  EXPECT_TRUE(ErrorIn("{}"));
  EXPECT_TRUE(ErrorIn("{\"words\": {}}"));
  EXPECT_TRUE(ErrorIn(R"({"words": [{"id": "a", "why": "b", "words": ["c"], "examples": []}]})"));
  EXPECT_TRUE(ErrorIn(R"({"words": [{"id": "a", "why": "b", "words": [], "examples": [{}]}]})"));
  const auto error =
      ErrorIn(R"({"words": [{"id": "a", "why": "b", "wrds": ["c"], "examples": [{}]}]})");
  ASSERT_TRUE(error);
  EXPECT_NE(error->where.find("/words/0/wrds"), std::string::npos) << error->where;
  EXPECT_FALSE(
      ErrorIn(R"({"words": [{"id": "a", "why": "b", "words": ["c"], "examples": [{}]}]})"));
}

TEST(WordLists, AWordThatHasAPatternStandsForManyTexts) {
  WordLists lists;
  ASSERT_FALSE(Read(R"({"words": [
      {"id": "a", "why": "b", "words": ["os.*", "*.cu", "*cuda*", "torch.fx"], "examples": [{}]}]})",
                    lists));
  const WordList& list = lists.at("a");
  EXPECT_TRUE(list.Has("os.path") && list.Has("x.cu") && list.Has("my_cuda_lib"));
  EXPECT_FALSE(list.Has("oss") || list.Has("x.cut") || list.Has("torch.fx.Node"));
  EXPECT_TRUE(list.HasPackageOf("torch.fx.Node"));
  EXPECT_FALSE(list.HasPackageOf("torch.fxs"));
  EXPECT_EQ(list.PositionOf("*.cu"), 1);
  EXPECT_EQ(list.PositionOf("none"), -1);
}

TEST(MatchesPattern, EachStarStandsForAnyText) {
  EXPECT_TRUE(MatchesPattern("models.*_model", "models.fast_model"));
  EXPECT_TRUE(MatchesPattern("a*b*c", "abc") && MatchesPattern("a*b*c", "a1b2bc"));
  EXPECT_TRUE(MatchesPattern("*", "") && MatchesPattern("*", "x"));
  EXPECT_FALSE(MatchesPattern("models.*_model", "models.fast"));
  EXPECT_FALSE(MatchesPattern("a*b*c", "acb"));
  EXPECT_FALSE(MatchesPattern("ab*ba", "aba"));
}

}  // namespace
}  // namespace transplt
