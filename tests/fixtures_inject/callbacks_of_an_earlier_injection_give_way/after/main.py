import mindspore as ms
import mindspore.nn as nn
from mindspore.train.callback import ModelCheckpoint
# transplt-inject: begin callbacks
from mindspore.train.callback import Callback
import time
class StopAtTime(Callback):
    def __init__(self, minutes):
        super(StopAtTime, self).__init__()
        self.seconds = minutes * 60
    def begin(self, run_context):
        self.started = time.time()
    def step_end(self, run_context):
        if time.time() - self.started > self.seconds:
            params = run_context.original_args()
            print("epoch:", params.cur_epoch_num, "step:", params.cur_step_num, "loss:", params.net_outputs)
            run_context.request_stop()
# transplt-inject: end


class Net(nn.Cell):
    def __init__(self):
        super(Net, self).__init__()
        self.relu = ms.ops.ReLU()

    def construct(self, x, y):
        """Adds nothing."""
        return self.relu(x)


class Trainer:
    def __init__(self, net):
        self.model = ms.Model(net, nn.Cell(), metrics={"accuracy"})
        self.callbacks = ModelCheckpoint()

    def run(self, dataset):
        # transplt-inject: replaced 1 callbacks
        #|        self.model.train(2, dataset, self.callbacks)
        self.model.train(2, dataset, (self.callbacks if isinstance(self.callbacks, list) else [self.callbacks]) + [StopAtTime(7)])
        return self.model.eval(dataset, callbacks=None)


if __name__ == '__main__':
    net = Net()
    net("a", "b")
    Trainer(net).run([])
