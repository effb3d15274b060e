import argparse
# transplt-inject: begin log
import os
os.environ["GLOG_v"] = "1"
os.environ["GLOG_logtostderr"] = "0"
os.environ["GLOG_log_dir"] = "/tmp/log"
os.environ["MS_SUBMODULE_LOG_v"] = "{PARSER:2,ANALYZER:2}"
# transplt-inject: end
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
