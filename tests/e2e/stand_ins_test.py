#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`--enable cxx-stand-ins`: C++ sources in place of the CUDA sources of an extension. Where torch
can compile, one extension is built of them and run with tensors of a device whose memory is the
host's."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import program  # noqa: E402
from program import ProgramTest, rows_of  # noqa: E402

NEEDS = unittest.skipUnless(program.has_cxx(), "transplt-cxx was not built")
HERE = pathlib.Path(__file__).resolve().parent

SETUP = """\
import glob
import os

import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension

sources = glob.glob(os.path.join("src", "*.cpp")) + glob.glob(os.path.join("src", "cpu", "*.cpp"))
extension = CppExtension
macros = []
if torch.cuda.is_available() and CUDA_HOME is not None:
    extension = CUDAExtension
    sources += glob.glob(os.path.join("src", "cuda", "*.cu"))
    macros += [("WITH_CUDA", None)]
else:
    raise NotImplementedError("CUDA is missing")

setup(name="ops", ext_modules=[extension("ops_ext", sources, define_macros=macros,
                                         extra_compile_args={"nvcc": ["-O3"], "cxx": ["-O0"]})],
      cmdclass={"build_ext": BuildExtension})
"""
VISION = """\
#include <torch/extension.h>
#include "ops.h"

at::Tensor shift(const at::Tensor& x, at::Tensor out, double by) {
  if (x.device().is_cpu()) return cpu::shift_cpu(x, out, by);
  return shift_cuda(x, out, by);
}
std::tuple<at::Tensor, at::Tensor> split(at::Tensor x) {
  if (x.device().is_cpu()) return split_cpu(x);
  return split_cuda(x);
}
std::vector<at::Tensor> doubled(std::vector<at::Tensor> xs, c10::optional<at::Tensor> more) {
  if (xs[0].device().is_cpu()) return doubled_cpu(xs, more);
  return doubled_cuda(xs, more);
}
int64_t fill(at::Tensor& x, at::Tensor& same, at::Tensor& longer) {
  if (x.device().is_cpu()) return fill_cpu(x, same, longer);
  return fill_cuda(x, same, longer);
}
at::Tensor roll(at::Tensor x) {
  if (x.device().is_cpu()) return roll_cpu(x);
  return roll_cuda(x);
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("shift", &shift);
  m.def("split", &split);
  m.def("doubled", &doubled);
  m.def("fill", [](at::Tensor x, at::Tensor same, at::Tensor longer) {
    const int64_t count = fill(x, same, longer);
    return std::make_tuple(count, x);
  });
  m.def("roll", &roll);
  m.def("inside_cpu", &inside_cpu);
  m.def("inside_gpu", &inside_gpu);
}
"""
HEADER = """\
#pragma once
#include <torch/extension.h>
namespace cpu {
at::Tensor shift_cpu(const at::Tensor& x, at::Tensor out, double by);
}
std::tuple<at::Tensor, at::Tensor> split_cpu(at::Tensor x);
std::vector<at::Tensor> doubled_cpu(std::vector<at::Tensor> xs, c10::optional<at::Tensor> more);
int64_t fill_cpu(at::Tensor& x, at::Tensor& same, at::Tensor& longer);
at::Tensor roll_cpu(at::Tensor x);
at::Tensor inside_cpu(at::Tensor boxes, at::Tensor points);
at::Tensor shift_cuda(const at::Tensor& x, at::Tensor out, double by);
std::tuple<at::Tensor, at::Tensor> split_cuda(at::Tensor x);
std::vector<at::Tensor> doubled_cuda(std::vector<at::Tensor> xs, c10::optional<at::Tensor> more);
int64_t fill_cuda(at::Tensor& x, at::Tensor& same, at::Tensor& longer);
at::Tensor roll_cuda(at::Tensor x);
at::Tensor inside_gpu(at::Tensor boxes, at::Tensor points);
"""
TWINS = """\
#include "../ops.h"

namespace cpu {
at::Tensor shift_cpu(const at::Tensor& x, at::Tensor out, double by) {
  const float* from = x.data_ptr<float>();
  float* to = out.data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = from[i] + static_cast<float>(by);
  return out;
}
}  // namespace cpu
std::tuple<at::Tensor, at::Tensor> split_cpu(at::Tensor x) { return std::make_tuple(x + 1, x * 2); }
std::vector<at::Tensor> doubled_cpu(std::vector<at::Tensor> xs, c10::optional<at::Tensor> more) {
  std::vector<at::Tensor> made;
  for (const at::Tensor& x : xs) made.push_back(x * 2);
  if (more.has_value()) made.push_back(*more * 2);
  return made;
}
int64_t fill_cpu(at::Tensor& x, at::Tensor& same, at::Tensor& longer) {
  x = at::full({3}, 7.0);
  same.data_ptr<float>()[0] = 5;
  longer.resize_({4}).fill_(9);
  return 3;
}
at::Tensor roll_cpu(at::Tensor x) {
  AT_ERROR("not implemented on the CPU");
}
at::Tensor inside_cpu(at::Tensor boxes, at::Tensor points) { return boxes; }
"""
CUDA = """\
#include <cuda_runtime.h>
#include <torch/extension.h>
using at::Tensor;

__global__ void roll_kernel(float* x) { x[0] = 0; }
static int blocks(int n) { return (n + 255) / 256; }
template <typename T>
void start(T* x, cudaStream_t stream) { roll_kernel<<<blocks(1), 256, 0, stream>>>(x); }

Tensor shift_cuda(const Tensor& x, Tensor out, double by) { start(x.data_ptr<float>(), 0); return out; }
std::tuple<Tensor, Tensor> split_cuda(Tensor x) { start(x.data_ptr<float>(), 0); return {x, x}; }
std::vector<Tensor> doubled_cuda(std::vector<Tensor> xs, c10::optional<Tensor> more) {
  start(xs[0].data_ptr<float>(), 0);
  return xs;
}
int64_t fill_cuda(Tensor& x, Tensor& same, Tensor& longer) { start(x.data_ptr<float>(), 0); return 0; }
Tensor roll_cuda(Tensor x) { start(x.data_ptr<float>(), 0); return x; }
Tensor inside_gpu(Tensor boxes, Tensor points) { start(boxes.data_ptr<float>(), 0); return points; }
"""
USE = """\
import torch
import ops_ext


def both(x, out):
    ops_ext.shift(x, out, 1.0)
    return ops_ext.roll(x)


both(torch.zeros(2).cuda(), torch.zeros(2).cuda())
"""
# What torch_npu brings, as far as the program that builds the extension asks for it.
TORCH_NPU = """\
import types

import torch

torch.npu = types.SimpleNamespace(is_available=lambda: True)
"""
NPU_BUILDER = "from torch.utils.cpp_extension import CppExtension as NpuExtension\n"
RUN = """\
import torch
import host_device
import ops_ext

put = host_device.put
x = put(torch.arange(3.0))
out = put(torch.zeros(3))
result = ops_ext.shift(x, out, 2.0)
assert result.device.type == "privateuseone", result.device
assert out.cpu().tolist() == [2, 3, 4], out.cpu()
assert result.cpu().tolist() == [2, 3, 4]
assert x.cpu().tolist() == [0, 1, 2]
first, second = ops_ext.split(x)
assert first.device.type == second.device.type == "privateuseone"
assert (first.cpu().tolist(), second.cpu().tolist()) == ([1, 2, 3], [0, 2, 4])
many = ops_ext.doubled([x, out], put(torch.ones(1)))
assert [one.cpu().tolist() for one in many] == [[0, 2, 4], [4, 6, 8], [2]]
assert [one.device.type for one in many] == ["privateuseone"] * 3
assert len(ops_ext.doubled([x], None)) == 1
same, longer = put(torch.full((2,), float("nan"))), put(torch.zeros(1))
count, filled = ops_ext.fill(x, same, longer)
assert count == 3 and filled.cpu().tolist() == [7, 7, 7], filled.cpu()
assert same.cpu()[0] == 5 and same.cpu()[1].isnan()
assert longer.cpu().tolist() == [9] * 4
try:
    ops_ext.roll(x)
    raise SystemExit("roll did not raise")
except NotImplementedError as error:
    print(error)
try:
    ops_ext.inside_gpu(x, x)
    raise SystemExit("inside_gpu did not raise")
except NotImplementedError as error:
    print(error)
host = torch.zeros(3)
assert ops_ext.shift(host, host, 1.0).data_ptr() == host.data_ptr()
print("all as they should be")
"""
FILES = {"setup.py": SETUP, "train.py": USE, "src/vision.cpp": VISION, "src/ops.h": HEADER,
         "src/cpu/ops_cpu.cpp": TWINS, "src/cuda/ops.cu": CUDA}
