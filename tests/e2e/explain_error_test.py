#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""transplt explain-error on excerpts of logs, in a shape of our own: those of the vendor's documents and
of public issues (log_excerpts.json). An answer is the id of a row of rules/log_errors.json, `unknown`
where no row is right, or `none` where nothing is wrong."""

import json
import pathlib
import re
import sys
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

sys.dont_write_bytecode = True
import program  # noqa: E402
from program import ROOT, ProgramTest  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
EXCERPTS = json.loads((HERE / "log_excerpts.json").read_text(encoding="utf-8"))
TABLE = json.loads((ROOT / "rules" / "log_errors.json").read_text(encoding="utf-8"))


def explain(log, *arguments):
    return program.run("explain-error", "-", *arguments, stdin=log.encode())


def answer(log):
    shown = json.loads(explain(log, "--json").stdout)
    if shown["answer"] != "known":
        return shown["answer"]
    return shown["errors"][0]["id"]


class Excerpts(ProgramTest):
    def test_are_at_least_60(self):
        self.assertGreaterEqual(len(EXCERPTS), 60)

    def test_get_the_right_answer_or_an_honest_unknown(self):
        for excerpt in EXCERPTS:
            with self.subTest(source=excerpt["source"]):
                self.assertEqual(answer("\n".join(excerpt["log"]) + "\n"), excerpt["answer"])


class Table(ProgramTest):
    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_is_what_its_schema_says(self):
        schema = json.loads((ROOT / "rules" / "log_errors.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(TABLE)

    def test_names_commands_and_options_that_exist(self):
        for row in TABLE["errors"]:
            if "help" not in row:
                continue
            with self.subTest(id=row["id"]):
                words = row["help"].split()
                self.assertEqual(words[0], "transplt")
                names = [word for word in words[1:3] if re.fullmatch("[a-z][a-z-]+", word)]
                shown = program.run(*names, "--help")
                if shown.returncode:
                    shown = program.run(names[0], "--help")
                self.assertEqual(shown.returncode, 0)
                known = (shown.stdout + program.run(names[0], "--help").stdout + program.run(*names[:2], "--options").stdout).decode()
                for option in (word for word in words if word.startswith("-") and word != "-o"):
                    self.assertIn(option, known)


    def test_sets_variables_that_generate_takes(self):
        for row in TABLE["errors"]:
            if row.get("help", "").startswith("transplt generate env "):
                with self.subTest(id=row["id"]):
                    self.run_for(0, *row["help"].split()[1:], "--force")


class Answers(ProgramTest):
    LOG = ("step 1\n[rank3]: RuntimeError: NPU out of memory. Tried to allocate 2 GiB\n"
           "[rank1]: EI0006: Getting socket times out.\n")

    def test_name_line_meaning_remedy_and_command(self):
        shown = explain(self.LOG)
        self.assertEqual(shown.returncode, 0)
        text = shown.stdout.decode()
        self.assertIn("stdin:2: the cause, ranks 3\n", text)
        self.assertIn("  meaning: the memory of the NPU does not suffice\n", text)
        self.assertIn("  transplt: transplt generate env", text)
        self.assertIn("with it:\n  stdin:3", text)

    def test_are_in_chinese_where_asked_for(self):
        shown = program.run("--lang", "zh", "explain-error", "-", stdin=self.LOG.encode())
        self.assertIn("含义: NPU 内存不足", shown.stdout.decode())

    def test_say_that_an_error_is_unknown_and_end_with_1(self):
        shown = explain("Traceback (most recent call last):\nmy.OddError: strange\n")
        self.assertEqual(shown.returncode, 1)
        self.assertIn("stdin:2: an error that transplt does not know\n  my.OddError: strange\n",
                      shown.stdout.decode())

    def test_say_that_there_is_no_error(self):
        shown = explain("step 1\n")
        self.assertEqual((shown.returncode, shown.stdout), (0, b"no error was found\n"))

    def test_take_the_cause_from_the_log_of_any_rank(self):
        (self.folder / "rank0.log").write_text("EI0002: times out\n")
        (self.folder / "rank1.log").write_bytes(b"\xff\xfe\nOSError: [Errno 28] No space left on device\n")
        shown = program.run("explain-error", "rank0.log", "rank1.log", cwd=self.folder)
        self.assertTrue(shown.stdout.startswith(b"rank1.log:2: the cause\n"), shown.stdout)

    def test_refuse_what_cannot_be_read(self):
        for path in ("missing.log", "."):
            shown = program.run("explain-error", path, cwd=self.folder)
            self.assertEqual(shown.returncode, 2)
            self.assertIn(f"{path}: cannot be read".encode(), shown.stderr)


if __name__ == "__main__":
    unittest.main()
