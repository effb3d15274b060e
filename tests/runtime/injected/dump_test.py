#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Injected scripts dump and gather statistics, on the CPU, and compute what they did before."""

import itertools
import unittest

import numpy
import torch

from injected import Injected, SAMPLES


def elements(value):
    """All elements of tensors in an entry of dump.json."""
    if isinstance(value, dict):
        if value.get("type") == "torch.Tensor":
            yield value
        else:
            yield from itertools.chain.from_iterable(map(elements, value.values()))
    elif isinstance(value, list):
        yield from itertools.chain.from_iterable(map(elements, value))


# Modules whose neighbours work in place on what they give out.
IN_PLACE = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True))
        self.last = nn.Linear(4, 4)

    def forward(self, x):
        out = self.last(self.inner(x))
        out += x
        return torch.relu_(out)


torch.manual_seed(1)
model = nn.Sequential(Block(), Block())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    optimizer.zero_grad()
    loss = model(torch.ones(3, 4)).sum()
    loss.backward()
    optimizer.step()
    print("loss", loss.item())
"""


class Dump(Injected):
    def test_hooks_of_modules_stand_beside_what_works_in_place(self):
        folder = self.place("in_place", IN_PLACE)
        plain = self.run_script(folder, way="as-it-is")
        run = self.run_script(self.inject(folder, "--tool", "module-hooks", "--set", "model=model"),
                              way="as-it-is")
        lines = [line for line in run.out.splitlines() if line.startswith("loss")]
        self.assertEqual(lines, plain.out.splitlines())
        for text in ("[forward]: 0.inner.1 inputs (tensor(", "[forward]: 1.last outputs tensor(",
                     "[backward]: 0.inner.1 outputs tensor(", "[backward]: 1.last inputs tensor("):
            self.assertEqual(run.out.count(text), 2, text)

    def both(self, name, *options):
        """A run of the sample as it is, and one with the tool in it, which computed the same."""
        script, arguments = SAMPLES[name]
        folder = self.place(name)
        plain = self.run_script(folder, script, arguments, way="as-it-is")
        self.assertGreater(len(plain.losses), 1)
        run = self.run_script(self.inject(folder, *options), script, arguments)
        self.assertEqual(run.losses, plain.losses)
        self.assertEqual(run.out, plain.out)
        return run

    def test_a_dump_of_capture_is_read_by_numpy_and_json(self):
        run = self.both("tiny_lm", "--tool", "capture", "--dump-path", "./dump", "--dump-step",
                        "0|2")
        for step in ("step0", "step2"):
            self.assert_ptdbg_dump(run, f"dump/ptdbg_dump_v4.0/{step}/rank0", 300)
        self.assertFalse((run.folder / "dump/ptdbg_dump_v4.0/step1").exists())

    def test_a_script_for_ptdbg_runs_with_capture_in_its_place(self):
        run = self.both("gan", "--tool", "ptdbg", "--dump-path", "./dump", "--set",
                        "mode=api_list", "--set", "api_list=conv2d,linear")
        steps = sorted((run.folder / "dump/ptdbg_dump_v4.0").iterdir())
        self.assertGreater(len(steps), 1)
        self.assert_ptdbg_dump(run, "dump/ptdbg_dump_v4.0/step0/rank0", 3)

    def test_a_script_for_msprobe_gathers_statistics(self):
        run = self.both("imagenet", "--tool", "msprobe", "--dump-path", "./dump", "--set",
                        "task=statistics", "--set", "level=mix", "--dump-step", "1")
        dump = run.json("dump/step1/proc*/dump.json")
        found = list(elements(dump["data"]))
        self.assertGreater(len(found), 500)
        self.assertTrue(all("data_name" not in element for element in found))
        self.assertEqual(list((run.folder / "dump").rglob("*.npy")), [])
        self.assertIn("Module.conv1.Conv2d.forward.0", dump["data"])
        tree = run.json("dump/step1/proc*/construct.json")
        self.assertEqual(tree["Module.conv1.Conv2d.forward.0"], "Module.ResNet.forward.0")
        named = {name for names, _ in run.json("dump/step1/proc*/stack.json").values()
                 for name in names}
        self.assertIn("Module.conv1.Conv2d.forward.0", named)

    def test_a_script_for_msprobe_keeps_tensors(self):
        run = self.both("gan", "--tool", "msprobe", "--dump-path", "./dump", "--set",
                        "task=tensor", "--set", "level=L0", "--dump-step", "0")
        dump = run.json("dump/step0/proc*/dump.json")
        (folder,) = run.folder.glob("dump/step0/proc*/dump_tensor_data")
        kept = [element for element in elements(dump["data"]) if "data_name" in element]
        self.assertGreater(len(kept), 50)
        for element in kept:
            values = torch.load(folder / element["data_name"]).numpy()
            self.assertEqual(list(values.shape), element["shape"])
            self.assert_statistics(values, [element[key] for key in
                                            ("Max", "Min", "Mean", "Norm")], element["data_name"])

    def test_a_migrated_script_is_captured_on_the_simulated_device(self):
        script, arguments = SAMPLES["gan"]
        arguments += " --cuda"
        self.place("gan")
        self.transplt("migrate", "gan", "-o", "migrated")
        (folder,) = (self.folder / "migrated").glob("gan*")
        plain = self.run_script(folder, script, arguments, "as-it-is", simulate="npu")
        injected = self.inject(folder, "--tool", "capture", "--dump-path", "./dump", "--dump-step",
                               "0")
        run = self.run_script(injected, script, arguments, "as-it-is", simulate="npu", expected=1)
        self.assertIn("ptdbg: exit after iteration [0]", run.err)
        self.assertEqual(run.losses, plain.losses[:len(run.losses)])
        self.assert_ptdbg_dump(run, "dump/ptdbg_dump_v4.0/step0/rank0", 100)


if __name__ == "__main__":
    unittest.main()
