import torch


class NativeScaler:
    def __call__(self, loss, optimizer, update_grad=True):
        loss.backward()
        if update_grad:
            optimizer.step()


def train_one_epoch(model, loader, optimizer, loss_scaler):
    model.train(True)
    for step, samples in enumerate(loader):
        loss = model(samples)
        loss_scaler(loss, optimizer, update_grad=(step + 1) % 2 == 0)
        torch.npu.synchronize()


model = torch.nn.Linear(1, 1)
train_one_epoch(model, [torch.randn(1)] * 2, torch.optim.SGD(model), NativeScaler())
