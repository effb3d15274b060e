#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""transplt review: the result holds the edits that a person wants, byte for byte."""

import csv
import io
import json
import os
import shutil
import sys
import unittest

sys.dont_write_bytecode = True
from program import RECORD, REPORTS, ProgramTest, run_on_a_terminal, tree_of  # noqa: E402

MODEL = """import torch

model = torch.nn.Linear(2, 2).cuda()
torch.cuda.synchronize()
"""
MODEL_NPU = """import torch
import torch_npu

model = torch.nn.Linear(2, 2).npu()
torch.npu.synchronize()
"""
RULE_OFF = """[[rules]]
id = ".cuda"
off = true
reason = "device = 'cuda' is meant"
"""
# One value: what the module says is the default, and two others compare with it.
SETTINGS = 'DEVICE = "cuda"\n'
TRAIN = """import torch
from settings import DEVICE

if DEVICE == "cuda":
    print("fast")
x = torch.ones(2, device=DEVICE)
"""
TEST = """import torch
from settings import DEVICE

slow = DEVICE != "cuda"
y = torch.ones(2).to(DEVICE)
"""


class ReviewTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.result = self.folder / "out/project_msft"
        self.table = self.result / "change_list.csv"

    def migrate(self, files, *arguments):
        for name, content in files.items():
            self.write("project/" + name, content)
        self.run_for(0, "migrate", "project", "-o", "out", *arguments)
        return tree_of(self.result)

    def review(self, *arguments, code=0):
        """Runs the review, and gives what it says on stderr."""
        return self.run_for(code, "review", "out/project_msft", *arguments).stderr.decode()

    def text(self, name):
        return (self.result / name).read_bytes()

    def rows(self):
        with open(self.table, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def save(self, change, path=None, encoding="utf-8", **form):
        """Saves change_list.csv with what `change` puts into its rows, as a spreadsheet would."""
        rows = self.rows()
        for row in rows:
            change(row)
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]), **form)
        writer.writeheader()
        writer.writerows(rows)
        path = path or self.folder / "decided.csv"
        path.write_bytes(text.getvalue().encode(encoding))
        return str(path)

    def assert_refused(self, says, *arguments):
        """Nothing is written, and the message says why."""
        before = tree_of(self.result)
        message = self.review(*arguments, code=2)
        self.assertIn(says, message)
        self.assertEqual(tree_of(self.result), before)
        self.assertEqual(os.listdir(self.folder / "out"), ["project_msft"])


def decide(word, **cells):
    """A change for save(): writes `word` into rows with these cells."""
    def change(row):
        if all(row[key.replace("_", " ")] == value for key, value in cells.items()):
            row["Decision"] = word
    return change


def line_with(text, path):
    """The number of the line that has `text`: a field may have several lines."""
    with open(path, encoding="utf-8", newline="") as file:
        return file.read().split(text)[0].count("\n") + 1


