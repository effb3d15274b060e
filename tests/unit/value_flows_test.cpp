// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/value_flows.h"

#include <gtest/gtest.h>

#include "tests/unit/parsed_file.h"

namespace transplt {

std::string_view ValueSignaturesText();  // generated from rules/signatures/values.json

namespace {

std::string NameOf(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::kDevice:
      return "device";
    case Verdict::Kind::kOther:
      return "other";
    case Verdict::Kind::kUnknown:
      return "unknown";
  }
  return "";
}

/// The verdicts of all strings in `code` that begin with cuda or nccl, in the order of the text.
std::vector<std::string> VerdictsIn(const std::string& code) {
  const ParsedFile file(code);
  const NameTable names(file.tree(), "file", false);
  const Classes classes(names, nullptr);
  ValueFlows flows(names, classes, nullptr, Signatures::Builtin());
  std::vector<std::string> verdicts;
  for (uint32_t id = 0; id < file.tree().size(); ++id) {
    const Node node = file.tree().node(id);
    if (!node.Is(NodeKind::kString)) continue;
    const std::string_view text = PlainStringContent(node) ? PlainStringContent(node).text() : "";
    if (!text.starts_with("cuda") && !text.starts_with("nccl")) continue;
    verdicts.push_back(NameOf(flows.VerdictOf(node).kind));
  }
  return verdicts;
}

TEST(Signatures, TheirExamplesGiveTheVerdictThatTheySay) {
  const Result<Signatures> loaded = Signatures::Load("values.json", ValueSignaturesText());
  ASSERT_TRUE(loaded) << loaded.error().what.en;
  for (const Signature& row : loaded->rows()) {
    for (const Signature::Example& example : row.examples) {
      const std::vector<std::string> verdicts = VerdictsIn(example.code);
      ASSERT_FALSE(verdicts.empty()) << row.id << "\n" << example.code;
      EXPECT_EQ(verdicts.front(), example.verdict) << row.id << "\n" << example.code;
    }
  }
}

using Verdicts = std::vector<std::string>;

TEST(ValueFlows, AVersionOfTheToolkitInTheSamePlaceSaysThatItIsNoDevice) {
  EXPECT_EQ(VerdictsIn("import torch\nfor extra in (\"cuda\", \"cuda13\", \"cpu\"):\n"
                       "    install(extras[extra])\n"),
            (Verdicts{"other", "other"}));
  EXPECT_EQ(VerdictsIn("import torch\nfor kind in (\"cuda\", \"cuda:1\", \"cpu\"):\n"
                       "    install(extras[kind])\n"),
            (Verdicts{"device", "device"}));
  EXPECT_EQ(VerdictsIn("import torch\nfor kind in (\"cuda\", \"cuda13\", \"cpu\"):\n"
                       "    torch.device(kind)\n"),
            (Verdicts{"device", "device"}));
}

TEST(ValueFlows, AWordAmongOthersByWhichNamesAreSortedIsNoDevice) {
  const std::string head = "import torch\ndef area(test_name, devices):\n";
  EXPECT_EQ(VerdictsIn(head + "    if \"memory\" in test_name:\n        return 1\n"
                              "    elif \"gradient\" in test_name or \"loss\" in test_name:\n"
                              "        return 2\n"
                              "    elif \"cuda\" in test_name:\n"
                              "        return devices[\"device\"]\n"),
            (Verdicts{"other"}));
  EXPECT_EQ(VerdictsIn(head + "    if \"cpu\" in test_name:\n        return 1\n"
                              "    elif \"mps\" in test_name:\n        return 2\n"
                              "    elif \"cuda\" in test_name:\n"
                              "        return torch.device(test_name)\n"),
            (Verdicts{"device"}));
}

TEST(ValueFlows, OneVerdictHoldsForDefaultAndComparison) {
  EXPECT_EQ(VerdictsIn("import torch\n"
                       "def f(policy=\"cuda\"):\n"
                       "    if policy == \"cuda\":\n"
                       "        return torch.zeros(2).to(policy)\n"),
            (Verdicts{"device", "device"}));
  EXPECT_EQ(VerdictsIn("def f(policy=\"cuda\"):\n    return policy == \"cuda\"\n"),
            (Verdicts{"unknown", "unknown"}));
}

TEST(ValueFlows, AClassWithoutAConstructorTakesWhatItsBasesTake) {
  EXPECT_EQ(VerdictsIn("import faster_whisper\n"
                       "class Base(faster_whisper.WhisperModel):\n"
                       "    pass\n"
                       "class Model(Base):\n"
                       "    pass\n"
                       "def load(place=\"cuda\"):\n"
                       "    return Model(\"small\", device=place)\n"),
            (Verdicts{"other"}));
  EXPECT_EQ(VerdictsIn("import faster_whisper\n"
                       "class Model(faster_whisper.WhisperModel):\n"
                       "    def __init__(self, device):\n"
                       "        self.place = torch.device(device)\n"
                       "Model(device=\"cuda\")\n"
                       "class Loop(Loop):\n"
                       "    pass\n"
                       "Loop(device=\"cuda\")\n"),
            (Verdicts{"device", "device"}));
}

TEST(ValueFlows, ATextBesideANameWithItsValueIsNoneOfItsValues) {
  EXPECT_EQ(VerdictsIn("assert options == [(\"cuda\", \"device_id\", \"0\")]\n"),
            (Verdicts{"unknown"}));
  EXPECT_EQ(VerdictsIn("update([\"MODEL.DEVICE\", \"cuda\"])\n"), (Verdicts{"device"}));
}

TEST(ValueFlows, PartsOfATextBelongToIt) {
  EXPECT_EQ(
      VerdictsIn("import re\nimport torch\n"
                 "def f(dev):\n"
                 "    if dev[:4] == \"cuda\" or dev.startswith(\"cuda\") or \"cuda\" in str(dev):\n"
                 "        dev = \"cuda:0\"\n"
                 "    return torch.device(dev)\n"),
      (Verdicts{"device", "device", "device", "device"}));
}

TEST(ValueFlows, AWordThatIsSearchedForInALongerValueStaysWithIt) {
  const std::string function =
      "import torch\n"
      "def run(backend: str):\n"
      "    if \"cuda\" in backend:\n"
      "        torch.zeros(2).to(torch.device(\"cpu\"))\n";
  EXPECT_EQ(VerdictsIn(function + "for b in [\"python_cuda\", \"cuda\"]:\n    run(b)\n"),
            (Verdicts{"other", "other"}));
  EXPECT_EQ(VerdictsIn(function + "run(\"cuda\")\nrun(\"python_cuda\")\n"),
            (Verdicts{"other", "other"}));
  EXPECT_EQ(VerdictsIn(function + "for b in [\"cuda:0\", \"cuda\"]:\n    run(b)\n"),
            (Verdicts{"device", "device", "device"}));
  EXPECT_EQ(VerdictsIn("NAMES = [\"my_cuda\", \"cuda\", \"cpu\"]\n"
                       "def run(name):\n"
                       "    return \"cuda\" in name\n"
                       "def main(name):\n"
                       "    return name in NAMES and run(name)\n"),
            (Verdicts{"other", "other"}));
  // An element of a list is not a part of a text.
  EXPECT_EQ(VerdictsIn("import torch\nNAMES = [\"my_cuda\", \"cuda\"]\n"
                       "if \"cuda\" in NAMES:\n"
                       "    torch.device(NAMES[1])\n"),
            (Verdicts{"device", "device"}));
}

TEST(ValueFlows, TheNumberOfADeviceIsFoundUnderAnyName) {
  EXPECT_EQ(VerdictsIn("import torch\n"
                       "def f(name):\n"
                       "    if name is None:\n"
                       "        name = \"cuda:0\"\n"
                       "    index = int(name.split(\":\")[-1]) if \":\" in name else 0\n"
                       "    if name.startswith(\"cuda\"):\n"
                       "        torch.zeros(index).to(name)\n"),
            (Verdicts{"device", "device"}));
  // A part of the old name is not in the new one.
  EXPECT_EQ(VerdictsIn("import torch\n"
                       "def f(name=\"cuda:0\"):\n"
                       "    if \"cud\" in name:\n"
                       "        torch.zeros(2).to(name)\n"),
            (Verdicts{"other"}));
}

TEST(ValueFlows, KeysOfADictionaryThatAFunctionReturnsAreWhatItIsLookedUpBy) {
  const std::string code =
      "import torch\n"
      "def find():\n"
      "    return {\"cuda\": has(\"cuda\"), \"mps\": has(\"mps\"), \"cpu\": True}\n"
      "def has(name):\n"
      "    return hasattr(torch, name)\n"
      "def serves(found, device):\n"
      "    return found.get(family(device), False)\n"
      "def family(device):\n"
      "    if device.startswith(\"cuda:\"):\n"
      "        return \"cuda\"\n"
      "    return device\n"
      "def main(device):\n"
      "    found = find()\n"
      "    if serves(found, device):\n"
      "        torch.zeros(2).to(device)\n"
      "    for name in (\"cuda\", \"mps\", \"cpu\"):\n"
      "        print(found[name])\n";
  EXPECT_EQ(VerdictsIn(code), (Verdicts{"device", "device", "device", "device", "device"}));
  // Measured values keep their names.
  EXPECT_EQ(VerdictsIn("def measure():\n"
                       "    return {\"cuda\": 1.0, \"host\": 2.0}\n"
                       "def main():\n"
                       "    times = measure()\n"
                       "    print(times[\"cuda\"], times[\"host\"])\n"),
            (Verdicts{"other", "other"}));
}

TEST(ValueFlows, AChosenTextIsOneOfTheChoicesOfItsCall) {
  EXPECT_EQ(VerdictsIn("import widgets as w\n"
                       "w.Dropdown(choices=[\"cpu\", \"cuda\"], value=\"cuda\")\n"),
            (Verdicts{"device", "device"}));
  EXPECT_EQ(VerdictsIn("import widgets as w\n"
                       "device = w.Dropdown(value=\"cuda\", label=\"Where\")\n"
                       "other = w.Dropdown(value=\"cuda\", label=\"cuda\")\n"),
            (Verdicts{"device", "unknown", "unknown"}));
  EXPECT_EQ(VerdictsIn("import widgets as w\n"
                       "device = w.Dropdown(\"cuda\", w.X, default=\"cuda:0\")\n"),
            (Verdicts{"device", "device"}));
}

TEST(ValueFlows, ADeviceThatIsPartOfTheNameOfASourceFileIsAContradiction) {
  EXPECT_EQ(VerdictsIn("import torch\n"
                       "def f(device=\"cuda\"):\n"
                       "    if device == \"cuda\":\n"
                       "        source = f\"bind_{device}.cu\"\n"
                       "    torch.zeros(2).to(device)\n"),
            (Verdicts{"other", "other"}));
}

TEST(ValueFlows, ADefaultOfAMethodAndTheArgumentsOfItsCallsAgree) {
  EXPECT_EQ(VerdictsIn("import torch.distributed as dist\n"
                       "class Group:\n"
                       "    def start(self, kind=\"nccl\"):\n"
                       "        dist.init_process_group(kind)\n"
                       "def main(group):\n"
                       "    group.start(\"nccl\")\n"),
            (Verdicts{"device", "device"}));
}

TEST(ValueFlows, AnOptionIsWhatItsReadersMakeOfIt) {
  EXPECT_EQ(VerdictsIn("import argparse\nimport torch\n"
                       "p = argparse.ArgumentParser()\n"
                       "p.add_argument(\"--kind\", default=\"cuda\")\n"
                       "def main(args):\n"
                       "    if args.kind == \"cuda\":\n"
                       "        torch.zeros(1, device=args.kind)\n"),
            (Verdicts{"device", "device"}));
}

TEST(ValueFlows, AKeyOfATableThatIsLookedUpByADeviceIsOne) {
  EXPECT_EQ(VerdictsIn("SPEED = {\"cuda\": 9, \"cpu\": 1}\n"
                       "def f(x):\n    return SPEED[x.device.type]\n"),
            (Verdicts{"device"}));
  EXPECT_EQ(VerdictsIn("SPEED = {\"cuda\": 9, \"cpu\": 1}\nprint(SPEED[\"cuda\"])\n"),
            (Verdicts{"other", "other"}));
}

TEST(ValueFlows, WhatGoesToATorchAndToAnotherLibraryIsAContradiction) {
  const ParsedFile file(
      "import torch\nimport paddle\nkind = "
      "\"cuda\"\ntorch.device(kind)\npaddle.set_device(kind)\n");
  const NameTable names(file.tree(), "file", false);
  const Classes classes(names, nullptr);
  ValueFlows flows(names, classes, nullptr, Signatures::Builtin());
  for (uint32_t id = 0; id < file.tree().size(); ++id) {
    const Node node = file.tree().node(id);
    if (!node.Is(NodeKind::kString)) continue;
    const Verdict verdict = flows.VerdictOf(node);
    EXPECT_EQ(verdict.kind, Verdict::Kind::kOther);
    EXPECT_TRUE(verdict.is_contradiction());
    EXPECT_EQ(file.source().Locate(verdict.against.range.start).line, 4);
    return;
  }
  FAIL() << "no string";
}

TEST(ValueFlows, CallersOfOneFunctionDoNotMeetInIt) {
  EXPECT_EQ(VerdictsIn("import torch\n"
                       "def show(name):\n    print(name)\n"
                       "kind = \"cuda\"\nshow(kind)\ntorch.device(kind)\n"
                       "title = \"cuda\"\nshow(title)\nopen(title)\n"),
            (Verdicts{"device", "other"}));
}

TEST(ValueFlows, AMessageIsNoneAndSaysNothingAboutWhatItTells) {
  EXPECT_EQ(
      VerdictsIn("import torch\nkind = \"cuda\"\nprint(f\"runs on {kind}\")\ntorch.device(kind)\n"),
      (Verdicts{"device"}));
  EXPECT_EQ(VerdictsIn("def f(log):\n    log.info(\"cuda\")\n"), (Verdicts{"other"}));
}

TEST(ValueFlows, VariablesThatAreSetInACircleEnd) {
  EXPECT_EQ(VerdictsIn("a = \"cuda\"\nb = a\na = b\nx.to(b)\n"), (Verdicts{"device"}));
}

TEST(ValueFlows, AThousandFunctionsThatPassAValueOnAreFollowed) {
  std::string code = "import torch\ndef f0(x):\n    return torch.device(x)\n";
  for (int i = 1; i <= 1000; ++i) {
    code += "def f" + std::to_string(i) + "(x):\n    return f" + std::to_string(i - 1) + "(x)\n";
  }
  EXPECT_EQ(VerdictsIn(code + "f1000(\"cuda\")\n"), (Verdicts{"device"}));
}

TEST(ValueFlows, AListThatTwoVariablesTakeTheirValuesFromIsOneValue) {
  EXPECT_EQ(VerdictsIn("import torch\nnames = [\"cuda\", \"cpu\"]\nfor a in names:\n    show(a)\n"
                       "for b in names:\n    torch.device(b)\n"),
            (Verdicts{"device"}));
}

TEST(ValueFlowsSize, AListOfThousandsOfTextsIsOneValue) {
  std::string code = "import torch\nnames = [";
  for (int i = 0; i < 30000; ++i) code += "\"cuda\", ";
  EXPECT_EQ(VerdictsIn(code + "]\nfor name in names:\n    torch.device(name)\n"),
            Verdicts(30000, "device"));
}

TEST(ValueFlowsSize, AParameterIsLookedForInItsFunctionAlone) {
  std::string code = "import torch\n";
  for (int i = 0; i < 15000; ++i) {
    const std::string name = "f" + std::to_string(i);
    code += "def " + name + "(device):\n    return torch.device(device)\n" + name + "(\"cuda\")\n";
  }
  EXPECT_EQ(VerdictsIn(code), Verdicts(15000, "device"));
}

TEST(ValueFlows, AllBranchesOfAChoiceAreOneValue) {
  EXPECT_EQ(VerdictsIn("import torch\nname = \"cuda\" if a else \"cuda:1\" if b else \"cpu\"\n"
                       "torch.device(name)\n"),
            (Verdicts{"device", "device"}));
  EXPECT_EQ(VerdictsIn("import torch\ntorch.device(a or \"cuda\" or (b or \"cuda:1\"))\n"),
            (Verdicts{"device", "device"}));
}

TEST(ValueFlowsSize, AChoiceOfThousandsOfTextsIsOneValueOnASmallStack) {
  std::string code = "import torch\nname = ";
  for (int i = 0; i < 20000; ++i) code += "\"cuda\" if a else ";
  code += "\"cpu\"\ntorch.device(name)\n";
  RunOnSmallStack([&] { EXPECT_EQ(VerdictsIn(code), Verdicts(20000, "device")); });
}

TEST(ValueFlowsSize, ACallWithThousandsOfArgumentsIsLookedThroughOnce) {
  std::string code = "import torch\ndef f(";
  for (int i = 0; i < 20000; ++i) code += "a" + std::to_string(i) + ", ";
  code += "):\n    torch.device(a777)\nf(";
  for (int i = 0; i < 20000; ++i) code += i == 777 ? "\"cuda\", " : "1, ";
  EXPECT_EQ(VerdictsIn(code + ")\n"), (Verdicts{"device"}));
}

}  // namespace
}  // namespace transplt
