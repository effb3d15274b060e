// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/entry_points.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/unit/project_on_disk.h"
#include "transplt/facts/training_apis.h"

namespace transplt {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

constexpr const char* kTraining = R"(
import torch

def train(model, optimizer, data):
    for x in data:
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
)";

constexpr const char* kMain = R"(
if __name__ == "__main__":
    main()
)";

std::string Program(const std::string& body) { return kTraining + body + kMain; }

/// A program that trains and takes what `arguments` define.
std::string WithArguments(const std::string& arguments) {
  return Program("\nimport argparse\n\ndef main():\n    parser = argparse.ArgumentParser()\n" +
                 arguments + "    args = parser.parse_args()\n    train(None, None, [])\n");
}

const std::string kPlain = Program("\ndef main():\n    train(None, None, [])\n");

EntryPoints FoundIn(const std::map<std::string, std::string>& files) {
  const ProjectOnDisk project(files);
  Result<EntryPoints> found = FindEntryPoints(project.sources());
  if (!found) {
    ADD_FAILURE() << found.error().where << ": " << found.error().what.en;
    return {};
  }
  return *std::move(found);
}

std::string ChosenIn(const EntryPoints& found) {
  return found.chosen ? found.candidates.at(*found.chosen).path : "";
}

std::vector<std::string> Training(const EntryPoints& found) {
  std::vector<std::string> paths;
  for (const EntryPoint& entry : found.candidates) {
    if (entry.trains) paths.push_back(entry.path);
  }
  return paths;
}

std::vector<std::string> All(const EntryPoints& found) {
  std::vector<std::string> paths;
  for (const EntryPoint& entry : found.candidates) paths.push_back(entry.path);
  return paths;
}

/// The entry of a project with one program that trains.
EntryPoint OnlyEntry(const std::map<std::string, std::string>& files) {
  const EntryPoints found = FoundIn(files);
  if (found.chosen) return found.candidates.at(*found.chosen);
  ADD_FAILURE() << found.why.en;
  return {};
}

std::vector<std::string> Required(const EntryPoint& entry) {
  std::vector<std::string> names;
  for (const EntryArgument& argument : entry.arguments) {
    if (argument.required) names.push_back(argument.name);
  }
  return names;
}

EntryArgument Argument(const EntryPoint& entry, const std::string& name) {
  for (const EntryArgument& argument : entry.arguments) {
    if (argument.name == name) return argument;
  }
  ADD_FAILURE() << "no argument " << name;
  return {};
}

// ----- which programs train

TEST(EntryPoints, AreProgramsThatReachABackwardPassAndAnUpdate) {
  const EntryPoints found = FoundIn({{"run.py", kPlain}});
  EXPECT_EQ(ChosenIn(found), "run.py");
  const EntryPoint& entry = found.candidates.at(0);
  EXPECT_EQ(entry.framework, Framework::kPytorch);
  EXPECT_TRUE(entry.is_certain);
  EXPECT_THAT(entry.evidence.at(1).place, "run.py:7");
  EXPECT_THAT(entry.evidence.at(1).reason.en, HasSubstr("main, train"));
  EXPECT_THAT(entry.evidence.at(1).reason.zh, HasSubstr("训练"));
}

TEST(EntryPoints, TrainThroughOtherFilesAndClasses) {
  EXPECT_EQ(ChosenIn(FoundIn({{"engine/loop.py", kTraining},
                              {"engine/__init__.py", "from .loop import train\n"},
                              {"engine/solver.py",
                               "from engine import train\n\nclass Base:\n    def run(self):\n"
                               "        self.step()\n\nclass Solver(Base):\n    def step(self):\n"
                               "        train(None, None, [])\n"},
                              {"go.py",
                               "from engine.solver import Solver\n\ndef make():\n"
                               "    return Solver()\n\nif __name__ == '__main__':\n"
                               "    solver = make()\n    solver.run()\n"}})),
            "go.py");
}

TEST(EntryPoints, AreToldFromEvaluationByWhatTheyReach) {
  const EntryPoints found =
      FoundIn({{"solver.py",
                std::string(kTraining) +
                    "\nclass Solver:\n    def train(self):\n        train(None, None, [])\n"
                    "    def test(self):\n        self.net.eval()\n        self.net.train()\n"},
               {"first.py",
                "from solver import Solver\n\nif __name__ == '__main__':\n    Solver().train()\n"},
               {"train_second.py",
                "from solver import Solver\n\nif __name__ == '__main__':\n    Solver().test()\n"}});
  EXPECT_THAT(Training(found), ElementsAre("first.py"));
  EXPECT_THAT(All(found), ElementsAre("first.py", "train_second.py"));
}

TEST(EntryPoints, MayCallAMethodOfAnObjectWhoseClassIsNotKnown) {
  const EntryPoint entry = OnlyEntry(
      {{"run.py", Program("\nclass Loop:\n    def __init__(self):\n        self.data = []\n"
                          "    def fit(self, epochs):\n        train(None, None, self.data)\n\n"
                          "LOOPS = {'plain': Loop}\n\ndef main():\n"
                          "    loop = LOOPS['plain']()\n    loop.fit(3)\n")}});
  EXPECT_TRUE(entry.trains);
  EXPECT_FALSE(entry.is_certain);
}

