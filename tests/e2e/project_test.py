#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Whole projects: what is migrated, what is copied, what stays, patches, in place and back."""

import csv
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import textwrap
import unittest

sys.dont_write_bytecode = True
import program  # noqa: E402
from program import ProgramTest, rows_of, tree_of  # noqa: E402

TRAIN = b'import torch\nx = torch.zeros(1, device="cuda")\nprint("no cuda")\n'
AFTER = b'import torch\nimport torch_npu\nx = torch.zeros(1, device="npu")\nprint("no cuda")\n'

# Every file with something that a patch can get wrong.
DIFFICULT = {
    "unix.py": TRAIN,
    "windows.py": TRAIN.replace(b"\n", b"\r\n"),
    "mac.py": TRAIN.replace(b"\n", b"\r"),
    "mixed.py": b'import torch\r\nx = torch.zeros(1).cuda()\ny = "cuda stays"\r\n',
    "no_end.py": TRAIN.rstrip(b"\n"),
    "no_end_windows.py": TRAIN.replace(b"\n", b"\r\n").rstrip(b"\r\n"),
    "bom.py": b"\xef\xbb\xbf" + TRAIN,
    "gbk.py": ("# coding: gbk\n" + TRAIN.decode() + "print('显卡cuda')\n").encode("gbk"),
    "latin1.py": TRAIN + "# carte cuda à côté\n".encode("latin-1"),
    "form_feed.py": b"import torch\n\x0c\nx = torch.zeros(1).cuda()\x0b\n",
    "nul_comment.py": TRAIN + b"# \x1a end\n",
    "tabs.py": b"import torch\nif 1:\n\tx = torch.zeros(1).cuda()\n",
    "中文目录/训练.py": TRAIN,
    "with space/a b.py": TRAIN,
    "+()@=,;&'$#.py": TRAIN,
    'quote"and\\backslash.py': TRAIN,
    "tab\tand\nnewline.py": TRAIN,
    "--force.py": TRAIN,
    "-": b"not a program",
    "*[a].py": TRAIN,
    "caf\udce9.py": TRAIN,  # a name in latin-1, not valid UTF-8
    "%41.py": TRAIN,
    "a" * 240 + ".py": TRAIN,
    "~user.py": TRAIN,
    ".hidden.py": TRAIN,
    "data/weights.bin": bytes(range(256)) * 50,
    "README.md": b"needs cuda\n",
}


def migrated(content):
    """What becomes of the contents above."""
    for old, new in ((b'device="cuda"', b'device="npu"'), (b".cuda()", b".npu()")):
        content = content.replace(old, new)
    for end in (b"\r\n", b"\n", b"\r"):
        if b"import torch" + end in content:
            return content.replace(b"import torch" + end,
                                   b"import torch" + end + b"import torch_npu" + end, 1)
    raise AssertionError("a program without import")


class DifficultProject(ProgramTest):
    def setUp(self):
        super().setUp()
        for name, content in DIFFICULT.items():
            self.write(os.path.join("project", name), content)
        self.original = self.files("project")

    def files(self, folder):
        tree = tree_of(self.folder / folder)
        return {name: data for name, data in tree.items()
                if isinstance(data, bytes) and name not in program.REPORTS}

    def test_is_migrated_to_the_byte(self):
        self.run_for(0, "migrate", "project", "-o", "out")
        result = self.files("out/project_msft")
        self.assertEqual(sorted(result), sorted(self.original))
        for name, content in self.original.items():
            with self.subTest(name=name):
                expected = migrated(content) if name.endswith(".py") else content
                self.assertEqual(result[name], expected)

    def test_has_rows_for_every_name(self):
        self.run_for(0, "migrate", "project", "-o", "out")
        csv = (self.folder / "out/project_msft/change_list.csv").read_bytes()
        programs = [name for name in DIFFICULT if name.endswith(".py")]
        self.assertGreaterEqual(len({row["File"] for row in rows_of(csv)}), len(programs))
        self.assertIn("中文目录/训练.py".encode(), csv)

    def test_gives_a_patch_that_git_applies_to_the_same_bytes(self):
        self.run_for(0, "migrate", "project", "-o", "out")
        diff = self.run_for(0, "migrate", "project").stdout
        with_output = self.run_for(0, "migrate", "project", "-o", "out", "--force", "--diff")
        self.assertEqual(with_output.stdout, diff)
        shutil.copytree(os.fsencode(self.folder / "project"), os.fsencode(self.folder / "patched"))
        git = subprocess.run(["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn",
                              "-"], input=diff, cwd=self.folder / "patched", capture_output=True,
                             env={**os.environ, "GIT_CEILING_DIRECTORIES": str(self.folder)},
                             check=False)
        self.assertEqual(git.returncode, 0, git.stderr.decode("utf-8", "replace"))
        self.assertEqual(self.files("patched"), self.files("out/project_msft"))

    def test_changes_nothing_when_migrated_again(self):
        self.run_for(0, "migrate", "project", "-o", "out")
        again = self.run_for(0, "migrate", "out/project_msft")
        self.assertEqual(again.stdout, b"")
        self.run_for(0, "migrate", "out/project_msft", "--check")

    def test_is_changed_in_place_and_put_back(self):
        modes = {name: os.stat(os.path.join(self.folder, "project", name)).st_mode
                 for name in self.original}
        self.run_for(0, "migrate", "project", "-o", "out")
        self.run_for(0, "migrate", "project", "--in-place")
        journal = self.folder / "project/.transplt-undo"
        self.assertTrue(journal.is_dir())
        changed = {name: data for name, data in self.files("project").items()
                   if not name.startswith(".transplt-undo")}
        self.assertEqual(changed, self.files("out/project_msft"))
        self.run_for(0, "migrate", "project", "--undo")
        self.assertEqual(self.files("project"), self.original)
        for name, mode in modes.items():
            self.assertEqual(os.stat(os.path.join(self.folder, "project", name)).st_mode, mode)


