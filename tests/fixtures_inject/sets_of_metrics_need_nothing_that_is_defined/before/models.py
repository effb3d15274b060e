import mindspore.nn as nn
from mindspore import Model


def plain():
    return Model(nn.Cell(), nn.SoftmaxCrossEntropyWithLogits(sparse=True))
