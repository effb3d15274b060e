# SPDX-License-Identifier: Apache-2.0
"""Runs a script on the stand-in for TensorFlow and gives back what it has recorded."""

import json
import os
import pathlib
import subprocess
import tempfile

STAND_IN = pathlib.Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"


def run_script(script, *arguments, version=1, cwd=None, timeout=120, **environment):
    """(the finished process, its events); `version` is that of TensorFlow, 1 or 2."""
    with tempfile.TemporaryDirectory(prefix="transplt-record-") as folder:
        record = pathlib.Path(folder) / "record.jsonl"
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("TRANSPLT", "RANK", "DEVICE"))}
        process = subprocess.run(
            [PYTHON, "-B", str(script), *arguments], cwd=cwd or pathlib.Path(script).parent,
            env={**kept, "PYTHONPATH": str(STAND_IN), "TRANSPLT_RECORD": str(record),
                 "TRANSPLT_TENSORFLOW": str(version), **environment},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False)
        lines = record.read_text(encoding="utf-8").splitlines() if record.is_file() else []
        return process, [json.loads(line) for line in lines]


def events(record, name):
    """The events of that name."""
    return [event for event in record if event["event"] == name]
