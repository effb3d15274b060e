// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/edit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <random>

namespace transplt {

/// How GoogleTest shows a conflict.
static void PrintTo(const EditList::Conflict& conflict, std::ostream* out) {
  *out << conflict.rule_id << " [" << conflict.range.start << ", " << conflict.range.end << ")";
}

namespace {

using testing::Optional;

Edit Replace(uint32_t start, uint32_t end, std::string text) {
  return {{start, end}, std::move(text)};
}
Edit Insert(uint32_t at, std::string text) { return {{at, at}, std::move(text)}; }

/// `text` after the fixes, all of which must be accepted.
std::string Applied(std::string_view text, const std::vector<Fix>& fixes) {
  EditList list;
  for (const Fix& fix : fixes) EXPECT_EQ(list.TryAdd(fix, "rule"), std::nullopt);
  return list.ApplyTo(text);
}

TEST(EditList, KeepsTheTextWithoutEdits) {
  EXPECT_EQ(EditList().ApplyTo("a\r\nb"), "a\r\nb");
  EXPECT_TRUE(EditList().empty());
}

TEST(EditList, InsertsReplacesAndDeletes) {
  EXPECT_EQ(Applied("0123456789", {{{Replace(8, 10, "")}},
                                   {{Insert(0, "<")}},
                                   {{Replace(3, 5, "three, four, ")}},
                                   {{Insert(6, "|")}}}),
            "<012three, four, 5|67");
}

TEST(EditList, InsertsAtTheEndOfTheText) { EXPECT_EQ(Applied("ab", {{{Insert(2, "c")}}}), "abc"); }

TEST(EditList, InsertsIntoAnEmptyText) { EXPECT_EQ(Applied("", {{{Insert(0, "c")}}}), "c"); }

TEST(EditList, AcceptsReplacementsThatTouch) {
  EXPECT_EQ(Applied("abcd", {{{Replace(2, 4, "Y")}}, {{Replace(0, 2, "X")}}}), "XY");
}

TEST(EditList, PutsAnInsertionBeforeTheReplacementThatStartsThere) {
  EXPECT_EQ(Applied("abcd", {{{Replace(2, 4, "Y")}}, {{Insert(2, "+")}}}), "ab+Y");
  EXPECT_EQ(Applied("abcd", {{{Insert(2, "+")}}, {{Replace(2, 4, "Y")}}}), "ab+Y");
}

TEST(EditList, PutsAnInsertionBehindTheReplacementThatEndsThere) {
  EXPECT_EQ(Applied("abcd", {{{Replace(0, 2, "X")}}, {{Insert(2, "+")}}}), "X+cd");
}

TEST(EditList, RefusesAnOverlapAndNamesTheAcceptedEdit) {
  EditList list;
  ASSERT_EQ(list.TryAdd({{Replace(2, 6, "X")}}, "first"), std::nullopt);
  const EditList::Conflict conflict{{2, 6}, "first"};
  EXPECT_THAT(list.TryAdd({{Replace(5, 7, "Y")}}, "second"), Optional(conflict));
  EXPECT_THAT(list.TryAdd({{Replace(0, 3, "Y")}}, "second"), Optional(conflict));
  EXPECT_THAT(list.TryAdd({{Replace(3, 4, "Y")}}, "second"), Optional(conflict));
  EXPECT_THAT(list.TryAdd({{Replace(0, 9, "Y")}}, "second"), Optional(conflict));
  EXPECT_THAT(list.TryAdd({{Replace(2, 6, "Y")}}, "second"), Optional(conflict));
  EXPECT_EQ(list.ApplyTo("0123456789"), "01X6789");
}

TEST(EditList, RefusesAnInsertionInsideAReplacement) {
  EditList list;
  ASSERT_EQ(list.TryAdd({{Replace(2, 6, "X")}}, "first"), std::nullopt);
  EXPECT_THAT(list.TryAdd({{Insert(3, "+")}}, "second"),
              Optional(EditList::Conflict{{2, 6}, "first"}));
}

TEST(EditList, RefusesAReplacementAroundAnInsertion) {
  EditList list;
  ASSERT_EQ(list.TryAdd({{Insert(3, "+")}}, "first"), std::nullopt);
  EXPECT_THAT(list.TryAdd({{Replace(2, 6, "X")}}, "second"),
              Optional(EditList::Conflict{{3, 3}, "first"}));
}

TEST(EditList, RefusesTwoDifferentInsertionsAtOnePlace) {
  EditList list;
  ASSERT_EQ(list.TryAdd({{Insert(3, "a\n")}}, "first"), std::nullopt);
  EXPECT_THAT(list.TryAdd({{Insert(3, "b\n")}}, "second"),
              Optional(EditList::Conflict{{3, 3}, "first"}));
}

TEST(EditList, RefusesAFixWholeIfOneOfItsEditsConflicts) {
  EditList list;
  ASSERT_EQ(list.TryAdd({{Replace(4, 6, "X")}}, "first"), std::nullopt);
  EXPECT_THAT(list.TryAdd({{Replace(0, 1, "Y"), Replace(5, 7, "Y"), Replace(8, 9, "Y")}}, "second"),
              Optional(EditList::Conflict{{4, 6}, "first"}));
  EXPECT_EQ(list.edits().size(), 1U);
}

TEST(EditList, RefusesAFixThatConflictsWithItself) {
  EditList list;
  const EditList::Conflict own{{2, 6}, "rule"};
  EXPECT_THAT(list.TryAdd({{Replace(2, 6, "X"), Replace(5, 8, "Y")}}, "rule"), Optional(own));
  EXPECT_THAT(list.TryAdd({{Insert(4, "+"), Insert(8, "+"), Replace(2, 6, "X")}}, "rule"),
              Optional(own));
  EXPECT_THAT(list.TryAdd({{Insert(4, "+"), Insert(4, "-")}}, "rule"),
              Optional(EditList::Conflict{{4, 4}, "rule"}));
  EXPECT_TRUE(list.empty());
}

TEST(EditList, RefusesARangeThatEndsBeforeItStarts) {
  EditList list;
  EXPECT_THAT(list.TryAdd({{Replace(6, 2, "X")}}, "rule"),
              Optional(EditList::Conflict{{6, 2}, "rule"}));
  EXPECT_TRUE(list.empty());
}

TEST(EditList, MakesAnEqualReplacementOnce) {
  const Fix fix{{Replace(0, 4, "npu")}};
  EXPECT_EQ(Applied("cuda()", {fix, fix}), "npu()");
  EXPECT_EQ(Applied("cuda()", {{{Replace(0, 4, "npu"), Replace(0, 4, "npu")}}}), "npu()");
}

TEST(EditList, KeepsTheRuleThatWasFirstWithAnEqualEdit) {
  EditList list;
  ASSERT_EQ(list.TryAdd({{Replace(0, 4, "npu")}}, "first"), std::nullopt);
  ASSERT_EQ(list.TryAdd({{Replace(0, 4, "npu"), Insert(6, ";")}}, "second"), std::nullopt);
  ASSERT_EQ(list.edits().size(), 2U);
  EXPECT_EQ(list.edits().begin()->rule_id, "first");
  EXPECT_EQ(std::next(list.edits().begin())->rule_id, "second");
}

TEST(EditList, InsertsALineOnceThatTwoFixesNeed) {
  const Edit import = Insert(0, "import torch_npu\n");
  EXPECT_EQ(Applied("ab", {{{import, Replace(0, 1, "A")}}, {{import, Replace(1, 2, "B")}}}),
            "import torch_npu\nAB");
}

TEST(EditList, AcceptsTheSameFixTwice) {
  const Fix wrap{{Insert(0, "f("), Insert(1, ")")}};
  EXPECT_EQ(Applied("x", {wrap, wrap}), "f(x)");
}

TEST(EditList, RefusesToShareTheClosingBracketOfTwoWrappedCalls) {
  EditList list;  // f(a.g(b)): merging the brackets would leave one of them open
  ASSERT_EQ(list.TryAdd({{Insert(0, "f("), Insert(4, ")")}}, "outer"), std::nullopt);
  EXPECT_THAT(list.TryAdd({{Insert(2, "g("), Insert(4, ")")}}, "inner"),
              Optional(EditList::Conflict{{4, 4}, "outer"}));
  EXPECT_EQ(list.ApplyTo("a, b"), "f(a, b)");
}

TEST(EditList, PassesOverAnEditThatDoesNothing) {
  EditList list;
  ASSERT_EQ(list.TryAdd({{Replace(0, 4, "X")}}, "first"), std::nullopt);
  EXPECT_EQ(list.TryAdd({{Insert(2, "")}}, "second"), std::nullopt);
  EXPECT_EQ(list.TryAdd({}, "third"), std::nullopt);
  EXPECT_EQ(list.edits().size(), 1U);
}

TEST(EditList, TakesManyEditsInTheOrderOfTheTextFast) {
  constexpr uint32_t kEdits = 100'000;
  const auto start = std::chrono::steady_clock::now();
  EditList list;
  for (uint32_t i = 0; i < kEdits; ++i) {
    ASSERT_EQ(list.TryAdd({{Replace(4 * i, 4 * i + 1, "X"), Insert(4 * i + 3, "Y")}}, "rule"),
              std::nullopt);
  }
  const std::string result = list.ApplyTo(std::string(4 * kEdits, '.'));
  // A second without optimization; comparing each with all others would take many minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_EQ(result.size(), 5 * kEdits);
  EXPECT_EQ(result.substr(5 * kEdits - 5), "X..Y.");
}

/// What EditList promises, said in the simplest way: every pair is compared byte by byte.
class ReferenceList {
 public:
  bool TryAdd(const Fix& fix) {
    std::vector<Edit> wanted;
    for (const Edit& edit : fix.edits) {
      const bool repeated = IsOnceForAll(edit) && Has(wanted, edit);
      if (!repeated && !(edit.range.empty() && edit.text.empty())) wanted.push_back(edit);
    }
    std::vector<Edit> fresh;
    bool wraps_again = false;
    for (size_t i = 0; i < wanted.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (Clash(wanted[i], wanted[j])) return false;
      }
      if (!Has(edits_, wanted[i])) {
        fresh.push_back(wanted[i]);
      } else if (!IsOnceForAll(wanted[i])) {
        wraps_again = true;
      }
    }
    for (const Edit& edit : fresh) {
      for (const Edit& other : edits_) {
        if (Clash(edit, other)) return false;
      }
    }
    if (wraps_again && !fresh.empty()) return false;
    edits_.insert(edits_.end(), fresh.begin(), fresh.end());
    return true;
  }

