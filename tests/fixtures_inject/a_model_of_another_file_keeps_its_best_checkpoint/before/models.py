import mindspore as ms
import mindspore.nn as nn

METRICS = {"top": nn.Accuracy(), "loss": nn.Loss()}


class Trainer:
    def __init__(self, network, loss):
        self.model = ms.Model(network, loss, metrics=METRICS)


def make_model(network, loss):
    model = ms.Model(network, loss, metrics={"loss", "acc"})
    return model


def make_callbacks():
    return [ms.train.callback.TimeMonitor()]
