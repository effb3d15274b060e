#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""transplt generate and transplt doctor: what is written, where it goes, what is refused."""

import ast
import json
import os
import stat
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from program import ProgramTest, tree_of  # noqa: E402

NASTY = "a \"quoted\" 'path' $HOME `x` \\ ; é\n# next"

# Enough options for each kind; True: the result is JSON that doctor checks.
KINDS = {
    "acl-json": ["--dump-path", "/d"],
    "dump-json": ["--dump-path", "/d"],
    "mindspore-dump": ["--path", "/d", "--net-name", "n", "--sync"],
    "mindspore-rdr": ["--path", "/d"],
    "msprobe-config": ["--dump-path", "d"],
    "ptdbg-script": ["--dump-path", "d"],
    "op-select": ["--mode", "high_precision"],
    "env": [],
    "profiling-script": ["--path", "p"],
    "aoe-script": ["--model-path", "m"],
    "op-info-script": [],
    "single-op-test": ["--op", "torch.max", "--input", "4x3:int64"],
    "launch": ["--entry", "train.py"],
    "rank-table": ["--generation", "910", "--server", "10.0.0.1=192.168.1.8"],
    "onnx-export": ["--model", "tiny:Tiny", "--input", "x:1x4"],
}
JSON_KINDS = ("acl-json", "dump-json", "mindspore-dump", "mindspore-rdr", "msprobe-config")

class GenerateTest(ProgramTest):
    def generate(self, kind, *options, code=0, **more):
        return self.run_for(code, "generate", kind, *options, **more).stdout.decode("utf-8")


class Output(GenerateTest):
    def test_lists_all_kinds_in_both_languages(self):
        english = self.run_for(0, "generate").stdout.decode()
        chinese = self.run_for(0, "--lang", "zh", "generate").stdout.decode()
        for kind in KINDS:
            self.assertIn(kind + " ", english)
            self.assertIn(kind + " ", chinese)
        self.assertIn("编译选项", chinese)

    def test_explains_the_options_of_a_kind(self):
        text = self.run_for(0, "generate", "dump-json", "--options", "--lang", "zh").stdout
        self.assertIn("--dump-mode", text.decode())
        self.assertIn("{all, input, output}", text.decode())
        self.assertIn("算子", text.decode())

    def test_json_is_valid_and_the_doctor_agrees(self):
        for kind in JSON_KINDS:
            with self.subTest(kind=kind):
                text = self.generate(kind, *KINDS[kind])
                json.loads(text)
                self.write("made.json", text)
                self.run_for(0, "doctor", "--kind", kind, "made.json")
                self.run_for(0, "doctor", "made.json")

    def test_the_doctor_accepts_the_variables_that_are_written(self):
        self.write("env.sh", self.generate("env"))
        self.run_for(0, "doctor", "env.sh")

    def test_what_the_user_gives_is_never_taken_for_code(self):
        text = self.generate("dump-json", "--dump-path", NASTY)
        self.assertEqual(json.loads(text)["dump"]["dump_path"], NASTY)
        script = self.generate("profiling-script", "--path", NASTY)
        values = [node.value.value for node in ast.parse(script).body
                  if isinstance(node, ast.Assign) and node.targets[0].id == "FOLDER"]
        self.assertEqual(values, [NASTY])
        self.write("env.sh", self.generate("env", "--DUMP_GE_GRAPH", "2",
                                           "--DUMP_GRAPH_PATH", NASTY))
        shown = subprocess.run(["/bin/sh", "-c", '. ./env.sh; printf %s "$DUMP_GRAPH_PATH"'],
                               cwd=self.folder, capture_output=True, check=True)
        self.assertEqual(shown.stdout.decode("utf-8"), NASTY)

    def test_writes_a_file_under_its_name_and_nothing_else(self):
        self.generate("acl-json", *KINDS["acl-json"], "-o", "acl.json")
        self.assertEqual(list(tree_of(self.folder)), ["acl.json"])

    def test_an_existing_file_stays_unless_forced(self):
        self.write("acl.json", "mine")
        before = tree_of(self.folder)
        result = self.run_for(2, "generate", "acl-json", "--dump-path", "/d", "-o", "acl.json")
        self.assertIn(b"acl.json: the file exists; give --force to replace it", result.stderr)
        self.assert_nothing_written(before)
        self.generate("acl-json", "--dump-path", "/d", "-o", "acl.json", "--force")
        self.assertIn(b"dump_op_switch", (self.folder / "acl.json").read_bytes())
        self.assertEqual(list(tree_of(self.folder)), ["acl.json"])

    def test_a_folder_or_a_link_is_not_replaced_even_if_forced(self):
        os.mkdir(self.folder / "folder")
        os.symlink("nowhere", self.folder / "link")
        before = tree_of(self.folder)
        for name in ("folder", "link", "no/such/folder/acl.json"):
            self.run_for(2, "generate", "acl-json", "--dump-path", "/d", "-o", name, "--force")
        self.assert_nothing_written(before)

    def test_a_script_can_be_run_and_a_configuration_not(self):
        self.generate("aoe-script", *KINDS["aoe-script"], "-o", "tune.sh")
        self.generate("acl-json", *KINDS["acl-json"], "-o", "acl.json")
        self.assertTrue(os.stat(self.folder / "tune.sh").st_mode & stat.S_IXUSR)
        self.assertFalse(os.stat(self.folder / "acl.json").st_mode & stat.S_IXUSR)

    def test_a_mistake_is_named_in_the_chosen_language_and_writes_nothing(self):
        for language, word in (("en", "must be given"), ("zh", "必须给出")):
            result = self.run_for(2, "--lang", language, "generate", "acl-json", "-o", "acl.json")
            self.assertIn("--dump-path: " + word, result.stderr.decode())
            self.assertEqual(result.stdout, b"")
        self.assert_nothing_written({})

    def test_wrong_usage_is_2(self):
        for arguments in (["generate", "acl"], ["generate", "acl-json", "--dump-pth", "x"],
                          ["generate", "acl-json", "mindspore-rdr"], ["doctor"],
                          ["doctor", "--host", "acl.json"], ["doctor", "--kind", "none", "x"]):
            with self.subTest(arguments=arguments):
                self.run_for(2, *arguments)


