# SPDX-License-Identifier: Apache-2.0
import os

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

local_rank = int(os.environ["LOCAL_RANK"])
dist.init_process_group(backend="nccl")
torch.cuda.set_device(local_rank)
model = torch.nn.parallel.DistributedDataParallel(
    torch.nn.Linear(4, 2).cuda(), device_ids=[local_rank])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
dataset = TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
for x, y in DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset)):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
    optimizer.step()
