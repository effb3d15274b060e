#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""PrecisionDebugger's mode acl, level debug, and a configuration that changes during the training;
and the package in the place of others. On Debian's torch, on the CPU."""

import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import types
import unittest
from unittest import mock

import numpy
import torch
import torch.nn.functional as F

sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["CAPTURE_FOLDER"])

from debugger_case import DebuggerTest  # noqa: E402
from transplt_capture import PrecisionDebugger  # noqa: E402
from transplt_capture.names import MsprobeDebugger, PtdbgDebugger  # noqa: E402


class Modes(DebuggerTest):
    def configure(self, **changes):
        content = {"task": "statistics", "level": "L1", "dump_path": "d", **changes}
        pathlib.Path("new.json").write_text(json.dumps(content))
        os.replace("new.json", "config.json")

    @contextlib.contextmanager
    def told(self, *texts):
        with contextlib.redirect_stderr(io.StringIO()) as told:
            yield
        for text in texts:
            self.assertIn(text, told.getvalue())


class Acl(Modes):
    def setUp(self):
        super().setUp()
        pathlib.Path("dump.json").write_text(json.dumps({"dump": {
            "dump_list": [], "dump_path": "out", "dump_op_switch": "on"}}))

    def debugger(self, scope, **hook):
        debugger = PrecisionDebugger(dump_path="d", hook_name="dump")
        debugger.configure_hook(mode="acl", acl_config="dump.json", scope=[scope], **hook)
        return debugger

    def driver(self):
        """What of torch.npu is called on an NPU, in order."""
        calls = []
        npu = types.SimpleNamespace(
            init_dump=lambda: calls.append("init"), finalize_dump=lambda: calls.append("end"),
            set_dump=lambda path: calls.append(path))
        self.addCleanup(mock.patch.stopall)
        mock.patch.object(torch, "npu", npu, create=True).start()
        return calls

    def test_on_an_npu_its_driver_dumps_the_one_call(self):
        calls = self.driver()
        debugger = self.debugger("Torch_add_1_forward")
        debugger.start()
        for _ in range(3):
            calls.append("call")
            torch.add(torch.ones(1), 1)
        debugger.stop()
        debugger.step()
        self.assertEqual(calls, ["call", "call", "init", "dump.json", "end", "call"])

    def test_a_call_that_fails_ends_its_dump(self):
        calls = self.driver()
        debugger = self.debugger("Torch_add_0_forward")
        debugger.start()
        with self.assertRaises(RuntimeError):
            torch.add(torch.ones(2), torch.ones(3))
        self.assertEqual(calls, ["init", "dump.json", "end"])

    def test_a_call_that_does_not_come_is_told(self):
        self.driver()
        debugger = self.debugger("Torch_add_0_forward")
        debugger.start()
        debugger.stop()
        with self.told("step 0: Torch_add_0_forward was not called"):
            debugger.step()

    def test_a_backward_call_gets_the_gradient_of_the_file_and_the_training_its_own(self):
        calls = self.driver()
        seen = []
        torch.npu.set_dump = lambda path: seen.append(weight.grad)
        numpy.save("gradient.npy", numpy.full((2, 3), 7, numpy.float32))
        weight = torch.ones(3, 4, requires_grad=True)
        debugger = self.debugger("Functional_linear_0_backward", backward_input="gradient.npy")
        torch.manual_seed(5)
        debugger.start()
        F.dropout(F.linear(torch.ones(2, 4), weight)).sum().backward()
        debugger.stop()
        debugger.step()
        self.assertEqual(calls, ["init", "end"])
        self.assertEqual(seen, [None], "the training's gradient was still to come")
        torch.manual_seed(5)
        plain = torch.ones(3, 4, requires_grad=True)
        F.dropout(F.linear(torch.ones(2, 4), plain)).sum().backward()
        self.assertTrue(torch.equal(weight.grad, plain.grad))

    def test_a_gradient_of_another_call_is_refused(self):
        self.driver()
        numpy.save("gradient.npy", numpy.ones(5, numpy.float32))
        debugger = self.debugger("Torch_exp_0_backward", backward_input=["gradient.npy"])
        debugger.start()
        with self.assertRaisesRegex(ValueError, r"shapes \[\(5,\)\].*\[\(2,\)\]"):
            torch.exp(torch.ones(2, requires_grad=True))

    def test_an_overflow_is_dumped_by_making_the_call_again_on_copies(self):
        calls = self.driver()
        debugger = PrecisionDebugger(dump_path="d", hook_name="overflow_check")
        debugger.configure_hook(mode="acl", acl_config="dump.json", overflow_nums=-1)
        value = torch.tensor([1000.0])
        debugger.start()
        with self.told("[overflow 1 times]"):
            value.exp_()
        debugger.stop()
        debugger.step()
        self.assertEqual(calls, ["init", "dump.json", "end"])
        self.assertEqual(value.item(), float("inf"), "once, not twice")

    def test_a_wrong_configuration_is_refused_before_the_training(self):
        self.driver()
        for content, message in (("{", "no JSON"),
                                 ('{"dump": {"dump_path": "x"}}', "dump_op_switch")):
            pathlib.Path("dump.json").write_text(content)
            with self.assertRaisesRegex(ValueError, message):
                self.debugger("Torch_add_0_forward")
        os.remove("dump.json")
        with self.assertRaisesRegex(ValueError, "no such file"):
            self.debugger("Torch_add_0_forward")