class Doctor(GenerateTest):
    def test_mistakes_are_1_and_on_stdout_with_their_place(self):
        path = self.write("dump.json", '{"dump": {"dump_path": "/x",\n "dump_op_switch": "On"}}')
        result = self.run_for(1, "doctor", str(path))
        self.assertEqual(result.stdout.decode(),
                         f'{path}:2:20: #/dump/dump_op_switch: cannot be "On"; '
                         'did you mean "on"?\n')

    def test_a_file_that_is_missing_or_unknown_is_2(self):
        self.write("other.json", "{}")
        os.mkfifo(self.folder / "pipe")
        for name in ("missing.json", "pipe", "/dev/zero", "."):
            self.run_for(2, "doctor", name, timeout=20)
        result = self.run_for(2, "doctor", "other.json")
        self.assertIn(b"give --kind", result.stderr)

    def test_several_files_are_all_looked_at(self):
        self.write("dump.json", '{"dump": {}}')
        self.write("acl.json", self.generate("acl-json", *KINDS["acl-json"]))
        result = self.run_for(1, "doctor", "acl.json", "dump.json", "acl.json")
        self.assertEqual(result.stderr.count(b"acl.json: acl-json: mistakes: 0"), 2)

    def test_variables_of_a_shell_script_are_checked_where_they_stand(self):
        self.write("run.sh", "#!/bin/bash\nexport DATA=/d TASK_QUEUE_ENABLE=3\n"
                             "export ASCEND_GLOBAL_LOG_LEVEL=$LEVEL\npython train.py\n")
        result = self.run_for(1, "doctor", "run.sh")
        self.assertEqual(result.stdout.decode(),
                         "run.sh:2:16: cannot be 3; the choices are 0, 1, 2\n")

    def test_the_host_is_compared_without_changing_it(self):
        before = tree_of(self.folder)
        result = self.run_for(1, "doctor", "--host", "--dump-path", "missing",
                              env={"TASK_QUEUE_ENABLE": "1"})
        text = result.stdout.decode()
        self.assertIn("TASK_QUEUE_ENABLE: good\n", text)
        self.assertIn("power policy of the BIOS: unknown\n", text)
        self.assertIn("folder for dumps: differs\n", text)
        self.assert_nothing_written(before)


