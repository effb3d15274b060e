// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/settled_conditions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "tests/unit/parsed_file.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kPlatformImports =
    "import platform, sys, torch\nfrom packaging import version\nfrom distutils.version import "
    "LooseVersion\n";

/// What the last `if` of `code` asks, with torch 2.12.0.
std::optional<bool> AnswerIn(const std::string& code) {
  const ParsedFile file(std::string(kPlatformImports) + code);
  const NameTable names(file.tree(), "file", false);
  Node condition;
  for (const Node node : NodesIn(file.tree())) {
    if (node.Is(NodeKind::kIfStatement)) condition = node.Child(Field::kCondition);
  }
  return SettledConditions(names, {"2.12.0", true}).Of(condition);
}

std::optional<bool> Answer(const std::string& condition) {
  return AnswerIn("if " + condition + ":\n    pass\n");
}

/// The same with versions of other packages.
std::optional<bool> AnswerBeside(const std::map<std::string, std::string, std::less<>>& packages,
                                 const std::string& condition) {
  const ParsedFile file(
      "import pytorch_lightning as pl\nfrom packaging import version\n"
      "from net.misc import parse_version\nif " +
      condition + ":\n    pass\n");
  const NameTable names(file.tree(), "file", false);
  Node asked;
  for (const Node node : NodesIn(file.tree())) {
    if (node.Is(NodeKind::kIfStatement)) asked = node.Child(Field::kCondition);
  }
  return SettledConditions(names, {"2.12.0", true, {}, &packages}).Of(asked);
}

TEST(SettledConditions, KnowsTheModulesThatTorchImportsItself) {
  EXPECT_EQ(Answer("'torch.fft' not in sys.modules"), false);
  EXPECT_EQ(Answer("'torch.fft' in sys.modules"), true);
  EXPECT_EQ(Answer("'torch_xla' in sys.modules"), std::nullopt);
  EXPECT_EQ(Answer("'torch.fft' not in modules"), std::nullopt);
  EXPECT_EQ(Answer("'torch.fft' == sys.modules"), std::nullopt);
}

TEST(SettledConditions, ComputesVersionsOfPackages) {
  const auto answer = [](const std::string& condition) {
    return AnswerBeside({{"pytorch-lightning", "2.0.0"}}, condition);
  };
  EXPECT_EQ(answer("version.parse(pl.__version__) >= version.parse('1.8')"), true);
  EXPECT_EQ(answer("parse_version(pl.__version__) > parse_version('1.8')"), true);
  EXPECT_EQ(answer("pl.__version__.startswith('1.')"), false);
  EXPECT_EQ(AnswerBeside({}, "version.parse(pl.__version__) > version.parse('1.8')"), std::nullopt);
  EXPECT_EQ(answer("guess(pl.__version__) > guess('1.8')"), std::nullopt);
}

std::vector<std::string> DeadIn(const std::string& code) {
  const ParsedFile file(std::string(kPlatformImports) + code);
  const NameTable names(file.tree(), "file", false);
  std::vector<std::string> texts;
  for (const TextRange part : SettledConditions(names, {"2.12.0", true}).DeadParts()) {
    texts.emplace_back(file.source().bytes().substr(part.start, part.end - part.start));
  }
  return texts;
}

TEST(SettledConditions, CompareTheVersionOfTorchAsAVersion) {
  EXPECT_EQ(Answer("torch.__version__ >= '1.9'"), true);
  EXPECT_EQ(Answer("torch.__version__ < '2.9'"), false);
  EXPECT_EQ(Answer("torch.__version__ == '1.4.0'"), false);
  EXPECT_EQ(Answer("torch.__version__ in ['1.4.0', '1.5.0']"), false);
  EXPECT_EQ(Answer("'1.1' <= torch.__version__ < '2'"), false);
}

TEST(SettledConditions, KnowWhatOnlyBuildsForCudaHave) {
  const std::string code =
      "try:\n    import faiss\n    HAS = hasattr(faiss, 'StandardGpuResources')\n"
      "except ImportError:\n    HAS = False\n";
  EXPECT_EQ(AnswerIn(code + "if HAS:\n    pass\n"), false);
  EXPECT_EQ(AnswerIn("import faiss\nif hasattr(faiss, 'IndexFlatL2'):\n    pass\n"), std::nullopt);
  EXPECT_EQ(AnswerIn("if hasattr(torch, 'StandardGpuResources'):\n    pass\n"), std::nullopt);
}

TEST(SettledConditions, CompareWhatParsersMakeOfIt) {
  EXPECT_EQ(Answer("version.parse(torch.__version__) < version.parse('1.13')"), false);
  EXPECT_EQ(Answer("version.parse(torch.__version__).release >= (2, 1)"), true);
  EXPECT_EQ(Answer("version.parse(torch.__version__).major == 1"), false);
  EXPECT_EQ(Answer("LooseVersion(torch.__version__) >= LooseVersion('1.7')"), true);
}

