// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transplt/base/requirement.h"
#include "transplt/frontends/settings.h"

namespace transplt {
namespace {

using testing::ElementsAre;

/// "device=cuda" for each setting whose places are known; a package as "torch: torch>=2".
std::vector<std::string> SettingsOfFile(const std::string& path, const std::string& text) {
  const Result<SourceFile> source = SourceFile::FromBytes(path, text);
  if (!source) {
    ADD_FAILURE() << source.error().what.en;
    return {};
  }
  std::vector<std::string> lines;
  for (const Setting& setting : SettingsOf(FileTypeOf(path), *source)) {
    EXPECT_EQ(setting.name_range.In(text), setting.name_range.empty() ? "" : setting.name);
    EXPECT_EQ(setting.value_range.In(text), setting.value_range.empty() ? "" : setting.value);
    const bool is_package = setting.kind == Setting::Kind::kDependency;
    lines.push_back(setting.name + (is_package ? ": " : "=") + std::string(setting.value));
  }
  return lines;
}

std::vector<std::string> Packages(const std::string& path, const std::string& text) {
  std::vector<std::string> packages = SettingsOfFile(path, text);
  std::erase_if(packages, [](const std::string& s) { return s.find(": ") == std::string::npos; });
  return packages;
}

TEST(YamlSettings, FindAScalarBehindItsAnchorOrTag) {
  const std::string text = "a: &x cuda\nb: !!str 'cuda'\nc: &y !t\n  cuda\nd: *x\n";
  const Result<SourceFile> source = SourceFile::FromBytes("a.yaml", text);
  ASSERT_TRUE(source);
  std::vector<uint32_t> starts;
  for (const Setting& setting : SettingsOf(FileType::kYaml, *source)) {
    starts.push_back(setting.value_range.start);
  }
  EXPECT_THAT(starts,
              ElementsAre(text.find("cuda\nb"), text.find("cuda'"), text.find("cuda\nd"), 0));
}

TEST(YamlSettings, DoNotGiveTheValueOfAListAsKeyToAnotherKey) {
  EXPECT_THAT(SettingsOfFile("a.yaml", "device: x\n? [a, b]\n: cuda\n? {c: d}\n: cuda\n"),
              ElementsAre("device=x", "=a", "=b", "=cuda", "c=d", "=cuda"));
}

TEST(SettingsOfFile, TellWhatStandsInTheSameList) {
  const Result<SourceFile> source =
      SourceFile::FromBytes("a.yaml", "devices: [cpu, cuda, npu]\nother: [cuda]\n");
  ASSERT_TRUE(source);
  const std::vector<Setting> settings = SettingsOf(FileType::kYaml, *source);
  ASSERT_EQ(settings.size(), 4U);
  EXPECT_TRUE(HasInSameList(settings, 1, "npu"));
  EXPECT_TRUE(HasInSameList(settings, 1, "cpu"));
  EXPECT_FALSE(HasInSameList(settings, 3, "npu"));
}

TEST(Requirements, NameTheirPackageLineByLine) {
  EXPECT_THAT(
      SettingsOfFile("requirements.txt",
                     "# torch\n\ntorch==2.1+cu118  # x\n  apex[a,b] ; python_version<'3'\r\n"
                     "a @ https://h/b.whl\n-r other.txt\n--pre\nnot a package\n"),
      ElementsAre("torch: torch==2.1+cu118", "apex: apex[a,b]", "a: a @ https://h/b.whl",
                  "not: not a package"));
}

TEST(Requirements, EndWhereTheirOptionsBegin) {
  const std::string_view text = "torch==2.1.1 --index-url https://host/whl/cu118";
  const std::optional<Requirement> requirement = ParseRequirement(text);
  ASSERT_TRUE(requirement);
  EXPECT_EQ(requirement->whole.In(text), "torch==2.1.1");
  EXPECT_EQ(requirement->versions.In(text), "==2.1.1");
}

TEST(Requirements, NameThePackageOfAnAddress) {
  EXPECT_THAT(
      SettingsOfFile("requirements/base.in",
                     "-e git+https://u@h/NVIDIA/apex.git@23.05\ngit+ssh://h/x#egg=y&z=1\n"
                     "https://h/whl/cu118/torch-2.1-cp310.whl\n-f https://h/whl/cu118/\n"),
      ElementsAre("apex: git+https://u@h/NVIDIA/apex.git@23.05", "y: git+ssh://h/x#egg=y&z=1",
                  "torch: https://h/whl/cu118/torch-2.1-cp310.whl", "cu118: https://h/whl/cu118/"));
}

TEST(Requirements, AreComparedAsPipDoes) {
  EXPECT_TRUE(NamesPackage("flash-attn", "Flash_Attn"));
  EXPECT_TRUE(NamesPackage("cupy-cuda*", "cupy-cuda11x"));
  EXPECT_TRUE(NamesPackage("*/whl/cu*", "https://h/whl/cu118"));
  EXPECT_FALSE(NamesPackage("torch", "torchvision"));
  EXPECT_FALSE(NamesPackage("nvidia-*-cu12", "nvidia-cublas-cu11"));
  EXPECT_TRUE(NamesWithExtra("pandas[parquet]", "Pandas", "aws, Parquet"));
  EXPECT_TRUE(NamesWithExtra("pandas", "pandas", ""));
  EXPECT_FALSE(NamesWithExtra("pandas[parquet]", "pandas", "aws"));
  EXPECT_FALSE(NamesWithExtra("pandas[parquet]", "polars", "parquet"));
}

TEST(Requirements, MayInstallAModuleOfAnotherName) {
  EXPECT_TRUE(MayProvide("chronos-forecasting", "chronos"));
  EXPECT_TRUE(MayProvide("stanford-stk", "stk"));
  EXPECT_TRUE(MayProvide("libigl", "igl"));
  EXPECT_TRUE(MayProvide("patool", "patoolib"));
  EXPECT_TRUE(MayProvide("python_dateutil", "dateutil"));
  EXPECT_TRUE(MayProvide("wikipedia-api", "wikipediaapi"));
  EXPECT_FALSE(MayProvide("taming-transformers-rom1504", "transformers"));
  EXPECT_FALSE(MayProvide("torch", "torch_fastscan"));
  EXPECT_FALSE(MayProvide("pypi", "pi"));
}

TEST(Dependencies, AreFoundInWhatCondaReads) {
  EXPECT_THAT(Packages("environment.yml",
                       "name: cuda\ndependencies:\n- python=3.10\n- nvidia::cudatoolkit=11\n"
                       "- pip:\n  - torch>=2\n"),
              ElementsAre("python: python=3.10", "cudatoolkit: cudatoolkit=11", "torch: torch>=2"));
}

TEST(Dependencies, AreFoundInPyproject) {
  EXPECT_THAT(Packages("pyproject.toml",
                       "[project]\nname = \"triton\"\ndependencies = [\"torch>=2\"]\n"
                       "[project.optional-dependencies]\ngpu = [\"apex\"]\n"
                       "[tool.poetry.dependencies]\nxformers = {version = \"1\"}\n"),
              ElementsAre("torch: torch>=2", "apex: apex", "xformers: xformers"));
}

TEST(Dependencies, AreFoundInLockFiles) {
  const std::string lock =
      "[[package]]\nname = \"torch\"\nversion = \"1.13.1\"\noptional = false\n\n"
      "[package.dependencies]\nnvidia-cublas-cu11 = {version = \"11.10\"}\n\n"
      "[[package]]\nname = \"apex\"\nversion = \"0.1\"\noptional = true\n\n"
      "[metadata]\nname = \"x\"\n";
  EXPECT_THAT(Packages("poetry.lock", lock), ElementsAre("torch: torch", "apex: apex"));
  const Result<SourceFile> source = SourceFile::FromBytes("uv.lock", lock);
  const std::vector<Setting> settings = SettingsOf(FileType::kRequirements, *source);
  ASSERT_EQ(settings.size(), 2U);
  EXPECT_EQ(settings[0].versions, "==1.13.1");
  EXPECT_FALSE(settings[0].is_extra);
  EXPECT_TRUE(settings[1].is_extra);
}

TEST(Dependencies, AreFoundInSetupCfg) {
  EXPECT_THAT(
      Packages("setup.cfg",
               "[options]\ninstall_requires =\n  torch>=2\n  # apex\n  triton # x\n"
               "python_requires = >=3\n[options.extras_require]\ngpu = cupy\n  apex\n"
               "[metadata]\nname = x\n  apex\n"),
      ElementsAre("torch: torch>=2", "triton: triton", "python: >=3", "cupy: cupy", "apex: apex"));
}

TEST(DockerfileSettings, FindImagesVariablesAndCommands) {
  EXPECT_THAT(SettingsOfFile(
                  "Dockerfile",
                  "FROM --platform=x nvidia/cuda:12 AS b\nENV A=1 B=\"2\"\nENV C d e\n"
                  "ENV G \"h\"\nENV I j=1\nARG K l\n"
                  "RUN cd x && \\\n  # pip install triton\n  pip install apex\nCOPY cuda /cuda\n"),
              ElementsAre("nvidia/cuda:12=", "A=1", "B=2", "C=", "G=h", "I=j=1",
                          "K=", "cd=", "pip=", "apex: apex"));
}

TEST(Dependencies, AreFoundInListsOfConda) {
  EXPECT_THAT(Packages("conda_packagelist.txt",
                       "# $ conda create --name <env> --file <this file>\n@EXPLICIT\n"
                       "https://host/linux-64/intel-openmp-2018.0.0-8.tar.bz2\n"
                       "https://host/noarch/tqdm-4.66.1-pyhd8ed1ab_0.conda#0123abcd\n"),
              ElementsAre("intel-openmp: intel-openmp-2018.0.0", "tqdm: tqdm-4.66.1"));
  EXPECT_THAT(Packages("spec-file.txt",
                       "# platform: linux-64\npytorch=1.13.1=py3.9_cuda11.7\nconda install it\n"),
              ElementsAre("pytorch: pytorch=1.13.1=py3.9_cuda11.7"));
}

TEST(FileTypes, TellWhichTextsSayHowToStartPrograms) {
  EXPECT_TRUE(TellsHowToStart("docs/start.md"));
  EXPECT_TRUE(TellsHowToStart("README"));
  EXPECT_TRUE(TellsHowToStart("tools/run.sh"));
  EXPECT_TRUE(TellsHowToStart("docker/Dockerfile.gpu"));
  EXPECT_FALSE(TellsHowToStart("readers/list.txt"));
  EXPECT_FALSE(TellsHowToStart("train.py"));
}

TEST(FileTypes, AreToldByNameAndFolder) {
  EXPECT_EQ(FileTypeOf("a/Dockerfile.gpu"), FileType::kDockerfile);
  EXPECT_EQ(FileTypeOf("gpu.dockerfile"), FileType::kDockerfile);
  EXPECT_EQ(FileTypeOf("docker/dockerfile"), FileType::kDockerfile);
  EXPECT_EQ(FileTypeOf("a/requirements-dev.txt"), FileType::kRequirements);
  EXPECT_EQ(FileTypeOf("requirement.txt"), FileType::kRequirements);
  EXPECT_EQ(FileTypeOf("requirements/gpu.txt"), FileType::kRequirements);
  EXPECT_EQ(FileTypeOf("a/conda_packagelist.txt"), FileType::kCondaList);
  EXPECT_EQ(FileTypeOf("poetry.lock"), FileType::kRequirements);
  EXPECT_EQ(FileTypeOf("yarn.lock"), FileType::kOther);
  EXPECT_EQ(FileTypeOf("a/notes.txt"), FileType::kOther);
  EXPECT_EQ(FileTypeOf("requirements.py"), FileType::kPython);
}

}  // namespace
}  // namespace transplt