TEST(EntryPoints, DoNotTakeTheTrainOfAModuleForThatOfATrainer) {
  EXPECT_THAT(Training(FoundIn({{"run.py", Program("\nclass Loop:\n    def train(self):\n"
                                                   "        train(None, None, [])\n\ndef main():\n"
                                                   "    Loop()\n    net = load()\n    net.eval()\n"
                                                   "    net.cuda()\n    net.train()\n")}})),
              IsEmpty());
}

TEST(EntryPoints, AreNoTestsAndNoSetup) {
  const EntryPoints found = FoundIn(
      {{"train.py", kPlain},
       {"setup.py", "from setuptools import setup\n\nif __name__ == '__main__':\n    setup()\n"},
       {"tests/test_loop.py", std::string(kTraining) +
                                  "\ndef test_it():\n"
                                  "    train(None, None, [])\n" +
                                  kMain},
       {"tests/case.py", std::string(kTraining) +
                             "\nimport unittest\n\nclass Case(unittest.TestCase):\n"
                             "    def test_it(self):\n        train(None, None, [])\n\n"
                             "if __name__ == '__main__':\n    unittest.main()\n"}});
  EXPECT_THAT(All(found), ElementsAre("train.py"));
}

TEST(EntryPoints, AreFilesOfTestsThatGiveATestWhatItNeeds) {
  const EntryPoints found =
      FoundIn({{"test_net.py", std::string(kTraining) +
                                   "\ndef test_speed(config):\n    train(None, None, config)\n\n"
                                   "if __name__ == '__main__':\n    test_speed(3)\n"}});
  EXPECT_THAT(All(found), ElementsAre("test_net.py"));
}

TEST(EntryPoints, AreFilesOfTestsWhoseMainBlockTakesOptions) {
  const std::string options =
      "\nif __name__ == '__main__':\n    import argparse\n"
      "    parser = argparse.ArgumentParser()\n    parser.add_argument('data')\n"
      "    train(None, None, parser.parse_args().data)\n";
  const EntryPoints found =
      FoundIn({{"test_net.py", std::string(kTraining) + "\ndef test(net):\n    pass\n" + options},
               {"test_other.py", std::string(kTraining) + "\ndef test_it():\n    pass\n" + kMain}});
  EXPECT_THAT(All(found), ElementsAre("test_net.py"));
}

TEST(EntryPoints, AreNoFilesWhoseMainBlockIsEmpty) {
  const EntryPoints found =
      FoundIn({{"train.py", kPlain},
               {"model.py", "class Net:\n    pass\n\nif __name__ == '__main__':\n    pass\n"},
               {"show.py", "if __name__ == '__main__':\n    # later\n    print(1)\n"}});
  EXPECT_THAT(All(found), ElementsAre("train.py", "show.py"));
}

TEST(EntryPoints, AreScriptsThatAreAllOfAnExample) {
  const std::string script = "import sys\nprint(sys.argv)\n";
  const EntryPoints found =
      FoundIn({{"train.py", kPlain},
               {"score.py", script},
               {"other.py", script},
               {"more.py", script},
               {"README.md",
                "Score with\n```\nscore.py result\n```\nThe files are `other.py 1`\n"
                "```\ntrain.py\nother.py   # others\nmore.py\n```\n"}});
  EXPECT_THAT(All(found), ElementsAre("train.py", "score.py"));
}

TEST(EntryPoints, DoNotTrainWhereALibraryShowsItself) {
  const EntryPoints found = FoundIn({{"train.py", kPlain},
                                     {"nets/resnet.py",
                                      "import torch\n\nif __name__ == '__main__':\n"
                                      "    y = make()(torch.rand(1))\n    y.sum().backward()\n"},
                                     {"tools/convert.py",
                                      "import torch\n\nif __name__ == '__main__':\n"
                                      "    torch.save(torch.load('a'), 'b')\n"}});
  EXPECT_THAT(Training(found), ElementsAre("train.py"));
}

TEST(EntryPoints, DoNotTrainWhereOnlyAnImageIsFitted) {
  const EntryPoints found = FoundIn({{"train.py", kPlain},
                                     {"project.py",
                                      "import torch\n\nif __name__ == '__main__':\n"
                                      "    optimizer = torch.optim.Adam([image])\n"
                                      "    loss.backward()\n    optimizer.step()\n"}});
  EXPECT_THAT(Training(found), ElementsAre("train.py"));
}

TEST(EntryPoints, DoNotTrainBecauseAModuleThatTrainsIsImported) {
  const EntryPoints found = FoundIn({{"train.py", kPlain},
                                     {"export.py",
                                      "from train import main as other\nimport train\n\n"
                                      "if __name__ == '__main__':\n    print(train)\n"}});
  EXPECT_THAT(Training(found), ElementsAre("train.py"));
}

TEST(EntryPoints, DoNotTrainBecauseAHookIsHandedToARegistry) {
  EXPECT_THAT(Training(FoundIn({{"hook.py",
                                 "from mmcv.runner import HOOKS, OptimizerHook\n\n"
                                 "@HOOKS.register_module()\nclass Hook(OptimizerHook):\n"
                                 "    def after_train_iter(self, runner):\n"
                                 "        runner.outputs['loss'].backward()\n"
                                 "        runner.optimizer.step()\n"}})),
              IsEmpty());
}

