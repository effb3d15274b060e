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
    x = torch.zeros(1, dtype=torch.float32) + nn.Parameter(x)
    x = torch.no_such_function(x)
    x = torch._private(x)
    torch.cuda.synchronize()
    print("torch.unique_consecutive in a message")
    optimizer.step()
    return x.unique_consecutive(), pool, torch.nn.DataParallel(pool)
layer = nn.Linear(2, 2)
norm = BatchNorm2d(2)
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
        self.assertIn("instead: one process that drives several NPUs", page)  # from the rule
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

    def test_leaves_methods_of_the_user_and_of_other_libraries(self):
        self.assertEqual(self.rows_of("unsupported", (
            "import torch\nimport scipy.sparse as sp\n"
            "class Own:\n    def to_sparse(self): return self\n"
            "Own().to_sparse(), sp.to_dense(), args.share_memory\n"
            "def f(x): return x.to_sparse()\n")), [(6, "torch.Tensor.to_sparse")])

    def test_says_for_which_version_the_table_is(self):
        page = self.analyze("--torch-version", "2.1").stdout.decode()
        self.assertIn("Graded by the documentation for torch 2.13; for torch 2.1 more may", page)

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


if __name__ == "__main__":
    unittest.main()
