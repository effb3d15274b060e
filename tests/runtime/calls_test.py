#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a call hands to a recorder of transplt_capture: its tensors, its stack, its thread, and its
name in the overflows of all steps. On Debian's torch, on the CPU."""

import collections
import contextlib
import io
import json
import pathlib
import os
import sys
import threading
import unittest

import numpy
import torch
import torch.utils.checkpoint

sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["CAPTURE_FOLDER"])

from debugger_case import DebuggerTest  # noqa: E402
from transplt_capture import PrecisionDebugger, run_overflow_check  # noqa: E402
from transplt_capture.record import Recorder  # noqa: E402
from transplt_capture.stacks import Stacks  # noqa: E402
from transplt_capture.tensors import tensors_in  # noqa: E402


class Tensors(DebuggerTest):
    def test_are_found_in_nested_values_in_their_order(self):
        a, b, c, d, e = (torch.full((1,), float(i)) for i in range(5))
        ordered = collections.OrderedDict(x=c, y=d)
        ordered.move_to_end("x")
        pair = collections.namedtuple("Pair", "left right")(a, None)
        found = tensors_in((pair, 3, "text", [b, {"k": ordered}]), {"last": torch.nn.Parameter(e)})
        self.assertEqual([float(t) for t in found], [0, 1, 3, 2, 4])

    def test_of_a_subclass_are_tensors_too(self):
        class Mine(torch.Tensor):
            pass

        class Lists(list):
            def __iter__(self):
                return iter([torch.zeros(3)])

        mine = torch.ones(2).as_subclass(Mine)
        self.assertIs(tensors_in([mine])[0], mine)
        self.assertEqual([t.numel() for t in tensors_in(Lists())], [3])

    def test_in_a_list_that_holds_itself_end_with_an_error(self):
        endless = []
        endless.append(endless)
        with self.assertRaises(RecursionError):
            tensors_in(endless)

    def test_that_are_lazy_views_are_recorded_with_their_values(self):
        # Their memory holds the values before the conjugation and the change of sign.
        number = torch.tensor([3 + 4j])
        debugger = PrecisionDebugger(dump_path="d", task="tensor", level="L0")
        debugger.start()
        torch.nn.Identity()(number.conj())
        torch.nn.Identity()(number.conj().imag)
        debugger.stop()
        debugger.step()
        data = self.json("d/step0/*/dump.json")["data"]
        (negated,) = data["Module.Identity.forward.1"]["input_args"]
        self.assertEqual(negated["Max"], -4)
        (path,) = self.folder.glob("d/step0/*/dump_tensor_data/"
                                   "Module.Identity.forward.0.input.0.pt")
        self.assertEqual(torch.load(path).tolist(), [3 - 4j])


class Stack(DebuggerTest):
    def test_is_one_for_all_calls_of_a_line_and_another_for_another_line(self):
        stacks = Stacks()
        same = [stacks.here() for _ in range(2)]
        self.assertIs(same[0], same[1])
        both = stacks.here(), stacks.here()
        self.assertIs(both[0], both[1])
        self.assertIsNot(same[0], both[0])
        self.assertIn("in test_is_one_for_all_calls_of_a_line", both[0].frames[0])

    def test_of_code_that_was_made_anew_is_its_own(self):
        stacks = Stacks()
        # Code objects that are gone would leave their addresses to the next ones.
        for i in range(50):
            scope = {"stacks": stacks}
            exec(f"def made_{i}(): return stacks.here()", scope)
            self.assertIn(f"in made_{i}", scope[f"made_{i}"]().frames[0])


class Threads(DebuggerTest):
    def test_whose_calls_are_not_captured_are_told_of_once(self):
        for number, arguments in enumerate(({"task": "statistics", "level": "L0"},
                                            {"task": "statistics", "level": "L1"},
                                            {"hook_name": "dump"})):
            Recorder.has_told_of_threads = False
            debugger = PrecisionDebugger(dump_path=f"d{number}", **arguments)
            with contextlib.redirect_stderr(io.StringIO()) as told:
                debugger.start()
                torch.nn.ReLU()(torch.zeros(1))
                for _ in range(2):
                    thread = threading.Thread(target=torch.nn.Tanh(), args=(torch.zeros(1),))
                    thread.start()
                    thread.join()
                debugger.stop()
                debugger.step()
            self.assertEqual(told.getvalue().count("Tanh is called in another thread"), 1,
                             arguments)


