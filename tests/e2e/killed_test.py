#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A run that is killed at any moment loses nothing: the input is whole or can be put back, and no
output looks finished that is not. TRANSPLT_KILLS is how often it is tried."""

import os
import random
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
from program import EXECUTABLE, ProgramTest, tree_of  # noqa: E402

KILLS = int(os.environ.get("TRANSPLT_KILLS", "10"))
FILES = 300
TRAIN = (b"import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\ntorch.cuda.synchronize()\n" +
         b"#\n" * 2000)


class KilledRun(ProgramTest):
    def setUp(self):
        super().setUp()
        for i in range(FILES):
            self.write(f"project/part{i % 10}/train{i}.py", TRAIN)
        self.original = tree_of(self.folder / "project")
        self.random = random.Random(20260101)

    def start(self, *arguments):
        return subprocess.Popen([EXECUTABLE, *arguments], cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def run_to_the_end(self, *arguments):
        start = time.monotonic()
        self.assertEqual(self.start(*arguments).wait(), 0)
        self.full_time = time.monotonic() - start

    def run_and_kill(self, *arguments):
        """True if the program was killed before its end."""
        process = self.start(*arguments)
        time.sleep(self.random.uniform(0, 0.8 * self.full_time))
        process.kill()
        return process.wait() < 0

    def source_files(self):
        return {name: data for name, data in tree_of(self.folder / "project").items()
                if not name.startswith(".transplt-undo")}

    def test_in_place_can_be_put_back(self):
        self.run_to_the_end("migrate", "project", "--in-place")
        migrated = self.source_files()
        self.assertNotEqual(migrated, self.original)
        self.run_for(0, "migrate", "project", "--undo")
        killed = 0
        for _ in range(KILLS):
            killed += self.run_and_kill("migrate", "project", "--in-place")
            now = self.source_files()
            torn = [name for name in self.original
                    if now.get(name) not in (self.original[name], migrated[name])]
            self.assertEqual(torn, [])
            if now != self.original:
                self.run_for(0, "migrate", "project", "--undo")
            self.assertEqual(self.source_files(), self.original)
        self.assertGreater(killed, 0)

    def test_an_undo_that_is_killed_is_completed_by_the_next(self):
        self.run_to_the_end("migrate", "project", "--in-place")
        self.run_to_the_end("migrate", "project", "--undo")
        killed = 0
        for _ in range(KILLS):
            self.run_for(0, "migrate", "project", "--in-place")
            killed += self.run_and_kill("migrate", "project", "--undo")
            if self.source_files() != self.original:
                self.run_for(0, "migrate", "project", "--undo")
            self.assertEqual(self.source_files(), self.original)
        self.assertGreater(killed, 0)

    def test_with_output_leaves_the_input_and_no_half_result(self):
        self.run_to_the_end("migrate", "project", "-o", "out0")
        whole = tree_of(self.folder / "out0" / "project_msft")
        killed = 0
        for i in range(1, KILLS + 1):
            killed += self.run_and_kill("migrate", "project", "-o", f"out{i}")
            self.assertEqual(self.source_files(), self.original)
            result = self.folder / f"out{i}" / "project_msft"
            if result.exists():
                now = tree_of(result)
                self.assertEqual(now.keys(), whole.keys())
                self.assertEqual(now["change_list.csv"], whole["change_list.csv"])
        self.assertGreater(killed, 0)


if __name__ == "__main__":
    unittest.main()
