from mindspore.train.callback import LossMonitor


def make_monitors():
    loss = LossMonitor()
    return [loss]
