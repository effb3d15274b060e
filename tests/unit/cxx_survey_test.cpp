// SPDX-License-Identifier: Apache-2.0
// What declarations decide: which names are the project's, what an object is, which cast is
// missing.
#include <gmock/gmock.h>

#include <set>

#include "tests/unit/cxx_project.h"
#include "transplt/cxx/survey.h"
#include "transplt/native/operator_index.h"

namespace transplt {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Outcome = NativeFinding::Outcome;

TEST(CxxSurvey, LeavesMethodsOfTheProject) {
  const std::string source =
      "struct Box { bool is_cuda() const { return true; } Box cuda() const { return *this; } };\n"
      "bool f(Box b, Box* p) { return b.is_cuda() && p->is_cuda() && b.cuda().is_cuda(); }\n";
  EXPECT_EQ(EditedByCxx(source), source);
}

TEST(CxxSurvey, KnowsWhatAnObjectIs) {
  EXPECT_EQ(
      EditedByCxx("struct Box { bool is_cuda(); };\n"
                  "bool f(const at::Tensor& x, torch::Tensor y, Box b, std::vector<at::Tensor> v)"
                  " {\n  return x.is_cuda() && y.device().is_cuda() && b.is_cuda() && "
                  "v[0].is_cuda() && x.type().is_cuda();\n}\n"),
      "struct Box { bool is_cuda(); };\n"
      "bool f(const at::Tensor& x, torch::Tensor y, Box b, std::vector<at::Tensor> v)"
      " {\n  return x.is_privateuseone() && y.device().is_privateuseone() && b.is_cuda() && "
      "v[0].is_privateuseone() && x.is_privateuseone();\n}\n");
}

TEST(CxxSurvey, LeavesFunctionsVariablesAndMacrosOfTheProject) {
  const std::string source =
      "void cudaFree(int) {}\nnamespace n { int cudaSuccess; }\n#define cudaMemset(p) p\n"
      "void f(int cudaMalloc) { cudaFree(1); n::cudaSuccess = cudaMalloc; cudaMemset(2); }\n"
      "void cudaCheckError() {}\nvoid g() { cudaCheckError(); }\n";
  EXPECT_EQ(EditedByCxx(source), source);
}

TEST(CxxSurvey, TellsTheShapeOfALaunchFromAVariableOfItsName) {
  CxxProject project;
  project.Add("a.cu",
              "__host__ __device__ int at(int dim2, int dim3) { dim2 *= dim3; return dim2; }\n"
              "void f(int n) { dim3 grid(n, 1); }\n");
  const auto sources = project.Survey();
  ASSERT_EQ(sources[0].findings.size(), 1U);
  EXPECT_EQ(sources[0].findings[0].rule_id, "dim3");
}

TEST(CxxSurvey, LooksForWhatAKernelUsesInHeaders) {
  CxxProject project;
  project.Add("a.cu",
              "#include \"outer.h\"\n__global__ void k(int* x) { *x = SUM(*x); }\n"
              "#if OLD\n__global__ void other(int* x) { *x = SUM(*x); }\n#endif\n");
  project.Add("b.cu", "__global__ void k(int* x) { *x = SUM(*x); }\n");
  project.Add("inc/outer.h", "#include \"warp.h\"\n#define SUM(x) SHIFT(x)\n");
  project.Add("inc/warp.h", "#pragma once\n#define SHIFT(x) __shfl_xor_sync(1, x, 1)\n");
  project.request().files.resize(2);  // no word of CUDA's is in the headers
  project.request().include_folders = {"inc"};
  const auto sources = project.Survey();
  ASSERT_EQ(sources[0].kernels.size(), 2U);
  EXPECT_THAT(sources[0].kernels[0].features, ElementsAre("kernel", "kernel.warp"));
  EXPECT_THAT(sources[0].kernels[1].features, ElementsAre("kernel", "kernel.warp"));
  EXPECT_THAT(sources[1].kernels[0].features, ElementsAre("kernel"));
}

TEST(CxxSurvey, LeavesNamesThatAnotherSourceDeclares) {
  CxxProject project;
  project.Add("inc/check.h",
              "#pragma once\ninline void cudaCheckLast() {}\n#define cudaFreeAll(x) x\n");
  project.Add("a.cu",
              "#include \"check.h\"\nvoid f() { cudaCheckLast(); cudaFreeAll(1); }\n"
              "#if OLD\nvoid g() { cudaCheckLast(); }\n#endif\n");
  project.request().include_folders = {"inc"};
  const auto sources = project.Survey();
  EXPECT_THAT(sources[1].findings, IsEmpty());
  EXPECT_THAT(sources[1].missing_headers, IsEmpty());
}

TEST(CxxSurvey, TakesANameOfTorchInFullForItsOwnAndNotForTheProjects) {
  CxxProject project;
  project.Add("cpu.h",
              "namespace mine { template <typename T> int getTensorInfo(T t) { return 1; } }\n"
              "namespace at { namespace cuda { namespace utils { int blocks() { return 1; } } } }\n"
              "int getCurrentCUDAStream();\n");
  project.Add("a.cu",
              "#if OLD\nvoid f() {\n  at::cuda::detail::getTensorInfo<int>(t);\n"
              "  at::cuda::utils::blocks();\n  at::cuda::getCurrentCUDAStream();\n}\n#endif\n");
  const auto sources = project.Survey();
  ASSERT_EQ(sources[1].findings.size(), 2);
  EXPECT_EQ(sources[1].findings[0].outcome, Outcome::kUnknown);
  EXPECT_THAT(project.Edited(sources[1]),
              HasSubstr("utils::blocks();\n  c10_npu::getCurrentNPUStream();"));
}

TEST(CxxSurvey, LeavesADeclarationInPlaceOfAHeaderOfCuda) {
  EXPECT_EQ(EditedByCxx("typedef struct CUstream_st* CUstream;\nvoid f(CUstream s);\n"),
            "typedef struct CUstream_st* CUstream;\nvoid f(aclrtStream s);\n");
}

TEST(CxxSurvey, CastsWhereTheTypeAsksForIt) {
  EXPECT_EQ(EditedByCxx("void f(size_t n) { float* p; void* q; uint32_t u; int c;\n"
                        "  cudaMalloc(&p, n); cudaMalloc(&q, n);\n"
                        "  cudaGetDeviceCount(&c); }\n"),
            "void f(size_t n) { float* p; void* q; uint32_t u; int c;\n"
            "  aclrtMalloc((void**)&p, n, ACL_MEM_MALLOC_HUGE_FIRST); aclrtMalloc(&q, n, "
            "ACL_MEM_MALLOC_HUGE_FIRST);\n"
            "  aclrtGetDeviceCount((uint32_t*)&c); }\n");
}

TEST(CxxSurvey, CastsInTemplatesToo) {
  EXPECT_EQ(EditedByCxx("template <class T> void get(T** p, size_t n) { cudaMalloc(p, n); }\n"),
            "template <class T> void get(T** p, size_t n) { aclrtMalloc((void**)p, n, "
            "ACL_MEM_MALLOC_HUGE_FIRST); }\n");
}

TEST(CxxSurvey, ListsAFunctionOnceThatATemplateIsMadeInto) {
  CxxProject project;
  project.Add("a.cu",
              "template <class T> constexpr T twice(T x) { return x + x; }\n"
              "__global__ void k(int* p) { p[0] = twice(1) + twice(2L); }\n"
              "void f(cudaStream_t s) { k<<<twice(1), 1, 0, s>>>(nullptr); }\n");
  const auto sources = project.Survey();
  std::vector<std::string> names;
  for (const NativeFunction& function : sources[0].functions) names.push_back(function.name);
  EXPECT_THAT(names, ElementsAre("twice", "f"));
  EXPECT_EQ(sources[0].functions.back().parameters[0].type, "aclrtStream");
}

/// What becomes of `cudaMemset(p, 0, argument)` behind `before`.
std::string WithArgument(const std::string& before, const std::string& argument) {
  const std::string head = before + "\nvoid f(char* p, int* q, int i, std::vector<int> v) { ";
  const std::string edited = EditedByCxx(head + "cudaMemset(p, 0, " + argument + "); }\n");
  return edited.substr(head.size(), edited.size() - head.size() - 3);
}

TEST(CxxSurvey, WritesNoArgumentTwiceThatChangesSomething) {
  for (const auto& [before, argument] : std::vector<std::pair<std::string, std::string>>{
           {"", "i++"},
           {"", "i += 4"},
           {"", "*q++ * sizeof(int)"},
           {"", "v.back() = 4"},
           {"#define NEXT i++", "NEXT"},
           {"int last; int next() { return last++; }", "next()"},
           {"int next();", "next() * 4"},
           {"int take(int& n) { n = 2; return n; }", "take(i)"},
           {"int fill(int* n) { n[0] = 2; return 1; }", "fill(q)"},
           {"struct R { int n; int pop() { return n--; } }; R r;", "r.pop()"},
           {"struct R { mutable int n; int at(int) const { return n--; } }; R r;", "r.at(1)"},
           {"", "[&] { return i++; }()"},
           {"int n() { printf(\"%d\", 1); return 1; }", "n()"},
           {"int n() { static int calls; return ++calls; }", "n()"}}) {
    EXPECT_EQ(WithArgument(before, argument), "cudaMemset(p, 0, " + argument + ");") << before;
  }
}

TEST(CxxSurvey, WritesTwiceWhatIsSeenToChangeNothing) {
  for (const auto& [before, argument] : std::vector<std::pair<std::string, std::string>>{
           {"", "v.size() * sizeof(int)"},
           {"", "v[1] * v.at(2) + v.front()"},
           {"", "sizeof(i++)"},
           {"", "std::max(i, 4)"},
           {"int volume(std::vector<int>& v) { int n = 1; for (int d : v) n *= d; return n; }",
            "volume(v)"},
           {"constexpr int up(int n) { return (n + 31) / 32; }", "up(i) * 4"},
           {"#define UP(n, m) (((n) + (m) - 1) / (m))", "UP(i, 32)"},
           {"struct S { int n; int size() const; int rank() { return n; } }; S s;",
            "s.size() + s.rank()"},
           {"at::Tensor t;", "t.numel() * t.element_size()"},
           {"at::Tensor t;", "at::ceil_div(t.size(0), t.size(1))"}}) {
    EXPECT_EQ(WithArgument(before, argument),
              "aclrtMemset(p, " + argument + ", 0, " + argument + ");")
        << before;
  }
}

TEST(CxxSurvey, LooksIntoTheUsesOfAMacro) {
  const std::string macro = "#define CLEAR(p, n) cudaMemset(p, 0, n)\n";
  CxxProject project;
  project.Add("clear.h", macro);
  project.Add("quiet.h", "#define QUIET(p, n) cudaMemset(p, 0, n)\n");
  project.Add("a.cu",
              "#include \"clear.h\"\n#include \"quiet.h\"\n"
              "void f(char* p, int i) { CLEAR(p, i); CLEAR(p, i++); QUIET(p, i * 4); }\n");
  const auto sources = project.Survey();
  EXPECT_EQ(project.Edited(sources[0]), macro);
  EXPECT_EQ(project.Edited(sources[1]), "#define QUIET(p, n) aclrtMemset(p, n, 0, n)\n");
}

TEST(CxxSurvey, EditsBodiesOfMacrosByTheirUse) {
  EXPECT_EQ(
      EditedByCxx("struct Box { bool is_cuda(); };\n"
                  "#define CHECK_CUDA(x) TORCH_CHECK(x.is_cuda(), #x \" must be a CUDA tensor\")\n"
                  "#define CHECK_BOX(x) TORCH_CHECK(x.is_cuda())\n"
                  "void f(at::Tensor x, Box b) { CHECK_CUDA(x); CHECK_BOX(b); }\n"),
      "struct Box { bool is_cuda(); };\n"
      "#define CHECK_CUDA(x) TORCH_CHECK(x.is_privateuseone(), #x \" must be a CUDA tensor\")\n"
      "#define CHECK_BOX(x) TORCH_CHECK(x.is_cuda())\n"
      "void f(at::Tensor x, Box b) { CHECK_CUDA(x); CHECK_BOX(b); }\n");
}

TEST(CxxSurvey, EditsCallsWithinArgumentsOfMacrosAndLambdas) {
  EXPECT_EQ(EditedByCxx("#define CHECK(x) do { if ((x) != cudaSuccess) abort(); } while (0)\n"
                        "void f(at::Tensor x, float* p, float* q) {\n"
                        "  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), \"cudaFree\", [&] {\n"
                        "    CHECK(cudaMemcpy(p, q, sizeof(scalar_t), cudaMemcpyDeviceToHost));\n"
                        "  });\n}\n"),
            "#define CHECK(x) do { if ((x) != ACL_SUCCESS) abort(); } while (0)\n"
            "void f(at::Tensor x, float* p, float* q) {\n"
            "  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), \"cudaFree\", [&] {\n"
            "    CHECK(aclrtMemcpy(p, sizeof(scalar_t), q, sizeof(scalar_t), "
            "ACL_MEMCPY_DEVICE_TO_HOST));\n"
            "  });\n}\n");
}

TEST(CxxSurvey, FollowsUsingNamespace) {
  EXPECT_EQ(
      EditedByCxx("using namespace at::cuda;\nvoid f(at::Tensor x) { CUDAGuard g(x.device()); "
                  "cudaStream_t s = getCurrentCUDAStream(); }\n"),
      "using namespace c10_npu;\nvoid f(at::Tensor x) { c10_npu::NPUGuard g(x.device()); "
      "aclrtStream s = c10_npu::getCurrentNPUStream(); }\n");
}

TEST(CxxSurvey, GoesOnWithoutHeadersAndTypes) {
  CxxProject project;
  project.Add("a.cu",
              "#include \"not/there.h\"\n#include <torch/extension.h>\n"
              "Unknown f(Unknown z, at::Tensor x) { cudaFree(x.data_ptr()); return z; }\n");
  const auto sources = project.Survey();
  EXPECT_THAT(project.Edited(sources[0]), HasSubstr("aclrtFree(x.data_ptr())"));
  EXPECT_THAT(sources[0].missing_headers, Contains("not/there.h"));
}

/// Clang goes astray at __LINE__ where it cannot read again what it has read before.
TEST(CxxSurvey, ReadsLineNumbersInMacros) {
  EXPECT_EQ(EditedByCxx("int at(int line);\nvoid f() { C10_CUDA_CHECK(at(__LINE__) ? cudaSuccess : "
                        "cudaGetLastError()); }\n"),
            "int at(int line);\nvoid f() { NPU_CHECK_ERROR(at(__LINE__) ? ACL_SUCCESS : "
            "aclrtGetLastError(ACL_RT_THREAD_LEVEL)); }\n");
}

TEST(CxxSurvey, ListsKernelsLaunchesAndBindings) {
  CxxProject project;
  project.Add("ops.cpp",
              "at::Tensor add(at::Tensor x);\nUnknown odd(Unknown);\n"
              "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"add\", &add); "
              "m.def(\"odd\", &odd); }\n");
  project.Add("add.cu",
              "__global__ void add_kernel(float* x) { x[0] += 1; }\n"
              "void launch(at::Tensor x) { add_kernel<<<1, 2>>>(x.data_ptr<float>()); }\n"
              "at::Tensor add(at::Tensor x) { launch(x); return x; }\n");
  const auto sources = project.Survey();
  ASSERT_EQ(sources[0].bindings.size(), 2U);
  EXPECT_EQ(sources[0].bindings[1].function, "odd");
  ASSERT_EQ(sources[1].kernels.size(), 1U);
  ASSERT_EQ(sources[1].launches.size(), 1U);
  EXPECT_EQ(sources[1].launches[0].kernel, "add_kernel");
  const auto& functions = sources[1].functions;
  const auto add = std::find_if(functions.begin(), functions.end(),
                                [](const auto& function) { return function.name == "add"; });
  ASSERT_NE(add, functions.end());
  EXPECT_THAT(add->calls, Contains("launch"));
  EXPECT_THAT(add->signature, HasSubstr("Tensor"));
}

TEST(CxxSurvey, NamesTheKernelsThatAFunctionStarts) {
  CxxProject project;
  project.Add("a.cu", "__global__ void kernel(int*);\nvoid run(int* x) { kernel<<<1, 1>>>(x); }\n");
  project.Add("b.cu", "__global__ void kernel(int* x) { *x = 1; }\n");
  const auto sources = project.Survey();
  ASSERT_FALSE(sources[0].functions.empty());
  EXPECT_THAT(sources[0].functions[0].calls, Contains("kernel"));
}

TEST(CxxSurvey, NamesTheKernelsThatAMacroMakesForAFunction) {
  CxxProject project;
  project.Add("a.cu",
              "__global__ void add_out(int*) {}\n__global__ void mul_out(int*) {}\n"
              "#define FORWARD(NAME) void NAME##_forward(int* x) { NAME##_out<<<1, 1>>>(x); }\n"
              "FORWARD(add)\nFORWARD(mul)\n"
              "#define RUN(N) N##_forward(nullptr)\nvoid run() { RUN(mul); }\n");
  const auto sources = project.Survey();
  std::map<std::string, std::set<std::string>> calls;
  for (const NativeFunction& function : sources[0].functions) {
    calls[function.name] = function.calls;
  }
  EXPECT_THAT(calls["add_forward"], ElementsAre("add_forward", "add_out"));
  EXPECT_THAT(calls["mul_forward"], ElementsAre("mul_forward", "mul_out"));
  EXPECT_THAT(calls["run"], ElementsAre("mul_forward", "run"));
}

TEST(CxxSurvey, NamesWhatAMacroOfAHeaderMakes) {
  CxxProject project;
  project.Add("dispatch.h",
              "#ifdef WITH_CUDA\n#define DISPATCH(X, NAME, ...) \\\n"
              "  if ((X).is_cuda()) return NAME##_cuda(__VA_ARGS__); \\\n"
              "  return NAME##_cpu(__VA_ARGS__);\n"
              "#else\n#define DISPATCH(X, NAME, ...) return NAME##_cpu(__VA_ARGS__);\n#endif\n");
  project.Add("a.cpp",
              "#include <torch/extension.h>\n#include \"dispatch.h\"\n"
              "int sum_cuda(const at::Tensor& x);\nint sum_cpu(const at::Tensor& x);\n"
              "int sum(const at::Tensor& x) { DISPATCH(x, sum, x) }\n");
  project.Add("b.cu",
              "#include <torch/extension.h>\nint sum_cuda(const at::Tensor& x) { return 1; }\n"
              "int sum_cpu(const at::Tensor& x) { return 2; }\n");
  project.request().include_folders = {"."};
  for (const NativeSource& source : project.Survey()) {
    for (const NativeFunction& function : source.functions) {
      if (function.name != "sum") continue;
      EXPECT_THAT(function.calls, ElementsAre("sum", "sum_cpu", "sum_cuda"));
    }
  }
}

TEST(CxxSurvey, GoesThroughApplyOfAFunctionOfAutograd) {
  CxxProject project;
  project.Add("a.cu",
              "#include <torch/extension.h>\n__global__ void k(int* x) { *x = 1; }\n"
              "void on_cuda(int* x) { k<<<1, 1>>>(x); }\n"
              "class Sum : public torch::autograd::Function<Sum> {\n public:\n"
              "  static torch::Tensor forward(int* x) { on_cuda(x); return {}; }\n};\n"
              "torch::Tensor sum(int* x) { return Sum::apply(x); }\n"
              "static auto r = torch::RegisterOperators().op(\"ops::sum\", &sum);\n");
  const std::vector<NativeSource> sources = project.Survey();
  const OperatorIndex index({&sources[0]});
  ASSERT_EQ(index.operators().size(), 1U);
  EXPECT_THAT(index.operators()[0].kernels, testing::ElementsAre("k"));
}

TEST(CxxSurvey, ListsWhatASourceIsLinkedWith) {
  CxxProject project;
  project.Add("ops.h",
              "#pragma once\nnamespace ops {\nextern int limit;\nint far(int);\nint unused(int);\n"
              "inline int near(int x) { return x; }\nstruct Box { Box(); int area() const; "
              "int side() const { return 1; } };\n}\n");
  project.Add(
      "a.cpp",
      "#include \"ops.h\"\nint own(int);\nextern \"C\" void c_one();\n"
      "static int hidden(int x);\nint use() { ops::Box b; c_one(); at::Tensor t; t.numel();\n"
      "  return ops::limit + ops::far(1) + ops::near(2) + own(3) + b.area() + b.side() + "
      "hidden(1); }\nint own(int x) { return x; }\nstatic int hidden(int x) { return x; }\n"
      "int counter = 0;\nstatic int secret;\nconst int fixed = 1;\n");
  project.request().include_folders = {"."};
  const auto sources = project.Survey();
  EXPECT_THAT(sources[1].undefined,
              ElementsAre("c_one", "ops::Box::Box", "ops::Box::area", "ops::far", "ops::limit"));
  EXPECT_THAT(sources[1].variables, ElementsAre("counter"));
}

TEST(CxxSurvey, LeavesHeadersOfTheProjectThatHaveNamesOfCuda) {
  CxxProject project;
  project.Add("cuda_utils.h", "#define MAX_THREADS 512\n");
  project.Add("a.cu", "#include \"cuda_utils.h\"\nint x = MAX_THREADS;\n");
  EXPECT_THAT(project.Survey()[1].findings, IsEmpty());
}

TEST(CxxSurvey, FindsWhatDoesNotFitTheDeclarations) {
  CxxProject project;
  project.Add("a.cu",
              "void f(int* n) {\n  cudaError_t e = cudaGetDevice(n);\n"
              "  cudaStream_t s = 0;\n  s->flags = e;\n}\n");
  const auto sources = project.Survey();
  ASSERT_EQ(sources[0].mismatches.size(), 1U);
  EXPECT_THAT(sources[0].mismatches[0].message, HasSubstr("is not a structure"));
}

/// What a template does with a type shows in the bodies that are made for it, of the templates that
/// an edit lies in and of those that lead to them.
TEST(CxxSurvey, TellsWhatStaysInAMacroOnceAndNotAtEachUse) {
  CxxProject project;
  project.Add(
      "check.h",
      "#define CHECK(x) do { cudaError_t e = (x); if (e) puts(cudaGetErrorName(e)); } while (0)\n");
  project.Add(
      "a.cu",
      "#include \"check.h\"\n"
      "#define CHECK_HERE(x) do { cudaError_t e = (x); puts(cudaGetErrorName(e)); } while (0)\n"
      "void f(void* p) { CHECK(cudaFree(p)); CHECK_HERE(cudaFree(p)); }\n");
  const auto sources = project.Survey();
  EXPECT_THAT(sources[0].mismatches, IsEmpty());
  EXPECT_THAT(sources[1].mismatches, IsEmpty());
}

TEST(CxxSurvey, ChecksWhatEditedTemplatesAreMadeInto) {
  const auto wrong_in = [](const std::string& use) {
    CxxProject project;
    project.Add("a.cu",
                "template <int N, class T> void wait(T s) { cudaStreamSynchronize(s); s->n = N; }\n"
                "template <class T> void lead(T s) { wait<1>(s); wait<2>(s); }\n"
                "template <class T> __global__ void kernel(T s) { s->n = 1; }\n" +
                    use);
    std::set<uint32_t> places;
    for (const NativeDiagnostic& one : project.Survey()[0].mismatches) places.insert(one.offset);
    return places.size();
  };
  EXPECT_EQ(wrong_in(""), 0U);
  EXPECT_EQ(wrong_in("void f(cudaStream_t s) { lead(s); }\n"), 1U);
  EXPECT_EQ(wrong_in("void f(cudaStream_t s) { wait<3>(s); kernel<<<1, 1>>>(s); }\n"), 1U);
  EXPECT_EQ(wrong_in("void f(cudaStream_t s) { kernel<<<1, 1>>>(s); }\n"), 0U);
}

/// The result shows what `x` is, the original does not.
TEST(CxxSurvey, TakesNoMethodOfATensorForAMistake) {
  CxxProject project;
  project.Add("a.cpp",
              "#include <torch/extension.h>\nat::Tensor f(at::Tensor m, at::Tensor y) {\n"
              "  auto x = at::zeros(torch::CUDA(at::kFloat), {2, 3});\n"
              "  x.masked_scatter_(m, y);\n  x.view({1, -1}).index_put_({m, m}, y);\n"
              "  auto [top, at] = x.topk(3);\n  auto best = std::get<0>(x.max(0));\n"
              "  auto z = torch::cat({x, y}, 0);\n  at::Tensor one = at::max(x);\n"
              "  return x.index({torch::indexing::Slice(), m}).sum({0, 1}) + x.max();\n}\n");
  const auto sources = project.Survey();
  ASSERT_EQ(sources[0].findings.size(), 1U);
  for (const NativeDiagnostic& mismatch : sources[0].mismatches) {
    ADD_FAILURE() << mismatch.message;
  }
}

TEST(CxxSurvey, ChecksAgainstMigratedHeaders) {
  CxxProject project;
  project.Add("check.h", "#define CHECK(x) do { cudaError_t e = (x); (void)e; } while (0)\n");
  project.Add("a.cu", "#include \"check.h\"\nvoid f(void* p) { CHECK(cudaFree(p)); }\n");
  for (const NativeSource& source : project.Survey()) EXPECT_THAT(source.mismatches, IsEmpty());
}

TEST(CxxSurvey, ReadsWhatIsMissingAsAnError) {
  CxxProject project;
  project.request().files = {"gone.cu"};
  EXPECT_EQ(project.Survey()[0].error.en, "cannot be read");
}

TEST(CxxSurvey, TravelsAsJson) {
  CxxProject project;
  project.Add("a.cu",
              "__global__ void k() { __syncthreads(); }\nvoid f(int* p) { cudaFree(p); "
              "cudaMemcpy3D(p); k<<<1, 1>>>(); }\nPYBIND11_MODULE(m, m) { m.def(\"f\", &f); }\n");
  const NativeAnswer answer{project.Survey()};
  const auto read = NativeAnswer::FromJson("answer", answer.ToJson());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->ToJson(), answer.ToJson());
  EXPECT_FALSE(NativeAnswer::FromJson("answer", "{}"));
  EXPECT_FALSE(NativeAnswer::FromJson("answer", R"({"version": 1, "sources": [{}]})"));
  EXPECT_FALSE(NativeRequest::FromJson("request", "no JSON"));
}

TEST(CxxSurvey, KnowsWhatIsIncludedWithinBraces) {
  CxxProject project;
  project.Add("a.h", "int a;\n");
  project.Add("b.inc", "int b;\n");
  project.Add("c.cpp", "#include \"a.h\"\nnamespace c {\n#include \"b.inc\"\n}\n");
  EXPECT_THAT(project.Survey()[2].parts, ElementsAre("b.inc"));
}

}  // namespace
}  // namespace transplt
