#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The command line: exit codes, where results go, what is refused, messages."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import program  # noqa: E402
from program import ProgramTest, rows_of, tree_of  # noqa: E402

TRAIN = """import torch

model = torch.nn.Linear(2, 2).cuda()
print("no cuda", torch.cuda.device_count())
"""
TRAIN_AFTER = """import torch
import torch_npu

model = torch.nn.Linear(2, 2).npu()
print("no cuda", torch.npu.device_count())
"""
PLAIN = "print('cuda is not used here')\n"


class ExitCodes(ProgramTest):
    def test_help_and_version_go_to_stdout(self):
        for arguments in (["--help"], ["--version"], ["migrate", "--help"], ["rule", "--help"]):
            result = self.run_for(0, *arguments)
            self.assertTrue(result.stdout, arguments)
            self.assertEqual(result.stderr, b"", arguments)

    def test_wrong_usage_is_2_and_writes_nothing(self):
        self.write("project/train.py", TRAIN)
        before = tree_of(self.folder)
        for arguments in (
            [],
            ["migrate"],
            ["migrat", "project"],
            ["migrate", "project", "--colour"],
            ["migrate", "project", "-o"],
            ["migrate", "project", "-o", "out", "--copy", "some"],
            ["migrate", "project", "-o", "out", "--framework", "caffe"],
            ["migrate", "project", "-o", "out", "--format", "yaml"],
            ["migrate", "project", "-o", "out", "-j", "-1"],
            ["migrate", "project", "-o", "out", "-j", "many"],
            ["migrate", "project", "-o", "out", "--torch-version", "new"],
            ["migrate", "project", "other", "-o", "out"],
            ["migrate", "project", "-o", "out", "--in-place"],
            ["migrate", "project", "-o", "out", "--check"],
            ["migrate", "project", "--in-place", "--check"],
            ["migrate", "-", "-o", "out"],
            ["migrate", "-", "--in-place"],
            ["migrate", "project", "-o", "out", "-r", "no-such-rules.json"],
            ["migrate", "project", "-o", "out", "-r", "project"],
            ["migrate", "project", "--undo"],
            ["--lang", "fr", "migrate", "project", "-o", "out"],
        ):
            with self.subTest(arguments=arguments):
                result = self.run_for(2, *arguments)
                self.assertNotEqual(result.stderr, b"")
                self.assertEqual(result.stdout, b"")
                self.assert_nothing_written(before)

    def test_an_input_that_is_missing_is_named(self):
        result = self.run_for(2, "migrate", "no/such/project", "-o", "out")
        self.assertIn(b"no/such/project", result.stderr)
        self.assert_nothing_written({})

    def test_an_input_that_is_neither_file_nor_folder_is_refused(self):
        os.mkfifo(self.folder / "pipe")
        for name in ("pipe", "/dev/zero"):
            self.run_for(2, "migrate", name, "-o", "out", timeout=20)
        self.assertFalse((self.folder / "out").exists())

    def test_done_is_0_even_where_apis_are_left_for_a_person(self):
        self.write("project/train.py", "import torch\nm = torch.nn.DataParallel(net)\n")
        result = self.run_for(0, "migrate", "project", "-o", "out", "--list", "all")
        self.assertIn(b"train.py:2:5: torch.nn.DataParallel: ", result.stderr)

    def test_a_project_of_another_framework_is_refused_unless_told_otherwise(self):
        for package in ("jax", "paddle", "mxnet", "chainer"):
            self.write("project/train.py", f"import {package} as p\nprint(p.__version__)\n")
            self.write("project/run.sh", "CUDA_VISIBLE_DEVICES=0 python train.py\n")
            before = tree_of(self.folder)
            result = self.run_for(2, "migrate", "project", "-o", "out")
            self.assertIn(package.encode(), result.stderr)
            self.assert_nothing_written(before)
        self.run_for(0, "migrate", "project", "-o", "out", "--framework", "pytorch")

    def test_most_files_decide_whether_a_project_is_one_of_mindspore(self):
        self.write("project/convert.py", TRAIN)
        self.write("project/net.py", "import mindspore as ms\nms.set_device('GPU')\n")
        result = self.run_for(0, "migrate", "project")
        self.assertIn(b"import torch_npu", result.stdout)
        self.assertIn(b"uses mindspore in 1 files: not migrated", result.stderr)
        self.write("project/train.py", "from mindspore import nn\n")
        result = self.run_for(0, "migrate", "project")
        self.assertIn(b"+ms.set_device('Ascend')", result.stdout)
        self.assertNotIn(b"torch_npu", result.stdout)
        self.assertIn(b"uses pytorch in 1 files: not migrated", result.stderr)

    def test_the_framework_can_be_given(self):
        self.write("project/net.py", "import mindspore as ms\nms.set_device('GPU')\n")
        self.write("project/train.py", TRAIN)
        result = self.run_for(0, "migrate", "project", "--framework", "mindspore")
        self.assertIn(b"+ms.set_device('Ascend')", result.stdout)
        result = self.run_for(0, "migrate", "-", "--framework", "mindspore",
                              stdin=b"import mindspore as ms\nms.set_device('GPU')\n")
        self.assertEqual(result.stdout, b"import mindspore as ms\nms.set_device('Ascend')\n")

    def test_output_that_cannot_be_written_is_not_success(self):
        self.write("project/train.py", TRAIN)
        with open("/dev/full", "wb") as full:
            result = subprocess.run([program.EXECUTABLE, "migrate", self.folder / "project"],
                                    stdin=subprocess.DEVNULL, stdout=full,
                                    stderr=subprocess.PIPE, check=False, timeout=60)
        self.assertNotEqual(result.returncode, 0)


