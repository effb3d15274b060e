# SPDX-License-Identifier: Apache-2.0
"""apex.optimizers: those of torch; the fused ones of CUDA are not in the apex for NPUs."""

import torch

from .. import device, fused_optimizers


def _fused_adam(params, lr=1e-3, bias_correction=True, betas=(0.9, 0.999), eps=1e-8,
                adam_w_mode=True, weight_decay=0.0, **options):
    """Its default is AdamW; adam_w_mode=False makes it Adam."""
    kind = torch.optim.AdamW if adam_w_mode else torch.optim.Adam
    return kind(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)


if device.TYPE == "npu":
    globals().update(fused_optimizers.classes())
else:
    FusedAdam = _fused_adam
    FusedSGD = torch.optim.SGD
