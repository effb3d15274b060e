# SPDX-License-Identifier: Apache-2.0
"""What the modules of npu_bridge hold. Its functions are recorded; who imports it is adapted."""

import os

import hccl
import tensorflow as tf
from npu_stand_in import estimator, npu_config, protos, record, session
from npu_stand_in.fake import Base, Fake

OFF = protos.RewriterConfig.OFF


def recorded(function):
    """The function, with an event for each call of it."""
    def call(*arguments, **keywords):
        record.event("npu", name=function.__name__, arguments=record.describe(arguments),
                     keywords=record.describe(keywords))
        return function(*arguments, **keywords)
    call.__name__ = function.__name__
    return call


def operation(module, name):
    """A function of an operation: what it gives is named after it."""
    def call(*arguments, **keywords):
        return Fake(f"{module}.{name}")
    call.__name__ = f"{module}.{name}"
    return recorded(call)


def adapted(config):
    """The configuration as the adapter wants it; anything that is none is replaced."""
    if not isinstance(config, protos.ConfigProto):
        config = protos.ConfigProto()
    rewrite = config.graph_options.rewrite_options
    if not protos.npu_optimizers(config):
        rewrite.custom_optimizers.add().name = "NpuOptimizer"
        rewrite.memory_optimization = OFF
    config.allow_soft_placement = True
    config.log_device_placement = False
    rewrite.remapping = OFF
    config.graph_options.optimizer_options.global_jit_level = protos.OptimizerOptions.OFF
    return config


@recorded
def npu_config_proto(config_proto=None):
    return adapted(config_proto)


@recorded
def npu_graph_options(graph_options=None):
    result = graph_options if isinstance(graph_options, protos.GraphOptions) \
        else protos.GraphOptions()
    result.optimizer_options.global_jit_level = protos.OptimizerOptions.OFF
    return result


@recorded
def npu_optimizer_options(optimizer_options=None):
    result = optimizer_options if isinstance(optimizer_options, protos.OptimizerOptions) \
        else protos.OptimizerOptions()
    result.global_jit_level = protos.OptimizerOptions.OFF
    return result


@recorded
def npu_run_config_init(run_config=None):
    if not isinstance(run_config, estimator.RunConfig):
        run_config = estimator.RunConfig()
    run_config.__dict__["_session_config"] = adapted(run_config.session_config)
    return run_config


@recorded
def set_keras_session_npu_config(config=None):
    result = session.Session(config=adapted(config))
    session.set_keras_session(result)
    return result


@recorded
def init_resource(config=None):
    npu_init = SYSTEM["initialize_system"]()
    npu_shutdown = SYSTEM["shutdown_system"]()
    result = session.Session(config=adapted(config))
    result.run(npu_init)
    return result, npu_shutdown


@recorded
def shutdown_resource(sess, npu_shutdown):
    sess.run(npu_shutdown)


@recorded
def close_session(sess):
    sess.close()


@recorded
def npu_clear_session(config=None):
    session.clear_keras_session()
    session.set_keras_session(session.Session(config=adapted(config)))


@recorded
def npu_hooks_append(hooks_list=()):
    hooks_list = hooks_list if isinstance(hooks_list, list) else []
    hooks_list.append(NPUBroadcastGlobalVariablesHook(0, int(os.getenv("RANK_ID", "0"))))
    return hooks_list


@recorded
def npu_callbacks_append(callbacks_list=()):
    callbacks_list = callbacks_list if isinstance(callbacks_list, list) else []
    callbacks_list.append(NPUBroadcastGlobalVariablesCallback(0))
    return callbacks_list


def wrapper(name):
    def call(optimizer, *arguments, **keywords):
        return Fake(f"{name}({record.describe(optimizer)})")
    call.__name__ = name
    return recorded(call)


@recorded
def npu_allreduce(values, reduction="mean", fusion=1, fusion_id=-1, group="hccl_world_group"):
    return values


