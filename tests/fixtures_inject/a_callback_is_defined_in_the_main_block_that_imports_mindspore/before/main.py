import os

if __name__ == "__main__":
    import mindspore.nn as nn
    from mindspore import Model
    from mindspore.dataset import create_dataset

    network = nn.Cell()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
    optimizer = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    model = Model(network, loss, optimizer)
    model.train(1, create_dataset("train"))