class Debug(Modes):
    def test_variables_and_their_gradients_are_saved_by_name(self):
        debugger = PrecisionDebugger(dump_path="d", task="tensor", level="debug")
        for _ in range(2):
            x = torch.tensor([1.0, 2.0], requires_grad=True)
            y = x * 3
            PrecisionDebugger.save(y, "y")
            debugger.save({"a/b": [x, 4], "n": None}, "nested", save_backward=False)
            debugger.save(y, "y", save_backward=False)
            (y * y).sum().backward()
            debugger.step()
        dump = self.json("d/step1/proc*/debug.json")
        self.assertEqual((dump["task"], dump["level"]), ("tensor", "debug"))
        data = dump["data"]
        self.assertEqual(sorted(data), ["nested.0.debug", "y.0.debug", "y.1.debug",
                                        "y_grad.0.debug"])
        self.assertEqual((data["y.0.debug"]["Max"], data["y_grad.0.debug"]["Max"]), (6, 12))
        self.assertEqual(data["nested.0.debug"]["a/b"][1], {"type": "int", "value": 4})
        name = data["nested.0.debug"]["a/b"][0]["data_name"]
        self.assertEqual(name, "nested.0.debug.a_b.0.pt")
        folder = pathlib.Path(dump["dump_data_dir"])
        self.assertEqual(torch.load(folder / name).tolist(), [1, 2])
        self.assertEqual(torch.load(folder / "y_grad.0.debug.pt").tolist(), [6, 12])
        self.assertFalse(list(self.folder.rglob("dump.json")))

    def test_gradients_of_a_nested_variable_keep_its_form(self):
        debugger = PrecisionDebugger(dump_path="d", task="statistics", level="debug")
        x = torch.ones(1, requires_grad=True)
        debugger.save({"x": [x, "text"]}, "v")
        (x * 5).backward()
        debugger.step()
        gradient = self.json("d/step0/proc*/debug.json")["data"]["v_grad.0.debug"]
        self.assertEqual(gradient["x"][0]["Max"], 5)
        self.assertIsNone(gradient["x"][1])

    def test_steps_are_chosen_and_wrong_calls_refused(self):
        debugger = PrecisionDebugger(dump_path="d", task="statistics", level="debug", step=[1])
        for _ in range(3):
            debugger.save(torch.ones(1), "v")
            debugger.step()
        self.assertEqual([path.name for path in pathlib.Path("d").iterdir()], ["step1"])
        with self.assertRaisesRegex(ValueError, "name"):
            debugger.save(torch.ones(1), "")
        with self.assertRaisesRegex(ValueError, "level \"debug\""):
            PrecisionDebugger(dump_path="d", task="statistics", level="L0").save(1, "x")


