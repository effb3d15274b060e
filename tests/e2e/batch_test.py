#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`transplt batch` over small projects: one record for each, whatever becomes of the others."""

import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tarfile
import time
import unittest
import zipfile

sys.dont_write_bytecode = True
from program import MANIFEST, RECORD, EXECUTABLE, ProgramTest, sanitizers_of, tree_of  # noqa: E402

TRAIN = "import torch\nmodel = torch.nn.Linear(2, 2).cuda()\ntorch.cuda.synchronize()\n"
PLAIN = "x = 1\n"
OPEN = "import torch\nfrom apex import amp\nmodel, opt = amp.initialize(model, opt)\n"


class BatchTest(ProgramTest):
    def write_manifest(self, *projects, name="m.jsonl"):
        lines = [json.dumps({"path": p} if isinstance(p, str) else p) + "\n" for p in projects]
        return self.write(name, "".join(lines))

    def write_projects(self, count, text=TRAIN):
        """Projects p0, p1 ... and a manifest of them."""
        for i in range(count):
            self.write(f"p{i}/train.py", text + f"n = {i}\n")
        return self.write_manifest(*({"path": f"p{i}", "name": f"n{i}"} for i in range(count)))

    def records(self, file="out/results.jsonl"):
        text = (self.folder / file).read_text(encoding="utf-8")
        return {record["name"]: record for record in map(json.loads, text.splitlines())}

    def outcomes(self, file="out/results.jsonl"):
        return {name: record["outcome"] for name, record in self.records(file).items()}

    def start(self, *arguments):
        """The program, running. What is left of it at the end of the test is ended."""
        process = subprocess.Popen([EXECUTABLE, "batch", *arguments], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, "LC_ALL": "C.UTF-8"})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def worker_of(self, process):
        """The id of a worker, as soon as there is one."""
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while process.poll() is None:
            found = children.read_text(encoding="ascii").split()
            if found:
                return int(found[0])
        self.fail(f"no worker was seen: {process.communicate()}")

    def stopped_worker(self, process):
        """The id of a worker that stands still from now on, in the midst of its project."""
        while True:
            worker = self.worker_of(process)
            try:
                adjusted = pathlib.Path(f"/proc/{worker}/oom_score_adj").read_text(encoding="ascii")
                if adjusted.strip() != "500":
                    continue  # not yet all that it does before the project
                os.kill(worker, signal.SIGSTOP)
                state = pathlib.Path(f"/proc/{worker}/stat").read_text(encoding="ascii")
            except (ProcessLookupError, FileNotFoundError):
                continue
            if state.rpartition(")")[2].split()[0] in "Tt":
                return worker

    def wait(self, process, code):
        out, err = process.communicate(timeout=100)
        self.assertEqual(process.returncode, code, err.decode())
        return err.decode()


