import torch
from apex import amp
# transplt-inject: begin module-hooks
def npu_tensors(values):
    if hasattr(values, 'register_hook'):
        return [values]
    if isinstance(values, dict):
        values = list(values.values())
    if not isinstance(values, (list, tuple)):
        return []
    return [tensor for value in values for tensor in npu_tensors(value)]
def npu_hook(name):
    def print_values(module, *values):
        what = ' inputs' if len(values) == 1 else ' outputs'
        print('[forward]: ' + name + what, values[-1])
        for tensor in npu_tensors(values[-1]):
            if tensor.grad_fn is not None:
                tensor.register_hook(lambda grad: print('[backward]: ' + name + what, grad))
    return print_values
# transplt-inject: end


def train(loader, model, optimizer):
    """Trains one epoch."""
    # transplt-inject: begin module-hooks
    if not getattr(model, 'npu_is_hooked', False):
        for npu_name, npu_module in model.named_modules():
            npu_module.register_forward_pre_hook(npu_hook(npu_name))
            npu_module.register_forward_hook(npu_hook(npu_name))
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
