# SPDX-License-Identifier: Apache-2.0
"""Runs a single-card training and its multi-card result on the simulated device, and compares them.

The original runs as one process on a simulated CUDA; the result on simulated NPUs, as one process
started directly or by torchrun, or as several. What is compared:

- the curve: all numbers that the project's patterns find in stdout and in its log files. With one
  process they are the same text. With more they differ by at most `atol + rtol * |number|`. There
  are equally many of them: a process that prints beside the first is noticed.
- the files that the run has made: the same names.
- the checkpoints among them: the same structure, keys, shapes and kinds of numbers, and parameters
  that differ by at most `atol + rtol * |number|` of PARAMETERS.

As a program, for one project of this folder or all: distributed_runs.py RESULTS [NAME...] with
--processes 1,2,4; RESULTS/NAME is the result of a migration.
"""

import argparse
import contextlib
import json
import math
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROJECTS = HERE / "distributed"
SIMULATOR = HERE.parents[1] / "runtime" / "simulator"
PYTHON = "/usr/bin/python3"
CARDS = 4
CURVE = {"rtol": 1e-3, "atol": 1e-4}
PARAMETERS = {"rtol": 1e-2, "atol": 1e-3}
NUMBER = r"(-?\d+\.\d+(?:e-?\d+)?)"


class Different(AssertionError):
    """The result does something else than the original."""


class Project:
    """How a project is run, and where its numbers are.

    `runs`: the arguments of each run, one after the other in the same folder. `patterns`: regular
    expressions whose groups are numbers; `logs`: the same in files, by name. `checkpoints`: patterns
    of file names.
    """

    def __init__(self, main, *patterns, runs=((),), checkpoints=(), logs=None, curve=None):
        self.main = main
        self.patterns = patterns
        self.runs = runs
        self.checkpoints = checkpoints
        self.logs = logs or {}
        self.curve = curve or CURVE


ALL = {
    "plain": Project(
        "main.py", r"\tLoss: " + NUMBER, r"Average loss: " + NUMBER + r", Accuracy: (\d+)/(\d+)",
        r"Train Epoch: \d+ \[(\d+)/(\d+)", runs=(("--save-model",),), checkpoints=("*.pt",)),
    "summed_loss": Project(
        "train_vae.py", r"Loss: " + NUMBER, r"Average loss: " + NUMBER,
        r"Test set loss: " + NUMBER, checkpoints=("vae_*.pth",)),
    "gan": Project(
        "dcgan.py", r"Loss_D: {0} Loss_G: {0} D\(x\): {0} D\(G\(z\)\): {0} / {0}".format(NUMBER),
        runs=(("--cuda",),), checkpoints=("out/*.pth", "out/*.pt"), curve={"rtol": 2e-3, "atol": 2e-4}),
    "trainer_class": Project(
        "run.py", r"train_loss={0} \| val_loss={0}".format(NUMBER), r"counter: (\d+)",
        r"best val_loss=" + NUMBER, checkpoints=("*.pt",)),
    "several_files": Project(
        "main.py", r"Loss {0} \({0}\)\tPrec@1 {0} \({0}\)".format(NUMBER),
        r"Val Loss {0} Prec@1 {0}".format(NUMBER), checkpoints=("checkpoints/*.tar",)),
    "accumulation": Project(
        "finetune.py", r"step (\d+) loss {0} lr {0}".format(NUMBER), r"perplexity " + NUMBER,
        r"global_step = (\d+), average loss = " + NUMBER, checkpoints=("*.bin",)),
    "phases": Project(
        "transfer.py", r"(?:train|val) Loss: {0} Acc: {0}".format(NUMBER),
        r"Best val Acc: " + NUMBER, checkpoints=("*.pth",)),
    "data_parallel": Project(
        "train.py", r"iteration (\d+) : loss : {0}, loss_ce: {0}".format(NUMBER),
        checkpoints=("snapshots/*.pth",)),
    "script": Project(
        "lstm.py", r"train loss: {0} \| test loss: {0}".format(NUMBER), checkpoints=("*.pkl",)),
    "iterator": Project(
        "train_steps.py", r"step=(\d+) loss={0} acc={0}".format(NUMBER), checkpoints=("*.pt",)),
    "resume": Project(
        "train.py", r"Loss: {0} \| Acc: {0}% \((\d+)/(\d+)\)".format(NUMBER),
        r"test \d+ Loss: " + NUMBER, r"checkpoint \(epoch (\d+)\)",
        runs=((), ("--resume", "checkpoint/last.pth", "--epochs", "4")),
        checkpoints=("checkpoint/*.pth",)),
    "last_batch": Project(
        "main.py", r"last batch: (\d+) of (\d+)", r"loss {0} average {0}".format(NUMBER),
        r"test (\d+) of the last (\d+) loss " + NUMBER, r"hits of all: (\d+)",
        checkpoints=("last.pt",)),
    "gpu_option": Project(
        "train.py", r"train {0} valid {0}".format(NUMBER), checkpoints=("exp0/*.pt",),
        logs={"exp0/log.csv": r"(\d+),{0},{0}".format(NUMBER)}),
}