TEST(EntryPoints, MayHaveNoMainBlock) {
  EXPECT_EQ(ChosenIn(FoundIn({{"go.py", std::string(kTraining) + "\ntrain(None, None, [])\n"},
                              {"library.py", kTraining}})),
            "go.py");
}

TEST(EntryPoints, MayUpdateTheWeightsWithoutAnOptimizer) {
  EXPECT_EQ(ChosenIn(FoundIn({{"go.py",
                               "if __name__ == '__main__':\n    loss.backward()\n"
                               "    for p in model.parameters():\n"
                               "        p.data.add_(p.grad, alpha=-0.1)\n"}})),
            "go.py");
}

TEST(EntryPoints, TrainWithWhatAStringNames) {
  EXPECT_EQ(ChosenIn(FoundIn({{"lib/loop.py", kTraining},
                              {"lib/__init__.py", ""},
                              {"go.py",
                               "from tool import call\n\nif __name__ == '__main__':\n"
                               "    call('lib.loop.train', model=1)\n"}})),
            "go.py");
}

TEST(EntryPoints, TrainWithAnObjectThatARegistryOfTheSameFileHasBuilt) {
  const std::string trainers =
      "import torch\nfrom registry import Registry\n\nTRAINERS = Registry()\n\n"
      "@TRAINERS.register_module(\"Own\")\nclass Trainer:\n    def __init__(self, cfg):\n"
      "        self.model = torch.nn.Linear(2, 2)\n"
      "        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1)\n\n"
      "    def train(self):\n        self.model(torch.ones(2)).sum().backward()\n"
      "        self.optimizer.step()\n";
  const std::string registry =
      "class Registry:\n    def build(self, *args):\n        return self.make(*args)\n\n"
      "    def register_module(self, name):\n        return self.add\n";
  const std::string body =
      "from trainers import TRAINERS\n\ndef main():\n"
      "    trainer = TRAINERS.build({\"type\": kind})\n    trainer.train()\n";
  const EntryPoints found =
      FoundIn({{"registry.py", registry}, {"trainers.py", trainers}, {"run.py", body + kMain}});
  EXPECT_THAT(Training(found), ElementsAre("run.py"));
}

TEST(EntryPoints, TrainWithAClassOfARegistryThatTheyAsk) {
  const std::map<std::string, std::string> files = {
      {"registry.py", "MODELS = Registry()\nOTHERS = Registry()\n"},
      {"models/plain.py", std::string(kTraining) +
                              "\nfrom registry import MODELS\n\n@MODELS.register()\n"
                              "class Plain:\n    def optimize(self, n):\n"
                              "        train(None, None, [])\n"},
      {"go.py",
       "from registry import MODELS\n\ndef make(name):\n"
       "    return MODELS.get(name)()\n\nif __name__ == '__main__':\n"
       "    model = make('Plain')\n    model.optimize(1)\n"}};
  EXPECT_EQ(ChosenIn(FoundIn(files)), "go.py");
  std::map<std::string, std::string> others = files;
  others["go.py"].replace(others["go.py"].find("MODELS.get"), 6, "OTHERS");
  others["go.py"].replace(others["go.py"].find("MODELS"), 6, "OTHERS");
  EXPECT_THAT(Training(FoundIn(others)), IsEmpty());
}

TEST(EntryPoints, SurviveCyclesAndBrokenFiles) {
  const EntryPoints found =
      FoundIn({{"a.py", "from b import B\n\nclass A(B):\n    def f(self):\n        self.f()\n"},
               {"b.py", "from a import A\n\nclass B(A):\n    pass\n\nclass C(C):\n    pass\n"},
               {"broken.py", "def f(:\n    if __name__ == '__main__'\n"},
               {"empty.py", ""},
               {"go.py", "from a import A\n\nif __name__ == '__main__':\n    A().f()\n"}});
  EXPECT_THAT(Training(found), IsEmpty());
  EXPECT_FALSE(found.chosen);
  EXPECT_THAT(found.why.en, HasSubstr("no program"));
}

TEST(EntryPoints, OfNotebooksAloneAreNone) {
  const EntryPoints found = FoundIn({{"a.ipynb", "{\"cells\": []}"}});
  EXPECT_THAT(found.candidates, IsEmpty());
  EXPECT_THAT(found.notebooks, ElementsAre("a.ipynb"));
}

// ----- every row of rules/training_apis.json holds for its example

