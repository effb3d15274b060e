// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "parsed_file.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/imported_package.h"
#include "transplt/facts/project.h"
#include "transplt/facts/written_text.h"

namespace transplt {
namespace {

std::vector<std::string> TextsOf(const std::string& program) {
  const ParsedFile file(program + "\nresult = (name)\n");
  const NameTable names(file.tree(), "file", false);
  return WrittenTexts(file.Find(NodeKind::kParenthesizedExpression, "(name)"), names);
}

using Texts = std::vector<std::string>;

TEST(WrittenTexts, PutTogetherWhatTheFileWritesOut) {
  EXPECT_EQ(TextsOf("name = 'a' 'b' + 'c'"), Texts({"abc"}));
  EXPECT_EQ(TextsOf("p = 'pkg'\nname = f'{p}.x'"), Texts({"pkg.x"}));
  EXPECT_EQ(TextsOf("name = '{}.{}'.format('a', 'b')"), Texts({"a.b"}));
  EXPECT_EQ(TextsOf("name = '%s_%s' % ('a', 1)"), Texts({"a_1"}));
  EXPECT_EQ(TextsOf("name = 'a' if c else 'b'"), Texts({"a", "b"}));
  EXPECT_EQ(TextsOf("name = '.'.join(['a', 'b', 'c'])"), Texts({"a.b.c"}));
}

TEST(WrittenTexts, AreAllThatADictionaryHolds) {
  EXPECT_EQ(TextsOf("names = dict(a='x', b='y')\nname = names.get(mode, None)"), Texts({"x", "y"}));
  EXPECT_EQ(TextsOf("names = {'a': 'x', 'b': 'y'}\nname = names[mode]"), Texts({"x", "y"}));
  EXPECT_TRUE(TextsOf("names = {'a': 'x', **others}\nname = names[mode]").empty());
  EXPECT_TRUE(TextsOf("names = make(a='x')\nname = names.get(mode)").empty());
  EXPECT_TRUE(TextsOf("name = names[mode]").empty());
}

TEST(WrittenTexts, FollowALoopOverStrings) {
  const ParsedFile file("for op in ['a', 'b']:\n    use(f'x_{op}')\n");
  const NameTable names(file.tree(), "file", false);
  EXPECT_EQ(WrittenTexts(file.Find(NodeKind::kString, "f'x_{op}'"), names), Texts({"x_a", "x_b"}));
}

TEST(WrittenPatterns, HaveAStarForEachPartThatIsNotKnown) {
  const auto patterns = [](const std::string& text) {
    const ParsedFile file(text);
    const NameTable names(file.tree(), "mod", false);
    const Node call = file.Find(NodeKind::kIdentifier, "use").parent();
    return WrittenPatterns(call.Child(Field::kArguments).first_named_child(), names);
  };
  EXPECT_EQ(patterns("use('models.' + name + '_model')\n"), Texts({"models.*_model"}));
  EXPECT_EQ(patterns("use(f'archs.{x}')\n"), Texts({"archs.*"}));
  EXPECT_EQ(patterns("use('%s.%s' % (a, 'b'))\n"), Texts({"*.b"}));
  EXPECT_EQ(patterns("use('.'.join(['models', kind, name]))\n"), Texts({"models.*.*"}));
  EXPECT_EQ(patterns("use('torch')\n"), Texts({"torch"}));
  EXPECT_EQ(patterns("use(name)\n"), Texts({"*"}));
}

TEST(WrittenTexts, AreUnknownWhereOnePartIs) {
  EXPECT_TRUE(TextsOf("name = 'a' + read()").empty());
  EXPECT_TRUE(TextsOf("name = name").empty());
  EXPECT_TRUE(TextsOf("name = 'a\\n'").empty());
  EXPECT_TRUE(TextsOf("name = '{}'.format('a', 'b')").empty());
  EXPECT_TRUE(TextsOf("name = '{}{}'.format('a')").empty());
}

TEST(WrittenTexts, EndWhereTheyWouldBeTooMany) {
  std::string program = "c0 = 'a' if x else 'b'\n";
  for (int i = 1; i < 30; ++i) {
    program +=
        "c" + std::to_string(i) + " = c" + std::to_string(i - 1) + " + ('a' if x else 'b')\n";
  }
  EXPECT_TRUE(TextsOf(program + "name = c29").empty());
}

/// The files of a project in memory.
class Project {
 public:
  explicit Project(std::map<std::string, std::string> files, std::string root = "root")
      : files_(std::move(files)),
        index_(Paths(),
               [this](const std::string& path) -> Result<std::string> {
                 const auto file = files_.find(path);
                 if (file != files_.end()) return file->second;
                 return Error{Error::Code::kIo, path, Say("is not there", "不存在")};
               }),
        modules_(index_, std::move(root)) {}