  std::string ApplyTo(std::string_view text) const {
    std::string result;
    for (uint32_t at = 0; at <= text.size(); ++at) {
      bool kept = at < text.size();
      for (const Edit& e : edits_) {
        if (e.range.empty() && e.range.start == at) result += e.text;
      }
      for (const Edit& e : edits_) {
        if (!e.range.empty() && e.range.start == at) result += e.text;
        kept = kept && !Touches(e, at);
      }
      if (kept) result += text[at];
    }
    return result;
  }

 private:
  static bool Has(const std::vector<Edit>& edits, const Edit& edit) {
    return std::find(edits.begin(), edits.end(), edit) != edits.end();
  }
  static bool IsOnceForAll(const Edit& edit) {
    return !edit.range.empty() || edit.text.ends_with('\n');
  }
  static bool Touches(const Edit& e, uint32_t byte) {
    return e.range.start <= byte && byte < e.range.end;
  }
  static bool Clash(const Edit& a, const Edit& b) {
    for (uint32_t byte = 0; byte < 64; ++byte) {
      if (Touches(a, byte) && Touches(b, byte)) return true;
      // The gap before `byte` lies inside a range that holds the bytes on both sides.
      const auto inserts = [byte](const Edit& e) { return e.range == TextRange{byte, byte}; };
      const auto spans = [byte](const Edit& e) {
        return byte > 0 && Touches(e, byte - 1) && Touches(e, byte);
      };
      if (inserts(a) && (inserts(b) || spans(b))) return true;
      if (inserts(b) && spans(a)) return true;
    }
    return false;
  }