class Estimate(GenerateTest):
    def test_a_dump_of_one_step_is_measured(self):
        for i in range(3):
            self.write(f"sample/0/{i}", b"x" * 1000)
        text = self.generate("msprobe-config", "--dump-path", "d", "--step", "0,1", "--rank", "0",
                             "--estimate", "--sample", "sample", "--write-rate", "1k")
        self.assertEqual(text.splitlines(), [
            "size = bytes per step and device 3000 x steps 2 x devices 1 = 5.9 KiB",
            "files = files per step and device 3 x steps 2 x devices 1 = 6",
            "time to write = size 5.9 KiB / write rate 1.0 KiB/s = 6 s, at least"])

    def test_a_wrong_size_is_refused(self):
        result = self.run_for(2, "generate", "acl-json", "--dump-path", "d", "--estimate",
                              "--bytes-per-step", "much")
        self.assertIn(b'--bytes-per-step: is "much"', result.stderr)

    def test_nothing_is_written(self):
        self.generate("acl-json", "--dump-path", "d", "--estimate", "-o", "acl.json")
        self.assert_nothing_written({})


class FromProject(GenerateTest):
    MODEL = "from torch import nn\n\n\nclass Block(nn.Module):\n    pass\n\n\n" \
            "class Net(nn.Module):\n    def __init__(self):\n        self.a = Block()\n\n" \
            "    @classmethod\n    def small(cls):\n        return Net()\n"

    def test_takes_the_model_that_no_other_is_built_of(self):
        self.write("project/models/net.py", self.MODEL)
        self.write("project/tests/test_net.py", self.MODEL)
        result = self.run_for(0, "generate", "onnx-export", "--from", "project",
                              "--input", "x:1x4")
        self.assertIn(b'MODEL = "models.net:Net"', result.stdout)
        self.assertIn(b"--model models.net:Net: from project", result.stderr)

    def test_asks_where_there_are_several(self):
        self.write("project/a.py", self.MODEL)
        self.write("project/b.py", self.MODEL)
        result = self.run_for(2, "generate", "onnx-export", "--from", "project",
                              "--input", "x:1x4")
        self.assertIn(b"--model: the project has 2 models; give one: a:Net, b:Net", result.stderr)

    def test_what_the_user_gives_comes_first(self):
        self.write("project/a.py", self.MODEL)
        text = self.generate("onnx-export", "--from", "project", "--input", "x:1x4",
                             "--model", "a:Block")
        self.assertIn('MODEL = "a:Block"', text)

    def test_a_network_of_mindspore_gives_its_name(self):
        self.write("project/net.py",
                   "import mindspore.nn as nn\n\n\nclass Lenet(nn.Cell):\n    pass\n")
        text = self.generate("mindspore-dump", "--from", "project", "--path", "/d", "--async")
        self.assertEqual(json.loads(text)["common_dump_settings"]["net_name"], "Lenet")

    def test_a_project_of_another_framework_is_refused(self):
        self.write("project/net.py",
                   "import mindspore.nn as nn\n\n\nclass Lenet(nn.Cell):\n    pass\n")
        result = self.run_for(2, "generate", "acl-json", "--from", "project", "--dump-path", "/d")
        self.assertIn(b"is a project of mindspore, and acl-json is for pytorch", result.stderr)


if __name__ == "__main__":
    unittest.main()