STAND_IN = "src/cuda/ops_stand_in.cc"


def can_compile():
    """True if torch and its headers are there. Nobody asks where the test does not run."""
    if not program.LONG:
        return False
    if importlib.util.find_spec("torch") is None:
        return False
    import torch
    from torch.utils.cpp_extension import include_paths
    return torch.__version__ >= "1.12" and any(
        (pathlib.Path(path) / "torch" / "extension.h").is_file() for path in include_paths())


class StandIns(ProgramTest):
    def setUp(self):
        super().setUp()
        self.project = self.folder / "project"
        self.write(FILES)

    def write(self, files):
        for name, text in files.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def migrated(self, *arguments):
        self.run_for(0, "migrate", "project", "-o", "out", "--enable", "cxx-stand-ins", *arguments)
        return self.folder / "out/project_msft"

    def rows(self):
        return rows_of((self.folder / "out/project_msft/change_list.csv").read_bytes())

    def refusal(self):
        """Why no stand-ins are written, after a check that nothing builds any."""
        out = self.migrated()
        self.assertEqual(list(out.rglob("*_stand_in*")), [])
        self.assertNotIn("NpuExtension", (out / "setup.py").read_text())
        (row,) = [row for row in self.rows() if row["Rule ID"] == "stand-in"]
        self.assertEqual(row["Severity"], "note")
        return row["Message"]

    @NEEDS
    def test_define_what_other_sources_call(self):
        text = (self.migrated() / STAND_IN).read_text()
        self.assertIn("std::tuple<at::Tensor, at::Tensor> split_cuda(at::Tensor x) {", text)
        self.assertIn("cpu::shift_cpu(x_on_cpu, out_on_cpu, by)", text)
        self.assertRegex(text, r'"roll: roll_cuda of src/cuda/ops.cu is written for CUDA '
                               r'\(kernels: roll_kernel\)')
        self.assertNotIn("blocks", text)
        self.assertNotIn("start", text)

    @NEEDS
    def test_are_built_in_place_of_cuda_sources_that_stay(self):
        out = self.migrated()
        setup = (out / "setup.py").read_text()
        self.assertIn('"cuda", "*_stand_in.cc"', setup)
        self.assertIn("if torch.npu.is_available():", setup)
        self.assertIn("extension = NpuExtension\n", setup)
        self.assertIn('[extension("ops_ext"', setup)
        self.assertIn("roll_kernel", (out / "src/cuda/ops.cu").read_text())
        self.assertEqual((self.project / "src/cuda/ops.cu").read_text(), CUDA)

    @NEEDS
    def test_are_told_where_operators_are_used(self):
        self.migrated()
        rows = {row["Before"]: row for row in self.rows() if row["Rule ID"] == "stand-in"}
        self.assertEqual(rows["ops_ext.shift"]["Severity"], "slower")
        self.assertEqual(rows["ops_ext.roll"]["Severity"], "stops-run")
        self.assertIn("NotImplementedError", rows["ops_ext.roll"]["Message"])
        self.assertNotIn("stops-import", {row["Severity"] for row in self.rows()})
        (row,) = [row for row in self.rows() if row["Rule ID"] == "own-extension"]
        self.assertIn("slow, on the CPU: doubled, fill, shift, split", row["Message"])
        self.assertIn("an error at the call: inside_gpu, roll", row["Message"])
        self.assertEqual({row["Cause"] for row in rows.values()
                          if row["Applicability"] == "display-only"},
                         {"cuda-extension:ops_ext"})

    @NEEDS
    def test_take_no_twin_that_the_project_does_not_choose(self):
        text = (self.migrated() / STAND_IN).read_text()
        self.assertIn('"inside_gpu: inside_gpu of', text)
        self.assertNotIn("inside_cpu(", text)

    @NEEDS
    def test_take_no_twin_whose_parameters_stand_in_another_order(self):
        self.write({"src/cpu/ops_cpu.cpp": TWINS.replace("x, at::Tensor out", "out, at::Tensor x")})
        self.assertIn('"shift: shift_cuda', (self.migrated() / STAND_IN).read_text())

    @NEEDS
    def test_are_written_only_when_asked_for(self):
        self.run_for(0, "migrate", "project", "-o", "out")
        self.assertEqual(list((self.folder / "out").rglob("*_stand_in*")), [])
        (row,) = [row for row in self.rows() if row["Rule ID"] == "own-extension"]
        self.assertEqual(row["Severity"], "stops-import")
        self.assertIn("--enable cxx-stand-ins", row["Message"])

    @NEEDS
    def test_change_nothing_when_the_result_is_migrated_again(self):
        out = self.migrated()
        before = {path: path.read_bytes() for path in out.rglob("*.*") if path.is_file()}
        result = self.run_for(0, "migrate", str(out), "--enable", "cxx-stand-ins", "--diff")
        self.assertEqual(result.stdout, b"")
        self.assertEqual({path: path.read_bytes() for path in before}, before)

    @NEEDS
    def test_keep_conditions_before_operators_that_fail_when_the_result_is_migrated_again(self):
        self.write({"train.py":
                    "import torch\nimport ops_ext\n\n\ndef f(x):\n    if x.is_cuda:\n"
                    "        return ops_ext.roll(x)\n    return x.roll(1)\n"})
        out = self.migrated()
        self.assertIn("if x.is_cuda:", (out / "train.py").read_text())
        for enable in ([], ["--enable", "cxx-stand-ins"]):
            result = self.run_for(0, "migrate", str(out), *enable, "--diff")
            self.assertEqual(result.stdout, b"")

    @NEEDS
    def test_are_part_of_the_patches(self):
        (self.folder / "patches").mkdir()
        self.run_for(0, "migrate", "project", "--enable", "cxx-stand-ins", "--patches", "patches")
        text = "".join(path.read_text() for path in (self.folder / "patches").iterdir())
        self.assertIn("+++ b/" + STAND_IN, text)

    def test_need_a_place_to_be_written_to(self):
        result = self.run_for(2, "migrate", "project", "--in-place", "--enable", "cxx-stand-ins")
        self.assertIn(b"-o OUT", result.stderr)

    @NEEDS
    def test_are_not_written_for_kernels_in_other_sources(self):
        self.write({"src/extra.cpp": "__global__ void k(float* x) {}\n// cuda\n"})
        self.assertIn("src/extra.cpp, which is no .cu, has kernels", self.refusal())

    @NEEDS
    def test_are_not_written_for_bindings_in_cuda_sources(self):
        self.write({"src/cuda/more.cu": '#include <torch/extension.h>\n'
                    'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("f", &roll_cuda); }\n'})
        self.assertIn("src/cuda/more.cu itself offers its functions", self.refusal())

    @NEEDS
    def test_are_not_written_for_sources_that_are_compiled_at_run_time(self):
        (self.project / "setup.py").unlink()
        self.write({"train.py": "from torch.utils.cpp_extension import load\n\n"
                                "ops = load('ops', ['src/vision.cpp', 'src/cuda/ops.cu'])\n"})
        out = self.migrated()
        self.assertEqual(list(out.rglob("*_stand_in*")), [])
        (row,) = [row for row in self.rows() if row["Rule ID"] == "stand-in"]
        self.assertEqual((row["File"], row["Start Line"]), ("train.py", "3"))
        self.assertIn("load compiles them when the program runs", row["Message"])

    @NEEDS
    def test_are_not_written_for_modules_whose_names_are_computed(self):
        self.write({"setup.py": SETUP.replace('extension("ops_ext"', 'extension(os.getenv("N")')})
        self.assertIn("the names of its modules are not written out", self.refusal())

    @NEEDS
    def test_are_not_written_for_variables_of_cuda_sources(self):
        self.write({"src/vision.cpp": VISION.replace(
            "at::Tensor shift(", "extern int limit;\nint most() { return limit; }\nat::Tensor shift(", 1),
            "src/cuda/ops.cu": CUDA + "int limit = 3;\n"})
        self.assertIn("src/vision.cpp uses the variable limit of src/cuda/ops.cu", self.refusal())

    @NEEDS
    def test_are_not_written_for_functions_that_are_cut_off(self):
        self.write({"src/cuda/ops.cu": CUDA[:CUDA.index("std::tuple<Tensor, Tensor> split_cuda")]})
        self.assertRegex(self.refusal(), r"src/vision\.cpp uses \w+, which none of the sources")

    @NEEDS
    def test_are_not_written_for_types_of_the_project(self):
        self.write({"src/cuda/ops.cu": "struct Box { int x; };\n" + CUDA.replace(
            "Tensor roll_cuda(Tensor x)", "Tensor roll_cuda(Tensor x, Box* box)")})
        self.assertIn("of the type Box, which the project defines", self.refusal())

    @NEEDS
    def test_are_not_written_for_types_that_nobody_knows(self):
        self.write({"src/cuda/ops.cu": CUDA.replace(
            "Tensor roll_cuda(Tensor x)", "Tensor roll_cuda(Tensor x, mylib::Thing box)")})
        self.assertIn("roll_cuda", self.refusal())

    @NEEDS
    def test_are_not_written_for_templates(self):
        self.write({"src/cuda/ops.cu": CUDA.replace("Tensor roll_cuda(Tensor x)",
                                                    "template <class T> T roll_cuda(T x)")})
        self.assertIn("roll_cuda of src/cuda/ops.cu, which C++ sources call, is a template",
                      self.refusal())

    @NEEDS
    def test_are_not_written_for_programs_that_compare_endings(self):
        self.write({"setup.py": SETUP + "cuda = [s for s in sources if s[-3:] == '.cu']\n"})
        self.assertIn("compares endings of names with .cu (line 21)", self.refusal())

    @NEEDS
    def test_are_not_written_for_programs_that_link_cuda(self):
        self.write({"setup.py": SETUP.replace("sources, define", "sources, libraries=['cublas'], define")})
        self.assertIn("links cublas", self.refusal())

    @NEEDS
    def test_are_not_written_for_sources_that_are_missing(self):
        self.write({"setup.py": SETUP.replace('glob.glob(os.path.join("src", "cuda", "*.cu"))',
                                              '["src/cuda/gone.cu"]')})
        self.assertIn("src/cuda/gone.cu was not found", self.refusal())

    @NEEDS
    def test_are_not_written_over_files(self):
        self.write({STAND_IN: "int mine;\n"})
        out = self.migrated()
        self.assertEqual((out / STAND_IN).read_text(), "int mine;\n")
        self.assertNotIn("NpuExtension", (out / "setup.py").read_text())

    @NEEDS
    def test_are_not_found_by_patterns_for_other_sources(self):
        self.write({"setup.py": SETUP.replace('"src", "*.cpp"', '"src", "cuda", "*.cc"')})
        out = self.migrated()
        self.assertEqual([path.name for path in out.rglob("*_stand_in*")], ["ops_stand_in.cxx"])

    @NEEDS
    def test_warn_where_a_program_goes_on_without_the_module(self):
        self.write({"train.py": "try:\n    import ops_ext\nexcept ImportError:\n    ops_ext = None\n"})
        self.migrated()
        (row,) = [row for row in self.rows() if row["Severity"] == "may-go-wrong"
                  and row["Rule ID"] == "stand-in"]
        self.assertIn("the program goes on without this module", row["Message"])

    @NEEDS
    def test_let_conditions_for_cuda_lead_to_operators_that_work(self):
        one = VISION[:VISION.index("std::tuple")] + (
            'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("shift", &shift); }\n')
        self.write({"src/vision.cpp": one, "train.py":
                    "import torch\nimport ops_ext\n\n\ndef f(x, out):\n    if not x.is_cuda:\n"
                    "        raise NotImplementedError\n    return ops_ext.shift(x, out, 1.0)\n"})
        self.assertIn("if not x.is_npu:", (self.migrated() / "train.py").read_text())

    @NEEDS
    @unittest.skipUnless(program.LONG, "takes minutes: TRANSPLT_LONG=1")
    @unittest.skipUnless(can_compile(), "torch cannot compile here")
    def test_work_when_they_are_built(self):
        out = self.migrated("--torch-version", "1.11.0")
        brought = self.folder / "brought"
        (brought / "torch_npu/utils").mkdir(parents=True)
        (brought / "torch_npu/__init__.py").write_text(TORCH_NPU)
        (brought / "torch_npu/utils/__init__.py").write_text("")
        (brought / "torch_npu/utils/cpp_extension.py").write_text(NPU_BUILDER)
        (brought / "setup.py").write_text(
            "from setuptools import setup\n"
            "from torch.utils.cpp_extension import BuildExtension, CppExtension\n"
            f"setup(name='h', ext_modules=[CppExtension('host_device', [{str(HERE / 'stand_ins/host_device.cpp')!r}],"
            " extra_compile_args=['-O0'])], cmdclass={'build_ext': BuildExtension})\n")
        (brought / "run.py").write_text(RUN)
        env = {**os.environ, "PYTHONPATH": f"{brought}:{out}", "MAX_JOBS": "2"}
        for folder, command in ((out, ["setup.py", "build_ext", "--inplace"]),
                                (brought, ["setup.py", "build_ext", "--inplace"]),
                                (brought, ["run.py"])):
            done = subprocess.run(["/usr/bin/python3", *command], cwd=folder, env=env, check=False,
                                  capture_output=True, text=True, timeout=900)
            self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-3000:])
        self.assertIn("all as they should be", done.stdout)
        self.assertRegex(done.stdout, re.escape(
            "roll: roll_cuda of src/cuda/ops.cu is written for CUDA (kernels: roll_kernel) and "
            "does not run on an NPU. Write it in Ascend C, or compute it with functions of torch."))


if __name__ == "__main__":
    unittest.main()
