# SPDX-License-Identifier: Apache-2.0
"""The protocol messages of a session's configuration, with the strictness of the real ones."""

import copy


class Message:
    """Fields with defaults; a name that is not a field is an error, as is a wrong type."""

    FIELDS = {}

    def __init__(self, **fields):
        self.__dict__["_set"] = {}
        for name, value in fields.items():
            kind = self._kind(name, ValueError)
            if value is None:
                continue
            if isinstance(kind, (type, RepeatedOf)) and not is_scalar(kind):
                self._assign_message(name, kind, value)
            else:
                setattr(self, name, value)

    def _assign_message(self, name, kind, value):
        if isinstance(kind, RepeatedOf):
            getattr(self, name).extend(value)
        elif kind is dict:
            getattr(self, name).update(value)
        elif isinstance(value, dict):
            self._set[name] = kind(**value)
        elif isinstance(value, kind):
            self._set[name] = copy.deepcopy(value)
        else:
            raise TypeError(f"Parameter to initialize message field must be dict or instance of "
                            f"same class: expected {kind.__name__} got {type(value).__name__}.")

    def _kind(self, name, error=AttributeError):
        if name not in self.FIELDS:
            raise error(f'Protocol message {type(self).__name__} has no "{name}" field.')
        return self.FIELDS[name]

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        kind = self._kind(name)
        if name not in self._set:
            if isinstance(kind, RepeatedOf):
                self._set[name] = Repeated(kind.element)
            elif kind is dict:
                self._set[name] = {}
            elif isinstance(kind, type) and not is_scalar(kind):
                self._set[name] = kind()
            else:
                return default_of(kind)
        return self._set[name]

    def __setattr__(self, name, value):
        kind = self._kind(name)
        if isinstance(kind, RepeatedOf) or kind is dict or (
                isinstance(kind, type) and not is_scalar(kind)):
            raise AttributeError(f'Assignment not allowed to message or repeated field "{name}" in '
                                 f"protocol message object.")
        check(kind, value, name)
        self._set[name] = bool(value) if kind is bool else value

    def CopyFrom(self, other):
        self._require_same(other)
        self.__dict__["_set"] = copy.deepcopy(other._set)

    def MergeFrom(self, other):
        self._require_same(other)
        self._set.update(copy.deepcopy(other._set))

    def HasField(self, name):
        self._kind(name, ValueError)
        return name in self._set

    def ClearField(self, name):
        self._set.pop(name, None)

    def _require_same(self, other):
        if not isinstance(other, type(self)):
            raise TypeError(f"expected {type(self).__name__} got {type(other).__name__}")

    def __deepcopy__(self, memo):
        result = type(self)()
        result.__dict__["_set"] = copy.deepcopy(self._set, memo)
        return result

    def __eq__(self, other):
        return type(self) is type(other) and self._set == other._set

    __hash__ = None


class RepeatedOf:
    def __init__(self, element):
        self.element = element


class Repeated(list):
    """A repeated field: messages are added in place."""

    def __init__(self, element):
        super().__init__()
        self.element = element

    def add(self, **fields):
        message = self.element(**fields)
        self.append(message)
        return message

    def __deepcopy__(self, memo):
        result = Repeated(self.element)
        result.extend(copy.deepcopy(item, memo) for item in self)
        return result


def is_scalar(kind):
    return kind in (bool, int, float, str, bytes)


def default_of(kind):
    return kind() if kind in (bool, int, float, str, bytes) else 0


def check(kind, value, name):
    if kind is bool and not isinstance(value, (bool, int)):
        raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: bool, "
                        f"int for field {name}")
    if kind in (int, "enum") and not hasattr(value, "__index__"):
        raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: int for "
                        f"field {name}")
    if kind is bytes and not isinstance(value, bytes):
        raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: bytes "
                        f"for field {name}")


class AttrValue(Message):
    """One of b, i, s, f: setting one clears the others."""

    FIELDS = {"b": bool, "i": int, "s": bytes, "f": float}

    def __setattr__(self, name, value):
        check(self._kind(name), value, name)
        self.__dict__["_set"] = {name: bool(value) if name == "b" else value}


