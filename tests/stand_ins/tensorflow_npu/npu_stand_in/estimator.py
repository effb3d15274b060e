# SPDX-License-Identifier: Apache-2.0
"""Estimators: their configuration is checked, and input_fn and model_fn are called once."""

import collections
import copy
import inspect

from npu_stand_in import protos, record
from npu_stand_in.data import Dataset, Features
from npu_stand_in.fake import Fake
from npu_stand_in.session import check_options

REPLACEABLE = {"model_dir", "tf_random_seed", "save_summary_steps", "save_checkpoints_steps",
               "save_checkpoints_secs", "session_config", "keep_checkpoint_max",
               "keep_checkpoint_every_n_hours", "log_step_count_steps", "train_distribute",
               "device_fn", "protocol", "eval_distribute", "experimental_distribute",
               "experimental_max_worker_delay_secs", "session_creation_timeout_secs"}


class RunConfig:
    """tf.estimator.RunConfig."""

    def __init__(self, model_dir=None, tf_random_seed=None, save_summary_steps=100,
                 save_checkpoints_steps=None, save_checkpoints_secs=None, session_config=None,
                 keep_checkpoint_max=5, keep_checkpoint_every_n_hours=10000,
                 log_step_count_steps=100, train_distribute=None, device_fn=None, protocol=None,
                 eval_distribute=None, experimental_distribute=None,
                 experimental_max_worker_delay_secs=None, session_creation_timeout_secs=7200):
        for name, value in list(locals().items()):
            if name in REPLACEABLE:
                self.__dict__["_" + name] = value
        if session_config is not None and not isinstance(session_config, protos.ConfigProto):
            raise ValueError("session_config must be instance of ConfigProto")

    def replace(self, **keywords):
        wrong = set(keywords) - REPLACEABLE
        if wrong:
            raise ValueError(f"Replacing {wrong} is not supported.")
        result = copy.copy(self)
        for name, value in {n[1:]: v for n, v in self.__dict__.items()}.items():
            result.__dict__["_" + name] = copy.deepcopy(value) if isinstance(
                value, protos.Message) else value
        for name, value in keywords.items():
            result.__dict__["_" + name] = value
        return result

    def __getattr__(self, name):
        try:
            return self.__dict__["_" + name]
        except KeyError:
            if name in ("task_type", "task_id", "is_chief", "num_worker_replicas", "master",
                        "evaluation_master", "cluster_spec", "global_id_in_cluster"):
                return Fake(f"run_config.{name}")
            raise AttributeError(name) from None


class TPURunConfig(RunConfig):
    """tf.contrib.tpu.RunConfig: the arguments of RunConfig come through **kwargs."""

    def __init__(self, tpu_config=None, evaluation_master=None, master=None, cluster=None,
                 **keywords):
        super().__init__(**keywords)
        self.__dict__["_tpu_config"] = tpu_config


EstimatorSpec = collections.namedtuple(
    "EstimatorSpec", "mode predictions loss train_op eval_metric_ops export_outputs "
    "training_chief_hooks training_hooks scaffold evaluation_hooks prediction_hooks",
    defaults=[None] * 10)


class TPUEstimatorSpec(collections.namedtuple(
        "TPUEstimatorSpec", "mode predictions loss train_op eval_metrics export_outputs "
        "scaffold_fn host_call training_hooks evaluation_hooks prediction_hooks",
        defaults=[None] * 10)):
    """tf.contrib.tpu.TPUEstimatorSpec."""


