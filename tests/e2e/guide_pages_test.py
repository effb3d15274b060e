#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""pytorch-guides.md: each row of a guide has a grade, and what it names as shown by exists."""

import collections
import functools
import json
import pathlib
import re
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
DOCS = ROOT / "docs"
PAGES = [DOCS / "en" / "pytorch-guides.md"]
FRAMEWORKS = ROOT / "transplt" / "inject" / "frameworks.cpp"
GRADES = {"WORKS": "支持", "NEEDS HARDWARE": "需要硬件", "DOES NOT WORK": "不支持"}
COUNTS = re.compile(r"<!-- counts -->\n(.*)\n")


def rows(page):
    """The cells of each row of a table of four columns, without its head."""
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 4 and cells[-1] not in ("Grade", "等级"):
            if not set(line) <= set("|-: "):
                yield cells


@functools.lru_cache(maxsize=None)
def text_of(path):
    return path.read_text(encoding="utf-8")


@functools.lru_cache(maxsize=None)
def rule_ids():
    return {match for path in (ROOT / "rules").glob("*.json")
            for match in re.findall(r'"id": "([^"]+)"', text_of(path))}


@functools.lru_cache(maxsize=None)
def answers():
    """The answers of `explain-error` that have an excerpt of a log."""
    return {case["answer"] for case in json.loads(text_of(TESTS / "e2e" / "log_excerpts.json"))}


def exists(name):
    """True for a rule, an answer, a file under tests/, or a test in one."""
    kind, _, rest = name.partition(" ")
    if kind in ("rule", "answer") and rest:
        return rest in (rule_ids() if kind == "rule" else answers())
    path, _, test = name.partition(":")
    if not (TESTS / path).exists():
        return False
    defined = re.compile(rf"def {test}\(|TEST(_F|_P)?\(\w+, {test}\)")
    return not test or bool(defined.search(text_of(TESTS / path)))


class GuidePages(unittest.TestCase):
    def test_name_only_what_exists(self):
        for page in PAGES:
            for asked, _, shown, _ in rows(page):
                for name in re.findall(r"`([^`]+)`", shown):
                    with self.subTest(page=page.name, row=asked, name=name):
                        self.assertTrue(exists(name))

    def test_show_each_row_that_works_by_a_test(self):
        for page in PAGES:
            for asked, does, shown, grade in rows(page):
                with self.subTest(page=page.name, row=asked):
                    self.assertIn(grade, GRADES)
                    self.assertTrue(grade != "WORKS" or shown)
                    self.assertTrue(grade != "DOES NOT WORK" or does)

    def test_name_options_and_behaviours_that_exist(self):
        known = "".join(text_of(path) for path in (DOCS / "en").glob("*.md") if path not in PAGES)
        settings = text_of(ROOT / "rules" / "inject_options.json") + text_of(FRAMEWORKS)
        for page in PAGES:
            for code in re.findall(r"`([^`]+)`", text_of(page)):
                for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", code):
                    self.assertTrue(re.search(rf"{option}\b", known), code)
                for names in re.findall(r"--enable ([a-z0-9,-]+)", code):
                    for name in names.split(","):
                        self.assertTrue(f"\n{' ' * 32}{name}: " in known, code)
                for name in re.findall(r"--(?:set|tool) ([A-Za-z0-9_-]+)", code):
                    self.assertTrue(f'"{name}"' in settings, code)

    def test_count_their_grades(self):
        for page in PAGES:
            graded = collections.Counter(grade for *_, grade in rows(page))
            counts = "; ".join(f"{graded[grade]} {grade}" for grade in GRADES)
            found = COUNTS.search(text_of(page))
            self.assertEqual(found and found[1],
                             f"{sum(graded.values())} rows: {counts}.", page.name)

    def test_say_the_same_in_chinese(self):
        for page in PAGES:
            chinese = DOCS / "zh" / page.name
            wanted = [(shown, GRADES[grade]) for _, _, shown, grade in rows(page)]
            self.assertEqual([tuple(row[2:]) for row in rows(chinese)], wanted)
            counts = [COUNTS.search(text_of(path))[1] for path in (page, chinese)]
            self.assertEqual(*(re.findall(r"\d+", text) for text in counts))


if __name__ == "__main__":
    unittest.main()
