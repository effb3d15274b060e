import mindspore.nn as nn
import mindspore.ops as ops


class Net(nn.Cell):
    def __init__(self):
        super(Net, self).__init__()
        self.training = True

    @ops.add_flags(has_effect=True)
    def construct(self, x, branches):
        total = 0
        for branch in branches:
            total = total + branch
        return x


if __name__ == "__main__":
    Net()("a", [1, 2])
