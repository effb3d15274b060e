# SPDX-License-Identifier: Apache-2.0
"""torch.cuda: simulated for an original, watched for a migrated script."""

import sys
import types

import torch

from . import amp, device, device_module, profiler, report

_HARMLESS = {"is_available", "device_count", "is_initialized"}


class _WatchedModule(types.ModuleType):
    """torch.cuda on a host without CUDA: what the script takes from it is reported."""

    def __getattribute__(self, name):
        value = types.ModuleType.__getattribute__(self, name)
        if name.startswith("__") or isinstance(value, types.ModuleType):
            return value
        if report.is_called_by_user():
            full = "%s.%s" % (types.ModuleType.__getattribute__(self, "__name__"), name)
            report.residual(full, harmless=name in _HARMLESS)
        return value


def _watch():
    for name, module in list(sys.modules.items()):
        is_cuda = name == "torch.cuda" or name.startswith("torch.cuda.")
        if is_cuda and type(module) is types.ModuleType:
            module.__class__ = _WatchedModule


def _simulate():
    table = device_module.names()
    table["CUDAGraph"] = device_module.Graph
    table["make_graphed_callables"] = lambda callables, *args, **kwargs: callables
    table["cudart"] = lambda: _Runtime()
    for module in (torch.cuda, torch.cuda.memory, torch.cuda.random, torch.cuda.streams,
                   torch.cuda.graphs):
        for name, value in table.items():
            if module is torch.cuda or hasattr(module, name):
                setattr(module, name, value)
    for module in (torch.cuda.amp, torch.cuda.amp.autocast_mode, torch.cuda.amp.grad_scaler):
        for name, value in device_module.amp_names().items():
            if module is torch.cuda.amp or hasattr(module, name):
                setattr(module, name, value)
    nothing = lambda *args, **kwargs: 0  # noqa: E731
    for name in ("range_push", "range_pop", "range_start", "range_end", "mark"):
        setattr(torch.cuda.nvtx, name, nothing)
    torch.version.cuda = "11.7"
    _simulate_backends()


class _Runtime:
    """torch.cuda.cudart(): profiler calls that do nothing."""

    def __getattr__(self, name):
        return lambda *args, **kwargs: 0


def _simulate_backends():
    torch.backends.cudnn.is_available = lambda: True
    torch.backends.cudnn.version = lambda: 8500
    torch.backends.cudnn.is_acceptable = lambda tensor: False
    profiler = torch.autograd.profiler.profile
    original = profiler.__init__

    def __init__(self, enabled=True, *, use_cuda=False, **kwargs):
        original(self, enabled, use_cuda=False, **kwargs)

    profiler.__init__ = __init__


def install():
    if device.TYPE == "cuda":
        _simulate()
    else:
        _watch()
        profiler.install()
