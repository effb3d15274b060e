#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The launchers that `transplt generate launch` writes start trainings, and end them."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import yaml

sys.dont_write_bytecode = True
import slurm_node  # noqa: E402
from program import LONG, ROOT, ProgramTest, seconds  # noqa: E402

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


class FromProject(LaunchTest):
    """What the project itself shows: the program that trains, its arguments, where it runs."""

    README = "# A project\n\n```sh\npython tools/train.py --steps 3 --note 'a b' {}\n```\n"

    def setUp(self):
        super().setUp()
        self.write("project/tools/train.py", TRAIN.replace(
            "import torch.distributed", "from shared.names import NAMES\nimport torch.distributed"))
        self.write("project/shared/names.py", "NAMES = ['a']\n")
        self.write("project/tools/convert.py", "import torch\n\nif __name__ == '__main__':\n"
                                               "    torch.save({}, 'x')\n")
        self.write("project/README.md", self.README.format(""))

    def from_project(self, *options, code=0, output="project/run.sh"):
        return self.run_for(code, "generate", "--from", "project", "--force", "-o", output, "launch",
                            "--python", PYTHON, *options).stderr.decode()

    def test_it_starts_with_its_arguments_where_its_modules_are_found(self):
        message = self.from_project("--npus", "2")
        self.assertIn("--entry tools/train.py: from project\n", message)
        shutil.move(self.folder / "project", self.folder / "copy")
        self.launch(self.folder / "copy/run.sh", "--logs", self.folder / "npu_logs")
        self.assertIn("step 2 sum 2\n", self.log(1))
        self.assertIn("note 'a b' card 1\n", self.log(1))

    def test_a_script_elsewhere_finds_the_project(self):
        self.from_project("--npus", "2", output="run.sh")
        self.launch(self.folder / "run.sh", "--logs", self.folder / "npu_logs")
        self.assertIn("step 2 sum 2\n", self.log(1))

    def test_a_script_alone_runs_in_its_folder(self):
        script = self.write("alone/train.py", TRAIN)
        for output in ("run.sh", "alone/run.sh"):
            self.run_for(0, "generate", "--from", script, "--force", "-o", output, "launch",
                         "--python", PYTHON, "--npus", "1", "--arguments", "--steps 1")
            self.launch(self.folder / output, "--logs", self.folder / "npu_logs")
            self.assertIn("step 0 sum 1\n", self.log(0))

    def test_several_trainings_are_named_and_one_can_be_chosen(self):
        self.write("project/tools/finetune.py", TRAIN)
        self.write("project/README.md", "Train it.\n")
        message = self.from_project(code=2)
        self.assertIn("--entry: must be given: ", message)
        for name in ("tools/train.py", "tools/finetune.py"):
            self.assertIn(name, message)
        self.assertNotIn("convert", message)
        self.assertFalse((self.folder / "project/run.sh").exists())
        self.from_project("--npus", "1", "--entry", "tools/finetune.py", "--arguments", "--steps 1")
        self.launch(self.folder / "project/run.sh", "--logs", self.folder / "npu_logs")
        self.assertIn("step 0 sum 1\n", self.log(0))
        self.assertIn("which is no program of the project", self.from_project(
            "--entry", "tools/missing.py", code=2))

    def test_what_stands_for_the_users_values_is_asked_for(self):
        self.write("project/tools/train.py", TRAIN.replace(
            'parser.add_argument("--note"',
            'parser.add_argument("--size", required=True)\nparser.add_argument("--note"'))
        self.write("project/README.md", self.README.format("--size <size>"))
        message = self.from_project(code=2)
        self.assertIn("--arguments: must be given: tools/train.py wants --size", message)
        self.write("project/README.md", self.README.format("--size 1 --out /path/to/out"))
        message = self.from_project("--npus", "1")
        self.assertIn("README.md:4 these arguments are left out", message)
        self.assertIn("arguments=(--steps 3 --note 'a b' --size 1)",
                      (self.folder / "project/run.sh").read_text())

    def test_the_cards_and_the_port_of_the_example_are_taken(self):
        for command, said, not_said in (
                ("torchrun --nproc_per_node=4 --master_port 29511 tools/train.py",
                 ("--npus 4", "--port 29511"), "--devices"),
                ("CUDA_VISIBLE_DEVICES=2,3 torchrun --nproc-per-node 2 tools/train.py",
                 ("--devices 2,3",), "--npus"),
                ("CUDA_VISIBLE_DEVICES=0 python tools/train.py", (), "--devices"),
                ("CUDA_VISIBLE_DEVICES=0, python tools/train.py", (), "--devices"),
                ("torchrun --nproc_per_node=2 --master_port=66667 tools/train.py", ("--npus 2",), "--port"),
                ("torchrun --nproc_per_node=$GPUS tools/train.py", (), "--npus")):
            with self.subTest(command=command):
                self.write("project/README.md", f"```sh\n{command} --steps 3\n```\n")
                message = self.from_project()
                for text in said:
                    self.assertIn(text + ": from project\n", message)
                self.assertNotIn(not_said, message)

    def test_what_the_user_gives_stands_above_the_example(self):
        self.write("project/README.md", "```sh\nCUDA_VISIBLE_DEVICES=2,3 torchrun tools/train.py\n```\n")
        self.from_project("--npus", "1")
        self.assertIn("npus=1\n", (self.folder / "project/run.sh").read_text())

    def test_without_a_training_that_is_said(self):
        os.remove(self.folder / "project/tools/train.py")
        message = self.from_project(code=2)
        self.assertIn("--entry: must be given: no program of the project trains", message)
        self.assertIn("tools/convert.py", message)


