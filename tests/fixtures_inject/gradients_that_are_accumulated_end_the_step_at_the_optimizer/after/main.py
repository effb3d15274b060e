import torch
# transplt-inject: begin msprobe
from msprobe.pytorch import PrecisionDebugger
debugger = PrecisionDebugger(dump_path="./dump")
# transplt-inject: end

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
	# transplt-inject: begin msprobe
	debugger.start()
	# transplt-inject: end
	loss = model(torch.randn(1)) / 2
	loss.backward()
	if (step + 1) % 2 == 0:
		optimizer.step()
		optimizer.zero_grad()
	# transplt-inject: begin msprobe
	debugger.stop()
	debugger.step()
	# transplt-inject: end