  const ProjectModules& modules() const { return modules_; }

 private:
  std::vector<std::string> Paths() const {
    std::vector<std::string> paths;
    for (const auto& [path, bytes] : files_) paths.push_back(path);
    return paths;
  }

  const std::map<std::string, std::string> files_;
  const ProjectIndex index_;
  const ProjectModules modules_;
};

constexpr const char* kSetupImports =
    "from torch.utils.cpp_extension import CppExtension, CUDAExtension\n";

TEST(ProjectModules, NameTheExtensionsThatAFunctionOfSetupDeclares) {
  const Project project(
      {{"setup.py", std::string(kSetupImports) +
                        "def make(name, module, cu=[]):\n"
                        "    return CUDAExtension('%s.%s' % (module, name), cu)\n"
                        "make('iou', 'det.ops', cu=['a.cu'])\nmake(module='det', name='nms')\n"}});
  ASSERT_EQ(project.modules().extensions().size(), 2U);
  const ExtensionModule* found = project.modules().FindExtension("det.ops.iou.forward");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->name, "det.ops.iou");
  EXPECT_TRUE(found->is_cuda);
  EXPECT_NE(project.modules().FindExtension("src.det.nms"), nullptr);
  EXPECT_EQ(project.modules().FindExtension("det.ops.iou_rotated"), nullptr);
  EXPECT_EQ(project.modules().FindExtension("iou"), nullptr);
}

TEST(ProjectModules, NameTheExtensionsThatTorchBuiltBeforeItsFirstRelease) {
  const std::string import = "from torch.utils.ffi import create_extension\n";
  const std::map<std::string, std::string> files = {
      {"net/roi/build.py", import + "create_extension('_ext.roi', ['a.c'], with_cuda=True)\n"},
      {"net/host/build.py", import + "create_extension('_ext.host', ['a.c'])\n"}};
  const Project project(files);
  const ExtensionModule* found = project.modules().FindExtension("net.roi._ext.roi.forward");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->is_cuda);
  EXPECT_FALSE(found->has_cpu_build);
  EXPECT_TRUE(project.modules().IsMadeByExtension("net.roi._ext"));
  EXPECT_FALSE(project.modules().IsMadeByExtension("net.ro"));
  EXPECT_FALSE(project.modules().FindExtension("net.host._ext.host")->is_cuda);
}

TEST(ProjectModules, KnowAnExtensionThatWasCopiedBesideWhatBuildsIt) {
  const Project project(
      {{"libs/agg/setup.py", std::string(kSetupImports) + "CUDAExtension('agg', ['a.cu'])\n"},
       {"libs/agg/layers/agg.py", "def agg(x):\n    return x\n"}});
  EXPECT_NE(project.modules().FindExtension("libs.agg.build.lib.agg.forward"), nullptr);
  EXPECT_EQ(project.modules().FindExtension("libs.agg.layers.agg.agg"), nullptr);
  EXPECT_EQ(project.modules().FindExtension("other.build.lib.agg"), nullptr);
  EXPECT_TRUE(project.modules().IsMadeByExtension("libs.agg.build.lib"));
  EXPECT_FALSE(project.modules().IsMadeByExtension("libs.agg.layers"));
}

