// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace transplt {
namespace {

using testing::HasSubstr;
using testing::Not;

Verification Example() {
  Verification verification;
  verification.original = "a<b>&\"c'";
  verification.migrated = "out";
  verification.arguments = {"train.py", "--x=1"};
  verification.python = "/usr/bin/python3";
  verification.verdict = Verdict::kFailed;
  Check check{"numbers", Say("printed numbers are equal", "打印的数字一致"), Check::State::kOk,
              Say("3 compared", "比较了 3 个")};
  CheckItem item{Say("loss <1>", "损失 <1>"), "train.py", 7, 2};
  item.reference = "loss <0>";
  item.is_failure = true;
  check.Add(item);
  CheckItem detail{Say("a detail", "细节"), "b.py", 1};
  detail.is_detail = true;
  check.Add(detail);
  verification.checks.push_back(check);
  return verification;
}

TEST(Verdict, OfACheckIsThatOfItsWorstItem) {
  Check check{"x", {}, Check::State::kOk, {}};
  check.Add({Say("note", "注意")});
  EXPECT_EQ(check.state, Check::State::kNote);
  check.Fail(Say("failure", "失败"));
  check.Add({Say("note", "注意")});
  EXPECT_EQ(check.state, Check::State::kFailed);
}

TEST(Verdict, IsShownWithPlacesAndSaysThatNoNpuWasThere) {
  const std::string table = VerdictTable(Example(), Language::kEnglish);
  EXPECT_THAT(table, HasSubstr("FAIL  printed numbers are equal: 3 compared"));
  EXPECT_THAT(table, HasSubstr("train.py:7: loss <1> (2 times)"));
  EXPECT_THAT(table, HasSubstr("1 more in --json"));
  EXPECT_THAT(table, HasSubstr("Nothing ran on an NPU"));
  EXPECT_THAT(VerdictTable(Example(), Language::kChinese), HasSubstr("未在 NPU 上运行"));
}

TEST(Verdict, CountsWhatIsNotReproducible) {
  Verification verification = Example();
  verification.verdict = Verdict::kEqual;
  EXPECT_THAT(VerdictText(verification).en, Not(HasSubstr("except")));
  CheckItem item{Say("noise", "噪声")};
  item.not_reproducible = 2;
  verification.checks[0].Add(item);
  EXPECT_THAT(VerdictText(verification).en, HasSubstr("except 2 kinds of lines or values"));
}

TEST(Verdict, ThatLacksSupportCountsTheOperatorsAndIsNoSuccess) {
  Verification verification;
  verification.verdict = Verdict::kLacksSupport;
  Check check{"operators", Say("x", "x"), Check::State::kOk, {}};
  CheckItem item{Say("torch.poisson", "torch.poisson")};
  item.lacks_support = true;
  check.Add(item);
  verification.checks = {check};
  EXPECT_THAT(VerdictText(verification).en, HasSubstr("unsupported: 1 operators that it uses"));
  EXPECT_THAT(VerdictText(verification).en, HasSubstr("prints and writes what its reference"));
  EXPECT_FALSE(IsSuccess(verification.verdict));
}

TEST(Verdict, ThatIsEqualCountsTheModulesThatNoDocumentLists) {
  Verification verification;
  verification.verdict = Verdict::kEqual;
  Check check{"operators", Say("x", "x"), Check::State::kOk, {}};
  CheckItem item{Say("torch.nn.DataParallel", "torch.nn.DataParallel")};
  item.is_unlisted = true;
  check.Add(item);
  verification.checks = {check};
  EXPECT_THAT(VerdictText(verification).en, HasSubstr("but 1 modules are not listed as supported"));
  EXPECT_TRUE(IsSuccess(verification.verdict));
}

TEST(Verdict, ThatIsEqualNamesWhatIsWrittenForOlderVersions) {
  Verification verification;
  verification.verdict = Verdict::kEqual;
  Check check{"spellings", Say("x", "x"), Check::State::kOk, {}};
  CheckItem item{Say("numpy.float", "numpy.float")};
  item.is_for_older_versions = true;
  check.Add(item);
  verification.checks = {check};
  EXPECT_THAT(VerdictText(verification).en,
              HasSubstr("but 1 places are written for older versions"));
}

TEST(Verdict, IsOneJsonDocument) {
  const auto json = nlohmann::json::parse(VerdictJson(Example()));
  EXPECT_EQ(json["verdict"], "failed");
  EXPECT_EQ(json["ran_on_npu"], false);
  EXPECT_EQ(json["checks"][0]["items"][0]["line"], 7);
  EXPECT_EQ(json["checks"][0]["items"][0]["failure"], true);
  EXPECT_EQ(json["checks"][0]["items"].size(), 2U);
}

TEST(Verdict, EscapesWhatComesFromTheUserInHtml) {
  const std::string html = VerdictHtml(Example(), Language::kEnglish);
  EXPECT_THAT(html, HasSubstr("a&lt;b&gt;&amp;&quot;c"));
  EXPECT_THAT(html, HasSubstr("loss &lt;1&gt;"));
  EXPECT_THAT(html, HasSubstr("a detail"));
  EXPECT_THAT(html, HasSubstr("Nothing ran on an NPU"));
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
  EXPECT_THAT(html, Not(HasSubstr("{{")));
}

TEST(Verdict, NeverSaysMoreThanSimulated) {
  for (const Verdict verdict :
       {Verdict::kEqual, Verdict::kLacksSupport, Verdict::kStaticOk, Verdict::kFailed,
        Verdict::kNothingCompared, Verdict::kNoDevice, Verdict::kReferenceFailed}) {
    Verification verification;
    verification.verdict = verdict;
    EXPECT_EQ(IsSuccess(verdict), verdict == Verdict::kEqual || verdict == Verdict::kStaticOk);
    EXPECT_THAT(VerdictText(verification).en, Not(HasSubstr("works on")));
  }
}

}  // namespace
}  // namespace transplt
