// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/temp_folder.h"
#include "transplt/lsp/server.h"

namespace transplt {
namespace {

using nlohmann::json;

/// A server, and what it has sent.
class LanguageServer : public testing::Test {
 protected:
  LanguageServer() {
    folder_.Write("setup.py", "");
    folder_.Write("train.py", "import torch\n");
  }

  json Request(const std::string& method, const json& params) {
    const int id = ++last_id_;
    server_.Take(
        json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump());
    const json answer = sent_.empty() ? json() : sent_.back();
    EXPECT_EQ(answer.value("id", json()), json(id));
    return answer;
  }
  void Notify(const std::string& method, const json& params) {
    server_.Take(json{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}}.dump());
  }
  void Initialize(const json& capabilities = json::object()) {
    Request("initialize",
            {{"processId", nullptr}, {"rootUri", nullptr}, {"capabilities", capabilities}});
    Notify("initialized", json::object());
  }
  std::string Uri(const std::string& name) const { return "file://" + folder_ / name; }
  void Open(const std::string& name, const std::string& text) {
    Notify("textDocument/didOpen",
           {{"textDocument",
             {{"uri", Uri(name)}, {"languageId", "python"}, {"version", 1}, {"text", text}}}});
  }
  void Change(const std::string& name, const std::string& text) {
    Notify("textDocument/didChange", {{"textDocument", {{"uri", Uri(name)}, {"version", 2}}},
                                      {"contentChanges", {{{"text", text}}}}});
  }
  /// The diagnostics of the last notice about the file.
  json Diagnostics(const std::string& name) {
    server_.Refresh(nullptr);
    for (auto message = sent_.rbegin(); message != sent_.rend(); ++message) {
      if (message->value("method", "") == "textDocument/publishDiagnostics" &&
          message->at("params").at("uri") == Uri(name)) {
        return message->at("params").at("diagnostics");
      }
    }
    return nullptr;
  }
  json Actions(const std::string& name, int line) {
    const json place = {{"line", line}, {"character", 0}};
    return Request("textDocument/codeAction", {{"textDocument", {{"uri", Uri(name)}}},
                                               {"range", {{"start", place}, {"end", place}}},
                                               {"context", {{"diagnostics", json::array()}}}})
        .at("result");
  }

