#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""docs/rules: the pages that `transplt rule pages` makes of the built-in rules."""

import re
import sys
import unittest

sys.dont_write_bytecode = True
from program import ROOT, ProgramTest, tree_of  # noqa: E402

PAGES = ROOT / "docs" / "rules"
ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
LINK = re.compile(r"\]\(([^)#]*)#([^)]+)\)")


class RulePages(ProgramTest):
    def anchors(self, language):
        """page -> the ids that it explains"""
        return {path.name: ANCHOR.findall(path.read_text(encoding="utf-8"))
                for path in sorted((PAGES / language).glob("*.md"))}

    def test_are_up_to_date(self):
        self.run_for(0, "rule", "pages", "out")
        printed = tree_of(self.folder / "out")
        kept = tree_of(PAGES)
        remedy = "build/bin/transplt rule pages docs/rules"
        self.assertEqual(sorted(printed), sorted(kept), remedy)
        for name, text in printed.items():
            self.assertEqual(text, kept[name], f"{name}: {remedy}")

    def test_explain_every_rule_once(self):
        listed = {line.split()[1]
                  for line in self.run_for(0, "rule", "list").stdout.decode().splitlines()}
        for language in ("en", "zh"):
            ids = [name for page, names in self.anchors(language).items()
                   if page != "README.md" for name in names]
            self.assertEqual(len(ids), len(set(ids)))
            self.assertEqual(set(ids), listed)

    def test_have_an_index_whose_links_lead_somewhere(self):
        for language in ("en", "zh"):
            anchors = self.anchors(language)
            links = LINK.findall((PAGES / language / "README.md").read_text(encoding="utf-8"))
            self.assertEqual(len(links), sum(len(ids) for page, ids in anchors.items()
                                             if page != "README.md"))
            for page, name in links:
                self.assertIn(name, anchors[page])

    def test_say_the_same_as_explain(self):
        page = (PAGES / "en" / "pytorch_values.md").read_text(encoding="utf-8")
        shown = self.run_for(0, "explain", "device-cuda").stdout.decode()
        self.assertIn(shown, page)
        chinese = self.run_for(0, "--lang", "zh", "explain", "device-cuda").stdout.decode()
        self.assertIn(chinese, (PAGES / "zh" / "pytorch_values.md").read_text(encoding="utf-8"))

    def test_are_not_written_where_that_is_impossible(self):
        self.write("out", "a file")
        self.assertIn(b"out", self.run_for(2, "rule", "pages", "out").stderr)


if __name__ == "__main__":
    unittest.main()
