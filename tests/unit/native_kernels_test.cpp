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

TEST(NativeKernels, AreNotFoundInCommentsAndTexts) {
  EXPECT_THAT(Kernels("// __global__ void a() {}\nconst char* s = \"__global__ void b() {}\";\n"),
              IsEmpty());
}

TEST(NativeLaunches, NameTheirKernel) {
  EXPECT_THAT(Launched("add<<<1, 2>>>(x); ops::scale<float, 4><<<g,\n  b, 0, s>>>(y);\n"
                       "#define RUN(k) k<<<1, 1>>>()\n(*f)<<<1, 1>>>();"),
              ElementsAre("add", "scale", "k", ""));
}

}  // namespace
}  // namespace transplt
