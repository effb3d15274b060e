# SPDX-License-Identifier: Apache-2.0
"""What the tests of injected scripts share: inject a tool, run the script, read what it left."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TRANSPLT = os.environ["TRANSPLT"]
PYTHON = sys.executable

SAMPLES = {
    "gan": ("gan.py", "--manual-seed 1 --pictures 16 --batch-size 8 --image-size 16 --nz 8 "
            "--ngf 8 --ndf 8 --niter 1 --steps 2 --log-every 1"),
    "imagenet": ("main.py", "--dummy --dummy-size 16 --image-size 32 --num-classes 4 -b 8 -j 0 "
                 "--epochs 1 --max-steps 2 --print-freq 1 --lr 0.005 --seed 1 --gpu 0 "
                 "--output none"),
    "tiny_lm": ("train.py", "--config configs/tiny.json --seed 1 train.steps=3 train.warmup=1 "
                "train.log_every=1 train.eval_every=3"),
}


class Run:
    """A finished run: its folder, texts, exit status, and the bits of its losses."""

    def __init__(self, folder, done, losses):
        self.folder = folder
        self.out, self.err, self.code = done.stdout, done.stderr, done.returncode
        self.losses = losses.read_text().splitlines() if losses.exists() else []

    def lines(self, pattern):
        """The JSON lines of the one file."""
        (path,) = self.folder.glob(pattern)
        return [json.loads(line) for line in path.read_text().splitlines()]

    def json(self, pattern):
        (path,) = self.folder.glob(pattern)
        return json.loads(path.read_text())


class Injected(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.runs = 0

    def place(self, name, text=None):
        """A folder with a sample, or with the script that is given."""
        folder = self.folder / name
        if text is None:
            shutil.copytree(ROOT / "samples" / name, folder)
        else:
            folder.mkdir()
            (folder / "train.py").write_text(text)
        return folder

    def transplt(self, *arguments, expected=0):
        done = subprocess.run([TRANSPLT, *map(str, arguments)], text=True, cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, expected, done.stdout + done.stderr)
        return done

    def inject(self, folder, *options):
        """A copy of the folder with the tool in it."""
        self.runs += 1
        out = self.folder / f"injected{self.runs}"
        done = self.transplt("inject-dump-config", folder, "-o", out, *options)
        self.assertNotIn("Edits: 0", done.stdout)
        return out / folder.name

    def run_script(self, folder, script="train.py", arguments="", way="stand-in", simulate=None,
                   expected=0, **environment):
        """The script in a copy of its folder, so that runs leave nothing to each other."""
        self.runs += 1
        folder = shutil.copytree(folder, self.folder / f"run{self.runs}")
        losses = self.folder / f"losses{self.runs}.txt"
        paths = [os.environ["CAPTURE_FOLDER"]]
        if simulate:
            paths.insert(0, str(ROOT / "runtime" / "simulator"))
            environment.update(TRANSPLT_SIMULATE=simulate, TRANSPLT_SIMULATE_SEED="1")
        done = subprocess.run(
            [PYTHON, str(HERE / "run_script.py"), str(losses), way, script, *arguments.split()],
            cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths),
                 "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1", **environment})
        self.assertEqual(done.returncode, expected, done.stdout + done.stderr)
        return Run(folder, done, losses)

    def assert_ptdbg_dump(self, run, root, least):
        """Each line tells what numpy reads in the file of that name."""
        pkl = f"{root}/*_dump.pkl"
        (path,) = run.folder.glob(pkl)
        checked = 0
        for name, *rest in run.lines(pkl):
            if name.endswith("stack_info"):
                continue
            _, _, dtype, shape, (high, low, mean, norm) = rest
            file = path.with_suffix("") / f"{name}.npy"
            values = numpy.load(file)
            self.assertEqual(list(values.shape), shape, name)
            self.assertEqual(f"torch.{values.dtype}", dtype, name)
            self.assert_statistics(values, (high, low, mean, norm), name)
            checked += 1
        self.assertGreater(checked, least)

    def assert_statistics(self, values, told, name):
        if values.size == 0 or values.dtype.kind == "c":
            return
        exact = values.astype(numpy.float64)
        expected = (exact.max(), exact.min(), exact.mean(), numpy.linalg.norm(exact.ravel()))
        numpy.testing.assert_allclose(told, expected, rtol=1e-9, atol=1e-12, err_msg=name)
