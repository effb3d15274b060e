import mindspore.nn as nn
from mindspore import Model
from mindspore.dataset import create_dataset
from mindspore.train.callback import Callback, TimeMonitor


class CustomCallback(Callback):
    """The author's."""


network = nn.Cell()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
optimizer = nn.Momentum(network.trainable_params(), 0.01, 0.9)
train_data, test_data = create_dataset("train"), create_dataset("test")
model = Model(network, loss, optimizer, metrics={"accuracy": nn.Accuracy()})
model.train(2, train_data, [TimeMonitor(), CustomCallback()])
print(model.eval(test_data))
print(model.eval(test_data, [TimeMonitor()]))
