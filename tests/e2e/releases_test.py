#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Which torch and torch_npu a run assumes, and how it says so."""

import json
import unittest

from program import ProgramTest, tree_of

TRAIN = "import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\n"


class Releases(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("project/train.py", TRAIN)

    def assumed(self, *options):
        result = self.run_for(0, "migrate", "project", *options)
        return result.stderr.decode().splitlines()[0]

    def test_the_newest_pair_is_the_default_and_named_first(self):
        self.assertEqual(
            self.assumed(),
            "project: pytorch; assumed: torch 2.12.0 with torch_npu 26.1.0 (CANN 9.1.0), from the default "
            "(the newest pair; --torch-version and --torch-npu choose another)")

    def test_options_choose(self):
        self.assertEqual(self.assumed("--torch-version", "2.7"),
                         "project: pytorch; assumed: torch 2.7.1 with torch_npu 26.1.0 (CANN "
                         "9.1.0), from --torch-version")
        self.assertEqual(self.assumed("--torch-version", "2.7", "--torch-npu", "7.3.0"),
                         "project: pytorch; assumed: torch 2.7.1 with torch_npu 7.3.0 (CANN "
                         "8.5.0), from --torch-version, --torch-npu")

    def test_a_pin_of_the_project_chooses(self):
        self.write("project/requirements.txt", "numpy\ntorch==2.1.0\n")
        self.assertIn("torch 2.1.0 with torch_npu 7.2.0 (CANN 8.3.RC1), from requirements.txt "
                      "(torch==2.1.0)", self.assumed())
        self.assertIn("torch 2.8.0 with", self.assumed("--torch-version", "2.8"))
        self.assertIn("torch 2.1.0 with torch_npu 6.0.0", self.assumed("--torch-npu", "6.0.0"))

    def test_a_pin_of_what_is_built_for_one_torch_chooses_that_torch(self):
        self.write("project/requirements.txt", "torchaudio>=0.8,<2.1\n")
        self.assertIn("torch 2.0.1 with torch_npu 5.0.0 (CANN 7.0.0), from requirements.txt "
                      "(torchaudio>=0.8,<2.1)", self.assumed())
        self.write("project/requirements.txt", "torch>=1.8\ntorchvision==0.16.2\n")
        self.assertIn("torch 2.1.0 with", self.assumed())
        self.write("project/requirements.txt", "torchvision>=0.9\n")
        self.assertIn("from the default", self.assumed())

    def test_a_folder_of_requirements_that_pins_torchvision_alone_chooses_its_torch(self):
        self.write("project/requirements/npu.txt", "torchaudio==2.7.1\ntorchvision==0.22.1\n")
        self.assertIn("torch 2.7.1 with torch_npu 26.1.0 (CANN 9.1.0), from requirements/npu.txt "
                      "(torchaudio==2.7.1), requirements/npu.txt (torchvision==0.22.1)",
                      self.assumed())
        self.write("project/requirements.txt", "torch==2.8.0\n")
        self.assertIn("torch 2.8.0 with", self.assumed())

    def test_a_list_of_conda_pins_as_requirements_do(self):
        self.write("project/conda_packages.txt",
                   "@EXPLICIT\nhttps://host/linux-64/python-3.6.5-hc3d631a_2.tar.bz2\n"
                   "https://host/pytorch/linux-64/pytorch-0.4.0-py36_cuda8.0.61_1.tar.bz2\n")
        result = self.run_for(0, "migrate", "project", "--list", "all")
        lines = result.stderr.decode()
        self.assertIn("because no torch_npu serves conda_packages.txt (pytorch==0.4.0)", lines)
        self.assertIn("conda_packages.txt:2:", lines)
        self.write("project/conda_packages.txt", "# platform: linux-64\npytorch=2.1.0=py3.9_cuda11.8\n")
        self.assertIn("torch 2.1.0 with", self.assumed())

    def test_pins_of_several_files_hold_together(self):
        self.write("project/requirements.txt", "torch>=2.1\n")
        self.write("project/environment.yml", "dependencies:\n  - pytorch<2.6\n")
        self.assertIn("torch 2.5.1 with torch_npu 7.1.0", self.assumed())

    def test_a_pin_that_no_torch_npu_serves_is_named_and_reported(self):
        self.write("project/requirements.txt", "torch==1.13.1\n")
        result = self.run_for(0, "migrate", "project", "--list", "all")
        lines = result.stderr.decode()
        self.assertIn("because no torch_npu serves requirements.txt (torch==1.13.1)", lines)
        self.assertIn("requirements.txt:1:1: package.torch: torch: no torch-npu exists for the "
                      "versions asked for", lines)

    def test_another_patch_of_the_pinned_release_is_taken_where_no_torch_npu_serves_the_pinned_one(self):
        self.write("project/requirements.txt", "torch==2.1.1 --index-url https://host/whl/cu118\n")
        self.assertIn("torch 2.1.0 with", self.assumed())
        self.assertIn("from the nearest to requirements.txt (torch==2.1.1), which no torch_npu serves",
                      self.assumed())

    def test_the_setup_pins_without_its_extras(self):
        self.write("project/setup.py", "from setuptools import setup\n\n"
                   "setup(install_requires=['torch>=2.1,<2.6'], extras_require={'dev': ['torch==2.1.0']})\n")
        self.assertIn("torch 2.5.1 with torch_npu 7.1.0 (CANN 8.2.RC1), from setup.py (torch>=2.1,<2.6)",
                      self.assumed())

    def test_files_deeper_down_and_for_development_pin_nothing(self):
        self.write("project/docs/requirements.txt", "torch==2.1.0\n")
        self.write("project/requirements-dev.txt", "torch==2.1.0\n")
        self.assertIn("torch 2.12.0 with torch_npu 26.1.0", self.assumed())

    def test_a_pin_of_torch_npu_says_more_than_one_of_torch(self):
        self.write("project/pyproject.toml", '[project]\ndependencies = ["torch>=2.0.0"]\n'
                   '[project.optional-dependencies]\nnpu = ["torch-npu==2.7.1.post1"]\n')
        self.assertIn("torch 2.7.1 with", self.assumed())
        self.assertIn("from pyproject.toml (torch-npu==2.7.1.post1)", self.assumed())
        self.write("project/pyproject.toml", '[project]\ndependencies = ["torch==2.8.0", "torch_npu"]\n')
        self.assertIn("torch 2.8.0 with", self.assumed())

    def test_a_package_of_torch_npu_that_is_pinned_chooses_its_release(self):
        self.write("project/requirements/npu.txt", "torch-npu==2.10.0.post2\n")
        self.assertIn("torch 2.10.0 with torch_npu 26.0.0", self.assumed())
        self.write("project/requirements/npu.txt", "torch-npu>=2.10.0\n")
        self.assertNotIn("torch_npu 26.0.0", self.assumed())

    def test_files_of_requirements_for_npus_choose(self):
        self.write("project/requirements.txt", "torch==2.9.0\n")
        self.write("project/requirements_npu.txt", "torch_npu==2.6.0\n")
        self.assertIn("torch 2.6.0 with", self.assumed())

    def test_any_accelerator_asks_no_pin(self):
        self.write("project/requirements.txt", "torch==2.1.0\n")
        result = self.run_for(0, "migrate", "project", "--target", "agnostic")
        self.assertNotIn("assumed", result.stderr.decode())
        self.assertNotIn("torch_npu", result.stderr.decode())

    def test_reports_name_the_versions(self):
        self.write("project/requirements.txt", "torch==2.1.0\n")
        self.run_for(0, "migrate", "project", "-o", "out")
        log = (self.folder / "out/project_msft/msFmkTranspltlog.txt").read_text(encoding="utf-8")
        self.assertIn("torch_npu 7.2.0, CANN 8.3.RC1; chosen by requirements.txt (torch==2.1.0)",
                      log)
        run = json.loads(self.run_for(0, "migrate", "project", "--format", "json").stdout)
        self.assertEqual((run["torch_version"], run["torch_npu"], run["cann"]),
                         ("2.1.0", "7.2.0", "8.3.RC1"))
        self.assertEqual(run["versions_from"], "requirements.txt (torch==2.1.0)")

    def test_a_name_that_the_release_lacks_is_not_written_but_told_with_the_releases_that_have_it(self):
        self.write("project/train.py", "import torch\n\ntorch.cuda.ipc_collect()\ntorch.cuda._sleep(9)\n")
        older = self.run_for(0, "migrate", "project", "--torch-version", "2.5", "--list", "all")
        self.assertNotIn(b"+torch.npu", older.stdout)
        self.assertIn("torch.cuda.ipc_collect has no counterpart in the torch_npu that is assumed; releases "
                      ">=7.2.0 have one", older.stderr.decode())
        newest = self.run_for(0, "migrate", "project", "--list", "all")
        self.assertIn(b"+torch.npu.ipc_collect()", newest.stdout)
        self.assertNotIn(b"+torch.npu._sleep", newest.stdout)
        self.assertIn("torch.cuda._sleep: no release of torch_npu up to 26.1.0 has _sleep", newest.stderr.decode())

    def test_analyze_assumes_the_same(self):
        self.write("project/requirements.txt", "torch==2.1.0\n")
        document = json.loads(self.run_for(0, "analyze", "project", "--format", "json").stdout)
        self.assertEqual((document["torch_version"], document["torch_npu"]), ("2.1.0", "7.2.0"))

    def test_pairs_that_do_not_exist_are_refused(self):
        before = tree_of(self.folder)
        for options, words in (
            (["--torch-version", "1.13"], b"there is no torch_npu for torch 1.13; there is one for"),
            (["--torch-version", "2.3.0"], b"there is no torch_npu for torch 2.3.0"),
            (["--torch-version", "2.6", "--torch-npu", "26.0.0"], b"there are the releases 7.3.0"),
            (["--torch-npu", "7.4.0"], b"there is no release 7.4.0 of torch_npu; there are 26.1.0"),
            (["--torch-npu", "new"], b"is not a release of torch_npu; write it as in 7.3.0"),
        ):
            for command in (["migrate", "project", "-o", "out"], ["analyze", "project"],
                            ["query", "torch.cuda.Stream"], ["rule", "test"]):
                with self.subTest(command=command, options=options):
                    result = self.run_for(2, *command, *options)
                    self.assertIn(words, result.stderr)
                    self.assertEqual(result.stdout, b"")
                    self.assertEqual(tree_of(self.folder), before)


if __name__ == "__main__":
    unittest.main()
