#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""transplt lsp, with the client library of VS Code, and the extension for VS Code."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from program import EXECUTABLE, ROOT, ProgramTest, rows_of, seconds  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
HAS_CLIENT = (ROOT / "tests/lsp/node_modules/vscode-jsonrpc").is_dir() and shutil.which("node")
EXTENSION = ROOT / "editors" / "vscode"
INITIALIZED = {"notify": "initialized", "params": {}}
TRAIN = ("import torch\n"
         "名 = '数据😀'; device = 'cuda'; print('😀')\n"
         "model = torch.nn.Linear(2, 2).to(device)\n"
         "x = torch.zeros(2).cuda(); note = '训练😀cuda'\n"
         "from torch.utils.cpp_extension import CUDAExtension\n")


def apply_edits(text, edits):
    """What an editor makes of them: positions in UTF-16, ends first."""
    lines = text.splitlines(keepends=True) + [""]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode("utf-16-le")))
    data = text.encode("utf-16-le")

    def offset(position):
        return starts[position["line"]] + 2 * position["character"]

    for edit in sorted(edits, key=lambda e: offset(e["range"]["start"]), reverse=True):
        start, end = (offset(edit["range"][side]) for side in ("start", "end"))
        data = data[:start] + edit["newText"].encode("utf-16-le") + data[end:]
    return data.decode("utf-16-le")