class InPlace(ProgramTest):
    def setUp(self):
        super().setUp()
        self.train = self.write("project/train.py", TRAIN)
        self.other = self.write("project/other.py", TRAIN)

    def test_undo_leaves_alone_what_was_changed_since(self):
        self.run_for(0, "migrate", "project", "--in-place")
        self.train.write_bytes(AFTER + b"# by hand\n")
        result = self.run_for(1, "migrate", "project", "--undo")
        self.assertIn(b"train.py", result.stderr)
        self.assertEqual(self.train.read_bytes(), AFTER + b"# by hand\n")
        self.assertEqual(self.other.read_bytes(), TRAIN)

    def test_twice_is_undone_twice(self):
        self.run_for(0, "migrate", "project", "--in-place")
        self.write("project/new.py", TRAIN)
        self.run_for(0, "migrate", "project", "--in-place")
        self.run_for(0, "migrate", "project", "--undo")
        self.assertEqual((self.folder / "project/new.py").read_bytes(), TRAIN)
        self.assertEqual(self.train.read_bytes(), AFTER)
        self.run_for(0, "migrate", "project", "--undo")
        self.assertEqual(self.train.read_bytes(), TRAIN)
        self.run_for(2, "migrate", "project", "--undo")

    def test_does_not_take_its_journal_for_a_part_of_the_project(self):
        self.run_for(0, "migrate", "project", "--in-place")
        self.run_for(0, "migrate", "project", "--check")
        self.run_for(0, "migrate", "project", "-o", "out")
        self.assertFalse((self.folder / "out/project_msft/.transplt-undo").exists())

    def test_keeps_modes_and_writes_nothing_where_nothing_changes(self):
        os.chmod(self.train, 0o751)
        self.run_for(0, "migrate", "project", "--in-place")
        self.assertEqual(stat.S_IMODE(self.train.stat().st_mode), 0o751)
        self.write("plain/x.py", b"x = 1\n")
        before = tree_of(self.folder)
        self.run_for(0, "migrate", "plain", "--in-place")
        self.assert_nothing_written(before)


