import argparse
# transplt-inject: begin dump
import os
import json
with open("/tmp/transplt_fixture_dump.json", "w") as dump_file:
    json.dump({
        "common_dump_settings": {
            "dump_mode": 1,
            "path": "/absolute_path",
            "net_name": "ResNet50",
            "iteration": 0,
            "input_output": 0,
            "kernels": ["Default/Conv-op12"],
            "support_device": [0, 1]},
        "e2e_dump_settings": {"enable": True, "trans_flag": False}}, dump_file)
os.environ["MINDSPORE_DUMP_CONFIG"] = "/tmp/transplt_fixture_dump.json"
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