class SomeEdits(ReviewTest):
    def test_a_rejected_line_stays_and_the_import_that_others_need_too(self):
        self.migrate({"train.py": MODEL})
        self.review("--reject", "train.py:3")
        self.assertEqual(self.text("train.py").decode(), MODEL_NPU.replace(".npu()", ".cuda()"))

    def test_a_file_without_accepted_edits_is_the_original(self):
        self.migrate({"train.py": MODEL})
        self.review("--reject", "file:train.py")
        self.assertEqual(self.text("train.py").decode(), MODEL)

    def test_of_a_document_are_rejected_like_others_where_it_was_edited(self):
        document = ("Cuda:\r\n\r\n```sh\r\n"
                    "$ CUDA_VISIBLE_DEVICES=0 python t.py --device cuda\r\n```\r\n")
        self.migrate({"train.py": MODEL, "README.md": document}, "--edit-docs")
        self.review("--reject", "rule:device-cuda")
        self.assertEqual(self.text("README.md").decode(),
                         document.replace("CUDA_VISIBLE", "ASCEND_RT_VISIBLE"))
        self.review("--reject", "documentation")
        self.assertEqual(self.text("README.md").decode(), document)

    def test_an_edit_that_is_accepted_again_is_made_again(self):
        before = self.migrate({"train.py": MODEL})
        self.review("--reject", "all")
        self.review("--accept", "train.py:4")
        self.assertEqual(self.text("train.py").decode(), MODEL_NPU.replace(".npu()", ".cuda()"))
        self.review("--accept", "all")
        for name, content in before.items():
            if name not in REPORTS:
                self.assertEqual(tree_of(self.result)[name], content)

    def test_the_list_of_changes_has_the_decisions(self):
        self.migrate({"train.py": MODEL})
        self.review("--reject", "train.py:3")
        decisions = {row["Start Line"]: row["Decision"] for row in self.rows()}
        self.assertEqual(decisions["3"], "reject")
        self.assertEqual(decisions["4"], "")
        self.assertNotIn("train.py:3", self.text("NEXT.md").decode())

    def test_a_rule_is_rejected_in_all_files(self):
        self.migrate({"a.py": MODEL, "b.py": MODEL})
        rule = next(row["Rule ID"] for row in self.rows() if row["Start Line"] == "4")
        self.review("--reject", "rule:" + rule)
        for name in ("a.py", "b.py"):
            self.assertEqual(self.text(name).decode(),
                             MODEL_NPU.replace("torch.npu", "torch.cuda"))

    def test_a_cause_is_rejected_in_all_files(self):
        self.migrate({"a.py": MODEL, "b.py": MODEL})
        cause = next(row["Cause"] for row in self.rows() if row["Start Line"] == "3")
        self.review("--reject", cause)
        for name in ("a.py", "b.py"):
            self.assertEqual(self.text(name).decode(), MODEL_NPU.replace(".npu()", ".cuda()"))

    def test_a_folder_is_rejected(self):
        self.migrate({"a/train.py": MODEL, "b/train.py": MODEL})
        self.review("--reject", "file:a/")
        self.assertEqual(self.text("a/train.py").decode(), MODEL)
        self.assertEqual(self.text("b/train.py").decode(), MODEL_NPU)

    def test_the_list_names_groups_that_can_be_rejected(self):
        self.migrate({"train.py": MODEL})
        listed = self.run_for(0, "review", "out/project_msft", "--list").stdout.decode()
        line = next(line for line in listed.splitlines() if "train.py:4" in line)
        self.review("--reject", line.split()[0])
        self.assertEqual(self.text("train.py").decode(),
                         MODEL_NPU.replace("torch.npu", "torch.cuda"))

    def test_accept_counts_after_reject(self):
        self.migrate({"train.py": MODEL})
        self.review("--reject", "all", "--accept", "train.py:4")
        self.assertEqual(self.text("train.py").decode(), MODEL_NPU.replace(".npu()", ".cuda()"))


class AnImport(ReviewTest):
    def test_of_torch_npu_comes_when_the_edit_that_brought_it_is_rejected(self):
        source = ("from torch.cuda.amp import GradScaler\n\nimport torch\n\n"
                  "scaler = GradScaler()\nx = torch.ones(2).cuda()\n")
        self.migrate({"train.py": source})
        self.review("--reject", "train.py:1")
        text = self.text("train.py").decode()
        self.assertIn("from torch.cuda.amp import GradScaler\n", text)
        self.assertIn("import torch_npu\n", text)
        self.assertIn("torch.ones(2).npu()", text)


class OneValueInThreeFiles(ReviewTest):
    FILES = {"settings.py": SETTINGS, "train.py": TRAIN, "test.py": TEST}

    def test_is_rejected_whole_and_the_run_says_what_went_with_it(self):
        self.migrate(self.FILES)
        self.assertIn(b'"npu"', self.text("settings.py"))
        self.assertIn(b'"npu"', self.text("train.py"))
        self.assertIn(b'"npu"', self.text("test.py"))
        said = self.review("--reject", "settings.py:1")
        self.assertIn("train.py:4 is rejected too", said)
        self.assertIn("test.py:4 is rejected too", said)
        for name, source in self.FILES.items():
            self.assertEqual(self.text(name).decode(), source)

    def test_is_accepted_whole(self):
        before = self.migrate(self.FILES)
        self.review("--reject", "test.py:4")
        self.review("--accept", "train.py:4")
        for name in self.FILES:
            self.assertEqual(tree_of(self.result)[name], before[name])

    def test_cannot_be_rejected_in_one_row_and_accepted_in_another(self):
        self.migrate(self.FILES)

        def change(row):
            if row["File"] == "settings.py":
                row["Decision"] = "reject"
            if row["File"] == "train.py" and row["Start Line"] == "4":
                row["Decision"] = "accept"
        self.assert_refused("belong together", "--decisions", self.save(change))