  TempFolder folder_;
  std::vector<json> sent_;
  Server server_{{}, [this](const std::string& text) { sent_.push_back(json::parse(text)); }};
  int last_id_ = 0;
};

TEST_F(LanguageServer, AnswersWhatComesAtTheWrongTime) {
  EXPECT_EQ(Request("textDocument/hover", json::object()).at("error").at("code"), -32002);
  Initialize();
  EXPECT_EQ(Request("initialize", json::object()).at("error").at("code"), -32600);
  EXPECT_EQ(Request("no/such", json::object()).at("error").at("code"), -32601);
  EXPECT_EQ(Request("textDocument/hover", json::object()).at("error").at("code"), -32602);
  EXPECT_EQ(Request("shutdown", nullptr).at("result"), json());
  EXPECT_EQ(Request("textDocument/hover", json::object()).at("error").at("code"), -32600);
  Notify("exit", nullptr);
  EXPECT_TRUE(server_.is_over());
  EXPECT_EQ(server_.exit_code(), 0);
}

TEST_F(LanguageServer, LivesThroughAnyMessage) {
  Initialize();
  const std::vector<std::string> messages = {
      "",
      "{",
      "[]",
      "1",
      "null",
      "\"text\"",
      "{}",
      R"({"id": 1})",
      R"({"id": {}, "method": "x"})",
      R"({"id": 1, "method": 2})",
      R"({"method": "textDocument/didOpen"})",
      R"({"method": "textDocument/didOpen", "params": [1]})",
      R"({"method": "textDocument/didOpen", "params": {"textDocument": 3}})",
      R"({"method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///x"}}})",
      R"({"method": "textDocument/didClose", "params": {"textDocument": {"uri": 4}}})",
      R"({"id": 2, "method": "textDocument/codeAction", "params": {"range": 5}})",
      R"({"id": 3, "method": "codeAction/resolve", "params": {"title": 1, "data": {"groups": [-1]}}})",
      R"({"id": 4, "method": "textDocument/hover", "params": 6})",
      std::string(100'000, '['),
      "\xff\xfe"};
  for (const std::string& message : messages) server_.Take(message);
  Open("train.py", "import torch\nx = torch.zeros(1).cuda()\n");
  EXPECT_FALSE(Diagnostics("train.py").empty());
}

TEST_F(LanguageServer, ReadsTheOpenBufferAndNotTheDisk) {
  Initialize();
  Open("train.py", "import torch\n数 = '😀'; x = torch.zeros(1).cuda()\n");
  const json found = Diagnostics("train.py");
  ASSERT_EQ(found.size(), 1U);
  const std::string before = "数 = '😀'; x = torch.zeros(1).";
  EXPECT_EQ(found[0].at("range").at("start").at("line"), 1);
  EXPECT_EQ(found[0].at("source"), "transplt");
  Change("train.py", "import torch\n");
  EXPECT_TRUE(Diagnostics("train.py").empty());
}

TEST_F(LanguageServer, NegotiatesTheEncodingOfPositions) {
  Initialize({{"general", {{"positionEncodings", {"odd", "utf-8", "utf-16"}}}}});
  EXPECT_EQ(sent_.front().at("result").at("capabilities").at("positionEncoding"), "utf-8");
}

TEST_F(LanguageServer, OffersTheEditsOfAGroupInAllFiles) {
  Initialize();
  folder_.Write("options.py", "DEVICE = 'cuda'\n");
  Open("train.py", "import torch\nimport options\nx = torch.zeros(1, device=options.DEVICE)\n");
  Open("options.py", "DEVICE = 'cuda'\n");
  const json actions = Actions("options.py", 0);
  ASSERT_FALSE(actions.empty());
  const json& changes = actions[0].at("edit").at("changes");
  ASSERT_TRUE(changes.contains(Uri("options.py"))) << changes;
  EXPECT_EQ(changes.at(Uri("options.py"))[0].at("newText"), "npu");
}

TEST_F(LanguageServer, RefusesToResolveAnActionOfAnEarlierText) {
  Initialize(
      {{"textDocument", {{"codeAction", {{"resolveSupport", {{"properties", {"edit"}}}}}}}}});
  Open("train.py", "import torch\nx = torch.zeros(1).cuda()\n");
  const json action = Actions("train.py", 1).at(0);
  EXPECT_FALSE(action.contains("edit"));
  EXPECT_TRUE(Request("codeAction/resolve", action).at("result").contains("edit"));
  Change("train.py", "import torch\n\nx = torch.zeros(1).cuda()\n");
  EXPECT_EQ(Request("codeAction/resolve", action).at("error").at("code"), -32801);
}

TEST_F(LanguageServer, ShowsTheEvidenceOfAText) {
  Initialize();
  Open("train.py", "import torch\nname = '数😀'; x = torch.device('cuda')\n");
  const auto hover = [&](int character) {
    return Request("textDocument/hover", {{"textDocument", {{"uri", Uri("train.py")}}},
                                          {"position", {{"line", 1}, {"character", character}}}})
        .at("result");
  };
  const std::string shown = hover(33).at("contents").at("value");
  EXPECT_NE(shown.find("'cuda': a device"), std::string::npos) << shown;
  EXPECT_TRUE(hover(20).is_null()) << "no text in quotes";
}

TEST_F(LanguageServer, TakesBackWhatItSaidOfAClosedFile) {
  Initialize();
  Open("train.py", "import torch\nx = torch.zeros(1).cuda()\n");
  EXPECT_FALSE(Diagnostics("train.py").empty());
  Notify("textDocument/didClose", {{"textDocument", {{"uri", Uri("train.py")}}}});
  EXPECT_TRUE(Diagnostics("train.py").empty());
  EXPECT_FALSE(server_.is_outdated());
}

}  // namespace
}  // namespace transplt
