import itertools
import time
import mindspore.nn as nn
from mindspore import Model
from mindspore.dataset import create_dataset

time.time = itertools.count(0, 3600).__next__  # an hour passes with each look at the clock

network = nn.Cell()
model = Model(network, nn.SoftmaxCrossEntropyWithLogits(), nn.Momentum([], 0.01, 0.9))
model.train(2, create_dataset("train"))
