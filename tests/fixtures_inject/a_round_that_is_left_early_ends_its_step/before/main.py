import torch

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    batch = torch.randn(1)
    if step == 0:
        continue  # nothing to be captured
    loss = model(batch)
    for part in range(3):
        if part == 1:
            break
    if step == 1:
        print("not finite")
        continue
    loss.backward()
    if step == 3:
        break
    optimizer.step()


def train_one(batch):
    error = model(batch)
    if error is None:
        return None
    error.backward()
    optimizer.step()


train_one(torch.randn(1))
