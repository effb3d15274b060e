// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/project_index.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "parsed_file.h"

namespace transplt {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::IsEmpty;

using Files = std::map<std::string, std::string>;

/// A project in memory.
class Project {
 public:
  explicit Project(Files files)
      : files_(std::move(files)), index_(Paths(), [this](const std::string& path) {
          ++reads_;
          return Read(path);
        }) {}

  const ProjectIndex& index() const { return index_; }
  int reads() const { return reads_; }

  /// What `name` of `module` stands for, seen from the file `from`; "-" if the module is foreign.
  std::vector<std::string> Find(const std::string& from, const std::string& module,
                                const std::string& name) const {
    const auto found = index_.Find(from, module, name);
    if (!found) return {"-"};
    std::vector<std::string> names;
    for (const QualifiedName& candidate : *found) names.push_back(candidate.name);
    return names;
  }

  /// What `expression` stands for behind `text` in the file `path` of this project.
  std::vector<std::string> Resolve(const std::string& path, const std::string& text,
                                   const std::string& expression) const {
    const ParsedFile file(text + "\nprobe(" + expression + ")\n", path);
    const NameTable names(file.tree(), ProjectIndex::ModuleName(path),
                          ProjectIndex::IsPackage(path), &index_);
    const Node call = file.Find(NodeKind::kCall, "probe(" + expression + ")");
    std::vector<std::string> result;
    for (const QualifiedName& name :
         names.Resolve(call.Child(Field::kArguments).first_named_child())) {
      result.push_back(name.name);
    }
    return result;
  }

 private:
  std::vector<std::string> Paths() const {
    std::vector<std::string> paths;
    for (const auto& [path, text] : files_) paths.push_back(path);
    return paths;
  }

  Result<std::string> Read(const std::string& path) const {
    const std::string& text = files_.at(path);
    if (text == "unreadable") return Error{Error::Code::kIo, path, Say("no", "否")};
    return text;
  }

