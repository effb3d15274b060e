// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/torch_npu_releases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

namespace transplt {
namespace {

using testing::HasSubstr;

TorchPlatform Chosen(std::string_view torch, std::string_view release = "") {
  const Result<TorchPlatform> platform = ChoosePlatform(torch, release);
  EXPECT_TRUE(platform) << platform.error().where << platform.error().what.en;
  return platform ? *platform : TorchPlatform{};
}

std::string RefusedPlatform(std::string_view torch, std::string_view release = "") {
  const Result<TorchPlatform> platform = ChoosePlatform(torch, release);
  EXPECT_FALSE(platform) << platform->torch << " " << platform->torch_npu;
  return platform ? "" : platform.error().where + ": " + platform.error().what.en;
}

TEST(TorchNpuReleases, GiveTheNewestPairWhereNothingIsAskedFor) {
  const TorchPlatform platform = Chosen("");
  EXPECT_EQ(platform.torch, "2.12.0");
  EXPECT_EQ(platform.torch_npu, "26.1.0");
  EXPECT_EQ(platform.cann, "9.1.0");
  EXPECT_EQ(platform.package, "2.12.0");
}

TEST(TorchNpuReleases, SayWhatATorchNeedsBesideIt) {
  const Result<TorchNpuReleases> releases = TorchNpuReleases::Load();
  ASSERT_TRUE(releases);
  EXPECT_THAT(releases->Choose("2.1", "")->beside, testing::ElementsAre("numpy<2"));
  EXPECT_THAT(releases->Choose("2.12", "")->beside, testing::IsEmpty());
}

TEST(TorchNpuReleases, GiveTheNewestReleaseForATorch) {
  EXPECT_EQ(Chosen("2.8.0").torch_npu, "26.0.0");
  EXPECT_EQ(Chosen("2.8.0").package, "2.8.0.post4");
  EXPECT_EQ(Chosen("2.1.0+cu118").torch_npu, "7.2.0");
  EXPECT_EQ(Chosen("1.11").torch_npu, "6.0.rc2");
}

TEST(TorchNpuReleases, TakeTwoNumbersForTheWholeLine) {
  EXPECT_EQ(Chosen("2.7").torch, "2.7.1");
  EXPECT_EQ(Chosen("2.3").torch, "2.3.1");
}

TEST(TorchNpuReleases, GiveTheNewestTorchForARelease) {
  EXPECT_EQ(Chosen("", "7.3.0").torch, "2.9.0");
  EXPECT_EQ(Chosen("2.7", "7.3.0").package, "2.7.1.post2");
  EXPECT_EQ(Chosen("1.11.0", "5.0.rc2.1").package, "1.11.0.post2");
}

TEST(TorchNpuReleases, RefuseATorchThatHasNone) {
  EXPECT_THAT(RefusedPlatform("1.13"),
              HasSubstr("--torch-version: there is no torch_npu for torch 1.13"));
  EXPECT_THAT(RefusedPlatform("1.13"), HasSubstr("1.11.0, 2.0.1, 2.1.0"));
  EXPECT_THAT(RefusedPlatform("2.3.0"), HasSubstr("there is no torch_npu for torch 2.3.0"));
}

TEST(TorchNpuReleases, RefuseAPairThatDoesNotExistAndNameThoseThatDo) {
  EXPECT_EQ(RefusedPlatform("2.6", "26.0.0"),
            "--torch-npu: torch_npu 26.0.0 does not exist for torch 2.6; it exists for torch "
            "2.10.0, 2.9.0, 2.8.0, 2.7.1, and for torch 2.6 there are the releases 7.3.0, 7.2.0, "
            "7.1.0");
  EXPECT_THAT(RefusedPlatform("1.13", "7.3.0"), HasSubstr("there is no torch_npu for torch 1.13"));
}

TEST(TorchNpuReleases, RefuseAReleaseThatThereNeverWas) {
  EXPECT_THAT(RefusedPlatform("", "7.4.0"),
              HasSubstr("there is no release 7.4.0 of torch_npu; there are"));
  EXPECT_THAT(RefusedPlatform("", "7.3"), HasSubstr("\"7.3\" is not a release of torch_npu"));
  EXPECT_THAT(RefusedPlatform("", "newest"), HasSubstr("\"newest\" is not a release of torch_npu"));
  EXPECT_THAT(RefusedPlatform("new"), HasSubstr("\"new\" is not a version"));
}

TEST(TorchNpuReleases, TakeWhatIsNewerThanTheTableAsItIs) {
  EXPECT_EQ(Chosen("2.13").torch_npu, "26.1.0");
  EXPECT_EQ(Chosen("2.13").cann, "");
  EXPECT_EQ(Chosen("2.13.0", "26.1.0").torch_npu, "26.1.0");
  EXPECT_EQ(Chosen("2.13.0", "26.2.0").torch_npu, "26.2.0");
  EXPECT_THAT(RefusedPlatform("2.13.0", "26.0.0"),
              HasSubstr("there is no torch_npu for torch 2.13.0"));
  EXPECT_EQ(Chosen("", "27.0.0").torch, "2.12.0");
}

TEST(TorchNpuReleases, HaveAnOrderOfTheirOwn) {
  const auto is_before = [](std::string_view a, std::string_view b) {
    return *ParseRelease(a) < *ParseRelease(b);
  };
  EXPECT_TRUE(is_before("6.0.rc1", "6.0.0"));
  EXPECT_TRUE(is_before("6.0.rc1", "6.0.rc2"));
  EXPECT_TRUE(is_before("5.0.rc2", "5.0.rc2.1"));
  EXPECT_TRUE(is_before("5.0.rc2.2", "5.0.rc3"));
  EXPECT_TRUE(is_before("5.0.0", "6.0.rc1"));
  EXPECT_TRUE(is_before("7.3.0", "26.0.0"));
}

TEST(TorchNpuReleases, AreInRangesOfReleases) {
  const Result<VersionRange> range = VersionRange::ParseReleases(">=6.0.rc1,<26.0.0");
  ASSERT_TRUE(range);
  EXPECT_TRUE(range->Contains(*ParseRelease("6.0.rc1")));
  EXPECT_TRUE(range->Contains(*ParseRelease("7.3.0")));
  EXPECT_FALSE(range->Contains(*ParseRelease("5.0.0")));
  EXPECT_FALSE(range->Contains(*ParseRelease("26.0.0")));
}

TEST(TorchNpuReleases, HaveRangesWhosePatternRefusesWhatTheyRefuse) {
  const std::regex pattern{std::string(VersionRange::kReleasePattern)};
  for (std::string_view text : {"", "7.3.0", ">=7.3", ">=6.0.rc", ">=6.0.rc1.", ">=7.3.0,",
                                ">=7.3.0 <8.0.0", ">=v7.3.0", "==7.3.0", ">=6.0.rc1234"}) {
    EXPECT_FALSE(VersionRange::ParseReleases(text)) << text;
    EXPECT_FALSE(std::regex_search(std::string(text), pattern)) << text;
  }
  for (std::string_view text : {">=7.3.0", " <26.0.0 ", ">=5.0.rc2.1,<6.0.0"}) {
    EXPECT_TRUE(VersionRange::ParseReleases(text)) << text;
    EXPECT_TRUE(std::regex_search(std::string(text), pattern)) << text;
  }
}

std::string Mistake(std::string_view text) {
  const Result<TorchNpuReleases> releases = TorchNpuReleases::Parse("table.json", text);
  EXPECT_FALSE(releases) << text;
  return releases ? "" : releases.error().where + ": " + releases.error().what.en;
}

TEST(TorchNpuReleases, AreCheckedWhenTheyAreRead) {
  EXPECT_THAT(Mistake("{}"), HasSubstr("\"releases\" must be a list"));
  EXPECT_THAT(Mistake("[]"), HasSubstr("\"releases\" must be a list"));
  EXPECT_THAT(Mistake(R"({"releases": []})"), HasSubstr("\"releases\" must be a list"));
  EXPECT_THAT(Mistake(R"({"releases": [{"release": "7.0.0", "cann": "8",
                           "packages": {"2.1.0": "2.1.0"}}], "beside": {"numpy<2": 2}})"),
              testing::HasSubstr("must be versions of torch"));
  EXPECT_THAT(Mistake(R"({"releases": [{"cann": "8", "packages": {"2.1.0": "2.1.0"}}]})"),
              HasSubstr("release is missing"));
  EXPECT_THAT(
      Mistake(R"({"releases": [{"release": "7", "cann": "8", "packages": {"2.1.0": "2.1.0"}}]})"),
      HasSubstr("\"7\" is not a release"));
  EXPECT_THAT(Mistake(R"({"releases": [{"release": "7.0.0", "cann": "8", "packages": {}}]})"),
              HasSubstr("packages is empty"));
  EXPECT_THAT(
      Mistake(R"({"releases": [{"release": "7.0.0", "cann": "8", "packages": {"new": "2"}}]})"),
      HasSubstr("\"new\" is not a version"));
  EXPECT_THAT(Mistake(R"({"releases": [
      {"release": "6.0.0", "cann": "8", "packages": {"2.1.0": "2.1.0"}},
      {"release": "7.0.0", "cann": "8", "packages": {"2.1.0": "2.1.0"}}]})"),
              HasSubstr("#/releases/1: the releases must fall"));
  EXPECT_THAT(Mistake(R"({"releases": [{"release": "7.0.0", "cann": "8",
      "packages": {"2.1.0": "2.1.0", "2.2.0": "2.2.0"}}]})"),
              HasSubstr("the versions of torch must fall"));
  EXPECT_THAT(Mistake(R"({"releases": [{"release": "7.0.0", "cann": "8", "note": "",
      "packages": {"2.1.0": "2.1.0"}}]})"),
              HasSubstr("unknown field \"note\""));
}

}  // namespace
}  // namespace transplt
