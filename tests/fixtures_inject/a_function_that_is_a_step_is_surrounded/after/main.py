import torch
from torch.cuda.amp import GradScaler, autocast
from torch import relu, nn
from torch.nn.functional import softmax
# transplt-inject: begin ptdbg
from ptdbg_ascend import PrecisionDebugger
debugger = PrecisionDebugger(dump_path="./dump", hook_name="dump")
debugger.configure_hook(input_output_mode=["input"])
# transplt-inject: end

scaler = GradScaler()


def train_step(model, optimizer, batch):
    # transplt-inject: begin ptdbg
    debugger.start()
    # transplt-inject: end
    with autocast():
        loss = relu(softmax(model(batch)))
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    # transplt-inject: begin ptdbg
    debugger.stop()
    debugger.step()
    # transplt-inject: end
    scaler.update()
    return loss


model = nn.Linear(1, 1)
optimizer = torch.optim.AdamW(model.parameters())
for batch in [torch.randn(1)] * 2:
    train_step(model, optimizer, batch)