  Files files_;
  std::atomic<int> reads_ = 0;
  ProjectIndex index_;
};

TEST(ProjectIndex, FindsAModuleByTheNameOfTheRootFolderLast) {
  const std::vector<std::string> files = {"main.py", "util/misc.py", "other/util/misc.py"};
  const auto read = [](const std::string&) -> Result<std::string> { return std::string(); };
  const ProjectIndex index(files, read, {}, nullptr, "mine");
  EXPECT_EQ(index.FileOfModule("main.py", "util.misc"), "util/misc.py");
  EXPECT_FALSE(index.NeedsRootName());
  EXPECT_EQ(index.FileOfModule("main.py", "mine.util.misc"), "util/misc.py");
  EXPECT_TRUE(index.NeedsRootName());
  EXPECT_EQ(index.FileOfModule("main.py", "theirs.util.misc"), "");
  EXPECT_EQ(ProjectIndex(files, read).FileOfModule("main.py", "mine.util.misc"), "");
}

TEST(ProjectIndex, NamesModulesAsPythonDoes) {
  EXPECT_EQ(ProjectIndex::ModuleName("a/b.py"), "a.b");
  EXPECT_EQ(ProjectIndex::ModuleName("a/b/__init__.py"), "a.b");
  EXPECT_EQ(ProjectIndex::ModuleName("__init__.py"), "");
  EXPECT_TRUE(ProjectIndex::IsPackage("a/__init__.py"));
  EXPECT_TRUE(ProjectIndex::IsPackage("__init__.py"));
  EXPECT_FALSE(ProjectIndex::IsPackage("a/my__init__.py"));
}

TEST(ProjectIndex, FollowsReexports) {
  const Project project(
      {{"compat.py", "import torch as th\nsync = th.cuda.synchronize\n"}, {"main.py", ""}});
  EXPECT_THAT(project.Find("main.py", "compat", "th"), ElementsAre("torch"));
  EXPECT_THAT(project.Find("main.py", "compat", "sync"), ElementsAre("torch.cuda.synchronize"));
  EXPECT_THAT(project.Find("main.py", "compat", "nothing"), IsEmpty());
  EXPECT_THAT(project.Find("main.py", "torch", "cuda"), ElementsAre("-"));
}

TEST(ProjectIndex, FollowsReexportsOfPackagesOverThreeFiles) {
  const Project project({{"pkg/__init__.py", "from .a import dev as device\n"},
                         {"pkg/a.py", "from pkg.b import d as dev\n"},
                         {"pkg/b.py", "import torch\nd = torch.device\n"},
                         {"main.py", ""}});
  EXPECT_THAT(project.Find("main.py", "pkg", "device"), ElementsAre("torch.device"));
  EXPECT_THAT(project.Resolve("main.py", "import pkg as p", "p.device"),
              ElementsAre("torch.device"));
  EXPECT_THAT(project.Resolve("main.py", "from pkg import device as d", "d"),
              ElementsAre("torch.device"));
}

TEST(ProjectIndex, FollowsModulesThatAreReexported) {
  const Project project({{"pkg/__init__.py", "from . import backend\nimport pkg.backend as b\n"},
                         {"pkg/backend.py", "import torch as th\n"},
                         {"pkg/user.py", "import pkg.backend\ninit = pkg.backend.th.cuda.init\n"}});
  EXPECT_THAT(project.Resolve("main.py", "import pkg", "pkg.backend.th.cuda"),
              ElementsAre("torch.cuda"));
  EXPECT_THAT(project.Resolve("main.py", "from pkg import b", "b.th.cuda"),
              ElementsAre("torch.cuda"));
  EXPECT_THAT(project.Find("main.py", "pkg.user", "init"), ElementsAre("torch.cuda.init"));
}

TEST(ProjectIndex, FollowsStarImports) {
  const Project project({{"a.py", "from b import *\n"},
                         {"b.py", "from c import *\nfrom d import *\n"},
                         {"c.py", "import torch as th\nimport torch as _private\n"},
                         {"d.py", "th = 1\n"},
                         {"e.py", "from c import *\nth = 1\n"}});
  EXPECT_THAT(project.Find("main.py", "a", "th"), ElementsAre("torch"));
  EXPECT_THAT(project.Find("main.py", "a", "_private"), IsEmpty());
  EXPECT_THAT(project.Find("main.py", "c", "_private"), ElementsAre("torch"));
  EXPECT_THAT(project.Find("main.py", "e", "th"), IsEmpty());
  EXPECT_THAT(project.Resolve("main.py", "from a import *", "th.cuda"), ElementsAre("torch.cuda"));
  EXPECT_THAT(project.Resolve("main.py", "from a import *", "other.cuda"),
              ElementsAre("other.cuda"));
}

TEST(ProjectIndex, FindsWhereWhatAPackageHasFromAStarImportIsDefined) {
  const Project project({{"trainer/__init__.py", "from .trainer import *\n"},
                         {"trainer/trainer.py", "class Trainer:\n    pass\n"}});
  EXPECT_THAT(project.Find("main.py", "trainer", "Trainer"),
              ElementsAre(".trainer.trainer.Trainer"));
  EXPECT_THAT(project.Find("main.py", "trainer", "Other"), IsEmpty());
}

TEST(ProjectIndex, FindsWhatAModuleGivesWhenItIsAsked) {
  const std::string trainer = "class Trainer:\n    pass\nimport torch as th\n";
  const std::string getter = "def __getattr__(name):\n";
  const std::string by_name = getter + "    return getattr(import_module(TABLE[name]), name)\n";
  for (const std::string& package :
       {getter + "    if name == 'Trainer':\n        from .trainer import Trainer\n"
                 "        return Trainer\n",
        "TABLE = {'Trainer': '.trainer'}\n" + by_name,
        "TABLE = {'Trainer': 'p.trainer'}\n" + by_name,
        getter + "    return getattr(import_module(f'{__name__}.trainer'), name)\n",
        std::string("import lazy_loader as lazy\n__getattr__, __dir__, __all__ = lazy.attach("
                    "__name__, submod_attrs={'trainer': ['Trainer', 'th']})\n"),
        std::string("import sys\nT = {'trainer': ['Trainer']}\n"
                    "sys.modules[__name__] = _LazyModule(__name__, globals()['__file__'], T)\n")}) {
    const Project project({{"p/__init__.py", package}, {"p/trainer.py", trainer}});
    EXPECT_THAT(project.Find("main.py", "p", "Trainer"),
                ElementsAre(AnyOf(".p.trainer.Trainer", "p.trainer.Trainer")))
        << package;
    EXPECT_THAT(project.Find("main.py", "p", "Other"), IsEmpty());
  }
}

TEST(ProjectIndex, TakesNamesInTextsOfOtherModulesForNoImports) {
  const Project project({{"p/__init__.py", "TABLE = {'Trainer': '.trainer'}\n"},
                         {"p/own.py",
                          "def __getattr__(name):\n    pass\nclass Trainer:\n    "
                          "pass\nNAME = 'trainer'\n"},
                         {"p/trainer.py", "class Trainer:\n    pass\n"}});
  EXPECT_THAT(project.Find("main.py", "p", "Trainer"), IsEmpty());
  EXPECT_THAT(project.Find("main.py", "p.own", "Trainer"), IsEmpty());
}

TEST(ProjectIndex, FollowsANameForTheMethodOfAClass) {
  const Project project({{"ops/pool.py", "class Pool:\n    pass\npool = Pool.apply\n"},
                         {"ops/__init__.py", "from .pool import pool\n"}});
  EXPECT_THAT(project.Find("main.py", "ops", "pool"), ElementsAre(".ops.pool.Pool.apply"));
}

TEST(ProjectIndex, FindsTheFilesThatSpellAWordAndNoOthers) {
  Files files = {{"a.py", "print(backend_name)\n"}, {"b.py", "x = 'the backend_name'\n"}};
  // So many words that some look like any other to a filter.
  std::string words;
  for (int i = 0; i < 4000; ++i) words += fmt::format("backend_name{}\n", i);
  for (int i = 0; i < 20; ++i) files.emplace(fmt::format("words{}.py", i), words);
  const Project project(std::move(files));
  EXPECT_THAT(project.index().FilesSpelling("backend_name"), ElementsAre("a.py", "b.py"));
  EXPECT_THAT(project.index().FilesSpelling("backend"), IsEmpty());
}

TEST(ProjectIndex, NamesTheFunctionsThatReturnAResultUnderAllTheirNames) {
  const Project project({
      {"gpu.py",
       "import torch\ndef card():\n  name = torch.cuda.get_device_name(0)\n"
       "  return name\n"},
      {"show.py", "from gpu import card as which\ndef title():\n  return which()\n"},
      {"rest.py", "import torch\ndef count():\n  return torch.cuda.device_count()\n"},
  });
  EXPECT_THAT(project.index().NamesGiving("torch.cuda.get_device_name"),
              ElementsAre("card", "get_device_name", "title", "which"));
  EXPECT_THAT(project.index().NamesGiving("torch.cuda.is_available"), ElementsAre("is_available"));
}

TEST(ProjectIndex, EndsAtCycles) {
  const Project project({{"a.py", "from b import x\nfrom b import *\n"},
                         {"b.py", "from a import x\nfrom a import *\nfrom c import *\n"},
                         {"c.py",
                          "from b import *\nfrom a import *\nfrom c import y\n"
                          "import torch as th\n"}});
  EXPECT_THAT(project.Find("main.py", "a", "th"), ElementsAre("torch"));
  EXPECT_THAT(project.Find("main.py", "a", "missing"), IsEmpty());
  EXPECT_FALSE(project.Find("main.py", "a", "x").empty());
}

TEST(ProjectIndex, KeepsAllOriginsOfConditionalImports) {
  const Project project(
      {{"compat.py",
        "try:\n  from apex import amp\nexcept ImportError:\n"
        "  from torch.cuda import amp\n"},
       {"one.py", "try:\n  from two import th\nexcept: \n  from three import th\n"},
       {"two.py", "import torch as th\n"},
       {"three.py", "from two import th\n"}});
  EXPECT_THAT(project.Find("main.py", "compat", "amp"), ElementsAre("apex.amp", "torch.cuda.amp"));
  EXPECT_THAT(project.Resolve("main.py", "import compat", "compat.amp.autocast"),
              ElementsAre("apex.amp.autocast", "torch.cuda.amp.autocast"));
  EXPECT_THAT(project.Find("main.py", "one", "th"), ElementsAre("torch"));
}

TEST(ProjectIndex, LetsALaterDefinitionHideAReexport) {
  const Project project({{"own.py",
                          "from torch.cuda import synchronize, init\n"
                          "def synchronize(): pass\n"
                          "init = make()\n"},
                         {"maybe.py",
                          "from torch.cuda import synchronize\n"
                          "if x:\n  def synchronize(): pass\n"},
                         {"back.py", "def init(): pass\nfrom torch.cuda import init\n"}});
  EXPECT_THAT(project.Find("main.py", "own", "synchronize"), IsEmpty());
  EXPECT_THAT(project.Find("main.py", "own", "init"), IsEmpty());
  EXPECT_THAT(project.Find("main.py", "maybe", "synchronize"),
              ElementsAre("torch.cuda.synchronize"));
  EXPECT_THAT(project.Find("main.py", "back", "init"), ElementsAre("torch.cuda.init"));
  EXPECT_THAT(project.Resolve("main.py", "from own import synchronize as s", "s"),
              ElementsAre("own.synchronize"));
}

TEST(ProjectIndex, DoesNotTakeVariablesForModules) {
  const Project project(Files{{"config.py",
                               "lr = default\nsize = args.size\nargs = parse()\n"
                               "import numpy\nnp = numpy\n"}});
  EXPECT_THAT(project.Find("main.py", "config", "lr"), IsEmpty());
  EXPECT_THAT(project.Find("main.py", "config", "size"), IsEmpty());
  EXPECT_THAT(project.Find("main.py", "config", "np"), ElementsAre("numpy"));
}

TEST(ProjectIndex, FindsModulesFromTheFolderOfAScriptUpwards) {
  const Project project({{"common.py", "import torch.cuda as d\n"},
                         {"tools/common.py", "import torch.xpu as d\n"},
                         {"tools/deep/script.py", ""},
                         {"other/script.py", ""},
                         {"src/lib/__init__.py", "import torch as th\n"}});
  const ProjectIndex& index = project.index();
  EXPECT_EQ(index.FileOfModule("tools/deep/script.py", "common"), "tools/common.py");
  EXPECT_EQ(index.FileOfModule("other/script.py", "common"), "common.py");
  EXPECT_EQ(index.FileOfModule("other/script.py", "tools.common"), "tools/common.py");
  EXPECT_EQ(index.FileOfModule("other/script.py", "lib"), "src/lib/__init__.py");
  EXPECT_EQ(index.FileOfModule("other/script.py", "torch"), "");
  EXPECT_EQ(index.FileOfModule("other/script.py", "deep.missing"), "");
  EXPECT_THAT(project.Find("tools/deep/script.py", "common", "d"), ElementsAre("torch.xpu"));
}

TEST(ProjectIndex, FindsModulesBesideScriptsThatStandInsideOfAPackage) {
  const std::string main = "if __name__ == '__main__':\n    pass\n";
  const Project project({{"lib/__init__.py", ""},
                         {"lib/masks/__init__.py", ""},
                         {"lib/masks/count.py", main},
                         {"lib/masks/test.py", "import count\n"},
                         {"lib/masks/types.py", ""},
                         {"lib/parts/__init__.py", ""},
                         {"lib/parts/count.py", ""},
                         {"lib/parts/wandb.py", ""}});
  const ProjectIndex& index = project.index();
  EXPECT_EQ(index.FileOfModule("lib/masks/test.py", "count"), "lib/masks/count.py");
  EXPECT_EQ(index.FileOfModule("lib/masks/test.py", "types"), "");
  EXPECT_EQ(index.FileOfModule("lib/parts/count.py", "wandb"), "");
}

TEST(ProjectIndex, TakesModulesOfPythonForThoseOfTheProjectBesideScriptsAlone) {
  const Project project({{"train.py", ""},
                         {"src/__init__.py", ""},
                         {"src/logging.py", ""},
                         {"src/trainer.py", ""},
                         {"tools/queue.py", ""},
                         {"tools/run.py", "if __name__ == '__main__': pass\n"}});
  EXPECT_EQ(project.index().FileOfModule("train.py", "logging"), "");
  EXPECT_EQ(project.index().FileOfModule("src/trainer.py", "logging"), "");
  EXPECT_EQ(project.index().FileOfModule("src/trainer.py", "src.logging"), "src/logging.py");
  EXPECT_EQ(project.index().FileOfModule("tools/run.py", "queue"), "tools/queue.py");
}

TEST(ProjectIndex, TakesAPackageForNoLibraryOfItsNameInItsOwnFiles) {
  const Project project({{"lib/__init__.py", ""},
                         {"lib/gym/__init__.py", ""},
                         {"lib/gym/envs.py", "import gym\n"},
                         {"lib/other.py", ""},
                         {"tools/__init__.py", ""},
                         {"tools/gym/__init__.py", ""},
                         {"tools/gym/envs.py", ""},
                         {"tools/run.py", "if __name__ == '__main__':\n    pass\n"}});
  const ProjectIndex& index = project.index();
  EXPECT_EQ(index.FileOfModule("lib/gym/envs.py", "gym"), "");
  EXPECT_EQ(index.FileOfModule("lib/gym/envs.py", "lib.gym"), "lib/gym/__init__.py");
  EXPECT_EQ(index.FileOfModule("tools/gym/envs.py", "gym"), "tools/gym/__init__.py");
}

TEST(ProjectIndex, TakesAFileThatImportsItsOwnNameForNoLibrary) {
  const Project project({{"modules/deepspeed.py", "from deepspeed import initialize\n"},
                         {"modules/engine.py", "import deepspeed\n"},
                         {"modules/loss.py", "from torch import nn\n"}});
  EXPECT_EQ(project.index().FileOfModule("modules/deepspeed.py", "deepspeed"), "");
  EXPECT_EQ(project.index().FileOfModule("modules/engine.py", "deepspeed"), "");
  EXPECT_EQ(project.index().FileOfModule("modules/engine.py", "loss"), "modules/loss.py");
  EXPECT_EQ(project.index().FileOfModule("main.py", "modules.deepspeed"), "modules/deepspeed.py");
}

TEST(ProjectIndex, NamesTheClassesThatDeriveFromOneWithWhatGivesIt) {
  const Project project({{"base.py", "import gym\nclass Base(gym.Env):\n  pass\n"},
                         {"walk.py", "from base import Base\nclass Walk(Base):\n  pass\n"}});
  EXPECT_THAT(project.index().NamesGiving("gym.Env"), ElementsAre("Base", "Env", "Walk"));
}

TEST(ProjectIndex, FindsModulesThatAPartOfTheProjectInstalls) {
  const Project project({{"tools/train.py", ""},
                         {"kernels/setup.py", ""},
                         {"kernels/ops/__init__.py", ""},
                         {"kernels/scan/__init__.py", ""},
                         {"kernels/notes/readme.py", ""},
                         {"det/setup.py", ""},
                         {"det/src/scan/__init__.py", ""},
                         {"det/test.py", ""}});
  const ProjectIndex& index = project.index();
  EXPECT_EQ(index.FileOfModule("tools/train.py", "ops"), "kernels/ops/__init__.py");
  EXPECT_EQ(index.FileOfModule("det/test.py", "scan"), "det/src/scan/__init__.py");
  EXPECT_EQ(index.FileOfModule("tools/train.py", "readme"), "");
}

TEST(ProjectIndex, FindsThePackageThatAFolderOfItsNameHoldsInSrc) {
  const Project project({{"roll/train.py", ""},
                         {"fast-ops/examples/train.py", ""},
                         {"fast-ops/src/fast_ops/__init__.py", ""},
                         {"fast-ops/src/fast_ops/scan.py", ""},
                         {"slow-ops/python/slow_ops/__init__.py", ""},
                         {"slow-ops/python/slow_ops/scan.py", ""},
                         {"fast-ops/examples/src/data/__init__.py", ""}});
  const ProjectIndex& index = project.index();
  const std::string scan = "fast-ops/src/fast_ops/scan.py";
  EXPECT_EQ(index.FileOfModule("fast-ops/examples/train.py", "fast_ops.scan"), scan);
  EXPECT_EQ(index.FileOfModule("roll/train.py", "fast_ops.scan"), scan);
  EXPECT_EQ(index.FileOfModule("roll/train.py", "slow_ops.scan"),
            "slow-ops/python/slow_ops/scan.py");
  EXPECT_EQ(index.FileOfModule("roll/train.py", "data"), "");
}

TEST(ProjectIndex, FindsModulesInFoldersThatAreAddedToThePath) {
  const Project project(
      {{"seg/train.py",
        "import sys, os\nhere = os.path.dirname(__file__)\n"
        "sys.path.append(os.path.join(here, '..', 'nets'))\n"},
       {"det/_paths.py",
        "import sys, os.path as osp\n\n\ndef add_path(path):\n    sys.path.insert(0, path)\n\n\n"
        "lib_path = osp.join(osp.dirname(__file__), '../lib/core')\nadd_path(lib_path)\n"},
       {"det/train.py", ""},
       {"nets/models.py", ""},
       {"lib/core/config.py", ""},
       {"other/core/config.py", ""},
       {"notes/unrelated.py", ""}});
  const ProjectIndex& index = project.index();
  EXPECT_EQ(index.FileOfModule("seg/train.py", "models"), "nets/models.py");
  EXPECT_EQ(index.FileOfModule("det/train.py", "config"), "lib/core/config.py");
  EXPECT_EQ(index.FileOfModule("det/train.py", "unrelated"), "");
}

TEST(ProjectIndex, FindsModulesInFoldersThatATextPutsOnPythonPath) {
  const Files files = {{"train.py", ""},   {"lib/modules/norm.py", ""}, {"third/party/flow.py", ""},
                       {"ops/nms.py", ""}, {"plain/word.py", ""},       {"data/sets.py", ""}};
  const Files texts = {
      {"README.md",
       "The kernels are in `data/`.\n- Add `lib/` to your `PYTHONPATH`, plain as it is.\n"},
      {"run.sh",
       "export PYTHONPATH=\"${HERE}/third/party\":$PYTHONPATH\n"
       "PYTHONPATH=/home/me/project/ops:. python train.py --root data/\n"}};
  std::vector<std::string> paths;
  for (const auto& [path, text] : files) paths.push_back(path);
  const ProjectIndex index(paths,
                           [&](const std::string& path) -> Result<std::string> {
                             return texts.contains(path) ? texts.at(path) : files.at(path);
                           },
                           {}, nullptr, "project", {"README.md", "run.sh"});
  EXPECT_EQ(index.FileOfModule("train.py", "modules.norm"), "lib/modules/norm.py");
  EXPECT_EQ(index.FileOfModule("train.py", "flow"), "third/party/flow.py");
  EXPECT_EQ(index.FileOfModule("train.py", "nms"), "ops/nms.py");
  EXPECT_EQ(index.FileOfModule("train.py", "word"), "");
  EXPECT_EQ(index.FileOfModule("train.py", "sets"), "");
}

TEST(ProjectIndex, FindsModulesInTheFolderThatASetupNamesForItsPackages) {
  const Project project({{"setup.py",
                          "from setuptools import setup\nroot = 'Module'\n"
                          "setup(package_dir={'': root, 'x': 'other'}, packages=['sampler'])\n"},
                         {"check.py", ""},
                         {"Module/sampler/__init__.py", ""},
                         {"other/y.py", ""}});
  EXPECT_EQ(project.index().FileOfModule("check.py", "sampler"), "Module/sampler/__init__.py");
  EXPECT_EQ(project.index().FileOfModule("check.py", "y"), "");
}

TEST(ProjectIndex, EndsWhereTheFolderOnThePathIsBoundAThousandTimes) {
  std::string many = "import sys\ndef f(p):\n    sys.path.append(p)\n";
  for (int i = 0; i < 1000; ++i) {
    many += "    if x:\n        p = p + q + '/a'\n        q = q + p + '/b'\n    f(p + q)\n";
  }
  many += "sys.path.append('nets')\n";
  const Project project({{"a.py", many}, {"b.py", ""}, {"nets/models.py", ""}});
  EXPECT_EQ(project.index().FileOfModule("b.py", "models"), "nets/models.py");
}

TEST(ProjectIndex, TakesTheNearestOfSeveralFoldersOnThePath) {
  const Project project({{"a/train.py", "import sys\nsys.path.append('./tools')\n"},
                         {"a/x/tools/helper.py", ""},
                         {"b/x/tools/helper.py", ""},
                         {"b/y/train.py", ""}});
  const ProjectIndex& index = project.index();
  EXPECT_EQ(index.FileOfModule("a/train.py", "helper"), "a/x/tools/helper.py");
  EXPECT_EQ(index.FileOfModule("b/y/train.py", "helper"), "b/x/tools/helper.py");
}

TEST(ProjectIndex, PrefersAPackageToAModuleOfTheSameName) {
  const Project project({{"a.py", "import x as th\n"}, {"a/__init__.py", "import torch as th\n"}});
  EXPECT_THAT(project.Find("main.py", "a", "th"), ElementsAre("torch"));
}

TEST(ProjectIndex, FollowsRelativeImports) {
  const Project project({{"pkg/__init__.py", ""},
                         {"pkg/compat.py", "import torch as th\n"},
                         {"pkg/sub/__init__.py", "from ..compat import th\n"},
                         {"root.py", "import torch as th\n"}});
  EXPECT_THAT(project.Resolve("pkg/sub/m.py", "from . import th as t", "t.cuda"),
              ElementsAre("torch.cuda"));
  EXPECT_THAT(project.Resolve("pkg/m.py", "from .sub import th", "th.cuda"),
              ElementsAre("torch.cuda"));
  EXPECT_THAT(project.Resolve("pkg/m.py", "from . import compat", "compat.th.cuda"),
              ElementsAre("torch.cuda"));
  EXPECT_THAT(project.Resolve("main.py", "from .root import th", "th.cuda"),
              ElementsAre("torch.cuda"));
  EXPECT_THAT(project.Resolve("main.py", "from . import root", "root.th.cuda"),
              ElementsAre("torch.cuda"));
  EXPECT_THAT(project.Resolve("main.py", "from ..root import th", "th.cuda"),
              ElementsAre("..root.th.cuda"));
}

TEST(ProjectIndex, KnowsMembersOfClassesThroughTheirBases) {
  const Project project(
      {{"base.py",
        "class Base:\n  def cuda(self): pass\n  if x:\n    def npu(self): pass\n"
        "  size: int = 1\n"},
       {"mid.py",
        "from base import Base as B\nclass Mid(B):\n"
        "  def f(self):\n    self.device, self.is_cuda = 1, 2\n    self.ready = 3\n"},
       {"pkg/__init__.py", "from .models import *\n"},
       {"pkg/models.py",
        "import mid\nfrom torch import nn\n"
        "class Net(mid.Mid, nn.Module): pass\n"
        "class Loop(Loop): pass\n"}});
  const auto defines = [&](const char* qualified, const char* name) {
    return project.index().ClassDefines("main.py", qualified, name);
  };
  EXPECT_TRUE(defines("base.Base", "cuda"));
  EXPECT_TRUE(defines("base.Base", "npu"));
  EXPECT_TRUE(defines("base.Base", "size"));
  EXPECT_FALSE(defines("base.Base", "f"));
  EXPECT_TRUE(defines("mid.Mid", "cuda"));
  EXPECT_TRUE(defines("mid.Mid", "ready"));
  EXPECT_TRUE(defines("mid.B", "cuda"));
  EXPECT_TRUE(defines("pkg.Net", "cuda"));
  EXPECT_TRUE(defines("pkg.models.Net", "f"));
  EXPECT_FALSE(defines("pkg.models.Net", "to"));
  EXPECT_FALSE(defines("pkg.models.Loop", "cuda"));
  EXPECT_FALSE(defines("torch.nn.Module", "cuda"));
  EXPECT_TRUE(project.index().ClassDefines("base.py", "Base", "cuda"));
}

TEST(ProjectIndex, ReadsAFileOnceAndOnlyWhenItIsAskedFor) {
  const Project project({{"a.py", "import torch as th\n"}, {"b.py", "import torch\n"}});
  EXPECT_EQ(project.reads(), 0);
  for (int i = 0; i < 3; ++i) EXPECT_THAT(project.Find("m.py", "a", "th"), ElementsAre("torch"));
  EXPECT_EQ(project.reads(), 1);
}

TEST(ProjectIndex, KnowsNothingAboutWhatItCannotRead) {
  const Project project({{"a.py", "unreadable"},
                         {"b.py", std::string("import torch as th\0", 19)},
                         {"c.py", "import torch as th\ndef f(:\n  x = (\ndef g(): pass\n"}});
  EXPECT_THAT(project.Find("m.py", "a", "th"), IsEmpty());
  EXPECT_THAT(project.Find("m.py", "b", "th"), IsEmpty());
  EXPECT_THAT(project.Find("m.py", "c", "th"), ElementsAre("torch"));
}

TEST(ProjectIndex, OpensAFileOnceForManyQuestions) {
  const Project project({{"a.py", "import torch as th\ndef f(device): pass\n"}, {"b.py", ""}});
  for (int i = 0; i < 300; ++i) {
    const auto opened = project.index().Open("a.py");
    ASSERT_NE(opened, nullptr);
    EXPECT_EQ(opened->source().path(), "a.py");
    EXPECT_EQ(opened->names().LocalNameOf("torch"), "th");
  }
  EXPECT_EQ(project.reads(), 1);
}

/// A file with a tree and names, of some kilobytes.
OpenedFiles::Pointer LargeFile(const std::string& path) {
  std::string text = "import torch\n";
  while (text.size() < (4U << 10U)) text += "x = [torch.a, torch.b]\n";
  Result<SourceFile> read = SourceFile::FromBytes(path, std::move(text));
  Parser parser;
  auto source = std::make_unique<const SourceFile>(*std::move(read));
  SyntaxTree tree = SyntaxTree::Parse(*source, parser);
  return std::make_shared<const OpenedFile>(std::move(source), std::move(tree), nullptr);
}

TEST(ProjectIndex, ForgetsOpenedFilesThatTakeTooMuchMemory) {
  const size_t size = LargeFile("m.py")->memory();
  OpenedFiles files(3 * size);
  int reads = 0;
  const auto open = [&](const std::string& path) {
    return files.Get(path, [&] {
      ++reads;
      return LargeFile(path);
    });
  };
  const auto first = open("m0.py");
  for (int i = 1; i < 8; ++i) open(fmt::format("m{}.py", i));
  EXPECT_EQ(reads, 8);
  open("m7.py");
  open("m6.py");
  EXPECT_EQ(reads, 8);
  open("m0.py");
  EXPECT_EQ(reads, 9);
  EXPECT_EQ(first->names().LocalNameOf("torch"), "torch");  // who holds it may go on
}

TEST(ProjectIndex, KeepsTheLastOpenedFileWhateverItsSize) {
  OpenedFiles files(1);
  int reads = 0;
  for (int i = 0; i < 2; ++i) {
    files.Get("m.py", [&] {
      ++reads;
      return LargeFile("m.py");
    });
  }
  EXPECT_EQ(reads, 1);
}

TEST(ProjectIndex, OpensNothingThatIsNotAReadableFileOfTheProject) {
  const Project project({{"a.py", "unreadable"}, {"b.py", ""}});
  EXPECT_EQ(project.index().Open("a.py"), nullptr);
  EXPECT_EQ(project.index().Open("a.py"), nullptr);
  EXPECT_EQ(project.index().Open("../a.py"), nullptr);
}

TEST(ProjectIndex, OpensFilesForSeveralThreadsAtOnce) {
  Files files;
  constexpr int kFiles = 12;
  for (int i = 0; i < kFiles; ++i) {
    files[fmt::format("m{}.py", i)] = fmt::format("x = {}\nimport torch as th{}\n", i, i);
  }
  const Project project(files);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20 * kFiles; ++i) {
        const int n = (i * 5 + t) % kFiles;
        const auto opened = project.index().Open(fmt::format("m{}.py", n));
        if (opened->names().LocalNameOf("torch") != fmt::format("th{}", n)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(project.reads(), kFiles);
}

TEST(ProjectIndex, TakesLongAndWideChainsOnASmallStack) {
  Files files;
  for (int i = 0; i < 1000; ++i) {
    files[fmt::format("m{}.py", i)] = fmt::format(
        "from m{} import *\nfrom m{} import *\nfrom m{} import x as y\n", i + 1, i + 2, i + 3);
  }
  const Project project(std::move(files));
  RunOnSmallStack([&] {
    EXPECT_THAT(project.Find("main.py", "m0", "missing"), IsEmpty());
    project.Find("main.py", "m0", "y");
    project.index().ClassDefines("main.py", "m0.C", "f");
  });
}

TEST(ProjectIndex, GivesEveryThreadTheSameAnswers) {
  Files files;
  constexpr int kFiles = 40;
  for (int i = 0; i < kFiles; ++i) {
    files[fmt::format("m{}.py", i)] =
        i == 0 ? "import torch as th\nclass C:\n  def cuda(self): pass\n"
               : fmt::format("from m{} import th, C\nclass D(C): pass\n", i - 1);
  }
  const auto answers = [](const Project& project, int first) {
    std::map<int, std::string> result;
    for (int i = 0; i < kFiles; ++i) {
      const int n = (first + i * 7) % kFiles;
      const std::string module = fmt::format("m{}", n);
      result[n] = fmt::format("{} {}", fmt::join(project.Find("x.py", module, "th"), ","),
                              project.index().ClassDefines("x.py", module + ".D", "cuda"));
    }
    return result;
  };
  const std::map<int, std::string> expected = answers(Project(files), 0);
  EXPECT_EQ(expected.at(20), "torch true");
  const Project project(files);
  std::vector<std::map<int, std::string>> found(8);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] { found[static_cast<size_t>(t)] = answers(project, t * 5); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& one : found) EXPECT_EQ(one, expected);
  EXPECT_EQ(project.reads(), kFiles);
}

TEST(ProjectIndex, ReadsAFileOnceForTheWordsThatItIsAskedFor) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += fmt::format("word{} = other.of_{}\n", i, i);
  const Project project({{"a.py", text}, {"b.py", "x = 1\n"}});
  for (int i = 0; i < 50; ++i) {
    EXPECT_THAT(project.index().FilesSpelling(fmt::format("of_{}", i)), ElementsAre("a.py"));
    EXPECT_THAT(project.index().FilesSpelling(fmt::format("ord{}", i)), IsEmpty());
  }
  EXPECT_EQ(project.reads(), 2);
}