TEST(TrainingApis, HoldForTheirExamples) {
  const Result<TrainingApis> apis = TrainingApis::Load();
  ASSERT_TRUE(apis) << apis.error().where << ": " << apis.error().what.en;
  for (const TrainingApi& row : apis->rows()) {
    SCOPED_TRACE(row.id);
    const EntryPoints found = FoundIn({{"script.py", row.example}});
    if (row.kind == TrainingApi::Kind::kTest || row.kind == TrainingApi::Kind::kSetup) {
      EXPECT_THAT(found.candidates, IsEmpty());
      continue;
    }
    if (row.kind == TrainingApi::Kind::kInference) {
      EXPECT_EQ(found.candidates.size(), 1U);
      EXPECT_THAT(Training(found), IsEmpty());
      EXPECT_THAT(FoundIn({{"x.py", row.unlike}}).candidates, IsEmpty());
      EXPECT_THAT(FoundIn({{"script.py", row.example}, {"y.py", "import script\n"}}).candidates,
                  IsEmpty());
      continue;
    }
    EXPECT_EQ(ChosenIn(found), "script.py");
    if (found.candidates.empty()) continue;
    if (row.start) {
      EXPECT_EQ(NameOf(found.candidates[0].start), NameOf(*row.start));
    }
    if (row.framework) {
      EXPECT_EQ(found.candidates[0].framework, row.framework);
    }
    if (!row.unlike.empty()) {
      EXPECT_THAT(Training(FoundIn({{"x.py", row.unlike}})), IsEmpty());
    }
  }
}

// ----- which of several is meant

TEST(EntryPoints, OfWhichSeveralTrainAreNotChosen) {
  const EntryPoints found = FoundIn({{"one.py", kPlain}, {"two.py", kPlain}});
  EXPECT_FALSE(found.chosen);
  EXPECT_THAT(Training(found), UnorderedElementsAre("one.py", "two.py"));
  EXPECT_THAT(found.why.en, HasSubstr("several"));
}

TEST(EntryPoints, AreChosenByTheFirstTrainingOfTheReadme) {
  const EntryPoints found =
      FoundIn({{"one.py", kPlain},
               {"two.py", kPlain},
               {"show.py", "if __name__ == '__main__':\n    print(1)\n"},
               {"README.md",
                "Or `python one.py --fast`.\n\n```\n$ python show.py\n"
                "$ torchrun --nproc_per_node 8 two.py --lr <your rate>\n```\n"}});
  EXPECT_EQ(ChosenIn(found), "two.py");
  const EntryPoint& entry = found.candidates.at(*found.chosen);
  EXPECT_EQ(entry.example_place, "README.md:5");
  EXPECT_THAT(entry.example_arguments, ElementsAre("--lr", "<your rate>"));
}

TEST(EntryPoints, AreChosenByTheFirstTrainingThatTheReadmeStartsOnDevices) {
  const std::string readme =
      "```\npython one.py --lr 1\npython -m torch.distributed.launch two.py --lr 1\n```\n";
  const EntryPoints found =
      FoundIn({{"one.py", kPlain}, {"two.py", kPlain}, {"README.md", readme}});
  EXPECT_EQ(ChosenIn(found), "two.py");
}

TEST(EntryPoints, AreChosenByTheScriptThatTheReadmeStarts) {
  const EntryPoints found =
      FoundIn({{"one.py", kPlain},
               {"tools/two.py", kPlain},
               {"tools/run.sh", "python $(dirname \"$0\")/two.py $1 ${@:2}\n"},
               {"README.md", "```\nbash tools/run.sh cfg.yaml --lr 1\n```\n"}});
  EXPECT_EQ(ChosenIn(found), "tools/two.py");
  EXPECT_THAT(found.candidates.at(0).example_arguments, ElementsAre("cfg.yaml", "--lr", "1"));
}

TEST(EntryPoints, AreChosenByTheOnlyScriptThereIs) {
  EXPECT_EQ(
      ChosenIn(FoundIn(
          {{"one.py", kPlain}, {"two.py", kPlain}, {"Makefile", "train:\n\tpython two.py\n"}})),
      "two.py");
}

TEST(EntryPoints, AreNotStartedByCommandsThatOnlyNameThem) {
  EXPECT_FALSE(FoundIn({{"one.py", kPlain},
                        {"two.py", kPlain},
                        {"two.sh", "python two.py $1\nbash one.sh\n"},
                        {"one.sh", "python one.py\n"},
                        {"README.md",
                         "```\nvim two.py\ncp two.py three.py\ntwo.py\n```\n\n"
                         "`two.py` and `two.sh`\n"}})
                   .chosen);
}

TEST(EntryPoints, AreScriptsThatStartATrainingToo) {
  const EntryPoints found = FoundIn({{"train.py", kPlain},
                                     {"sweep.py",
                                      "import os\n\nfor seed in range(3):\n"
                                      "    os.system(f'python train.py --seed {seed}')\n"},
                                     {"list.py", "import os\n\nos.system('ls data')\n"}});
  std::vector<std::string> paths;
  for (const EntryPoint& entry : found.candidates) paths.push_back(entry.path);
  EXPECT_THAT(paths, UnorderedElementsAre("train.py", "sweep.py"));
}

// ----- how they are started

TEST(EntryPoints, AreNoFilesThatOnlyDefineAClassThoughACommandNamesThem) {
  const EntryPoints found = FoundIn(
      {{"README.md", "```shell\npython -m pkg.train -f exps/small.py\n    exps/large.py\n```\n"},
       {"train.py", kPlain},
       {"exps/small.py",
        "\"\"\"Small.\"\"\"\nfrom base import Base\n\nclass Exp(Base):\n    n = 1\n"},
       {"exps/large.py", "from base import Base\n\nclass Exp(Base):\n    n = 2\n"}});
  ASSERT_EQ(found.candidates.size(), 1U);
  EXPECT_EQ(found.candidates[0].path, "train.py");
}