class Decisions(ReviewTest):
    def setUp(self):
        super().setUp()
        self.migrate({"train.py": MODEL})
        self.expected = MODEL_NPU.replace(".npu()", ".cuda()")

    def decided(self, word="reject", path=None, **form):
        return self.save(decide(word, File="train.py", Start_Line="3"), path, **form)

    def assert_applied(self, path):
        self.review("--decisions", path)
        self.assertEqual(self.text("train.py").decode(), self.expected)

    def test_are_read_from_the_edited_list_in_the_result_itself(self):
        self.assert_applied(self.decided(path=self.table))

    def test_are_read_with_semicolons_and_a_byte_order_mark(self):
        self.assert_applied(self.decided(" No ", delimiter=";", encoding="utf-8-sig"))

    def test_are_read_as_excel_saves_unicode_text(self):
        self.assert_applied(self.decided("R", delimiter="\t", encoding="utf-16",
                                         lineterminator="\r\n"))

    def test_are_read_when_every_field_is_quoted_and_lines_end_with_crlf(self):
        self.assert_applied(self.decided("REJECT", quoting=csv.QUOTE_ALL, lineterminator="\r\n"))

    def test_of_a_table_without_the_column_are_refused(self):
        path = self.decided()
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        self.write("decided.csv", text.replace("Decision", "Verdict", 1))
        self.assert_refused('decided.csv:1: there is no column "Decision"', "--decisions", path)

    def test_with_an_unknown_word_are_refused_by_line(self):
        path = self.decided("maybe")
        self.assert_refused(f'decided.csv:{line_with("maybe", path)}: the Decision "maybe"',
                            "--decisions", path)

    def test_about_another_run_are_refused_by_line(self):
        def change(row):
            if row["Start Line"] == "3":
                row.update({"Start Line": "33", "Decision": "reject"})
        path = self.save(change)
        self.assert_refused(f"decided.csv:{line_with('train.py,33', path)}: this row is about no",
                            "--decisions", path)

    def test_with_a_quote_that_is_never_closed_are_refused(self):
        self.write("decided.csv", "File,Decision\n\"train.py,reject\n")
        self.assert_refused("decided.csv:2: a quote is never closed",
                            "--decisions", "decided.csv")

    def test_of_a_file_that_is_not_there_are_refused(self):
        self.assert_refused("cannot read", "--decisions", "missing.csv")

    def test_that_say_what_holds_already_write_nothing(self):
        self.review("--reject", "train.py:3")
        before = tree_of(self.result)
        shutil.copy(self.table, self.folder / "decided.csv")
        self.assertIn("nothing was written", self.review("--decisions", "decided.csv"))
        self.assertEqual(tree_of(self.result), before)