@recorded
def npu_resource_init(
        graph_run_mode=1, op_debug_level=0, enable_profiling=False, profiling_options=None,
        precision_mode=None, enable_scope_fusion_passes=None, enable_exception_dump=2,
        aoe_mode=None, work_path=None, op_compiler_cache_mode=None, op_compiler_cache_dir=None,
        debug_dir=None, hcom_multi_mode=False, distribute_config=None, aoe_config_file=None,
        precision_mode_v2=None):
    session.STATE["initialized"] = True


class NPUBroadcastGlobalVariablesHook(Base):
    def __init__(self, root_rank=None, index=None):
        record.event("npu", name=type(self).__name__, arguments=[root_rank, index])


class NPUBroadcastGlobalVariablesCallback(Base):
    def __init__(self, root_rank):
        record.event("npu", name=type(self).__name__, arguments=[root_rank])


class Manager(Base):
    def __init__(self, *arguments, **keywords):
        record.event("npu", name=type(self).__name__, arguments=record.describe(arguments),
                     keywords=record.describe(keywords))


class FixedLossScaleManager(Manager):
    def __init__(self, loss_scale):
        super().__init__(loss_scale=loss_scale)


class ExponentialUpdateLossScaleManager(Manager):
    def __init__(self, init_loss_scale, incr_every_n_steps, decr_every_n_nan_or_inf=2,
                 incr_ratio=2, decr_ratio=0.8):
        super().__init__(init_loss_scale=init_loss_scale, incr_every_n_steps=incr_every_n_steps,
                         incr_ratio=incr_ratio)


class NPULossScaleOptimizer(Manager):
    def __init__(self, opt, loss_scale_manager, is_distributed=False):
        if not isinstance(loss_scale_manager, Manager):
            raise TypeError("loss_scale_manager must be a LossScaleManager")
        super().__init__(record.describe(opt), is_distributed=is_distributed)


class Module:
    """A module of operations: every name of it is a recorded function."""

    def __init__(self, name, **others):
        self.__dict__.update(stand_in_name=name, **others)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return operation(self.stand_in_name, name)


def dropout(x, keep_prob, noise_shape=None, seed=None, name=None):
    record.event("npu", name="npu_ops.dropout", arguments=record.describe([x]),
                 keywords=record.describe({"keep_prob": keep_prob}))
    return Fake("npu_ops.dropout")


def gelu(x, name=None):
    record.event("npu", name="npu_unary_ops.gelu", arguments=record.describe([x]))
    return Fake("npu_unary_ops.gelu")


class NPUStrategy(Base):
    def __init__(self, device="/cpu:0"):
        if device != "/cpu:0":
            raise ValueError('"device" only support "/cpu:0"')
        record.event("strategy", kind="NPUStrategy")



def initialize_system(name=None):
    return Fake("npu_ops.initialize_system")


def shutdown_system(name=None):
    return Fake("npu_ops.shutdown_system")


SYSTEM = {"initialize_system": initialize_system, "shutdown_system": shutdown_system}
NPU_OPS = Module("npu_ops", dropout=dropout, **SYSTEM)
UNARY = Module("npu_unary_ops", gelu=gelu)
HCCL_OPS = Module("hccl_ops")
STRATEGY = Module("npu_strategy", NPUStrategy=NPUStrategy)
PLUGIN = Module("npu_plugin", npu_resource_init=npu_resource_init)


def ranks_of_npu():
    """get_npu_rank_id and its like: they do not fail where nothing is initialized."""
    def get(variable, default):
        return lambda: int(os.environ.get(variable, default)) if session.STATE["initialized"] \
            else int(default)
    return {"get_npu_rank_id": get("RANK_ID", 0), "get_npu_local_rank_id": get("DEVICE_ID", 0),
            "get_npu_rank_size": get("RANK_SIZE", 1),
            "get_npu_local_rank_size": get("RANK_SIZE", 1)}


