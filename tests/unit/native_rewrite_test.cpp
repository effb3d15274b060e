// SPDX-License-Identifier: Apache-2.0
// What is rewritten by names alone, where no declaration shows more.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "transplt/native/open_end.h"
#include "transplt/native/rewrite.h"

namespace transplt {
namespace {

using Outcome = NativeFinding::Outcome;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::vector<NativeFinding> Found(const std::string& source, const std::set<std::string>& own = {}) {
  const std::vector<NativeToken> tokens = TokensOf(source);
  return RewriteNative(source, tokens, {NativeRules::Builtin(), {}, own});
}

std::string Rewritten(const std::string& source, const std::set<std::string>& own = {}) {
  EditList edits;
  for (const NativeFinding& finding : Found(source, own)) {
    EXPECT_FALSE(edits.TryAdd(finding.fix, finding.rule_id)) << finding.rule_id;
  }
  return edits.ApplyTo(source);
}

TEST(NativeRewrite, LeavesTheHeadersThatOnlyTheCompilerOfCudaReads) {
  const std::string vendored =
      "#if defined(__clang__)\nint a;\n#elif defined(__CUDACC__)\n#if !defined(CUDA_VERSION)\n"
      "#include <cuda.h>\n#endif\n#endif\n";
  EXPECT_EQ(Rewritten(vendored), vendored);
  EXPECT_EQ(Rewritten("#include <cuda_runtime.h>\n"), "#include <acl/acl.h>\n");
}

TEST(NativeRewrite, LeavesASourceWhoseOwnHeaderIncludesOneOfTensorrt) {
  const std::string source = "#include \"plugin.h\"\nvoid f(cudaStream_t s) { cudaFree(s); }\n";
  const auto found = [&](const std::string& missing) {
    NativeFacts facts;
    facts.missing_headers = {missing};
    return RewriteNative(source, TokensOf(source), {NativeRules::Builtin(), facts, {}});
  };
  EXPECT_THAT(found("NvInfer.h"), IsEmpty());
  EXPECT_THAT(found("cudnn.h"), Not(IsEmpty()));
}

TEST(NativeRewrite, InsertsTheSizeOfTheTarget) {
  EXPECT_EQ(Rewritten("cudaMemcpy(d, s, n * 4, k);"), "aclrtMemcpy(d, n * 4, s, n * 4, k);");
  EXPECT_EQ(Rewritten("cudaMemset(p, 0, n);"), "aclrtMemset(p, n, 0, n);");
}

TEST(NativeRewrite, SwapsArguments) {
  EXPECT_EQ(Rewritten("cudaStreamCreateWithPriority(&s, flags, prio);"),
            "aclrtCreateStreamWithConfig(&s, prio, flags);");
  EXPECT_EQ(Rewritten("cudaIpcGetEventHandle(&h, e);"), "aclrtIpcGetEventHandle(e, &h);");
  EXPECT_EQ(Rewritten("cudaPointerGetAttributes(&a, p);"), "aclrtPointerGetAttributes(p, &a);");
}

TEST(NativeRewrite, EditsWhatStandsInArgumentsToo) {
  EXPECT_EQ(Rewritten("cudaMemcpyAsync(d, s, n, cudaMemcpyHostToDevice);"),
            "aclrtMemcpyAsync(d, n, s, n, ACL_MEMCPY_HOST_TO_DEVICE, nullptr);");
  EXPECT_EQ(Rewritten("cudaMemcpy(d, s, size(cudaSuccess), cudaMemcpyDefault);"),
            "aclrtMemcpy(d, size(ACL_SUCCESS), s, size(ACL_SUCCESS), ACL_MEMCPY_DEFAULT);");
  EXPECT_EQ(Rewritten("cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -1);"),
            "aclrtCreateStreamWithConfig(&s, -1, ACL_STREAM_FAST_SYNC);");
}

TEST(NativeRewrite, KeepsTheLayoutOfArguments) {
  EXPECT_EQ(Rewritten("cudaMemcpy(d,  // to\n           s,  // from\n           n, k);"),
            "aclrtMemcpy(d, n,  // to\n           s,  // from\n           n, k);");
}

TEST(NativeRewrite, AddsAndDropsArguments) {
  EXPECT_EQ(Rewritten("cudaGetLastError();"), "aclrtGetLastError(ACL_RT_THREAD_LEVEL);");
  EXPECT_EQ(Rewritten("cudaGetErrorString(cudaGetLastError())"),
            "(aclGetRecentErrMsg() ?: \"unknown error\")");
  EXPECT_EQ(Rewritten("cudaStreamWaitEvent(s, e, 0);"), "aclrtStreamWaitEvent(s, e);");
  EXPECT_EQ(Rewritten("cudaEventRecord(e);"), "aclrtRecordEvent(e, nullptr);");
  EXPECT_EQ(Rewritten("if (!torch::cuda::is_available()) {}"),
            "if (!(c10_npu::device_count() > 0)) {}");
}

TEST(NativeRewrite, TakesThatThereMayBeNoMessage) {
  EXPECT_EQ(Rewritten("std::string text = cudaGetErrorString(e);"),
            "std::string text = (aclGetRecentErrMsg() ?: \"unknown error\");");
}

TEST(NativeRewrite, CastsPointers) {
  EXPECT_EQ(Rewritten("cudaMalloc(&p, n);"),
            "aclrtMalloc((void**)&p, n, ACL_MEM_MALLOC_HUGE_FIRST);");
  EXPECT_EQ(Rewritten("cudaMalloc((void **)&p, n);"),
            "aclrtMalloc((void **)&p, n, ACL_MEM_MALLOC_HUGE_FIRST);");
  EXPECT_EQ(Rewritten("cudaMalloc(p + 1, n);"),
            "aclrtMalloc((void**)(p + 1), n, ACL_MEM_MALLOC_HUGE_FIRST);");
  EXPECT_EQ(Rewritten("cudaMalloc<float>(&p, n);"),
            "aclrtMalloc((void**)&p, n, ACL_MEM_MALLOC_HUGE_FIRST);");
}

TEST(NativeRewrite, SplitsArgumentsAtTheRightCommas) {
  EXPECT_EQ(Rewritten("cudaMemset(p, f(a, b), max<int, 4>(c));"),
            "aclrtMemset(p, max<int, 4>(c), f(a, b), max<int, 4>(c));");
  EXPECT_EQ(Rewritten("cudaMemset(p, [a, b] { return a < b, 1; }(), n);"),
            "aclrtMemset(p, n, [a, b] { return a < b, 1; }(), n);");
}

TEST(NativeRewrite, EditsBodiesOfMacrosAndAllBranches) {
  EXPECT_EQ(
      Rewritten("#define CHECK(x) do { \\\n  if ((x) != cudaSuccess) abort(); \\\n} while (0)\n"),
      "#define CHECK(x) do { \\\n  if ((x) != ACL_SUCCESS) abort(); \\\n} while (0)\n");
  EXPECT_EQ(Rewritten("#if OLD\ncudaFree(p);\n#else\ncudaFreeHost(p);\n#endif\n"),
            "#if OLD\naclrtFree(p);\n#else\naclrtFreeHost(p);\n#endif\n");
}

/// What is said about the conditions of a source.
std::vector<Outcome> AskedIn(const std::string& source) {
  std::vector<Outcome> outcomes;
  for (const NativeFinding& found : Found(source)) {
    if (found.outcome != Outcome::kEdited) outcomes.push_back(found.outcome);
  }
  return outcomes;
}

TEST(NativeRewrite, TellsWhatConditionsBecomeWithoutTheMacrosOfCuda) {
  using testing::ElementsAre;
  using testing::IsEmpty;
  using testing::Not;
  EXPECT_THAT(AskedIn("#if CUDA_VERSION < 9000\nint x;\n#endif\n"),
              ElementsAre(Outcome::kConditionTrue));
  EXPECT_THAT(AskedIn("#if CUDART_VERSION >= 11 * 1000 + 20\nint x;\n#endif\n"),
              ElementsAre(Outcome::kConditionFalse));
  EXPECT_THAT(AskedIn("#if A\n#elif CUDA_VERSION > 9000\nint x;\n#else\nint y;\n#endif\n"),
              ElementsAre(Outcome::kConditionElse));
  EXPECT_THAT(AskedIn("#if A || CUDA_VERSION > 9000\nint x;\n#endif\n"),
              ElementsAre(Outcome::kCondition));
  EXPECT_THAT(AskedIn("#if A && !defined(CUDA_VERSION)\nint x;\n#endif\n"),
              ElementsAre(Outcome::kCondition));
  EXPECT_THAT(AskedIn("#ifndef CUDA_VERSION\n#error \"no CUDA\"\n#endif\n"),
              ElementsAre(Outcome::kConditionFails));
  EXPECT_THAT(AskedIn("#ifdef __CUDACC__\n#define D __device__\n#else\n#define D\n#endif\n"),
              IsEmpty());
  EXPECT_THAT(AskedIn("#ifdef __CUDACC__\nvoid f() { cudaFree(p); }\n#endif\n"),
              ElementsAre(Outcome::kConditionFalse));
  EXPECT_THAT(AskedIn("#ifdef NV_NPPIDEFS_H\nvoid f(NppStatus s);\n#endif\n"),
              ElementsAre(Outcome::kConditionIdle));
  // A macro that the project defines is its own.
  EXPECT_THAT(Found("#if CUDA_VERSION < 9\nint x;\n#endif\n", {"CUDA_VERSION"}), IsEmpty());
}

TEST(NativeRewrite, LeavesNoRowForWhatIsNotCompiled) {
  EXPECT_THAT(AskedIn("#if CUDART_VERSION >= 11020\nvoid f() { cudaMallocAsync(p, n, s); }\n#else\n"
                      "void f() { cudaMemcpy3D(p); }\n#endif\n"),
              testing::ElementsAre(Outcome::kConditionElse, Outcome::kNoCounterpart));
}

TEST(NativeRewrite, TellsOfConditionsThatDefineWhatHostCodeUses) {
  const auto asked = [](const std::string& behind) {
    std::vector<Outcome> outcomes;
    const std::string text = "#include <cuda.h>\n#if CUDA_VERSION > 9000\n#define NEW 1\n#endif\n";
    for (const NativeFinding& finding : Found(text + behind)) {
      if (finding.rule_id == "CUDA_VERSION") outcomes.push_back(finding.outcome);
    }
    return outcomes;
  };
  EXPECT_THAT(asked("#ifdef NEW\nint x;\n#endif\n"),
              testing::ElementsAre(Outcome::kConditionFalse));
  EXPECT_THAT(asked(""), testing::ElementsAre(Outcome::kConditionFalse));
  EXPECT_THAT(asked("__global__ void k(int* x) { *x = NEW; }\n"), testing::IsEmpty());
}

TEST(NativeRewrite, NotesDeclarationsInPlaceOfAHeaderOfCuda) {
  const auto outcomes = [](const std::string& source) {
    std::vector<Outcome> found;
    for (const NativeFinding& finding : Found(source)) found.push_back(finding.outcome);
    return found;
  };
  EXPECT_THAT(outcomes("struct THCState;\n"), testing::ElementsAre(Outcome::kForward));
  EXPECT_THAT(outcomes("typedef struct CUstream_st* CUstream;\n"),
              testing::ElementsAre(Outcome::kForward));
  EXPECT_THAT(outcomes("struct Mine;\ntypedef struct Mine* Other;\n"), testing::IsEmpty());
}

TEST(OpenEnd, IsTheFirstBraceOrConditionWithoutCounterpart) {
  const auto open = [](const std::string& source) {
    const auto found = OpenEndIn(source, TokensOf(source));
    return found ? std::to_string(found->start) : "";
  };
  EXPECT_EQ(open("void f() { if (x) {} }\n#ifdef A\n#else\n#endif\n"), "");
  EXPECT_EQ(open("void f() {\n#if A\n  if (a) {\n#else\n  if (b) {\n#endif\n  }\n}\n"), "");
  EXPECT_EQ(open("#if 0\n{\n#else\nint x;\n#endif\n// {\nchar c = '{';\n"), "");
  EXPECT_EQ(open("void f() {\nvoid g() {}\n"), "9");
  EXPECT_EQ(open("int x;\n}\n"), "7");
  EXPECT_EQ(open("#ifdef A\nint x;\n"), "0");
  EXPECT_EQ(open("#endif\n"), "0");
}

TEST(NativeRewrite, SurvivesConditionsThatEndEarly) {
  const std::string source =
      "#if (CUDA_VERSION + 1 * (2)) >= 3 && !defined(CUDA_VERSION) // x\nint x;\n"
      "#elif CUDA_VERSION\n#else\n#error\n#endif\n#endif\n";
  for (size_t end = 0; end <= source.size(); ++end) Found(source.substr(0, end));
}

TEST(NativeRewrite, DefinesNoMacroAsItself) {
  const std::string source = "#ifndef TORCH_CHECK\n#define TORCH_CHECK AT_CHECK\n#endif\n";
  EXPECT_EQ(Rewritten(source), source);
  EXPECT_EQ(Rewritten("#define CHECK(x) AT_CHECK(x)\n"), "#define CHECK(x) TORCH_CHECK(x)\n");
}

TEST(NativeRewrite, LeavesANameWhereItsSuccessorIsNotDefined) {
  for (const std::string source :
       {"#ifdef TORCH_CHECK\n#define CHECK TORCH_CHECK\n#else\n#define CHECK AT_CHECK\n#endif\n",
        "#if !defined(TORCH_CHECK)\n#define CHECK AT_CHECK\n#endif\n",
        "#ifndef TORCH_CHECK\n#ifdef OLD\n#define CHECK AT_CHECK\n#endif\n#endif\n"}) {
    EXPECT_EQ(Rewritten(source), source);
  }
  EXPECT_EQ(Rewritten("#ifdef TORCH_CHECK\n#define CHECK AT_CHECK\n#endif\n"),
            "#ifdef TORCH_CHECK\n#define CHECK TORCH_CHECK\n#endif\n");
  EXPECT_EQ(Rewritten("#ifndef TORCH_CHECK\n#else\n#define CHECK AT_CHECK\n#endif\n"),
            "#ifndef TORCH_CHECK\n#else\n#define CHECK TORCH_CHECK\n#endif\n");
}

TEST(NativeRewrite, WritesTheTypeOfATensorAsItsOptions) {
  EXPECT_EQ(Rewritten("x = at::full({n}, -1, torch::CUDA(at::kInt));"),
            "x = at::full({n}, -1, at::device(at::kPrivateUse1).dtype(at::kInt));");
  EXPECT_EQ(Rewritten("#define NEW(n) torch::empty({n, 2}, at::CUDA(TYPE))\n"),
            "#define NEW(n) torch::empty({n, 2}, at::device(at::kPrivateUse1).dtype(TYPE))\n");
  EXPECT_EQ(Rewritten("x = at::CUDA(at::kFloat).options();"),
            "x = at::device(at::kPrivateUse1).dtype(at::kFloat);");
}

TEST(NativeRewrite, MovesTheTypeOfATensorBehindItsSizes) {
  EXPECT_EQ(Rewritten("x = at::zeros(torch::CUDA(at::kLong),  {b, c, f(w)});"),
            "x = at::zeros({b, c, f(w)}, at::device(at::kPrivateUse1).dtype(at::kLong));");
  EXPECT_EQ(Rewritten("x = at::zeros(\n    at::CUDA(t),\n    {b, c} // sizes\n);"),
            "x = at::zeros(\n    {b, c}, at::device(at::kPrivateUse1).dtype(t) // sizes\n);");
  EXPECT_EQ(Rewritten("x = at::CUDA(at::kByte).tensorFromBlob(p, {f(torch::kCUDA)});"),
            "x = at::from_blob(p, {f(at::kPrivateUse1)}, "
            "at::device(at::kPrivateUse1).dtype(at::kByte));");
  EXPECT_EQ(Rewritten("x = at::zeros(at::CUDA(k), at::zeros(at::CUDA(l), {2}).sizes());"),
            "x = at::zeros(at::zeros({2}, at::device(at::kPrivateUse1).dtype(l)).sizes(), "
            "at::device(at::kPrivateUse1).dtype(k));");
}

TEST(NativeRewrite, LeavesTheTypeOfATensorWhereNothingTakesOptions) {
  for (const std::string source :
       {"auto& type = at::CUDA(at::kFloat);", "f(torch::CUDA(at::kFloat), {2});",
        "my::zeros(torch::CUDA(at::kFloat), {2});", "at::zeros(torch::CUDA(at::kFloat));",
        "at::zeros({2}, f(torch::CUDA(at::kFloat)));", "at::CUDA(at::kFloat).toString();",
        "at::zeros({torch::CUDA(k), 2}, o);", "at::zeros({2}, &torch::CUDA(k));",
        "at::zeros(torch::CUDA(k), {2\n#if N\n, 3\n#endif\n});"}) {
    EXPECT_EQ(Rewritten(source), source);
    EXPECT_THAT(Found(source), testing::SizeIs(1)) << source;
  }
}

TEST(NativeRewrite, LeavesACallWhoseArgumentStays) {
  EXPECT_EQ(Rewritten("CHECK(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, d));"),
            "CHECK([](int* result, aclrtDevAttr attribute, int device) { int64_t value = 0; const "
            "aclError error = aclrtGetDeviceInfo(device, attribute, &value); *result = "
            "static_cast<int>(value); return error; }(&n, ACL_DEV_ATTR_AICORE_CORE_NUM, d));");
  const std::string source = "cudaDeviceGetAttribute(&n, cudaDevAttrComputeCapabilityMajor, d);";
  EXPECT_EQ(Rewritten(source), source);
  const auto found = Found(source);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].outcome, Outcome::kWithItsUse);
  EXPECT_EQ(found[1].outcome, Outcome::kUnknown);
}