class Questions(ReviewTest):
    """`.cuda` is asked first: its edits are to be looked at."""

    def setUp(self):
        super().setUp()
        self.migrate({"train.py": MODEL + "y = model.cuda()\n"})

    def ask(self, *answers, code=0, env=None):
        """Answers the questions, and gives what the terminal shows."""
        got, shown = run_on_a_terminal("review", "out/project_msft", cwd=self.folder, env=env,
                                       answers="".join(answer + "\n" for answer in answers))
        self.assertEqual(got, code, shown)
        return shown

    def decisions(self):
        return {row["Start Line"]: row["Decision"] for row in self.rows()
                if row["Rule ID"] != "import-torch-npu"}

    def test_are_asked_by_cause_with_the_lines_around_in_colour(self):
        shown = self.ask("n", "y")
        self.assertIn("[1/2] .cuda: 2 edits in 1 files; ", shown)
        self.assertIn("\033[31m      3 - model = torch.nn.Linear(2, 2).cuda()\033[0m\n"
                      "\033[32m        + model = torch.nn.Linear(2, 2).npu()\033[0m\n"
                      "      4   torch.cuda.synchronize()\n", shown)
        self.assertEqual(self.decisions(), {"3": "reject", "4": "accept", "5": "reject"})
        self.assertEqual(self.text("train.py").decode(),
                         MODEL_NPU.replace(".npu()", ".cuda()") + "y = model.cuda()\n")

    def test_have_no_colour_where_that_is_not_wanted(self):
        self.assertNotIn("\033", self.ask("q", env={"NO_COLOR": "1"}))

    def test_go_edit_by_edit(self):
        shown = self.ask("e", "y", "n", "y")
        self.assertIn("train.py:5", shown)
        self.assertEqual(self.decisions(), {"3": "accept", "4": "accept", "5": "reject"})

    def test_of_single_edits_end_with_all_or_none_of_the_cause(self):
        self.ask("e", "d", "y")
        self.assertEqual(self.decisions(), {"3": "reject", "4": "accept", "5": "reject"})
        self.review("--undo")
        self.ask("e", "a", "n")
        self.assertEqual(self.decisions(), {"3": "accept", "4": "reject", "5": "accept"})

    def test_end_with_all_or_none_that_are_left(self):
        self.ask("n", "a")
        self.assertEqual(self.decisions(), {"3": "reject", "4": "accept", "5": "reject"})
        self.review("--undo")
        self.ask("d")
        self.assertEqual(self.text("train.py").decode(), MODEL + "y = model.cuda()\n")

    def test_that_were_answered_are_not_asked_again(self):
        shown = self.ask("n", "q")
        self.assertIn("1 not decided yet", shown)
        shown = self.ask("n")
        self.assertIn("[1/1] torch.cuda.synchronize", shown)
        self.assertEqual(self.text("train.py").decode(), MODEL + "y = model.cuda()\n")
        self.assertIn("you have decided about all 3 edits", self.ask())
        self.review("--undo")
        self.assertEqual(self.decisions(), {"3": "reject", "4": "", "5": "reject"})

    def test_can_be_left_for_later_or_stopped_and_then_nothing_is_written(self):
        before = tree_of(self.result)
        self.assertIn("nothing was written", self.ask("s", "q"))
        self.assertIn("nothing was written", self.ask("e", "s", "\x04"))
        self.assertEqual(tree_of(self.result), before)

    def test_tell_the_keys_for_an_answer_that_is_none_of_them(self):
        shown = self.ask("?", "maybe", "", "q")
        self.assertEqual(shown.count("choose: ask about each edit"), 3)

    def test_are_asked_about_a_flow_as_a_whole_with_all_of_its_files(self):
        self.migrate(OneValueInThreeFiles.FILES, "--force")
        shown = self.ask("e", "n")
        self.assertIn("  3 edits that belong together:\n", shown)
        for name, original in OneValueInThreeFiles.FILES.items():
            self.assertIn("  " + name, shown)
            self.assertEqual(self.text(name).decode(), original)

    def test_are_not_asked_about_a_project_that_has_changed(self):
        self.write("project/train.py", MODEL + "\n")
        self.assertIn("the project has changed here", self.ask(code=2))

    def test_are_not_asked_where_there_is_no_terminal(self):
        self.assert_refused("on a terminal this asks about the edits; here say what to do")

    def test_are_asked_about_a_notebook(self):
        cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
                "source": ["import torch\n", "x = torch.ones(1).cuda()\n"]}
        notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        shutil.rmtree(self.folder / "project")
        self.migrate({"train.ipynb": json.dumps(notebook, indent=1)}, "--force")
        self.ask("d")
        self.assertEqual(self.text("train.ipynb").decode(), json.dumps(notebook, indent=1))

    def test_are_asked_in_chinese(self):
        self.assertIn("进行这 2 处修改?", self.ask("q", env={"LANG": "zh_CN.UTF-8"}))


