# SPDX-License-Identifier: Apache-2.0
"""What users may ask for, checked before anything is written."""

import errno
import json
import os
import re

from . import _native

_TASKS = ("statistics", "tensor")
_OTHER_TASKS = ("acc_check", "nan_check", "structure", "exception_dump", "overflow_check",
                "run_ut", "grad_probe", "free_benchmark")
_LEVELS = ("L0", "L1", "mix", "debug")
_KNOWN = {"task", "dump_path", "rank", "step", "level", "async_dump", "dump_enable", "extra_info",
          "precision", "risk_level", "enable_dataloader", "transplt_capture", *_TASKS,
          *_OTHER_TASKS}
_KNOWN_OF_TASK = {"scope", "list", "tensor_list", "data_mode", "summary_mode", "slice"}
_DATA_MODES = ("all", "forward", "backward", "input", "output")


def numbers(value, name):
    """A list of int, of int and "4-6", or a text in the grammar 0|3-5|10, as such a text."""
    if value is None or value == []:
        return ""
    parts = value if isinstance(value, (list, tuple)) else [value]
    text = []
    for part in parts:
        if isinstance(part, bool) or not isinstance(part, (int, str)) or part == "" or \
                (isinstance(part, int) and part < 0):
            raise ValueError(f"{name}: {part!r} is neither a number from 0 nor a range such as "
                             "\"4-6\"")
        text.append(str(part))
    joined = "|".join(text)
    _native.selected(joined, 0)  # raises ValueError with the remedy
    return joined


def last_number(selection):
    """The largest number of a selection; None if it has none."""
    if not selection:
        return None
    return max(int(part.split("-")[-1]) for part in selection.split("|"))


def first_number(selection):
    """The smallest number of a selection; 0 if it selects everything."""
    if not selection:
        return 0
    return min(int(part.split("-")[0]) for part in selection.split("|"))


def rank_of_process():
    """The rank as torch.distributed or the launcher tells it, or None."""
    import torch
    distributed = getattr(torch, "distributed", None)
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank()
    for name in ("RANK_ID", "RANK"):
        value = os.environ.get(name, "")
        if value.isdigit():
            return int(value)
    return None


