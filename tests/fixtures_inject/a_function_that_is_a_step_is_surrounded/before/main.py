import torch
from torch.cuda.amp import GradScaler, autocast
from torch import relu, nn
from torch.nn.functional import softmax

scaler = GradScaler()


def train_step(model, optimizer, batch):
    with autocast():
        loss = relu(softmax(model(batch)))
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    return loss


model = nn.Linear(1, 1)
optimizer = torch.optim.AdamW(model.parameters())
for batch in [torch.randn(1)] * 2:
    train_step(model, optimizer, batch)
