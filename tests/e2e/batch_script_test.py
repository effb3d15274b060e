#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The scripts of `transplt batch --script`, run by the engines that they are for."""

import os
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import slurm_node  # noqa: E402
from program import EXECUTABLE, ProgramTest, tree_of  # noqa: E402

TRAIN = "import torch\nmodel = torch.nn.Linear(2, 2).cuda()\n"
OPEN = "import torch\nfrom apex import amp\nmodel, opt = amp.initialize(model, opt)\n"


class ScriptTest(ProgramTest):
    """Nine projects in a folder with a blank and a quote in its name, and what one run makes."""

    def setUp(self):
        super().setUp()
        self.here = self.folder / "it's here"
        for i in range(9):
            self.write(f"it's here/all {i}/train.py", (OPEN if i == 3 else TRAIN) + f"n = {i}\n")
            self.write(f"it's here/all {i}/left.py", TRAIN)
        lines = (f'{{"path": "all {i}", "name": "n{i}"}}\n' for i in range(9))
        self.write("it's here/my list.jsonl", "".join(lines))
        self.words = ("my list.jsonl", "-o", "my out", "--exclude", "{l,L}e*", "--no-times")
        self.run_for(1, "batch", "my list.jsonl", "-o", "whole", *self.words[3:], cwd=self.here)
        # The scripts say `transplt`.
        (self.folder / "bin").mkdir()
        (self.folder / "bin/transplt").symlink_to(EXECUTABLE)
        self.path = f"{self.folder}/bin:/usr/bin:/bin"

    def script(self, engine, *more):
        text = self.run_for(0, "batch", *self.words, "--script", engine, *more,
                            cwd=self.here).stdout
        self.assertFalse((self.here / "my out").exists())
        path = self.here / f"{engine}.sh"
        path.write_bytes(text)
        subprocess.run(["bash", "-n", path], check=True, timeout=60)
        if shutil.which("shellcheck"):
            checked = subprocess.run(["shellcheck", path], capture_output=True, timeout=60,
                                     check=False)
            self.assertEqual(checked.stdout, b"")
        return path

    def assert_same_as_one_run(self):
        self.run_for(0, "batch", "merge", "my out", "--manifest", "my list.jsonl", "--format",
                     "records", "-o", "merged", cwd=self.here)
        self.assertEqual((self.here / "merged").read_bytes(),
                         (self.here / "whole/results.jsonl").read_bytes())
        self.assertEqual(tree_of(self.here / "my out/projects"),
                         tree_of(self.here / "whole/projects"))


class Slurm(ScriptTest):
    def test_script_is_clean_and_names_each_shard_once(self):
        text = self.script("slurm", "--shards", "4", "--jobs", "2").read_text()
        self.assertIn("#SBATCH --array=1-4\n#SBATCH --cpus-per-task=2\n", text)
        self.assertIn('--shard "$SLURM_ARRAY_TASK_ID/4"', text)

    @unittest.skipIf(slurm_node.missing_program(), "there is no Slurm")
    def test_four_array_tasks_give_the_same_bytes_as_one_run(self):
        script = self.script("slurm", "--shards", "4")
        with slurm_node.SlurmNode(cpus=4) as node:
            environment = {**node.environment, "PATH": self.path}
            done = subprocess.run(["sbatch", "--wait", script], cwd=self.here, env=environment,
                                  capture_output=True, timeout=300, check=False)
            logs = "".join(log.read_text() for log in self.here.glob("transplt-batch-*.log"))
            self.assertEqual(done.returncode, 0, done.stderr.decode() + logs + node.logs())
        self.assertEqual(len(list((self.here / "my out").glob("results-*-of-4.jsonl"))), 4)
        self.assert_same_as_one_run()


class Parallel(ScriptTest):
    @unittest.skipUnless(shutil.which("parallel"), "there is no GNU parallel")
    def test_shards_give_the_same_bytes_as_one_run_and_a_report(self):
        script = self.script("parallel", "--shards", "3", "--jobs", "2")
        done = subprocess.run(["bash", script.name], cwd=self.here, timeout=120,
                              capture_output=True, check=False,
                              env={**os.environ, "PATH": self.path, "LC_ALL": "C.UTF-8"})
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertIn("Projects: 9\n", done.stdout.decode())
        self.assertIn("1 of 3 parts", done.stderr.decode())
        self.assert_same_as_one_run()


if __name__ == "__main__":
    unittest.main()
