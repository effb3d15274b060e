#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""transplt analyze: what a project uses that an NPU may not have."""

import csv
import io
import json
import sys
import unittest

sys.dont_write_bytecode = True
from program import ProgramTest, tree_of  # noqa: E402

MODEL = """\
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.modules.batchnorm import BatchNorm2d
from torch.utils.data.sampler import Sampler


class Own:
    def to_dense(self):
        return self

    def step(self):
        return self.to_dense()


def forward(x, optimizer):
    pool = nn.MaxPool3d(2)
    x = F.adaptive_max_pool2d(x, 1)
    x = torch.zeros(1, dtype=torch.float32, device=x.device) + nn.Parameter(x)
    x = torch.no_such_function(x)
    x = torch._private(x)
    torch.cuda.synchronize()
    print("torch.unique_consecutive in a message")
    optimizer.step()
    return x.unique_consecutive(), pool, torch.nn.DataParallel(pool)
layer = nn.Linear(2, 2)
norm = BatchNorm2d(2)


def on_the_host(x):
    return x.cpu().clone().unique_consecutive(), torch.zeros(2).unique_consecutive()
"""


class Analyze(ProgramTest):
    def rows(self, name):
        text = (self.folder / "out/project_analysis" / name).read_text(encoding="utf-8")
        rows = list(csv.reader(io.StringIO(text)))
        self.assertEqual(rows[0], ["File", "Start Line", "End Line", "OP", "Tips"])
        return [(row[0], int(row[1]), row[3]) for row in rows[1:]]

    def analyze(self, *options):
        self.write("project/model.py", MODEL)
        return self.run_for(0, "analyze", "project", "-o", "out", *options)

    def test_lists_what_no_npu_supports(self):
        self.analyze()
        self.assertEqual(self.rows("unsupported_api.csv"), [
            ("model.py", 17, "torch.nn.MaxPool3d"),
            ("model.py", 18, "torch.nn.functional.adaptive_max_pool2d"),
            ("model.py", 25, "torch.Tensor.unique_consecutive"),
            ("model.py", 25, "torch.nn.DataParallel"),
        ])

    def test_names_what_a_migration_names(self):
        self.analyze()
        done = self.run_for(0, "migrate", "project", "--format", "json")
        records = json.loads(done.stdout)["records"]
        self.assertEqual(
            [(record["file"], record["start_line"]) for record in records
             if record["operation"] == "UNSUPPORTED"],
            [row[:2] for row in self.rows("unsupported_api.csv")])

    def test_lists_calls_that_the_documentation_does_not_name(self):
        self.analyze()
        self.assertEqual(self.rows("unknown_api.csv"),
                         [("model.py", 20, "torch.no_such_function")])

    def test_lists_what_works_with_limitations(self):
        self.analyze()
        self.assertEqual(self.rows("limited_api.csv"), [
            ("model.py", 26, "torch.nn.Linear"),
            ("model.py", 27, "torch.nn.BatchNorm2d"),
        ])

    def test_shows_each_api_once_with_its_uses(self):
        self.write("project/other.py", "import torch\n\ntorch.nn.MaxPool3d(1)\n")
        page = self.analyze().stdout.decode()
        self.assertIn("2 Python files\n", page)
        self.assertIn("2 files import torch", page)
        line = next(line for line in page.splitlines() if "torch.nn.MaxPool3d" in line)
        self.assertEqual(line.split(), ["torch.nn.MaxPool3d", "2", "in", "2", "files:",
                                        "model.py:17,", "other.py:3"])

    def test_writes_nothing_without_output_and_never_changes_the_input(self):
        self.write("project/model.py", MODEL)
        before = tree_of(self.folder)
        self.run_for(0, "analyze", "project")
        self.assert_nothing_written(before)

    def rows_of(self, kind, text):
        self.write("project/one.py", text)
        self.run_for(0, "analyze", "project", "-o", "out", "--force")
        return [(line, api) for _, line, api in self.rows(f"{kind}_api.csv")]

    def test_says_what_to_do_instead(self):
        page = self.analyze().stdout.decode()
        self.assertIn("instead: Huawei's tables call it unsupported", page)  # from the rule
        self.assertIn("instead: for output size 1 torch.amax", page)  # from the table

    def test_does_not_take_a_test_for_a_class_for_its_use(self):
        self.assertEqual(self.rows_of("unsupported", (
            "from torch import nn\n"
            "from torch.nn import DataParallel, MaxPool3d\n"
            "def f(m: DataParallel, n: 'int' = 1) -> nn.DataParallel:\n"
            "    if isinstance(m, (DataParallel, nn.MaxPool3d)) or type(m) is nn.RNN:\n"
            "        return m\n"
            "KNOWN = [MaxPool3d, nn.RNN]\n"
            "pool = nn.Sequential(MaxPool3d(2))\n"
            "class Own(nn.RNN): pass\n")),
            [(7, "torch.nn.MaxPool3d"), (8, "torch.nn.RNN")])

    def test_does_not_take_a_data_type_for_the_method_of_that_name(self):
        self.assertEqual(self.rows_of("limited", (
            "import torch\nx = torch.zeros(1, dtype=torch.float)\ny = torch.bfloat16\n")), [])

    def test_leaves_out_what_runs_on_the_host(self):
        self.assertEqual(self.rows_of("unsupported", (
            "import torch\n"
            "class Words(torch.utils.data.Dataset):\n"
            "    def __getitem__(self, i):\n"
            "        return torch.unique_consecutive(self.x[i])\n"
            "def f(x):\n"
            "    return x.cpu().unique_consecutive(), x.unique_consecutive()\n"
            "torch.var_mean(torch.ones(1), device='cpu')\n")),
            [(6, "torch.Tensor.unique_consecutive")])

    def test_knows_an_api_by_its_other_names(self):
        self.assertEqual(self.rows_of("unknown", (
            "import torch\n"
            "torch.relu(1), torch.unbind(1), torch.distributions.Categorical(1)\n"
            "torch.distributed.DeviceMesh.from_group(1), torch.multiprocessing.Queue()\n"
            "torch.distributed.destroy_process_group(), torch.xpu.synchronize()\n"
            "torch.linalg.inv(1)\n")), [(5, "torch.linalg.inv")])

    def test_does_not_list_the_step_of_every_optimizer(self):
        self.assertEqual(self.rows_of("unsupported", (
            "import torch\n"
            "opt = torch.optim.Adam([])\nopt.step()\n"
            "def f(optimizer): optimizer.step()\n")), [])

    def test_does_not_take_functions_of_python_for_those_of_a_star_import(self):
        self.write("project/star.py", "from torch.optim import *\n\nprint(SGD([], 0.1), len([]))\n"
                                      "super().step()\n")
        self.analyze()
        self.assertEqual([row for row in self.rows("unknown_api.csv") if row[0] == "star.py"], [])
        self.assertEqual([row for row in self.rows("limited_api.csv") if row[0] == "star.py"],
                         [("star.py", 3, "torch.optim.SGD")])

    def test_does_not_take_a_table_of_classes_for_their_use(self):
        self.write("project/table.py", "from torch import nn\n\nPOOLS = {'3d': nn.MaxPool3d}\n"
                                       "build({'pool': nn.MaxPool3d(2)})\n")
        self.analyze()
        self.assertEqual([row for row in self.rows("unsupported_api.csv") if row[0] == "table.py"],
                         [("table.py", 4, "torch.nn.MaxPool3d")])

    def test_leaves_methods_of_the_user_and_of_other_libraries(self):
        self.assertEqual(self.rows_of("unsupported", (
            "import torch\nimport scipy.sparse as sp\n"
            "class Own:\n    def to_sparse(self): return self\n"
            "Own().to_sparse(), sp.to_dense(), args.share_memory\n"
            "def f(x): return x.to_sparse()\n")), [(6, "torch.Tensor.to_sparse")])

    def test_assumes_the_versions_that_transplt_toml_names(self):
        self.write("project/transplt.toml", 'torch = "2.1"\n')
        self.assertIn(b"torch 2.1.0 with torch_npu 7.2.0 (CANN 8.3.RC1), from transplt.toml",
                      self.analyze().stderr)
        self.assertIn(b"torch 2.5.1", self.analyze("--force", "--torch-version", "2.5").stderr)

    def test_says_that_a_version_is_newer_than_all_it_knows(self):
        self.assertIn(b"torch 99.9 with torch_npu 26.1.0 (newer than the releases that transplt "
                      b"knows), from --torch-version", self.analyze("--torch-version", "99.9").stderr)

    def test_says_for_which_version_the_table_is(self):
        page = self.analyze("--torch-version", "2.1").stdout.decode()
        self.assertIn("Graded by the documentation for torch 2.13; for torch 2.1.0 more may", page)

    def test_prints_the_same_as_json(self):
        document = json.loads(self.analyze("--format", "json", "--mode", "all").stdout)
        self.assertEqual(document["python_files"], 1)
        rows = document["modes"]["torch_apis"]["unsupported_api"]
        self.assertEqual([(row["File"], row["Start Line"], row["OP"]) for row in rows],
                         self.rows("unsupported_api.csv"))

    def test_refuses_a_mode_that_does_not_exist(self):
        self.write("project/model.py", MODEL)
        self.assertIn(b"torch_apis", self.run_for(2, "analyze", "project", "--mode", "x").stderr)

    def test_says_that_all_is_well_where_it_is(self):
        self.write("project/model.py", "import torch\n\ntorch.zeros(1)\n")
        self.assertIn(b"is supported", self.run_for(0, "analyze", "project").stdout)

    def test_refuses_what_is_missing_or_there_already(self):
        self.assertIn(b"missing", self.run_for(2, "analyze", "missing").stderr)
        self.analyze()
        self.run_for(2, "analyze", "project", "-o", "out")
        self.analyze("--force")

    def test_speaks_chinese(self):
        self.write("project/model.py", MODEL)
        page = self.run_for(0, "analyze", "project", "--lang", "zh").stdout.decode()
        self.assertIn("所有 NPU 均不支持", page)