TEST(NativeRewrite, WritesNoArgumentTwiceThatChangesSomething) {
  for (const std::string source :
       {"cudaMemcpy(d, s, i++, k);", "cudaMemcpy(d, s, n = 4, k);", "cudaMemset(p, 0, next());",
        "cudaMemcpyAsync(d, s, it->pop() * 4, k, stream);", "cuMemcpyHtoD(d, s, n -= 4);",
        "#if OLD\ncudaMemcpy(d, s, sizes[--i], k);\n#endif\n",
        "cudaMemset(p, 0, read<int>(file));"}) {
    EXPECT_EQ(Rewritten(source), source);
    const std::vector<NativeFinding> found = Found(source);
    ASSERT_GE(found.size(), 1U) << source;
    EXPECT_EQ(found[0].outcome, Outcome::kTwice) << source;
    EXPECT_FALSE(found[0].argument.empty()) << source;
  }
}

TEST(NativeRewrite, LeavesNoArgumentOutThatChangesSomething) {
  for (const std::string source :
       {"cudaGetErrorString(error = cudaGetLastError());",
        "cudaGetErrorString(cudaDeviceSynchronize());", "cudaStreamWaitEvent(s, e, flags++);",
        "AT_CUDA_CHECK(cudaFuncSetAttribute(k, a, n++));"}) {
    EXPECT_EQ(Rewritten(source).find("acl"), std::string::npos) << source;
    const std::vector<NativeFinding> found = Found(source);
    EXPECT_TRUE(std::ranges::any_of(found, [](const NativeFinding& one) {
      return one.outcome == Outcome::kLost && !one.argument.empty();
    })) << source;
  }
}

