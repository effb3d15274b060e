# SPDX-License-Identifier: Apache-2.0
"""autocast and GradScaler that change nothing: the numerics of half precision are not simulated."""

import functools

import torch

from . import device, report

_depth = 0


class Autocast(torch.autocast):
    """autocast for the simulated device; everything stays in the precision it has."""

    def __init__(self, device_type=None, dtype=None, enabled=True, cache_enabled=None):
        self.device = device_type or device.TYPE
        self.fast_dtype = dtype or torch.float16
        self._enabled = enabled
        if enabled:
            report.unsimulated("autocast (numerics of half precision: it runs in float32)")

    def __enter__(self):
        global _depth
        self._before = torch.is_autocast_enabled()
        torch.set_autocast_enabled(bool(self._enabled))
        _depth += 1
        return self

    def __exit__(self, *error):
        global _depth
        torch.set_autocast_enabled(self._before)
        _depth -= 1

    def __call__(self, function):
        @functools.wraps(function)
        def inside(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return inside


class DeviceAutocast(Autocast):
    """torch.npu.amp.autocast(enabled, dtype, cache_enabled)"""

    def __init__(self, enabled=True, dtype=torch.float16, cache_enabled=True):
        super().__init__(device.TYPE, dtype, enabled, cache_enabled)


def autocast_class(original):
    """torch.autocast: the simulated device's does nothing, the others are torch's."""

    class autocast(original):
        def __new__(cls, device_type=None, *args, **kwargs):
            if cls is autocast and isinstance(device_type, str) and _is_simulated(device_type):
                return Autocast(device_type, *args, **kwargs)
            if device_type == "cuda":
                report.residual("autocast('cuda')")
            return super().__new__(cls)

    autocast.__module__ = original.__module__
    autocast.__qualname__ = autocast.__name__ = "autocast"
    return autocast


def _is_simulated(kind):
    if kind == "cuda" and device.transfer:
        return True
    return kind == device.TYPE and (kind == "cuda" or device.torch_npu_imported)


class GradScaler:
    """GradScaler whose scale is 1 for the gradients, whatever it says."""

    def __init__(self, init_scale=2.0 ** 16, growth_factor=2.0, backoff_factor=0.5,
                 growth_interval=2000, enabled=True, **kwargs):
        self._enabled = enabled
        self._scale = float(init_scale)
        self._factors = [growth_factor, backoff_factor]
        self._interval = growth_interval
        self._tracker = 0
        if enabled:
            report.unsimulated("GradScaler (losses are not scaled)")

    def scale(self, outputs):
        return outputs

    def unscale_(self, optimizer):
        pass

    def step(self, optimizer, *args, **kwargs):
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale=None):
        if new_scale is not None:
            self._scale = float(new_scale)

    def is_enabled(self):
        return self._enabled

    def get_scale(self):
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self):
        return self._factors[0]

    def set_growth_factor(self, factor):
        self._factors[0] = factor

    def get_backoff_factor(self):
        return self._factors[1]

    def set_backoff_factor(self, factor):
        self._factors[1] = factor

    def get_growth_interval(self):
        return self._interval

    def set_growth_interval(self, interval):
        self._interval = interval

    def state_dict(self):
        if not self._enabled:
            return {}
        return {"scale": self._scale, "growth_factor": self._factors[0],
                "backoff_factor": self._factors[1], "growth_interval": self._interval,
                "_growth_tracker": self._tracker}

    def load_state_dict(self, state):
        if not self._enabled:
            return
        if not state:
            raise RuntimeError("The source state dict is empty, possibly because it was saved "
                               "from a disabled instance of GradScaler.")
        self._scale = state["scale"]
        self._factors = [state["growth_factor"], state["backoff_factor"]]
        self._interval, self._tracker = state["growth_interval"], state["_growth_tracker"]


def custom_fwd(function=None, **kwargs):
    """As torch.cuda.amp.custom_fwd, without a cast."""
    return functools.partial(custom_fwd, **kwargs) if function is None else function


def custom_bwd(function):
    return function


def install():
    original = torch.autocast
    made = autocast_class(original)
    torch.autocast = made
    for name in ("torch.amp", "torch.amp.autocast_mode"):
        import importlib

        importlib.import_module(name).autocast = made