@unittest.skipUnless(HAS_CLIENT, "node, or tests/lsp/node_modules, is not installed")
class Session(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("project/setup.py", "")
        self.train = self.write("project/train.py", "import torch\n")

    def session(self, *script, capabilities=None, arguments=(), code=0):
        """The answers to the steps of the script, between start and end."""
        start = [{"request": "initialize", "params": {"processId": None, "rootUri": None,
                                                      "capabilities": capabilities or {}}}, INITIALIZED]
        end = [{"request": "shutdown"}, {"notify": "exit"}]
        given = {"program": str(EXECUTABLE), "arguments": list(arguments), "script": [*start, *script, *end]}
        done = subprocess.run([shutil.which("node"), HERE / "lsp_client.js"], input=json.dumps(given).encode(),
                              capture_output=True, check=False, timeout=seconds(100))
        self.assertEqual(done.returncode, 0, done.stderr.decode()[-2000:])
        answers = json.loads(done.stdout)
        self.assertEqual(answers[-1], code)
        self.begun = answers[0]
        return answers[2:2 + len(script)]

    def opened(self, text, path=None):
        path = path or self.train
        return {"notify": "textDocument/didOpen", "params": {"textDocument": {
            "uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}}}

    def changed(self, text, version=2):
        return {"notify": "textDocument/didChange", "params": {
            "textDocument": {"uri": self.train.as_uri(), "version": version}, "contentChanges": [{"text": text}]}}

    def asked(self, method, **params):
        return {"request": "textDocument/" + method,
                "params": {"textDocument": {"uri": self.train.as_uri()}, **params}}

    def actions(self, line, kind=None):
        place = {"line": line, "character": 0}
        context = {"diagnostics": []} | ({"only": [kind]} if kind else {})
        return self.asked("codeAction", range={"start": place, "end": place}, context=context)

    def diagnostics(self):
        return {"diagnostics": self.train.as_uri()}

    def test_says_of_an_open_buffer_what_migrate_says_of_the_file(self):
        _, told = self.session(self.opened(TRAIN), self.diagnostics())
        self.train.write_text(TRAIN, encoding="utf-8")
        self.run_for(0, "migrate", "project", "-o", "out")
        rows = [row for row in rows_of((self.folder / "out/project_msft/change_list.csv").read_bytes())
                if row["File"] == "train.py" and row["Rule ID"] != "torch_npu.import"]
        shown = sorted((d["range"]["start"]["line"] + 1, d["code"], d["message"], d["data"]["cause"])
                       for d in told["diagnostics"])
        edits = {d["code"] for d in told["diagnostics"]}
        wanted = sorted((int(row["Start Line"]), row["Rule ID"], row["Message"], row["Cause"])
                        for row in rows if row["Rule ID"] in edits)
        self.assertEqual(shown, wanted)
        self.assertTrue(shown)
        self.assertEqual(told["version"], 1)

    def test_counts_columns_in_utf16_behind_chinese_and_emoji(self):
        _, told = self.session(self.opened(TRAIN), self.diagnostics())
        self.assertEqual(self.begun["capabilities"]["positionEncoding"], "utf-16")
        line = TRAIN.splitlines()[1]
        start = len(line[:line.index("'cuda'")].encode("utf-16-le")) // 2
        found = [d["range"] for d in told["diagnostics"] if d["range"]["start"]["line"] == 1]
        self.assertTrue(any(start <= r["start"]["character"] <= start + 1 for r in found), (start, found))

    def test_makes_the_edits_of_migrate(self):
        *_, fixes = self.session(self.opened(TRAIN), self.diagnostics(), self.actions(0, "source.fixAll"))
        [action] = fixes
        edits = action["edit"]["changes"][self.train.as_uri()]
        self.train.write_text(TRAIN, encoding="utf-8")
        self.run_for(0, "migrate", "project", "-o", "out")
        self.assertEqual(apply_edits(TRAIN, edits),
                         (self.folder / "out/project_msft/train.py").read_text(encoding="utf-8"))

    def test_fixes_one_group_with_the_import_that_it_needs(self):
        text = "import torch\nx = torch.zeros(1).cuda()\ny = torch.cuda.device_count()\n"
        *_, fixes = self.session(self.opened(text), self.actions(1, "quickfix"))
        fixed = apply_edits(text, fixes[0]["edit"]["changes"][self.train.as_uri()])
        self.assertIn("x = torch.zeros(1).npu()", fixed)
        self.assertIn("import torch_npu", fixed)
        self.assertIn("y = torch.cuda.device_count()", fixed)

    def test_shows_the_evidence_that_explain_prints(self):
        line = TRAIN.splitlines()[1]
        place = {"line": 1, "character": len(line[:line.index("'cuda'") + 1].encode("utf-16-le")) // 2}
        *_, hover = self.session(self.opened(TRAIN), self.asked("hover", position=place))
        self.train.write_text(TRAIN, encoding="utf-8")
        shown = self.run_for(0, "explain", f"{self.train}:2:{line.index(chr(39) + 'cuda') + 2}")
        self.assertEqual(hover["contents"]["value"], shown.stdout.decode())

    def test_follows_every_change_of_the_buffer(self):
        steps = [self.opened("import torch\n"), self.diagnostics()]
        for version in range(2, 8):
            lines = version if version % 2 else 0
            steps += [self.changed("import torch\n" + "x = torch.zeros(1).cuda()\n" * lines, version),
                      self.diagnostics()]
        told = self.session(*steps)[1::2]
        self.assertEqual([len(t["diagnostics"]) for t in told], [0, 0, 3, 0, 5, 0, 7])
        self.assertEqual([t["version"] for t in told], list(range(1, 8)))

    def test_edits_closed_files_of_another_encoding(self):
        other = self.write("project/options.py", "# coding: gbk\nNOTE = '数据'; DEVICE = 'cuda'\n".encode("gbk"))
        text = ("import torch\nimport options\nx = torch.zeros(1, device=options.DEVICE)\n"
                "if options.DEVICE == 'cuda':\n    print(x)\n")
        *_, fixes = self.session(self.opened(text), self.actions(3, "quickfix"))
        edits = fixes[0]["edit"]["changes"][other.as_uri()]
        self.assertEqual([(e["range"]["start"], e["newText"]) for e in edits],
                         [({"line": 1, "character": 23}, "npu")])

    def test_answers_what_it_does_not_know_by_the_error_of_the_protocol(self):
        answers = self.session({"request": "textDocument/rename", "params": {}}, {"notify": "$/odd", "params": {}},
                               {"request": "textDocument/hover", "params": {"position": "here"}})
        self.assertEqual([answers[0]["error"], answers[2]["error"]], [-32601, -32602])


class Extension(ProgramTest):
    """The manifest, as `vsce` and the editor read it."""

    def setUp(self):
        super().setUp()
        self.manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))

    def test_has_what_vsce_asks_for(self):
        for key in ("name", "publisher", "version", "engines", "main", "license", "description"):
            self.assertIn(key, self.manifest)
        self.assertRegex(self.manifest["name"], "^[a-z0-9][a-z0-9-]*$")
        self.assertRegex(self.manifest["engines"]["vscode"], r"^\^\d+\.\d+\.\d+$")
        self.assertTrue((EXTENSION / self.manifest["main"]).is_file())
        for name in ("README.md", "LICENSE"):
            self.assertTrue((EXTENSION / name).is_file(), name)

    def test_has_the_version_of_the_program(self):
        shown = json.loads(self.run_for(0, "--version", "--json").stdout)
        self.assertEqual(self.manifest["version"], shown["version"])

    def test_uses_only_commands_and_settings_that_it_contributes(self):
        text = (EXTENSION / "extension.js").read_text(encoding="utf-8")
        commands = {c["command"] for c in self.manifest["contributes"]["commands"]}
        self.assertEqual(set(re.findall(r'registerCommand\("([^"]+)"', text)), commands)
        settings = self.manifest["contributes"]["configuration"]["properties"]
        self.assertEqual({f"transplt.{name}" for name in re.findall(r'settings\.get\("([^"]+)"', text)}, set(settings))
        for setting in settings.values():
            self.assertIn("description", setting)
            self.assertIn("default", setting)

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_is_a_program_of_javascript(self):
        subprocess.run([shutil.which("node"), "--check", EXTENSION / "extension.js"], check=True)


if __name__ == "__main__":
    unittest.main()
