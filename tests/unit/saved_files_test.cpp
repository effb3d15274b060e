// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/saved_files.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/unit/parsed_file.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

using Files = std::map<std::string, std::string>;

/// What main.py saves with `save(...)`.
std::vector<SavedFile> SavedIn(const Files& files) {
  std::vector<std::string> paths;
  for (const auto& [path, text] : files) paths.push_back(path);
  const ProjectIndex project(
      paths, [&](const std::string& path) -> Result<std::string> { return files.at(path); });
  const auto main = project.Open("main.py");
  return SavedFilesIn(main->names(), &project,
                      [](Node call) { return call.Child(Field::kFunction).text() == "save"; });
}

SavedFile OnlyOneIn(const std::string& code) {
  const std::vector<SavedFile> files = SavedIn({{"main.py", code}});
  EXPECT_EQ(files.size(), 1U);
  return files.empty() ? SavedFile() : files[0];
}

using Keys = std::set<std::string, std::less<>>;

TEST(SavedFiles, HaveTheKeysOfADisplayAndOfWhatIsPutIntoItLater) {
  const SavedFile file = OnlyOneIn("state = {'net': n}\nstate['step'] = 3\nsave(state, 'x.pt')\n");
  EXPECT_EQ(file.keys, (Keys{"net", "step"}));
  EXPECT_EQ(file.line, 3U);
  EXPECT_EQ(file.object, "");
  EXPECT_FALSE(file.is_certain);
}

TEST(SavedFiles, HaveTheKeysOfWhatAFunctionOfTheFileReturns) {
  EXPECT_EQ(OnlyOneIn("def state():\n    return dict(net=1)\nsave(state(), 'x')\n").keys,
            (Keys{"net"}));
}

TEST(SavedFiles, HaveTheKeysOfWhatCallersInOtherFilesGive) {
  const std::vector<SavedFile> files =
      SavedIn({{"main.py", "def write(path, obj):\n    save(obj, path)\n"},
               {"train.py",
                "from main import write\nwrite('g', {'net': 1})\n"
                "write('d', dict(steps=2))\n"}});
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].keys, (Keys{"net", "steps"}));
}

TEST(SavedFiles, AreReadOnceWhereTheWayIsACircle) {
  const std::string code =
      "import lib\ndef state(x):\n    return x\n"
      "state(lib.state({'net': 1}))\nsave(lib.state(2), 'x')\n";
  EXPECT_EQ(OnlyOneIn(code).keys, Keys{});
  const std::string recursive =
      "import lib\ndef write(x):\n    if x:\n        write(lib.state(x))\n    save(x, 'x')\n"
      "def state(x):\n    return dict(net=x)\nwrite(0)\n";
  EXPECT_EQ(OnlyOneIn(recursive).keys, (Keys{"net"}));
}

TEST(SavedFiles, HoldAnObjectForCertainOnlyWhereAnAttributeOfItIsRead) {
  const SavedFile named = OnlyOneIn("def f(args):\n    save({'args': args}, 'x')\n");
  EXPECT_EQ(named.object, "args");
  EXPECT_FALSE(named.is_certain);
  EXPECT_TRUE(OnlyOneIn("def f(args):\n    save({'a': args}, args.path)\n").is_certain);
}

TEST(SavedFiles, HoldAListUnderANameOfOptionsWhereTheCodeShowsOne) {
  const auto object = [](const std::string& value, const std::string& net) {
    const auto files = SavedIn({{"main.py", value + "\nsave({'cfg': model.cfg, 'a': cfg}, 'x')\n"},
                                {"net.py", "class Net:\n    def __init__(self, cfg):\n" + net}});
    return files.empty() ? "?" : files[0].object;
  };
  const std::string kept = "        self.cfg = cfg\n";
  EXPECT_EQ(object("cfg = []", kept + "        for width in cfg:\n            add(width)\n"), "");
  EXPECT_EQ(object("cfg = [1]", kept + "        self.out = Linear(cfg[-1], 10)\n"), "");
  EXPECT_EQ(object("cfg = [1]", kept + "        self.out = Linear(cfg['size'], 10)\n"),
            "model.cfg");
  EXPECT_EQ(object("cfg = read(path)", kept + "        self.out = Linear(cfg[0], 10)\n"), "cfg");
}