class Suppressions(ReviewTest):
    """What is rejected once stays so in later runs: transplt.toml of the project says it."""

    POLICY = "# ours\n[[rules]]  # off\nid = 'torch.version.cuda'\noff = true\nreason = 'shown'\n"

    def policy(self):
        return (self.folder / "project/transplt.toml").read_text()

    def assert_left_out(self, files, says=None):
        """A new run gives the result of the review; its files and what it leaves out are the same."""
        reviewed = {name: self.text(name) for name in files}
        result = self.run_for(0, "migrate", "project", "-o", "out", "--force")
        self.assertEqual({name: self.text(name) for name in files}, reviewed)
        self.assertIn(says or "as transplt.toml says", result.stderr.decode())
        self.assertIn("reject", {row["Decision"] for row in self.rows()})

    def test_of_a_cause_hold_in_the_next_run_and_comments_are_kept(self):
        self.migrate({"a.py": MODEL, "b.py": MODEL, "transplt.toml": self.POLICY})
        self.review("--reject", ".cuda", "--suppress", "runs on the host")
        self.assertEqual(self.policy(), self.POLICY + """
[[edits]]
cause = ".cuda"
reason = "runs on the host"
""")
        self.assert_left_out(["a.py", "b.py"], "2 edits are left out, as transplt.toml says")

    def test_of_a_line_hold_when_it_has_moved(self):
        self.migrate({"a.py": MODEL})
        self.review("--reject", "a.py:3", "--suppress", "it's \"quoted\" \\ 中文")
        self.write("project/a.py", "import os\n" + MODEL)
        self.run_for(0, "migrate", "project", "-o", "out", "--force")
        self.assertEqual(self.text("a.py").decode(),
                         "import os\n" + MODEL_NPU.replace(".npu()", ".cuda()"))

    def test_of_a_flow_name_all_of_its_places(self):
        self.migrate(OneValueInThreeFiles.FILES)
        self.review("--reject", "settings.py:1", "--suppress", "x")
        self.assertEqual(self.policy().count("[[edits]]"), 3)
        self.assert_left_out(OneValueInThreeFiles.FILES)

    def test_of_a_file_a_folder_and_a_rule_are_one_entry_each(self):
        for selector, entry in (("file:a/b.py", 'file = "a/b.py"'), ("file:a/", 'file = "a/"'),
                                ("rule:torch.cuda.synchronize", 'rule = "torch.cuda.synchronize"')):
            with self.subTest(selector=selector):
                self.migrate({"a/b.py": MODEL, "c.py": MODEL}, "--force")
                self.review("--reject", selector, "--suppress", "x")
                self.assertEqual(self.policy(), f'[[edits]]\n{entry}\nreason = "x"\n')
                self.assert_left_out(["a/b.py", "c.py"])
                (self.folder / "project/transplt.toml").unlink()

    def test_are_no_wider_than_what_is_rejected(self):
        self.migrate({"a.py": MODEL, "b.py": MODEL})
        self.review("--reject", ".cuda", "--accept", "file:b.py", "--suppress", "x")
        self.assertNotIn("cause", self.policy())
        self.assert_left_out(["a.py", "b.py"])

    def test_that_cannot_tell_two_lines_apart_are_refused(self):
        self.migrate({"a.py": MODEL + "model = torch.nn.Linear(2, 2).cuda()\n"})
        self.assert_refused("a.py:5 has the same edit in the same text", "--reject", "a.py:3",
                            "--suppress", "x")
        self.assertFalse((self.folder / "project/transplt.toml").exists())

    def test_alone_are_about_all_that_is_rejected_and_are_written_once(self):
        self.migrate({"a.py": MODEL})
        self.review("--reject", "all")
        before = tree_of(self.result)
        self.review("--suppress", "x")
        policy = self.policy()
        self.assertEqual(policy.count("[[edits]]"), 2)
        self.assertIn("has entries for all of it already", self.review("--suppress", "y"))
        self.assertEqual(self.policy(), policy)
        self.assertEqual(tree_of(self.result), before)

    def test_can_be_accepted_after_all_in_a_review(self):
        self.migrate({"a.py": MODEL})
        self.review("--reject", "a.py:3", "--suppress", "x")
        self.run_for(0, "migrate", "project", "-o", "out", "--force")
        self.review("--accept", "a.py:3")
        self.assertEqual(self.text("a.py").decode(), MODEL_NPU)
        self.review("--undo")
        self.assertEqual(self.text("a.py").decode(), MODEL_NPU.replace(".npu()", ".cuda()"))

    def test_that_are_about_nothing_any_more_are_told(self):
        self.migrate({"a.py": MODEL})
        self.review("--reject", "a.py:3", "--suppress", "x")
        self.write("project/a.py", "import torch\ntorch.cuda.synchronize()\n")
        said = self.run_for(0, "migrate", "project").stderr.decode()
        self.assertIn("transplt.toml:2: nothing in this run is such an edit; take the entry out", said)

    def test_of_a_part_of_a_flow_are_told(self):
        self.migrate(OneValueInThreeFiles.FILES | {"transplt.toml": "[[edits]]\nfile = 'test.py'\n"
                                                                   "reason = 'x'\n"})
        said = self.run_for(0, "migrate", "project").stderr.decode()
        self.assertIn("test.py:4 is left out, but settings.py:1 is made, and they belong together", said)

    def test_keep_the_line_ends_and_the_mode_of_the_file(self):
        self.migrate({"a.py": MODEL, "transplt.toml": "torch = '2.1'\r\n# end"})
        os.chmod(self.folder / "project/transplt.toml", 0o640)
        self.review("--reject", "all", "--suppress", "x")
        policy = (self.folder / "project/transplt.toml").read_bytes()
        self.assertTrue(policy.startswith(b"torch = '2.1'\r\n# end\r\n\r\n[[edits]]\r\n"))
        self.assertEqual(policy.count(b"\n"), policy.count(b"\r\n"))
        self.assertEqual((self.folder / "project/transplt.toml").stat().st_mode & 0o777, 0o640)

    def test_are_not_added_to_a_file_that_is_not_understood(self):
        self.migrate({"a.py": MODEL})
        self.write("project/transplt.toml", "edits = 3\n")
        self.assert_refused("transplt.toml:1: write [[edits]] above each entry",
                            "--reject", "all", "--suppress", "x")
        self.assertEqual(self.policy(), "edits = 3\n")

    def test_want_a_reason_and_something_that_is_rejected(self):
        self.migrate({"a.py": MODEL})
        self.assert_refused("no edit is rejected", "--suppress", "x")
        self.assert_refused("give a reason", "--reject", "all", "--suppress", "")

    def test_are_not_written_for_a_single_file(self):
        self.write("train.py", MODEL)
        self.run_for(0, "migrate", "train.py", "-o", "out")
        message = self.run_for(2, "review", "out/train_msft", "--reject", "all", "--suppress", "x")
        self.assertIn(b"the project is a single file", message.stderr)


