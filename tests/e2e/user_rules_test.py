#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Rule files of the user, right and wrong, through the executable.

The wrong ones are the table tests/unit/wrong_rules.h, printed by the program that WRONG_RULES
names; each row is a mistake that a person makes and the one error that it must give.
"""

import json
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import program  # noqa: E402
from program import ProgramTest, rows_of, tree_of  # noqa: E402

TRAIN = """import torch

x = torch.zeros(1).cuda()
print("no cuda")
"""

# The sample of the migration guide, as it stands there.
SPEC_SAMPLE = """{
    "rules": {
        "ArgsModifyRule": [
            {
                "func_name": "name1",
                "arg_idx": 0,
                "arg_new": "agrs0"
            },
            {
                "func_name": "name2",
                "arg_idx": 0,
                "arg_new": "agrs0"
            }
        ],
        "FuncNameModifyRule": [
            {
                "old_name": "func",
                "new_name": "new_func"
            }
        ],
        "ModuleNameModifyRule": [
            {
                "old_name": "module",
                "new_name": "new_module",
                "parent_module":"parent_module"
            }
        ]
    }
}
"""


def wrong_rules():
    """The rows of the table: (title, text, where, what)."""
    table = os.environ.get("WRONG_RULES")
    if not table:
        return None
    lines = subprocess.run([table], capture_output=True, check=True).stdout.decode().splitlines()
    rows = []
    for line in lines:
        title, text, where, what = (bytes.fromhex(part) for part in line.split(" "))
        rows.append((title.decode(), text, where.decode(), what.decode()))
    return rows


class WrongRules(ProgramTest):
    def setUp(self):
        super().setUp()
        self.rows = wrong_rules()
        if self.rows is None:
            self.skipTest("WRONG_RULES names no program that prints the table")
        self.write("project/train.py", TRAIN)

    def test_give_the_exact_error_and_nothing_is_written(self):
        self.assertGreaterEqual(len(self.rows), 30)
        for title, text, where, what in self.rows:
            with self.subTest(title):
                self.write("rules.json", text)
                before = tree_of(self.folder)
                result = self.run_for(2, "migrate", "project", "-o", "out", "-r", "rules.json")
                self.assertEqual(result.stderr.decode("utf-8"),
                                 f"transplt: error: {where}: {what}\n")
                self.assertEqual(result.stdout, b"")
                self.assert_nothing_written(before)

    def test_have_a_chinese_message_of_the_same_place(self):
        for title, text, where, what in self.rows:
            with self.subTest(title):
                self.write("rules.json", text)
                result = self.run_for(2, "--lang", "zh", "migrate", "project", "-r", "rules.json")
                message = result.stderr.decode("utf-8")
                self.assertIn(f"{where}: ", message)
                self.assertNotIn(what, message)
                self.assertRegex(message, r"[一-鿿]")

    def test_that_name_nothing_to_look_at_are_refused(self):
        rule = {"severity": "note", "passes": ["x"]}
        self.write("r.json", json.dumps({"rules": {"RegisteredReportRule": [rule]}}))
        self.write("project/train.py", "import torch\n")
        result = self.run_for(2, "migrate", "project", "-r", "r.json")
        self.assertIn(b'#/rules/RegisteredReportRule/0: give "decorators", or "given_to" with '
                      b'"method"', result.stderr)

    def test_about_releases_name_those_of_both_libraries(self):
        rule = {"packages": ["one"], "library": "other", "releases": [">=2,<3"]}
        self.write("r.json", json.dumps({"rules": {"LibraryNeedsReportRule": [rule]}}))
        self.write("project/train.py", "import torch\n")
        result = self.run_for(2, "migrate", "project", "-r", "r.json")
        self.assertIn(b'#/rules/LibraryNeedsReportRule/0: write "releases: releases of the other '
                      b'library"', result.stderr)

    def test_are_refused_in_every_way_to_give_them(self):
        title, text, where, what = self.rows[len(self.rows) // 2]
        self.write("rules.json", text)
        self.write("good.json", '{"rules": {}}')
        before = tree_of(self.folder)
        for arguments in (["migrate", "project", "--in-place", "-r", "rules.json"],
                          ["migrate", "project", "-o", "out", "--force", "-r", "rules.json"],
                          ["migrate", "project", "-r", "good.json", "-r", "rules.json"],
                          ["migrate", "project", "--check", "-r", "rules.json"],
                          ["migrate", "project", "--no-builtin-rules", "-r", "rules.json"],
                          ["migrate", "-", "-r", "rules.json"],
                          ["-i", "project", "-o", "out", "-r", "rules.json"],
                          ["rule", "list", "-r", "rules.json"],
                          ["rule", "test", "rules.json"]):
            with self.subTest(arguments=arguments):
                result = self.run_for(2, *arguments)
                self.assertIn(f"{where}: {what}", result.stderr.decode("utf-8"))
                self.assertEqual(result.stdout, b"")
                self.assert_nothing_written(before)


class RightRules(ProgramTest):
    def migrate(self, source, rules, *arguments):
        """Migrates one text with rules given as a Python value or as text."""
        text = rules if isinstance(rules, str) else json.dumps({"rules": rules})
        self.write("rules.json", text)
        result = self.run_for(0, "migrate", "-", "-r", "rules.json", *arguments,
                              stdin=source.encode())
        return result.stdout.decode()

    def test_of_the_specification_load_and_act(self):
        source = ("import parent_module\n"
                  "import torch\n"
                  "from settings import agrs0\n"
                  "name1(a, b)\n"
                  "thing.name2(x=1, y=2)  # func stays here\n"
                  "name3(a)\n"
                  "func()\n"
                  "obj.func(1).func\n"
                  "parent_module.module.call()\n"
                  "other.module.call()\n"
                  "print('func', torch.cuda)\n")
        after = ("import parent_module\n"
                 "import torch\n"
                 "from settings import agrs0\n"
                 "name1(agrs0, b)\n"
                 "thing.name2(x=agrs0, y=2)  # func stays here\n"
                 "name3(a)\n"
                 "new_func()\n"
                 "obj.new_func(1).func\n"
                 "parent_module.new_module.call()\n"
                 "other.module.call()\n"
                 "print('func', torch.cuda)\n")
        self.assertEqual(self.migrate(source, SPEC_SAMPLE, "--no-builtin-rules"), after)

    def test_alone_do_not_import_torch_npu(self):
        after = self.migrate(TRAIN, {"FuncNameModifyRule": [{"old_name": "zeros",
                                                              "new_name": "ones"}]},
                             "--no-builtin-rules")
        self.assertEqual(after, TRAIN.replace("zeros", "ones"))

    def test_run_before_the_built_in_ones(self):
        rules = {"FuncNameModifyRule": [{"old_name": "cuda", "new_name": "xpu"}]}
        after = self.migrate(TRAIN, rules)
        self.assertIn("torch.zeros(1).xpu()\n", after)
        self.assertNotIn(".npu()", after)

    def test_resolve_dotted_names(self):
        rules = {"FuncNameModifyRule": [{"old_name": "lib.core.run", "new_name": "start"}]}
        source = ("import lib.core as c\nfrom lib.core import run\nfrom lib import core\n"
                  "c.run()\ncore.run()\nrun()\nother.run()\nalias = c\nalias.run()\n")
        after = self.migrate(source, rules, "--no-builtin-rules")
        self.assertIn("c.start()\ncore.start()\n", after)
        self.assertIn("other.run()\n", after)
        self.assertIn("alias.start()\n", after)

    def test_rename_an_imported_function_where_it_is_imported(self):
        rules = {"FuncNameModifyRule": [{"old_name": "lib.ff", "new_name": "gg"}]}
        source = "from lib import ff, other\nfrom lib import ff as f\nff(2)\nff(3)\nf(4)\n"
        after = self.migrate(source, rules, "--no-builtin-rules")
        self.assertEqual(after, "from lib import gg as ff, other\nfrom lib import gg as f\n"
                                "ff(2)\nff(3)\nf(4)\n")
        self.assertEqual(self.migrate(after, rules, "--no-builtin-rules"), after)

    def test_rename_an_alias_where_it_is_assigned(self):
        rules = {"FuncNameModifyRule": [{"old_name": "lib.ff", "new_name": "gg"}]}
        source = "import lib\nf = lib.ff\nf(2)\n"
        self.assertEqual(self.migrate(source, rules, "--no-builtin-rules"),
                         "import lib\nf = lib.gg\nf(2)\n")

    def test_delete_an_argument_with_its_comma(self):
        rules = {"ArgsModifyRule": [{"func_name": "f", "arg_idx": 1, "arg_new": ""}]}
        source = "f(a, b)\nf(a, b, c)\nf(a)\nf(a, b,)\nf(\n    a,\n    b,  # why\n    c,\n)\n"
        after = self.migrate(source, rules, "--no-builtin-rules")
        self.assertTrue(after.startswith("f(a)\nf(a, c)\nf(a)\nf(a"), after)
        self.assertNotIn(", )", after)
        self.assertTrue(program.compiles(after.encode()))
        self.assertIn("    c,\n)\n", after)

    def test_keep_keyword_star_and_comments(self):
        rules = {"ArgsModifyRule": [{"func_name": "f", "arg_idx": 0, "arg_new": "new"}]}
        source = ("new = 1\nf(key=old, b=2)\nf(  # first\n    old,  # second\n)\n"
                  "f(*args)\nf(**kwargs)\n")
        after = self.migrate(source, rules, "--no-builtin-rules")
        self.assertEqual(after, "new = 1\nf(key=new, b=2)\nf(  # first\n    new,  # second\n)\n"
                                "f(*args)\nf(**kwargs)\n")

    def test_of_several_files_run_in_their_order(self):
        self.write("one.json", json.dumps({"rules": {"FuncNameModifyRule": [
            {"old_name": "f", "new_name": "one"}]}}))
        self.write("two.json", json.dumps({"rules": {"FuncNameModifyRule": [
            {"old_name": "f", "new_name": "two"}, {"old_name": "g", "new_name": "two"}]}}))
        result = self.run_for(0, "migrate", "-", "--no-builtin-rules", "-r", "one.json", "-r",
                              "two.json", stdin=b"f()\ng()\n")
        self.assertEqual(result.stdout, b"one()\ntwo()\n")

    def test_are_named_by_file_and_pointer_in_the_change_list(self):
        self.write("rules.json", SPEC_SAMPLE)
        self.write("project/a.py", "func()\n")
        self.run_for(0, "migrate", "project", "-o", "out", "-r", "rules.json",
                     "--no-builtin-rules")
        rows = rows_of((self.folder / "out/project_msft/change_list.csv").read_bytes())
        self.assertEqual([(row["Before"], row["After"], row["Rule ID"]) for row in rows],
                         [("func", "new_func", "rules.json#/rules/FuncNameModifyRule/0")])

    def test_may_hold_a_byte_order_mark_and_chinese(self):
        self.write("规则.json", b"\xef\xbb\xbf" + json.dumps({"rules": {"FuncNameModifyRule": [
            {"old_name": "旧", "new_name": "新", "why": "改名"}]}}, ensure_ascii=False).encode())
        result = self.run_for(0, "migrate", "-", "--no-builtin-rules", "-r", "规则.json",
                              stdin="旧()\n".encode())
        self.assertEqual(result.stdout.decode(), "新()\n")


class RuleCommands(ProgramTest):
    def test_examples_of_the_built_in_rules_pass(self):
        result = self.run_for(0, "rule", "test")
        self.assertIn(b", 0 failed", result.stderr)

    def test_list_and_show_agree(self):
        lines = self.run_for(0, "rule", "list").stdout.decode().splitlines()
        self.assertGreater(len(lines), 100)
        identifier = lines[0].split()[1]
        shown = self.run_for(0, "rule", "show", identifier).stdout.decode()
        self.assertIn(identifier, shown)
        self.run_for(2, "rule", "show", "no.such.rule")

    def test_schema_is_json_and_accepts_the_sample(self):
        schema = json.loads(self.run_for(0, "rule", "schema").stdout)
        self.assertIn("rules", schema["properties"])
        shipped = program.ROOT / "rules" / "rule.schema.json"
        if shipped.is_file():
            self.assertEqual(json.loads(shipped.read_text("utf-8")), schema)

    def test_a_failing_example_is_1_and_shown(self):
        self.write("rules.json", json.dumps({"rules": {"FuncNameModifyRule": [
            {"old_name": "f", "new_name": "g",
             "examples": [{"before": "f()\n", "after": "h()\n"}]}]}}))
        result = self.run_for(1, "rule", "test", "rules.json")
        self.assertIn(b"h()", result.stdout)
        self.assertIn(b"g()", result.stdout)


if __name__ == "__main__":
    unittest.main()
