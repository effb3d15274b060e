#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""migrate --patches: a series that `git am` applies, and that gives the result byte for byte."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import program  # noqa: E402
from program import REPORTS, ProgramTest, tree_of  # noqa: E402

FIXTURES = program.ROOT / "tests" / "fixtures"
EVERY = 1 if program.LONG else 30
PROJECT = {
    "train.py": b"import torch\n\nmodel = net.cuda()\ntorch.cuda.synchronize()\nx = torch.ones(1).cuda()",
    "crlf.py": b"import torch\r\ntorch.cuda.synchronize()\r\nx = torch.ones(1).cuda()\r\n# = \t \r\n",
    "latin.py": "# -*- coding: latin-1 -*-\nimport torch\nx = 'é'; torch.cuda.synchronize()\n".encode("latin-1"),
    "mixed.py": b"import torch\r\nx = torch.ones(1).cuda()\n\fy = x.cuda()\r\n\r\n\nz = 1 # \x0b",
    "bom.py": b"\xEF\xBB\xBFimport torch\nx = torch.ones(1).cuda()\n",
    'ein "name" \xe9\xff \t.py'.encode("latin-1"): b"import torch\ntorch.cuda.synchronize()\n",
    "folder/run.sh": b"export CUDA_VISIBLE_DEVICES=0\npython train.py --device cuda\n",
    "folder/settings.py": b'DEVICE = "cuda"\n',
    "folder/use.py": b"import torch\nfrom folder.settings import DEVICE\nx = torch.ones(2, device=DEVICE)\n"
                     b"fast = DEVICE == 'cuda'\ntorch.cuda.empty_cache()\n",
    "from.py": b"From: torch\nimport torch\nFrom = 1\ntorch.cuda.synchronize()\n---\n",
    "book.ipynb": json.dumps({"cells": [{"cell_type": "code", "metadata": {}, "outputs": [],
                                         "execution_count": None, "source": [
                                             "import torch\n", "x = torch.ones(1).cuda()\n"]}],
                              "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1).encode(),
    "data.bin": bytes(range(256)),
}


class PatchTest(ProgramTest):
    def git(self, *arguments):
        environment = os.environ | {
            "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
        result = subprocess.run(["git", *arguments], cwd=self.folder / "project", env=environment,
                                capture_output=True, timeout=100, check=False)
        self.assertEqual(result.returncode, 0, (arguments, result.stdout, result.stderr))
        return result.stdout

    def commit(self, files):
        for name, content in files.items():
            self.write(b"project/" + os.fsencode(name), content)
        self.git("init", "-q")
        self.git("config", "core.autocrlf", "false")
        self.git("add", "-A", "-f")
        self.git("commit", "-qm", "original")

    def assert_applies(self, *options, code=0, folder=""):
        """Migrates with --patches, applies them with git am, and compares with the result."""
        result = program.run("migrate", self.folder / "project" / folder, "-o", self.folder / "out",
                             "--patches", self.folder / "patches", *options)
        self.assertEqual(result.returncode, code, result.stderr)
        patches = sorted((self.folder / "patches").iterdir())
        if patches:
            self.git("am", "-q", *(["--directory=" + folder] if folder else []), *patches)
        made = self.folder / "out" / ((pathlib.Path(folder).name or "project") + "_msft")
        if not made.is_dir():  # of --distributed
            made = made.with_name(made.name + "_multi")
        # What starts a result of --distributed is made last, from the result, and is in no patch.
        left_out = (*REPORTS, "run_distributed_npu.sh")
        expected = {name: content for name, content in tree_of(made).items() if name not in left_out}
        got = {name: content for name, content in tree_of(self.folder / "project" / folder).items()
               if name != ".git" and not name.startswith(".git/")}
        self.assertEqual(got, expected)
        return patches


class Series(PatchTest):
    def test_gives_the_result_byte_for_byte(self):
        self.commit(PROJECT)
        patches = self.assert_applies(code=1)  # from.py has a part that is not Python
        self.assertGreater(len(patches), 4)
        self.assertEqual([path.name[:5] for path in patches],
                         [f"{i + 1:04}-" for i in range(len(patches))])

    def test_has_a_patch_for_each_cause_with_its_name_reason_and_places(self):
        self.commit({"train.py": PROJECT["train.py"]})
        patches = self.assert_applies()
        self.assertEqual([path.name for path in patches],
                         ["0001-torch-cuda-synchronize.patch", "0002-cuda.patch"])
        log = self.git("log", "--format=%s%n%b").decode()
        self.assertIn("torch.cuda.synchronize: 1 edits in 1 files", log)
        self.assertIn(".cuda: 2 edits in 1 files", log)
        self.assertIn("\n train.py:3 (look at it)\n", log)

    def test_can_be_applied_in_part(self):
        """Edits of one value are in one patch, and the import comes with the first that needs it."""
        self.commit({"train.py": PROJECT["train.py"]})
        self.run_for(0, "migrate", "project", "--patches", "patches")
        self.git("am", "-q", self.folder / "patches/0001-torch-cuda-synchronize.patch")
        self.assertEqual((self.folder / "project/train.py").read_bytes(),
                         PROJECT["train.py"].replace(b"import torch\n", b"import torch\nimport torch_npu\n")
                         .replace(b"torch.cuda.sy", b"torch.npu.sy"))

    def test_is_the_same_in_every_run(self):
        self.commit(PROJECT)
        self.run_for(1, "migrate", "project", "--patches", "one", "-j", "1")
        self.run_for(1, "migrate", "project", "--patches", "two", "-j", "4")
        self.assertEqual(tree_of(self.folder / "one"), tree_of(self.folder / "two"))

    def test_holds_the_marks_around_what_is_changed(self):
        self.commit({"train.py": PROJECT["train.py"]})
        self.assert_applies("--mark")

    def test_brings_the_module_of_similar_apis(self):
        similar = FIXTURES / next(path.name for path in sorted(FIXTURES.iterdir())
                                  if (path / "options.txt").is_file()
                                  and "similar" in (path / "options.txt").read_text())
        self.commit({name: content for name, content in tree_of(similar / "before").items()
                     if isinstance(content, bytes)})
        patches = self.assert_applies("--similar")
        self.assertEqual(patches[0].name, "0001-transplt_similar-py.patch")

    def test_leaves_out_what_the_project_does_not_want(self):
        self.commit(PROJECT | {"transplt.toml": b"[[edits]]\ncause = '.cuda'\nreason = 'x'\n"})
        self.assertNotIn("cuda.patch", {path.name[5:] for path in self.assert_applies(code=1)})

    def test_of_a_project_without_edits_is_empty(self):
        self.commit({"a.py": b"x = 1\n"})
        self.assertEqual(self.assert_applies(), [])

    def test_does_not_go_into_a_folder_that_holds_something(self):
        self.commit({"train.py": PROJECT["train.py"]})
        self.write("patches/0001-x.patch", b"")
        result = self.run_for(2, "migrate", "project", "--patches", "patches", "-o", "out")
        self.assertIn(b"patches: is not an empty folder", result.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_goes_with_nothing_that_changes_the_project(self):
        self.commit({"train.py": PROJECT["train.py"]})
        self.run_for(2, "migrate", "project", "--patches", "patches", "--in-place")
        self.run_for(2, "migrate", "-", "--patches", "patches")

    def test_has_the_files_whose_only_edits_follow_from_others(self):
        fixture = FIXTURES / "compilation_by_shape_is_switched_off_at_the_entry"
        shutil.copytree(fixture / "before", self.folder / "project", dirs_exist_ok=True)
        self.commit({})
        patches = self.assert_applies(*(fixture / "options.txt").read_text().split())
        self.assertIn(b"set_compile_mode", patches[-1].read_bytes())

    def test_applies_to_the_projects_of_the_fixtures(self):
        chosen = [path for path in sorted(FIXTURES.iterdir()) if (path / "before").is_dir()][::EVERY]
        for fixture in chosen:
            shutil.copytree(fixture / "before", self.folder / "project" / fixture.name, symlinks=True)
        self.commit({})
        for fixture in chosen:
            options = fixture / "options.txt"
            with self.subTest(fixture=fixture.name):
                self.assert_applies(*(options.read_text().split() if options.is_file() else []),
                                    folder=fixture.name)
            shutil.rmtree(self.folder / "patches", ignore_errors=True)


if __name__ == "__main__":
    unittest.main()