class WhatBelongsToAProject(ProgramTest):
    def setUp(self):
        super().setUp()
        for name in ("train.py", "ignored.py", "build/gen.py", "venv/lib/a.py", "env/lib/a.py",
                     "conda/lib/a.py", "cmake-out/a.py", "sub/secret.py", "sub/keep.py",
                     ".git-like/a.py"):
            self.write(f"project/{name}", TRAIN)
        self.write("project/.gitignore", "ignored.py\n/build/\n*.log\n")
        self.write("project/sub/.gitignore", "*.py\n!keep.py\n")
        self.write("project/env/pyvenv.cfg", "home = /usr/bin\n")
        self.write("project/conda/conda-meta/history", "")
        self.write("project/cmake-out/CMakeCache.txt", "")
        self.write("project/run.log", "cuda")
        self.write("project/data/x.txt", "cuda")
        (self.folder / "project/empty/inner").mkdir(parents=True)
        self.git("init", "-q")

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                       cwd=self.folder / "project", check=True, capture_output=True)

    def result(self, *arguments):
        self.run_for(0, "migrate", "project", "-o", "out", *arguments)
        return {name: data for name, data in tree_of(self.folder / "out/project_msft").items()
                if name not in program.REPORTS}

    def test_is_not_what_is_ignored_nor_environments(self):
        tree = self.result()
        self.assertEqual(sorted(name for name, data in tree.items() if data == AFTER),
                         [".git-like/a.py", "sub/keep.py", "train.py", "venv/lib/a.py"])
        self.assertEqual(tree["data/x.txt"], b"cuda")
        self.assertIn("empty/inner", tree)
        for gone in ("ignored.py", "build", "env", "conda", "cmake-out", "sub/secret.py", "run.log"):
            self.assertNotIn(gone, tree)

    def test_has_its_sources_where_there_is_no_index_of_git(self):
        """Archives of repositories hold files that are tracked although a rule names them."""
        shutil.rmtree(self.folder / "project/.git")
        self.write("project/.gitignore", "**dist**\n*.sh\n/build/\n/local/\n/node_modules/\n*.log\n"
                   "/third_party/*\n")
        self.write("project/train.py", "import torch\nfrom ops.dist_sum import a\n")
        for name in ("ops/__init__.py", "local/__init__.py", "local/deep/__init__.py"):
            self.write(f"project/{name}", "")
        for name in ("ops/dist_sum.py", "local/a.py", "local/deep/b.py", "ops/dist/c.py",
                     "local/runs/x/d.py", "third_party/points/setup.py", "third_party/points/e.py",
                     "third_party/other/f.py",
                     "dist/a.py", "node_modules/gyp/__init__.py", "env/__init__.py"):
            self.write(f"project/{name}", TRAIN)
        self.write("project/start_dist.sh", "python train.py\n")
        self.write("project/local/big.bin", "cuda")
        self.write("project/third_party/tools/run.py", TRAIN + b"if __name__ == '__main__':\n    f()\n")
        self.write("project/third_party/tools/conf/run.yaml", "device: cuda\n")
        result = self.run_for(0, "migrate", "project", "-o", "out")
        tree = tree_of(self.folder / "out/project_msft")
        for name in ("ops/dist_sum.py", "ops/dist/c.py", "local/a.py", "local/deep/b.py",
                     "third_party/points/e.py"):
            self.assertEqual(tree[name], AFTER)
        self.assertIn("start_dist.sh", tree)
        self.assertEqual(tree["third_party/tools/conf/run.yaml"], b"device: npu\n")
        self.assertNotIn("third_party/other/f.py", tree)
        for gone in ("dist", "build", "node_modules", "env", "local/runs", "local/big.bin",
                     "run.log"):
            self.assertNotIn(gone, tree)
        text = result.stderr.decode()
        self.assertNotIn("missing-module", tree["change_list.csv"].decode())
        self.assertIn("source code, settings and data that .gitignore names and the program may need are taken along: "
                      "local/__init__.py", text)
        self.assertIn("are left out: build/, dist/, local/runs/, node_modules/, third_party/other/, ...", text)
        self.git("init", "-q")
        result = self.run_for(0, "migrate", "project", "-o", "out", "--force")
        self.assertNotIn("no git repository", result.stderr.decode())
        self.assertNotIn("ops/dist_sum.py", tree_of(self.folder / "out/project_msft"))

    def test_has_the_ignored_folders_that_any_source_imports_where_there_is_no_index_of_git(self):
        shutil.rmtree(self.folder / "project/.git")
        self.write("project/.gitignore", "datasets/\ntest*\ncaches/\n")
        self.write("project/lib/trainers/base.py",
                   "from lib.datasets.utils.loader import load\nfrom nerf.datasets import blender\n")
        for name in ("lib/datasets/utils/loader.py", "nerf/datasets/blender.py", "lib/caches/old.py"):
            self.write(f"project/{name}", TRAIN)
        self.write("project/sat/configs/run.yaml", "input: configs/test.txt\n")
        self.write("project/sat/configs/test.txt", "a cat\n")
        self.write("project/sat/configs/test_other.txt", "a dog\n")
        result = self.run_for(0, "migrate", "project", "-o", "out")
        tree = tree_of(self.folder / "out/project_msft")
        for name in ("lib/datasets/utils/loader.py", "nerf/datasets/blender.py"):
            self.assertEqual(tree.get(name), AFTER, result.stderr.decode())
        self.assertIn("sat/configs/test.txt", tree)
        for gone in ("lib/caches", "sat/configs/test_other.txt"):
            self.assertNotIn(gone, tree)

    def test_is_what_git_tracks_even_if_ignored(self):
        self.git("init", "-q")
        self.git("add", "-f", "ignored.py", "build/gen.py", "env/lib/a.py")
        tree = self.result()
        for name in ("ignored.py", "build/gen.py", "env/lib/a.py"):
            self.assertEqual(tree.get(name), AFTER, name)
        self.assertFalse(any(name.startswith(".git/") for name in tree))
        self.assertNotIn("sub/secret.py", tree)

    def test_finds_modules_in_an_ignored_folder_of_which_files_are_tracked(self):
        self.write("project/build/nets/parts.py", "from . import shapes\n")
        self.write("project/build/nets/shapes.py", "SIZE = 3\n")
        self.git("init", "-q")
        self.git("add", "-f", "build/nets")
        self.run_for(0, "migrate", "project", "-o", "out")
        rows = (self.folder / "out/project_msft/change_list.csv").read_text("utf-8")
        self.assertNotIn("missing-module", rows)

    def test_is_not_judged_by_the_settings_of_the_user(self):
        home = self.folder / "home"
        self.write("home/.gitconfig", f"[core]\nexcludesfile = {home}/ignore\n")
        self.write("home/ignore", "train.py\n")
        self.git("init", "-q")
        self.run_for(0, "migrate", "project", "-o", "out", env={"HOME": str(home)})
        self.assertEqual((self.folder / "out/project_msft/train.py").read_bytes(), AFTER)

    def test_is_counted_and_told_where_it_was_left_out(self):
        self.run_for(0, "migrate", "project", "-o", "out")
        log = (self.folder / "out/project_msft/msFmkTranspltlog.txt").read_text("utf-8")
        for folder in ("env/", "conda/", "cmake-out/", "build/"):
            self.assertIn(folder, log)

    def test_copy_all_copies_everything_and_migrates_the_same(self):
        self.git("init", "-q")
        tree = self.result("--copy", "all")
        original = tree_of(self.folder / "project")
        self.assertEqual(sorted(tree), sorted(original))
        changed = sorted(name for name in tree if tree[name] != original[name])
        self.assertEqual(changed, [".git-like/a.py", "sub/keep.py", "train.py", "venv/lib/a.py"])

    def test_copy_changed_copies_only_what_changed(self):
        tree = self.result("--copy", "changed")
        self.assertEqual(sorted(name for name, data in tree.items() if data is not None),
                         [".git-like/a.py", "sub/keep.py", "train.py", "venv/lib/a.py"])
        self.assertNotIn("empty", tree)

    def test_include_and_exclude_choose_what_is_migrated_not_what_is_copied(self):
        tree = self.result("--include", "sub/", "--include", "train.py", "--exclude", "keep.py")
        self.assertEqual([name for name, data in tree.items() if data == AFTER], ["train.py"])
        self.assertEqual(tree["sub/keep.py"], TRAIN)
        self.assertEqual(tree["venv/lib/a.py"], TRAIN)

    def test_keeps_modes_and_links(self):
        modes = {"train.py": 0o755, "data/x.txt": 0o640, "venv/lib/a.py": 0o444, "data": 0o750}
        for name, mode in modes.items():
            os.chmod(self.folder / "project" / name, mode)
        os.symlink("train.py", self.folder / "project/main.py")
        os.symlink("../data", self.folder / "project/sub/data")
        os.symlink(self.folder / "project/data/x.txt", self.folder / "project/absolute.txt")
        self.run_for(0, "migrate", "project", "-o", "out")
        result = self.folder / "out/project_msft"
        for name, mode in modes.items():
            self.assertEqual(oct(stat.S_IMODE((result / name).stat().st_mode)), oct(mode), name)
        self.assertEqual(os.readlink(result / "main.py"), "train.py")
        self.assertEqual((result / "sub/data/x.txt").read_bytes(), b"cuda")
        self.assertEqual((result / "main.py").read_bytes(), AFTER)
        self.assertEqual((result / "absolute.txt").resolve(), (result / "data/x.txt").resolve())

    def test_notes_a_link_that_leads_nowhere_unless_something_names_it(self):
        links = ("steps", "sub/weights", "sub/base.yaml")
        for link in links:
            os.symlink("../missing", self.folder / "project" / link)
        with open(self.folder / "project/steps_of.py", "w") as file:
            file.write("steps = {'steps': 1}\nprint(open('sub/weights'))\n")
        with open(self.folder / "project/sub/run.yml", "w") as file:
            file.write("steps: 10\nextends: ./base.yaml/part\n")
        self.run_for(1, "migrate", "project", "-o", "out")
        with open(self.folder / "out/project_msft/change_list.csv", newline="") as file:
            rows = {row["File"]: row["Severity"] for row in csv.DictReader(file)
                    if row["Operation Type"] == "SKIPPED"}
        self.assertEqual(rows, {"steps": "note", "sub/weights": "may-go-wrong",
                                "sub/base.yaml": "may-go-wrong"})

    def test_never_changes_the_input(self):
        before = tree_of(self.folder / "project")
        times = {path: os.lstat(path).st_mtime_ns for path in (self.folder / "project").rglob("*")}
        self.run_for(0, "migrate", "project", "-o", "out")
        self.run_for(0, "migrate", "project")
        self.assertEqual(tree_of(self.folder / "project"), before)
        for path, time in times.items():
            self.assertEqual(os.lstat(path).st_mtime_ns, time, path)

    def test_that_cannot_be_walked_safely_ends(self):
        os.symlink(".", self.folder / "project/loop")
        os.symlink("up/up", self.folder / "project/up")
        result = program.run("migrate", "project", "-o", "out", cwd=self.folder, timeout=30)
        self.assertIn(result.returncode, (0, 1))
        self.assertIn(b"up", result.stderr)