  std::vector<Edit> edits_;
};

class RandomFixes {
 public:
  explicit RandomFixes(uint32_t seed) : random_(seed) {}

  Fix Next() {
    Fix fix;
    for (uint32_t left = 1 + Below(3); left > 0; --left) {
      const uint32_t start = Below(kTextSize + 1);
      const uint32_t size = Below(2) == 0 ? 0 : Below(std::min(5U, kTextSize + 1 - start));
      fix.edits.push_back({{start, start + size}, kTexts[Below(std::size(kTexts))]});
    }
    return fix;
  }

  static constexpr uint32_t kTextSize = 20;

 private:
  static constexpr const char* kTexts[] = {"", "A", "B", "line\n"};

  uint32_t Below(size_t limit) { return static_cast<uint32_t>(random_() % limit); }

  std::mt19937 random_;
};

std::string Description(const Fix& fix) {
  std::string text;
  for (const Edit& e : fix.edits) {
    text += fmt::format("[{}, {}) \"{}\"; ", e.range.start, e.range.end, e.text);
  }
  return text;
}

TEST(EditList, AgreesWithASimpleModelOnRandomFixes) {
  const std::string text = "abcdefghijklmnopqrst";
  ASSERT_EQ(text.size(), RandomFixes::kTextSize);
  int accepted = 0;
  int refused = 0;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    RandomFixes fixes(seed);
    EditList list;
    ReferenceList reference;
    for (int i = 0; i < 15; ++i) {
      const Fix fix = fixes.Next();
      SCOPED_TRACE(fmt::format("seed {}, fix {}: {}", seed, i, Description(fix)));
      const size_t before = list.edits().size();
      const auto conflict = list.TryAdd(fix, std::to_string(i));
      ASSERT_EQ(!conflict, reference.TryAdd(fix));
      ASSERT_EQ(list.ApplyTo(text), reference.ApplyTo(text));
      if (conflict) {
        ASSERT_EQ(list.edits().size(), before);
        // The edit that is named exists: it was accepted, or it is one of the fix itself.
        const auto named = [&](const EditList::Accepted& a) {
          return a.edit.range == conflict->range && a.rule_id == conflict->rule_id;
        };
        ASSERT_TRUE(std::any_of(list.edits().begin(), list.edits().end(), named) ||
                    conflict->rule_id == std::to_string(i));
      }
      ++(conflict ? refused : accepted);
    }
  }
  EXPECT_GT(accepted, 5000) << "too few fixes are accepted for the test to mean much";
  EXPECT_GT(refused, 5000) << "too few fixes are refused for the test to mean much";
}

