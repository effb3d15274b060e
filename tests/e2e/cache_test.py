#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""transplt migrate --cache: the answer of a run is given again as long as it holds, and never longer."""

import os
import random
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import program  # noqa: E402
from program import ProgramTest  # noqa: E402

CUDA = "import torch\nx = torch.zeros(1).cuda()\n"
RULES = """{"rules": {"FuncNameModifyRule": [{"id": "mine", "old_name": "mine.%s", "new_name": "theirs",
"why": "w"}]}}"""
# Of one size each, so that only their bytes tell them apart.
LINES = ("x = torch.zeros(1).cuda()  #\n", "x = torch.zeros(1).cpu()   #\n", "import mine; mine.f(device=1)\n",
         "device = 'cuda' if a else b #\n", "torch.cuda.set_device(n * 2)\n\n")


# Of one size each.
HEADERS = ("#define cudaDeviceSynchronize() others()\n", "#define cudaStreamCreate(stream) other()\n",
           "void other(); // declares no macro......\n")


class Answers(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("project/main.py", CUDA)
        self.write("project/sub/other.py", "import main\n" + CUDA)

    def answer(self, *arguments, **options):
        result = program.run("migrate", "project", *arguments, cwd=self.folder, **options)
        self.assertIn(result.returncode, (0, 1, 3), result.stderr)
        return result.returncode, result.stdout, result.stderr


class Cache(Answers):
    def kept(self, folder="cache"):
        """What the cache holds: a run that answers from it writes nothing."""
        return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns)
                for path in (self.folder / folder).iterdir()}

    def assert_cached(self, is_cached, *arguments, **options):
        before = self.kept()
        answer = self.answer(*arguments, "--cache", "cache", **options)
        self.assertEqual(answer, self.answer(*arguments, **options))
        self.assertEqual(self.kept() == before, is_cached)

    def test_gives_the_answer_of_an_unchanged_project_again(self):
        for arguments in ((), ("--check",), ("--format", "json"), ("--list", "all")):
            with self.subTest(arguments=arguments):
                first = self.answer(*arguments, "--cache", "cache")
                self.assertEqual(first, self.answer(*arguments))
                self.assert_cached(True, *arguments)

    def test_gives_bytes_again_that_are_no_text(self):
        self.write("project/main.py", b"# -*- coding: latin-1 -*-\n# \xe9\n" + CUDA.encode())
        first = self.answer("--cache", "cache")
        self.assertIn(b"\xe9", first[1])
        self.assert_cached(True)

    def test_sees_that_bytes_differ_where_size_and_time_do_not(self):
        path = self.folder / "project" / "main.py"
        self.write("project/main.py", "import torch\n" + LINES[0])
        self.answer("--cache", "cache")
        times = path.stat()
        self.write("project/main.py", "import torch\n" + LINES[1])
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.assert_cached(False)

    def test_asks_anew_with_other_options_languages_folders_and_rules(self):
        self.write("rules.json", RULES % "f")
        self.answer("--cache", "cache", "-r", "rules.json")
        self.assert_cached(True, "-r", "rules.json")
        self.assert_cached(False, "-r", "rules.json", "--mark")
        self.assert_cached(False, "-r", "rules.json", env={"LANG": "zh_CN.UTF-8"})
        self.write("rules.json", RULES % "g")
        self.assert_cached(False, "-r", "rules.json")

    def test_may_lie_in_the_project(self):
        first = self.answer("--cache", "project/.answers")
        before = self.kept("project/.answers")
        self.assertEqual(self.answer("--cache", "project/.answers"), first)
        self.assertEqual(self.kept("project/.answers"), before)

    def test_gives_an_answer_with_sources_in_cpp_again_until_a_header_of_theirs_changes(self):
        self.write("project/ext.cu", '#include "own.h"\nvoid f() { CALL(cudaDeviceSynchronize()); }\n')
        self.write("project/own.h", "#define CALL(x) x\n")
        self.answer("--cache", "cache")
        self.assertEqual(len(self.kept()), 1)
        self.assert_cached(True)
        self.write("project/own.h", "#define CALL(x) 0\n")
        self.assert_cached(False)
        self.assert_cached(True)

    @unittest.skipUnless(program.has_cxx(), "transplt-cxx was not built")
    def test_sees_headers_that_are_no_files_of_the_project(self):
        self.write("project/.gitignore", "made/\n")
        self.write("project/made/keep.h", "")
        self.write("project/ext.cu", '#include "../outside.h"\n#include "made/late.h"\n'
                                     "void f() { cudaDeviceSynchronize(); }\n")
        self.answer("--cache", "cache")
        self.assert_cached(True)
        for path in ("outside.h", "project/made/late.h"):
            with self.subTest(path=path):
                self.write(path, "#define cudaDeviceSynchronize() others()\n")
                self.assert_cached(False)
                (self.folder / path).unlink()
                self.assert_cached(False)

    def test_ignores_a_file_of_the_cache_that_is_damaged(self):
        self.answer("--cache", "cache")
        [path] = (self.folder / "cache").iterdir()
        whole = path.read_bytes()
        for damaged in (b"", whole[:-1], whole[:40] + b"7" + whole[41:], whole + b"1:x", b"x" * 100):
            path.write_bytes(damaged)
            self.assertEqual(self.answer("--cache", "cache"), self.answer())
            self.assertEqual(path.read_bytes(), whole)

    def test_is_refused_for_runs_that_write(self):
        for arguments in (("-o", "out"), ("--in-place",), ("--patches", "p"), ("--html", "a.html")):
            result = program.run("migrate", "project", "--cache", "cache", *arguments, cwd=self.folder)
            self.assertEqual(result.returncode, 2)
            self.assertIn(b"leave out -o", result.stderr)


