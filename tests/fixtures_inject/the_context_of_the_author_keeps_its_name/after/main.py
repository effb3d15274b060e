# Ported from a script for cuda.
from mindspore import Model, nn
# transplt-inject: begin context
from mindspore import context as npu_context
npu_context.set_context(save_graphs=True)
# transplt-inject: end

context = {"epochs": 1}

if __name__ == "__main__":
    Model(nn.Cell(), nn.Cell()).train(context["epochs"], [])
