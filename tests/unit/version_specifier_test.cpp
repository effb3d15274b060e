// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/version_specifier.h"

#include <gtest/gtest.h>

#include <string>

namespace transplt {
namespace {

/// Which of 1.11.0, 2.0.1, 2.1.0, 2.3.1 and 2.12.0 the specifier admits; "?" if it is not read.
std::string Admitted(std::string_view specifier) {
  const std::optional<VersionSpecifier> parsed = VersionSpecifier::Parse(specifier);
  if (!parsed) return "?";
  std::string admitted;
  for (const char* version : {"1.11.0", "2.0.1", "2.1.0", "2.3.1", "2.12.0"}) {
    if (!parsed->Admits(*ParseVersion(version))) continue;
    admitted += (admitted.empty() ? "" : " ") + std::string(version);
  }
  return admitted;
}

TEST(VersionSpecifier, ReadsWhatPipReads) {
  EXPECT_EQ(Admitted("==2.1.0"), "2.1.0");
  EXPECT_EQ(Admitted("== 2.1"), "2.1.0");
  EXPECT_EQ(Admitted("==2.1.0+cu118"), "2.1.0");
  EXPECT_EQ(Admitted("===2.1.0"), "2.1.0");
  EXPECT_EQ(Admitted("==1.13.1"), "");
  EXPECT_EQ(Admitted("==2.1.*"), "2.1.0");
  EXPECT_EQ(Admitted(">=2.1,<2.4"), "2.1.0 2.3.1");
  EXPECT_EQ(Admitted(" >2.1 , !=2.3.1"), "2.12.0");
  EXPECT_EQ(Admitted("<=1.11"), "1.11.0");
  EXPECT_EQ(Admitted("~=2.3.0"), "2.3.1");
  EXPECT_EQ(Admitted("~=2.1"), "2.1.0 2.3.1 2.12.0");
}

TEST(VersionSpecifier, ReadsWhatCondaReads) {
  EXPECT_EQ(Admitted("=2.1"), "2.1.0");
  EXPECT_EQ(Admitted("2.3.*"), "2.3.1");
  EXPECT_EQ(Admitted("=2.3.1=py3.9_cuda11.3_cudnn8.2.0_0"), "2.3.1");
  EXPECT_EQ(Admitted("=1.12"), "");
}

TEST(VersionSpecifier, ReadsWhatPoetryReads) {
  EXPECT_EQ(Admitted("^2.1"), "2.1.0 2.3.1 2.12.0");
  EXPECT_EQ(Admitted("~2.3"), "2.3.1");
  EXPECT_EQ(Admitted("~2"), "2.0.1 2.1.0 2.3.1 2.12.0");
}

TEST(VersionSpecifier, KnowsTheNewestThatItAdmits) {
  const auto newest = [](std::string_view text) { return VersionSpecifier::Parse(text)->newest(); };
  EXPECT_EQ(newest("==1.6.0"), (Version{1, 6, 0, 0}));
  EXPECT_EQ(newest(">=1.4,<=1.9"), (Version{1, 9, 0, 0}));
  EXPECT_EQ(newest(">=1.4"), kNewestVersion);
  EXPECT_EQ(newest("!=1.4"), kNewestVersion);
  EXPECT_EQ(newest("==1.6,>2"), kNewestVersion);
  const Version below_two = newest(">=1.4,<2");
  EXPECT_LT(below_two, (Version{2, 0, 0, 0}));
  EXPECT_GT(below_two, (Version{1, 9, 5, 0}));
  const Version of_1_6 = newest("~=1.6.0");
  EXPECT_LT(of_1_6, (Version{1, 7, 0, 0}));
  EXPECT_GT(of_1_6, (Version{1, 6, 5, 0}));
}

TEST(VersionSpecifier, ClaimsNothingAboutWhatItCannotRead) {
  for (const char* text : {"", "*", "==2.1|==2.2", "==nightly", "~=2", "<2.1.*", "@ file:///x"}) {
    EXPECT_EQ(Admitted(text), "?") << text;
  }
}

}  // namespace
}  // namespace transplt
