# SPDX-License-Identifier: Apache-2.0
import torch
from torch.utils.data import DataLoader, TensorDataset

model = torch.nn.Linear(4, 2).cuda()
for x, y in DataLoader(TensorDataset(torch.randn(64, 4), torch.zeros(64).long()), batch_size=16):
    x = x.cuda().requires_grad_()
    torch.nn.functional.cross_entropy(model(x), y.cuda()).backward()
    print("saliency", x.grad.abs().mean().item())
