# SPDX-License-Identifier: Apache-2.0
"""torch_npu.optim: its fused optimizers are those of torch here."""

import torch

from . import report

_FUSED = {
    "NpuFusedSGD": "SGD", "NpuFusedAdam": "Adam", "NpuFusedAdamW": "AdamW",
    "NpuFusedAdadelta": "Adadelta", "NpuFusedRMSprop": "RMSprop",
}


def _fused(name, base):
    def __init__(self, *args, **kwargs):
        report.unsimulated("torch_npu.optim." + name)
        base.__init__(self, *args, **kwargs)

    return type(name, (base,), {"__init__": __init__})


def classes():
    return {name: _fused(name, getattr(torch.optim, base)) for name, base in _FUSED.items()}


def fill(package, make_module, register):
    optim = make_module("torch_npu.optim", "torch_npu.optim")
    optim.__dict__.update(classes())
    package.__dict__["optim"] = optim
    register(optim, "torch_npu.optim")
