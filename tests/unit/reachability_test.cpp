// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/reachability.h"

#include <gmock/gmock.h>

#include "tests/unit/project_on_disk.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// "train.py always", "eval.py called with --fp16": how the programs of a project get to a line, or
/// to the uses of what an import statement there brings.
std::vector<std::string> Ways(const std::map<std::string, std::string>& files,
                              const std::string& file, uint32_t line,
                              uint32_t column_of_import = 0) {
  const ProjectOnDisk project(files);
  const Result<TrainingApis> apis = TrainingApis::Load();
  const ProgramCode code = ReadProgramCode(project.sources(), *apis);
  const ProgramGraph graph(code, *apis);
  const EntryPoints entries = FindEntryPoints(project.sources(), code, graph, *apis);
  std::vector<std::string> ways;
  const Reachability reachability(code, graph, entries);
  for (const ReachedBy& reached : column_of_import > 0
                                      ? reachability.ProgramsThatUse(file, line, column_of_import)
                                      : reachability.ProgramsThatReach(file, line)) {
    constexpr std::array<const char*, 3> kHow = {"always", "called", "perhaps"};
    std::string way =
        entries.candidates[reached.program].path + " " + kHow[static_cast<size_t>(reached.how)];
    if (reached.forgiven) way += " forgiven";
    if (!reached.caught.empty()) way += " caught at " + reached.caught;
    for (const std::string& setting : reached.settings) way += " with " + setting;
    ways.push_back(std::move(way));
  }
  std::ranges::sort(ways);
  return ways;
}

constexpr char kCallOfMain[] = "if __name__ == '__main__':\n    main()\n";

TEST(Reachability, OfTheTopOfAnImportedModuleIsCertain) {
  EXPECT_THAT(Ways({{"a.py", std::string("import m\n\ndef main():\n    pass\n\n") + kCallOfMain},
                    {"m.py", "import apex\n"}},
                   "m.py", 1),
              ElementsAre("a.py always"));
}

TEST(Reachability, OfThePackagesAroundAnImportedModuleIsCertain) {
  const std::string main = std::string("def main():\n    pass\n\n") + kCallOfMain;
  for (const char* import : {"from p.q.m import x\n", "import p.q.m\n"}) {
    EXPECT_THAT(Ways({{"a.py", import + main},
                      {"p/__init__.py", "import apex\n"},
                      {"p/q/__init__.py", ""},
                      {"p/q/m.py", "x = 1\n"}},
                     "p/__init__.py", 1),
                ElementsAre("a.py always"));
  }
}

TEST(Reachability, OfAModuleThatAFunctionImportsIsAsCertainAsTheFunction) {
  EXPECT_THAT(Ways({{"a.py", std::string("def main():\n    import m\n\n") + kCallOfMain},
                    {"m.py", "import apex\n"}},
                   "m.py", 1),
              ElementsAre("a.py always"));
}

TEST(Reachability, OfAMethodOfAnotherBaseOfTheObjectIsSeen) {
  const std::string bases =
      "class A:\n    def g(self):\n        pass\nclass B:\n    def f(self):\n        self.g()\n";
  const std::map<std::string, std::string> files = {
      {"a.py", bases + "class C(A, B):\n    pass\n\ndef main():\n    C().f()\n\n" + kCallOfMain}};
  EXPECT_THAT(Ways(files, "a.py", 3), ElementsAre("a.py called"));
}

TEST(Reachability, OfAMethodThatIsLookedUpByANameWithAKnownPartIsSeen) {
  const std::string model =
      "class Model:\n    def make(self, kind):\n        getattr(self, f'init_{kind}_net')()\n"
      "    def init_x_net(self):\n        pass\n    def init_x(self):\n        pass\n";
  const std::map<std::string, std::string> files = {
      {"a.py", model + "\ndef main():\n    Model().make('x')\n\n" + kCallOfMain}};
  EXPECT_THAT(Ways(files, "a.py", 5), ElementsAre("a.py called"));
  EXPECT_THAT(Ways(files, "a.py", 7), IsEmpty());
}

TEST(Reachability, OfAFunctionOfAModuleThatIsLookedUpByANameWithAKnownPartIsSeen) {
  const std::map<std::string, std::string> files = {
      {"a.py", std::string("import sys\nimport m\n\ndef main():\n"
                           "    getattr(m, 'run_' + sys.argv[1])()\n\n") +
                   kCallOfMain},
      {"m.py",
       "def run_fast():\n    import apex\n\ndef run_slow():\n    import apex\n\n"
       "def other():\n    import apex\n"}};
  EXPECT_THAT(Ways(files, "m.py", 2), ElementsAre("a.py called"));
  EXPECT_THAT(Ways(files, "m.py", 5), ElementsAre("a.py called"));
  EXPECT_THAT(Ways(files, "m.py", 8), IsEmpty());
}

TEST(Reachability, OfAProgramThatACommandInAVariableStartsIsSeen) {
  const std::map<std::string, std::string> files = {
      {"a.py", std::string("import os\n\ndef main():\n    command = 'python b.py'\n"
                           "    command += ' --fast'\n    os.system(command)\n\n") +
                   kCallOfMain},
      {"b.py", "import apex\n\napex.run()\n"}};
  EXPECT_THAT(Ways(files, "b.py", 3), testing::Contains("a.py always"));
}

TEST(Reachability, OfAMethodThatIsLookedUpByAnyNameIsSeenWhereATextSpellsIt) {
  const std::string model =
      "class Model:\n    def run(self, stage):\n        return getattr(self, stage)()\n"
      "    def fit(self):\n        pass\n    def test(self):\n        pass\n";
  const std::map<std::string, std::string> files = {
      {"a.py", model + "\ndef main():\n    Model().run(stage='fit')\n    print('a test')\n\n" +
                   kCallOfMain}};
  EXPECT_THAT(Ways(files, "a.py", 5), ElementsAre("a.py called"));
  EXPECT_THAT(Ways(files, "a.py", 7), IsEmpty());
}

TEST(Reachability, OfAClassThatAPackageGivesWhenItIsAsked) {
  const std::map<std::string, std::string> files = {
      {"p/__init__.py",
       "def __getattr__(name):\n    if name == 'Net':\n        from .net import Net\n"
       "        return Net\n    raise AttributeError(name)\n"},
      {"p/net.py", "class Net:\n    def __init__(self):\n        self.x = 1\n"},
      {"a.py", std::string("def main():\n    from p import Net\n    Net()\n\n") + kCallOfMain}};
  EXPECT_THAT(Ways(files, "p/net.py", 3), ElementsAre("a.py always"));
}

TEST(Reachability, OfAClassThatAnOverrideNamesIsSeen) {
  const std::map<std::string, std::string> files = {
      {"nets.py", "class Net:\n    def __init__(self):\n        self.x = 1\n"},
      {"a.py", std::string("import hydra\n\ndef main():\n    hydra.compose(overrides=["
                           "'++model._target_=nets.Net'])\n\n") +
                   kCallOfMain}};
  EXPECT_THAT(Ways(files, "nets.py", 3), ElementsAre("a.py called"));
}

TEST(Reachability, OfModulesWhoseNameEndsInAnUnknownPartEndsInTheirFolder) {
  const std::string main =
      "import sys\nfrom importlib import import_module\nimport_module(f'models.{sys.argv[1]}')\n";
  const std::map<std::string, std::string> files = {
      {"a.py", main + "def main():\n    pass\n\n" + kCallOfMain},
      {"models/m.py", "import apex\n"},
      {"models/parts/m.py", "import apex\n"}};
  EXPECT_THAT(Ways(files, "models/m.py", 1), ElementsAre("a.py called"));
  EXPECT_THAT(Ways(files, "models/parts/m.py", 1), IsEmpty());
}

TEST(Reachability, OfModulesOfAPackageThatTheCallNamesIsThatOfItsOwn) {
  const auto ways = [](const std::string& package, const std::string& file) {
    return Ways({{"a.py",
                  "import sys\nfrom importlib import import_module\n"
                  "import_module(f'.{sys.argv[1]}', '" +
                      package + "')\n\ndef main():\n    pass\n\n" + kCallOfMain},
                 {"config.yaml", "model: other.net.Net\n"},
                 {"pkg/models/__init__.py", ""},
                 {"pkg/models/m.py", "import apex\n"},
                 {"pkg/parts/m.py", "import apex\n"},
                 {"other/net.py", "import apex\n\nclass Net:\n    pass\n"}},
                file, 1);
  };
  EXPECT_THAT(ways("pkg.models", "pkg/models/m.py"), ElementsAre("a.py called"));
  EXPECT_THAT(ways("pkg.models", "pkg/parts/m.py"), IsEmpty());
  EXPECT_THAT(ways("pkg.parts", "pkg/parts/m.py"), ElementsAre("a.py called"));
  EXPECT_THAT(ways("pkg.models", "other/net.py"), IsEmpty());
  EXPECT_THAT(ways("transformers.models", "pkg/models/m.py"), IsEmpty());
  EXPECT_THAT(ways("transformers.models", "other/net.py"), IsEmpty());
}

TEST(Reachability, OfModulesOfALazyImporterIsThatOfTheNamesThatItIsMadeOf) {
  const auto ways = [](const std::string& lazy, const std::string& file) {
    return Ways({{"a.py", std::string("from lazy import ray\n\ndef main():\n    ray.init()\n\n") +
                              kCallOfMain},
                 {"lazy.py", "import importlib\nimport types\n\n\n" + lazy},
                 {"config.yaml", "model: nets.one.Net\n"},
                 {"nets/one.py", "import apex\n\nclass Net:\n    pass\n"},
                 {"nets/two.py", "import apex\n"}},
                file, 1);
  };
  const std::string keeps =
      "class Lazy:\n    def __init__(self, name):\n        self.name = name\n\n"
      "    def __getattr__(self, key):\n        return importlib.import_module(self.name)\n\n\n";
  const std::string is_module =
      "class Lazy(types.ModuleType):\n    def __init__(self, name):\n"
      "        super().__init__(name)\n\n    def __getattr__(self, key):\n"
      "        return importlib.import_module(self.__name__)\n\n\n";
  const std::string is_function = "def Lazy(name):\n    return importlib.import_module(name)\n\n\n";
  for (const std::string& lazy : {keeps, is_module, is_function}) {
    EXPECT_THAT(ways(lazy + "ray = Lazy('ray')\n", "nets/one.py"), IsEmpty()) << lazy;
    EXPECT_THAT(ways(lazy + "ray = Lazy('nets.two')\n", "nets/one.py"), IsEmpty()) << lazy;
    EXPECT_THAT(ways(lazy + "ray = Lazy('nets.two')\n", "nets/two.py"), Not(IsEmpty())) << lazy;
    EXPECT_THAT(ways(lazy + "ray = Lazy(input())\n", "nets/one.py"), Not(IsEmpty())) << lazy;
  }
}

TEST(Reachability, OfModulesThatAreLoadedFromAPathIsThatOfTheFilesThatFit) {
  const auto ways = [](const std::string& path, const std::string& file) {
    return Ways({{"a.py",
                  "import imp\nimport os\nimport sys\n\ndef main():\n"
                  "    imp.load_source('net', " +
                      path + ").run()\n\n" + kCallOfMain},
                 {"nets/big/__init__.py", "import apex\n"},
                 {"nets/big/deep/__init__.py", "import apex\n"},
                 {"other/big/__init__.py", "import apex\n"}},
                file, 1);
  };
  const std::string joined = "os.path.join('nets', sys.argv[1], '__init__.py')";
  EXPECT_THAT(ways(joined, "nets/big/__init__.py"), ElementsAre("a.py called"));
  EXPECT_THAT(ways(joined, "nets/big/deep/__init__.py"), IsEmpty());
  EXPECT_THAT(ways(joined, "other/big/__init__.py"), IsEmpty());
  EXPECT_THAT(ways("'other/big/__init__.py'", "other/big/__init__.py"), ElementsAre("a.py always"));
  EXPECT_THAT(ways("sys.argv[1]", "nets/big/__init__.py"), IsEmpty());
  EXPECT_THAT(ways("sys.argv[1] + '/__init__.py'", "nets/big/__init__.py"), IsEmpty());
}

