#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`transplt verify`: samples and mistakes of migrations under the simulator, wrong usage, the inputs."""

import json
import os
import subprocess
import sys
import textwrap
import time
import unittest

sys.dont_write_bytecode = True
import program  # noqa: E402
from program import LONG, ROOT, ProgramTest, tree_of  # noqa: E402

PYTHON = "/usr/bin/python3"
SAMPLES = {
    "gan": "gan.py --cuda --manual-seed 1 --pictures 16 --batch-size 8 --image-size 16 --nz 8 "
           "--ngf 8 --ndf 8 --niter 1 --steps 2 --log-every 1 --outf out",
    "imagenet": "main.py --dummy --dummy-size 16 --image-size 32 --num-classes 8 -b 8 -j 0 "
                "--epochs 1 --max-steps 2 --print-freq 1 --lr 0.005 --seed 1 --gpu 0 --output out",
    "tiny_lm": "train.py --config configs/tiny.json --seed 1 train.steps=6",
}

TRAIN = """\
import torch
from torch import nn

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    data = torch.randn(8, 4).to(device)
    target = torch.zeros(8, dtype=torch.long, device=device)
    loss = nn.functional.cross_entropy(model(data), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.6f}")
torch.cuda.synchronize()
torch.save(model.state_dict(), "model.pt")
"""

# Mistakes that migrations make: what the migrated script has instead, and what must be said about
# it at the line of the mistake.
MISTAKES = {
    "a string was missed": ('torch.device("npu:0"', 'torch.device("cuda:0"', "cuda"),
    "the data stayed on the CPU": (".randn(8, 4).to(device)", ".randn(8, 4)", "same device"),
    "a call was missed": ("torch.npu.synchronize()", "torch.cuda.synchronize()", "cuda"),
    "a name was invented": ("torch.npu.synchronize()", "torch.npu.sync()", "torch.npu.sync"),
}


class VerifyTest(ProgramTest):
    def verify(self, code, *arguments, script="train.py", **options):
        """Runs verify of `a` and `b`; its verdict as JSON, and the result."""
        result = self.run_for(code, "verify", "a", "b", "--json", "verdict.json",
                              *arguments, "--", *script.split(), timeout=300, **options)
        with open(self.folder / "verdict.json", encoding="utf-8") as file:
            return json.load(file), result

    def projects(self, original, migrated, name="train.py"):
        self.write(f"a/{name}", original)
        self.write(f"b/{name}", migrated)

    def migrated(self, source):
        """What the program makes of it."""
        return program.run("migrate", "-", stdin=source.encode()).stdout.decode()

    @staticmethod
    def check(verdict, name):
        return next(check for check in verdict["checks"] if check["id"] == name)

    def failures(self, verdict):
        return [(check["id"], item["file"], item["line"], item["what"])
                for check in verdict["checks"] for item in check["items"] if item["failure"]]


class Samples(VerifyTest):
    def run_sample(self, name, *options):
        os.symlink(ROOT / "samples" / name, self.folder / "a")
        self.run_for(0, "migrate", ROOT / "samples" / name, "-o", "out")
        os.symlink(self.folder / "out" / f"{name}_msft", self.folder / "b")
        before = tree_of(ROOT / "samples" / name), tree_of(self.folder / "b" / "")
        verdict, result = self.verify(0, *options, script=SAMPLES[name])
        self.assertEqual((tree_of(ROOT / "samples" / name), tree_of(self.folder / "b" / "")), before)
        self.assertEqual(verdict["verdict"], "equal")
        self.assertEqual(verdict["ran_on_npu"], False)
        self.assertIn(b"Nothing ran on an NPU", result.stdout)
        compared = self.check(verdict, "numbers")["result"].split()[0]
        self.assertGreater(int(compared), 5)
        return verdict

    @unittest.skipUnless(LONG, "long")
    def test_gan_computes_the_same_with_and_without_a_device(self):
        verdict = self.run_sample("gan")
        self.assertIn("tensors", self.check(verdict, "files")["result"])
        self.assertEqual(self.check(verdict, "cpu")["state"], "ok")

    @unittest.skipUnless(LONG, "long")
    def test_imagenet_computes_the_same(self):
        self.run_sample("imagenet", "--skip-cpu")

    def test_tiny_lm_computes_the_same(self):
        self.run_sample("tiny_lm", "--skip-cpu")


