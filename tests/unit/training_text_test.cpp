// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/unit/project_on_disk.h"
#include "transplt/distributed/multi_card.h"

namespace transplt {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

constexpr char kHead[] =
    "import torch\n"
    "import torch.nn as nn\n"
    "from torch.utils.data import DataLoader\n";
constexpr char kMain[] = "if __name__ == '__main__':\n    main()\n";

/// "engine.py: shard(loader)": what the plan puts around expressions; or "place: error".
std::vector<std::string> Plan(const std::map<std::string, std::string>& files,
                              const std::string& model = "") {
  const ProjectOnDisk project(files);
  const Result<MultiCardPlan> plan = PlanMultiCard(project.sources(), {"main.py", model});
  if (!plan) return {plan.error().where + ": " + plan.error().what.en};
  std::vector<std::string> made;
  for (const auto& [path, findings] : plan->findings) {
    for (const Finding& finding : findings) {
      if (finding.fix.edits.size() != 2) continue;
      const std::string& before = finding.fix.edits[0].text;
      const std::string name(kDistributedModule);
      made.push_back(path + ": " + before.substr(before.find(name) + name.size() + 1) +
                     std::string(finding.range.In(files.at(path))) + finding.fix.edits[1].text);
    }
  }
  return made;
}

TEST(MultiCardPlan, FollowsLoadersAndModelsThroughFunctionsOfOtherFiles) {
  EXPECT_THAT(
      Plan({{"main.py", std::string(kHead) +
                            "from data import loaders\nfrom engine import fit\n"
                            "def main():\n"
                            "    train, val = loaders()\n"
                            "    net = nn.Linear(1, 1).cuda()\n"
                            "    fit(train, net, torch.optim.SGD(net.parameters(), 0.1))\n" +
                            kMain},
            {"data.py",
             std::string(kHead) + "def loaders():\n    return DataLoader([1]), DataLoader([2])\n"},
            {"engine.py", std::string(kHead) + "def fit(loader, model, optimizer):\n"
                                               "    for x in loader:\n"
                                               "        model(x).mean().backward()\n"
                                               "        optimizer.step()\n"}}),
      IsSupersetOf({"engine.py: shard(loader)", "engine.py: wrap(model)"}));
}

TEST(MultiCardPlan, FollowsAttributesOfATrainerThroughItsBase) {
  EXPECT_THAT(
      Plan({{"main.py", std::string(kHead) +
                            "from base import Base\n"
                            "class Trainer(Base):\n"
                            "    def step(self, x):\n"
                            "        loss = self.net(x).mean()\n"
                            "        loss.backward()\n"
                            "def main():\n"
                            "    Trainer(nn.Linear(1, 1).cuda(), DataLoader([1])).run()\n" +
                            kMain},
            {"base.py", std::string(kHead) +
                            "class Base:\n"
                            "    def __init__(self, net, loader):\n"
                            "        self.net, self.loader = net, loader\n"
                            "        self.optimizer = torch.optim.SGD(net.parameters(), 0.1)\n"
                            "    def run(self):\n"
                            "        for x in self.loader:\n"
                            "            self.step(x)\n"}}),
      IsSupersetOf({"base.py: shard(self.loader)", "main.py: wrap(self.net)"}));
}

constexpr char kTrainsAndTests[] =
    "def main():\n"
    "    train, test = DataLoader([1]), DataLoader([2])\n"
    "    net, mse = nn.Linear(1, 1).cuda(), nn.MSELoss()\n"
    "    sgd = torch.optim.SGD(net.parameters(), 0.1)\n"
    "    for x, y in train:\n"
    "        loss = mse(net(x), y)\n"
    "        loss.backward()\n"
    "        sgd.step()\n";

TEST(MultiCardPlan, TakesANumberBehindALoopForThatOfItsLastBatch) {
  EXPECT_THAT(
      Plan({{"main.py",
             std::string(kHead) + kTrainsAndTests + "    print(loss.item(), len(y))\n" + kMain}}),
      IsSupersetOf({"main.py: mean(loss, last=True)", "main.py: total(len(y), last=True)"}));
}

TEST(MultiCardPlan, LeavesANumberBehindALoopThatEvaluates) {
  const std::vector<std::string> made = Plan({{"main.py", std::string(kHead) + kTrainsAndTests +
                                                              "    for x, y in test:\n"
                                                              "        loss = mse(net(x), y)\n"
                                                              "        print(loss.item(), len(y))\n"
                                                              "    print(loss.item(), len(y))\n" +
                                                              kMain}});
  EXPECT_THAT(made, Contains("main.py: shard(train)"));
  EXPECT_THAT(made, Not(Contains(HasSubstr("last=True"))));
  EXPECT_THAT(made, Not(Contains(HasSubstr("mean("))));
}

TEST(MultiCardPlan, LeavesAnEvaluationThatRunsInALoop) {
  const std::vector<std::string> made =
      Plan({{"main.py", std::string(kHead) +
                            "def evaluate(net, loader):\n"
                            "    hits = 0\n"
                            "    for x, y in loader:\n"
                            "        hits += (net(x) == y).sum()\n"
                            "    return hits / 3\n" +
                            kTrainsAndTests +
                            "        hits = evaluate(net, test)\n"
                            "        print('hits {}'.format(hits), str(loss))\n" +
                            kMain}});
  EXPECT_THAT(made, Contains("main.py: mean(loss)"));
  EXPECT_THAT(made, Not(Contains(HasSubstr("total("))));
  EXPECT_THAT(made, Not(Contains(HasSubstr("mean(hits"))));
}

TEST(MultiCardPlan, TakesForAMeanWhatAScalerScales) {
  EXPECT_THAT(Plan({{"main.py", std::string(kHead) +
                                    "def main():\n"
                                    "    net, scaler = nn.Linear(1, 1).cuda(), "
                                    "torch.cuda.amp.GradScaler()\n"
                                    "    sgd = torch.optim.SGD(net.parameters(), 0.1)\n"
                                    "    for x in DataLoader([1]):\n"
                                    "        loss = net(x).mean() + net(x).max()\n"
                                    "        scaler.scale(loss).backward()\n"
                                    "        print(loss)\n" +
                                    kMain}}),
              Contains("main.py: mean(loss)"));
}

TEST(MultiCardPlan, LeavesSamplesThatAreMadeForABatch) {
  const std::vector<std::string> made =
      Plan({{"main.py", std::string(kHead) +
                            "from torchvision.utils import save_image\n"
                            "import math\n" +
                            kTrainsAndTests +
                            "        z = torch.randn(x.size(0), 1)\n"
                            "        save_image(net(z), 'a.png', nrow=int(math.sqrt(len(y))))\n"
                            "        print(math.exp(loss))\n" +
                            kMain}});
  EXPECT_THAT(made, Contains("main.py: mean(loss)"));
  EXPECT_THAT(made, Not(Contains(HasSubstr("total(net"))));
  EXPECT_THAT(made, Not(Contains(HasSubstr("total(int"))));
  EXPECT_THAT(made, Not(Contains(HasSubstr("mean(math"))));
}

TEST(MultiCardPlan, LeavesWhatIsEvaluatedAsItIs) {
  const std::string text = std::string(kHead) +
                           "def check(model, val):\n"
                           "    for x in val:\n"
                           "        hits = model(x).sum().item()\n"
                           "def main():\n"
                           "    model = nn.Linear(1, 1).cuda()\n"
                           "    optimizer = torch.optim.SGD(model.parameters(), 0.1)\n"
                           "    train, val = DataLoader([1]), DataLoader([2])\n"
                           "    for batch in train:\n"
                           "        loss = model(batch).mean()\n"
                           "        loss.backward()\n"
                           "    check(model, val)\n" +
                           kMain;
  const std::vector<std::string> made = Plan({{"main.py", text}});
  EXPECT_THAT(made, IsSupersetOf({"main.py: shard(train)", "main.py: wrap(model)"}));
  EXPECT_THAT(made, Not(Contains(HasSubstr("val"))));
  EXPECT_THAT(made, Not(Contains(HasSubstr("total"))));
}

TEST(MultiCardPlan, RefusesAModelOfAnotherNameAndNamesThoseThatAreTrained) {
  const std::string text = std::string(kHead) +
                           "def main():\n"
                           "    net = nn.Linear(1, 1).cuda()\n"
                           "    optimizer = torch.optim.SGD(net.parameters(), 0.1)\n"
                           "    for x in DataLoader([1]):\n"
                           "        net(x).mean().backward()\n" +
                           kMain;
  EXPECT_THAT(Plan({{"main.py", text}}, "network"),
              Contains(testing::AllOf(HasSubstr("network"), HasSubstr("\"net\""))));
  EXPECT_THAT(Plan({{"main.py", text}}, "net"), Contains("main.py: wrap(net)"));
}

TEST(MultiCardPlan, RefusesAProgramThatPlacesItsPartsOnSeveralCards) {
  const std::string text = std::string(kHead) +
                           "def main():\n"
                           "    net = nn.Linear(1, 1).to('cuda:0')\n"
                           "    head = nn.Linear(1, 1).to('cuda:1')\n"
                           "    optimizer = torch.optim.SGD(net.parameters(), 0.1)\n"
                           "    for x in DataLoader([1]):\n"
                           "        head(net(x)).mean().backward()\n" +
                           kMain;
  EXPECT_THAT(Plan({{"main.py", text}}), Contains(HasSubstr("main.py:6: the program uses card 1")));
}

TEST(MultiCardPlan, RefusesAProgramThatUsesNoCard) {
  const std::string text = std::string(kHead) +
                           "def main():\n"
                           "    net = nn.Linear(1, 1)\n"
                           "    optimizer = torch.optim.SGD(net.parameters(), 0.1)\n"
                           "    for x in DataLoader([1]):\n"
                           "        net(x).mean().backward()\n" +
                           kMain;
  EXPECT_THAT(Plan({{"main.py", text}}),
              Contains(HasSubstr("main.py:8: the program trains on the CPU")));
}

TEST(MultiCardPlan, OfAProgramThatHasSeveralCardsAlreadyIsEmpty) {
  EXPECT_THAT(Plan({{"main.py",
                     "import transplt_distributed\n\ndef main():\n"
                     "    transplt_distributed.start()\n\n" +
                         std::string(kMain)}}),
              testing::IsEmpty());
}

}  // namespace
}  // namespace transplt
