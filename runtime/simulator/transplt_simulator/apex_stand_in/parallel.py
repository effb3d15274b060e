# SPDX-License-Identifier: Apache-2.0
"""apex.parallel: what torch has under these names."""

import torch
from torch.nn import SyncBatchNorm


class DistributedDataParallel(torch.nn.parallel.DistributedDataParallel):
    def __init__(self, module, *args, **options):
        super().__init__(module)


def convert_syncbn_model(module, process_group=None, channel_last=False):
    return SyncBatchNorm.convert_sync_batchnorm(module, process_group)
