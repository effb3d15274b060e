#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The launchers that `transplt generate launch` writes start trainings, and end them."""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
from program import ROOT, ProgramTest, seconds  # noqa: E402

PYTHON = "/usr/bin/python3"

# Trains on the simulated device; each step says what the process was told.
TRAIN = """\
import argparse, os, sys, time
import torch, torch_npu
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", "--card", type=int, default=os.environ.get("LOCAL_RANK"))
parser.add_argument("--steps", type=int, default=2)
parser.add_argument("--sleep", type=float, default=0)
parser.add_argument("--fail-rank", type=int)
parser.add_argument("--note", default="")
arguments = parser.parse_args()
torch.npu.set_device(arguments.local_rank)
dist.init_process_group("hccl", init_method="env://")
model = torch.nn.parallel.DistributedDataParallel(
    torch.nn.Linear(4, 2).npu(), device_ids=[arguments.local_rank])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
names = ("RANK LOCAL_RANK WORLD_SIZE LOCAL_WORLD_SIZE RANK_ID RANK_SIZE DEVICE_ID ASCEND_DEVICE_ID "
         "ASCEND_RT_VISIBLE_DEVICES MASTER_ADDR HCCL_WHITELIST_DISABLE").split()
print("env", *(name + "=" + os.environ.get(name, "") for name in names))
print("note", ascii(arguments.note), "card", arguments.local_rank)
print("pid", os.getpid())
for step in range(arguments.steps):
    loss = model(torch.ones(8, 4).npu()).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total = torch.ones(1).npu()
    dist.all_reduce(total)
    print("step", step, "sum", int(total.item()))
    if arguments.fail_rank == dist.get_rank():
        sys.exit("the disk of rank %d is on fire" % dist.get_rank())
    time.sleep(arguments.sleep)
"""

# A training without torch, for tests in which nothing is computed.
LOOP = """\
import os, time
print("pid", os.getpid())
for step in range(1000):
    print("step", step)
    time.sleep(0.2)
"""

# Needs no torch: what the process was told.
SHOW = """\
import os, sys
print("arguments", ascii(sys.argv[1:]))
for name in sorted(os.environ):
    print("env", name + "=" + os.environ[name])
"""


def wait_until(what, limit=60):
    """Waits until what() gives something, and returns it."""
    end = time.monotonic() + seconds(limit)
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError("did not happen in time")


class LaunchTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith(("OMPI_", "SLURM_", "LAUNCH_", "TRANSPLT_SIMULATE"))}
        self.environment.update(PYTHONPATH=str(ROOT / "runtime" / "simulator"),
                                PYTHONDONTWRITEBYTECODE="1", TRANSPLT_SIMULATE="npu",
                                TRANSPLT_SIMULATE_DEVICES="4", OMP_NUM_THREADS="1")
        self.write("train.py", TRAIN)
        self.write("show.py", SHOW)
        self.write("loop.py", LOOP)

    def generate(self, *options, entry="train.py", code=0):
        words = [] if entry is None else ["--entry", entry, "--python", PYTHON]
        result = self.run_for(code, "generate", "--force", "-o", str(self.folder) + "/", "launch",
                              *words, *options)
        return result.stderr.decode()

    def make(self, script, *options, **more):
        """Generates the script; its path."""
        self.generate(*options, **more)
        return self.folder / script

    def launch(self, script, *arguments, code=0, env=None, cwd=None):
        """Runs a script to its end; what it says."""
        result = subprocess.run([script, *arguments], cwd=cwd or self.folder, text=True,
                                env=dict(self.environment, **(env or {})), capture_output=True,
                                timeout=seconds(120), check=False)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr + self.logs())
        return result.stderr

    def logs(self):
        return "".join(f"== {path}\n{path.read_text()}"
                       for path in sorted((self.folder / "npu_logs").glob("*.log")))

    def log(self, rank):
        return (self.folder / "npu_logs" / f"rank_{rank}.log").read_text()

    def told(self, rank):
        """What the process of show.py or train.py has seen."""
        words = re.findall(r"([A-Za-z_0-9]+)=([^ \n]*)", self.log(rank))
        return dict(words)

    def start(self, script, *arguments):
        """Starts a script of loop.py; its process."""
        process = subprocess.Popen(
            [script, *arguments], cwd=self.folder, text=True, env=self.environment,
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def pids(self, count):
        """The processes of the ranks, once all of them train."""
        def found():
            paths = [self.folder / "npu_logs" / f"rank_{rank}.log" for rank in range(count)]
            texts = [path.read_text() if path.exists() else "" for path in paths]
            if all("step 0" in text for text in texts):
                return [int(re.search(r"^pid (\d+)$", text, re.M)[1]) for text in texts]
            return None
        return wait_until(found)

    def assert_gone(self, pids):
        wait_until(lambda: not any(pathlib.Path(f"/proc/{pid}").exists() for pid in pids), 30)


class BashLauncher(LaunchTest):
    SCRIPT = "run_distributed_npu.sh"
    OPTIONS = ()

    def script(self, *options, **more):
        return self.make(self.SCRIPT, *self.OPTIONS, *options, **more)

    def test_two_and_four_processes_train_together(self):
        script = self.script("--npus", "2", "--arguments", "--steps 3")
        for count, options in ((2, ()), (4, ("--npus", "4"))):
            with self.subTest(count=count):
                self.launch(script, *options)
                for rank in range(count):
                    self.assertIn(f"step 2 sum {count}\n", self.log(rank))
                    told = self.told(rank)
                    for name, value in (
                            ("RANK", rank), ("LOCAL_RANK", rank), ("WORLD_SIZE", count),
                            ("LOCAL_WORLD_SIZE", count), ("RANK_ID", rank), ("RANK_SIZE", count),
                            ("DEVICE_ID", rank), ("ASCEND_DEVICE_ID", rank),
                            ("HCCL_WHITELIST_DISABLE", 1),
                            ("ASCEND_RT_VISIBLE_DEVICES", "0,1,2,3"[:2 * count - 1])):
                        self.assertEqual(told[name], str(value), name)

    def test_a_killed_rank_ends_the_job_and_is_named_with_its_log(self):
        process = self.start(self.script("--npus", "2", entry="loop.py"))
        pids = self.pids(2)
        os.kill(pids[1], signal.SIGKILL)
        message = process.communicate(timeout=seconds(60))[1]
        self.assertNotEqual(process.returncode, 0)
        self.assertRegex(message, r"rank 1 \(card 1 of .*\) was killed by signal 9 \(KILL\)")
        self.assertIn(f"its log is {self.folder}/npu_logs/rank_1.log; the last lines:", message)
        self.assertRegex(message, r"    \| step \d+\n")
        self.assertEqual(message.count("the last lines:"), 1, message)
        self.assert_gone(pids)

    def test_a_failing_rank_ends_the_job_with_the_end_of_its_log(self):
        script = self.script("--npus", "2", "--arguments", "--fail-rank 1 --steps 9 --sleep 1")
        message = self.launch(script, code=1)
        self.assertIn("rank 1 (card 1 of ", message)
        self.assertIn(") ended with exit code 1\n", message)
        self.assertIn("    | the disk of rank 1 is on fire\n", message)

    def test_the_end_of_the_launcher_ends_all_ranks(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number=number):
                shutil.rmtree(self.folder / "npu_logs", ignore_errors=True)
                process = self.start(self.script("--npus", "2", entry="loop.py"))
                pids = self.pids(2)
                process.send_signal(number)
                message = process.communicate(timeout=seconds(60))[1]
                self.assertEqual(process.returncode, 128 + number, message)
                self.assertIn(f"got {number.name}: ending all ranks", message)
                self.assertNotIn("the last lines:", message)
                self.assert_gone(pids)

    def test_a_killed_launcher_leaves_no_rank_behind(self):
        process = self.start(self.script("--npus", "2", entry="loop.py"))
        pids = self.pids(2)
        process.kill()
        self.assert_gone(pids)

    def test_three_cards_are_refused_with_the_reason(self):
        message = self.generate(*self.OPTIONS, "--npus", "3", code=2)
        self.assertIn("--npus: gives 3 cards; HCCL connects 1, 2, 4, 8", message)
        script = self.script("--npus", "2")
        for options in (("--npus", "3"), ("--devices=0,1,2",)):
            message = self.launch(script, *options, code=2)
            self.assertIn("3 cards cannot work together: HCCL connects 1, 2, 4, 8", message)
        self.assertFalse((self.folder / "npu_logs").exists())

    def test_a_busy_port_is_refused_before_anything_starts(self):
        with socket.socket() as busy:
            busy.bind(("127.0.0.1", 0))
            busy.listen()
            port = str(busy.getsockname()[1])
            message = self.launch(self.script("--npus", "2"), "--port", port, code=2)
        self.assertIn(f"port {port} is in use on this server", message)
        self.assertEqual(self.logs(), "")

    def test_what_is_missing_is_named_before_anything_starts(self):
        cases = [
            (("--npus", "2"), "gone.py", {}, "the script gone.py is missing in "),
            (("--data", "/no/data"), "train.py", {}, "the data /no/data is missing"),
            (("--set-env", "/no/env.sh"), "train.py", {}, "/no/env.sh is missing"),
            (("--working-folder", "no folder"), "train.py", {}, "no folder is missing"),
            (("--logs", "/dev/null/logs"), "train.py", {}, "/dev/null/logs, cannot be made"),
        ]
        for options, entry, env, expected in cases:
            with self.subTest(options=options):
                message = self.launch(self.script(*options, entry=entry), code=2, env=env)
                self.assertIn(expected, message)
        self.generate(*self.OPTIONS, "--entry", "train.py", "--python", "no-python", entry=None)
        self.assertIn("no-python is missing", self.launch(self.folder / self.SCRIPT, code=2))
        self.generate(*self.OPTIONS, "--module", "no_package.train", "--python", PYTHON, entry=None)
        self.assertIn("finds no module no_package", self.launch(self.folder / self.SCRIPT, code=2))


class TorchrunLauncher(BashLauncher):
    SCRIPT = "run_torchrun_npu.sh"
    OPTIONS = ("--launcher", "torchrun")


class Cards(LaunchTest):
    SCRIPT = "run_distributed_npu.sh"

    def smi(self, count):
        """A folder whose npu-smi knows this many cards."""
        lines = ["NPU ID  Chip ID  Chip Logic ID  Chip Name"]
        for card in range(count):
            lines += [f"{card}  0  {card}  Ascend 910B", f"{card}  1  -  Mcu"]
        path = self.write("bin/npu-smi", "#!/bin/sh\ncat <<END\n" + "\n".join(lines) + "\nEND\n")
        os.chmod(path, 0o755)
        return {"PATH": f"{self.folder}/bin:{os.environ['PATH']}"}

    def test_are_no_more_than_the_server_has(self):
        script = self.make(self.SCRIPT, "--npus", "4", entry="show.py")
        message = self.launch(script, code=2, env=self.smi(2))
        self.assertIn("4 cards are wanted, but this server has 2", message)
        message = self.launch(script, "--devices", "1,2", code=2, env=self.smi(2))
        self.assertIn("card 2 is wanted, but the cards of this server are 0 to 1", message)
        self.launch(script, "--devices", "0,1", env=self.smi(2))

    def test_are_visible_in_ascending_order_without_spaces(self):
        message = self.generate("--devices", "3, 1", entry="show.py")
        self.assertIn("is written as 1,3", message)
        self.launch(self.folder / self.SCRIPT)
        self.assertEqual(self.told(0)["ASCEND_RT_VISIBLE_DEVICES"], "1,3")
        # Cards are counted among those that can be seen.
        self.assertEqual([self.told(rank)["DEVICE_ID"] for rank in (0, 1)], ["0", "1"])
        message = self.launch(self.folder / self.SCRIPT, "--devices", "2,0")
        self.assertIn("in ascending order, 0,2", message)
        self.assertEqual(self.told(1)["ASCEND_RT_VISIBLE_DEVICES"], "0,2")
        message = self.launch(self.folder / self.SCRIPT, "--devices", "1,1", code=2)
        self.assertIn("a card is there twice", message)

    def test_are_those_that_a_scheduler_has_given(self):
        script = self.make(self.SCRIPT, "--npus", "2", entry="show.py")
        self.launch(script, env={"ASCEND_RT_VISIBLE_DEVICES": "4,5,6,7"})
        self.assertEqual(self.told(0)["ASCEND_RT_VISIBLE_DEVICES"], "4,5")
        message = self.launch(script, code=2, env={"ASCEND_RT_VISIBLE_DEVICES": "4"})
        self.assertIn("2 cards are wanted, but ASCEND_RT_VISIBLE_DEVICES=4 has 1", message)


class Starts(LaunchTest):
    """The ways in which a training learns its rank."""

    SCRIPT = "run_distributed_npu.sh"

    def arguments(self, rank):
        return eval(re.search(r"^arguments (.*)$", self.log(rank), re.M)[1])

    def test_by_an_option_for_the_local_rank_before_the_other_arguments(self):
        self.launch(self.make(self.SCRIPT, "--npus", "2", "--start", "local-rank-argument",
                              "--arguments", "train --lr 0.1", entry="show.py"))
        self.assertEqual(self.arguments(1), ["--local_rank=1", "train", "--lr", "0.1"])

    def test_by_an_option_for_the_card_that_wins_against_one_given(self):
        self.launch(self.make(self.SCRIPT, "--npus", "2", "--start", "device-argument",
                              "--rank-option", "--card", "--arguments", "--card 0"))
        self.assertIn("card 1\n", self.log(1))
        self.launch(self.make(self.SCRIPT, "--npus", "2", "--start", "device-argument",
                              "--rank-option", "trainer.gpu=", entry="show.py"))
        self.assertEqual(self.arguments(1), ["trainer.gpu=1"])

    def test_by_itself(self):
        self.launch(self.make(self.SCRIPT, "--npus", "4", "--start", "spawns", entry="show.py"))
        told = self.told(0)
        self.assertEqual((told["RANK"], told["WORLD_SIZE"], told["RANK_SIZE"]), ("0", "1", "4"))
        self.assertFalse((self.folder / "npu_logs" / "rank_1.log").exists())

    def test_on_one_card(self):
        self.launch(self.make(self.SCRIPT, "--start", "single"))
        self.assertIn("step 1 sum 1\n", self.log(0))
        self.assertEqual(self.told(0)["RANK_ID"], "0")

    def test_as_a_module_of_a_package(self):
        self.write("package/__init__.py", "")
        self.write("package/train.py", SHOW)
        self.generate("--module", "package.train", "--python", PYTHON, "--npus", "2", entry=None)
        self.launch(self.folder / self.SCRIPT)
        self.assertEqual(self.arguments(1), [])


class Texts(LaunchTest):
    SCRIPT = "run_distributed_npu.sh"
    NASTY = "it's \"a\" $HOME `x`\n; #é"

    def test_of_any_kind_are_not_taken_for_code(self):
        self.write(f"{self.NASTY}/my {self.NASTY}.py", SHOW)
        self.write(f"data {self.NASTY}", "")
        self.launch(self.make(
            self.SCRIPT, "--npus", "2", "--working-folder", self.NASTY, "--logs",
            f"{self.folder}/npu_logs", "--data", f"{self.folder}/data {self.NASTY}",
            "--data-option", "--data", "--env", f"NAME={self.NASTY}", "--arguments",
            r"--name 'x; y' \$HOME", entry=f"my {self.NASTY}.py"))
        self.assertEqual(
            Starts.arguments(self, 1),
            ["--name", "x; y", "$HOME", "--data", f"{self.folder}/data {self.NASTY}"])
        self.assertIn(f"env NAME={self.NASTY}\n", self.log(1))

    def test_of_the_caller_come_after_those_of_the_script(self):
        script = self.make(self.SCRIPT, "--npus", "1", "--arguments", "--a \"$data_path\"",
                           entry="show.py")
        self.write("elsewhere/data/x", "")
        self.launch(script, "--data", "data", "--", "--b", "", "c d",
                    cwd=self.folder / "elsewhere")
        self.assertEqual(Starts.arguments(self, 0),
                         ["--a", f"{self.folder}/elsewhere/data", "--b", "", "c d"])

    def test_of_variables_that_are_set_already_stay(self):
        script = self.make(self.SCRIPT, "--npus", "1", "--env", "HCCL_CONNECT_TIMEOUT=600",
                           entry="show.py")
        self.launch(script)
        self.assertEqual(self.told(0)["HCCL_CONNECT_TIMEOUT"], "600")
        self.launch(script, env={"HCCL_CONNECT_TIMEOUT": "900"})
        self.assertEqual(self.told(0)["HCCL_CONNECT_TIMEOUT"], "900")




if __name__ == "__main__":
    unittest.main()
