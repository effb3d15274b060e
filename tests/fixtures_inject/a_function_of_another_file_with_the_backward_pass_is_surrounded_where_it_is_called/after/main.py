from models import *
from engine import compute_accuracy, run_backward, update_parameters
# transplt-inject: begin msprobe
import torch
from msprobe.pytorch import PrecisionDebugger
debugger = PrecisionDebugger(dump_path="./dump")
# transplt-inject: end

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    # transplt-inject: begin msprobe
    debugger.start()
    # transplt-inject: end
    loss = model(torch.randn(1))
    run_backward(loss)
    update_parameters(optimizer)
    # transplt-inject: begin msprobe
    debugger.stop()
    debugger.step()
    # transplt-inject: end
    print(compute_accuracy(), "backward")

for step in range(2):
    model(torch.randn(1))  # evaluation
