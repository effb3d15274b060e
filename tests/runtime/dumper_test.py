#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The dumper, the dump of single operators, and the hooks of other frameworks, on the CPU."""

import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

import numpy
import torch

sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["CAPTURE_FOLDER"])

import transplt_capture  # noqa: E402
from transplt_capture import dumper  # noqa: E402
from transplt_capture.mindspore_callback import CaptureCallback  # noqa: E402
from transplt_capture.tensorflow_hook import CaptureHook  # noqa: E402

try:
    import h5py
except ImportError:
    h5py = None


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, True)


def loss_of(seed, scale=1.0):
    """A forward and a backward pass; the loss and the gradient of the weight."""
    torch.manual_seed(seed)
    net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(inplace=True))
    with torch.no_grad():
        net[0].weight.mul_(scale)
    loss = net(torch.randn(2, 4)).sum()
    loss.backward()
    return loss.item(), net[0].weight.grad


@unittest.skipIf(h5py is None, "h5py is not installed")
class Dumper(Folder):
    def dump(self, name, **options):
        path = self.folder / name
        with dumper(use_dump=True, dump_path=str(path), **options):
            result = loss_of(1)
        return path, result

    def test_inputs_and_outputs_of_forward_and_backward_are_in_one_file(self):
        path, _ = self.dump("model.h5")
        with h5py.File(path) as data:
            self.assertIn("addmm", data)
            matrix = data["/addmm/1/input/mat1"]
            self.assertEqual((matrix.shape, matrix.attrs["Type"], matrix.attrs["DeviceType"]),
                             ((2, 4), 0, 0))
            product = data["/addmm/1/input/self"][()] + matrix[()] @ data["/addmm/1/input/mat2"][()]
            numpy.testing.assert_allclose(data["/addmm/1/output/0"][()], product, rtol=1e-5)
            self.assertIn("threshold_backward", data)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["model.h5"])

    def test_a_type_that_hdf5_has_no_code_for_is_left_out_and_told(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            with dumper(use_dump=True, dump_path=str(self.folder / "fft.h5")):
                torch.fft.fft(torch.ones(4)).real.add(1)
        self.assertIn("torch.complex64 are not in", said.getvalue())
        with h5py.File(self.folder / "fft.h5", "r") as file:
            names = []
            file.visit(names.append)
            self.assertTrue(any(name.startswith("add") for name in names), names)

    def test_the_loss_is_the_same_with_it(self):
        plain = loss_of(1)
        _, dumped = self.dump("model.h5")
        self.assertEqual(dumped[0], plain[0])
        self.assertTrue(torch.equal(dumped[1], plain[1]))

    def test_a_replay_computes_with_the_inputs_of_the_file(self):
        path, golden = self.dump("golden.h5")
        with dumper(use_dump=True, load_file_path=str(path), dump_path=str(self.folder / "n.h5")):
            loss, _ = loss_of(2, scale=9.0)  # other numbers, which the file replaces
        self.assertAlmostEqual(loss, golden[0], 5)
        with h5py.File(path) as first, h5py.File(self.folder / "n.h5") as second:
            numpy.testing.assert_allclose(first["/addmm/1/output/0"][()],
                                          second["/addmm/1/output/0"][()], rtol=1e-5)

    def test_lists_of_tensors_are_replayed_too(self):
        golden, mine = str(self.folder / "golden.h5"), str(self.folder / "mine.h5")
        with dumper(use_dump=True, dump_path=golden):
            torch.cat([torch.ones(1), torch.zeros(1)])
        with dumper(use_dump=True, load_file_path=golden, dump_path=mine):
            torch.cat([torch.full((1,), 5.0), torch.full((1,), 6.0)])
        with h5py.File(mine) as data:
            self.assertEqual(data["/cat/1/output/0"][()].tolist(), [1, 0])

    def test_a_replay_calls_the_same_operators_whatever_the_strides(self):
        def work(factor):
            matrix = torch.arange(6.0).reshape(2, 3).t() * factor
            return (matrix + 1).reshape(-1) + torch.ones(1).expand(6)

        golden, mine = str(self.folder / "golden.h5"), str(self.folder / "mine.h5")
        with dumper(use_dump=True, dump_path=golden):
            expected = work(1)
        with dumper(use_dump=True, load_file_path=golden, dump_path=mine):
            self.assertEqual(work(7).tolist(), expected.tolist())
        with h5py.File(golden) as one, h5py.File(mine) as two:
            self.assertEqual({name: sorted(one[name]) for name in one},
                             {name: sorted(two[name]) for name in two})

    def test_overflows_of_several_steps_have_a_file_each(self):
        for _ in range(2):
            with contextlib.redirect_stderr(io.StringIO()):
                with dumper(check_overflow=True, dump_path=str(self.folder / "o")):
                    torch.exp(torch.tensor([1000.0]))
        self.assertEqual(len(list((self.folder / "o").iterdir())), 2)

    def test_the_folder_is_made_and_a_file_that_is_there_refused_before_the_step(self):
        path = str(self.folder / "new" / "model.h5")
        with dumper(use_dump=True, dump_path=path):
            torch.ones(1) + 1
        with self.assertRaisesRegex(ValueError, "is there already"):
            with dumper(use_dump=True, dump_path=path):
                self.fail("the step was begun")

    def test_without_libhdf5_nothing_is_begun(self):
        package = self.folder / "package"
        shutil.copytree(os.environ["CAPTURE_FOLDER"], package)
        (package / "transplt_capture/libtransplt_capture_hdf5.so").unlink()
        done = subprocess.run(
            [sys.executable, "-c", "import torch\nfrom transplt_capture import dumper\n"
             "with dumper(use_dump=True, dump_path='d/model.h5'):\n"
             "    torch.ones(1) + 1\n    print('went on')\n"], text=True, cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
            env={**os.environ, "PYTHONPATH": str(package)})
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("HDF5 needs the plugin libtransplt_capture_hdf5.so and libhdf5", done.stderr)
        self.assertEqual(list((self.folder / "d").iterdir()), [])

    def test_an_overflowing_operator_is_named_and_dumped(self):
        with contextlib.redirect_stderr(io.StringIO()) as told:
            with dumper(check_overflow=True, dump_path=str(self.folder / "o")) as dump:
                torch.exp(torch.tensor([1000.0])) + 1
        self.assertEqual(dump.overflows, ["exp"])
        self.assertIn("exp overflows", told.getvalue())
        (file,) = (self.folder / "o").iterdir()
        with h5py.File(file) as data:
            self.assertEqual(data["/exp/1/input/self"][()].tolist(), [1000])

    def test_wrong_arguments_are_refused(self):
        for options, error, message in (
                ({"use_load": True}, ValueError, "load_file_path"),
                ({"use_dump": True}, ValueError, "dump_path"),
                ({"load_file_path": "none.h5"}, ValueError, "no such file"),
                ({"load_with_acl_dump": True}, ValueError, "load_file_path")):
            with self.assertRaisesRegex(error, message):
                dumper(**options)


class SingleOperators(Folder):
    def configure(self, **dump):
        path = self.folder / "dump.json"
        path.write_text(json.dumps({"dump": {"dump_list": [], "dump_op_switch": "on",
                                             "dump_path": str(self.folder / "out"), **dump}}))
        return str(path)

    def test_operators_become_files_of_ge_that_say_they_are_simulated(self):
        transplt_capture.init_dump()
        transplt_capture.set_dump(self.configure(dump_mode="all"))
        torch.tensor([2, 2]).add_(1)
        transplt_capture.finalize_dump()
        files = sorted((self.folder / "out").glob("*/0/0/0/add_.*"))
        self.assertEqual(len(files), 1)
        self.assertEqual(len(files[0].name.split(".")), 5)
        numbers = numpy.frombuffer(files[0].read_bytes()[-32:], numpy.int64)
        self.assertEqual(numbers.tolist(), [2, 2, 3, 3])
        self.assertIn("not by an NPU", (self.folder / "out/SIMULATED").read_text())

    def test_the_switch_is_off_by_default(self):
        transplt_capture.init_dump()
        transplt_capture.set_dump(self.configure(dump_op_switch="off"))
        torch.ones(1)
        transplt_capture.finalize_dump()
        self.assertFalse((self.folder / "out").exists())

    def test_wrong_files_are_refused(self):
        for change, message in (({"dump_mode": "x"}, "dump_mode"), ({"dump_path": ""}, "dump_path"),
                                ({"dump_list": [{}]}, "dump_list"), ({"extra": 1}, "extra")):
            transplt_capture.init_dump()
            with self.assertRaisesRegex(ValueError, message):
                transplt_capture.set_dump(self.configure(**change))
            transplt_capture.finalize_dump()
        with self.assertRaisesRegex(RuntimeError, "after init_dump"):
            transplt_capture.set_dump("x")


class Profiling(Folder):
    def test_the_chosen_iterations_are_in_a_chrome_trace(self):
        path = self.folder / "p" / "trace.json"
        transplt_capture.prof_init(str(path), start=1, stop=2)
        for _ in range(5):
            transplt_capture.iteration_start()
            transplt_capture.iteration_end()
        self.assertEqual(transplt_capture.prof_finalize(), 2)
        events = json.loads(path.read_text())["traceEvents"]
        self.assertEqual([e["name"] for e in events], ["iteration 1", "iteration 2"])
        self.assertTrue(all(e["ph"] == "X" and e["dur"] >= 0 for e in events))

    def test_a_folder_gets_the_trace_of_what_lies_between_start_and_stop(self):
        transplt_capture.prof_init(str(self.folder / "p"))
        with contextlib.redirect_stderr(io.StringIO()) as told:
            transplt_capture.prof_start({"aicore_metrics": 1})
        self.assertIn("only an NPU measures", told.getvalue())
        for stop in (False, True):
            transplt_capture.iteration_start()
            transplt_capture.iteration_end()
            if not stop:
                transplt_capture.prof_stop()
        self.assertEqual(transplt_capture.prof_finalize(), 1)
        (file,) = (self.folder / "p").iterdir()
        self.assertEqual(json.loads(file.read_text())["traceEvents"][0]["name"], "iteration 0")

    def at_exit(self, text):
        code = "import torch, transplt_capture as c\n" + text
        return subprocess.run([sys.executable, "-c", code], text=True, stderr=subprocess.PIPE,
                              check=True, cwd=self.folder,
                              env={**os.environ, "PYTHONPATH": os.environ["CAPTURE_FOLDER"],
                                   "PYTHONDONTWRITEBYTECODE": "1"}).stderr

    def test_a_training_that_ends_early_leaves_its_trace_and_its_dump(self):
        told = self.at_exit("c.prof_init('p')\nc.iteration_start()\nc.iteration_end()\n")
        self.assertIn("prof_finalize() was not called; 1 iterations are in p/steps_", told)
        (self.folder / "dump.json").write_text(json.dumps({"dump": {
            "dump_path": "out", "dump_op_switch": "on"}}))
        told = self.at_exit("c.init_dump()\nc.set_dump('dump.json')\ntorch.ones(1) + 1\n")
        self.assertIn("finalize_dump() was not called", told)
        self.assertTrue(list((self.folder / "out").glob("*/0/0/0/add.*")))

    def test_calls_in_the_wrong_order_are_refused(self):
        for call in (transplt_capture.iteration_start, transplt_capture.iteration_end,
                     transplt_capture.prof_start, transplt_capture.prof_stop,
                     transplt_capture.prof_finalize):
            with self.assertRaises(RuntimeError):
                call()
        with self.assertRaises(ValueError):
            transplt_capture.prof_init("x", start=3, stop=1)


class Tensor:
    """What of mindspore.Tensor the callback uses."""

    def __init__(self, values, name=None):
        self._values, self.name = numpy.asarray(values, numpy.float32), name

    def asnumpy(self):
        return self._values


class OtherFrameworks(Folder):
    def test_the_callback_of_mindspore_writes_synchronous_files(self):
        network = types.SimpleNamespace(get_parameters=lambda: [Tensor([[1, 2]], "fc.weight")])
        callback = CaptureCallback(str(self.folder / "m"), "LeNet", step="1", device_id=3)
        callback.begin(None)
        for step in (1, 2):
            state = types.SimpleNamespace(cur_step_num=step, net_outputs=Tensor(0.5),
                                          train_network=network)
            callback.step_end(types.SimpleNamespace(original_args=lambda state=state: state))
        callback.end(None)
        files = sorted(p.name for p in (self.folder / "m/LeNet/device_3/iteration_1").iterdir())
        self.assertEqual(files, [
            "Parameter--fc.weight_output_0_shape_1_2_Float32_DefaultFormat.bin",
            "net_outputs_output_0_shape__Float32_DefaultFormat.bin"])
        self.assertFalse((self.folder / "m/LeNet/device_3/iteration_0").exists())

    def test_they_need_no_torch(self):
        done = subprocess.run(
            [sys.executable, "-c",
             "import sys; sys.modules['torch'] = None\n"
             "from transplt_capture.tensorflow_hook import CaptureHook\n"
             "from transplt_capture.mindspore_callback import CaptureCallback\n"
             "import numpy, types\n"
             "hook = CaptureHook('t', ['x:0'])\n"
             "hook.begin()\n"
             "values = numpy.arange(6, dtype='>f4').reshape(2, 3)[:, ::2]\n"
             "hook.after_run(None, types.SimpleNamespace(results={'x:0': values}))\n"
             "hook.end(None)\n"], text=True, stderr=subprocess.PIPE, check=False, cwd=self.folder,
            env={**os.environ, "PYTHONPATH": os.environ["CAPTURE_FOLDER"],
                 "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(done.stderr, "")
        values = numpy.load(self.folder / "t/step0/x.0.npy")
        self.assertEqual(values.tolist(), [[0, 2], [3, 5]])

    def test_an_array_whose_elements_are_not_at_multiples_of_their_size_is_refused(self):
        from transplt_capture import _native, arrays  # noqa: F401
        packed = numpy.zeros(3, numpy.dtype([("a", "<f4"), ("b", "u1")]))
        with self.assertRaisesRegex(TypeError, "copy it first"):
            _native.statistics(packed["a"])
        self.assertEqual(_native.statistics(packed["a"].copy())[7], 3)

    def test_the_hook_of_tensorflow_fetches_and_writes(self):
        hook = CaptureHook(str(self.folder / "t"), ["dense/BiasAdd:0"], step="0")
        hook.begin()
        self.assertEqual(hook.before_run(None).fetches, {"dense/BiasAdd:0": "dense/BiasAdd:0"})
        hook.after_run(None, types.SimpleNamespace(results={"dense/BiasAdd:0": numpy.ones(3)}))
        self.assertIsNone(hook.before_run(None))
        hook.after_run(None, None)
        hook.end(None)
        values = numpy.load(self.folder / "t/step0/dense_BiasAdd.0.npy")
        self.assertEqual(values.tolist(), [1, 1, 1])


if __name__ == "__main__":
    unittest.main()
