#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`migrate --html FILE`: the page in a browser, and what it decides."""

import csv
import io
import json
import os
import re
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import program  # noqa: E402
from browser import CHROMIUM, Browser  # noqa: E402
from program import ProgramTest, tree_of  # noqa: E402

AXE = program.ROOT / "tests/browser/node_modules/axe-core/axe.min.js"
DECISIONS = "transplt-decisions.csv"
TRICK = 'x = "</script><script>window.hacked = 1</script><!--"; '
PROJECT = {
    "train.py": "import torch\n\nmodel = torch.nn.DataParallel(net).cuda()\n" +
                TRICK + 'y = "\u2028\u202e\u4f60\u597d".join(str(torch.cuda.device_count()))\n'
                "z = torch.cuda.jiterator\nif __name__ == '__main__':\n    train()\n",
    "settings.py": 'DEVICE = "cuda"\n',
    "part.py": "import torch\nfrom settings import DEVICE\n\n"
               'if DEVICE == "cuda":\n    x = torch.ones(2, device=DEVICE)\n',
    "with 'quote\" \u574f.py": "import torch\nx = 1; torch.cuda.synchronize()\n",
    "run.sh": "export CUDA_VISIBLE_DEVICES=0,1\npython train.py --backend nccl\n",
    "formula.py": "import torch\nx = [\n    a\n    -torch.cuda.device_count(),\n]\n",
    "broken.py": "import torch\ndef f(:\n    torch.cuda.empty_cache()\n",
}


class Written(ProgramTest):
    """What is written, and where; without a browser."""

    def setUp(self):
        super().setUp()
        self.write("project/a.py", PROJECT["train.py"])

    def test_a_run_without_output_writes_only_the_page(self):
        before = tree_of(self.folder / "project")
        plain = self.run_for(0, "migrate", "project")
        result = self.run_for(0, "migrate", "project", "--html", "page.html")
        self.assertEqual((result.stdout, result.stderr), (plain.stdout, plain.stderr))
        self.assertEqual(tree_of(self.folder / "project"), before)
        self.assertEqual(set(os.listdir(self.folder)), {"project", "page.html"})

    def test_the_same_run_writes_the_same_page(self):
        self.run_for(0, "migrate", "project", "--html", "page.html", "-j", "1")
        page = (self.folder / "page.html").read_bytes()
        self.run_for(0, "migrate", "project", "--html", "page.html", "-j", "8")
        self.assertEqual((self.folder / "page.html").read_bytes(), page)

    def test_nothing_of_a_source_can_end_the_data(self):
        self.run_for(0, "migrate", "project", "--html", "page.html")
        page = (self.folder / "page.html").read_text("utf-8")
        self.assertEqual(page.count("</script>"), 2)
        self.assertNotIn("<!--", page)
        self.assertNotIn("\u2028", page)
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1]
        self.assertIn(TRICK, json.loads(data)["diffs"][0])
        self.assertNotIn("unsafe", page.split("Content-Security-Policy", 1)[1].split(">", 1)[0])

    def test_beside_the_result_but_not_in_it(self):
        self.run_for(0, "migrate", "project", "-o", "out", "--html", "out/page.html")
        self.assertTrue((self.folder / "out/page.html").is_file())
        self.run_for(0, "review", "out/project_msft", "--reject", "all")
        shutil.rmtree(self.folder / "out")
        message = self.run_for(2, "migrate", "project/", "-o", "out",
                               "--html", "out/project_msft/page.html").stderr.decode()
        self.assertIn("lies in the result", message)
        self.assertFalse((self.folder / "out").exists())

    def test_only_a_page_is_replaced_without_force(self):
        self.write("notes.html", "mine")
        message = self.run_for(2, "migrate", "project", "--html", "notes.html").stderr.decode()
        self.assertIn("notes.html", message)
        self.assertEqual((self.folder / "notes.html").read_text(), "mine")
        self.run_for(0, "migrate", "project", "--html", "notes.html", "--force")
        self.run_for(0, "migrate", "project", "--html", "notes.html")

    def test_places_that_cannot_be_written_are_refused_before_the_run(self):
        for place in ("missing/page.html", "project", "."):
            self.run_for(2, "migrate", "project", "-o", "out", "--html", place)
        self.run_for(2, "migrate", "-", "--html", "page.html", stdin=b"import torch\n")
        self.assertEqual(os.listdir(self.folder), ["project"])

    def test_in_place_and_check(self):
        self.run_for(1, "migrate", "project", "--check", "--html", "page.html")
        diffs = re.search(r'"diffs": \[.*', (self.folder / "page.html").read_text(), re.S)[0]
        self.assertIn("torch.npu", diffs)
        self.run_for(0, "migrate", "project", "--in-place", "--html", "page.html")
        self.assertIn("torch.npu", (self.folder / "page.html").read_text())


