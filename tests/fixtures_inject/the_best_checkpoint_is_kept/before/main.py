import argparse
import mindspore.nn as nn
from mindspore import context, Model
from mindspore.train.callback import LossMonitor, TimeMonitor
from mindspore.dataset import create_dataset

context.set_context(mode=context.GRAPH_MODE, device_target="Ascend", save_graphs=False)


def main():
    network = nn.Cell()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
    optimizer = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    train_data, test_data = create_dataset("train"), create_dataset("test")
    model = Model(network, loss, optimizer, metrics={"accuracy": nn.Accuracy()})
    model.train(1, train_data, callbacks=[TimeMonitor()], dataset_sink_mode=False)
    print(model.eval(test_data))


if __name__ == "__main__":
    main()
