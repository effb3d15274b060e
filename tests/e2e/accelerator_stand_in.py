# SPDX-License-Identifier: Apache-2.0
"""Gives an old torch on a CPU the names that code for any accelerator uses: a simulation.

No accelerator is there: ACCELERATOR=none is a PyTorch built for the CPU alone, ACCELERATOR=cpu
one whose accelerator happens to be the CPU. Loaded by sitecustomize, before the program.
"""

import contextlib
import os
import sys
import types

import torch

SIMULATED = torch.device("cpu") if os.environ.get("ACCELERATOR") == "cpu" else None


def current_accelerator(check_available=False):
    return SIMULATED


def needs_accelerator(*arguments):
    if SIMULATED is None:
        raise RuntimeError("Cannot access accelerator device when none is available.")
    return 0


def autocast(device_type, dtype=None, enabled=True, cache_enabled=None):
    if not isinstance(device_type, str):
        raise TypeError(f"device_type is {device_type!r}")
    return contextlib.nullcontext()


class GradScaler(torch.cuda.amp.GradScaler):
    def __init__(self, device="cuda", init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5,
                 growth_interval=2000, enabled=True):
        torch.device(device)
        super().__init__(init_scale, growth_factor, backoff_factor, growth_interval, False)


torch.accelerator = sys.modules["torch.accelerator"] = types.ModuleType("torch.accelerator")
vars(torch.accelerator).update(
    current_accelerator=current_accelerator,
    is_available=lambda: SIMULATED is not None,
    device_count=lambda: 0 if SIMULATED is None else 1,
    synchronize=needs_accelerator,
    set_device_index=needs_accelerator,
    current_device_index=needs_accelerator)
torch.get_device_module = lambda *device: types.SimpleNamespace(
    **({} if SIMULATED is None else {"empty_cache": needs_accelerator,
                                     "manual_seed": needs_accelerator}))
torch.amp.autocast = autocast
torch.amp.GradScaler = GradScaler
if not hasattr(torch, "OutOfMemoryError"):
    torch.OutOfMemoryError = torch.cuda.OutOfMemoryError
torch.distributed.get_default_backend_for_device = lambda device: "gloo"
