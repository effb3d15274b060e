#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""transplt migrate --target agnostic, and what is said about code that is migrated by half.

What runs here runs on the CPU with tests/e2e/accelerator_stand_in.py, which simulates
torch.accelerator for a torch that does not have it yet.
"""

import os
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from program import ROOT, ProgramTest, tree_of  # noqa: E402

AGNOSTIC = """\
import torch

device = torch.accelerator.current_accelerator() or torch.device("cpu")
use_cuda = device.type != "cpu"  # cuda, npu ...
model = torch.nn.Linear(2, 2).to(device)
with torch.amp.autocast(device_type=device.type):
    torch.accelerator.synchronize()
"""

HALF = """\
import torch


def profile():
    if torch.cuda.is_available():
        torch.cuda.nvtx.range_push("step")
"""

TRAIN = """\
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1).cuda()
device = torch.device("cuda")
scaler = torch.cuda.amp.GradScaler(enabled=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    x = torch.randn(8, 4, device="cuda")
    y = x.sum(1, keepdim=True).to("cuda", non_blocking=True)
    with torch.cuda.amp.autocast(False):
        loss = torch.nn.functional.mse_loss(model(x.to(device)), y.cuda(non_blocking=True))
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    torch.cuda.synchronize()
    print(f"{loss.item():.6f}", x.device.type == "cuda", torch.cuda.device_count())
"""

SHARE = """\
import torch


def share(x, devices):
    if torch.cuda.is_available():
        return torch.cuda.comm.broadcast(x, devices)
"""

HAS_TORCH = subprocess.run(["/usr/bin/python3", "-c", "import torch"], capture_output=True,
                           check=False).returncode == 0


class Target(ProgramTest):
    def migrated(self, text, *options):
        self.write("project/main.py", text)
        self.run_for(0, "migrate", "project", "-o", "out", "--target", "agnostic", *options)
        return (self.folder / "out/project_msft/main.py").read_text(encoding="utf-8")

    def test_is_refused_before_torch_accelerator_exists(self):
        self.write("project/main.py", TRAIN)
        before = tree_of(self.folder)
        result = self.run_for(2, "migrate", "project", "-o", "out", "--target", "agnostic",
                              "--torch-version", "2.5.1")
        self.assertIn(b"torch.accelerator came with torch 2.6", result.stderr)
        self.assert_nothing_written(before)

    def test_must_be_a_known_one(self):
        self.write("project/main.py", TRAIN)
        self.run_for(2, "migrate", "project", "--target", "gpu")

    def test_needs_nothing_of_the_npu(self):
        text = self.migrated(TRAIN)
        self.assertNotIn("npu", text)
        # Without a device AMP stays what it was, which switches itself off.
        self.assertNotIn("cuda", text.replace('else "cuda"', ""))

    def test_leaves_code_for_any_accelerator_as_it_is(self):
        self.write("project/main.py", AGNOSTIC)
        self.run_for(0, "migrate", "project", "--target", "agnostic", "--check")
        self.run_for(0, "migrate", "project", "--check")

    def test_migrates_once(self):
        once = self.migrated(TRAIN + AGNOSTIC)
        shutil.rmtree(self.folder / "out")
        self.assertEqual(self.migrated(once), once)

    def test_runs_with_the_oldest_torch_unless_told(self):
        text = "import torch\n\nscaler = torch.cuda.amp.GradScaler()\n"
        usual = self.migrated(text)
        shutil.rmtree(self.folder / "out")
        self.assertEqual(self.migrated(text, "--torch-version", "2.6"), usual)
        shutil.rmtree(self.folder / "out")
        self.assertNotEqual(self.migrated(text, "--torch-version", "2.8"), usual)

    def test_is_refused_for_other_frameworks(self):
        for framework, text in (("mindspore", "import mindspore\nmindspore.set_context(device_target='GPU')\n"),
                                ("tensorflow", "import tensorflow as tf\nprint(tf.Session())\n")):
            for options in ([], ["--framework", framework]):
                with self.subTest(framework, options=options):
                    self.write("other/main.py", text)
                    before = tree_of(self.folder)
                    result = self.run_for(2, "migrate", "other", "-o", "out", "--target",
                                          "agnostic", *options)
                    self.assertIn(b"--target agnostic is for PyTorch", result.stderr)
                    self.assert_nothing_written(before)

    def test_takes_no_guard_for_imports_that_it_does_not_write(self):
        self.write("project/main.py", TRAIN)
        result = self.run_for(2, "migrate", "project", "--target", "agnostic", "--guard-imports")
        self.assertIn(b"leave it out", result.stderr)

    def test_leaves_a_name_that_other_files_import_and_its_calls(self):
        files = {"compat.py": "import torch\nfrom torch.cuda.amp import autocast\n",
                 "user.py": "from compat import autocast\n\nwith autocast(True):\n    pass\n",
                 "member.py": "import compat\n\nwith compat.autocast():\n    pass\n"}
        for name, text in files.items():
            self.write(f"project/{name}", text)
        result = self.run_for(0, "migrate", "project", "--target", "agnostic", "--list", "all")
        self.assertEqual(result.stdout, b"")
        places = [line for line in result.stderr.splitlines()
                  if line.startswith(b"compat.py:") and b"other files import this name" in line]
        self.assertEqual(len(places), 1, result.stderr)
        self.assertEqual(result.stderr.count(b"| compat.py:2 |"), 1)

    def test_changes_an_alias_and_its_calls_together_or_not_at_all(self):
        text = """\
import torch
try:
    from torch.cuda.amp import autocast, GradScaler
except ImportError:
    from amp_of_mine import autocast
    GradScaler = None

if GradScaler is not None:
    scaler = GradScaler(init_scale=2.0)
with autocast(True):
    pass
"""
        after = self.migrated(text)
        self.assertIn("    from torch.cuda.amp import autocast\n    from torch.amp import GradScaler\n",
                      after)
        self.assertIn("with autocast(True):", after)
        self.assertNotIn("GradScaler(init_scale", after)
        shutil.rmtree(self.folder / "out")
        self.assertEqual(self.migrated(after), after)

    def test_leaves_a_condition_above_what_only_cuda_has(self):
        text = ("import torch\n\nif torch.cuda.is_available():\n"
                "    stream = torch.cuda.Stream()\n"
                "kind = 'cuda' if torch.cuda.is_available() else 'mps'\n")
        self.write("project/main.py", text)
        result = self.run_for(0, "migrate", "project", "--target", "agnostic", "--list", "all")
        self.assertEqual(result.stdout, b"")
        self.assertIn(b"the condition stays", result.stderr)

    def test_says_once_that_a_condition_stays(self):
        self.write("project/main.py", "import torch\n\n\ndef f(device):\n"
                                      "    if device.type == 'cuda':\n"
                                      "        torch.cuda.synchronize()\n"
                                      "        torch.cuda.nvtx.range_push('a')\n")
        result = self.run_for(0, "migrate", "project", "--target", "agnostic", "--list", "all")
        lines = [line for line in result.stderr.splitlines() if b"main.py:5:" in line]
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertIn(b"cuda-guard: the condition stays", lines[0])

    def test_reads_no_quotes_of_an_f_string_wrong(self):
        after = self.migrated("import torch\n\nprint(f\"{torch.cuda.memory_allocated()}\", "
                              "f'{torch.cuda.memory_reserved()}')\n")
        compile(after, "main.py", "exec")
        self.assertIn("'memory_allocated'", after)
        self.assertIn('"memory_reserved"', after)

    def test_reports_what_settings_cannot_say(self):
        self.write("project/train.sh", "python train.py --device cuda --dist-backend nccl\n")
        result = self.run_for(0, "migrate", "project", "--target", "agnostic", "--list", "all")
        self.assertEqual(result.stdout, b"")
        self.assertIn(b'"cuda" stays: this file cannot ask', result.stderr)
        self.assertIn(b'"nccl" stays: this file cannot ask', result.stderr)

    def test_is_known_to_query(self):
        result = self.run_for(0, "query", "--target", "agnostic", "torch.cuda.set_device")
        self.assertIn(b"torch.accelerator.set_device_index", result.stdout)

    def test_runs_the_examples_of_its_own_rules(self):
        result = self.run_for(0, "rule", "test", "--target", "agnostic")
        self.assertIn(b" 0 failed", result.stderr)


class HalfMigrated(ProgramTest):
    def reports(self, text, *options):
        self.write("project/main.py", text)
        result = self.run_for(0, "migrate", "project", "--list", "all", *options)
        return [line for line in result.stderr.decode("utf-8").splitlines()
                if "half-migrated" in line]

    def test_is_reported_where_the_condition_is_for_the_npu(self):
        lines = self.reports(SHARE, "--target", "npu")
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("this is still about CUDA, and the condition", lines[0])

    def test_is_not_what_stays_below_its_condition(self):
        self.assertEqual(self.reports(SHARE, "--target", "agnostic"), [])
        self.assertEqual(self.reports(HALF, "--target", "agnostic"), [])

    def test_can_be_suppressed(self):
        text = SHARE.replace("devices)\n", "devices)  # transplt: ignore\n").replace(
            "def share(x, devices)  # transplt: ignore", "def share(x, devices)")
        self.assertNotEqual(text, SHARE)
        self.assertEqual(self.reports(text, "--target", "npu"), [])

    def test_is_not_what_moved_with_its_import(self):
        for target in ("npu", "agnostic"):
            with self.subTest(target):
                self.assertEqual(self.reports("""\
import torch
from torch.cuda import amp


def train(x):
    torch.cuda.synchronize()
    with amp.autocast():
        return x
""", "--target", target), [])

    def test_is_nothing_of_what_is_migrated_as_a_whole(self):
        for target in ("npu", "agnostic"):
            with self.subTest(target):
                self.assertEqual(self.reports(TRAIN, "--target", target), [])


@unittest.skipUnless(HAS_TORCH, "needs Debian's python3-torch")
class OnTheCpu(ProgramTest):
    """Simulated: see accelerator_stand_in.py."""

    SAMPLES = {
        "imagenet": "main.py --dummy --dummy-size 32 --image-size 32 --num-classes 4 -b 8 -j 0 "
                    "--epochs 1 --max-steps 2 --lr 0.005 --seed 1 --gpu 0 --output none",
        "gan": "gan.py --cuda --manual-seed 1 --pictures 32 --batch-size 8 --image-size 16 --nz 8 "
               "--ngf 8 --ndf 8 --niter 1 --steps 4 --log-every 1",
        "tiny_lm": "train.py --config configs/tiny.json --seed 1",
    }

    def python(self, folder, command, accelerator=None):
        environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
        if accelerator:
            shutil.copy(ROOT / "tests/e2e/accelerator_stand_in.py",
                        self.write("site/sitecustomize.py", ""))
            environment.update(PYTHONPATH=str(self.folder / "site"), ACCELERATOR=accelerator)
        result = subprocess.run(["/usr/bin/python3", *command.split()], cwd=folder,
                                env=environment, capture_output=True, timeout=300, check=False)
        self.assertEqual(result.returncode, 0, result.stderr.decode("utf-8", "replace")[-3000:])
        self.assertNotIn(b"Traceback", result.stderr)
        self.assertNotEqual(result.stdout, b"")
        return result.stdout

    def test_samples_print_the_same_where_there_is_no_accelerator(self):
        for name, command in self.SAMPLES.items():
            with self.subTest(name):
                shutil.copytree(ROOT / "samples" / name, self.folder / name)
                self.run_for(0, "migrate", name, "-o", "out", "--target", "agnostic")
                self.assertEqual(
                    self.python(self.folder / "out" / f"{name}_msft", command, "none"),
                    self.python(self.folder / name, command))

    def test_a_program_for_cuda_runs_on_an_accelerator_that_is_the_cpu(self):
        self.write("project/main.py", TRAIN)
        self.run_for(0, "migrate", "project", "-o", "out", "--target", "agnostic")
        on_cpu = TRAIN.replace(".cuda(", '.to("cpu", ').replace('"cpu", )', '"cpu")')
        for old, new in [("torch.cuda.amp.autocast(False)", "torch.enable_grad()"),
                         ("enabled=True", "enabled=False"), ('"cuda"', '"cpu"'),
                         ("    torch.cuda.synchronize()\n", ""),
                         ('x.device.type == "cpu"', "False"), ("torch.cuda.device_count()", "1")]:
            self.assertIn(old, on_cpu)
            on_cpu = on_cpu.replace(old, new)
        self.write("cpu/main.py", on_cpu)
        self.assertEqual(self.python(self.folder / "out/project_msft", "main.py", "cpu"),
                         self.python(self.folder / "cpu", "main.py"))


if __name__ == "__main__":
    unittest.main()
