// SPDX-License-Identifier: Apache-2.0
// Every example of every rule about C++ sources.
#include <gmock/gmock.h>

#include "tests/unit/cxx_project.h"
#include "transplt/native/rules.h"

namespace transplt {
namespace {

TEST(CxxExamples, AreRewrittenAsDocumentedAndOnlyOnce) {
  CxxProject project;
  std::vector<std::pair<std::string, const NativeExample*>> examples;
  for (const NativeRule& rule : NativeRules::Builtin().all()) {
    for (const NativeExample& example : rule.examples) {
      examples.emplace_back(rule.id, &example);
      const std::string name = std::to_string(examples.size());
      project.Add(name + ".cu", example.before);
      project.Add(name + "_again.cu", example.after);
    }
  }
  const std::vector<NativeSource> sources = project.Survey();
  for (size_t i = 0; i < examples.size(); ++i) {
    const auto& [rule, example] = examples[i];
    EXPECT_EQ(project.Edited(sources[2 * i]), example->after) << rule;
    EXPECT_EQ(project.Edited(sources[2 * i + 1]), example->after) << rule;
  }
}

TEST(CxxExamples, GiveWhatFitsTheDeclarations) {
  CxxProject project;
  std::vector<std::string> ids;
  for (const NativeRule& rule : NativeRules::Builtin().all()) {
    for (const NativeExample& example : rule.examples) {
      ids.push_back(rule.id);
      project.Add(std::to_string(ids.size()) + ".cu", example.before);
    }
  }
  const std::vector<NativeSource> sources = project.Survey();
  for (size_t i = 0; i < ids.size(); ++i) {
    for (const NativeDiagnostic& mismatch : sources[i].mismatches) {
      ADD_FAILURE() << ids[i] << ": " << mismatch.message;
    }
  }
}

/// An example of a rule that only reports must show what it reports.
TEST(CxxExamples, OfReportsAreReported) {
  CxxProject project;
  std::vector<const NativeRule*> rules_of;
  for (const NativeRule& rule : NativeRules::Builtin().all()) {
    const bool reports =
        rule.kind == NativeRule::Kind::kReport || rule.kind == NativeRule::Kind::kFamily ||
        rule.kind == NativeRule::Kind::kMemberReport || rule.kind == NativeRule::Kind::kCondition ||
        (rule.kind == NativeRule::Kind::kHeader && rule.to.empty());
    if (!reports) continue;
    rules_of.push_back(&rule);
    project.Add(std::to_string(rules_of.size()) + ".cu", rule.examples.front().before);
  }
  const std::vector<NativeSource> sources = project.Survey();
  for (size_t i = 0; i < rules_of.size(); ++i) {
    ASSERT_FALSE(sources[i].findings.empty()) << rules_of[i]->id;
    // The class of a member stands before it.
    const bool is_member = rules_of[i]->kind == NativeRule::Kind::kMemberReport;
    const auto& findings = sources[i].findings;
    EXPECT_EQ((is_member ? findings.back() : findings[0]).rule_id, rules_of[i]->id);
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