TEST(SavedFiles, HoldAnObjectThatAMethodPutsIntoTheDictThatItReturns) {
  const std::string optimizer =
      "class Scaler:\n    pass\n\nclass Optimizer:\n    def __init__(self, inner):\n"
      "        self.scaler = Scaler()\n        self.steps = 0\n\n"
      "    def state_dict(self):\n        state = {}\n        state['steps'] = self.steps\n";
  const auto saved = [&](const std::string& item) {
    return SavedIn({{"opt.py", optimizer + item + "        return state\n"},
                    {"main.py",
                     "from opt import Optimizer\n\ndef train(inner, fp16):\n"
                     "    optimizer = make(inner)\n    if fp16:\n"
                     "        optimizer = Optimizer(optimizer)\n"
                     "    save({'o': optimizer.state_dict()}, 'x.pt')\n"}})
        .at(0);
  };
  const SavedFile file = saved("        state['scaler'] = self.scaler\n");
  EXPECT_TRUE(file.is_certain);
  EXPECT_EQ(file.object, "optimizer.state_dict()");
  EXPECT_EQ(file.part, "self.scaler");
  EXPECT_EQ(file.part_place, "opt.py:12");
  EXPECT_EQ(saved("").object, "");
}

TEST(SavedFiles, HoldTheValueOfNumpyThatAnAttributeOfTheSavedOptionsGets) {
  const std::string start = "import numpy as np\ndef f(self, params, n):\n    params.scores = ";
  const std::string save =
      "    save({'p': {k: v for k, v in self.params.__dict__.items()}}, 'x')\n";
  EXPECT_EQ(OnlyOneIn(start + "np.maximum(n, 1)\n" + save).object, "params.scores");
  EXPECT_TRUE(
      OnlyOneIn(start + "np.maximum(n, 1)\n    save({'p': vars(params)}, 'x')\n").is_certain);
  EXPECT_EQ(OnlyOneIn(start + "len(n)\n" + save).object, "");
}

TEST(SavedFiles, HoldAnObjectThatIsSavedWhole) {
  const std::string code = "class Net:\n    pass\nm = Net()\nsave(m, 'x')\n";
  EXPECT_EQ(OnlyOneIn(code).object, "Net()");
  EXPECT_TRUE(OnlyOneIn(code).is_certain);
  const SavedFile asked =
      OnlyOneIn("def f(net, path):\n    w = net.state_dict()\n    save(net, path)\n");
  EXPECT_EQ(asked.object, "net");
  EXPECT_TRUE(asked.is_certain);
  EXPECT_FALSE(OnlyOneIn("def f(net, x):\n    w = net.state_dict()\n    save(w, x)\n").is_certain);
  EXPECT_FALSE(OnlyOneIn("def f(net, x):\n    save(net, x)\n").is_certain);
}

TEST(SavedFiles, HoldTheAttributesThatAComprehensionNames) {
  const SavedFile file = OnlyOneIn(
      "class Timer:\n    def __init__(self):\n        self.start = 0\n\n\nclass Run:\n"
      "    def __init__(self):\n        self.timer = Timer()\n        self.step = 0\n\n"
      "    def write(self):\n        names = ['timer', 'step']\n"
      "        payload = {k: self.__dict__[k] for k in names}\n        save(payload, 'x.pt')\n");
  EXPECT_EQ(file.keys, (Keys{"step", "timer"}));
  EXPECT_EQ(file.object, "Timer()");
  EXPECT_TRUE(file.is_certain);
}

TEST(SavedFiles, HaveTheNameOfThePathThatWasOpened) {
  for (const char* opened : {"open(path, 'wb')", "path.open('wb')"}) {
    const std::string code = "path = folder / 'last.pt'\nwith " + std::string(opened) +
                             " as f:\n    save({'net': 1}, f)\n";
    EXPECT_EQ(OnlyOneIn(code).name, "last.pt") << opened;
  }
}

TEST(SavedFiles, HoldAnObjectThatIsPartOfATuple) {
  const std::string code = "class Meter:\n    pass\nm = Meter()\n";
  EXPECT_TRUE(OnlyOneIn(code + "save({'m': (1, m)}, 'x')\n").is_certain);
  EXPECT_TRUE(OnlyOneIn(code + "save({'m': {'a': [m]}}, 'x')\n").is_certain);
  EXPECT_FALSE(OnlyOneIn(code + "save({'m': (1, 2)}, 'x')\n").is_certain);
}

