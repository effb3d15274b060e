# SPDX-License-Identifier: Apache-2.0
"""Makes the torch of this process one of another version with another device: a simulation.

Tensors stay on the CPU. The names that a device has with a version are those of
rules/targets/device_apis.json, and everything else is refused as PyTorch refuses it.
"""

import contextlib
import json
import sys
import types
from pathlib import Path

import torch

TABLE = json.loads((Path(__file__).resolve().parents[2] / "rules/targets/device_apis.json")
                   .read_text(encoding="utf-8"))["apis"]
DEVICES = ("cuda", "npu", "xpu", "mps", "none")


def number(version):
    return tuple(int(part) for part in version.split("."))


class Device:
    """What torch.accelerator gives: computes on the CPU, and has the type of the device."""

    def __init__(self, kind):
        self.type = kind
        self.index = None

    def __str__(self):
        return self.type


class StandIn:
    def __init__(self, device, version):
        self.kind = device
        self.version = number(version)
        self.is_there = device != "none"
        self.state = torch.zeros(1)

    def has(self, name):
        since = TABLE[name].get(self.kind if self.is_there else "cpu")
        return since is not None and number(since) <= self.version

    def nothing(self, *arguments):
        if not self.is_there:
            raise RuntimeError("Cannot access accelerator device when none is available.")
        return 0

    def current_accelerator(self, *check_available):
        if check_available and self.version < (2, 7):
            raise TypeError("current_accelerator() takes 0 positional arguments")
        if self.version < (2, 7):
            self.nothing()
        return Device(self.kind) if self.is_there else None

    def module(self):
        name = self.kind if self.is_there else "cpu"
        module = types.ModuleType("torch." + name)
        prefix = "torch.get_device_module()."
        values = {"memory_stats": lambda *_: {}, "get_device_name": lambda *_: name,
                  "get_rng_state": lambda *_: self.state, "is_initialized": lambda: True}
        for full in TABLE:
            if full.startswith(prefix) and self.has(full):
                member = full[len(prefix):]
                setattr(module, member, values.get(member, lambda *_, **__: 0))
        return module

    def autocast(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise TypeError(f"device_type is {device_type!r}")
        if device_type == "cpu" and enabled:  # computes in bfloat16, as it does
            return torch.autocast("cpu", dtype=dtype or torch.bfloat16)
        if device_type not in (self.kind, "cuda", "cpu"):
            raise RuntimeError(f"no autocast for {device_type}")
        return contextlib.nullcontext()

    def install(self):
        accelerator = types.ModuleType("torch.accelerator")
        members = {"is_available": lambda: self.is_there,
                   "device_count": lambda: int(self.is_there),
                   "current_accelerator": self.current_accelerator}
        for full in TABLE:
            if full.startswith("torch.accelerator.") and full.count(".") == 2:
                member = full.rsplit(".", 1)[1]
                setattr(accelerator, member, members.get(member, self.nothing))
        torch.accelerator = sys.modules["torch.accelerator"] = accelerator
        torch.get_device_module = lambda *_: self.module()
        torch.amp.autocast = self.autocast
        stand_in = self

        class GradScaler(torch.cuda.amp.GradScaler):
            def __init__(self, device="cuda", init_scale=2.0**16, growth_factor=2.0,
                         backoff_factor=0.5, growth_interval=2000, enabled=True):
                if device not in (stand_in.kind, "cuda", "cpu"):
                    raise TypeError(f"device is {device!r}")
                self.works = device != "mps" or stand_in.has("torch.amp.GradScaler")
                super().__init__(init_scale, growth_factor, backoff_factor, growth_interval, False)

            def step(self, optimizer):
                if not self.works:
                    raise TypeError("Cannot convert a MPS Tensor to float64 dtype")
                return super().step(optimizer)

        torch.amp.GradScaler = GradScaler
        torch.distributed.get_default_backend_for_device = (
            lambda device: {"cuda": "nccl", "npu": "hccl", "xpu": "xccl"}.get(str(device), "gloo"))
        if self.kind == "mps":
            torch.backends.mps.is_available = lambda: True
        self.take_devices()

    def take_devices(self):
        """Tensors, modules and torch.device() take what torch.accelerator gives."""
        kind = self.kind
        real = torch.device

        def on_cpu(value):
            if isinstance(value, Device):
                return real("cpu")
            if isinstance(value, str) and value.split(":")[0] == kind:
                return real("cpu")
            if isinstance(value, int) and not isinstance(value, bool) and self.is_there:
                return real("cpu")
            return value

        for owner in (torch.Tensor, torch.nn.Module):
            move = owner.to
            owner.to = (lambda self, *a, _move=move, **k:
                        _move(self, *[on_cpu(x) for x in a],
                              **{n: on_cpu(x) if n == "device" else x for n, x in k.items()}))
        for name in ("zeros", "ones", "randn", "rand", "tensor"):
            make = getattr(torch, name)
            setattr(torch, name, lambda *a, _make=make, **k:
                    _make(*a, **{n: on_cpu(x) if n == "device" else x for n, x in k.items()}))

        class DeviceMeta(type):
            def __instancecheck__(cls, value):
                return isinstance(value, (real, Device))

        class AnyDevice(metaclass=DeviceMeta):
            def __new__(cls, value, *index):
                if isinstance(value, Device):
                    return value
                return Device(kind) if str(value).split(":")[0] == kind else real(value, *index)

        torch.device = AnyDevice
