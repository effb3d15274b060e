#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""README and docs/: links lead somewhere, options are those of the program, commands run.

`documents_test.py --update` writes the options into the pages.
"""

import functools
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import program  # noqa: E402
from program import ROOT, ProgramTest  # noqa: E402

DOCS = ROOT / "docs"
LANGUAGES = ("en", "zh")
READMES = (ROOT / "README.md", ROOT / "README.zh.md")
FENCE = re.compile(r"^```([a-z]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
# The options of a command stand behind such a comment.
HELP = re.compile(r"(<!-- help: ([a-z -]+) -->\n```text\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][A-Za-z_-]*")


def read(path):
    return path.read_text(encoding="utf-8")


def pages(language):
    return sorted((DOCS / language).glob("*.md"))


def documents():
    """Every page that a person writes, and those that the rules make."""
    return [*READMES, ROOT / "CONTRIBUTING.md", ROOT / "THIRD_PARTY.md", ROOT / "rules" / "README.md",
            *sorted(DOCS.rglob("*.md"))]


@functools.lru_cache(maxsize=None)
def help_of(command):
    """What `transplt COMMAND --help` prints, without empty lines at the end."""
    shown = program.run(*command.split(), "--help")
    if shown.returncode:
        raise AssertionError(f"transplt {command} --help: {shown.stderr.decode()}")
    return "".join(line.rstrip() + "\n" for line in shown.stdout.decode().rstrip().splitlines())


def subcommands(command=""):
    """The names below `Subcommands:`."""
    _, _, listed = help_of(command).partition("\nSubcommands:\n")
    return re.findall(r"^  ([a-z][a-z-]*)", listed, re.MULTILINE)


def with_options(text):
    """The page, with what the program prints now."""
    return HELP.sub(lambda block: block[1] + help_of(block[2]) + block[4], text)


def anchors(text):
    """The names that a link to the page may have behind #, as GitHub makes them."""
    found = set(re.findall(r'<a id="([^"]+)"></a>', text))
    for heading in re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
        found.add(plain.replace(" ", "-"))
    return found


def blocks(text, *languages):
    return [code for language, code in FENCE.findall(text) if language in languages]


def commands(text):
    """The command lines of the blocks `sh`, without their comments; lines that end in \\ joined."""
    joined = "".join(blocks(text, "sh")).replace("\\\n", " ")
    found = [re.sub(r"(^|\s)#.*$", "", line).strip() for line in joined.splitlines()]
    return [line for line in found if line]


class Pages(ProgramTest):
    def test_are_there_for_every_command(self):
        for language in LANGUAGES:
            for command in subcommands():
                self.assertTrue((DOCS / language / f"{command}.md").is_file(), f"{language}: {command}")

    def test_are_the_same_in_both_languages(self):
        english, chinese = ({page.name: read(page) for page in pages(language)}
                            for language in LANGUAGES)
        self.assertEqual(sorted(english), sorted(chinese))
        for name, text in english.items():
            with self.subTest(name=name):
                sections, translated = (re.findall(r"^#+(?= )", FENCE.sub("", page), re.MULTILINE)
                                        for page in (text, chinese[name]))
                self.assertEqual(sections, translated)
                self.assertEqual(commands(text), commands(chinese[name]))

    def test_list_every_page_in_the_index(self):
        for language in LANGUAGES:
            index = DOCS / language / "README.md"
            linked = set(LINK.findall(read(index)))
            for page in pages(language):
                if page != index:
                    self.assertIn(page.name, linked, language)

    def test_have_the_options_that_the_program_prints(self):
        for page in (page for language in LANGUAGES for page in pages(language)):
            with self.subTest(page=page):
                self.assertEqual(read(page), with_options(read(page)),
                                 "tests/e2e/documents_test.py --update writes them anew")

    def test_have_the_options_of_every_command(self):
        wanted = {f"{command} {name}".strip() for command in subcommands()
                  for name in ["", *subcommands(command)]}
        for language in LANGUAGES:
            shown = {command for page in pages(language) for _, command, _, _ in HELP.findall(read(page))}
            self.assertEqual(shown, wanted)

    def test_name_no_option_that_does_not_exist(self):
        for page in documents():
            if page.is_relative_to(DOCS / "rules"):
                continue
            text = read(page)
            for line in commands(text) + CODE.findall(FENCE.sub("", text)):
                for part in re.split(r"[;|&>]+", line):
                    with self.subTest(page=page, line=line):
                        self.check_options(part.strip())

    def check_options(self, line):
        words = line.split(" -- ")[0].split()
        if words[:1] == ["./dev"] and len(words) > 1:
            self.check_dev(words)
        if words[:1] != ["transplt"] or len(words) < 2 or words[1].startswith("-"):
            return
        self.assertIn(words[1], subcommands())
        known = help_of(words[1])
        for name in subcommands(words[1]):
            if name in words[2:]:
                known += help_of(f"{words[1]} {name}")
        for option in (word for word in words[2:] if OPTION.fullmatch(word)):
            self.assertIn(option, OPTION.findall(known))


    def check_dev(self, words):
        self.assertIn(words[1], re.findall(r"(?m)^  ([a-z]+) ", read(ROOT / "dev")))
        if words[1] == "bench" and len(words) > 2 and words[2] != "NAME":
            self.assertTrue((ROOT / "tests" / "bench" / words[2]).is_file())


