# SPDX-License-Identifier: Apache-2.0
"""torch.nn: placing modules, batch norm across processes, DataParallel, and the DataLoader."""

import sys

import torch

from . import device, distributed, op_support, report
from .device import state, virtual_index
from .settings import current as settings
from .tensor_methods import move


def _wrap_parse_to():
    """Module.to reads its arguments with this function of C++."""
    parse = torch._C._nn._parse_to

    def parse_to(*args, **kwargs):
        rest, options = list(args), dict(kwargs)
        if rest and isinstance(rest[0], torch.Tensor):
            index = rest[0]._simulated_index
            if index is not None:
                return device.device_of(index), rest[0].dtype, False, None
        wanted = rest[0] if rest and device.is_device_argument(rest[0]) else options.get("device")
        index = virtual_index(wanted)
        if index is None:
            return parse(*args, **kwargs)
        if rest and rest[0] is wanted:
            rest[0] = "cpu"
        else:
            options["device"] = "cpu"
        return (device.device_of(index),) + tuple(parse(*rest, **options))[1:]

    torch._C._nn._parse_to = parse_to


def module_npu(self, device=None):
    """Module.npu of torch_npu."""
    return self._apply(lambda tensor: tensor.npu(device))


def _wrap_sync_batch_norm():
    original = torch.nn.SyncBatchNorm.forward

    def forward(self, input):
        if input._simulated_index is None:
            return original(self, input)
        report.unsimulated("SyncBatchNorm (the statistics are those of one process)")
        return torch.nn.modules.batchnorm._BatchNorm.forward(self, input)

    torch.nn.SyncBatchNorm.forward = forward


def _to_first(value, index):
    if isinstance(value, torch.Tensor):
        return move(value, index)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_to_first(part, index) for part in value))
    if isinstance(value, (list, tuple)):
        return type(value)(_to_first(part, index) for part in value)
    if isinstance(value, dict):
        return type(value)((key, _to_first(part, index)) for key, part in value.items())
    return value


def _wrap_data_parallel():
    """One replica on the first device does the work of all."""
    kind = torch.nn.DataParallel
    original = kind.__init__

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        if not _is_simulated():
            return original(self, module, device_ids, output_device, dim)
        if device.TYPE == "npu":
            op_support.record_as("torch.nn.DataParallel", "module", ())
        torch.nn.Module.__init__(self)
        ids = list(range(settings.devices)) if device_ids is None else list(device_ids)
        ids = [virtual_index(one) for one in ids]
        self.dim, self.module, self.device_ids = dim, module, ids
        self.output_device = ids[0] if output_device is None else virtual_index(output_device)
        self.src_device_obj = device.device_of(ids[0])
        if len(ids) > 1:
            report.unsimulated("DataParallel over %d devices (runs on the first)" % len(ids))
        else:
            module.to(self.src_device_obj)

    def forward(self, *inputs, **kwargs):
        index = self.device_ids[0] if getattr(self, "device_ids", None) else None
        if index is None:
            return self.module(*inputs, **kwargs)
        for tensor in list(self.module.parameters()) + list(self.module.buffers()):
            if tensor._simulated_index != index:
                raise report.violation(RuntimeError(
                    "module must have its parameters and buffers on device %s (device_ids[0]) but "
                    "found one of them on device: %s" % (self.src_device_obj, tensor.device)))
        return self.module(*_to_first(inputs, index), **_to_first(kwargs, index))

    kind.__init__ = __init__
    kind.forward = forward
    function = torch.nn.parallel.data_parallel

    def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0,
                      module_kwargs=None):
        if not _is_simulated():
            return function(module, inputs, device_ids, output_device, dim, module_kwargs)
        inputs = inputs if isinstance(inputs, tuple) else (inputs,)
        wrapped = kind(module, list(device_ids) if device_ids else None, output_device, dim)
        return wrapped(*inputs, **(module_kwargs or {}))

    for place in (torch.nn.parallel, sys.modules["torch.nn.parallel.data_parallel"]):
        place.data_parallel = data_parallel


def _is_simulated():
    """False in a migrated script that has not imported torch_npu."""
    return device.TYPE == "cuda" or device.torch_npu_imported


def _wrap_distributed_data_parallel():
    kind = torch.nn.parallel.DistributedDataParallel
    original = kind.__init__
    forward = kind.forward

    def __init__(self, module, device_ids=None, output_device=None, *args, **kwargs):
        indices = {tensor._simulated_index for tensor in module.parameters()}
        if indices and None not in indices:
            outputs = [] if output_device is None else [output_device]
            for wanted in list(device_ids or []) + outputs:
                if virtual_index(wanted) not in indices:
                    raise report.violation(ValueError(
                        "DistributedDataParallel: device_ids %s, but the parameters are on %s"
                        % (device_ids, sorted(indices))))
            self._simulated_device = next(iter(indices)) if device_ids else None
            device_ids = output_device = None
        elif device_ids or output_device is not None:
            error = ValueError(
                "DistributedDataParallel device_ids and output_device arguments only work with "
                "single-device/multiple-device GPU modules or CPU modules, but got device_ids %s, "
                "output_device %s, and module parameters %s" % (
                    device_ids, output_device, {tensor.device for tensor in module.parameters()}))
            raise report.violation(error)
        group = args[2] if len(args) > 2 else kwargs.get("process_group")
        distributed.check_module(group, module.parameters())
        original(self, module, device_ids, output_device, *args, **kwargs)

    def forward_from_device(self, *inputs, **kwargs):
        index = self.__dict__.get("_simulated_device")
        if index is not None:
            inputs, kwargs = _to_first(inputs, index), _to_first(kwargs, index)
        return forward(self, *inputs, **kwargs)

    kind.__init__ = __init__
    kind.forward = forward_from_device


def _wrap_data_loader():
    """pin_memory: pages are not pinned, but a wrong pin_memory_device fails as it would."""
    kind = torch.utils.data.DataLoader
    original = kind.__init__

    def __init__(self, *args, **kwargs):
        wanted = kwargs.get("pin_memory_device")
        if wanted and device.TYPE == "npu" and str(wanted).startswith("cuda"):
            report.residual("pin_memory_device '%s'" % wanted)
        elif device.TYPE is not None:
            if wanted:
                virtual_index(wanted)
            kwargs.pop("pin_memory_device", None)
            if len(args) > 7:
                args = args[:7] + (False,) + args[8:]
            else:
                kwargs["pin_memory"] = False
        original(self, *args, **kwargs)

    kind.__init__ = __init__


def _wrap_exception_wrapper():
    """What a DataLoader's worker raises."""
    import sys

    kind = torch._utils.ExceptionWrapper
    original = kind.__init__

    def __init__(self, exc_info=None, where="in background"):
        info = sys.exc_info() if exc_info is None else exc_info
        report.exception(info[0], info[1], info[2], "child" if "worker" in where else "thread")
        original(self, info, where)

    kind.__init__ = __init__


def install():
    _wrap_exception_wrapper()
    if device.TYPE is None:
        return
    _wrap_parse_to()
    _wrap_sync_batch_norm()
    _wrap_data_parallel()
    _wrap_distributed_data_parallel()
    _wrap_data_loader()