class AnalyzeEffort(ProgramTest):
    def test_counts_what_runs_by_itself_and_what_is_left(self):
        self.write("project/train.py", (
            "import torch\nimport flash_attn\nimport torch_spline_conv\n"
            "torch.cuda.synchronize()\nx = torch.zeros(1, device='cuda')\n"
            "torch.nn.DataParallel(x)\ntorch.nn.MaxPool3d(2)\nx.cuda()\n"))
        self.write("project/kernel.cu", "__global__ void f() {}  // no cudaFree\n")
        page = self.run_for(0, "analyze", "project", "-o", "out").stdout.decode()
        text = (self.folder / "out/project_analysis/effort.csv").read_text()
        rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(text))}
        self.assertEqual(rows["automatic_edit"][0], "4")  # with import torch_npu
        self.assertEqual(rows["unsupported_api"], ["2", "2", "240", "480"])
        self.assertEqual(rows["library"], ["1", "1", "480", "480"])
        self.assertEqual(rows["native_source"], ["1", "1", "120", "120"])
        # torch_spline_conv computes on the CPU; DataParallel is counted once
        self.assertEqual(rows["other"][0], "1")
        self.assertIn("automatic edits: 4 in 1 files", page)
        self.assertIn("2 places, 2 APIs x 4 h = 8.0 h", page)
        self.assertIn("are assumptions and not measured", page)
        self.assertIn(f"sum: {sum(int(row[3]) for row in list(rows.values())[1:]) / 60:.1f} h", page)

    def test_counts_no_wheel_of_torch_as_a_library(self):
        self.write("project/requirements.txt", "torch==2.1.0\ntorchvision\nflash-attn\ndeepspeed\n")
        self.run_for(0, "analyze", "project", "-o", "out")
        text = (self.folder / "out/project_analysis/effort.csv").read_text()
        rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(text))}
        self.assertEqual(rows["library"][:2], ["1", "1"])

    def test_is_part_of_the_json(self):
        self.write("project/train.py", "import torch\ntorch.cuda.synchronize()\n")
        document = json.loads(self.run_for(0, "analyze", "project", "--format", "json").stdout)
        row = document["modes"]["effort"]["effort"][0]
        self.assertEqual((row["Task"], row["Places"]), ("automatic_edit", 2))

    def test_writes_nothing(self):
        self.write("project/train.py", "import torch\ntorch.cuda.synchronize()\n")
        before = tree_of(self.folder)
        self.run_for(0, "analyze", "project")
        self.assert_nothing_written(before)