class AMigration(VerifyTest):
    def test_that_is_right_is_equal_and_each_run_of_verify_says_the_same(self):
        self.projects(TRAIN, self.migrated(TRAIN))
        verdict, first = self.verify(0, "--html", "verdict.html")
        self.assertEqual(verdict["verdict"], "equal")
        self.assertEqual(self.check(verdict, "files")["result"], "1 compared, 2 tensors in them")
        self.assertEqual(self.check(verdict, "numbers")["result"], "6 compared")
        text = (self.folder / "verdict.html").read_text("utf-8")
        self.assertIn("Nothing ran on an NPU", text)
        self.assertNotIn("http", text)
        html = (self.folder / "verdict.html").read_bytes()
        again, second = self.verify(0, "--html", "verdict.html", "--skip-cpu")
        self.assertEqual(self.check(again, "cpu")["state"], "skipped")
        for one, other in zip(verdict["checks"], again["checks"]):
            if one["id"] != "cpu":
                self.assertEqual(one, other)
        self.assertNotIn(b"/tmp/transplt-verify", first.stdout + second.stdout + html)

    def test_is_compared_after_some_steps_as_asked(self):
        endless = TRAIN.replace("range(3)", "range(10 ** 9)")
        self.projects(endless, self.migrated(endless))
        verdict, result = self.verify(0, "--skip-cpu", "--steps", "2")
        self.assertEqual(verdict["verdict"], "equal")
        self.assertIn(b"ended after 2 steps", result.stdout)
        self.assertIn("up to step 2 of the optimizers: what comes later was not run",
                      verdict["verdict_text"])
        self.assertEqual(self.check(verdict, "numbers")["result"], "4 compared")
        self.assertEqual(self.check(verdict, "files")["result"], "1 compared, 2 tensors in them")
        self.projects(endless, self.migrated(endless).replace("lr=0.1", "lr=0.2"))
        verdict, _ = self.verify(1, "--skip-cpu", "--steps", "1")
        self.assertEqual([failure[1] for failure in self.failures(verdict)],
                         ["parameters_after_steps.pt"] * 2)

    @unittest.skipUnless(LONG, "long")
    def test_of_a_training_that_goes_on_for_long_is_compared_up_to_a_step(self):
        endless = TRAIN.replace("range(3)", "range(10 ** 9)").replace(
            "    print(", "    import time; time.sleep(0.3)\n    print(")
        self.projects(endless, self.migrated(endless))
        verdict, result = self.verify(0, "--timeout", "45")
        self.assertEqual(verdict["verdict"], "equal")
        self.assertIn(b"of optimizers: a third of --timeout was over", result.stdout)
        self.assertIn("what comes later was not run", verdict["verdict_text"])
        self.assertEqual(self.check(verdict, "files")["result"], "1 compared, 2 tensors in them")
        self.projects(endless, self.migrated(endless).replace("lr=0.1", "lr=0.2"))
        verdict, _ = self.verify(1, "--skip-cpu", "--timeout", "45")
        self.assertEqual(verdict["verdict"], "failed")

    def test_with_a_mistake_fails_at_its_line(self):
        right = self.migrated(TRAIN)
        for name, (old, new, word) in MISTAKES.items():
            with self.subTest(name):
                self.assertIn(old, right)
                wrong = right.replace(old, new)
                line = wrong[:wrong.index(new)].count("\n") + 1
                if word == "same device":  # noticed where the two meet
                    line += 2
                self.projects(TRAIN, wrong)
                verdict, _ = self.verify(1, "--skip-cpu")
                self.assertEqual(verdict["verdict"], "failed")
                said = [what for _, file, at, what in self.failures(verdict)
                        if (file, at) == ("train.py", line)]
                self.assertTrue(any(word in what for what in said), self.failures(verdict))

    def test_that_still_asks_for_cuda_where_a_migration_would_not_fails(self):
        right = self.migrated(TRAIN)
        self.projects(TRAIN.replace("print(", "torch.cuda.is_available()\n    print("),
                      right.replace("print(", "torch.cuda.is_available()\n    print("))
        verdict, _ = self.verify(1, "--skip-cpu")
        self.assertEqual([failure[:1] for failure in self.failures(verdict)], [("residual",)])

    def test_that_runs_on_the_cpu_alone_fails(self):
        self.projects(TRAIN, TRAIN.replace("torch.cuda.synchronize()\n", ""))
        verdict, result = self.verify(1, "--skip-cpu")
        self.assertIn(b"ran on the CPU", result.stdout)
        self.assertEqual(self.check(verdict, "devices")["state"], "failed")

    def test_that_computes_something_else_fails_with_both_lines(self):
        right = self.migrated(TRAIN)
        self.projects(TRAIN, right.replace("lr=0.1", "lr=0.2"))
        verdict, _ = self.verify(1, "--skip-cpu")
        item = next(i for i in self.check(verdict, "numbers")["items"] if i["failure"])
        self.assertTrue(item["reference"].startswith("step 1 loss"), item)
        self.assertNotEqual(item["reference"], item["migrated"])
        self.assertEqual(self.check(verdict, "files")["state"], "failed")
        wide, _ = self.verify(0, "--skip-cpu", "--rtol", "1", "--atol", "1")
        self.assertEqual(wide["verdict"], "equal")

    def test_whose_child_crashes_fails_though_the_parent_does_not_look(self):
        script = ("import multiprocessing\n\n\ndef work():\n    {}\n\n\n"
                  "if __name__ == '__main__':\n"
                  "    child = multiprocessing.get_context('spawn').Process(target=work)\n"
                  "    child.start()\n    child.join()\n    print('loss 1.5')\n")
        self.projects(script.format("pass"), script.format("raise ValueError('lost')"))
        verdict, _ = self.verify(1, "--skip-cpu")
        self.assertIn(("migrated", "train.py", 5, "in a child: ValueError: lost"),
                      self.failures(verdict))


class Arguments(VerifyTest):
    SCRIPT = """\
import sys
import torch
x = torch.ones(3, device=sys.argv[1].split("=")[1])
print("sum", x.sum().item())
"""

    def test_may_name_the_device_of_each_run(self):
        self.projects(self.SCRIPT, "import torch_npu\n" + self.SCRIPT)
        verdict, _ = self.verify(0, script="train.py --device={device}")
        self.assertEqual(self.check(verdict, "cpu")["state"], "ok")

    def test_that_name_cuda_are_those_of_the_npu_for_the_migrated_script(self):
        self.projects(self.SCRIPT, "import torch_npu\n" + self.SCRIPT)
        verdict, result = self.verify(0, "--skip-cpu", script="train.py --device=cuda:0")
        self.assertIn(b"write --device={device}:0", result.stdout)
        self.assertIn("not with --device=cuda:0 as given", verdict["verdict_text"])

    def test_that_name_cuda_are_pointed_out_where_that_does_not_help(self):
        self.projects(self.SCRIPT, "import torch_npu\n" + self.SCRIPT + "torch.ones(1).cuda()\n")
        _, result = self.verify(1, "--skip-cpu", script="train.py --device=cuda")
        self.assertIn(b"write --device={device}", result.stdout)


