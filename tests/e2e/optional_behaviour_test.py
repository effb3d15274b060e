#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What --enable and its like do besides the usual: how they are asked for, and what results do."""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import program  # noqa: E402
from program import ProgramTest, tree_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = "/usr/bin/python3"
NAMES = ["specify-device", "similar", "amp-apex", "npu-fused-optimizers", "drop-last",
         "drop-last-validation", "int32-targets", "jit-compile-off", "channel-shuffle", "fused-shuffle", "layer-norm",
         "strip-module-prefix", "cxx-stand-ins"]
PAD = "import torch.nn.functional as F\n\n\ndef widen(x):\n    return F.pad(x, (1, 1))  # on cuda\n"
TRAIN = "import torch\n\nprint(torch.zeros(1).cuda(1))\n"


class OptionTest(ProgramTest):
    def migrate(self, text, *options, name="train.py"):
        """The migrated text of one file."""
        self.write(f"project/{name}", text)
        self.run_for(0, "migrate", "project", "-o", "out", "--force", *options)
        return (self.folder / "out/project_msft" / name).read_text(encoding="utf-8")

    def run_python(self, script, **environment):
        """Runs a file of the result and gives what it prints."""
        result = subprocess.run([PYTHON, "-B", script], cwd=self.folder / "out/project_msft",
                                env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                                capture_output=True, check=False, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr.decode("utf-8", "replace"))
        return result.stdout.decode("utf-8")

    def stub(self, name, text):
        self.write(f"out/project_msft/{name}", text)


class Asking(OptionTest):
    def test_help_lists_every_name(self):
        for arguments in (["migrate", "--help"], ["-i", "x", "--help"]):
            text = self.run_for(0, *arguments).stdout.decode()
            for name in NAMES:
                self.assertIn(name, text)

    def test_the_level_and_the_loss_scale_of_apex_are_those_that_were_asked_for(self):
        path = self.write("t.py", "import torch\n\nmodel = Net().cuda()\n"
                          "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
                          "loss = model(x)\nloss.backward()\noptimizer.step()\n")
        for options, wanted in (((), 'opt_level="O2", loss_scale=1024.0'),
                                (("--amp-level", "O1"), 'opt_level="O1", loss_scale=1024.0'),
                                (("--loss-scale", "dynamic"),
                                 'opt_level="O2", loss_scale="dynamic"'),
                                (("--amp-level", "O1", "--loss-scale", "128"),
                                 'opt_level="O1", loss_scale=128')):
            diff = self.run_for(0, "migrate", path, "--amp", "apex", *options).stdout.decode()
            self.assertIn(f"amp.initialize(model, optimizer, {wanted}, combine_grad=True)", diff)
        self.run_for(2, "migrate", path, "--loss-scale", "128")
        self.run_for(2, "migrate", path, "--amp", "apex", "--loss-scale", "much")
        self.run_for(2, "migrate", path, "--amp", "apex", "--amp-level", "O3")

    def test_an_unknown_name_is_refused_with_the_one_that_was_meant(self):
        self.write("project/train.py", TRAIN)
        before = tree_of(self.folder)
        result = self.run_for(2, "migrate", "project", "-o", "out", "--enable", "drop-lst")
        self.assertIn(b'unknown behaviour "drop-lst"; did you mean "drop-last"?', result.stderr)
        result = self.run_for(2, "migrate", "project", "-o", "out", "--enable", "drop-last,zzz")
        self.assertIn(b'"layer-norm"', result.stderr)
        for name in ("normal", "distributed", "2.1.0", ""):
            self.run_for(2, "migrate", "project", "-o", "out", "--enable", name)
        self.run_for(2, "migrate", "project", "-o", "out", "--amp", "native")
        self.assert_nothing_written(before)

    def test_names_can_be_separated_repeated_and_spelled_with_underscores(self):
        text = ("import torch\nfrom torch.utils.data import DataLoader\n"
                "loss = torch.nn.functional.nll_loss(y, t)\ntrain_loader = DataLoader(d)\n")
        expected = self.migrate(text, "--enable", "drop-last,int32-targets")
        self.assertIn("t.int()", expected)
        self.assertIn("drop_last=True", expected)
        self.assertEqual(expected, self.migrate(text, "--enable", "drop_last", "--enable",
                                                "int32_targets"))

    def test_nothing_of_it_happens_unasked(self):
        for fixture in ("fused_optimizers_replace_those_that_are_called",
                        "training_data_drops_its_last_batch_where_asked",
                        "apex_amp_is_added_where_one_optimizer_trains_one_model"):
            source = ROOT / "tests/fixtures" / fixture / "before"
            result = self.run_for(0, "migrate", source, "--format", "json")
            for row in json.loads(result.stdout)["records"]:
                self.assertNotRegex(row["rule_id"], "^(npu-fused|drop-last|amp-apex$|amp-apex\\.)")

    def test_the_old_options_mean_the_same_in_both_forms(self):
        self.write("project/train.py", TRAIN + PAD)
        for old, name in (("-s", "specify-device"), ("-sim", "similar"),
                          ("--specify-device", "specify-device"), ("--similar", "similar")):
            trees = []
            for arguments in (["migrate", "project", old], ["-i", "project", old],
                              ["migrate", "project", "--enable", name]):
                self.run_for(0, *arguments, "-o", self.folder / "out", *(
                    ["--force"] if arguments[0] == "migrate" else []))
                trees.append(tree_of(self.folder / "out"))
                subprocess.run(["rm", "-r", self.folder / "out"], check=True)
            self.assertEqual(trees[0], trees[1])
            self.assertEqual(trees[0], trees[2])

    def test_what_contradicts_itself_is_refused(self):
        self.write("project/train.py", TRAIN)
        before = tree_of(self.folder)
        for options in (["--guard-imports", "-s"], ["--in-place", "--similar"]):
            result = self.run_for(2, "migrate", "project", *options)
            self.assertIn(options[0].encode(), result.stderr)
        self.assert_nothing_written(before)


