# Ported from a script for cuda.
import mindspore.nn as nn
from mindspore import Model

loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
shared = {"accuracy": nn.Accuracy()}


def networks(with_loss=None):
    train = Model(nn.Cell(), optimizer=None)
    plain = Model(nn.Cell(), None)
    hidden = Model(nn.Cell(), with_loss)
    cell = Model(nn.Cell(), eval_network=nn.Cell())
    indexed = Model(nn.Cell(), eval_network=nn.Cell(), eval_indexes=[0, 1, 2])
    named = Model(nn.Cell(), loss, metrics={"acc"})
    one = Model(nn.Cell(), loss, metrics=shared)
    other = Model(nn.Cell(), loss, None, shared)
    return [train, plain, hidden, cell], [indexed, named, one, other]


if __name__ == "__main__":
    for model in networks()[1]:
        if model.metrics:
            print(sorted(model.eval([])))
