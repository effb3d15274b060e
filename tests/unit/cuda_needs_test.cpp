// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/cuda_needs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/unit/guard_signatures.h"
#include "tests/unit/parsed_file.h"
#include "transplt/facts/project_code.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Files = std::map<std::string, std::string>;

/// "line: name" of every place of the first file that needs CUDA; the others lie beside it.
std::vector<std::string> Needs(const std::string& code, const Files& others = {}) {
  Files files = others;
  files["pkg/mod.py"] = code;
  std::vector<std::string> paths;
  for (const auto& [path, text] : files) paths.push_back(path);
  const auto read = [&](const std::string& path) -> Result<std::string> { return files[path]; };
  const ProjectIndex index(paths, read);
  const GuardSignatures signatures = SignaturesForTests();
  const ProjectModules modules(index, "project");
  const ProjectCode project(index, modules, {}, signatures);
  const ParsedFile file(code, "pkg/mod.py");
  const NameTable names(file.tree(), "pkg.mod", false, &index);
  const std::vector<Guard> guards = GuardsOf(names, signatures);
  const CudaNeeds needs(names, "pkg/mod.py", guards, signatures, &project);
  std::vector<std::string> all;
  for (const CudaNeed& need : needs.all()) {
    all.push_back(fmt::format("{}: {}", file.source().Locate(need.range.start).line, need.name));
  }
  return all;
}

const char* const kSetup =
    "from setuptools import setup\n"
    "from torch.utils.cpp_extension import CUDAExtension\n"
    "setup(ext_modules=[CUDAExtension('pkg._C', ['a.cpp', 'b.cu'])])\n";

TEST(CudaNeeds, APackageOfCudaIsNeededWhereItIsImportedAndUsed) {
  EXPECT_THAT(Needs("from flash_attn import attend as a\ny = a(1)\n"),
              ElementsAre("1: flash_attn", "1: flash_attn.attend", "2: flash_attn.attend"));
}

TEST(CudaNeeds, WhatATryCatchesIsNotNeeded) {
  EXPECT_THAT(Needs("try:\n    import flash_attn\nexcept ImportError:\n    flash_attn = None\n"),
              IsEmpty());
  EXPECT_THAT(Needs("try:\n    import flash_attn\nexcept ImportError:\n    raise\n"),
              ElementsAre("2: flash_attn"));
  EXPECT_THAT(Needs("try:\n    import flash_attn\nexcept KeyError:\n    pass\n"),
              ElementsAre("2: flash_attn"));
}

TEST(CudaNeeds, ToAskWhetherItIsThereIsNoUse) {
  EXPECT_THAT(Needs("try:\n    import flash_attn\nexcept ImportError:\n    flash_attn = None\n"
                    "ok = flash_attn is not None\nif flash_attn:\n    pass\n"),
              IsEmpty());
}

TEST(CudaNeeds, AnExtensionThatTheProjectBuildsForCudaIsNeeded) {
  EXPECT_THAT(Needs("from . import _C\ny = _C.f(1)\n", {{"setup.py", kSetup}}),
              ElementsAre("1: pkg._C", "2: pkg._C"));
}

TEST(CudaNeeds, AnExtensionThatAlsoBuildsForTheHostIsImportedEverywhereAndRunOnCuda) {
  EXPECT_THAT(Needs("from . import _C\ny = _C.f(1)\n",
                    {{"setup.py",
                      "from setuptools import setup\n"
                      "from torch.utils.cpp_extension import CppExtension, CUDAExtension\n"
                      "kind = CUDAExtension if cuda else CppExtension\n"
                      "setup(ext_modules=[kind('pkg._C', ['a.cpp'])])\n"}}),
              ElementsAre("2: pkg._C"));
}

TEST(CudaNeeds, SourcesOfCudaAreCompiled) {
  EXPECT_THAT(
      Needs("from torch.utils.cpp_extension import load\nk = load('k', ['k.cu'])\nk.f(1)\n"),
      ElementsAre("2: torch.utils.cpp_extension.load", "3: torch.utils.cpp_extension.load"));
  EXPECT_THAT(
      Needs("from torch.utils.cpp_extension import load\nk = load('k', ['k.cpp'])\nk.f(1)\n"),
      IsEmpty());
}

TEST(CudaNeeds, AFunctionNeedsWhatItUses) {
  EXPECT_THAT(Needs("import torch\ndef conv(x):\n    return torch.cudnn_convolution(x)\n"
                    "def f(x):\n    return conv(x)\n"),
              ElementsAre("3: torch.cudnn_convolution", "5: conv(): torch.cudnn_convolution"));
}

TEST(CudaNeeds, AFunctionThatAsksFirstNeedsNothing) {
  EXPECT_THAT(Needs("import torch\ndef conv(x):\n    if x.is_cuda:\n"
                    "        return torch.cudnn_convolution(x)\n    return x\n"
                    "def f(x):\n    return conv(x)\n"),
              ElementsAre("4: torch.cudnn_convolution"));
}