class Scripts(VerifyTest):
    """What every script must and may do. Without torch, which takes seconds: such scripts agree
    if the verdict is "no-device"."""

    def both(self, code, script, *arguments, **options):
        self.projects(script, script)
        return self.verify(code, "--skip-cpu", *arguments, **options)

    def agree(self, *arguments, **options):
        verdict, result = self.verify(1, "--skip-cpu", *arguments, **options)
        self.assertEqual(verdict["verdict"], "no-device", self.failures(verdict))
        return verdict, result

    def test_that_put_nothing_on_a_device_are_not_called_equal(self):
        script = ("import argparse\nparser = argparse.ArgumentParser()\n"
                  "parser.add_argument('--lr', default=0.1, help='default 0.1')\n"
                  "parser.parse_args()\n")
        self.projects(script, script)
        _, result = self.agree(script="train.py --help")
        self.assertIn(b"nothing reached a device", result.stdout)

    def test_that_print_and_write_nothing_are_not_called_equal(self):
        self.projects("import torch\ntorch.ones(1).cuda()\n",
                      "import torch\nimport torch_npu\ntorch.ones(1).npu()\n")
        verdict, result = self.verify(1, "--skip-cpu")
        self.assertEqual(verdict["verdict"], "nothing-compared")
        self.assertIn(b"nothing compared", result.stdout)

    def test_that_train_on_the_cpu_by_themselves_are_not_called_a_failure(self):
        script = ("import torch\nweight = torch.ones(1, requires_grad=True)\n"
                  "loss = (weight * 2).sum()\nloss.backward()\nprint(loss.item())\n")
        verdict, result = self.both(1, script)
        self.assertEqual((verdict["verdict"], self.failures(verdict)), ("no-device", []))
        self.assertIn(b"train.py:4: trains on the CPU, and so does the original", result.stdout)

    def test_that_do_not_reproduce_their_numbers_are_compared_in_the_rest(self):
        verdict, _ = self.both(1, "import os\nprint('luck', int.from_bytes(os.urandom(4), 'big'))\n"
                                  "print('loss 1.5')\n")
        self.assertEqual(self.check(verdict, "numbers")["result"], "1 compared")
        self.assertIn("not reproducible", self.check(verdict, "numbers")["items"][0]["what"])

    def test_whose_results_differ_in_one_place_fail_there(self):
        script = ("import json, logging, os, struct, sys, time\n"
                  "logging.basicConfig(level=20)\n"
                  "def write(name, content):\n"
                  "    with open(name, 'wb' if isinstance(content, bytes) else 'w') as file:\n"
                  "        file.write(content)\n"
                  "wrong = {}\n"
                  "write('order.csv', '0.1\\n0.9\\n' if not wrong else '0.9\\n0.1\\n')\n"
                  "write('raw.bin', struct.pack('f', wrong))\n"
                  "write('broken.pt', b'' if wrong else b'x')\n"
                  "write('noise.json', json.dumps({{'at': time.time() % 1000, 'loss': wrong}}))\n"
                  "write('res_cuda.txt', '1')\nwrite('res_gpu.txt', str(wrong))\n"
                  "write('events.out.tfevents.1', str(wrong))\n"
                  "print('epoch 1: 3.2s (loss=%d)' % wrong)\n"
                  "print('tiny', int.from_bytes(os.urandom(4), 'big') / 2 ** 32 + wrong * 1e6)\n"
                  "if not wrong: logging.info('val acc %.3f', 0.93)\n")
        self.projects(script.format(0), script.format(1))
        verdict, result = self.verify(1, "--skip-cpu")
        failed = {file or what.split(":")[0] for _, file, _, what in self.failures(verdict)}
        self.assertEqual(failed, {
            "order.csv", "raw.bin", "broken.pt", "noise.json", "res_gpu.txt", "loss on stdout",
            "tiny on stdout", "a line on stderr that only the reference has printed"})
        self.assertIn(b"far more than two runs of the reference differ", result.stdout)
        self.assertIn(b"events.out.tfevents.1: not compared", result.stdout)

    def test_that_log_the_lines_of_their_messages_are_equal(self):
        source = ("import logging\nimport sys\nimport torch\n\n"
                  "layout = logging.Formatter('[%(filename)s line %(lineno)d] %(message)s')\n"
                  "for handler in (logging.StreamHandler(sys.stdout), logging.FileHandler('log.txt')):\n"
                  "    handler.setFormatter(layout)\n    logging.getLogger().addHandler(handler)\n"
                  "logging.warning('loss %s', torch.ones(2).cuda().sum().item())\n")
        self.projects(source, self.migrated(source))
        verdict, _ = self.verify(0)
        self.assertEqual(verdict["verdict"], "equal")

    def test_that_make_new_names_in_each_run_are_equal(self):
        script = ("import os, tempfile, uuid\nprint('run', uuid.uuid4().hex, uuid.uuid4())\n"
                  "print('in', os.path.basename(tempfile.mkdtemp(dir='.')))\n"
                  "folder = 'runs/%d' % int.from_bytes(os.urandom(4), 'big')\n"
                  "os.makedirs(folder)\nopen(folder + '/log.txt', 'w').write('loss %d')\n")
        self.projects(*[script.replace("loss %d", "loss 1")] * 2)
        verdict, result = self.agree()
        self.assertEqual(self.check(verdict, "files")["result"], "1 compared, 0 tensors in them")
        self.projects(script.replace("loss %d", "loss 1"), script.replace("loss %d", "loss 2"))
        verdict, _ = self.verify(1, "--skip-cpu")
        self.assertEqual([failure[1] for failure in self.failures(verdict)],
                         ["runs/<name>/log.txt"])

    def test_that_name_files_by_where_they_lie_themselves_are_equal(self):
        script = ("import os, time\n"
                  "folder = 'results/' + os.path.splitext(os.path.abspath(__file__))[0]\n"
                  "folder += time.strftime('/%Y-%m-%d_%H-%M-%S_') + str(time.time_ns())\n"
                  "os.makedirs(folder)\nopen(folder + '/log.txt', 'w').write('loss %d')\n")
        self.projects(*[script.replace("loss %d", "loss 1")] * 2)
        verdict, _ = self.agree()
        self.assertEqual(self.check(verdict, "files")["result"], "1 compared, 0 tensors in them")
        self.projects(script.replace("loss %d", "loss 1"), script.replace("loss %d", "loss 2"))
        verdict, _ = self.verify(1, "--skip-cpu")
        self.assertEqual([failure[1] for failure in self.failures(verdict)],
                         ["results/<project>/train/<name>/log.txt"])

    def test_that_keep_copies_of_their_own_sources_are_equal(self):
        script = ("import os, shutil\nos.makedirs('runs/code')\n"
                  "shutil.copy('train.py', 'runs/code')\nprint('loss 1')\n")
        self.projects(script, script + "# migrated\n")
        verdict, _ = self.agree()
        self.assertEqual(self.check(verdict, "files")["result"], "1 compared, 0 tensors in them")
        self.projects(script, script.replace("print", "open('runs/code/train.py', 'a').write('#')\nprint"))
        verdict, _ = self.verify(1, "--skip-cpu")
        self.assertEqual([failure[1] or failure[3].split(":")[0] for failure in self.failures(verdict)],
                         ["runs/code/train.py"])

    def test_that_get_a_path_in_the_project_write_into_the_copy(self):
        script = ("import os, sys\nimport mine\n"
                  "assert mine.__file__.startswith(os.getcwd()), mine.__file__\n"
                  "open(sys.argv[1] + '/out.txt', 'w').write('loss 1')\n")
        self.projects(script, script)
        self.projects("", "", "lib/mine.py")
        before = tree_of(self.folder)
        verdict, _ = self.agree(script=f"train.py {self.folder / 'a'}",
                                env={"PYTHONPATH": str(self.folder / "a" / "lib")})
        os.remove(self.folder / "verdict.json")
        self.assertEqual(tree_of(self.folder), before)
        self.assertEqual(self.check(verdict, "files")["result"], "1 compared, 0 tensors in them")

    def test_import_packages_of_the_project_as_if_it_were_installed(self):
        script = "import mine\nimport inner\nprint('loss', mine.value + inner.value)\n"
        self.projects(script, script, "tools/train.py")
        self.projects("value = 1\n", "value = 1\n", "mine/__init__.py")
        self.projects("value = 2\n", "value = 2\n", "src/inner.py")
        verdict, result = self.verify(1, "--skip-cpu", script="tools/train.py")
        self.assertIn("name the folder that holds it in PYTHONPATH", result.stdout.decode())
        self.projects("", "", "setup.py")
        self.agree(script="tools/train.py")

    def test_that_write_into_their_own_folder_do_not_change_the_projects(self):
        script = ("import os, sys\nhere = os.path.dirname(os.path.abspath(__file__))\n"
                  "open(os.path.join(here, 'train.py'), 'a').write('# mine')\n"
                  "os.remove('data.txt')\nopen('out.txt', 'w').write('loss 1')\nprint(1)\n")
        for side in "ab":
            self.write(f"{side}/data.txt", "5")
        self.projects(script, script)
        before = tree_of(self.folder)
        verdict, _ = self.agree()
        os.remove(self.folder / "verdict.json")
        self.assertEqual(tree_of(self.folder), before)
        self.assertIn("2 compared", self.check(verdict, "files")["result"])

    def test_that_end_with_the_same_failure_are_no_success(self):
        verdict, result = self.both(1, "import sys\nprint('loss 1')\nsys.exit(3)\n")
        self.assertEqual(verdict["verdict"], "reference-failed")
        self.assertIn(b"exit code 3 as well", result.stdout)

    def test_that_are_written_for_older_versions_run_and_it_is_said(self):
        source = ("import torch\nimport numpy\n\nlosses = {1: torch.ones(2).cuda(async=True).sum()}\n"
                  "print(losses[1].data[0], numpy.float(1))\n")
        self.projects(source, self.migrated(source))
        verdict, _ = self.verify(0)
        self.assertEqual(verdict["verdict"], "equal")
        self.assertIn("but 1 places are written for older versions", verdict["verdict_text"])
        spellings = self.check(verdict, "spellings")
        self.assertEqual(spellings["result"], "1 places are not, 3 in the original")
        self.assertIn("loss.data[0]: ", spellings["items"][0]["what"])

    @unittest.skipUnless(LONG, "long")
    def test_that_keep_a_keyword_as_an_argument_run_on_both_sides(self):
        source = "import torch\nprint(torch.ones(2).cuda(\n    async=True).sum().item())\n"
        self.projects(source, source.replace("cuda", "npu").replace("torch\n", "torch, torch_npu\n", 1))
        verdict, _ = self.verify(0)
        item = self.check(verdict, "spellings")["items"][0]
        self.assertEqual((item["file"], item["line"]), ("train.py", 3))

    def test_that_are_written_for_python_2_run_on_both_sides(self):
        source = ("import torch\nfor step in xrange(2):\n    try:\n"
                  "        print 'loss', torch.ones(2).cuda().sum().item() + step\n"
                  "    except ValueError, error:\n        raise\n")
        self.projects(source, source.replace("cuda", "npu").replace("torch\n", "torch, torch_npu\n", 1))
        verdict, result = self.verify(0)
        self.assertEqual(verdict["verdict"], "equal")
        items = self.check(verdict, "spellings")["items"]
        self.assertEqual([item["line"] for item in items], [2, 4, 5])
        self.assertIn("Python 2: ", items[0]["what"])

    @unittest.skipUnless(LONG, "long")
    def test_without_an_ending_are_read_as_python_2_too(self):
        script = "#!/usr/bin/env python\nimport torch\nprint 'loss', torch.ones(2).cuda().sum().item()\n"
        self.projects(script, script.replace("cuda", "npu").replace("torch\n", "torch, torch_npu\n", 1),
                      "train")
        verdict, _ = self.verify(0, "--skip-cpu", script="train")
        self.assertEqual(verdict["verdict"], "equal")
        self.assertEqual([item["file"] for item in self.check(verdict, "spellings")["items"]], ["train"])

    @unittest.skipUnless(LONG, "long")
    def test_that_compile_with_names_of_python_2_run_on_both_sides(self):
        source = ("import torch\n\n\ndef numbers():\n    while True:\n        yield 1\n\n\n"
                  "weights = {'a': torch.ones(2).cuda()}\nfor step in xrange(2):\n"
                  "    for name, weight in weights.iteritems():\n"
                  "        print(unicode(name), weight.sum().item() + numbers().next())\n"
                  "try:\n    text = basestring\nexcept NameError:\n    text = str\n"
                  "print(weights.has_key('a'), text('b'))\n")
        self.projects(source, self.migrated(source))
        verdict, _ = self.verify(0)
        self.assertEqual(verdict["verdict"], "equal")
        items = self.check(verdict, "spellings")["items"]
        self.assertEqual([item["line"] for item in items], [11, 12, 13, 18])

    @unittest.skipUnless(LONG, "long")
    def test_that_define_methods_of_these_names_keep_them(self):
        source = ("import torch\n\n\nclass Batches:\n    def next(self):\n"
                  "        return torch.ones(2).cuda()\n\n\nbatches = Batches()\n"
                  "print(batches.next().sum().item())\n")
        self.projects(source, self.migrated(source))
        verdict, _ = self.verify(0)
        self.assertEqual(self.check(verdict, "spellings")["items"], [])

    def test_that_are_no_python_at_all_are_left_as_they_are(self):
        _, result = self.both(1, "import torch\nprint 'loss' 'and\n")
        self.assertIn(b"train.py:2: SyntaxError", result.stdout)

    def test_that_need_a_download_say_where(self):
        verdict, result = self.both(
            1, "import urllib.request\n\nurllib.request.urlopen('http://127.0.0.1:9/data')\n")
        self.assertEqual(verdict["verdict"], "reference-failed")
        self.assertIn("train.py:3: URLError", result.stdout.decode())
        self.assertIn("--fake-data", result.stdout.decode())

    def test_that_write_into_a_folder_that_git_did_not_keep_say_so(self):
        _, result = self.both(1, "open('logs/loss.csv', 'w').write('1')\n")
        self.assertIn(b"create the folders that it writes into", result.stdout)

    def test_that_torchvision_cannot_download_name_the_fake_data(self):
        _, result = self.both(1, "raise RuntimeError('Error downloading digits.gz')\n")
        self.assertIn("use --fake-data", result.stdout.decode())

    @unittest.skipUnless(LONG, "long")
    def test_whose_splits_count_on_the_whole_data_set_get_one_of_its_size(self):
        script = """
            import torch, torch_npu
            from torch.utils.data import DataLoader, Subset
            from torchvision import datasets, transforms
            digits = datasets.MNIST('x', download=True, transform=transforms.ToTensor())
            training = Subset(digits, range(len(digits))[:len(digits) - 5000])
            net = torch.nn.Linear(784, 10).npu()
            for number, (pictures, targets) in enumerate(DataLoader(training, 10, shuffle=True)):
                loss = torch.nn.functional.cross_entropy(net(pictures.npu().flatten(1)), targets.npu())
                print(len(training), loss.item())
                if number == 2:
                    break
            """
        self.projects(textwrap.dedent(script).replace("torch_npu", "torch.cuda").replace("npu", "cuda"),
                      textwrap.dedent(script))
        verdict, result = self.verify(0, "--skip-cpu", "--fake-data")
        self.assertEqual(self.check(verdict, "numbers")["result"], "6 compared")
        self.assertIn(b"as many pictures as the originals", result.stdout)

    def test_that_use_what_no_npu_has_are_no_success(self):
        script = """
            import torch, torch_npu
            net = torch.nn.Linear(2, 1).npu()
            print(torch.nn.functional.pdist(net(torch.ones(2, 2).npu())).item())
            """
        self.projects(textwrap.dedent(script).replace("torch_npu", "torch.cuda").replace("npu", "cuda"),
                      textwrap.dedent(script))
        verdict, result = self.verify(1, "--skip-cpu")
        self.assertEqual(verdict["verdict"], "lacks-support")
        self.assertIn("train.py:4: torch.nn.functional.pdist (float32) is not supported",
                      result.stdout.decode())
        self.assertIn("prints and writes what its reference does", verdict["verdict_text"])

    def test_that_use_a_module_that_no_document_lists_are_equal_with_a_word(self):
        script = """
            import torch, torch_npu
            net = torch.nn.DataParallel(torch.nn.Linear(2, 1).npu(), device_ids=[0])
            print(net(torch.ones(1, 2).npu()).item())
            """
        self.projects(textwrap.dedent(script).replace("torch_npu", "torch.cuda").replace("npu", "cuda"),
                      textwrap.dedent(script))
        verdict, result = self.verify(0, "--skip-cpu")
        self.assertIn("train.py:3: torch.nn.DataParallel is not supported: the documents of torch_npu do "
                      "not list it", result.stdout.decode())
        self.assertIn("but 1 modules are not listed as supported", verdict["verdict_text"])

    def test_whose_numbers_of_devices_want_several_get_as_many(self):
        script = """
            import torch, torch_npu
            net = torch.nn.Linear(2, 1).to("npu:2")
            print(net(torch.ones(1, 2, device="npu:2")).item())
            """
        self.projects(textwrap.dedent(script).replace("torch_npu", "torch.cuda").replace("npu", "cuda"),
                      textwrap.dedent(script))
        _, result = self.verify(0, "--skip-cpu")
        self.assertIn(b"3 devices were simulated", result.stdout)
        verdict, _ = self.verify(1, "--skip-cpu", "--devices", "2")
        self.assertEqual(verdict["verdict"], "reference-failed")

    @unittest.skipUnless(LONG, "long")
    def test_whose_device_is_an_argument_need_no_import_of_torch_npu_from_torch_2_5_on(self):
        script = ("import sys\nimport torch\nnet = torch.nn.Linear(2, 1).to(sys.argv[1])\n"
                  "print(net(torch.ones(1, 2, device=sys.argv[1])).item())\n")
        self.projects(script, script)
        verdict, result = self.verify(0, "--skip-cpu", script="train.py cuda")
        self.assertEqual(verdict["verdict"], "equal")
        self.assertIn(b"was run with what is its own", result.stdout)
        self.verify(1, "--skip-cpu", "--torch-version", "2.1", script="train.py cuda")

    def test_that_catch_the_end_of_their_steps_and_print_it_are_compared(self):
        script = """
            import logging, traceback
            import torch, torch_npu
            net = torch.nn.Linear(2, 1).npu()
            optimizer = torch.optim.SGD(net.parameters(), 0.1)
            try:
                for step in range(9):
                    loss = net(torch.ones(1, 2).npu()).sum()
                    loss.backward()
                    optimizer.step()
                    print(step, loss.item())
            except:
                logging.error(traceback.format_exc())
                with open("log.txt", "w") as file:
                    file.write(traceback.format_exc())
            """
        script = textwrap.dedent(script)
        self.projects(script.replace("import torch, torch_npu", "import torch").replace("npu", "cuda"),
                      script.replace("import torch, torch_npu", "import torch\nimport torch_npu"))
        verdict, _ = self.verify(0, "--skip-cpu", "--steps", "2")
        self.assertEqual(self.check(verdict, "numbers")["result"], "4 compared")

    @unittest.skipUnless(LONG, "long")
    def test_that_write_their_own_source_into_a_log_are_no_difference(self):
        script = ("import torch\n" + "# what this script is about\n" * 20 + "print(torch.ones(1).cuda().item())\n"
                  "open('log.txt', 'w').write('1 begin\\n' + open(__file__).read() + 'end %s\\n')\n")
        migrated = script.replace("import torch\n", "import torch\nimport torch_npu\n").replace("cuda", "npu")
        self.projects(script % 2, migrated % 2)
        self.verify(0, "--skip-cpu")
        self.projects(script % 2, migrated % 3)
        self.verify(1, "--skip-cpu")

    def test_that_print_their_own_source_or_a_part_of_it_are_no_difference(self):
        script = ("import inspect\nimport torch\n\n\ndef train():\n"
                  + "    net = torch.nn.Linear(4, 2).cuda()  # the one and only\n" * 8
                  + "    print(net(torch.ones(1, 4).cuda()).sum().item())\n\n\ntrain()\n"
                  "print('INFO', open(__file__).read().strip(), '(end)')\n"
                  "print(inspect.getsource(train), 'loss', %s)\n")
        migrated = script.replace("import torch\n", "import torch\nimport torch_npu\n").replace("cuda", "npu")
        self.projects(script % 0.5, migrated % 0.5)
        verdict, _ = self.verify(0, "--skip-cpu")
        self.assertEqual(self.check(verdict, "numbers")["result"], "2 compared")
        self.projects(script % 0.5, migrated % 0.75)
        self.verify(1, "--skip-cpu")

    def test_that_do_not_end_are_killed(self):
        verdict, result = self.both(1, "import time\nprint(1, flush=True)\ntime.sleep(1000)\n",
                                    "--timeout", "6")
        self.assertEqual(verdict["verdict"], "reference-failed")
        self.assertIn(b"did not end in time", result.stdout)

    @unittest.skipUnless(LONG, "long")
    def test_that_do_not_end_are_compared_in_what_they_have_printed(self):
        script = ("import time\nfor step in range(3): print('loss', step + %s, flush=True)\n"
                  "print('half a li', end='', flush=True)\ntime.sleep(1000)\n")
        self.projects(script % 0.5, script % 0.5)
        verdict, result = self.verify(1, "--skip-cpu", "--timeout", "6")
        self.assertIn("3 compared, of what both had printed", result.stdout.decode())
        self.assertIn(b"--steps N", result.stdout)
        self.projects(script % 0.5, script % 0.75)
        verdict, _ = self.verify(1, "--skip-cpu", "--timeout", "6")
        self.assertEqual(self.check(verdict, "numbers")["state"], "failed")

    def test_run_in_a_folder_of_the_project_as_asked(self):
        script = "print('loss', open('../data/value.txt').read())\n"
        self.projects(script, script, "code/train.py")
        self.projects("1.5", "1.5", "data/value.txt")
        verdict, _ = self.agree("--cwd", "code")
        self.assertEqual(self.check(verdict, "numbers")["result"], "1 compared")

    def test_that_print_without_end_are_compared_in_the_first_lines(self):
        _, result = self.both(1, "for i in range(500000): print(i)\n")
        self.assertIn(b"400,000 lines: the rest was not compared", result.stdout)

    def test_that_read_standard_input_find_it_empty(self):
        verdict, _ = self.both(1, "input()\n")
        self.assertIn("EOFError", self.failures(verdict)[0][3])

    def test_whose_python_leaves_the_simulator_out_are_no_success(self):
        self.projects("print(1)\n", "print(1)\n")
        verdict, _ = self.verify(1, "--skip-cpu", script="-E train.py")
        self.assertIn("the simulator did not run", self.failures(verdict)[0][3])

    def test_see_no_link_that_leads_out_of_the_project(self):
        self.write("outside.txt", "5")
        self.projects("print(1)\n", "print(1)\n")
        os.symlink(self.folder / "outside.txt", self.folder / "a" / "data.txt")
        verdict, _ = self.agree()
        self.assertEqual([item["file"] for item in self.check(verdict, "copies")["items"]],
                         ["data.txt"])


    def test_that_write_into_the_project_itself_fail(self):
        script = f"print('loss 1')\nopen({str(self.folder / 'a' / 'log.txt')!r}, 'w').write('x')\n"
        self.projects(script, script)
        verdict, _ = self.verify(1, "--skip-cpu")
        self.assertEqual([failure[:2] for failure in self.failures(verdict)],
                         [("copies", "log.txt")])

    def test_that_write_files_with_holes_are_compared(self):
        script = ("for name in ('a.raw', 'b.pt'):\n"
                  "    with open(name, 'wb') as file:\n        file.truncate(1 << 36)\n")
        self.projects(script, script)
        verdict, _ = self.agree()
        self.assertEqual(self.check(verdict, "files")["result"], "2 compared, 0 tensors in them")


