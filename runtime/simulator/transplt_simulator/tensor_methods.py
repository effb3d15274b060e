# SPDX-License-Identifier: Apache-2.0
"""The methods and attributes of a tensor that concern its device."""

import torch

from . import device, report, work
from .device import device_of, state, virtual_index
from .function_mode import any_device, check_key, device_name, disabled, handles, host_arguments
from .function_mode import mark

Tensor = torch.Tensor
Base = torch._C._TensorBase
NO_CUDA = "Torch not compiled with CUDA enabled"


def _getter(name):
    return getattr(Base, name).__get__


def _setter(name):
    return getattr(Base, name).__set__


def index_of(tensor):
    """The device of a tensor; during backward one that torch made is where the graph is."""
    index = tensor._simulated_index
    return state.backward if index is None and state.backward is not None else index


def move(tensor, index, dtype=None, memory_format=None, copy=False):
    """The tensor on a device (None: the CPU), itself if it is there already."""
    with disabled():
        same = index_of(tensor) == index
        options = {} if memory_format is None else {"memory_format": memory_format}
        if dtype is None or dtype == tensor.dtype:
            if same and not copy and (memory_format is None
                                      or tensor.is_contiguous(memory_format=memory_format)):
                return tensor
            result = tensor.clone(**options)
        else:
            result = tensor.to(dtype, copy=True, **options)
    if isinstance(result, torch.nn.Parameter):
        result = result.data
    if index is not None and index not in work.operators:
        work.first_use(index)
    return mark(result, index)


def _place(value):
    """(index, True) of a simulated device or the CPU, (None, False) if torch must judge."""
    index = virtual_index(value)
    if index is not None:
        return index, True
    kind = device.REAL_DEVICE(value) if isinstance(value, (str, int)) else value
    return None, kind.type == "cpu"


@handles(Base.to)
def _to(func, args, kwargs):
    tensor, rest = args[0], list(args[1:])
    options = dict(kwargs)
    other = options.pop("other", None)
    if rest and isinstance(rest[0], Tensor):
        other = rest.pop(0)
    if other is not None:
        target, dtype = index_of(other), other.dtype
    else:
        if rest and device.is_device_argument(rest[0]):
            options["device"] = rest.pop(0)
        dtype = options.pop("dtype", None)
        if rest and isinstance(rest[0], torch.dtype):
            dtype = rest.pop(0)
        wanted = options.pop("device", None)
        if wanted is None:
            if rest and rest[0] is None:  # x.to(None, dtype)
                rest.pop(0)
                if rest and isinstance(rest[0], torch.dtype):
                    dtype = rest.pop(0)
            target = index_of(tensor)
        else:
            target, known = _place(wanted)
            if not known:
                return mark(func(*args, **kwargs), None)
    if len(rest) > 1:
        options["copy"] = rest[1]
    return move(tensor, target, dtype, options.get("memory_format"), options.get("copy", False))


@handles(Base.cpu)
def _cpu(func, args, kwargs):
    return move(args[0], None, memory_format=kwargs.get("memory_format"))


@handles(Base.cuda)
def _cuda(func, args, kwargs):
    if device.transfer:
        return npu(*args, **kwargs)
    if device.TYPE != "cuda":
        report.residual(".cuda()")
        return func(*args, **kwargs)
    wanted = args[1] if len(args) > 1 else kwargs.get("device")
    index = state.current if wanted is None else virtual_index(wanted)
    if index is None:
        raise report.violation(RuntimeError("Invalid device, must be cuda device"))
    return move(args[0], index, memory_format=kwargs.get("memory_format"))


def npu(self, device=None, non_blocking=False, **kwargs):
    """Tensor.npu of torch_npu."""
    index = state.current if device is None else virtual_index(device)
    if index is None:
        raise report.violation(RuntimeError("Invalid device, must be npu device, got %s" % device))
    return move(self, index, memory_format=kwargs.get("memory_format"))


_TYPES = {
    "FloatTensor": torch.float32, "DoubleTensor": torch.float64, "HalfTensor": torch.float16,
    "BFloat16Tensor": torch.bfloat16, "LongTensor": torch.int64, "IntTensor": torch.int32,
    "ShortTensor": torch.int16, "CharTensor": torch.int8, "ByteTensor": torch.uint8,
    "BoolTensor": torch.bool,
}
_NAMES = {dtype: name for name, dtype in _TYPES.items()}


@handles(Base.type)
def _type(func, args, kwargs):
    tensor = args[0]
    wanted = args[1] if len(args) > 1 else kwargs.get("dtype")
    index = index_of(tensor)
    if wanted is None:
        if index is None or tensor.dtype not in _NAMES:
            return func(*args, **kwargs)
        return "torch.%s.%s" % (device.TYPE, _NAMES[tensor.dtype])
    if isinstance(wanted, torch.dtype):
        return move(tensor, index, wanted)
    if isinstance(wanted, DeviceTensorType):
        return move(tensor, state.current if index is None else index, wanted.dtype)
    if isinstance(wanted, str) and device.TYPE:
        prefix, _, name = wanted.rpartition(".")
        if prefix == "torch." + device.TYPE and name in _TYPES:
            return move(tensor, state.current if index is None else index, _TYPES[name])
    if "cuda" in str(wanted) and device.TYPE != "cuda":
        report.residual("type %s" % (wanted if isinstance(wanted, str) else wanted.__name__))
    return mark(func(*args, **kwargs), None)