class OverflowsOfSeveralSteps(DebuggerTest):
    def test_are_all_in_forward_info(self):
        debugger = PrecisionDebugger(dump_path="o", hook_name="overflow_check")
        debugger.configure_hook(overflow_nums=-1)
        with contextlib.redirect_stderr(io.StringIO()):
            for value in (1000.0, 2000.0):
                debugger.start()
                x = torch.full((1,), value, requires_grad=True)
                torch.exp(x)
                torch.sqrt(torch.zeros(1, requires_grad=True)).backward()
                debugger.stop()
                debugger.step()
        forward = self.json("forward_info_*.json")
        self.assertEqual({name: entry["args"][0]["Max"] for name, entry in forward.items()},
                         {"Torch_exp_0": 1000, "Torch_exp_0_step1": 2000})
        self.assertEqual(list(self.json("backward_info_*.json")),
                         ["Torch_sqrt_0_backward", "Torch_sqrt_0_backward_step1"])
        self.assertIn("Torch_exp_0_forward_step1", self.json("stack_info_*.json"))
        out = io.StringIO()
        (path,) = self.folder.glob("forward_info_*.json")
        self.assertEqual(run_overflow_check.check(path, out), 0)
        self.assertEqual(out.getvalue().splitlines(), ["Torch_exp_0: normal overflow",
                                                       "Torch_exp_0_step1: normal overflow"])

    def test_are_checked_only_in_a_file_that_lists_them(self):
        out = io.StringIO()
        pathlib.Path("none.json").write_text("{}")
        self.assertEqual(run_overflow_check.check("none.json", out), 0)
        self.assertEqual(out.getvalue(), "none.json: no API overflowed\n")
        for content in ("[]", '{"Torch_exp_0": 1}', "{"):
            pathlib.Path("wrong.json").write_text(content)
            with contextlib.redirect_stderr(io.StringIO()) as told, \
                    self.assertRaises(SystemExit):
                run_overflow_check.main(["-forward", "wrong.json"])
            self.assertIn("run_overflow_check: error: wrong.json: ", told.getvalue())


class OverflowFromWrittenInfinity(DebuggerTest):
    def test_is_no_bad_output_from_clean_input(self):
        debugger = PrecisionDebugger(dump_path="o", hook_name="overflow_check")
        debugger.configure_hook(overflow_nums=1)
        debugger.start()
        mask = torch.ones(4, 4).triu(1).bool()
        scores = torch.randn(4, 4).masked_fill(mask, float("-inf"))
        torch.full((2,), float("inf"))
        torch.softmax(scores, -1)
        with self.assertRaises(ValueError):
            torch.exp(torch.full((2,), 1000.0))
        debugger.stop()
        self.assertEqual(list(self.json("forward_info_*.json")), ["Torch_exp_0"])


class CallsWithinABackwardPass(DebuggerTest):
    def test_are_captured_like_others(self):
        model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.GELU())
        x = torch.ones(2, 3, requires_grad=True)
        debugger = PrecisionDebugger(dump_path="c", task="statistics", level="L1")
        debugger.start()
        loss = torch.utils.checkpoint.checkpoint(model, x).pow(2).sum()
        loss.backward()
        debugger.stop()
        debugger.step()
        data = self.json("c/step0/*/dump.json")["data"]
        self.assertIn("Functional.linear.1.backward", data, "of the second forward pass")
        self.assertIn("Functional.gelu.1.backward", data)


class MemoryThatNobodyHasWritten(DebuggerTest):
    def test_is_not_captured(self):
        debugger = PrecisionDebugger(dump_path="e", task="statistics", level="L1")
        debugger.start()
        torch.empty(3).fill_(1)
        torch.empty_like(torch.ones(2)).zero_()
        torch.ones(2).new_empty(4)
        debugger.stop()
        debugger.step()
        data = self.json("e/step0/*/dump.json")["data"]
        self.assertFalse([name for name in data if "empty" in name])
        self.assertIn("Tensor.fill_.0.forward", data)


class NamesThatAreAskedFor(DebuggerTest):
    def told(self, mode, scope):
        debugger = PrecisionDebugger(dump_path="n", hook_name="dump")
        debugger.configure_hook(mode=mode, scope=scope)
        with contextlib.redirect_stderr(io.StringIO()) as told:
            debugger.start()
            torch.relu(torch.ones(2, requires_grad=True)).sum().backward()
            debugger.stop()
            debugger.step()
        return told.getvalue()

    def test_are_told_of_if_no_call_has_them(self):
        self.assertIn("no call has one of the names that were asked for: torch_rellu",
                      self.told("list", ["Torch_rellu"]))

    def test_may_be_those_of_backward_passes(self):
        self.assertEqual(self.told("list", ["Torch_relu_0_backward"]), "")
        text = self.only("n/*/step0/rank0/*.pkl").read_text()
        self.assertIn("Torch_relu_0_backward", text)

    def test_are_a_list(self):
        with self.assertRaisesRegex(ValueError, "scope: 'Torch_relu_0' is no list of names"):
            self.told("list", "Torch_relu_0")
        pathlib.Path("config.json").write_text(json.dumps(
            {"task": "tensor", "dump_path": "n", "tensor": {"list": "relu"}}))
        with self.assertRaisesRegex(ValueError, "list: 'relu' is no list of names"):
            PrecisionDebugger(config_path="config.json")


class AFolderThatCannotBeMade(DebuggerTest):
    def test_is_told_of_before_the_training(self):
        pathlib.Path("file").write_text("")
        with self.assertRaisesRegex(OSError, "dump_path"):
            PrecisionDebugger(dump_path="file/d", hook_name="dump", step=[1000])


if __name__ == "__main__":
    unittest.main()
