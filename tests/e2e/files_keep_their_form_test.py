#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What is migrated besides Python stays what it was, seen by the programs that read it.

Over all fixtures: shellcheck finds nothing in a script that it did not find before; notebooks stay
valid and keep every byte outside the code of their cells; YAML, JSON and TOML files hold the same
data but for the values that were changed, in the same layout.
"""

import collections
import difflib
import json
import re
import pathlib
import subprocess
import tomllib
import unittest
import warnings

import nbformat
import yaml

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "fixtures"
# What a migration may write for what, in files that are not Python.
RENAMED = [("CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"),
           ("CUDA_LAUNCH_BLOCKING", "ASCEND_LAUNCH_BLOCKING"),
           ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_NPU_ALLOC_CONF"),
           ("NCCL_SOCKET_IFNAME", "HCCL_SOCKET_IFNAME"),
           ("TORCH_NCCL_ASYNC_ERROR_HANDLING", "HCCL_ASYNC_ERROR_HANDLING"),
           ("NCCL_ASYNC_ERROR_HANDLING", "HCCL_ASYNC_ERROR_HANDLING"),
           ("NCCL_BLOCKING_WAIT", "HCCL_BLOCKING_WAIT"),
           ("cuda", "npu"), ("nccl", "hccl"), ("NCCL", "HCCL"), ("GPU", "Ascend"),
           ("0, 1", "0,1"), ("tf32: true", "tf32: false"),
           ("evaluation_strategy", "eval_strategy"), ("warmup_ratio", "warmup_steps")]


def pairs(*suffixes):
    """(name, bytes before, bytes after) of the files of all fixtures."""
    for before in sorted(FIXTURES.glob("*/before/**/*")):
        if before.is_file() and before.suffix in suffixes:
            fixture = before.relative_to(FIXTURES).parts[0]
            inside = before.relative_to(FIXTURES / fixture / "before")
            after = FIXTURES / fixture / "after" / inside
            yield f"{fixture}/{inside}", before.read_bytes(), after.read_bytes()


def is_renamed(before, after):
    """True if `after` is `before` with some of the names renamed."""
    if before == after:
        return True
    for old, new in RENAMED:
        if before.startswith(old) and after.startswith(new):
            if is_renamed(before[len(old):], after[len(new):]):
                return True
    if not before or not after or before[0] != after[0]:
        return False
    return is_renamed(before[1:], after[1:])


def shellcheck(data):
    """How often shellcheck finds what in which line."""
    result = subprocess.run(["shellcheck", "--shell=bash", "--format=json", "-"], input=data,
                            capture_output=True, check=False, timeout=120)
    if result.returncode not in (0, 1):
        raise AssertionError(result.stderr.decode())
    return collections.Counter((found["code"], found["line"]) for found in json.loads(result.stdout))


class Scripts(unittest.TestCase):
    def test_shellcheck_finds_nothing_new(self):
        count = 0
        for name, before, after in pairs(".sh", ".slurm", ".sbatch"):
            with self.subTest(name):
                self.assertEqual(shellcheck(after) - shellcheck(before), collections.Counter())
                count += before != after
        self.assertGreaterEqual(count, 3)

    def test_shellcheck_would_see_a_broken_script(self):
        self.assertNotEqual(shellcheck(b"#!/bin/bash\necho $A\nif true\n"), collections.Counter())


class Notebooks(unittest.TestCase):
    def test_stay_valid_and_keep_what_is_not_code(self):
        count = 0
        for name, before, after in pairs(".ipynb"):
            with self.subTest(name):
                old, new = json.loads(before), json.loads(after)
                for notebook in (before, after):
                    self.assert_valid(json.loads(notebook))
                for cell, edited in zip(old["cells"], new["cells"], strict=True):
                    if cell["cell_type"] == "code":
                        edited["source"] = cell["source"]
                self.assertEqual(old, new)
                self.assert_only_code_differs(before, after)
                count += before != after
        self.assertGreaterEqual(count, 2)

    def assert_valid(self, notebook):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # cells of format 4.5 may lack their ids
            nbformat.validate(nbformat.from_dict(notebook))

    def assert_only_code_differs(self, before, after):
        """Each line of the file that differs is a string of a cell's code."""
        code = set()
        for data in (before, after):
            for cell in json.loads(data)["cells"]:
                if cell["cell_type"] == "code":
                    source = cell["source"]
                    code.update([source] if isinstance(source, str) else source)
        old, new = before.decode().split("\n"), after.decode().split("\n")
        for line in difflib.ndiff(old, new):
            if line[:2] not in ("- ", "+ "):
                continue
            text = line[2:].strip().removeprefix('"source": ').rstrip(",")
            self.assertIn(json.loads(text), code)


# A text, or what programs allow in JSON and json does not: a comment, a comma before a bracket.
_JSON_EXTRA = re.compile(r'''("(?:[^"\\\\]|\\\\.)*")|//[^\n]*|/\*.*?\*/|,(?=\s*[\]}])''', re.S)


def load_json(text):
    text = _JSON_EXTRA.sub(lambda found: found.group(1) or "", text)
    try:
        return json.loads(text)
    except json.JSONDecodeError:  # JSON Lines
        return [json.loads(line) for line in text.splitlines()]


class Configurations(unittest.TestCase):
    def assert_same_layout(self, before, after):
        old, new = before.decode().split("\n"), after.decode().split("\n")
        self.assertEqual(len(old), len(new))
        for line, edited in zip(old, new):
            self.assertTrue(is_renamed(line, edited), (line, edited))
            self.assertEqual(line.partition("#")[2] if " #" in line else "",
                             edited.partition("#")[2] if " #" in edited else "")

    def assert_same_data(self, old, new):
        self.assertEqual(type(old), type(new))
        if isinstance(old, dict):
            self.assertEqual(len(old), len(new))
            for (key, value), (other_key, other) in zip(old.items(), new.items()):
                self.assertTrue(is_renamed(str(key), str(other_key)), (key, other_key))
                if key == "tf32" and value is True:  # refused without a GPU
                    self.assertIn(other, (True, False))
                    continue
                self.assert_same_data(value, other)
        elif isinstance(old, list):
            self.assertEqual(len(old), len(new))
            for value, other in zip(old, new):
                self.assert_same_data(value, other)
        elif isinstance(old, str):
            self.assertTrue(is_renamed(old, new), (old, new))
        else:
            self.assertEqual(old, new)

    def check(self, suffixes, load, at_least):
        count = 0
        for name, before, after in pairs(*suffixes):
            with self.subTest(name):
                self.assert_same_layout(before, after)
                self.assert_same_data(load(before.decode()), load(after.decode()))
                count += before != after
        self.assertGreaterEqual(count, at_least)

    def test_yaml_keeps_comments_order_and_data(self):
        self.check((".yaml", ".yml"), lambda text: list(yaml.safe_load_all(text)), 2)

    def test_json_keeps_order_and_data(self):
        self.check((".json",), load_json, 1)

    def test_toml_keeps_comments_order_and_data(self):
        self.check((".toml",), tomllib.loads, 1)

    def test_ini_files_keep_their_layout(self):
        for name, before, after in pairs(".cfg", ".ini"):
            with self.subTest(name):
                self.assert_same_layout(before, after)


if __name__ == "__main__":
    unittest.main()
