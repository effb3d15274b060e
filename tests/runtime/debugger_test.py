#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""PrecisionDebugger on Debian's torch, on the CPU: what it writes, and that it changes nothing."""

import contextlib
import gc
import io
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import unittest
import warnings
import weakref
import zipfile

import numpy
import torch
import torch.nn.functional as F

sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["CAPTURE_FOLDER"])

from debugger_case import DebuggerTest  # noqa: E402
from transplt_capture import CaptureError, PrecisionDebugger, recover  # noqa: E402
from transplt_capture import run_overflow_check  # noqa: E402


def model():
    return torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4),
                               torch.nn.ReLU(inplace=True), torch.nn.Dropout(0.2),
                               torch.nn.Flatten(), torch.nn.Linear(144, 2))


def train(make_debugger=None, steps=3):
    """The losses of a training, and the debugger."""
    torch.manual_seed(3)
    net = model()
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    debugger = make_debugger() if make_debugger else None
    losses = []
    for _ in range(steps):
        if debugger:
            debugger.start()
        loss = F.cross_entropy(net(torch.randn(2, 3, 8, 8)), torch.tensor([0, 1]))
        torch.add(loss, 1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if debugger:
            debugger.stop()
            debugger.step()
    return losses, debugger


class NothingChanges(DebuggerTest):
    def test_the_losses_are_the_same_with_every_way_of_capturing(self):
        plain, _ = train()
        for level in ("L0", "L1", "mix"):
            for task in ("statistics", "tensor"):
                losses, _ = train(lambda: PrecisionDebugger(dump_path=f"{level}{task}", task=task,
                                                            level=level))
                self.assertEqual(losses, plain, (level, task))
        losses, _ = train(lambda: PrecisionDebugger("d", hook_name="dump"))
        self.assertEqual(losses, plain)
        losses, _ = train(lambda: PrecisionDebugger(dump_path="o", hook_name="overflow_check"))
        self.assertEqual(losses, plain)

    def test_torch_is_as_before_after_stop(self):
        call = torch.nn.Module.__call__
        train(lambda: PrecisionDebugger(dump_path="d", task="statistics", level="mix"), 1)
        self.assertIs(torch.nn.Module.__call__, call)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            torch.relu(torch.zeros(1))

    def test_parameters_keep_no_hooks_of_a_step_that_has_ended(self):
        net = model()
        for level in ("L0", "mix"):
            debugger = PrecisionDebugger(dump_path=level, task="statistics", level=level)
            debugger.start()
            net(torch.randn(2, 3, 8, 8)).sum().backward()
            self.assertTrue(any(p._backward_hooks for p in net.parameters()))
            debugger.stop()
            debugger.step()
            self.assertFalse(any(p._backward_hooks for p in net.parameters()))

    def test_files_that_have_no_room_do_not_end_the_training(self):
        code = ("import resource, signal, sys, torch\n"
                f"sys.path.insert(0, {os.environ['CAPTURE_FOLDER']!r})\n"
                "from transplt_capture import PrecisionDebugger\n"
                "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
                "debugger = PrecisionDebugger(dump_path='d', task='statistics', level='L1')\n"
                "debugger.start()\n"
                "for _ in range(100): torch.add(torch.zeros(3), 1)\n"
                "debugger.stop()\n"
                "debugger._recorder.capture.flush()\n"
                "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))\n"
                "debugger.step()\n"
                "print('trained on')\n")
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                             cwd=self.folder, check=False)
        self.assertEqual((run.returncode, run.stdout), (0, "trained on\n"), run.stderr)
        self.assertIn("step 0: ", run.stderr)
        self.assertIn("File too large", run.stderr)
        recover(str(self.only("d/step0/proc*")))
        dump = json.loads(self.only("d/step0/proc*/dump.json").read_text())
        self.assertEqual(len(dump["data"]), 200)

    def test_an_exception_of_the_model_passes_through(self):
        debugger = PrecisionDebugger(dump_path="d", task="statistics", level="mix")
        debugger.start()
        with self.assertRaises(RuntimeError):
            model()(torch.zeros(1))
        model()(torch.zeros(2, 3, 8, 8))
        debugger.stop()
        debugger.step()
        content = json.loads(self.only("d/step0/proc*/construct.json").read_text())
        self.assertEqual(content["Module.Sequential.forward.1"], None)