TEST(Reachability, OfAModuleThatAnOptionNamesByDefaultIsCertain) {
  const std::string main =
      "import argparse\nimport importlib\np = argparse.ArgumentParser()\n"
      "p.add_argument('--net', default='m')\nargs = p.parse_args()\n"
      "net = importlib.import_module(args.net)\n\ndef main():\n    net.f()\n\n";
  const std::map<std::string, std::string> files = {{"a.py", main + kCallOfMain},
                                                    {"m.py", "import apex\n\ndef f():\n    pass\n"},
                                                    {"n.py", "import apex\n"}};
  EXPECT_THAT(Ways(files, "m.py", 1), ElementsAre("a.py always"));
  EXPECT_THAT(Ways(files, "m.py", 4), ElementsAre("a.py perhaps"));
  EXPECT_THAT(Ways(files, "n.py", 1), IsEmpty());
}

TEST(Reachability, OfModulesOfAFolderIsThatOfWhatImportsWhatItLists) {
  const std::map<std::string, std::string> files = {
      {"a.py", std::string("import logs\nimport nets\n\ndef main():\n    logs.extend()\n"
                           "    nets.load()\n    Registry(folders=['models'])\n\n") +
                   kCallOfMain},
      {"logs.py",
       "import importlib\nimport pathlib\nfrom settings import get\n\ndef extend():\n"
       "    name = get('EXTENSION')\n    importlib.import_module(name).register()\n\n"
       "def collect(folder):\n    return list(pathlib.Path(folder).glob('*.log'))\n"},
      {"settings.py", "import os\n\ndef get(name):\n    return os.environ.get(name)\n"},
      {"nets.py", "def load():\n    pass\n"},
      {"models/__init__.py", ""},
      {"models/net.py", "import apex\n"}};
  EXPECT_THAT(Ways(files, "models/net.py", 1), IsEmpty());
  std::map<std::string, std::string> listing = files;
  listing["nets.py"] =
      "import importlib\nimport pathlib\n\ndef load():\n"
      "    for path in pathlib.Path('models').glob('*.py'):\n        name = path.stem\n"
      "        importlib.import_module(name)\n";
  EXPECT_THAT(Ways(listing, "models/net.py", 1), ElementsAre("a.py perhaps"));
}

TEST(Reachability, OfAPackageIsNotThatOfWhatListsFoldersWhereItsOwnFilesSayItsName) {
  std::map<std::string, std::string> files = {
      {"a.py", std::string("import nets\n\ndef main():\n    nets.load('.')\n\n") + kCallOfMain},
      {"nets.py",
       "import importlib\nimport pathlib\n\ndef load(folder):\n"
       "    for path in pathlib.Path(folder).glob('*.py'):\n        name = path.stem\n"
       "        importlib.import_module(name)\n"},
      {"page.py", "import os\npage = os.path.join('pkg', 'page.html')\n"},
      {"pkg/__init__.py", "from importlib.metadata import version\nv = version('pkg')\n"},
      {"pkg/core/log.py", "import logging\nlog = logging.getLogger('pkg')\n"},
      {"pkg/net.py", "import apex\n"}};
  EXPECT_THAT(Ways(files, "pkg/net.py", 1), IsEmpty());
  files["a.py"] = "import nets\n\ndef main():\n    nets.load('pkg')\n\n" + std::string(kCallOfMain);
  EXPECT_THAT(Ways(files, "pkg/net.py", 1), ElementsAre("a.py perhaps"));
}

TEST(Reachability, OfModulesThatATableNamesIsThatOfTheFunctionsThatUseTheTable) {
  const std::string registry =
      "import importlib\nNETS = {'a': 'p.nets.a', 'b': 'p.nets.b'}\nLOSSES = {'l': 'p.l'}\n\n"
      "def load(name, table):\n    importlib.import_module(table.get(name))\n\n"
      "def net(name):\n    load(name, NETS)\n\ndef loss(name):\n    load(name, LOSSES)\n";
  const std::map<std::string, std::string> files = {
      {"a.py", std::string("import sys\nfrom p.registry import net\n\ndef main():\n"
                           "    net(sys.argv[1])\n\n") +
                   kCallOfMain},
      {"p/__init__.py", ""},
      {"p/registry.py", registry},
      {"p/l.py", "import apex\n"},
      {"p/nets/__init__.py", ""},
      {"p/nets/a.py", "import apex\n"},
      {"p/nets/c.py", "import apex\n"}};
  EXPECT_THAT(Ways(files, "p/nets/a.py", 1), ElementsAre("a.py called"));
  EXPECT_THAT(Ways(files, "p/nets/c.py", 1), IsEmpty());
  EXPECT_THAT(Ways(files, "p/l.py", 1), IsEmpty());
}

TEST(Reachability, OfModulesThatATableNamesFromItsPackageIsThatOfWhatIsTaken) {
  const std::string package =
      "import importlib\nEXPORTS = {'Net': ('.net', 'Net'), 'Other': ('.other', 'Other')}\n\n"
      "def __getattr__(name):\n    module, member = EXPORTS[name]\n"
      "    return getattr(importlib.import_module(module, __name__), member)\n";
  const std::map<std::string, std::string> files = {
      {"a.py", std::string("from p import Net\n\ndef main():\n    Net().run()\n\n") + kCallOfMain},
      {"p/__init__.py", package},
      {"p/net.py", "import apex\n\nclass Net:\n    def run(self):\n        pass\n"},
      {"p/other.py", "import apex\n\nclass Other:\n    pass\n"}};
  EXPECT_THAT(Ways(files, "p/net.py", 1), ElementsAre("a.py always"));
  EXPECT_THAT(Ways(files, "p/net.py", 5), ElementsAre("a.py always"));
  EXPECT_THAT(Ways(files, "p/other.py", 1), IsEmpty());
}

TEST(Reachability, OfModulesThatATableOfAFunctionNamesFromItsPackageIsSeen) {
  const std::string package =
      "import importlib\nBACKENDS = {'fast': '.fast', 'exact': '.exact'}\n\ndef load(name):\n"
      "    importlib.import_module(BACKENDS.get(name), __name__)\n";
  const std::map<std::string, std::string> files = {
      {"a.py", std::string("import sys\nfrom p import load\n\ndef main():\n"
                           "    load(sys.argv[1])\n\n") +
                   kCallOfMain},
      {"p/__init__.py", package},
      {"p/fast.py", "import apex\n"},
      {"fast.py", "import apex\n"}};
  EXPECT_THAT(Ways(files, "p/fast.py", 1), ElementsAre("a.py called"));
  EXPECT_THAT(Ways(files, "fast.py", 1), Not(testing::Contains("a.py called")));
}

TEST(Reachability, OfAClassThatARegistryIsCalledForIsThatOfWhatAsksTheRegistry) {
  const std::string registry =
      "class Register:\n    def __init__(self):\n        self.known = {}\n\n"
      "    def __call__(self, name):\n        return lambda c: self.known.setdefault(name, c)\n\n"
      "    def __getitem__(self, name):\n        return self.known[name]\n\n\n"
      "NETS = Register()\nLOSSES = Register()\n\n\n"
      "def build(name):\n    return NETS[name]()\n";
  const std::map<std::string, std::string> files = {
      {"a.py", std::string("import sys\nimport nets\nfrom registry import build\n\ndef main():\n"
                           "    build(sys.argv[1]).train()\n\n") +
                   kCallOfMain},
      {"registry.py", registry},
      {"nets.py",
       "from registry import LOSSES, NETS\n\n\n@NETS('n')\nclass Net:\n"
       "    def __init__(self):\n        self.x = 1\n\n    def train(self):\n        pass\n\n\n"
       "@LOSSES('l')\nclass Loss:\n    def __init__(self):\n        self.x = 1\n"}};
  EXPECT_THAT(Ways(files, "nets.py", 7), Not(IsEmpty()));
  EXPECT_THAT(Ways(files, "nets.py", 10), Not(IsEmpty()));
  EXPECT_THAT(Ways(files, "nets.py", 16), IsEmpty());
}

TEST(Reachability, OfTheBuildOfAModuleThatCannotBeImportedIsCertain) {
  const std::string load = "    from torch.utils.cpp_extension import load\n    x = load('";
  const std::string start = "try:\n    import x\nexcept ImportError:\n" + load;
  const std::string main = "import m\n\ndef main():\n    pass\n\n" + std::string(kCallOfMain);
  EXPECT_THAT(Ways({{"a.py", main}, {"m.py", start + "x', ['x.cu'])\n"}}, "m.py", 5),
              ElementsAre("a.py always"));
  EXPECT_THAT(Ways({{"a.py", main}, {"m.py", start + "y', ['x.cu'])\n"}}, "m.py", 5),
              ElementsAre("a.py called"));
  const std::string inner = "try:\n    import ops.x as x\nexcept ImportError:\n" + load;
  EXPECT_THAT(Ways({{"a.py", main}, {"m.py", inner + "x', ['x.cu'])\n"}}, "m.py", 5),
              ElementsAre("a.py always"));
}

TEST(Reachability, OfAFunctionThatATryCompilesIsWhereItIsCalled) {
  const std::string tried =
      "import torch\n\ntry:\n    fast = torch.compile(len)\nexcept ImportError:\n    fast = "
      "None\n\n"
      "def run():\n    return fast([])\n";
  const std::string main = "import m\n\ndef main():\n    m.";
  const std::string end = "\n\n" + std::string(kCallOfMain);
  EXPECT_THAT(Ways({{"a.py", main + "x = 1" + end}, {"m.py", tried}}, "m.py", 4, 5), IsEmpty());
  EXPECT_THAT(Ways({{"a.py", main + "run()" + end}, {"m.py", tried}}, "m.py", 4, 5),
              Not(IsEmpty()));
}

TEST(Reachability, OfAClassThatTheProgramEvaluatesTheNameOfIsAGuess) {
  const std::map<std::string, std::string> files = {
      {"a.py",
       std::string("from nets import *\n\ndef main(config):\n    eval(config.NET)(config)\n\n") +
           "if __name__ == '__main__':\n    main(None)\n"},
      {"nets/__init__.py", "from .big import Big\n"},
      {"nets/big.py", "class Big:\n    def __init__(self, config):\n        self.x = 1\n"}};
  EXPECT_THAT(Ways(files, "nets/big.py", 3), ElementsAre("a.py perhaps"));
}

TEST(Reachability, OfAModuleThatOnlyTypeCheckersImportIsNone) {
  const std::string for_types =
      "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import m\n";
  EXPECT_THAT(Ways({{"a.py", for_types + "\ndef main():\n    pass\n\n" + kCallOfMain},
                    {"m.py", "import apex\n"}},
                   "m.py", 1),
              IsEmpty());
}

TEST(Reachability, OfAModuleThatAPackageLoadsLateIsSeenWhereItsNameIsImported) {
  const std::string late =
      "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .q import x, y\nelse:\n"
      "    import sys\n    sys.modules[__name__] = Late(__name__)\n";
  const std::string late_too =
      "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .m import x\n"
      "    from .n import y\nelse:\n    import sys\n    sys.modules[__name__] = Late(__name__)\n";
  const std::map<std::string, std::string> files = {
      {"a.py", std::string("from p import x\n\ndef main():\n    print(x)\n\n") + kCallOfMain},
      {"p/__init__.py", late},
      {"p/q/__init__.py", late_too},
      {"p/q/m.py", "import apex\nx = 1\n"},
      {"p/q/n.py", "import apex\ny = 1\n"}};
  EXPECT_THAT(Ways(files, "p/q/m.py", 1), ElementsAre("a.py called"));
  EXPECT_THAT(Ways(files, "p/q/n.py", 1), IsEmpty());
}

TEST(Reachability, OfAnObjectThatAMethodOfItsClassMakesIsCertain) {
  const std::map<std::string, std::string> files = {
      {"codec.py",
       "class Codec:\n    def __init__(self, path):\n        load(path)\n\n"
       "    @classmethod\n    def read(cls, path):\n        return cls(path=path)\n"},
      {"a.py", std::string("from codec import Codec\n\ndef main():\n    Codec.read('x')\n\n") +
                   kCallOfMain}};
  EXPECT_THAT(Ways(files, "codec.py", 3), ElementsAre("a.py always"));
}

