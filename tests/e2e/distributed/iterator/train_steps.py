# SPDX-License-Identifier: Apache-2.0
"""Trains for a number of steps rather than epochs."""
from argparse import ArgumentParser

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def inputs_and_labels(seed=30, size=352):
    gen = torch.Generator().manual_seed(seed)
    feats = torch.rand(size, 10, generator=gen) * 2 - 1
    labels = (feats.pow(2).sum(1) > 3.3).float()
    return feats, labels


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a = nn.Linear(10, width)
        self.norm = nn.LayerNorm(width)
        self.b = nn.Linear(width, 1)

    def forward(self, x):
        return self.b(torch.tanh(self.norm(self.a(x))))[:, 0]


def main(argv=None):
    ap = ArgumentParser()
    ap.add_argument("--max-steps", type=int, default=40)
    ap.add_argument("--batch", type=int, default=32)
    ap.add_argument("--log-every", type=int, default=5)
    ap.add_argument("--save-every", type=int, default=20)
    ap.add_argument("--device", default="cuda")
    opts = ap.parse_args(argv)

    torch.manual_seed(100)
    loader = DataLoader(TensorDataset(*inputs_and_labels()), batch_size=opts.batch, shuffle=True,
                        drop_last=True)
    net = Net(24).to(opts.device)
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, opts.max_steps)

    data_iter = iter(loader)
    step, running, hits, seen = 0, 0., 0, 0
    while step < opts.max_steps:
        try:
            feats, labels = next(data_iter)
        except StopIteration:
            data_iter = iter(loader)
            feats, labels = next(data_iter)
        feats, labels = feats.to(opts.device), labels.to(opts.device)

        logits = net(feats)
        loss = F.binary_cross_entropy_with_logits(logits, labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        step += 1

        running += float(loss)
        hits += ((logits > 0).float() == labels).sum().item()
        seen += labels.numel()
        if step % opts.log_every == 0:
            print(f"step={step} loss={running / opts.log_every:.5f} acc={hits / seen:.4f}", flush=True)
            running, hits, seen = 0., 0, 0
        if step % opts.save_every == 0:
            torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": step},
                       f"ckpt_{step:06d}.pt")


if __name__ == "__main__":
    main()
