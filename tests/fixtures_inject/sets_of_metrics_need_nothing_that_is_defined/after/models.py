import mindspore.nn as nn
from mindspore import Model
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


def plain():
    # transplt-inject: replaced 1 metrics
    #|    return Model(nn.Cell(), nn.SoftmaxCrossEntropyWithLogits(sparse=True))
    return Model(nn.Cell(), nn.SoftmaxCrossEntropyWithLogits(sparse=True), metrics={"loss": mindspore.nn.Loss(), "custom": CustomMetric()})