TEST(Reachability, OfThePackageAroundTheFolderOfAScriptIsNone) {
  const std::map<std::string, std::string> files = {
      {"pkg/__init__.py", "import natten\n"},
      {"pkg/ops/__init__.py", ""},
      {"pkg/ops/functions/__init__.py", "from .attend import attend\n"},
      {"pkg/ops/functions/attend.py", "def attend():\n    return 1\n"},
      {"pkg/ops/test.py",
       std::string("from functions import attend\n\ndef main():\n    attend()\n\n") + kCallOfMain}};
  EXPECT_THAT(Ways(files, "pkg/__init__.py", 1), IsEmpty());
  EXPECT_THAT(Ways(files, "pkg/ops/functions/attend.py", 2), ElementsAre("pkg/ops/test.py always"));
}

TEST(Reachability, OfWhatAForgivenImportBringsIsForgivenBehindATestOfIt) {
  const std::string start =
      "try:\n    from m import Fast\n    has = True\nexcept ImportError:\n    has = False\n\n"
      "def main():\n";
  const std::string fast = "import apex\n\nclass Fast:\n    pass\n";
  const auto ways = [&](const std::string& body) {
    return Ways({{"a.py", start + body + "\n" + kCallOfMain}, {"m.py", fast}}, "m.py", 1);
  };
  EXPECT_THAT(ways("    if has:\n        Fast()\n"), ElementsAre("a.py called forgiven"));
  EXPECT_THAT(ways("    Fast()\n"), ElementsAre("a.py called"));
}

TEST(Reachability, OfAModuleThatIsImportedInATryAloneIsForgiven) {
  const std::string guarded = "try:\n    import m\nexcept ImportError:\n    m = None\n";
  const std::string main = std::string("\ndef main():\n    pass\n\n") + kCallOfMain;
  EXPECT_THAT(Ways({{"a.py", guarded + main}, {"m.py", "import apex\n"}}, "m.py", 1),
              ElementsAre("a.py called forgiven"));
  EXPECT_THAT(Ways({{"a.py", guarded + "import b\n" + main},
                    {"b.py", "import m\n"},
                    {"m.py", "import apex\n"}},
                   "m.py", 1),
              ElementsAre("a.py always"));
}

TEST(Reachability, OfAnImportBehindTheBranchesOfTheMainBlockIsCertain) {
  EXPECT_THAT(
      Ways({{"a.py", "if __name__ == '__main__':\n    if True:\n        pass\n    import m\n"},
            {"m.py", "import apex\n"}},
           "m.py", 1),
      ElementsAre("a.py always"));
}

TEST(Reachability, OfAFunctionThatIsCalledInAnyCaseIsCertain) {
  EXPECT_THAT(Ways({{"a.py", std::string("def main():\n    run()\n\ndef run():\n    pass\n\n") +
                                 kCallOfMain}},
                   "a.py", 5),
              ElementsAre("a.py always"));
}

/// How a program whose main() has this body gets to line 2, in a function f().
std::vector<std::string> WaysToF(const std::string& body) {
  return Ways({{"a.py", "def f():\n    return 1\n\ndef main(x):\n" + body + "\n" + kCallOfMain}},
              "a.py", 2);
}

TEST(Reachability, OfAFunctionThatABranchCallsIsNotCertain) {
  for (const char* body : {"    if x.y():\n        f()\n", "    while x.y():\n        f()\n",
                           "    try:\n        f()\n    except ValueError:\n        pass\n",
                           "    y = f() if x.y() else 2\n", "    y = x.y() and f()\n",
                           "    y = lambda: f()\n", "    def g():\n        f()\n    x(g)\n"}) {
    EXPECT_THAT(WaysToF(body), ElementsAre("a.py called")) << body;
  }
}

TEST(Reachability, OfAFunctionThatALoopOrTheTestOfABranchCallsIsCertain) {
  for (const char* body : {"    for y in x:\n        f()\n", "    if f():\n        x()\n",
                           "    with x:\n        f()\n", "    y = 1 if f() else 2\n",
                           "    y = [f() for y in x]\n", "    y = f() and x.y()\n"}) {
    EXPECT_THAT(WaysToF(body), ElementsAre("a.py always")) << body;
  }
}

TEST(Reachability, BehindAnEarlyEndIsNotCertain) {
  for (const char* body : {"    if x.y():\n        return\n    f()\n",
                           "    for y in x:\n        if y:\n            continue\n        f()\n",
                           "    if x.y():\n        exit()\n    f()\n"}) {
    EXPECT_THAT(WaysToF(body), ElementsAre("a.py called")) << body;
  }
  for (const char* body : {"    def g():\n        if x:\n            return 1\n    f(g)\n",
                           "    if x.y():\n        raise ValueError\n    f()\n"}) {
    EXPECT_THAT(WaysToF(body), ElementsAre("a.py always")) << body;
  }
}

TEST(Reachability, OfMethodsOfAnObjectOfOneClassIsThatOfTheirCalls) {
  const std::string code =
      "class A:\n    def __init__(self):\n        self.x = 1\n\n    def run(self):\n        "
      "pass\n\n"
      "def main():\n    a = A()\n    a.run()\n\n";
  EXPECT_THAT(Ways({{"a.py", code + kCallOfMain}}, "a.py", 3), ElementsAre("a.py always"));
  EXPECT_THAT(Ways({{"a.py", code + kCallOfMain}}, "a.py", 6), ElementsAre("a.py always"));
}

TEST(Reachability, OfWhatATableOfTheModuleHoldsIsThatOfItsUses) {
  const std::string function = "def f():\n    return 1\n\n";
  const std::string use = "def run(x):\n    return NETS[x]()\n\n";
  const auto program = [](const std::string& head, const std::string& body) {
    return head + "def main(x):\n    " + body + "\n\n" + kCallOfMain;
  };
  for (const char* table : {"NETS = {'f': f}\n", "NETS = [f, 1]\n", "NETS = dict(f=f)\n",
                            "NETS = {}\nNETS['f'] = f\n", "NETS = {'a': {'f': (f, 1)}}\n"}) {
    const std::string module = function + table + use;
    EXPECT_THAT(
        Ways({{"a.py", program("from m import run\n", "run(x)")}, {"m.py", module}}, "m.py", 2),
        ElementsAre("a.py called"))
        << table;
    EXPECT_THAT(
        Ways({{"a.py", program("from m import NETS\n", "NETS[x]()")}, {"m.py", module}}, "m.py", 2),
        ElementsAre("a.py called"))
        << table;
    EXPECT_THAT(Ways({{"a.py", program("import m\n", "pass")}, {"m.py", module}}, "m.py", 2),
                IsEmpty())
        << table;
  }
}

TEST(Reachability, OfAClassInATableOfTheModuleIsThatOfTheUsesOfTheTable) {
  const std::string module =
      "class Net:\n    def forward(self):\n        pass\n\nNETS = {'net': Net}\n";
  const auto program = [](const std::string& body) {
    return "import m\n\ndef main(x):\n    " + body + "\n\n" + kCallOfMain;
  };
  EXPECT_THAT(Ways({{"a.py", program("m.NETS[x]()")}, {"m.py", module}}, "m.py", 3),
              ElementsAre("a.py called"));
  EXPECT_THAT(Ways({{"a.py", program("pass")}, {"m.py", module}}, "m.py", 3), IsEmpty());
}

TEST(Reachability, OfAClassInATableOfAnotherClassIsThatOfItsMethods) {
  const std::string module =
      "class Net:\n    def __init__(self):\n        pass\n\n\nclass Nets:\n"
      "    known = {'net': Net}\n\n    @classmethod\n    def make(cls, name):\n"
      "        return cls.known[name]()\n";
  const auto program = [](const std::string& body) {
    return "import m\n\ndef main(x):\n    " + body + "\n\n" + kCallOfMain;
  };
  EXPECT_THAT(Ways({{"a.py", program("m.Nets.make(x)")}, {"m.py", module}}, "m.py", 3),
              ElementsAre("a.py called"));
  EXPECT_THAT(Ways({{"a.py", program("pass")}, {"m.py", module}}, "m.py", 3), IsEmpty());
}

TEST(Reachability, LeavesOutProgramsThatDoNotCallTheFunction) {
  const std::string call =
      std::string("from m import f, g\n\ndef main():\n    f()\n\n") + kCallOfMain;
  const std::string other =
      std::string("from m import f, g\n\ndef main():\n    g()\n\n") + kCallOfMain;
  EXPECT_THAT(
      Ways(
          {{"a.py", call}, {"b.py", other}, {"m.py", "def f():\n    pass\n\ndef g():\n    pass\n"}},
          "m.py", 2),
      ElementsAre("a.py always"));
}

/// True if the line of m.py is unused beside a.py, which calls `used` of it.
bool IsUnusedInM(const std::string& module, uint32_t line, const std::string& program = "used()") {
  const ProjectOnDisk project(
      {{"a.py", "from m import used\n\ndef main():\n    " + program + "\n\n" + kCallOfMain},
       {"m.py", module},
       {"setup.py", "from setuptools import setup\nsetup(name='x')\n"},
       {"plugin.py",
        "from m import REG, other\n\n\n@REG.register()\nclass P:\n"
        "    def forward(self):\n        other()\n"},
       {"loose.py", "class Q:\n    def forward(self):\n        import apex\n"}});
  const Result<TrainingApis> apis = TrainingApis::Load();
  const ProgramCode code = ReadProgramCode(project.sources(), *apis);
  const ProgramGraph graph(code, *apis);
  const EntryPoints entries = FindEntryPoints(project.sources(), code, graph, *apis);
  const Reachability reachability(code, graph, entries);
  EXPECT_FALSE(reachability.IsUnused("setup.py", 2));
  EXPECT_TRUE(reachability.IsUnused("loose.py", 3));
  EXPECT_FALSE(reachability.IsUnused("notes.txt", 1));
  return reachability.IsUnused("m.py", line);
}

TEST(Reachability, TellsWhatIsUnusedWhateverClassesProgramsMake) {
  const std::string module =
      "from registry import Registry\nREG = Registry('x')\n\n"
      "def used():\n    pass\n\n"    // 4
      "def unused():\n    pass\n\n"  // 7
      "def other():\n    pass\n\n"   // 10: of a class that is registered
      "def helper():\n    pass\n\n"  // 13: of a class in a file that is loaded
      "class C:\n    def forward(self):\n        helper()\n";  // 16
  EXPECT_FALSE(IsUnusedInM(module, 2));
  EXPECT_FALSE(IsUnusedInM(module, 5));
  EXPECT_TRUE(IsUnusedInM(module, 8));
  EXPECT_FALSE(IsUnusedInM(module, 11));
  EXPECT_FALSE(IsUnusedInM(module, 14));
  EXPECT_FALSE(IsUnusedInM(module, 18));
}

TEST(Reachability, CallsABranchUnusedForWhichNoCallOfTheProjectPassesTheValue) {
  const std::string module =
      "def used(flag=True):\n    if flag:\n        pass\n    else:\n        pass\n";
  EXPECT_TRUE(IsUnusedInM(module, 3, "used(flag=False)"));
  EXPECT_FALSE(IsUnusedInM(module, 5, "used(flag=False)"));
  EXPECT_FALSE(IsUnusedInM(module, 3, "used(False)\n    used()"));
  EXPECT_FALSE(IsUnusedInM(module, 3, "used(flag=input())"));
}

/// A project whose train.py makes `maker` of what config.yaml names.
std::map<std::string, std::string> Configured(const std::string& maker) {
  return {{"train.py", maker + "\nif __name__ == '__main__':\n    make('c.yaml')\n"},
          {"other.py", std::string("def main():\n    pass\n\n") + kCallOfMain},
          {"conf/c.yaml",
           "# target: pkg.old.Old\nmodel:\n  target: pkg.nets.net.Net\n"
           "  params: {loss: {target: pkg.Loss}, fit: {_target_: pkg.nets.net.Net.of}}\n"},
          {"pkg/__init__.py", "from pkg.loss import Loss\n"},
          {"pkg/loss.py",
           "class Loss:\n    def forward(self):\n        help()\n\ndef help():\n    pass\n"},
          {"pkg/nets/net.py",
           "import apex\n\n\nclass Net:\n    def forward(self):\n        pass\n"
           "    def of(self):\n        pass\n    def __init__(self):\n        pass\n"},
          {"pkg/old.py", "import apex\n\n\nclass Old:\n    def forward(self):\n        pass\n"}};
}

