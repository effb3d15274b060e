# SPDX-License-Identifier: Apache-2.0
"""What torch.npu and the simulated torch.cuda can do, in one table of names."""

import functools

import torch

from . import amp, device, report, streams, tensor_methods
from .settings import current as settings


def _index(value):
    return device.state.current if value is None else device.virtual_index(value)


def _takes_device(function):
    """Lets callers name the argument `wanted` as torch and torch_npu do."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        for name in ("device", "device_name"):
            if name in kwargs:
                kwargs["wanted"] = kwargs.pop(name)
        return function(*args, **kwargs)

    return call


@_takes_device
def set_device(wanted):
    index = wanted if isinstance(wanted, int) else _index(wanted)
    if index is not None and index >= 0:
        device.state.current = device.checked(index)


class device_context:
    """`with torch.npu.device(1):`"""

    @_takes_device
    def __init__(self, wanted):
        self._index = None if wanted is None or wanted == -1 else (
            device.checked(wanted) if isinstance(wanted, int) else _index(wanted))

    def __enter__(self):
        self._before = device.state.current
        if self._index is not None:
            device.state.current = self._index
        return self

    def __exit__(self, *error):
        device.state.current = self._before


class device_of(device_context):
    """`with torch.npu.device_of(tensor):`"""

    def __init__(self, tensor):
        self._index = getattr(tensor, "_simulated_index", None)


class Properties:
    """get_device_properties: what torch_npu fills; CUDA has more."""

    def __init__(self):
        self.name = get_device_name()
        self.total_memory = 64 * 2 ** 30 if device.TYPE == "npu" else 80 * 2 ** 30
        self.L2_cache_size = 192 * 2 ** 20
        if device.TYPE == "npu":
            self.cube_core_num, self.vector_core_num = 24, 48
        else:
            self.major, self.minor, self.multi_processor_count = 8, 0, 108

    def __repr__(self):
        return "_%sDeviceProperties(name='%s', simulated)" % (device.TYPE.upper(), self.name)


@_takes_device
def get_device_name(wanted=None):
    _index(wanted)
    return "simulated %s on the CPU" % device.TYPE


@_takes_device
def get_device_properties(wanted=None):
    _index(wanted)
    return Properties()


@_takes_device
def get_device_capability(wanted=None):
    """torch_npu has none unless TORCH_NPU_DEVICE_CAPABILITY names one."""
    import os

    _index(wanted)
    if device.TYPE == "cuda":
        return (8, 0)
    named = os.environ.get("TORCH_NPU_DEVICE_CAPABILITY")
    return tuple(int(part) for part in named.split(".")) if named else None


@_takes_device
def synchronize(wanted=None):
    _index(wanted)


@_takes_device
def memory_use(wanted=None):
    _index(wanted)
    return 0


@_takes_device
def mem_get_info(wanted=None):
    _index(wanted)
    return (Properties().total_memory,) * 2


def _nothing(*args, **kwargs):
    return None


def _zero(*args, **kwargs):
    return 0


def _false(*args, **kwargs):
    return False


def _true(*args, **kwargs):
    return True


@_takes_device
def _stream(wanted=None):
    return streams.Stream(wanted)


@_takes_device
def get_rng_state(wanted=None):
    _index(wanted)
    return torch.get_rng_state()


@_takes_device
def set_rng_state(state, wanted=None):
    """The simulated device draws from the generator of the CPU, so this sets that one."""
    torch.set_rng_state(state)


def get_rng_state_all():
    return [torch.get_rng_state() for _ in range(settings.devices)]


def set_rng_state_all(states):
    for state in states:
        set_rng_state(state)


@_takes_device
def memory_summary(wanted=None, abbreviated=False):
    return "memory is not simulated"


class _Statistics(dict):
    """Memory figures: each is 0."""

    def __missing__(self, key):
        return 0


@_takes_device
def _statistics(wanted=None):
    return _Statistics()


def caching_allocator_alloc(*args, **kwargs):
    report.unsimulated("caching_allocator_alloc")
    return 0


class Graph:
    """A captured graph; the simulator runs the work at once and cannot replay it."""

    def __init__(self, *args, **kwargs):
        report.unsimulated("graph capture")

    def replay(self):
        raise report.violation(RuntimeError("graph replay is not simulated"))

    capture_begin = capture_end = reset = pool = enable_debug_mode = _nothing


class graph(streams.StreamContext):
    """`with torch.npu.graph(g):`"""

    def __init__(self, captured, *args, **kwargs):
        report.unsimulated("graph capture")
        self.stream = None


def names():
    """Name -> object of all that is simulated, for torch.npu and for torch.cuda."""
    table = {
        "is_available": _true, "device_count": lambda: settings.devices,
        "current_device": lambda: device.state.current, "set_device": set_device,
        "device": device_context, "device_of": device_of, "is_initialized": _true, "init": _nothing,
        "_lazy_init": _nothing, "_lazy_call": lambda call, **kwargs: call(),
        "_is_in_bad_fork": _false, "_initialized": True,
        "synchronize": synchronize, "ipc_collect": _nothing,
        "get_device_name": get_device_name, "get_device_properties": get_device_properties,
        "get_device_capability": get_device_capability, "is_bf16_supported": _true,
        "can_device_access_peer": _true, "utilization": _zero, "current_blas_handle": _zero,
        "get_sync_debug_mode": _zero, "set_sync_debug_mode": _nothing,
        "Stream": streams.Stream, "Event": streams.Event, "StreamContext": streams.StreamContext,
        "ExternalStream": streams.Stream, "stream": streams.StreamContext, "set_stream": _nothing,
        "current_stream": _stream, "default_stream": _stream,
        "manual_seed": _nothing, "manual_seed_all": _nothing, "seed": _nothing,
        "seed_all": _nothing, "initial_seed": torch.initial_seed,
        "get_rng_state": get_rng_state, "set_rng_state": set_rng_state,
        "get_rng_state_all": get_rng_state_all, "set_rng_state_all": set_rng_state_all,
        "default_generators": tuple(torch.default_generator for _ in range(settings.devices)),
        "graph": graph, "graph_pool_handle": _zero, "is_current_stream_capturing": _false,
        "memory_summary": memory_summary, "memory_stats": _statistics,
        "memory_stats_as_nested_dict": _statistics, "memory_snapshot": lambda: [],
        "mem_get_info": mem_get_info,
        "caching_allocator_alloc": caching_allocator_alloc,
        "_get_device_index": lambda wanted=None, optional=False, allow_cpu=False: _index(wanted),
    }
    for name in ("empty_cache", "reset_peak_memory_stats", "reset_max_memory_allocated",
                 "reset_max_memory_cached", "reset_accumulated_memory_stats",
                 "set_per_process_memory_fraction", "caching_allocator_delete",
                 "_record_memory_history", "_dump_snapshot"):
        table[name] = _nothing
    for name in ("memory_allocated", "max_memory_allocated", "memory_reserved", "memory_cached",
                 "max_memory_reserved", "max_memory_cached"):
        table[name] = memory_use
    table.update(tensor_methods.tensor_types())
    return table


def amp_names():
    return {"autocast": amp.DeviceAutocast, "GradScaler": amp.GradScaler,
            "custom_fwd": amp.custom_fwd, "custom_bwd": amp.custom_bwd}