class Records(BatchTest):
    def test_every_project_has_one_and_its_result(self):
        self.write("good/train.py", TRAIN)
        self.write("plain/a.py", PLAIN)
        self.write("open/a.py", OPEN)
        self.write("lone.py", TRAIN)
        self.write_manifest({"path": "good", "name": "good"}, {"path": "plain", "name": "plain"},
                            {"path": "open", "name": "open"}, {"path": "lone.py", "name": "lone"},
                            {"path": "missing", "name": "missing"})
        result = self.run_for(1, "batch", "m.jsonl", "-o", "out")
        self.assertEqual(self.outcomes(), {"good": "migrated", "plain": "unchanged",
                                           "open": "needs_person", "lone": "migrated",
                                           "missing": "unreadable"})
        self.assertIn(b"5 of 5 projects have a record", result.stderr)
        records = self.records()
        self.assertEqual([r["number"] for r in records.values()], [1, 2, 3, 4, 5])
        self.assertEqual(records["good"]["output"], "projects/good/good_msft")
        self.assertEqual(records["lone"]["output"], "projects/lone/lone_msft")
        self.assertEqual(records["good"]["files"]["migrated"], 1)
        self.assertGreater(records["good"]["run"]["peak_memory_bytes"], 1 << 20)
        cause = records["open"]["causes"][0]
        self.assertEqual({"rule", "operation", "reason", "places"}, set(cause))
        self.assertIn("no such file", records["missing"]["error"]["what"])
        self.run_for(0, "migrate", "good", "-o", "single")
        of_batch = tree_of(self.folder / "out/projects/good/good_msft")
        single = tree_of(self.folder / "single/good_msft")
        # The record for `review` names the way to the project, and the manifest lists it.
        del single[RECORD], single[MANIFEST], of_batch[MANIFEST]
        self.assertEqual(of_batch, single)
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["projects", "results.jsonl"])

    def test_exit_code_is_0_if_nobody_is_needed(self):
        self.write("p/train.py", TRAIN)
        self.write("q/train.py", PLAIN)
        self.run_for(0, "batch", "-", "-o", "out", stdin=b'{"path": "p"}\n{"path": "q"}\n')

    def test_no_output_writes_records_only(self):
        self.write_projects(2)
        self.run_for(0, "batch", "m.jsonl", "-o", "out", "--no-output")
        self.assertEqual(os.listdir(self.folder / "out"), ["results.jsonl"])
        self.assertIsNone(self.records()["n0"]["output"])
        self.assertEqual(self.records()["n0"]["edits"]["safe"], 3)

    def test_each_takes_the_folders_and_archives_of_a_folder(self):
        self.write("all/b/train.py", TRAIN)
        self.write("all/a/train.py", PLAIN)
        self.write("all/.git/x", "")
        self.run_for(0, "batch", "--each", "all", "-o", "out")
        self.assertEqual(self.outcomes(), {"a": "unchanged", "b": "migrated"})

    def test_options_of_a_line_replace_those_of_the_command_line(self):
        self.write("p/train.py", TRAIN)
        self.write("lists/rule.json", json.dumps({"rules": {"FuncNameModifyRule": [
            {"old_name": "torch.nn.Linear", "new_name": "LinearNpu"}]}}))
        self.write_manifest(
            {"path": "../p", "name": "usual"},
            {"path": "../p", "name": "own", "options": {"target": "npu", "rule": "rule.json"}},
            name="lists/m.jsonl")
        self.run_for(0, "batch", "lists/m.jsonl", "-o", "out", "--target", "agnostic")
        usual, own = ((self.folder / f"out/projects/{name}/p_msft/train.py").read_text()
                      for name in ("usual", "own"))
        self.assertIn("torch.accelerator", usual)
        self.assertIn("LinearNpu", own)
        self.assertIn("torch.npu", own)
        self.assertNotEqual(self.records()["own"]["rules_hash"],
                            self.records()["usual"]["rules_hash"])