class Undo(ReviewTest):
    def test_twice_brings_back_every_earlier_state_byte_for_byte(self):
        first = self.migrate({"train.py": MODEL, "run.sh": "CUDA_VISIBLE_DEVICES=0 python t.py\n"})
        self.review("--reject", "train.py:3")
        second = tree_of(self.result)
        self.review("--reject", "all")
        self.assertNotEqual(tree_of(self.result), second)
        self.review("--undo")
        self.assertEqual(tree_of(self.result), second)
        self.review("--undo")
        self.assertEqual(tree_of(self.result), first)
        self.assert_refused("no review to undo", "--undo")


class AResultThatIsRefused(ReviewTest):
    def test_because_an_original_has_changed(self):
        self.migrate({"a.py": MODEL, "b.py": MODEL})
        self.write("project/b.py", MODEL + "\n")
        self.assert_refused("b.py: the project has changed", "--reject", "a.py:3")

    def test_because_an_original_was_added(self):
        self.migrate({"a.py": MODEL})
        self.write("project/new.py", MODEL)
        self.assert_refused("new.py: the project has changed", "--reject", "a.py:3")

    def test_because_it_was_edited_by_hand(self):
        self.migrate({"train.py": MODEL})
        with open(self.result / "train.py", "ab") as file:
            file.write(b"# mine\n")
        self.assert_refused("train.py: was changed in the result by hand", "--reject", "all")

    def test_because_a_file_of_it_was_removed(self):
        self.migrate({"train.py": MODEL, "b.py": MODEL})
        os.remove(self.result / "b.py")
        self.assert_refused("b.py: was changed in the result by hand", "--reject", "all")

    def test_because_its_list_was_edited_and_is_not_read(self):
        self.migrate({"train.py": MODEL})
        self.save(decide("reject"), self.table)
        self.assert_refused("--decisions", "--reject", "all")

    def test_because_it_is_no_result(self):
        self.migrate({"train.py": MODEL})
        message = self.run_for(2, "review", "project", "--list").stderr.decode()
        self.assertIn(RECORD, message)

    def test_because_its_record_is_damaged(self):
        self.migrate({"train.py": MODEL})
        record = self.result / RECORD
        record.write_text(record.read_text().replace('"fixes"', '"fixed"'))
        self.assert_refused(RECORD, "--reject", "all")

    def test_because_no_edit_is_meant(self):
        self.migrate({"train.py": MODEL})
        for selector in ("train.py:2", "rule:none", "group:99", "file:none.py", "no-cause"):
            self.assert_refused("names no edit", "--reject", selector)

    def test_because_the_project_is_gone_unless_it_is_named(self):
        self.migrate({"train.py": MODEL})
        os.rename(self.folder / "project", self.folder / "moved")
        self.assert_refused("--project", "--reject", "all")
        self.review("--reject", "all", "--project", "moved")
        self.assertEqual(self.text("train.py").decode(), MODEL)


