# SPDX-License-Identifier: Apache-2.0
"""The trainer of transformers, as far as callbacks see it: two steps."""

from debug_stand_in import Anything, event


class TrainerCallback:
    """What transformers calls; None keeps its control as it is."""

    def on_step_begin(self, args, state, control, **keywords):
        pass

    def on_step_end(self, args, state, control, **keywords):
        pass


class Trainer(Anything):
    def __init__(self, *_, **__):
        self._callbacks = []

    def add_callback(self, callback):
        assert isinstance(callback, TrainerCallback)
        self._callbacks.append(callback)

    def train(self, *_, **__):
        for _step in range(2):
            for callback in self._callbacks:
                callback.on_step_begin("args", "state", "control", model="model")
            event("backward")
            event("optimizer.step")
            for callback in self._callbacks:
                callback.on_step_end("args", "state", "control", model="model")


AutoModel = Anything()
TrainingArguments = Anything
