// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/reachability.h"

#include <gmock/gmock.h>

#include "tests/unit/project_on_disk.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// "train.py always", "eval.py perhaps": how the programs of a project get to a line.
std::vector<std::string> Ways(const std::map<std::string, std::string>& files,
                              const std::string& file, uint32_t line) {
  const ProjectOnDisk project(files);
  const Result<TrainingApis> apis = TrainingApis::Load();
  const ProgramCode code = ReadProgramCode(project.sources(), *apis);
  const ProgramGraph graph(code.paths, code.files, *apis);
  const EntryPoints entries = FindEntryPoints(project.sources(), code, graph, *apis);
  std::vector<std::string> ways;
  for (const ReachedBy& reached :
       Reachability(code, graph, entries).ProgramsThatReach(file, line)) {
    constexpr std::array<const char*, 3> kHow = {"always", "called", "perhaps"};
    ways.push_back(entries.candidates[reached.program].path + " " +
                   kHow[static_cast<size_t>(reached.how)]);
  }
  std::ranges::sort(ways);
  return ways;
}

constexpr char kMain[] = "if __name__ == '__main__':\n    main()\n";

TEST(Reachability, OfTheTopOfAnImportedModuleIsCertain) {
  EXPECT_THAT(Ways({{"a.py", std::string("import m\n\ndef main():\n    pass\n\n") + kMain},
                    {"m.py", "import apex\n"}},
                   "m.py", 1),
              ElementsAre("a.py always"));
}

TEST(Reachability, OfThePackagesAroundAnImportedModuleIsCertain) {
  const std::string main = std::string("def main():\n    pass\n\n") + kMain;
  for (const char* import : {"from p.q.m import x\n", "import p.q.m\n"}) {
    EXPECT_THAT(Ways({{"a.py", import + main},
                      {"p/__init__.py", "import apex\n"},
                      {"p/q/__init__.py", ""},
                      {"p/q/m.py", "x = 1\n"}},
                     "p/__init__.py", 1),
                ElementsAre("a.py always"));
  }
}

TEST(Reachability, OfAModuleThatAFunctionImportsIsNotCertain) {
  EXPECT_THAT(Ways({{"a.py", std::string("def main():\n    import m\n\n") + kMain},
                    {"m.py", "import apex\n"}},
                   "m.py", 1),
              ElementsAre("a.py called"));
}

TEST(Reachability, OfAModuleThatIsImportedInABranchAloneIsNotCertain) {
  const std::string guarded = "try:\n    import m\nexcept ImportError:\n    m = None\n";
  const std::string main = std::string("\ndef main():\n    pass\n\n") + kMain;
  EXPECT_THAT(Ways({{"a.py", guarded + main}, {"m.py", "import apex\n"}}, "m.py", 1),
              ElementsAre("a.py called"));
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

TEST(Reachability, OfAFunctionIsACall) {
  EXPECT_THAT(
      Ways({{"a.py", std::string("def main():\n    run()\n\ndef run():\n    pass\n\n") + kMain}},
           "a.py", 5),
      ElementsAre("a.py called"));
}

TEST(Reachability, LeavesOutProgramsThatDoNotCallTheFunction) {
  const std::string call = std::string("from m import f, g\n\ndef main():\n    f()\n\n") + kMain;
  const std::string other = std::string("from m import f, g\n\ndef main():\n    g()\n\n") + kMain;
  EXPECT_THAT(
      Ways(
          {{"a.py", call}, {"b.py", other}, {"m.py", "def f():\n    pass\n\ndef g():\n    pass\n"}},
          "m.py", 2),
      ElementsAre("a.py called"));
}

TEST(Reachability, OfABranchAtTheTopOfAModuleIsNotCertain) {
  EXPECT_THAT(Ways({{"a.py", std::string("import m\n\ndef main():\n    pass\n\n") + kMain},
                    {"m.py", "import os\nif os.environ.get('X'):\n    import apex\nx = 1\n"}},
                   "m.py", 3),
              ElementsAre("a.py called"));
}

TEST(Reachability, GoesOnBehindABranchAsBefore) {
  EXPECT_THAT(Ways({{"a.py", std::string("import m\n\ndef main():\n    pass\n\n") + kMain},
                    {"m.py", "import os\nif os.environ.get('X'):\n    import apex\nx = 1\n"}},
                   "m.py", 4),
              ElementsAre("a.py always"));
}

TEST(Reachability, OfDecoratorsAndDefaultsIsThatOfTheCodeAround) {
  EXPECT_THAT(Ways({{"a.py", std::string("import m\n\ndef main():\n    pass\n\n") + kMain},
                    {"m.py", "import torch\n\n@torch.jit.script\ndef f(x=1):\n    return x\n"}},
                   "m.py", 3),
              ElementsAre("a.py always"));
}

TEST(Reachability, OfTheBodyOfAClassIsThatOfItsModule) {
  EXPECT_THAT(Ways({{"a.py", std::string("import m\n\ndef main():\n    pass\n\n") + kMain},
                    {"m.py", "class C:\n    x = 1\n    def f(self):\n        return 2\n"}},
                   "m.py", 2),
              ElementsAre("a.py always"));
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
  EXPECT_THAT(
      Ways({{"a.py", std::string("def main():\n    pass\n\n") + kMain}, {"m.py", "import apex\n"}},
           "m.py", 1),
      IsEmpty());
}

TEST(Reachability, OfALibraryWithoutProgramsIsEmpty) {
  EXPECT_THAT(Ways({{"pkg/__init__.py", "import apex\n"}}, "pkg/__init__.py", 1), IsEmpty());
}

TEST(Reachability, OfAFileThatIsNotPythonIsEmpty) {
  EXPECT_THAT(
      Ways({{"a.py", std::string("def main():\n    pass\n\n") + kMain}}, "requirements.txt", 1),
      IsEmpty());
}

}  // namespace
}  // namespace transplt