TEST(SettledConditions, ComputeThePartsOfTheText) {
  EXPECT_EQ(Answer("int(torch.__version__.split('.')[0]) < 2"), false);
  EXPECT_EQ(Answer("tuple(int(x) for x in torch.__version__.split('.')[:2]) >= (1, 10)"), true);
  EXPECT_EQ(Answer("[int(x) for x in torch.__version__.split('.')[:2]] < [1, 10]"), false);
  EXPECT_EQ(Answer("tuple(map(int, torch.__version__.split('.')[:2])) > (2, 12)"), false);
  EXPECT_EQ(Answer("float('.'.join(torch.__version__.split('.')[:2])) < 1.6"), false);
  EXPECT_EQ(Answer("torch.__version__.startswith('1.')"), false);
  EXPECT_EQ(Answer("torch.__version__[0] == '0'"), false);
  EXPECT_EQ(Answer("'parrots' in torch.__version__"), false);
}

TEST(SettledConditions, FollowNamesThatOneAssignmentGivesTheirValue) {
  EXPECT_EQ(AnswerIn("MAJOR = int(torch.__version__.split('.')[0])\n"
                     "MINOR = int(torch.__version__.split('.')[1])\n"
                     "if MAJOR == 1 and MINOR < 8:\n    pass\n"),
            false);
  EXPECT_EQ(AnswerIn("a, b = [int(x) for x in torch.__version__.split('.')[:2]]\n"
                     "OLD = a < 2\nif not OLD and b > 3:\n    pass\n"),
            true);
  EXPECT_EQ(AnswerIn("LEAST = '1.8'\nif torch.__version__ < LEAST:\n    pass\n"), false);
  EXPECT_EQ(AnswerIn("v = torch.__version__\nif c:\n    v = '1.0'\nif v < '1.8':\n    pass\n"),
            std::nullopt);
}

TEST(SettledConditions, KnowThatPythonIsNotPython2) {
  EXPECT_EQ(Answer("sys.version_info[0] == 2"), false);
  EXPECT_EQ(Answer("sys.version_info.major >= 3"), true);
  EXPECT_EQ(Answer("sys.version_info >= (3,)"), true);
  EXPECT_EQ(Answer("sys.version_info < (3, 0)"), false);
  EXPECT_EQ(Answer("(3, 0) <= sys.version_info"), true);
  EXPECT_EQ(Answer("sys.version_info >= (3, 12)"), std::nullopt);
}

TEST(SettledConditions, LeaveOpenWhatIsNotAboutVersionsAlone) {
  EXPECT_EQ(Answer("torch.cuda.is_available()"), std::nullopt);
  EXPECT_EQ(Answer("torch.__version__ >= '1.9' and args.fast"), std::nullopt);
  EXPECT_EQ(Answer("version.parse(torch.__version__).release < (1e300,)"), std::nullopt);
  EXPECT_EQ(Answer("torch.__version__.split('.')[99999999999999999999] < '2'"), std::nullopt);
  EXPECT_EQ(Answer("torch.__version__ < '1.9' and args.fast"), false);
  EXPECT_EQ(Answer("other.__version__ < '1.9'"), std::nullopt);
  EXPECT_EQ(Answer("version.parse(torch.version.cuda) < version.parse('11')"), std::nullopt);
  EXPECT_EQ(AnswerIn("torch = 1\nif torch.__version__ < '1.9':\n    pass\n"), std::nullopt);
}

TEST(SettledConditions, KnowThatTheSystemIsLinux) {
  EXPECT_EQ(Answer("sys.platform == 'win32'"), false);
  EXPECT_EQ(Answer("platform.system() != 'Windows'"), true);
  EXPECT_EQ(Answer("not sys.platform.startswith('darwin')"), true);
}

TEST(SettledConditions, KnowThatThereIsNoDeviceOfAnotherVendor) {
  EXPECT_EQ(Answer("torch.xpu.is_available()"), false);
  EXPECT_EQ(Answer("torch.version.hip is not None"), false);
  EXPECT_EQ(Answer("not torch.backends.mps.is_available()"), true);
  EXPECT_EQ(AnswerIn("try:\n    HAS_XPU = torch.xpu.is_available()\nexcept Exception:\n"
                     "    HAS_XPU = False\nif HAS_XPU:\n    pass\n"),
            false);
  EXPECT_EQ(AnswerIn("is_hip = torch.version.hip\nif is_hip:\n    pass\n"), false);
}

TEST(SettledConditions, LeaveSwitchesToTheirAuthor) {
  EXPECT_EQ(AnswerIn("DEBUG = False\nif DEBUG:\n    pass\n"), std::nullopt);
  EXPECT_EQ(AnswerIn("DEBUG = False\nif DEBUG and torch.__version__ > '1':\n    pass\n"),
            std::nullopt);
}

TEST(SettledConditions, TellWhichPartsNoRunComesTo) {
  EXPECT_THAT(DeadIn("if torch.__version__ < '1.8':\n    a()\nelif c:\n    b()\nelse:\n    d()\n"),
              ElementsAre("a()"));
  EXPECT_THAT(DeadIn("if c:\n    a()\nelif torch.__version__ > '1.8':\n    b()\nelse:\n    d()\n"),
              ElementsAre("else:\n    d()"));
  EXPECT_THAT(DeadIn("x = a if torch.__version__ > '1.8' else b\n"), ElementsAre("b"));
  EXPECT_THAT(DeadIn("y = torch.__version__ < '1.8' and f()\n"), ElementsAre("f()"));
  EXPECT_THAT(DeadIn("if c:\n    a()\nelse:\n    b()\n"), IsEmpty());
}

}  // namespace
}  // namespace transplt
