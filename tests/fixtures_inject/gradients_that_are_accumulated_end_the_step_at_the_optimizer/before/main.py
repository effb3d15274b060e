import torch

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
	loss = model(torch.randn(1)) / 2
	loss.backward()
	if (step + 1) % 2 == 0:
		optimizer.step()
		optimizer.zero_grad()