class WrongUse(BatchTest):
    def test_all_mistakes_of_a_manifest_are_told_before_anything_starts(self):
        self.write("p/train.py", TRAIN)
        self.write("bad.json", "{")
        self.write("m.jsonl", '{"path": "p"}\n{"path": "p",}\n{"paht": "p"}\n'
                   '{"path": "p", "name": "a", "options": {"framwork": "pytorch"}}\n'
                   '{"path": "p", "name": "b", "options": {"framework": "caffe"}}\n'
                   '{"path": "p", "name": "c", "options": {"rule": "bad.json"}}\n'
                   '{"path": "p", "name": "d", "options": {"enable": "nothing"}}\n'
                   '{"path": "p", "name": "e", "options": {"in-place": true}}\n'
                   '{"path": "p"}\n')
        before = tree_of(self.folder)
        result = self.run_for(2, "batch", "m.jsonl", "-o", "out")
        lines = result.stderr.decode().splitlines()
        for line in range(2, 10):
            self.assertTrue(any(f"m.jsonl:{line}:" in text for text in lines), (line, lines))
        self.assertIn('did you mean "framework"?', result.stderr.decode())
        self.assert_nothing_written(before)

    def test_a_wrong_option_of_the_command_line_is_told_once(self):
        self.write_projects(3)
        result = self.run_for(2, "batch", "m.jsonl", "-o", "out", "-r", "none.json")
        self.assertEqual(result.stderr.decode().count("none.json"), 1)

    def test_what_does_not_fit_together_is_refused(self):
        self.write_projects(1)
        for words, message in (
                ((), "MANIFEST"), (("m.jsonl",), "-o"), (("m.jsonl", "--each", "."), "not both"),
                (("m.jsonl", "-o", "o", "--shard", "3/2"), "K/N"),
                (("m.jsonl", "-o", "o", "--retry", "failed"), "--resume"),
                (("m.jsonl", "-o", "o", "--script", "slurm"), "--shards"),
                (("m.jsonl", "-o", "o", "--memory", "much"), "memory"),
                (("none", "-o", "o"), "no such file"), (("merge", "."), "results*.jsonl"),
                (("m.jsonl", "-o", "m.jsonl"), "m.jsonl"),
                (("--each", ".", "-o", "o"), "choose one outside")):
            with self.subTest(words):
                self.assertIn(message, self.run_for(2, "batch", *words).stderr.decode())

    def test_an_output_of_somebody_else_is_left_alone(self):
        self.write_projects(1)
        self.write("out/projects/n0/mine.txt", "mine")
        before = tree_of(self.folder / "out/projects")
        for more in ((), ("--resume",)):
            result = self.run_for(2, "batch", "m.jsonl", "-o", "out", *more)
            self.assertIn("out/projects/n0", result.stderr.decode())
        self.assertEqual(tree_of(self.folder / "out/projects"), before)