TEST(NativeRewrite, WritesTwiceWhatOnlyAsks) {
  EXPECT_EQ(Rewritten("cudaMemset(p, 0, x.numel() * sizeof(next()));"),
            "aclrtMemset(p, x.numel() * sizeof(next()), 0, x.numel() * sizeof(next()));");
  EXPECT_EQ(Rewritten("cudaMemset(p, 0, static_cast<size_t>(a <= b) * int64_t(std::max(a, b)));"),
            "aclrtMemset(p, static_cast<size_t>(a <= b) * int64_t(std::max(a, b)), 0, "
            "static_cast<size_t>(a <= b) * int64_t(std::max(a, b)));");
}

TEST(NativeRewrite, LeavesAllOfACallThatStays) {
  for (const std::string source :
       {"cublasGemmEx(h, CUBLAS_OP_N, n);",
        "cudaMemcpyToSymbol(s, p, n, 0, cudaMemcpyHostToDevice);",
        "cusparseSetStream(h, at::cuda::getCurrentCUDAStream());",
        "cub::DeviceScan::Sum<int>(p, n, cudaStream_t(s));",
        "cudnnFoo(cudaMemcpy(d, s, n, cudaMemcpyDefault));",
        "#define CHECK(x) cudnnFoo(cudaGetErrorString(x), x.is_cuda())\n",
        "cublasSetStream(h, f(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0)));"}) {
    EXPECT_EQ(Rewritten(source), source);
    const std::vector<NativeFinding> found = Found(source);
    ASSERT_GE(found.size(), 2U) << source;
    EXPECT_EQ(found.back().outcome, Outcome::kWithItsUse) << source;
  }
}