def accepted(function, **values):
    """Those of the values that the function has parameters for."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return values
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return values
    return {name: value for name, value in values.items() if name in parameters}


def row_of(predictions, features):
    """What one example gives, in the structure of what all give."""
    if not isinstance(predictions, dict):
        return Fake("prediction")
    row = {}
    for name, tensor in predictions.items():
        read = features.get(getattr(tensor, "stand_in_feature", None))
        one = read[0] if isinstance(read, list) and len(read) == 1 else read
        row[name] = Fake(f"prediction.{name}") if read is None else one
    return row


class Estimator:
    """tf.estimator.Estimator."""

    def __init__(self, model_fn=None, model_dir=None, config=None, params=None,
                 warm_start_from=None):
        if config is not None and not isinstance(config, (RunConfig, dict)):
            raise ValueError("config must be an instance of `RunConfig`, but provided "
                             f"{type(config).__name__}.")
        self.config = config if config is not None else RunConfig()
        self.model_fn, self.model_dir, self.params = model_fn, model_dir, dict(params or {})

    def _config(self):
        config = copy.deepcopy(self.config.session_config) or protos.ConfigProto()
        check_options(config)
        return config

    def _run(self, method, mode, input_fn, hooks):
        config = self._config()
        record.event("estimator", method=method, kind=type(self).__name__,
                     config=protos.summary(config), run_config=changed_fields(self.config),
                     hooks=record.describe(list(hooks or ())))
        data = self._data(input_fn)
        features, labels = data if isinstance(data, tuple) and len(data) == 2 else (
            Features(), Fake("labels"))
        if self.model_fn is None:
            return data, None
        spec = self.model_fn(*[features], **accepted(
            self.model_fn, labels=labels, mode=mode, params=self.params, config=self.config))
        if not isinstance(spec, (EstimatorSpec, TPUEstimatorSpec)):
            raise ValueError("model_fn should return an EstimatorSpec.")
        return data, spec

    def _data(self, input_fn):
        if callable(input_fn) and not isinstance(input_fn, Dataset):
            return input_fn(**accepted(input_fn, params=self.params, config=self.config))
        return input_fn

    def train(self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None):
        self._run("train", "train", input_fn, hooks)
        return self

    def fit(self, x=None, y=None, input_fn=None, steps=None, batch_size=None, monitors=None,
            max_steps=None):
        """As tf.contrib.learn calls it."""
        return self.train(input_fn, monitors, steps, max_steps)

    def evaluate(self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None):
        self._run("evaluate", "eval", input_fn, hooks)
        return {"loss": 0.5, "accuracy": 0.5, "global_step": 1}

    def predict(self, input_fn, predict_keys=None, hooks=None, checkpoint_path=None,
                yield_single_examples=True):
        data, spec = self._run("predict", "infer", input_fn, hooks)
        known = isinstance(data, Dataset) and data.examples is not None
        for number in range(data.examples if known else 1):
            read = data.features[number] if known and data.features else {}
            yield row_of(spec.predictions, read) if spec else Fake("prediction")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Fake(f"estimator.{name}")


class TPUEstimator(Estimator):
    """tf.contrib.tpu.TPUEstimator; there is no TPU, so use_tpu and its like must be False."""

    def __init__(self, model_fn=None, model_dir=None, config=None, params=None, use_tpu=True,
                 train_batch_size=None, eval_batch_size=None, predict_batch_size=None,
                 batch_axis=None, eval_on_tpu=True, export_to_tpu=True, export_to_cpu=True,
                 warm_start_from=None, experimental_export_device_assignment=False,
                 embedding_config_spec=None):
        if not isinstance(config, TPURunConfig):
            raise ValueError("`config` must be provided with type `tpu_config.RunConfig`")
        super().__init__(model_fn, model_dir, config, params)
        self.params["batch_size"] = train_batch_size or 1
        if use_tpu:
            raise RuntimeError("there is no TPU")


class CannedEstimator(Estimator):
    """DNNClassifier and its like: only the configuration is looked at."""

    def __init__(self, *arguments, config=None, model_dir=None, **keywords):
        super().__init__(None, model_dir, config)


TrainSpec = collections.namedtuple("TrainSpec", "input_fn max_steps hooks saving_listeners",
                                   defaults=[None] * 3)
EvalSpec = collections.namedtuple(
    "EvalSpec", "input_fn steps name hooks exporters start_delay_secs throttle_secs",
    defaults=[100, None, None, None, 120, 600])


def train_and_evaluate(estimator, train_spec, eval_spec):
    estimator.train(train_spec.input_fn, train_spec.hooks, max_steps=train_spec.max_steps)
    estimator.evaluate(eval_spec.input_fn, eval_spec.steps, eval_spec.hooks)


def changed_fields(config):
    """The fields of a run configuration that are not None, by name."""
    return {name.lstrip("_"): record.describe(value)
            for name, value in config.__dict__.items() if value is not None}
