import mindspore.nn as nn
from mindspore import Model
from training import train

if __name__ == "__main__":
    model = Model(nn.Cell(), nn.SoftmaxCrossEntropyWithLogits(sparse=True), metrics={"acc"})
    train(model)
    print(sorted(model.eval([])))
