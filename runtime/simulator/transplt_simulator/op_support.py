# SPDX-License-Identifier: Apache-2.0
"""Which operators of the executed lines an NPU lacks or limits, by rules/torch_api_support.csv."""

import csv
import os

import torch

from . import processes, report
from .settings import current as settings

_places = {}  # (api, dtype, file, line) -> _Entry
_usual = []  # _Entry of each limited API that ran with dtypes that are no reason to worry
_NOTES = {
    "unsupported": "no NPU has it according to the documents of torch_npu",
    "module": "the documents of torch_npu do not list it as supported; the operators in it are looked at "
              "one by one",
    "limited": "the documents of torch_npu limit it (mostly its dtypes)",
}
_RARE = {torch.float64, torch.complex64, torch.complex128, torch.complex32, torch.int16}
_NOT_OPERATORS = ("torch.cuda.", "torch.backends.", "torch.utils.", "torch.distributed.")


def table_path():
    """The table lies beside the package, or in the source tree."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in (here, os.path.join(here, "..", "..", "rules")):
        path = os.path.join(folder, "torch_api_support.csv")
        if os.path.isfile(path):
            return path
    return None


def _resolve(name):
    value = torch
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    return value


def load(plans):
    """Adds a Grade to `plans` for each function of the table that nothing else handles."""
    path = table_path()
    if path is None:
        return
    with open(path, newline="", encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            if not row["api"].startswith("torch.") or row["api"].startswith(_NOT_OPERATORS):
                continue
            if "yes" not in (row["A2"], row["A3"], row["950DT"]):
                support = "unsupported"
            elif row["limited"] == "yes":
                support = "limited"
            else:
                continue
            _grade(plans, row["api"], support)


def _grade(plans, api, support):
    try:
        value = _resolve(api)
    except (AttributeError, ImportError):
        return
    if isinstance(value, type):
        if value.__name__ != api.rpartition(".")[2]:
            return
        if support == "unsupported" and issubclass(value, torch.nn.Module):
            _watch_module(value, api)
        return
    try:
        plans.setdefault(value, Grade(api, support))
    except TypeError:  # not hashable, so no function
        pass


def _watch_module(kind, api):
    forward = kind.__dict__.get("forward")
    if forward is None or kind is torch.nn.DataParallel:  # that one is noted where it is made
        return

    def watched(self, *args, **kwargs):
        # What is made of other modules is graded by theirs; one without any is an operator itself.
        record_as(api, "module" if next(self.children(), None) is not None else "unsupported", args)
        return forward(self, *args, **kwargs)

    kind.forward = watched


def _dtypes(args):
    found = []
    for value in args:
        if isinstance(value, torch.Tensor):
            name = str(value.dtype)[6:]
            if name not in found:
                found.append(name)
    return tuple(found)


class Grade:
    """What the table says about a function, and how often it was called."""

    __slots__ = ("api", "support", "_entry")

    def __init__(self, api, support):
        self.api, self.support, self._entry = api, support, None

    def count(self, args, result):
        """Counts a call. What is limited but has usual dtypes is listed at its first place only."""
        first = args[0] if args else result
        if self.support == "unsupported" or _is_rare(first) or _is_rare(result):
            record_as(self.api, self.support, args)
        elif self._entry is None or self._entry.generation is not _usual:
            self._entry = _entry(self.api, self.support, args, None)
            self._entry.usual = True
            self._entry.generation = _usual
            _usual.append(self._entry)
            self._entry.write()
        else:
            self._entry.count += 1


def _is_rare(value):
    return isinstance(value, torch.Tensor) and value.dtype in _RARE


def record_as(api, support, args):
    """Counts a call of an API at its place."""
    tensor = next((value for value in args if isinstance(value, torch.Tensor)), None)
    file, line = report.user_place(report.calling_frame())
    key = (api, None if tensor is None else tensor.dtype, file, line)
    found = _places.get(key)
    if found is None:
        found = _places[key] = _entry(api, support, args, (file, line))
        found.write()
        return
    found.count += 1
    if found.count % 1000 == 0:
        found.write()


def _entry(api, support, args, place):
    return _Entry(api, support, _dtypes(args), place or report.user_place(report.calling_frame()))


class _Entry:
    """One API at one place; `count` in the report is what came since the last line about it."""

    def __init__(self, api, support, dtypes, place):
        self.api, self.support, self.dtypes, self.place = api, support, dtypes, place
        self.usual = False
        self.generation = None  # the list of entries of the process that counts it
        self.count, self._written = 1, 0

    def write(self):
        if self.count == self._written:
            return
        note = _NOTES[self.support]
        rare = [name for name in self.dtypes if getattr(torch, name) in _RARE]
        if self.support == "limited" and rare:
            note += "; %s is often not among them" % ", ".join(rare)
        fields = {"usual_dtypes": True} if self.usual else {}
        report.write("op", op=self.api, dtype=list(self.dtypes), file=self.place[0],
                     line=self.place[1], count=self.count - self._written, support=self.support,
                     note=note, **fields)
        self._written = self.count


def _write_all():
    for entry in _usual + list(_places.values()):
        entry.write()


def _forget():
    """A forked child counts anew."""
    global _usual
    _usual = []
    _places.clear()


def install(plans):
    if settings.simulate != "npu":
        return
    load(plans)
    processes.before_exit(_write_all)
    os.register_at_fork(after_in_child=_forget)
