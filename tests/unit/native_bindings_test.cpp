// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "transplt/native/bindings.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<std::string, std::string>> BoundIn(const std::string& source) {
  std::vector<std::pair<std::string, std::string>> bound;
  for (const NativeBinding& binding : BindingsIn(source, TokensOf(source))) {
    bound.emplace_back(binding.name, binding.function);
  }
  return bound;
}

TEST(NativeBindings, NameTheFunction) {
  EXPECT_THAT(BoundIn("PYBIND11_MODULE(x, m) {\n"
                      "  m.def(\"nms\", &detail::nms, \"nms (CUDA)\", py::arg(\"a\"));\n"
                      "  m.def(\"roi\", roi<float>);\n"
                      "  m.def(\"add\", [](int a, int b) { return a + b; });\n}\n"),
              ElementsAre(Pair("nms", "detail::nms"), Pair("roi", "roi"), Pair("add", "")));
}

TEST(NativeBindings, AreThoseOfTorchLibrariesToo) {
  EXPECT_THAT(BoundIn("TORCH_LIBRARY_IMPL(ops, CUDA, m) { m.impl(\"nms\", TORCH_FN(nms_cuda)); }\n"
                      "TORCH_LIBRARY(ops, m) { m.def(\"ops::nms(Tensor x) -> Tensor\", &nms); }\n"),
              ElementsAre(Pair("nms", "nms_cuda"), Pair("nms", "nms")));
}

TEST(NativeBindings, KnowTheBlockThatTheyStandIn) {
  const std::string source =
      "void f() {}\nTORCH_LIBRARY(ops, m) { m.def(\"a\", &f); }\n"
      "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"b\", [](int x) { return f(x); }); }\n";
  const std::vector<NativeBinding> bindings = BindingsIn(source, TokensOf(source));
  ASSERT_EQ(bindings.size(), 2U);
  EXPECT_EQ(bindings[0].module, "ops");
  EXPECT_EQ(bindings[1].module, "TORCH_EXTENSION_NAME");
  EXPECT_TRUE(bindings[1].names.contains("f"));
}

TEST(NativeBindings, KnowTheNamespaceOfOperatorsOfTorch) {
  const std::string source =
      "TORCH_LIBRARY(ops, m) { m.def(\"a(Tensor x) -> Tensor\", &a); }\n"
      "TORCH_LIBRARY_IMPL(_, CUDA, m) { m.impl(\"other::b\", &b); }\n"
      "PYBIND11_MODULE(x, m) { m.def(\"c\", &c); }\n"
      "static auto registry = torch::RegisterOperators()\n"
      "    .op(\"sparse::d\", &d)\n    .op(\"sparse::e(Tensor x) -> Tensor\", [] { return 1; });\n"
      "void f() { graph.op(\"no\", 1); }\n";
  std::vector<std::string> names;
  for (const NativeBinding& binding : BindingsIn(source, TokensOf(source))) {
    names.push_back(binding.library + "." + binding.name);
  }
  EXPECT_THAT(names, ElementsAre("ops.a", "other.b", ".c", "sparse.d", "sparse.e"));
}

TEST(NativeBindings, AreThoseThatMacrosMakeOfTheirArguments) {
  EXPECT_THAT(BoundIn("#define DEF(NAME) m.def(#NAME \"_forward\", &at::NAME##_forward); \\\n"
                      "  m.def(\"same\", &same)\n"
                      "PYBIND11_MODULE(x, m) { DEF(add); DEF(mul); }\n"),
              ElementsAre(Pair("add_forward", "at::add_forward"),
                          Pair("mul_forward", "at::mul_forward"), Pair("same", "same")));
}

TEST(NativeLinks, AreMacrosOutsideOfFunctions) {
  const std::string source =
      "namespace n {\nREGISTER_DEVICE_IMPL(nms_impl, CUDA, nms_cuda);\n}\n"
      "void f() {\n  DISPATCH(a, b);\n}\n#define REGISTER(x, y) x y\n";
  EXPECT_THAT(LinksIn(source, TokensOf(source)),
              ElementsAre(ElementsAre("nms_impl", "CUDA", "nms_cuda")));
}

}  // namespace
}  // namespace transplt