TEST(SavedFiles, HoldAnObjectThatAMethodOfALibraryGives) {
  const std::string head =
      "from torch_geometric.data import InMemoryDataset\nclass Graphs(InMemoryDataset):\n"
      "    def process(self, all):\n";
  const auto object = [&](const std::string& body) { return OnlyOneIn(head + body).object; };
  EXPECT_EQ(object("        data, parts = self.collate(all)\n        save((data, parts), 'x')\n"),
            "data");
  EXPECT_EQ(object("        save(self.collate([all]), 'x')\n"), "self.collate([all])");
  EXPECT_EQ(object("        data, parts = self.collate(all)\n        save([parts], 'x')\n"), "");
  EXPECT_EQ(object("        data, parts = all.collate()\n        save((data, parts), 'x')\n"), "");
  const std::string sparse = "from torch_sparse import SparseTensor\na = SparseTensor(row=r)\n";
  EXPECT_EQ(OnlyOneIn(sparse + "a = a.t()\nsave(a.to_symmetric(), 'x')\n").object,
            "a.to_symmetric()");
  EXPECT_EQ(OnlyOneIn(sparse + "save(a.to_dense(), 'x')\n").object, "");
}

TEST(SavedFiles, AreInOnePlaceWhereTheSameWordsMeanTheSame) {
  const ParsedFile file(
      "class A:\n    def f(self, p):\n        p, self.p[0], p, self.p[0]\n"
      "    def g(self, p):\n        p, self.p[0]\n"
      "class B:\n    def f(self):\n        self.p[0]\n",
      "main.py");
  const NameTable names(file.tree(), "main", false, nullptr);
  std::vector<Node> parameters;
  std::vector<Node> members;
  for (const Node node : NodesIn(file.tree())) {
    if (node.Is(NodeKind::kIdentifier) && node.text() == "p" && node.field() != Field::kAttribute &&
        !node.parent().Is(NodeKind::kParameters)) {
      parameters.push_back(node);
    }
    if (node.Is(NodeKind::kSubscript)) members.push_back(node);
  }
  ASSERT_EQ(parameters.size(), 3U);
  ASSERT_EQ(members.size(), 4U);
  EXPECT_TRUE(IsSameExpression(parameters[0], parameters[1], names));
  EXPECT_FALSE(IsSameExpression(parameters[0], parameters[2], names));
  EXPECT_TRUE(IsSameExpression(members[0], members[2], names));
  EXPECT_FALSE(IsSameExpression(members[0], members[3], names));
  EXPECT_FALSE(IsSameExpression(parameters[0], members[0], names));
}

TEST(SavedFiles, AreNamedByWhatIsWrittenOutOfTheirNames) {
  EXPECT_EQ(OnlyOneIn("save({'n': 1}, f'out/rank_{rank}.pth')\n").name, "rank_*.pth");
  EXPECT_EQ(OnlyOneIn("save({'n': 1}, 'out/last.pth')\n").name, "last.pth");
}

TEST(SavedFiles, HoldTheRateOfNumpyThatAnotherFilePutsIntoTheOptimizer) {
  const std::string save =
      "def write(state):\n    save({'o': state['optimizer'].state_dict()}, 'x')\n";
  const std::string loop =
      "import numpy as np\ndef warm(opt, lr, step):\n"
      "    for i, group in enumerate(opt.param_groups):\n        group['lr'] = ";
  const auto place = [&](const std::string& rate) {
    return SavedIn({{"main.py", save}, {"losses.py", loop + rate}})[0].numpy_place;
  };
  EXPECT_EQ(place("lr * (1 + np.cos(step))\n"), "losses.py:4");
  EXPECT_EQ(place("-np.minimum(step, 1)\n"), "losses.py:4");
  EXPECT_EQ(place("lr * min(step, 1)\n"), "");
  EXPECT_EQ(place("float(np.cos(step))\n"), "");
}

TEST(SavedFiles, HoldTheRateOfNumpyThatAFunctionGivesLambdaLR) {
  const auto place = [](const std::string& code) {
    return OnlyOneIn("import numpy as np\nimport math, torch\nfrom torch.optim import SGD\n" +
                     code + "save({'s': turner.state_dict()}, 'x')\n")
        .numpy_place;
  };
  const std::string made = "turner = SGD(p)\ntorch.optim.lr_scheduler.LambdaLR(turner, ";
  EXPECT_EQ(place(made + "lambda e: np.cos(e))\n"), "main.py:5");
  EXPECT_EQ(place("def rate(e):\n    return np.cos(e)\n" + made + "lr_lambda=rate)\n"),
            "main.py:7");
  EXPECT_EQ(place(made + "lambda e: math.cos(e))\n"), "");
}

