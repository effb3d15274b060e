import mindspore.nn as nn


class Net(nn.Cell):
    def __init__(self):
        super(Net, self).__init__()
        self.training = True

    def construct(self, x, mask=None, scale=1.0, **more):
        return x


if __name__ == "__main__":
    Net()("a")
