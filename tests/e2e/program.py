# SPDX-License-Identifier: Apache-2.0
"""What every end-to-end test needs: the executable, and a folder of its own to run it in."""

import atexit
import csv
import functools
import io
import os
import pathlib
import pty
import re
import resource
import select
import shutil
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXECUTABLE = pathlib.Path(os.environ.get("TRANSPLT", ROOT / "build" / "bin" / "transplt"))
# Set by `./dev soak`: sizes and numbers that take minutes.
LONG = bool(os.environ.get("TRANSPLT_LONG"))
NOBODY = 65534
HEADER = ["File", "Start Line", "End Line", "Operation Type", "Message",
          "Column", "Rule ID", "Applicability", "Before", "After",
          "Cause", "Severity", "Decision"]
MANIFEST = ".transplt-manifest.json"
RECORD = ".transplt-review.json"
REPORTS = (MANIFEST, RECORD, "NEXT.md", "change_list.csv", "msFmkTranspltlog.txt", "unsupported_op.xlsx")


def require_executable():
    """Stops at once, and says why, where there is nothing to test."""
    if not EXECUTABLE.is_file():
        raise SystemExit(f"{EXECUTABLE} is missing: build it with ./dev build, or name one in TRANSPLT")


def has_cxx():
    """True if transplt-cxx, which migrates C++ and CUDA sources, was built beside the program."""
    return (EXECUTABLE.parent / "transplt-cxx").is_file()


@functools.lru_cache(maxsize=None)
def executable_for_everybody():
    """A copy of the program that any user may start: a checkout in /root is closed to others."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    os.chmod(folder, 0o755)
    return shutil.copy(EXECUTABLE, folder)


def become_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def run(*arguments, stdin=b"", cwd=None, env=None, timeout=120, preexec_fn=None, as_nobody=False):
    """Runs the program without a terminal; stdout and stderr are bytes.

    The language is English unless `env` says otherwise, whatever this machine is set to.
    `as_nobody`: without the rights of root, who may read and write everything.
    """
    executable = EXECUTABLE
    if as_nobody and os.getuid() == 0:
        executable, preexec_fn = executable_for_everybody(), become_nobody
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(("LC_", "LANG"))}
    environment["LANG"] = "C.UTF-8"
    environment.update(env or {})
    return subprocess.run([os.fsencode(executable), *map(os.fsencode, arguments)],
                          input=stdin, capture_output=True, cwd=cwd, env=environment,
                          timeout=timeout, check=False, preexec_fn=preexec_fn)


def run_on_a_terminal(*arguments, answers="", cwd=None, env=None, timeout=120):
    """Runs the program on a terminal of its own, types `answers`, and gives its exit code and what
    the terminal has shown."""
    screen, keyboard = pty.openpty()
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(("LC_", "LANG", "NO_COLOR"))}
    environment.update({"LANG": "C.UTF-8", "TERM": "xterm"} | (env or {}))
    shown = bytearray()
    deadline = time.monotonic() + timeout
    with subprocess.Popen([EXECUTABLE, *arguments], stdin=keyboard, stdout=keyboard, stderr=keyboard,
                          cwd=cwd, env=environment, start_new_session=True) as program:
        os.close(keyboard)
        try:
            os.write(screen, answers.encode())
            while time.monotonic() < deadline:
                if not select.select([screen], [], [], 1)[0]:
                    continue
                try:
                    shown += os.read(screen, 1 << 16)
                except OSError:  # the program has ended, and with it its side of the terminal
                    break
        finally:
            if time.monotonic() >= deadline:
                program.kill()
            os.close(screen)
        code = program.wait(timeout=timeout)
    return code, shown.decode().replace("\r\n", "\n")


def sanitizers_of(library):
    """The address sanitizer that a program or library needs, and what it needs itself: paths."""
    needed = subprocess.run(["ldd", library], capture_output=True, check=True, text=True).stdout
    found = dict(re.findall(r"(lib(?:asan|stdc\+\+))\.so\S* => (/\S+)", needed))
    return [found["libasan"], found["libstdc++"]] if "libasan" in found else []


def seconds(limit):
    """A time limit; the address sanitizer makes deep recursion many times slower."""
    return 10 * limit if sanitizers_of(EXECUTABLE) else limit


def memory_limit(kind, size):
    """A preexec_fn that limits the memory of the program to `size` bytes. None where it is built
    with the address sanitizer, which reserves terabytes of addresses."""
    if sanitizers_of(EXECUTABLE):
        return None
    return lambda: resource.setrlimit(kind, (size, size))


def rows_of(csv_bytes):
    """The rows of a change_list.csv as dictionaries; the header must be the agreed one."""
    rows = list(csv.reader(io.StringIO(csv_bytes.decode("utf-8"), newline="")))
    if not rows or rows[0] != HEADER:
        raise AssertionError(f"not the header of a change list: {rows[:1]}")
    return [dict(zip(HEADER, row)) for row in rows[1:]]


def compiles(source, name="file.py"):
    """True if CPython takes the bytes for a program."""
    try:
        compile(source, name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def tree_of(folder):
    """Everything below `folder`: name -> bytes, "-> target" for a link, None for a folder."""
    folder = os.fsencode(folder)
    tree = {}
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(place, name)
            relative = os.fsdecode(os.path.relpath(path, folder))
            if os.path.islink(path):
                tree[relative] = "-> " + os.fsdecode(os.readlink(path))
            elif os.path.isdir(path):
                tree[relative] = None
            else:
                with open(path, "rb") as file:
                    tree[relative] = file.read()
    return tree


class ProgramTest(unittest.TestCase):
    """A test with an empty folder of its own, `self.folder`."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        require_executable()

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="transplt-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, relative, content):
        """Writes a file below the test's folder and returns its path."""
        path = os.path.join(os.fsencode(self.folder), os.fsencode(relative))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
        return pathlib.Path(os.fsdecode(path))

    def run_for(self, code, *arguments, **options):
        """Runs the program, expects the exit code and returns the result."""
        result = run(*arguments, cwd=options.pop("cwd", self.folder), **options)
        self.assertEqual(result.returncode, code,
                         f"{arguments}\n{result.stderr.decode('utf-8', 'replace')[-2000:]}")
        return result

    def assert_nothing_written(self, before):
        """The test's folder still holds exactly `before`, a result of tree_of."""
        self.assertEqual(tree_of(self.folder), before)
