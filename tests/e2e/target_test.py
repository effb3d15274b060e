#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A target that the program does not know by name: rules and a description are all it takes."""

import json
import sys
import unittest

sys.dont_write_bytecode = True
from program import ROOT, ProgramTest  # noqa: E402

RULES = {
    "target": {"name": "foo", "device": "foo", "backend": "fccl", "package": "torch_foo",
               "module": "torch.foo", "own_names": ["foo", "torch_foo", "is_foo"]},
    "rules": {
        "ApiRenameRule": [
            {"old_name": "torch.cuda.is_available", "new_name": "torch.foo.is_available"},
            {"old_name": "torch.cuda.synchronize", "new_name": "torch.foo.synchronize"},
            {"old_name": "torch.cuda.amp", "new_name": "torch.foo.amp", "module": True},
            {"old_name": "torch.cuda.amp.autocast", "new_name": "torch.foo.amp.autocast"},
        ],
        "ValueRenameRule": [
            {"old_value": "cuda", "new_value": "foo", "form": "device"},
            {"old_value": "nccl", "new_value": "fccl", "form": "backend"},
        ],
        "MethodRenameRule": [{"old_name": "cuda", "new_name": "foo"}],
    },
}

MAIN = """\
import torch
import torch.distributed as dist
from torch.cuda.amp import autocast
from torch.cuda import synchronize

dist.init_process_group("nccl")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(2, 2).cuda()
with autocast():
    synchronize()
"""

MIGRATED = """\
import torch
import torch.distributed as dist
from torch_foo.foo.amp import autocast
from torch_foo.foo import synchronize

dist.init_process_group("fccl")
device = torch.device("foo" if torch.foo.is_available() else "cpu")
model = torch.nn.Linear(2, 2).foo()
with autocast():
    synchronize()
"""


class OfARuleFile(ProgramTest):
    def migrate(self, text, rules, code=0):
        self.write("rules.json", json.dumps(rules))
        self.write("project/main.py", text)
        return self.run_for(code, "migrate", "project", "-r", "rules.json", "--target", "foo",
                            "-o", "out", "--force")

    def test_migrates_a_project(self):
        self.migrate(MAIN, RULES)
        once = (self.folder / "out/project_msft/main.py").read_text(encoding="utf-8")
        self.assertEqual(once, MIGRATED)
        self.migrate(once, RULES)
        self.assertEqual((self.folder / "out/project_msft/main.py").read_text("utf-8"), once)

    def test_imports_the_package_that_it_needs(self):
        self.migrate("import torch\n\ntorch.cuda.synchronize()\n", RULES)
        self.assertEqual((self.folder / "out/project_msft/main.py").read_text("utf-8"),
                         "import torch\nimport torch_foo\n\ntorch.foo.synchronize()\n")

    def test_needs_no_import_without_a_package(self):
        target = {"name": "foo", "device": "foo"}
        self.migrate(MAIN.replace("from torch.cuda import synchronize\n", ""),
                     dict(RULES, target=target))
        after = (self.folder / "out/project_msft/main.py").read_text(encoding="utf-8")
        self.assertNotIn("torch_foo", after)
        self.assertIn("from torch.foo.amp import autocast\n", after)

    def test_is_not_told_what_torch_npu_lacks(self):
        # std_mean: the tables of torch_npu call it unsupported.
        source = "import torch\n\nx = torch.std_mean(torch.ones(2, device='cuda'))\n"
        self.migrate(source, RULES)
        rows = (self.folder / "out/project_msft/change_list.csv").read_text(encoding="utf-8-sig")
        self.assertNotIn("std_mean", rows)
        self.run_for(0, "migrate", "project", "-o", "npu")
        rows = (self.folder / "npu/project_msft/change_list.csv").read_text(encoding="utf-8-sig")
        self.assertIn("std_mean", rows)

    def test_must_be_described(self):
        result = self.migrate(MAIN, {"rules": {}}, code=2)
        self.assertIn(b"--target foo: no target has this name", result.stderr)

    def test_is_told_what_its_description_may_hold(self):
        result = self.migrate(MAIN, {"target": {"name": "foo", "devices": "x"}, "rules": {}}, code=2)
        self.assertIn(b'#/target: a target has name, device', result.stderr)
        result = self.migrate(MAIN, {"target": {"device": "foo"}, "rules": {}}, code=2)
        self.assertIn(b'a target has a "name"', result.stderr)

    def test_of_the_program_is_such_a_description(self):
        names = {json.loads((ROOT / f"rules/targets/{name}.json").read_text("utf-8"))["name"]
                 for name in ("npu", "agnostic")}
        self.assertEqual(names, {"npu", "agnostic"})


if __name__ == "__main__":
    unittest.main()
