# SPDX-License-Identifier: Apache-2.0
"""hccl and nccl on gloo, with their refusal of tensors of the CPU."""

import functools
import socket
import sys
import time

import torch

from . import device, report
from .function_mode import device_name, tensors_in

_backends = {}  # process group -> the name that the script gave
_registered = []  # what this process has said about its device in the store
_SECONDS_TO_LET_GO = 0.1
_COLLECTIVES = (
    "all_reduce", "broadcast", "all_gather", "reduce", "gather", "scatter", "reduce_scatter",
    "all_to_all", "all_to_all_single", "send", "recv", "isend", "irecv", "all_gather_into_tensor",
    "reduce_scatter_tensor", "_all_gather_base", "_reduce_scatter_base", "all_reduce_coalesced",
    "all_gather_coalesced", "barrier",
)


class ProcessGroupHCCL:
    """torch_npu._C._distributed_c10d.ProcessGroupHCCL; a group is really one of gloo."""


def _simulated_name():
    if device.TYPE == "cuda":
        return "nccl"
    return "hccl" if device.torch_npu_imported else None


def _real_backend(name):
    """(backend for torch, name to remember)"""
    if name is None or not isinstance(name, str):
        return name, None
    lower = name.lower()
    if lower == "nccl" and device.transfer:
        lower = "hccl"
    if lower == _simulated_name():
        return "gloo", lower
    if lower == "nccl" and device.TYPE == "npu":
        report.residual("backend 'nccl'")
    if ":" in lower:
        parts = dict(part.split(":") for part in lower.split(",") if part.count(":") == 1)
        if _simulated_name() in parts.values():
            return "gloo", lower
    return name, lower


def _backend_of(c10d, group):
    if group is None:
        group = c10d._get_default_group()
    return _backends.get(group)


def _check(c10d, name, group, tensors):
    backend = _backend_of(c10d, group)
    if backend is None or device.state.backward is not None:
        return
    ours = _simulated_name() in (part.rpartition(":")[2] for part in backend.split(","))
    for tensor in tensors_in(tensors):
        index = tensor._simulated_index
        if index is None and ours and ":" not in backend:
            raise report.violation(RuntimeError(
                "%s of backend %s needs tensors on %s, but one is on the CPU" % (
                    name, backend, device_name(device.state.current))))
        # gloo itself takes tensors of CUDA
        if index is not None and not ours and device.TYPE == "npu":
            raise report.violation(RuntimeError(
                "%s of backend %s does not take tensors on %s: an npu needs hccl" % (
                    name, backend, device_name(index))))
        if index is not None and ours:
            _register(c10d, index)


def _register(c10d, index):
    """Two ranks of a host must not share a device; told by the rank that comes second."""
    if index in _registered:
        return
    _registered.append(index)
    store, rank = c10d._get_default_store(), c10d.get_rank()
    key = "transplt_simulator/%s/%d" % (socket.gethostname(), index)
    mine = "rank %d" % rank
    try:
        first = store.compare_set(key, "", mine)
    except RuntimeError:  # a store that cannot
        return
    first = first.decode() if isinstance(first, bytes) else first
    if first != mine:
        raise report.violation(RuntimeError(
            "duplicate device detected: %s and %s are both on %s" % (
                first, mine, device_name(index))))


def check_module(group, parameters):
    """DistributedDataParallel over this group, None for the default one."""
    c10d = torch.distributed.distributed_c10d
    if c10d.is_initialized():
        _check(c10d, "DistributedDataParallel", group, list(parameters))


def _collective(c10d, name, original):
    @functools.wraps(original)
    def collective(*args, **kwargs):
        if sys._getframe(1).f_code.co_filename != c10d.__file__:
            group = kwargs.get("group", next(
                (one for one in args if isinstance(one, c10d.ProcessGroup)), None))
            if c10d.is_initialized():
                _check(c10d, name, group, (args, tuple(kwargs.values())))
        return _run(c10d, name, original, args, kwargs)

    return collective