TEST(NativeRewrite, LeavesComparisonsAndValuesOfWhatStays) {
  for (const std::string source :
       {"if (cudaEventQuery(e) != cudaSuccess) {}", "if (cudaSuccess == cudaEventQuery(e)) {}",
        "if (cudaGetLastError() == cudaErrorOther) {}",
        "cublasHandle_t const* h = g(at::cuda::getCurrentCUDAStream());"}) {
    EXPECT_EQ(Rewritten(source), source);
    EXPECT_THAT(Found(source), testing::SizeIs(2)) << source;
  }
}

TEST(NativeRewrite, EditsWhatOnlyStandsBesideACallThatStays) {
  EXPECT_EQ(Rewritten("cudaError_t e = cudaEventQuery(v); if (e != cudaSuccess) {}"),
            "aclError e = cudaEventQuery(v); if (e != ACL_SUCCESS) {}");
  EXPECT_EQ(
      Rewritten("cublasHandle_t make(cudaStream_t s, cublasHandle_t h = 0, cudaStream_t t = 0);"),
      "cublasHandle_t make(aclrtStream s, cublasHandle_t h = 0, aclrtStream t = 0);");
  EXPECT_EQ(Rewritten("thrust::run([&] { cudaFree(p); }, cudaSuccess);"),
            "thrust::run([&] { aclrtFree(p); }, cudaSuccess);");
  EXPECT_EQ(Rewritten("f(cudaEventQuery(e), cudaFree(p));"), "f(cudaEventQuery(e), aclrtFree(p));");
  EXPECT_EQ(Rewritten("cublasHandle_t h = 0, *i = x ? h : 0; cudaFree(p);"),
            "cublasHandle_t h = 0, *i = x ? h : 0; aclrtFree(p);");
}