class AnalyzeALibrary(ProgramTest):
    """--mode third_party, and --api-files, which reads what it has written."""

    def library(self):
        self.write("lib/pkg/__init__.py", "from .pool import Pool, pool\n")
        self.write("lib/pkg/pool.py", (
            "import torch\nfrom torch import nn\n\n"
            "class Base(nn.Module):\n"
            "    def __init__(self):\n        self.deep = nn.MaxPool3d(2)\n"
            "    def even(self, n):\n        return n == 0 or self.odd(n - 1)\n"
            "    def odd(self, n):\n        torch.var_mean(n)\n        return self.even(n - 1)\n\n"
            "class Pool(Base):\n"
            "    def forward(self, x):\n        return x\n\n"
            "def pool(x):\n    def inner():\n        return Pool()(x)\n    return inner()\n\n"
            "def fine(x):\n    return torch.zeros(1).cuda() + torch.linalg.inv(x)\n\n"
            "class Fn(torch.autograd.Function):\n"
            "    @staticmethod\n    def forward(ctx, x):\n        return torch.ops.mine.go(x)\n\n"
            "run = Fn.apply\n\n"
            "def _private(x):\n    return pool(x)\n"))
        self.write("lib/pkg/user.py", (
            "from pkg import pool as p\nfrom pkg.pool import Pool, run\n\n"
            "class Model:\n"
            "    def __init__(self):\n        self.pool = Pool()\n"
            "    def use(self, x):\n        return self.pool.even(x)\n\n"
            "def by_name(x):\n    return p(x)\n\n"
            "def typed(model: Model):\n    return model.use(1)\n\n"
            "def launched(x):\n    return run(x)\n\n"
            "def unknown_object(x):\n    return x.even(1)\n"))
        self.write("lib/csrc/ops.cu", "TORCH_LIBRARY(mine, m) { m.def(\"go\", &go); }\n\xff")
        return self.run_for(0, "analyze", "lib", "--mode", "third_party", "-o", "out")

    def rows(self, name, folder="lib_analysis"):
        text = (self.folder / "out" / folder / name).read_text(encoding="utf-8")
        return list(csv.reader(io.StringIO(text)))

    def test_follows_calls_to_the_apis_that_are_unsupported(self):
        page = self.library().stdout.decode()
        rows = self.rows("full_unsupported_results.csv")
        self.assertEqual(rows[0], ["File", "3rd-party API", "Message"])
        self.assertEqual(sorted(row[1] for row in rows[1:]), [
            "pkg.Pool",  # shortened by the re-export; its base makes the layer
            "pkg.pool", "pkg.pool.Base", "pkg.pool.Base.even",
            "pkg.pool.Base.odd", "pkg.pool.Fn", "pkg.pool.Fn.forward", "pkg.pool.run",
            "pkg.user.Model", "pkg.user.Model.use", "pkg.user.by_name", "pkg.user.launched",
            "pkg.user.typed",
        ])
        message = {row[1]: row[2] for row in rows}
        self.assertEqual(message["pkg.pool"], "needs torch.nn.MaxPool3d (pkg/pool.py:6)")
        self.assertEqual(message["pkg.pool.Base.even"], "needs torch.var_mean (pkg/pool.py:10)")
        self.assertIn("public functions and classes; 13 of them", page)

    def test_says_what_is_met_only_in_a_branch(self):
        self.write("lib/deep.py", (
            "import torch\n"
            "def deep(x):\n    return torch.var_mean(x)\n"
            "def maybe(x):\n    if x:\n        return deep(x)\n"
            "def asked(x):\n    if deep(x):\n        return x\n"
            "def either(x):\n    return maybe(x) if x else deep(x)\n"
            "def both(x):\n    maybe(x)\n    asked(x)\n"))
        page = self.run_for(0, "analyze", "lib", "--mode", "third_party", "-o", "out").stdout
        place = "torch.var_mean (deep.py:3)"
        self.assertEqual({row[1]: row[2] for row in self.rows("full_unsupported_results.csv")[1:]}, {
            "deep.deep": "needs " + place,
            "deep.maybe": "in a branch: " + place, "deep.asked": "needs " + place,
            "deep.either": "in a branch: " + place, "deep.both": "needs " + place})
        self.assertIn(b"5 public functions and classes; 3 of them", page)

    def test_knows_an_object_that_a_class_makes_of_itself(self):
        self.write("lib/made.py", (
            "import torch\n"
            "class Model:\n"
            "    @classmethod\n    def load(cls):\n        model = cls()\n        model.even()\n"
            "    def even(self):\n        torch.var_mean(self)\n"))
        self.run_for(0, "analyze", "lib", "--mode", "third_party", "-o", "out")
        rows = self.rows("full_unsupported_results.csv")[1:]
        self.assertEqual({row[1] for row in rows}, {"made.Model.even", "made.Model.load"})

    def test_lists_what_is_affected_by_each_api(self):
        self.library()
        self.assertEqual(self.rows("cuda_op.csv"), [
            ["OP Name", "Affected 3rd-party API"],
            ["torch.ops.mine.go", "pkg.pool.run, pkg.pool.Fn, pkg.pool.Fn.forward, pkg.user.launched"]])
        self.assertEqual(self.rows("unknown_op.csv")[1:], [["torch.linalg.inv", "pkg.pool.fine"]])
        self.assertEqual(self.rows("migration_needed_op.csv")[1:],
                         [["torch.Tensor.cuda", "pkg.pool.fine"]])
        self.assertEqual([row[0] for row in self.rows("framework_unsupported_op.csv")],
                         ["Torch API", "torch.nn.MaxPool3d", "torch.var_mean"])

    def test_counts_libraries_that_need_cuda_as_migrate_does(self):
        self.write("lib/model.py", (
            "import flash_attn\nfrom torch_scatter import scatter_max as top\nimport spconv\n"
            "def attend(q):\n    return flash_attn.flash_attn_func(q, q, q)\n"
            "def best(x):\n    return top(x)\n"
            "def own(x):\n    return spconv.ops(x)\n"))
        self.write("lib/spconv.py", "def ops(x):\n    return x\n")
        self.run_for(0, "analyze", "lib", "--mode", "third_party", "-o", "out")
        self.assertEqual({row[1]: row[2] for row in self.rows("full_unsupported_results.csv")[1:]}, {
            "model.attend": "needs flash_attn.flash_attn_func (model.py:5)",
            "model.best": "needs torch_scatter.scatter_max (model.py:7)"})
        self.assertEqual(self.rows("library_op.csv")[1:], [
            ["flash_attn.flash_attn_func", "model.attend"],
            ["torch_scatter.scatter_max", "model.best"]])
        self.assertEqual(len(self.rows("framework_unsupported_op.csv")), 1)
        rows = json.loads(self.run_for(0, "migrate", "lib", "--format", "json").stdout)
        self.assertIn("flash_attn: cannot be installed or imported", json.dumps(rows))

    def test_names_a_package_that_is_given_itself(self):
        self.library()
        self.run_for(0, "analyze", "lib/pkg", "--mode", "third_party", "-o", "out")
        names = [row[1] for row in self.rows("full_unsupported_results.csv", "pkg_analysis")]
        self.assertIn("pkg.pool.Base.odd", names)

    def test_flags_uses_of_a_library_in_a_project(self):
        self.library()
        self.write("project/train.py", (
            "import pkg\nfrom pkg.pool import Pool as P, fine\n\n"
            "pkg.pool(1)\nmodel = P()\nfine(1)\nm = pkg.user.Model()\nm.use(2)\n"
            "isinstance(model, P)\nother.pool(1)\n"))
        self.run_for(0, "analyze", "project", "-o", "out", "-api",
                     "out/lib_analysis/full_unsupported_results.csv")
        rows = self.rows("unsupported_api.csv", "project_analysis")
        self.assertEqual([(int(row[1]), row[3]) for row in rows[1:]], [
            (4, "pkg.pool"), (5, "pkg.pool.Pool"), (7, "pkg.user.Model"), (8, "pkg.user.Model.use")])
        self.assertEqual(rows[1][4], "needs torch.nn.MaxPool3d (pkg/pool.py:6)")

    def test_refuses_another_csv(self):
        self.library()
        error = self.run_for(2, "analyze", "lib", "--api-files",
                             "out/lib_analysis/unknown_op.csv").stderr
        self.assertIn(b"unknown_op.csv: has no column \"3rd-party API\"", error)
        self.assertIn(b"cannot be read", self.run_for(
            2, "analyze", "lib", "--api-files", "missing.csv").stderr)


