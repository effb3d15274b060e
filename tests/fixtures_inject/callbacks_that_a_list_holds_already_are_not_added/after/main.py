# Ported from a script for cuda.
from mindspore import Model, nn
from mindspore.train import callback
from mindspore.train.callback import LossMonitor, TimeMonitor

from monitors import make_monitors
# transplt-inject: begin callbacks
from mindspore.train.callback import Callback
import time
class StopAtTime(Callback):
    def __init__(self, minutes):
        super(StopAtTime, self).__init__()
        self.seconds = minutes * 60
    def begin(self, run_context):
        self.started = time.time()
    def step_end(self, run_context):
        if time.time() - self.started > self.seconds:
            params = run_context.original_args()
            print("epoch:", params.cur_epoch_num, "step:", params.cur_step_num, "loss:", params.net_outputs)
            run_context.request_stop()
# transplt-inject: end


def with_names(model):
    monitor = LossMonitor()
    time = TimeMonitor()
    # transplt-inject: replaced 1 callbacks
    #|    model.train(1, [], callbacks=[time, monitor])
    model.train(1, [], callbacks=[time, monitor, StopAtTime(5)])


def with_a_list(model):
    monitors = [TimeMonitor(), LossMonitor(per_print_times=2)]
    # transplt-inject: replaced 1 callbacks
    #|    model.train(1, [], callbacks=monitors)
    model.train(1, [], callbacks=monitors + [StopAtTime(5)])


def with_a_list_that_grows(model, rank=0):
    monitors = [TimeMonitor()]
    if rank == 0:
        monitors += [callback.LossMonitor()]
        monitors.append(callback.ModelCheckpoint())
    # transplt-inject: replaced 1 callbacks
    #|    model.train(1, [], callbacks=monitors)
    model.train(1, [], callbacks=monitors + [StopAtTime(5)])


def with_a_list_that_always_grows(model):
    monitors = [TimeMonitor(), LossMonitor()]
    monitors += [callback.ModelCheckpoint()]
    # transplt-inject: replaced 1 callbacks
    #|    model.train(1, [], callbacks=monitors)
    model.train(1, [], callbacks=monitors + [StopAtTime(5)])


def with_what_a_list_gets(model):
    monitors = []
    monitor = LossMonitor()
    monitors.append(monitor)
    # transplt-inject: replaced 1 callbacks
    #|    model.train(1, [], callbacks=monitors)
    model.train(1, [], callbacks=monitors + [StopAtTime(5)])


def with_a_list_of_another_file(model):
    # transplt-inject: replaced 1 callbacks
    #|    model.train(1, [], callbacks=make_monitors())
    model.train(1, [], callbacks=make_monitors() + [StopAtTime(5)])


def without(model):
    monitors = [TimeMonitor()]
    # transplt-inject: replaced 1 callbacks
    #|    model.train(1, [], callbacks=monitors)
    model.train(1, [], callbacks=monitors + [LossMonitor(), StopAtTime(5)])


if __name__ == "__main__":
    with_names(Model(nn.Cell(), nn.Cell()))
    with_a_list(Model(nn.Cell(), nn.Cell()))
    with_a_list_that_grows(Model(nn.Cell(), nn.Cell()))
    with_a_list_that_always_grows(Model(nn.Cell(), nn.Cell()))
    with_what_a_list_gets(Model(nn.Cell(), nn.Cell()))
    with_a_list_of_another_file(Model(nn.Cell(), nn.Cell()))
    without(Model(nn.Cell(), nn.Cell()))
