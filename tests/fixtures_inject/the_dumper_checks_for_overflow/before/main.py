import torch
from apex import amp


def train(loader, model, optimizer):
    """Trains one epoch."""
    for images in loader:
        if images is None:
            continue
        loss = model(images)
        with amp.scale_loss(loss, optimizer) as scaled_loss:
            scaled_loss.backward()
        optimizer.step()
        optimizer.zero_grad()


model = torch.nn.Linear(1, 1)
optimizer = torch.optim.Adam(model.parameters())
model, optimizer = amp.initialize(model, optimizer, opt_level='O2', loss_scale=128.0)
for epoch in range(2):
    train([torch.randn(1), None], model, optimizer)
