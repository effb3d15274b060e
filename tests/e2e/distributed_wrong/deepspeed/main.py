# SPDX-License-Identifier: Apache-2.0
import torch
import deepspeed
from torch.utils.data import DataLoader, TensorDataset

dataset = TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
loader = DataLoader(dataset, batch_size=16, shuffle=True)
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
engine, optimizer, loader, _ = deepspeed.initialize(
    model=model, model_parameters=model.parameters(), training_data=dataset, config="ds.json")
for x, y in loader:
    loss = torch.nn.functional.cross_entropy(engine(x.cuda()), y.cuda())
    engine.backward(loss)
    engine.step()
