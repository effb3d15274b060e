import torch
# transplt-inject: begin msprobe
from msprobe.pytorch import PrecisionDebugger
debugger = PrecisionDebugger(dump_path="./dump")
# transplt-inject: end

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.cuda.amp.GradScaler()


def backward_step(loss):
    scaler.scale(loss).backward()


def take_optimizer_step():
    scaler.step(optimizer)


def pipeline(batches):
    """Micro-batches: whoever calls this has the step."""
    for batch in batches:
        backward_step(model(batch))


class Trainer:
    def training_step(self, batch):
        loss = model(batch)
        loss.backward()
        return loss

    def train(self):
        for batch in range(2):
            # transplt-inject: begin msprobe
            debugger.start()
            # transplt-inject: end
            def update(loss):
                backward_step(loss)
                optimizer.step()

            if batch == 0:
                update(model(torch.randn(1)))
            else:
                update(model(torch.randn(1)))
            # transplt-inject: begin msprobe
            debugger.stop()
            debugger.step()
            # transplt-inject: end
            print("batch", batch)
        for batch in range(2):
            if batch > 5:
                continue
            # transplt-inject: begin msprobe
            debugger.start()
            # transplt-inject: end
            loss = self.training_step(torch.randn(1))
            take_optimizer_step()
            # transplt-inject: begin msprobe
            debugger.stop()
            debugger.step()
            # transplt-inject: end


def forward_backward_func(forward_only=False):
    return model(torch.randn(1))


def train_step(forward_backward):
    # transplt-inject: begin msprobe
    debugger.start()
    # transplt-inject: end
    losses = forward_backward_func()
    forward_backward_helper = forward_backward
    forward_backward_helper()
    optimizer.step()
    # transplt-inject: begin msprobe
    debugger.stop()
    debugger.step()
    # transplt-inject: end
    return losses


def backward(total_loss, scaler=None):
    total_loss.backward()


def accumulate():
    for step in range(1):
        # transplt-inject: begin msprobe
        debugger.start()
        # transplt-inject: end
        backward(model(torch.randn(1)))
        optimizer.step()
        # transplt-inject: begin msprobe
        debugger.stop()
        debugger.step()
        # transplt-inject: end


class OptimizerHook:
    def after_train_iter(self, runner):
        runner.outputs["loss"].backward()
        runner.optimizer.step()


class Scale(torch.autograd.Function):
    @staticmethod
    def backward(ctx, gradient):
        for part in range(2):
            gradient.backward()
            optimizer.step()
        return gradient


def evaluate(forward_backward_helper):
    for step in range(2):
        forward_backward_helper(forward_only=True)
    optimizer.step()


Trainer().train()
pipeline([torch.randn(1)])
train_step(forward_backward_func)
accumulate()
evaluate(forward_backward_func)
