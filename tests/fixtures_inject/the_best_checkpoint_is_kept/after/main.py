import argparse
import mindspore.nn as nn
from mindspore import context, Model
from mindspore.train.callback import LossMonitor, TimeMonitor
from mindspore.dataset import create_dataset
# transplt-inject: begin callbacks
from mindspore.train.callback import Callback
from mindspore import save_checkpoint
class SaveBestCheckpoint(Callback):
    def __init__(self, model, dataset, key):
        super(SaveBestCheckpoint, self).__init__()
        self.model = model
        self.dataset = dataset
        self.key = key
        self.best = None
    def epoch_end(self, run_context):
        value = self.model.eval(self.dataset)[self.key]
        if self.best is None or value > self.best:
            self.best = value
            network = run_context.original_args().train_network
            save_checkpoint(network, str(value) + ".ckpt")
            print("saved the best checkpoint:", self.key, value)
# transplt-inject: end

context.set_context(mode=context.GRAPH_MODE, device_target="Ascend", save_graphs=False)


def main():
    network = nn.Cell()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
    optimizer = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    train_data, test_data = create_dataset("train"), create_dataset("test")
    model = Model(network, loss, optimizer, metrics={"accuracy": nn.Accuracy()})
    # transplt-inject: replaced 1 callbacks
    #|    model.train(1, train_data, callbacks=[TimeMonitor()], dataset_sink_mode=False)
    model.train(1, train_data, callbacks=[TimeMonitor(), SaveBestCheckpoint(model, test_data, "accuracy")], dataset_sink_mode=False)
    print(model.eval(test_data))


if __name__ == "__main__":
    main()
