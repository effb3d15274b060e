# SPDX-License-Identifier: Apache-2.0
"""Devices: the value `npu:0`, what a device argument means, and which device is current.

A tensor on the simulated device is an ordinary CPU tensor whose attribute `_simulated_index` is the
index of its device; everywhere else that attribute is None, from the class.
"""

import linecache
import re
import threading

import torch

from . import report
from .settings import current as settings

REAL_DEVICE = torch.device
TYPE = settings.device_type  # "npu", "cuda" or None


class _State(threading.local):
    """What belongs to a thread."""

    current = 0
    backward = None  # device of the graph that runs backward: tensors without a device belong to it


state = _State()
torch_npu_imported = False
transfer = False  # torch_npu.contrib.transfer_to_npu: 'cuda' means npu
default_is_device = False  # torch.set_default_tensor_type(torch.npu.FloatTensor)


def _note_comparison(other):
    """A comparison with 'cuda' takes the wrong branch, unless the line knows the NPU as well."""
    if not isinstance(other, str) or not other.startswith("cuda") or not report.is_called_by_user():
        return
    frame = report.calling_frame()
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
    if not re.search(r"(?<![A-Za-z])npu", line):
        report.residual("comparison of an npu device with '%s'" % other)


class _DeviceText(str):
    """The type or the text of an npu device; comparing it with 'cuda' is left-over CUDA."""

    __slots__ = ()

    def __eq__(self, other):
        _note_comparison(other)
        return str.__eq__(self, other)

    def __ne__(self, other):
        return not self == other

    def __contains__(self, part):
        _note_comparison(part)
        return str.__contains__(self, part)

    def __reduce__(self):
        return (str, (str.__str__(self),))

    __hash__ = str.__hash__


class _DeviceMeta(type):
    """Lets `torch.device` make and recognise both the simulated and the real devices."""

    def __call__(cls, *args, **kwargs):
        kind = args[0] if args else kwargs.get("type", kwargs.get("device"))
        if isinstance(kind, NpuDevice):
            return kind
        if isinstance(kind, str) and torch_npu_imported and _is_npu_name(kind):
            return _named_device(kind, args[1] if len(args) > 1 else kwargs.get("index"))
        if isinstance(kind, int) and not isinstance(kind, bool) and ints_are_npu():
            return device_of(kind)
        made = REAL_DEVICE(*args, **kwargs)
        if made.type == "cuda" and report.is_called_by_user():
            report.residual("torch.device('%s')" % made)
        return made

    def __instancecheck__(cls, value):
        return type(value) is REAL_DEVICE or type(value) is NpuDevice


def _is_npu_name(text):
    base = str.__str__(text).partition(":")[0]
    is_npu = base == "npu" or (base == "privateuseone" and _is_backend_of_torch())
    return is_npu or (transfer and base == "cuda")


def _is_backend_of_torch():
    """From torch 2.1 on npu is what torch_npu renames torch's own device privateuseone to."""
    return tuple(int(part) for part in settings.torch_npu.split(".")[:2]) >= (2, 1)


class NpuDevice(str, metaclass=_DeviceMeta):
    """A torch.device('npu', index).

    It is a str so that torch's C++ argument parser lets it pass; a real device is none.
    """

    __module__ = "torch"
    __qualname__ = "device"

    @property
    def type(self):
        return _NPU_TEXT

    @property
    def index(self):
        return self._index

    def __str__(self):
        text = "npu" if self._index is None else "npu:%d" % self._index
        return _DeviceText(text)

    def __repr__(self):
        if self._index is None:
            return "device(type='npu')"
        return "device(type='npu', index=%d)" % self._index

    def __format__(self, spec):
        return format(str.__str__(str(self)), spec)

    def __eq__(self, other):
        if type(other) is NpuDevice:
            return self._index == other._index
        _note_comparison(other)
        return False  # a torch.device is never equal to a string

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(("npu", self._index))

    def __reduce__(self):
        return (torch.device, ("npu",) if self._index is None else ("npu", self._index))

    def __deepcopy__(self, memo):
        return self

    def __copy__(self):
        return self


