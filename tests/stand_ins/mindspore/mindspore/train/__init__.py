# SPDX-License-Identifier: Apache-2.0


class _Parameters(dict):
    """_InternalCallbackParam of mindspore/python/mindspore/train/callback/_callback.py: a key that
    is not there raises KeyError, also as an attribute."""

    def __getattr__(self, key):
        return self[key]

    def __setattr__(self, key, value):
        self[key] = value


class _Context:
    def __init__(self, parameters):
        self.parameters = parameters
        self.is_stopped = False

    def original_args(self):
        return self.parameters

    def request_stop(self):
        from .. import event
        event("stop", step=self.parameters.cur_step_num)
        self.is_stopped = True


def _metrics_of(metrics):
    """As get_metrics of mindspore/python/mindspore/train/metrics refuses and names them."""
    from .. import nn
    if metrics is None:
        return None
    if isinstance(metrics, dict):
        for name, metric in metrics.items():
            if not isinstance(name, str) or not isinstance(metric, nn.Metric):
                raise TypeError(f"not a metric: {name!r}: {metric!r}")
        return metrics
    if isinstance(metrics, set):
        return {name: nn.METRICS[name]() for name in metrics}
    raise TypeError(f"metrics must be None, dict or set, but got {metrics!r}")


class Model:
    """What it refuses is what mindspore/python/mindspore/train/model.py refuses."""

    def __init__(self, network, loss_fn=None, optimizer=None, metrics=None, eval_network=None,
                 eval_indexes=None, amp_level="O0", **_):
        from .. import event
        self.network = network
        self.loss_fn = loss_fn
        self.optimizer = optimizer
        self.metrics = _metrics_of(metrics)
        self.has_evaluation = eval_network is not None
        self.eval_indexes = eval_indexes
        if self.metrics and eval_network is None and loss_fn is None:
            raise ValueError("If `metrics` is set, `eval_network` must not be None.")
        names = metrics
        if isinstance(metrics, dict):
            names = {name: type(metric).__name__ for name, metric in metrics.items()}
        event("Model", metrics=sorted(names) if isinstance(names, set) else names)

    def _run(self, what, callbacks, **parameters):
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
        context = _Context(_Parameters(mode=what, batch_num=2, cur_step_num=0,
                                       list_callback=callbacks, **parameters))
        # Which keys there are, and from when on: _train and _eval_process of model.py.
        for call in ("begin", "epoch_begin", "step_begin", "step_end", "step_begin", "step_end",
                     "epoch_end", "end"):
            if call == "epoch_begin" and what == "train":
                context.parameters.cur_epoch_num = 1
            if call == "step_begin":
                if context.is_stopped:
                    break
                context.parameters.cur_step_num += 1
            if call == "step_end":
                context.parameters.net_outputs = 0.25
            for callback in callbacks:
                getattr(callback, call)(context)

    def train(self, epoch, train_dataset, callbacks=None, dataset_sink_mode=True, sink_size=-1):
        self._run("train", callbacks, train_network=self.network, epoch_num=epoch,
                  train_dataset=train_dataset, loss_fn=self.loss_fn, optimizer=self.optimizer)

    def fit(self, epoch, train_dataset, valid_dataset=None, valid_frequency=1, callbacks=None,
            dataset_sink_mode=None, valid_dataset_sink_mode=None, sink_size=-1,
            initial_epoch=0):
        self.train(epoch, train_dataset, callbacks)
        if valid_dataset is not None:
            self.eval(valid_dataset)

    def _refuse_metrics_of_classes(self):
        from .. import nn
        if not isinstance(self.loss_fn, nn.NO_SCORES):
            return
        given = self.metrics.values()
        refused = [type(metric).__name__ for metric in given if isinstance(metric, nn.OF_CLASSES)]
        if refused:
            raise ValueError(f"{refused}: predicted values and labels do not fit")

    def eval(self, valid_dataset, callbacks=None, dataset_sink_mode=True):
        if not self.metrics:
            raise ValueError("For Model.eval, the model argument 'metrics' can not be None")
        if self.has_evaluation and self.eval_indexes is None:
            own = [name for name, metric in self.metrics.items()
                   if type(metric).__module__ == "mindspore.nn"]
            if own:
                raise ValueError(f"{own}: without eval_indexes update() gets all outputs")
        self._refuse_metrics_of_classes()
        self._run("eval", callbacks, eval_network=self.network, valid_dataset=valid_dataset)
        return {name: 0.5 for name in self.metrics}


from . import callback  # noqa: E402, F401