class EveryKindOfFile(ReviewTest):
    def test_a_notebook_is_the_original_again(self):
        cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
                "source": ["import torch\n", "x = torch.ones(2).cuda()\n",
                           "torch.cuda.synchronize()"]}
        book = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5},
                          indent=1)
        before = self.migrate({"demo.ipynb": book})["demo.ipynb"]
        rows = [row for row in self.rows() if "line 2" in row["Message"]]
        self.review("--reject", "demo.ipynb:" + rows[0]["Start Line"])
        text = self.text("demo.ipynb").decode()
        self.assertIn("torch.ones(2).cuda()", text)
        self.assertIn("torch.npu.synchronize()", text)
        self.review("--accept", "all")
        self.assertEqual(tree_of(self.result)["demo.ipynb"], before)
        self.review("--reject", "all")
        self.assertEqual(self.text("demo.ipynb").decode(), book)

    def test_of_a_script_one_line_stays(self):
        script = "export CUDA_VISIBLE_DEVICES=0\nexport CUDA_LAUNCH_BLOCKING=1\n"
        self.migrate({"run.sh": script})
        self.review("--reject", "run.sh:1")
        self.assertEqual(self.text("run.sh").decode(),
                         "export CUDA_VISIBLE_DEVICES=0\nexport ASCEND_LAUNCH_BLOCKING=1\n")

    def test_latin_1_and_crlf_and_a_missing_line_end_are_kept(self):
        source = ("# -*- coding: latin-1 -*-\r\nimport torch\r\n\r\nname = 'caf\xe9'\r\n"
                  "x = torch.ones(2).cuda()\r\ny = torch.cuda.device_count()").encode("latin-1")
        self.migrate({"train.py": source})
        self.review("--reject", "train.py:5")
        self.assertEqual(self.text("train.py"),
                         source.replace(b"torch.cuda.device", b"torch.npu.device")
                         .replace(b"import torch\r\n", b"import torch\r\nimport torch_npu\r\n"))
        self.review("--reject", "all")
        self.assertEqual(self.text("train.py"), source)

    def test_options_of_the_run_hold_in_the_review(self):
        self.migrate({"train.py": MODEL}, "--mark")
        self.review("--reject", "train.py:3")
        text = self.text("train.py").decode()
        self.assertIn("npu modify begin", text)
        self.assertIn(".cuda()", text)

    def test_rules_that_were_disabled_stay_so_in_the_review(self):
        self.migrate({"train.py": MODEL + "torch.cuda.empty_cache()\n"}, "--disable", ".cuda")
        self.review("--reject", "train.py:4")
        text = self.text("train.py").decode()
        self.assertIn("torch.cuda.synchronize()\ntorch.npu.empty_cache()", text)
        self.assertIn(".cuda()", text)

    def test_the_policy_of_the_run_holds_in_the_review(self):
        self.migrate({"train.py": MODEL, "transplt.toml": ""})
        self.write("project/transplt.toml", RULE_OFF)
        self.review("--reject", "train.py:4")
        self.assertEqual(self.text("train.py").decode(),
                         MODEL_NPU.replace("torch.npu", "torch.cuda"))

    def test_the_record_does_not_depend_on_threads(self):
        files = {f"m{i}.py": MODEL for i in range(20)} | OneValueInThreeFiles.FILES
        one = self.migrate(files, "--jobs", "1")
        self.run_for(0, "migrate", "project", "-o", "out", "--force", "--jobs", "8")
        self.assertEqual(tree_of(self.result), one)


if __name__ == "__main__":
    unittest.main()
