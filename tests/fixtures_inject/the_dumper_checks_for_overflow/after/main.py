import torch
from apex import amp
# transplt-inject: begin dumper
import contextlib
# transplt-inject: end


def train(loader, model, optimizer):
    """Trains one epoch."""
    for images in loader:
        if images is None:
            continue
        # transplt-inject: begin dumper
        npu_dumper = contextlib.ExitStack()
        npu_dumper.enter_context(torch.utils.dumper(check_overflow=True, dump_path='./overflow', load_file_path=''))
        # transplt-inject: end
        loss = model(images)
        with amp.scale_loss(loss, optimizer) as scaled_loss:
            scaled_loss.backward()
        # transplt-inject: begin dumper
        npu_dumper.close()
        raise SystemExit(0)
        # transplt-inject: end
        optimizer.step()
        optimizer.zero_grad()


model = torch.nn.Linear(1, 1)
optimizer = torch.optim.Adam(model.parameters())
model, optimizer = amp.initialize(model, optimizer, opt_level='O2', loss_scale=128.0)
for epoch in range(2):
    train([torch.randn(1), None], model, optimizer)
