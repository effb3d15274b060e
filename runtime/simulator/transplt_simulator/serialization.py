# SPDX-License-Identifier: Apache-2.0
"""torch.save, torch.load and passing tensors to other processes: the device goes along."""

import torch
import torch.multiprocessing.reductions as reductions

from . import device, report
from .device import device_of, state, virtual_index
from .function_mode import disabled, handles, mark

Tensor = torch.Tensor
_real_device = torch.UntypedStorage.device


def _storage_device(storage):
    index = storage._simulated_index
    return _real_device.__get__(storage) if index is None else device_of(index)


@handles(Tensor.storage)
def _storage(func, args, kwargs):
    result = func(*args, **kwargs)
    index = args[0]._simulated_index
    if index is not None:
        result.untyped()._simulated_index = index
    return result


def _to_device(storage, wanted=None, non_blocking=False, **kwargs):
    """storage.cuda(0), storage.npu(0), as map_location functions call them."""
    index = state.current if wanted is None else virtual_index(wanted)
    if isinstance(storage, torch.storage.TypedStorage):
        return storage._new_wrapped_storage(_to_device(storage.untyped(), wanted))
    with disabled():
        moved = storage.clone()
    moved._simulated_index = index
    return moved


def _plain_reduce(original):
    """What the simulator notes on a tensor is not part of a checkpoint."""

    def __reduce_ex__(self, protocol):
        noted = {}
        for name in ("_simulated_index", "_simulated_pinned"):
            if name in self.__dict__:
                noted[name] = self.__dict__.pop(name)
        index = noted.get("_simulated_index")
        try:
            with disabled():
                function, arguments = original(self, protocol)[:2]
        finally:
            self.__dict__.update(noted)
        return function, _with_marked_storage(arguments, index)

    return __reduce_ex__


def _with_marked_storage(arguments, index):
    if index is None:
        return arguments
    for value in arguments:
        if isinstance(value, torch.storage.TypedStorage):
            value.untyped()._simulated_index = index
        elif isinstance(value, Tensor):  # the data of a parameter
            value._simulated_index = index
        elif isinstance(value, tuple):
            _with_marked_storage(value, index)
    return arguments


def _tag(storage):
    if getattr(storage, "_simulated_index", None) is not None:
        return "%s:%d" % (device.TYPE, storage._simulated_index)
    return None


def _restore(storage, location):
    location = str(location)
    if device.TYPE == "npu" and location.startswith("cuda"):
        report.residual("torch.load to '%s'" % location)
    if location.split(":")[0] != device.TYPE or virtual_index(location) is None:
        return None
    return _to_device(storage, location)


def _rebuild_on(index, rebuild, arguments):
    return mark(rebuild(*arguments), index)


def _wrap_reductions():
    original = reductions.reduce_tensor

    def reduce_tensor(tensor):
        with disabled():
            function, arguments = original(tensor)
        if tensor._simulated_index is None:
            return function, arguments
        return _rebuild_on, (tensor._simulated_index, function, arguments)

    reductions.reduce_tensor = reduce_tensor
    for kind in (Tensor, torch.nn.Parameter):
        reductions.ForkingPickler.register(kind, reduce_tensor)


def install():
    torch.UntypedStorage._simulated_index = None
    torch.UntypedStorage.device = property(_storage_device)
    if device.TYPE == "cuda":
        torch.UntypedStorage.cuda = torch.storage.TypedStorage.cuda = _to_device
    else:
        torch.UntypedStorage.npu = torch.storage.TypedStorage.npu = _to_device
    Tensor.__reduce_ex__ = _plain_reduce(Tensor.__reduce_ex__)
    torch.nn.Parameter.__reduce_ex__ = _plain_reduce(torch.nn.Parameter.__reduce_ex__)
    torch.serialization.register_package(5, _tag, _restore)
    _wrap_reductions()
