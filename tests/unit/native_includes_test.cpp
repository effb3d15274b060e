// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "transplt/native/includes.h"

namespace transplt {
namespace {

/// `names`: those that are edited wherever `source` has them, or at its end.
std::string With(const std::string& source, const std::set<std::string>& names) {
  AppliedRules applied;
  for (const std::string& name : names) {
    for (size_t at = source.find(name); at != std::string::npos; at = source.find(name, at + 1)) {
      applied[name].push_back(static_cast<uint32_t>(at));
    }
    if (!applied.contains(name)) applied[name].push_back(static_cast<uint32_t>(source.size()));
  }
  EditList edits;
  const auto missing = MissingIncludes(source, TokensOf(source), NativeRules::Builtin(), applied);
  if (!missing.empty()) {
    EXPECT_FALSE(edits.TryAdd({missing}, ""));
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
  const auto edits = MissingIncludes(source, TokensOf(source), NativeRules::Builtin(),
                                     {{"cudaFree", {40}}}, /*is_included=*/false);
  ASSERT_EQ(edits.size(), 1U);
  EXPECT_EQ(edits[0].text, "#include <acl/acl.h>\n");
  EXPECT_EQ(edits[0].range.start, source.find("int"));
}

TEST(NativeIncludes, StandInTheBranchThatNeedsThem) {
  EXPECT_EQ(With("#include <a.h>\n#ifdef WITH_CUDA\n#include <b.h>\n#endif\n#include "
                 "\"c.h\"\n#ifdef WITH_CUDA\n"
                 "#include \"d.h\"\n#endif\nint x;\n#if defined(WITH_CUDA)\ncudaFree(p);\n#endif\n",
                 {"cudaFree"}),
            "#include <a.h>\n#ifdef WITH_CUDA\n#include <b.h>\n#endif\n#include \"c.h\"\n#ifdef "
            "WITH_CUDA\n"
            "#include <acl/acl.h>\n#include \"d.h\"\n#endif\nint x;\n#if defined(WITH_CUDA)\n"
            "cudaFree(p);\n#endif\n");
  const std::string cuda = "ATen/cuda/CUDAContext.h";
  EXPECT_EQ(With("#include <a.h>\n#ifdef WITH_CUDA\n#include <" + cuda +
                     ">\n#endif\nint x;\n#ifdef WITH_CUDA\n"
                     "cudaFree(p);\n#endif\n",
                 {"cudaFree", cuda}),
            "#include <a.h>\n#ifdef WITH_CUDA\n#include <" + cuda +
                ">\n#include <acl/acl.h>\n#endif\n"
                "int x;\n#ifdef WITH_CUDA\ncudaFree(p);\n#endif\n");
}

TEST(NativeIncludes, BringTheConditionOfWhatNeedsThem) {
  EXPECT_EQ(
      With("#include <a.h>\nint x;\n#ifdef WITH_CUDA\n#if HAS_CUDA && "
           "B\ncudaFree(p);\n#endif\n#endif\n",
           {"cudaFree"}),
      "#include <a.h>\n#ifdef WITH_CUDA\n#if HAS_CUDA && B\n#include <acl/acl.h>\n#endif\n#endif\n"
      "int x;\n#ifdef WITH_CUDA\n#if HAS_CUDA && B\ncudaFree(p);\n#endif\n#endif\n");
  const std::string two =
      "#include <a.h>\nint x;\n#ifdef WITH_CUDA\ncudaFree(p);\n#else\ncudaFree(q);\n#endif\n";
  EXPECT_EQ(With(two, {"cudaFree"}), "#include <a.h>\n#include <acl/acl.h>\n" + two.substr(15));
}

TEST(NativeIncludes, NeedNoConditionWhereCudaIsIncludedAnyway) {
  const std::string cuda = "ATen/cuda/CUDAContext.h";
  const std::string rest = "int x;\n#ifdef WITH_CUDA\ncudaFree(p);\n#endif\n";
  EXPECT_EQ(With("#include <" + cuda + ">\n" + rest, {"cudaFree", cuda}),
            "#include <" + cuda + ">\n#include <acl/acl.h>\n" + rest);
}

TEST(NativeIncludes, StandUnderNoConditionOfTheSourceItself) {
  EXPECT_EQ(With("#include <a.h>\n//#define DEBUG\nint x;\n#ifdef DEBUG\ncudaFree(p);\n#endif\n",
                 {"cudaFree"}),
            "#include <a.h>\n#include <acl/acl.h>\n//#define DEBUG\nint x;\n#ifdef DEBUG\n"
            "cudaFree(p);\n#endif\n");
}

TEST(NativeIncludes, AreMadeOnce) {
  const std::string source = "#include <acl/acl.h>\nint x;\n";
  EXPECT_EQ(With(source, {"cudaFree"}), source);
  EXPECT_EQ(With("#include <cuda_runtime.h>\n", {"cuda_runtime.h", "cudaFree"}),
            "#include <cuda_runtime.h>\n");
}

}  // namespace
}  // namespace transplt
