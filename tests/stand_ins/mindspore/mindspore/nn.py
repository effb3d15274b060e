# SPDX-License-Identifier: Apache-2.0
class Cell:
    def __init__(self, *_, **__):
        pass

    def __call__(self, *arguments):
        return self.construct(*arguments)

    def construct(self, *_):
        return None

    def trainable_params(self):
        return []


class Metric:
    def __init__(self):
        pass


class Accuracy(Metric):
    pass


class Loss(Metric):
    pass


class Precision(Metric):
    pass


class Recall(Metric):
    pass


class F1(Metric):
    pass


Dense = SoftmaxCrossEntropyWithLogits = Momentum = ReLU = Conv2d = Cell