class SimilarModule(OptionTest):
    def test_is_written_beside_the_program_that_calls_it(self):
        self.write("project/main.py", "import torch\nfrom pads import widen\n"
                                      "print(widen(torch.ones(2)).tolist())\n")
        self.migrate(PAD, "--similar", name="pads.py")
        module = (self.folder / "out/project_msft/transplt_similar.py").read_bytes()
        self.assertEqual(module, (ROOT / "runtime/python/transplt_similar.py").read_bytes())
        self.assertEqual(self.run_python("main.py"), "[0.0, 1.0, 1.0, 0.0]\n")

    def test_is_not_written_where_nothing_calls_it(self):
        self.migrate(TRAIN, "--similar")
        self.assertFalse((self.folder / "out/project_msft/transplt_similar.py").exists())

    def test_of_an_earlier_run_stays(self):
        self.migrate(PAD, "--similar")
        self.write("again/x", "")
        self.run_for(0, "migrate", self.folder / "out/project_msft", "-o", self.folder / "again",
                     "--similar")
        once, twice = (tree_of(self.folder / path) for path in
                       ("out/project_msft", "again/project_msft_msft"))
        for name in ("train.py", "transplt_similar.py"):
            self.assertEqual(once[name], twice[name])


class Results(OptionTest):
    """Runs what comes out, with Debian's torch on the CPU; torch_npu and apex are stubs."""

    def test_guarded_files_run_without_torch_npu(self):
        text = self.migrate(
            "import torch as th\n"
            "from torch.cuda.amp import GradScaler, autocast\n"
            "from torch.cuda import Stream\n\n"
            "device = th.device('cuda' if th.cuda.is_available() else 'cpu')\n"
            "model = th.nn.Linear(2, 2).to(device)\n"
            "scaler = GradScaler(enabled=th.cuda.is_available())\n"
            "with autocast(enabled=device.type == 'cuda'):\n"
            "    loss = model(th.ones(1, 2, device=device)).sum()\n"
            "scaler.scale(loss).backward()\n"
            "print(device, th.cuda.device_count(), Stream.__name__)\n",
            "--guard-imports", "--enable", "jit-compile-off")
        self.assertIn("th.npu.is_available()", text)
        self.assertEqual(self.run_python("train.py"), "cpu 0 Stream\n")

    def test_the_device_is_that_of_the_environment(self):
        self.migrate("import torch\n\nname = 'cuda:0'\nprint(name, torch.device('cpu'))\n"
                     "if __name__ == '__main__':\n    print('cuda')\n", "-s")
        self.stub("torch_npu/__init__.py", "import torch_npu.npu\n")
        self.stub("torch_npu/npu.py", "def set_device(n):\n    print('device', n)\n")
        self.assertEqual(self.run_python("train.py", DEVICE_ID="3"),
                         "device 3\nnpu:3 cpu\ncuda\n")
        self.assertIn("npu:0", self.run_python("train.py"))

    def test_shuffled_channels_are_the_same(self):
        source = (ROOT / "tests/fixtures/channels_are_shuffled_by_index_select/before"
                  / "shufflenet.py").read_text(encoding="utf-8")
        text = self.migrate(source, "--enable", "channel-shuffle", name="after.py")
        self.assertEqual(text.count("transplt_similar.shuffle_channels("), 3)
        self.stub("before.py", source)
        self.stub("compare.py",
                  "import torch, before, after\n"
                  "for groups in (2, 4, 8):\n"
                  "    x = torch.randn(2, 232, 3, 3)\n"
                  "    for name in ('channel_shuffle', 'shuffle', 'in_one'):\n"
                  "        a, b = (getattr(m, name)(x, groups) for m in (before, after))\n"
                  "        print(torch.equal(a, b), end=' ')\n")
        self.assertEqual(self.run_python("compare.py").split(), ["True"] * 9)

    def test_blocks_that_hand_halves_on_train_as_before(self):
        source = (ROOT / "tests/fixtures/blocks_hand_shuffled_channels_on_in_halves/before"
                  / "shufflenet.py").read_text(encoding="utf-8")
        for options in (("fused-shuffle",), ("channel-shuffle", "fused-shuffle")):
            text = self.migrate(source, *(word for name in options for word in ("--enable", name)),
                                name="after.py")
            self.assertEqual(text.count("transplt_similar.takes_halves"), 2)
            self.stub("before.py", source)
            self.stub("compare.py", """
import copy, io, pickle
import torch, before, after, transplt_similar

given = []
Halves = transplt_similar._Halves
transplt_similar._Halves = type("Halves", (Halves,), {
    "__init__": lambda self, parts: (given.append(1), Halves.__init__(self, parts))[1]})

def run(module, make, changes=lambda net: None, mode="train"):
    torch.manual_seed(3)
    net = make(module)
    changes(net)
    getattr(net, mode)()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    results = []
    for step in range(2):
        x = torch.randn(4, 3, 32, 32, requires_grad=True)
        y = net(x)
        y.pow(2).sum().backward()
        optimizer.step()
        results += [y, x.grad, *(p.grad for p in net.parameters())]
    return results + list(net.state_dict().values()), list(net.state_dict())

def net(module): return module.ShuffleNetV2([3, 2, 1], [8, 16, 24, 32])
def line(module): return module.in_one_line(8)

def hooked(net):
    def see(block, inputs, output): assert isinstance(output, torch.Tensor), type(output)
    for block in net.stage2: block.register_forward_hook(see)

for make, changes, mode, halves in ((net, None, "train", 6), (net, None, "eval", 6),
                                    (line, None, "train", 4), (net, hooked, "train", 2)):
    given.clear()
    changes = changes or (lambda net: None)
    (a, names), (b, others) = (run(m, make, changes, mode) for m in (before, after))
    assert names == others and len(a) == len(b)
    assert len(given) == halves, (len(given), halves)
    for p, q in zip(a, b): torch.testing.assert_close(p, q)

torch.manual_seed(3)
model = net(after).eval()
x = torch.randn(2, 3, 32, 32)
y = model(x)
for same in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), torch.jit.trace(model, x)):
    torch.testing.assert_close(same(x), y)
# Blocks that a program calls by itself take and give tensors, and so does a part of a stage.
z = model.conv1(x)
for block in model.stage2:
    z = block(z)
    assert type(z) is torch.Tensor
torch.testing.assert_close(z, model.stage2(model.conv1(x)))
assert type(model.stage2[:2](model.conv1(x))) is torch.Tensor
x = torch.randn(1, 4, 2, 2, dtype=torch.float64, requires_grad=True)
block = after.in_one_line(4)[1:].double()
assert torch.autograd.gradcheck(block, (x,)) and torch.autograd.gradgradcheck(block, (x,))
print("same")
""")
            self.assertEqual(self.run_python("compare.py").split(), ["same"])

    def test_checkpoints_of_wrapped_models_are_loaded(self):
        self.migrate("import torch\nmodel = torch.nn.Linear(2, 2)\n"
                     "print(model.load_state_dict(torch.load('model.pth')['state_dict']))\n",
                     "--enable", "strip-module-prefix")
        for prefix in ("module.", ""):
            self.stub("save.py", "import torch\nstate = torch.nn.Linear(2, 2).state_dict()\n"
                                 f"state = {{'{prefix}' + k: v for k, v in state.items()}}\n"
                                 "torch.save({'state_dict': state}, 'model.pth')\n")
            self.run_python("save.py")
            self.assertIn("All keys matched", self.run_python("train.py"))

    def test_apex_sees_every_step(self):
        text = self.migrate(
            "import torch\n\n\n"
            "def main():\n"
            "    model = torch.nn.Linear(2, 1)\n"
            "    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)\n"
            "    for step in range(2):\n"
            "        loss = model(torch.ones(1, 2)).sum()\n"
            "        optimizer.zero_grad()\n"
            "        loss.backward()\n"
            "        torch.nn.utils.clip_grad_norm_(model.parameters(), 9)\n"
            "        optimizer.step()\n"
            "    torch.save({'optimizer': optimizer.state_dict()}, 'c.pth')\n"
            "    c = torch.load('c.pth')\n"
            "    optimizer.load_state_dict(c['optimizer'])\n\n\n"
            "main()\n", "--amp", "apex")
        self.stub("apex/__init__.py", "")
        self.stub("apex/amp.py",
                  "import contextlib\n\n\n"
                  "def initialize(model, optimizer, **options):\n"
                  "    print('initialize', sorted(options))\n    return model, optimizer\n\n\n"
                  "@contextlib.contextmanager\n"
                  "def scale_loss(loss, optimizer):\n"
                  "    print('scale')\n    yield loss\n\n\n"
                  "def master_params(optimizer):\n"
                  "    return [p for g in optimizer.param_groups for p in g['params']]\n\n\n"
                  "def state_dict():\n    return 7\n\n\n"
                  "def load_state_dict(state):\n    print('load', state)\n")
        self.assertIn("from apex import amp\n", text)
        self.assertIn("clip_grad_norm_(amp.master_params(optimizer), 9)", text)
        self.assertEqual(self.run_python("train.py").splitlines(),
                         ["initialize ['combine_grad', 'loss_scale', 'opt_level']",
                          "scale", "scale", "load 7"])