@unittest.skipUnless(LONG, "long")
class SlowScripts(VerifyTest):
    """What happens when times run out: they wait, so that they are not in the usual suite."""

    def test_that_are_too_slow_with_their_batches_get_small_ones(self):
        script = """
            import time
            import torch, torch_npu
            from torch.utils.data import DataLoader
            from torchvision import datasets, transforms
            net = torch.nn.Linear(784, 10).npu()
            optimizer = torch.optim.SGD(net.parameters(), 0.1)
            digits = datasets.MNIST("x", download=True, transform=transforms.ToTensor())
            for pictures, targets in DataLoader(digits, 1024):
                time.sleep(len(pictures))
                loss = torch.nn.functional.cross_entropy(net(pictures.npu().flatten(1)), targets.npu())
                loss.backward()
                optimizer.step()
                print(len(pictures), loss.item())
            """
        self.projects(textwrap.dedent(script).replace("torch_npu", "torch.cuda").replace("npu", "cuda"),
                      textwrap.dedent(script))
        verdict, result = self.verify(0, "--skip-cpu", "--fake-data", "--steps", "1", "--timeout", "20")
        self.assertEqual(self.check(verdict, "numbers")["result"], "2 compared")
        self.assertIn(b"gave at most 4 elements at once", result.stdout)

    def test_whose_first_step_takes_long_get_small_batches_before_their_time_is_over(self):
        script = """
            import threading, time
            import torch, torch_npu
            from torch.utils.data import DataLoader
            from torchvision import datasets, transforms
            late = threading.Timer(12, lambda: open(PLACE, "a").write("late"))
            late.daemon = True
            late.start()
            net = torch.nn.Linear(784, 10).npu()
            optimizer = torch.optim.SGD(net.parameters(), 0.1)
            digits = datasets.MNIST("x", download=True, transform=transforms.ToTensor())
            for pictures, targets in DataLoader(digits, 1024):
                time.sleep(len(pictures) / 8)
                loss = torch.nn.functional.cross_entropy(net(pictures.npu().flatten(1)), targets.npu())
                loss.backward()
                optimizer.step()
                print(len(pictures), loss.item())
            """
        script = textwrap.dedent(script).replace("PLACE", repr(str(self.folder / "late")))
        self.projects(script.replace("torch_npu", "torch.cuda").replace("npu", "cuda"), script)
        verdict, result = self.verify(0, "--skip-cpu", "--fake-data", "--steps", "2", "--timeout", "21")
        self.assertEqual(self.check(verdict, "numbers")["result"], "4 compared")
        self.assertIn(b"gave at most 4 elements at once", result.stdout)
        self.assertFalse((self.folder / "late").exists())

    def test_that_wait_for_ever_for_what_their_split_leaves_get_the_whole_data_set(self):
        script = """
            import torch, torch_npu
            from torch.utils.data import DataLoader
            from torchvision import datasets, transforms
            net = torch.nn.Linear(784, 10).npu()
            optimizer = torch.optim.SGD(net.parameters(), 0.1)
            digits = datasets.MNIST("x", download=True, transform=transforms.ToTensor())

            def endless():
                while True:
                    yield from range(5000, len(digits))

            for pictures, _ in DataLoader(digits, 8, sampler=endless()):
                net(pictures.npu().flatten(1)).sum().backward()
                optimizer.step()
                print(len(pictures))
            """
        script = textwrap.dedent(script)
        self.projects(script.replace("torch_npu", "torch.cuda").replace("npu", "cuda"), script)
        verdict, result = self.verify(0, "--skip-cpu", "--fake-data", "--steps", "2", "--timeout", "24")
        self.assertEqual(self.check(verdict, "numbers")["result"], "2 compared")
        self.assertIn(b"as many pictures as the originals", result.stdout)

    def test_whose_first_step_takes_long_for_other_reasons_get_their_time(self):
        script = """
            import time
            import torch, torch_npu
            from torch.utils.data import DataLoader
            from torchvision import datasets, transforms
            net = torch.nn.Linear(784, 10).npu()
            optimizer = torch.optim.SGD(net.parameters(), 0.1)
            digits = datasets.MNIST("x", download=True, transform=transforms.ToTensor())
            for pictures, targets in DataLoader(digits, 8):
                assert len(pictures) == 8
                time.sleep(25)
                net(pictures.npu().flatten(1)).sum().backward()
                optimizer.step()
                print(len(pictures))
            """
        self.projects(textwrap.dedent(script).replace("torch_npu", "torch.cuda").replace("npu", "cuda"),
                      textwrap.dedent(script))
        verdict, result = self.verify(0, "--skip-cpu", "--fake-data", "--steps", "1", "--timeout", "80")
        self.assertEqual(self.check(verdict, "numbers")["result"], "1 compared")
        self.assertNotIn(b"elements at once", result.stdout)


