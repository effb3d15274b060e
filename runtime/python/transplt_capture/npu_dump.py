# SPDX-License-Identifier: Apache-2.0
"""init_dump(), set_dump(FILE), finalize_dump() of torch.npu, on the host: the operators of one
process become files in GE's layout, {dump_path}/{time}/{device}/{model id}/{data index}.

These are SIMULATED: the values are those that torch computes here. Task and stream numbers are
counted, and what the compiler of an NPU fuses is not fused. A file SIMULATED says so.
"""

import itertools
import json
import os

from . import _native
from .operators import mode_class, operator_name
from .ending import at_end, finish_capture, finish_log, has_log, open_capture, say
from .tensors import FORMAT_GE, on_host, tensors_in

_MODES = ("input", "output", "all")


def read_settings(path):
    """The settings of dump.json, checked."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}:{error.lineno}:{error.colno}: no JSON: {error.msg}. The sample "
                         "of the manual lacks commas and a brace") from None
    dump = content.get("dump") if isinstance(content, dict) else None
    if not isinstance(dump, dict):
        raise ValueError(f"{path}: an object \"dump\" is expected")
    for name in dump:
        if name not in ("dump_list", "dump_path", "dump_mode", "dump_op_switch"):
            raise ValueError(f"{path}: unknown field \"{name}\"")
    if not isinstance(dump.get("dump_path"), str) or not dump["dump_path"]:
        raise ValueError(f"{path}: dump_path is missing")
    if dump.get("dump_mode", "output") not in _MODES:
        raise ValueError(f"{path}: dump_mode is not one of {', '.join(_MODES)}")
    if dump.get("dump_op_switch", "off") not in ("on", "off"):
        raise ValueError(f"{path}: dump_op_switch is neither on nor off")
    if dump.get("dump_list"):
        raise ValueError(f"{path}: dump_list names offline models, which do not run here; leave "
                         "it empty")
    return dump


# One after the other in all dumps of the process: two of them may share a folder.
_numbers = itertools.count(1)
# Folders whose log this process could not make files of, because of the disk.
_unfinished = set()


class _Dump:
    def __init__(self):
        self.capture = None
        self.mode = None
        self.settings = None
        self.process = os.getpid()

    def begin(self, settings):
        self.settings = settings
        if settings.get("dump_op_switch", "off") == "off":
            return
        options = {"format": FORMAT_GE, "device_id": int(os.environ.get("DEVICE_ID", "0")),
                   "allow_existing": 1}
        path = settings["dump_path"]
        if path in _unfinished and finish_log(path):
            _unfinished.remove(path)
        self.capture = open_capture(0, path, **options)
        if self.capture is None:
            return
        self.capture.text_begin("SIMULATED", "Values computed on the host, not by an NPU.\n", "",
                                "")
        self.mode = mode_class()(self)
        self.mode.__enter__()

    def call(self, function, args, kwargs):
        name = operator_name(function)
        number = next(_numbers)
        wanted = self.settings.get("dump_mode", "output")
        if wanted in ("input", "all"):
            self.put(name, number, tensors_in(args, kwargs), 1)
        result = function(*args, **kwargs)
        if wanted in ("output", "all"):
            self.put(name, number, tensors_in(result), 2)
        return result

    def put(self, name, number, tensors, direction):
        for index, tensor in enumerate(tensors):
            host = on_host(tensor)
            if host is not None:
                self.capture.put(host, f"{name}{number}", name, None, "ND", direction, index,
                                 number)

    def end(self):
        if self.mode is not None:
            self.mode.__exit__(None, None, None)
        if self.capture is not None:
            finish_capture(self.capture, 0, self.settings["dump_path"])
            if has_log(self.settings["dump_path"]):
                _unfinished.add(self.settings["dump_path"])


_current = []


def init_dump():
    if _current:
        raise RuntimeError("init_dump() was called already; call finalize_dump() first")
    _current.append(_Dump())


def set_dump(path):
    if not _current:
        raise RuntimeError("set_dump() comes after init_dump()")
    if _current[0].settings is not None:
        raise RuntimeError("set_dump() was called already")
    _current[0].begin(read_settings(path))


def _at_exit():
    if _current and _current[0].process == os.getpid():
        say("transplt_capture: finalize_dump() was not called; what was dumped is written now")
        finalize_dump()


def finalize_dump():
    if not _current:
        raise RuntimeError("finalize_dump() comes after init_dump()")
    _current.pop().end()


at_end(_at_exit)
