#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What --target agnostic writes runs on every device with every version of PyTorch it is for.

Each program is migrated, once and twice, and runs on the CPU as it was and as it became, with a
torch that device_stand_in.py makes one of a version and a device. Both have to print the same.
"""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import traceback
import unittest

sys.dont_write_bytecode = True
from program import ROOT, ProgramTest  # noqa: E402

VERSIONS = ("2.6", "2.7", "2.8", "2.9", "2.13")
DEVICES = ("cuda", "npu", "xpu", "mps", "none")

PROGRAMS = {
    "alias": """
        import torch
        try:
            ac = torch.cuda.amp.autocast
        except AttributeError:
            ac = None
        x = torch.ones(2)
        if ac is not None:
            with ac(enabled=False):
                x = x @ x
        print(float(x))
    """,
    "imports_in_try": """
        import torch
        try:
            from torch.cuda.amp import GradScaler as Scaler, autocast
        except ImportError:
            Scaler = None
        model = torch.nn.Linear(2, 1)
        torch.nn.init.constant_(model.weight, 0.3)
        torch.nn.init.constant_(model.bias, 0.1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        def train(scaler: Scaler):
            for _ in range(3):
                with autocast():
                    loss = model(torch.full((4, 2), 1.23456)).pow(2).mean()
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()
                print(f"{loss.item():.8f}")
        train(Scaler(init_scale=2.0))
    """,
    "one_alias_in_two_branches": """
        import torch
        if hasattr(torch.cuda, "amp"):
            from torch.cuda.amp import autocast
        else:
            autocast = None
        class Net(torch.nn.Module):
            def forward(self, x):
                with autocast(enabled=x.dtype == torch.float16):
                    return x * 2
        print(Net()(torch.ones(2)).sum().item())
    """,
    "memory": """
        import torch
        from torch import cuda
        torch.cuda.empty_cache()
        print(cuda.memory_allocated(), 1 + torch.cuda.max_memory_allocated() // 2)
        print(len(torch.cuda.memory_stats()))
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            str(torch.cuda.get_device_name(0))
    """,
    "seeds": """
        import torch
        torch.manual_seed(3)
        a = torch.rand(1).item()
        torch.cuda.manual_seed(4)
        torch.cuda.manual_seed_all(4)
        print(a, torch.rand(1).item())
        state = torch.cuda.get_rng_state() if torch.cuda.is_available() else None
        if state is not None:
            torch.cuda.set_rng_state(state)
    """,
    "devices": """
        import argparse
        import torch
        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
        args = parser.parse_args([])
        device = torch.device(args.device)
        net = torch.nn.Linear(2, 2).to(device)
        torch.nn.init.constant_(net.weight, 1.0)
        torch.nn.init.constant_(net.bias, 0.0)
        x = torch.ones(1, 2, device="cuda" if torch.cuda.is_available() else "cpu")
        if torch.cuda.is_available():
            x = x.cuda(non_blocking=True)
            torch.cuda.synchronize()
            torch.cuda.set_device(device=0)
        def place(t, device=None):
            return t.cuda(device) if torch.cuda.is_available() else t
        print(net(place(x)).sum().item(), x.is_cuda)
    """,
    "devices_at_import": """
        import torch
        HOME = torch.device("cuda")
        def make(device="cuda"):
            return torch.device(device) if torch.cuda.is_available() else None
        make()
        print("made")
    """,
    "mps_beside_cuda": """
        import torch
        kind = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
        print(torch.ones(2).to("cpu" if kind == "mps" else kind).sum().item())
    """,
    "only_cuda_has_it": """
        import torch
        if torch.cuda.is_available():
            torch.cuda.set_per_process_memory_fraction(0.5)
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                pass
        if torch.cuda.is_available() and torch.cuda.get_device_capability()[0] >= 8:
            torch.backends.cuda.matmul.allow_tf32 = True
        print("done")
    """,
    "backend": """
        import torch
        backend = "nccl" if torch.cuda.is_available() else "gloo"
        print(backend in ("gloo", "nccl", "hccl", "xccl"))
    """,
}

HAS_TORCH = subprocess.run(["/usr/bin/python3", "-c", "import torch"], capture_output=True,
                           check=False).returncode == 0


def unindented(text):
    return re.sub(r"(?m)^ {8}", "", text).lstrip("\n")


def printed(path):
    """What the program prints, or how it fails."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"),  # noqa: S102
                 {"__name__": "__main__"})
    except BaseException:  # the report is for the test
        return traceback.format_exc(limit=-2)
    return out.getvalue()