class StaticPart(VerifyTest):
    def static(self, code):
        return self.verify(code, "--static-only")[0]

    def test_compiles_scripts_that_cannot_run(self):
        self.projects("x = 1\n", "x = = 1\n")
        self.assertEqual(self.failures(self.static(1))[0][:3], ("compile", "train.py", 1))
        self.projects("x = = 1\n", "x = = 1\n")
        verdict = self.static(0)
        self.assertEqual(verdict["verdict"], "static-ok")
        self.assertEqual(self.check(verdict, "compile")["state"], "note")

    def test_compiles_the_cells_of_notebooks(self):
        def notebook(code):
            return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
                {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
                 "source": "%matplotlib inline\nx = 1\n"},
                {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
                 "source": code}]})

        self.projects(notebook("y = 2"), notebook("y = = 2"), "n.ipynb")
        failure, = self.failures(self.static(1))
        self.assertEqual(failure[:2], ("compile", "n.ipynb"))
        self.assertIn("cell 2, line 1", failure[3])

    def test_finds_names_that_torch_npu_does_not_have(self):
        self.projects("import torch\n", "import torch\nimport torch_npu\ntorch.npu.synchronise()\n"
                                        "from torch_npu.npu.amp import autocast, GradScalar\n")
        self.assertEqual([failure[:3] for failure in self.failures(self.static(1))],
                         [("names", "train.py", 3), ("names", "train.py", 4)])

    def test_finds_imports_that_the_migration_has_invented(self):
        self.projects("import numpy.nothing\ntry:\n    import x1\nexcept ImportError:\n    pass\n",
                      "import numpy.nothing\nimport os.path\nimport sub.mine\nfrom . import other\n"
                      "import torch_npu\nimport invented\n")
        self.write("b/sub/mine.py", "")
        verdict = self.static(1)
        self.assertEqual([failure[:3] for failure in self.failures(verdict)],
                         [("imports", "train.py", 6)])
        self.assertEqual(len(self.check(verdict, "imports")["items"]), 2)

    def test_finds_modules_that_an_installed_module_makes_when_it_is_imported(self):
        self.write("installed/many.py", "import os, sys\nprint('many')\nsys.modules['many.inner'] = os\n")
        self.projects("", "import os.path\nimport many.inner\nfrom many.none import x\n")
        verdict, _ = self.verify(1, "--static-only",
                                 env={"PYTHONPATH": str(self.folder / "installed")})
        self.assertEqual([failure[:3] for failure in self.failures(verdict)],
                         [("imports", "train.py", 3)])

    def test_calls_the_apex_that_a_migration_imports_no_failure(self):
        self.projects("import torch\n", "import torch\nimport torch_npu\nfrom apex import amp\n")
        verdict, result = self.verify(0, "--static-only")
        self.assertEqual(self.failures(verdict), [])
        self.assertIn(b"the NPU machine needs the one for Ascend", result.stdout)

    def test_calls_no_import_invented_where_the_original_could_not_be_read(self):
        self.projects("import gone\nx.cuda(async=True)\n", "import gone\nx.npu(non_blocking=True)\n")
        self.assertEqual([item["what"] for item in self.check(self.static(0), "imports")["items"]],
                         ["gone is not found here, for the original neither"])

    def test_tells_once_of_a_package_that_neither_project_finds(self):
        imports = "import gone.a\nimport gone.b\nfrom gone import c\nimport lost\n"
        self.projects(imports, imports)
        self.assertEqual([(item["line"], item["what"])
                          for item in self.check(self.static(0), "imports")["items"]],
                         [(1, "gone.a and 2 more imports of gone are not found here, for the "
                              "original neither"),
                          (4, "lost is not found here, for the original neither")])

    def test_finds_what_is_left_to_migrate(self):
        self.projects(TRAIN, TRAIN)
        verdict = self.static(1)
        self.assertIn(("train.py", 15), [failure[1:3] for failure in self.failures(verdict)])
        self.projects(TRAIN, self.migrated(TRAIN))
        self.assertEqual(self.static(0)["verdict"], "static-ok")


