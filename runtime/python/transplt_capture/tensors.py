# SPDX-License-Identifier: Apache-2.0
"""Tensors of torch as the capture library takes them."""

import json
import math

import torch

from . import _native
from .arrays import BFLOAT16, BOOL, COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, INT8, INT16, \
    INT32, INT64, UINT8, UINT16, UINT32, UINT64

WANT_STATISTICS, WANT_CRC, WANT_PAYLOAD = 1, 2, 4
FORMAT_NPY, FORMAT_MINDSPORE_SYNC, FORMAT_MINDSPORE_ASYNC, FORMAT_GE, FORMAT_HDF5, FORMAT_NONE, \
    FORMAT_PT = range(7)

_NAMES = {"float32": FLOAT32, "float16": FLOAT16, "bfloat16": BFLOAT16, "float64": FLOAT64,
          "int8": INT8, "int16": INT16, "int32": INT32, "int64": INT64, "uint8": UINT8,
          "uint16": UINT16, "uint32": UINT32, "uint64": UINT64, "bool": BOOL,
          "complex64": COMPLEX64, "complex128": COMPLEX128}
# Older torch has no unsigned numbers but bytes; float8 and the like have no statistics here.
_TORCH = {getattr(torch, name): number for name, number in _NAMES.items() if hasattr(torch, name)}

for _dtype, _number in _TORCH.items():
    _native.register_type(_dtype, _number, str(_dtype),
                          torch.finfo(_dtype).max if _dtype.is_floating_point else 0.0)
_native.register_tensors((torch.Tensor, torch.nn.Parameter), torch.strided)


def on_host(tensor):
    """The tensor in host memory, or None where it has no memory that could be read, or elements of
    a type that is not captured."""
    if tensor.dtype not in _TORCH:
        return None
    if tensor.is_cpu and tensor.layout is torch.strided and not tensor.is_quantized:
        if type(tensor) is torch.Tensor or type(tensor) is torch.nn.Parameter:
            if not tensor.is_neg() and not tensor.is_conj():
                return tensor
    if tensor.is_meta or tensor.is_quantized:
        return None
    with torch.no_grad():
        dense = tensor.detach()
        if dense.layout is not torch.strided:
            dense = dense.to_dense()
        dense = dense.to("cpu").resolve_conj().resolve_neg()
        return dense.as_subclass(torch.Tensor)


tensors_in = _native.tensors_in


def has_bad_number(value):
    """True if infinity or NaN is among the arguments, as in masked_fill(mask, float("-inf"))."""
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, (list, tuple)):
        return any(map(has_bad_number, value))
    return isinstance(value, dict) and any(map(has_bad_number, value.values()))


def plain_element(value):
    """What msprobe's dump.json says about a value that is no tensor."""
    if value is None:
        return "null"
    if isinstance(value, torch.Size):
        return '{"type": "torch.Size", "value": %s}' % json.dumps(list(value))
    if isinstance(value, (bool, int, float, str)):
        return '{"type": "%s", "value": %s}' % (type(value).__name__, json.dumps(value))
    if isinstance(value, (torch.dtype, torch.device)):
        return '{"type": "torch.%s", "value": "%s"}' % (type(value).__name__, value)
    if isinstance(value, slice):
        return '{"type": "slice", "value": %s}' % json.dumps(
            [part if isinstance(part, int) else None
             for part in (value.start, value.stop, value.step)])
    return '{"type": %s, "value": null}' % json.dumps(type(value).__name__)