TEST(EntryPoints, NeedTheFolderOfWhatTheyImport) {
  const std::map<std::string, std::string> files = {
      {"lib/loop.py", kTraining},
      {"lib/__init__.py", ""},
      {"tools/train.py",
       "from lib.loop import train\n\nif __name__ == '__main__':\n"
       "    train(None, None, [])\n"}};
  EXPECT_THAT(OnlyEntry(files).python_path, ElementsAre(""));
  std::map<std::string, std::string> helped = files;
  helped["tools/train.py"] = "import sys\nsys.path.insert(0, '..')\n" + files.at("tools/train.py");
  EXPECT_THAT(OnlyEntry(helped).python_path, IsEmpty());
}

TEST(EntryPoints, FindModulesBesideThemselves) {
  const EntryPoint entry = OnlyEntry({{"code/loop.py", kTraining},
                                      {"code/train.py",
                                       "from loop import train\n\nif __name__ == '__main__':\n"
                                       "    train(None, None, [])\n"}});
  EXPECT_THAT(entry.python_path, IsEmpty());
  EXPECT_EQ(entry.module, "");
}

TEST(EntryPoints, WithRelativeImportsAreModules) {
  const EntryPoint entry = OnlyEntry({{"src/pkg/__init__.py", ""},
                                      {"src/pkg/loop.py", kTraining},
                                      {"src/pkg/cli/__init__.py", ""},
                                      {"src/pkg/cli/train.py",
                                       "from ..loop import train\n\nif __name__ == '__main__':\n"
                                       "    train(None, None, [])\n"}});
  EXPECT_EQ(entry.module, "pkg.cli.train");
  EXPECT_EQ(entry.working_folder, "src");
}

TEST(EntryPoints, ThatAreModulesMustBeFoundFromWhereTheirExampleStartsThem) {
  const EntryPoint entry = OnlyEntry({{"src/pkg/__init__.py", ""},
                                      {"src/pkg/train.py", kPlain},
                                      {"README.md", "```\npython -m pkg.train --lr 1\n```\n"}});
  EXPECT_EQ(entry.module, "pkg.train");
  EXPECT_EQ(entry.working_folder, "");
  EXPECT_THAT(entry.python_path, ElementsAre("src"));
}

TEST(EntryPoints, ThatAreModulesStartAboveADocumentBesideThem) {
  const EntryPoint entry = OnlyEntry({{"pkg/__init__.py", ""},
                                      {"pkg/train.py", kPlain},
                                      {"pkg/README.md", "```\npython -m pkg.train --lr 1\n```\n"}});
  EXPECT_EQ(entry.module, "pkg.train");
  EXPECT_EQ(entry.working_folder, "");
  EXPECT_THAT(entry.python_path, IsEmpty());
}

TEST(EntryPoints, OfAPackageAreStartedByItsName) {
  const EntryPoint entry =
      OnlyEntry({{"pkg/__init__.py", ""},
                 {"pkg/__main__.py", std::string(kTraining) + "\ntrain(None, None, [])\n"}});
  EXPECT_EQ(entry.path, "pkg/__main__.py");
  EXPECT_EQ(entry.module, "pkg");
}

TEST(EntryPoints, MayBeCommandsOfAnInstalledProject) {
  const std::string code = std::string(kTraining) + "\ndef cli():\n    train(None, None, [])\n";
  for (const auto& [file, text] : std::map<std::string, std::string>{
           {"setup.py",
            "from setuptools import setup\nsetup(entry_points={'console_scripts': "
            "['go-train = pkg.train:cli']})\n"},
           {"setup.cfg",
            "[options.entry_points]\nconsole_scripts =\n    go-train = pkg.train:cli\n"},
           {"pyproject.toml", "[project.scripts]\ngo-train = \"pkg.train:cli\"\n"}}) {
    SCOPED_TRACE(file);
    const EntryPoint entry = OnlyEntry({{file, text},
                                        {"pkg/__init__.py", ""},
                                        {"pkg/train.py", code},
                                        {"README.md", "```\ngo-train --lr 1\n```\n"}});
    EXPECT_EQ(entry.command, "go-train");
    EXPECT_EQ(entry.path, "pkg/train.py");
    EXPECT_THAT(entry.example_arguments, ElementsAre("--lr", "1"));
  }
}

TEST(EntryPoints, HaveTheFolderOfTheirExample) {
  EXPECT_EQ(
      OnlyEntry({{"code/train.py", kPlain}, {"README.md", "```\ncd code\npython train.py\n```\n"}})
          .working_folder,
      "code");
  EXPECT_EQ(
      OnlyEntry({{"code/train.py", kPlain}, {"README.md", "```\npython code/train.py\n```\n"}})
          .working_folder,
      "");
}

TEST(EntryPoints, ThatReadFilesOfTheRootAreStartedThere) {
  const std::string readme = "```\ncp code/train.py ./\npython train.py\n```\n";
  const std::string reading = kPlain + "\ndata = open('./data/set/train.txt')\n";
  const auto folder = [&](std::map<std::string, std::string> files) {
    files["README.md"] = readme;
    return OnlyEntry(files).working_folder;
  };
  EXPECT_EQ(folder({{"code/train.py", reading}, {"data/set/train.txt", ""}}), "");
  EXPECT_EQ(folder({{"code/train.py", reading}}), "code");
  EXPECT_EQ(folder({{"code/train.py", reading},
                    {"data/set/train.txt", ""},
                    {"code/data/set/train.txt", ""}}),
            "code");
}