class Programs(ProgramTest):
    """What the first screen says about each program."""

    def said(self):
        lines = self.run_for(0, "migrate", "project").stderr.decode().splitlines()
        start = lines.index("Programs")
        programs = [line.strip() for line in lines[start + 1:] if line.startswith("  ")]
        return dict(line.split(": ", 1) for line in programs if re.match(r"\S+\.py[ :]", line))

    def write_served_project(self):
        for name in ("cache", "kind"):
            self.write(f"project/{name}.py", "import torch\n\n\ndef clear(device):\n"
                       "    if device.startswith('npu'):\n        torch.npu.empty_cache()\n"
                       "    elif device.startswith('cuda'):\n        torch.cuda.empty_cache()\n")

    def test_are_told_to_have_lines_for_cuda_alone_in_a_project_that_serves_npus(self):
        self.write_served_project()
        self.write("project/infer.py", "import torch\nimport cache\nimport kind\n\n"
                   "if __name__ == '__main__':\n    print(torch.nn.Linear(2, 2)(torch.ones(2, 2)))\n")
        self.write("project/show.py", "import torch\nimport cache\nimport kind\n\n"
                   "if __name__ == '__main__':\n    print(torch.ones(2, device='cuda'))\n")
        said = self.said()
        self.assertEqual(said["show.py"], "will not run before this is done: item 1")
        self.write("project/show.py", "import sys\nimport torch\nimport cache\nimport kind\n\n"
                   "if __name__ == '__main__':\n    if len(sys.argv) > 1:\n"
                   "        torch.cuda.manual_seed_all(1)\n")
        said = self.said()
        self.assertEqual(said["show.py"], "nothing was found that stops it; has lines for CUDA "
                                          "alone: item 1")
        self.assertEqual(said["infer.py"], "nothing was found that stops it")

    def test_stop_at_packages_for_cuda_also_in_a_project_that_serves_npus(self):
        self.write_served_project()
        self.write("project/train.py", "import torch\nimport cache\nimport kind\n"
                   "from flash_attn import flash_attn_func\n\n"
                   "model = torch.nn.Linear(2, 2)\n" + self.TRAIN)
        self.assertEqual(self.said(), {"train.py": "will not run before this is done: item 1"})

    def test_are_told_what_to_install_beside_code_that_serves_npus(self):
        self.write_served_project()
        self.write("project/train.py", "import torch\nimport cache\nimport kind\n\n"
                   "model = torch.nn.Linear(2, 2)\n" + self.TRAIN)
        for name in ("cache2", "kind2"):  # a second group of files in the same folder
            self.write(f"project/{name}.py", "import torch\n\n\ndef clear(device):\n"
                       "    if device.startswith('npu'):\n        torch.npu.empty_cache()\n"
                       "    elif device.startswith('cuda'):\n        torch.cuda.empty_cache()\n")
        self.write("project/show.py", "import cache2\nimport kind2\n")
        self.write("project/requirements.txt",
                   "torch==2.1.1 --index-url https://download.pytorch.org/whl/cu118\n")
        said = self.run_for(0, "migrate", "project", "--list", "all").stderr.decode()
        self.assertIn("on the machine | requirements.txt:1 | ", said)
        self.assertIn("(see cache.py:5, cache2.py:5): its files stay", said)
        self.write("project/requirements_npu.txt", "torch-npu==2.1.0\n")
        said = self.run_for(0, "migrate", "project", "--list", "all").stderr.decode()
        self.assertNotIn("on the machine | requirements.txt:1 | ", said)

    def test_that_do_not_import_what_serves_npus_are_migrated(self):
        self.write_served_project()
        self.write("project/infer.py", "import cache\nimport kind\n")
        self.write("project/show.py", "import torch\n\nif __name__ == '__main__':\n"
                   "    print(torch.ones(2, device='cuda'))\n")
        result = self.run_for(0, "migrate", "project", "-o", "out")
        self.assertIn("Python files that neither import that code nor are imported by it: 1 "
                      "(migrated)", result.stderr.decode())
        self.assertIn("device='npu'", (self.folder / "out/project_msft/show.py").read_text())

    def test_run_what_stands_behind_a_condition_that_the_machine_settles(self):
        for condition, said in (("platform.system() != 'Windows'", "will not run"),
                                ("platform.system() == 'Windows'", "nothing was found"),
                                ("platform.machine() == 'x86_64'", "stops where it gets to")):
            with self.subTest(condition=condition):
                self.write("project/train.py", "import platform\nimport torch\n\n"
                           f"if {condition}:\n    import flash_attn\n\n"
                           "if __name__ == '__main__':\n    torch.ones(2).cuda()\n")
                self.assertIn(said, self.said()["train.py"])

    def test_run_the_imports_of_texts_that_they_execute(self):
        self.write("project/pose/__init__.py", "")
        self.write("project/pose/builder.py", "def build(kind):\n"
                   "    exec(f'from .data import {kind}')\n    return eval(kind)()\n")
        self.write("project/pose/data/__init__.py", "import flash_attn\n\n\nclass Coco:\n    pass\n")
        self.write("project/train.py", "import torch\nfrom pose.builder import build\n\n"
                   "if __name__ == '__main__':\n    build('Coco')\n    torch.ones(2).cuda()\n")
        self.assertIn("item 1", self.said()["train.py"])

    def test_are_scripts_without_a_main_block_that_use_a_model(self):
        self.write("project/demo.py", "import torch\nfrom nets import load\n\nmodel = load().cuda()\n"
                   "with torch.no_grad():\n    for x in range(3):\n        print(model(x))\n")
        self.write("project/nets.py", "import torch\n\nbase = torch.nn.Linear(2, 2).eval()\n\n\n"
                   "@torch.no_grad()\ndef load():\n    return base\n")
        self.assertEqual(self.said(), {"demo.py": "nothing was found that stops it"})

    def test_stop_at_a_kernel_that_a_name_for_the_method_of_a_class_runs(self):
        self.write("project/train.py", "import torch\nfrom pool import pool\n\n"
                   "if __name__ == '__main__':\n    pool(torch.ones(1).cuda()).sum().backward()\n")
        self.write("project/pool.py", "import torch\nimport pool_ext\n\n\n"
                   "class Pool(torch.autograd.Function):\n    @staticmethod\n"
                   "    def forward(ctx, x):\n        return pool_ext.forward(x)\n\n\n"
                   "pool = Pool.apply\n")
        self.write("project/setup.py", "import torch\nfrom setuptools import setup\n"
                   "from torch.utils.cpp_extension import CppExtension, CUDAExtension\n\n"
                   "kind = CUDAExtension if torch.cuda.is_available() else CppExtension\n"
                   "setup(name='pool', ext_modules=[kind('pool_ext', ['pool.cpp'])])\n")
        self.assertEqual(self.said(), {"train.py": "stops where it gets to: item 1"})

    TRAIN = ("optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
             "loss = model(torch.ones(2, 2)).sum()\nloss.backward()\noptimizer.step()\n")

    def test_do_not_get_to_what_a_condition_leaves_to_cuda(self):
        self.write("project/ops.py", "import torch\nfrom torch.utils.cpp_extension import load\n\n\n"
                   "def _init():\n    return load('ops', ['ops.cu'])\n\n\n"
                   "def scale(x, impl='cuda'):\n"
                   "    if impl == 'cuda' and x.device.type == 'cuda' and _init():\n"
                   "        return _init().scale(x)\n    return x * 2\n")
        self.write("project/train.py", "import torch\nfrom ops import scale\n\n"
                   "model = torch.nn.Linear(2, 2).cuda()\nscale(torch.ones(2))\n" + self.TRAIN)
        self.assertEqual(self.said(), {"train.py": "nothing was found that stops it"})
        text = (self.folder / "project/ops.py").read_text()
        self.write("project/ops.py", text.replace("x.device.type == 'cuda' and ", ""))
        self.assertEqual(self.said(), {"train.py": "stops where it gets to: item 1"})

    def test_build_no_kernels_where_the_project_has_sources_of_cpp_alone(self):
        self.write("project/ops.py", "from torch.utils.cpp_extension import load\n\n\n"
                   "class Op:\n    def load(self):\n"
                   "        return load(name='ops', sources=self.sources())\n")
        self.write("project/csrc/ops.cpp", "#include <torch/extension.h>\n")
        self.write("project/train.py", "import torch\nfrom ops import Op\n\n"
                   "model = torch.nn.Linear(2, 2).cuda()\nOp().load()\n" + self.TRAIN)
        self.assertEqual(self.said(), {"train.py": "nothing was found that stops it"})
        self.write("project/csrc/ops_kernel.cu", "__global__ void f() {}\n")
        self.assertEqual(self.said(), {"train.py": "will not run before this is done: item 1"})

    def test_load_no_module_that_is_called_like_what_its_package_binds(self):
        self.write("project/ops/attend.py", "import flash_attn\n\n\ndef attend(x):\n    return x\n")
        self.write("project/ops/__init__.py", "import sys\n\nif 'flash' in sys.argv:\n"
                   "    from .attend import attend\nelse:\n    attend = None\n")
        self.write("project/train.py", "import torch\nfrom ops import attend\n\n"
                   "model = torch.nn.Linear(2, 2).cuda()\n" + self.TRAIN)
        self.assertEqual(self.said(), {"train.py": "stops where it gets to: item 1"})
        self.write("project/ops/__init__.py", "")
        self.assertEqual(self.said(), {"train.py": "will not run before this is done: item 1"})

    def test_may_get_to_modules_whose_names_are_put_together(self):
        self.write("project/models/__init__.py", "import importlib\n\n\ndef create(name):\n"
                   "    module = importlib.import_module('models.' + name + '_model')\n"
                   "    return module.Model()\n")
        model = "import torch\n\n\nclass Model(torch.nn.Linear):\n    pass\n"
        self.write("project/models/plain_model.py", model)
        self.write("project/train.py", "import sys\n\nimport torch\nfrom models import create\n\n"
                   "model = create(sys.argv[1])\n" + self.TRAIN)
        self.write("project/models/other.py", "import flash_attn\n" + model)
        self.assertEqual(self.said(), {"train.py": "nothing was found that stops it"})
        self.write("project/models/fast_model.py", "import flash_attn\n" + model)
        self.assertEqual(self.said(), {"train.py": "stops where it gets to: item 1"})

    def test_make_objects_of_modules_imported_by_name_where_they_look_for_the_class(self):
        self.write("project/models/__init__.py", "import importlib\nimport os\n\n"
                   "names = [os.path.splitext(f)[0] for f in os.listdir('models')]\n"
                   "modules = [importlib.import_module(f'models.{name}') for name in names]\n\n\n"
                   "def create(kind):\n    for module in modules:\n"
                   "        made = getattr(module, kind, None)\n        if made is not None:\n"
                   "            return made()\n")
        self.write("project/models/wide.py", "import torch\n\n\nclass Wide:\n"
                   "    def __init__(self):\n"
                   "        self.net = torch.nn.DataParallel(torch.nn.Linear(2, 2))\n")
        self.write("project/models/plain.py", "import torch\n\nif __name__ == '__main__':\n"
                   "    import models\n    model = torch.nn.Linear(2, 2).cuda()\n"
                   + textwrap.indent(self.TRAIN, "    "))
        self.write("project/train.py", "import sys\n\nimport torch\nfrom models import create\n\n"
                   "model = create(sys.argv[1])\n" + self.TRAIN)
        self.stop_at_data_parallel()
        self.assertEqual(self.said(), {"train.py": "stops where it gets to: item 1",
                                       "models/plain.py": "nothing was found that stops it"})

    def stop_at_data_parallel(self):
        self.write("project/transplt.toml", "[[causes]]\nid = 'data-parallel'\n"
                   "severity = 'stops-run'\nreason = 'tried'\n")

    def test_stop_where_an_object_of_a_class_for_cuda_is_made(self):
        self.stop_at_data_parallel()
        self.write("project/wrap.py", "from torch.nn import DataParallel\n\n\n"
                   "class Wrap(DataParallel):\n    def __init__(self, model):\n"
                   "        super().__init__(model)\n")
        self.write("project/train.py", "import torch\nimport wrap\n\n"
                   "model = torch.nn.Linear(2, 2)\n" + self.TRAIN)
        self.assertEqual(self.said(), {"train.py": "nothing was found that stops it"})
        self.write("project/train.py", "import torch\nimport wrap\n\n"
                   "model = wrap.Wrap(torch.nn.Linear(2, 2))\n" + self.TRAIN)
        self.assertEqual(self.said(),
                         {"train.py": "will not run before this is done: item 1"})

    def test_of_another_framework_are_not_looked_at(self):
        self.write("project/train.py", "import torch\n\nif __name__ == '__main__':\n"
                   "    torch.ones(1).cuda()\n")
        self.write("project/eval_tf.py", "import tensorflow as tf\n\nif __name__ == '__main__':\n"
                   "    with tf.Session() as session:\n        session.run([])\n")
        self.write("project/convert.py", "import tensorflow as tf\nimport torch\n\n"
                   "if __name__ == '__main__':\n    torch.save(tf.train.load_checkpoint('x'), 'y')\n")
        self.assertEqual(self.said(), {
            "train.py (+1)": "nothing was found that stops it",
            "eval_tf.py": "not looked at: it is a program of another framework, and stays as it is"})

    def test_of_a_framework_that_no_run_migrates_are_not_looked_at(self):
        self.write("project/train.py", "import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\n"
                   + self.TRAIN)
        self.write("project/tools/fit.py", "from pp import net\n\nif __name__ == '__main__':\n"
                   "    net.fit()\n")
        self.write("project/tools/pp/__init__.py", "")
        self.write("project/tools/pp/net.py", "import paddle\n\n\ndef fit():\n    paddle.fit()\n")
        self.write("project/both.py", "import paddle\nimport torch\n\n"
                   "if __name__ == '__main__':\n    torch.save(paddle.load('x'), 'y')\n")
        self.assertEqual(self.said(), {
            "train.py (+1)": "nothing was found that stops it",
            "tools/fit.py":
                "not looked at: it is a program of another framework, and stays as it is"})

    def test_are_not_asked_about_files_for_python_2_that_none_of_them_imports(self):
        self.write("project/train.py", "import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\n"
                   + self.TRAIN)
        self.write("project/examples/old.py", "print 'x'\n")

        def severity():
            lists = "project", "--format", "json"
            run = json.loads(self.run_for(0, "migrate", *lists).stdout)
            return {cause["severity"] for cause in run["causes"] if cause["id"] == "python-2"}

        self.assertEqual(self.said(), {"train.py": "nothing was found that stops it"})
        self.assertEqual(severity(), {"note"})
        self.write("project/train.py", "import torch\nfrom examples import old\n\n"
                   "model = torch.nn.Linear(2, 2).cuda()\n" + self.TRAIN)
        self.assertEqual(self.said(), {"train.py": "will not run before this is done: item 1"})
        self.assertEqual(severity(), {"stops-import"})

    def test_stop_where_an_import_fails_and_so_does_the_one_in_its_place(self):
        program = ("import torch\ntry:\n"
                   "    from torch.utils.model_zoo import _download_url_to_file as fetch\n"
                   "except ImportError:\n    from torch.hub import {} as fetch\n\n"
                   "model = torch.nn.Linear(2, 2).cuda()\n" + self.TRAIN)
        self.write("project/train.py", program.format("_download_url_to_file"))
        self.assertEqual(self.said(), {"train.py": "will not run before this is done: item 1"})
        self.write("project/train.py", program.format("download_url_to_file"))
        self.assertEqual(self.said(), {"train.py": "nothing was found that stops it"})

    def test_are_no_templates_of_programs(self):
        self.write("project/train.py", "import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\n"
                   + self.TRAIN)
        self.write("project/{{cookiecutter.name}}/fit.py", "import torch\n\n"
                   "{% if cookiecutter.card %}\nmodel = torch.nn.Linear(2, 2)\n{% endif %}\n"
                   + self.TRAIN)
        run = json.loads(self.run_for(1, "migrate", "project", "--format", "json").stdout)
        self.assertEqual([program["path"] for program in run["programs"]], ["train.py"])
        self.assertEqual({cause["severity"] for cause in run["causes"] if cause["id"] == "syntax"},
                         {"note"})

    def test_that_use_no_model_are_not_told_beside_others(self):
        tool = "import json\nimport os\n\n\ndef main():\n    print(json.dumps(os.listdir()))\n\n\n" \
               "if __name__ == '__main__':\n    main()\n"
        self.write("project/tools/filter.py", tool)
        self.assertEqual(self.said(), {"tools/filter.py": "nothing was found that stops it"})
        self.write("project/train.py", "import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\n"
                   + self.TRAIN)
        self.write("project/ask.py", tool.replace("import os", "import os\nimport transformers"))
        self.assertEqual(self.said(), {"train.py (+1)": "nothing was found that stops it"})
        self.write("project/transplt.toml", "programs = ['train.py', 'tools/filter.py']\n")
        self.assertEqual(self.said(), {"train.py (+1)": "nothing was found that stops it"})

    def test_that_train_with_another_framework_are_not_looked_at_whatever_their_packages_import(self):
        self.write("project/train.py", "import torch\nimport ops\n\n"
                   "model = torch.nn.Linear(2, 2).cuda()\n" + self.TRAIN)
        self.write("project/ops/__init__.py", "import os\n\nif os.environ.get('KIND') == 'torch':\n"
                   "    import torch\nelse:\n    import tensorflow\n")
        self.write("project/train_tf.py", "import tensorflow as tf\nimport ops\n\n"
                   "if __name__ == '__main__':\n"
                   "    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n"
                   "    model.compile(optimizer='adam', loss='mse')\n    model.fit(ops.x, ops.y)\n")
        self.assertEqual(self.said(), {
            "train.py": "nothing was found that stops it",
            "train_tf.py":
                "not looked at: it is a program of another framework, and stays as it is"})