class DeviceTensorType(type):
    """torch.npu.FloatTensor and the like: to make tensors with, and for isinstance."""

    def __new__(mcs, name, dtype):
        made = super().__new__(mcs, name, (), {"__module__": "torch.%s" % device.TYPE})
        made.dtype = dtype
        return made

    def __init__(cls, name, dtype):
        super().__init__(name, (), {})

    def __call__(cls, *args, **kwargs):
        host = getattr(torch, cls.__name__, None) or torch.Tensor
        with disabled():
            made = host(*args, **kwargs)
        return mark(made, state.current)

    def __instancecheck__(cls, value):
        return (isinstance(value, Tensor) and value._simulated_index is not None
                and value.dtype == cls.dtype)

    @property
    def is_cuda(cls):
        return device.TYPE == "cuda"


def tensor_types():
    return {name: DeviceTensorType(name, dtype) for name, dtype in _TYPES.items()}


@handles(_getter("device"))
def _device(func, args, kwargs):
    index = index_of(args[0])
    return func(*args, **kwargs) if index is None else device_of(index)


@handles(_getter("is_cuda"))
def _is_cuda(func, args, kwargs):
    if device.transfer:
        return index_of(args[0]) is not None
    if device.TYPE == "npu" and report.is_called_by_user():
        report.residual(".is_cuda", harmless=index_of(args[0]) is None)
    return device.TYPE == "cuda" and index_of(args[0]) is not None


@handles(Base.get_device)
def _get_device(func, args, kwargs):
    index = index_of(args[0])
    return -1 if index is None else index


@handles(_getter("data"), _getter("grad"), _getter("_base"), _getter("real"), _getter("imag"))
def _part(func, args, kwargs):
    result = func(*args, **kwargs)
    if isinstance(result, Tensor) and args[0]._simulated_index is not None:
        result._simulated_index = args[0]._simulated_index
    return result


@handles(_setter("data"))
def _set_data(func, args, kwargs):
    func(*args, **kwargs)
    args[0]._simulated_index = index_of(args[1])


@handles(_setter("grad"))
def _set_grad(func, args, kwargs):
    if isinstance(args[1], Tensor) and index_of(args[1]) != index_of(args[0]):
        raise report.violation(RuntimeError(
            "assigned grad has data located on a different device (%s, the tensor is on %s)"
            % (device_name(index_of(args[1])), device_name(index_of(args[0])))))
    return func(*args, **kwargs)


def _refuse_numpy(func, args, kwargs):
    index = index_of(args[0])
    if index is not None:
        raise report.violation(TypeError(
            "can't convert %s device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
            "host memory first." % device_name(index)))
    return func(*args, **kwargs)


handles(Base.numpy, Tensor.__array__)(_refuse_numpy)


@handles(Base.pin_memory)
def _pin_memory(func, args, kwargs):
    tensor = args[0]
    if index_of(tensor) is not None:
        raise report.violation(RuntimeError(
            "cannot pin '%s': only dense CPU tensors can be pinned" % tensor.type()))
    wanted = args[1] if len(args) > 1 else kwargs.get("device")
    if device.TYPE is None or (wanted is not None and virtual_index(wanted) is None):
        return func(*args, **kwargs)
    if device.TYPE == "npu" and not device.torch_npu_imported:
        return func(*args, **kwargs)
    pinned = tensor.clone()
    pinned._simulated_pinned = True
    return pinned


@handles(Base.is_pinned)
def _is_pinned(func, args, kwargs):
    return getattr(args[0], "_simulated_pinned", False)


def _record_stream(self, stream):
    """Tensor.record_stream; that of torch wants a stream of its own class."""
    if index_of(self) is None:
        raise report.violation(RuntimeError("record_stream: the tensor is on the CPU"))


@handles(Tensor.__repr__)
def _repr(func, args, kwargs):
    text = func(*args, **kwargs)
    index = index_of(args[0])
    if index is None or not text.endswith(")"):
        return text
    for suffix in (", dtype=", ", grad_fn=", ", requires_grad="):
        cut = text.find(suffix)
        if cut >= 0:
            return "%s, device='%s'%s" % (text[:cut], device_name(index), text[cut:])
    return "%s, device='%s')" % (text[:-1], device_name(index))


_VF = torch._C._VariableFunctions
any_device.update({torch._has_compatible_shallow_copy_type, Base.is_same_size})
# takes the sizes of the templates alone
host_arguments[torch._C._nn.unflatten_dense_tensors] = {1, "tensors"}
# packed sequences: batch_sizes is on the CPU
host_arguments.update({getattr(_VF, name): {1} for name in ("lstm", "gru", "rnn_tanh", "rnn_relu")})
_LENGTHS = {2, 3, "input_lengths", "target_lengths"}
if device.TYPE == "cuda":  # cuDNN wants the targets there
    _LENGTHS |= {1, "targets"}
