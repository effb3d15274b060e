import torch
from apex import amp
# transplt-inject: begin module-hooks
def npu_hook(name):
    def print_values(module, inputs, outputs):
        print(name + ' inputs', inputs)
        print(name + ' outputs', outputs)
    return print_values
# transplt-inject: end


def train(loader, model, optimizer):
    """Trains one epoch."""
    # transplt-inject: begin module-hooks
    if not getattr(model, 'npu_is_hooked', False):
        for npu_name, npu_module in model.named_modules():
            npu_module.register_forward_hook(npu_hook('[forward]: ' + npu_name))
            npu_module.register_full_backward_hook(npu_hook('[backward]: ' + npu_name))
        model.npu_is_hooked = True
    # transplt-inject: end
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
model, optimizer = amp.initialize(model, optimizer, opt_level='O2', loss_scale='dynamic')
for epoch in range(2):
    train([torch.randn(1), None], model, optimizer)