TEST(CudaNeeds, AMethodIsFoundThroughItsClass) {
  EXPECT_THAT(Needs("import flash_attn\nclass Loader:\n    def load(self):\n"
                    "        return flash_attn.f()\n    def name(self):\n        return 'x'\n"
                    "a = Loader().load()\nb = Loader().name()\n"),
              ElementsAre("1: flash_attn", "4: flash_attn", "7: Loader.load(): flash_attn"));
}

TEST(CudaNeeds, AMemberThatStandsForAnExtensionNeedsCuda) {
  const std::string head =
      "try:\n    import flash_attn\nexcept ImportError:\n    flash_attn = None\n"
      "class Layer:\n    def __init__(self, n):\n        self.ops = flash_attn\n";
  const std::string tail = "    def forward(self, x):\n        return self.ops.attend(x)\n";
  EXPECT_THAT(Needs(head + "        if n % 64:\n            self.ops = None\n" + tail),
              ElementsAre("7: flash_attn", "11: flash_attn"));
  EXPECT_THAT(Needs(head + "        if n % 64:\n            self.ops = plain(n)\n" + tail),
              ElementsAre("7: flash_attn"));
}

TEST(CudaNeeds, AnAutogradFunctionRunsItsForward) {
  EXPECT_THAT(Needs("import torch\nclass F(torch.autograd.Function):\n    @staticmethod\n"
                    "    def forward(ctx, x):\n        return torch.cudnn_convolution(x)\n"
                    "y = F.apply(1)\n"),
              ElementsAre("5: torch.cudnn_convolution", "6: F.forward(): torch.cudnn_convolution"));
}

TEST(CudaNeeds, AFunctionThatAConditionChoosesNeedsWhatItUses) {
  const std::string code =
      "import torch\nfrom . import _C\n"
      "class Loss(torch.autograd.Function):\n    @staticmethod\n"
      "    def forward(ctx, x):\n        return _C.f(x)\n"
      "fast = Loss.apply\n"
      "def slow(x):\n    return x\n"
      "table = {'fast': fast}\n"
      "def run(x):\n    loss = fast if x.is_cuda else slow\n    return loss(x)\n"
      "def direct(x):\n    return fast(x)\n";
  EXPECT_THAT(Needs(code, {{"setup.py", kSetup}}),
              ElementsAre("2: pkg._C", "6: pkg._C", "12: fast(): pkg._C", "15: fast(): pkg._C"));
}

TEST(CudaNeeds, AFunctionOfAnotherFileNeedsWhatItUses) {
  EXPECT_THAT(Needs("from .ops import conv, plain\ny = conv(1)\nz = plain(1)\n",
                    {{"pkg/ops.py",
                      "import torch\ndef conv(x):\n    return torch.cudnn_convolution(x)\n"
                      "def plain(x):\n    return x\n"}}),
              ElementsAre("2: conv(): torch.cudnn_convolution"));
}

TEST(CudaNeeds, AFunctionOfAnotherFileThatAConditionChoosesNeedsWhatItUses) {
  const std::string code =
      "try:\n    from .ops import fast\n    has_fast = True\n"
      "except ImportError:\n    has_fast = False\n"
      "from .plain import slow\n"
      "def choose(x):\n"
      "    if has_fast and x.device.type == 'cuda':\n        f = fast\n"
      "    else:\n        f = slow\n    return f(x)\n"
      "def plain(x):\n"
      "    f = slow if x.is_cuda else None\n    return {'fast': fast}\n";
  EXPECT_THAT(Needs(code, {{"setup.py", kSetup},
                           {"pkg/ops.py", "from . import _C\ndef fast(x):\n    return _C.f(x)\n"},
                           {"pkg/plain.py", "def slow(x):\n    return x\n"}}),
              ElementsAre("9: fast(): pkg._C", "12: fast(): pkg._C"));
}

TEST(CudaNeeds, TheImportOfAFileNeedsWhatItImports) {
  EXPECT_THAT(
      Needs("from . import ops\n", {{"pkg/__init__.py", ""},
                                    {"pkg/ops.py", "from .low import f\n"},
                                    {"pkg/low.py", "import flash_attn\ndef f():\n    pass\n"}}),
      ElementsAre("1: flash_attn"));
}

TEST(CudaNeeds, FilesThatImportOneAnotherEnd) {
  EXPECT_THAT(
      Needs("from . import a\na.f()\n", {{"pkg/__init__.py", ""},
                                         {"pkg/a.py", "from . import b\ndef f():\n    b.g()\n"},
                                         {"pkg/b.py", "from . import a\ndef g():\n    a.f()\n"}}),
      IsEmpty());
}

