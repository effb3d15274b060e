#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""All of Debian's python3-torch, as a large body of code that speaks of cuda in every way."""

import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import program  # noqa: E402
from program import compiles, rows_of  # noqa: E402

TORCH = pathlib.Path("/usr/lib/python3/dist-packages/torch")
HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")


def python_files(folder):
    """Name -> bytes of the Python files below `folder`."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*.py")) if path.is_file()}


def changed_lines(diff):
    """File -> the lines of the original that a patch removes or puts lines in front of."""
    changed, name, line = {}, None, 0
    for text in diff.split(b"\n"):
        if text.startswith(b"diff --git "):
            name = None
        elif name is None and text.startswith(b"+++ b/"):
            name = text[6:].rstrip(b"\t").decode("utf-8")
            changed[name] = set()
        elif match := HUNK.match(text):
            line = int(match[1])
            after_removed = False
        elif name is not None and text.startswith(b"-") and not text.startswith(b"--- a/"):
            changed[name].add(line)
            line += 1
            after_removed = True
        elif name is not None and text.startswith(b"+"):
            # Lines after removed ones replace them.
            if not after_removed:
                changed[name].add(line)
        elif name is not None and text.startswith(b" "):
            line += 1
            after_removed = False
    return changed


def lines_in_result(before, after):
    """Where each line of `before` stands in `after`, both from 1."""
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    lines = {0: 0}
    for _, first, last, start, _ in matcher.get_opcodes():
        lines.update({line + 1: start + line - first + 1 for line in range(first, last)})
    return lines


@unittest.skipUnless(TORCH.is_dir(), "python3-torch is not installed")
class TorchSources(unittest.TestCase):
    """One run for all tests: it is the input that is large."""

    @classmethod
    def setUpClass(cls):
        program.require_executable()
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="transplt-torch-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.before = python_files(TORCH)
        for name, content in cls.before.items():
            path = cls.folder / "torch" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        cls.migration = program.run("migrate", cls.folder / "torch", "-o", cls.folder / "out",
                              "--framework", "pytorch", "--diff", timeout=300)
        cls.result = cls.folder / "out" / "torch_msft"
        cls.after = python_files(cls.result) if cls.result.is_dir() else {}
        cls.rows = (rows_of((cls.result / "change_list.csv").read_bytes())
                    if cls.result.is_dir() else [])

    def test_are_there(self):
        self.assertGreater(len(self.before), 1000)

    def test_do_not_end_the_run(self):
        self.assertIn(self.migration.returncode, (0, 1), self.migration.stderr[-2000:])
        self.assertEqual(sorted(self.after), sorted(self.before))
        self.assertFalse([row for row in self.rows if row["Operation Type"] == "FAILED"])

    def test_leave_a_first_screen_of_25_lines(self):
        lines = self.migration.stderr.decode("utf-8").splitlines()
        self.assertLessEqual(len(lines), 25)
        self.assertRegex(lines[0], r": pytorch; assumed: torch ")
        self.assertEqual(lines[-1], "As far as the source shows: nothing was run on an NPU.")
        # Only what has a path whole in it may be wider.
        wide = [line for line in lines[2:] if len(line) > 160]
        self.assertEqual([line for line in wide if not line.startswith("  transplt ")], [])

    def test_have_every_place_in_next_md(self):
        """Each place that the change list says is in need of a person, at its line of the result."""
        steps = (self.result / "NEXT.md").read_text("utf-8")
        places = set()
        for block in re.findall(r"(?m)^- \[ \] \d+\. .*\n  `(.*)`$", steps):
            for part in block.split(" "):
                name, _, lines = part.partition(":")
                places |= {(name, line) for line in lines.split(",")}
        moved = {}
        asked = set()
        for row in self.rows:
            if row["Severity"] not in ("stops-import", "stops-run", "may-go-wrong", "slower"):
                continue
            name = row["File"]
            if name not in moved:
                moved[name] = lines_in_result(self.before[name], self.after[name])
            asked.add((name, str(moved[name][int(row["Start Line"])])))
        self.assertGreater(len(asked), 50)
        self.assertEqual(asked - places, set())

    def test_compile_if_they_did_before(self):
        changed = [name for name in self.after if self.after[name] != self.before[name]]
        self.assertGreater(len(changed), 100)
        broken = [name for name in changed
                  if not compiles(self.after[name]) and compiles(self.before[name])]
        self.assertEqual(broken, [])

    def test_differ_only_where_the_change_list_says_so(self):
        told = {}
        for row in self.rows:
            if row["Applicability"] != "display-only":
                lines = range(int(row["Start Line"]), int(row["End Line"]) + 1)
                told.setdefault(row["File"], set()).update(lines)
        changed = changed_lines(self.migration.stdout)
        self.assertEqual(sorted(changed), sorted(told))
        untold = {name: sorted(lines - told[name]) for name, lines in changed.items()
                  if lines - told[name]}
        self.assertEqual(untold, {})

    def test_are_what_the_patch_makes_of_the_original(self):
        patched = self.folder / "patched"
        shutil.copytree(self.folder / "torch", patched)
        subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], input=self.migration.stdout,
                       cwd=patched, check=True, timeout=120,
                       env={**os.environ, "GIT_CEILING_DIRECTORIES": str(self.folder)})
        self.assertTrue(python_files(patched) == self.after)

    def test_change_nothing_the_second_time(self):
        again = program.run("migrate", self.result, "--framework", "pytorch", timeout=300)
        self.assertIn(again.returncode, (0, 1))
        self.assertEqual(again.stdout.decode("utf-8", "replace")[:2000], "")

    def test_are_found_the_same_without_the_filter(self):
        out = self.folder / "unfiltered"
        all_parsed = program.run("migrate", self.folder / "torch", "-o", out, "--framework", "pytorch",
                                 "--no-prefilter", "--copy", "changed", timeout=300)
        self.assertEqual(all_parsed.returncode, self.migration.returncode)
        self.assertEqual((out / "torch_msft" / "change_list.csv").read_bytes(),
                         (self.result / "change_list.csv").read_bytes())

    def test_are_quoted_truly_in_the_change_list(self):
        self.assertLessEqual({row["File"] for row in self.rows}, set(self.before))
        for row in self.rows:
            if row["Start Line"] and row["Before"] and "\n" not in row["Before"]:
                lines = self.before[row["File"]].decode("utf-8").splitlines()
                text = lines[int(row["Start Line"]) - 1][int(row["Column"]) - 1:]
                self.assertEqual(text[:len(row["Before"])], row["Before"], row)


if __name__ == "__main__":
    unittest.main()
