// SPDX-License-Identifier: Apache-2.0
// The rules about C++ sources against the table of facts that they are made from.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "transplt/base/csv_reader.h"
#include "transplt/native/rules.h"

namespace transplt {
namespace {

using Kind = NativeRule::Kind;

/// A row of tests/rules/cuda_to_acl.csv.
struct Fact {
  std::string cuda;
  std::string kind;
  std::string acl;
  std::string arguments;
  std::string confidence;
};

std::vector<Fact> Facts() {
  const std::string name = TRANSPLT_SOURCE_DIR "/tests/rules/cuda_to_acl.csv";
  std::ifstream file(name);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  CsvReader reader(name, text, ',');
  std::vector<Fact> facts;
  while (true) {
    const Result<std::optional<TableLine>> line = reader.Next();
    EXPECT_TRUE(line);
    if (!line || !*line) break;
    const std::vector<std::string>& cells = (*line)->cells;
    if (cells.size() >= 5 && cells[0] != "cuda_name") {
      facts.push_back({cells[0], cells[1], cells[2], cells[3], cells[4]});
    }
  }
  EXPECT_EQ(facts.size(), 444U);
  return facts;
}

/// Written by Python rules, decided by the build, or part of a kernel and of
/// rules/cxx/kernels.json.
bool IsNoNameOfHostCode(const Fact& fact) {
  const std::set<std::string> others = {"WITH_CUDA", "__CUDACC__",
                                        "at::globalContext().lazyInitCUDA"};
  return fact.kind == "build" || fact.kind == "kernel" || others.contains(fact.cuda);
}

/// The rule that is about the row's name; for "TORCH_LIBRARY_IMPL(ns, CUDA, m)" that of the macro.
const NativeRule* RuleFor(const Fact& fact) {
  const NativeRules& rules = NativeRules::Builtin();
  const std::string name = fact.cuda.substr(0, fact.cuda.find('('));
  if (const NativeRule* rule = rules.Find(name)) return rule;
  for (const NativeRule& rule : rules.all()) {
    if (std::ranges::count(rule.names, name) > 0) return &rule;
  }
  return rules.HeaderRule(name);
}

/// How many arguments "(a, b, c)" has, from the bracket at `open`.
std::optional<size_t> CountIn(const std::string& text, size_t open) {
  if (open == std::string::npos) return std::nullopt;
  size_t count = 0;
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i == open + 1 ? 0 : count + 1;
    if (text[i] == ',' && depth == 1) ++count;
  }
  return std::nullopt;
}

TEST(NativeRules, CoverTheTable) {
  for (const Fact& fact : Facts()) {
    if (IsNoNameOfHostCode(fact)) continue;
    const NativeRule* rule = RuleFor(fact);
    ASSERT_NE(rule, nullptr) << fact.cuda;
    const bool is_edit =
        rule->kind == Kind::kName || rule->kind == Kind::kCall || rule->kind == Kind::kExpression;
    if (fact.acl == "(none)") {
      EXPECT_EQ(rule->to, "") << fact.cuda;
    } else if (is_edit && !rule->to.ends_with(')')) {
      EXPECT_EQ(rule->to, fact.acl) << fact.cuda;
    } else if (rule->kind == Kind::kHeader) {
      EXPECT_EQ(rule->to, fact.acl) << fact.cuda;
    }
    if (fact.confidence == "exact") {
      EXPECT_FALSE(rule->to.empty() && rule->words.empty() && rule->instead.empty()) << fact.cuda;
    }
  }
}

TEST(NativeRules, PassAsManyArgumentsAsTheTableSays) {
  size_t checked = 0;
  for (const Fact& fact : Facts()) {
    const NativeRule* rule = IsNoNameOfHostCode(fact) ? nullptr : RuleFor(fact);
    if (rule == nullptr || rule->kind != Kind::kCall || rule->to.ends_with(')')) continue;
    const size_t arrow = fact.arguments.find(" -> (");
    if (arrow == std::string::npos || fact.arguments.front() != '(') continue;
    const auto to = CountIn(fact.arguments, arrow + 4);
    ASSERT_TRUE(to) << fact.cuda;
    for (const auto& [written, passed] : rule->arguments) {
      EXPECT_EQ(passed.size(), *to) << fact.cuda << " with " << written << " arguments";
      for (const std::string& item : passed) {
        const size_t dollar = item.find('$');
        if (dollar == std::string::npos) continue;
        EXPECT_LT(static_cast<size_t>(item[dollar + 1] - '0'), written) << fact.cuda;
      }
    }
    ++checked;
  }
  EXPECT_GE(checked, 25U);
}

TEST(NativeRules, HaveNamesOfTheTableOnly) {
  std::set<std::string> known;
  for (const Fact& fact : Facts()) known.insert(fact.cuda.substr(0, fact.cuda.find('(')));
  for (const NativeRule& rule : NativeRules::Builtin().all()) {
    const bool writes = rule.kind == Kind::kName || rule.kind == Kind::kCall ||
                        rule.kind == Kind::kExpression || rule.kind == Kind::kMacroMember;
    if (writes) {
      EXPECT_TRUE(known.contains(rule.id)) << rule.id;
    }
  }
}

TEST(NativeRules, SayEachThingOnce) {
  std::set<std::string> ids;
  for (const NativeRule& rule : NativeRules::Builtin().all()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_FALSE(rule.examples.empty()) << rule.id;
  }
}

TEST(NativeRules, KnowFamilies) {
  const NativeRules& rules = NativeRules::Builtin();
  EXPECT_NE(rules.FamilyOf("cudaSomethingNew"), nullptr);
  EXPECT_EQ(rules.FamilyOf("cuda_stream"), nullptr);
  EXPECT_EQ(rules.FamilyOf("cudastream"), nullptr);
  EXPECT_NE(rules.FamilyOf("at::cuda::something"), nullptr);
}

TEST(NativeRules, RefuseWhatTheyDoNotKnow) {
  for (
      const char* text :
      {R"({"rules": {"CxxOddRule": []}})", R"({"rule": {}})",
       R"({"rules": {"CxxNameRule": [{"id": "a", "to": "b", "likeness": "same", "examples": [{"unchanged": "a"}]}]}})",
       R"({"rules": {"CxxNameRule": [{"id": "a", "to": "b", "likeness": "exact"}]}})",
       R"({"rules": {"CxxNameRule": [{"id": "a", "to": "b", "likeness": "exact", "odd": 1, "examples": [{"unchanged": "a"}]}]}})",
       R"({"rules": {"CxxCallRule": [{"id": "a", "to": "b", "likeness": "exact", "arguments": {"x": []}, "examples": [{"unchanged": "a"}]}]}})"}) {
    EXPECT_FALSE(NativeRules::Load({{"rules.json", text}})) << text;
  }
}

}  // namespace
}  // namespace transplt
