import torch

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    for data in [torch.randn(1)]:
        if data is not None:
            loss = model(data)
            loss.backward()
            optimizer.step()
