# SPDX-License-Identifier: Apache-2.0
import types


class _Context:
    def __init__(self, parameters):
        self.parameters = parameters

    def original_args(self):
        return self.parameters

    def request_stop(self):
        self.parameters.stop = True


class Model:
    def __init__(self, network, loss_fn=None, optimizer=None, metrics=None, eval_network=None,
                 amp_level="O0", **_):
        from .. import event
        self.network = network
        names = metrics
        if isinstance(metrics, dict):
            names = {name: type(metric).__name__ for name, metric in metrics.items()}
        event("Model", metrics=sorted(names) if isinstance(names, set) else names)

    def _run(self, what, callbacks):
        from .. import event
        from .callback import Callback
        if callbacks is None:
            callbacks = []
        elif not isinstance(callbacks, list):
            callbacks = [callbacks]
        for callback in callbacks:
            if not isinstance(callback, Callback):
                raise TypeError(f"not a callback: {callback!r}")
        event(what, callbacks=[type(callback).__name__ for callback in callbacks])
        context = _Context(types.SimpleNamespace(
            train_network=self.network, cur_step_num=1, batch_num=2, stop=False))
        for call in ("begin", "epoch_begin", "step_begin", "step_end", "step_begin", "step_end",
                     "epoch_end", "end"):
            for callback in callbacks:
                getattr(callback, call)(context)

    def train(self, epoch, train_dataset, callbacks=None, dataset_sink_mode=True, sink_size=-1):
        self._run("train", callbacks)

    def eval(self, valid_dataset, callbacks=None, dataset_sink_mode=True):
        self._run("eval", callbacks)
        return {"accuracy": 0.5}


from . import callback  # noqa: E402, F401
