#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""--force replaces what transplt has written, and nothing else."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from program import EXECUTABLE, MANIFEST, ProgramTest, tree_of  # noqa: E402

TRAIN = "import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\n"
BY_HAND = b"# by hand\n"


class ResultFolder(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("project/train.py", TRAIN)
        self.write("project/data/big.bin", bytes(range(256)) * 8192)
        os.symlink("train.py", self.folder / "project/link.py")
        self.out = self.folder / "out"
        self.result = self.out / "project_msft"

    def migrate(self, code=0, *arguments):
        return self.run_for(code, "migrate", "project", "-o", "out", *arguments)

    def force(self, code=0):
        return self.migrate(code, "--force").stderr.decode()

    def names(self):
        return sorted(os.listdir(self.out))

    def assert_kept(self, change):
        """--force keeps the changed result aside, whole, and says so."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.migrate()
        fresh = tree_of(self.result)
        change()
        changed = tree_of(self.result)
        self.assertIn("out/project_msft.before-1", self.force())
        self.assertEqual(self.names(), ["project_msft", "project_msft.before-1"])
        self.assertEqual(tree_of(self.out / "project_msft.before-1"), changed)
        fresh.pop(MANIFEST)
        again = tree_of(self.result)
        again.pop(MANIFEST)
        self.assertEqual(again, fresh)


class AnUnchangedResult(ResultFolder):
    def test_is_replaced_and_nothing_is_kept(self):
        for _ in range(3):
            self.migrate(0, "--force")
            self.assertEqual(self.names(), ["project_msft"])

    def test_is_known_after_it_was_moved_or_copied_or_touched(self):
        self.migrate()
        shutil.copytree(self.result, self.folder / "copy", symlinks=True)
        shutil.rmtree(self.result)
        os.rename(self.folder / "copy", self.result)
        os.utime(self.result / "train.py")
        self.force()
        self.assertEqual(self.names(), ["project_msft"])

    def test_is_replaced_though_python_left_its_cache_in_it(self):
        self.migrate()
        self.write("out/project_msft/__pycache__/train.cpython-311.pyc", b"\0")
        self.force()
        self.assertEqual(self.names(), ["project_msft"])

    def test_may_have_lost_files(self):
        self.migrate()
        (self.result / "change_list.csv").unlink()
        self.force()
        self.assertEqual(self.names(), ["project_msft"])

    def test_of_analyze_and_of_inject_is_replaced_as_well(self):
        loop = "import torch\nfor x in range(2):\n    loss = x\n    loss.backward()\n"
        self.write("loops/train.py", loop)
        for arguments in (["analyze", "project"],
                          ["inject-dump-config", "loops", "--dump-path", "/d"]):
            self.run_for(0, *arguments, "-o", "out")
            before = self.names()
            self.run_for(0, *arguments, "-o", "out", "--force")
            self.assertEqual(self.names(), before)


class AResultChangedByHand(ResultFolder):
    def test_is_kept_when_a_file_was_edited(self):
        self.assert_kept(lambda: self.result.joinpath("train.py").write_bytes(BY_HAND))

    def test_is_kept_when_a_byte_was_edited(self):
        def change():
            path = self.result / "train.py"
            path.write_bytes(path.read_bytes().replace(b"2, 2", b"2, 3"))
        self.assert_kept(change)

    def test_is_kept_when_a_report_was_annotated(self):
        def change():
            with open(self.result / "change_list.csv", "ab") as file:
                file.write(b"train.py,,,,accepted\n")
        self.assert_kept(change)

    def test_is_kept_when_a_large_file_was_edited(self):
        def change():
            with open(self.result / "data/big.bin", "r+b") as file:
                file.write(b"x")
        self.assert_kept(change)

    def test_is_kept_when_something_was_added(self):
        self.assert_kept(lambda: self.write("out/project_msft/new/notes.txt", BY_HAND))
        self.assert_kept(lambda: os.symlink("/etc", self.result / "etc"))
        self.assert_kept(lambda: self.write("out/project_msft/__pycache__/notes.txt", BY_HAND))

    def test_is_kept_when_a_link_was_changed(self):
        def change():
            (self.result / "link.py").unlink()
            os.symlink("other.py", self.result / "link.py")
        self.assert_kept(change)

    def test_is_kept_under_the_next_free_name(self):
        self.write("out/project_msft.before-1", b"of the user")
        self.migrate()
        (self.result / "train.py").write_bytes(BY_HAND)
        self.assertIn("out/project_msft.before-2", self.force())
        self.assertEqual((self.out / "project_msft.before-1").read_bytes(), b"of the user")
        self.assertEqual((self.out / "project_msft.before-2/train.py").read_bytes(), BY_HAND)

    def test_is_kept_in_chinese(self):
        self.migrate()
        (self.result / "train.py").write_bytes(BY_HAND)
        result = self.run_for(0, "--lang", "zh", "migrate", "project", "-o", "out", "--force")
        self.assertIn("project_msft.before-1", result.stderr.decode())
        self.assertIn("手工", result.stderr.decode())


class AFolderOfSomebodyElse(ResultFolder):
    def test_is_refused_even_with_force(self):
        self.write("out/project_msft/precious.txt", b"by hand")
        before = tree_of(self.folder)
        self.assertIn("was not written by transplt", self.force(2))
        self.assert_nothing_written(before)
        self.write("out/loops/precious.txt", b"by hand")
        self.write("loops/train.py", "import torch\nfor x in y:\n    loss.backward()\n")
        self.run_for(2, "inject-dump-config", "loops", "--dump-path", "/d", "-o", "out", "--force")
        self.assertEqual((self.out / "loops/precious.txt").read_bytes(), b"by hand")

    def test_is_no_result_because_a_file_has_the_name_of_the_manifest(self):
        for text in (b"", b"{}", b'{"format": 1}', b"[" * 9999,
                     b'{"format":1,"files":[{"path":"../x","size":1}]}'):
            self.write("out/project_msft/precious.txt", b"by hand")
            self.write(f"out/project_msft/{MANIFEST}", text)
            before = tree_of(self.folder)
            self.assertIn("was not written by transplt", self.force(2))
            self.assert_nothing_written(before)

    def test_is_taken_if_it_is_empty(self):
        self.result.mkdir(parents=True)
        self.force()
        self.assertTrue((self.result / "train.py").exists())

    def test_a_script_that_was_edited_by_hand_is_kept_beside_the_new_one(self):
        script = "import torch\nfor x in range(2):\n    loss = x\n    loss.backward()\n"
        self.write("loop.py", script)
        inject = ["inject-dump-config", "loop.py", "--dump-path", "/d", "-o", "out"]
        self.run_for(0, *inject)
        first = (self.out / "loop.py").read_bytes()
        self.run_for(0, *inject, "--force")
        self.assertEqual(self.names(), ["change_list.csv", "loop.py"])
        (self.out / "loop.py").write_bytes(first + BY_HAND)
        (self.out / "change_list.csv").write_bytes(BY_HAND)
        result = self.run_for(0, *inject, "--force")
        self.assertEqual(self.names(), ["change_list.csv", "change_list.csv.before-1", "loop.py",
                                        "loop.py.before-1"])
        self.assertEqual((self.out / "loop.py.before-1").read_bytes(), first + BY_HAND)
        self.assertEqual((self.out / "change_list.csv.before-1").read_bytes(), BY_HAND)
        for name in (b"loop.py.before-1", b"change_list.csv.before-1"):
            self.assertIn(name, result.stderr)


class TheManifest(ResultFolder):
    def test_lists_what_was_written(self):
        self.migrate()
        files = json.loads((self.result / MANIFEST).read_text())["files"]
        written = {file.pop("path"): file for file in files}
        self.assertEqual(sorted(written),
                         sorted(name for name, data in tree_of(self.result).items()
                                if data is not None and name != MANIFEST))
        self.assertEqual(written["link.py"], {"link": "train.py"})
        self.assertEqual(written["train.py"]["size"], (self.result / "train.py").stat().st_size)

    def test_is_no_part_of_a_result_that_is_migrated_again(self):
        self.migrate()
        self.run_for(0, "migrate", "out/project_msft", "-o", "again")
        self.run_for(0, "migrate", "out/project_msft", "-o", "again", "--force")
        self.assertEqual(os.listdir(self.folder / "again"), ["project_msft_msft"])


class Leftovers(ResultFolder):
    def test_of_killed_runs_go_with_the_next_and_those_of_others_stay(self):
        self.migrate()
        for name in (".project_msft.partial-dEadOn", ".project_msft.partial-aLive1"):
            shutil.copytree(self.result, self.out / name, symlinks=True)
        self.write("out/.project_msft.partial-0fUser/notes.txt", b"of the user")
        alive = os.open(self.out / ".project_msft.partial-aLive1", os.O_RDONLY)
        self.addCleanup(os.close, alive)
        fcntl.flock(alive, fcntl.LOCK_EX)
        self.force()
        self.assertEqual(self.names(), [".project_msft.partial-0fUser",
                                        ".project_msft.partial-aLive1", "project_msft"])

    def test_of_runs_that_are_killed_go_with_the_next(self):
        for i in range(300):
            self.write(f"project/part/{i}.py", TRAIN + "#\n" * 500)
        for _ in range(200):
            process = subprocess.Popen([EXECUTABLE, "migrate", "project", "-o", "out", "--force"],
                                       cwd=self.folder, stderr=subprocess.DEVNULL)
            while process.poll() is None and not (self.out.exists() and self.names()):
                pass
            process.kill()
            process.wait()
            if any(name.startswith(".") for name in self.names()):
                break
        self.force()
        self.assertEqual(self.names(), ["project_msft"])


if __name__ == "__main__":
    unittest.main()
