#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every fixture of inject-dump-config: a folder whose name is a sentence about behaviour.

    NAME/before/          a project
    NAME/after/           what the injection makes of it, byte for byte
    NAME/change_list.csv  and what it says about that
    NAME/options.txt      the options, quoted as in a shell
    NAME/run.json         how the result is run on a stand-in: {"script": "main.py", "version": 1,
                          "stand_in": "tensorflow_npu", "environment": {}}; all may be left out,
                          and {"script": null} says that it cannot run; "lacks": a text of the
                          error with which the original ends; "session_first": true where what
                          is put in makes the session that keras makes later in the original;
                          "initializes": true where it runs initialize_system around all else
    NAME/recorded.json    what the stand-in has recorded then

For each: before/ gives after/ and change_list.csv; after/ gives itself; --remove gives before/ back,
byte for byte; both run, and do the same but for the options; no session has two optimizers.

    run_inject_fixtures.py [unittest arguments]
    run_inject_fixtures.py --update [NAME ...]   rewrites after/, change_list.csv, recorded.json
"""

import importlib.util
import json
import pathlib
import shlex
import shutil
import sys
import tempfile
import unittest

FIXTURES = pathlib.Path(__file__).resolve().parent
STAND_INS = FIXTURES.parent / "stand_ins"
sys.path.insert(0, str(FIXTURES.parent / "e2e"))
sys.dont_write_bytecode = True

import program  # noqa: E402

COMMAND = "inject-dump-config"


def fixtures():
    return sorted(path for path in FIXTURES.iterdir() if (path / "before").is_dir())


def options_of(fixture):
    return shlex.split((fixture / "options.txt").read_text(encoding="utf-8"))


def run_of(fixture):
    path = fixture / "run.json"
    run = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {"script": "main.py", "stand_in": "tensorflow_npu", "version": 1, "environment": {},
            **run}


def stand_in(name):
    spec = importlib.util.spec_from_file_location(f"run_on_{name}",
                                                  STAND_INS / name / "run_script.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def simplified(event):
    """An event as fixtures keep it: what it is, and with which options."""
    kept = {"event": event["event"]}
    for key in ("kind", "method", "name", "by_decorator", "options", "value", "arguments",
                "keywords", "environment", "dump", "metrics", "callbacks", "step"):
        if key in event:
            kept[key] = event[key]
    config = event.get("config")
    if config:
        kept["options"] = {key: next(iter(value.values()))
                           for key, value in config["options"].items()}
        kept["optimizers"] = config["optimizers"]
        kept["memory"] = config["rewrite"].get("memory_optimization")
    return kept


KINDS = ("session", "initialize_system", "shutdown_system", "estimator", "keras", "npu_device",
         "clear_session")


# The absolute path that fixtures write to. Scripts run with a folder of their own in its place, since
# this one may belong to another user.
WRITTEN = "/tmp/transplt_fixture"


def record(folder, fixture):
    """(the finished process, the simplified events) of the fixture's script in `folder`."""
    run = run_of(fixture)
    module = stand_in(run["stand_in"])
    arguments = {"version": run["version"]} if run["stand_in"] == "tensorflow_npu" else {}
    with tempfile.TemporaryDirectory() as place:
        copy = shutil.copytree(folder, pathlib.Path(place) / "project")
        written = f"{place}/written"
        for path in copy.rglob("*.py"):
            path.write_bytes(path.read_bytes().replace(WRITTEN.encode(), written.encode()))
        process, events = module.run_script(copy / run["script"], cwd=copy, **arguments,
                                            **run["environment"])
        events = json.loads(json.dumps(events).replace(written, WRITTEN).replace(
            str(copy), str(folder)))
    if run["stand_in"] == "tensorflow_npu":
        events = [event for event in events if event["event"] in KINDS]
    return process, [simplified(event) for event in events]


def inject(source, fixture, folder, *more):
    """Injects into a copy of `source`: (result of the run, tree, change list)."""
    shutil.copytree(source, folder / "project")
    arguments = more or options_of(fixture)
    result = program.run(COMMAND, folder / "project", "-o", folder / "out", *arguments)
    listed = folder / "out" / "change_list.csv"
    tree = program.tree_of(folder / "out" / "project")
    tree.pop(program.MANIFEST, None)
    return result, tree, listed.read_bytes() if listed.is_file() else b""


