// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "transplt/native/includes.h"

namespace transplt {
namespace {

std::string With(const std::string& source, const std::set<std::string>& applied) {
  EditList edits;
  const auto edit = MissingIncludes(source, TokensOf(source), NativeRules::Builtin(), applied);
  if (edit) {
    EXPECT_FALSE(edits.TryAdd({{*edit}}, ""));
  }
  return edits.ApplyTo(source);
}

TEST(NativeIncludes, StandBehindTheFirstBlock) {
  EXPECT_EQ(
      With("#include <a.h>\r\n#include <b.h>\r\nint x;\r\n#include <c.h>\r\n", {"cudaFree"}),
      "#include <a.h>\r\n#include <b.h>\r\n#include <acl/acl.h>\r\nint x;\r\n#include <c.h>\r\n");
}

TEST(NativeIncludes, AreNotBehindACondition) {
  EXPECT_EQ(With("#ifndef G\n#define G\n#include <a.h>\n#ifdef X\n#include <b.h>\n#endif\n#endif\n",
                 {"cudaFree"}),
            "#ifndef G\n#define G\n#include <a.h>\n#include <acl/acl.h>\n#ifdef X\n#include "
            "<b.h>\n#endif\n#endif\n");
}

TEST(NativeIncludes, StandBeforeHeadersOfTheProjectWhichMayNeedThem) {
  EXPECT_EQ(With("#include <a.h>\n#include \"kernel.h\"\nint x;\n", {"cudaFree"}),
            "#include <a.h>\n#include <acl/acl.h>\n#include \"kernel.h\"\nint x;\n");
  EXPECT_EQ(
      With("#ifdef X\n#include \"x.h\"\n#endif\n#include <a.h>\n#include \"b.h\"\n", {"cudaFree"}),
      "#ifdef X\n#include \"x.h\"\n#endif\n#include <a.h>\n#include <acl/acl.h>\n"
      "#include \"b.h\"\n");
}

TEST(NativeIncludes, StandBehindTheGuardOfAHeaderThatHasNone) {
  EXPECT_EQ(With("// A header.\n#ifndef G\n#define G\nint x;\n#endif\n", {"cudaFree"}),
            "// A header.\n#ifndef G\n#define G\n#include <acl/acl.h>\nint x;\n#endif\n");
  EXPECT_EQ(With("#pragma once\r\nint x;\r\n", {"cudaFree"}),
            "#pragma once\r\n#include <acl/acl.h>\r\nint x;\r\n");
}

TEST(NativeIncludes, AreNotAddedToAPartOfAnotherSource) {
  EXPECT_EQ(With("int x;\n", {"cudaFree"}), "int x;\n");
  EXPECT_EQ(With("#ifdef X\n#define Y\nint x;\n#endif\n", {"cudaFree"}),
            "#ifdef X\n#define Y\nint x;\n#endif\n");
}

TEST(NativeIncludes, StandAtTheTopOfWhatNothingIncludes) {
  const std::string source = "// Of torch.utils.ffi.\nint f(int x);\n";
  const auto edit = MissingIncludes(source, TokensOf(source), NativeRules::Builtin(), {"cudaFree"},
                                    /*is_included=*/false);
  ASSERT_TRUE(edit);
  EXPECT_EQ(edit->text, "#include <acl/acl.h>\n");
  EXPECT_EQ(edit->range.start, source.find("int"));
}

TEST(NativeIncludes, AreMadeOnce) {
  const std::string source = "#include <acl/acl.h>\nint x;\n";
  EXPECT_EQ(With(source, {"cudaFree"}), source);
  EXPECT_EQ(With("#include <cuda_runtime.h>\n", {"cuda_runtime.h", "cudaFree"}),
            "#include <cuda_runtime.h>\n");
}

}  // namespace
}  // namespace transplt
