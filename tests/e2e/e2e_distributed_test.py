#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Single-card trainings become multi-card ones that train the same; what cannot become one is refused.

TRANSPLT_LONG=1: each project as 1, 2 and 4 processes."""

import pathlib
import shutil
import sys
import unittest

sys.dont_write_bytecode = True
import distributed_runs  # noqa: E402
from program import LONG, ProgramTest, seconds, tree_of  # noqa: E402

RUN_IN_THE_SUITE = ("several_files",)  # plain is run by verify
WRONG = pathlib.Path(__file__).resolve().parent / "distributed_wrong"
MAIN = ("--distributed", "main.py")

# folder, arguments, words that the error has in any case
WRONG_USES = (
    ("good", ("--distributed", "nosuch.py"), ("nosuch.py",)),
    ("good", ("--distributed", "notes.ipynb"), ("notes.ipynb", "notebook")),
    ("good", ("--distributed", "../outside.py"), ("outside.py", "outside")),
    ("good", (*MAIN, "-t", "nosuch"), ("nosuch", "main.py")),
    ("good", (*MAIN, "--distributed", "other.py"), ("--distributed",)),
    ("good", ("-t", "model"), ("-t", "distributed")),
    ("syntax_error", MAIN, ("main.py", "syntax")),
    ("trains_nothing", MAIN, ("main.py", "backward")),
    ("sliced_tensor", MAIN, ("main.py", "DataLoader")),
    ("iterable_dataset", MAIN, ("main.py", "IterableDataset")),
    ("ddp_spawn", MAIN, ("main.py", "distributed")),
    ("ddp_torchrun", MAIN, ("main.py", "distributed")),
    ("fsdp", MAIN, ("main.py", "distributed")),
    ("accelerate", MAIN, ("main.py", "accelerate")),
    ("deepspeed", MAIN, ("main.py", "deepspeed")),
    ("horovod", MAIN, ("main.py", "horovod")),
    ("lightning", MAIN, ("main.py", "lightning")),
    ("transformers_trainer", MAIN, ("main.py", "transformers")),
    ("tensorflow", MAIN, ("tensorflow",)),
    ("no_optimizer", MAIN, ("main.py", "optimizer")),
    ("foreign_loader", MAIN, ("main.py:16", "DataLoader")),
)


class Trainings(ProgramTest):
    """Each project of the folder `distributed`."""

    def migrate(self, name):
        """Migrates a project; the folder of the result."""
        source = self.folder / name
        shutil.copytree(distributed_runs.PROJECTS / name, source)
        main = distributed_runs.ALL[name].main
        self.run_for(0, "migrate", name, "-o", "out", "--distributed", main)
        (result,) = (self.folder / "out").iterdir()
        self.assertTrue((result / "transplt_distributed.py").is_file())
        return result, main

    def check(self, name):
        result, main = self.migrate(name)
        with self.subTest("migrating twice is migrating once"):
            before = tree_of(result)
            again = self.run_for(0, "migrate", str(result), "-o", "again", "--distributed", main)
            (second,) = (self.folder / "again").iterdir()
            after = tree_of(second)
            self.assertEqual({path: text for path, text in after.items() if path.endswith(".py")},
                             {path: text for path, text in before.items() if path.endswith(".py")},
                             again.stderr.decode())
        processes = (1, 2, 4) if LONG else (2,) if name in RUN_IN_THE_SUITE else ()
        if processes:
            distributed_runs.run_and_compare(
                distributed_runs.ALL[name], distributed_runs.PROJECTS / name, result, processes,
                timeout=seconds(120))


class Verified(ProgramTest):
    def test_a_result_on_two_cards_is_equal_to_the_original_on_one(self):
        shutil.copytree(distributed_runs.PROJECTS / "plain", self.folder / "plain")
        self.run_for(0, "migrate", "plain", "-o", "out", "--distributed", "main.py")
        run = self.run_for(0, "verify", "plain", "out/plain_msft_multi", "--devices", "2", "--", "-m",
                           "torch.distributed.run", "--nproc_per_node", "2", "main.py", "--epochs",
                           "1", timeout=seconds(200))
        self.assertIn(b"equal", run.stdout.splitlines()[-2] + run.stdout.splitlines()[-1])


class Reviewed(ProgramTest):
    def test_one_rejected_edit_takes_back_all_that_make_several_cards(self):
        shutil.copytree(distributed_runs.PROJECTS / "several_files", self.folder / "several_files")
        self.run_for(0, "migrate", "several_files", "-o", "out", "--distributed", "main.py")
        self.run_for(0, "migrate", "several_files", "-o", "single")
        result = self.folder / "out" / "several_files_msft_multi"
        self.run_for(0, "review", "out/several_files_msft_multi", "--reject", "multi-card")
        single = tree_of(self.folder / "single" / "several_files_msft")
        for name, text in tree_of(result).items():
            if name.endswith(".py"):
                self.assertEqual(text, single[name], name)
        self.assertFalse((result / "run_distributed_npu.sh").exists())
        self.run_for(0, "review", "out/several_files_msft_multi", "--undo")
        self.assertTrue((result / "transplt_distributed.py").is_file())
        self.assertTrue((result / "run_distributed_npu.sh").is_file())


def _test_of(name):
    return lambda self: self.check(name)


for _name in distributed_runs.ALL:
    setattr(Trainings, f"test_{_name}", _test_of(_name))


class WrongUses(ProgramTest):
    """What is refused with 2, a reason and nothing written."""

    def test_is_refused(self):
        self.write("outside.py", (WRONG / "good" / "main.py").read_bytes())
        shutil.copytree(WRONG, self.folder / "projects")
        text = self.folder / "projects" / "syntax_error" / "main.py.txt"
        text.rename(text.with_suffix(""))
        for folder, arguments, words in WRONG_USES:
            with self.subTest(folder=folder, arguments=arguments):
                project = self.folder / "projects" / folder
                if "../outside.py" in arguments:  # beside the project, as a user would name it
                    shutil.copy(self.folder / "outside.py", project.parent / "outside.py")
                before = tree_of(self.folder)
                result = self.run_for(2, "migrate", str(project), "-o", "out", *arguments)
                error = result.stderr.decode().lower()
                for word in words:
                    self.assertIn(word.lower(), error)
                self.assert_nothing_written(before)


class Harness(unittest.TestCase):
    """The comparison notices what is to be noticed."""

    def test_curves(self):
        same = {"loss": [("0.5", "10"), ("0.4", "20")]}
        distributed_runs.compare_curves(same, same)
        for other in ([("0.5", "10")], [("0.5", "10"), ("0.5", "20")], [("0.4", "20")] * 3,
                      [("0.5", "10"), ("nan", "20")]):
            with self.subTest(other=other), self.assertRaises(distributed_runs.Different):
                distributed_runs.compare_curves(same, {"loss": other}, distributed_runs.CURVE)
        distributed_runs.compare_curves({"loss": ["0.5000"]}, {"loss": ["0.5001"]},
                                        distributed_runs.CURVE)
        with self.assertRaises(distributed_runs.Different):
            distributed_runs.compare_curves({"loss": ["0.5000"]}, {"loss": ["0.5001"]})

    def test_contents(self):
        def state(key, shape, values):
            return {"dict": {key: {"tensor": [shape, "torch.float32"], "values": values}}}

        expected = state("fc.weight", [2], [1.0, 2.0])
        distributed_runs.compare_contents(expected, state("fc.weight", [2], [1.0, 2.001]),
                                          distributed_runs.PARAMETERS, "a.pt")
        for other in (state("module.fc.weight", [2], [1.0, 2.0]), state("fc.weight", [1, 2], [1.0, 2.0]),
                      state("fc.weight", [2], [1.0, 2.5]), {"list": []}):
            with self.subTest(other=other), self.assertRaises(distributed_runs.Different):
                distributed_runs.compare_contents(expected, other, distributed_runs.PARAMETERS, "a.pt")


if __name__ == "__main__":
    unittest.main()