TEST(SavedFiles, HoldTheRateOfNumpyThatASchedulerOfTheProjectGives) {
  const auto place = [](const std::string& base, const std::string& rate,
                        const std::string& rates) {
    return SavedIn(
               {{"main.py", "save({'s': turner.state_dict(), 'o': optimizer.state_dict()}, 'x')\n"},
                {"rates.py",
                 "import numpy as np\nfrom torch.optim.lr_scheduler import _LRScheduler\n"
                 "class Base(" +
                     base + "):\n    def get_lr(self):\n        return [" + rate +
                     " for g in self.base_lrs]\n"
                     "class Cos(Base):\n    def __init__(self, n):\n        self.all = " +
                     rates + "\n"}})[0]
        .numpy_place;
  };
  const std::string item = "self.all[self.last_epoch] * g / self.start";
  EXPECT_EQ(place("_LRScheduler", item, "np.linspace(0, 1, n)"), "rates.py:5");
  EXPECT_EQ(place("_LRScheduler", "g * np.cos(self.last_epoch)", "0"), "rates.py:5");
  EXPECT_EQ(place("_LRScheduler", item, "[0] * n"), "");
  EXPECT_EQ(place("object", item, "np.linspace(0, 1, n)"), "");
}

TEST(SavedFiles, HoldANumberOfNumpyThatAnotherFileComputes) {
  const std::vector<SavedFile> files = SavedIn(
      {{"main.py",
        "from score import measure\nbest = 0\nloss, mean, all = measure(m)\n"
        "if mean > best:\n    best = mean\nsave({'best': best}, 'x')\nsave({'loss': loss}, 'y')\n"},
       {"score.py",
        "import numpy as np\ndef measure(m):\n    hits = m.sum(1)\n"
        "    all = hits / np.maximum(1.0, m)\n    mean = all.mean()\n"
        "    return m.item(), mean, all\n"}});
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].object, "best");
  EXPECT_TRUE(files[0].is_certain);
  EXPECT_EQ(files[1].object, "");
}

TEST(SavedFiles, HoldANumberOfNumpyInATupleThatAnObjectOfAnotherFileGives) {
  const auto object = [](const std::string& mean) {
    return SavedIn({{"main.py",
                     "from score import Score, Validation\ndef write(net, best):\n"
                     "    state = {'net': net.state_dict(), 'best': best}\n    save(state, 'x')\n"
                     "val = Validation(Score())\nbest = 0\nloss, (each, mean) = val.run()\n"
                     "if mean > best:\n    best = mean\n    write(net, best)\n"},
                    {"score.py",
                     "import numpy as np\nclass Score:\n    def value(self):\n"
                     "        each = self.hits\n        return each, " +
                         mean +
                         "\nclass Validation:\n    def __init__(self, score):\n"
                         "        self.score = score\n    def run(self):\n"
                         "        return 0.0, self.score.value()\n"}})[0]
        .object;
  };
  EXPECT_EQ(object("np.nanmean(each)"), "best");
  EXPECT_EQ(object("float(np.nanmean(each))"), "");
}

TEST(SavedFiles, HoldANumberOfNumpyOutOfTheDictOfAFunction) {
  const auto object = [](const std::string& measure) {
    return SavedIn({{"main.py",
                     "from score import measure\ndef validate(m):\n    errors = measure(m)\n"
                     "    return m, errors['mean']\nbest = 9.0\nloss, now = validate(m)\n"
                     "if now < best:\n    best = now\nsave({'best': best}, 'x')\n"},
                    {"score.py",
                     "import numpy as np\ndef measure(m):\n    all = np.sqrt(m)\n" + measure}})[0]
        .object;
  };
  EXPECT_EQ(object("    return {'mean': all.mean(), 'n': len(m)}\n"), "best");
  EXPECT_EQ(object("    return dict(mean=all.mean(), n=1)\n"), "best");
  EXPECT_EQ(object("    found = {}\n    found['mean'] = all.mean()\n    return found\n"), "best");
  EXPECT_EQ(object("    return {'mean': float(all.mean()), 'all': all}\n"), "");
  EXPECT_EQ(object("    found = {'all': all}\n    found['mean'] = 1.0\n    return found\n"), "");
}

TEST(SavedFiles, TakeNoTensorAndNoNumberOfPythonForOneOfNumpy) {
  EXPECT_EQ(OnlyOneIn("import numpy as np\nimport torch\nx = torch.ones(2)\n"
                      "save({'a': x.mean(), 'b': float(np.mean(y)), 'c': z.mean(), "
                      "'d': np.mean(y).item()}, 'x')\n")
                .object,
            "");
}

TEST(SavedFiles, HoldAnArrayOfNumpy) {
  EXPECT_EQ(OnlyOneIn("def f(t):\n    save({'a': t.cpu().numpy()[0]}, 'x')\n").object,
            "t.cpu().numpy()[0]");
}