class Packages(ProgramTest):
    """What is said of a package that needs CUDA and that a project asks for."""

    def said(self, train):
        """{package: (severity, cause)}"""
        self.write("project/requirements.txt", "torch\ncolossalai\nxformers\nflash_attn\n")
        self.write("project/train.py", train + TRAIN)
        self.run_for(0, "migrate", "project", "-o", "out")
        rows = rows_of((self.folder / "out/project_msft/change_list.csv").read_bytes())
        return {row["Rule ID"]: (row["Severity"], row["Cause"])
                for row in rows if row["File"] == "requirements.txt"}

    def test_is_a_note_or_a_line_to_leave_out_if_no_code_imports_it(self):
        self.assertEqual(self.said(b"import os\n"), {
            "colossalai": ("note", "colossalai"), "xformers": ("note", "unused-requirement"),
            "flash_attn": ("note", "unused-requirement")})

    def test_counts_if_code_imports_it(self):
        self.assertEqual(self.said(b"import colossalai\nimport xformers.ops\nimport flash_attn\n"
                                   b"colossalai.launch()\nxformers.ops.memory_efficient_attention()\n"), {
            "colossalai": ("may-go-wrong", "colossalai"), "xformers": ("may-go-wrong", "xformers"),
            "flash_attn": ("stops-run", "flash_attn")})


