import mindspore as ms
import mindspore.nn as nn
from mindspore.train.callback import ModelCheckpoint
# transplt-inject: begin metrics
import mindspore.nn
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
        # transplt-inject: replaced 1 metrics
        #|        self.model = ms.Model(net, nn.SoftmaxCrossEntropyWithLogits())
        self.model = ms.Model(net, nn.SoftmaxCrossEntropyWithLogits(), metrics={"accuracy": mindspore.nn.Accuracy(), "precision": mindspore.nn.Precision(), "recall": mindspore.nn.Recall()})
        self.callbacks = ModelCheckpoint()

    def run(self, dataset):
        self.model.train(2, dataset, self.callbacks)
        return self.model.eval(dataset, callbacks=None)


if __name__ == '__main__':
    net = Net()
    net("a", "b")
    Trainer(net).run([])
