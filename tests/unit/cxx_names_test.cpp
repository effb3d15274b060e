// SPDX-License-Identifier: Apache-2.0
// Every name that the rules write is declared, and takes as many arguments as they pass.
#include <gmock/gmock.h>

#include <set>

#include "transplt/cxx/parse.h"
#include "transplt/native/rules.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Mistakes(const std::string& source) {
  static const NativeParser parser({{}, {}, true});
  std::vector<std::string> mistakes;
  for (const NativeDiagnostic& found : parser.Parse("/names.cpp", source).diagnostics) {
    mistakes.push_back(found.message);
  }
  return mistakes;
}

bool IsName(const std::string& text) {
  return text.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:") ==
             std::string::npos &&
         text != "0";
}

TEST(CxxNames, OfTheRulesAreDeclared) {
  for (const NativeRule& rule : NativeRules::Builtin().all()) {
    if (rule.kind != NativeRule::Kind::kName && rule.kind != NativeRule::Kind::kCall) continue;
    if (!IsName(rule.to)) continue;
    std::string source = "#ifndef " + rule.to + "\nvoid f() { using ::" + rule.to + "; }\n#endif\n";
    // A scoped enumerator has no using declaration.
    if (rule.to.find("PrivateUse1") != std::string::npos) {
      source = "auto x = " + rule.to + ";\n";
    } else if (rule.to.find("::") != std::string::npos) {
      source = "void f() { using ::" + rule.to + "; }\n";
    }
    EXPECT_THAT(Mistakes(source), IsEmpty()) << rule.id << " -> " << rule.to;
  }
}

TEST(CxxNames, TakeTheArgumentsThatTheRulesPass) {
  for (const NativeRule& rule : NativeRules::Builtin().all()) {
    if (rule.kind != NativeRule::Kind::kCall || rule.to.ends_with(')')) continue;
    for (const auto& [written, passed] : rule.arguments) {
      std::string call;
      for (size_t i = 0; i < passed.size(); ++i) call += i == 0 ? "Any()" : ", Any()";
      EXPECT_THAT(Mistakes("struct Any { template <class T> operator T() const; };\nvoid f() { " +
                           rule.to + "(" + call + "); }\n"),
                  IsEmpty())
          << rule.id;
    }
  }
}

TEST(CxxNames, ThatAreWrongAreFound) {
  EXPECT_THAT(Mistakes("void f() { using ::aclrtMallok; }\n"), testing::SizeIs(1));
  EXPECT_THAT(Mistakes("void f(void** p) { aclrtMalloc(p, 4); }\n"), testing::SizeIs(1));
}

/// The declarations themselves are accepted.
TEST(CxxNames, StandOnDeclarationsWithoutMistake) { EXPECT_THAT(Mistakes("int x;\n"), IsEmpty()); }

}  // namespace
}  // namespace transplt
