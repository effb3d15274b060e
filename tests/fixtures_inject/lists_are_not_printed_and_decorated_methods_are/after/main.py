import mindspore.nn as nn
import mindspore.ops as ops
# transplt-inject: begin print
import mindspore.ops
# transplt-inject: end


class Net(nn.Cell):
    def __init__(self):
        super(Net, self).__init__()
        self.training = True
        # transplt-inject: begin print
        self.npu_print = mindspore.ops.Print()
        # transplt-inject: end

    @ops.add_flags(has_effect=True)
    def construct(self, x, branches):
        # transplt-inject: begin print
        self.npu_print("x:", x)
        # transplt-inject: end
        total = 0
        for branch in branches:
            total = total + branch
        return x


if __name__ == "__main__":
    Net()("a", [1, 2])