TEST(ProjectModules, TellAnExtensionOfTheCpuFromOneOfCuda) {
  const Project project(
      {{"ops/setup.py", std::string(kSetupImports) + "CppExtension('host', ['a.cpp'])\n" +
                            "CppExtension('kernel', ['a.cpp', 'b.cu'])\n" +
                            "CUDAExtension(unknown(), [])\n"}});
  ASSERT_EQ(project.modules().extensions().size(), 2U);
  EXPECT_FALSE(project.modules().FindExtension("host")->is_cuda);
  EXPECT_TRUE(project.modules().FindExtension("ops.kernel")->is_cuda);
}

TEST(ProjectModules, OwnWhatLiesBesideProgramsInsideOfAPackage) {
  const Project project({{"lib/__init__.py", ""},
                         {"lib/masks/__init__.py", ""},
                         {"lib/masks/count.py", "if __name__ == '__main__':\n    pass\n"},
                         {"lib/masks/test.py", "import count\n"},
                         {"lib/parts/__init__.py", ""},
                         {"lib/parts/wandb.py", ""},
                         {"lib/parts/log.py", "import wandb\n"}});
  EXPECT_TRUE(project.modules().IsOwn("lib/masks/test.py", "count"));
  EXPECT_FALSE(project.modules().IsOwn("lib/parts/log.py", "wandb"));
}

TEST(ProjectModules, BelieveNoBuildForTheCpuWhoseSourcesIncludeHeadersOfCuda) {
  const std::string setup =
      std::string(kSetupImports) +
      "make = CUDAExtension if cuda else CppExtension\n"
      "make('pkg.pool.ext', ['src/a.cpp'] + (['src/b.cu'] if cuda else []))\n";
  const auto has_cpu_build = [&](const std::string& path, const std::string& source) {
    const Project project({{"ops/setup.py", setup}, {path, source}});
    return project.modules().FindExtension("pkg.pool.ext")->has_cpu_build;
  };
  EXPECT_FALSE(
      has_cpu_build("ops/src/a.cpp", "#include <torch/extension.h>\n# include <cuda.h>\n"));
  EXPECT_FALSE(has_cpu_build("ops/pkg/pool/src/a.cpp", "#include \"ATen/cuda/CUDAContext.h\"\n"));
  EXPECT_TRUE(has_cpu_build("ops/src/a.cpp", "#ifdef WITH_CUDA\n#include <cuda.h>\n#endif\n"));
  EXPECT_TRUE(has_cpu_build("ops/src/a.cpp", "// #include <cuda.h>\n#include <vector>\n"));
  EXPECT_TRUE(has_cpu_build("ops/src/b.cu", "#include <cuda.h>\n"));
}

TEST(ProjectModules, BelieveNoBuildForTheCpuOfSourcesThatAFunctionIsGivenForNvcc) {
  const auto has_cpu_build = [](const std::string& arguments) {
    const Project project(
        {{"setup.py", std::string(kSetupImports) +
                          "def make(name, sources, cuda=[]):\n"
                          "    kind = CppExtension\n"
                          "    if gpu:\n        kind = CUDAExtension\n        sources += cuda\n"
                          "    return kind(name, [f'csrc/{s}' for s in sources])\n"
                          "make('ext', " +
                          arguments + ")\n"}});
    return project.modules().FindExtension("ext")->has_cpu_build;
  };
  EXPECT_TRUE(has_cpu_build("['a.cpp'], cuda=['b.cu']"));
  EXPECT_TRUE(has_cpu_build("['a.cpp'] + (['b.cu'] if gpu else [])"));
  EXPECT_FALSE(has_cpu_build("['a.cpp', 'b.cu']"));
}

