# Ported from a script for cuda.
from mindspore import Model, nn

context = {"epochs": 1}

if __name__ == "__main__":
    Model(nn.Cell(), nn.Cell()).train(context["epochs"], [])
