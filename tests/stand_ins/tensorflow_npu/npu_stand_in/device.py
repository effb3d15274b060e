# SPDX-License-Identifier: Apache-2.0
"""What the modules of npu_device hold."""

from npu_stand_in import keras, npu_config, protos, record, session
from npu_stand_in.fake import Base, Fake

GLOBAL = npu_config.global_options()


def global_options():
    return GLOBAL


class Handle:
    """What open() gives."""

    def __init__(self, device_id):
        self.device_id = device_id

    def as_default(self):
        options = GLOBAL.as_dict()
        keras.PLACE["device"] = {"npu": self.device_id, "options": record.describe(options)}
        record.event("npu_device", name="as_default", options=record.describe(options))
        return self


def open_device(device_id=None):
    options = GLOBAL.as_dict()
    for switch in ("enable_dump", "enable_dump_debug"):
        if options.get(switch) and not options.get("dump_path"):
            raise session.InvalidArgumentError("if use dump function, dump_path must be set.")
    record.event("npu_device", name="open", options=record.describe(options))
    return Handle(device_id)


def recorded(name, result=None):
    def call(*arguments, **keywords):
        record.event("npu_device", name=name, arguments=record.describe(arguments))
        return result(*arguments, **keywords) if result else Fake(name)
    call.__name__ = name
    return call


def with_broadcast(callbacks_list=()):
    return list(callbacks_list or ()) + [Fake("NPUBroadcastGlobalVariablesCallback")]


class Group:
    """A part of the API, such as npu.distribute."""

    def __init__(self, name, **members):
        self.__dict__.update(members, stand_in_name=name)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return recorded(f"{self.stand_in_name}.{name}")


class SessionConfigBuilder:
    def __init__(self, config=None):
        self.session_config = config if isinstance(config, protos.ConfigProto) \
            else protos.ConfigProto(allow_soft_placement=True)
        rewrite = self.session_config.graph_options.rewrite_options
        rewrite.remapping = protos.RewriterConfig.OFF
        optimizer = rewrite.custom_optimizers.add()
        optimizer.name = "NpuOptimizer"
        self.parameter_map = optimizer.parameter_map


class NpuLossScaleOptimizer(Base):
    def __init__(self, optimizer, *arguments, **keywords):
        record.event("npu_device", name="NpuLossScaleOptimizer",
                     arguments=record.describe([optimizer]))


DISTRIBUTE = Group(
    "npu.distribute", npu_distributed_keras_optimizer_wrapper=recorded(
        "npu_distributed_keras_optimizer_wrapper",
        lambda optimizer, *rest: Fake(f"npu_distributed({record.describe(optimizer)})")))
CALLBACKS = {"NPUBroadcastGlobalVariablesCallback": recorded("NPUBroadcastGlobalVariablesCallback"),
             "npu_callbacks_append": recorded("npu_callbacks_append", with_broadcast),
             "npu_broadcast_scope_wrapper": recorded("npu_broadcast_scope_wrapper",
                                                     lambda strategy: strategy)}
TOP = {"global_options": global_options, "open": open_device, "distribute": DISTRIBUTE,
       "train": Group("npu.train", optimizer=Group("npu.train.optimizer",
                                                   NpuLossScaleOptimizer=NpuLossScaleOptimizer)),
       "ops": Group("npu.ops"),
       "compat": Group("npu.compat", enable_v1=recorded("enable_v1"),
                       v1=Group("npu.compat.v1", SessionConfigBuilder=SessionConfigBuilder)),
       "keep_dtype_scope": recorded("keep_dtype_scope"),
       "set_npu_loop_size": recorded("set_npu_loop_size")}


def names_of(module):
    """What the module of that name holds."""
    if module == "npu_device.compat.v1.npu_init":
        from npu_stand_in import adapter
        session.STATE["adapted"] = True
        return {**adapter.STAR, "__all__": list(adapter.STAR)}
    if module == "npu_device.compat":
        return {"enable_v1": TOP["compat"].enable_v1}
    if module.startswith("npu_device.distribute"):
        return {**vars(DISTRIBUTE), **CALLBACKS}
    return {}
