#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""transplt analyze --mode affinity_apis, advice, dynamic_shape; and instrumented copies that run."""

import csv
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from program import LONG, ROOT, ProgramTest, compiles, tree_of  # noqa: E402

HAS_TORCH = importlib.util.find_spec("torch") is not None
REPORT = "msft_dynamic_shape_analysis_report.csv"

TRAIN = """\
import torch
from torch import optim
from torch.utils.data import DataLoader

from net import Net, mask_out


def main(train_set, criterion, device):
    net = Net()
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    loader = DataLoader(train_set, 8, shuffle=True)
    total = 0
    for images, target in loader:
        images = images.to(device)
        loss = criterion(mask_out(net(images)), target)
        loss.backward()
        optimizer.step()
        total += loss.item()
"""

NET = """\
import torch
from layers import *


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = DropPath(0.1)

    def forward(self, x):
        table = {}
        table["x"] = x
        x[x > 0.5] = 0
        return self.drop(x.permute(0, 2, 1).contiguous())


def mask_out(x):
    keep = torch.isfinite(x)
    return x[keep]
"""

LAYERS = """\
from torch import nn


class DropPath(nn.Module):
    def __init__(self, drop_prob=None):
        super().__init__()


class Mish:
    def __init__(self, inplace):
        pass


act = Mish(True)
"""


class Lists(ProgramTest):
    def setUp(self):
        super().setUp()
        for name, text in (("train.py", TRAIN), ("net.py", NET), ("layers.py", LAYERS)):
            self.write("project/" + name, text)

    def rows(self, mode, name):
        self.run_for(0, "analyze", "project", "--mode", mode, "-o", "out", "--force")
        text = (self.folder / "out/project_analysis" / name).read_text(encoding="utf-8")
        return list(csv.reader(io.StringIO(text)))

    def test_affinity_rows_name_the_file_and_the_resolved_call(self):
        rows = self.rows("affinity_apis", "affinity_api_call.csv")
        self.assertEqual(rows, [
            ["File", "Start Line", "End Line", "Api Type", "Api Call Name", "Affinity Api Name"],
            ["net.py", "8", "8", "class", "DropPath", "torch_npu.contrib.module.NpuDropPath"],
            ["net.py", "13", "13", "expression", "x[x > 0.5]",
             "torch_npu.contrib.function.npu_fast_condition_index_put"]])

    def test_advice_names_each_kind_once_with_its_places(self):
        rows = self.rows("advice", "api_performance_advice.csv")
        self.assertEqual(rows[0], ["File", "Start Line", "End Line", "OP", "Tips"])
        found = {(row[4].split("]")[0][1:], row[0], int(row[1])) for row in rows[1:]}
        self.assertEqual(found, {
            ("precision_mode.missing", "train.py", 16), ("step.reads_device", "train.py", 18),
            ("optimizer.fused", "train.py", 10), ("data.workers", "train.py", 11),
            ("compile.last_batch", "train.py", 11), ("compile.jit", "train.py", 16),
            ("data.pin_memory", "train.py", 11), ("data.non_blocking", "train.py", 14),
            ("copy.transposed", "net.py", 14)})
        page = self.run_for(0, "analyze", "project", "--mode", "advice").stdout.decode()
        self.assertEqual(page.count("[optimizer.fused]"), 1)
        self.assertIn("train.py:10: optim.SGD(net.parameters(), lr=0.1)", page)

    def test_dynamic_shape_lists_what_depends_on_data(self):
        rows = self.rows("dynamic_shape", "dynamic_shape_advice.csv")
        found = {(row[4].split("]")[0][1:], row[0], int(row[1])) for row in rows[1:]}
        self.assertEqual(found, {("compile.last_batch", "train.py", 11),
                                 ("shape.mask_store", "net.py", 13),
                                 ("shape.mask_read", "net.py", 19)})

    def test_pages_speak_chinese(self):
        page = self.run_for(0, "analyze", "project", "--mode", "advice", "--lang", "zh").stdout
        self.assertIn("做法", page.decode())

    def test_lists_are_the_same_in_every_run(self):
        first = {mode: self.run_for(0, "analyze", "project", "--mode", mode).stdout
                 for mode in ("advice", "affinity_apis", "dynamic_shape")}
        for mode, page in first.items():
            self.assertEqual(self.run_for(0, "analyze", "project", "--mode", mode).stdout, page)

    def test_the_copy_has_all_files_and_the_input_stays(self):
        script = self.write("project/run.sh", "python3 train.py\n")
        script.chmod(0o755)
        before = tree_of(self.folder / "project")
        self.rows("dynamic_shape", "dynamic_shape_advice.csv")
        self.assertEqual(tree_of(self.folder / "project"), before)
        copy = self.folder / "out/project_analysis"
        self.assertEqual((copy / "run.sh").read_bytes(), b"python3 train.py\n")
        self.assertEqual((copy / "run.sh").stat().st_mode & 0o777, 0o755)
        for name in ("train.py", "net.py", "layers.py"):
            self.assertTrue(compiles((copy / name).read_bytes()), name)
        self.run_for(2, "analyze", copy, "--mode", "dynamic_shape", "-o", "again")

    def test_nothing_is_copied_without_an_output(self):
        before = tree_of(self.folder)
        self.run_for(0, "analyze", "project", "--mode", "dynamic_shape")
        self.assert_nothing_written(before)


