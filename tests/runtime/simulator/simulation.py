# SPDX-License-Identifier: Apache-2.0
"""Runs small scripts under the simulator and reads what it reports.

Importing torch takes a second, so a server process for each kind of device imports it once and forks
for each script. Scripts that start processes by spawn run in a process of their own.
"""

import atexit
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SIMULATOR = ROOT / "runtime" / "simulator"
PYTHON = "/usr/bin/python3"


def environment(simulate, **settings):
    """The environment of a simulated process; devices=2 becomes TRANSPLT_SIMULATE_DEVICES."""
    values = {name: value for name, value in os.environ.items()
              if not name.startswith("TRANSPLT_SIMULATE") and name != "PYTHONPATH"}
    values.update(TRANSPLT_SIMULATE=simulate, PYTHONPATH=str(SIMULATOR),
                  PYTHONDONTWRITEBYTECODE="1", OMP_NUM_THREADS="1")
    for name, value in settings.items():
        values["TRANSPLT_SIMULATE_" + name.upper()] = str(value)
    return values


class Result:
    """How a script ended and what the simulator has reported about it."""

    def __init__(self, code, folder):
        self.code = code
        self.out = (folder / "stdout").read_text(encoding="utf-8")
        self.err = (folder / "stderr").read_text(encoding="utf-8")
        self.events = []
        for path in sorted((folder / "report").glob("*.jsonl")):
            with open(path, encoding="utf-8") as lines:
                self.events.extend(json.loads(line) for line in lines)

    def of(self, kind):
        return [event for event in self.events if event["event"] == kind]


class _Server:
    def __init__(self, simulate, settings):
        self._process = subprocess.Popen(
            [PYTHON, str(HERE / "case_server.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=environment(simulate, **settings), text=True)
        atexit.register(self.stop)

    def run(self, folder):
        self._process.stdin.write(json.dumps(str(folder)) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def stop(self):
        if self._process.poll() is None:
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()


_servers = {}


def _server(simulate, settings):
    key = (simulate, tuple(sorted(settings.items())))
    if key not in _servers:
        _servers[key] = _Server(simulate, settings)
    return _servers[key]


class SimulatedTest(unittest.TestCase):
    """A script is a text; the line that must be named in the report ends with `# here`."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="simulated"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def _write(self, script):
        self.script = textwrap.dedent(script)
        (self.folder / "report").mkdir(exist_ok=True)
        project = self.folder / "project"
        project.mkdir(exist_ok=True)
        (project / "main.py").write_text(self.script, encoding="utf-8")
        return project

    def run_script(self, script, simulate="npu", **settings):
        """In a fork of the server."""
        self._write(script)
        return Result(_server(simulate, settings).run(self.folder), self.folder)

    def run_process(self, script, simulate="npu", arguments=("main.py",), **settings):
        """In a process of its own."""
        project = self._write(script)
        values = environment(simulate, report=self.folder / "report", project=project, **settings)
        with open(self.folder / "stdout", "w") as out, open(self.folder / "stderr", "w") as err:
            process = subprocess.Popen([PYTHON, *arguments], cwd=project, env=values, stdout=out,
                                       stderr=err, start_new_session=True)
            try:
                code = process.wait(timeout=120)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # its ranks too
                process.wait()
                raise
        return Result(code, self.folder)

    def line(self):
        """The number of the line that is marked."""
        marked = [number for number, text in enumerate(self.script.splitlines(), 1)
                  if text.endswith("# here")]
        self.assertEqual(len(marked), 1, "one line of the script must be marked")
        return marked[0]

    def assert_reported(self, result, kind, words):
        """An event of this kind about these words names the marked line."""
        found = [event for event in result.of(kind)
                 if words in str(event.get("what", event.get("op", "")))
                 or words in str(event.get("message", ""))]
        self.assertTrue(found, "no %s about %r in %s\n%s" % (
            kind, words, [e for e in result.events if e["event"] not in ("op", "start")], result.err))
        places = [(event["file"], event["line"]) for event in found]
        self.assertIn(("main.py", self.line()), places)
        return found[0]

    def assert_fails(self, result, words=""):
        self.assertNotEqual(result.code, 0, result.out)
        self.assertIn(words, result.err)

    def assert_runs(self, result):
        self.assertEqual(result.code, 0, result.err)


def main():
    sys.dont_write_bytecode = True
    unittest.main()