TEST(ProjectModules, FollowTheClassOfAnExtensionThroughTablesAndVariables) {
  const auto builds = [](const std::string& text) {
    const Project project({{"setup.py", kSetupImports + text}});
    const ExtensionModule* found = project.modules().FindExtension("ops.kernel");
    if (found == nullptr) return std::string("nothing");
    return std::string(found->is_cuda ? "cuda" : "") + (found->has_cpu_build ? " cpu" : "");
  };
  EXPECT_EQ(builds("SETS = {'cpu': [CppExtension, 1], 'gpu': [CUDAExtension, 2]}\n"
                   "make = SETS[target][0]\nmake('ops.kernel', [])\n"),
            "cuda cpu");
  EXPECT_EQ(builds("make = (CUDAExtension, 2)[0]\nmake('ops.kernel', [])\n"), "cuda");
  EXPECT_EQ(builds("def modules():\n    make = CUDAExtension if cuda else CppExtension\n"
                   "    return [make('ops.kernel', [])]\n"),
            "cuda cpu");
  const std::string choice =
      "def modules():\n    make = CppExtension\n    if cuda:\n        make = CUDAExtension\n";
  const std::string made = "    return [make('ops.kernel', [])]\n";
  EXPECT_EQ(builds(choice + made), "cuda cpu");
  EXPECT_EQ(builds(choice +
                   "    else:\n        if home is None:\n            raise OSError('a')\n"
                   "        else:\n            raise OSError('b')\n" +
                   made),
            "cuda");
  EXPECT_EQ(builds("SETS = {CUDAExtension: CppExtension}\nSETS[x]('ops.kernel', [])\n"), " cpu");
  EXPECT_EQ(builds("a = b[0]\nb = [a]\na('ops.kernel', [])\n"), "nothing");
}

TEST(ProjectModules, LookForAnExtensionOfCudaOnlyWhereItsNameStandsAsAWord) {
  const Project project(
      {{"setup.py", std::string(kSetupImports) + "CppExtension('host', ['a.cpp'])\n" +
                        "CUDAExtension('ops.kernel', ['b.cu'])\n"}});
  EXPECT_TRUE(project.modules().MayNameExtension("import ops.kernel"));
  EXPECT_FALSE(project.modules().MayNameExtension("import my_kernel, kernels"));
  EXPECT_FALSE(project.modules().MayNameExtension("import host"));
}

TEST(ProjectModules, KnowWhatProgramsCompileWhenTheyRun) {
  const Project project(
      {{"ops/points.py",
        "try:\n    import points_cuda\nexcept ImportError:\n"
        "    from torch.utils.cpp_extension import load\n"
        "    points_cuda = load('points_cuda', [src + '/points.cpp', f'{src}/points.cu'])\n"},
       {"act.py",
        "from torch.utils import cpp_extension\nfiles = ['act.cpp', 'act.cu']\n"
        "if torch.cuda.is_available():\n"
        "    act = cpp_extension.load(name='act', sources=files)\n"
        "host = cpp_extension.load(name='host', sources=['host.cpp'])\n"},
       {"twice.py",
        "from torch.utils.cpp_extension import load_inline\n"
        "twice = load_inline('twice', '', cuda_sources=SOURCE)\n"
        "thrice = load_inline('thrice', '')\n"}});
  std::map<std::string, const ExtensionModule*> loaded;
  for (const ExtensionModule& module : project.modules().loaded()) loaded[module.name] = &module;
  ASSERT_EQ(loaded.size(), 5U);
  EXPECT_EQ(loaded["points_cuda"]->sources, Texts({"/points.cpp", "/points.cu"}));
  EXPECT_EQ(loaded["points_cuda"]->loader, "torch.utils.cpp_extension.load");
  EXPECT_EQ(loaded["act"]->sources, Texts({"act.cpp", "act.cu"}));
  EXPECT_TRUE(loaded["points_cuda"]->is_cuda && loaded["act"]->is_cuda && loaded["twice"]->is_cuda);
  EXPECT_FALSE(loaded["host"]->is_cuda || loaded["thrice"]->is_cuda);
  // A program binds what it loads to a name of its own: no import means it.
  EXPECT_TRUE(project.modules().extensions().empty());
  EXPECT_EQ(project.modules().FindExtension("act"), nullptr);
}