ODD = '''\
#!/usr/bin/env python3
"""A docstring"""
from __future__ import annotations
import asyncio, inspect, sys
import torch
from torch import nn
import torch.nn.functional as F


def twice(function):
    def inner(*args, **kwargs):
        return function(function(*args, **kwargs))
    return inner


@twice
def grow(x, *, by=1):
    return F.pad(x, (0, by))


@torch.jit.script
def scripted(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(x).sum()


def plain(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(x).view(-1)


class Base(nn.Module):
    def forward(self, x, scale=1):
        return x * scale


class Net(Base):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])

    def forward(self, x, *rest, **options):
        for layer in self.layers:
            x = layer(x)
        x = self.layers[0](x)
        return super().forward(x, **options)


class Small(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x).reshape(-1)


def numbers(n):
    for i in range(n):
        x = yield torch.ones(i + 1)
        if x is not None:
            print("sent", x)


async def later(net, x):
    await asyncio.sleep(0)
    return net(x)


async def wait(net, x):
    return await later(net, x)


def main():
    net = Net()
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.fill_(0.5)
    for size in (2, 3, 5):
        y = net(torch.ones(size, 4), 1, *(2, 3), **{"scale": 2})
        print(tuple(y.shape), float(y.sum()))
    print(f"{plain(y)=}"[:12], f"{tuple(plain(y).shape)!r:>10}")
    print(tuple(grow(torch.ones(2), by=3).shape), tuple(grow(x=torch.ones(1)).shape)
          if False else "")
    print(scripted(torch.ones(2)).item(), torch.jit.script(plain)(torch.ones(2, 2)).shape)
    print(torch.jit.script(Small())(torch.ones(2, 2)).shape)
    print(sum(len(x) for x in numbers(3)), max(numbers(2), key=len).shape)
    print(asyncio.run(wait(net, torch.ones(1, 4))).shape)
    if (z := plain(torch.ones(3))).numel() > 2: print(z.shape)
    print([plain(torch.ones(n)).shape[0] for n in range(1, 4)], (lambda x: plain(x))(z).shape)
    print(inspect.getsource(plain))
    try:
        net(torch.ones(1, 7))
    except RuntimeError as error:
        import traceback
        lines = [line for line in traceback.format_exc().splitlines() if "at(" in line]
        print("mat1" in str(error), [line for line in lines if "_transplt" in line])


if __name__ == '__main__':
    main()
'''

WORKERS = """\
import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 5

    def __getitem__(self, i):
        return torch.full((3,), float(i))


def work(rank, total):
    total += torch.relu(torch.ones(rank + 1)).sum()


if __name__ == "__main__":
    total = torch.zeros(1).share_memory_()
    mp.spawn(work, (total,), nprocs=2)
    print(total.item())
    for x in DataLoader(Numbers(), 2, num_workers=2):
        print(torch.relu(x).shape)
"""

LOOP = """\
import torch
import transplt_shapes

x = torch.relu(torch.ones(9))
loader = transplt_shapes.start([torch.ones(2), torch.ones(4)])
print(len(loader))
for x in loader:
    x = torch.relu(x)
x = torch.relu(torch.ones(7))
"""