class BashLauncher(LaunchTest):
    SCRIPT = "run_distributed_npu.sh"
    OPTIONS = ()

    def script(self, *options, **more):
        return self.make(self.SCRIPT, *self.OPTIONS, *options, **more)

    def test_several_processes_train_together(self):
        script = self.script("--npus", "2", "--arguments", "--steps 3")
        for count, options in ((2, ()), (4, ("--npus", "4")))[:2 if LONG else 1]:
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
        # Rank 0 sleeps until it is ended: awake, it would fail too, and either may end first.
        script = self.script("--npus", "2", "--arguments", "--fail-rank 1 --steps 9 --sleep 90")
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

    def test_torchrun_fills_nothing_in(self):
        text = "${rank} $$ ${local_rank} $rank"
        self.launch(self.script("--npus", "2", entry="show.py"), "--", text)
        self.assertIn(f"arguments {[text]}\n", self.log(1))


@unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
class MpirunLauncher(BashLauncher):
    SCRIPT = "run_mpirun_npu.sh"
    OPTIONS = ("--launcher", "mpirun")

    def setUp(self):
        super().setUp()
        # The tests may run as root, and with more ranks than cores.
        self.environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                OMPI_MCA_rmaps_base_oversubscribe="1",
                                OMPI_MCA_plm_rsh_agent="")

    def test_several_servers_must_be_named(self):
        message = self.generate(*self.OPTIONS, "--nodes", "2", code=2)
        self.assertIn("--hosts: names 0 servers, but --nodes is 2", message)