def in_child(work):
    """The result of `work` in a process of its own, which may change torch as it likes."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "w", encoding="utf-8") as pipe:
            json.dump(work(), pipe)
            pipe.flush()
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text)


@unittest.skipUnless(HAS_TORCH, "needs Debian's python3-torch")
class EveryDevice(ProgramTest):
    def migrated(self, folder, *options):
        self.run_for(0, "migrate", folder, "-o", f"out_{folder}", "--target", "agnostic", *options)
        return f"out_{folder}/{folder.rsplit('/', 1)[-1]}_msft"

    def check(self, folder, written_for):
        import device_stand_in
        paths = {name: self.folder / folder / f"{name}.py" for name in PROGRAMS}
        before = {name: self.folder / "programs" / f"{name}.py" for name in PROGRAMS}
        expected = in_child(lambda: {name: printed(path) for name, path in before.items()})
        for version in VERSIONS:
            if device_stand_in.number(version) < device_stand_in.number(written_for):
                continue
            for device in DEVICES:
                def work(device=device, version=version):
                    device_stand_in.StandIn(device, version).install()
                    return {name: printed(path) for name, path in paths.items()}
                results = in_child(work)
                for name, text in results.items():
                    with self.subTest(program=name, device=device, torch=version):
                        wanted = expected[name]
                        if device != "none":  # the devices differ in this alone
                            text = text.replace("True", "False")
                            wanted = wanted.replace("True", "False")
                        self.assertEqual(text, wanted, paths[name].read_text(encoding="utf-8"))

    def write_programs(self):
        for name, text in PROGRAMS.items():
            self.write(f"programs/{name}.py", unindented(text))

    def test_runs_what_is_written_for_the_oldest_version(self):
        self.write_programs()
        self.check(self.migrated("programs"), "2.6")

    def test_runs_what_is_written_for_the_newest_version(self):
        self.write_programs()
        self.check(self.migrated("programs", "--torch-version", "2.13"), "2.13")

    def test_gives_the_same_when_migrated_twice(self):
        self.write_programs()
        once = self.migrated("programs")
        twice = self.folder / "twice"
        twice.mkdir()
        for name in PROGRAMS:
            text = (self.folder / once / f"{name}.py").read_text(encoding="utf-8")
            self.write(f"twice/{name}.py", text)
        result = self.run_for(0, "migrate", "twice", "--target", "agnostic")
        self.assertEqual(result.stdout, b"")


class Table(unittest.TestCase):
    """Every name that a rule for any device writes is in the table, for all devices."""

    def setUp(self):
        self.apis = json.loads((ROOT / "rules/targets/device_apis.json").read_text("utf-8"))["apis"]

    @staticmethod
    def rules():
        for path in sorted((ROOT / "rules").glob("pytorch_agnostic_*.json")):
            for kind, rules in json.loads(path.read_text("utf-8"))["rules"].items():
                for rule in rules:
                    yield kind, rule

    def test_has_every_new_name_on_every_accelerator(self):
        checked = 0
        for kind, rule in self.rules():
            if kind != "ApiRenameRule":
                continue
            name = rule["new_name"].replace("get_device_module.", "get_device_module().")
            oldest = re.search(r">=([\d.]+)", rule.get("torch", ">=2.6"))
            oldest = oldest.group(1) if oldest else "2.6"
            if f'hasattr(torch.get_device_module(), "{name.rsplit(".", 1)[1]}")' == rule.get("condition"):
                continue  # asks whether the device has it
            if "not torch.backends.mps.is_available()" in rule.get("first_argument", ""):
                continue  # does not use it on MPS
            with self.subTest(rule["id"]):
                row = self.apis[name]
                for device in ("cuda", "npu", "xpu", "mps"):
                    self.assertIn(device, row)
                    self.assertLessEqual([int(x) for x in row[device].split(".")],
                                         [int(x) for x in oldest.split(".")], device)
            checked += 1
        self.assertGreater(checked, 15)

    def test_has_every_name_in_the_expressions(self):
        for _, rule in self.rules():
            texts = [rule.get(field, "") for field in
                     ("first_argument", "condition", "device", "type", "default", "autocast",
                      "at_import", "text", "backend", "arg_new")]
            for name in re.findall(r"torch\.(?:accelerator|distributed)\.\w+", " ".join(texts)):
                with self.subTest(rule["id"]):
                    self.assertIn(name, self.apis)


if __name__ == "__main__":
    unittest.main()