WordIndex IndexOf(const std::vector<std::string_view>& texts) {
  WordIndex index;
  for (const std::string_view text : texts) index.Add(text);
  index.Finish();
  return index;
}

TEST(WordIndex, FindsTheFilesOfAWholeWord) {
  const WordIndex index = IndexOf({"torch.cuda, a-b = 'x_y'", "", "# cuda\ncuda", "cudart"});
  EXPECT_THAT(index.FilesSpelling("cuda"), ElementsAre(0, 2));
  EXPECT_THAT(index.FilesSpelling("x_y"), ElementsAre(0));
  for (const std::string_view word : {"tor", "uda", "x", "ab", "a-b", ""}) {
    EXPECT_THAT(index.FilesSpelling(word), IsEmpty()) << word;
  }
}

TEST(WordIndex, FindsACallHoweverItIsSpelled) {
  for (const char* text :
       {"f()", "a.f (x)", "x = (f)(1)", "(f if c else g)()", "(g if c else f)()",
        "y = (a.f\n  (x))", "z = f \\\n(x)", "(f  # which\n)(x)", "def f(): f()"}) {
    EXPECT_THAT(IndexOf({text}).FilesCalling("f"), ElementsAre(0)) << text;
  }
}

TEST(WordIndex, FindsNoCallWhereANameIsOnlyDefinedImportedOrRead) {
  for (const char* text :
       {"def f(x): pass", "class f(Base):\n  pass", "from a import f\nx = 1", "from a import f, g",
        "x = f.g()", "ff(); f_(1); xf()", "g(a, f, b)", "f = 1", "@f\ndef g(): pass", "x[f]", ""}) {
    EXPECT_THAT(IndexOf({text}).FilesCalling("f"), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace transplt