def _run(c10d, name, original, args, kwargs):
    """gloo has no average and no reduce_scatter of torch 1.13: they are made of what it has."""
    average = getattr(c10d.ReduceOp, "AVG", None)
    if name == "all_reduce" and average is not None:
        op = kwargs.get("op", args[1] if len(args) > 1 else None)
        if op is not None and op == average:
            tensor = args[0] if args else kwargs["tensor"]
            group = kwargs.get("group", args[2] if len(args) > 2 else None)
            original(tensor, op=c10d.ReduceOp.SUM, group=group)
            tensor.div_(c10d.get_world_size(group))
            return None
    if name in ("all_gather_into_tensor", "_all_gather_base"):
        return _all_gather_into(c10d, *args, **kwargs)
    if name == "barrier":
        return _barrier(c10d, original, *args, **kwargs)
    if name == "reduce_scatter":
        return _reduce_scatter(c10d, *args, **kwargs)
    if name in ("reduce_scatter_tensor", "_reduce_scatter_base"):
        return _reduce_scatter_into(c10d, *args, **kwargs)
    return original(*args, **kwargs)


class _Done:
    """The handle of an asynchronous call that is already over."""

    def wait(self, *args):
        return True

    def is_completed(self):
        return True


def _barrier(c10d, original, group=None, async_op=False, device_ids=None):
    """gloo takes no device_ids, which nccl and hccl do."""
    name = c10d.is_initialized() and _backend_of(c10d, group)
    is_ours = bool(name) and _simulated_name() in (part.rpartition(":")[2] for part in name.split(","))
    return original(group, async_op, None if is_ours else device_ids)


def _all_gather_into(c10d, output_tensor, input_tensor, group=None, async_op=False):
    count = c10d.get_world_size(group)
    c10d.all_gather(list(output_tensor.view(-1).chunk(count)), input_tensor.contiguous().view(-1),
                    group=group)
    return _Done() if async_op else None


def _reduce_scatter(c10d, output, input_list, op=None, group=None, async_op=False):
    for position, tensor in enumerate(input_list):
        total = tensor.clone()
        c10d.all_reduce(total, op=c10d.ReduceOp.SUM if op is None else op, group=group)
        if position == c10d.get_rank(group):
            output.copy_(total)
    return _Done() if async_op else None


def _reduce_scatter_into(c10d, output, input, op=None, group=None, async_op=False):
    parts = list(input.view(-1).chunk(c10d.get_world_size(group)))
    return _reduce_scatter(c10d, output.view(-1), parts, op, group, async_op)


def _wrap_groups(c10d):
    start, new_group, get_backend = c10d.init_process_group, c10d.new_group, c10d.get_backend
    destroy = c10d.destroy_process_group

    @functools.wraps(start)
    def init_process_group(backend=None, *args, **kwargs):
        if backend is None and device.TYPE is not None:
            backend = _simulated_name()
        real, name = _real_backend(backend)
        result = start(real, *args, **kwargs)
        _registered.clear()
        if name is not None:
            _backends[c10d._get_default_group()] = name
        return result

    @functools.wraps(new_group)
    def new(*args, **kwargs):
        wanted = kwargs.get("backend")
        name = _backend_of(c10d, None)
        if wanted is not None:
            kwargs["backend"], name = _real_backend(wanted)
        group = new_group(*args, **kwargs)
        if name is not None and group is not c10d.GroupMember.NON_GROUP_MEMBER:
            _backends[group] = name
        return group

    @functools.wraps(get_backend)
    def backend_name(group=None):
        return _backend_of(c10d, group) or get_backend(group)

    @functools.wraps(destroy)
    def destroy_process_group(group=None):
        # One that is remembered keeps its threads, which end badly after the interpreter.
        if group is None or group is c10d._get_default_group():
            _backends.clear()
        else:
            _backends.pop(group, None)
        # A thread of gloo lets go of the tensors of a call after the call has returned, and needs
        # the interpreter for it. The end of the group waits for that thread inside the interpreter
        # (torch 1.13), so the two would wait for each other for ever.
        if c10d.is_initialized() and c10d.get_world_size() > 1:
            time.sleep(_SECONDS_TO_LET_GO)
        return destroy(group)

    return {"init_process_group": init_process_group, "new_group": new,
            "destroy_process_group": destroy_process_group, "get_backend": backend_name}


def install():
    dist = torch.distributed
    if not dist.is_available():
        return
    c10d = dist.distributed_c10d
    changed = _wrap_groups(c10d)
    for name in _COLLECTIVES:
        if hasattr(c10d, name):
            changed[name] = _collective(c10d, name, getattr(c10d, name))
    if device.TYPE == "cuda":
        changed["is_nccl_available"] = lambda: True
    for name, value in changed.items():
        for module in (c10d, dist):
            if hasattr(module, name):
                setattr(module, name, value)


def register_hccl():
    """What import torch_npu adds to torch.distributed."""
    if torch.distributed.is_available():
        torch.distributed.Backend.HCCL = "hccl"
        torch.distributed.is_hccl_available = lambda: True
