// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/project_pins.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/unit/temp_folder.h"
#include "transplt/migrate/torch_platform.h"

namespace transplt {
namespace {

using testing::ElementsAre;

std::vector<Pin> Pins(const std::map<std::string, std::string>& texts) {
  TempFolder folder;
  for (const auto& [path, text] : texts) folder.Write(path, text);
  const Result<ProjectFiles> files = FindProjectFiles(folder.path(), {});
  if (!files) {
    ADD_FAILURE() << files.error().what.en;
    return {};
  }
  return PinsOf(*files);
}

/// "setup.py: torch>=1.8" for each that binds the project.
std::vector<std::string> Binding(const std::vector<Pin>& pins, std::string_view package) {
  std::vector<std::string> lines;
  for (const Pin& pin : BindingPins(pins, package)) {
    lines.push_back(pin.file + ": " + pin.package + pin.versions);
  }
  return lines;
}

TEST(ProjectPins, AListForNpusThatASetupChoosesByTheDeviceCounts) {
  const std::vector<Pin> pins =
      Pins({{"setup.py",
             "from setuptools import setup\n\n\ndef packages(npu):\n    if npu:\n"
             "        return [\"torch==2.9.0\", \"torch_npu==2.9.0\"]\n"
             "    return [\"torch>=2.1\"]\n\n\nsetup(install_requires=packages(True))\n"}});
  EXPECT_THAT(Binding(pins, "torch"), ElementsAre("setup.py: torch==2.9.0"));
  EXPECT_THAT(Binding(pins, "torch-npu"), ElementsAre("setup.py: torch_npu==2.9.0"));
}

TEST(ProjectPins, OfAListForPython2DoNotCountBesideOneForPython3) {
  EXPECT_THAT(Binding(Pins({{"requirements.txt", "torch==0.4.1\nsix==1.11\n"},
                            {"requirements3.txt", "torch>=1.2\n"}}),
                      "torch"),
              ElementsAre("requirements3.txt: torch>=1.2"));
  const std::vector<Pin> pins = Pins({{"requirements.txt", "torch>=1.2\n"},
                                      {"requirements_py2.txt", "torch==0.4.1\nsix==1.11\n"}});
  EXPECT_THAT(Binding(pins, "torch"), ElementsAre("requirements.txt: torch>=1.2"));
  EXPECT_THAT(Binding(pins, "six"), ElementsAre());
}

TEST(ProjectPins, OfAnExtraDoNotBindWhatIsNeededAnyway) {
  EXPECT_THAT(Binding(Pins({{"setup.cfg",
                             "[options]\ninstall_requires =\n  torch>=1.8\n"
                             "[options.extras_require]\ntests = torch==1.11.0\n"}}),
                      "torch"),
              ElementsAre("setup.cfg: torch>=1.8"));
  EXPECT_THAT(Binding(Pins({{"pyproject.toml",
                             "[project]\ndependencies = [\"torch>=2\"]\n"
                             "[project.optional-dependencies]\ndocs = [\"torch==2.1\"]\n"
                             "[dependency-groups]\ndev = [\"torch==2.2\"]\n"}}),
                      "torch"),
              ElementsAre("pyproject.toml: torch>=2"));
  EXPECT_THAT(Binding(Pins({{"pyproject.toml",
                             "[tool.poetry.dependencies]\ntorch = \"^2.1\"\n"
                             "[tool.poetry.group.dev.dependencies]\ntorch = \"2.2\"\n"}}),
                      "torch"),
              ElementsAre("pyproject.toml: torch^2.1"));
  EXPECT_THAT(Binding(Pins({{"setup.py",
                             "from setuptools import setup\n\nsetup(install_requires=['torch'],\n"
                             "      tests_require=['torch==1.11'],\n"
                             "      extras_require={'dev': ['torch==1.12', 'timm==0.9']})\n"}}),
                      "torch"),
              ElementsAre("setup.py: torch"));
}

TEST(ProjectPins, OfAnExtraCountWhereNothingElseAsksForThePackage) {
  const std::vector<Pin> pins =
      Pins({{"setup.py",
             "from setuptools import setup\n\nextras = {'gpu': ['torch==1.12']}\n"
             "setup(install_requires=['numpy'], extras_require=extras)\n"}});
  EXPECT_THAT(Binding(pins, "torch"), ElementsAre("setup.py: torch==1.12"));
}

TEST(ProjectPins, OfFoldersCountForLibrariesAlone) {
  const std::vector<Pin> pins = Pins({{"seg/requirements.txt", "timm==0.4.12\ntorch==1.11\n"},
                                      {"det/requirements.txt", "timm==1.0.7\nnumpy==1.20\n"},
                                      {"requirements.txt", "numpy\n"}});
  EXPECT_THAT(Binding(pins, "torch"), ElementsAre());
  EXPECT_THAT(NewestVersions(pins),
              ElementsAre(std::pair<std::string, Version>("timm", {0, 4, 12, 0}),
                          std::pair<std::string, Version>("numpy", kNewestVersion),
                          std::pair<std::string, Version>("torch", {1, 11, 0, 0})));
}

TEST(ProjectPins, OfAnEnvironmentInAFolderCountForLibrariesAlone) {
  const std::vector<Pin> pins = Pins({{"env/train_gpu.yml",
                                       "name: a\ndependencies:\n  - pip:\n    - timm==0.4.12\n"
                                       "  - pytorch=1.13.1\n"},
                                      {"conf/model.yaml", "timm: 0.5\n"}});
  EXPECT_THAT(Binding(pins, "pytorch"), ElementsAre());
  EXPECT_THAT(NewestVersions(pins),
              testing::Contains(std::pair<std::string, Version>("timm", {0, 4, 12, 0})));
}

TEST(ProjectPins, OfTheFolderWithMostOfTheProgramsBindTheProject) {
  std::map<std::string, std::string> texts = {{"main/requirements.txt", "torch==1.11\n"},
                                              {"main/base/requirements.txt", "torch==1.8\n"},
                                              {"main/base/old.py", "import torch\n"},
                                              {"main/train.py", "import torch\n"},
                                              {"tool.py", "import torch\n"}};
  EXPECT_THAT(Binding(Pins(texts), "torch"), ElementsAre("main/requirements.txt: torch==1.11"));
  texts["requirements.txt"] = "numpy\n";
  EXPECT_THAT(Binding(Pins(texts), "torch"), ElementsAre());
}

TEST(ProjectPins, ForMachinesThatHaveNoNpusDoNotCount) {
  EXPECT_THAT(
      Binding(Pins({{"pyproject.toml",
                     "[project]\ndependencies = [\n"
                     "  \"torch>=2.9.1,<2.11; sys_platform != 'darwin' or platform_machine != "
                     "'x86_64'\",\n"
                     "  \"torch<2.9.1; sys_platform == 'darwin' and platform_machine == "
                     "'x86_64'\",\n]\n"}}),
              "torch"),
      ElementsAre("pyproject.toml: torch>=2.9.1,<2.11"));
  EXPECT_THAT(Binding(Pins({{"requirements.txt",
                             "torch==1.4; python_version < \"3\"\n"
                             "torch==1.5; 'Windows' == platform_system  # not here\n"
                             "torch==1.6; os_name == 'nt' or sys_platform in 'win32 cygwin'\n"
                             "torch==1.7; (python_version<='3.6' and extra == 'old')\n"
                             "torch==1.8; platform_machine not in 'x86_64 aarch64'\n"
                             "torch==2.0; python_version >= \"3.8\" --hash=sha256:00\n"}}),
                      "torch"),
              ElementsAre("requirements.txt: torch==2.0"));
  EXPECT_THAT(Binding(Pins({{"setup.py",
                             "from setuptools import setup\n\nsetup(install_requires=[\n"
                             "    'torch==1.9; sys_platform == \"win32\"',\n"
                             "    'torch==2.1; sys_platform == \"linux\"'])\n"}}),
                      "torch"),
              ElementsAre("setup.py: torch==2.1"));
  EXPECT_THAT(Binding(Pins({{"pyproject.toml",
                             "[tool.poetry.dependencies]\n"
                             "torch = {version = \"2.0\", markers = \"sys_platform == 'darwin'\"}\n"
                             "pytorch = {version = \"2.1\", platform = \"win32\"}\n"}}),
                      "*torch"),
              ElementsAre());
}

TEST(ProjectPins, WithAMarkerThatMayHoldWhereNpusAreCount) {
  EXPECT_THAT(Binding(Pins({{"requirements.txt",
                             "torch==2.0; platform_machine == 'aarch64'\n"
                             "torch==2.1; python_version < '3.9' or sys_platform == 'win32'\n"
                             "torch==2.2; extra == 'gpu'\n"
                             "torch==2.3; python_version == '3.*'\n"
                             "torch==2.4; this is no marker\n"}}),
                      "torch"),
              ElementsAre("requirements.txt: torch==2.0", "requirements.txt: torch==2.1",
                          "requirements.txt: torch==2.2", "requirements.txt: torch==2.3",
                          "requirements.txt: torch==2.4"));
}

TEST(ProjectPins, NameThePython) {
  EXPECT_THAT(Binding(Pins({{"setup.cfg", "[options]\npython_requires = >=3.6,<3.9\n"},
                            {"environment.yml", "dependencies:\n- python=3.7\n"}}),
                      "python"),
              ElementsAre("environment.yml: python=3.7", "setup.cfg: python>=3.6,<3.9"));
}

/// "timm 0.3.4" for the newest version that the pins admit.
std::string NewestOf(const std::map<std::string, std::string>& texts, std::string_view package) {
  for (const auto& [name, version] : NewestVersions(Pins(texts))) {
    if (name == package) {
      return fmt::format("{} {}.{}.{}", name, version[0], version[1], version[2]);
    }
  }
  return "";
}

TEST(ProjectPins, OfCommandsInScriptsAndDocumentsCountForLibrariesThatNothingElsePins) {
  const std::map<std::string, std::string> commands = {
      {"install.sh",
       "#!/bin/bash\npip install --user timm==0.3.4 | cat\npip3 install torch==1.7.1\n"},
      {"README.md", "# Model\n\n```bash\npip install einops==0.6.1\n```\n"}};
  EXPECT_EQ(NewestOf(commands, "timm"), "timm 0.3.4");
  EXPECT_EQ(NewestOf(commands, "einops"), "einops 0.6.1");
  EXPECT_THAT(Binding(Pins(commands), "torch"), ElementsAre());
  std::map<std::string, std::string> with_list = commands;
  with_list["requirements.txt"] = "timm==0.9.2\n";
  EXPECT_EQ(NewestOf(with_list, "timm"), "timm 0.9.2");
}

TEST(ProjectPins, OfConstraintsAtTheRootNarrowThoseOfTheProject) {
  const std::string list = "transformers>=4.1\n";
  const std::string narrow = "transformers<=4.20\n";
  EXPECT_EQ(NewestOf({{"requirements.txt", list}, {"constraints.txt", narrow}}, "transformers"),
            "transformers 4.20.0");
  EXPECT_THAT(
      Binding(Pins({{"requirements.txt", list}, {"docs/constraints.txt", narrow}}), "transformers"),
      ElementsAre("requirements.txt: transformers>=4.1"));
}

TEST(ProjectPins, GiveTheNewestVersionThatAllOfThemAdmit) {
  const std::vector<std::pair<std::string, Version>> newest = NewestVersions(
      Pins({{"requirements.txt", "timm>=0.9.2\nPyTorch_Lightning<=1.9\nnumpy\n"},
            {"setup.py",
             "from setuptools import setup\n\nsetup(install_requires=['timm==0.9.5'],\n"
             "      extras_require={'dev': ['timm==0.6']})\n"}}));
  EXPECT_THAT(newest,
              ElementsAre(std::pair<std::string, Version>("timm", {0, 9, 5, 0}),
                          std::pair<std::string, Version>("PyTorch_Lightning", {1, 9, 0, 0}),
                          std::pair<std::string, Version>("numpy", kNewestVersion)));
}

/// The torch that a run assumes, and what says so.
std::string AssumedOf(const std::map<std::string, std::string>& texts) {
  const Result<AssumedPlatform> assumed = AssumePlatform(Pins(texts), Policy(), "", "");
  return assumed ? assumed->platform.torch + " " + assumed->chosen_by.en : assumed.error().what.en;
}

TEST(AssumedPlatform, IsThatOfAllCommandsAtTheRootWhereNoListNamesOne) {
  const std::string list = "torch\ndiffusers\n";
  const std::string image = "FROM x\nRUN pip install torch==2.1.0\n";
  const std::string text = "```sh\npip install torch==2.1.2\n```\n";
  EXPECT_EQ(AssumedOf({{"requirements.txt", list}, {"Dockerfile", image}}),
            "2.1.0 Dockerfile (torch==2.1.0)");
  // Others than one, one without a torch_npu, or one that a folder has for itself say nothing.
  const std::string newest = AssumedOf({{"requirements.txt", list}});
  EXPECT_EQ(AssumedOf({{"requirements.txt", list},
                       {"Dockerfile", image},
                       {"README.md", "```sh\npip install torch==2.4.0\n```\n"}}),
            newest);
  EXPECT_EQ(AssumedOf({{"requirements.txt", list},
                       {"README.md", "```sh\npip install torch==1.4.0\n```\n"}}),
            newest);
  EXPECT_EQ(AssumedOf({{"requirements.txt", list}, {"third_party/a/README.md", text}}), newest);
  EXPECT_EQ(AssumedOf({{"requirements.txt", "torch>=2.6,<2.7\n"}, {"Dockerfile", image}}),
            AssumedOf({{"requirements.txt", "torch>=2.6,<2.7\n"}}));
}

TEST(AssumedPlatform, IsThatOfTheImageForNpus) {
  const std::string cuda = "torch==2.6.0\n";
  EXPECT_EQ(AssumedOf({{"requirements.txt", cuda},
                       {"docker/Dockerfile.A2", "FROM x\nRUN pip install torch-npu==2.7.1\n"}}),
            "2.7.1 docker/Dockerfile.A2 (torch-npu==2.7.1)");
  EXPECT_EQ(AssumedOf({{"requirements.txt", cuda},
                       {"docs/new.md", "```sh\npip install torch_npu==2.7.1\n```\n"},
                       {"docs/old.md", "```sh\npip install torch_npu==2.1.0\n```\n"}}),
            "2.7.1 docs/new.md (torch_npu==2.7.1)");
  EXPECT_EQ(AssumedOf({{"requirements.txt", cuda},
                       {"Dockerfile.npu", "FROM x\nRUN pip install torch==2.7.1\n"}}),
            "2.7.1 Dockerfile.npu (torch==2.7.1)");
  EXPECT_EQ(AssumedOf({{"requirements.txt", cuda},
                       {"Dockerfile.input", "FROM x\nRUN pip install torch==2.7.1\n"}}),
            "2.6.0 requirements.txt (torch==2.6.0)");
}

TEST(ProjectPins, OfABuildServiceBindNobody) {
  const std::vector<Pin> pins = Pins({{"scripts/ci_install.sh", "pip install deepspeed==0.12.6\n"},
                                      {"scripts/install.sh", "pip install timm==0.9.0\n"}});
  ASSERT_EQ(pins.size(), 1u);
  EXPECT_EQ(pins[0].package, "timm");
}

}  // namespace
}  // namespace transplt