TEST(EditList, GivesTheSameTextInWhateverOrderCompatibleFixesCome) {
  const std::string text(RandomFixes::kTextSize, '.');
  std::mt19937 random(7);
  for (uint32_t seed = 0; seed < 500; ++seed) {
    RandomFixes fixes(seed);
    EditList list;
    std::vector<Fix> single;
    for (int i = 0; i < 15; ++i) {
      Fix fix = fixes.Next();
      fix.edits.resize(1);
      if (!list.TryAdd(fix, "rule")) single.push_back(fix);
    }
    std::shuffle(single.begin(), single.end(), random);
    EXPECT_EQ(Applied(text, single), list.ApplyTo(text)) << "seed " << seed;
  }
}

TEST(EditListSize, TakesFixesThatComeAgainstTheOrderOfTheText) {
  constexpr uint32_t kFixes = 400000;
  EditList list;
  for (uint32_t i = kFixes; i-- > 0;) {
    ASSERT_EQ(list.TryAdd({{{{2 * i, 2 * i + 1}, "b"}}}, "rule"), std::nullopt);
  }
  std::string original;
  std::string expected;
  for (uint32_t i = 0; i < kFixes; ++i) {
    original += "a.";
    expected += "b.";
  }
  EXPECT_EQ(list.ApplyTo(original), expected);
}

}  // namespace
}  // namespace transplt
