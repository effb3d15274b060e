// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/module_inputs.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

using Files = std::map<std::string, std::string>;

/// What is known of the inputs of what `wrap(...)` in main.py gives: "placed", "no call", or the
/// first input that is not known to be on a device.
std::string InputsIn(const Files& files) {
  std::vector<std::string> paths;
  for (const auto& [path, text] : files) paths.push_back(path);
  const ProjectIndex project(
      paths, [&](const std::string& path) -> Result<std::string> { return files.at(path); });
  const auto main = project.Open("main.py");
  const Classes classes(main->names(), &project);
  const CodeFile file(main->names(), classes, &project);
  for (const Node node : NodesIn(main->tree())) {
    if (!node.Is(NodeKind::kCall) || node.Child(Field::kFunction).text() != "wrap") continue;
    const ModuleInputs inputs = InputsOfModule(node, file);
    if (!inputs.is_called) return "no call";
    return inputs.unplaced ? std::string(inputs.unplaced->node.text()) : "placed";
  }
  return "no module";
}

std::string InputsIn(const std::string& code) { return InputsIn(Files{{"main.py", code}}); }

TEST(ModuleInputs, AreOnADeviceWhereAMethodHasMovedThem) {
  EXPECT_EQ(InputsIn("m = wrap(n).cuda()\nfor x, y in z:\n    m(x.cuda())\n"), "placed");
  EXPECT_EQ(InputsIn("m = wrap(n)\nfor x, y in z:\n    x, y = x.to(d), y.to(d)\n    m(x)\n"),
            "placed");
  EXPECT_EQ(InputsIn("m = wrap(n)\nb = {k: v.to(d) for k, v in b.items()}\nm(**b)\n"), "placed");
}

TEST(ModuleInputs, AreNotKnownToBeThereWhereNothingMovesThem) {
  EXPECT_EQ(InputsIn("m = wrap(n).cuda()\nfor x, y in z:\n    m(x)\n    y = y.cuda()\n"), "x");
  EXPECT_EQ(InputsIn("m = wrap(n)\nm(x.cuda(), lengths)\n"), "lengths");
  EXPECT_EQ(InputsIn("m = wrap(n)\nm(x.cuda().cpu())\n"), "x.cuda().cpu()");
}

TEST(ModuleInputs, NoneAreKnownWhereNoCallIsInSight) {
  EXPECT_EQ(InputsIn("m = wrap(n).cuda()\nlibrary.fit(m, z)\n"), "no call");
}

TEST(ModuleInputs, FollowTheModuleIntoTheFunctionThatTrains) {
  const std::string main = "from lib import train\nm = wrap(n)\ntrain(z, m)\n";
  const std::string lib = "def train(z, model):\n    model.train()\n    for x in z:\n";
  EXPECT_EQ(InputsIn({{"main.py", main}, {"lib.py", lib + "        model(x)\n"}}), "x");
  EXPECT_EQ(InputsIn({{"main.py", main}, {"lib.py", lib + "        model(x.cuda())\n"}}), "placed");
}

TEST(ModuleInputs, FollowTheModuleThroughResultsAndAttributes) {
  EXPECT_EQ(InputsIn("def make():\n    return wrap(n)\nm = make()\nm(x)\n"), "x");
  EXPECT_EQ(InputsIn("class T:\n    def __init__(self):\n        self.m = wrap(n)\n"
                     "    def run(self, x):\n        return self.m(x)\nT().run(y)\n"),
            "x");
}

TEST(ModuleInputs, OfAPartAreThoseOfTheWhole) {
  EXPECT_EQ(InputsIn("m = Net()\nm.part = wrap(m.part)\nm(x)\n"), "x");
}

TEST(ModuleInputs, WhatALibraryMakesOfThemIsWhereTheyAre) {
  EXPECT_EQ(InputsIn("import torch\nm = wrap(n)\nx = x.cuda()\nv = torch.cat([x, x]).float()\n"
                     "m(v)\n"),
            "placed");
  EXPECT_EQ(InputsIn("import torch\nm = wrap(n)\nm(torch.zeros(2, device=d))\n"), "placed");
}

TEST(ModuleInputs, MovedWhereThereIsADeviceAreThere) {
  EXPECT_EQ(
      InputsIn("m = wrap(n)\nfor x in z:\n    if use_cuda:\n        x = x.cuda()\n    m(x)\n"),
      "placed");
  // This asks for the choice of one device, where several are used else.
  EXPECT_EQ(
      InputsIn(
          "m = wrap(n)\nfor x in z:\n    if gpu is not None:\n        x = x.cuda(gpu)\n    m(x)\n"),
      "x");
}

}  // namespace
}  // namespace transplt