class AnalyzeExtensions(ProgramTest):
    def test_names_nothing_that_runs_on_devices_of_other_vendors_alone(self):
        self.write("project/a.py", (
            "import torch\nif torch.xpu.is_available():\n"
            "    kind = torch.profiler.ProfilerActivity.XPU\n"
            "other = torch.profiler.ProfilerActivity.XPU\n"))
        self.run_for(0, "analyze", "project", "-o", "out")
        table = self.folder / "out/project_analysis/unsupported_api.csv"
        self.assertEqual([row[1] for row in csv.reader(io.StringIO(table.read_text()))][1:], ["4"])

    def test_lists_native_operators_and_the_calls_that_reach_them(self):
        self.write("project/setup.py", (
            "from torch.utils.cpp_extension import CUDAExtension\n"
            "CUDAExtension('own._C', ['own/csrc/a.cpp', 'own/csrc/a.cu'])\n"))
        self.write("project/own/csrc/a.cpp",
                   "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"forward\", &f); }\n")
        self.write("project/own/host.cpp", "PYBIND11_MODULE(host, m) { m.def(\"count\", &c); }\n")
        self.write("project/own/__init__.py", "")
        self.write("project/own/layer.py", (
            "import torch\nimport host\nfrom own import _C\nfrom torch.utils.cpp_extension import load\n"
            "def f(model, x):\n"
            "    model.forward(x)\n    host.count(x)\n    return _C.forward(x)\n"
            "ext = load(name='own._C', sources=[])\next.forward(1)\n"))
        self.run_for(0, "analyze", "project", "-o", "out")
        out = self.folder / "out/project_analysis"
        self.assertEqual((out / "cuda_op_list.csv").read_text(), (
            "File,Api\nown/csrc/a.cpp,own._C.forward\nown/host.cpp,host.count\n"))
        rows = list(csv.reader(io.StringIO((out / "unsupported_api.csv").read_text())))
        self.assertEqual([(row[0], row[1], row[3]) for row in rows if "User-defined" in row[4]], [
            ("own/layer.py", "8", "own._C.forward"), ("own/layer.py", "10", "own._C.forward")])

    def test_names_no_function_that_takes_nothing(self):
        self.write("project/setup.py", (
            "from torch.utils.cpp_extension import CUDAExtension\n"
            "CUDAExtension('own_cuda', ['a.cpp', 'a.cu'])\n"))
        self.write("project/a.cu", "std::string cuda_version() {\n  return \"12\";\n}\n")
        self.write("project/a.cpp", (
            "PYBIND11_MODULE(own_cuda, m) {\n  m.def(\"forward\", &own::forward);\n"
            "  m.def(\"version\", &own::cuda_version, \"of CUDA\");\n}\n"))
        self.write("project/use.py",
                   "import torch\nimport own_cuda\nprint(own_cuda.version())\nown_cuda.forward(1)\n")
        self.run_for(0, "analyze", "project", "-o", "out")
        table = self.folder / "out/project_analysis/unsupported_api.csv"
        rows = list(csv.reader(io.StringIO(table.read_text())))
        self.assertEqual([row[3] for row in rows if "User-defined" in row[4]],
                         ["own_cuda.forward"])


class AnalyzeOperators(ProgramTest):
    def test_grades_a_list_of_operators(self):
        self.write("ops.txt", "aten::add\naten::unique_consecutive\nmine::op\n")
        result = self.run_for(0, "analyze", "--ops", "ops.txt", "-o", "out")
        text = (self.folder / "out/ops_analysis/operator_support.csv").read_text()
        self.assertEqual([row[2] for row in csv.reader(io.StringIO(text))],
                         ["Support", "limited", "unsupported", "unknown"])
        self.assertIn(b"compare neighbours", result.stdout)

    def test_refuses_what_is_no_list(self):
        self.write("a.py", "import torch\n")
        self.assertIn(b"a.py:1", self.run_for(2, "analyze", "--ops", "a.py").stderr)
        self.assertIn(b"--ops", self.run_for(2, "analyze", "a.py", "--ops", "a.py").stderr)
        self.assertIn(b"INPUT", self.run_for(2, "analyze").stderr)


if __name__ == "__main__":
    unittest.main()
