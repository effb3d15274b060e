import os
import sys

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import mindspore.nn as nn
    from mindspore import Model
    from mindspore.dataset import create_dataset
    # transplt-inject: begin context
    from mindspore import context
    context.set_context(save_graphs=True, save_graphs_path="./ir")
    # transplt-inject: end

    network = nn.Cell()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
    optimizer = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    model = Model(network, loss, optimizer)
    model.train(1, create_dataset("train"))
