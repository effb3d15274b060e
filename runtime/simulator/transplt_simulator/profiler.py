# SPDX-License-Identifier: Apache-2.0
"""torch_npu.profiler and torch.autograd.profiler: they accept the names of an NPU and measure no NPU."""

import enum

import torch

from . import device, report
from .settings import current as settings


def activity_class(names):
    return enum.Enum("ProfilerActivity", list(names) or ["CPU", "NPU"])


class _Anything:
    """A profiler setting; every name of it exists."""

    def __init__(self, *args, **kwargs):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything()

    def __call__(self, *args, **kwargs):
        return _Anything()


class profile:
    """A profiler that only calls on_trace_ready."""

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, **kwargs):
        report.unsimulated("torch_npu.profiler.profile")
        self._schedule = schedule
        self._ready = on_trace_ready
        self._step = 0
        self.step_num = 0

    def start(self):
        pass

    def stop(self):
        if self._ready is not None and (self._schedule is None or not callable(self._schedule)):
            self._ready(self)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.stop()

    def step(self):
        if callable(self._schedule):
            action = self._schedule(self._step)
            if action == torch.profiler.ProfilerAction.RECORD_AND_SAVE and self._ready is not None:
                self._ready(self)
        self._step += 1
        self.step_num = self._step

    def export_chrome_trace(self, path):
        with open(path, "w", encoding="utf-8") as out:
            out.write("{\"traceEvents\": []}\n")

    def export_stacks(self, path, *args, **kwargs):
        open(path, "w", encoding="utf-8").close()

    def key_averages(self, *args, **kwargs):
        return _Averages()

    def events(self):
        return []

    def add_metadata(self, key, value):
        pass

    add_metadata_json = add_metadata


class _Averages(list):
    def table(self, *args, **kwargs):
        return "profiling is not simulated"

    def total_average(self):
        return _Anything()


def tensorboard_trace_handler(folder, *args, **kwargs):
    def handler(prof):
        pass

    return handler


def names():
    return {
        "profile": profile, "_KinetoProfile": profile, "schedule": torch.profiler.schedule,
        "tensorboard_trace_handler": tensorboard_trace_handler,
        "ProfilerAction": torch.profiler.ProfilerAction,
        "supported_activities": lambda: set(), "_ExperimentalConfig": _Anything,
        "AiCMetrics": _Anything(), "ExportType": _Anything(), "HostSystem": _Anything(),
        "ProfilerLevel": _Anything(),
    }


def _version():
    return tuple(int(part) for part in settings.torch_npu.split(".")[:2])


def _wrap_autograd_profile():
    """Up to torch 2.0 torch_npu adds use_npu, from 2.1 on torch itself has use_device."""
    kind = torch.autograd.profiler.profile
    original = kind.__init__
    keyword = "use_npu" if _version() < (2, 1) else "use_device"

    def __init__(self, enabled=True, *, use_cuda=False, **kwargs):
        if use_cuda:
            report.residual("profile(use_cuda=True)")
        if device.torch_npu_imported and keyword in kwargs:
            wanted = kwargs.pop(keyword)
            if wanted == "cuda":
                report.residual("profile(use_device='cuda')")
            elif wanted:
                report.unsimulated("torch.autograd.profiler.profile on an NPU (it measures the CPU)")
        original(self, enabled, use_cuda=False, **kwargs)

    kind.__init__ = __init__


def _add_times():
    """The columns of an event that hold the time on an NPU, under the names of this version."""
    from torch.autograd.profiler_util import FunctionEvent, FunctionEventAvg

    word = "npu" if _version() < (2, 1) else "privateuse1" if _version() < (2, 4) else "device"
    for kind in (FunctionEvent, FunctionEventAvg):
        for name in ("%s_time", "%s_time_total", "self_%s_time_total"):
            if not hasattr(kind, name % word):
                setattr(kind, name % word, 0)


def install():
    _wrap_autograd_profile()
    _add_times()
