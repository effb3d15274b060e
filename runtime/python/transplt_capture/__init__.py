# SPDX-License-Identifier: Apache-2.0
"""Captures tensors, statistics and overflows of a training, on CPU, CUDA and NPU tensors.

    from transplt_capture import PrecisionDebugger

takes the place of the class of that name in ptdbg_ascend and in msprobe. What only an NPU can see
is refused by name, not imitated.
"""

import importlib

from ._native import CaptureError, recover

__version__ = "0.1.0"

# torch is needed for these only.
_WHERE = {"PrecisionDebugger": "debugger", "dumper": "dumping", "install": "names",
          "init_dump": "npu_dump", "set_dump": "npu_dump", "finalize_dump": "npu_dump",
          "prof_init": "profiling", "prof_start": "profiling", "iteration_start": "profiling",
          "iteration_end": "profiling", "prof_stop": "profiling", "prof_finalize": "profiling"}
__all__ = ["CaptureError", "recover", *_WHERE]


def __getattr__(name):
    if name in _WHERE:
        return getattr(importlib.import_module(f".{_WHERE[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
