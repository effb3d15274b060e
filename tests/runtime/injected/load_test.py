#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Injected scripts with the dumper: dump, load and compare, overflow; the dump of operators of
torch.npu, and its profile of steps. On the CPU."""

import json
import unittest

try:
    import h5py
except ImportError:
    h5py = None
import numpy

from injected import Injected, SAMPLES


class WithDumper(Injected):
    def stopped(self, run, plain):
        """The lines that are put in end the training when the step is over."""
        self.assertEqual(run.losses, plain.losses[:1])

    @unittest.skipIf(h5py is None, "h5py is not installed")
    def test_a_dump_is_loaded_and_compared(self):
        script, arguments = SAMPLES["tiny_lm"]
        # What draws numbers does so from its own seed, whatever is loaded.
        arguments += " model.dropout=0.0"
        folder = self.place("tiny_lm")
        plain = self.run_script(folder, script, arguments, "as-it-is")
        golden_path = self.folder / "golden.h5"
        golden = self.run_script(self.inject(folder, "--tool", "dumper", "--dump-path",
                                             golden_path), script, arguments)
        self.stopped(golden, plain)
        # Other weights: without what is loaded, all would be different.
        other = arguments.replace("--seed 1", "--seed 2")
        mine_path = self.folder / "mine.h5"
        mine = self.run_script(self.inject(folder, "--tool", "dumper", "--dump-path", mine_path,
                                           "--set", f"load_file_path={golden_path}"),
                               script, other)
        self.assertNotEqual(mine.losses, [])
        with h5py.File(golden_path) as one, h5py.File(mine_path) as two:
            self.assertEqual(sorted(one), sorted(two))
            compared = 0
            for name in one:
                for number in one[name]:
                    for index in one[name][number].get("output", ()):
                        compared += 1
                        numpy.testing.assert_array_equal(
                            one[name][number]["output"][index][()],
                            two[name][number]["output"][index][()], f"{name} {number}")
        self.assertGreater(compared, 150)
        self.transplt("compare", mine_path, golden_path)
        different = self.run_script(self.inject(folder, "--tool", "dumper", "--dump-path",
                                                self.folder / "different.h5"), script, other)
        self.assertNotEqual(different.losses, golden.losses)
        self.transplt("compare", self.folder / "different.h5", golden_path, expected=1)

    @unittest.skipIf(h5py is None, "h5py is not installed")
    def test_an_overflow_is_dumped(self):
        folder = self.place("script", """
import torch
weight = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)
for step in range(2):
    optimizer.zero_grad()
    loss = (weight + torch.exp(weight.detach() * 1000).clamp(max=1)).sum()
    loss.backward()
    optimizer.step()
    print(loss.item())
""")
        plain = self.run_script(folder, way="as-it-is")
        run = self.run_script(self.inject(folder, "--tool", "dumper", "--dump-path", "./found",
                                          "--overflow"))
        self.stopped(run, plain)
        self.assertIn("exp overflows", run.err)
        (file,) = (run.folder / "found").iterdir()
        with h5py.File(file) as data:
            self.assertEqual(data["/exp/1/input/self"][()].tolist(), [1000] * 3)
            self.assertEqual(list(data), ["exp"])

    @unittest.skipIf(h5py is None, "h5py is not installed")
    def test_what_is_loaded_is_dumped_by_operators_where_that_is_simulated(self):
        script, arguments = SAMPLES["tiny_lm"]
        folder = self.place("tiny_lm")
        (folder / "acl.json").write_text(json.dumps({"dump": {
            "dump_list": [], "dump_path": "acl", "dump_mode": "all", "dump_op_switch": "on"}}))
        golden = self.folder / "golden.h5"
        self.run_script(self.inject(folder, "--tool", "dumper", "--dump-path", golden), script,
                        arguments)
        few = self.folder / "few.h5"
        self.transplt("dump", "extract", golden, few, "--op", "native_layer_norm/1")
        injected = self.inject(folder, "--tool", "dumper", "--dump-path", "./", "--set",
                               f"load_file_path={few}", "--set", "load_with_acl_dump=true")
        refused = self.run_script(injected, script, arguments, expected=1)
        self.assertIn("load_with_acl_dump dumps on an NPU, through its driver", refused.err)
        run = self.run_script(injected, script, arguments, TRANSPLT_CAPTURE_SIMULATE="1")
        names = {path.name.split(".")[0] for path in run.folder.glob("acl/*/0/0/0/*")}
        self.assertEqual(names, {"native_layer_norm"})
        self.assertTrue((run.folder / "acl/SIMULATED").exists())


class OfTorchNpu(Injected):
    def test_operators_are_dumped_on_the_simulated_device(self):
        script, arguments = SAMPLES["gan"]
        arguments += " --cuda"
        self.place("gan")
        self.transplt("migrate", "gan", "-o", "migrated")
        (folder,) = (self.folder / "migrated").glob("gan*")
        (folder / "dump.json").write_text(json.dumps({"dump": {
            "dump_list": [], "dump_path": "out", "dump_mode": "output", "dump_op_switch": "on"}}))
        plain = self.run_script(folder, script, arguments, "as-it-is", simulate="npu")
        run = self.run_script(self.inject(folder, "--tool", "init-dump", "--set",
                                          "dump_config=./dump.json"),
                              script, arguments, simulate="npu")
        self.assertEqual((run.losses, run.out), (plain.losses, plain.out))
        names = {path.name.split(".")[0] for path in run.folder.glob("out/*/0/0/0/*")}
        self.assertLessEqual({"convolution", "convolution_backward"}, names)

    def test_steps_become_a_trace(self):
        script, arguments = SAMPLES["tiny_lm"]
        folder = self.place("tiny_lm")
        plain = self.run_script(folder, script, arguments, "as-it-is")
        run = self.run_script(self.inject(folder, "--tool", "prof", "--set",
                                          "profiler_result_path=./prof", "--set", "start_step=1",
                                          "--set", "stop_step=2"), script, arguments)
        self.assertEqual((run.losses, run.out), (plain.losses, plain.out))
        events = run.json("prof/steps_*.json")["traceEvents"]
        self.assertEqual(len(events), 2)
        self.assertTrue(all(event["ph"] == "X" and event["dur"] > 0 for event in events))


if __name__ == "__main__":
    unittest.main()
