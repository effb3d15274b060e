#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""--in-place and --undo lose nothing: whatever the user saves while the program works, and whatever
became of the files since. TRANSPLT_SAVES is how many saves are raced against the program."""

import fcntl
import itertools
import os
import random
import shutil
import subprocess
import sys
import threading
import time
import unittest

sys.dont_write_bytecode = True
import program  # noqa: E402
from program import ProgramTest, tree_of  # noqa: E402

SAVES = int(os.environ.get("TRANSPLT_SAVES", "60"))
EDITING_USER = os.environ.get("EDITING_USER", "")
UNDO = ".transplt-undo"
TRAIN = "import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\n"
AFTER = "import torch\nimport torch_npu\n\nmodel = torch.nn.Linear(2, 2).npu()\n"
SAVED = b"import torch\nprint('saved by the user')\n"


class InPlaceTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.project = self.folder / "project"
        self.train = self.write("project/train.py", TRAIN)

    def in_place(self, code=0, *arguments, **options):
        return self.run_for(code, "migrate", "project", "--in-place", *arguments, **options)

    def undo(self, code=0, *arguments, **options):
        return self.run_for(code, "migrate", "project", "--undo", *arguments, **options)

    def kept(self, number=1, name="train.py"):
        return self.project / UNDO / f"{number:04}" / "files" / name


def save_into(path, data):
    """As editors that keep the file and write it anew."""
    with open(path, "wb") as file:
        file.write(data)


def save_over(path, data):
    """As editors that write another file and rename it."""
    beside = f"{path}.swp"
    with open(beside, "wb") as file:
        file.write(data)
    os.rename(beside, path)


@unittest.skipUnless(EDITING_USER, "EDITING_USER names no library")
class ASaveAtAnyMoment(InPlaceTest):
    """Deterministic: the user saves right before or after each rename of the program."""

    def editor(self, style, moment, call, **more):
        sanitizers = program.sanitizers_of(program.EXECUTABLE)
        return {"LD_PRELOAD": " ".join([*sanitizers, EDITING_USER]),
                "EDITING_FILE": str(self.train), "EDITING_STYLE": style,
                "EDITING_MOMENT": moment, "EDITING_CALL": str(call),
                "EDITING_TEXT": SAVED.decode(), **more}

    def every_moment(self, **more):
        for style, moment, call in itertools.product(("write", "rename"), ("before", "after"),
                                                     range(1, 7)):
            shutil.rmtree(self.project)
            self.write("project/train.py", TRAIN)
            yield self.editor(style, moment, call, **more)

    def check_in_place(self, environment):
        result = program.run("migrate", "project", "--in-place", "--list", "all", cwd=self.folder,
                             env=environment)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        files = tree_of(self.project)
        saved = [name for name, data in files.items() if data == SAVED]
        self.assertNotIn(SAVED.decode() + "import torch_npu", str(files))
        if files["train.py"] != AFTER.encode():
            self.assertEqual(files["train.py"], SAVED, "the user's newest bytes win")
            self.assertEqual(result.returncode, 1)
            self.assertIn(b"train.py: skipped: changed while transplt worked", result.stderr)
            return True
        self.assertEqual(saved, [], "the editor did save")
        self.assertEqual(result.returncode, 0)
        return False

    def test_is_kept_and_reported(self):
        saves = 0
        for environment in self.every_moment():
            saves += self.check_in_place(environment)
        self.assertGreaterEqual(saves, 3)

    def test_is_kept_where_files_cannot_be_exchanged(self):
        saves = 0
        for environment in self.every_moment(NO_EXCHANGE="1"):
            saves += self.check_in_place(environment)
        self.assertGreaterEqual(saves, 3)

    def test_is_kept_by_undo(self):
        for more in ({}, {"NO_EXCHANGE": "1"}):
            saves = 0
            for environment in self.every_moment(**more):
                self.in_place()
                result = program.run("migrate", "project", "--undo", cwd=self.folder,
                                     env=environment)
                files = tree_of(self.project)
                if files["train.py"] == SAVED:
                    saves += 1
                    if result.returncode == 1:
                        self.assertIn(TRAIN.encode(), files.values(), "the original stays")
                else:
                    self.assertEqual(files["train.py"], TRAIN.encode())
                    self.assertEqual(result.returncode, 0)
            self.assertGreaterEqual(saves, 3)

    def test_without_exchange_a_run_is_undone(self):
        environment = self.editor("write", "before", 99, NO_EXCHANGE="1")
        self.in_place(env=environment)
        self.assertEqual(self.train.read_text(), AFTER)
        self.undo(env=environment)
        self.assertEqual(tree_of(self.project), {"train.py": TRAIN.encode()})

    def test_a_file_system_that_can_do_nothing_of_it_is_refused(self):
        environment = self.editor("write", "before", 99, NO_EXCHANGE="1", NO_LINK="1")
        result = self.in_place(2, env=environment)
        self.assertIn(b"cannot replace files without the risk", result.stderr)
        self.assertEqual(tree_of(self.project), {"train.py": TRAIN.encode()})


class SavesInALoop(InPlaceTest):
    """Files are saved as fast as it goes while the program changes them."""

    FILES = 30

    def one_round(self, number, choose):
        names = [f"f{i:02}.py" for i in range(self.FILES)]
        for name in names:
            self.write(f"project/{name}", f"{TRAIN}# round {number}\n" + "#\n" * 500)
        saved = {name: f"{TRAIN}# round {number}: saved {name}\n".encode() for name in names}
        process = subprocess.Popen([program.EXECUTABLE, "migrate", "project", "--in-place"],
                                   cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        output = []
        reader = threading.Thread(target=lambda: output.append(process.stdout.read()))
        reader.start()
        while choose.random() < 0.999 and process.poll() is None and not self.journals():
            time.sleep(0)
        for name in names:
            choose.choice((save_into, save_over))(self.project / name, saved[name])
        self.assertIn(process.wait(timeout=60), (0, 1))
        reader.join(timeout=60)
        process.stdout.close()
        self.assert_none_lost(saved, output[0])

    def journals(self):
        return os.path.exists(self.project / UNDO)

    def assert_none_lost(self, saved, output):
        files = tree_of(self.project)
        for name, data in saved.items():
            places = [place for place, found in files.items() if found == data]
            self.assertNotEqual(places, [], f"{name} is lost")
            if name not in places:
                named = [place for place in places
                         if os.path.dirname(os.path.dirname(place)).encode() in output]
                self.assertNotEqual(named, [], f"{places}: named nowhere in {output}")

    def test_are_never_lost(self):
        choose = random.Random(7)
        for number in range(-(-SAVES // self.FILES)):
            self.one_round(number, choose)
            subprocess.run(["rm", "-rf", self.project / UNDO], check=True)


class ABufferThatIsStillOpen(InPlaceTest):
    def test_writes_into_the_kept_original_after_the_run(self):
        with open(self.train, "r+b") as editor:
            self.in_place()
            self.assertEqual(self.train.read_text(), AFTER)
            editor.truncate(0)
            editor.write(SAVED)
        self.assertEqual(self.kept().read_bytes(), SAVED)
        result = self.undo(1)
        self.assertIn(str(UNDO + "/0001/files/train.py").encode(), result.stderr)
        self.assertEqual(self.kept().read_bytes(), SAVED, "never deleted")
        self.undo(0, "--force")
        self.assertEqual(self.train.read_bytes(), SAVED)

    def test_keeps_undo_from_deleting_the_migrated_file(self):
        self.in_place()
        with open(self.train, "r+b") as editor:
            self.undo()
            self.assertEqual(self.train.read_text(), TRAIN)
            editor.truncate(0)
            editor.write(SAVED)
        self.assertIn(SAVED, tree_of(self.project).values())


class OneRunAtATime(InPlaceTest):
    def lock(self):
        folder = os.open(self.project, os.O_RDONLY)
        self.addCleanup(os.close, folder)
        fcntl.flock(folder, fcntl.LOCK_EX)
        return folder

    def test_names_the_process_that_works_on_the_folder(self):
        folder = self.lock()
        before = tree_of(self.project)
        for arguments in (["--in-place"], ["--undo"]):
            result = self.run_for(2, "migrate", "project", *arguments)
            self.assertIn(f"process {os.getpid()}".encode(), result.stderr)
        self.run_for(2, "inject-dump-config", "project", "--in-place", "--dump-path", "/d",
                     "--framework", "pytorch")
        self.assertEqual(tree_of(self.project), before)
        fcntl.flock(folder, fcntl.LOCK_UN)
        self.in_place()

    def test_does_not_keep_a_run_with_output_from_reading(self):
        self.lock()
        self.run_for(0, "migrate", "project", "-o", "out")

    def test_a_killed_run_blocks_nobody(self):
        for _ in range(5):
            process = subprocess.Popen([program.EXECUTABLE, "migrate", "project", "--in-place"],
                                       cwd=self.folder, stderr=subprocess.DEVNULL)
            time.sleep(0.01)
            process.kill()
            process.wait()
        self.in_place()
        self.assertEqual(self.train.read_text(), AFTER)


class Undo(InPlaceTest):
    def setUp(self):
        super().setUp()
        self.old = self.write("project/old.py", TRAIN)
        self.in_place()
        self.train.unlink()
        self.new = self.write("project/new.py", TRAIN)
        self.other = self.write("project/other.py", TRAIN)
        self.in_place()

    def test_goes_on_to_the_earlier_run_when_a_file_of_the_later_one_is_gone(self):
        self.new.unlink()
        result = self.undo(1)
        self.assertIn(b"new.py: was removed since the migration", result.stderr)
        self.assertIn(b".transplt-undo/0002/files/new.py", result.stderr)
        self.assertIn(b"--force", result.stderr)
        self.assertEqual(self.other.read_text(), TRAIN)
        self.assertEqual(self.kept(2, "new.py").read_text(), TRAIN)
        self.assertEqual(self.old.read_text(), AFTER)
        self.write("project/train.py", AFTER)
        result = self.undo(0)
        self.assertEqual(self.old.read_text(), TRAIN)
        self.assertEqual(self.train.read_text(), TRAIN)

    def test_lists_what_an_earlier_undo_has_left(self):
        self.new.unlink()
        self.undo(1)
        self.undo(1)
        result = self.undo(2)
        self.assertIn(b"there is no migration to undo here", result.stderr)
        for left in (b"0002/files/new.py", b"0001/files/train.py"):
            self.assertIn(left, result.stderr)

    def test_with_force_puts_back_what_was_removed(self):
        self.new.unlink()
        self.undo(1)
        self.undo(0, "--force")
        self.assertEqual(self.new.read_text(), TRAIN)
        self.assertEqual(self.old.read_text(), AFTER, "one run at a time")
        self.undo(0, "--force")
        self.assertEqual(self.old.read_text(), TRAIN)
        self.assertEqual(self.train.read_text(), TRAIN)
        self.assertFalse((self.project / UNDO).exists())

    def test_with_force_keeps_what_was_changed_since(self):
        self.new.write_bytes(SAVED)
        self.assertIn(b"new.py: was changed since the migration", self.undo(1).stderr)
        self.assertEqual(self.new.read_bytes(), SAVED)
        result = self.undo(0, "--force")
        self.assertEqual(self.new.read_text(), TRAIN)
        self.assertEqual(self.kept(2, "new.py").read_bytes(), SAVED)
        self.assertIn(b".transplt-undo/0002/files/new.py", result.stderr)
        self.undo(1)
        self.assertEqual(self.old.read_text(), TRAIN)
        self.assertEqual(self.kept(2, "new.py").read_bytes(), SAVED)

    def test_passes_over_a_damaged_journal(self):
        journal = self.project / UNDO / "0002/journal.json"
        whole = tree_of(self.project)
        for damage in (b"", b"{", b'{"format": 9}', b"[" * 9999, None):
            shutil.rmtree(self.project)
            for name, data in whole.items():
                if data is not None:
                    self.write(f"project/{name}", data)
            if damage is None:
                journal.unlink()
            else:
                journal.write_bytes(damage)
            result = self.undo(1)
            self.assertIn(b".transplt-undo/0002: the undo journal is damaged", result.stderr)
            self.assertEqual(self.old.read_text(), TRAIN)
            self.assertEqual(self.kept(2, "new.py").read_text(), TRAIN, "never deleted")

    def test_puts_a_removed_folder_back_with_force(self):
        self.write("project/sub/deep/x.py", TRAIN)
        self.in_place()
        subprocess.run(["rm", "-r", self.project / "sub"], check=True)
        self.undo(1)
        self.undo(0, "--force")
        self.assertEqual((self.project / "sub/deep/x.py").read_text(), TRAIN)

    def test_reports_a_kept_original_that_is_gone_and_goes_on(self):
        self.kept(2, "new.py").unlink()
        result = self.undo(1)
        self.assertIn(b"new.py: ", result.stderr)
        self.assertEqual(self.new.read_text(), AFTER)
        self.assertEqual(self.other.read_text(), TRAIN)


class Attributes(InPlaceTest):
    def set_attribute(self, name, value):
        try:
            os.setxattr(self.train, name, value)
        except OSError as error:
            self.skipTest(f"no {name} here: {error}")

    def test_extended_attributes_stay(self):
        self.set_attribute("user.origin", b"https://example.org/train.py")
        self.in_place()
        self.assertEqual(os.getxattr(self.train, "user.origin"), b"https://example.org/train.py")
        self.undo()
        self.assertEqual(os.getxattr(self.train, "user.origin"), b"https://example.org/train.py")

    def test_access_control_lists_stay(self):
        # version 2; the owner rw-, user 1234 r--, the group ---, mask r--, others ---
        acl = bytes.fromhex("02000000" "01000600ffffffff" "02000400d2040000" "04000000ffffffff"
                            "10000400ffffffff" "20000000ffffffff")
        self.set_attribute("system.posix_acl_access", acl)
        mode = self.train.stat().st_mode
        self.in_place()
        self.assertEqual(os.getxattr(self.train, "system.posix_acl_access"), acl)
        self.assertEqual(self.train.stat().st_mode, mode)

    def test_names_of_one_file_in_the_project_stay_one_file(self):
        other = self.project / "other.py"
        os.link(self.train, other)
        self.in_place()
        self.assertEqual(other.read_text(), AFTER)
        self.assertTrue(os.path.samefile(self.train, other))
        self.undo()
        self.assertEqual(other.read_text(), TRAIN)
        self.assertTrue(os.path.samefile(self.train, other))
        self.assertEqual(self.train.stat().st_nlink, 2)

    def test_names_outside_of_the_project_keep_the_original_and_are_reported(self):
        outside = self.folder / "backup.py"
        os.link(self.train, outside)
        result = self.in_place()
        self.assertEqual(outside.read_text(), TRAIN)
        self.assertEqual(self.train.read_text(), AFTER)
        self.assertIn(b"train.py: another name of this file (hard link)", result.stderr)
        self.undo()
        self.assertTrue(os.path.samefile(self.train, outside))

    def test_special_bits_are_those_of_the_original(self):
        os.chmod(self.train, 0o2755)
        mode = self.train.stat().st_mode
        self.in_place()
        self.assertEqual(self.train.stat().st_mode, mode)
        journal = self.project / UNDO / "0001/journal.json"
        journal.write_text(journal.read_text().replace('"path"', '"mode": "4777",\n   "path"'))
        self.undo()
        self.assertEqual(self.train.stat().st_mode, mode)


class Leftovers(InPlaceTest):
    def test_of_a_killed_run_go_with_the_next(self):
        self.write(f"project/{UNDO}/0001.partial/files/train.py", "half a dr")
        self.write("project/.transplt-AbCdEf", "half a new fi")
        self.in_place()
        self.assertEqual(sorted(tree_of(self.project)),
                         [UNDO, f"{UNDO}/.gitignore", f"{UNDO}/0001", f"{UNDO}/0001/files",
                          f"{UNDO}/0001/files/train.py", f"{UNDO}/0001/journal.json", "train.py"])

    def test_of_a_killed_undo_go_with_the_next(self):
        self.in_place()
        self.write(f"project/{UNDO}/0002.partial/files/train.py", "restored already")
        self.undo()
        self.assertEqual(sorted(tree_of(self.project)), ["train.py"])

    def test_of_a_live_run_stay(self):
        alive = self.write("project/.transplt-AbCdEf", "half a new fi")
        with open(alive, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.in_place()
            self.assertTrue(alive.exists())


if __name__ == "__main__":
    unittest.main()