class Changes(Modes):
    def step(self, debugger):
        debugger.start()
        torch.relu(torch.ones(2))
        torch.abs(torch.ones(2))
        debugger.stop()
        debugger.step()

    def steps(self, folder="d"):
        path = pathlib.Path(folder)
        return sorted(p.name for p in path.iterdir()) if path.exists() else []

    def test_a_switch_in_the_file_starts_and_stops_the_capture(self):
        self.configure(dump_enable=False)
        debugger = PrecisionDebugger(config_path="config.json")
        self.step(debugger)
        self.assertEqual(self.steps(), [])
        self.configure(dump_enable=True)
        with self.told("config.json has changed and was read: dump_enable is true"):
            self.step(debugger)
        self.configure(dump_enable=False, dump_path="d")
        with self.told("dump_enable is false"):
            self.step(debugger)
        self.assertEqual(self.steps(), ["step1"])

    def test_the_switch_is_for_saved_variables_too(self):
        self.configure(level="debug", dump_enable=True)
        debugger = PrecisionDebugger(config_path="config.json")
        for step in range(3):
            debugger.save(torch.ones(1), "v")
            if step == 1:
                self.configure(level="debug", dump_enable=False)
            with contextlib.redirect_stderr(io.StringIO()):
                debugger.step()
        self.assertEqual(self.steps(), ["step0", "step1"])

    def test_other_fields_change_as_well(self):
        self.configure(dump_enable=True)
        debugger = PrecisionDebugger(config_path="config.json")
        self.step(debugger)
        self.configure(task="tensor", dump_path="e", tensor={"list": ["relu"]})
        with self.told("dump_enable is true"):
            self.step(debugger)
        self.assertEqual((self.steps("d"), self.steps("e")), (["step0"], ["step1"]))
        self.assertEqual(list(self.json("e/step1/proc*/dump.json")["data"]),
                         ["Torch.relu.0.forward"])

    def test_a_wrong_file_stops_the_capture_and_not_the_training(self):
        self.configure(dump_enable=True)
        debugger = PrecisionDebugger(config_path="config.json")
        self.step(debugger)
        self.configure(dump_enable=True, level="L9")
        with self.told("nothing is captured until it is right", "L9"):
            self.step(debugger)
        self.configure(dump_enable=True)
        with self.told("was read"):
            self.step(debugger)
        self.assertEqual(self.steps(), ["step0", "step2"])

    def test_without_the_switch_the_file_is_read_once(self):
        self.configure()
        debugger = PrecisionDebugger(config_path="config.json")
        self.configure(dump_path="e")
        self.step(debugger)
        self.assertEqual((self.steps("d"), self.steps("e")), (["step0"], []))

    def test_extra_files_are_left_out_on_request(self):
        self.configure(extra_info=False, level="mix")
        self.step(PrecisionDebugger(config_path="config.json"))
        (folder,) = pathlib.Path("d/step0").iterdir()
        self.assertEqual(sorted(p.name for p in folder.iterdir()),
                         ["dump.json", "transplt_capture.json"])

    def test_what_is_not_supported_is_refused_and_what_is_unknown_is_told(self):
        for change, message in (({"level": "L2"}, "driver of an NPU"),
                                ({"risk_level": "CORE"}, "risk_level"),
                                ({"precision": "x"}, "precision"),
                                ({"extra_info": 1}, "extra_info"),
                                ({"dump_enable": "on"}, "dump_enable"),
                                ({"enable_dataloader": True}, "enable_dataloader"),
                                ({"async_dump": True}, "async_dump"),
                                ({"statistics": [1]}, "object"),
                                ({"task": "nan_check"}, "nan_check")):
            self.configure(**change)
            with self.assertRaisesRegex(ValueError, message):
                PrecisionDebugger(config_path="config.json")
        self.configure(statistics={"bench_path": "x"})
        with self.told("without effect here: bench_path"):
            PrecisionDebugger(config_path="config.json")


class InThePlaceOfOthers(Modes):
    def test_arguments_stand_in_the_order_of_the_original(self):
        self.assertEqual(PtdbgDebugger("d", "dump", 1)._ranks, "1")
        made = MsprobeDebugger(None, "tensor", "d", "L0")
        self.assertEqual((made._settings.task, made._settings.level), ("tensor", "L0"))
        with self.assertRaises(TypeError):
            PrecisionDebugger("d", "dump")

    def run_program(self, text, *arguments):
        pathlib.Path("program.py").write_text(text)
        return subprocess.run([sys.executable, "-m", "transplt_capture", "program.py", *arguments],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1",
                                                "PYTHONPATH": os.environ["CAPTURE_FOLDER"]})

    def test_a_script_runs_unchanged(self):
        done = self.run_program(
            "import sys, torch\n"
            "from ptdbg_ascend import PrecisionDebugger as P, seed_all\n"
            "from msprobe.pytorch import PrecisionDebugger as M\n"
            "import msprobe.pytorch\n"
            "seed_all(1)\n"
            "torch.npu.init_dump()\n"
            "torch.npu.finalize_dump()\n"
            "print(sys.argv, torch.npu.is_available(), torch.utils.dumper.__name__)\n"
            "sys.exit(3)\n", "--epochs", "1")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (3, "['program.py', '--epochs', '1'] False dumper\n", ""))

    def test_what_there_is_no_stand_in_for_is_named(self):
        for text, name in (("import torch\ntorch.npu.set_aoe('x')\n", "torch.npu.set_aoe"),
                           ("import torch\ntorch.npu.profile('x')\n", "torch.npu.profile"),
                           ("from msprobe.pytorch import monitor\n", "monitor")):
            done = self.run_program(text)
            self.assertEqual(done.returncode, 1)
            self.assertIn(name, done.stderr)
        self.assertIn("no such file", subprocess.run(
            [sys.executable, "-m", "transplt_capture", "none.py"], text=True, check=False,
            stderr=subprocess.PIPE, env={**os.environ,
                                         "PYTHONPATH": os.environ["CAPTURE_FOLDER"]}).stderr)


if __name__ == "__main__":
    unittest.main()
