# Ported from a script for cuda.
import mindspore.nn as nn
from mindspore import Model
from mindspore.dataset import create_dataset

from models import Trainer, make_callbacks, make_model
# transplt-inject: begin callbacks
from mindspore.train.callback import Callback, LossMonitor
from mindspore import save_checkpoint
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
            save_checkpoint(network, str(value) + ".ckpt")
            print("saved the best checkpoint:", self.key, value)
# transplt-inject: end


def run(model, data, callbacks=None):
    test_data = create_dataset("test")
    # transplt-inject: replaced 1 callbacks
    #|    model.train(1, data, callbacks=callbacks)
    model.train(1, data, callbacks=(callbacks if isinstance(callbacks, list) else [callbacks] if callbacks is not None else []) + [LossMonitor(), SaveBestCheckpoint(model, test_data, "acc")])
    print(model.eval(test_data))


def run_trainer(trainer, test_data):
    # transplt-inject: replaced 1 callbacks
    #|    trainer.model.train(1, [], callbacks=make_callbacks())
    trainer.model.train(1, [], callbacks=make_callbacks() + [LossMonitor(), SaveBestCheckpoint(trainer.model, test_data, "top")])


def run_plain(test_data):
    # transplt-inject: replaced 1 callbacks
    #|    Model(nn.Cell()).train(1, [])
    Model(nn.Cell()).train(1, [], callbacks=[LossMonitor()])
    plain = Model(nn.Cell())
    # transplt-inject: replaced 1 callbacks
    #|    plain.train(1, [])
    plain.train(1, [], callbacks=[LossMonitor()])


if __name__ == "__main__":
    run(make_model(nn.Cell(), nn.Cell()), create_dataset("train"))
    run_trainer(Trainer(nn.Cell(), nn.Cell()), [])
    run_plain([])
