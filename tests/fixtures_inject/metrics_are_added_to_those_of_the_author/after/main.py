import argparse
import mindspore.nn as nn
from mindspore import context, Model
from mindspore.train.callback import LossMonitor, TimeMonitor
from mindspore.dataset import create_dataset
# transplt-inject: begin metrics
import mindspore.nn
class CustomMetric(mindspore.nn.Metric):
    def __init__(self):
        super(CustomMetric, self).__init__()
        self.clear()
    def clear(self):
        self.total = 0
        self.count = 0
    def update(self, *inputs):
        self.count += 1
    def eval(self):
        return self.total / max(self.count, 1)
# transplt-inject: end

context.set_context(mode=context.GRAPH_MODE, device_target="Ascend", save_graphs=False)


def main():
    network = nn.Cell()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
    optimizer = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    train_data, test_data = create_dataset("train"), create_dataset("test")
    # transplt-inject: replaced 1 metrics
    #|    model = Model(network, loss, optimizer, metrics={"accuracy": nn.Accuracy()})
    model = Model(network, loss, optimizer, metrics={"accuracy": nn.Accuracy(), "loss": mindspore.nn.Loss(), "f1_score": mindspore.nn.F1(), "custom": CustomMetric()})
    model.train(1, train_data, callbacks=[TimeMonitor()], dataset_sink_mode=False)
    print(model.eval(test_data))


if __name__ == "__main__":
    main()
