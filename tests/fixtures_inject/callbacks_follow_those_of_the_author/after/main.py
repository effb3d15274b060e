import argparse
import mindspore.nn as nn
from mindspore import context, Model
from mindspore.train.callback import LossMonitor, TimeMonitor
from mindspore.dataset import create_dataset
# transplt-inject: begin callbacks
from mindspore.train.callback import Callback, ModelCheckpoint, SummaryCollector
import time
class StopAtTime(Callback):
    def __init__(self, minutes):
        super(StopAtTime, self).__init__()
        self.seconds = minutes * 60
    def begin(self, run_context):
        self.started = time.time()
    def step_end(self, run_context):
        if time.time() - self.started > self.seconds:
            params = run_context.original_args()
            print("epoch:", params.cur_epoch_num, "step:", params.cur_step_num, "loss:", params.net_outputs)
            run_context.request_stop()
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
    model.train(1, train_data, callbacks=[TimeMonitor(), LossMonitor(), ModelCheckpoint(), SummaryCollector(summary_dir="./summary_dir"), StopAtTime(10)], dataset_sink_mode=False)
    print(model.eval(test_data))


if __name__ == "__main__":
    main()
