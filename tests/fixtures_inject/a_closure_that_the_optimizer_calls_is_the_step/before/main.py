import torch

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def total():
    loss = model(torch.randn(1))
    loss.backward()
    return loss


for step in range(2):
    batch = torch.randn(1)

    def closure():
        optimizer.zero_grad()
        loss = model(batch)
        loss.backward()
        return loss

    optimizer.step(closure)
    print("closure", step)

for step in range(2):
    optimizer.step(closure=total)

for step in range(2):
    optimizer.step(total)
