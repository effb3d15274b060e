# SPDX-License-Identifier: Apache-2.0
"""The names of TensorFlow that are more than permissive objects, and the modules with them."""

import importlib.abc
import importlib.machinery
import os
import sys
import types

from npu_stand_in import checkpoints, data, estimator, files, flags, keras, protos, session
from npu_stand_in.fake import Fake


def as_bytes(text, encoding="utf-8"):
    return text if isinstance(text, bytes) else text.encode(encoding)


def as_text(text, encoding="utf-8"):
    return text.decode(encoding) if isinstance(text, bytes) else text


CANNED = [f"{model}{kind}" for model in ("DNN", "Linear", "DNNLinearCombined", "BoostedTrees",
                                        "Baseline")
          for kind in ("Classifier", "Regressor", "Estimator")]
# Keyed by the end of the path, the longest one that fits.
SPECIAL = {
    "Session": session.Session, "InteractiveSession": session.InteractiveSession,
    "MonitoredTrainingSession": session.monitored_training_session,
    "MonitoredSession": session.monitored_session,
    "SingularMonitoredSession": session.singular_monitored_session,
    "ChiefSessionCreator": session.ChiefSessionCreator,
    "WorkerSessionCreator": session.WorkerSessionCreator,
    "evaluation.evaluate_once": session.slim_evaluate_once,
    "evaluation.evaluation_loop": session.slim_evaluation_loop,
    "training.evaluate_repeatedly": session.evaluate_repeatedly,
    "SessionManager": session.SessionManager, "Supervisor": session.Supervisor, "learning.train": session.slim_train,
    "get_default_session": session.default_session,
    "set_session": session.set_keras_session, "get_session": session.keras_session,
    "clear_session": session.clear_keras_session,
    "ConfigProto": protos.ConfigProto, "GPUOptions": protos.GPUOptions,
    "GraphOptions": protos.GraphOptions, "OptimizerOptions": protos.OptimizerOptions,
    "RewriterConfig": protos.RewriterConfig,
    "estimator.RunConfig": estimator.RunConfig, "run_config.RunConfig": estimator.RunConfig,
    "learn.RunConfig": estimator.RunConfig, "tpu.RunConfig": estimator.TPURunConfig,
    "Estimator": estimator.Estimator, "EstimatorSpec": estimator.EstimatorSpec,
    "TPUEstimator": estimator.TPUEstimator, "TPUEstimatorSpec": estimator.TPUEstimatorSpec,
    "TrainSpec": estimator.TrainSpec, "EvalSpec": estimator.EvalSpec,
    "train_and_evaluate": estimator.train_and_evaluate,
    "ModeKeys.TRAIN": "train", "ModeKeys.EVAL": "eval", "ModeKeys.PREDICT": "infer",
    **{f"estimator.{name}": estimator.CannedEstimator for name in CANNED},
    **{f"learn.{name}": estimator.CannedEstimator for name in CANNED},
    **{f"GradientBoostedDecisionTree{kind}": estimator.CannedEstimator
       for kind in ("Classifier", "Regressor", "Estimator", "Ranker")},
    "Model": keras.Model, "Sequential": keras.Sequential, **keras.STRATEGIES,
    "FLAGS": flags.FLAGS, "app.run": flags.run,
    **{f"flags.{name}": value for name, value in flags.DEFINERS.items()},
    **{f"gfile.{name}": value for name, value in files.FUNCTIONS.items()},
    "as_bytes": as_bytes, "as_text": as_text, "as_str_any": str, "as_str": as_text,
    "train.global_step": session.global_step, **data.NAMES, **checkpoints.NAMES,
    "int32.max": 2**31 - 1, "tensorflow.VERSION": "1.15.0",
}
# What TensorFlow 2 no longer has at its top.
ONLY_ONE = set("""Session InteractiveSession ConfigProto GPUOptions GraphOptions OptimizerOptions
placeholder app flags contrib layers logging get_variable variable_scope VERSION to_float
global_variables_initializer local_variables_initializer set_random_seed gfile get_default_graph
get_default_session ConfigProto Print get_collection add_to_collection trainable_variables
all_variables global_variables assign truncated_normal random_normal placeholder_with_default
reset_default_graph disable_v2_behavior enable_eager_execution""".split())
ERRORS = {"OpError": session.OpError, "OutOfRangeError": session.OutOfRangeError,
          "InvalidArgumentError": session.InvalidArgumentError}
CACHE = {}


def is_two():
    return os.environ.get("TRANSPLT_TENSORFLOW", "1") == "2"


def name_of(path):
    """The path as records show it: tf.nn.relu for tensorflow.compat.v1.nn.relu."""
    for old in ("tensorflow.compat.v1", "tensorflow"):
        if path == old or path.startswith(old + "."):
            return "tf" + path[len(old):]
    return path


class Namespace(Fake):
    """A module or class of TensorFlow: its attributes are looked up among the special names."""

    def __init__(self, path):
        super().__init__(name_of(path))
        self.__dict__["stand_in_full"] = path

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lookup(self.stand_in_full, name)


def lookup(path, name):
    full = f"{path}.{name}"
    if full not in CACHE:
        CACHE[full] = find(full)
    return CACHE[full]


def find(full):
    parts = full.split(".")
    if is_two() and len(parts) == 2 and parts[0] == "tensorflow" and parts[1] in ONLY_ONE:
        raise AttributeError(f"module 'tensorflow' has no attribute '{parts[1]}'")
    if len(parts) > 1 and parts[-2] == "errors":
        return ERRORS.setdefault(parts[-1], type(parts[-1], (session.OpError,), {}))
    for count in (3, 2, 1):
        end = ".".join(parts[-count:])
        if end in SPECIAL:
            return SPECIAL[end]
    return Namespace(full)


class FakeModule(types.ModuleType):
    """Any module below a package of the stand-in."""

    def __getattr__(self, name):
        if name == "__all__" and self.__name__.endswith("keras.layers"):
            return keras.LAYERS
        if name.startswith("__") and name != "__version__":
            raise AttributeError(name)
        if name == "__version__":
            return "2.6.5" if is_two() else "1.15.0"
        submodule = sys.modules.get(f"{self.__name__}.{name}")
        return submodule if submodule is not None else lookup(self.__name__, name)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module below the packages that have announced themselves."""

    packages = {}

    def find_spec(self, fullname, path=None, target=None):
        package, dot, rest = fullname.partition(".")
        if not dot or package not in self.packages:
            return None
        if package == "tensorflow" and is_two() and rest.startswith("contrib"):
            return None
        # A class with its own meaning is no module: `from tensorflow.keras import Model`.
        if rest.rsplit(".", 1)[-1] in SPECIAL:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        return FakeModule(spec.name)

    def exec_module(self, module):
        self.packages[module.__name__.partition(".")[0]](module)


def serve(package, fill=lambda module: None):
    """Makes the package, and every module below it, a module of permissive objects."""
    Finder.packages[package] = fill
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())
    sys.modules[package].__class__ = FakeModule