class Check(ProgramTest):
    def test_is_1_where_something_would_change_and_writes_nothing(self):
        self.write("project/train.py", TRAIN)
        before = tree_of(self.folder)
        result = self.run_for(1, "migrate", "project", "--check")
        self.assertEqual(result.stdout, b"")
        self.assert_nothing_written(before)

    def test_is_0_where_nothing_would_change(self):
        self.write("project/plain.py", PLAIN)
        self.write("project/train.py", TRAIN_AFTER)
        self.run_for(0, "migrate", "project", "--check")

    def test_works_for_standard_input(self):
        self.run_for(1, "migrate", "-", "--check", stdin=TRAIN.encode())
        result = self.run_for(0, "migrate", "-", "--check", stdin=PLAIN.encode())
        self.assertEqual(result.stdout, b"")

    def test_prints_the_patch_where_diff_asks_for_it(self):
        self.write("project/train.py", TRAIN)
        for name, text in (("project", b""), ("-", TRAIN.encode())):
            result = self.run_for(1, "migrate", name, "--check", "--diff", stdin=text)
            self.assertIn(b"\n-model = torch.nn.Linear(2, 2).cuda()\n", result.stdout)


class OneStream(ProgramTest):
    def test_has_the_diff_before_what_is_said_about_it(self):
        self.write("project/train.py", TRAIN)
        with open(self.folder / "all.txt", "wb") as both:
            subprocess.run([program.EXECUTABLE, "migrate", "project", "-o", "out", "--diff"],
                           cwd=self.folder, stdout=both, stderr=both, check=False, timeout=60)
        text = (self.folder / "all.txt").read_text()
        self.assertLess(text.index('+print("no cuda", torch.npu.device_count())'),
                        text.index("project: "))


class StandardInput(ProgramTest):
    def test_is_migrated_to_standard_output(self):
        result = self.run_for(0, "migrate", "-", stdin=TRAIN.encode())
        self.assertEqual(result.stdout.decode(), TRAIN_AFTER)
        self.assert_nothing_written({})

    def test_comes_out_as_it_was_where_nothing_changes(self):
        for text in (b"", b"\n", PLAIN.encode(), b"x = 1\r\n\x0c", b"\xef\xbb\xbfx = 1"):
            self.assertEqual(self.run_for(0, "migrate", "-", stdin=text).stdout, text)

    def test_gives_a_diff_that_applies(self):
        result = self.run_for(0, "migrate", "-", "--diff", stdin=TRAIN.encode())
        self.assertIn(b"\n-model = torch.nn.Linear(2, 2).cuda()\n", result.stdout)
        self.assertIn(b"\n+import torch_npu\n", result.stdout)

    def test_names_what_is_left_for_a_person(self):
        result = self.run_for(0, "migrate", "-", stdin=b"import torch\ntorch.nn.DataParallel(m)\n")
        self.assertIn(b"<stdin>:2:1: torch.nn.DataParallel: ", result.stderr)

    def test_with_a_syntax_error_is_1_and_the_rest_is_migrated(self):
        text = TRAIN + "\ndef f(:\n    pass\n\n\ny = torch.zeros(1).cuda()\n"
        result = self.run_for(1, "migrate", "-", stdin=text.encode())
        self.assertIn(b"y = torch.zeros(1).npu()\n", result.stdout)
        self.assertIn(b"def f(:\n", result.stdout)


class SingleFile(ProgramTest):
    def test_goes_into_a_folder_named_after_its_stem(self):
        for name, folder in (("train.py", "train_msft"), ("train.v2.py", "train.v2_msft"),
                             ("训练 脚本.py", "训练 脚本_msft")):
            self.write(name, TRAIN)
            self.write("neighbour.txt", "not part of it")
            self.run_for(0, "migrate", name, "-o", "out")
            self.assertEqual(sorted(tree_of(self.folder / "out" / folder)),
                             sorted([name, *program.REPORTS]))
            self.assertEqual((self.folder / "out" / folder / name).read_text("utf-8"), TRAIN_AFTER)

    def test_is_changed_in_place(self):
        path = self.write("train.py", TRAIN)
        self.run_for(0, "migrate", "train.py", "--in-place")
        self.assertEqual(path.read_text(), TRAIN_AFTER)
        self.run_for(0, "migrate", "train.py", "--undo")
        self.assertEqual(path.read_text(), TRAIN)

    def test_gives_a_diff_with_its_own_name(self):
        self.write("deep/train.py", TRAIN)
        result = self.run_for(0, "migrate", "deep/train.py")
        self.assertIn(b"\n--- a/train.py\n+++ b/train.py\n", result.stdout)


