#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""One project with everything that ends other tools: each file is migrated, or skipped with a row
that names it; the run ends with 1 and with all reports. With TRANSPLT_LONG a generated file has
20 MB."""

import os
import resource
import sys
import unittest

sys.dont_write_bytecode = True
import program  # noqa: E402
from program import ProgramTest, compiles, rows_of, tree_of  # noqa: E402


GENERATED_BYTES = (20 if program.LONG else 2) << 20
PYTHON2 = b'''# Runs on Python 2 only, and on cuda
import torch

print "using cuda", torch.cuda.device_count()
try:
    model = torch.nn.Linear(2, 2).cuda()
except RuntimeError, error:
    print >>log, "cuda:", error
    raise ValueError, "no cuda"
exec "x = 1"
y = `model` if 1 <> 2 else 0777L
device = torch.device("cuda")
'''

BROKEN_FUNCTION = b'''import torch

first = torch.zeros(1, device="cuda")


def broken(x:
    if x.is_cuda
        return torch.cuda.device_count(


def whole(x):
    return x.cuda() if torch.cuda.is_available() else x
'''


def generated(size):
    """A generated table of `size` bytes that also uses cuda."""
    head = b"import torch\nTABLE = [\n"
    line = b"    (%07d, 'cuda row', 0.123456789, 'abcdefgh'),\n"
    lines = [line % number for number in range((size - len(head)) // len(line % 0))]
    return b"".join([head, *lines, b"]\nx = torch.zeros(1, device='cuda')\n"])


def nested(depth):
    """Code nested so deep that a recursive program ends."""
    calls = b"f(" * depth + b"x.cuda()" + b")" * depth
    lists = b"[" * depth + b"1" + b"]" * depth
    return (b"import torch\ndeep = " + calls + b"\nlists = " + lists + b"\n"
            b"after = torch.cuda.device_count()\n")


class HardProject(ProgramTest):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)
        files = {
            "python2.py": PYTHON2,
            "gbk_cookie.py": "# -*- coding: gbk -*-\nimport torch\nx = torch.zeros(1).cuda()  # 显卡\n"
                             .encode("gbk"),
            "gbk_bare.py": "import torch\nx = torch.zeros(1).cuda()  # 显卡上的张量，没有编码声明\n"
                           .encode("gbk"),
            "latin1_cookie.py": "# -*- coding: latin-1 -*-\nimport torch\ntorch.cuda.init()  # déjà\n"
                                .encode("latin-1"),
            "latin1_bare.py": "import torch\ntorch.cuda.init()  # déjà vu à côté\n".encode("latin-1"),
            "generated.py": generated(GENERATED_BYTES),
            "nested.py": nested(5000),
            "broken.py": BROKEN_FUNCTION,
            "binary.py": b"\x7fELF\x02\x01\x01\x00" + bytes(range(256)) * 40 + b"torch.cuda.init()",
            "unreadable.py": b"import torch\ntorch.cuda.init()\n",
            "closed/inside.py": b"import torch\ntorch.cuda.init()\n",
            "utf16.py": "import torch\ntorch.cuda.init()\n".encode("utf-16"),
            "empty.py": b"",
            "good/train.py": b"import torch\ntorch.cuda.init()\n",
        }
        for name, content in files.items():
            self.write(f"project/{name}", content)
        project = self.folder / "project"
        self.write("outside/secret.py", b"import torch\ntorch.cuda.init()\n")
        os.symlink("missing.py", project / "dangling.py")
        os.symlink(self.folder / "outside/secret.py", project / "leads_out.py")
        os.symlink("../outside", project / "folder_out")
        os.mkfifo(project / "pipe.py")
        os.chmod(project / "unreadable.py", 0)
        os.chmod(project / "closed", 0)
        self.addCleanup(os.chmod, project / "closed", 0o755)
        self.files = files

    def migrate(self, *arguments):
        out = self.folder / "out"
        out.mkdir()
        os.chmod(out, 0o777)
        environment = {"HOME": str(out)}
        result = self.run_for(1, "migrate", "project", "-o", "out", "--list", "all", *arguments,
                              env=environment, as_nobody=True)
        return result, tree_of(out / "project_msft")

    def test_is_migrated_where_it_can_be(self):
        result, tree = self.migrate()
        rows = rows_of(tree["change_list.csv"])
        for report in program.REPORTS:
            self.assertIn(report, tree)
        for name in ("python2.py", "gbk_cookie.py", "gbk_bare.py", "latin1_cookie.py",
                     "latin1_bare.py", "generated.py", "nested.py", "broken.py", "good/train.py"):
            with self.subTest(name=name):
                self.assertNotEqual(tree[name], self.files[name])
                self.assertTrue(any(row["File"] == name and row["After"] for row in rows))
                if compiles(self.files[name]):
                    self.assertTrue(compiles(tree[name]))
        self.check_contents(tree)
        self.check_skipped(result, tree, rows)
        self.assertEqual(tree["empty.py"], b"")
        with self.subTest("migrating twice is migrating once"):
            again = self.run_for(1, "migrate", "out/project_msft", as_nobody=True)
            self.assertEqual(again.stdout, b"")

    def check_contents(self, tree):
        """Exactly the edits that a person would make; everything else byte for byte."""
        def expect(name, *replacements):
            with self.subTest(name=name):
                content = self.files[name].replace(b"import torch\n",
                                                   b"import torch\nimport torch_npu\n", 1)
                for old, new in replacements:
                    self.assertIn(old, content)
                    content = content.replace(old, new)
                self.assertTrue(tree[name] == content, "other bytes than expected")

        expect("python2.py", (b"torch.cuda.device_count", b"torch.npu.device_count"),
               (b".cuda()\n", b".npu()\n"), (b'device("cuda")', b'device("npu")'))
        for name in ("gbk_cookie.py", "gbk_bare.py"):
            expect(name, (b".cuda()", b".npu()"))
        for name in ("latin1_cookie.py", "latin1_bare.py", "good/train.py"):
            expect(name, (b"torch.cuda.init", b"torch.npu.init"))
        expect("generated.py", (b"device='cuda'", b"device='npu'"))
        expect("nested.py", (b"x.cuda()", b"x.npu()"), (b"torch.cuda.dev", b"torch.npu.dev"))
        with self.subTest(name="broken.py"):
            self.assertIn(b'first = torch.zeros(1, device="npu")\n', tree["broken.py"])
            self.assertIn(b"    return x.npu() if torch.npu.is_available() else x\n",
                          tree["broken.py"])
            self.assertIn(b"\ndef broken(x:\n    if x.is_", tree["broken.py"])

    def check_skipped(self, result, tree, rows):
        """What was left out is named, in the change list, on the terminal and in the log."""
        log = tree["msFmkTranspltlog.txt"].decode("utf-8")
        for name in ("binary.py", "unreadable.py", "dangling.py", "leads_out.py", "folder_out",
                     "closed", "utf16.py", "pipe.py"):
            with self.subTest(name=name):
                about = [row for row in rows if row["File"].rstrip("/") == name]
                self.assertEqual([row["Operation Type"] for row in about], ["SKIPPED"])
                self.assertTrue(about[0]["Message"])
                self.assertIn(f"{name}", result.stderr.decode("utf-8"))
                self.assertIn(name, log)
        for name in ("dangling.py", "leads_out.py", "folder_out", "unreadable.py", "pipe.py"):
            self.assertNotIn(name, tree)
        for name in ("binary.py", "utf16.py"):
            self.assertEqual(tree[name], self.files[name])
        self.assertNotIn("outside", " ".join(tree))
        broken = [row for row in rows if row["Operation Type"] == "UNPARSED"]
        self.assertIn("broken.py", {row["File"] for row in broken})
        self.assertNotIn("nested.py", {row["File"] for row in broken})
        where = [(int(row["Start Line"]), int(row["End Line"])) for row in broken
                 if row["File"] == "broken.py"]
        self.assertTrue(all(5 <= start <= end <= 10 for start, end in where), where)


class CyclicBases(ProgramTest):
    """Names of classes are bound anew at run time, so their bases can form a cycle in the text."""

    SHAPES = {
        "itself": "A = object\nclass A(A):\n    def g(self): self.cuda()\n",
        "two": "A = B = object\nfor _ in range(2):\n"
               "    class A(B):\n        def g(self): self.cuda()\n"
               "    class B(A):\n        def h(self): self.x.cuda(); super().cuda()\n",
        "many": "A = B = C = D = object\nwhile f():\n"
                "    class A(B, C, D):\n        def g(self): self.cuda()\n"
                "    class B(A, C, D): pass\n    class C(A, B, D): pass\n    class D(A, B, C): pass\n",
    }

    def test_end_no_command(self):
        for name, text in self.SHAPES.items():
            self.write(f"{name}/model.py", "import torch\n" + text + "torch.cuda.init()\n")
            self.check_commands(name)
            result = program.run("migrate", name, cwd=self.folder)
            self.assertIn(b"+torch.npu.init()", result.stdout)

    def test_over_two_files_end_no_command(self):
        self.write("two_files/a.py", "import torch\nfrom b import B\nclass A(B):\n"
                                     "    def g(self): self.cuda()\n")
        self.write("two_files/b.py", "import torch\nfrom a import A\nclass B(A):\n"
                                     "    def g(self): self.cuda()\ntorch.cuda.init()\n")
        self.check_commands("two_files")

    def check_commands(self, project):
        for command in (["migrate"], ["analyze"], ["inject-dump-config", "--dump-path", "/dump"]):
            with self.subTest(project=project, command=command):
                result = program.run(*command, project, cwd=self.folder)
                self.assertIn(result.returncode, (0, 1), result.stderr[-500:])


class DeepAndLong(ProgramTest):
    """Shapes that make parsers recurse or go quadratic; each alone, so that a failure is named."""

    def test_a_long_line_costs_memory_once_not_once_per_finding(self):
        """A minified file: 240 KB in one line with 20,000 findings."""
        source = b"y = 'cuda'; " * 20000 + b"\nimport torch\n"

        self.run_for(0, "migrate", "-", stdin=source,
                     preexec_fn=program.memory_limit(resource.RLIMIT_AS, 1 << 30))

    def check(self, source, expected):
        result = program.run("migrate", "-", stdin=source, timeout=program.seconds(60))
        self.assertIn(result.returncode, (0, 1), result.stderr[-500:])
        self.assertIn(expected, result.stdout)

    def test_shapes(self):
        tail = b"\nimport torch\nx = torch.cuda.device_count()\n"
        done = b"x = torch.npu.device_count()\n"
        depth = 5000
        shapes = {
            "parentheses": b"y = " + b"(" * depth + b"1" + b")" * depth,
            "dictionaries": b"y = " + b"{1:" * depth + b"1" + b"}" * depth,
            "attributes": b"y = a" + b".cuda" * depth,
            "calls": b"y = a" + b".cuda()" * depth,
            "subscripts": b"y = a" + b"[0]" * depth,
            "operators": b"y = " + b"1 + " * depth + b"1",
            "strings": b"y = (" + b"'cuda' " * depth + b")",
            "negations": b"y = " + b"not " * depth + b"1",
            "lambdas": b"y = " + b"lambda: " * depth + b"1",
            "conditions": b"y = " + b"1 if 1 else " * depth + b"1",
            "comparisons": b"y = " + b"'cuda' == " * depth + b"1",
            "assignments": b"y = " * depth + b"'cuda'",
            "aliases": b"a0 = 1\n" + b"".join(b"a%d = a%d\n" % (n + 1, n) for n in range(depth)),
            "elif": b"if 1: pass\n" + b"elif 'cuda': pass\n" * depth,
            "blocks": b"".join(b" " * n + b"if 1:\n" for n in range(90)) + b" " * 90 + b"pass",
            "one line": b"y = 'cuda'; " * 3000,
            "arguments": b"f(" + b"'cuda', " * 3000 + b")",
            "open brackets": b"y = " + b"(" * depth,
            "closed brackets": b"y = " + b")" * depth,
            "open strings": b"y = '''cuda" + b"\n'" * depth,
            "f-strings": b"y = " + b"f'{" * 100 + b"1" + b"}'" * 100,
            "backslashes": b"y = 1 + \\\n" * depth + b"1",
            "comments": b"# cuda\n" * 50000,
            "comments and blank lines": b"# cuda\n\n" * 50000,
            "comments in a block": b"if 1:\n" + b"    # cuda\n" * 50000 + b"    pass",
            "imports": b"".join(b"import m%d.torch.cuda as c%d\n" % (n, n) for n in range(depth)),
            "functions": b"".join(b"def f%d(torch): return torch.cuda\n" % n for n in range(depth)),
            "bases": b"class C0: pass\n" + b"".join(
                b"class C%d(C%d): pass\n" % (n + 1, n) for n in range(depth)) +
                b"C%d().cuda()" % depth,
        }
        for name, source in shapes.items():
            with self.subTest(name):
                if name in ("open brackets", "open strings", "closed brackets"):
                    self.check(tail.lstrip() + source + b"\n", done)
                else:
                    self.check(source + tail, done)


if __name__ == "__main__":
    unittest.main()