CONFIGURATION = {name: getattr(npu_config, name) for name in (
    "NPURunConfig", "NPUEstimator", "DumpConfig", "ProfilingConfig", "MemoryConfig")}
OPTIMIZERS = {name: wrapper(name) for name in (
    "NPUDistributedOptimizer", "KerasDistributeOptimizer", "npu_distributed_optimizer_wrapper",
    "NPUOptimizer")}
STAR = {
    "tf": tf, "os": os, "RewriterConfig": protos.RewriterConfig,
    "experimental_options": {"disable_model_pruning": False,
                             "function_optimization": protos.RewriterConfig.ON},
    "NPUEstimatorSpec": estimator.EstimatorSpec, "npu_ops": NPU_OPS, "npu_unary_ops": UNARY,
    "hccl_ops": HCCL_OPS, "npu_strategy": STRATEGY, "npu_plugin": PLUGIN,
    **CONFIGURATION, **OPTIMIZERS, **ranks_of_npu(), **hccl.RANKS,
    **{function.__name__: function for function in (
        npu_config_proto, npu_graph_options, npu_optimizer_options, npu_run_config_init,
        set_keras_session_npu_config, init_resource, shutdown_resource, close_session,
        npu_clear_session, npu_hooks_append, npu_callbacks_append, npu_allreduce,
        NPUBroadcastGlobalVariablesHook, NPUBroadcastGlobalVariablesCallback,
        FixedLossScaleManager, ExponentialUpdateLossScaleManager, NPULossScaleOptimizer)},
    "npu_tf_optimizer": wrapper("npu_tf_optimizer"),
    "npu_keras_optimizer": wrapper("npu_keras_optimizer"),
    **{name: Fake(name) for name in (
        "npu_rnn", "npu_scope", "keras_to_npu", "util", "npu_cpu_ops", "DynamicInputConfig",
        "NPUCheckpointSaverHook", "NPUOutputTensorHook", "SetIterationsVarHook",
        "TellMeStepOrLossHook", "NpuEmptyHook", "scoped_graph_manager", "profiler")},
}
MODULES = {
    "npu_config": ("NPURunConfig", "DumpConfig", "ProfilingConfig", "MemoryConfig"),
    "npu_estimator": ("NPUEstimator", "NPUEstimatorSpec"),
    "npu_optimizer": (*OPTIMIZERS, "npu_allreduce"),
    "npu_hook": ("NPUBroadcastGlobalVariablesHook", "NPUCheckpointSaverHook"),
    "npu_callbacks": ("NPUBroadcastGlobalVariablesCallback",),
    "npu_loss_scale_optimizer": ("NPULossScaleOptimizer",),
    "npu_loss_scale_manager": ("FixedLossScaleManager", "ExponentialUpdateLossScaleManager"),
    "npu_strategy": (), "npu_plugin": (),
}
INSTANCES = {"npu_ops": NPU_OPS, "hccl_ops": HCCL_OPS, "npu_strategy": STRATEGY,
             "npu_plugin": PLUGIN}


def names_of(module):
    """What the module of that name holds."""
    last = module.rsplit(".", 1)[-1]
    if module == "npu_bridge.npu_init":
        session.STATE["adapted"] = True
        return {**STAR, "__all__": list(STAR)}
    if module == "npu_bridge.estimator":
        return {"npu_ops": NPU_OPS}
    if module == "npu_bridge.estimator.npu":
        return {"npu_strategy": STRATEGY, "npu_plugin": PLUGIN, "npu_convert_dropout":
                Fake("npu_convert_dropout")}
    if module.endswith("npu_unary_ops"):
        return {"npu_unary_ops": UNARY}
    if last == "npu_convert_dropout":
        record.event("npu", name="npu_convert_dropout")
    held = {name: STAR[name] for name in MODULES.get(last, ())}
    if last in INSTANCES:
        instance = INSTANCES[last]
        return {**held, "__getattr__": instance.__getattr__,
                **{name: value for name, value in vars(instance).items() if callable(value)}}
    return held
