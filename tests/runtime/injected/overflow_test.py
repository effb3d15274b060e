#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Injected scripts find overflows in both phases, on the CPU; what takes an NPU is refused there,
or simulated where that is asked for."""

import json
import os
import subprocess
import unittest

import numpy

from injected import Injected, PYTHON

TRAINING = """
import torch
import torch.nn.functional as F


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 8)
        self.drop = torch.nn.Dropout(0.3)
        self.last = torch.nn.Linear(8, 1)

    def forward(self, x):
        x = self.drop(F.relu(self.first(x)))
        %s
        return self.last(x)


def main():
    torch.manual_seed(7)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for step in range(3):
        x = torch.randn(2, 4)
        y = torch.randn(2, 1)
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
"""
# exp() of what cannot be represented, whose value is then not used.
FORWARD = TRAINING % "x = x + torch.nan_to_num(torch.exp(x.detach() + 1000.0), posinf=0.0)"
# The gradient of the square root at zero is not finite; it reaches no parameter.
BACKWARD = TRAINING % ("x = x + torch.sqrt(F.relu(x.detach().neg()).requires_grad_()).mean() * "
                       "0.001")
ROOT = "overflow/ptdbg_dump_v4.0/step0/rank0"
CAPTURE = ("--tool", "capture", "--dump-path", "./overflow", "--overflow")


class Overflow(Injected):
    def both(self, text, *options, expected=0, **environment):
        folder = self.place("script", text)
        plain = self.run_script(folder, way="as-it-is")
        self.assertGreaterEqual(len(plain.losses), 3)
        run = self.run_script(self.inject(folder, *options), expected=expected, **environment)
        self.assertEqual(run.losses, plain.losses[:len(run.losses)])
        if expected == 0:
            self.assertEqual((len(run.losses), run.out), (len(plain.losses), plain.out))
        return run

    def test_forward_overflows_are_found_dumped_and_pre_checked(self):
        run = self.both(FORWARD, *CAPTURE)
        self.assertIn("[overflow 3 times]", run.err)
        forward = run.json("forward_info_*.json")
        names = ["Torch_exp_0", "Torch_exp_0_step1", "Torch_exp_0_step2"]
        self.assertEqual(list(forward), names)
        (values,) = run.folder.glob(f"{ROOT}/Torch_exp_0_forward_1/Torch_exp_0_forward_input.0.npy")
        self.assertGreater(numpy.load(values).min(), 900)
        lines = run.lines(f"{ROOT}/Torch_exp_0_forward_1.pkl")
        self.assertEqual(lines[1][5][0], float("inf"))
        (path,) = run.folder.glob("forward_info_*.json")
        done = subprocess.run([PYTHON, "-m", "transplt_capture.run_overflow_check", "-forward",
                               str(path)], text=True, stdout=subprocess.PIPE, check=True,
                              cwd=os.environ["CAPTURE_FOLDER"])
        self.assertEqual(done.stdout.splitlines(), [f"{name}: normal overflow" for name in names])

    def test_the_training_ends_at_the_number_of_overflows(self):
        run = self.both(FORWARD, *CAPTURE, "--set", "overflow_nums=2", expected=1)
        self.assertIn("ValueError: [overflow 2 times]: dump file is saved in "
                      "'./overflow/ptdbg_dump_v4.0/step1/rank0/Torch_exp_0_forward_2.pkl'.",
                      run.err)
        self.assertEqual(len(run.losses), 1)
        self.assertTrue(list(run.folder.glob("forward_info_*.json")))

    def test_a_second_run_into_the_folder_is_refused(self):
        folder = self.inject(self.place("script", FORWARD), *CAPTURE)
        first = self.run_script(folder)
        second = self.run_script(first.folder, expected=1)
        self.assertIn("overflow/ptdbg_dump_v4.0/step0/rank0", second.err)
        self.assertEqual(second.losses, [])

    def test_mode_acl_is_refused_without_an_npu(self):
        (self.folder / "dump.json").write_text("{}")
        run = self.both(FORWARD, *CAPTURE, "--set", "mode=acl", "--set", "acl_config=dump.json",
                        expected=1)
        self.assertIn("dumps on an NPU, through its driver (torch.npu.init_dump); there is none "
                      "here", run.err)

    def acl(self, text, *options, **environment):
        """The script and the configuration of the dump, in one folder."""
        folder = self.place("acl", text)
        (folder / "dump.json").write_text(json.dumps({"dump": {
            "dump_list": [], "dump_path": "acl_dump", "dump_mode": "all",
            "dump_op_switch": "on"}}))
        plain = self.run_script(folder, way="as-it-is")
        run = self.run_script(self.inject(folder, *options, "--set", "mode=acl", "--set",
                                          "acl_config=./dump.json"),
                              TRANSPLT_CAPTURE_SIMULATE="1", **environment)
        self.assertEqual((run.losses, run.out), (plain.losses, plain.out))
        self.assertIn("not by an NPU", (run.folder / "acl_dump/SIMULATED").read_text())
        return sorted(path.name.split(".")[0] for path in run.folder.glob("acl_dump/*/0/0/0/*"))

    def test_a_forward_overflow_is_dumped_by_operators_where_that_is_simulated(self):
        names = self.acl(FORWARD, *CAPTURE, "--set", "overflow_nums=-1")
        self.assertEqual(names, ["exp"] * 3)

    def test_a_forward_call_is_dumped_by_operators_where_that_is_simulated(self):
        names = self.acl(FORWARD, "--tool", "capture", "--dump-path", "./d", "--set",
                         "scope=Functional_dropout_0_forward")
        self.assertIn("bernoulli_", names)

    def test_a_backward_overflow_is_dumped_in_two_phases(self):
        found = self.both(BACKWARD, *CAPTURE)
        name = "Torch_sqrt_0_backward"
        self.assertIn(name, found.json("backward_info_*.json"))
        (gradient,) = found.folder.glob(f"{ROOT}/{name}_1/{name}_input.0.npy")
        self.assertTrue(numpy.isfinite(numpy.load(gradient)).all())
        names = self.acl(BACKWARD, "--tool", "capture", "--dump-path", "./d", "--set",
                         f"scope={name}", "--set", f"backward_input={gradient}")
        self.assertIn("div", names)
        self.assertNotIn("sqrt", names, "the forward call is not dumped")


if __name__ == "__main__":
    unittest.main()
