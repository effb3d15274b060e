import torch
# transplt-inject: begin ptdbg
from ptdbg_ascend import PrecisionDebugger
debugger = PrecisionDebugger(dump_path="./dump", hook_name="overflow_check")
debugger.configure_hook(overflow_nums=-1)
# transplt-inject: end


class NativeScaler:
    def __call__(self, loss, optimizer, update_grad=True):
        loss.backward()
        if update_grad:
            optimizer.step()


def train_one_epoch(model, loader, optimizer, loss_scaler):
    model.train(True)
    for step, samples in enumerate(loader):
        # transplt-inject: begin ptdbg
        debugger.start()
        # transplt-inject: end
        loss = model(samples)
        loss_scaler(loss, optimizer, update_grad=(step + 1) % 2 == 0)
        # transplt-inject: begin ptdbg
        debugger.stop()
        debugger.step()
        # transplt-inject: end
        torch.npu.synchronize()


model = torch.nn.Linear(1, 1)
train_one_epoch(model, [torch.randn(1)] * 2, torch.optim.SGD(model), NativeScaler())
