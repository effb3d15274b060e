#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The capture library when it is killed, when the disk is full, and when it may not write."""

import ctypes
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
import unittest

import numpy

PROGRAM = os.environ["CAPTURE_PROGRAM"]
LIBRARY = pathlib.Path(os.environ["CAPTURE_FOLDER"]) / "transplt_capture" / "libtransplt_capture.so"
KILLS = int(os.environ.get("TRANSPLT_KILLS", "10"))
NPY = "0"
NOT_PERMITTED = 77
NEW_USER, NEW_MOUNTS = 0x10000000, 0x00020000  # of unshare(2)
RECURSIVE, PRIVATE = 0x4000, 0x40000  # of mount(2)


def mount_small_disk(folder, options):
    """A tmpfs in a name space of this process; False where that is not permitted. The program
    mount(8) is not needed."""
    system = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    if system.unshare(NEW_MOUNTS) != 0:
        if system.unshare(NEW_MOUNTS | NEW_USER) != 0:
            return False
        try:
            # Root of the name space is who made it; without names nobody could write there.
            pathlib.Path("/proc/self/setgroups").write_text("deny")
            pathlib.Path("/proc/self/uid_map").write_text(f"0 {user} 1")
            pathlib.Path("/proc/self/gid_map").write_text(f"0 {group} 1")
        except OSError:
            return False
    # What is mounted here is not to be seen outside.
    system.mount(None, b"/", None, RECURSIVE | PRIVATE, None)
    return system.mount(b"none", os.fsencode(folder), b"tmpfs", 0, options.encode()) == 0


def number_of(file):
    """The record that a file of capture_program holds, after checking that it is whole."""
    values = numpy.load(file, allow_pickle=False)
    assert values.shape == (5000, 2) and (values == values[0, 0]).all(), file
    return int(values[0, 0])


