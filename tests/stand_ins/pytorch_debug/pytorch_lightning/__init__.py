# SPDX-License-Identifier: Apache-2.0
"""The trainer of Lightning, as far as callbacks see it: two batches."""

from debug_stand_in import Anything, event

from . import callbacks as callbacks


class LightningModule(Anything):
    """A model whose training step the trainer calls."""


class Trainer(Anything):
    def __init__(self, *_, **__):
        self.callbacks = []

    def fit(self, module, *_, **__):
        for index in range(2):
            for callback in self.callbacks:
                assert isinstance(callback, callbacks.Callback)
                callback.on_train_batch_start(self, module, "batch", index)
            event("backward")
            event("optimizer.step")
            for callback in self.callbacks:
                callback.on_train_batch_end(self, module, "outputs", "batch", index)

    def test(self, *_, **__):
        event("test")
