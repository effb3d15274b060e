# Ported from a script for cuda.
from time import time

from mindspore import Model, nn
from monitors import LossMonitor


def save_checkpoint(path):
    print(path)


class StopAtTime:
    def __init__(self, hour, minute):
        self.text = f"{hour}:{minute}"


if __name__ == "__main__":
    started = time()
    data = []
    model = Model(nn.Cell(), nn.Cell(), metrics={"accuracy"})
    model.train(1, data, callbacks=[])
    print(time() - started >= 0, LossMonitor("a", 1).name, StopAtTime(1, 2).text)
    save_checkpoint("x.ckpt")