class Guides(unittest.TestCase):
    """guides.md: the demands of the vendor's guides, each with the tests that show it."""

    ROW = re.compile(r"^\| (?!-|The guide|指南)(.*) \| (.*) \| (.*) \| (.*) \|$", re.MULTILINE)
    PLACES = {".py": r"    def {}\(self", ".cpp": r"TEST(?:_P)?\({}\)"}

    def rows(self, language):
        return self.ROW.findall(read(DOCS / language / "guides.md"))

    def test_are_graded_alike_in_both_languages(self):
        grades = {"WORKS": "可用", "NEEDS HARDWARE": "需要硬件"}
        rows = [(tests, grades[grade]) for _, _, tests, grade in self.rows("en")]
        self.assertGreater(len(rows), 130)
        self.assertEqual(rows, [row[2:] for row in self.rows("zh")])
        for language in LANGUAGES:
            counts = re.findall(r"(\d+) (?:rows|行)", read(DOCS / language / "guides.md"))
            self.assertEqual([int(count) for count in counts],
                             [sum(row[1] == grade for row in rows) for grade in grades.values()])

    def test_name_tests_that_exist(self):
        for name in sorted({test for row in self.rows("en") for test in CODE.findall(row[2])}):
            with self.subTest(test=name):
                folder, _, fixture = name.partition("/")
                if fixture:
                    self.assertTrue((ROOT / "tests" / folder / fixture / "after").is_dir())
                    continue
                stem, _, test = name.partition(".")
                suffix = ".cpp" if "." in test else ".py"
                [source] = (ROOT / "tests").glob(f"*/{stem}{suffix}")
                definition = self.PLACES[suffix].format(test.replace(".", ", "))
                self.assertRegex(read(source), definition)


class RuleFiles(ProgramTest):
    """The rule files that user-rules.md shows."""

    def test_are_taken_by_the_program(self):
        for language in LANGUAGES:
            files = blocks(read(DOCS / language / "user-rules.md"), "json")
            self.assertGreaterEqual(len(files), 3)
            for text in files:
                with self.subTest(language=language, text=text):
                    self.write("rules.json", text)
                    target = re.search(r'"target": *\{"name": "(\w+)"', text)
                    self.run_for(0, "migrate", "-", "-r", "rules.json", "--target",
                                 target[1] if target else "npu", stdin=b"import torch\n")
                    if '"examples"' in text:
                        self.run_for(0, "rule", "test", "rules.json")


class Links(unittest.TestCase):
    def test_lead_to_a_file_and_a_heading(self):
        for document in documents():
            for link in LINK.findall(FENCE.sub("", read(document))):
                if re.match(r"[a-z]+:", link):
                    continue
                path, _, anchor = link.partition("#")
                target = (document.parent / path).resolve() if path else document
                with self.subTest(document=document.relative_to(ROOT), link=link):
                    self.assertTrue(target.exists())
                    self.assertTrue(target.is_relative_to(ROOT))
                    if anchor and target.suffix == ".md":
                        self.assertIn(anchor, anchors(read(target)))

    def test_lead_to_pages_of_the_same_language(self):
        for language, other in (LANGUAGES, reversed(LANGUAGES)):
            for page in pages(language):
                for link in LINK.findall(FENCE.sub("", read(page))):
                    if f"/{other}/" in link:
                        self.assertEqual(link, f"../{other}/{page.name}", page)


