# SPDX-License-Identifier: Apache-2.0
"""The steps of a training as a chrome trace, by the clock of the host:

    prof_init(path, start=10, stop=12)
    for batch in loader:
        iteration_start(); ...; iteration_end()
    prof_finalize()

or, as torch.npu has them, prof_init(folder), prof_start(), iterations, prof_stop(),
prof_finalize().
start and stop count iterations from 0, stop included. On a device that computes asynchronously
each mark waits for it (torch.npu.synchronize, torch.cuda.synchronize), so that times are those of
the work. What happens on the device in between is not seen: that takes its own profiler.
"""

import os
import time

from .ending import at_end, say, write_json

_state = {}


def _synchronize():
    import torch
    for name in ("npu", "cuda"):
        device = getattr(torch, name, None)
        if device is not None and getattr(device, "is_initialized", lambda: False)():
            device.synchronize()


def prof_init(path, start=0, stop=None):
    if _state:
        raise RuntimeError("prof_init() was called already; call prof_finalize() first")
    if not path:
        raise ValueError("path: the name of the trace file is expected")
    if start < 0 or (stop is not None and stop < start):
        raise ValueError(f"start={start}, stop={stop}: 0 <= start <= stop is expected")
    _state.update(path=_file_in(path), start=start, stop=stop, iteration=0, begun=None,
                  events=[], process=os.getpid(), stopped=False)


def _file_in(path):
    """A name that ends in .json is the file; anything else is the folder of it, as on an NPU."""
    return path if path.endswith(".json") else os.path.join(path, f"steps_{os.getpid()}.json")


def prof_start(config=None):
    """Iterations are recorded from here on."""
    if not _state:
        raise RuntimeError("prof_start() comes after prof_init()")
    if config is not None:
        say("transplt_capture: prof_start(config): what it chooses only an NPU measures; the "
            "clock of the host is recorded")
    _state["stopped"] = False


def prof_stop():
    """No iteration is recorded from here on."""
    if not _state:
        raise RuntimeError("prof_stop() comes after prof_init()")
    _state["stopped"] = True


def _at_exit():
    if _state and _state["process"] == os.getpid():
        path = _state["path"]
        say(f"transplt_capture: prof_finalize() was not called; {prof_finalize()} iterations are "
            f"in {path}")


def _is_wanted():
    number = _state["iteration"]
    return not _state["stopped"] and number >= _state["start"] and \
        (_state["stop"] is None or number <= _state["stop"])


def iteration_start():
    if not _state:
        raise RuntimeError("iteration_start() comes after prof_init()")
    if _state["begun"] is not None:
        raise RuntimeError("iteration_start() was called twice without iteration_end()")
    if _is_wanted():
        _synchronize()
    _state["begun"] = time.perf_counter_ns()


def iteration_end():
    if not _state or _state["begun"] is None:
        raise RuntimeError("iteration_end() comes after iteration_start()")
    if _is_wanted():
        _synchronize()
        begun, now = _state["begun"], time.perf_counter_ns()
        _state["events"].append({
            "name": f"iteration {_state['iteration']}", "cat": "step", "ph": "X",
            "ts": begun / 1000, "dur": (now - begun) / 1000, "pid": os.getpid(), "tid": 0})
    _state["begun"] = None
    _state["iteration"] += 1


def prof_finalize():
    """Writes the trace; the number of iterations in it, 0 where the disk does not take it."""
    if not _state:
        raise RuntimeError("prof_finalize() comes after prof_init()")
    content = {"traceEvents": _state["events"], "displayTimeUnit": "ms",
               "otherData": {"clock": "host; not measured on a device"}}
    path = _state["path"]
    _state.clear()
    return len(content["traceEvents"]) if write_json(path, content) else 0


at_end(_at_exit)