NO_BROWSER = "there is no chromium: ./dev test installs it, and so does apt-get install chromium"


@unittest.skipUnless(CHROMIUM, NO_BROWSER)
class PageTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.mkdtemp(prefix="transplt-test-")
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.page = Browser(folder)
        cls.addClassCleanup(cls.page.close)

    def open(self, *arguments, files=None, code=1):
        for name, content in (files or PROJECT).items():
            self.write("project/" + name, content)
        self.run_for(code, "migrate", "project", "-o", "out", "--html", "page.html", *arguments)
        self.page.new_page(self.folder / "downloads")
        return self.page.open(self.folder / "page.html")

    def go_to(self, text, file):
        """Makes the change of `file` that says `text` the current one, by the keys."""
        self.page.run(f"document.getElementById('by-file').value = {json.dumps(file)};"
                      f"document.getElementById('search').value = {json.dumps(text)};"
                      "document.getElementById('filters').dispatchEvent(new Event('change'))")
        self.page.run("document.activeElement.blur()")
        self.page.press("k")
        self.page.wait("document.querySelector('.change.current') !== null")

    def text(self, selector):
        return self.page.run(f"document.querySelector({json.dumps(selector)}).innerText")


class Page(PageTest):
    def test_asks_for_nothing_and_runs_nothing_of_a_source(self):
        self.open()
        self.assertEqual(self.page.run("typeof window.hacked"), "undefined")
        self.go_to("device_count", "train.py")
        shown = "[...document.querySelectorAll('.code')].map(e => e.textContent)"
        self.page.wait(f"{shown}.some(text => text.includes('<script>window.hacked'))")
        line = self.page.run(f"{shown}.find(text => text.includes('hacked'))")
        self.assertEqual(line, PROJECT["train.py"].split("\n")[3].replace("\u202e", "<U+202E>"))
        self.assertEqual(self.page.requests, [(self.folder / "page.html").as_uri()])
        self.assertEqual(self.page.errors, [])

    def test_shows_the_facts_of_the_first_screen(self):
        self.open()
        screen = self.run_for(1, "migrate", "project", "-o", "out", "--force").stderr.decode()
        facts = self.text("main").splitlines()
        for line in screen.splitlines()[:4]:
            self.assertIn(line.strip(), "\n".join(facts))
        rows = self.page.run("[...document.querySelectorAll('#causes tbody tr')].map(r => r.innerText)")
        self.assertIn("data-parallel", "".join(rows))
        self.assertRegex(self.text("#headline"), r"^Stops: \d")
        self.assertIn("train.py", self.text("#programs"))
        self.page.run("[...document.querySelectorAll('#causes .link')]"
                      ".find(b => b.textContent === 'data-parallel').click()")
        self.page.wait("document.querySelectorAll('.change').length === 1")
        self.assertIn("DistributedDataParallel", self.text(".change"))

    def test_speaks_both_languages(self):
        self.open("--lang", "zh")
        self.assertEqual(self.page.run("document.documentElement.lang"), "zh-CN")
        self.assertIn("会中断", self.text("#headline"))
        self.page.run("document.getElementById('language').click()")
        self.assertEqual(self.page.run("document.documentElement.lang"), "en")
        self.assertIn("Stops", self.text("#headline"))
        missing = self.page.run("[...document.querySelectorAll('[data-say]')].filter(e => "
                                "e.textContent === '' || e.textContent === 'undefined').length")
        self.assertEqual(missing, 0)

    def test_every_change_stands_at_its_line(self):
        self.open()
        count = int(self.text("#count").split()[0])
        with open(self.folder / "out/project_msft/change_list.csv", newline="", encoding="utf-8") as file:
            self.assertEqual(count, len(list(csv.DictReader(file))))
        strangers = self.page.run("""[...Array(%d)].map(() => {
          document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'j', bubbles: true}));
          const card = document.querySelector('.change.current');
          const line = /line (\\d+)/.exec(card.innerText)?.[1];
          const numbers = [...card.parentElement.querySelectorAll('.no')].map(e => e.innerText);
          return !line || numbers.length === 0 || numbers.includes(line) ? '' : card.innerText;
        }).filter(Boolean)""" % count)
        self.assertEqual(strangers, [])

    def test_keys(self):
        self.open()
        self.page.press("?")
        self.assertTrue(self.page.run("document.getElementById('help').open"))
        self.page.run("document.getElementById('help').close(); document.activeElement.blur()")
        self.page.press("/")
        self.page.press("a")
        self.assertEqual(self.page.run("document.activeElement.id + document.activeElement.value"), "searcha")

    def test_filters_and_search(self):
        self.open()
        everything = self.text("#count").split()[0]
        for select in ("severity", "cause", "file", "applicability", "decision"):
            counts = self.page.run("""(select => [...select.options].map(option => {
              select.value = option.value;
              document.getElementById('filters').dispatchEvent(new Event('change'));
              return Number(document.getElementById('count').textContent.split(' ')[0]);
            }))(document.getElementById('by-%s'))""" % select)
            self.assertEqual(counts[0], int(everything))
            if select != "severity":  # which edits do not have
                self.assertEqual(sum(counts[1:]), counts[0], select)
            self.page.run(f"document.getElementById('by-{select}').value = ''")

    def test_no_serious_problem_of_accessibility(self):
        self.assertTrue(AXE.is_file(), f"{AXE} is missing: ./dev test fetches it, and so does "
                                       "`npm ci --ignore-scripts` in tests/browser")
        self.open()
        self.page.run(AXE.read_text("utf-8"))
        self.go_to("", "train.py")
        self.page.press("r")
        for state in ("light", "dark", "help"):
            self.page.prefer("light" if state == "light" else "dark")
            if state == "help":
                self.page.press("?")
            checked, found = self.page.run(
                "axe.run(document).then(result => [result.passes.map(p => p.id), result.violations.map("
                "v => [v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html + n.failureSummary)])])")
            self.assertIn("color-contrast", checked)
            bad = [one for one in found if one[0] in ("serious", "critical")]
            self.assertEqual(bad, [], state)