TEST(Reachability, OfAClassThatAConfigurationNamesIsSeen) {
  for (const char* maker :
       {"import importlib\n\ndef make(config):\n    module, name = config['target'].rsplit('.', "
        "1)\n"
        "    return getattr(importlib.import_module(module), name)()\n",
        "import importlib\n\ndef make(config):\n    module, name = config.rsplit('.', 1)\n"
        "    return getattr(importlib.import_module(module, package=None), name)\n",
        "from hydra.utils import instantiate\n\ndef make(config):\n"
        "    return instantiate(config)\n",
        "from pytorch_lightning.cli import LightningCLI\n\ndef make(config):\n"
        "    return LightningCLI()\n"}) {
    const std::map<std::string, std::string> files = Configured(maker);
    EXPECT_THAT(Ways(files, "pkg/nets/net.py", 1), ElementsAre("train.py perhaps")) << maker;
    EXPECT_THAT(Ways(files, "pkg/nets/net.py", 6), ElementsAre("train.py perhaps")) << maker;
    EXPECT_THAT(Ways(files, "pkg/nets/net.py", 8), ElementsAre("train.py perhaps")) << maker;
    EXPECT_THAT(Ways(files, "pkg/nets/net.py", 10), ElementsAre("train.py perhaps")) << maker;
    EXPECT_THAT(Ways(files, "pkg/loss.py", 6), ElementsAre("train.py perhaps")) << maker;
    EXPECT_THAT(Ways(files, "pkg/old.py", 1), IsEmpty()) << maker;
  }
  EXPECT_THAT(Ways(Configured("def make(config):\n    pass\n"), "pkg/nets/net.py", 6), IsEmpty());
}

TEST(Reachability, OfWhatTheConfigurationsOfOtherProgramsNameIsNone) {
  const auto program = [](const std::string& config) {
    return "import argparse\nfrom make import make\n\ndef main():\n"
           "    parser = argparse.ArgumentParser()\n"
           "    parser.add_argument('--config', default='" +
           config + "')\n    make(parser.parse_args().config)\n\n" + kCallOfMain;
  };
  std::map<std::string, std::string> files = {
      {"make.py",
       "import importlib\n\ndef make(config):\n"
       "    module, name = config['target'].rsplit('.', 1)\n"
       "    return getattr(importlib.import_module(module), name)()\n"},
      {"train.py", program("conf/train.yaml")},
      {"draw.py", program("conf/draw.yaml")},
      {"any.py", program("")},
      {"conf/train.yaml", "target: nets.net.Net\n"},
      {"conf/draw.yaml", "target: nets.rays.Rays\n"},
      {"conf/old.yaml", "target: nets.old.Old\n"},
      {"nets/net.py", "import apex\n\nclass Net:\n    pass\n"},
      {"nets/rays.py", "import apex\n\nclass Rays:\n    pass\n"},
      {"nets/old.py", "import apex\n\nclass Old:\n    pass\n"}};
  EXPECT_THAT(Ways(files, "nets/net.py", 1), ElementsAre("any.py perhaps", "train.py perhaps"));
  EXPECT_THAT(Ways(files, "nets/rays.py", 1), ElementsAre("any.py perhaps", "draw.py perhaps"));
  EXPECT_THAT(Ways(files, "nets/old.py", 1),
              ElementsAre("any.py perhaps", "draw.py perhaps", "train.py perhaps"));
  files["README.md"] = "```\npython train.py --config conf/<name>.yaml\n```\n";
  EXPECT_THAT(Ways(files, "nets/rays.py", 1),
              ElementsAre("any.py perhaps", "draw.py perhaps", "train.py perhaps"));
  files["README.md"] = "```\npython train.py --config=conf/draw.yaml\n```\n";
  EXPECT_THAT(Ways(files, "nets/rays.py", 1),
              ElementsAre("any.py perhaps", "draw.py perhaps", "train.py perhaps"));
}

TEST(Reachability, OfAModuleThatAConfigurationNamesIsSeen) {
  const std::map<std::string, std::string> files = {
      {"train.py",
       "import importlib\n\ndef make(config):\n"
       "    return importlib.import_module(config.type).Model()\n\n"
       "if __name__ == '__main__':\n    make('c.yaml')\n"},
      {"conf/c.yaml", "model:\n  type: nets.big.model\nsource: nets.tools\n"},
      {"nets/tools/__init__.py", "import apex\n"},
      {"nets/big/model.py",
       "import apex\n\n\nclass Model:\n    def __init__(self):\n        self.x = 1\n"},
      {"nets/big/other.py", "import apex\n"}};
  EXPECT_THAT(Ways(files, "nets/big/model.py", 1), ElementsAre("train.py perhaps"));
  EXPECT_THAT(Ways(files, "nets/big/model.py", 6), ElementsAre("train.py perhaps"));
  EXPECT_THAT(Ways(files, "nets/big/other.py", 1), IsEmpty());
  EXPECT_THAT(Ways(files, "nets/tools/__init__.py", 1), IsEmpty());
}

TEST(Reachability, OfAModuleThatTheEnvironmentNamesIsNoneOfTheProject) {
  const std::string load = "def load(name):\n    importlib.import_module(name).register()\n\n";
  const auto made = [&](const std::string& handed) {
    return Ways(Configured("import importlib\nimport os\n\n" + load +
                           "def make(config):\n    path = os.environ.get('SETUP')\n"
                           "    if path:\n        load(" +
                           handed + ")\n"),
                "pkg/nets/net.py", 6);
  };
  EXPECT_THAT(made("path"), IsEmpty());
  EXPECT_THAT(made("name=path"), IsEmpty());
  EXPECT_THAT(made("config"), ElementsAre("train.py perhaps with SETUP"));
  EXPECT_THAT(made("os.environ.get('SETUP', config)"), ElementsAre("train.py perhaps with SETUP"));
}

TEST(Reachability, OfAMethodOfAnObjectThatAnotherFileHoldsIsCertain) {
  const std::map<std::string, std::string> files = {
      {"a.py",
       std::string("from p.config import configs\n\ndef main():\n    configs.load('x')\n\n") +
           kCallOfMain},
      {"p/config.py",
       "class Config(dict):\n    @staticmethod\n    def load(name):\n        print(name)\n"
       "class Other:\n    def load(self, name):\n        print(name)\n"
       "configs = Config()\nother = Other()\n"}};
  EXPECT_THAT(Ways(files, "p/config.py", 4), ElementsAre("a.py called"));
  EXPECT_THAT(Ways(files, "p/config.py", 7), IsEmpty());
}

TEST(Reachability, OfAModuleThatACommandHandsToAProgramIsSeen) {
  const std::string main =
      "import importlib\nimport sys\n\ndef main():\n    "
      "importlib.import_module(name(sys.argv))\n\n";
  const std::map<std::string, std::string> files = {
      {"a.py", main + kCallOfMain},
      {"README.md", "```\npython a.py conf/net/big.py\n```\n"},
      {"conf/net/__init__.py", "import apex\n"},
      {"conf/net/big.py", "import apex\n"},
      {"conf/net/small.py", "import apex\n"}};
  EXPECT_THAT(Ways(files, "conf/net/big.py", 1), ElementsAre("a.py perhaps"));
  EXPECT_THAT(Ways(files, "conf/net/__init__.py", 1), ElementsAre("a.py perhaps"));
  EXPECT_THAT(Ways(files, "conf/net/small.py", 1), IsEmpty());
}

TEST(Reachability, OfWhatBuildsAModuleWhereItsImportFailsIsCertain) {
  const auto ways = [](const std::string& in_handler) {
    return Ways(
        {{"a.py", std::string("import ops\n\ndef main():\n    pass\n\n") + kCallOfMain},
         {"ops/__init__.py", "from .op import *\n"},
         {"ops/op.py", "try:\n    import _op_cuda as _op\nexcept ImportError:\n" + in_handler},
         {"ops/build.py",
          "from torch.utils.cpp_extension import load\n\n"
          "_op = load(name='_op_built', sources=['op.cu'])\nslow = None\n"}},
        "ops/build.py", 3);
  };
  EXPECT_THAT(ways("    from .build import _op\n"), ElementsAre("a.py always"));
  EXPECT_THAT(ways("    from .build import slow as _op\n"), ElementsAre("a.py called"));
  EXPECT_THAT(ways("    from .build import _op as other\n"), ElementsAre("a.py called"));
}

TEST(Reachability, TakesNothingThatAConfigurationNamesForUnused) {
  const ProjectOnDisk project(Configured("def make(config):\n    pass\n"));
  const Result<TrainingApis> apis = TrainingApis::Load();
  const ProgramCode code = ReadProgramCode(project.sources(), *apis);
  const ProgramGraph graph(code, *apis);
  const EntryPoints entries = FindEntryPoints(project.sources(), code, graph, *apis);
  const Reachability reachability(code, graph, entries);
  EXPECT_FALSE(reachability.IsUnused("pkg/nets/net.py", 6));
  EXPECT_FALSE(reachability.IsUnused("pkg/loss.py", 6));
  EXPECT_TRUE(reachability.IsUnused("pkg/old.py", 6));
}

TEST(Reachability, TakesNoFunctionOfAModuleThatAConfigurationNamesForUnused) {
  const ProjectOnDisk project({{"train.py", std::string("def main():\n    pass\n\n") + kCallOfMain},
                               {"conf/c.yaml", "model:\n  type: nets.big\n"},
                               {"nets/big.py", "def build():\n    return 2\n"},
                               {"nets/old.py", "def build():\n    return 2\n"}});
  const Result<TrainingApis> apis = TrainingApis::Load();
  const ProgramCode code = ReadProgramCode(project.sources(), *apis);
  const ProgramGraph graph(code, *apis);
  const EntryPoints entries = FindEntryPoints(project.sources(), code, graph, *apis);
  const Reachability reachability(code, graph, entries);
  EXPECT_FALSE(reachability.IsUnused("nets/big.py", 2));
  EXPECT_TRUE(reachability.IsUnused("nets/old.py", 2));
}

TEST(Reachability, OfAFunctionThatALibraryIsHandedIsSeen) {
  const auto files = [](const std::string& decorator) {
    return std::map<std::string, std::string>{
        {"a.py", std::string("import net\n\ndef main():\n    pass\n\n") + kCallOfMain},
        {"net.py", "import torch\nfrom lib.registry import REG, register_model\n\n\n" + decorator +
                       "\ndef make(config):\n    import apex\n"}};
  };
  EXPECT_THAT(Ways(files("@REG.register()"), "net.py", 7), ElementsAre("a.py perhaps"));
  EXPECT_THAT(Ways(files("@REG.register_module"), "net.py", 7), ElementsAre("a.py perhaps"));
  EXPECT_THAT(Ways(files("@register_model"), "net.py", 7), ElementsAre("a.py perhaps"));
  EXPECT_THAT(Ways(files("@torch.no_grad()"), "net.py", 7), IsEmpty());
}

TEST(Reachability, OfABranchAtTheTopOfAModuleIsNotCertain) {
  EXPECT_THAT(Ways({{"a.py", std::string("import m\n\ndef main():\n    pass\n\n") + kCallOfMain},
                    {"m.py", "import os\nif os.cpu_count() > 2:\n    import apex\nx = 1\n"}},
                   "m.py", 3),
              ElementsAre("a.py called"));
}

TEST(Reachability, GoesOnBehindABranchAsBefore) {
  EXPECT_THAT(Ways({{"a.py", std::string("import m\n\ndef main():\n    pass\n\n") + kCallOfMain},
                    {"m.py", "import os\nif os.environ.get('X'):\n    import apex\nx = 1\n"}},
                   "m.py", 4),
              ElementsAre("a.py always"));
}

TEST(Reachability, OfDecoratorsAndDefaultsIsThatOfTheCodeAround) {
  EXPECT_THAT(Ways({{"a.py", std::string("import m\n\ndef main():\n    pass\n\n") + kCallOfMain},
                    {"m.py", "import torch\n\n@torch.jit.script\ndef f(x=1):\n    return x\n"}},
                   "m.py", 3),
              ElementsAre("a.py always"));
}

