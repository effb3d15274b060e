// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "transplt/native/kernels.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<NativeKernel> Kernels(const std::string& source) {
  return KernelsIn(source, TokensOf(source), NativeRules::Builtin());
}

std::vector<std::string> Launched(const std::string& source) {
  std::vector<std::string> names;
  for (const NativeLaunch& launch : LaunchesIn(source, TokensOf(source))) {
    names.push_back(launch.kernel);
  }
  return names;
}

TEST(NativeKernels, AreFoundByTheirDefinition) {
  const auto kernels = Kernels(
      "template <typename T, int n = (4 > 2)>\n__global__ void __launch_bounds__(256)\nadd(T* x) "
      "{ x[0] += 1; }\n__global__ void declared(int*);\n#define GLOBAL __global__\n");
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].name, "add");
  EXPECT_THAT(kernels[0].features, ElementsAre("kernel"));
}

TEST(NativeKernels, HaveTheFeaturesOfWhatTheyCall) {
  const auto kernels = Kernels(
      "__device__ void leaf(int* x) { atomicAdd(x, 1); }\n"
      "__device__ __forceinline__ void inner(int* x) { leaf(x); }\n"
      "__global__ void outer(int* x) { extern __shared__ int s[]; inner(x); __syncthreads(); }\n"
      "__global__ void plain(int* x) { *x = 1; }\n");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_THAT(kernels[0].features,
              ElementsAre("kernel", "kernel.atomics", "kernel.barrier", "kernel.shared-memory"));
  EXPECT_THAT(kernels[1].features, ElementsAre("kernel"));
  EXPECT_GT(HoursFor(kernels[0].features, NativeRules::Builtin()),
            HoursFor(kernels[1].features, NativeRules::Builtin()));
}

TEST(NativeKernels, HaveTheFeaturesOfMacros) {
  const auto kernels = Kernels(
      "#define FULL 0xffffffff\n#define SHIFT(x) \\\n  __shfl_xor_sync(FULL, x, 1)\n"
      "#define SUM(x) (x + SHIFT(x))\n"
      "__global__ void k(int* x) { *x = SUM(*x); }\n__global__ void p(int* x) { *x = FULL; }\n");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_THAT(kernels[0].features, ElementsAre("kernel", "kernel.warp"));
  EXPECT_THAT(kernels[1].features, ElementsAre("kernel"));
}

TEST(NativeKernels, HaveTheFeaturesOfWhatHeadersHide) {
  const std::string header =
      "#define SHIFT(x) __shfl(x, 1)\n"
      "template <class T> __device__ T total(T x) { atomicAdd(&x, 1); return x; }\n";
  const DeviceNames names(header, TokensOf(header));
  const auto features = [&](const std::string& source) {
    const auto kernels = KernelsIn(source, TokensOf(source), NativeRules::Builtin(), {&names});
    return kernels.at(0).features;
  };
  EXPECT_THAT(features("__global__ void k(int* x) { *x = SHIFT(*x); }"),
              ElementsAre("kernel", "kernel.warp"));
  EXPECT_THAT(features("__global__ void k(int* x) { *x = total<int>(*x); }"),
              ElementsAre("kernel", "kernel.atomics"));
  EXPECT_THAT(features("__global__ void k(int* x) { int total = 1; *x = total; }"),
              ElementsAre("kernel"));
  EXPECT_THAT(features("__device__ int f(int x) { return SHIFT(x); }\n"
                       "__global__ void k(int* x) { *x = f(*x); }"),
              ElementsAre("kernel", "kernel.warp"));
}

TEST(NativeKernels, AreNotFoundInCommentsAndTexts) {
  EXPECT_THAT(Kernels("// __global__ void a() {}\nconst char* s = \"__global__ void b() {}\";\n"),
              IsEmpty());
}