class MsprobeSettings:
    """The config.json of msprobe, as far as it is supported; the rest is refused by name."""

    def __init__(self, content, where):
        if not isinstance(content, dict):
            raise ValueError(f"{where}: an object is expected")
        self.task = content.get("task", "statistics") or "statistics"
        if self.task in _OTHER_TASKS:
            raise ValueError(f"{where}: task \"{self.task}\" is not supported by transplt_capture; "
                             f"there are: {', '.join(_TASKS)}")
        self._one_of(where, "task", self.task, _TASKS)
        self.level = content.get("level", "L1") or "L1"
        if self.level == "L2":
            raise ValueError(f"{where}: level \"L2\" dumps kernels through the driver of an NPU, "
                             "which transplt_capture does not; levels L0, L1 and mix work anywhere")
        self._one_of(where, "level", self.level, _LEVELS)
        self.dump_path = content.get("dump_path")
        if not self.dump_path or not isinstance(self.dump_path, str):
            raise ValueError(f"{where}: dump_path is missing")
        self.rank = numbers(content.get("rank"), f"{where}: rank")
        self.step = numbers(content.get("step"), f"{where}: step")
        if content.get("async_dump"):
            raise ValueError(f"{where}: async_dump is not needed: the writer is asynchronous "
                             "always, in bounded memory; leave it out")
        if content.get("enable_dataloader"):
            raise ValueError(f"{where}: enable_dataloader is not supported: call start(), stop() "
                             "and step() in the training loop")
        self.dump_enable = self._flag(where, content, "dump_enable", None)
        self.extra_info = self._flag(where, content, "extra_info", True)
        # Statistics are computed in double precision, whatever is asked for.
        self._one_of(where, "precision", content.get("precision", "low"), ("low", "high"))
        # The choice by risk is msprobe's own list of functions.
        self._one_of(where, "risk_level", content.get("risk_level", "ALL"), ("ALL",))
        part = content.get(self.task) or {}
        if not isinstance(part, dict):
            raise ValueError(f"{where}: {self.task}: an object is expected")
        self.without_effect = sorted((set(content) - _KNOWN) | (set(part) - _KNOWN_OF_TASK))
        for key in ("scope", "list", "tensor_list", "data_mode"):
            list_of_names(part.get(key), f"{where}: {key}")
        self.scope = part.get("scope") or []
        if len(self.scope) not in (0, 2):
            raise ValueError(f"{where}: scope takes two names, the first and the last")
        self.names = part.get("list") or []
        self.tensor_list = part.get("tensor_list") or []
        self.data_mode = part.get("data_mode") or ["all"]
        for mode in self.data_mode:
            self._one_of(where, "data_mode", mode, _DATA_MODES)
        self._wanted = self._wanted_of(set(self.data_mode))
        self.summary_mode = part.get("summary_mode", "statistics")
        self._one_of(where, "summary_mode", self.summary_mode, ("statistics", "md5"))
        self.slices = part.get("slice") or []
        for one in self.slices:
            if not isinstance(one, dict) or not {"dim", "begin", "end"} <= set(one) or \
                    not one["begin"] < one["end"]:
                raise ValueError(f"{where}: slice: {one!r} needs dim, begin and end, begin < end")
        self.capture_options = dict(content.get("transplt_capture") or {})
        self.tensor_format = self.capture_options.pop("tensor_format", "pt")
        self._one_of(where, "transplt_capture: tensor_format", self.tensor_format, ("pt", "npy"))

    @classmethod
    def read(cls, path, **changes):
        try:
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
        except json.JSONDecodeError as error:
            raise ValueError(f"{path}:{error.lineno}:{error.colno}: no JSON: {error.msg}") from None
        if isinstance(content, dict):
            content.update({k: v for k, v in changes.items() if v is not None})
        return cls(content, path)

    @staticmethod
    def _flag(where, content, name, default):
        value = content.get(name, default)
        if value is not default and not isinstance(value, bool):
            raise ValueError(f"{where}: {name}: {value!r} is neither true nor false")
        return value

    @staticmethod
    def _one_of(where, name, value, allowed):
        if value not in allowed:
            raise ValueError(f"{where}: {name}: {value!r} is not one of {', '.join(allowed)}")

    def wants(self, phase, direction):
        """Whether data_mode takes forward or backward, and input or output; None: any of them."""
        return (phase, direction) in self._wanted

    def _wanted_of(self, modes):
        phases = modes & {"forward", "backward"}
        directions = modes & {"input", "output"}
        return {(phase, direction)
                for phase in ("forward", "backward") for direction in ("input", "output", None)
                if "all" in modes or ((not phases or phase in phases) and
                                      (direction is None or not directions or
                                       direction in directions))}

    def keeps(self, name):
        return not self.tensor_list or any(part in name for part in self.tensor_list)

    def slice_of(self, tensor):
        for one in self.slices:
            dim, size = one["dim"], one.get("size")
            if tensor.dim() <= dim or (size is not None and tensor.shape[dim] != size):
                continue
            end = min(one["end"], tensor.shape[dim])
            if one["begin"] < end:
                tensor = tensor.detach().narrow(dim, one["begin"], end - one["begin"])
        return tensor


def checked_path(path):
    if not path or not isinstance(path, str):
        raise ValueError("dump_path: the path of a folder is expected")
    if len(path) > 4096 or any(len(part) > 255 for part in path.split("/")):
        raise ValueError("dump_path: a path has at most 4096 characters and a name 255")
    if not re.fullmatch(r"[A-Za-z0-9_./-]+", path):
        raise ValueError(f"dump_path: {path!r}: only letters, digits and _ . / - are allowed")
    return path


def make_folder(path):
    """Now, and not at the step that is captured, which may come after hours."""
    try:
        os.makedirs(path, mode=0o750, exist_ok=True)
    except OSError as problem:
        raise type(problem)(problem.errno, f"dump_path: {problem.strerror}", path) from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "dump_path: cannot be written to", path)
    return path


def list_of_names(value, what):
    if value is None:
        return []
    if isinstance(value, str) or not all(isinstance(name, str) for name in value):
        raise ValueError(f"{what}: {value!r} is no list of names")
    return list(value)
