import mindspore.nn as nn
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

    def construct(self, x, mask=None, scale=1.0, **more):
        # transplt-inject: begin print
        self.npu_print("x:", x, "scale:", scale)
        # transplt-inject: end
        return x


if __name__ == "__main__":
    Net()("a")