TEST(NativeKernels, OfOneNameAreToldApartByTheirArguments) {
  const std::string source =
      "__global__ void add(int n, float* x) {}\n"
      "__global__ void add(int n, float* x, std::pair<int, int> y, int z = 1) {}\n"
      "void f() { add<<<1, 2>>>(n, g(x, y)); add<<<1, 2, 0, s>>>(n, x, y);\n"
      "  add<<<1, 2>>>(n, x, y, z); add<<<1, 2>>>(n); }\n";
  const auto kernels = Kernels(source);
  ASSERT_EQ(kernels.size(), 2U);
  std::vector<std::vector<uint32_t>> started;
  for (const NativeLaunch& launch : LaunchesIn(source, TokensOf(source))) {
    started.emplace_back();
    for (const NativeKernel* kernel : StartedBy(launch, kernels)) {
      started.back().push_back(kernel->whole.start == 0 ? 1 : 2);
    }
  }
  EXPECT_THAT(started,
              ElementsAre(ElementsAre(1), ElementsAre(2), ElementsAre(2), ElementsAre(1, 2)));
}

TEST(NativeLaunches, NameTheirKernel) {
  EXPECT_THAT(Launched("add<<<1, 2>>>(x); ops::scale<float, 4><<<g,\n  b, 0, s>>>(y);\n"
                       "#define RUN(k) k<<<1, 1>>>()\n(*f)<<<1, 1>>>();"),
              ElementsAre("add", "scale", "", ""));
}

TEST(NativeLaunches, FollowVariablesToTheirKernels) {
  const std::string kernel = "template <class T> __global__ void add(T* x) {}\n";
  EXPECT_THAT(Launched(kernel + "void f() { auto run = &ops::add<float>; run<<<1, 2>>>(x); }\n"),
              ElementsAre("add"));
  EXPECT_THAT(Launched(kernel + "void f() { Kernel* run = pick(1); run<<<1, 2>>>(x); }\n"),
              ElementsAre(""));
  EXPECT_THAT(Launched(kernel + "void f() { x.add = 1; add<<<1, 2>>>(x); }\n"), ElementsAre("add"));
}

TEST(NativeLaunches, FollowNoVariableOfAnotherFunction) {
  EXPECT_THAT(Launched("__global__ void one() {}\nvoid f() { auto run = &one; run<<<1, 1>>>(); }\n"
                       "void g(Kernel run) { run<<<1, 1>>>(); }\n"),
              ElementsAre("one", "run"));
}

TEST(NativeLaunches, NameTheKernelsThatMacrosMakeOfTheirArguments) {
  EXPECT_THAT(Launched("#define FORWARD(NAME, T) void NAME##_forward() { \\\n"
                       "  NAME##_out_##T<float><<<1, 2>>>(); }\n"
                       "FORWARD(complex, cuda)\nFORWARD(rotate, cuda)\n"),
              ElementsAre("complex_out_cuda", "rotate_out_cuda"));
  EXPECT_THAT(Launched("#define RUN(k) k<<<1, 1>>>()\nvoid f() { RUN(ops::add<float>); }"),
              ElementsAre("add"));
}

TEST(NativeLaunches, NameTheKernelsThatMacrosMakeWithinMacros) {
  EXPECT_THAT(Launched("#define RUN(N) N##_kernel<<<1, 1>>>();\n#define BOTH(A) RUN(A) RUN(b)\n"
                       "void f() { BOTH(a) }\n"),
              ElementsAre("a_kernel", "b_kernel"));
  EXPECT_THAT(
      Launched("#define A(N) B(N) N##_k<<<1, 1>>>();\n#define B(N) A(N)\nvoid f() { A(x) }"),
      ElementsAre("x_k"));
}

TEST(NativeLaunches, OfAMacroThatNobodyUsesHaveTheNameAsItIsWritten) {
  EXPECT_THAT(Launched("#define RUN(N) N##_kernel<<<1, 1>>>()\n"), ElementsAre("N##_kernel"));
}

TEST(NativeKernels, HaveAllNamesThatAMacroMakes) {
  const std::string source =
      "#define KERNEL(N) __global__ void N##_kernel(int* x) { *x = 1; }\n"
      "KERNEL(a)\nKERNEL(b)\n";
  const auto kernels = Kernels(source);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].name, "a_kernel");
  EXPECT_EQ(kernels[1].name, "b_kernel");
  EXPECT_EQ(kernels[0].range.In(source), "N##_kernel");
}

}  // namespace
}  // namespace transplt
