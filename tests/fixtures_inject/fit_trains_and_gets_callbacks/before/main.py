from mindspore import Model
import mindspore.nn as nn
from mindspore.train.callback import TimeMonitor

if __name__ == "__main__":
    model = Model(nn.Cell(), nn.SoftmaxCrossEntropyWithLogits(sparse=True), metrics={"acc"})
    model.fit(2, [], [], 1, callbacks=[TimeMonitor()])
    model.fit(2, [], [])
