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

TEST(VersionSpecifier, ClaimsNothingAboutWhatItCannotRead) {
  for (const char* text : {"", "*", "==2.1|==2.2", "==nightly", "~=2", "<2.1.*", "@ file:///x"}) {
    EXPECT_EQ(Admitted(text), "?") << text;
  }
}

}  // namespace
}  // namespace transplt