/// The branch is not compiled, so that no declaration shows it.
TEST(NativeRewrite, TellsOfTheShapeOfLaunchesInHostCode) {
  const auto told = [](const std::string& source) {
    std::vector<std::string> ids;
    for (const NativeFinding& finding : Found(source)) {
      if (finding.outcome == Outcome::kNoCounterpart) ids.push_back(finding.rule_id);
    }
    return ids;
  };
  EXPECT_THAT(told("void f() { const dim3 grid(4, 2); add<<<grid, 256>>>(x); }"),
              ElementsAre("dim3"));
  EXPECT_THAT(told("void f(const dim3 grid, dim3 block);"), ElementsAre("dim3", "dim3"));
  EXPECT_THAT(told("#define RUN(k) k<<<dim3(1, 2), 1>>>()"), ElementsAre("dim3"));
  EXPECT_THAT(told("__global__ void k() { dim3 here = gridDim; }"), IsEmpty());
}

TEST(NativeRewrite, LeavesVariablesThatAreNamedAsTheShapeOfALaunch) {
  EXPECT_THAT(Found("int at(int dim2, int dim3) { return dim2 * dim3; }"), IsEmpty());
}

TEST(NativeRewrite, EditsWhatTheShapeOfALaunchIsMadeOf) {
  EXPECT_EQ(Rewritten("dim3 grid = dim3(at::cuda::ATenCeilDiv(n, 256), THCCeilDiv(n, 2));"),
            Rewritten("Grid grid = Grid(at::cuda::ATenCeilDiv(n, 256), THCCeilDiv(n, 2));")
                .replace(0, 4, "dim3")
                .replace(12, 4, "dim3"));
  EXPECT_EQ(Rewritten("dim3 grid(blocks(cudaSuccess)), other = dim3(f(cudaSuccess));"),
            "dim3 grid(blocks(ACL_SUCCESS)), other = dim3(f(ACL_SUCCESS));");
}

