#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The examples of rules/signatures/*.json that the program itself answers.

An example has "run", the command and its options; "file" and "code", or "files", what it is run on;
and "shows" or "lacks", a part of what the command prints, which of `migrate` are all places one by
one. Those with "needs_cxx" are about what transplt-cxx finds. The examples with "asks" are run by
tests/unit/word_list_test.cpp.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("TRANSPLT", ROOT / "build/bin/transplt")
HAS_CXX = pathlib.Path(PROGRAM).with_name("transplt-cxx").is_file()


def rows():
    for file in sorted((ROOT / "rules/signatures").glob("*.json")):
        for row in json.loads(file.read_text(encoding="utf-8")).get("words", []):
            yield file.name, row


def is_about(row, example):
    """True if the example spells one of the words that it is an example of; of a qualified name
    the last part, since its module may have another name there."""
    text = " ".join(str(value) for value in example.values())
    words = row.get("words") or list(row["meanings"])
    return any(word.strip("*") in text or word.strip("*.").rpartition(".")[2] in text
               for word in words)


def notebook(source):
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
            "source": source.splitlines(keepends=True)}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def answer(example, folder):
    for name, code in (example.get("files") or {example["file"]: example["code"]}).items():
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(notebook(code) if path.suffix == ".ipynb" else code, encoding="utf-8")
    run = example["run"] if "{folder}" in example["run"] else example["run"] + " {folder}"
    command = [str(PROGRAM), *(word.replace("{folder}", folder) for word in run.split())]
    if command[1] == "migrate":
        command += ["--list", "all"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False,
                          cwd=folder, env=dict(os.environ, LANG="C.UTF-8"))
    return done.stdout + done.stderr


class WordListExamples(unittest.TestCase):
    def test_each_list_has_an_example_that_spells_one_of_its_words(self):
        for name, row in rows():
            with self.subTest(f"{name} {row['id']}"):
                self.assertTrue(row["examples"])
                for example in row["examples"]:
                    self.assertTrue(is_about(row, example), example)

    def test_the_program_answers_as_the_examples_say(self):
        for name, row in rows():
            for example in row["examples"]:
                if "run" not in example:
                    self.assertIn("asks", example, row["id"])
                    continue
                if example.get("needs_cxx") and not HAS_CXX:
                    continue
                with self.subTest(f"{name} {row['id']}"), tempfile.TemporaryDirectory() as folder:
                    text = answer(example, folder)
                    self.assertTrue({"shows", "lacks"} & set(example))
                    self.assertIn(example.get("shows", ""), text)
                    if "lacks" in example:
                        self.assertNotIn(example["lacks"], text)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
