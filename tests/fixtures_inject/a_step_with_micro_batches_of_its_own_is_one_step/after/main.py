import torch
# transplt-inject: begin msprobe
from msprobe.pytorch import PrecisionDebugger
debugger = PrecisionDebugger(dump_path="./dump")
# transplt-inject: end

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
accumulated = []
for step in range(2):
    # transplt-inject: begin msprobe
    debugger.start()
    # transplt-inject: end
    batch = torch.randn(1)
    if step == 0:
        model(batch).backward()
    else:
        accumulated.append(batch)
        for part in accumulated:
            model(part).backward()
    optimizer.step()
    # transplt-inject: begin msprobe
    debugger.stop()
    debugger.step()
    # transplt-inject: end
    print("step", step)