TEST(NativeRewrite, LeavesVariablesThatAreNamedAsALibrary) {
  EXPECT_THAT(Found("void f() {\n  Id ncclID;\n#if OLD\n  send(&ncclID);\n#endif\n}\n"),
              testing::IsEmpty());
  EXPECT_THAT(Found("void f() { return cudaSomething; }\n"), testing::SizeIs(1));
  EXPECT_THAT(Found("void f(const cudaSomething, struct cudaSomething);\n"), testing::SizeIs(2));
}

TEST(NativeRewrite, LeavesNamesOfMacrosAndConditions) {
  const std::string source =
      "#ifdef cudaFree\n#undef cudaFree\n#endif\n#ifndef AT_CUDA_CHECK\n#define AT_CUDA_CHECK(x) "
      "x\n#endif\n";
  EXPECT_EQ(Rewritten(source), source);
}

TEST(NativeRewrite, LeavesCommentsAndTexts) {
  const std::string source =
      "// cudaFree(p)\n/* cudaFree */ f(\"cudaFree(p)\", R\"(cudaFree)\");\n";
  EXPECT_EQ(Rewritten(source), source);
}

TEST(NativeRewrite, LeavesNamesOfTheProject) {
  EXPECT_EQ(Rewritten("cudaFree(p);", {"cudaFree"}), "cudaFree(p);");
  EXPECT_EQ(Rewritten("mine::cudaFree(p);"), "mine::cudaFree(p);");
  EXPECT_EQ(Rewritten("pool.cudaFree(p);"), "pool.cudaFree(p);");
  EXPECT_EQ(Rewritten("device_count();"), "device_count();");
}

