# SPDX-License-Identifier: Apache-2.0
"""What torch 2 needs beyond torch 1.13. Untested: the simulator is tested with 1.13 only."""

import os

import torch

from . import device, report
from .settings import current as settings


def is_newer():
    return int(torch.__version__.split(".")[0]) >= 2


_stacked = []


def turn_on_for_thread(mode):
    """torch 2 has a stack of function modes whose entries are TorchFunctionMode objects."""
    from torch.overrides import TorchFunctionMode

    class DeviceMode(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return mode.__torch_function__(func, types, args, kwargs)

    made = DeviceMode()
    made.__enter__()
    _stacked.append(made)


def turn_off_for_thread():
    while torch._C._len_torch_function_stack() > 0:
        torch._C._pop_torch_function_stack()


class enabled:
    """Context: the mode is on, also inside of a call that has switched it off."""

    def __enter__(self):
        self._pushed = torch._C._len_torch_function_stack() == 0
        if self._pushed:
            _stacked[0].__enter__()

    def __exit__(self, *error):
        if self._pushed:
            _stacked[0].__exit__(*error)


class disabled:
    """Context: plain torch."""

    def __enter__(self):
        self._guard = torch._C.DisableTorchFunction()
        self._guard.__enter__()

    def __exit__(self, *error):
        self._guard.__exit__(*error)


def _set_default_device(original):
    def set_default_device(wanted):
        index = device.virtual_index(wanted)
        device.default_is_device = index is not None
        if index is None:
            original(wanted)
        else:
            device.state.current = index

    return set_default_device


def _check_device(wanted):
    """All that is left to do for the host: its tensors are made there in any case."""
    if wanted is not None:
        torch.device(wanted)


def install_default_device():
    """torch.set_default_device, which torch has from 2.0 on and migrated programs call."""
    torch.set_default_device = _set_default_device(
        getattr(torch, "set_default_device", _check_device))


def install():
    """Names that only torch 2 has."""
    if hasattr(torch, "accelerator") and settings.device_type is not None:
        _accelerator()
    if hasattr(torch, "get_default_device"):
        plain = torch.get_default_device
        torch.get_default_device = lambda: (
            device.device_of(device.state.current) if device.default_is_device else plain())


def _accelerator():
    """torch.accelerator names the simulated device."""
    from . import device_module

    table = device_module.names()
    accelerator = torch.accelerator
    accelerator.is_available = lambda: True
    accelerator.device_count = table["device_count"]
    accelerator.current_accelerator = lambda check_available=False: device.device_of(None)
    for name in ("current_device_index", "current_device_idx"):
        setattr(accelerator, name, table["current_device"])
    for name in ("set_device_index", "set_device_idx"):
        setattr(accelerator, name, table["set_device"])
    accelerator.synchronize = table["synchronize"]
    accelerator.current_stream = table["current_stream"]


def load_torch_npu():
    """torch 2.5 and newer import torch_npu by themselves where it is installed."""
    version = tuple(int(part) for part in settings.torch_npu.split(".")[:2])
    if (settings.simulate == "npu" and version >= (2, 5)
            and os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD", "1") == "1"):
        try:
            import torch_npu  # noqa: F401
        except ImportError as error:
            report.unsimulated("the import of torch_npu by torch: %s" % error)
