import mindspore as ms
import mindspore.nn as nn
from mindspore.train.callback import ModelCheckpoint


class Net(nn.Cell):
    def __init__(self):
        super(Net, self).__init__()
        self.relu = ms.ops.ReLU()

    def construct(self, x, y):
        """Adds nothing."""
        return self.relu(x)


class Trainer:
    def __init__(self, net):
        self.model = ms.Model(net, nn.SoftmaxCrossEntropyWithLogits())
        self.callbacks = ModelCheckpoint()

    def run(self, dataset):
        self.model.train(2, dataset, self.callbacks)
        return self.model.eval(dataset, callbacks=None)


if __name__ == '__main__':
    net = Net()
    net("a", "b")
    Trainer(net).run([])