class Decisions(PageTest):
    def export(self):
        self.page.run("document.getElementById('export').click()")
        return self.page.download(DECISIONS)

    def test_are_what_review_reads(self):
        self.open()
        result = self.folder / "out/project_msft"
        migrated = tree_of(result)
        for file, text in (("train.py", "device_count"), ("with 'quote\" \u574f.py", "change torch.cuda.synchronize"),
                           ("formula.py", "device_count")):
            self.go_to(text, file)
            self.page.press("r")
        self.go_to("cuda", "settings.py")
        self.page.press("a")
        table = self.export()
        rows = list(csv.DictReader(io.StringIO(table.decode("utf-8-sig"), newline="")))
        self.assertEqual({row["Decision"] for row in rows}, {"accept", "reject"})
        self.run_for(0, "review", "out/project_msft", "--decisions", self.page.downloads / DECISIONS)
        expected = dict(migrated)
        expected["train.py"] = migrated["train.py"].replace(b"torch.npu.device_count", b"torch.cuda.device_count")
        self.assertNotEqual(expected["train.py"], migrated["train.py"])
        for name in ("formula.py", "with 'quote\" \u574f.py"):
            expected[name] = PROJECT[name].encode()
        made = tree_of(result)
        for name in PROJECT:
            self.assertEqual(made[name], expected[name], name)

    def test_of_one_value_go_together(self):
        files = {name: PROJECT[name] for name in ("settings.py", "part.py")}
        self.open(files=files, code=0)
        self.go_to("cuda", "settings.py")
        self.page.press("r")
        self.assertIn("one value", self.text(".change.current"))
        self.export()
        self.run_for(0, "review", "out/project_msft", "--decisions", self.page.downloads / DECISIONS)
        for name, content in files.items():
            self.assertEqual((self.folder / "out/project_msft" / name).read_text(), content)

    def test_can_be_taken_back_and_made_about_all_that_is_shown(self):
        self.open()
        self.go_to("device_count", "train.py")
        self.page.press("r")
        self.assertIn("(1)", self.text("#export"))
        self.page.press("u")
        self.assertIn("(0)", self.text("#export"))
        self.page.run("document.querySelector('#filters [type=reset]').click()")
        self.page.run("new Promise(done => setTimeout(done, 50))")
        self.page.run("document.getElementById('reject-shown').click()")
        self.export()
        self.run_for(0, "review", "out/project_msft", "--decisions", self.page.downloads / DECISIONS)
        for name, content in PROJECT.items():
            self.assertEqual((self.folder / "out/project_msft" / name).read_bytes(), content.encode(), name)