TEST(EntryPoints, ThatReadFilesOfTheRootStayWhereTheirDocumentsStartThem) {
  EXPECT_EQ(OnlyEntry({{"code/train.py", kPlain + "\ndata = open('./data/train.txt')\n"},
                       {"data/train.txt", ""},
                       {"README.md", "```\ncd code\npython train.py\n```\n"}})
                .working_folder,
            "code");
}

// ----- their arguments

TEST(EntryPointArguments, OfArgparseSayWhatIsRequired) {
  const EntryPoint entry = OnlyEntry(
      {{"train.py", WithArguments("    parser.add_argument('config', help='a file')\n"
                                  "    parser.add_argument('rest', nargs='*')\n"
                                  "    parser.add_argument('-o', '--out-dir', required=True)\n"
                                  "    parser.add_argument('--fast', action='store_true')\n"
                                  "    parser.add_argument('--kind', choices=['a', 'b'], "
                                  "default='a')\n")}});
  EXPECT_THAT(Required(entry), ElementsAre("config", "--out-dir"));
  EXPECT_THAT(Argument(entry, "--out-dir").aliases, ElementsAre("-o"));
  EXPECT_EQ(Argument(entry, "--out-dir").dest, "out_dir");
  EXPECT_FALSE(Argument(entry, "--fast").takes_value);
  EXPECT_THAT(Argument(entry, "--kind").choices, ElementsAre("a", "b"));
  EXPECT_EQ(Argument(entry, "--kind").default_value, "a");
  EXPECT_TRUE(Argument(entry, "config").positional);
  EXPECT_EQ(Argument(entry, "config").help, "a file");
  EXPECT_EQ(Argument(entry, "config").place, "train.py:14");
}

TEST(EntryPointArguments, OfConfigArgParseAreAddedByAShorterName) {
  const EntryPoint entry = OnlyEntry(
      {{"train.py", Program("\nimport configargparse\n\ndef main():\n"
                            "    group = configargparse.ArgumentParser().add_argument_group('a')\n"
                            "    group.add('--data', '-data', required=True)\n"
                            "    set().add('word')\n    train(None, None, [])\n")}});
  EXPECT_THAT(Required(entry), ElementsAre("--data"));
  EXPECT_EQ(entry.arguments.size(), 1U);
}

TEST(EntryPointArguments, AreFoundInOtherFilesAndNotInOtherPrograms) {
  const std::string main =
      "from options import Options\nfrom loop import train\n\n"
      "if __name__ == '__main__':\n    Options().parse()\n"
      "    train(None, None, [])\n";
  const EntryPoint entry =
      OnlyEntry({{"loop.py", kTraining},
                 {"train.py", main},
                 {"options.py",
                  "import argparse\n\nclass Base:\n    def add(self, parser):\n"
                  "        parser.add_argument('--name', required=True)\n\n"
                  "class Options(Base):\n    def parse(self):\n"
                  "        self.add(argparse.ArgumentParser())\n"},
                 {"tool.py",
                  "import argparse\nparser = argparse.ArgumentParser()\n"
                  "parser.add_argument('--other', required=True)\n"}});
  EXPECT_THAT(Required(entry), ElementsAre("--name"));
  EXPECT_EQ(entry.arguments.size(), 1U);
}

TEST(EntryPointArguments, OfClickFlagsFireAndDataclassesAreListed) {
  const std::map<std::string, std::string> programs = {
      {"click",
       "import click\n\n@click.command()\n@click.option('--data', required=True)\n"
       "@click.option('--lr', default=0.1)\ndef main(data, lr):\n"
       "    train(None, None, [])\n"},
      {"flags",
       "from absl import app, flags\n\nflags.DEFINE_string('data', None, 'where')\n"
       "flags.DEFINE_float('lr', 0.1, '')\nflags.mark_flag_as_required('data')\n\n"
       "def work(_):\n    train(None, None, [])\n\ndef main():\n    app.run(work)\n"},
      {"fire",
       "import fire\n\ndef work(data, lr=0.1):\n    train(None, None, [])\n\n"
       "def main():\n    fire.Fire(work)\n"},
      {"dataclass",
       "from dataclasses import dataclass, field\n"
       "from transformers import HfArgumentParser\n\n@dataclass\nclass Options:\n"
       "    data: str = field(metadata={'help': 'where'})\n    lr: float = 0.1\n\n"
       "def main():\n    HfArgumentParser((Options,)).parse_args_into_dataclasses()\n"
       "    train(None, None, [])\n"}};
  for (const auto& [name, text] : programs) {
    SCOPED_TRACE(name);
    const EntryPoint entry = OnlyEntry({{"train.py", Program("\n" + text)}});
    EXPECT_THAT(Required(entry), ElementsAre("--data"));
    EXPECT_EQ(Argument(entry, "--lr").default_value, "0.1");
  }
}

