import mindspore.nn as nn
from mindspore import Model
from training import train
# transplt-inject: begin callbacks
from mindspore.train.callback import Callback
class CustomCallback(Callback):
    def begin(self, run_context):
        params = run_context.original_args()
        print(params.mode, "steps of an epoch:", params.batch_num)
    def epoch_begin(self, run_context):
        pass
    def epoch_end(self, run_context):
        pass
    def step_begin(self, run_context):
        pass
    def step_end(self, run_context):
        params = run_context.original_args()
        print("epoch:", params.get("cur_epoch_num"), "step:", params.cur_step_num, "output:", params.net_outputs)
    def end(self, run_context):
        pass
# transplt-inject: end

if __name__ == "__main__":
    model = Model(nn.Cell(), nn.SoftmaxCrossEntropyWithLogits(sparse=True), metrics={"acc"})
    train(model)
    # transplt-inject: replaced 1 callbacks
    #|    print(sorted(model.eval([])))
    print(sorted(model.eval([], callbacks=[CustomCallback()])))