class RandomEdits(Answers):
    """Whatever is changed, the answer is that of a run without a cache."""

    STEPS = int(os.environ.get("TRANSPLT_EDITS", "20"))

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                       cwd=self.folder / "project", check=True, capture_output=True)

    def python_files(self):
        found = (self.folder / "project").rglob("*.py")
        return sorted(path for path in found if not path.is_symlink())

    def edit(self, choose):
        """Makes one change, or none."""
        project = self.folder / "project"
        change = choose.randrange(16)
        path = choose.choice(self.python_files() or [project / "main.py"])
        if change < 3:  # most often the bytes alone: size and time stay
            old = path.stat() if path.exists() else None
            path.write_text("import torch\n" + "".join(choose.choices(LINES, k=2)), encoding="utf-8")
            if old:
                os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))
        elif change == 3:
            self.write(f"project/{choose.choice(['', 'sub/', 'deep/er/'])}f{choose.randrange(4)}.py", CUDA)
        elif change == 4 and len(self.python_files()) > 2:
            path.unlink()
        elif change == 5:
            path.rename(path.with_name(f"g{choose.randrange(4)}.py"))
        elif change == 6:
            self.write("project/.gitignore", choose.choice(["", "sub/\n", "f*.py\n!f1.py\n", "*.sh\n"]))
        elif change == 7:
            self.git("add", "-A", "-f")  # what git tracks is not ignored
        elif change == 8:
            self.write("project/requirements.txt", choose.choice(["torch==1.11.0\n", "torch==2.1.0\n", "apex\n"]))
        elif change == 9:
            self.write("project/run.sh", choose.choice(["CUDA_VISIBLE_DEVICES=0 python main.py\n", "python g1.py\n"]))
        elif change == 10:
            path.chmod(choose.choice([0o644, 0o755]))
        elif change == 11:
            link = project / "link.py"
            link.unlink(missing_ok=True)
            link.symlink_to(choose.choice(["main.py", "sub", "missing"]))
        elif change == 12:  # which of them a source sees depends on what is there
            header = choose.choice(["project/own.h", "project/sub/own.h", "project/made/own.h", "own.h"])
            (self.folder / header).unlink(missing_ok=True)
            if choose.randrange(3):
                self.write(header, choose.choice(HEADERS))
        elif change > 12:
            self.write(f"project/{choose.choice(['', 'sub/'])}ext{choose.randrange(2)}.cu",
                       choose.choice(['#include "own.h"\n', '#include "made/own.h"\n', '#include "../own.h"\n']) +
                       "void f() { cudaDeviceSynchronize(); cudaStream_t s; cudaStreamCreate(&s); }\n")

    def test_are_never_answered_as_before(self):
        if shutil.which("git") is None:
            self.skipTest("the project is one of git")
        self.git("init", "-q")
        options = ((), ("--check",), ("--format", "json"), ("--list", "all", "--exclude", "sub"))
        for seed in range(3):
            choose = random.Random(seed)
            for step in range(self.STEPS // 3):
                self.edit(choose)
                arguments = choose.choice(options)
                with self.subTest(seed=seed, step=step, arguments=arguments):
                    self.assertEqual(self.answer(*arguments, "--cache", "cache"), self.answer(*arguments))


if __name__ == "__main__":
    unittest.main()