TEST(Reachability, OfATextThatAParameterHasByDefaultIsThatOfTheFunction) {
  const std::string library =
      "def f(\n    device='cuda',\n    count=len('a'),\n):\n    g()\n\n"
      "def h(\n    device='cuda',\n):\n    g()\n";
  const std::string calls = std::string("import m\n\ndef main():\n    m.f()\n\n") + kCallOfMain;
  EXPECT_THAT(Ways({{"a.py", calls}, {"m.py", library}}, "m.py", 8, 2), IsEmpty());
  EXPECT_THAT(Ways({{"a.py", calls}, {"m.py", library}}, "m.py", 3, 2), ElementsAre("a.py always"));
  const std::string idle = std::string("import m\n\ndef main():\n    m.h()\n\n") + kCallOfMain;
  EXPECT_THAT(Ways({{"a.py", idle}, {"m.py", library}}, "m.py", 8, 2), ElementsAre("a.py always"));
}

TEST(Reachability, OfWhatADecoratorMakesOfAFunctionIsThatOfTheFunction) {
  const std::string compiled = "import torch\n\n@torch.compile\ndef f(x=1):\n    return x\n";
  const std::string idle = std::string("import m\n\ndef main():\n    pass\n\n") + kCallOfMain;
  EXPECT_THAT(Ways({{"a.py", idle}, {"m.py", compiled}}, "m.py", 3, 2), IsEmpty());
  const std::string calls = std::string("import m\n\ndef main():\n    m.f()\n\n") + kCallOfMain;
  EXPECT_THAT(Ways({{"a.py", calls}, {"m.py", compiled}}, "m.py", 3, 2),
              ElementsAre("a.py always"));
}

TEST(Reachability, OfTheBodyOfAClassIsThatOfItsModule) {
  EXPECT_THAT(Ways({{"a.py", std::string("import m\n\ndef main():\n    pass\n\n") + kCallOfMain},
                    {"m.py", "class C:\n    x = 1\n    def f(self):\n        return 2\n"}},
                   "m.py", 2),
              ElementsAre("a.py always"));
}

TEST(Reachability, OfConstantsThatAClassListsForItsBaseIsThatOfItsObjects) {
  const std::string module =
      "from lib import Base\n\n\nclass C(Base):\n    keys = [\n        'head',\n    ]\n"
      "    count = len(keys)\n\n    def __init__(self):\n        super().__init__()\n";
  const std::string idle = std::string("import m\n\ndef main():\n    pass\n\n") + kCallOfMain;
  EXPECT_THAT(Ways({{"a.py", idle}, {"m.py", module}}, "m.py", 5, 5), IsEmpty());
  EXPECT_THAT(Ways({{"a.py", idle}, {"m.py", module}}, "m.py", 6, 5), IsEmpty());
  EXPECT_THAT(Ways({{"a.py", idle}, {"m.py", module}}, "m.py", 8, 5), ElementsAre("a.py always"));
  const std::string makes = std::string("import m\n\ndef main():\n    m.C()\n\n") + kCallOfMain;
  EXPECT_THAT(Ways({{"a.py", makes}, {"m.py", module}}, "m.py", 5, 5), ElementsAre("a.py always"));
}

TEST(Reachability, OfWhatACommandStartsIsThatOfItsMainBlockToo) {
  const std::string test = std::string("def main():\n    f()\n\n") + kCallOfMain;
  const auto of_command = [&](const std::string& call) {
    return Ways(
        {{"run.py", "import os\nimport subprocess\nif __name__ == '__main__':\n    " + call + "\n"},
         {"tools/test.py", test}},
        "tools/test.py", 2);
  };
  EXPECT_THAT(of_command("os.system(f'CUDA_VISIBLE_DEVICES=0 python ./tools/test.py --n {n}')"),
              ElementsAre("run.py always", "tools/test.py always"));
  EXPECT_THAT(of_command("subprocess.run(['python', 'tools/test.py'], check=True)"),
              ElementsAre("run.py always", "tools/test.py always"));
  EXPECT_THAT(of_command("subprocess.Popen('python3 -m tools.test --n 1', shell=True)"),
              ElementsAre("run.py always", "tools/test.py always"));
  EXPECT_THAT(of_command("words = ['python', 'tools/test.py']\n    words += ['--n', '1']\n"
                         "    subprocess.check_call(words)"),
              ElementsAre("run.py always", "tools/test.py always"));
  EXPECT_THAT(of_command("print('python tools/test.py')"), ElementsAre("tools/test.py always"));
}

TEST(Reachability, OfATryThatGoesOnIsToldForAllThatRunsOnlyThere) {
  const auto in_loop = [](const std::string& handler, const std::string& behind) {
    return std::string(
               "from m import f\n\ndef main():\n    for x in range(3):\n        try:\n"
               "            f(x)\n        except Exception as e:\n") +
           handler + behind + "\n" + kCallOfMain;
  };
  const std::string module = "def f(x):\n    return g(x)\n\ndef g(x):\n    return x\n";
  const auto ways = [&](const std::string& program, uint32_t line) {
    return Ways({{"a.py", program}, {"m.py", module}}, "m.py", line);
  };
  const std::string goes_on = "            print(e)\n            continue\n";
  EXPECT_THAT(ways(in_loop(goes_on, ""), 2), ElementsAre("a.py always caught at a.py:5"));
  EXPECT_THAT(ways(in_loop(goes_on, ""), 5), ElementsAre("a.py always caught at a.py:5"));
  EXPECT_THAT(ways(in_loop(goes_on, "    f(4)\n"), 5), ElementsAre("a.py always"));
  for (const char* ends : {"            raise\n", "            break\n",
                           "            if str(e) != 'x':\n                raise e\n"}) {
    EXPECT_THAT(ways(in_loop(ends, ""), 5), ElementsAre(Not(HasSubstr("caught")))) << ends;
  }
}

TEST(Reachability, OfATryOutsideOfLoopsIsOnlyToldWhereItsHandlerDoesNothing) {
  const auto ways = [](const std::string& handler) {
    return Ways({{"a.py", std::string("from m import f\n\ndef main():\n    try:\n        f()\n"
                                      "    except Exception as e:\n") +
                              handler + "\n" + kCallOfMain},
                 {"m.py", "def f():\n    return 2\n"}},
                "m.py", 2);
  };
  EXPECT_THAT(ways("        pass\n"), ElementsAre("a.py called caught at a.py:4"));
  EXPECT_THAT(ways("        print(e)\n"), ElementsAre("a.py called"));
  EXPECT_THAT(ways("        import other as m\n"), ElementsAre("a.py called"));
}

TEST(Reachability, OfATryWhoseHandlerGivesAnotherResultIsTold) {
  const auto ways = [](const std::string& body, const std::string& handler) {
    return Ways({{"a.py", "from m import f, slow\n\ndef g(x):\n    y = x\n    try:\n" + body +
                              "    except Exception as e:\n        print(e)\n" + handler +
                              "    return y\n\ndef main():\n    g(1)\n\n" + kCallOfMain},
                 {"m.py", "def f(x):\n    return 2\n\ndef slow(x):\n    return 3\n"}},
                "m.py", 2);
  };
  const std::string sets = "        y = f(x)\n";
  EXPECT_THAT(ways(sets, "        y = x\n"), ElementsAre("a.py called caught at a.py:5"));
  EXPECT_THAT(ways("        return f(x)\n", "        return slow(x)\n"),
              ElementsAre("a.py called caught at a.py:5"));
  EXPECT_THAT(ways("        f(x)\n        return True\n", "        return False\n"),
              ElementsAre("a.py called caught at a.py:5"));
  EXPECT_THAT(ways("        for i in x:\n            f(i)\n        return True\n",
                   "        return False\n"),
              ElementsAre("a.py called"));
  EXPECT_THAT(ways(sets, ""), ElementsAre("a.py called"));
  EXPECT_THAT(ways(sets, "        y = None\n"), ElementsAre("a.py called"));
  EXPECT_THAT(ways(sets, "        z = x\n"), ElementsAre("a.py called"));
  EXPECT_THAT(ways(sets, "        y = x\n        raise\n"), ElementsAre("a.py always"));
  EXPECT_THAT(ways("        return f(x)\n", "        return None\n"), ElementsAre("a.py called"));
}

TEST(Reachability, OfAPropertyIsThatOfTheCodeThatReadsIt) {
  const std::map<std::string, std::string> files = {
      {"m.py",
       "class Config:\n    @property\n    def data(self):\n        return 2\n\n"
       "    @property\n    def other(self):\n        return 3\n"},
      {"a.py", std::string("from m import Config\n\ndef main():\n    config = Config()\n"
                           "    print(config.data.size)\n\n") +
                   kCallOfMain}};
  EXPECT_THAT(Ways(files, "m.py", 4), ElementsAre("a.py called"));
  EXPECT_THAT(Ways(files, "m.py", 8), IsEmpty());
}

TEST(Reachability, OfAClassOfWhichOnlyAnAttributeIsSetIsNone) {
  const std::map<std::string, std::string> files = {
      {"m.py", "class Data:\n    path = 'x'\n\n    def __init__(self):\n        import apex\n"},
      {"a.py",
       std::string("from m import Data\n\ndef main():\n    Data.path = 'y'\n\n") + kCallOfMain}};
  EXPECT_THAT(Ways(files, "m.py", 5), IsEmpty());
}

TEST(Reachability, OfAModuleThatIsImportedWhereGlobalsAreAskedForAFunctionIsNoneOfItsFunctions) {
  const std::map<std::string, std::string> files = {
      {"m.py", "def convert():\n    import apex\n"},
      {"a.py", std::string("import sys\nimport m\n\ndef small():\n    return 1\n\ndef main():\n"
                           "    globals()[sys.argv[1]]()\n\n") +
                   kCallOfMain}};
  EXPECT_THAT(Ways(files, "m.py", 2), IsEmpty());
  EXPECT_THAT(Ways(files, "a.py", 5), ElementsAre("a.py called"));
}

TEST(Reachability, OfAMethodOfAnUnknownObjectIsAGuess) {
  EXPECT_THAT(Ways({{"a.py", std::string("from m import C\n\ndef main(x):\n    C()\n"
                                         "    x.convert()\n\n") +
                                 "if __name__ == '__main__':\n    main(input())\n"},
                    {"m.py", "class C:\n    def convert(self):\n        return 2\n"}},
                   "m.py", 3),
              ElementsAre("a.py perhaps"));
}

TEST(Reachability, OfAFileThatNoProgramImportsIsEmpty) {
  EXPECT_THAT(Ways({{"a.py", std::string("def main():\n    pass\n\n") + kCallOfMain},
                    {"m.py", "import apex\n"}},
                   "m.py", 1),
              IsEmpty());
}

TEST(Reachability, OfALibraryWithoutProgramsIsEmpty) {
  EXPECT_THAT(Ways({{"pkg/__init__.py", "import apex\n"}}, "pkg/__init__.py", 1), IsEmpty());
}

TEST(Reachability, OfAFileThatIsNotPythonIsEmpty) {
  EXPECT_THAT(Ways({{"a.py", std::string("def main():\n    pass\n\n") + kCallOfMain}},
                   "requirements.txt", 1),
              IsEmpty());
}

/// a.py, with `options` added to its parser and `body` as the rest of main(args).
std::string ProgramWith(const std::string& options, const std::string& body) {
  return "import argparse\nfrom m import *\n\ndef main(args):\n" + body +
         "\n\nif __name__ == '__main__':\n    parser = argparse.ArgumentParser()\n" + options +
         "    main(parser.parse_args())\n";
}

constexpr char kStoreTrue[] = "    parser.add_argument('--fp16', action='store_true')\n";

TEST(Reachability, NamesTheOptionThatLeadsToABranch) {
  EXPECT_THAT(Ways({{"a.py", ProgramWith(kStoreTrue, "    if args.fp16:\n        f()")},
                    {"m.py", "def f():\n    return 2\n"}},
                   "m.py", 2),
              ElementsAre("a.py called with --fp16"));
}

TEST(Reachability, OfABranchThatAnOptionTurnsOffIsACall) {
  for (const char* body : {"    if not args.fp16:\n        f()",
                           "    if args.fp16:\n        pass\n    else:\n        f()",
                           "    if args.fp16:\n        return\n    f()"}) {
    EXPECT_THAT(
        Ways({{"a.py", ProgramWith(kStoreTrue, body)}, {"m.py", "def f():\n    return 2\n"}},
             "m.py", 2),
        ElementsAre("a.py called"))
        << body;
  }
}