class Msprobe(DebuggerTest):
    def capture(self, steps=1, **settings):
        settings = {"task": "tensor", "level": "mix", "dump_path": "d", **settings}
        (self.folder / "config.json").write_text(json.dumps(settings))
        return train(lambda: PrecisionDebugger(config_path="config.json"), steps)[1]

    def read(self, name, step=0):
        return json.loads(self.only(f"d/step{step}/proc*/{name}").read_text())

    def test_dump_json_names_modules_and_functions_with_their_numbers(self):
        self.capture()
        dump = self.read("dump.json")
        self.assertEqual((dump["task"], dump["level"], dump["framework"]),
                         ("tensor", "mix", "pytorch"))
        data = dump["data"]
        self.assertIn("Torch.add.0.forward", data, "outside of any module")
        conv = data["Module.0.Conv2d.forward.0"]
        self.assertEqual(conv["input_args"][0]["shape"], [2, 3, 8, 8])
        self.assertEqual(sorted(conv["parameters"]), ["bias", "weight"])
        self.assertIn("running_mean", data["Module.1.BatchNorm2d.forward.0"]["buffers"])
        self.assertIn("Module.5.Linear.backward.0", data)
        self.assertIn("weight", data["Module.5.Linear.parameters_grad.0"])
        self.assertNotIn("Torch.add.0.backward", data, "it had none")

    def test_statistics_are_those_of_the_tensors_that_are_kept(self):
        self.capture()
        dump = self.read("dump.json")
        checked = 0
        for entry in dump["data"].values():
            for part in ("input_args", "output", "input"):
                for element in entry.get(part, []):
                    if not isinstance(element, dict) or "data_name" not in element:
                        continue
                    values = torch.load(
                        pathlib.Path(dump["dump_data_dir"]) / element["data_name"]).numpy()
                    self.assertEqual(list(values.shape), element["shape"])
                    if values.size:
                        self.assertAlmostEqual(element["Max"], float(values.max()), 6)
                        self.assertAlmostEqual(
                            element["Norm"],
                            float(numpy.linalg.norm(values.astype(float).ravel())), 5)
                    checked += 1
        self.assertGreater(checked, 40)

    def test_tensors_are_files_as_torch_save_writes_them(self):
        tensors = [torch.arange(6, dtype=dtype).reshape(2, 3) for dtype in (
            torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8,
            torch.int16, torch.int32, torch.int64)]
        tensors += [torch.tensor([True, False]), torch.tensor([1 + 2j]), torch.tensor(3.5),
                    torch.empty(0, 4), torch.arange(6.0).reshape(2, 3).t(),
                    torch.tensor([2j], dtype=torch.complex128), torch.arange(200_000.0)]
        debugger = PrecisionDebugger(dump_path="d", task="tensor", level="L0")
        debugger.start()
        torch.nn.Identity()(tensors)
        debugger.stop()
        debugger.step()
        folder = self.only("d/step0/proc*/dump_tensor_data")
        for number, tensor in enumerate(tensors):
            path = folder / f"Module.Identity.forward.0.input.0.{number}.pt"
            loaded = torch.load(path)
            self.assertEqual((loaded.dtype, loaded.shape), (tensor.dtype, tensor.shape))
            self.assertTrue(torch.equal(loaded, tensor))
            with zipfile.ZipFile(path) as archive:
                self.assertIsNone(archive.testzip(), "a checksum is wrong")

    def test_tensors_are_npy_files_on_request(self):
        self.capture(transplt_capture={"tensor_format": "npy"})
        dump = self.read("dump.json")
        element = dump["data"]["Module.2.ReLU.forward.0"]["output"][0]
        self.assertTrue(element["data_name"].endswith(".npy"))
        values = numpy.load(pathlib.Path(dump["dump_data_dir"]) / element["data_name"])
        self.assertEqual(list(values.shape), element["shape"])

    def test_the_input_of_a_module_is_kept_as_it_was_before_it_was_changed_in_place(self):
        self.capture()
        relu = self.read("dump.json")["data"]["Module.2.ReLU.forward.0"]
        self.assertLess(relu["input_args"][0]["Min"], 0)
        self.assertEqual(relu["output"][0]["Min"], 0)

    def test_names_with_quotes_are_valid_json(self):
        net = torch.nn.Module()
        net.add_module('a"b\\c', torch.nn.Identity())
        debugger = PrecisionDebugger(dump_path="d", task="tensor", level="L0")
        debugger.start(net)
        net._modules['a"b\\c'](torch.zeros(2))
        debugger.stop()
        debugger.step()
        (name,) = self.read("dump.json")["data"]
        self.assertEqual(name, 'Module.a"b\\c.Identity.forward.0')

    def test_nested_inputs_keep_their_structure(self):
        class Takes(torch.nn.Module):
            def forward(self, pair, named, size, number):
                return {"sum": pair[0] + named["x"]}

        debugger = PrecisionDebugger(dump_path="d", task="tensor", level="L0")
        debugger.start()
        sparse = torch.eye(2).to_sparse()
        Takes()([torch.ones(2), (None, sparse)], named={"x": torch.ones(2)}, size=torch.Size([3]),
                number=4)
        debugger.stop()
        debugger.step()
        entry = self.read("dump.json")["data"]["Module.Takes.forward.0"]
        first, (nothing, dense) = entry["input_args"][0]
        self.assertEqual(first["data_name"], "Module.Takes.forward.0.input.0.0.pt")
        self.assertIsNone(nothing)
        self.assertEqual((dense["data_name"], dense["shape"], dense["Max"]),
                         ("Module.Takes.forward.0.input.0.1.1.pt", [2, 2], 1.0))
        self.assertEqual(entry["input_kwargs"]["named"]["x"]["data_name"],
                         "Module.Takes.forward.0.input.named.x.pt")
        self.assertEqual(entry["input_kwargs"]["size"], {"type": "torch.Size", "value": [3]})
        self.assertEqual(entry["input_kwargs"]["number"], {"type": "int", "value": 4})
        self.assertEqual(entry["output"][0]["sum"]["Max"], 2.0)

    def test_gradients_are_those_of_autograd(self):
        weight = torch.ones(2, 2, requires_grad=True)
        debugger = PrecisionDebugger(dump_path="d", task="tensor", level="L1")
        debugger.start()
        (torch.matmul(torch.full((1, 2), 3.0), weight) * 2).sum().backward()
        debugger.stop()
        debugger.step()
        entry = self.read("dump.json")["data"]["Torch.matmul.0.backward"]
        self.assertEqual(entry["input"][0]["Max"], 2)
        self.assertEqual(entry["output"][1]["Max"], weight.grad.max().item())

    def test_stacks_name_the_lines_of_the_training(self):
        self.capture()
        stacks = self.read("stack.json")
        names = {name for group, _ in stacks.values() for name in group}
        self.assertIn("Torch.add.0.forward", names)
        frames = next(f for group, f in stacks.values() if "Torch.add.0.forward" in group)
        self.assertIn("torch.add(loss, 1)", frames[0])
        self.assertIn("in train", frames[0])

    def test_construct_json_tells_the_parent(self):
        self.capture()
        tree = self.read("construct.json")
        self.assertEqual(tree["Module.0.Conv2d.forward.0"], "Module.Sequential.forward.0")
        self.assertEqual(tree["Functional.conv2d.0.forward"], "Module.0.Conv2d.forward.0")

    def test_steps_and_ranks_are_chosen_in_one_grammar(self):
        self.capture(steps=4, step=[0, "2-3"])
        self.assertEqual(sorted(p.name for p in (self.folder / "d").iterdir()),
                         ["step0", "step2", "step3"])
        os.environ["RANK"] = "1"
        self.addCleanup(os.environ.pop, "RANK")
        self.capture(dump_path="r0", rank=[0])
        self.assertFalse((self.folder / "r0").exists())
        self.capture(dump_path="r1", rank=[1])
        self.assertTrue((self.folder / "r1/step0/rank1/dump.json").exists())

    def test_list_scope_and_data_mode_choose_what_is_recorded(self):
        self.capture(tensor={"list": ["linear"], "data_mode": ["forward"]})
        self.assertEqual(sorted(self.read("dump.json")["data"]),
                         ["Functional.linear.0.forward", "Module.5.Linear.forward.0"])

    def test_a_slice_of_a_dimension_is_kept(self):
        self.capture(tensor={"slice": [{"dim": 0, "size": 2, "begin": 0, "end": 1}]})
        conv = self.read("dump.json")["data"]["Module.0.Conv2d.forward.0"]
        self.assertEqual(conv["input_args"][0]["shape"], [1, 3, 8, 8])

    def test_checksums_are_those_of_zlib(self):
        self.capture(task="tensor", tensor={"summary_mode": "md5"})
        import zlib
        dump = self.read("dump.json")
        element = dump["data"]["Module.0.Conv2d.forward.0"]["input_args"][0]
        values = torch.load(
            pathlib.Path(dump["dump_data_dir"]) / element["data_name"]).numpy()
        self.assertEqual(element["md5"], f"{zlib.crc32(values.tobytes()):08x}")

    def test_a_second_run_into_the_same_folder_is_refused(self):
        os.environ["RANK"] = "0"
        self.addCleanup(os.environ.pop, "RANK")
        self.capture()
        with self.assertRaisesRegex(CaptureError, "delete it or choose another folder"):
            self.capture()

    def test_wrong_configurations_name_their_mistake(self):
        for change, message in (({"task": "nan_check"}, "nan_check.*not supported"),
                                ({"task": "x"}, "task"), ({"level": "L9"}, "level"),
                                ({"dump_path": None}, "dump_path"), ({"step": [-1]}, "step"),
                                ({"step": ["5-3"]}, "backwards"),
                                ({"async_dump": True}, "async_dump"),
                                ({"tensor": {"scope": ["a"]}}, "scope"),
                                ({"tensor": {"summary_mode": "xor"}}, "summary_mode"),
                                ({"tensor": {"slice": [{"dim": 0}]}}, "slice"),
                                ({"transplt_capture": {"tensor_format": "h5"}},
                                 "tensor_format.*pt, npy")):
            with self.assertRaisesRegex(ValueError, message):
                self.capture(**change)

    @unittest.skipIf("tsan" in os.environ.get("LD_PRELOAD", ""),
                     "the thread sanitizer does not go through a fork of several threads")
    def test_a_worker_of_a_data_loader_captures_nothing(self):
        class Data(torch.utils.data.Dataset):
            def __len__(self):
                return 4

            def __getitem__(self, index):
                return torch.relu(torch.ones(2) * index)

        debugger = PrecisionDebugger(dump_path="d", task="statistics", level="mix")
        debugger.start()
        batches = list(torch.utils.data.DataLoader(Data(), batch_size=2, num_workers=2))
        torch.relu(batches[0])
        debugger.stop()
        debugger.step()
        self.assertEqual(debugger.counters["texts_lost"], 0)
        names = [n for n in self.read("dump.json")["data"] if n.startswith("Torch.relu")]
        self.assertEqual(names, ["Torch.relu.0.forward"])

    def test_what_a_killed_training_has_flushed_is_recovered(self):
        script = f"""
import os, signal, sys
sys.path.insert(0, {os.environ["CAPTURE_FOLDER"]!r})
import torch
from transplt_capture import PrecisionDebugger
debugger = PrecisionDebugger(dump_path="k", task="tensor", level="L1")
debugger.start()
torch.relu(torch.ones(3))
debugger._recorder.capture.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""
        subprocess.run([sys.executable, "-c", script], check=False)
        folder = self.only("k/step0/proc*")
        self.assertFalse((folder / "dump.json").exists())
        # Each tensor has its file since the flush.
        self.assertEqual(len(list((folder / "dump_tensor_data").glob("*.pt"))), 3)
        self.assertEqual(recover(str(folder)), 3)
        data = json.loads((folder / "dump.json").read_text())["data"]
        self.assertIn("Torch.relu.0.forward", data)
        values = torch.load(folder / "dump_tensor_data/Torch.relu.0.forward.output.0.pt")
        self.assertEqual(values.tolist(), [1, 1, 1])


class Ptdbg(DebuggerTest):
    ROOT = "d/ptdbg_dump_v4.0/step0/rank0"

    def lines(self, path):
        return [json.loads(line) for line in (self.folder / path).read_text().splitlines()]

    def test_pkl_lines_and_npy_files_have_the_names_of_the_manual(self):
        train(lambda: PrecisionDebugger(dump_path="d", hook_name="dump", step=[0]), 1)
        lines = self.lines(f"{self.ROOT}/api_stack_dump.pkl")
        by_name = {line[0]: line for line in lines}
        conv = by_name["Functional_conv2d_0_forward_input.0"]
        self.assertEqual(conv[1:5], [1, [], "torch.float32", [2, 3, 8, 8]])
        values = numpy.load(self.folder / self.ROOT / "api_stack_dump" /
                            "Functional_conv2d_0_forward_input.0.npy")
        self.assertAlmostEqual(conv[5][0], float(values.max()), 6)
        self.assertIn("Functional_conv2d_0_backward_output.1", by_name)
        self.assertIn("Functional_conv2d_0_stack_info", by_name)
        mode = stat.S_IMODE((self.folder / "d").stat().st_mode)
        self.assertEqual(mode, 0o750)

    def test_modes_choose_what_is_dumped(self):
        def make(**hook):
            def debugger():
                shutil.rmtree(self.folder / "d", ignore_errors=True)
                made = PrecisionDebugger(dump_path="d", hook_name="dump")
                made.configure_hook(**hook)
                return made
            return debugger
        train(make(mode="api_list", api_list=["RELU"], summary_only=True), 1)
        names = {line[0] for line in self.lines(f"{self.ROOT}/api_list_dump.pkl")}
        self.assertTrue(names and all("relu" in name for name in names), names)
        self.assertEqual(list((self.folder / self.ROOT).rglob("*.npy")), [])
        train(make(mode="range", scope=["Functional_relu_0", "Functional_linear_0"],
                   input_output_mode=["forward", "output"]), 1)
        names = [line[0] for line in self.lines(f"{self.ROOT}/range_dump.pkl")]
        self.assertEqual(names, ["Functional_relu_0_forward_output.0",
                                 "Functional_dropout_0_forward_output.0",
                                 "Tensor_flatten_0_forward_output.0",
                                 "Functional_linear_0_forward_output.0"])

    def test_wrong_arguments_are_refused(self):
        with self.assertRaisesRegex(Exception, "hook_name is missing"):
            PrecisionDebugger(dump_path="d")
        for arguments, message in (({"hook_name": "x"}, "hook_name"), ({"rank": -1}, "rank"),
                                   ({"rank": "a"}, "rank"), ({"step": 3}, "step"),
                                   ({"step": ["a"]}, "step"), ({"dump_path": "a b"}, "letters"),
                                   ({"dump_path": "x" * 256}, "255")):
            with self.assertRaisesRegex(ValueError, message):
                PrecisionDebugger(**{"dump_path": "d", "hook_name": "dump", **arguments})
        debugger = PrecisionDebugger(dump_path="d", hook_name="dump")
        for hook, message in (({"mode": "x"}, "mode"), ({"mode": "acl"}, "acl_config"),
                              ({"mode": "acl", "acl_config": "a"}, "exactly one"),
                              ({"mode": "acl", "acl_config": "a", "scope": ["a_backward"]},
                               "backward_input"), ({"mode": "list"}, "scope"),
                              ({"overflow_nums": 0}, "overflow_nums"),
                              ({"filter_switch": "x"}, "filter_switch")):
            with self.assertRaisesRegex(ValueError, message):
                debugger.configure_hook(**hook)
        with self.assertRaisesRegex(ValueError, "ends neither in _forward"):
            debugger.configure_hook(mode="acl", acl_config="a", scope=["Functional_x_1"])
        with self.assertRaisesRegex(ValueError, "none.npy: no such file"):
            debugger.configure_hook(mode="acl", acl_config="a", scope=["Functional_x_1_backward"],
                                    backward_input="none.npy")
        with self.assertRaisesRegex(RuntimeError, "dumps on an NPU, through its driver"):
            debugger.configure_hook(mode="acl", acl_config="a", scope=["Functional_x_1_forward"])

    def test_the_training_ends_after_the_last_step(self):
        with self.assertRaisesRegex(Exception, r"ptdbg: exit after iteration \[0, 1\]"):
            train(lambda: PrecisionDebugger(dump_path="d", hook_name="dump", step=[0, 1]), 3)

    def test_the_class_stands_for_the_debugger_that_was_made_last(self):
        PrecisionDebugger(dump_path="d", hook_name="dump")
        PrecisionDebugger.start()
        torch.relu(torch.zeros(2))
        PrecisionDebugger.stop()
        PrecisionDebugger.step()
        self.assertTrue((self.folder / self.ROOT / "api_stack_dump.pkl").exists())


    def test_a_weight_that_gets_gradients_twice_has_those_of_each_call(self):
        """As the discriminator of a GAN in one step."""
        weight = torch.ones(1, 2, requires_grad=True)
        debugger = PrecisionDebugger(dump_path="d", hook_name="dump", step=[0])
        debugger.start()
        for factor in (1.0, 5.0):
            F.linear(torch.full((1, 2), factor), weight).sum().backward()
        debugger.stop()
        debugger.step()
        lines = {}
        for line in self.lines(f"{self.ROOT}/api_stack_dump.pkl"):
            self.assertNotIn(line[0], lines)
            lines[line[0]] = line
        for number, factor in enumerate((1.0, 5.0)):
            name = f"Functional_linear_{number}_backward_output.1"
            self.assertEqual(lines[name][5][:2], [factor, factor])
            values = numpy.load(self.folder / self.ROOT / "api_stack_dump" / f"{name}.npy")
            self.assertEqual(values.tolist(), [[factor, factor]])

    def test_elements_that_are_not_captured_are_told_by_type_and_shape_only(self):
        debugger = PrecisionDebugger(dump_path="d", task="tensor", level="L1")
        debugger.start()
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)  # a call that could not be recorded
            torch.reshape(torch.zeros(2, dtype=torch.complex32), (1, 2))
        debugger.stop()
        debugger.step()
        dump = json.loads(self.only("d/step0/proc*/dump.json").read_text())
        self.assertEqual(dump["data"]["Torch.reshape.0.forward"]["output"], [
            {"type": "torch.Tensor", "dtype": "torch.complex32", "shape": [1, 2],
             "requires_grad": False}])

    def test_gradients_around_a_function_that_works_in_place_are_each_their_own(self):
        debugger = PrecisionDebugger(dump_path="d", hook_name="dump", step=[0])
        x = torch.tensor([-1.0, 2.0], requires_grad=True)
        debugger.start()
        h = torch.mul(x, 1)
        F.relu(h, inplace=True)
        torch.mul(h, torch.tensor([3.0, 5.0])).sum().backward()
        debugger.stop()
        debugger.step()
        root = self.folder / self.ROOT / "api_stack_dump"
        gradients = {path.name.split(".npy")[0]: numpy.load(path).tolist()
                     for path in root.glob("*backward*")}
        expected = {"Torch_mul_1_backward_output.0": [3, 5],
                    "Functional_relu_0_backward_input.0": [3, 5],
                    "Functional_relu_0_backward_output.0": [0, 5],
                    "Torch_mul_0_backward_input.0": [0, 5],
                    "Torch_mul_0_backward_output.0": [0, 5]}
        self.assertEqual({name: gradients.get(name) for name in expected}, expected)

    def test_the_graph_goes_when_the_step_is_over(self):
        class Doubled(torch.autograd.Function):
            @staticmethod
            def forward(context, value):
                alive.append(weakref.ref(context))
                return value * 2

            @staticmethod
            def backward(context, gradient):
                return gradient * 2

        alive = []
        debugger = PrecisionDebugger(dump_path="d", hook_name="dump", step=[0])
        debugger.start()
        h = Doubled.apply(torch.ones(2, requires_grad=True) * 1)
        torch.relu_(h).sum().backward()
        del h
        debugger.stop()
        debugger.step()
        gc.collect()
        self.assertEqual([context() for context in alive], [None])

    def test_nothing_stays_on_the_parameters_when_the_step_is_over(self):
        for arguments in ({"hook_name": "dump"}, {"hook_name": "overflow_check"},
                          {"task": "statistics", "level": "mix"}):
            shutil.rmtree("d", ignore_errors=True)
            net = model()
            debugger = PrecisionDebugger(dump_path="d", **arguments)
            debugger.start()
            net(torch.randn(2, 3, 8, 8)).sum().backward()
            debugger.stop()
            debugger.step()
            for parameter in net.parameters():
                self.assertFalse(parameter._backward_hooks, arguments)


class Overflow(DebuggerTest):
    ROOT = "o/ptdbg_dump_v4.0/step0/rank0"

    def debugger(self, **hook):
        debugger = PrecisionDebugger(dump_path="o", hook_name="overflow_check", step=[0])
        debugger.configure_hook(**hook)
        return debugger

    def test_bad_output_from_clean_input_ends_the_training_at_the_number_given(self):
        debugger = self.debugger(overflow_nums=2)
        with contextlib.redirect_stderr(io.StringIO()) as told:
            debugger.start()
            first = torch.exp(torch.tensor([1000.0]))
            torch.add(first, 1)  # its input is bad already
            message = (r"^\[overflow 2 times\]: dump file is saved in "
                       r"'o/ptdbg_dump_v4.0/step0/rank0/Torch_log_0_forward_2.pkl'\.$")
            with self.assertRaisesRegex(ValueError, message):
                torch.log(torch.tensor([0.0]))
        self.assertIn("[overflow 1 times]", told.getvalue())
        root = self.folder / self.ROOT
        self.assertEqual(numpy.load(root / "Torch_log_0_forward_2/Torch_log_0_forward_input.0.npy"
                                    ).tolist(), [0])
        self.assertTrue((root / "Torch_exp_0_forward_1.pkl").exists())
        forward = json.loads(self.only("forward_info_*.json").read_text())
        self.assertEqual(sorted(forward), ["Torch_exp_0", "Torch_log_0"])
        self.assertEqual(forward["Torch_exp_0"]["args"][0]["Max"], 1000)
        self.only("stack_info_*.json").unlink()
        debugger.stop()
        debugger.step()
        self.assertEqual(list(self.folder.glob("stack_info_*")), [], "nothing new, nothing written")

    def test_minus_one_never_ends_it(self):
        debugger = self.debugger(overflow_nums=-1)
        with contextlib.redirect_stderr(io.StringIO()):
            debugger.start()
            for _ in range(3):
                torch.exp(torch.tensor([1000.0]))
            debugger.stop()
            debugger.step()
        forward = json.loads(self.only("forward_info_*.json").read_text())
        self.assertEqual(len(forward), 3)
        self.assertTrue((self.folder / self.ROOT / "Torch_exp_2_forward_3.pkl").exists())

    def test_the_largest_half_is_an_overflow(self):
        debugger = self.debugger(overflow_nums=-1)
        with contextlib.redirect_stderr(io.StringIO()):
            debugger.start()
            torch.neg(torch.tensor([3.0], dtype=torch.float16))
            torch.add(torch.tensor([65472.0], dtype=torch.float16), 32.0)
            debugger.stop()
        forward = json.loads(self.only("forward_info_*.json").read_text())
        self.assertEqual(list(forward), ["Torch_add_0"])
        debugger.step()

    def test_backward_overflows_are_found(self):
        debugger = self.debugger(overflow_nums=-1)
        with contextlib.redirect_stderr(io.StringIO()):
            debugger.start()
            x = torch.zeros(1, requires_grad=True)
            torch.sqrt(x).backward()
            debugger.stop()
            debugger.step()
        backward = json.loads(self.only("backward_info_*.json").read_text())
        self.assertEqual(list(backward), ["Torch_sqrt_0_backward"])

    def test_the_pre_check_tells_normal_from_abnormal_overflows(self):
        def tensor(low, high, dtype="torch.float32"):
            return {"type": "torch.Tensor", "dtype": dtype, "shape": [4], "Max": high, "Min": low,
                    "requires_grad": False}
        content = {"Torch_exp_0": {"args": [tensor(0, 1000)], "kwargs": {}},
                   "Torch_exp_1": {"args": [tensor(0, 1)], "kwargs": {}},
                   "Tensor_mul_2": {"args": [tensor(300, 400, "torch.float16"),
                                             tensor(300, 400, "torch.float16")], "kwargs": {}},
                   "NPU_fast_gelu_0": {"args": [tensor(0, 1)], "kwargs": {}}}
        (self.folder / "forward_info_0.json").write_text(json.dumps(content))
        out = io.StringIO()
        self.assertEqual(run_overflow_check.check("forward_info_0.json", out), 1)
        lines = dict(line.split(": ", 1) for line in out.getvalue().splitlines())
        self.assertEqual(lines["Torch_exp_0"], "normal overflow")
        self.assertEqual(lines["Torch_exp_1"], "abnormal overflow")
        self.assertEqual(lines["Tensor_mul_2"], "normal overflow")
        self.assertIn("not checked", lines["NPU_fast_gelu_0"])
        with contextlib.redirect_stderr(io.StringIO()) as told, self.assertRaises(SystemExit):
            run_overflow_check.main(["-backward", "backward_info_0.json"])
        self.assertIn("反向过程溢出的API暂不支持精度预检功能", told.getvalue())


if __name__ == "__main__":
    unittest.main()