class TenThousandChanges(PageTest):
    def test_can_be_looked_through(self):
        lines = "".join(f"    x{i} = layer{i}.cuda()\n    y{i} = {i}\n    z{i} = {i}\n" for i in range(200))
        files = {f"pkg/m{i}.py": f"import torch\n\ndef f():\n{lines}" for i in range(50)}
        seconds = self.open(files=files, code=0)
        size = (self.folder / "page.html").stat().st_size
        print(f"a page of {size} bytes was usable after {seconds:.2f} s", file=sys.stderr)
        self.assertGreaterEqual(int(self.text("#count").split()[0]), 10000)
        last = "document.querySelector('#list > :last-child')"
        frames = self.page.run("""new Promise(done => {
          const bar = document.documentElement, start = performance.now();
          let before = start, worst = 0, count = 0;
          const scroll = now => {
            worst = Math.max(worst, now - before);
            before = now;
            bar.scrollTop += 400;
            if (++count < 120) requestAnimationFrame(scroll);
            else done([count, now - start, worst]);
          };
          requestAnimationFrame(scroll);
        })""")
        print("scrolled {} frames in {:.0f} ms, the slowest took {:.0f} ms".format(*frames), file=sys.stderr)
        self.page.run("scrollTo(0, document.documentElement.scrollHeight)")
        # Entries that are drawn on the way move the last one: a person goes on scrolling.
        self.page.wait(f"({last}.scrollIntoView(), {last}.querySelector('.change') !== null)")
        self.assertIn("layer199", self.page.run(f"{last}.innerText"))
        elements = self.page.run("document.querySelectorAll('*').length")
        self.assertLess(elements, 20000)
        self.page.press("j")
        self.page.press("r")
        self.assertIn("(1)", self.text("#export"))
        self.assertEqual(self.page.errors, [])


if __name__ == "__main__":
    if not CHROMIUM:
        print("skipped what needs a browser:", NO_BROWSER, file=sys.stderr)
    unittest.main()