@unittest.skipIf(slurm_node.missing_program(), "there is no Slurm")
class SlurmLauncher(LaunchTest):
    OPTIONS = ("--launcher", "slurm", "--npus", "2", "--job-name", "training")

    def setUp(self):
        super().setUp()
        self.node = self.enterContext(slurm_node.SlurmNode(cpus=4))
        self.environment["SLURM_CONF"] = self.node.environment["SLURM_CONF"]

    def submit(self, *options, wait=True, **more):
        """Runs the job; its exit code and what it printed, or its number without `wait`."""
        self.make("run_slurm_npu.sbatch", *self.OPTIONS, *options, **more)
        words = ["sbatch", "--parsable", *(["--wait"] if wait else []), "run_slurm_npu.sbatch"]
        result = subprocess.run(words, cwd=self.folder, env=self.environment, text=True,
                                capture_output=True, timeout=seconds(120), check=False)
        job = result.stdout.strip()
        self.assertTrue(job.isdigit(), result.stderr + self.node.logs())
        return job if not wait else (result.returncode, self.output(job))

    def output(self, job):
        return (self.folder / f"training-{job}.out").read_text()

    def wait_for_end(self, job):
        def is_over():
            result = subprocess.run(["scontrol", "show", "job", job], env=self.environment,
                                    text=True, capture_output=True, check=False, timeout=60)
            return re.search("JobState=(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL)",
                             result.stdout)
        return wait_until(is_over)[1]

    def test_two_tasks_train_together(self):
        code, output = self.submit()
        self.assertEqual(code, 0, output + self.logs())
        for rank in range(2):
            self.assertIn("step 1 sum 2\n", self.log(rank))
            told = self.told(rank)
            for name, value in (("RANK", rank), ("LOCAL_RANK", rank), ("WORLD_SIZE", 2),
                                ("RANK_ID", rank), ("RANK_SIZE", 2), ("DEVICE_ID", rank)):
                self.assertEqual(told[name], str(value), name)

    def test_a_killed_rank_ends_the_job_and_is_named_with_its_log(self):
        job = self.submit(wait=False, entry="loop.py")
        pids = self.pids(2)
        os.kill(pids[1], signal.SIGKILL)
        self.assertEqual(self.wait_for_end(job), "FAILED")
        output = self.output(job)
        self.assertRegex(output, r"rank 1 \(card 1 of .*\) was killed by signal 9 \(KILL\)")
        self.assertIn(f"its log is {self.folder}/npu_logs/rank_1.log; the last lines:", output)
        self.assert_gone(pids)

    def test_a_cancelled_job_leaves_no_rank_behind(self):
        job = self.submit(wait=False, entry="loop.py")
        pids = self.pids(2)
        subprocess.run(["scancel", job], env=self.environment, check=True, timeout=60)
        self.wait_for_end(job)
        self.assert_gone(pids)

    def test_what_is_missing_is_named_before_anything_starts(self):
        code, output = self.submit(entry="gone.py")
        self.assertEqual(code, 2)
        self.assertIn("the script gone.py is missing in ", output)

    def test_without_slurm_it_says_what_to_do(self):
        script = self.make("run_slurm_npu.sbatch", *self.OPTIONS)
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("SLURM_")}
        result = subprocess.run(["bash", script], env=environment, capture_output=True, text=True,
                                check=False, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertIn("start it with sbatch", result.stderr)


class FieldScripts(LaunchTest):
    """train_full_1p.sh and its like, in the folder test of the project."""

    LOG = """\
print("Epoch: [0] loss: 3.0 img/s: 1.0 eta: 5")
print("Epoch: [0] loss: 2.0 img/s: 2.0 eta: 4")
print("Epoch: [0] loss: 2.0 img/s: 3.0 eta: 3")
print("Epoch: [0] loss: 2.0 img/s: 100.0 eta: 2")
print("Epoch: [0] loss: 1.0 img/s: 200.0 eta: 1")
print(" * Acc@1 11.5 Acc@5 40")
print(" * Acc@1 71.25 Acc@5 90")
"""

    def generate_field(self, *options, entry="show.py"):
        self.run_for(0, "generate", "--force", "-o", "test", "launch", "--launcher", "field",
                     "--entry", entry, "--python", PYTHON, *options)
        for name in ("train_full_1p.sh", "train_full_8p.sh", "train_performance_1p.sh",
                     "train_performance_8p.sh", "env_npu.sh", "run_distributed_npu.sh"):
            self.assertTrue((self.folder / "test" / name).is_file(), name)

    def run_script(self, name, *arguments, code=0):
        result = subprocess.run(["bash", f"test/{name}", *arguments], cwd=self.folder, text=True,
                                env=self.environment, capture_output=True, check=False,
                                timeout=seconds(120))
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stdout + result.stderr

    def device_log(self, card):
        return (self.folder / f"test/output/{card}/train_{card}.log").read_text()

    def test_train_on_one_card_and_sum_up_the_log(self):
        self.write("show.py", SHOW + self.LOG)
        self.write("data/x", "")
        self.generate_field("--data-option", "--data-path", "--arguments", "--lr 0.1")
        output = self.run_script("train_full_1p.sh", "--data_path=data", "--device_id=3",
                                 "--epochs=2")
        # As the field counts: without the first three values.
        self.assertIn("Final Performance images/sec : 150.000 (mean of 2 values)\n", output)
        self.assertIn("Final Train Accuracy : 71.25\n", output)
        self.assertRegex(output, r"E2E Training Duration sec : \d+\n")
        log = self.device_log(3)
        self.assertIn(f"['--lr', '0.1', '--data-path', '{self.folder}/data', '--epochs=2']", log)
        self.assertIn("env ASCEND_RT_VISIBLE_DEVICES=3\n", log)

    def test_say_what_the_log_does_not_have(self):
        self.generate_field()
        output = self.run_script("train_full_1p.sh")
        self.assertIn("Final Performance images/sec : unknown, the log has no value", output)
        self.assertIn("Final Train Accuracy : unknown, the log has no value", output)

    def test_train_on_eight_cards_shortly(self):
        self.generate_field("--performance-arguments", "--max-steps 3")
        output = self.run_script("train_performance_8p.sh")
        self.assertNotIn("Accuracy", output)
        for card in range(8):
            log = self.device_log(card)
            self.assertIn("arguments ['--max-steps', '3']", log)
            self.assertIn(f"env RANK={card}\n", log)
            self.assertIn("env RANK_SIZE=8\n", log)

    def test_demand_the_data_and_fail_with_the_training(self):
        self.generate_field("--data-option", "--data")
        self.assertIn("give the data of the training: --data_path=PATH",
                      self.run_script("train_full_1p.sh", code=2))
        self.assertIn("the data /no/data is missing",
                      self.run_script("train_full_8p.sh", "--data_path=/no/data", code=2))
        self.write("show.py", "raise SystemExit(3)\n")
        self.generate_field()
        output = self.run_script("train_full_1p.sh", code=3)
        self.assertNotIn("Final", output)


class OtherFrameworks(LaunchTest):
    SCRIPT = "run_distributed_npu.sh"

    def test_tensorflow_with_a_rank_table_sees_all_cards(self):
        self.write("table.json", "{}")
        self.launch(self.make(self.SCRIPT, "--framework", "tensorflow", "--devices", "4,5",
                              "--rank-table", "table.json", entry="show.py"))
        told = self.told(1)
        self.assertEqual(told["RANK_TABLE_FILE"], f"{self.folder}/table.json")
        self.assertEqual([told[name] for name in ("RANK_ID", "RANK_SIZE", "DEVICE_ID",
                                                  "ASCEND_DEVICE_ID")], ["1", "2", "5", "5"])
        self.assertNotIn("ASCEND_RT_VISIBLE_DEVICES", told)
        self.assertIn("JOB_ID", told)

    def test_tensorflow_without_one_is_told_the_chief_and_no_rank(self):
        message = self.generate("--framework", "tensorflow", "--npus", "2", entry="show.py")
        self.assertIn("HCCL then allows no RANK_ID", message)
        self.launch(self.folder / self.SCRIPT, "--port", "23456",
                    env={"HCCL_IF_IP": "10.1.2.3", "RANK_ID": "7", "RANK_SIZE": "8"})
        told = self.told(1)
        for name, value in (("CM_CHIEF_IP", "10.1.2.3"), ("CM_CHIEF_PORT", "23456"),
                            ("CM_CHIEF_DEVICE", "0"), ("CM_WORKER_SIZE", "2"),
                            ("CM_WORKER_IP", "10.1.2.3"), ("DEVICE_ID", "1")):
            self.assertEqual(told[name], value, name)
        for name in ("RANK_ID", "RANK_SIZE", "RANK_TABLE_FILE"):
            self.assertNotIn(name, told)

    def test_a_master_that_nobody_knows_is_named(self):
        script = self.make(self.SCRIPT, "--framework", "tensorflow", "--nodes", "2", "--master",
                           "no-such-server.invalid", entry="show.py")
        message = self.launch(script, code=2)
        self.assertIn("the address of --master no-such-server.invalid is not known here", message)

    def test_one_card_of_tensorflow_has_the_rank_that_a_gate_asks_for(self):
        self.launch(self.make(self.SCRIPT, "--framework", "tensorflow", "--start", "single",
                              entry="show.py"))
        self.assertEqual(self.told(0)["RANK_ID"], "0")
        self.assertEqual(self.told(0)["RANK_SIZE"], "1")

    def mindspore_dump(self):
        return self.run_for(0, "generate", "-o", "dump.json", "mindspore-dump", "--path", "/d",
                            "--net-name", "n", "--sync")

    def test_the_dump_of_mindspore_is_written_before_the_ranks_start(self):
        self.mindspore_dump()
        self.write("table.json", "{}")
        options = ("--framework", "mindspore", "--npus", "2", "--rank-table", "table.json",
                   "--dump-config", "dump.json")
        self.launch(self.make(self.SCRIPT, *options, entry="show.py"))
        path = self.folder / "npu_logs/data_dump.json"
        self.assertEqual(json.loads(path.read_text()),
                         json.loads((self.folder / "dump.json").read_text()))
        for rank in range(2):
            self.assertEqual(self.told(rank)["MINDSPORE_DUMP_CONFIG"], str(path))

    def test_a_wrong_dump_of_mindspore_is_refused(self):
        self.write("dump.json", '{"common_dump_settings": {"dump_mode": 7}}')
        message = self.generate("--framework", "mindspore", "--launcher", "msrun",
                                "--dump-config", "dump.json", code=2)
        self.assertIn("--dump-config: /common_dump_settings/dump_mode cannot be 7", message)

    def test_mindspore_without_msrun_needs_a_rank_table(self):
        message = self.generate("--framework", "mindspore", code=2)
        self.assertIn("without msrun, MindSpore needs the rank table", message)

    # Starts the workers as the msrun of MindSpore does, for what the launcher hands to it.
    MSRUN = f"""#!/bin/bash
echo "$@" >&2
for word in "$@"; do
    case $word in --log_dir=*) logs=${{word#*=}} ;; --*) ;; *) break ;; esac
done
RANK_ID=0 {PYTHON} "${{@:8}}" >$logs/worker_0.log 2>&1
"""

    def msrun(self, code, entry):
        os.chmod(self.write("bin/msrun", self.MSRUN), 0o755)
        self.mindspore_dump()
        script = self.make("run_msrun_npu.sh", "--launcher", "msrun", "--framework", "mindspore",
                           "--npus", "2", "--dump-config", "dump.json", "--arguments", "--a 1",
                           entry=entry)
        return self.launch(script, code=code,
                           env={"PATH": f"{self.folder}/bin:{os.environ['PATH']}"})

    def test_msrun_is_told_everything(self):
        message = self.msrun(0, "show.py")
        self.assertRegex(message, "--worker_num=2 --local_worker_num=2 --master_addr=127.0.0.1 "
                                  r"--master_port=\d+ --node_rank=0 --log_dir=\S+/npu_logs "
                                  "--join=True show.py --a 1\n")
        log = (self.folder / "npu_logs/worker_0.log").read_text()
        self.assertIn(f"env MINDSPORE_DUMP_CONFIG={self.folder}/npu_logs/data_dump.json\n", log)

    def test_a_failed_worker_of_msrun_is_shown(self):
        self.write("bad.py", "raise ValueError('no such layer')\n")
        message = self.msrun(1, "bad.py")
        self.assertIn("the first log with an error is ", message)
        self.assertIn("    | ValueError: no such layer\n", message)


class Volcano(LaunchTest):
    OPTIONS = ("--launcher", "volcano", "--image", "registry/torch-npu:2.1", "--working-folder",
               "/workspace/my job", "--mount", "/workspace/my job", "--node-selector",
               "host-arch=huawei-arm", "--nodes", "2", "--job-name", "123")

    def job(self, *options):
        path = self.make("volcano_job.yaml", *self.OPTIONS, *options)
        subprocess.run(["yamllint", "-s", path], check=True, timeout=60)
        return list(yaml.safe_load_all(path.read_text()))

    def test_asks_for_the_cards_and_mounts_the_folders(self):
        config_map, job = self.job()
        self.assertEqual(config_map["metadata"]["name"], "123-launcher")
        self.assertEqual((job["kind"], job["metadata"]["name"], job["spec"]["minAvailable"]),
                         ("Job", "123", 2))
        task = job["spec"]["tasks"][0]
        self.assertEqual(task["replicas"], 2)
        pod = task["template"]["spec"]
        self.assertEqual(pod["nodeSelector"], {"host-arch": "huawei-arm"})
        container = pod["containers"][0]
        self.assertEqual(container["image"], "registry/torch-npu:2.1")
        self.assertEqual(container["resources"]["limits"], {"huawei.com/Ascend910": 8})
        self.assertIn({"name": "mount-0", "mountPath": "/workspace/my job"},
                      container["volumeMounts"])
        self.assertIn({"name": "mount-0", "hostPath": {"path": "/workspace/my job"}},
                      pod["volumes"])
        names = {volume["name"] for volume in pod["volumes"]}
        self.assertEqual({mount["name"] for mount in container["volumeMounts"]}, names)

    def test_runs_the_same_launcher_as_without_it(self):
        nasty = Texts.NASTY
        config_map, job = self.job("--env", f"NAME={nasty}", "--arguments", "--a 'x\n\n  y'")
        text = config_map["data"]["run_distributed_npu.sh"]
        self.generate("--working-folder", "/workspace/my job", "--nodes", "2", "--master", "m",
                      "--env", f"NAME={nasty}", "--arguments", "--a 'x\n\n  y'")
        expected = (self.folder / "run_distributed_npu.sh").read_text()
        self.assertEqual(text, expected.replace("\nmaster=m\n", "\nmaster=127.0.0.1\n"))
        command = job["spec"]["tasks"][0]["template"]["spec"]["containers"][0]["command"]
        self.assertEqual(command[:2], ["bash", "-c"])
        self.assertEqual(command[2].split(), [
            "exec", "bash", "/launcher/run_distributed_npu.sh", "--nodes", "2", "--node-rank",
            '"$VC_TASK_INDEX"', "--master", '"${VC_WORKER_HOSTS%%,*}"'])

    def test_cannot_run_in_a_relative_folder_or_without_an_image(self):
        message = self.generate("--launcher", "volcano", code=2)
        self.assertIn("--image: give the image of the containers", message)
        message = self.generate("--launcher", "volcano", "--image", "a", code=2)
        self.assertIn("--working-folder: must be an absolute path", message)


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

    def test_by_an_option_for_the_rank_among_all_servers(self):
        self.launch(self.make(self.SCRIPT, "--npus", "2", "--nodes", "2", "--master", "10.0.0.1",
                              "--start", "rank-argument", "--rank-option", "--rank",
                              entry="show.py"), "--node-rank", "1")
        self.assertEqual([self.arguments(2), self.arguments(3)], [["--rank", "2"], ["--rank", "3"]])

    def test_with_folders_in_which_its_modules_are_found(self):
        self.launch(self.make(self.SCRIPT, "--npus", "1", "--python-path", "lib",
                              "--python-path", "/more", entry="show.py"))
        self.assertTrue(self.told(0)["PYTHONPATH"].startswith(f"/more:{self.folder}/lib"))

    def test_by_itself(self):
        self.launch(self.make(self.SCRIPT, "--npus", "4", "--start", "spawns", entry="show.py"))
        told = self.told(0)
        self.assertEqual((told["RANK"], told["WORLD_SIZE"], told["RANK_SIZE"]), ("0", "1", "4"))
        self.assertFalse((self.folder / "npu_logs" / "rank_1.log").exists())

    def test_on_one_card(self):
        self.launch(self.make(self.SCRIPT, "--start", "single"))
        self.assertIn("step 1 sum 1\n", self.log(0))
        self.assertEqual(self.told(0)["RANK_ID"], "0")

    def test_on_two_servers_with_ranks_that_go_on(self):
        script = self.make(self.SCRIPT, "--npus", "2", "--nodes", "2", "--master", "10.0.0.1",
                           "--port", "29700", entry="show.py")
        self.launch(script)
        self.launch(script, "--node-rank=1")
        for rank in range(4):
            told = self.told(rank)
            for name, value in (("RANK", rank), ("LOCAL_RANK", rank % 2), ("WORLD_SIZE", 4),
                                ("LOCAL_WORLD_SIZE", 2), ("RANK_ID", rank), ("RANK_SIZE", 4),
                                ("MASTER_ADDR", "10.0.0.1"), ("MASTER_PORT", 29700)):
                self.assertEqual(told[name], str(value), name)
        for options, expected in (
                (("--node-rank", "2"), "--node-rank is 2, but with 2 nodes the last one is 1"),
                (("--nodes", "0"), '--nodes is "0"; write a number from 1 on'),
                (("--port", "80"), '--port is "80"; write a number from 1024 to 65535'),
                (("--master", "localhost"), "--master is localhost, which the other servers"),
                (("--lr",), "--lr is unknown; write arguments of the training after --"),
                (("--port",), "--port needs a value; see ")):
            with self.subTest(options=options):
                self.assertIn(expected, self.launch(script, *options, code=2))

    def test_as_a_module_of_a_package(self):
        self.write("package/__init__.py", "")
        self.write("package/train.py", SHOW)
        self.generate("--module", "package.train", "--python", PYTHON, "--npus", "2", entry=None)
        self.launch(self.folder / self.SCRIPT)
        self.assertEqual(self.arguments(1), [])


@unittest.skipUnless(shutil.which("shellcheck"), "there is no shellcheck")
class EveryScript(LaunchTest):
    """What shellcheck says of all launchers, with few options and with many."""

    LAUNCHERS = {
        "bash": (), "torchrun": (), "mpirun": (), "slurm": (), "field": (),
        "msrun": ("--framework", "mindspore")}
    MORE = ("--data", "/data", "--data-option", "positional", "--set-env", "/env.sh", "--env",
            "HCCL_CONNECT_TIMEOUT=600", "--arguments", "--lr 0.1 'a b' \"$data_path\"")
    OWN = {
        "mpirun": ("--hosts", "a,b", "--nodes", "2"),
        "slurm": ("--partition", "p", "--account", "a", "--gres", "npu:8", "--time", "1:00:00"),
        "field": ("--performance-arguments", "--max-steps 3"),
        "msrun": ("--dump-config", "dump.json"),
        "bash": ("--framework", "tensorflow", "--rank-table", "t.json"),
        "torchrun": ("--nodes", "2", "--master", "node1", "--start", "local-rank-argument")}

    def check(self, *options):
        folder = tempfile.mkdtemp(dir=self.folder)
        self.run_for(0, "generate", "-o", folder + "/", "launch", "--entry", "train.py", *options)
        for path in pathlib.Path(folder).iterdir():
            result = subprocess.run(["shellcheck", path], capture_output=True, text=True,
                                    check=False, timeout=seconds(60))
            self.assertEqual(result.stdout, "", path)
            self.assertNotIn("{{", path.read_text())

    def test_is_clean(self):
        OtherFrameworks.mindspore_dump(self)
        for launcher, needed in self.LAUNCHERS.items():
            with self.subTest(launcher=launcher):
                self.check("--launcher", launcher, *needed)
                self.check("--launcher", launcher, *needed, *self.MORE, *self.OWN[launcher])

    def test_of_tensorflow_without_a_rank_table_is_clean(self):
        self.check("--framework", "tensorflow")


class Texts(LaunchTest):
    """Paths, arguments and values reach the training as they were written."""

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

    def test_that_are_empty_are_nothing(self):
        self.launch(self.make(self.SCRIPT, "--npus", "1", "--arguments", "", entry="show.py"))
        self.assertEqual(Starts.arguments(self, 0), [])
        self.assertIn("--entry", self.generate("--entry", "", code=2, entry=None))

    def test_of_the_caller_come_after_those_of_the_script(self):
        script = self.make(self.SCRIPT, "--npus", "1", "--arguments", "--a \"$data_path\"",
                           entry="show.py")
        self.write("elsewhere/data/x", "")
        self.launch(script, "--data", "data", "--", "--b", "", "c d",
                    cwd=self.folder / "elsewhere")
        self.assertEqual(Starts.arguments(self, 0),
                         ["--a", f"{self.folder}/elsewhere/data", "--b", "", "c d"])

    def test_of_the_environment_of_cann_are_loaded_whatever_fails_there(self):
        self.write("env.sh", "export FROM_CANN=$NOT_SET$#\nfalse\n[ -d /no/folder ] && true\n")
        self.launch(self.make(self.SCRIPT, "--npus", "1", "--set-env", f"{self.folder}/env.sh",
                              entry="show.py"))
        self.assertEqual(self.told(0)["FROM_CANN"], "0")
        self.run_for(0, "generate", "-o", "test", "launch", "--launcher", "field", "--entry",
                     "show.py", "--python", PYTHON, "--set-env", f"{self.folder}/env.sh")
        result = subprocess.run(["bash", "test/train_full_1p.sh"], cwd=self.folder, check=False,
                                env=self.environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_of_variables_that_are_set_already_stay(self):
        script = self.make(self.SCRIPT, "--npus", "1", "--env", "HCCL_CONNECT_TIMEOUT=600",
                           entry="show.py")
        self.launch(script)
        self.assertEqual(self.told(0)["HCCL_CONNECT_TIMEOUT"], "600")
        self.launch(script, env={"HCCL_CONNECT_TIMEOUT": "900"})
        self.assertEqual(self.told(0)["HCCL_CONNECT_TIMEOUT"], "900")




if __name__ == "__main__":
    unittest.main()