@unittest.skipUnless(HAS_TORCH, "needs python3-torch")
class InstrumentedRuns(ProgramTest):
    def run_python(self, folder, *arguments):
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1",
                       "PYTHONHASHSEED": "0"}
        return subprocess.run(["/usr/bin/python3", *arguments], cwd=folder, env=environment,
                              capture_output=True, timeout=300, check=False)

    def instrument(self, project):
        self.run_for(0, "analyze", project, "--mode", "dynamic_shape", "-o", "out")
        return self.folder / "out" / (project.name + "_analysis")

    def compare(self, project, *arguments):
        """Runs the project and its copy, which must print the same; returns the report's rows."""
        copy = self.instrument(project)
        expected = self.run_python(project, *arguments)
        self.assertEqual(expected.returncode, 0, expected.stderr.decode())
        got = self.run_python(copy, *arguments)
        self.assertEqual(got.returncode, 0, got.stderr.decode())
        self.assertEqual(got.stdout.decode(), expected.stdout.decode())
        self.assertIn(b"transplt: shapes of", got.stderr)
        with open(copy / REPORT, encoding="utf-8") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], ["Function Name", "File Path", "Line Number", "Call Stack",
                                   "Input Shape Range", "Output Shape Range"])
        return rows[1:]

    def sample(self, name):
        shutil.copytree(ROOT / "samples" / name, self.folder / name)
        return self.folder / name

    def test_imagenet_prints_the_same_and_shows_the_smaller_last_batch(self):
        rows = self.compare(self.sample("imagenet"), "main.py", "--dummy", "--dummy-size", "20",
                            "--image-size", "32", "--num-classes", "4", "-b", "8", "-j", "0",
                            "--epochs", "1", "--seed", "1", "--output", "none")
        model = next(row for row in rows if row[0] == "model")
        self.assertEqual(model[4:], ["0: [5~8, 3, 32, 32]", "[5~8, 4]"])
        self.assertIn("main.py:" + model[2] + " run_epoch", model[3])

    @unittest.skipUnless(LONG, "long")
    def test_gan_prints_the_same(self):
        rows = self.compare(self.sample("gan"), "gan.py", "--manual-seed", "1", "--pictures", "16",
                            "--batch-size", "8", "--image-size", "16", "--nz", "4", "--ngf", "4",
                            "--ndf", "4", "--niter", "1", "--steps", "2", "--log-every", "1")
        self.assertIn("networks.py", {row[1] for row in rows})

    @unittest.skipUnless(LONG, "long")
    def test_a_package_prints_the_same(self):
        rows = self.compare(self.sample("tiny_lm"), "train.py", "--config", "configs/tiny.json",
                            "--seed", "1", "train.steps=2")
        self.assertIn("tiny_lm/model.py", {row[1] for row in rows})

    def test_odd_code_runs_as_it_did(self):
        self.write("odd/odd.py", ODD)
        rows = self.compare(self.folder / "odd", "odd.py")
        found = {(row[0], int(row[2])): row for row in rows}
        line = ODD.splitlines().index("            x = layer(x)") + 1
        self.assertEqual(found["layer", line][4:], ["0: [1~5, 4~7]", "[1~5, 4]"])
        self.assertTrue(any(row[0] == "super().forward" for row in rows))

    @unittest.skipUnless(LONG, "long")
    def test_files_with_other_line_ends_run_as_they_did(self):
        self.write("odd/odd.py", ODD.replace("\n", "\r\n").replace("#!/usr/bin/env python3\r\n", ""))
        self.compare(self.folder / "odd", "odd.py")

    def test_other_processes_write_reports_of_their_own(self):
        self.write("many/many.py", WORKERS)
        self.compare(self.folder / "many", "many.py")
        reports = list((self.folder / "out/many_analysis").glob("msft*.csv"))
        # The program, and two that it spawned; what loads data is no part of the computation.
        self.assertEqual(len(reports), 3, reports)

    def test_start_limits_the_report_to_its_loop(self):
        self.write("loop/loop.py", LOOP)
        copy = self.instrument(self.folder / "loop")
        got = self.run_python(copy, "loop.py")
        self.assertEqual((got.returncode, got.stdout), (0, b"2\n"), got.stderr.decode())
        with open(copy / REPORT, encoding="utf-8") as file:
            rows = list(csv.reader(file))[1:]
        self.assertEqual([row[4] for row in rows], ["0: [2~4]"])

    @unittest.skipUnless(LONG, "long")
    def test_scripts_in_folders_find_the_module(self):
        self.write("deep/tools/run.py", "import torch\nprint(torch.relu(torch.ones(2)).shape)\n"
                                        "if __name__ == '__main__':\n    pass\n")
        self.write("deep/tools/__init__.py", "")
        copy = self.instrument(self.folder / "deep")
        for arguments in (["tools/run.py"], ["-m", "tools.run"]):
            got = self.run_python(copy, *arguments)
            self.assertEqual(got.returncode, 0, got.stderr.decode())


if __name__ == "__main__":
    unittest.main()
