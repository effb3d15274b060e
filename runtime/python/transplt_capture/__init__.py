# SPDX-License-Identifier: Apache-2.0
"""Captures tensors, statistics and overflows of a training, on CPU, CUDA and NPU tensors.

    from transplt_capture import PrecisionDebugger

takes the place of the class of that name in ptdbg_ascend and in msprobe. What only an NPU can see
is refused by name, not imitated.
"""

import importlib

from ._native import CaptureError, recover

__version__ = "0.1.0"
__all__ = ["CaptureError", "PrecisionDebugger", "dumper", "finalize_dump", "init_dump",
           "iteration_end", "iteration_start", "prof_finalize", "prof_init", "recover", "set_dump"]

# torch is needed for these only.
_WHERE = {"PrecisionDebugger": "debugger", "dumper": "dumping", "init_dump": "npu_dump",
          "set_dump": "npu_dump", "finalize_dump": "npu_dump", "prof_init": "profiling",
         "iteration_start": "profiling", "iteration_end": "profiling",
         "prof_finalize": "profiling"}


def __getattr__(name):
    if name in _WHERE:
        return getattr(importlib.import_module(f".{_WHERE[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