TEST(Reachability, OfABranchThatAnAssertedOptionOpensIsACall) {
  const auto ways = [](const std::string& assertion) {
    const std::string options =
        "    parser.add_argument('--net')\n    parser.add_argument('--folder', default=None)\n"
        "    parser.add_argument('--size', type=int, default=3)\n";
    const std::string body = "    assert " + assertion + "\n    if args.net:\n        f()";
    return Ways({{"a.py", ProgramWith(options, body)}, {"m.py", "def f():\n    return 2\n"}},
                "m.py", 2);
  };
  EXPECT_THAT(ways("args.net, 'give a net'"), ElementsAre("a.py called"));
  EXPECT_THAT(ways("args.net is not None"), ElementsAre("a.py called"));
  EXPECT_THAT(ways("args.folder is not None or args.net is not None"), ElementsAre("a.py called"));
  EXPECT_THAT(ways("args.size > 2 and args.net"), ElementsAre("a.py called"));
  // These hold without the option.
  EXPECT_THAT(ways("args.folder"), ElementsAre("a.py called with --net"));
  EXPECT_THAT(ways("args.net or args.size"), ElementsAre("a.py called with --net"));
  EXPECT_THAT(ways("args.net is None"), ElementsAre("a.py called with --net"));
  EXPECT_THAT(ways("not args.net"), ElementsAre("a.py called with --net"));
}

TEST(Reachability, ComparesAnOptionWithWhatItIsByDefault) {
  const std::string option = "    parser.add_argument('--kernel', default='native')\n";
  for (const char* body : {"    if args.kernel in ('fused', 'triton'):\n        f()",
                           "    if args.kernel != 'native':\n        f()"}) {
    EXPECT_THAT(Ways({{"a.py", ProgramWith(option, body)}, {"m.py", "def f():\n    return 2\n"}},
                     "m.py", 2),
                ElementsAre("a.py called with --kernel"))
        << body;
  }
}

TEST(Reachability, NamesTheValueThatAnOptionIsComparedWith) {
  const auto ways = [](const std::string& option, const std::string& condition) {
    const std::string line = "    parser.add_argument('--kernel', " + option + ")\n";
    const std::string body = "    if " + condition + ":\n        f()";
    return Ways({{"a.py", ProgramWith(line, body)}, {"m.py", "def f():\n    return 2\n"}}, "m.py",
                2);
  };
  const std::string native = "default='native'";
  EXPECT_THAT(ways(native, "args.kernel == 'fused'"),
              ElementsAre("a.py called with --kernel fused"));
  EXPECT_THAT(ways("default=None", "args.kernel == \"fused\""),
              ElementsAre("a.py called with --kernel fused"));
  EXPECT_THAT(ways(native, "args.kernel != 'fused' and args.kernel == 'slow'"),
              ElementsAre("a.py called with --kernel slow"));
  EXPECT_THAT(ways(native, "not args.kernel == 'native'"),
              ElementsAre("a.py called with --kernel"));
  EXPECT_THAT(ways("action='store_true'", "args.kernel == True"),
              ElementsAre("a.py called with --kernel"));
}

TEST(Reachability, ComparesAnOptionWithAMemberOfAClass) {
  const auto ways = [](const std::string& holder) {
    return Ways({{"a.py", "from c import Kernels\n" +
                              ProgramWith("    parser.add_argument('--kernel', default='native')\n",
                                          "    if args.kernel == Kernels.fused:\n        f()")},
                 {"c.py", "from enum import Enum\n\nclass " + holder + ":\n    fused = 'fused'\n"},
                 {"m.py", "def f():\n    return 2\n"}},
                "m.py", 2);
  };
  EXPECT_THAT(ways("Kernels"), ElementsAre("a.py called with --kernel fused"));
  EXPECT_THAT(ways("Kernels(Enum)"), ElementsAre("a.py called"));
}

TEST(Reachability, ComparesANumberWithWhatItIsByDefault) {
  const std::string option = "    parser.add_argument('--gpus', type=int, default=1)\n";
  EXPECT_THAT(Ways({{"a.py", ProgramWith(option, "    if args.gpus > 1:\n        f()")},
                    {"m.py", "def f():\n    return 2\n"}},
                   "m.py", 2),
              ElementsAre("a.py called with --gpus"));
}

TEST(Reachability, OfAnOptionWithoutADefaultThatTheTextSaysIsACall) {
  const std::string option = "    parser.add_argument('--fp16', default=bool(input()))\n";
  EXPECT_THAT(Ways({{"a.py", ProgramWith(option, "    if args.fp16:\n        f()")},
                    {"m.py", "def f():\n    return 2\n"}},
                   "m.py", 2),
              ElementsAre("a.py called"));
}

TEST(Reachability, FollowsAnOptionThroughParametersAndAttributes) {
  EXPECT_THAT(
      Ways({{"a.py", ProgramWith(kStoreTrue, "    build(args.fp16)")},
            {"m.py",
             "class M:\n    def __init__(self, size, half=False):\n        self.half = half\n\n"
             "    def __call__(self):\n        if self.half:\n            return 2\n\n"
             "def build(fp16):\n    return M(1, half=fp16)()\n"}},
           "m.py", 7),
      ElementsAre("a.py called with --fp16"));
}

TEST(Reachability, LeavesOutABranchThatNoCallOfTheProgramTakes) {
  const std::string module = "def build(size, fused=False):\n    if fused:\n        return 2\n";
  const std::string plain = ProgramWith("", "    build(1)");
  const std::string fused = ProgramWith("", "    build(1, True)");
  const std::string both = ProgramWith("", "    build(1)\n    build(1, fused=True)");
  EXPECT_THAT(Ways({{"a.py", plain}, {"b.py", fused}, {"c.py", both}, {"m.py", module}}, "m.py", 3),
              ElementsAre("b.py called", "c.py called"));
}

TEST(Reachability, BelievesNothingOfAFunctionThatIsHandedOn) {
  EXPECT_THAT(Ways({{"a.py", ProgramWith("", "    build(1)\n    register(build)")},
                    {"m.py", "def build(size, fused=False):\n    if fused:\n        return 2\n"}},
                   "m.py", 3),
              ElementsAre("a.py called"));
}

TEST(Reachability, BelievesNothingBehindStars) {
  for (const char* call : {"    build(*args.all)", "    build(1, **vars(args))"}) {
    EXPECT_THAT(Ways({{"a.py", ProgramWith("", call)},
                      {"m.py", "def build(size, fused=False):\n    if fused:\n        return 2\n"}},
                     "m.py", 3),
                ElementsAre("a.py called"))
        << call;
  }
}

TEST(Reachability, KnowsWhatKeysHandOnBehindStars) {
  const auto ways = [](const std::string& call, std::map<std::string, std::string> others = {}) {
    others["a.py"] = ProgramWith("", call);
    others["m.py"] =
        "class Attend:\n    def __init__(self, *, fused=False, **more):\n        if fused:\n"
        "            self.x = 2\n\n"
        "class Layer:\n    def __init__(self, size, fused=False):\n"
        "        self.attend = Attend(fused=fused)\n\n"
        "def build(size, **kwargs):\n    Layer(size, **cut('attn_', kwargs))\n";
    return Ways(others, "m.py", 4);
  };
  EXPECT_THAT(ways("    build(1)"), ElementsAre("a.py called with fused"));
  EXPECT_THAT(ways("    build(1, attn_depth=2)"), ElementsAre("a.py called with fused"));
  EXPECT_THAT(ways("    build(1, attn_fused=False)"), ElementsAre("a.py called with fused"));
  for (const char* call :
       {"    build(1, attn_fused=True)", "    build(1, fused=True)", "    Layer(1, True)",
        "    build(1, **{'attn_fused': True})", "    build(1, attn_fused=input())",
        "    d = {}\n    d['attn_fused'] = 1\n    build(1, **d)"}) {
    EXPECT_THAT(ways(call), ElementsAre("a.py called")) << call;
  }
  EXPECT_THAT(ways("    build(1)", {{"net.yaml", "attn_fused: true\n"}}),
              ElementsAre("a.py called"));
}

TEST(Reachability, KnowsWhatAConstructorHandsOnOfItsOwnRest) {
  const auto ways = [](const std::string& call, const std::string& handed) {
    return Ways({{"a.py", ProgramWith("", call)},
                 {"m.py",
                  "class Net:\n    def __init__(self, size, fused=False):\n        if fused:\n"
                  "            self.x = 2\n\n"
                  "class Named(Net):\n    def __init__(self, size, *rest, **more):\n"
                  "        super().__init__(" +
                      handed + ")\n"}},
                "m.py", 4);
  };
  EXPECT_THAT(ways("    Named(1)", "size, *rest, **more"), ElementsAre("a.py called with fused"));
  EXPECT_THAT(ways("    Named(1, fused=True)", "size, *rest, **more"), ElementsAre("a.py called"));
  EXPECT_THAT(ways("    Named(1)\n    print(Net.__doc__)", "size, *rest"),
              ElementsAre("a.py called with fused"));
  EXPECT_THAT(ways("    Named(1)\n    print(Net)", "size, *rest"), ElementsAre("a.py called"));
  EXPECT_THAT(ways("    Named(1)", "*rest, size"), ElementsAre("a.py called"));
  EXPECT_THAT(ways("    Named(1)", "size, *others"), ElementsAre("a.py called"));
}

TEST(Reachability, BelievesNothingOfAParameterThatIsAssignedAgain) {
  EXPECT_THAT(Ways({{"a.py", ProgramWith("", "    build(1)")},
                    {"m.py",
                     "def build(size, fused=False):\n    fused = fused or ask(size)\n"
                     "    if fused:\n        return 2\n"}},
                   "m.py", 4),
              ElementsAre("a.py called"));
}

TEST(Reachability, NamesTheConstantThatAPersonEdits) {
  for (const char* program : {"    if USE_APEX:\n        f()", "    if m.USE_APEX:\n        f()"}) {
    EXPECT_THAT(Ways({{"a.py", "import m\n" + ProgramWith("", program)},
                      {"m.py", "USE_APEX = False\n\ndef f():\n    return 2\n"}},
                     "m.py", 4),
                ElementsAre("a.py called with USE_APEX"))
        << program;
  }
}

TEST(Reachability, NamesWhatAPersonTurnsOff) {
  for (const char* branch : {"    if not m.USE_CPU:\n        f()",
                             "    if m.USE_CPU:\n        pass\n    else:\n        f()"}) {
    EXPECT_THAT(Ways({{"a.py", "import m\n" + ProgramWith("", branch)},
                      {"m.py", "USE_CPU = True\n\ndef f():\n    return 2\n"}},
                     "m.py", 4),
                ElementsAre("a.py called with not USE_CPU"))
        << branch;
  }
}

TEST(Reachability, OfAConstantThatIsBoundTwiceIsACall) {
  EXPECT_THAT(Ways({{"a.py", ProgramWith("", "    if HAS_APEX:\n        f()")},
                    {"m.py",
                     "try:\n    import apex\n    HAS_APEX = True\nexcept ImportError:\n"
                     "    HAS_APEX = False\n\ndef f():\n    return 2\n"}},
                   "m.py", 8),
              ElementsAre("a.py called"));
}

TEST(Reachability, NamesTheVariableOfTheEnvironment) {
  EXPECT_THAT(
      Ways({{"a.py", "import os\n" + ProgramWith("",
                                                 "    if os.environ.get('FUSED', '0') == '1':\n"
                                                 "        f()")},
            {"m.py", "def f():\n    return 2\n"}},
           "m.py", 2),
      ElementsAre("a.py called with FUSED"));
}

TEST(Reachability, OfAnAttributeThatNothingInTheProjectSetsIsACall) {
  EXPECT_THAT(Ways({{"a.py", ProgramWith("", "    if args.model.training:\n        f()")},
                    {"m.py", "def f():\n    return 2\n"}},
                   "m.py", 2),
              ElementsAre("a.py called"));
}

TEST(Reachability, TakesTheWayWithoutASettingWhereThereIsOne) {
  EXPECT_THAT(Ways({{"a.py", ProgramWith(kStoreTrue, "    if args.fp16:\n        f()\n    g()")},
                    {"m.py", "def f():\n    return 2\n\ndef g():\n    f()\n"}},
                   "m.py", 2),
              ElementsAre("a.py always"));
}