TEST(ProjectModules, KnowWhatIsPartOfTheProject) {
  const Project project({{"libs/points/setup.py", ""},
                         {"libs/points/points_ops/__init__.py", ""},
                         {"tools/train.py", ""},
                         {"tools/local.py", ""}});
  EXPECT_TRUE(project.modules().IsOwn("tools/train.py", "points_ops.knn"));
  EXPECT_TRUE(project.modules().IsOwn("tools/train.py", "local"));
  EXPECT_FALSE(project.modules().IsOwn("tools/train.py", "torch_scatter"));
  EXPECT_FALSE(project.modules().IsOwn("tools/train.py", "root.x"));
}

TEST(ProjectModules, TakeTheRootFolderForAPackageIfItIsOne) {
  const Project project({{"__init__.py", ""}, {"ops.py", ""}}, "mmcv");
  EXPECT_TRUE(project.modules().IsOwn("ops.py", "mmcv.ops"));
  EXPECT_FALSE(project.modules().IsOwn("ops.py", "mmdet.ops"));
}

TEST(ProjectModules, FindPackagesInAFolderThatIsNone) {
  const Project project({{"train.py", ""}, {"lib/models/__init__.py", ""}, {"lib/run.py", ""}});
  EXPECT_TRUE(project.modules().IsOwn("train.py", "lib.models"));
  EXPECT_TRUE(project.modules().IsOwn("train.py", "lib.models.nets.Net"));
  EXPECT_TRUE(project.modules().IsOwn("train.py", "lib.run"));
  EXPECT_FALSE(project.modules().IsOwn("train.py", "lib.other"));
}

TEST(ImportedLibrary, IsOptionalOnlyWhereTheProgramGoesOn) {
  const auto is_optional = [](const std::string& text) {
    const ParsedFile file(text);
    const NameTable names(file.tree(), "file", false);
    return IsOptionalImport(file.Find(NodeKind::kImportStatement, "import a"), names, nullptr);
  };
  EXPECT_TRUE(is_optional("try:\n    import a\nexcept ImportError:\n    a = None\n"));
  EXPECT_TRUE(is_optional("try:\n    import a\nexcept (OSError, ImportError) as e:\n    a = e\n"));
  EXPECT_TRUE(is_optional("try:\n    import a\nexcept:\n    pass\n"));
  EXPECT_FALSE(is_optional("try:\n    import a\nexcept ImportError:\n    raise ValueError()\n"));
  EXPECT_FALSE(is_optional("try:\n    import a\nexcept ImportError:\n    sys.exit(1)\n"));
  const std::string in_function = "def f():\n    try:\n        import a\n    except ImportError:\n";
  EXPECT_TRUE(is_optional(in_function + "        return False\n"));
  EXPECT_FALSE(is_optional(in_function + "        return\n"));
  EXPECT_FALSE(is_optional("try:\n    import a\nexcept ImportError:\n    a, b = None\n"));
  EXPECT_FALSE(is_optional("try:\n    import a\nexcept KeyError:\n    pass\n"));
  EXPECT_FALSE(is_optional("try:\n    pass\nexcept ImportError:\n    import a\n"));
  EXPECT_FALSE(is_optional("import a\n"));
  EXPECT_FALSE(is_optional("try:\n    import a\nexcept ImportError:\n    from a.b import c\n"));
  EXPECT_TRUE(is_optional("try:\n    import a\nexcept ImportError:\n    import b as a\n"));
}

