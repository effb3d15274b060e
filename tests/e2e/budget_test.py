#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A file that is too large is skipped and reported, and a signal ends the work inside of a file."""

import os
import pty
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

    def test_sigterm_ends_the_copying_of_a_large_file(self):
        data = self.folder / "project/weights.bin"
        data.write_bytes(b"")
        os.truncate(data, 1 << 34)  # it takes no room here, but its copy does
        self.write("project/large.py", SMALL)
        process = subprocess.Popen([EXECUTABLE, "migrate", "project", "-o", "out"],
                                   cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        time.sleep(0.3)
        if process.poll() is not None:
            self.skipTest("this file system copies at once")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=20), 2)
        self.assertFalse((self.folder / "out").exists())


class SignalAfterTheFiles(ProgramTest):
    """Programs that all import each other take long once each file is done, on a terminal that
    shows when this is."""

    FILES = 1000
    MODULE = """import torch
from pkg import m{other}
from pkg.m{next} import Model{next}

class Model{i}(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layer = torch.nn.Linear(n, n).cuda()
        self.other = Model{next}

    def run(self, data):
        for x in data:
            self.layer(x.cuda()).sum().backward()

if __name__ == "__main__":
    model = Model{i}(1)
    model.run([])
    torch.optim.SGD(model.parameters(), lr=0.1).step()
"""

    def expect_end(self, *options):
        for i in range(self.FILES):
            text = self.MODULE.format(i=i, next=(i * 7 + 3) % self.FILES,
                                      other=(i + 1) % self.FILES)
            self.write(f"project/pkg/m{i}.py", text.encode())
        before = tree_of(self.folder)
        terminal, stderr = pty.openpty()
        process = subprocess.Popen([EXECUTABLE, "migrate", "project", "-j", "1", *options],
                                   cwd=self.folder, stdout=subprocess.DEVNULL, stderr=stderr)
        self.addCleanup(process.kill)
        os.close(stderr)
        shown = b""
        while b"100%" not in shown:
            shown += os.read(terminal, 4096)
        time.sleep(0.5)
        self.assertIsNone(process.poll(), "there are too few files for this machine")
        process.send_signal(signal.SIGTERM)
        start = time.monotonic()
        shown = b""
        try:
            while more := os.read(terminal, 4096):
                shown += more
        except OSError:  # the other end is closed
            pass
        self.assertEqual(process.wait(), 2)
        self.assertLess(time.monotonic() - start, 4, "the rest of the run takes longer")
        self.assertIn(b"interrupted; nothing was written", shown)
        os.close(terminal)
        self.assertEqual(tree_of(self.folder), before)

    def test_sigterm_ends_what_is_done_for_an_output(self):
        self.expect_end("-o", "out")

    def test_sigterm_ends_what_is_done_in_place(self):
        self.expect_end("--in-place")


if __name__ == "__main__":
    unittest.main()
