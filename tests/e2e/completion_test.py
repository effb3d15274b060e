#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What `transplt completion` and `transplt --version --json` print."""

import json
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import program  # noqa: E402
from program import ProgramTest  # noqa: E402


class Bash(ProgramTest):
    def complete(self, *words):
        """What bash would offer for the last of `words`."""
        script = program.run("completion", "bash").stdout.decode()
        quoted = " ".join(f"'{word}'" for word in ("transplt", *words))
        script += f"COMP_WORDS=({quoted}); COMP_CWORD={len(words)}; _transplt; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        shown = subprocess.run(["bash", "-c", script], check=True, capture_output=True, text=True)
        self.assertEqual(shown.stderr, "")
        return shown.stdout.split()

    def test_completes_commands(self):
        self.assertEqual(self.complete("expl"), ["explain", "explain-error"])

    def test_completes_commands_below_a_command(self):
        self.assertIn("launch", self.complete("generate", "-o", "x", ""))

    def test_completes_options_of_the_command(self):
        self.assertEqual(self.complete("migrate", "--torch-n"), ["--torch-npu"])

    def test_completes_the_words_that_an_option_takes(self):
        self.assertEqual(self.complete("query", "--target", ""), ["npu", "agnostic"])

    def test_completes_nothing_where_a_file_is_meant(self):
        self.assertEqual(self.complete("migrate", "no-such-file"), [])


class OtherForms(ProgramTest):
    def check(self, shell, name):
        if shutil.which(shell) is None:
            self.skipTest(f"{shell} is not installed")
        path = self.write(name, program.run("completion", shell).stdout.decode())
        self.assertEqual(subprocess.run([shell, "-n", path], check=False).returncode, 0)

    def test_are_what_zsh_reads(self):
        self.check("zsh", "_transplt")

    def test_are_what_fish_reads(self):
        self.check("fish", "transplt.fish")

    def test_have_every_command_on_the_manual_page(self):
        page = program.run("completion", "man").stdout.decode()
        for name in ("migrate", "generate launch", "rule test", "explain\\-error"):
            self.assertIn(f"\n.SS {name}\n", page)
        if shutil.which("groff"):
            shown = subprocess.run(["groff", "-man", "-Tutf8", "-wall", "-z"], input=page, text=True,
                                   check=True, capture_output=True)
            self.assertEqual(shown.stderr, "")


class Version(ProgramTest):
    def test_as_json_has_a_hash_of_the_rules(self):
        first, second = (json.loads(program.run(*words).stdout)
                         for words in (["--version", "--json"], ["--json", "--version"]))
        self.assertEqual(first, second)
        self.assertEqual(first["name"], "transplt")
        self.assertRegex(first["rules_hash"], "^[0-9a-f]{32}$")
        self.assertGreater(first["rule_files"], 30)
        plain = program.run("--version").stdout.decode()
        self.assertEqual(plain, f"transplt {first['version']}\n")


if __name__ == "__main__":
    unittest.main()
