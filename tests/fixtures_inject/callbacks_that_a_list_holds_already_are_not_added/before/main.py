# Ported from a script for cuda.
from mindspore import Model, nn
from mindspore.train import callback
from mindspore.train.callback import LossMonitor, TimeMonitor

from monitors import make_monitors


def with_names(model):
    monitor = LossMonitor()
    time = TimeMonitor()
    model.train(1, [], callbacks=[time, monitor])


def with_a_list(model):
    monitors = [TimeMonitor(), LossMonitor(per_print_times=2)]
    model.train(1, [], callbacks=monitors)


def with_a_list_that_grows(model, rank=0):
    monitors = [TimeMonitor()]
    if rank == 0:
        monitors += [callback.LossMonitor()]
        monitors.append(callback.ModelCheckpoint())
    model.train(1, [], callbacks=monitors)


def with_a_list_that_always_grows(model):
    monitors = [TimeMonitor(), LossMonitor()]
    monitors += [callback.ModelCheckpoint()]
    model.train(1, [], callbacks=monitors)


def with_what_a_list_gets(model):
    monitors = []
    monitor = LossMonitor()
    monitors.append(monitor)
    model.train(1, [], callbacks=monitors)


def with_a_list_of_another_file(model):
    model.train(1, [], callbacks=make_monitors())


def without(model):
    monitors = [TimeMonitor()]
    model.train(1, [], callbacks=monitors)


if __name__ == "__main__":
    with_names(Model(nn.Cell(), nn.Cell()))
    with_a_list(Model(nn.Cell(), nn.Cell()))
    with_a_list_that_grows(Model(nn.Cell(), nn.Cell()))
    with_a_list_that_always_grows(Model(nn.Cell(), nn.Cell()))
    with_what_a_list_gets(Model(nn.Cell(), nn.Cell()))
    with_a_list_of_another_file(Model(nn.Cell(), nn.Cell()))
    without(Model(nn.Cell(), nn.Cell()))
