#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`migrate --format NAME` for other programs, and `--fail-on`."""

import json
import os
import re
import sys
import unittest
import urllib.parse
from xml.etree import ElementTree

import jsonschema

sys.dont_write_bytecode = True
import program  # noqa: E402
from program import ProgramTest  # noqa: E402

SCHEMA = (program.ROOT / "tests" / "schemas" / "node_modules" / "@microsoft" / "jest-sarif" / "lib" /
          "schemas" / "sarif-2.1.0-rtm.5.json")
SEVERITIES = ("stops-import", "stops-run", "may-go-wrong", "slower", "no-effect", "note")
PROJECT = {
    "train.py": "import torch\n\nmodel = torch.nn.DataParallel(net).cuda()\n"
                "print('𝄞', torch.cuda.device_count())\nx = torch.cuda.jiterator\n",
    "坏 a%b#[c]{0}\udcff\n.py": "import torch\r\nx = {'a': y.to(\r\n    'cuda')}; z = ']]>'\r\n"
                                     "w = torch.cuda.jiterator\r\n",
    "run.sh": "export CUDA_VISIBLE_DEVICES=0,1\npython train.py --backend nccl\n",
    "broken.py": "import torch\ndef f(:\n    torch.cuda.empty_cache()\n",
    "binary.py": b"\x00\xff",
    "book.ipynb": json.dumps({"cells": [{"cell_type": "code", "metadata": {}, "outputs": [],
                                         "execution_count": None,
                                         "source": ["import torch\n", "x = 1; torch.cuda.f()\n"]}],
                              "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1),
}


def closed(schema):
    """The schema, so that it takes no fields that it does not describe."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: closed(value) for key, value in schema.items()}
    return schema | ({"additionalProperties": False} if "required" in schema else {})


class FormatTest(ProgramTest):
    def write_project(self, root="src"):
        for name, content in PROJECT.items():
            self.write(f"{root}/{name}", content)

    def printed(self, name, *arguments, code=1, **options):
        """What the format prints of `src`; the code is 1 because a file cannot be read."""
        return self.run_for(code, "migrate", "src", "--format", name, *arguments, **options).stdout


def line_starts(text):
    return [0, *(end.end() for end in re.finditer(r"\r\n|\n|\r", text))]


def with_fixes(text, replacements):
    """`text` with the replacements of SARIF fixes, which refer to the original."""
    starts = line_starts(text)
    edits = []
    for replacement in replacements:
        region = replacement["deletedRegion"]
        edits.append((starts[region["startLine"] - 1] + region["startColumn"] - 1,
                      starts[region["endLine"] - 1] + region["endColumn"] - 1,
                      replacement["insertedContent"]["text"]))
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


class Sarif(FormatTest):
    def log(self, *arguments, **options):
        return json.loads(self.printed("sarif", *arguments, **options))

    def results(self, *arguments, **options):
        return self.log(*arguments, **options)["runs"][0]["results"]

    @staticmethod
    def uri_of(result):
        return result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]

    def test_fits_the_schema(self):
        self.assertTrue(SCHEMA.is_file(), f"{SCHEMA} is missing: ./dev test fetches it, and so does "
                                          "`npm ci --ignore-scripts` in tests/schemas")
        validator = jsonschema.Draft4Validator(json.loads(SCHEMA.read_bytes()))
        self.assertTrue(list(validator.iter_errors({"version": "2.1.0", "runs": [{}]})))
        self.write_project()
        self.assertEqual(list(validator.iter_errors(self.log())), [])
        self.assertEqual(list(validator.iter_errors(self.log("-o", "out"))), [])

    def test_names_files_from_the_working_directory(self):
        self.write_project()
        names = {os.fsdecode(urllib.parse.unquote_to_bytes(self.uri_of(result)))
                 for result in self.results()}
        self.assertEqual(names, {f"src/{name}" for name in PROJECT} - {"src/binary.py"})
        here = self.run_for(1, "migrate", ".", "--format", "sarif", cwd=self.folder / "src").stdout
        self.assertIn("train.py", map(self.uri_of, json.loads(here)["runs"][0]["results"]))
        one = self.run_for(0, "migrate", "src/train.py", "--format", "sarif").stdout
        self.assertEqual(set(map(self.uri_of, json.loads(one)["runs"][0]["results"])),
                         {"src/train.py"})

    def test_fixes_make_what_migrate_makes(self):
        self.write_project()
        replacements = {}
        for result in self.results("-o", "out"):
            for fix in result.get("fixes", ()):
                change = fix["artifactChanges"][0]
                name = os.fsdecode(urllib.parse.unquote_to_bytes(change["artifactLocation"]["uri"]))
                replacements.setdefault(name.removeprefix("src/"), []).extend(change["replacements"])
        for name in set(PROJECT) - {"binary.py", "book.ipynb"}:
            with self.subTest(name=name):
                made = with_fixes(PROJECT[name], replacements.get(name, ()))
                self.assertEqual(made != PROJECT[name], name != "broken.py")
                self.assertEqual(made.encode(), (self.folder / "out/src_msft" / name).read_bytes())

    def test_fingerprints_stay_when_lines_move_and_are_unique(self):
        self.write_project()
        fingerprints = [result["partialFingerprints"]["transplt/v1"] for result in self.results()]
        self.assertEqual(len(set(fingerprints)), len(fingerprints))
        self.write("src/train.py", "# A new line.\n" + PROJECT["train.py"])
        moved = [result["partialFingerprints"]["transplt/v1"] for result in self.results()]
        self.assertEqual(moved, fingerprints)

    def test_tells_of_a_file_that_was_skipped(self):
        self.write_project()
        notifications = self.log()["runs"][0]["invocations"][0]["toolExecutionNotifications"]
        self.assertEqual([self.uri_of(notification) for notification in notifications],
                         ["src/binary.py"])

    def test_is_in_english_and_the_same_in_every_run(self):
        self.write_project()
        self.assertEqual(self.printed("sarif", env={"LANG": "zh_CN.UTF-8"}), self.printed("sarif"))


class GitHub(FormatTest):
    def test_each_line_is_a_command_about_a_file_of_the_checkout(self):
        self.write_project()
        lines = self.printed("github").decode().splitlines()
        for line in lines:
            self.assertRegex(line, r"^::(error|warning|notice) file=src/[^:]*::.")
        self.assertTrue(any(line.startswith("::error file=src/train.py,line=5,col=5,title=stops run "
                                            "(torch.cuda.jiterator)::") for line in lines), lines)
        self.assertTrue(any("file=src/坏 a%25b#[c]{0}\ufffd%0A.py" in line for line in lines), lines)


class GitLab(FormatTest):
    def test_has_an_issue_for_each_place_with_the_fingerprint_of_sarif(self):
        self.write_project()
        issues = json.loads(self.printed("gitlab"))
        paths = {issue["location"]["path"] for issue in issues}
        self.assertIn("src/坏 a%b#[c]{0}\ufffd\n.py", paths)
        self.assertTrue(paths <= {f"src/{name}".replace("\udcff", "\ufffd") for name in PROJECT})
        fingerprints = [issue["fingerprint"] for issue in issues]
        self.assertEqual(len(set(fingerprints)), len(fingerprints))
        results = json.loads(self.printed("sarif"))["runs"][0]["results"]
        same = {result["partialFingerprints"]["transplt/v1"] for result in results}
        self.assertEqual({issue["location"]["path"] for issue in issues
                          if issue["fingerprint"] not in same}, {"src/binary.py"})


class JUnit(FormatTest):
    def test_has_a_failure_for_each_cause_that_stops(self):
        self.write_project()
        suites = ElementTree.fromstring(self.printed("junit"))
        suite = suites.find("testsuite")
        self.assertEqual(int(suite.get("tests")), len(suite.findall("testcase")))
        self.assertEqual(int(suite.get("failures")), len(suite.findall("testcase/failure")))
        self.assertEqual(int(suite.get("errors")), len(suite.findall("testcase/error")))
        causes = json.loads(self.printed("json"))["causes"]
        failed = {case.get("name") for case in suite.findall("testcase") if case.find("failure") is not None}
        self.assertEqual(failed, {cause["id"] for cause in causes
                                  if cause["severity"] in ("stops-import", "stops-run")})
        self.assertIn("src/train.py:5: ",
                      suite.find("testcase[@name='torch.cuda.jiterator']/failure").text)
        self.assertEqual([case.get("name") for case in suite.findall("testcase") if case.find("error")
                          is not None], ["src/binary.py"])


class Markdown(FormatTest):
    def test_has_a_row_of_five_cells_for_each_cause(self):
        self.write_project()
        lines = self.printed("markdown").decode().splitlines()
        causes = json.loads(self.printed("json"))["causes"]
        rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines if line.startswith("| ")][1:]
        self.assertEqual([len(row) for row in rows], [5] * len(causes))
        self.assertEqual([int(row[1]) for row in rows], [cause["places"] for cause in causes])
        stops = sum(cause["severity"].startswith("stops") for cause in causes)
        self.assertTrue(any(line.startswith(f"**Stops: {stops}.**") for line in lines), lines)


class EveryFormat(FormatTest):
    def names(self):
        text = self.run_for(0, "migrate", "--help").stdout.decode()
        section = text[text.index("how the run is printed"):text.index("--fail-on")]
        return re.findall(r"(?m)^ +(\w+): ", section)

    def test_is_explained_in_the_document(self):
        document = (program.ROOT / "docs" / "en" / "formats.md").read_text()
        self.assertEqual(re.findall(r"(?m)^\| `(\w+)`", document), self.names())

    def test_goes_to_stdout_alone_and_takes_an_empty_project(self):
        (self.folder / "src").mkdir()
        for name in self.names():
            with self.subTest(name=name):
                empty = self.run_for(0, "migrate", "src", "--format", name)
                self.assertEqual(bool(empty.stdout), name not in ("text", "github"))
        self.write_project()
        for name in self.names():
            with self.subTest(name=name):
                self.printed(name).decode("utf-8")

    def test_is_refused_where_the_result_goes_to_stdout(self):
        for name in self.names()[1:]:
            result = self.run_for(2, "migrate", "-", "--format", name, stdin=b"import torch\n")
            self.assertIn(b"--format", result.stderr)
            self.assertEqual(result.stdout, b"")

    def test_is_refused_beside_the_patch_which_goes_to_stdout_too(self):
        self.write_project()
        for name in self.names()[1:]:
            result = self.run_for(2, "migrate", "src", "--diff", "--format", name)
            self.assertIn(b"--diff and --format " + name.encode(), result.stderr)


class FailOn(FormatTest):
    def code(self, *arguments, stdin=b""):
        return program.run("migrate", *arguments, cwd=self.folder, stdin=stdin).returncode

    def test_exits_with_3_for_this_severity_and_all_that_are_worse(self):
        self.write("src/train.py", "import torch\ntorch.backends.cudnn.benchmark = True\n")
        codes = [self.code("src", "--fail-on", severity) for severity in SEVERITIES]
        self.assertEqual(codes, [0, 0, 0, 0, 3, 3])
        self.write("src/train.py", "import torch\nm = torch.cuda.jiterator\n")
        codes = [self.code("src", "--fail-on", severity) for severity in SEVERITIES]
        self.assertEqual(codes, [0, 3, 3, 3, 3, 3])
        self.assertEqual(self.code("src"), 0)
        self.assertEqual(self.code("-", "--fail-on", "stops-run",
                                   stdin=b"import torch\nm = torch.cuda.jiterator\n"), 3)

    def test_leaves_1_for_what_was_not_read_and_for_changes(self):
        self.write("src/train.py", "import torch\ntorch.cuda.empty_cache()\n")
        self.assertEqual(self.code("src", "--fail-on", "note"), 0)
        self.assertEqual(self.code("src", "--fail-on", "note", "--check"), 1)
        self.write("src/binary.py", b"\x00")
        self.assertEqual(self.code("src", "--fail-on", "stops-run"), 1)
        self.assertEqual(self.code("src", "--fail-on", "may-go-wrong"), 3)

    def test_writes_the_result_all_the_same(self):
        self.write_project()
        self.assertEqual(self.code("src", "-o", "out", "--fail-on", "stops-run"), 3)
        self.assertTrue((self.folder / "out/src_msft/train.py").is_file())

    def test_refuses_an_unknown_severity_and_names_those_that_there_are(self):
        result = self.run_for(2, "migrate", "src", "--fail-on", "error")
        for severity in SEVERITIES:
            self.assertIn(severity.encode(), result.stderr)
            self.assertIn(severity.encode(), self.run_for(0, "migrate", "--help").stdout)


class JsonReport(FormatTest):
    """Fits docs/report.schema.json, which describes every field."""

    def setUp(self):
        super().setUp()
        schema = closed(json.loads((program.ROOT / "docs" / "report.schema.json").read_bytes()))
        jsonschema.Draft202012Validator.check_schema(schema)
        self.validator = jsonschema.Draft202012Validator(schema)
        self.write_project()

    def assert_fits(self, *arguments, **options):
        report = json.loads(self.printed("json", *arguments, **options))
        self.assertEqual([error.message for error in self.validator.iter_errors(report)], [])
        return report

    def test_fits_the_schema(self):
        report = self.assert_fits()
        for name in ("files", "causes", "records"):
            self.assertTrue(report[name], name)
        self.assert_fits("-o", "out")
        self.assert_fits("--target", "agnostic")

    def test_of_a_sample_with_programs_fits_the_schema(self):
        output = self.run_for(0, "migrate", program.ROOT / "samples" / "imagenet", "--format", "json")
        report = json.loads(output.stdout)
        self.assertTrue(report["programs"])
        self.assertEqual(list(self.validator.iter_errors(report)), [])

    def test_of_another_form_does_not_fit_the_schema(self):
        report = self.assert_fits()
        wrong = [report | {"schema_version": 2}, report | {"more": 1},
                 {key: value for key, value in report.items() if key != "causes"}]
        for key, value in (("severity", "bad"), ("start_line", 0), ("operation", "modify"), ("file", 1)):
            wrong.append(report | {"records": [report["records"][0] | {key: value}]})
        for other in wrong:
            self.assertTrue(list(self.validator.iter_errors(other)))


if __name__ == "__main__":
    unittest.main()