class Fixtures(program.ProgramTest):
    """One test per folder, added below."""

    def check(self, fixture):
        before = program.tree_of(fixture / "before")
        after = program.tree_of(fixture / "after")
        result, tree, change_list = inject(fixture / "before", fixture, self.folder)
        self.assertEqual(result.returncode, 0, result.stderr.decode("utf-8", "replace"))
        self.assert_same_tree(after, tree)
        self.assertEqual((fixture / "change_list.csv").read_bytes().decode("utf-8"),
                         change_list.decode("utf-8"))
        with self.subTest("a program stays a program"):
            for name, text in after.items():
                if text is not None and program.compiles(before[name]):
                    self.assertTrue(program.compiles(text), name)
        with self.subTest("injecting twice is injecting once"):
            _, tree, _ = inject(fixture / "after", fixture, self.fresh_folder("again"))
            self.assert_same_tree(after, tree)
        if before != after:
            with self.subTest("--remove gives back what was there"):
                _, tree, _ = inject(fixture / "after", fixture, self.fresh_folder("removed"),
                                    "--remove")
                self.assert_same_tree(self.untouched(fixture), tree)
        if run_of(fixture)["script"]:
            with self.subTest("the result runs"):
                self.check_run(fixture)

    def untouched(self, fixture):
        """before/, without what an earlier injection has left there."""
        before = program.tree_of(fixture / "before")
        if not any(b"# transplt-inject: " in text for text in before.values() if text):
            return before
        _, tree, _ = inject(fixture / "before", fixture, self.fresh_folder("clean"), "--remove")
        return tree

    def check_run(self, fixture):
        process, expected = record(fixture / "before", fixture)
        lacks = run_of(fixture).get("lacks")  # why the original does not run
        if lacks:
            self.assertIn(lacks, process.stderr)
        else:
            self.assertEqual(process.returncode, 0, process.stderr)
        process, events = record(fixture / "after", fixture)
        self.assertEqual(process.returncode, 0, process.stderr)
        recorded = json.loads((fixture / "recorded.json").read_text(encoding="utf-8"))
        self.assertEqual(recorded, events)
        if run_of(fixture)["stand_in"] != "tensorflow_npu":
            return
        for event, known in zip(events, expected):
            if event.get("kind") != "NPUEstimator":  # which adds one of its own
                self.assertLessEqual(event.get("optimizers", []).count("NpuOptimizer"),
                                     max(1, known.get("optimizers", []).count("NpuOptimizer")))
        if not lacks:
            kinds = [[(event["event"], event.get("kind", "")) for event in events_of]
                     for events_of in (expected, events)]
            if run_of(fixture).get("session_first"):  # which keras made when it first needed one
                kinds[0].sort(key=lambda kind: kind[0] != "session")
            if run_of(fixture).get("initializes"):
                self.assertEqual(kinds[1][:2], [("session", "Session"), ("initialize_system", "")])
                self.assertEqual(kinds[1].pop(), ("shutdown_system", ""))
                del kinds[1][:2]
            self.assertEqual(*kinds)

    def fresh_folder(self, name):
        folder = self.folder / name
        folder.mkdir()
        return folder

    def assert_same_tree(self, expected, actual):
        self.assertEqual(sorted(expected), sorted(actual))
        for name, text in expected.items():
            if text != actual[name]:
                with self.subTest(file=name):
                    self.assertEqual(text.decode("utf-8", "backslashreplace").splitlines(True),
                                     actual[name].decode("utf-8", "backslashreplace")
                                     .splitlines(True))


class TheFixtures(unittest.TestCase):
    def test_are_found(self):
        self.assertGreaterEqual(len(fixtures()), 80)

    def test_run_on_the_stand_ins(self):
        self.assertGreaterEqual(sum(bool(run_of(fixture)["script"]) for fixture in fixtures()), 80)

    def test_name_their_sources(self):
        text = (FIXTURES / "SOURCES.md").read_text(encoding="utf-8")
        for fixture in fixtures():
            self.assertIn(f"`{fixture.name}`", text)


def add_tests():
    for fixture in fixtures():
        setattr(Fixtures, f"test_{fixture.name}", lambda self, f=fixture: self.check(f))


def update(names):
    import tempfile
    program.require_executable()
    for fixture in fixtures():
        if names and fixture.name not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            result, tree, change_list = inject(fixture / "before", fixture, pathlib.Path(folder))
            if result.returncode != 0:
                sys.stderr.buffer.write(result.stderr)
                raise SystemExit(f"{fixture.name}: exit code {result.returncode}")
            shutil.rmtree(fixture / "after", ignore_errors=True)
            shutil.copytree(pathlib.Path(folder) / "out" / "project", fixture / "after",
                            ignore=shutil.ignore_patterns(program.MANIFEST))
            (fixture / "change_list.csv").write_bytes(change_list)
        if run_of(fixture)["script"]:
            process, events = record(fixture / "after", fixture)
            if process.returncode != 0:
                sys.stderr.write(process.stderr)
                print(f"{fixture.name}: the result does not run", file=sys.stderr)
            lines = ",\n".join("  " + json.dumps(event, ensure_ascii=False) for event in events)
            (fixture / "recorded.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--update"]:
        update(sys.argv[2:])
    else:
        add_tests()
        unittest.main()
