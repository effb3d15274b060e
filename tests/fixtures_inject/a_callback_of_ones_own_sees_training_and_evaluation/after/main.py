import mindspore.nn as nn
from mindspore import Model
from mindspore.dataset import create_dataset
from mindspore.train.callback import Callback, TimeMonitor
# transplt-inject: begin callbacks
from mindspore.train.callback import LossMonitor
class npu_CustomCallback(Callback):
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


class CustomCallback(Callback):
    """The author's."""


network = nn.Cell()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
optimizer = nn.Momentum(network.trainable_params(), 0.01, 0.9)
train_data, test_data = create_dataset("train"), create_dataset("test")
model = Model(network, loss, optimizer, metrics={"accuracy": nn.Accuracy()})
# transplt-inject: replaced 1 callbacks
#|model.train(2, train_data, [TimeMonitor(), CustomCallback()])
model.train(2, train_data, [TimeMonitor(), CustomCallback(), LossMonitor(), npu_CustomCallback()])
# transplt-inject: replaced 1 callbacks
#|print(model.eval(test_data))
print(model.eval(test_data, callbacks=[npu_CustomCallback()]))
# transplt-inject: replaced 1 callbacks
#|print(model.eval(test_data, [TimeMonitor()]))
print(model.eval(test_data, [TimeMonitor(), npu_CustomCallback()]))
