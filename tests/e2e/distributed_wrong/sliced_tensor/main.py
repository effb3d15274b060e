# SPDX-License-Identifier: Apache-2.0
import torch

x = torch.randn(256, 4).cuda()
y = torch.randint(0, 2, (256,)).cuda()
model = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(2):
    order = torch.randperm(len(x))
    for start in range(0, len(x), 32):
        chosen = order[start:start + 32]
        loss = torch.nn.functional.cross_entropy(model(x[chosen]), y[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