NpuDevice.__name__ = "device"  # what writes an object by the name of its class, as yaml does
_NPU_TEXT = _DeviceText("npu")


def _make(index):
    made = str.__new__(NpuDevice, "npu" if index is None else "npu:%d" % index)
    made._index = index
    return made


_devices = {}


def device_of(index):
    """The device object with this index (None: the current one, unnamed)."""
    found = _devices.get(index)
    if found is None:
        if TYPE == "npu":
            found = _make(index)
        else:
            found = REAL_DEVICE(TYPE) if index is None else REAL_DEVICE(TYPE, index)
        _devices[index] = found
    return found


def _named_device(name, index):
    kind, colon, number = str.__str__(name).partition(":")
    if colon:
        if index is not None:
            raise RuntimeError("type (string) must not include an index because index was passed "
                               "explicitly: %s" % name)
        if not number.isdigit() or (len(number) > 1 and number[0] == "0"):
            raise RuntimeError("Invalid device string: '%s'" % name)
        index = int(number)
    return device_of(index)


def ints_are_npu():
    """From torch 2.1 on an integer device is the accelerator's, before it is CUDA's."""
    if TYPE != "npu" or not torch_npu_imported:
        return False
    return transfer or _is_backend_of_torch()


def checked(index):
    """The index, if the simulated host has such a device."""
    if index is None:
        return state.current
    if not 0 <= index < settings.devices:
        message = ("invalid device ordinal: %s:%d does not exist, the simulated host has %d device%s; "
                   "give --devices %d for more" % (
                       TYPE, index, settings.devices, "" if settings.devices == 1 else "s", index + 1))
        if index > 0:
            report.write("wants_devices", count=index + 1)
        raise report.violation(RuntimeError(message))
    return index


def _residual_cuda(value):
    if TYPE != "cuda":
        report.residual("device %s" % (value if isinstance(value, int) else "'%s'" % value))


def virtual_index(value):
    """Which simulated device a device argument means; None: no simulated one, torch decides."""
    kind = type(value)
    if value is None or TYPE is None:
        return None
    if kind is NpuDevice:
        return checked(value._index)
    if kind is REAL_DEVICE:
        if value.type == TYPE:
            return checked(value.index)
        if value.type == "cuda":
            if transfer:
                return checked(value.index)
            _residual_cuda(str(value))
        return None
    if isinstance(value, str):
        base = str.__str__(value).partition(":")[0]
        if TYPE == "npu" and torch_npu_imported and _is_npu_name(value):
            return checked(_named_device(value, None)._index)
        if base == "cuda":
            if TYPE == "cuda":
                return checked(REAL_DEVICE(value).index)
            _residual_cuda(value)
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        if TYPE == "cuda" or ints_are_npu():
            return checked(value)
        _residual_cuda(value)
    return None


def is_device_argument(value):
    """True for what `Tensor.to` takes as a device."""
    kind = type(value)
    if kind is NpuDevice or kind is REAL_DEVICE or isinstance(value, str):
        return True
    return isinstance(value, int) and not isinstance(value, bool)


def install():
    torch.Tensor._simulated_index = None
    torch._C.Generator  # the class below derives from it
    if TYPE == "npu":
        torch.device = NpuDevice
    torch.Generator = Generator


class _GeneratorMeta(type(torch._C.Generator)):
    def __instancecheck__(cls, value):
        return isinstance(value, torch._C.Generator)


class Generator(torch._C.Generator, metaclass=_GeneratorMeta):
    """torch.Generator that may belong to the simulated device."""

    __module__ = "torch"

    def __new__(cls, device="cpu"):
        index = virtual_index(device)
        made = super().__new__(cls, "cpu" if index is not None else device)
        made._index = index
        return made

    @property
    def device(self):
        return REAL_DEVICE("cpu") if self._index is None else device_of(self._index)


def generator_index(generator):
    return getattr(generator, "_index", None)
