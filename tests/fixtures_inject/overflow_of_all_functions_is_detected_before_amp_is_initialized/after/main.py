import torch
from apex import amp
# transplt-inject: begin ptdbg
import os
os.environ['OVERFLOW_DEBUG_MODE_ENABLE'] = '1'
from ptdbg_ascend import PrecisionDebugger
debugger = PrecisionDebugger(dump_path='./overflow_dump', hook_name='overflow_check', step=[0])
debugger.configure_hook(overflow_nums=-1)
# transplt-inject: end


def train(loader, model, optimizer):
    """Trains one epoch."""
    for images in loader:
        if images is None:
            continue
        # transplt-inject: begin ptdbg
        debugger.start()
        # transplt-inject: end
        loss = model(images)
        with amp.scale_loss(loss, optimizer) as scaled_loss:
            scaled_loss.backward()
        optimizer.step()
        # transplt-inject: begin ptdbg
        debugger.stop()
        debugger.step()
        # transplt-inject: end
        optimizer.zero_grad()


model = torch.nn.Linear(1, 1)
optimizer = torch.optim.Adam(model.parameters())
model, optimizer = amp.initialize(model, optimizer, opt_level='O2', loss_scale='dynamic')
for epoch in range(2):
    train([torch.randn(1), None], model, optimizer)
