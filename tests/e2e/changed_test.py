#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""transplt migrate --changed: only what differs from a commit of git."""

import pathlib
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from program import ProgramTest  # noqa: E402

CUDA = "import torch\nx = torch.zeros(1).cuda()\n"


class Changed(ProgramTest):
    def setUp(self):
        super().setUp()
        for name in ("old.py", "sub/old.py", "sub/edited.py"):
            self.write(f"project/{name}", CUDA)
        self.git("init", "-q", "-b", "main")
        self.commit()

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                       cwd=self.folder / "project", check=True, capture_output=True)

    def commit(self):
        self.git("add", ".")
        self.git("commit", "-q", "-m", "x")

    def changed(self, *arguments, code=0, path="project"):
        """The files in the patch."""
        shown = self.run_for(code, "migrate", path, *arguments)
        # A name with blanks has a tab behind it.
        return [line[6:].rstrip("\t") for line in shown.stdout.decode().splitlines() if line.startswith("+++ b/")]

    def test_migrates_what_is_edited_or_new(self):
        self.write("project/sub/edited.py", CUDA + "y = 1\n")
        self.write("project/sub/new [1] *.py", CUDA)
        self.write("project/sub/new 1 x.py", "y = 1\n")
        self.assertEqual(self.changed("--changed"), ["sub/edited.py", "sub/new [1] *.py"])

    def test_compares_with_the_commit_that_is_given(self):
        self.git("checkout", "-q", "-b", "work")
        self.write("project/added.py", CUDA)
        self.commit()
        self.assertEqual(self.changed("--changed=main"), ["added.py"])
        self.assertEqual(self.changed("--changed"), [])

    def test_looks_at_a_folder_below_the_repository(self):
        self.write("project/sub/edited.py", CUDA + "y = 1\n")
        self.write("project/other.py", CUDA)
        self.assertEqual(self.changed("--changed", path="project/sub"), ["edited.py"])

    def test_says_with_check_whether_something_would_change(self):
        self.run_for(0, "migrate", "project", "--check", "--changed")
        self.write("project/fine.py", "y = 1\n")
        self.run_for(0, "migrate", "project", "--check", "--changed")
        self.write("project/new.py", CUDA)
        self.run_for(1, "migrate", "project", "--check", "--changed")

    def test_is_not_stopped_by_a_file_that_was_deleted(self):
        (self.folder / "project" / "old.py").unlink()
        shown = self.run_for(0, "migrate", "project", "--changed")
        self.assertIn(b"no file differs from HEAD", shown.stderr)

    def test_refuses_what_git_does_not_know(self):
        self.assertIn(b"no commit", self.run_for(2, "migrate", "project", "--changed=none").stderr)
        pathlib.Path(self.folder / "plain").mkdir()
        self.assertIn(b"no git repository", self.run_for(2, "migrate", "plain", "--changed").stderr)
        self.assertIn(b"--include", self.run_for(2, "migrate", "project", "--changed", "--include", "a").stderr)


if __name__ == "__main__":
    unittest.main()