TEST(Reachability, OfAnImportIsThatOfItsUses) {
  const std::string module = "import apex\n\ndef f():\n    apex.amp()\n\ndef g():\n    return 2\n";
  EXPECT_THAT(Ways({{"a.py", ProgramWith(kStoreTrue, "    if args.fp16:\n        f()")},
                    {"b.py", ProgramWith("", "    g()")},
                    {"m.py", module}},
                   "m.py", 1, 1),
              ElementsAre("a.py called with --fp16"));
}

TEST(Reachability, OfAnImportInABranchIsThatOfTheBranchThoughItsUseStandsBehind) {
  EXPECT_THAT(
      Ways({{"a.py", ProgramWith(kStoreTrue, "    f(args)")},
            {"m.py",
             "def f(args):\n    if args.fp16:\n        from apex import amp as a\n    else:\n"
             "        from torch import amp as a\n    return a.x()\n"}},
           "m.py", 3, 9),
      ElementsAre("a.py called with --fp16"));
}

TEST(Reachability, OfAnImportForABaseOfAClassIsCertain) {
  EXPECT_THAT(Ways({{"a.py", ProgramWith("", "    pass")},
                    {"m.py", "import spconv\n\nclass C(spconv.SparseModule):\n    pass\n"}},
                   "m.py", 1, 1),
              ElementsAre("a.py always"));
}

TEST(Reachability, OfATryWhoseHandlersRaiseIsCertain) {
  const std::string module =
      "try:\n    import msda\nexcept ImportError:\n    raise RuntimeError('build it')\nfinally:\n"
      "    import spconv\n";
  const std::string program = ProgramWith("", "    m.f()");
  EXPECT_THAT(Ways({{"a.py", program}, {"m.py", module}}, "m.py", 2), ElementsAre("a.py always"));
  EXPECT_THAT(Ways({{"a.py", program}, {"m.py", module}}, "m.py", 6), ElementsAre("a.py always"));
}

TEST(Reachability, OfATryWhoseHandlerUnpacksNoneIsCertain) {
  const std::string module =
      "try:\n    from msda import a, b\nexcept ImportError:\n    a, b = None\n";
  EXPECT_THAT(Ways({{"a.py", ProgramWith("", "    m.f()")}, {"m.py", module}}, "m.py", 2),
              ElementsAre("a.py always"));
}

TEST(Reachability, OfATryWhoseHandlerRaisesUnlessSomethingIsSetIsCertain) {
  const std::string code =
      "import builtins\ntry:\n    import m\nexcept ImportError:\n"
      "    if not getattr(builtins, '__BUILDS__', False):\n        raise\n\n"
      "def main():\n    pass\n\n";
  EXPECT_THAT(Ways({{"a.py", code + kCallOfMain}, {"m.py", "import apex\n"}}, "m.py", 1),
              ElementsAre("a.py always"));
}

TEST(Reachability, AVariableOfTheEnvironmentWithoutADefaultIsNotSet) {
  for (const char* asked : {"os.getenv('JIT')", "os.environ.get('JIT')"}) {
    const std::string body = std::string("    if ") + asked + " == '1':\n        f()";
    EXPECT_THAT(Ways({{"a.py", "import os\n" + ProgramWith("", body)},
                      {"m.py", "def f():\n    return 2\n"}},
                     "m.py", 2),
                ElementsAre("a.py called with JIT"))
        << asked;
  }
}

TEST(Reachability, NamesTheVariableOfTheEnvironmentThatAVariableOfTheModuleHolds) {
  const std::string code =
      "import os\nJIT = os.getenv('JIT')\nif JIT == 'True':\n    import m\n\n"
      "def main():\n    pass\n\n";
  EXPECT_THAT(Ways({{"a.py", code + kCallOfMain}, {"m.py", "import apex\n"}}, "m.py", 1),
              ElementsAre("a.py called with JIT"));
}

TEST(Reachability, OfATryThatGoesOnBehindAHandlerIsNotCertain) {
  const std::string module = "try:\n    import msda\nexcept ImportError:\n    msda = 1\n";
  EXPECT_THAT(Ways({{"a.py", ProgramWith("", "    m.f()")}, {"m.py", module}}, "m.py", 2),
              ElementsAre("a.py called"));
}

TEST(Reachability, OfOneOfTheNamesOfAnImportIsThatOfItsOwnUses) {
  const std::map<std::string, std::string> files = {
      {"a.py", ProgramWith("", "    m.f()")},
      {"m.py", "from detectron2.layers import Conv2d, DeformConv\n\nlayer = Conv2d(1, 2, 3)\n"}};
  EXPECT_THAT(Ways(files, "m.py", 1, 31), ElementsAre("a.py always"));
  EXPECT_THAT(Ways(files, "m.py", 1, 39), ElementsAre("a.py called"));
  EXPECT_THAT(Ways(files, "m.py", 1, 1), ElementsAre("a.py always"));
}

TEST(Reachability, OfAnImportThatAMethodIsCalledLikeIsThatOfItsUses) {
  const std::map<std::string, std::string> files = {
      {"train.py", "import net\n\nif __name__ == '__main__':\n    net.Net(replicate=1)\n"},
      {"net.py",
       "from torch.nn.parallel.replicate import replicate\n\nclass Net:\n"
       "    def replicate(self, module):\n        return replicate(module)\n"
       "    def forward(self, x):\n        return self.replicate(x)\n"}};
  EXPECT_THAT(Ways(files, "net.py", 1, 1), ElementsAre("train.py called"));
}

TEST(Reachability, OfAnImportForAnAnnotationIsNotCertain) {
  const std::map<std::string, std::string> files = {
      {"train.py", "import net\n\nif __name__ == '__main__':\n    net.loss(1)\n"},
      {"net.py",
       "from apex import Grid\n\ndef loss(x, grid: Optional[Grid] = None):\n    return x\n"}};
  EXPECT_THAT(Ways(files, "net.py", 1, 1), ElementsAre("train.py called"));
}

TEST(Reachability, OfAnImportThatItsFileDoesNotUseIsNotCertain) {
  EXPECT_THAT(
      Ways({{"a.py", ProgramWith("", "    pass")}, {"m.py", "import spconv\n"}}, "m.py", 1, 1),
      ElementsAre("a.py called"));
}

TEST(Reachability, OfAMethodThatALibraryMayCallIsAGuess) {
  const std::string method = "    def configure(self):\n        return 2\n";
  const auto ways = [&](const std::string& head) {
    return Ways({{"a.py", ProgramWith("", "    M()")}, {"m.py", head + method}}, "m.py", 4);
  };
  EXPECT_THAT(ways("import lightning as L\nclass M(L.LightningModule):\n"),
              ElementsAre("a.py perhaps"));
  EXPECT_THAT(ways("from torch import nn\nclass M(nn.Module):\n"), IsEmpty());
  EXPECT_THAT(ways("import abc\nclass M(Exception):\n"), IsEmpty());
}

TEST(Reachability, OfAClassThatIsHandedToARegistryOfALibraryIsAGuess) {
  EXPECT_THAT(Ways({{"a.py", ProgramWith("", "    pass")},
                    {"m.py",
                     "from mmdet.models import BACKBONES\n@BACKBONES.register_module()\n"
                     "class M:\n    def forward(self):\n        return 2\n"}},
                   "m.py", 5),
              ElementsAre("a.py perhaps"));
}

TEST(Reachability, TakesItThatAPersonGivesTheOptionsWithoutWhichTheProgramRaises) {
  const std::string body = "    if not args.fp16:\n        raise ValueError()\n    f()";
  EXPECT_THAT(Ways({{"a.py", ProgramWith(kStoreTrue, body)}, {"m.py", "def f():\n    return 2\n"}},
                   "m.py", 2),
              ElementsAre("a.py always"));
}

TEST(Reachability, NamesTheInnermostOptionThatABranchNeedsAndAllOfWhichOneIsEnough) {
  const std::string two = std::string(kStoreTrue) +
                          "    parser.add_argument('--eval', "
                          "action='store_true')\n";
  const auto ways = [&](const std::string& condition) {
    return Ways({{"a.py", ProgramWith(two, "    if " + condition + ":\n        f()")},
                 {"m.py", "def f():\n    return 2\n"}},
                "m.py", 2);
  };
  EXPECT_THAT(ways("args.fp16 and args.eval"), ElementsAre("a.py called with --eval"));
  EXPECT_THAT(ways("args.fp16 or args.eval"), ElementsAre("a.py called with --eval with --fp16"));
  EXPECT_THAT(ways("args.fp16 or input()"), ElementsAre("a.py called"));
  EXPECT_THAT(ways("not (args.fp16 or not args.eval)"), ElementsAre("a.py called with --eval"));
}

TEST(Reachability, NamesAllOptionsThatLeadToAFunction) {
  const std::string two = std::string(kStoreTrue) +
                          "    parser.add_argument('--eval', "
                          "action='store_true')\n";
  const std::string calls = "    if args.fp16:\n        f()\n    if args.eval:\n        ";
  for (const char* second : {"f()", "g()"}) {
    const auto ways = Ways({{"a.py", ProgramWith(two, calls + second)},
                            {"m.py",
                             "def f():\n    return h()\ndef h():\n    return 2\n"
                             "def g():\n    return h()\n"}},
                           "m.py", 4);
    EXPECT_THAT(ways, ElementsAre("a.py called with --eval with --fp16")) << second;
  }
}

TEST(Reachability, NamesAllOptionsThatMakeAnObject) {
  const std::string two = std::string(kStoreTrue) +
                          "    parser.add_argument('--eval', "
                          "action='store_true')\n";
  EXPECT_THAT(Ways({{"a.py", ProgramWith(two,
                                         "    if args.fp16:\n        C()\n"
                                         "    if args.eval:\n        C()")},
                    {"m.py", "class C:\n    def __init__(self):\n        self.x = 2\n"}},
                   "m.py", 3),
              ElementsAre("a.py called with --eval with --fp16"));
}

TEST(Reachability, NamesNoInnerOptionOfAnImportThatTheOuterOneAloneUses) {
  const std::string two = std::string(kStoreTrue) +
                          "    parser.add_argument('--eval', "
                          "action='store_true')\n";
  const std::string import = "    if args.fp16:\n        import apex\n";
  const std::string inner = "        if args.eval:\n            apex.b()\n";
  for (const std::string& uses : {"        apex.a()\n" + inner, inner + "        apex.a()\n"}) {
    EXPECT_THAT(Ways({{"a.py", ProgramWith(two, import + uses)}}, "a.py", 6, 16),
                ElementsAre("a.py called with --fp16"))
        << uses;
  }
}

TEST(Reachability, LeavesOutAnImportThatOnlyAnUnchosenValueUses) {
  const std::string import = "    if args.fp16:\n        import apex\n";
  const std::string use = "    x = apex.a() if args.fp16 else 1\n";
  EXPECT_THAT(Ways({{"a.py", ProgramWith(std::string(kStoreTrue), import + use)}}, "a.py", 6, 16),
              ElementsAre("a.py called with --fp16"));
}

TEST(Reachability, NamesTheOptionThatChoosesAValue) {
  const std::string program =
      "import argparse\n\ndef main():\n    p = argparse.ArgumentParser()\n"
      "    p.add_argument('--flash', action='store_true')\n    args = p.parse_args()\n"
      "    load(attn='fast' if args.flash else 'plain')\n\n";
  const std::map<std::string, std::string> files = {{"a.py", program + kCallOfMain}};
  EXPECT_THAT(Ways(files, "a.py", 7, 15), ElementsAre("a.py called with --flash"));
  EXPECT_THAT(Ways(files, "a.py", 7, 41), ElementsAre("a.py called"));
  EXPECT_THAT(Ways(files, "a.py", 7, 5), ElementsAre("a.py always"));
}

TEST(Reachability, NamesTheFieldOfADataclassThatLeadsToABranch) {
  const std::string head = "from dataclasses import dataclass, field\n@dataclass\nclass Options:\n";
  for (const char* value : {"False", "field(default=False, metadata={'help': 'x'})"}) {
    EXPECT_THAT(
        Ways({{"a.py", ProgramWith("", "    o = Options()\n    if o.fused:\n        f()")},
              {"m.py", head + "    fused: bool = " + value + "\n\ndef f():\n    return 2\n"}},
             "m.py", 7),
        ElementsAre("a.py called with o.fused"))
        << value;
  }
}