TEST(EntryPointArguments, OfHydraAreOverridesOfItsConfiguration) {
  const EntryPoint entry =
      OnlyEntry({{"code/train.py", Program("\nimport hydra\n\n@hydra.main(config_path='../conf', "
                                           "config_name='config')\ndef main(cfg):\n"
                                           "    train(None, None, [])\n")},
                 {"conf/config.yaml", "data:\n  root: ???\nlr: 0.1\n"}});
  EXPECT_TRUE(entry.takes_overrides);
  EXPECT_THAT(Required(entry), ElementsAre("data.root="));
  EXPECT_EQ(Argument(entry, "data.root=").place, "conf/config.yaml:2");
}

TEST(EntryPointArguments, MayBeReadFromArgv) {
  EXPECT_THAT(Required(OnlyEntry({{"train.py", Program("\nimport sys\n\ndef main():\n"
                                                       "    open(sys.argv[1])\n"
                                                       "    train(None, None, [])\n")}})),
              ElementsAre("argv[1]"));
  EXPECT_TRUE(OnlyEntry({{"train.py", Program("\nimport sys\n\ndef main():\n"
                                              "    for word in sys.argv[1:]:\n"
                                              "        train(None, None, word)\n")}})
                  .has_unlisted_options);
}

TEST(EntryPointArguments, HaveRolesByWhatTheyAreUsedFor) {
  const EntryPoint entry = OnlyEntry(
      {{"train.py",
        WithArguments("    parser.add_argument('--where')\n    parser.add_argument('--url')\n"
                      "    parser.add_argument('--nodes')\n    parser.add_argument('--me')\n"
                      "    parser.add_argument('--how')\n    parser.add_argument('--card')\n"
                      "    args = parser.parse_args()\n    import torchvision\n"
                      "    root = args.where\n"
                      "    torchvision.datasets.ImageFolder(root)\n"
                      "    torch.cuda.set_device(args.card)\n"
                      "    torch.distributed.init_process_group(backend=args.how, "
                      "init_method=args.url, world_size=args.nodes, rank=args.me)\n")}});
  EXPECT_EQ(NameOf(Argument(entry, "--where").role), "data");
  EXPECT_EQ(NameOf(Argument(entry, "--url").role), "dist-url");
  EXPECT_EQ(NameOf(Argument(entry, "--nodes").role), "world-size");
  EXPECT_EQ(NameOf(Argument(entry, "--me").role), "rank");
  EXPECT_EQ(NameOf(Argument(entry, "--how").role), "backend");
  EXPECT_EQ(NameOf(Argument(entry, "--card").role), "device");
}

// ----- their start style

TEST(EntryPointStart, IsSingleWhereNothingIsDistributed) {
  const EntryPoint entry = OnlyEntry(
      {{"train.py", WithArguments("    parser.add_argument('--gpu')\n    args = "
                                  "parser.parse_args()\n    torch.cuda.set_device(args.gpu)\n")}});
  EXPECT_EQ(NameOf(entry.start), "single");
  EXPECT_EQ(entry.start_option, "--gpu");
}

TEST(EntryPointStart, IsTheEnvironmentWhereTheLocalRankIsReadFromIt) {
  for (const char* code : {"rank = int(os.environ['LOCAL_RANK'])", "os.getenv('LOCAL_RANK', 0)",
                           "x = 'LOCAL_RANK' in os.environ", "os.environ.get('RANK_ID')",
                           "torch.distributed.init_process_group('nccl')"}) {
    SCOPED_TRACE(code);
    EXPECT_EQ(NameOf(OnlyEntry({{"train.py",
                                 Program("\nimport os\n\ndef main():\n    " + std::string(code) +
                                         "\n    train(None, None, [])\n")}})
                         .start),
              "environment");
  }
}

TEST(EntryPointStart, IsNotTheEnvironmentThatTheProgramItselfSets) {
  EXPECT_EQ(NameOf(OnlyEntry({{"train.py", Program("\nimport os\n\ndef main():\n"
                                                   "    os.environ['RANK'] = '0'\n"
                                                   "    train(None, None, [])\n")}})
                       .start),
            "single");
}

TEST(EntryPointStart, IsTheOptionOfTheOldLauncherWhereThatSetsTheEnvironment) {
  const EntryPoint entry = OnlyEntry(
      {{"train.py", WithArguments("    parser.add_argument('--local_rank', type=int)\n"
                                  "    args = parser.parse_args()\n"
                                  "    if 'LOCAL_RANK' not in os.environ:\n"
                                  "        os.environ['LOCAL_RANK'] = str(args.local_rank)\n"
                                  "    torch.distributed.init_process_group('nccl')\n")}});
  EXPECT_EQ(NameOf(entry.start), "local-rank-argument");
}

TEST(EntryPointStart, MayBeTheOptionOfTheOldLauncher) {
  const EntryPoint entry = OnlyEntry(
      {{"train.py", WithArguments("    parser.add_argument('--local-rank', type=int)\n"
                                  "    torch.distributed.init_process_group('nccl')\n")}});
  EXPECT_EQ(NameOf(entry.start), "local-rank-argument");
  EXPECT_EQ(entry.start_option, "--local-rank");
}

