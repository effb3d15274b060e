#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""rules/tools/removed_names.py: what it finds between the releases of a library."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

OLD = {
    "lib/__init__.py": "from .shapes import *\nfrom .tools import helper, moved\nimport os\n",
    "lib/shapes.py": "import math\n\n__all__ = ['circle', 'square']\n\n\n"
                     "def circle(radius, filled=False):\n    pass\n\n\n"
                     "def square(side):\n    pass\n\n\ndef inner():\n    pass\n",
    "lib/tools.py": "def helper(x):\n    pass\n\n\ndef moved(x, y=1):\n    pass\n",
    "lib/lazy.py": "def kept():\n    pass\n",
    "lib/extra/__init__.py": "",
    "lib/extra/old.py": "class Thing:\n    pass\n",
    "lib/tests/old.py": "def test():\n    pass\n",
}
NEW = {
    "lib/__init__.py": "from .shapes import *\nfrom .names import moved\nimport os\n",
    "lib/shapes.py": "__all__ = ['circle']\n\n\ndef circle(radius):\n    pass\n\n\n"
                     "def inner():\n    pass\n",
    "lib/tools.py": "from .names import moved\n",
    "lib/names.py": "def moved(x, y=1):\n    pass\n",
    "lib/lazy.py": "def __getattr__(name):\n    pass\n",
}


class RemovedNames(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.repository = self.folder / "repositories/acme/lib"
        self.repository.mkdir(parents=True)
        self.tools = self.folder / "rules/tools"
        shutil.copytree(ROOT / "rules/tools", self.tools)
        self.describe({})
        self.table = self.folder / "rules/removed_names.csv"
        self.table.write_text("name,library,since,instead\nother.x,other,1.0,\n", encoding="utf-8")

    def describe(self, more):
        row = {"repository": "acme/lib", "package": "lib", "folders": ["lib"], **more}
        (self.tools / "removed_names.json").write_text(json.dumps({"lib": row}), encoding="utf-8")

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                       cwd=self.repository, check=True, capture_output=True)

    def release(self, tag, files):
        if not (self.repository / ".git").exists():
            self.git("init", "-q")
        shutil.rmtree(self.repository / "lib", ignore_errors=True)
        for path, text in files.items():
            (self.repository / path).parent.mkdir(parents=True, exist_ok=True)
            (self.repository / path).write_text(text, encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", tag)
        self.git("tag", tag)

    def run_tool(self, *arguments):
        return subprocess.run([sys.executable, self.tools / "removed_names.py", *arguments],
                              capture_output=True, text=True, check=False)

    def rows(self):
        result = self.run_tool(self.folder / "repositories")
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.table.read_text(encoding="utf-8").splitlines()[1:]

    def test_are_those_that_the_newest_release_has_no_longer(self):
        self.release("v1.0.0", OLD)
        self.release("v1.1.0", NEW)
        self.assertEqual(self.rows(), [
            "lib.circle(filled),lib,1.1,",
            "lib.extra,lib,1.1,",
            "lib.helper,lib,1.1,",
            "lib.shapes.circle(filled),lib,1.1,",
            "lib.shapes.square,lib,1.1,",
            "lib.square,lib,1.1,",
            "lib.tools.helper,lib,1.1,",
            "other.x,other,1.0,"])

    def test_are_not_those_that_came_back(self):
        self.release("v1.0.0", OLD)
        self.release("v1.1.0", NEW)
        self.release("v1.2.0", {**NEW, **OLD})
        self.assertEqual(self.rows(), ["other.x,other,1.0,"])

    def test_say_where_the_newest_release_has_them(self):
        self.release("v1.0.0", {"lib/__init__.py": "", "lib/a.py": "class Thing:\n    pass\n"})
        self.release("v1.1.0", {"lib/__init__.py": "from .b import Thing\n", "lib/a.py": "",
                                "lib/b.py": "class Thing:\n    pass\n"})
        self.assertEqual(self.rows()[0], "lib.a.Thing,lib,1.1,lib.Thing")

    def test_are_left_to_the_rules_that_report_them(self):
        self.release("v1.0.0", OLD)
        self.release("v1.1.0", NEW)
        rule = {"name": "lib.extra", "removed": True}
        (self.folder / "rules/a.json").write_text(
            json.dumps({"rules": {"ApiReportRule": [rule]}}), encoding="utf-8")
        self.assertNotIn("lib.extra,lib,1.1,", self.rows())

    def test_need_two_releases(self):
        self.release("v1.0.0", OLD)
        result = self.run_tool(self.folder / "repositories")
        self.assertEqual(result.returncode, 1)
        self.assertIn("clone it with its tags", result.stderr)

    def test_need_a_clone(self):
        result = self.run_tool(self.folder)
        self.assertIn("no clone of acme/lib", result.stderr)
        self.assertIn("has no nothing", self.run_tool(self.folder, "nothing").stderr)


if __name__ == "__main__":
    unittest.main()
