import torch
# transplt-inject: begin msprobe
from msprobe.pytorch import PrecisionDebugger
debugger = PrecisionDebugger(dump_path="./dump")
# transplt-inject: end

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    batch = torch.randn(1)
    if step == 0:
        continue  # nothing to be captured
    # transplt-inject: begin msprobe
    debugger.start()
    # transplt-inject: end
    loss = model(batch)
    for part in range(3):
        if part == 1:
            break
    if step == 1:
        print("not finite")
        # transplt-inject: begin msprobe
        debugger.stop()
        debugger.step()
        # transplt-inject: end
        continue
    loss.backward()
    if step == 3:
        # transplt-inject: begin msprobe
        debugger.stop()
        debugger.step()
        # transplt-inject: end
        break
    optimizer.step()
    # transplt-inject: begin msprobe
    debugger.stop()
    debugger.step()
    # transplt-inject: end


def train_one(batch):
    # transplt-inject: begin msprobe
    debugger.start()
    # transplt-inject: end
    error = model(batch)
    if error is None:
        # transplt-inject: begin msprobe
        debugger.stop()
        debugger.step()
        # transplt-inject: end
        return None
    error.backward()
    optimizer.step()
    # transplt-inject: begin msprobe
    debugger.stop()
    debugger.step()
    # transplt-inject: end


train_one(torch.randn(1))