class WrongUsage(VerifyTest):
    """Each is refused with exit code 2 before anything runs."""

    def refused(self, word, *arguments):
        self.projects("open('/nonexistent', 'w')\n", "")
        before = tree_of(self.folder)
        result = self.run_for(2, "verify", *arguments)
        self.assertIn(word, result.stderr.decode())
        self.assertEqual(result.stdout, b"")
        self.assertEqual(tree_of(self.folder), before)
        return result

    def test_of_the_script_is_told(self):
        self.refused("a/gone.py: the script is missing", "a", "b", "--", "gone.py")
        self.refused("relative to the project", "a", "b", "--", "/usr/bin/train.py")
        self.refused("must lie in the project", "a", "b", "--", "../b/train.py")
        self.refused("must lie in the project", "a", "b", "--", "x/../../a/train.py")
        self.refused("which script?", "a", "b")
        self.refused("which script?", "a", "b", "--")
        self.refused("write -- in front", "a", "b", "train.py", "--seed", "3")
        self.refused("gone.py: the script is missing", "a", "b", "--", "-m",
                     "torch.distributed.run", "--nproc_per_node", "2", "gone.py")

    def test_of_the_current_folder_is_told(self):
        self.refused("a/gone: there is no such folder", "a", "b", "--cwd", "gone", "--", "train.py")
        for outside in ("/tmp", "..", "x/../.."):
            self.refused("--cwd must be relative", "a", "b", "--cwd", outside, "--", "train.py")
        (self.folder / "a/in").mkdir(parents=True)
        (self.folder / "b/in").mkdir(parents=True)
        self.refused("a/in/train.py: the script is missing", "a", "b", "--cwd", "in", "--",
                     "train.py")

    def test_of_the_folders_is_told(self):
        self.refused("nowhere: there is no such folder", "nowhere", "b", "--", "train.py")
        self.refused("a/train.py: not a folder", "a/train.py", "b", "--", "train.py")
        self.refused("MIGRATED", "a", "--", "train.py")

    def test_of_the_options_is_told(self):
        self.refused("names of torch_npu for torch 7.7 are not known", "a", "b", "--torch-version", "7.7", "--",
                     "train.py")
        self.refused("--timeout", "a", "b", "--timeout", "0", "--", "train.py")
        self.refused("no/such/x.json: cannot write", "a", "b", "--json", "no/such/x.json", "--",
                     "train.py")
        self.refused("--keep must not lie in a project", "a", "b", "--keep", "a/work", "--",
                     "train.py")
        self.refused("--keep needs a folder that is empty", "a", "b", "--keep", ".", "--",
                     "train.py")

    def test_of_python_is_told(self):
        bare = self.write("bare", f"#!/bin/sh\nexec {PYTHON} -I -S \"$@\"\n")
        bare.chmod(0o755)
        self.refused("no-python-here", "a", "b", "--python", "no-python-here", "--", "train.py")
        self.refused("not a Python", "a", "b", "--python", "/bin/true", "--", "train.py")
        no_torch = self.write("no_torch", f"#!/bin/sh\nexec {PYTHON} -S \"$@\"\n")
        no_torch.chmod(0o755)
        result = self.refused("there is no torch in", "a", "b", "--python", str(no_torch), "--",
                              "train.py")
        self.assertIn(b"--static-only", result.stderr)
        self.run_for(0, "verify", "a", "b", "--python", str(no_torch), "--static-only")

    def test_is_told_in_chinese(self):
        result = self.refused("缺少脚本", "a", "b", "--lang", "zh", "--", "gone.py")
        self.assertNotIn(b"missing", result.stderr)


