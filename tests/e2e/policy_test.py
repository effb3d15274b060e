#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the people of a project decide: transplt.toml and --disable."""

import json
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
import program  # noqa: E402
from program import ProgramTest, rows_of  # noqa: E402

TRAINING = """import torch

ops = torch.utils.cpp_extension.load("ops", ["ops.cu"])
model = torch.nn.Linear(2, 2).cuda()
torch.backends.cudnn.benchmark = True

if __name__ == "__main__":
    model(torch.zeros(2, 2).cuda())
"""
DECISIONS = """torch = "2.1"
programs = ["train.py"]

[[rules]]
id = "torch.backends.cudnn.benchmark"
off = true
reason = "known"

[[causes]]
id = "cuda-extension:ops"
severity = "note"
reason = "we use one card"
"""


class Policy(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("project/train.py", TRAINING)

    def decide(self, text=DECISIONS):
        self.write("project/transplt.toml", text)

    def migrate(self, code, *arguments):
        return self.run_for(code, "migrate", "project", *arguments)

    def result(self, *arguments):
        return json.loads(self.migrate(0, "--format", "json", *arguments).stdout)

    def test_without_it_an_extension_of_its_own_stops_the_program(self):
        self.assertEqual(self.result()["programs"],
                         [{"path": "train.py", "trains": False, "verdict": "stops",
                           "causes": ["cuda-extension:ops"], "further_causes": [],
                           "optional_causes": [], "unknown_packages": [],
                           "cuda_lines": []}])

    def test_gives_a_cause_another_severity_and_the_program_its_verdict(self):
        self.decide()
        result = self.result()
        causes = {cause["id"]: cause["severity"] for cause in result["causes"]}
        self.assertEqual(causes, {"cuda-extension:ops": "note"})
        self.assertEqual(result["programs"][0]["verdict"], "starts")

    def test_says_in_the_change_list_who_has_decided(self):
        self.decide()
        self.migrate(0, "-o", "out")
        rows = program.rows_of((self.folder / "out/project_msft/change_list.csv").read_bytes())
        messages = [row["Message"] for row in rows if row["Cause"] == "cuda-extension:ops"]
        self.assertEqual(len(messages), 1)
        self.assertTrue(messages[0].endswith("(transplt.toml:10: we use one card)"), messages)

    def test_chooses_the_versions_and_an_option_goes_before_it(self):
        self.decide()
        self.assertEqual(self.result()["versions_from"], "transplt.toml")
        self.assertEqual(self.result("--torch-version", "2.5")["versions_from"], "--torch-version")

    def test_with_a_mistake_stops_the_run_and_nothing_is_written(self):
        for text, expected in {
                "torhc = 1\n": "transplt.toml:1: unknown key \"torhc\"",
                "torch = \"2.1\n": "transplt.toml:1: ",
                "programs = [\"tarin.py\"]\n": "\"tarin.py\" is no program of the project",
                DECISIONS.replace("cudnn.benchmark", "cudnn.benchmarks"):
                    "transplt.toml: no rule and no row has the id \"torch.backends.cudnn.benchmarks\"",
                DECISIONS.replace("reason", "raeson"): "unknown key \"raeson\"",
        }.items():
            with self.subTest(text=text):
                self.decide(text)
                self.assertIn(expected, self.migrate(2, "-o", "out").stderr.decode("utf-8"))
                self.assertFalse((self.folder / "out" / "project_msft").exists())

    def test_is_not_migrated_itself(self):
        self.decide(DECISIONS.replace("we use one card", "device = 'cuda' is one card"))
        self.assertNotIn("transplt.toml", {row["file"] for row in self.result()["records"]})

    def test_tells_of_a_decision_about_nothing(self):
        self.decide(DECISIONS.replace("cuda-extension:ops", "apex"))
        self.assertIn("transplt.toml:10: nothing in this run has the cause \"apex\"",
                      self.migrate(0).stderr.decode("utf-8"))


class Disable(ProgramTest):
    def test_leaves_rules_out(self):
        self.write("project/train.py", TRAINING)
        done = self.run_for(0, "migrate", "project", "--format", "json",
                            "--disable", ".cuda,torch.utils.cpp_extension.load")
        self.assertEqual({record["rule_id"] for record in json.loads(done.stdout)["records"]},
                         {"torch.backends.cudnn.benchmark"})

    def test_leaves_rules_out_of_what_comes_from_standard_input(self):
        result = self.run_for(0, "migrate", "-", "--disable", ".cuda", stdin=TRAINING.encode())
        self.assertIn(b".cuda()", result.stdout)
        self.run_for(2, "migrate", "-", "--disable", ".cudaa", stdin=TRAINING.encode())

    def test_leaves_out_rows_that_no_rule_makes(self):
        self.write("project/pkg/__init__.py", "from .norm import x\n")
        self.write("project/train.py", TRAINING + "import pkg\ny = torch.unique_consecutive(x)\n")
        off = ("missing-module", "unsupported-api", "cudnn-settings")

        def run(*options):
            done = self.run_for(0, "migrate", "project", "--format", "json", *options)
            records = json.loads(done.stdout)["records"]
            return {name for record in records for name in (record["rule_id"], record["cause"])}, done

        self.assertLessEqual(set(off), run()[0])
        shown, done = run("--disable", ",".join(off))
        self.assertFalse(set(off) & shown)
        self.assertIn(".cuda", shown)
        said = done.stderr.decode("utf-8")
        self.assertIn("Note: switched off, and not shown: missing-module (1), unsupported-api (1), "
                      "cudnn-settings (1)\n", said)
        self.write("project/transplt.toml", "".join(
            f'[[rules]]\nid = "{id}"\noff = true\nreason = "known"\n' for id in off))
        self.assertEqual(run()[0], shown)

    def test_knows_all_ids_that_reports_show(self):
        fixtures = pathlib.Path(__file__).resolve().parents[1] / "fixtures"
        ids = set()
        for table in fixtures.glob("*/change_list.csv"):
            for row in rows_of(table.read_bytes()):
                ids |= {row["Rule ID"], row["Cause"]} - {""}
        self.assertIn("kernel-in-string", ids)
        self.write("project/train.py", "import torch\n")
        self.run_for(0, "migrate", "project", "--disable", ",".join(sorted(ids)))

    def test_refuses_an_id_that_no_rule_has(self):
        self.write("project/train.py", TRAINING)
        done = self.run_for(2, "migrate", "project", "--disable", "torch.nn.DataParalel")
        self.assertIn("--disable: no rule and no row has the id \"torch.nn.DataParalel\"; did you "
                      "mean \"torch.nn.DataParallel\"?", done.stderr.decode("utf-8"))


if __name__ == "__main__":
    unittest.main()
