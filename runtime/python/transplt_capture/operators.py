# SPDX-License-Identifier: Apache-2.0
"""The operators below the API of torch ("IR"), seen one by one."""

import re

import torch

try:
    from torch.utils._python_dispatch import TorchDispatchMode
except ImportError:  # before torch 1.13
    TorchDispatchMode = None


def operator_name(function):
    return re.sub(r"[^A-Za-z0-9_]", "_", function._schema.name.split("::")[-1])


def mode_class():
    """A mode that hands every operator to its owner's call(function, args, kwargs)."""
    if TorchDispatchMode is None:
        raise RuntimeError("seeing operators needs torch 1.13 or newer; "
                           f"this is {torch.__version__}")

    class Mode(TorchDispatchMode):
        def __init__(self, owner):
            super().__init__()
            self._owner = owner

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            if function._schema.name.startswith("profiler::"):  # marks of the profiler: no tensors
                return function(*args, **(kwargs or {}))
            return self._owner.call(function, args, kwargs or {})

    return Mode
