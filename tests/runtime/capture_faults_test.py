#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Trainings on a disk that fails: each call of a capture that changes the disk fails once. The
training must end by itself, with the numbers that it has without a capture, and what was lost must
be told. TRANSPLT_ALL_FAULTS=1 lets every call fail; else a few of each kind do."""

import contextlib
import ctypes
import errno
import io
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

FAULTS = os.environ["DISK_FAULTS"]
if FAULTS not in os.environ.get("LD_PRELOAD", "") and __name__ == "__main__":
    os.environ["LD_PRELOAD"] = ":".join(filter(None, [os.environ.get("LD_PRELOAD"), FAULTS]))
    os.execv(sys.executable, [sys.executable, *sys.argv])
sys.path.insert(0, os.environ["CAPTURE_FOLDER"])

import numpy  # noqa: E402
import torch  # noqa: E402

from transplt_capture import PrecisionDebugger, dumper, npu_dump, profiling, recover  # noqa: E402
from transplt_capture.ending import losses  # noqa: E402
from transplt_capture.mindspore_callback import CaptureCallback  # noqa: E402
from transplt_capture.tensorflow_hook import CaptureHook  # noqa: E402

ALL = os.environ.get("TRANSPLT_ALL_FAULTS") == "1"
KINDS = ("open", "write", "read", "ftruncate", "mkdir", "rename", "unlink", "chmod", "close", "any")
ERRORS = (errno.ENOSPC, errno.EIO)
STEPS = 2
# Memory where there is some: a disk would take its time for thousands of small trainings.
PLACE = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class Disk:
    """The library that stands before the C library."""

    def __init__(self):
        self._library = ctypes.CDLL(FAULTS)
        self._library.disk_faults_seen.restype = ctypes.c_uint64
        self._library.disk_faults_arm.argtypes = (ctypes.c_char_p, ctypes.c_uint64, ctypes.c_int,
                                                  ctypes.c_int)
        self._library.disk_faults_disk.argtypes = (ctypes.c_uint64,)

    def under(self, folder):
        self._library.disk_faults_under(os.fsencode(str(folder)))

    def arm(self, kind, number, error, lasts=False):
        self._library.disk_faults_arm(kind.encode(), number, error, int(lasts))

    def disarm(self):
        self.arm("any", 0, 0)
        self.size(0)

    def seen(self, kind):
        return self._library.disk_faults_seen(kind.encode())

    def size(self, size):
        self._library.disk_faults_disk(size)


disk = Disk()


def train(begin=None, end=None, width=8):
    """The losses of a tiny training. `begin` and `end` are what its steps do for a capture."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(4, width), torch.nn.ReLU(), torch.nn.Linear(width, 2))
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    numbers = []
    for step in range(STEPS):
        x = torch.randn(3, 4)
        if begin is not None:
            begin(net, x)
        loss = net(x).square().sum()
        optimizer.zero_grad()
        loss.backward()
        if end is not None:
            end(loss)
        optimizer.step()
        numbers.append(loss.item())
    return numbers


