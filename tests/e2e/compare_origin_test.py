#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""transplt compare names where two captures part: ten differences, each planted in one of two
trainings of Debian's torch on the CPU."""

import json
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from program import ROOT, ProgramTest  # noqa: E402

CAPTURE = os.environ.get("CAPTURE_FOLDER", str(ROOT / "build" / "python"))

TRAINING = """
import sys
import torch, torch.nn as nn, torch.nn.functional as F
from transplt_capture import PrecisionDebugger

def planted(what):
    return what in sys.argv[2:]

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.bn = nn.BatchNorm2d(8)
        self.body = nn.Sequential(nn.Conv2d(8, 8, 3), nn.BatchNorm2d(8),
                                  nn.Sequential(nn.ReLU(), nn.Conv2d(8, 8, 1)))
        self.drop = nn.Dropout(0.2)
        self.act = nn.GELU()
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
        y = torch.relu(self.bn(self.conv(x)))
        y = self.body(self.act(y)) if planted("order") else self.act(self.body(y))  # order
        if planted("dtype"):
            y = y.bfloat16().float()  # dtype
        y = F.adaptive_avg_pool2d(y, 1).flatten(1)
        y = self.drop(y)  # dropout
        y = F.elu(y) if planted("operator") else F.silu(y)  # operator
        if planted("gradient"):
            y.register_hook(lambda gradient: gradient * 1.01)  # gradient
        return self.fc(y)

torch.manual_seed(0)
net = Net()
net.bn.eval()
x = torch.randn(4, 3, 8, 8)
target = torch.randint(0, 4, (4,))
with torch.no_grad():
    if planted("weight"): net.body[0].weight.mul_(1.01)
    if planted("container"): net.body[2][1].weight.mul_(1.01)
    if planted("buffer"): net.bn.running_mean.add_(0.5)
    if planted("input"): x[0, 0, 0, 0] += 1
    if planted("dropout"): net.drop.p = 0.4
torch.manual_seed(8 if planted("seed") else 7)
debugger = PrecisionDebugger(dump_path=sys.argv[1], task="tensor", level="mix")
debugger.start()
F.cross_entropy(net(x), target).backward()
debugger.stop()
debugger.step()
"""


@unittest.skipUnless(os.path.isdir(CAPTURE), "the capture library was not built")
class PlantedDifferences(ProgramTest):
    # What is planted: kind and name of the origin.
    ORIGINS = {
        "weight": ("parameter", "body.0.weight"),
        "buffer": ("buffer", "bn.running_mean"),
        "input": ("input", "Functional.conv2d.0.forward.input.0"),
        "seed": ("operation", "Functional.dropout.0.forward"),
        "dropout": ("operation", "Functional.dropout.0.forward"),
        "operator": ("missing operation", ("Functional.elu.0.forward", "Functional.silu.0.forward")),
        "dtype": ("missing operation", "Tensor.bfloat16.0.forward"),
        "order": ("order", "Functional.gelu.0.forward"),
        "container": ("parameter", "body.2.1.weight"),
        "gradient": ("missing operation", "Tensor.mul.0.forward"),
    }
    WITH_LINE = ("seed", "dropout", "operator", "dtype", "order", "gradient")

    def capture(self, folder, *planted):
        path = self.write("train.py", TRAINING)
        subprocess.run([sys.executable, str(path), folder, *planted], cwd=self.folder, check=True,
                       env=dict(os.environ, PYTHONPATH=CAPTURE, RANK="0", OMP_NUM_THREADS="1"),
                       stderr=subprocess.DEVNULL, timeout=300)

    def origin(self, tested, code=1):
        run = self.run_for(code, "compare", tested, "right", "--json")
        return json.loads(run.stdout)["origin"]

    def test_are_named_with_parameter_or_operation_and_line(self):
        self.capture("right")
        lines = TRAINING.splitlines()
        for planted, (kind, name) in self.ORIGINS.items():
            with self.subTest(planted=planted):
                self.capture(planted, planted)
                origin = self.origin(planted)
                self.assertEqual(origin["kind"], kind)
                self.assertIn(origin["name"], name if isinstance(name, tuple) else (name,))
                if planted in self.WITH_LINE:
                    comment = "# dropout" if planted == "seed" else f"# {planted}"
                    line = 1 + next(i for i, text in enumerate(lines) if text.endswith(comment))
                    self.assertTrue(origin["place"].endswith(f"train.py:{line}"), origin)

    def test_of_an_operation_name_the_argument_that_is_not_the_same(self):
        self.capture("right")
        self.capture("dropout", "dropout")
        text = self.run_for(1, "compare", "dropout", "right").stdout.decode()
        self.assertRegex(text, r"its argument input\.\w+ does not: 0\.4 in A, 0\.2 in B")
        self.capture("seed", "seed")
        self.assertIn("random numbers", self.run_for(1, "compare", "seed", "right").stdout.decode())

    def test_are_none_where_the_captures_agree(self):
        self.capture("right")
        self.capture("same")
        self.assertIsNone(self.origin("same", 0))

    def test_are_told_below_the_rows_in_both_languages(self):
        self.capture("right")
        self.capture("weight", "weight")
        text = self.run_for(1, "compare", "weight", "right").stdout.decode()
        self.assertIn("likely origin: parameter body.0.weight (", text)
        text = self.run_for(1, "--lang", "zh", "compare", "weight", "right").stdout.decode()
        self.assertIn("该参数在使用前已不同", text)


if __name__ == "__main__":
    unittest.main()
