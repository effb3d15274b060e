import torch
# transplt-inject: begin msprobe
from msprobe.pytorch import PrecisionDebugger
debugger = PrecisionDebugger(dump_path="./dump")
# transplt-inject: end

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def total():
    loss = model(torch.randn(1))
    loss.backward()
    return loss


for step in range(2):
    # transplt-inject: begin msprobe
    debugger.start()
    # transplt-inject: end
    batch = torch.randn(1)

    def closure():
        optimizer.zero_grad()
        loss = model(batch)
        loss.backward()
        return loss

    optimizer.step(closure)
    # transplt-inject: begin msprobe
    debugger.stop()
    debugger.step()
    # transplt-inject: end
    print("closure", step)

for step in range(2):
    # transplt-inject: begin msprobe
    debugger.start()
    # transplt-inject: end
    optimizer.step(closure=total)
    # transplt-inject: begin msprobe
    debugger.stop()
    debugger.step()
    # transplt-inject: end

for step in range(2):
    # transplt-inject: begin msprobe
    debugger.start()
    # transplt-inject: end
    optimizer.step(total)
    # transplt-inject: begin msprobe
    debugger.stop()
    debugger.step()
    # transplt-inject: end