class Everything(OptionTest):
    OPTIONS = ["--enable", ",".join(name for name in NAMES if name != "specify-device"),
               "--mark", "--guard-imports"]

    def test_at_once_is_done_after_one_run_and_stays_a_program(self):
        for sample in ("imagenet", "gan", "tiny_lm"):
            for number, options in enumerate((self.OPTIONS, ["--enable", ",".join(NAMES)])):
                out = self.folder / f"{sample}{number}"
                self.run_for(0, "migrate", ROOT / "samples" / sample, "-o", out, *options)
                once = out / f"{sample}_msft"
                self.run_for(0, "migrate", once, "-o", out, *options)
                twice = tree_of(out / f"{sample}_msft_msft")
                for name, data in tree_of(once).items():
                    if name.endswith(".py"):
                        with self.subTest(sample=sample, file=name, options=options):
                            self.assertTrue(program.compiles(data))
                            self.assertEqual(twice[name], data)

    def test_marks_stand_in_code_cells_and_come_in_pairs(self):
        def cell(kind, *lines):
            return {"cell_type": kind, "metadata": {}, "source": list(lines), **(
                {"outputs": [], "execution_count": None} if kind == "code" else {})}

        notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
            cell("markdown", "on cuda"),
            cell("code", "import torch"),
            cell("code", "x = torch.zeros(1)\n", "x = x.cuda()"),
            cell("code", "%matplotlib inline\n", "print('gpu')"),
            cell("code", "y = x.cuda()\n")]}
        text = self.migrate(json.dumps(notebook, indent=1), "--mark", name="n.ipynb")
        cells = ["".join(c["source"]) for c in json.loads(text)["cells"]]
        self.assertEqual(cells[0], "on cuda")
        self.assertEqual(cells[3], "%matplotlib inline\nprint('gpu')")
        for source in cells:
            marks = re.findall("npu modify (begin|end)", source)
            self.assertEqual(marks, ["begin", "end"] * (len(marks) // 2), source)
        self.assertEqual(sum("modify begin" in source for source in cells), 3)
        again = self.migrate(text, "--mark", name="n.ipynb")
        self.assertEqual(again, text)


if __name__ == "__main__":
    unittest.main()
