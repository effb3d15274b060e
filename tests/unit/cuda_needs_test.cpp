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

TEST(CudaNeeds, AnAutogradFunctionRunsItsForward) {
  EXPECT_THAT(Needs("import torch\nclass F(torch.autograd.Function):\n    @staticmethod\n"
                    "    def forward(ctx, x):\n        return torch.cudnn_convolution(x)\n"
                    "y = F.apply(1)\n"),
              ElementsAre("5: torch.cudnn_convolution", "6: F.forward(): torch.cudnn_convolution"));
}

TEST(CudaNeeds, AFunctionOfAnotherFileNeedsWhatItUses) {
  EXPECT_THAT(Needs("from .ops import conv, plain\ny = conv(1)\nz = plain(1)\n",
                    {{"pkg/ops.py",
                      "import torch\ndef conv(x):\n    return torch.cudnn_convolution(x)\n"
                      "def plain(x):\n    return x\n"}}),
              ElementsAre("2: conv(): torch.cudnn_convolution"));
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

}  // namespace
}  // namespace transplt