TEST(SavedFiles, HoldWhatAMethodOfAnotherFilePutsIntoItsTuple) {
  const std::vector<SavedFile> files = SavedIn(
      {{"main.py",
        "from model import Cloud\nfrom scene import Scene\ncloud = Cloud()\nscene = Scene(cloud)\n"
        "save((cloud.capture(), 3), 'x')\n"},
       {"model.py",
        "class Cloud:\n    def __init__(self):\n        self.scale = 0\n"
        "    def capture(self):\n        return (\n            self.points,\n"
        "            self.scale,\n        )\n"
        "    def create(self, points, scale):\n        self.scale = scale\n"},
       {"scene.py",
        "from readers import readers\nclass Scene:\n    def __init__(self, cloud):\n"
        "        self.cloud = cloud\n        info = readers['colmap'](1)\n"
        "        self.extent = info.norm['radius']\n"
        "        self.cloud.create(info.points, self.extent)\n"},
       {"readers.py",
        "import numpy as np\nfrom typing import NamedTuple\n"
        "class Info(NamedTuple):\n    points: list\n    norm: dict\n"
        "def normalize(x):\n    def inner(y):\n        return y.mean(), np.max(y)\n"
        "    center, diagonal = inner(x)\n    radius = diagonal * 1.1\n"
        "    return {'radius': radius}\n"
        "def colmap(x):\n    return Info(points=[], norm=normalize(x))\n"
        "readers = {'colmap': colmap}\n"}});
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].object, "cloud.capture()");
  EXPECT_EQ(files[0].part, "self.scale");
  EXPECT_EQ(files[0].part_place, "model.py:7");
  EXPECT_TRUE(files[0].is_certain);
  EXPECT_EQ(files[0].members, 2U);
}

TEST(SavedFiles, HoldNoObjectWhereAMethodReturnsNumbersAndTensors) {
  const std::vector<SavedFile> files = SavedIn(
      {{"main.py", "from model import Cloud\ncloud = Cloud()\nsave((cloud.capture(), 3), 'x')\n"},
       {"model.py",
        "class Cloud:\n    def __init__(self):\n        self.scale = 0\n"
        "    def capture(self):\n        return self.points, self.scale\n"}});
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].object, "");
}

TEST(SavedFiles, HoldANamedTupleOfTheProjectWithItsFields) {
  const SavedFile file = OnlyOneIn(
      "from typing import NamedTuple\nclass State(NamedTuple):\n    model: dict\n    rng: tuple\n"
      "def write(m):\n    state = State(\n        model=m.state_dict(),\n        rng=1)\n"
      "    save(state, 'x')\n");
  EXPECT_EQ(file.object, "State(...)");
  EXPECT_EQ(file.fields, (Keys{"model", "rng"}));
  EXPECT_TRUE(file.is_certain);
}

TEST(SavedFiles, HoldTheStateOfRandomNumbersOfNumpyButNotOfPython) {
  const auto object = [](const std::string& module) {
    return OnlyOneIn(
               "import random\nimport numpy as np\nimport torch\n"
               "save({'rng': " +
               module + "}, 'x')\n")
        .object;
  };
  EXPECT_EQ(object("np.random.get_state()"), "np.random.get_state()");
  EXPECT_EQ(object("random.getstate()"), "");
  EXPECT_EQ(object("torch.random.get_rng_state()"), "");
}

TEST(SavedFiles, HoldANumberOfNumpyThatIsAMemberOfATuple) {
  const auto object = [](const std::string& at) {
    return OnlyOneIn(
               "import numpy as np\ndef test(m):\n    sums = {'hit': np.zeros(2), 'all': 1}\n"
               "    term = sums['hit'] / sums['all']\n    return 1, ((term + 1) * 0.5).mean()\n"
               "out = test(m)\nscore = out[" +
               at + "]\nsave({'score': score}, 'x')\n")
        .object;
  };
  EXPECT_EQ(object("1"), "score");
  EXPECT_EQ(object("-1"), "score");
  EXPECT_EQ(object("0"), "");
}

TEST(SavedFiles, AreMadeByFunctionsThatHandOnWhatTheyAreGiven) {
  const Files files = {{"main.py",
                        "def on_first(*args):\n    save(*args)\n"
                        "def log(name, x):\n    save(x, name)\n"
                        "class T:\n    def keep(self, state):\n        save(state, 'x')\n"}};
  const ProjectIndex project(
      {"main.py"}, [&](const std::string& path) -> Result<std::string> { return files.at(path); });
  const auto main = project.Open("main.py");
  EXPECT_EQ(
      FunctionsHandingOn(main->names(),
                         [](Node call) { return call.Child(Field::kFunction).text() == "save"; }),
      (std::vector<std::string>{"on_first", "keep"}));
}

}  // namespace
}  // namespace transplt
