#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Rules of users over the forms in which a program imports and calls what they name.

A result is run on stand-ins that have the new names alone. What cannot be done has to be refused
when the rules are read, or left as it is in a row that says what to do.
"""

import json
import os
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from program import ProgramTest, rows_of  # noqa: E402

# The libraries as they are on the NPU machine.
STAND_INS = {
    "lib/__init__.py": "def gg(value):\n    return value + 1\n\n\n"
                       "def other():\n    return 'other'\n\n\n"
                       "def name1(*given, **named):\n    return given, named\n\n\n"
                       "class Base:\n    def __init__(self, value=0):\n        self.value = value\n",
    "lib/core.py": "def start():\n    return 'started'\n",
    "lib2.py": "def gg(value):\n    return value + 1\n",
    "acme/__init__.py": "",
    "acme/gpu.py": "",
    "acme/npu.py": "def get_npu_name(index):\n    return f'npu {index}'\n",
    "ourlib/__init__.py": "def other():\n    return 'other'\n",
    "ourlib/npu_kernels.py": "def run():\n    return 'npu'\n\n\nclass Kernel:\n    pass\n",
    "ourlib/deep/__init__.py": "",
    "ourlib/deep/kernels.py": "def run():\n    return 'deep'\n",
    "torch/__init__.py": "from torch import cuda\n",
    "torch/cuda/__init__.py": "",
    "torch/cuda/my_amp.py": "def autocast():\n    return 'my own'\n",
}


def keywords(function, names, **more):
    return {"KeywordOnlyRule": [{"func_name": function, "keywords": names, **more}]}


def function(old, new, **more):
    return {"FuncNameModifyRule": [{"old_name": old, "new_name": new, **more}]}


def module(old, new, parent):
    return {"ModuleNameModifyRule": [{"old_name": old, "new_name": new,
                                      "parent_module": parent}]}


def argument(name, new, **more):
    if "arg_keyword" not in more:
        more.setdefault("arg_idx", 0)
    return {"ArgsModifyRule": [{"func_name": name, "arg_new": new, **more}]}


FF = function("lib.ff", "gg")
FF_AWAY = function("lib.ff", "lib2.gg", replace_module=True)
KERNELS = module("kernels", "npu_kernels", "ourlib")
GPU_NAME = function("acme.gpu.get_gpu_name", "acme.npu.get_npu_name", replace_module=True)
NAME1 = argument("lib.name1", "7")

# (what is tried, the rules, the program or its files, what its result prints)
RUN = [
    ("an argument for the constructor of a base", argument("lib.Base", "7", arg_keyword="value"),
     "import lib\n\nclass Own(lib.Base):\n    def __init__(self):\n"
     "        super().__init__(value=1)\n\nprint(Own().value)\n", "7"),
    ("and where the base is named", argument("lib.Base", "7"),
     "from lib import Base\n\nclass Own(Base):\n    def __init__(self):\n"
     "        Base.__init__(self, 1)\n\nprint(Own().value)\n", "7"),
    ("but not for that of a class between", argument("lib.Base", "7", arg_keyword="value"),
     "import lib\n\nclass Mid(lib.Base):\n    def __init__(self, value):\n"
     "        super().__init__()\n        self.value = value\n\nclass Own(Mid):\n"
     "    def __init__(self):\n        super().__init__(value=1)\n\nprint(Own().value)\n", "1"),
    ("the function behind its module", FF, "import lib\nprint(lib.ff(2))\n", "3"),
    ("behind an alias of its module", FF, "import lib as m\nprint(m.ff(2))\n", "3"),
    ("imported by name", FF, "from lib import ff\nprint(ff(2))\n", "3"),
    ("imported beside others", FF,
     "from lib import (\n    ff,  # first\n    other,\n)\nprint(ff(2), other())\n", "3 other"),
    ("imported under another name", FF, "from lib import ff as f\nprint(f(2))\n", "3"),
    ("imported by name and not called", FF,
     "from lib import ff\nprint(list(map(ff, [1, 2])), [ff][0](5))\n", "[2, 3] 6"),
    ("behind its module and not called", FF,
     "import lib\nprint(list(map(lib.ff, [1, 2])))\n", "[2, 3]"),
    ("under a name that is assigned", FF, "import lib\nf = lib.ff\nprint(f(2), f(3))\n", "3 4"),
    ("imported inside of a function", FF,
     "def run():\n    from lib import ff\n    return ff(2)\nprint(run())\n", "3"),
    ("imported in one of two branches", FF,
     "try:\n    from lib import ff\nexcept ImportError:\n    from lib3 import ff\n"
     "print(ff(2))\n", "3"),
    ("got by getattr", FF, "import lib\nprint(getattr(lib, 'ff')(2))\n", "3"),
    ("as a branch of what is called", FF,
     "import lib\nprint((lib.ff if lib else print)(2))\n", "3"),
    ("as a default and as a decorator", FF,
     "import lib\ndef run(f=lib.ff):\n    return f(2)\nprint(run())\n", "3"),
    ("exported again by a module of the project", FF,
     {"main.py": "import tools\nfrom tools import ff\nprint(tools.ff(2), ff(3))\n",
      "tools/__init__.py": "from lib import ff\n"}, "3 4"),
    ("with its name in texts and comments", FF,
     "import lib  # lib.ff is slow\nprint('ff', \"call lib.ff(x) here\", lib.ff(2))\n",
     "ff call lib.ff(x) here 3"),
    ("to another module, behind its module", FF_AWAY, "import lib\nprint(lib.ff(2))\n", "3"),
    ("to another module, imported by name", FF_AWAY, "from lib import ff\nprint(ff(2))\n", "3"),
    ("to another module, imported beside others", FF_AWAY,
     "from lib import other, ff\nprint(ff(2), other())\n", "3 other"),
    ("to another module, behind an alias", GPU_NAME,
     "import acme.gpu as ag\nprint(ag.get_gpu_name(0))\n", "npu 0"),
    ("to another module, behind its full name", GPU_NAME,
     "import acme.gpu\nprint(acme.gpu.get_gpu_name(0))\n", "npu 0"),
    ("to another module, behind a docstring and a future import", GPU_NAME,
     "'''Text.'''\nfrom __future__ import annotations\nimport acme.gpu as ag\n"
     "def run():\n    return ag.get_gpu_name(0)\nprint(run())\n", "npu 0"),
    ("all names imported", FF, "from lib import *\nprint(ff(2), list(map(ff, [1])))\n", "3 [2]"),
    ("to another module, all names imported", FF_AWAY, "from lib import *\nprint(ff(2))\n", "3"),
    ("any receiver, to a module that is imported", function("ff", "lib2.gg", replace_module=True),
     "import lib\nprint(lib.ff(2))\n", "3"),
    ("the last name alone, imported by name", function("ff", "gg"),
     "from lib import ff\nprint(ff(2), ff(3))\n", "3 4"),
    ("the last name alone, of a member", function("ff", "gg"),
     "import lib\nprint(lib.ff(2))\n", "3"),
    ("a module in its parent", KERNELS,
     "import ourlib.kernels\nprint(ourlib.kernels.run())\n", "npu"),
    ("a module under an alias", KERNELS, "import ourlib.kernels as k\nprint(k.run())\n", "npu"),
    ("a module imported from its parent", KERNELS,
     "from ourlib import kernels\nprint(kernels.run())\n", "npu"),
    ("a module imported from its parent beside others", KERNELS,
     "from ourlib import other, kernels as k, kernels\nprint(other(), k.run(), kernels.run())\n",
     "other npu npu"),
    ("names of a module", KERNELS, "from ourlib.kernels import run\nprint(run())\n", "npu"),
    ("all names of a module", KERNELS, "from ourlib.kernels import *\nprint(run())\n", "npu"),
    ("a module in annotations and base classes", KERNELS,
     "import ourlib.kernels\nclass Own(ourlib.kernels.Kernel):\n    pass\n"
     "def f(x: ourlib.kernels.Kernel) -> None: ...\nprint(Own.__name__)\n", "Own"),
    ("a module that is imported by a text", KERNELS,
     "import importlib\nprint(importlib.import_module('ourlib.kernels').run())\n", "npu"),
    ("a module to a deeper one", module("kernels", "deep.kernels", "ourlib"),
     "from ourlib import kernels\nimport ourlib.kernels as k\nprint(kernels.run(), k.run())\n",
     "deep deep"),
    ("an argument by its position", NAME1, "import lib\nprint(lib.name1(1, 2))\n",
     "((7, 2), {})"),
    ("an argument in front of a mapping", NAME1, "import lib\nprint(lib.name1(1, **{'a': 2}))\n",
     "((7,), {'a': 2})"),
    ("an argument by its keyword", argument("lib.name1", "7", arg_keyword="key"),
     "import lib\nprint(lib.name1(1, key=2))\n", "((1,), {'key': 7})"),
    ("an argument that is deleted", argument("lib.name1", ""),
     "import lib\nprint(lib.name1(1, 2))\n", "((2,), {})"),
    ("an argument that a white list keeps", argument("lib.name1", "7", white_list=["cpu"]),
     "import lib\nprint(lib.name1('cpu'), lib.name1('gpu'))\n", "(('cpu',), {}) ((7,), {})"),
    ("an argument around the old one",
     argument("lib.name1", "f'npu:{replace_device_int}' if isinstance(replace_device_int, int) "
                           "else replace_device_int"),
     "import lib\ni = 3\nprint(lib.name1(i))\n", "(('npu:3',), {})"),
    ("an argument that needs an import", argument("lib.name1", "math.floor(7.5)"),
     "import lib\nprint(lib.name1(1))\n", "((7,), {})"),
    ("an argument that is deleted by its keyword", argument("lib.name1", "", arg_keyword="key"),
     "import lib\nprint(lib.name1(1, key=2))\n", "((1,), {})"),
    ("a keyword that a white list keeps",
     argument("lib.name1", "7", arg_keyword="key", white_list=["cpu", "none"]),
     "import lib\nprint(lib.name1(key='CPU'), lib.name1(key='gpu'))\n",
     "((), {'key': 'CPU'}) ((), {'key': 7})"),
    ("an argument of any receiver", argument("name1", "7", arg_idx=1),
     "import lib as m\nprint(m.name1(1, 2))\n", "((1, 7), {})"),
    ("an argument that is a container", argument("lib.name1", "[1, {'a': (2, 3)}]"),
     "from lib import name1 as n\nprint(n(0))\n", "(([1, {'a': (2, 3)}],), {})"),
    ("an argument that is a lambda", argument("lib.name1", "(lambda a, b=1: a + b)(2)"),
     "from lib import name1\nprint(name1(0))\n", "((3,), {})"),
    ("a rule that is switched on", function("lib.ff", "gg", feature_switch=["normal"]),
     "from lib import ff\nprint(ff(2))\n", "3"),
    ("a function of a module that is renamed, too",
     {**function("ourlib.npu_kernels.start", "run"), **module("kernels", "npu_kernels", "ourlib")},
     "from ourlib import kernels\nfrom ourlib.npu_kernels import start\n"
     "print(kernels.run(), start())\n", "npu npu"),
    ("arguments that become keywords", keywords("lib.name1", ["key", "other"], kept=1),
     "from lib import name1 as n\nprint(n(1, (2), 3))\n", "((1,), {'key': 2, 'other': 3})"),
    ("a call that does not give the argument", NAME1, "import lib\nprint(lib.name1())\n",
     "((), {})"),
]

# (what is tried, the rules, the program, the line that is told, a part of what is said there)
STAY = [
    ("starred arguments that may be some of those", keywords("lib.name1", ["key"]),
     "import lib\nprint(lib.name1(*args))\n", 2, "lib.name1"),
    ("more arguments than have a keyword", keywords("lib.name1", ["key"]),
     "import lib\nprint(lib.name1(1, 2))\n", 2, "lib.name1"),
    ("a starred argument", NAME1, "import lib\nprint(lib.name1(*args))\n", 2, "*args"),
    ("an argument behind a starred one", argument("lib.name1", "7", arg_idx=1),
     "import lib\nprint(lib.name1(*args, 2))\n", 2, "write that argument out"),
    ("an argument that may be in a mapping", argument("lib.name1", "7", arg_keyword="key"),
     "import lib\nprint(lib.name1(1, **more))\n", 2, "**more"),
    ("a new argument that means nothing", argument("lib.name1", "agrs0"),
     "import lib\nprint(lib.name1(1))\n", 2, "agrs0, which means nothing here"),
    ("a new argument with the member of a variable", argument("lib.name1", "self.device"),
     "import lib\nprint(lib.name1(1))\n", 2, "self, which means nothing here"),
    ("a new module whose name is taken", GPU_NAME,
     "import acme.gpu as ag\ndef run(acme):\n    return ag.get_gpu_name(acme)\n", 3,
     "acme has another meaning here"),
    ("what is got from another module", FF_AWAY, "import lib\nprint(getattr(lib, 'ff')(2))\n", 2,
     "lib2.gg in place of this getattr"),
    ("a deeper module beside others", module("kernels", "deep.kernels", "ourlib"),
     "from ourlib import kernels, other\n", 1, "statement of its own"),
    ("a function that the file defines", function("ff", "gg"),
     "def ff(a):\n    return a\nprint(ff(2))\n", 3, "defined at line 1"),
    ("an argument with a name that the file has not", argument("lib.name1", "own.value"),
     "import lib\nprint(lib.name1(1))\n", 2, "own, which means nothing here"),
    ("a function that is a parameter", function("ff", "gg"),
     "def run(ff):\n    return ff(2)\n", 2, "defined at line 1"),
    ("a method that the class defines", function("ff", "gg"),
     "class A:\n    def ff(self):\n        return 1\n    def run(self):\n"
     "        return self.ff()\n", 5, "defined at line 1"),
]

# (what is tried, the rules, where that is, a part of what is said)
REFUSED = [
    (f"the argument {text!r}", argument("f", text), "#/rules/ArgsModifyRule/0/arg_new",
     "not one expression")
    for text in ("(1", ":=1", "*z", "**z", ";", "a\n", "a, b", "a=1", "# c", "x for x in y", "yield",
                 "x := 1", " ", "1) + (2")
] + [
    ("a new module that is not written", function("acme.gpu.f", "acme.npu.g"),
     "#/rules/FuncNameModifyRule/0/new_name", "\"replace_module\": true"),
    ("a new module for any receiver", function("f", "acme.npu.g"),
     "#/rules/FuncNameModifyRule/0/new_name", "\"replace_module\": true"),
    ("a new name that is none", function("lib.f", "class"),
     "#/rules/FuncNameModifyRule/0/new_name", "Python takes a part of it"),
    ("a new module that is none", module("kernels", "lambda", "ourlib"),
     "#/rules/ModuleNameModifyRule/0/new_name", "Python takes a part of it"),
    ("a new name with a call", function("lib.f", "g()"),
     "#/rules/FuncNameModifyRule/0/new_name", "g()"),
    ("a module without its parent", {"ModuleNameModifyRule": [{"old_name": "a", "new_name": "b"}]},
     "#/rules/ModuleNameModifyRule/0", "parent_module"),
    ("an argument without its place", {"ArgsModifyRule": [{"func_name": "f", "arg_new": "1"}]},
     "#/rules/ArgsModifyRule/0", "arg_idx"),
    ("keywords that are no names", keywords("lib.f", ["a b"]), "#/rules/KeywordOnlyRule/0",
     "names of parameters"),
    ("no function", {"RemovedArgumentRule": [{"functions": [], "arg_keyword": "a"}]},
     "#/rules/RemovedArgumentRule/0", "at least one function"),
    ("no keywords", keywords("lib.f", []), "#/rules/KeywordOnlyRule/0", "names of parameters"),
    ("a number of arguments below 0", keywords("lib.f", ["a"], kept=-1),
     "#/rules/KeywordOnlyRule/0", "from 0 on"),
]


class Forms(ProgramTest):
    def migrate(self, rules, program, *options):
        for name, text in (program if isinstance(program, dict) else {"main.py": program}).items():
            self.write("project/" + name, text)
        self.write("rules.json", json.dumps({"rules": rules}))
        done = self.run_for(0, "migrate", "project", "-o", "out", "--force", "-r", "rules.json",
                            *options)
        return done.stdout.decode() + done.stderr.decode()

    def remove(self, *folders):
        for folder in folders:
            shutil.rmtree(self.folder / folder, ignore_errors=True)

    def result(self, name="main.py"):
        return (self.folder / "out/project_msft" / name).read_text()

    def rows(self):
        return rows_of((self.folder / "out/project_msft/change_list.csv").read_bytes())

    def printed(self):
        for name, text in STAND_INS.items():
            self.write("stand_ins/" + name, text)
        environment = {**os.environ, "PYTHONPATH": str(self.folder / "stand_ins"),
                       "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([sys.executable, "main.py"], capture_output=True, text=True,
                              timeout=60, check=False, env=environment,
                              cwd=self.folder / "out/project_msft")
        return done.stdout.strip() or done.stderr

    def test_run_on_the_new_libraries(self):
        for title, rules, program, expected in RUN:
            with self.subTest(title):
                self.remove("project", "out")
                self.migrate(rules, program, "--no-builtin-rules")
                self.assertEqual(self.printed(), expected, self.result())

    def test_change_nothing_the_second_time(self):
        for title, rules, program, _expected in RUN:
            if rules == argument("lib.name1", ""):
                continue  # an argument that is deleted makes place for the next
            with self.subTest(title):
                self.remove("project", "out")
                self.migrate(rules, program, "--no-builtin-rules")
                once = self.result()
                self.remove("out")
                self.migrate(rules, {"main.py": once}, "--no-builtin-rules")
                self.assertEqual(self.result(), once)

    def test_leave_what_cannot_be_done_and_say_why(self):
        for title, rules, program, line, message in STAY:
            with self.subTest(title):
                self.remove("project", "out")
                self.migrate(rules, program, "--no-builtin-rules")
                self.assertEqual(self.result(), program)
                rows = self.rows()
                self.assertEqual([row["Start Line"] for row in rows], [str(line)], rows)
                self.assertIn(message, rows[0]["Message"])
                self.assertEqual(rows[0]["Applicability"], "display-only")

    def test_are_refused_where_they_are_wrong(self):
        self.write("project/main.py", "f(1)\n")
        for title, rules, where, what in REFUSED:
            with self.subTest(title):
                self.write("rules.json", json.dumps({"rules": rules}))
                done = self.run_for(2, "migrate", "project", "-o", "out", "-r", "rules.json")
                message = done.stderr.decode()
                self.assertIn(where, message)
                self.assertIn(what, message)

    def test_do_not_rename_the_uses_of_what_the_project_defines(self):
        for rules, files in ((FF, {"main.py": "import lib\nprint(lib.ff(2))\n",
                                   "lib.py": "def ff(a):\n    return a\n"}),
                             (KERNELS, {"main.py": "from ourlib import kernels\nkernels.run()\n",
                                        "ourlib/kernels.py": "def run(): ...\n"})):
            self.remove("project", "out")
            self.migrate(rules, files, "--no-builtin-rules")
            self.assertEqual(self.result(), files["main.py"])
            self.assertIn("of this project", self.rows()[0]["Message"])

    def test_win_over_built_in_ones_as_a_whole(self):
        self.migrate(module("amp", "my_amp", "torch.cuda"),
                     "import torch.cuda.amp\nprint(torch.cuda.amp.autocast())\n")
        self.assertIn("import torch.cuda.my_amp\nprint(torch.cuda.my_amp.autocast())\n",
                      self.result().replace("import torch_npu\n", ""))
        self.remove("project", "out")
        self.migrate(module("amp", "my_amp", "torch.cuda"),
                     "from torch.cuda import amp\nprint(amp.autocast())\n", "--no-builtin-rules")
        self.assertEqual(self.printed(), "my own")

    def test_name_a_conflict_in_one_language(self):
        self.write("project/main.py", "import torch\ntorch.cuda.amp.autocast()\n")
        self.write("rules.json", json.dumps({"rules": module("amp", "my_amp", "torch.cuda")}))
        done = self.run_for(0, "--lang", "zh", "migrate", "project", "-o", "out", "-r",
                            "rules.json")
        conflicts = [line for line in (done.stdout + done.stderr).decode().splitlines()
                     if "冲突" in line]
        self.assertTrue(conflicts)
        for line in conflicts:
            self.assertNotRegex(line, "change |conflicts")

    def test_that_find_nothing_are_told(self):
        rules = {"FuncNameModifyRule": [{"old_name": "lib.ff", "new_name": "gg"},
                                        {"old_name": "lib.hh", "new_name": "gg"}]}
        printed = self.migrate(rules, "import lib\nlib.ff(2)\n", "--no-builtin-rules")
        self.assertIn("rules.json#/rules/FuncNameModifyRule/1", printed)
        self.assertNotIn("rules.json#/rules/FuncNameModifyRule/0", printed)
        done = self.run_for(0, "migrate", "-", "-r", "rules.json", stdin=b"import lib\n")
        self.assertIn(b"rules.json#/rules/FuncNameModifyRule/1", done.stderr)

    def test_are_explained_by_their_ids(self):
        rule = {"old_name": "lib.ff", "new_name": "gg", "why": "ff is gone"}
        self.write("rules.json", json.dumps({"rules": {"FuncNameModifyRule": [
            rule, {**rule, "old_name": "lib.hh", "id": "own.hh"}]}}))
        done = self.run_for(0, "explain", "rules.json#/rules/FuncNameModifyRule/0")
        self.assertIn(b"ff is gone", done.stdout)
        done = self.run_for(0, "explain", "own.hh", "-r", "rules.json")
        self.assertIn(b"ff is gone", done.stdout)
        done = self.run_for(2, "explain", "gone.json#/rules/FuncNameModifyRule/0")
        self.assertIn(b"-r", done.stderr)

    def test_in_a_file_without_end_are_refused(self):
        self.write("project/main.py", "f(1)\n")
        done = self.run_for(2, "migrate", "project", "-o", "out", "-r", "/dev/zero")
        self.assertIn(b"larger than 10 MiB", done.stderr)


if __name__ == "__main__":
    unittest.main()
