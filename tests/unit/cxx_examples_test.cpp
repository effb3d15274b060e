// SPDX-License-Identifier: Apache-2.0
// Every example of every rule about C++ sources.
#include <gmock/gmock.h>

#include "tests/unit/cxx_project.h"
#include "transplt/native/rules.h"

namespace transplt {
namespace {

TEST(CxxExamples, AreRewrittenAsDocumentedAndOnlyOnce) {
  for (const NativeRule& rule : NativeRules::Builtin().all()) {
    for (const NativeExample& example : rule.examples) {
      EXPECT_EQ(EditedByCxx(example.before), example.after) << rule.id;
      if (example.after == example.before) continue;
      EXPECT_EQ(EditedByCxx(example.after), example.after) << rule.id;
    }
  }
}

/// An example of a rule that only reports must show what it reports.
TEST(CxxExamples, OfReportsAreReported) {
  for (const NativeRule& rule : NativeRules::Builtin().all()) {
    const bool reports = rule.kind == NativeRule::Kind::kReport ||
                         rule.kind == NativeRule::Kind::kFamily ||
                         (rule.kind == NativeRule::Kind::kHeader && rule.to.empty());
    if (!reports) continue;
    CxxProject project;
    project.Add("a.cu", rule.examples.front().before);
    const std::vector<NativeSource> sources = project.Survey();
    ASSERT_FALSE(sources[0].findings.empty()) << rule.id;
    EXPECT_EQ(sources[0].findings[0].rule_id, rule.id);
  }
}

TEST(CxxExamples, OfFeaturesHaveThem) {
  for (const NativeRule* rule : NativeRules::Builtin().features()) {
    const std::string& source = rule->examples.front().before;
    const auto kernels = KernelsIn(source, TokensOf(source), NativeRules::Builtin());
    ASSERT_EQ(kernels.size(), 1U) << rule->id;
    EXPECT_TRUE(kernels[0].features.contains(rule->id)) << rule->id;
  }
}

}  // namespace
}  // namespace transplt