class Archives(BatchTest):
    def write_tar(self, name, entries, mode="w:gz"):
        """`entries`: name -> bytes, or a TarInfo."""
        with tarfile.open(self.folder / name, mode) as tar:
            for path, content in entries:
                if isinstance(content, tarfile.TarInfo):
                    content.name = path
                    tar.addfile(content)
                    continue
                member = tarfile.TarInfo(path)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))

    @staticmethod
    def special(kind, target=""):
        member = tarfile.TarInfo("x")
        member.type = kind
        member.linkname = target
        return member

    def test_the_usual_kinds_are_unpacked(self):
        text = TRAIN.encode()
        self.write_tar("a.tar.gz", [("proj/train.py", text), ("proj/数据.py", text)])
        self.write_tar("b.tgz", [("./train.py", text), ("./sub/x.py", text)])
        self.write_tar("c.tar.xz", [("proj/train.py", text)], "w:xz")
        self.write_tar("d.tar.bz2", [("proj/train.py", text)], "w:bz2")
        self.write_tar("e.tar", [("proj/train.py", text),
                                 ("proj/hard.py", self.special(tarfile.LNKTYPE, "proj/train.py")),
                                 ("proj/soft.py", self.special(tarfile.SYMTYPE, "train.py"))], "w")
        with zipfile.ZipFile(self.folder / "f.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("proj/训练.py", TRAIN)
        names = ["a.tar.gz", "b.tgz", "c.tar.xz", "d.tar.bz2", "e.tar", "f.zip"]
        self.write_manifest(*({"path": name, "name": name[0]} for name in names))
        self.run_for(0, "batch", "m.jsonl", "-o", "out")
        self.assertEqual(set(self.outcomes().values()), {"migrated"})
        result = tree_of(self.folder / "out/projects")
        self.assertIn("a/proj_msft/数据.py", result)
        self.assertIn("b/b_msft/sub/x.py", result)
        self.assertIn("f/proj_msft/训练.py", result)
        self.assertEqual(result["e/proj_msft/soft.py"], "-> train.py")
        self.assertEqual(self.records()["e"]["files"]["migrated"], 2)
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["projects", "results.jsonl"])

    def test_what_leads_out_or_is_broken_is_refused_and_the_rest_goes_on(self):
        outside = self.folder / "outside"
        outside.mkdir()
        link = tarfile.SYMTYPE
        bad = {
            "dots": [("../../../../outside/x.py", b"x")],
            "absolute": [(f"{outside}/x.py", b"x")],
            "through": [("d", self.special(link, str(outside))), ("d/x.py", b"x")],
            "links": [("d", self.special(link, str(outside))), ("d/e", self.special(link, "f"))],
            "hard": [("x.py", self.special(tarfile.LNKTYPE, "../../../../m.jsonl"))],
            "device": [("x.py", self.special(tarfile.CHRTYPE))],
            "pipe": [("x.py", self.special(tarfile.FIFOTYPE))],
            "bomb": [("x.py", b"0" * 3_000_000)],
            "many": [(f"{i}.py", b"") for i in range(1001)],
        }
        for name, entries in bad.items():
            self.write_tar(f"{name}.tar.gz", entries)
        whole = (self.folder / "many.tar.gz").read_bytes()
        self.write("cut.tar.gz", whole[:len(whole) // 2])
        self.write("text.zip", "no archive\n" * 100)
        self.write("good/train.py", TRAIN)
        names = [*(f"{name}.tar.gz" for name in bad), "cut.tar.gz", "text.zip"]
        self.write_manifest(*({"path": name, "name": name} for name in names),
                            {"path": "good", "name": "good"})
        self.run_for(1, "batch", "m.jsonl", "-o", "out", "--archive-size", "2M",
                     "--archive-files", "1000")
        outcomes = self.outcomes()
        self.assertEqual(outcomes.pop("good"), "migrated")
        self.assertEqual(set(outcomes), set(names))
        for name, outcome in outcomes.items():
            self.assertEqual(outcome, "unreadable", self.records()[name])
        self.assertEqual(os.listdir(outside), [])
        self.assertIn("--archive-size", self.records()["bomb.tar.gz"]["error"]["what"])
        self.assertIn("--archive-files", self.records()["many.tar.gz"]["error"]["what"])
        self.assertNotIn(f"{self.folder}/out/", json.dumps(list(self.records().values())))

    def test_a_link_that_leads_out_is_made_and_not_followed(self):
        self.write("secret.py", "import torch\ntorch.cuda.synchronize()\n")
        self.write_tar("a.tar", [("p/train.py", TRAIN.encode()),
                                 ("p/out.py", self.special(tarfile.SYMTYPE,
                                                           str(self.folder / "secret.py")))], "w")
        self.write_manifest({"path": "a.tar", "name": "a"})
        self.run_for(1, "batch", "m.jsonl", "-o", "out")
        self.assertEqual(self.records()["a"]["files"]["skipped"], 1)
        self.assertNotIn("a/p_msft/out.py", tree_of(self.folder / "out/projects"))


class OneOfMany(BatchTest):
    def test_a_crash_is_a_record_with_its_signal(self):
        self.write_projects(6)
        process = self.start("m.jsonl", "-o", "out", "-j", "1")
        worker = self.stopped_worker(process)
        os.kill(worker, signal.SIGSEGV)
        os.kill(worker, signal.SIGCONT)
        self.wait(process, 1)
        crashed = [r for r in self.records().values() if r["outcome"] == "crashed"]
        self.assertEqual([r["signal"] for r in crashed], ["SIGSEGV"])
        self.assertEqual(sorted(self.outcomes().values()), ["crashed"] + 5 * ["migrated"])
        self.assertNotIn(crashed[0]["name"], os.listdir(self.folder / "out/projects"))
        self.run_for(1, "batch", "m.jsonl", "-o", "out", "--resume")
        result = self.run_for(0, "batch", "m.jsonl", "-o", "out", "--resume", "--retry", "crashed")
        self.assertIn(b"(5 of them from an earlier run)", result.stderr)
        self.assertEqual(set(self.outcomes().values()), {"migrated"})

    def test_a_kill_from_outside_is_a_record(self):
        self.write_projects(3)
        process = self.start("m.jsonl", "-o", "out", "-j", "1")
        os.kill(self.stopped_worker(process), signal.SIGKILL)
        self.wait(process, 1)
        [crashed] = [r for r in self.records().values() if r["outcome"] == "crashed"]
        self.assertEqual(crashed["signal"], "SIGKILL")
        self.assertIn("no memory left", crashed["error"]["what"])

    def test_a_project_that_takes_too_long_is_ended(self):
        self.write_projects(3)
        process = self.start("m.jsonl", "-o", "out", "-j", "1", "--timeout", "10")
        self.stopped_worker(process)
        self.wait(process, 1)
        self.assertEqual(sorted(self.outcomes().values()), ["migrated", "migrated", "timed_out"])

    @unittest.skipIf(sanitizers_of(EXECUTABLE), "a sanitizer reserves terabytes of addresses")
    def test_a_project_that_needs_too_much_memory_is_ended(self):
        self.write_projects(2)
        self.write("large/a.py", "import torch\n" + "x = torch.zeros(1).cuda()\n" * 300_000)
        with open(self.folder / "m.jsonl", "a", encoding="utf-8") as file:
            file.write('{"path": "large", "name": "large"}\n')
        self.run_for(1, "batch", "m.jsonl", "-o", "out", "--memory", "100M")
        self.assertEqual(self.outcomes(), {"n0": "migrated", "n1": "migrated",
                                           "large": "out_of_memory"})


class Interrupted(BatchTest):
    def run_whole(self, *more):
        self.run_for(0, "batch", "m.jsonl", "-o", "whole", "--no-times", *more)
        return tree_of(self.folder / "whole")

    def test_killed_at_any_moment_and_resumed_gives_the_same(self):
        self.write_projects(40)
        whole = self.run_whole()
        for moment in (0, 3, 17, 35):
            with self.subTest(moment):
                out = f"out{moment}"
                process = self.start("m.jsonl", "-o", out, "--no-times", "-j", "2", "--resume")
                results = self.folder / out / "results.jsonl"
                while process.poll() is None:
                    if results.exists() and results.read_bytes().count(b"\n") >= moment:
                        break
                process.kill()
                process.communicate()
                if moment == 17:  # as if it had died within a write
                    results.write_bytes(results.read_bytes()[:-20])
                self.run_for(0, "batch", "m.jsonl", "-o", out, "--no-times", "--resume")
                self.assertEqual(tree_of(self.folder / out), whole)

    def test_its_workers_die_with_it(self):
        self.write_projects(2)
        process = self.start("m.jsonl", "-o", "out", "-j", "1")
        worker = self.stopped_worker(process)
        process.kill()
        process.communicate()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                state = pathlib.Path(f"/proc/{worker}/stat").read_text(encoding="ascii")
            except FileNotFoundError:
                return
            if state.rpartition(")")[2].split()[0] == "Z":
                return
        self.fail("the worker is still there")

    def test_sigterm_leaves_complete_records_and_says_how_to_go_on(self):
        self.write_projects(20)
        whole = self.run_whole()
        for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
            with self.subTest(number):
                out = f"out{code}"
                process = self.start("m.jsonl", "-o", out, "--no-times", "-j", "1")
                while len(self.records_so_far(out)) < 3 and process.poll() is None:
                    pass
                self.stopped_worker(process)
                process.send_signal(number)
                self.assertIn("--resume", self.wait(process, code))
                done = {record["name"] for record in self.records_so_far(out)}
                self.assertLess(len(done), 20)
                self.assertEqual(set(os.listdir(self.folder / out / "projects")), done)
                self.assertEqual(sorted(os.listdir(self.folder / out)),
                                 ["projects", "results.jsonl"])
                self.run_for(0, "batch", "m.jsonl", "-o", out, "--no-times", "--resume")
                self.assertEqual(tree_of(self.folder / out), whole)

    def records_so_far(self, out):
        try:
            lines = (self.folder / out / "results.jsonl").read_bytes().split(b"\n")[:-1]
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in lines]

    def test_two_runs_on_one_shard_are_refused(self):
        self.write_projects(2)
        process = self.start("m.jsonl", "-o", "out", "-j", "1")
        worker = self.stopped_worker(process)
        result = self.run_for(2, "batch", "m.jsonl", "-o", "out", "--resume")
        self.assertIn(b"another run of transplt batch", result.stderr)
        os.kill(worker, signal.SIGCONT)
        self.wait(process, 0)

    def test_resume_does_again_what_has_other_options_and_nothing_else(self):
        self.write_projects(3)
        self.run_for(0, "batch", "m.jsonl", "-o", "out")
        before = self.records()
        self.write_manifest({"path": "p2", "name": "n2"}, {"path": "p0", "name": "n0"},
                            {"path": "p1", "name": "n1", "options": {"target": "agnostic"}})
        result = self.run_for(2, "batch", "m.jsonl", "-o", "out")
        self.assertIn(b"--resume", result.stderr)
        result = self.run_for(0, "batch", "m.jsonl", "-o", "out", "--resume")
        self.assertIn(b"(2 of them from an earlier run)", result.stderr)
        now = self.records()
        self.assertEqual(list(now), ["n2", "n0", "n1"])
        self.assertEqual(now["n0"]["run"], before["n0"]["run"])
        self.assertEqual(now["n0"]["number"], 2)
        self.assertNotEqual(now["n1"]["output_hash"], before["n1"]["output_hash"])

    def test_resume_with_another_manifest_destroys_nothing(self):
        self.write_projects(3)
        self.run_for(0, "batch", "m.jsonl", "-o", "out")
        before = tree_of(self.folder / "out")
        self.write_manifest({"path": "p0", "name": "other"})
        result = self.run_for(2, "batch", "m.jsonl", "-o", "out", "--resume")
        self.assertIn(b"n0", result.stderr)
        self.assertEqual(tree_of(self.folder / "out"), before)


class Shards(BatchTest):
    def test_all_shards_give_the_same_bytes_as_one_run(self):
        self.write_projects(11)
        self.run_for(0, "batch", "m.jsonl", "-o", "whole", "--no-times", "-j", "3")
        for k in range(1, 5):
            self.run_for(0, "batch", "m.jsonl", "-o", "parts", "--shard", f"{k}/4", "-j", "1")
        self.assertEqual(list(self.records("parts/results-2-of-4.jsonl")), ["n1", "n5", "n9"])
        self.run_for(0, "batch", "merge", "parts", "--manifest", "m.jsonl", "--format", "records",
                     "--no-times", "-o", "merged.jsonl")
        self.assertEqual((self.folder / "merged.jsonl").read_bytes(),
                         (self.folder / "whole/results.jsonl").read_bytes())
        self.assertEqual(tree_of(self.folder / "parts/projects"),
                         tree_of(self.folder / "whole/projects"))
        reports = [self.run_for(0, "batch", "merge", out, "--no-times", "--format", form).stdout
                   for form in ("text", "json", "csv") for out in ("parts", "whole")]
        self.assertEqual(reports[0::2], reports[1::2])

    def test_merge_tells_which_projects_are_missing(self):
        self.write_projects(5)
        self.run_for(0, "batch", "m.jsonl", "-o", "out", "--shard", "1/2")
        result = self.run_for(1, "batch", "merge", "out", "--manifest", "m.jsonl")
        self.assertIn("without a record\n  n1\n  n3\n", result.stdout.decode())
        self.assertIn(b"2 projects of the manifest have no record", result.stderr)
        self.run_for(0, "batch", "merge", "out")

    def test_merge_does_not_replace_a_file_unless_told(self):
        self.write_projects(1)
        self.run_for(0, "batch", "m.jsonl", "-o", "out")
        self.write("report.txt", "mine")
        self.run_for(2, "batch", "merge", "out", "-o", "report.txt")
        self.assertEqual((self.folder / "report.txt").read_text(), "mine")
        self.run_for(0, "batch", "merge", "out", "-o", "report.txt", "--force")


if __name__ == "__main__":
    unittest.main()