TEST(Reachability, OfWhatAModuleIsAskedForByANameThatIsMadeIsACall) {
  for (const char* body :
       {"    getattr(models, args.arch)()", "    models.__dict__[args.arch]()"}) {
    EXPECT_THAT(Ways({{"a.py", "import models\n" + ProgramWith("", body)},
                      {"m.py", ""},
                      {"models/__init__.py", "from .net import Net, make\n"},
                      {"models/net.py",
                       "class Net:\n    def forward(self):\n        return 2\n\n"
                       "def make():\n    return Net()\n"}},
                     "models/net.py", 3),
                ElementsAre("a.py called"))
        << body;
  }
}

constexpr char kNet[] = "class Net:\n    def __init__(self, args):\n        self.x = 1\n";

TEST(Reachability, OfModulesThatATableHoldsIsThatOfTheirKey) {
  const std::string option = "    parser.add_argument('--net', default='A')\n";
  const std::string table = "    nets = {'A': a, 'B': b}\n";
  for (const std::string& body :
       {table + "    nets[args.net].Net(args)", table + "    nets.get(args.net).Net(args)",
        table + "    net = nets[args.net]\n    net.Net(args)",
        std::string("    {'A': a, 'B': b}[args.net].Net(args)"),
        std::string("    dict(A=a, B=b)[args.net].Net(args)")}) {
    const auto ways = [&](const std::string& of_option, const std::string& file) {
      return Ways({{"main.py", "from nets import a, b\n" + ProgramWith(of_option, body)},
                   {"m.py", ""},
                   {"nets/a.py", kNet},
                   {"nets/b.py", kNet}},
                  file, 3);
    };
    EXPECT_THAT(ways(option, "nets/a.py"), ElementsAre("main.py called")) << body;
    EXPECT_THAT(ways(option, "nets/b.py"), ElementsAre("main.py called with --net B")) << body;
    EXPECT_THAT(ways("    parser.add_argument('--net', required=True)\n", "nets/b.py"),
                ElementsAre("main.py called"))
        << body;
  }
}

TEST(Reachability, OfModulesThatATableOfABaseHoldsIsSeen) {
  const std::map<std::string, std::string> files = {
      {"a.py",
       "from base import Base\n\nclass Run(Base):\n    def build(self):\n"
       "        return self.nets[self.args.net].Net(self.args)\n\n"
       "def main():\n    Run(1).build()\n\n" +
           std::string(kCallOfMain)},
      {"base.py",
       "from nets import a\n\nclass Base:\n    def __init__(self, args):\n"
       "        self.args = args\n        self.nets = {'A': a}\n"},
      {"nets/a.py", kNet}};
  EXPECT_THAT(Ways(files, "nets/a.py", 3), ElementsAre("a.py always"));
}

TEST(Reachability, OfWhatAnEvaluatedNameMayMeanIsThatOfItsName) {
  const std::string option = "    parser.add_argument('--net', default='A')\n";
  for (const char* body : {"    eval(args.net).Net(args)", "    globals()[args.net].Net(args)"}) {
    const std::map<std::string, std::string> files = {
        {"main.py", "import nets.a as A\nimport nets.b as B\n" + ProgramWith(option, body)},
        {"m.py", ""},
        {"nets/a.py", kNet},
        {"nets/b.py", kNet}};
    EXPECT_THAT(Ways(files, "nets/a.py", 3), ElementsAre("main.py called")) << body;
    EXPECT_THAT(Ways(files, "nets/b.py", 3), ElementsAre("main.py called with --net B")) << body;
  }
}

TEST(Reachability, OfAClassThatTheProgramEvaluatesTheNameOfIsThatOfItsName) {
  const std::string net =
      "class Small:\n    def __init__(self):\n        return 1\n\n"
      "class Big:\n    def __init__(self):\n        return 2\n";
  const auto ways = [&](const std::string& option, const std::string& key, uint32_t line) {
    return Ways({{"a.py", "from n import Small, Big\nimport m\n" +
                              ProgramWith(option, "    eval(" + key + ")()")},
                 {"m.py", "x = 1\n"},
                 {"n.py", net}},
                "n.py", line);
  };
  // What `from m import *` brings may be meant as well.
  EXPECT_THAT(ways("", "args.net", 3), ElementsAre("a.py perhaps"));
  const auto plain = [&](const std::string& body, uint32_t line) {
    return Ways({{"a.py", "import argparse\nfrom n import Small, Big\n\ndef main(args):\n" + body +
                              "\nif __name__ == '__main__':\n"
                              "    parser = argparse.ArgumentParser()\n"
                              "    parser.add_argument('--net', default='Small')\n"
                              "    main(parser.parse_args())\n"},
                 {"n.py", net}},
                "n.py", line);
  };
  EXPECT_THAT(plain("    eval(args.net)()\n", 3), ElementsAre("a.py called"));
  EXPECT_THAT(plain("    eval(args.net)()\n", 7), ElementsAre("a.py called with --net Big"));
  EXPECT_THAT(plain("    eval('S' + str(args))()\n", 3), ElementsAre("a.py always"));
  EXPECT_THAT(plain("    eval('S' + str(args))()\n", 7), IsEmpty());
}

TEST(Reachability, OfTheOnlyThingThatAModuleCanGiveByANameIsCertain) {
  const std::string module = "from net import Net\n\ndef Small(args):\n    return Net(args)\n";
  for (const char* body :
       {"    nets.__dict__[args.net](args)", "    getattr(nets, args.net)(args)"}) {
    const auto ways = [&](const std::string& nets) {
      return Ways({{"main.py", "import nets\n" + ProgramWith("", body)},
                   {"m.py", ""},
                   {"net.py", kNet},
                   {"nets.py", nets}},
                  "nets.py", 4);
    };
    EXPECT_THAT(ways(module + "\nsmall = Small\n"), ElementsAre("main.py always")) << body;
    EXPECT_THAT(ways(module + "\ndef Large(args):\n    pass\n"), ElementsAre("main.py called"))
        << body;
  }
}

TEST(Reachability, OfMembersOfModulesThatAPackageIsAskedForIsSeen) {
  const std::string body =
      "    Net = nets.__dict__[args.net].Net\n    net = Net(args)\n    net.run()";
  const std::map<std::string, std::string> files = {
      {"main.py", "import nets\n" + ProgramWith("", body)},
      {"m.py", ""},
      {"nets/__init__.py", "from . import a\n"},
      {"nets/a.py", std::string(kNet) + "    def run(self):\n        return 2\n"}};
  EXPECT_THAT(Ways(files, "nets/a.py", 3), ElementsAre("main.py called"));
}

TEST(Reachability, OfAMethodOfAnObjectIsThatOfTheOptionThatMakesIt) {
  const std::string options = "    parser.add_argument('--net', default='A')\n";
  const std::string choose =
      "    if args.net == 'A':\n        net = a.Small()\n"
      "    elif args.net == 'B' or args.net == 'C':\n        net = b.Big()\n";
  const std::string small = "class Small:\n    def run(self):\n        return 2\n";
  const std::string big = "class Big:\n    def run(self):\n        return 2\n";
  for (const char* use : {"    net.run()", "    train(net)"}) {
    const std::map<std::string, std::string> files = {
        {"main.py", "import a\nimport b\n\ndef train(net):\n    net.run()\n\n" +
                        ProgramWith(options, choose + use)},
        {"m.py", ""},
        {"a.py", small},
        {"b.py", big}};
    EXPECT_THAT(Ways(files, "b.py", 3),
                ElementsAre(testing::EndsWith(" with --net B with --net C")))
        << use;
  }
}

TEST(Reachability, OfMethodsOfObjectsThatNothingMakesIsThatOfTheirCalls) {
  const std::string nets =
      "class Root:\n    def run(self):\n        return 2\n\n"
      "class Deep(Root):\n    def run(self):\n        return 3\n";
  const std::map<std::string, std::string> files = {
      {"a.py",
       "from n import Root, Deep\n\ndef main(a: Root, b: Deep):\n    b.run()\n"
       "    a.run()\n\nif __name__ == '__main__':\n    main(load(), load())\n"},
      {"n.py", nets}};
  EXPECT_THAT(Ways(files, "n.py", 3), ElementsAre("a.py always"));
  EXPECT_THAT(Ways(files, "n.py", 7), ElementsAre("a.py always"));
}

TEST(Reachability, OfWhatIsHandedOnBehindAnOptionIsThatOfTheOption) {
  const std::string net =
      "class Net:\n    def __init__(self, args):\n        if args.fp16:\n"
      "            Layer(1, fp16=True)\n        else:\n            Layer(1)\n\n"
      "class Layer:\n    def __init__(self, size, fp16=False):\n"
      "        super(Layer, self).__init__()\n        if fp16:\n            f()\n";
  EXPECT_THAT(
      Ways({{"a.py", ProgramWith(kStoreTrue, "    m.Net(args)")}, {"m.py", net}}, "m.py", 12),
      ElementsAre("a.py called with --fp16"));
}

TEST(Reachability, OfBranchesOfFlagsThatDependOnOneAnotherIsKnown) {
  // Each is false as long as the others are; ways through them are more than can be followed.
  std::string net = "class Net:\n    def __init__(self):\n";
  constexpr int kFlags = 40;
  const auto flag = [](int number) { return "self.x" + std::to_string(number % kFlags); };
  for (int i = 0; i < kFlags; ++i) net += "        " + flag(i) + " = False\n";
  net += "    def change(self):\n";
  for (int i = 0; i < kFlags; ++i) {
    const std::string others = flag(i + 1) + " or " + flag(i + 7) + " or " + flag(i + 11);
    net += "        " + flag(i) + " = " + others + "\n";
  }
  net += "    def f(self):\n        if self.x3:\n            g()\n        else:\n            h()\n";
  const std::string main = "def main():\n    n = Net()\n    n.change()\n    n.f()\n\n";
  const std::map<std::string, std::string> files = {{"a.py", net + main + kCallOfMain}};
  const uint32_t first = 2 + 2 * kFlags + 4;
  EXPECT_THAT(Ways(files, "a.py", first),
              ElementsAre(testing::StartsWith("a.py called with self.x0 with self.x1")));
  EXPECT_THAT(Ways(files, "a.py", first + 2), ElementsAre("a.py called"));
}

TEST(Reachability, OfBranchesThatTurnOnOneAnotherIsThatOfTheirFlags) {
  const std::string net =
      "class Net:\n    def __init__(self):\n        self.a = False\n        self.b = False\n"
      "    def f(self):\n        if self.b:\n            self.a = True\n"
      "        if self.a:\n            self.b = True\n            g()\n";
  const std::string main = "def main():\n    Net().f()\n\n";
  EXPECT_THAT(Ways({{"a.py", net + main + kCallOfMain}}, "a.py", 10),
              ElementsAre("a.py called with self.a with self.b"));
}

TEST(Reachability, NamesTheFirstFewOfManyOptionsThatLeadToAFunction) {
  std::string options;
  std::string calls;
  for (char name = 'a'; name <= 'z'; ++name) {
    options += std::string("    p.add_argument('--") + name + name + "', action='store_true')\n";
    calls += std::string("    if o.") + name + name + ":\n        f()\n";
  }
  const std::string main =
      "import argparse\ndef f():\n    print(1)\ndef main():\n    p = argparse.ArgumentParser()\n" +
      options + "    o = p.parse_args()\n" + calls + "\n";
  EXPECT_THAT(Ways({{"a.py", main + kCallOfMain}}, "a.py", 3),
              ElementsAre("a.py called with --aa with --bb with --cc with --dd with --ee with --ff "
                          "with --gg with --hh"));
}

TEST(Reachability, OfABranchForNoneIsNeverThatOfAnOptionWithADefault) {
  const std::string option = "    parser.add_argument('--backend', default='nccl')\n";
  const auto ways = [&](const std::string& condition) {
    const std::string body = "    if " + condition + ":\n        f()";
    return Ways({{"a.py", ProgramWith(option, body)}, {"m.py", "def f():\n    return 2\n"}}, "m.py",
                2);
  };
  EXPECT_THAT(ways("args.backend is None"), IsEmpty());
  EXPECT_THAT(ways("args.backend == 'mpi'"), ElementsAre("a.py called with --backend mpi"));
}

}  // namespace
}  // namespace transplt