TEST(EntryPointStart, IsSingleWhereTheOptionOfALauncherServesNothing) {
  const std::string train = WithArguments("    parser.add_argument('--local_rank', type=int)\n");
  EXPECT_EQ(NameOf(OnlyEntry({{"train.py", train}}).start), "single");
  const EntryPoint launched =
      OnlyEntry({{"train.py", train}, {"run.sh", "python -m torch.distributed.launch train.py\n"}});
  EXPECT_EQ(NameOf(launched.start), "local-rank-argument");
}

TEST(EntryPointStart, MayBeARankThatIsAnOption) {
  const EntryPoint entry = OnlyEntry(
      {{"train.py", WithArguments("    parser.add_argument('--me')\n    args = "
                                  "parser.parse_args()\n    torch.distributed.init_process_group("
                                  "'nccl', init_method='tcp://a:1', rank=args.me)\n")}});
  EXPECT_EQ(NameOf(entry.start), "device-argument");
  EXPECT_EQ(entry.start_option, "--me");
}

TEST(EntryPointStart, IsTheProgramItselfWhereItSpawns) {
  const EntryPoint entry = OnlyEntry(
      {{"train.py",
        std::string(kTraining) +
            "\nimport argparse, os\nimport torch.multiprocessing as mp\n\n"
            "def worker(gpu, args):\n    rank = os.environ['RANK']\n    train(None, None, [])\n\n"
            "def main():\n    parser = argparse.ArgumentParser()\n"
            "    parser.add_argument('--many', action='store_true')\n"
            "    args = parser.parse_args()\n    if args.many:\n"
            "        mp.spawn(worker, nprocs=8, args=(args,))\n    else:\n"
            "        worker(0, args)\n" +
            kMain}});
  EXPECT_EQ(NameOf(entry.start), "spawns");
  EXPECT_EQ(entry.start_option, "--many");
  EXPECT_EQ(NameOf(Argument(entry, "--many").role), "multiprocessing");
}

TEST(EntryPointStart, IsTheProgramItselfWhereItTellsWhatItSpawnsTheirRanks) {
  const auto start_with = [](const std::string& set) {
    return std::string(NameOf(
        OnlyEntry({{"train.py",
                    Program("\nimport os\nimport torch\n\ndef work(rank):\n" + set +
                            "    print(os.environ['LOCAL_RANK'])\n    train(None, None, [])\n\n"
                            "def main():\n    start = torch.multiprocessing.start_processes\n"
                            "    start(work, nprocs=8)\n")}})
            .start));
  };
  EXPECT_EQ(start_with("    os.environ['LOCAL_RANK'] = str(rank)\n"), "spawns");
  EXPECT_EQ(start_with(""), "environment");
}

TEST(EntryPointStart, IsSpawnedByProcessesThatJoinAGroup) {
  for (const char* start : {"multiprocessing.Process(target=work)",
                            "multiprocessing.get_context('spawn').Process(target=work)"}) {
    SCOPED_TRACE(start);
    EXPECT_EQ(NameOf(OnlyEntry({{"train.py", Program("\nimport multiprocessing\n\ndef work():\n"
                                                     "    torch.distributed.init_process_group("
                                                     "'nccl', rank=1, init_method='tcp://a:1')\n"
                                                     "    train(None, None, [])\n\ndef main():\n"
                                                     "    " +
                                                     std::string(start) + ".start()\n")}})
                         .start),
              "spawns");
  }
}

TEST(EntryPointStart, IsSpawnedByProcessesBesideWhichTheProgramJoinsAGroupOfItsOwn) {
  const auto start_with = [](const std::string& method) {
    return std::string(NameOf(
        OnlyEntry({{"train.py",
                    Program("\nimport torch.distributed\nfrom torch import multiprocessing as mp\n"
                            "from runners import make\n\ndef main():\n"
                            "    for runner in make():\n"
                            "        mp.Process(target=runner.optimize, args=()).start()\n"
                            "    torch.distributed.init_process_group('nccl'" +
                            method + ")\n    train(None, None, [])\n")},
                   {"runners.py", "import external\n\ndef make():\n    return external.make()\n"}})
            .start));
  };
  EXPECT_EQ(start_with(", rank=0, world_size=2, init_method=f'tcp://127.0.0.1:{port}'"), "spawns");
  EXPECT_EQ(start_with(""), "environment");
}

TEST(EntryPointStart, IsNotSpawnedByAProcessThatJoinsNoGroup) {
  EXPECT_EQ(NameOf(OnlyEntry({{"train.py", Program("\nimport multiprocessing, os\n\n"
                                                   "def copy():\n    pass\n\ndef main():\n"
                                                   "    multiprocessing.Process(target=copy)\n"
                                                   "    os.environ['RANK']\n"
                                                   "    train(None, None, [])\n")}})
                       .start),
            "environment");
}

TEST(EntryPoints, AreNotWhatAPackageDoesWhenItIsImported) {
  const EntryPoints found =
      FoundIn({{"train.py", kPlain},
               {"p/__init__.py", std::string(kTraining) + "\ntrain(None, None, [])\n"}});
  ASSERT_EQ(found.candidates.size(), 1U);
  EXPECT_EQ(found.candidates[0].path, "train.py");
}

}  // namespace
}  // namespace transplt
