# SPDX-License-Identifier: Apache-2.0
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def worker(rank, world_size):
    dist.init_process_group("nccl", "tcp://127.0.0.1:29501", rank=rank, world_size=world_size)
    torch.cuda.set_device(rank)
    model = DDP(torch.nn.Linear(4, 2).cuda(rank), device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    dataset = TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
    for x, y in DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset)):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x.cuda(rank)), y.cuda(rank)).backward()
        optimizer.step()


if __name__ == "__main__":
    mp.spawn(worker, args=(torch.cuda.device_count(),), nprocs=torch.cuda.device_count())
