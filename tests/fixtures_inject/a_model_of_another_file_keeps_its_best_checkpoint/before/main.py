# Ported from a script for cuda.
import mindspore.nn as nn
from mindspore import Model
from mindspore.dataset import create_dataset

from models import Trainer, make_callbacks, make_model


def run(model, data, callbacks=None):
    test_data = create_dataset("test")
    model.train(1, data, callbacks=callbacks)
    print(model.eval(test_data))


def run_trainer(trainer, test_data):
    trainer.model.train(1, [], callbacks=make_callbacks())


def run_plain(test_data):
    Model(nn.Cell()).train(1, [])
    plain = Model(nn.Cell())
    plain.train(1, [])


if __name__ == "__main__":
    run(make_model(nn.Cell(), nn.Cell()), create_dataset("train"))
    run_trainer(Trainer(nn.Cell(), nn.Cell()), [])
    run_plain([])