TEST(ImportedLibrary, IsOptionalBehindAQuestionWhetherItIsThere) {
  const auto is_optional = [](const std::string& text) {
    const ParsedFile file(text);
    const NameTable names(file.tree(), "file", false);
    return IsOptionalImport(file.Find(NodeKind::kImportFromStatement, "from apex import x"), names,
                            nullptr);
  };
  EXPECT_TRUE(is_optional("if is_apex_available():\n    from apex import x\n"));
  EXPECT_TRUE(is_optional("if find_spec('apex.ops'):\n    from apex import x\n"));
  EXPECT_TRUE(
      is_optional("has = find_spec('apex') is not None\nif has:\n    from apex import x\n"));
  EXPECT_TRUE(
      is_optional("try:\n    import apex\n    HAS = True\nexcept ImportError:\n"
                  "    HAS = False\nif HAS:\n    from apex import x\n"));
  EXPECT_TRUE(
      is_optional("def f(self):\n    self.has = find_spec('apex') is not None\n"
                  "    if self.has:\n        from apex import x\n"));
  EXPECT_TRUE(
      is_optional("def f(q):\n    if find_spec('apex') is None:\n        return q\n"
                  "    from apex import x\n"));
  EXPECT_FALSE(
      is_optional("def f(q):\n    if find_spec('apex') is None:\n        raise ValueError\n"
                  "    from apex import x\n"));
  EXPECT_FALSE(
      is_optional("def f(q):\n    if find_spec('amp') is None:\n        return q\n"
                  "    from apex import x\n"));
  EXPECT_FALSE(
      is_optional("has = find_spec('amp') is not None\nif has:\n    from apex import x\n"));
  EXPECT_FALSE(is_optional("HAS = True\nif HAS:\n    from apex import x\n"));
}

TEST(ImportedLibrary, IsThereBehindItsImportOrAQuestionForIt) {
  const auto runs_with_it = [](const std::string& text) {
    const ParsedFile file(text);
    const NameTable names(file.tree(), "file", false);
    return RunsWithLibraryAlone(file.Find(NodeKind::kIdentifier, "use"), "apex", names, nullptr);
  };
  EXPECT_TRUE(runs_with_it("if is_apex_available():\n    use()\n"));
  EXPECT_TRUE(runs_with_it("def f():\n    from apex.optim import x\n    if c:\n        use()\n"));
  EXPECT_TRUE(runs_with_it("try:\n    import apex\n    use()\nexcept ImportError:\n    pass\n"));
  EXPECT_TRUE(
      runs_with_it("try:\n    import apex\nexcept ImportError:\n    pass\nelse:\n    use()\n"));
  const std::string in_function =
      "def f():\n    try:\n        import apex\n    except ImportError:\n";
  EXPECT_TRUE(runs_with_it(in_function + "        return False\n    use()\n"));
  EXPECT_TRUE(runs_with_it(in_function + "        raise ValueError\n    use()\n"));
  EXPECT_FALSE(runs_with_it(in_function + "        pass\n    use()\n"));
  EXPECT_FALSE(runs_with_it("use()\nimport apex\n"));
  EXPECT_FALSE(runs_with_it("import cuda\nuse()\n"));
  EXPECT_FALSE(runs_with_it("def f():\n    import apex\n\nuse()\n"));
  EXPECT_FALSE(runs_with_it("try:\n    import apex\nexcept ImportError:\n    use()\n"));
}

TEST(FileImports, AskImportsAndNotText) {
  Parser parser;
  FileImports prose("a.py", "# ported from torch\n'''\nimport torch\n'''\nimport mindspore as ms\n",
                    parser);
  EXPECT_FALSE(prose.Has("torch"));
  EXPECT_TRUE(prose.Has("mindspore"));
  FileImports code("a.py", "import os, torch.nn as nn\nfrom tensorflow.keras import layers\n",
                   parser);
  EXPECT_TRUE(code.Has("torch"));
  EXPECT_TRUE(code.Has("tensorflow"));
  EXPECT_FALSE(code.Has("tensor"));
}

}  // namespace
}  // namespace transplt