class OtherFiles(ProgramTest):
    def migrated(self, files):
        """The files as they come out of a project with a program, and the change list."""
        for name, content in files.items():
            self.write(f"project/{name}", content)
        self.write("project/train.py", TRAIN)
        self.run_for(0, "migrate", "project", "-o", "out")
        tree = tree_of(self.folder / "out/project_msft")
        return {name: tree[name] for name in files}, rows_of(tree["change_list.csv"])

    def test_that_are_not_migrated_are_copied_and_named(self):
        files = {"kernel.cu": b"__global__ void f() {} // cuda\n",
                 "Dockerfile": b"FROM x\nENV NCCL_DEBUG=INFO\n"}
        result, rows = self.migrated(files)
        self.assertEqual(result, files)
        self.assertLessEqual(set(files), {row["File"] for row in rows})

    def test_with_settings_are_migrated_and_nothing_else_in_them_changes(self):
        files = {
            "conf.yaml": b"# device: cuda\r\ndevice:   cuda  # cuda\r\nname: cuda\r\n",
            "conf.json": b'{"dist": {"backend":"nccl"},\n\t"note": "nccl"}',
            "conf.toml": b'title = "cuda"\n[a]\ndevice = \'cuda:1\' # cuda\n',
            "conf.ini": b"[a]\n; device = cuda\ndevice = cuda\n",
            "job.sub": b"export CUDA_VISIBLE_DEVICES=0 # cuda\n",
        }
        result, rows = self.migrated(files)
        self.assertEqual(result, {
            "conf.yaml": b"# device: cuda\r\ndevice:   npu  # cuda\r\nname: cuda\r\n",
            "conf.json": b'{"dist": {"backend":"hccl"},\n\t"note": "nccl"}',
            "conf.toml": b'title = "cuda"\n[a]\ndevice = \'npu:1\' # cuda\n',
            "conf.ini": b"[a]\n; device = cuda\ndevice = npu\n",
            "job.sub": b"export ASCEND_RT_VISIBLE_DEVICES=0 # cuda\n",
        })
        edited = {(row["File"], row["Start Line"]) for row in rows if row["Applicability"] == "safe"}
        self.assertLessEqual({("conf.yaml", "2"), ("conf.json", "1"), ("conf.toml", "3"),
                              ("conf.ini", "3")}, edited)

    def test_that_cannot_be_read_stay_and_are_named(self):
        files = {"broken.json": b'{"device": "cuda",', "broken.yaml": b"a: }\ndevice: cuda\n",
                 "broken.toml": b"device = = 'cuda'\n", "comma.yaml": b",device: cuda\n"}
        result, rows = self.migrated(files)
        self.assertEqual(result, files)
        self.assertLessEqual(set(files), {row["File"] for row in rows})

    def test_that_are_excluded_stay(self):
        self.write("project/conf.yaml", b"device: cuda\n")
        self.write("project/train.py", TRAIN)
        self.run_for(0, "migrate", "project", "-o", "out", "--exclude", "*.yaml")
        tree = tree_of(self.folder / "out/project_msft")
        self.assertEqual(tree["conf.yaml"], b"device: cuda\n")

    def test_are_changed_in_place_and_put_back(self):
        conf = self.write("project/conf.yaml", b"device: cuda\n")
        self.write("project/train.py", TRAIN)
        self.run_for(0, "migrate", "project", "--in-place")
        self.assertEqual(conf.read_bytes(), b"device: npu\n")
        self.run_for(0, "migrate", "project", "--undo")
        self.assertEqual(conf.read_bytes(), b"device: cuda\n")


if __name__ == "__main__":
    unittest.main()
