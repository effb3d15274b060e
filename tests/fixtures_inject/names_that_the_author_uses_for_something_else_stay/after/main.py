# Ported from a script for cuda.
from time import time

from mindspore import Model, nn
from monitors import LossMonitor
# transplt-inject: begin callbacks
from mindspore.train.callback import Callback, LossMonitor as npu_LossMonitor
import time as npu_time
from mindspore import save_checkpoint as npu_save_checkpoint
class npu_StopAtTime(Callback):
    def __init__(self, minutes):
        super(npu_StopAtTime, self).__init__()
        self.seconds = minutes * 60
    def begin(self, run_context):
        self.started = npu_time.time()
    def step_end(self, run_context):
        if npu_time.time() - self.started > self.seconds:
            params = run_context.original_args()
            print("epoch:", params.cur_epoch_num, "step:", params.cur_step_num, "loss:", params.net_outputs)
            run_context.request_stop()
class SaveBestCheckpoint(Callback):
    def __init__(self, model, dataset, key):
        super(SaveBestCheckpoint, self).__init__()
        self.model = model
        self.dataset = dataset
        self.key = key
        self.best = None
    def epoch_end(self, run_context):
        value = self.model.eval(self.dataset)[self.key]
        if self.best is None or value > self.best:
            self.best = value
            network = run_context.original_args().train_network
            npu_save_checkpoint(network, str(value) + ".ckpt")
            print("saved the best checkpoint:", self.key, value)
# transplt-inject: end


def save_checkpoint(path):
    print(path)


class StopAtTime:
    def __init__(self, hour, minute):
        self.text = f"{hour}:{minute}"


if __name__ == "__main__":
    started = time()
    data = []
    model = Model(nn.Cell(), nn.Cell(), metrics={"accuracy"})
    # transplt-inject: replaced 1 callbacks
    #|    model.train(1, data, callbacks=[])
    model.train(1, data, callbacks=[npu_LossMonitor(), SaveBestCheckpoint(model, data, "accuracy"), npu_StopAtTime(5)])
    print(time() - started >= 0, LossMonitor("a", 1).name, StopAtTime(1, 2).text)
    save_checkpoint("x.ckpt")