TEST(NativeRewrite, FollowsNamespaces) {
  EXPECT_EQ(Rewritten("at::cuda::CUDAGuard g(d);"), "c10_npu::NPUGuard g(d);");
  EXPECT_EQ(Rewritten("::c10::cuda::CUDAGuard g(d);"), "::c10_npu::NPUGuard g(d);");
  EXPECT_EQ(Rewritten("auto s = cuda::getCurrentCUDAStream();"),
            "auto s = c10_npu::getCurrentNPUStream();");
  EXPECT_EQ(Rewritten("c10::cuda::CUDAStream::unpack(x);"), "c10_npu::NPUStream::unpack(x);");
  EXPECT_EQ(Rewritten("using namespace at::cuda;"), "using namespace c10_npu;");
  EXPECT_EQ(Rewritten("namespace at { namespace cuda {}}"), "namespace at { namespace cuda {}}");
}

TEST(NativeRewrite, ChangesTheKeyOfATorchLibrary) {
  EXPECT_EQ(Rewritten("TORCH_LIBRARY_IMPL(ops, CUDA, m) {}"),
            "TORCH_LIBRARY_IMPL(ops, PrivateUse1, m) {}");
  EXPECT_EQ(Rewritten("TORCH_LIBRARY_IMPL(ops, CPU, m) {}"), "TORCH_LIBRARY_IMPL(ops, CPU, m) {}");
}

TEST(NativeRewrite, ReportsWhatItCannotWrite) {
  const std::map<std::string, Outcome> expected = {
      {"cudaMemcpy3D(&p);", Outcome::kNoCounterpart},
      {"cudaEventQuery(e);", Outcome::kNoCounterpart},
      {"cudaMemset(p, n);", Outcome::kArguments},
      {"auto f = &cudaMemset;", Outcome::kArguments},
      {"cudnnSetTensor4dDescriptor(d);", Outcome::kUnknown},
      {"x.cuda();", Outcome::kUnsure},
      {"#include <cub/cub.cuh>\n", Outcome::kNoCounterpart}};
  for (const auto& [source, outcome] : expected) {
    const std::vector<NativeFinding> found = Found(source);
    ASSERT_EQ(found.size(), 1U) << source;
    EXPECT_EQ(found[0].outcome, outcome) << source;
    EXPECT_TRUE(found[0].fix.empty()) << source;
  }
}

TEST(NativeRewrite, LeavesCodeThatRunsOnAGpuAlone) {
  const std::string device =
      "__global__ void k(int n) { int i = THCCeilDiv(n, 2); cudaFree(0); }\n"
      "static __device__ __forceinline__ int f(int n) { return THCCeilDiv(n, 2); }\n";
  EXPECT_TRUE(Found(device).empty());
  EXPECT_EQ(Rewritten(device + "int g(int n) { return THCCeilDiv(n, 2); }\n"),
            device + "int g(int n) { return at::ceil_div(n, 2); }\n");
  EXPECT_EQ(Rewritten("__host__ __device__ int f(int n) { return THCCeilDiv(n, 2); }\n"),
            "__host__ __device__ int f(int n) { return at::ceil_div(n, 2); }\n");
  EXPECT_EQ(Rewritten("__device__ inline __host__ int f(int n) { return THCCeilDiv(n, 2); }\n"),
            "__device__ inline __host__ int f(int n) { return at::ceil_div(n, 2); }\n");
}

