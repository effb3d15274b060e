#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""C++ and CUDA sources travel the road of all files: list of changes, diff, review, in place and
back. Without transplt-cxx they are listed, and the report says how to get it."""

import os
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import program  # noqa: E402
from program import ProgramTest, rows_of  # noqa: E402

# Host code beside kernels is edited where this is asked for.
EDIT = ("--enable", "cxx-stand-ins")

SOURCE = b"""#include <cuda_runtime.h>
// cudaFree of a comment, and "cudaFree" of a text, stay.
__global__ void add(float* x) { x[0] += 1; }
void run(float* x) {
  add<<<1, 1>>>(x);
  cudaFree(x);
  cudaMemcpy3D(x);
}
"""
NEEDS = unittest.skipUnless(program.has_cxx(), "transplt-cxx was not built")


class Sources(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "project").mkdir()
        (self.folder / "project" / "ops.cu").write_bytes(SOURCE)
        (self.folder / "project" / "train.py").write_bytes(b"x = 1\n")

    def migrated(self, *arguments, path="out/project_msft/ops.cu"):
        self.run_for(0, "migrate", "project", "-o", "out", *arguments)
        return (self.folder / path).read_bytes()

    def rows(self):
        rows = rows_of((self.folder / "out/project_msft/change_list.csv").read_bytes())
        return [row for row in rows if row["File"] == "ops.cu"]

    def run_alone(self, *arguments):
        """Runs a copy of the program that has no transplt-cxx beside it."""
        alone = self.folder / "alone"
        alone.mkdir(exist_ok=True)
        shutil.copy(program.EXECUTABLE, alone / "transplt")
        return subprocess.run([alone / "transplt", *arguments], cwd=self.folder, check=False,
                              capture_output=True, env={**os.environ, "PATH": "/usr/bin:/bin"})

    @NEEDS
    def test_are_edited_and_reported(self):
        text = self.migrated(*EDIT)
        self.assertIn(b"aclrtFree(x);", text)
        self.assertIn(b'// cudaFree of a comment, and "cudaFree" of a text, stay.', text)
        rules = {row["Rule ID"]: row for row in self.rows()}
        self.assertEqual(rules["cudaFree"]["Operation Type"], "MODIFY")
        self.assertEqual(rules["cudaFree"]["Applicability"], "unsafe")
        self.assertEqual(rules["cudaMemcpy3D"]["Operation Type"], "UNSUPPORTED")
        self.assertIn("Ascend C", rules["native-kernel"]["Message"])
        self.assertIn("neither for CUDA nor for an NPU", rules["native-half"]["Message"])

    @NEEDS
    def test_that_nothing_builds_stop_nothing(self):
        self.migrated()
        causes = {(row["Cause"], row["Severity"]) for row in self.rows() if not row["After"]}
        self.assertEqual(causes, {("native-unused", "no-effect"), ("native-unused", "note")})

    @NEEDS
    def test_are_one_cause_with_the_module_that_is_built_of_them(self):
        (self.folder / "project" / "setup.py").write_bytes(
            b"from torch.utils.cpp_extension import CUDAExtension\n"
            b"modules = [CUDAExtension('ops_cuda', ['ops.cu'])]\n")
        (self.folder / "project" / "train.py").write_bytes(b"import ops_cuda\n")
        self.migrated()
        rows = rows_of((self.folder / "out/project_msft/change_list.csv").read_bytes())
        causes = {row["Cause"] for row in rows if row["Applicability"] == "display-only"}
        self.assertEqual(causes, {"cuda-extension:ops_cuda"})

    def causes_of(self, setup):
        (self.folder / "project" / "setup.py").write_bytes(
            b"import glob\nfrom torch.utils.cpp_extension import CUDAExtension\n" + setup)
        self.migrated()
        causes = {row["Cause"] for row in self.rows() if not row["After"]}
        shutil.rmtree(self.folder / "out")
        return causes

    @NEEDS
    def test_may_be_built_where_a_setup_does_not_write_its_sources_out(self):
        self.assertEqual(self.causes_of(b"m = CUDAExtension('a', ['b.cpp'])\n"),
                         {"native-unused"})
        for sources in (b"glob.glob('*.cu')", b"[f'{name}.cu']", b"[s for s in names]",
                        b"['b.cpp', path]"):
            with self.subTest(sources=sources):
                for call in (b"CUDAExtension('a', %s)", b"CUDAExtension(name=n, sources=%s)"):
                    self.assertEqual(self.causes_of(b"m = " + call % sources + b"\n"),
                                     {"cuda-extension"})

    @NEEDS
    def test_have_rows_where_python_calls_the_operators_that_they_register(self):
        (self.folder / "project" / "ops.cu").write_bytes(
            SOURCE + b'TORCH_LIBRARY(mine, m) { m.def("run(Tensor x) -> ()", &run); }\n'
            b"void plain(float* x) {}\n"
            b'static auto r = torch::RegisterOperators().op("mine::run2", &run)'
            b'.op("mine::plain", &plain);\n')
        (self.folder / "project" / "train.py").write_bytes(
            b"import torch\ntorch.ops.load_library('libmine.so')\n"
            b"torch.ops.mine.plain(1)\nprint('torch.ops.mine.run')\n"
            b"torch.ops.mine.run(1)\ntorch.ops.mine.run2.default(1)\ntorch.ops.other.run(1)\n")
        self.migrated()
        rows = rows_of((self.folder / "out/project_msft/change_list.csv").read_bytes())
        told = [row for row in rows if row["Rule ID"] == "own-operator"]
        self.assertEqual([row["Start Line"] for row in told], ["3", "5", "6"])
        self.assertIn("ops.cu registers it, and what it runs is for CUDA (kernels: add)",
                      told[1]["Message"])
        self.assertEqual({row["Severity"] for row in told}, {"stops-run"})

    def told(self):
        rows = rows_of((self.folder / "out/project_msft/change_list.csv").read_bytes())
        return [(row["Rule ID"], row["File"], row["Start Line"], row["Message"]) for row in rows]

    @NEEDS
    def test_are_asked_for_by_cmake(self):
        (self.folder / "project" / "CMakeLists.txt").write_bytes(
            b"project(ops LANGUAGES CXX)\n# find_package(CUDA)\nset(CUDA_FLAGS x)\n"
            b"find_package(CUDAToolkit REQUIRED)\nenable_language(CUDA)\n")
        self.migrated()
        ((_, file, line, message),) = [row for row in self.told() if row[0] == "native-build"]
        self.assertEqual((file, line), ("CMakeLists.txt", "4"))
        self.assertIn("also on the lines 5", message)

    @NEEDS
    def test_that_are_missing_and_old_standards_have_rows_where_they_are_built(self):
        (self.folder / "project" / "setup.py").write_bytes(
            b"from torch.utils.cpp_extension import CUDAExtension\n"
            b"m = CUDAExtension('a', ['ops.cu',\n  'gone.cpp'],\n"
            b"  extra_compile_args={'cxx': ['-std=c++14']})\n")
        self.migrated("--torch-version", "2.1.0")
        found = [row[:3] for row in self.told() if row[0] in ("missing-source", "old-standard")]
        self.assertEqual(found, [("missing-source", "setup.py", "3"),
                                 ("old-standard", "setup.py", "4")])
        shutil.rmtree(self.folder / "out")
        self.migrated("--torch-version", "2.0.1")
        self.assertNotIn("old-standard", {row[0] for row in self.told()})

    @NEEDS
    def test_whose_braces_do_not_match_say_so(self):
        (self.folder / "project" / "ops.cu").write_bytes(
            b"void f(float* x) {\n  cudaFree(x);\nvoid g(float* x) { cudaFree(x); }\n")
        self.migrated()
        ((line, message),) = [row[2:] for row in self.told() if row[0] == "native-source"]
        self.assertEqual(line, "1")
        self.assertIn("the parser gave up there", message)

    @NEEDS
    def test_are_part_of_the_diff(self):
        diff = self.run_for(0, "migrate", "project", *EDIT).stdout
        self.assertIn(b"-  cudaFree(x);\n+  aclrtFree(x);\n", diff)
        git = subprocess.run(["git", "apply", "-"], input=diff, cwd=self.folder / "project",
                             capture_output=True, check=False,
                             env={**os.environ, "GIT_CEILING_DIRECTORIES": str(self.folder)})
        self.assertEqual(git.returncode, 0, git.stderr)
        patched = (self.folder / "project" / "ops.cu").read_bytes()
        (self.folder / "project" / "ops.cu").write_bytes(SOURCE)
        self.assertEqual(self.migrated(*EDIT), patched)

    @NEEDS
    def test_keep_what_a_person_rejects(self):
        self.migrated(*EDIT)
        self.run_for(0, "review", "out/project_msft", "--reject", "cudaFree")
        text = (self.folder / "out/project_msft/ops.cu").read_bytes()
        self.assertIn(b"  cudaFree(x);", text)
        self.assertIn(b"<acl/acl.h>", text)

    @NEEDS
    def test_leave_what_is_switched_off(self):
        self.assertIn(b"  cudaFree(x);", self.migrated("--disable", "cudaFree"))
        self.assertNotIn("cudaFree", {row["Rule ID"] for row in self.rows()})

    @NEEDS
    def test_go_back_where_they_were(self):
        source = b"#include <cuda_runtime.h>\nvoid run(float* x) { cudaFree(x); }\n"
        (self.folder / "project/ops.cu").write_bytes(source)
        self.run_for(0, "migrate", "project", "--in-place")
        self.assertNotEqual((self.folder / "project/ops.cu").read_bytes(), source)
        self.run_for(0, "migrate", "project", "--undo")
        self.assertEqual((self.folder / "project/ops.cu").read_bytes(), source)

    @NEEDS
    def test_keep_what_an_older_torch_has_no_name_for(self):
        (self.folder / "project" / "ops.cu").write_bytes(
            b"#include <ATen/ATen.h>\nbool f(at::Tensor x) { return x.is_cuda(); }\n")
        self.assertIn(b"x.is_privateuseone()", self.migrated())
        shutil.rmtree(self.folder / "out")
        self.assertIn(b"x.is_cuda()", self.migrated("--torch-version", "1.11.0"))
        (row,) = self.rows()
        self.assertIn("needs torch >=2.1", row["Message"])
        self.assertIn("c10::DeviceType::PrivateUse1", row["Message"])

    @NEEDS
    def test_stay_for_another_target(self):
        self.run_for(0, "migrate", "project", "-o", "out", "--target", "agnostic")
        self.assertEqual((self.folder / "out/project_msft/ops.cu").read_bytes(), SOURCE)

    @NEEDS
    def test_whose_tool_fails_are_listed(self):
        broken = self.folder / "alone"
        broken.mkdir()
        (broken / "transplt-cxx").write_bytes(b"#!/bin/sh\necho no memory >&2\nexit 3\n")
        (broken / "transplt-cxx").chmod(0o755)
        result = self.run_alone("migrate", "project", "-o", "out")
        self.assertEqual(result.returncode, 0, result.stderr)
        (row,) = self.rows()
        self.assertIn("transplt-cxx ended with code 3: no memory", row["Message"])

    @NEEDS
    def test_that_the_parser_does_not_get_through_say_so(self):
        doubles = "#define D0(x) (x)\n" + "".join(
            f"#define D{i}(x) (D{i - 1}(x) + D{i - 1}(x))\n" for i in range(1, 40))
        (self.folder / "project" / "slow.cu").write_text(
            doubles + "int f(void* p) { cudaFree(p); return D39(1); }\n")
        self.run_for(0, "--lang", "zh", "migrate", "project", "-o", "out")
        next_steps = (self.folder / "out/project_msft/NEXT.md").read_text(encoding="utf-8")
        self.assertIn("transplt-cxx 的解析器未能解析完", next_steps)
        self.assertNotIn("libclang-14-dev", next_steps)
        rows = rows_of((self.folder / "out/project_msft/change_list.csv").read_bytes())
        (row,) = [row for row in rows if row["Cause"] == "native-parser"]
        self.assertEqual(row["File"], "slow.cu")
        self.assertIn("the parser took too long", row["Message"])

    @NEEDS
    def test_whose_templates_make_each_other_without_end_stop_no_other(self):
        (self.folder / "project" / "endless.cu").write_text(
            "template <int N, int M> struct X { static const int v = X<N - 1, M * 2>::v +"
            " X<N - 1, M * 2 + 1>::v; };\n"
            "template <int M> struct X<0, M> { static const int v = 1; };\n"
            "int q = X<40, 0>::v;\nvoid f(void* p) { cudaFree(p); }\n")
        self.run_for(0, "migrate", "project", "-o", "out", *EDIT)
        rows = rows_of((self.folder / "out/project_msft/change_list.csv").read_bytes())
        (row,) = [row for row in rows if row["Cause"] == "native-parser"]
        self.assertEqual(row["File"], "endless.cu")
        self.assertIn("took too long or too much memory", row["Message"])
        self.assertIn(b"aclrtFree", (self.folder / "out/project_msft/endless.cu").read_bytes())
        self.assertNotEqual((self.folder / "out/project_msft/ops.cu").read_bytes(), SOURCE)

    @NEEDS
    def test_that_nest_until_the_parser_crashes_stop_no_other(self):
        (self.folder / "project" / "deep.cu").write_text(
            "template <class T> struct V {};\nvoid f(void* p) { cudaFree(p); }\n"
            + "V<" * 50000 + "int" + ">" * 50000 + " deepest;\n")
        self.run_for(0, "migrate", "project", "-o", "out", *EDIT)
        rows = rows_of((self.folder / "out/project_msft/change_list.csv").read_bytes())
        (row,) = [row for row in rows if row["Cause"] == "native-parser"]
        self.assertEqual(row["File"], "deep.cu")
        self.assertNotEqual((self.folder / "out/project_msft/ops.cu").read_bytes(), SOURCE)

    def test_have_rules_that_query_and_explain_know(self):
        said = self.run_for(0, "query", "cudaMalloc").stdout
        self.assertIn(b"cudaMalloc -> aclrtMalloc", said)
        self.assertIn(b"torch >=2.1", self.run_for(0, "query", "is_cuda").stdout)
        self.assertIn(b"c10_npu::NPUGuard", self.run_for(0, "query", "at::cuda::CUDAGuard").stdout)
        self.assertIn(b"aclrtMemcpy(a, c, b, c, d)", self.run_for(0, "explain", "cudaMemcpy").stdout)

    def test_without_the_tool_are_listed(self):
        result = self.run_alone("migrate", "project", "-o", "out")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((self.folder / "out/project_msft/ops.cu").read_bytes(), SOURCE)
        (row,) = self.rows()
        self.assertEqual(row["Cause"], "native-source")
        self.assertIn("3 uses of CUDA, 2 of them with a counterpart, and 1 kernels", row["Message"])
        self.assertIn(b"libclang-14-dev", (self.folder / "out/project_msft/NEXT.md").read_bytes())

    def test_without_the_tool_are_listed_in_chinese(self):
        result = self.run_alone("--lang", "zh", "migrate", "project", "-o", "out")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("transplt-cxx", result.stderr.decode("utf-8"))

    def test_that_are_no_text_are_copied_and_reported(self):
        wide = b"\xff\xfe" + "void f(void* p) { cudaFree(p); }\n".encode("utf-16-le")
        for bytes_there in (wide, b"cudaFree(p);\0\1\2"):
            (self.folder / "project" / "ops.cu").write_bytes(bytes_there)
            result = program.run("migrate", "project", "-o", "out", cwd=self.folder)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertEqual((self.folder / "out/project_msft/ops.cu").read_bytes(), bytes_there)
            self.assertEqual([row["Operation Type"] for row in self.rows()], ["SKIPPED"])
            shutil.rmtree(self.folder / "out")

    @NEEDS
    def test_with_a_very_long_line_are_edited(self):
        source = b"int table[] = {" + b"1," * 3_000_000 + b"1};\n" + SOURCE
        (self.folder / "project" / "ops.cu").write_bytes(source)
        text = self.migrated(*EDIT)
        self.assertIn(b"aclrtFree(x);", text)
        self.assertTrue(text.startswith(source[: len(source) - len(SOURCE)]))

    @NEEDS
    def test_that_end_early_keep_what_they_have(self):
        for end in range(0, len(SOURCE), 17):
            (self.folder / "project" / "ops.cu").write_bytes(SOURCE[:end])
            text = self.migrated()
            self.assertEqual(text.count(b"\n"), SOURCE[:end].count(b"\n"))
            shutil.rmtree(self.folder / "out")

    def test_that_are_empty_and_folders_of_such_a_name_are_copied(self):
        project = self.folder / "project"
        for name in ("empty.cu", "empty.cuh"):
            (project / name).write_bytes(b"")
        (project / "blank.cu").write_bytes(b"\n \n")
        (project / "comment.cu").write_bytes(b"// cudaFree")
        for name in ("folder.cu", "folder.cuh"):
            (project / name).mkdir()
        (project / "folder.cu" / "inner.cu").write_bytes(SOURCE)
        (project / "ops.cu").write_bytes(b'#include "folder.cuh"\n#include "empty.cu"\n' + SOURCE)
        (project / "setup.py").write_bytes(
            b"from setuptools import setup\n"
            b"from torch.utils.cpp_extension import CUDAExtension\n"
            b"setup(ext_modules=[CUDAExtension('ops', ['empty.cu', 'folder.cu', 'ops.cu'])])\n")
        for options in ((), ("--enable", "cxx-stand-ins")):
            self.run_for(0, "migrate", "project", "-o", "out", *options)
            result = self.folder / "out/project_msft"
            for name in ("empty.cu", "empty.cuh", "blank.cu", "comment.cu"):
                self.assertEqual((result / name).read_bytes(), (project / name).read_bytes())
            self.assertTrue((result / "folder.cu" / "inner.cu").is_file())
            rows = rows_of((result / "change_list.csv").read_bytes())
            files = {row["File"] for row in rows}
            self.assertFalse(files & {"empty.cu", "empty.cuh", "blank.cu", "comment.cu",
                                      "folder.cu", "folder.cuh"})
            shutil.rmtree(self.folder / "out")

    def test_without_cuda_are_not_mentioned(self):
        (self.folder / "project" / "ops.cu").write_bytes(b"int add(int x) { return x + 1; }\n")
        self.migrated()
        self.assertEqual(self.rows(), [])


if __name__ == "__main__":
    unittest.main()