class TheWorkFolder(VerifyTest):
    def test_is_kept_where_the_user_wants_it_and_else_removed(self):
        self.projects("print(1)\n", "print(1)\n")
        places = {"TMPDIR": str(self.folder / "tmp")}
        (self.folder / "tmp").mkdir()
        self.verify(1, "--skip-cpu", "--keep", "work", env=places)
        self.assertEqual((self.folder / "work/migrated/stdout.txt").read_text(), "1\n")
        self.assertTrue((self.folder / "work/migrated/project/train.py").is_file())
        self.verify(1, "--skip-cpu", env=places)
        self.assertEqual(os.listdir(self.folder / "tmp"), [])


    def test_and_all_processes_are_gone_after_a_kill(self):
        script = ("import multiprocessing, os, time\n\ndef wait():\n    time.sleep(1000)\n\n"
                  "if __name__ == '__main__':\n"
                  "    multiprocessing.get_context('spawn').Process(target=wait).start()\n"
                  "    print('up', flush=True)\n    wait()\n")
        self.projects(script, script)
        (self.folder / "tmp").mkdir()
        environment = dict(os.environ, TMPDIR=str(self.folder / "tmp"))
        verify = subprocess.Popen([str(program.EXECUTABLE), "verify", "a", "b", "--python", PYTHON, "--",
                                   "train.py"], cwd=self.folder, env=environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for(lambda: len(self.processes_of_runs()) == 2)
        verify.kill()
        verify.wait()
        self.wait_for(lambda: not self.processes_of_runs() and not os.listdir(self.folder / "tmp"))

    def processes_of_runs(self):
        found = []
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/environ", "rb") as file:
                    text = file.read()
                with open(f"/proc/{process}/cmdline", "rb") as file:
                    command = file.read()
            except OSError:
                continue
            if (f"REPORT={self.folder}/tmp".encode() in text
                    and b"resource_tracker" not in command):
                found.append(process)
        return found

    def wait_for(self, condition):
        end = time.monotonic() + 120
        while not condition():
            self.assertLess(time.monotonic(), end, self.processes_of_runs())
            time.sleep(0.05)


if __name__ == "__main__":
    unittest.main()
