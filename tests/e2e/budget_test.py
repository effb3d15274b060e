#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A file that is too large is skipped and reported, and a signal ends the work inside of a file."""

import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
from program import EXECUTABLE, ProgramTest, rows_of, tree_of  # noqa: E402

SMALL = b"import torch\nx.cuda()\n"
# Far more than a machine looks through within the time that a signal takes.
ENDLESS = b"import torch\nx = [" + b"torch.zeros(1).cuda(), " * 2_000_000 + b"]\n"


class Budget(ProgramTest):
    def migrate(self, *options):
        """The rows of the report by file, of a project with a large file and a small one."""
        self.run_for(1, "migrate", "project", "-o", "out", "--force", *options)
        rows = {}
        for row in rows_of((self.folder / "out/project_msft/change_list.csv").read_bytes()):
            rows.setdefault(row["File"], []).append(row)
        self.assertEqual([row["Operation Type"] for row in rows["large.py"]], ["SKIPPED"])
        self.assertTrue(any(row["Operation Type"] != "SKIPPED" for row in rows["small.py"]))
        out = self.folder / "out" / "project_msft"
        self.assertEqual((out / "large.py").read_bytes(),
                         (self.folder / "project" / "large.py").read_bytes())
        return rows["large.py"][0]["Message"]

    def write_project(self, large):
        self.write("project/large.py", large)
        self.write("project/small.py", SMALL)

    def test_a_file_with_too_many_bytes_is_skipped_and_named(self):
        self.write_project(SMALL * 100)
        message = self.migrate("--max-file-bytes", "1000")
        self.assertIn("2200 bytes, more than the limit of 1000", message)
        self.assertIn("--max-file-bytes 0", message)

    def test_a_file_with_too_many_nodes_is_skipped_and_named(self):
        self.write_project(SMALL * 100)
        message = self.migrate("--max-file-nodes", "500")
        self.assertIn("more than the limit of 500", message)
        self.assertIn("--max-file-nodes 0", message)

    def test_a_file_that_takes_too_long_is_skipped_and_named(self):
        self.write_project(ENDLESS[:8_000_000])
        message = self.migrate("--max-file-seconds", "1")
        self.assertIn("more than 1 seconds", message)
        self.assertIn("--max-file-seconds 0", message)

    def test_no_budget_is_no_limit(self):
        self.write_project(SMALL * 100)
        self.run_for(0, "migrate", "project", "-o", "out", "--max-file-bytes", "0",
                     "--max-file-nodes", "0", "--max-file-seconds", "0")

    def test_standard_input_has_the_same_budget(self):
        done = self.run_for(1, "migrate", "-", "--max-file-bytes", "10", stdin=SMALL)
        self.assertEqual(done.stdout, SMALL)
        self.assertIn(b"22 bytes, more than the limit of 10", done.stderr)

    def test_a_wrong_budget_is_refused(self):
        self.write_project(SMALL)
        for value in ("-1", "many", "1.5"):
            self.run_for(2, "migrate", "project", "-o", "out", "--max-file-bytes", value)

    def test_a_large_file_on_one_line_is_refused_before_it_takes_the_memory(self):
        self.write_project(b"import torch\n" + b"x.cuda();" * 6_000_000 + b"\n")
        message = self.migrate()
        self.assertIn("--max-file-nodes 0", message)


class Signals(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("project/large.py", ENDLESS)
        self.write("project/small.py", SMALL)
        self.before = tree_of(self.folder)

    def expect_end_by(self, number, wait, *options):
        process = subprocess.Popen(
            [EXECUTABLE, "migrate", "project", "--max-file-nodes", "0", *options], cwd=self.folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(wait)
        self.assertIsNone(process.poll(), "the file is too small for this machine")
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2)
        self.assertIn(b"interrupted; nothing was written", errors)
        self.assertEqual(tree_of(self.folder), self.before)

    def test_sigterm_ends_the_work_inside_of_a_file(self):
        self.expect_end_by(signal.SIGTERM, 0.5, "-o", "out")

    def test_sigint_ends_the_work_inside_of_a_file(self):
        self.expect_end_by(signal.SIGINT, 1.0, "--in-place")


if __name__ == "__main__":
    unittest.main()
