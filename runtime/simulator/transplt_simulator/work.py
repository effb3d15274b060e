# SPDX-License-Identifier: Apache-2.0
"""How much of the work of a process was done on which device, and which devices it has used."""

import os
import threading

from . import device, processes, report

operators = {}  # index of a device -> calls of torch functions there
_backwards = {}  # index (None: the CPU) -> [calls of backward, file, line of the first]
_lock = threading.Lock()


def first_use(index):
    """Something is on a device for the first time in this process."""
    with _lock:
        if index in operators:
            return
        operators[index] = 0
    report.write("device", device=device.TYPE, index=index)


def count_backward(index):
    with _lock:
        known = _backwards.get(index)
        if known is None:
            known = _backwards[index] = [0, *report.user_place(report.calling_frame())]
        known[0] += 1


def backwards():
    return dict(_backwards)


def _write():
    for index in sorted(operators):
        report.write("work", index=index, operators=operators[index],
                     backwards=_backwards.get(index, (0,))[0])
    if None in _backwards:
        count, file, line = _backwards[None]
        report.write("work", operators=0, backwards=count, file=file, line=line)


def _forget():
    operators.clear()
    _backwards.clear()


def install():
    processes.before_exit(_write)
    os.register_at_fork(after_in_child=_forget)