TEST(NativeRewrite, IncludesNoHeaderTwice) {
  EXPECT_EQ(
      Rewritten("#include <cuda.h>\n#include <vector>\n  #include <cuda_runtime.h>\nint x;\n"),
      "#include <acl/acl.h>\n#include <vector>\nint x;\n");
  EXPECT_EQ(Rewritten("#include <acl/acl.h>\r\n#include <cuda.h>\r\nint x;\r\n"),
            "#include <acl/acl.h>\r\nint x;\r\n");
  EXPECT_EQ(Rewritten("#include <cuda.h>\n#include <cuda_runtime.h>  // why\n"),
            "#include <acl/acl.h>\n#include <acl/acl.h>  // why\n");
}

TEST(NativeRewrite, IncludesAHeaderInEachBranchThatNeedsIt) {
  EXPECT_EQ(Rewritten("#if A\n#include <cuda.h>\n#else\n#include <cuda_runtime.h>\n#endif\n"
                      "#include <cuda_runtime_api.h>\n#ifdef B\n#include <cuda.h>\n#endif\n"),
            "#if A\n#include <acl/acl.h>\n#else\n#include <acl/acl.h>\n#endif\n"
            "#include <acl/acl.h>\n#ifdef B\n#endif\n");
}

TEST(NativeRewrite, DropsVariablesThatNothingNeedsAnyMore) {
  EXPECT_EQ(Rewritten("void f() {\n  THCState* state = get();\n  g();\n}\n"),
            "void f() {\n  g();\n}\n");
  EXPECT_EQ(Rewritten("void f() { THCState* s = get(); THCudaFree(s, p); }\n"
                      "void g() { THCState* s = get(); THCudaFree(s, q); }\n"),
            "void f() { c10_npu::NPUCachingAllocator::raw_delete(p); }\n"
            "void g() { c10_npu::NPUCachingAllocator::raw_delete(q); }\n");
  EXPECT_EQ(Rewritten("void f() { THCState* s = state; g(); THCudaFree(s, p); }\n"),
            "void f() { g(); c10_npu::NPUCachingAllocator::raw_delete(p); }\n");
  const std::string needed = "void f() { THCState* s = get(); other(s); }\n";
  EXPECT_EQ(Rewritten(needed), needed);
  const std::string passed = "void f(THCState* s, int n);\n";
  EXPECT_EQ(Rewritten(passed), passed);
  ASSERT_EQ(Found(passed).size(), 1U);
  EXPECT_EQ(Found(passed)[0].outcome, Outcome::kNoCounterpart);
}

/// Each took minutes before.
TEST(NativeRewrite, TakesTimeInProportionToTheText) {
  std::string braces = "void f(void* p) {";
  std::string macro = "#define ALL ";
  std::string calls;
  for (int i = 0; i < 100'000; ++i) {
    braces += '{';
    macro += "\\\n  cudaFree(p);";
    if (i < 20'000) calls += "cublasFoo(cudaSuccess, ";
  }
  EXPECT_EQ(Found(braces + " cudaFree(p);").size(), 1U);
  EXPECT_EQ(Found(macro + "\n").size(), 100'000U);
  EXPECT_EQ(Found(calls + "0" + std::string(20'000, ')')).size(), 40'000U);
}

TEST(NativeRewrite, SurvivesTextsThatEndEarly) {
  const std::string source =
      "#include <cuda.h>\n#include <cuda_runtime.h>\n#if A\nTHCState* s = f(1, 2);\n#define F(x) "
      "cudaMemcpy(x,\ncudaMalloc(&p, cudaMemset(a, b, c));\nx.type().is_cuda();\n"
      "at::cuda::getCurrentCUDAStream<int>(\n";
  for (size_t end = 0; end <= source.size(); ++end) {
    const std::string text = source.substr(0, end);
    EXPECT_NO_FATAL_FAILURE(Rewritten(text)) << text;
  }
}

}  // namespace
}  // namespace transplt