host_arguments.update({function: _LENGTHS for function in (
    torch.ctc_loss, torch.nn.functional.ctc_loss)})
_SPLITS = {1, "tensor_indices_or_sections", "indices_or_sections", "indices"}
host_arguments.update({function: _SPLITS for function in (torch.tensor_split, Base.tensor_split)})
host_arguments.update({function: {1, "indices"} for function in (
    torch.index_put, torch.index_put_, Base.index_put, Base.index_put_)})


def _takes_indices(key):
    """Whether x[key] = y gathers places (y must be on x's device), or copies into a part of x."""
    if isinstance(key, Tensor):
        return key.dim() > 0 or key.dtype is torch.bool
    if isinstance(key, (tuple, list)):
        return isinstance(key, list) or any(_takes_indices(part) for part in key)
    return hasattr(key, "__array__") and getattr(key, "ndim", 0) > 0


def _wrap_setitem():
    """x[key] = y does not reach the mode in torch 1.13, unless the key is a number."""
    base = Base.__setitem__

    def __setitem__(self, key, value):
        kind = key.__class__
        if kind is not int and kind is not slice and state.backward is None:
            _check_setitem(self, key, value)
        base(self, key, value)

    any_device.update({base, __setitem__})
    Tensor.__setitem__ = __setitem__


def _check_setitem(tensor, key, value):
    index = tensor._simulated_index
    check_key(key, index)
    if not isinstance(value, Tensor) or value._simulated_index == index:
        return
    if (value.dim() > 0 or value._simulated_index is not None) and _takes_indices(key):
        raise report.violation(RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            "%s and %s! (in x[indices] = y)" % (device_name(index),
                                                device_name(value._simulated_index))))


@handles(Base.copy_)
def _copy(func, args, kwargs):
    return func(*args, **kwargs)


@handles(Base.expand_as, Base.view_as, Base.reshape_as)
def _like_other(func, args, kwargs):
    return mark(func(*args, **kwargs), index_of(args[0]))


@handles(Base.type_as)
def _type_as(func, args, kwargs):
    return move(args[0], index_of(args[1]), args[1].dtype)


@handles(torch.tensor, torch.as_tensor)
def _tensor(func, args, kwargs):
    """A tensor made of numbers, or of tensors whose numbers are taken, is on the CPU."""
    if kwargs.get("device") is not None:
        data = args[0] if args else kwargs.get("data")
        if func is torch.as_tensor and isinstance(data, Tensor):
            target, known = _place(kwargs["device"])
            if known:
                return move(data, target, kwargs.get("dtype"))
        target = virtual_index(kwargs["device"])
        if target is not None:
            kwargs = dict(kwargs, device="cpu")
            func = torch.tensor
    else:
        data = args[0] if args else kwargs.get("data")
        target = index_of(data) if isinstance(data, Tensor) else None
        if target is None and device.default_is_device:
            target = state.current
    return mark(func(*args, **kwargs), target)


@handles(_VF._pack_padded_sequence, _VF._pad_packed_sequence)
def _packing(func, args, kwargs):
    data, sizes = func(*args, **kwargs)
    return mark(data, index_of(args[0])), sizes


def _set_default_type(original):
    def set_default_tensor_type(kind):
        name = kind if isinstance(kind, str) else "%s.%s" % (kind.__module__, kind.__name__)
        prefix, _, last = name.rpartition(".")
        if device.TYPE == "npu" and prefix in ("torch.npu", "torch_npu.npu"):
            # python_tensor.cpp of torch looks for the type among its own, which those are not.
            raise TypeError("invalid type object: only floating-point types are supported as the "
                            "default type")
        if device.TYPE and prefix == "torch." + device.TYPE and last in _TYPES:
            device.default_is_device = True
            torch.set_default_dtype(_TYPES[last])
            return
        if prefix == "torch.cuda":
            report.residual("default tensor type %s" % name)
        device.default_is_device = False
        original(kind)

    return set_default_tensor_type


def _wrap_parameter():
    make = torch.nn.Parameter.__new__

    def __new__(cls, data=None, requires_grad=True):
        made = make(cls, data, requires_grad)
        if data is not None and data._simulated_index is not None:
            made._simulated_index = data._simulated_index
        return made

    torch.nn.Parameter.__new__ = __new__


def _wrap_constructor(kind):
    """Variable(x) and torch.Tensor(x) are x under another name; a class does not reach the mode."""
    make = kind.__new__

    def __new__(cls, *args, **kwargs):
        made = make(cls, *args, **kwargs)
        data = args[0] if args else kwargs.get("data", kwargs.get("other"))
        if isinstance(data, Tensor) and data._simulated_index is not None:
            made._simulated_index = data._simulated_index
        return made

    kind.__new__ = __new__


def install():
    _wrap_constructor(torch.autograd.Variable)
    _wrap_constructor(Tensor)
    Tensor.record_stream = _record_stream
    _wrap_setitem()
    _wrap_parameter()
    torch.set_default_tensor_type = _set_default_type(torch.set_default_tensor_type)