class Executed(ProgramTest):
    """A folder that looks like the checkout, in which the blocks `sh` of a document run."""

    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "samples", self.folder / "samples")
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "transplt").symlink_to(program.EXECUTABLE)
        self.environment = {key: value for key, value in os.environ.items()
                            if not key.startswith(("LC_", "LANG", "PYTHON"))}
        self.environment.update(LANG="C.UTF-8", PATH=f"{self.folder}/bin:/usr/bin:{os.environ['PATH']}")

    def require_torch(self):
        if subprocess.run(["/usr/bin/python3", "-c", "import torch"], check=False,
                          capture_output=True).returncode:
            self.skipTest("the documents run trainings, which takes python3-torch")

    def speak(self, language):
        self.environment["LANG"] = {"en": "C.UTF-8", "zh": "zh_CN.UTF-8"}[language]

    def shell(self, text):
        """The exit code, and stdout with stderr."""
        result = subprocess.run(["bash", "-c", text], cwd=self.folder, env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                                stdin=subprocess.DEVNULL, check=False)
        return result.returncode, result.stdout.decode()

    def assert_shown(self, expected, printed):
        """Each line of the document comes in what was printed, in this order; `...` stands for any
        text in a line, or for any lines."""
        lines = iter(printed.splitlines())
        for line in expected.splitlines():
            if line.strip() == "...":
                continue
            pattern = ".*".join(map(re.escape, line.rstrip().split("...")))
            self.assertTrue(any(re.fullmatch(pattern, other.rstrip()) for other in lines),
                            f"not printed: {line}\n{printed}")


class Readme(Executed):
    def test_is_short_and_opens_with_two_commands(self):
        for readme in READMES:
            text = read(readme)
            self.assertLessEqual(len(text.splitlines()), 120, readme)
            self.assertEqual(commands(text)[:2], ["./dev demo", "./dev test"])
        self.assertEqual(*(commands(read(readme)) for readme in READMES))

    def test_shows_what_migrate_does(self):
        for readme in READMES:
            [diff] = blocks(read(readme), "diff")
            sides = ["".join(line[1:] + "\n" for line in diff.splitlines() if line[:1] in (" ", sign))
                     for sign in "-+"]
            self.assertTrue(program.compiles(sides[0]))
            migrated = self.run_for(0, "migrate", "-", stdin=sides[0].encode()).stdout.decode()
            self.assertEqual(migrated, sides[1])

    def pretend_to_build(self):
        """Stands in for what is installed and built; `dev` itself, the program and ctest are real."""
        shutil.copy(ROOT / "dev", self.folder)
        for name in ("package.json", "package-lock.json", "tests/schemas/package-lock.json",
                     "tests/browser/package-lock.json", "tests/lsp/package-lock.json"):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.folder / name)
        for folder in (".", "tests/schemas", "tests/browser", "tests/lsp"):
            (self.folder / folder / "node_modules").mkdir()
        for name, answer in (("cmake", ""), ("npm", ""), ("apt-get", ""), ("dpkg-query", "echo installed")):
            stand_in = self.folder / "bin" / name
            stand_in.write_text(f"#!/bin/sh\n{answer}\n", encoding="utf-8")
            stand_in.chmod(0o755)
        (self.folder / "build" / "bin").mkdir(parents=True)
        (self.folder / "build" / "bin" / "transplt").symlink_to(program.EXECUTABLE)
        self.write("build/CTestTestfile.cmake", 'add_test(pretended "/bin/true")\n')

    def test_has_commands_that_run(self):
        self.require_torch()
        self.pretend_to_build()
        text = read(READMES[0])
        for line in commands(text):
            with self.subTest(line=line):
                code, printed = self.shell(line)
                self.assertEqual(code, 0, printed)

    def test_shows_the_first_screen(self):
        for readme in READMES:
            for command, screen in re.findall(r"^```sh\n([^`]*)^```\n+```text\n(.*?)^```$", read(readme),
                                              re.MULTILINE | re.DOTALL):
                self.speak("zh" if readme.name.endswith(".zh.md") else "en")
                self.assert_shown(screen, self.shell(command)[1])


class Tutorial(Executed):
    """The blocks `sh`, in their order; a block `text` behind one is what it prints."""

    def follow(self, language):
        self.require_torch()
        self.speak(language)
        text = read(DOCS / language / "tutorial.md")
        steps = re.findall(r"^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", text, re.MULTILINE | re.DOTALL)
        self.assertGreater(len(steps), 8)
        self.assertEqual("".join(command for command, _ in steps), "".join(blocks(text, "sh")))
        for command, expected in steps:
            code, printed = self.shell("set -e\n" + command)
            self.assertEqual(code, 0, command + printed)
            self.assert_shown(expected, printed)

    def test_runs_in_english(self):
        self.follow("en")

    def test_runs_in_chinese(self):
        self.follow("zh")


def update():
    for page in (page for language in LANGUAGES for page in pages(language)):
        text = with_options(read(page))
        if text != read(page):
            page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        unittest.main()