def environment(simulate, root, report=None):
    """What a simulated process is told, as `transplt verify` does it."""
    strange = ("TRANSPLT_", "LC_", "LANG", "OMPI_", "SLURM_", "TORCHELASTIC_")
    told = ("PYTHONPATH", "RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT",
            "RANK_ID", "RANK_SIZE", "DEVICE_ID", "CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES")
    values = {name: value for name, value in os.environ.items()
              if not name.startswith(strange) and name not in told}
    values.update(LANG="C.UTF-8", PYTHONPATH=str(SIMULATOR), PYTHONDONTWRITEBYTECODE="1",
                  PYTHONHASHSEED="0", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1",
                  TRANSPLT_SIMULATE=simulate, TRANSPLT_SIMULATE_DEVICES=str(CARDS),
                  TRANSPLT_SIMULATE_SEED="1", TRANSPLT_SIMULATE_PROJECT=str(root))
    if report:
        values["TRANSPLT_SIMULATE_REPORT"] = str(report)
    return values


def run(command, folder, env, timeout=120):
    """Runs a command to its end and gives its stdout. Its processes end with it, whatever happens."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        with subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=out,
                              stderr=err, start_new_session=True) as process:
            try:
                code = process.wait(timeout)
            except subprocess.TimeoutExpired:
                code = f"none after {timeout} s"
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        out.seek(0)
        err.seek(0)
        said, complaints = out.read(), err.read()
    if code != 0:
        raise Different(f"{' '.join(map(str, command))[:200]}: exit code {code}\n{said[-1500:]}\n"
                        f"{complaints[-6000:]}")
    return said


def free_port():
    """A port that nobody uses now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start_of(processes):
    """How Python starts a script as so many processes; 0: without a launcher."""
    if not processes:
        return [PYTHON]
    return [PYTHON, "-m", "torch.distributed.run", "--nproc_per_node", str(processes),
            "--master_addr", "127.0.0.1", "--master_port", str(free_port())]


def files_of(folder):
    """Names of all files below the folder, but caches of Python."""
    return {str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts}


# Prints what the checkpoints hold. Classes of the training script, which is not there, are modules.
DESCRIBE = r"""
import json, sys
import torch
try:
    import torch_npu  # a checkpoint may hold a device
except ImportError:
    pass  # the original's

def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (torch.nn.Module,), {})

def describe(value):
    if isinstance(value, torch.Tensor):
        return {"tensor": [list(value.shape), str(value.dtype)],
                "values": value.detach().double().flatten().tolist()}
    if isinstance(value, torch.nn.Module):
        return {"module": type(value).__name__, "state": describe(dict(value.state_dict()))}
    if isinstance(value, dict):
        return {"dict": {repr(key): describe(entry) for key, entry in value.items()}}
    if isinstance(value, (list, tuple)):
        return {"list": [describe(entry) for entry in value]}
    if isinstance(value, float):
        return {"tensor": [[], "float"], "values": [value]}
    return {"other": type(value).__name__}

print(json.dumps({name: describe(torch.load(name, map_location="cpu"))
                  for name in sys.argv[1:]}))
"""


class Run:
    """What a run of a project has printed and made."""

    def __init__(self, project, source, simulate, processes=0, timeout=120):
        with tempfile.TemporaryDirectory(prefix="transplt-run-") as scratch:
            self.folder = pathlib.Path(scratch) / "project"
            report = pathlib.Path(scratch) / "report"
            report.mkdir()
            shutil.copytree(source, self.folder, ignore=shutil.ignore_patterns("__pycache__"))
            before = files_of(self.folder)
            env = environment(simulate, self.folder, report)
            self.out = "".join(run([*start_of(processes), project.main, *arguments], self.folder, env,
                                   timeout) for arguments in project.runs)
            self.files = files_of(self.folder) - before
            self.curve = self._curve(project)
            self.events = [json.loads(line) for path in sorted(report.iterdir())
                           for line in path.read_text(encoding="utf-8").splitlines()]
            self.checkpoints = self._checkpoints(project, env)

    def _curve(self, project):
        curve = {pattern: re.findall(pattern, self.out) for pattern in project.patterns}
        for name, pattern in project.logs.items():
            path = self.folder / name
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            curve[f"{name}: {pattern}"] = re.findall(pattern, text)
        empty = [pattern for pattern, found in curve.items() if not found]
        if empty:
            raise Different(f"no number found by {empty} in:\n{self.out[-3000:]}")
        return curve

    def _checkpoints(self, project, env):
        names = sorted(str(path.relative_to(self.folder)) for pattern in project.checkpoints
                       for path in self.folder.glob(pattern))
        if not names:
            raise Different(f"no checkpoint {project.checkpoints}, only {sorted(self.files)}")
        quiet = {name: value for name, value in env.items() if name != "TRANSPLT_SIMULATE_REPORT"}
        return json.loads(run([PYTHON, "-c", DESCRIBE, *names], self.folder, quiet))

    def devices(self):
        """Numbers of the cards on which something was computed."""
        return {event["index"] for event in self.events
                if event["event"] == "work" and event.get("index") is not None}