class Trainings(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(dir=PLACE))
        self.addCleanup(shutil.rmtree, self.top, True)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.top)
        self.addCleanup(disk.disarm)
        self.addCleanup(setattr, PrecisionDebugger, "_latest", None)
        self.runs = 0
        self.expected = train()

    def new_folder(self):
        self.runs += 1
        folder = self.top / f"run{self.runs}"
        folder.mkdir()
        disk.under(folder)
        return folder

    def with_debugger(self, folder, arm, **options):
        """The numbers of a training whose disk fails as soon as there is a debugger."""
        debugger = PrecisionDebugger(dump_path=str(folder / "d"), **options)
        if options.get("hook_name") == "overflow_check":
            debugger.configure_hook(overflow_nums=-1)
        arm()

        def begin(net, x):
            debugger.start(model=net)
            if options.get("level") == "debug":
                debugger.save(x, "x")
            if options.get("hook_name") == "overflow_check":
                torch.exp(torch.tensor([1000.0]))

        def end(_loss):
            debugger.stop()
            debugger.step()

        return train(begin, end)

    @staticmethod
    def told(run):
        """(result, what was told, the summary) of a run and of the end of its process."""
        with contextlib.redirect_stderr(io.StringIO()) as stream:
            result = run()
            before = len(stream.getvalue())
            losses.tell()
        return result, stream.getvalue(), stream.getvalue()[before:]

    def amount(self, folder):
        """What was captured, by name; every file of it must be whole."""
        found = {}
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder)).replace(f"proc{os.getpid()}", "proc")
            if path.name.startswith(".tmp-") or ".transplt_capture" in name or path.is_dir():
                continue
            content = path.read_bytes()
            if path.suffix == ".npy":
                numpy.load(path)
                found[name] = 1
            elif path.suffix == ".json":
                data = json.loads(content)
                found[name] = len(data.get("data", data)) if path.name != "transplt_capture.json" \
                    else 1
            elif path.suffix == ".pkl":
                found[name] = len([json.loads(line) for line in content.splitlines()])
            else:
                # Times and counted numbers are other ones in each run.
                name = re.sub(r"\d+", "N", name)
                found[name] = found.get(name, 0) + 1
        return found

    def chosen(self, count):
        """Numbers of calls: all, or the first, one in the middle and the last."""
        return range(1, count + 1) if ALL else sorted({1, (count + 1) // 2, count} - {0})

    def sweep(self, run, kinds=KINDS):
        """Runs `run(folder, arm)` with one call failing after the other."""
        whole = self.new_folder()
        disk.arm("any", 0, 0)
        result, told, _ = self.told(lambda: run(whole, lambda: disk.arm("any", 0, 0)))
        self.assertEqual(result, self.expected)
        self.assertNotIn("Not captured", told)
        calls = {kind: disk.seen(kind) for kind in kinds}
        complete = self.amount(whole)
        self.assertGreater(calls["any"], 10)
        ways = tuple(itertools.product(ERRORS, (False, True))) if ALL else \
            ((errno.EIO, False), (errno.ENOSPC, True))
        for kind, (error, lasts) in itertools.product(kinds, ways):
            for number in self.chosen(calls[kind]):
                with self.subTest(kind=kind, number=number, error=error, lasts=lasts):
                    self.fail_once(run, complete, kind, number, error, lasts)

    def fail_once(self, run, complete, kind, number, error, lasts):
        folder = self.new_folder()
        result, told, summary = self.told(
            lambda: run(folder, lambda: disk.arm(kind, number, error, lasts)))
        disk.disarm()
        self.assertEqual(result, self.expected, "the capture has changed the training")
        found = self.amount(folder)
        missing = {name for name, count in complete.items() if found.get(name, 0) < count}
        if missing:
            self.assertIn("the training has ended. Not captured", summary, f"{sorted(missing)[:3]}\n{told}")
            self.assertIn(errno.errorcode[error], summary)
        for segment in folder.rglob("*.segment"):
            # One without a byte is that of a step that could not begin.
            if segment.stat().st_size > 0:
                self.assertIn("recover", summary)
        for log in {path.parent.parent for path in folder.rglob("*.segment")}:
            recover(str(log))
        self.amount(folder)
        shutil.rmtree(folder)


def _add(name, **options):
    def test(self):
        self.sweep(lambda folder, arm: self.with_debugger(folder, arm, **options))
    setattr(Debuggers, f"test_{name}", test)


class Debuggers(Trainings):
    pass


for _task, _level in itertools.product(("statistics", "tensor"), ("L0", "L1", "mix", "debug")):
    _add(f"{_task}_at_level_{_level}", task=_task, level=_level)
_add("the_dump_of_ptdbg", hook_name="dump")
_add("the_overflow_check_of_ptdbg", hook_name="overflow_check")


class OtherObjects(Trainings):
    @unittest.skipUnless(os.path.exists(os.path.join(
        os.environ["CAPTURE_FOLDER"], "transplt_capture", "libtransplt_capture_hdf5.so")),
        "this build has no HDF5")
    def test_the_dumper_of_operators(self):
        def run(folder, arm):
            numbers, open_dumpers = itertools.count(), []

            def begin(_net, _x):
                one = dumper(use_dump=True, dump_path=str(folder / f"{next(numbers)}.h5"))
                if not open_dumpers:
                    arm()
                open_dumpers.append(one)
                one.__enter__()

            return train(begin, lambda _loss: open_dumpers[-1].__exit__(None, None, None))
        # libhdf5 reads and truncates where it likes.
        self.sweep(run, kinds=("open", "write", "mkdir", "rename", "unlink", "chmod", "any"))

    def test_the_dump_of_an_npu(self):
        def run(folder, arm):
            settings = self.top / "dump.json"
            settings.write_text(json.dumps({"dump": {"dump_path": str(folder / "d"),
                                                     "dump_op_switch": "on"}}))
            arm()

            def begin(_net, _x):
                npu_dump.init_dump()
                npu_dump.set_dump(str(settings))

            return train(begin, lambda _loss: npu_dump.finalize_dump())
        self.sweep(run)

    def test_the_trace_of_the_steps(self):
        def run(folder, arm):
            profiling.prof_init(str(folder / "trace" / "t.json"))
            arm()
            numbers = train(lambda _net, _x: profiling.iteration_start(),
                            lambda _loss: profiling.iteration_end())
            # The marks themselves write nothing.
            for _ in range(3):
                profiling.prof_finalize()
                profiling.prof_init(str(folder / "trace" / "t.json"))
            profiling.prof_finalize()
            return numbers
        self.sweep(run, kinds=("open", "write", "mkdir", "rename", "chmod", "any"))

    def test_the_hooks_of_other_frameworks(self):
        def run(folder, arm):
            parameter = types.SimpleNamespace(name="w", asnumpy=lambda: numpy.ones(3, "f4"))
            state = types.SimpleNamespace(
                cur_step_num=1, net_outputs=parameter,
                train_network=types.SimpleNamespace(get_parameters=lambda: [parameter]))
            hook = CaptureHook(str(folder / "t"), ["x:0"])
            callback = CaptureCallback(str(folder / "m"), "net")
            arm()
            hook.begin()
            callback.begin(None)

            def end(_loss):
                hook.after_run(None, types.SimpleNamespace(results={"x:0": numpy.ones(3, "f4")}))
                callback.step_end(types.SimpleNamespace(original_args=lambda: state))
                state.cur_step_num += 1

            numbers = train(None, end)
            hook.end(None)
            callback.end(None)
            return numbers
        self.sweep(run)


class Reports(Trainings):
    """What a process says and how it ends."""

    def script(self, more="", **environment):
        """A training of its own, on a disk that refuses everything as soon as it begins."""
        code = ("import ctypes, os, sys\n"
                "import torch\n"
                "from transplt_capture import PrecisionDebugger\n"
                "faults = ctypes.CDLL(os.environ['DISK_FAULTS'])\n"
                "debugger = PrecisionDebugger(dump_path='d', task='tensor', level='L1')\n"
                "faults.disk_faults_under(os.path.abspath('d').encode())\n"
                "faults.disk_faults_arm(b'any', ctypes.c_uint64(1), 28, 1)\n"
                "def train(steps):\n"
                "    for step in range(steps):\n"
                "        debugger.start()\n"
                "        torch.add(torch.ones(2), 1)\n"
                "        debugger.stop()\n"
                "        debugger.step()\n" + more)
        return subprocess.run([sys.executable, "-c", code], text=True, cwd=self.top, check=False,
                              timeout=120, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**os.environ, "LC_ALL": "C.UTF-8", **environment,
                                   "PYTHONPATH": os.environ["CAPTURE_FOLDER"]})

    def test_trouble_is_told_once_and_summed_up_at_the_end(self):
        done = self.script("train(50)\nprint('trained')\n")
        self.assertEqual((done.returncode, done.stdout), (0, "trained\n"), done.stderr)
        first, last = done.stderr.splitlines()
        self.assertRegex(first, "^transplt_capture: step 0: ENOSPC: .*The training goes on")
        self.assertEqual(last, "transplt_capture: the training has ended. Not captured: all of the "
                               "steps 0-49. Why: ENOSPC (No space left on device), 50 times")

    def test_it_is_told_in_chinese_where_the_language_is(self):
        done = self.script("train(2)\n", LC_ALL="zh_CN.UTF-8", PYTHONIOENCODING="utf-8")
        self.assertEqual(done.returncode, 0)
        self.assertIn("训练已结束。未采集: 第 0-1 步的全部数据。原因: ENOSPC", done.stderr)

    def test_a_training_ends_well_where_even_its_messages_find_no_room(self):
        done = self.script("sys.stderr = open('/dev/full', 'w')\ntrain(2)\nprint('trained')\n")
        self.assertEqual((done.returncode, done.stdout), (0, "trained\n"))

    def test_the_next_step_is_captured_when_there_is_room_again(self):
        done = self.script("train(2)\nfaults.disk_faults_arm(b'any', 0, 0, 0)\ntrain(1)\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("all of the steps 0-1.", done.stderr)
        (dump,) = (self.top / "d").rglob("dump.json")
        self.assertEqual(dump.parts[-3], "step2")
        self.assertEqual(len(json.loads(dump.read_text())["data"]), 2)

    def test_a_forked_process_that_trains_tells_its_own_losses(self):
        done = self.script("import multiprocessing\n"
                           "def child():\n"
                           "    global debugger\n"
                           "    debugger = PrecisionDebugger(dump_path='e', task='statistics',\n"
                           "                                 level='L1')\n"
                           "    faults.disk_faults_under(os.path.abspath('e').encode())\n"
                           "    train(3)\n"
                           "process = multiprocessing.get_context('fork').Process(target=child)\n"
                           "process.start()\nprocess.join()\nprint(process.exitcode)\n")
        self.assertEqual((done.returncode, done.stdout), (0, "0\n"), done.stderr)
        self.assertEqual(done.stderr.count("the training has ended"), 1)
        self.assertIn("all of the steps 0-2.", done.stderr)

    def test_a_folder_that_somebody_removes_is_told_of(self):
        done = self.script("import shutil\nfaults.disk_faults_arm(b'any', 0, 0, 0)\n"
                           "debugger.start()\ntorch.add(torch.ones(2), 1)\ndebugger.stop()\n"
                           "shutil.rmtree('d')\ndebugger.step()\nprint('trained')\n")
        self.assertEqual((done.returncode, done.stdout), (0, "trained\n"), done.stderr)
        # Tensors that had their files by then are lost to who removed them.
        self.assertRegex(done.stderr, r"of the steps 0: (\d+ tensors .* and )?\d+ entries.*ENOENT")

    def test_a_disk_that_is_full_before_the_training_does_not_keep_it_from_beginning(self):
        folder = self.new_folder()
        disk.arm("mkdir", 1, errno.ENOSPC, True)
        made, told, summary = self.told(lambda: PrecisionDebugger(
            dump_path=str(folder / "d"), task="tensor", level="L1"))
        self.assertIsNotNone(made)
        self.assertIn("ENOSPC", summary)

    def test_what_no_room_can_mend_is_refused_before_the_training(self):
        folder = self.new_folder()
        disk.arm("mkdir", 1, errno.EROFS, True)
        with self.assertRaisesRegex(OSError, "dump_path: Read-only"):
            PrecisionDebugger(dump_path=str(folder / "d"), task="tensor", level="L1")


class SmallDisks(Trainings):
    """Disks of some sizes, which the library plays, for all tasks and levels."""

    def test_trainings_on_20_sizes_of_disks_end_by_themselves(self):
        sizes = [4096 * blocks for blocks in (*range(1, 13), 16, 20, 28, 36, 48, 64, 96, 400)]
        tasks = [("tensor", "mix"), ("statistics", "L1")]
        if ALL:
            tasks = itertools.product(("statistics", "tensor"), ("L0", "L1", "mix", "debug"))
        for task, level in tasks:
            whole = self.new_folder()
            self.with_debugger(whole, disk.disarm, task=task, level=level)
            complete = self.amount(whole)
            for size in sizes:
                with self.subTest(task=task, level=level, size=size):
                    folder = self.new_folder()
                    disk.size(size)
                    result, _, summary = self.told(lambda t=task, v=level, f=folder:
                                                   self.with_debugger(f, lambda: None, task=t,
                                                                      level=v))
                    disk.disarm()
                    self.assertEqual(result, self.expected)
                    found = self.amount(folder)
                    is_whole = all(found.get(name, 0) >= n for name, n in complete.items())
                    self.assertEqual("ENOSPC" in summary, not is_whole, summary)
                    shutil.rmtree(folder)


if __name__ == "__main__":
    unittest.main()
