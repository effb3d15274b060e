import torch

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
accumulated = []
for step in range(2):
    batch = torch.randn(1)
    if step == 0:
        model(batch).backward()
    else:
        accumulated.append(batch)
        for part in accumulated:
            model(part).backward()
    optimizer.step()
    print("step", step)