TEST(CudaNeeds, AMethodThatAssertsItsInputIsOnCudaNeedsCuda) {
  EXPECT_THAT(
      Needs("import torch\nclass Grid:\n    def fast(self):\n        assert self.links.is_cuda\n"
            "        torch.cudnn_convolution(self.links)\n"
            "    def run(self):\n        self.fast()\n"),
      ElementsAre("5: torch.cudnn_convolution", "7: Grid.fast(): torch.cudnn_convolution"));
}

TEST(CudaNeeds, AFunctionThatRaisesWithoutCudaNeedsCuda) {
  EXPECT_THAT(Needs("import torch\ndef conv(x):\n    if not x.is_cuda:\n        raise TypeError\n"
                    "    return torch.cudnn_convolution(x)\n"
                    "def f(x):\n    return conv(x)\n"),
              ElementsAre("5: torch.cudnn_convolution", "7: conv(): torch.cudnn_convolution"));
  EXPECT_THAT(Needs("import torch\ndef conv(x):\n    if x.is_cuda:\n"
                    "        return torch.cudnn_convolution(x)\n"
                    "    else:\n        raise TypeError\n"
                    "def f(x):\n    return conv(x)\n"),
              ElementsAre("4: torch.cudnn_convolution", "8: conv(): torch.cudnn_convolution"));
}

TEST(CudaNeeds, AnAssertionThatOtherDevicesPassAsWellProtects) {
  EXPECT_THAT(Needs("import torch\ndef conv(x, slow):\n    assert x.is_cuda or slow\n"
                    "    if x.is_cuda:\n        torch.cudnn_convolution(x)\n"
                    "def f(x):\n    conv(x, True)\n"),
              ElementsAre("5: torch.cudnn_convolution"));
}

TEST(CudaNeeds, AnObjectThatAClassMethodMakesIsOfItsClass) {
  EXPECT_THAT(
      Needs(
          "import torch\nclass Grid:\n    def fast(self):\n        torch.cudnn_convolution(self)\n"
          "    @classmethod\n    def load(cls):\n        grid = cls()\n        grid.fast()\n"),
      ElementsAre("4: torch.cudnn_convolution", "8: Grid.fast(): torch.cudnn_convolution"));
}

TEST(CudaNeeds, AMethodIsFoundInABaseOfTheSameFile) {
  EXPECT_THAT(Needs("import torch\nclass Base:\n    def fast(self, x):\n"
                    "        torch.cudnn_convolution(x)\n    def slow(self, x):\n"
                    "        torch.cudnn_convolution(x)\n"
                    "class Grid(Base):\n    def slow(self, x):\n        return x\n"
                    "    def run(self, x):\n        self.fast(x)\n        self.slow(x)\n"),
              ElementsAre("4: torch.cudnn_convolution", "6: torch.cudnn_convolution",
                          "11: Base.fast(): torch.cudnn_convolution"));
}

const char* const kBase =
    "import torch\nclass Base:\n    def fast(self, x):\n        torch.cudnn_convolution(x)\n"
    "    def slow(self, x):\n        torch.cudnn_convolution(x)\n";

TEST(CudaNeeds, AMethodIsFoundInABaseOfAnotherFile) {
  EXPECT_THAT(Needs("from .base import Base\nclass Grid(Base):\n    def slow(self, x):\n"
                    "        return x\n    def run(self, x):\n        self.fast(x)\n"
                    "        self.slow(x)\n",
                    {{"pkg/base.py", kBase}}),
              ElementsAre("6: fast(): torch.cudnn_convolution"));
}

TEST(CudaNeeds, AMethodIsFoundInABaseOfABaseOfAnotherFile) {
  EXPECT_THAT(Needs("from .mid import Mid\nclass Grid(Mid):\n    def run(self, x):\n"
                    "        self.fast(x)\n        self.slow(x)\n",
                    {{"pkg/base.py", kBase},
                     {"pkg/mid.py",
                      "from .base import Base\nclass Inner(Base):\n    pass\n"
                      "class Mid(Inner):\n    def slow(self, x):\n        return x\n"}}),
              ElementsAre("4: fast(): torch.cudnn_convolution"));
}

TEST(CudaNeeds, ClassesThatAreBasesOfOneAnotherEnd) {
  EXPECT_THAT(Needs("from .base import B\nclass A(B):\n    def run(self):\n        self.fast()\n",
                    {{"pkg/base.py", "from .mod import A\nclass B(A):\n    pass\n"}}),
              IsEmpty());
  EXPECT_THAT(Needs("class A(B):\n    def run(self):\n        self.fast()\n"
                    "class B(A):\n    pass\n"),
              IsEmpty());
}

TEST(CudaNeeds, AFunctionOfAnExtensionIsKnownThroughTheFileThatGivesItOn) {
  EXPECT_THAT(Needs("import api\na = api.blur(1)\nb = api.plain(1)\n",
                    {{"setup.py", kSetup},
                     {"api.py", "from pkg._C import blur\nfrom math import plain\n"}}),
              ElementsAre("1: pkg._C", "2: pkg._C.blur"));
}

}  // namespace
}  // namespace transplt
