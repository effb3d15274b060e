# SPDX-License-Identifier: Apache-2.0
"""torch_npu.contrib.transfer_to_npu: devices, methods and functions of CUDA are those of the NPU.

As the real one, it does not reach what compares strings: `device.type == 'cuda'` is False.
"""

import sys
import types

import torch

from . import device, device_module


def begin():
    """What `from torch_npu.contrib import transfer_to_npu` does."""
    if device.transfer:
        return
    device.transfer = True
    for name, module in list(sys.modules.items()):
        if (name == "torch.cuda" or name.startswith("torch.cuda.")) and isinstance(
                module, types.ModuleType):
            module.__class__ = types.ModuleType
    for name, value in device_module.names().items():
        setattr(torch.cuda, name, value)
    for name, value in device_module.amp_names().items():
        setattr(torch.cuda.amp, name, value)