def near(first, second, tolerance):
    """True if two numbers differ by no more than the tolerance; nan is near nan."""
    if math.isnan(first) or math.isnan(second):
        return math.isnan(first) and math.isnan(second)
    return abs(first - second) <= tolerance["atol"] + tolerance["rtol"] * abs(first)


def compare_curves(original, result, tolerance=None):
    """Raises Different at the first number that differs; without a tolerance: as text."""
    for pattern, expected in original.items():
        found = result[pattern]
        if len(expected) != len(found):
            raise Different(f"{pattern}: {len(found)} instead of {len(expected)} times")
        for index, (left, right) in enumerate(zip(expected, found)):
            left, right = ([groups] if isinstance(groups, str) else groups for groups in (left, right))
            same = left == right if tolerance is None else all(
                near(float(one), float(other), tolerance) for one, other in zip(left, right))
            if not same:
                raise Different(f"{pattern}: number {index + 1} of {len(expected)}: "
                                f"{right} instead of {left}")


def compare_contents(original, result, tolerance, place):
    """Raises Different where two descriptions of checkpoints differ."""
    if original.keys() != result.keys():
        raise Different(f"{place}: {sorted(result)} instead of {sorted(original)}")
    for kind, expected in original.items():
        found = result[kind]
        if kind == "dict":
            if list(expected) != list(found):
                raise Different(f"{place}: keys {list(found)} instead of {list(expected)}")
            for key, value in expected.items():
                compare_contents(value, found[key], tolerance, f"{place}[{key}]")
        elif kind == "list":
            if len(expected) != len(found):
                raise Different(f"{place}: {len(found)} instead of {len(expected)} elements")
            for index, (left, right) in enumerate(zip(expected, found)):
                compare_contents(left, right, tolerance, f"{place}[{index}]")
        elif kind == "state":
            compare_contents(expected, found, tolerance, f"{place}.state_dict()")
        elif kind == "values":
            far = [pair for pair in zip(expected, found) if not near(*pair, tolerance)]
            if far:
                raise Different(f"{place}: {len(far)} of {len(expected)} numbers differ, the first: "
                                f"{far[0][1]} instead of {far[0][0]}")
        elif expected != found:
            raise Different(f"{place}: {found} instead of {expected}")


def compare(project, original, result, processes):
    """Raises Different unless the result has done what the original does."""
    if original.files != result.files:
        raise Different(f"files: missing {sorted(original.files - result.files)}, "
                        f"more {sorted(result.files - original.files)}")
    exact = processes <= 1
    compare_curves(original.curve, result.curve, None if exact else project.curve)
    tolerance = {"rtol": 0, "atol": 0} if exact else PARAMETERS
    if original.checkpoints.keys() != result.checkpoints.keys():
        raise Different(f"checkpoints {list(result.checkpoints)}")
    for name, expected in original.checkpoints.items():
        compare_contents(expected, result.checkpoints[name], tolerance, name)
    expected = set(range(max(processes, 1)))
    if result.devices() != expected:
        raise Different(f"computed on cards {sorted(result.devices())} instead of {sorted(expected)}")


def run_and_compare(project, source, result, processes=(1, 2, 4), timeout=120):
    """Runs the original once, and the result with each number of processes (0: no launcher)."""
    original = Run(project, source, "cuda", timeout=timeout)
    for count in processes:
        try:
            compare(project, original, Run(project, result, "npu", count, timeout), count)
        except Different as difference:
            raise Different(f"{project.main} as {count} processes: {difference}") from None
    return original


def main():
    """Compares what the command line names; gives the number of projects that differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", help="RESULTS/NAME is the result of project NAME; -: run originals")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--processes", default="1,2,4")
    settings = parser.parse_intermixed_args()
    counts = [int(count) for count in settings.processes.split(",")]
    failed = 0
    for name in settings.names or ALL:
        try:
            if settings.results == "-":
                original = Run(ALL[name], PROJECTS / name, "cuda")
                print(name, {k: len(v) for k, v in original.curve.items()}, sorted(original.files))
                again = Run(ALL[name], PROJECTS / name, "cuda")
                compare_curves(original.curve, again.curve)
            else:
                run_and_compare(ALL[name], PROJECTS / name, pathlib.Path(settings.results) / name, counts)
                print(name, "the same as", *counts, "processes")
        except Different as difference:
            failed += 1
            print(name, "DIFFERENT", difference)
    return failed


if __name__ == "__main__":
    sys.exit(min(main(), 1))