class ResultFolder(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("project/train.py", TRAIN)
        self.write("project/old.py", PLAIN)

    def test_that_exists_is_refused(self):
        self.write("out/project_msft/precious.txt", "by hand")
        before = tree_of(self.folder)
        result = self.run_for(2, "migrate", "project", "-o", "out")
        self.assertIn(b"project_msft", result.stderr)
        self.assertIn(b"--force", result.stderr)
        self.assert_nothing_written(before)

    def test_that_is_a_file_or_a_link_is_refused_even_with_force(self):
        self.write("out/project_msft", "a file")
        before = tree_of(self.folder)
        self.run_for(2, "migrate", "project", "-o", "out", "--force")
        self.assert_nothing_written(before)

    def test_is_replaced_as_a_whole_with_force(self):
        self.run_for(0, "migrate", "project", "-o", "out")
        (self.folder / "project" / "old.py").unlink()
        self.run_for(0, "migrate", "project", "-o", "out", "--force")
        self.assertEqual(sorted(tree_of(self.folder / "out")),
                         sorted(["project_msft", "project_msft/train.py",
                                 *(f"project_msft/{name}" for name in program.REPORTS)]))

    def test_is_created_with_the_folders_above_it(self):
        self.run_for(0, "migrate", "project", "-o", "a/b/c")
        self.assertTrue((self.folder / "a/b/c/project_msft/train.py").is_file())

    def test_inside_the_input_is_refused(self):
        self.write("project/sub/x.py", PLAIN)
        os.symlink("project/sub", self.folder / "link")
        before = tree_of(self.folder)
        for out in ("project", "project/sub", "project/new/out", "./project/../project/sub",
                    "link", str(self.folder / "project")):
            with self.subTest(out=out):
                self.run_for(2, "migrate", "project", "-o", out)
                self.run_for(2, "migrate", "project", "-o", out, "--force")
                self.assert_nothing_written(before)

    def test_that_is_the_input_is_refused(self):
        os.rename(self.folder / "project", self.folder / "project_msft")
        os.symlink("project_msft", self.folder / "project")
        before = tree_of(self.folder)
        self.run_for(2, "migrate", "project", "-o", ".", "--force")
        self.assert_nothing_written(before)

    def test_takes_the_name_of_the_folder_however_it_is_given(self):
        for number, (given, cwd) in enumerate([("project/", "."), ("./project", "."),
                                               ("project/.", "."), (".", "project"),
                                               ("../project", "project"),
                                               ("project/../project//", ".")]):
            out = self.folder / f"out{number}"
            self.run_for(0, "migrate", given, "-o", out, cwd=self.folder / cwd)
            self.assertEqual(os.listdir(out), ["project_msft"], given)

    def test_without_permission_is_2_and_leaves_nothing(self):
        if os.getuid() != 0:
            self.skipTest("needs root, to become somebody else")
        os.chmod(self.folder, 0o755)
        (self.folder / "closed").mkdir(mode=0o755)
        result = self.run_for(2, "migrate", "project", "-o", "closed", as_nobody=True)
        self.assertIn(b"closed", result.stderr)
        self.assertEqual(os.listdir(self.folder / "closed"), [])


class Terminal(ProgramTest):
    """What a source line holds must not be obeyed by the terminal that shows it."""

    SOURCE = "import torch\nx = torch.zeros(1).cuda()  # \x1b]0;owned\x07\u202e\n"

    def on_terminal(self, *arguments):
        """What the program writes to a terminal, stdout and stderr together."""
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        child = subprocess.Popen([program.EXECUTABLE, *arguments], stdin=slave, stdout=slave,
                                 stderr=slave, cwd=self.folder)
        os.close(slave)
        self.addCleanup(child.wait, 60)
        written = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # the other end is closed
                return written
            if not part:
                return written
            written += part

    def test_gets_escape_sequences_of_a_diff_spelled_out(self):
        self.write("project/train.py", self.SOURCE)
        shown = self.on_terminal("migrate", "project")
        self.assertIn(b"^[]0;owned^G<U+202E>", shown)
        self.assertNotIn(b"\x1b]", shown)

    def test_gets_escape_sequences_of_names_spelled_out(self):
        self.write("project/train.py", self.SOURCE)
        result = self.run_for(2, "migrate", "no\x1b[31msuch")
        self.assertIn(b"no^[[31msuch", result.stderr)

    def test_is_not_a_pipe_which_gets_every_byte(self):
        self.write("project/train.py", self.SOURCE)
        result = self.run_for(0, "migrate", "project")
        self.assertIn(self.SOURCE.splitlines()[1].replace("cuda", "npu").encode(), result.stdout)


class Reports(ProgramTest):
    def test_are_always_there(self):
        self.write("project/plain.py", PLAIN)
        self.write("empty/.keep", "")
        (self.folder / "nothing").mkdir()
        for name in ("project", "empty", "nothing"):
            self.run_for(0, "migrate", name, "-o", "out")
            result = self.folder / "out" / f"{name}_msft"
            for report in program.REPORTS:
                self.assertTrue((result / report).is_file(), f"{name}: {report}")
            self.assertEqual(rows_of((result / "change_list.csv").read_bytes()), [])

    def test_have_the_agreed_form(self):
        self.write("project/train.py", TRAIN + "m = torch.nn.DataParallel(model)\n")
        self.run_for(0, "migrate", "project", "-o", "out")
        csv = (self.folder / "out/project_msft/change_list.csv").read_bytes()
        self.assertFalse(csv.startswith(b"\xef\xbb\xbf"))
        self.assertNotIn(b"\r", csv)
        rows = rows_of(csv)
        self.assertEqual([(row["Start Line"], row["Operation Type"], row["Applicability"])
                          for row in rows],
                         [("2", "INSERT", "safe"), ("3", "MODIFY", "safe"),
                          ("4", "MODIFY", "safe"), ("5", "UNSUPPORTED", "display-only")])
        self.assertEqual({row["File"] for row in rows}, {"train.py"})
        self.assertEqual(rows[2]["Before"], "torch.cuda.device_count")
        self.assertEqual(rows[2]["After"], "torch.npu.device_count")
        log = (self.folder / "out/project_msft/msFmkTranspltlog.txt").read_text("utf-8")
        self.assertIn("train.py", log)

    def test_hold_the_same_in_the_workbook(self):
        try:
            import openpyxl
        except ImportError:
            self.skipTest("python3-openpyxl is not installed")
        self.write("project/train.py", TRAIN + "m = torch.nn.DataParallel(model)\n")
        self.run_for(0, "migrate", "project", "-o", "out")
        result = self.folder / "out/project_msft"
        workbook = openpyxl.load_workbook(result / "unsupported_op.xlsx")
        self.assertEqual(workbook.sheetnames,
                         ["Summary", "Changes", "Unsupported", "Unknown", "Files"])
        rows = rows_of((result / "change_list.csv").read_bytes())
        changes = list(workbook["Changes"].iter_rows(values_only=True))
        self.assertEqual(list(changes[0]), program.HEADER)
        self.assertEqual([[str(cell or "") for cell in row] for row in changes[1:]],
                         [list(row.values()) for row in rows])
        self.assertEqual(workbook["Unsupported"].max_row, 2)

    def test_cannot_be_read_as_formulas(self):
        for name in ("=1+1.py", "+x.py", "-y.py", "@z.py", "\tt.py"):
            self.write(f"project/{name}", "import torch\nx = torch.cuda.Event\n")
        self.run_for(0, "migrate", "project", "-o", "out")
        rows = rows_of((self.folder / "out/project_msft/change_list.csv").read_bytes())
        self.assertEqual(len(rows), 10)
        for row in rows:
            for cell in row.values():
                self.assertNotIn(cell[:1], ("=", "+", "-", "@", "\t", "\r"), row)

    def test_of_an_earlier_run_are_not_copied(self):
        self.write("project/train.py", TRAIN)
        self.run_for(0, "migrate", "project", "-o", "out")
        self.run_for(0, "migrate", "out/project_msft", "-o", "again")
        again = self.folder / "again/project_msft_msft"
        self.assertEqual(rows_of((again / "change_list.csv").read_bytes()), [])
        self.assertEqual(sorted(tree_of(again)), sorted(["train.py", *program.REPORTS]))

    def test_are_written_by_any_number_of_threads_without_a_warning(self):
        """More threads than processors are as good as any number."""
        self.write("project/train.py", TRAIN)
        self.write("project/test.py", TRAIN)
        for command in (["migrate", "project"], ["analyze", "project"], ["query", "entries", "project"],
                        ["inject-dump-config", "project", "--dump-path", "/d"]):
            with self.subTest(command=command):
                result = program.run(*command, "-j", "77", cwd=self.folder)
                self.assertIn(result.returncode, (0, 1))  # whether something is found
                self.assertNotIn(b"TBB", result.stderr)

    def test_count_columns_in_characters_in_every_file(self):
        self.write("project/Makefile", "名:\n\t名 CUDA_VISIBLE_DEVICES=0 python x.py\n")
        self.run_for(0, "migrate", "project", "-o", "out")
        row, = rows_of((self.folder / "out/project_msft/change_list.csv").read_bytes())
        self.assertEqual((row["Start Line"], row["Column"]), ("2", "4"))

    def test_take_the_place_of_files_of_the_project_which_is_told(self):
        """Each alone: all together would be the reports of an earlier run."""
        for name in program.REPORTS:
            if name in (program.MANIFEST, program.RECORD):
                continue
            with self.subTest(name=name):
                self.write(f"{name}.d/train.py", TRAIN)
                own = self.write(f"{name}.d/{name}", b"of the project, about cuda\n")
                self.run_for(1, "migrate", f"{name}.d", "-o", "out")
                result = self.folder / f"out/{name}.d_msft"
                self.assertNotIn(b"of the project", (result / name).read_bytes())
                self.assertEqual(own.read_bytes(), b"of the project, about cuda\n")
                rows = [row for row in rows_of((result / "change_list.csv").read_bytes())
                        if row["File"] == name]
                self.assertEqual([row["Operation Type"] for row in rows], ["SKIPPED"])
                self.assertIn("rename the file", rows[0]["Message"])
                steps = (result / "NEXT.md").read_text("utf-8")
                self.assertRegex(steps, rf"(?m)^- \[ \] 1\. .*\n  `{re.escape(name)}`$")

    def test_do_not_collide_with_folders_of_the_project(self):
        self.write("project/change_list.csv/train.py", TRAIN)
        self.write("project/unsupported_op.xlsx/data.txt", "cuda")
        self.write("project/train.py", TRAIN)
        result = program.run("migrate", "project", "-o", "out", cwd=self.folder)
        self.assertIn(result.returncode, (0, 1, 2))
        self.assertNotEqual(result.stderr, b"")
        if result.returncode == 2:
            self.assertFalse((self.folder / "out/project_msft").exists())
        else:
            self.assertTrue((self.folder / "out/project_msft/change_list.csv").is_file())


class FirstScreen(ProgramTest):
    """What somebody sees who migrates a project for the first time."""

    SOURCE = ("import torch\nimport flash_attn\n"
              "def build(): return torch.utils.cpp_extension.load('ops', ['o.cu'])\n"
              "torch.backends.cudnn.benchmark = True\n"
              "build()(torch.ones(1, 2).cuda()).sum().backward()\n")

    def screen(self, *arguments, code=0):
        return self.run_for(code, *arguments).stderr.decode("utf-8")

    def test_is_all_that_stderr_has(self):
        self.write("project/train.py", self.SOURCE)
        lines = self.screen("migrate", "project").splitlines()
        self.assertLessEqual(len(lines), 25)
        self.assertTrue(lines[0].startswith("project: pytorch; assumed: torch "), lines[0])
        self.assertTrue(lines[1].startswith("NOTHING WAS WRITTEN (1 files would change"), lines[1])
        self.assertEqual(lines[-1], "As far as the source shows: nothing was run on an NPU.")

    def test_puts_what_stops_the_import_before_what_stops_the_run(self):
        self.write("project/train.py", self.SOURCE)
        screen = self.screen("migrate", "project")
        self.assertRegex(screen, r"(?m)^  1 stops import \| train\.py:2 \| flash_attn: ")
        self.assertRegex(screen, r"(?m)^  2 stops run \| train\.py:3 \| ops: an extension ")
        self.assertRegex(screen, r"(?m)^Nothing to do: .*\(1\)")

    def test_names_a_cause_once_however_many_places_it_has(self):
        self.write("project/train.py",
                   "import torch\n" + "m = torch.nn.DataParallel(net)\n" * 60)
        screen = self.screen("migrate", "project")
        self.assertIn("| train.py:2 (+59) | ", screen)
        self.assertEqual(screen.count("DataParallel drives"), 1)

    def test_tells_the_notes_about_the_run_behind_the_edits(self):
        self.write("project/train.py", self.SOURCE)
        self.write("project/net.py", "import mindspore as ms\nms.set_device('GPU')\n")
        lines = self.screen("migrate", "project").splitlines()
        self.assertEqual(lines[2], "Edits: 2")
        self.assertEqual(lines[3], "Note: uses mindspore in 1 files: not migrated")

    def test_names_what_was_not_looked_at(self):
        self.write("project/binary.py", b"\x7fELF\x00\x01torch.cuda")
        self.write("project/train.py", TRAIN + "\ndef f(:\n    pass\n")
        screen = self.screen("migrate", "project", code=1)
        self.assertIn("\nNot looked at: 1 files skipped, 0 failed, 1 parts not valid Python\n",
                      screen)

    def test_a_notebook_that_cannot_be_read_was_not_looked_at(self):
        for text, where in (('{"cells": [', "Nothing to do: file (1)"),
                            ('{"cells": ["x.cuda()"', "| net.ipynb | files that could not be looked at")):
            self.write("project/net.ipynb", text)
            screen = self.screen("migrate", "project", code=1)
            self.assertIn("\nNot looked at: 1 files skipped, ", screen)
            self.assertIn(where, screen)
            self.assertNotIn("Nothing was looked at", screen)

    def test_gives_commands_that_run_as_they_stand(self):
        name = "it's a project"
        self.write(f"{name}/train.py", self.SOURCE)
        commands = re.findall(r"(?m)^  transplt (.+)$", self.screen("migrate", name))
        self.assertEqual(len(commands), 2)
        for command in commands:
            done = subprocess.run(["bash", "-c", f'"$PROGRAM" {command}'], cwd=self.folder,
                                  env=dict(os.environ, PROGRAM=str(program.EXECUTABLE)),
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                                  check=False)
            self.assertEqual(done.returncode, 0, f"{command}: {done.stderr}")
        self.assertIn("NEXT.md", os.listdir(self.folder / "OUT" / f"{name}_msft"))

    def test_of_a_project_changed_in_place_says_how_to_put_it_back(self):
        path = self.write("project/train.py", self.SOURCE)
        screen = self.screen("migrate", "project", "--in-place")
        undo = re.search(r"\(transplt (migrate project --undo) puts them back\)", screen)
        self.run_for(0, *undo[1].split())
        self.assertEqual(path.read_text(), self.SOURCE)

    def test_says_so_where_nothing_is_left(self):
        self.write("project/train.py", TRAIN)
        self.assertIn("\nNothing is left for a person\n", self.screen("migrate", "project"))

    def test_speaks_chinese_and_so_does_next_md(self):
        self.write("project/train.py", self.SOURCE)
        screen = self.screen("--lang", "zh", "migrate", "project", "-o", "out")
        self.assertIn("\n请按此顺序处理\n", screen)
        self.assertRegex(screen, r"(?m)^  1 导入失败 \| train\.py:2 \| ")
        steps = (self.folder / "out/project_msft/NEXT.md").read_text("utf-8")
        self.assertTrue(steps.startswith("# 后续工作\n"), steps[:40])
        self.assertIn("\n## 导入失败\n", steps)
        self.assertNotIn("stops", steps)

    def test_lists_causes_with_all_of_their_places(self):
        self.write("project/train.py", self.SOURCE)
        self.write("project/test.py", "import torch\ndef m(): return torch.utils.cpp_extension.load('ops', ['ops.cu'])\n")
        screen = self.screen("migrate", "project", "--list", "causes")
        block = re.search(r"(?m)^cuda-extension:ops: stops run\n(?:    .*\n)+", screen)[0]
        self.assertEqual(sorted(block.splitlines()[2:]), ["    test.py:2", "    train.py:3"])
        self.assertIn("\nFor you, in this order\n", screen)

    def test_lists_nothing_that_it_does_not_know(self):
        self.write("project/train.py", self.SOURCE)
        self.assertIn("--list", self.screen("migrate", "project", "--list", "some", code=2))


class NextFile(ProgramTest):
    SOURCE = FirstScreen.SOURCE

    def steps(self):
        self.run_for(0, "migrate", "project", "-o", "out")
        return (self.folder / "out/project_msft/NEXT.md").read_text("utf-8")

    def test_its_lines_are_those_of_the_result(self):
        (self.folder / "project").mkdir(exist_ok=True)
        (self.folder / "project/main.py").write_text(
            "import torch\n\nx = torch.ones(1).cuda()\nmodel = torch.nn.DataParallel(x)\n")
        self.run_for(0, "migrate", self.folder / "project", "-o", self.folder / "out", "--force")
        steps = (self.folder / "out/project_msft/NEXT.md").read_text("utf-8")
        self.assertIn("Lines are those of the files here", steps)
        place = [line for line in steps.splitlines() if line.startswith("  `main.py:")][0]
        line = int(place.strip(" `").split(":")[1])
        result = (self.folder / "out/project_msft/main.py").read_text().splitlines()
        self.assertIn("DataParallel", result[line - 1])
        self.assertEqual(line, 5)  # import torch_npu stands in front

    def test_names_the_package_of_torch_npu_that_the_release_has_for_the_torch(self):
        self.write("project/train.py", self.SOURCE)
        self.run_for(0, "migrate", "project", "-o", "out", "--torch-version", "2.8")
        steps = (self.folder / "out/project_msft/NEXT.md").read_text("utf-8")
        self.assertIn("install torch 2.8.0 from the wheels for the CPU", steps)
        self.assertIn("torch-npu 2.8.0.post4 (release 26.0.0)", steps)

    def test_names_an_environment_for_each_framework_that_programs_use(self):
        self.write("project/train.py", self.SOURCE)
        self.write("project/tf/train.py",
                   "import tensorflow as tf\n\nx = tf.placeholder(tf.float32)\n"
                   "step = tf.train.GradientDescentOptimizer(0.1).minimize(x)\n"
                   "with tf.Session() as session:\n    session.run(step, {x: 1.0})\n")
        steps = self.steps()
        self.assertIn("with Python 3.11 (3.10-3.14), for which this torch exists: install torch "
                      "2.12.0", steps)
        self.assertIn("For tf/train.py, an environment of its own: Python 3.7, TensorFlow 1.15.0, and "
                      "the TF Adapter (npu_bridge)", steps)
        self.assertIn(", TensorFlow 1.15.0 for 1 programs (Python 3.7); assumed: torch", steps)

    def test_says_that_nobody_mends_an_old_torch_which_only_the_project_asks_for(self):
        self.write("project/train.py", self.SOURCE)
        self.write("project/requirements.txt", "torch==1.8.0\ntimm\n")
        note = "support of torch 1.8.1 with torch_npu ended on 2023-04-10"
        steps = self.steps()
        self.assertIn(note, steps)
        self.assertIn("with Python 3.9 (3.7-3.9), for which this torch exists", steps)
        self.assertIn("without a version (timm), which may not know this torch of 2021-03", steps)
        self.run_for(0, "migrate", "project", "-o", "out", "--force", "--torch-version", "1.8.1")
        self.assertNotIn(note, (self.folder / "out/project_msft/NEXT.md").read_text("utf-8"))

    def test_judges_by_the_python_that_it_names(self):
        self.write("project/train.py", "import imp\nfrom scipy import linalg\n" + self.SOURCE +
                   "\nimp.load_source('a', 'b')\nx, _ = linalg.sqrtm(y, disp=False)\n")
        steps = self.steps()
        self.assertNotIn("Python 3.12 took", steps)
        self.assertNotIn("SciPy 1.18", steps)
        self.write("project/pyproject.toml", '[project]\nname = "a"\nrequires-python = ">=3.12"\n')
        self.run_for(0, "migrate", "project", "-o", "out", "--force")
        steps = (self.folder / "out/project_msft/NEXT.md").read_text("utf-8")
        self.assertIn("with Python 3.12 (3.10-3.14)", steps)
        self.assertIn("Python 3.12 took", steps)
        self.assertIn("SciPy 1.18", steps)

    def test_names_a_python_that_imports_the_releases_of_the_project(self):
        self.write("project/train.py", "import hydra\n" + self.SOURCE)
        self.write("project/requirements.txt", "hydra-core==1.2.0\n")
        steps = self.steps()
        self.assertIn("with Python 3.10 (3.10-3.14)", steps)
        self.assertNotIn("mutable default", steps)
        self.write("project/requirements.txt", "hydra-core>=1.2.0\n")
        self.run_for(0, "migrate", "project", "-o", "out", "--force")
        steps = (self.folder / "out/project_msft/NEXT.md").read_text("utf-8")
        self.assertIn("with Python 3.11 (3.10-3.14)", steps)

    def test_gives_a_switch_no_value(self):
        self.write("project/train.py",
                   "import argparse\nimport torch\n\ndef make(kind):\n    if kind == 'deep':\n"
                   "        import tinycudann\n        return tinycudann.Network()\n"
                   "    return torch.nn.Linear(1, 1)\n\ndef main():\n"
                   "    parser = argparse.ArgumentParser()\n"
                   "    parser.add_argument('--more', action='store_true')\n"
                   "    args = parser.parse_args()\n    model = make('plain')\n"
                   "    if args.more:\n        model = make('deep')\n    model.cuda()\n\n"
                   "if __name__ == '__main__':\n    main()\n")
        self.assertRegex(self.steps(), r"stops with --more: item \d")

    def test_names_an_older_release_that_takes_several_places_away(self):
        self.write("project/train.py", "import pandas as pd\n" + self.SOURCE +
                   "\nrows = pd.read_csv('a.csv')\nrows = rows.append(rows)\n"
                   "for name, row in rows.iteritems():\n    print(name, rows.ix[0])\n")
        note = 'pip install "pandas<2.0" "numpy<2" installs beside Python 3.11'
        self.assertIn("2 places are there because newer releases of pandas", self.steps())
        self.assertIn(note, (self.folder / "out/project_msft/NEXT.md").read_text("utf-8"))
        self.write("project/requirements.txt", "pandas<2\n")
        self.run_for(0, "migrate", "project", "-o", "out", "--force")
        self.assertNotIn(note, (self.folder / "out/project_msft/NEXT.md").read_text("utf-8"))

    def test_tells_what_each_place_says_where_the_remedy_is_that(self):
        self.write("project/train.py", self.SOURCE)
        self.write("project/requirements.txt", "numpy==1.16.4\nnumba==0.48\n")
        steps = self.steps()
        self.assertRegex(steps, r"(?m)^  - requirements\.txt:1: numpy: .*take 1\.21\.2")
        self.assertRegex(steps, r"(?m)^  - requirements\.txt:2: numba: .*take 0\.55\.0")

    def test_is_a_checklist_in_the_order_of_the_first_screen(self):
        self.write("project/train.py", self.SOURCE)
        steps = self.steps()
        boxes = re.findall(r"(?m)^- \[ \] (\d+)\. .*\n  `(.*)`$", steps)
        # `import torch_npu` stands in front of them in the result.
        self.assertEqual(boxes, [("1", "train.py:3"), ("2", "train.py:4")])
        self.assertLess(steps.index("\n## stops import\n"), steps.index("\n## stops run\n"))

    def test_names_every_place_of_a_cause(self):
        self.write("project/train.py",
                   "import torch\n" + "m = torch.nn.DataParallel(net)\n" * 60)
        self.assertIn("`train.py:" + ",".join(map(str, range(2, 62))) + "`", self.steps())

    def test_is_written_where_nothing_is_left(self):
        self.write("project/train.py", TRAIN)
        steps = self.steps()
        self.assertNotIn("- [ ]", steps)
        self.assertIn("\n## Next\n", steps)

    def test_is_not_written_without_a_result_folder(self):
        self.write("project/train.py", self.SOURCE)
        for arguments in ([], ["--diff"], ["--in-place"]):
            self.run_for(0, "migrate", "project", *arguments)
            self.assertNotIn("NEXT.md", os.listdir(self.folder / "project"))


class Messages(ProgramTest):
    MANY = "import torch\n" + "".join(f"m{n} = torch.nn.DataParallel(net)\n" for n in range(60))
    FIRST = r"2:6: torch\.nn\.DataParallel: .+: m0 = torch\.nn\.DataParallel\(net\)$"

    def places(self, result, name):
        return [line for line in result.stderr.decode().split("\n")
                if line.startswith(f"{name}:") and line[len(name) + 1].isdigit()]

    def test_of_list_all_show_every_place(self):
        self.write("project/train.py", self.MANY)
        result = self.run_for(0, "migrate", "project", "-o", "out", "--list", "all")
        shown = self.places(result, "train.py")
        self.assertEqual(len(shown), 60)
        self.assertRegex(shown[0], r"^train\.py:" + self.FIRST)

    def test_of_standard_input_show_the_first_50_and_count_the_rest(self):
        result = self.run_for(0, "migrate", "-", stdin=self.MANY.encode())
        shown = self.places(result, "<stdin>")
        self.assertEqual(len(shown), 50)
        self.assertIn(b"10 more", result.stderr)
        self.assertRegex(shown[0], r"^<stdin>:" + self.FIRST)
        result = self.run_for(0, "migrate", "-", "--list", "all", stdin=self.MANY.encode())
        self.assertEqual(len(self.places(result, "<stdin>")), 60)
        result = self.run_for(0, "migrate", "-", "--list", "causes", stdin=self.MANY.encode())
        self.assertTrue(result.stderr.startswith(b"data-parallel: "), result.stderr)

    def test_keep_names_readable_whatever_the_locale(self):
        self.write("项目/训练 脚本.py", "import torch\nm = torch.nn.DataParallel(net)\n")
        for lang in ("C", "en_US.UTF-8", "zh_CN.GBK"):
            result = self.run_for(0, "migrate", "项目", "--list", "all", env={"LANG": lang})
            self.assertIn("训练 脚本.py:2:5: ", result.stderr.decode("utf-8"))
            self.assertIn(" | 训练 脚本.py:2 | ", result.stderr.decode("utf-8"))

    def test_are_chinese_where_the_locale_or_the_option_says_so(self):
        self.write("project/train.py", "import torch\nm = torch.nn.DataParallel(net)\n")
        english = self.run_for(0, "migrate", "project").stderr.decode()
        self.assertNotRegex(english, r"[一-鿿]")
        for arguments, env in (([], {"LANG": "zh_CN.UTF-8"}),
                               ([], {"LANG": "C", "LC_ALL": "zh_CN.UTF-8"}),
                               (["--lang", "zh"], {})):
            chinese = self.run_for(0, *arguments, "migrate", "project", env=env)
            self.assertRegex(chinese.stderr.decode(), r"[一-鿿]")
        again = self.run_for(0, "--lang", "en", "migrate", "project", env={"LANG": "zh_CN.UTF-8"})
        self.assertEqual(again.stderr.decode(), english)

    def test_of_errors_are_chinese_too(self):
        result = self.run_for(2, "migrate", "missing", env={"LANG": "zh_CN.UTF-8"})
        self.assertRegex(result.stderr.decode(), r"[一-鿿]")

    def test_do_not_change_the_change_list(self):
        self.write("project/train.py", TRAIN)
        self.run_for(0, "migrate", "project", "-o", "en")
        self.run_for(0, "migrate", "project", "-o", "zh", env={"LANG": "zh_CN.UTF-8"})
        header = (self.folder / "zh/project_msft/change_list.csv").read_bytes().split(b"\n")[0]
        self.assertEqual(header.decode(), ",".join(program.HEADER))
        self.assertEqual(tree_of(self.folder / "en")["project_msft/train.py"],
                         tree_of(self.folder / "zh")["project_msft/train.py"])

    def test_have_no_progress_and_no_colour_without_a_terminal(self):
        for number in range(50):
            self.write(f"project/f{number}.py", TRAIN)
        result = self.run_for(0, "migrate", "project", "-o", "out")
        self.assertNotIn(b"\r", result.stderr)
        self.assertNotIn(b"\x1b", result.stderr)
        self.assertEqual(result.stdout, b"")

    def test_never_ask(self):
        """Standard input stays open and silent: a prompt would wait for it for ever."""
        self.write("project/train.py", TRAIN)
        for arguments in (["-o", "out"], ["-o", "out"], ["-o", "out", "--force"], ["--in-place"],
                          ["--undo"], ["--check"]):
            read, write = os.pipe()
            try:
                subprocess.run([program.EXECUTABLE, "migrate", "project", *arguments],
                               stdin=read, cwd=self.folder, capture_output=True, timeout=30,
                               check=False)
            finally:
                os.close(read)
                os.close(write)


class Json(ProgramTest):
    def test_is_the_whole_standard_output_and_parses(self):
        self.write("project/train.py", TRAIN)
        self.write("project/坏\udcff.py", "import torch\nm = torch.nn.DataParallel(net)\n")
        self.write("project/data.bin", b"\x00\xff")
        for arguments in ([], ["-o", "out"], ["--check"]):
            with self.subTest(arguments=arguments):
                code = 1 if "--check" in arguments else 0
                result = self.run_for(code, "migrate", "project", "--format", "json", *arguments)
                document = json.loads(result.stdout.decode("utf-8"))
                self.assertEqual(document["files"][0]["status"], "copied")
                self.assertEqual(len(document["files"]), 3)
                rows = [row for row in document["records"] if row["file"] == "train.py"]
                self.assertEqual([row["start_line"] for row in rows], [2, 3, 4])
                self.assertEqual(rows[1]["operation"], "MODIFY")

    def test_keeps_english_keys_in_chinese(self):
        self.write("project/train.py", TRAIN)
        english = self.run_for(0, "migrate", "project", "--format", "json").stdout
        chinese = self.run_for(0, "--lang", "zh", "migrate", "project", "--format", "json").stdout
        self.assertEqual(set(json.loads(english)), set(json.loads(chinese)))


class CompatibleForm(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("project/train.py", TRAIN)
        (self.folder / "out").mkdir()

    def test_gives_what_the_subcommand_gives(self):
        self.write("rules.json", '{"rules": {"FuncNameModifyRule": '
                                 '[{"old_name": "Linear", "new_name": "Bilinear"}]}}')
        # NEXT.md names the result folder, so both write to the same one.
        self.run_for(0, "-i", "project", "-o", "out", "-r", "rules.json", "-v", "2.8.0")
        os.rename(self.folder / "out", self.folder / "old")
        self.run_for(0, "migrate", "project", "-o", "out", "-r", "rules.json",
                     "--torch-version", "2.8.0")
        old, new = tree_of(self.folder / "old"), tree_of(self.folder / "out")
        self.assertEqual(old, new)
        self.assertIn(b"torch.nn.Bilinear(2, 2).npu()", old["project_msft/train.py"])

    def test_takes_long_names_any_order_and_a_file(self):
        self.run_for(0, "--output", "out", "--input", "project/train.py", "--version", "2.1.0")
        self.assertTrue((self.folder / "out/train_msft/train.py").is_file())
        self.run_for(0, "-o", "out", "-i", "project")
        self.assertTrue((self.folder / "out/project_msft/train.py").is_file())

    def test_needs_input_and_output(self):
        for arguments in (["-i", "project"], ["-o", "out"], ["-i"], ["-i", "project", "-o"]):
            self.run_for(2, *arguments)
        self.assertEqual(os.listdir(self.folder / "out"), [])

    def test_says_what_belongs_to_a_later_version_and_writes_nothing(self):
        before = tree_of(self.folder)
        base = ["-i", "project", "-o", "out"]
        result = self.run_for(2, *base, "-m")
        self.assertIn("-m: ", result.stderr.decode())
        self.assertIn("nothing was written", result.stderr.decode())
        self.assert_nothing_written(before)

    def test_distributed_makes_a_result_for_several_cards(self):
        (self.folder / "project" / "train.py").write_text(
            "import torch\n"
            "from torch.utils.data import DataLoader\n\n"
            "model = torch.nn.Linear(1, 1).cuda()\n"
            "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
            "for x in DataLoader(torch.rand(8, 1)):\n"
            "    model(x.cuda()).mean().backward()\n"
            "    optimizer.step()\n")
        main = "project/train.py"
        for number, options in enumerate((["distributed", "-m", main, "-t", "model"],
                                          ["distributed", "-m", "train.py"],
                                          ["-s", "distributed", "-t", "model", "-m", main])):
            with self.subTest(options=options):
                self.run_for(0, "-i", "project", "-o", f"out{number}", *options)
                result = self.folder / f"out{number}" / "project_msft_multi"
                self.assertIn("transplt_distributed.wrap(model)(x.npu())",
                              (result / "train.py").read_text())
                self.assertTrue((result / "run_distributed_npu.sh").is_file())

    def test_distributed_needs_its_main_file(self):
        before = tree_of(self.folder)
        self.run_for(2, "-i", "project", "-o", "out", "distributed", "-t", "model")
        self.assert_nothing_written(before)


class Questions(ProgramTest):
    def test_query_says_what_a_name_becomes(self):
        for name, answer in {
                "torch.cuda.synchronize": b"torch.cuda.synchronize -> torch.npu.synchronize\n",
                "CUDA_VISIBLE_DEVICES": b'"CUDA_VISIBLE_DEVICES" -> "ASCEND_RT_VISIBLE_DEVICES"\n',
                "torch.nn.DataParallel": b"torch.nn.DataParallel\n  torch.nn.DataParallel: Huawei",
                "torch.nn.Linear": b"torch.nn.Linear: no rule is about it",
        }.items():
            with self.subTest(name):
                self.assertTrue(self.run_for(0, "query", name).stdout.startswith(answer))

    def test_query_knows_the_versions_of_torch(self):
        older = self.run_for(0, "query", "torch.cuda.OutOfMemoryError", "--torch-version", "2.1")
        newer = self.run_for(0, "query", "torch.cuda.OutOfMemoryError")
        self.assertNotEqual(older.stdout, newer.stdout)

    def test_query_of_what_is_no_name_is_2(self):
        self.assertIn(b"give one name", self.run_for(2, "query", "a b").stderr)
        self.run_for(2, "query")

    def test_query_entries_names_the_program_that_trains(self):
        self.write("p/train.py", "loss.backward()\noptimizer.step()\n")
        self.write("p/show.py", "if __name__ == '__main__':\n    print(1)\n")
        found = json.loads(self.run_for(0, "query", "entries", "p", "--format", "json").stdout)
        self.assertEqual(found["chosen"], 0)
        self.assertEqual(found["candidates"][0]["path"], "train.py")
        text = self.run_for(0, "query", "entries", "p")
        self.assertTrue(text.stdout.startswith(b"* train.py\n"))
        self.assertIn(b"show.py", text.stdout)

    def test_query_entries_is_1_where_a_person_has_to_choose(self):
        for name in ("a.py", "b.py"):
            self.write("p/" + name, "loss.backward()\noptimizer.step()\n")
        self.assertIn(b"several programs train", self.run_for(1, "query", "entries", "p").stderr)
        self.write("q/a.ipynb", "{}")
        self.assertIn(b"nbconvert", self.run_for(1, "query", "entries", "q").stderr)

    def test_query_entries_of_what_is_no_project_is_2(self):
        self.run_for(2, "query", "entries", "nowhere")
        self.run_for(2, "query", "entries")
        self.run_for(2, "query", "entries", ".", "--format", "xml")

    def test_explain_shows_a_rule_or_says_where_all_are(self):
        shown = self.run_for(0, "explain", "torch.cuda.synchronize").stdout
        self.assertIn(b"Waits until the device", shown)
        self.assertIn(b"rule list", self.run_for(2, "explain", "nothing").stderr)


class Determinism(ProgramTest):
    def test_every_number_of_threads_gives_the_same_bytes(self):
        for number in range(60):
            self.write(f"project/p{number % 7}/f{number}.py",
                       TRAIN + f"m{number} = torch.nn.DataParallel(model)\n" * (number % 5))
        outputs = []
        for jobs in ("1", "2", "2", "7", "0"):
            result = self.run_for(0, "migrate", "project", "-o", "out", "--diff", "-j", jobs)
            outputs.append((result.stdout, result.stderr, tree_of(self.folder / "out")))
            shutil.rmtree(self.folder / "out")
        self.assertIn("project_msft/NEXT.md", outputs[0][2])
        for output in outputs[1:]:
            self.assertEqual(output, outputs[0])

    def test_the_address_space_does_not_matter(self):
        """The same bytes wherever the input lies and however long the environment is."""
        source = ("import torch\ntry:\n    from torch.cuda.amp import autocast, GradScaler\n"
                  "except ImportError:\n    autocast = None\n"
                  "from torch.cuda import Event, Stream, CUDAGraph, OutOfMemoryError, nvtx\n"
                  "x = torch.zeros(1, device='cuda').cuda()\n")
        results = set()
        for size in range(0, 4000, 130):
            path = self.write(f"{'d' * (size % 200 + 1)}/train.py", source)
            results.add(self.run_for(0, "migrate", path, env={"FILLER": "x" * size}).stdout)
        self.assertEqual(len(results), 1)


if __name__ == "__main__":
    unittest.main()
