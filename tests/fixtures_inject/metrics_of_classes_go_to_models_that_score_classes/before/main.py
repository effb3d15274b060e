import mindspore.nn as nn
from mindspore import Model


class SmoothedCrossEntropy(nn.Cell):
    def __init__(self):
        super(SmoothedCrossEntropy, self).__init__()
        self.cross_entropy = nn.SoftmaxCrossEntropyWithLogits()

    def construct(self, logits, label):
        return self.cross_entropy(logits, label)


class OwnLoss(nn.L1Loss):
    def construct(self, image, label):
        return abs(image - label)


class OwnMetric(nn.Metric):
    pass


def models(smooth):
    network = nn.Cell()
    loss = SmoothedCrossEntropy() if smooth else nn.SoftmaxCrossEntropyWithLogits(sparse=True)
    return [
        Model(network, loss),
        Model(network, nn.L1Loss()),
        Model(network, nn.MSELoss(), metrics=None),
        Model(network, nn.CTCLoss(), metrics={"own": OwnMetric()}),
        Model(network, OwnLoss()),
        Model(network, nn.MSELoss(), metrics={"loss"}),
        Model(network, nn.Cell(), metrics={"acc"}),
    ]


if __name__ == "__main__":
    for model in models(True):
        if model.metrics:
            print(sorted(model.eval([])))