class ParameterMap(dict):
    """parameter_map: asking for a key creates it."""

    def __missing__(self, key):
        if not isinstance(key, str):
            raise TypeError(f"{key!r} has type {type(key).__name__}, but expected one of: str")
        self[key] = AttrValue()
        return self[key]

    def __setitem__(self, key, value):
        if not isinstance(value, AttrValue) or key in self:
            raise ValueError("Direct assignment of submessage not allowed")
        super().__setitem__(key, value)


class CustomGraphOptimizer(Message):
    FIELDS = {"name": str, "parameter_map": dict}

    def __init__(self, **fields):
        super().__init__(**fields)
        self._set.setdefault("parameter_map", ParameterMap())


class RewriterConfig(Message):
    DEFAULT, ON, OFF, AGGRESSIVE = 0, 1, 2, 3
    NO_MEM_OPT, MANUAL, SWAPPING_HEURISTICS, HEURISTICS = 1, 2, 4, 3
    ONE, TWO, DEFAULT_NUM_ITERS = 1, 2, 0
    FIELDS = {**{name: "enum" for name in (
        "layout_optimizer", "constant_folding", "shape_optimization", "remapping",
        "arithmetic_optimization", "dependency_optimization", "loop_optimization",
        "function_optimization", "debug_stripper", "scoped_allocator_optimization",
        "pin_to_host_optimization", "implementation_selector", "auto_mixed_precision",
        "meta_optimizer_iterations", "memory_optimization")},
        "disable_model_pruning": bool, "disable_meta_optimizer": bool, "min_graph_nodes": int,
        "optimizers": RepeatedOf(str), "custom_optimizers": RepeatedOf(CustomGraphOptimizer)}


class OptimizerOptions(Message):
    L1, L0 = 0, -1
    DEFAULT, OFF, ON_1, ON_2 = 0, -1, 1, 2
    FIELDS = {"do_common_subexpression_elimination": bool, "do_constant_folding": bool,
              "do_function_inlining": bool, "max_folded_constant_in_bytes": int,
              "opt_level": "enum", "global_jit_level": "enum"}


class GraphOptions(Message):
    FIELDS = {"enable_recv_scheduling": bool, "optimizer_options": OptimizerOptions,
              "build_cost_model": int, "build_cost_model_after": int, "infer_shapes": bool,
              "place_pruned_graph": bool, "enable_bfloat16_sendrecv": bool, "timeline_step": int,
              "rewrite_options": RewriterConfig}


class GPUOptions(Message):
    FIELDS = {"per_process_gpu_memory_fraction": float, "allow_growth": bool,
              "allocator_type": str, "deferred_deletion_bytes": int, "visible_device_list": str,
              "force_gpu_compatible": bool, "polling_active_delay_usecs": int}


class ClusterDef(Message):
    FIELDS = {"job": RepeatedOf(str)}


class Experimental(Message):
    FIELDS = {"collective_group_leader": str, "executor_type": str}


class ConfigProto(Message):
    FIELDS = {"device_count": dict, "intra_op_parallelism_threads": int,
              "inter_op_parallelism_threads": int, "use_per_session_threads": bool,
              "placement_period": int, "device_filters": RepeatedOf(str),
              "gpu_options": GPUOptions, "allow_soft_placement": bool,
              "log_device_placement": bool, "graph_options": GraphOptions,
              "operation_timeout_in_ms": int, "cluster_def": ClusterDef,
              "isolate_session_state": bool, "share_cluster_devices_in_session": bool,
              "experimental": Experimental}
    Experimental = Experimental


GPUOptions.Experimental = Experimental


def npu_optimizers(config):
    return [optimizer for optimizer in config.graph_options.rewrite_options.custom_optimizers
            if optimizer.name == "NpuOptimizer"]


def summary(config):
    """The configuration as the NPU adapter reads it: the last optimizer that sets a key wins."""
    rewrite = config.graph_options.rewrite_options
    options = {}
    for optimizer in npu_optimizers(config):
        for key, value in optimizer.parameter_map.items():
            for field, content in value._set.items():
                options[key] = {field: content.decode() if field == "s" else content}
    return {"optimizers": [optimizer.name for optimizer in rewrite.custom_optimizers],
            "options": options,
            "rewrite": {name: {2: "OFF", 1: "ON"}.get(value, value)
                        for name, value in rewrite._set.items()
                        if name not in ("custom_optimizers", "optimizers")},
            "allow_soft_placement": config.allow_soft_placement,
            "log_device_placement": config.log_device_placement,
            "global_jit_level": config.graph_options.optimizer_options.global_jit_level}