class Trouble(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.root = self.folder / "run"
        self.library = ctypes.CDLL(str(LIBRARY))
        self.library.transplt_capture_last_error.restype = ctypes.c_char_p

    def run_program(self, *arguments, **options):
        return subprocess.run([PROGRAM, str(self.root), *map(str, arguments)], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              timeout=300, **options)

    def recover(self):
        files = ctypes.c_uint64()
        status = self.library.transplt_capture_recover(str(self.root).encode(),
                                                       ctypes.byref(files))
        self.assertEqual(status, 0, self.library.transplt_capture_last_error())
        return files.value

    def assert_no_partial_file(self):
        for file in self.root.rglob("*.npy"):
            number_of(file)


class Killed(Trouble):
    def kill_once(self, seed):
        shutil.rmtree(self.root, ignore_errors=True)
        # Some with the log around the page cache, which syncs at each step and takes longer.
        safe = ["power-loss-safe"] if seed % 5 == 0 else []
        process = subprocess.Popen([PROGRAM, str(self.root), NPY, "40", "40000", "forever", *safe],
                                   stdout=subprocess.PIPE, text=True)
        # Killed at some acknowledgement, wherever the program is when the signal arrives.
        wanted = random.Random(seed).randrange(1, 60)
        acknowledged = 0
        for _ in range(wanted):
            acknowledged = int(process.stdout.readline().split()[1])
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split()
        process.stdout.close()
        process.wait()
        if rest:
            acknowledged = int(rest[-1])
        self.assert_no_partial_file()
        self.recover()
        self.assert_no_partial_file()
        found = {number_of(file) for file in self.root.rglob("*.npy")}
        missing = {2 * i for i in range(acknowledged)} - found
        self.assertFalse(missing, f"seed {seed}: acknowledged and lost")
        named = {2 * i for i in json.loads((self.root / "lines.json").read_text())}
        self.assertFalse(named - found, f"seed {seed}: named by the text and lost")
        leftovers = [f for f in self.root.rglob("*") if ".tmp-" in f.name]
        self.assertLessEqual(len(leftovers), 1)

    def test_nothing_acknowledged_is_lost_and_no_named_file_is_torn(self):
        for seed in range(KILLS):
            self.kill_once(seed)

    def test_a_run_refuses_the_folder_until_it_is_recovered(self):
        self.kill_then_leave()
        again = self.run_program(NPY, 1, 40000)
        self.assertEqual(again.returncode, 2)
        self.assertIn("interrupted run", again.stderr)
        self.recover()
        self.assertFalse((self.root / ".transplt_capture").exists())

    def kill_then_leave(self):
        process = subprocess.Popen([PROGRAM, str(self.root), NPY, "40", "40000", "forever"],
                                   stdout=subprocess.PIPE, text=True)
        process.stdout.readline()
        process.kill()
        process.stdout.close()
        process.wait()


class Limits(Trouble):
    def test_a_file_size_limit_loses_no_record_silently(self):
        # The log is smaller, each tensor's own file is not.
        self.check_file_size_limit(35000, "once")

    def test_a_file_size_limit_within_a_block_of_the_disk_loses_no_record_silently(self):
        self.check_file_size_limit(300000, "once", "power-loss-safe")

    def check_file_size_limit(self, size, *mode):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        result = self.run_program(NPY, 40, 40000, *mode, preexec_fn=limit)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        self.assertIn("File too large", result.stdout)
        self.assert_no_partial_file()
        counts = self.counts(result.stdout)
        files = len(list(self.root.rglob("*.npy")))
        self.assertEqual(counts["records"], 40)
        self.assertEqual(counts["payloads"] + counts["full"], 40)
        self.assertEqual(files, counts["payloads"])

    @staticmethod
    def counts(output):
        words = output.split("records", 1)[1].split()
        words = ["records"] + words
        return {words[i]: int(words[i + 1]) for i in range(0, 14, 2)}

    def test_a_full_disk_leaves_no_partial_file_and_the_program_goes_on(self):
        # A disk that the library before the C library plays: nothing has to be mounted.
        preload = ":".join(filter(None, [os.environ.get("LD_PRELOAD"), os.environ["DISK_FAULTS"]]))
        self.check_full_disk(self.folder / "run", TRANSPLT_FAULTS_UNDER=str(self.folder / "run"),
                             TRANSPLT_FAULTS_DISK=str(1 << 20), LD_PRELOAD=preload)

    def test_a_full_disk_of_the_kernel_does_the_same(self):
        disk = self.folder / "disk"
        disk.mkdir()
        child = os.fork()
        if child == 0:
            os._exit(self.check_on_mounted_disk(disk))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code == NOT_PERMITTED:
            self.skipTest("this system lets nobody but its administrator mount a disk, not even in "
                          "a namespace of its own; the test before this one plays such a disk")
        self.assertEqual(code, 0, "see the trace above")

    def check_on_mounted_disk(self, disk):
        """In a process of its own, whose mounts end with it: an exit status."""
        try:
            if not mount_small_disk(disk, "size=1m"):
                return NOT_PERMITTED
            self.check_full_disk(disk / "run")
            return 0
        except BaseException:  # noqa: BLE001: the parent fails the test
            traceback.print_exc()
            return 1

    def check_full_disk(self, root, **environment):
        self.root = root
        result = self.run_program(NPY, 60, 40000, env={**os.environ, **environment})
        self.assertIn(result.returncode, (0, 1), result.stderr)
        self.assert_no_partial_file()
        counts = self.counts(result.stdout)
        self.assertGreater(counts["full"], 0)
        self.assertEqual(counts["payloads"] + counts["full"], 60)
        self.assertEqual(len(list(self.root.rglob("*.npy"))) + counts["lost_in_files"],
                         counts["payloads"])
        # Nearly all of the megabyte is data: the log gives its room back while files are made.
        self.assertGreaterEqual(counts["payloads"], 20)
        self.assertTrue((self.root / "transplt_capture.json").exists())

    def test_a_folder_that_cannot_be_written_to_is_named(self):
        self.root = pathlib.Path("/proc/1/transplt")
        result = self.run_program(NPY, 1, 40000)
        self.assertEqual(result.returncode, 2)
        self.assertIn("/proc/1/transplt", result.stderr)

    def test_four_processes_write_beside_each_other(self):
        running = [subprocess.Popen([PROGRAM, str(self.root / f"rank{r}"), NPY, "50", "40000"],
                                    stdout=subprocess.PIPE) for r in range(4)]
        for process in running:
            process.communicate()
            self.assertEqual(process.returncode, 0)
        self.assert_no_partial_file()
        for rank in range(4):
            self.assertEqual(len(list((self.root / f"rank{rank}").rglob("*.npy"))), 50)


if __name__ == "__main__":
    sys.exit(unittest.main())
